/* encode.c: encodes descriptors, the inverse of decode.c. Terms of an operand may come in
 * any order; they are sorted and merged here, so that equal addresses give equal rows. */
#include "blob/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Encoder {
    TikBlobWriter *w;
    const EncodeError *err;
    uint8_t p[MAX_SLOTS * SLOT_BYTES];
    uint32_t at; /* offset of the next field */
    bool instr;
    int numbers;
    int64_t wide[MAX_NUMBERS];
    uint32_t nwide;
} Encoder;

static bool fail(const Encoder *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool
fail(const Encoder *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (e->err->size > 0) {
        vsnprintf(e->err->text, e->err->size, fmt, ap);
    }
    va_end(ap);
    return false;
}

/* ---- numbers ------------------------------------------------------------- */

static void
use_register(const Encoder *e, uint32_t reg)
{
    WriterKernel *k = writer_kernel(e->w);
    k->nregs = reg >= k->nregs ? reg + 1 : k->nregs;
}

static bool
number_field(const Encoder *e, const TikNum *n, NumTag *tag, uint32_t *field)
{
    switch (n->kind) {
    case NUM_IMM:
        *tag = n->imm == (int32_t)n->imm ? TAG_IMM : TAG_WIDE;
        *field = (uint32_t)n->imm;
        return true;
    case NUM_REG:
        *tag = TAG_REG;
        *field = n->index;
        return n->index < MAX_BLOB_REGS ||
               fail(e, "register %u; a kernel has at most %d", n->index, MAX_BLOB_REGS);
    case NUM_LOOP:
        *tag = TAG_LOOP;
        *field = n->index;
        return n->index < TIKBLOB_MAX_LOOPS ||
               fail(e, "loop slot %u; loops nest at most %d deep", n->index,
                    TIKBLOB_MAX_LOOPS);
    case NUM_CORE:
        *tag = TAG_LOOP;
        *field = CORE_INDEX;
        return true;
    }
    return false;
}

static void
put_tag(Encoder *e, NumTag tag)
{
    int i = e->numbers++;
    uint32_t shifted = (uint32_t)tag << (2 * (i % TAG_NUMBERS));
    uint8_t *word = e->p + blob_tag_word(i);
    if (e->instr) {
        put32(word, get32(word) | shifted);
    } else {
        e->p[5] |= (uint8_t)shifted;
    }
}

static bool
put_number(Encoder *e, const TikNum *n)
{
    NumTag tag;
    uint32_t field;
    if (!number_field(e, n, &tag, &field)) {
        return false;
    }
    if (tag == TAG_REG) {
        use_register(e, field);
    }
    if (tag == TAG_WIDE) {
        field = e->nwide;
        e->wide[e->nwide++] = n->imm;
    }
    put_tag(e, tag);
    put32(e->p + e->at, field);
    e->at += 4;
    return true;
}

/* ---- operands ------------------------------------------------------------ */

typedef struct Term {
    NumTag tag;
    uint32_t index;
    int64_t coef;
} Term;

static bool
term_before(const Term *a, const Term *b)
{
    return a->tag < b->tag || (a->tag == b->tag && a->index < b->index);
}

/* Inserts a term in order. Terms with the same number are added up. */
static bool
insert_term(const Encoder *e, Term *terms, int *n, Term t)
{
    int i = *n;
    while (i > 0 && term_before(&t, &terms[i - 1])) {
        i--;
    }
    if (i > 0 && terms[i - 1].tag == t.tag && terms[i - 1].index == t.index) {
        return !__builtin_add_overflow(terms[i - 1].coef, t.coef, &terms[i - 1].coef) ||
               fail(e, "a coefficient does not fit 64 bits");
    }
    for (int j = *n; j > i; j--) {
        terms[j] = terms[j - 1];
    }
    terms[i] = t;
    ++*n;
    return true;
}

static bool
sorted_terms(const Encoder *e, const TikOperand *o, Term *terms, int *n)
{
    *n = 0;
    for (int i = 0; i < o->nterms; i++) {
        Term t = {.coef = o->terms[i].coef};
        if (o->terms[i].num.kind == NUM_IMM) {
            return fail(e, "a term of an address is a loop slot, the core or a register");
        }
        if (!number_field(e, &o->terms[i].num, &t.tag, &t.index) ||
            !insert_term(e, terms, n, t)) {
            return false;
        }
    }
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        if (terms[i].coef != 0) {
            terms[kept++] = terms[i];
        }
    }
    *n = kept;
    return true;
}

static bool
row_of(const Encoder *e, const TikOperand *o, int32_t high, uint32_t *row)
{
    uint8_t p[ROW_BYTES * (1 + TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS)] = {0};
    Term terms[TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS];
    int n;
    int regs = 0;
    if (!sorted_terms(e, o, terms, &n)) {
        return false;
    }
    p[0] = ROW_HEAD;
    p[1] = (uint8_t)n;
    put32(p + 4, o->region);
    put32(p + 8, (uint32_t)high);
    for (int i = 0; i < n; i++) {
        uint8_t *t = p + ROW_BYTES * (i + 1);
        t[0] = ROW_TERM;
        t[1] = (uint8_t)terms[i].tag;
        put32(t + 4, terms[i].index);
        put64(t + 8, (uint64_t)terms[i].coef);
        if (terms[i].tag == TAG_REG) {
            use_register(e, terms[i].index);
            regs++;
        }
    }
    if (regs > TIKBLOB_MAX_REGS || n - regs > TIKBLOB_MAX_TERMS) {
        return fail(e, "an address has at most %d loop terms and %d register terms",
                    TIKBLOB_MAX_TERMS, TIKBLOB_MAX_REGS);
    }
    *row = writer_row(e->w, p, (size_t)(ROW_BYTES * (n + 1)));
    return *row <= 0xffffff || fail(e, "more than 16777216 affine records");
}

static bool
put_operand(Encoder *e, const TikOperand *o)
{
    int32_t low = (int32_t)(uint32_t)(uint64_t)o->offset;
    int64_t rest;
    uint32_t row;
    bool fits = !__builtin_sub_overflow(o->offset, (int64_t)low, &rest);
    if (!fits || rest / ((int64_t)1 << 32) > INT32_MAX) {
        return fail(e, "offset %lld does not fit", (long long)o->offset);
    }
    if (o->region >= (uint32_t)writer_kernel(e->w)->info.nregions) {
        return fail(e, "region %u; the kernel has %d", o->region,
                    writer_kernel(e->w)->info.nregions);
    }
    if (o->dtype <= DT_NONE || o->dtype >= DT_COUNT) {
        return fail(e, "an operand has no dtype");
    }
    if (!row_of(e, o, (int32_t)(rest / ((int64_t)1 << 32)), &row)) {
        return false;
    }
    put32(e->p + e->at, row | (uint32_t)o->dtype << 24);
    put32(e->p + e->at + 4, (uint32_t)low);
    e->at += 8;
    return true;
}

/* ---- classes ------------------------------------------------------------- */

static bool
put_reg(Encoder *e, uint32_t reg)
{
    if (reg >= MAX_BLOB_REGS) {
        return fail(e, "register %u; a kernel has at most %d", reg, MAX_BLOB_REGS);
    }
    use_register(e, reg);
    put16(e->p + 6, reg);
    return true;
}

static bool
put_slot(Encoder *e, uint32_t slot)
{
    if (slot >= TIKBLOB_MAX_LOOPS) {
        return fail(e, "loops nest %u deep; a blob allows %d", slot + 1,
                    TIKBLOB_MAX_LOOPS);
    }
    e->p[2] = (uint8_t)slot;
    return true;
}

static bool
put_alu(Encoder *e, const TikDesc *d)
{
    e->p[2] = (uint8_t)d->alu_op;
    e->p[3] = (uint8_t)d->dtype;
    e->p[4] = blob_has_from(d->alu_op) ? (uint8_t)d->from : 0;
    if (!put_reg(e, d->reg) || !put_number(e, &d->a)) {
        return false;
    }
    return scalar_op_table[d->alu_op].arity == 1 || put_number(e, &d->b);
}

static bool
put_access(Encoder *e, const TikDesc *d)
{
    e->p[2] = d->checked ? ACCESS_CHECKED : 0;
    if (d->kind == DESC_LOAD && !put_reg(e, d->reg)) {
        return false;
    }
    return put_operand(e, &d->operand) && (d->kind == DESC_LOAD || put_number(e, &d->a));
}

static bool
put_mask(Encoder *e, const TikDesc *d, int i)
{
    put16(e->p + 2, get16(e->p + 2) | (uint32_t)d->mask_form << OP_FORM_SHIFT);
    for (int w = 0; w < mask_words(d->mask_form); w++) {
        if (!put_number(e, &d->args[i].mask[w])) {
            return false;
        }
    }
    return true;
}

static bool
put_instr(Encoder *e, const TikDesc *d)
{
    int n;
    const ParamInfo *p = form_params(op_table[d->op].form, &n);
    int numbers, bytes;
    put16(e->p + 2, (uint32_t)d->op | (d->checked ? OP_CHECKED : 0));
    blob_instr_layout(d->op, d->mask_form, &numbers, &bytes);
    e->at += blob_more_tags(numbers);
    for (int i = 0; i < n; i++) {
        bool ok = true;
        switch (p[i].role) {
        case ROLE_DST:
        case ROLE_SRC:
        case ROLE_ROOT:
            ok = put_operand(e, &d->args[i].t);
            break;
        case ROLE_MASK:
            ok = put_mask(e, d, i);
            break;
        case ROLE_MASKMODE:
            break;
        case ROLE_REPEAT:
        case ROLE_INT:
        case ROLE_SCALAR:
        case ROLE_ATTR:
        case ROLE_PIPE:
            ok = put_number(e, &d->args[i].v);
            break;
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool
put_loop(Encoder *e, const TikDesc *d)
{
    WriterKernel *k = writer_kernel(e->w);
    if (!put_slot(e, d->slot) || !put_number(e, &d->a) || !put_number(e, &d->b)) {
        return false;
    }
    e->w->depth++;
    k->nloops = e->w->depth > k->nloops ? e->w->depth : k->nloops;
    return true;
}

static bool
put_class(Encoder *e, const TikDesc *d)
{
    switch (d->kind) {
    case DESC_LOOP:
        return put_loop(e, d);
    case DESC_ENDLOOP:
        e->w->depth -= e->w->depth > 0;
        return put_slot(e, d->slot);
    case DESC_IF:
        return put_number(e, &d->a);
    case DESC_ELSE:
    case DESC_ENDIF:
    case DESC_BREAK:
    case DESC_CONTINUE:
    case DESC_RETURN:
        return true;
    case DESC_ALU:
        return put_alu(e, d);
    case DESC_LOAD:
    case DESC_STORE:
        return put_access(e, d);
    case DESC_INSTR:
        return put_instr(e, d);
    }
    return false;
}

bool
writer_encode(TikBlobWriter *w, const TikDesc *d, const EncodeError *err)
{
    Encoder e = {.w = w, .err = err, .at = 8, .instr = d->kind == DESC_INSTR};
    if (!put_class(&e, d)) {
        return false;
    }
    e.at = e.instr || d->kind == DESC_STORE || e.at > 16 ? e.at : 16;
    for (uint32_t i = 0; i < e.nwide; i++) {
        put64(e.p + e.at, (uint64_t)e.wide[i]);
        e.at += 8;
    }
    uint32_t slots = (e.at + SLOT_BYTES - 1) / SLOT_BYTES;
    e.p[0] = (uint8_t)slots;
    e.p[1] = (uint8_t)(CLASS_BASE + d->kind);
    uint8_t *out = bytes_add(&w->code, slots * SLOT_BYTES);
    if (out != NULL) {
        memcpy(out, e.p, slots * SLOT_BYTES);
    }
    w->failed |= out == NULL;
    writer_kernel(w)->code_slots += slots;
    writer_kernel(w)->ndescriptors++;
    return true;
}
