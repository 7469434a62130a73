/* write.c: writes tokens: codes, their operands, calls of functions of C, and what gives
 * numbers the width that they have. */
#include "compact.h"

#include <stdlib.h>
#include <string.h>

void
token(Function *f, TokenKind kind, int value)
{
    Tokens *c = &f->p->code;
    c->at = room(c->at, c->n, &c->room, sizeof *c->at);
    c->at[c->n++] = (Token){.kind = kind, .value = value, .depth = f->depth};
}

void
number(Function *f, Code c, int64_t v)
{
    if (v < 0 || v > LARGEST) {
        fail(f, "an operand is too large", NULL);
    }
    token(f, TOKEN_NUMBER, (int)v);
    f->p->code.at[f->p->code.n - 1].code = c;
}

void
deeper(Function *f, int by)
{
    f->depth += by;
    f->deepest = f->depth > f->deepest ? f->depth : f->deepest;
}

void
code(Function *f, Code c)
{
    static const int8_t effects[] = {
#define CODE(name, operand, effect) effect,
#include "lean/compact.def"
    };
    token(f, TOKEN_CODE, (int)c);
    deeper(f, effects[c]);
}

void
code_n(Function *f, Code c, int64_t n)
{
    code(f, c);
    number(f, c, n);
}

int
number_in(Table *t, LLVMValueRef v)
{
    for (int i = 0; i < t->n; i++) {
        if (t->at[i] == v) {
            return i;
        }
    }
    t->at = room(t->at, t->n, &t->room, sizeof *t->at);
    t->at[t->n] = v;
    return t->n++;
}

void
constant(Function *f, int64_t v)
{
    if (v >= 0 && v <= LARGEST) {
        code_n(f, C_CONST, v);
    } else if (v < 0 && v >= -LARGEST) {
        code_n(f, C_MINUS, -1 - v);
    } else {
        LLVMTypeRef t = LLVMInt64TypeInContext(f->p->context);
        code_n(f, C_POOL, number_in(&f->p->pool, LLVMConstInt(t, (uint64_t)v, true)));
    }
}

static int last_set = -1, last_set_slot;

void
get(Function *f, int slot)
{
    if (last_set >= 0 && last_set_slot == slot && f->p->code.n == last_set + 2) {
        f->p->code.at[last_set].value = C_TEE;
        f->p->code.at[last_set + 1].code = C_TEE;
        last_set = -1;
        deeper(f, 1);
    } else {
        code_n(f, C_GET, slot);
    }
}

void
set(Function *f, int slot)
{
    last_set = f->p->code.n;
    last_set_slot = slot;
    code_n(f, C_SET, slot);
}

/* Calls a function of C: the text says how many operands it takes, and what it makes of
 * them (emit.c). */
void
native(Function *f, const char *what, int operands, int results)
{
    Program *p = f->p;
    int i = 0;
    while (i < p->nhelpers && strcmp(p->helpers[i], what) != 0) {
        i++;
    }
    if (i == MOST_HELPERS) {
        fail(f, "too many functions of C", NULL);
    }
    if (i == p->nhelpers) {
        p->helpers[p->nhelpers++] = strdup(what);
    }
    code_n(f, C_NATIVE, i);
    deeper(f, results - operands);
}

/* ---- types --------------------------------------------------------------- */

int
bits(const Function *f, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
        return f->p->pointer * 8;
    }
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 64) {
        fail(f, "type", v);
    }
    return (int)LLVMGetIntTypeWidth(t);
}

/* What is on the stack is a number of 64 bits: those of 32 bits are extended by their
 * sign, narrower ones by zeros. */
void
narrow(Function *f, int width)
{
    if (width == 32) {
        code(f, C_SX32);
    } else if (width < 64) {
        constant(f, ((int64_t)1 << width) - 1);
        code(f, C_AND);
    }
}

void
sign(Function *f, int width)
{
    if (width != 32 && width != 64) {
        code_n(f, C_SX, width);
    }
}
