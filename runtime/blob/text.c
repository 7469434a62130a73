/* text.c: puts descriptors and quoted strings as the text of blobs has them (see text.h).
 */
#include "blob/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
reserve(BlobText *o, size_t n)
{
    if (o->cap - o->n > n) {
        return true;
    }
    size_t cap = o->cap * 2 + n + 256;
    char *p = o->failed ? NULL : realloc(o->p, cap);
    if (p == NULL) {
        o->failed = true;
        return false;
    }
    o->p = p;
    o->cap = cap;
    return true;
}

void
blob_put(BlobText *o, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (reserve(o, 200)) {
        o->n += (size_t)vsnprintf(o->p + o->n, 200, fmt, ap);
    }
    va_end(ap);
}

void
blob_put_quoted(BlobText *o, const char *text, size_t n)
{
    blob_put(o, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            blob_put(o, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            blob_put(o, "\\x%02x", c);
        } else {
            blob_put(o, "%c", c);
        }
    }
    blob_put(o, "\"");
}

/* ---- operands ------------------------------------------------------------ */

static void
put_number(BlobText *o, const TikNum *n)
{
    switch (n->kind) {
    case NUM_IMM:
        blob_put(o, "%" PRId64, n->imm);
        break;
    case NUM_REG:
        blob_put(o, "r%u", n->index);
        break;
    case NUM_LOOP:
        blob_put(o, "s%u", n->index);
        break;
    case NUM_CORE:
        blob_put(o, "core");
        break;
    }
}

static void
put_region(BlobText *o, uint32_t region)
{
    if (o->named == NULL) {
        blob_put(o, "%u", region);
        return;
    }
    TikBlobRegion r;
    tikblob_region(o->named, o->kernel, (int)region, &r);
    blob_put(o, "%.180s", r.name);
}

static void
put_operand(BlobText *o, const TikOperand *t)
{
    blob_put(o, "%s[", dtype_name(t->dtype));
    put_region(o, t->region);
    blob_put(o, ", %" PRId64, t->offset);
    for (int i = 0; i < t->nterms; i++) {
        blob_put(o, ", %" PRId64 "*", t->terms[i].coef);
        put_number(o, &t->terms[i].num);
    }
    blob_put(o, "]");
}

static void
put_mask(BlobText *o, const TikDesc *d, int param)
{
    static const char *const names[] = {"count", "bits", "bits4", "counter"};
    blob_put(o, "%s(", names[d->mask_form]);
    for (int i = 0; i < mask_words(d->mask_form); i++) {
        blob_put(o, "%s", i ? ", " : "");
        put_number(o, &d->args[param].mask[i]);
    }
    blob_put(o, ")");
}

static void
put_instr(BlobText *o, const TikDesc *d)
{
    int n;
    const ParamInfo *p = form_params(op_table[d->op].form, &n);
    blob_put(o, "%s%s", op_table[d->op].name, d->checked ? " checked" : "");
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_MASKMODE) {
            continue;
        }
        blob_put(o, " %s=", p[i].name);
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC || p[i].role == ROLE_ROOT) {
            put_operand(o, &d->args[i].t);
        } else if (p[i].role == ROLE_MASK) {
            put_mask(o, d, i);
        } else {
            put_number(o, &d->args[i].v);
        }
    }
}

/* ---- descriptors --------------------------------------------------------- */

static void
put_alu(BlobText *o, const TikDesc *d)
{
    blob_put(o, "r%u = %s %s ", d->reg, scalar_op_table[d->alu_op].name,
             dtype_name(d->dtype));
    if (blob_has_from(d->alu_op)) {
        blob_put(o, "%s ", dtype_name(d->from));
    }
    put_number(o, &d->a);
    if (scalar_op_table[d->alu_op].arity == 2) {
        blob_put(o, " ");
        put_number(o, &d->b);
    }
}

static void
put_loop(BlobText *o, const TikDesc *d)
{
    blob_put(o, "loop s%u = ", d->slot);
    put_number(o, &d->a);
    blob_put(o, " ");
    put_number(o, &d->b);
}

void
blob_put_desc(BlobText *o, const TikDesc *d)
{
    switch (d->kind) {
    case DESC_LOOP:
        put_loop(o, d);
        break;
    case DESC_ENDLOOP:
        blob_put(o, "endloop s%u", d->slot);
        break;
    case DESC_IF:
        blob_put(o, "if ");
        put_number(o, &d->a);
        break;
    case DESC_ELSE:
        blob_put(o, "else");
        break;
    case DESC_ENDIF:
        blob_put(o, "endif");
        break;
    case DESC_BREAK:
        blob_put(o, "break");
        break;
    case DESC_CONTINUE:
        blob_put(o, "continue");
        break;
    case DESC_RETURN:
        blob_put(o, "return");
        break;
    case DESC_ALU:
        put_alu(o, d);
        break;
    case DESC_LOAD:
        blob_put(o, "r%u = load%s ", d->reg, d->checked ? " checked" : "");
        put_operand(o, &d->operand);
        break;
    case DESC_STORE:
        blob_put(o, "store%s ", d->checked ? " checked" : "");
        put_operand(o, &d->operand);
        blob_put(o, " ");
        put_number(o, &d->a);
        break;
    case DESC_INSTR:
        put_instr(o, d);
        break;
    }
}

char *
tikblob_text(const TikBlob *b, const TikBlobKernel *k, const TikDesc *d)
{
    BlobText o = {.named = b, .kernel = k};
    blob_put_desc(&o, d);
    if (o.failed) {
        free(o.p);
        return NULL;
    }
    return o.p;
}
