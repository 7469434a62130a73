/* decode.c: decodes descriptors, and checks their part of P1: every field of every
 * descriptor is legal by itself and coded in the one canonical way. verify.c checks what
 * depends on its place.
 *
 * Layout, in 16-byte slots; byte 0 counts them, byte 1 is the class (kind plus one):
 *   others   slots class slot|op dtype from tags reg16   number number
 *   LOAD     slots class flags 0 0 tags reg16            operand
 *   STORE    slots class flags 0 0 tags 0                operand number
 *   INSTR    slots class op|checked|form16 tags32        (more tags) operands and numbers
 *                                                        in call order
 * An operand is an AFFN record (24 bits), a dtype and an i32 offset. A number has 32 bits
 * and two tag bits: immediate, loop slot (or the core), register, wide. Wide immediates,
 * of 64 bits, follow the fields.
 *
 * It is freestanding: it has no recursion and allocates nothing. It owns the group
 * descriptors of blob_rule.def. */
#include "blob/blob.h"

_Static_assert(CLASS_BASE + DESC_LOOP == 1 && CLASS_BASE + DESC_INSTR == 12,
               "class bytes are part of the format");
_Static_assert(OP_COUNT < 1 << OP_BITS, "instructions fit their field");

typedef struct Reader {
    const TikCursor *c;
    const uint8_t *p; /* the descriptor */
    uint32_t at;      /* next field, in bytes from p */
    int numbers;      /* number of them that were read */
    uint32_t tags;  /* those of the numbers that follow, as far as a word of them goes */
    uint32_t wide;  /* next wide immediate, in bytes from p */
    uint32_t nwide; /* number of them that were read */
    BlobUse *use;
    TikBlobDiag *diag;
} Reader;

#ifdef TIK_LEAN
#define bad(r, rule, at, ...) bad_at(r, rule, at)
static bool
bad_at(const Reader *r, BlobRule rule, uint32_t at)
{
    BlobAt where = {.fourcc = blob_sections[SEC_CODE].fourcc,
                    .offset = r->c->at + at,
                    .descriptor = r->c->index};
    return blob_refuse(r->diag, rule, &where);
}
#else
static bool
bad(const Reader *r, BlobRule rule, uint32_t at, BlobSeen v)
{
    BlobAt where = {.fourcc = blob_sections[SEC_CODE].fourcc,
                    .offset = r->c->at + at,
                    .descriptor = r->c->index,
                    .seen_lo = v.seen,
                    .seen_hi = v.seen,
                    .allowed_lo = v.lo,
                    .allowed_hi = v.hi};
    return blob_refuse(r->diag, rule, &where);
}
#endif

static void
use_reg(const Reader *r, uint32_t reg)
{
    if (r->use != NULL && reg >= r->use->nregs) {
        r->use->nregs = reg + 1;
    }
}

/* ---- numbers ------------------------------------------------------------- */

static bool
check_index(const Reader *r, NumTag tag, uint32_t index, BlobRule rule)
{
    uint32_t limit = tag == TAG_REG ? r->c->kernel.nregs : r->c->kernel.nloops;
    if (tag == TAG_LOOP && index == CORE_INDEX) {
        return true;
    }
    if (index >= limit) {
        return bad(r, rule, r->at, (BlobSeen){index, 0, (int64_t)limit - 1});
    }
    if (tag == TAG_REG) {
        use_reg(r, index);
    }
    return true;
}

static inline TikNum
number_of(NumTag tag, uint32_t field)
{
    switch (tag) {
    case TAG_LOOP:
        return field == CORE_INDEX ? (TikNum){.kind = NUM_CORE}
                                   : (TikNum){.kind = NUM_LOOP, .index = field};
    case TAG_REG:
        return (TikNum){.kind = NUM_REG, .index = field};
    case TAG_IMM:
    case TAG_WIDE:
        break;
    }
    return (TikNum){.kind = NUM_IMM, .imm = (int32_t)field};
}

static bool
read_wide(Reader *r, uint32_t field, TikNum *out)
{
    int64_t v = (int64_t)get64(r->p + r->wide);
    if (field != r->nwide) {
        return bad(r, BLOB_WIDE_ORDER, r->at, (BlobSeen){field, r->nwide, r->nwide});
    }
    if (v == (int32_t)v) {
        return bad(r, BLOB_WIDE_SMALL, r->wide, (BlobSeen){v, 0, 0});
    }
    r->nwide++;
    r->wide += 8;
    *out = (TikNum){.kind = NUM_IMM, .imm = v};
    return true;
}

/* Returns the tags of a number and of those after it in one word. Descriptors other than
 * instructions have one byte of tags. */
static uint32_t
tags_from(const uint8_t *p, int number)
{
    return p[1] == CLASS_BASE + DESC_INSTR ? get32(p + blob_tag_word(number)) : p[5];
}

static inline NumTag
next_tag(Reader *r)
{
    if (r->numbers % TAG_NUMBERS == 0) {
        r->tags = tags_from(r->p, r->numbers);
    }
    NumTag tag = (NumTag)(r->tags & 3);
    r->tags >>= 2;
    r->numbers++;
    return tag;
}

static bool
read_other_number(Reader *r, NumTag tag, uint32_t field, TikNum *out)
{
    TikNum n = number_of(tag, field);
    bool ok = tag == TAG_WIDE ? read_wide(r, field, &n)
                              : check_index(r, tag, field, BLOB_NUMBER_INDEX);
    r->at += 4;
    if (ok && out != NULL) {
        *out = n;
    }
    return ok;
}

static inline bool
read_number(Reader *r, TikNum *out)
{
    uint32_t field = get32(r->p + r->at);
    NumTag tag = next_tag(r);
    if (tag != TAG_IMM) {
        return read_other_number(r, tag, field, out);
    }
    r->at += 4;
    if (out != NULL) {
        *out = number_of(TAG_IMM, field);
    }
    return true;
}

/* ---- operands ------------------------------------------------------------ */

static const uint8_t *
row_at(const Reader *r, uint64_t row)
{
    return blob_record(r->c->blob, SEC_AFFN, row);
}

/* Returns whether there is a row, which no operand may refer to before the ones ahead of
 * it. */
static bool
has_row(const Reader *r, uint64_t row)
{
    const TikBlobSection *s = blob_section(r->c->blob, SEC_AFFN);
    return (row + 1) * s->record <= s->size &&
           (r->use == NULL || row <= r->use->next_row);
}

static bool
bad_row(const Reader *r, uint64_t row)
{
    uint64_t n = blob_records(r->c->blob, SEC_AFFN);
    uint64_t limit = r->use == NULL ? n : r->use->next_row + 1;
    limit = limit < n ? limit : n;
    return bad(r, BLOB_OPERAND_ROW, r->at,
               (BlobSeen){(int64_t)row, 0, (int64_t)limit - 1});
}

static bool
use_row(const Reader *r, uint64_t row)
{
    if (!has_row(r, row) || row_at(r, row)[0] != ROW_HEAD) {
        return bad_row(r, row);
    }
    if (r->use != NULL && row == r->use->next_row) {
        r->use->next_row += 1 + (uint64_t)row_at(r, row)[1];
    }
    return true;
}

static bool
read_terms(const Reader *r, const uint8_t *head, TikOperand *out)
{
    uint32_t region = get32(head + 4);
    if (region >= r->c->kernel.nregions) {
        return bad(r, BLOB_OPERAND_REGION, r->at,
                   (BlobSeen){region, 0, (int64_t)r->c->kernel.nregions - 1});
    }
    for (int i = 0; i < head[1]; i++) {
        const uint8_t *t = head + ROW_BYTES * (i + 1);
        if (!check_index(r, (NumTag)t[1], get32(t + 4), BLOB_OPERAND_REGION)) {
            return false;
        }
        if (out != NULL) {
            out->terms[i].num = number_of((NumTag)t[1], get32(t + 4));
            out->terms[i].coef = (int64_t)get64(t + 8);
        }
    }
    if (out != NULL) {
        out->region = region;
        out->nterms = head[1];
    }
    return true;
}

static bool
read_operand(Reader *r, TikOperand *out)
{
    uint32_t row = get32(r->p + r->at);
    uint8_t dtype = (uint8_t)(row >> 24);
    row &= 0xffffff;
    if (dtype == DT_NONE || dtype >= DT_COUNT) {
        return bad(r, BLOB_DESC_FIELD, r->at + 3, (BlobSeen){dtype, 1, DT_COUNT - 1});
    }
    if (!use_row(r, row)) {
        return false;
    }
    const uint8_t *head = row_at(r, row);
    int64_t offset = (int64_t)(int32_t)get32(head + 8) * ((int64_t)1 << 32);
    int32_t low = (int32_t)get32(r->p + r->at + 4);
    if (!read_terms(r, head, out)) {
        return false;
    }
    if (__builtin_add_overflow(offset, (int64_t)low, &offset)) {
        return bad(r, BLOB_OPERAND_OFFSET, r->at + 4, (BlobSeen){low, 0, 0});
    }
    if (out != NULL) {
        out->offset = offset;
        out->dtype = (Dtype)dtype;
    }
    r->at += 8;
    return true;
}

/* ---- layout -------------------------------------------------------------- */

/* Tensors and numbers of each form; those of a mask depend on the form that it has. */
#define TENSORS(role) ((role) == ROLE_DST || (role) == ROLE_SRC || (role) == ROLE_ROOT)
#define NUMBERS(role)                                                                    \
    ((role) == ROLE_REPEAT || (role) == ROLE_INT || (role) == ROLE_SCALAR ||             \
     (role) == ROLE_ATTR || (role) == ROLE_PIPE)

#ifdef TIK_LEAN
void
blob_instr_layout(Op op, MaskForm mask, int *numbers, int *bytes)
{
    int n, tensors = 0;
    const ParamRow *p = op_params(op, &n);
    *numbers = 0;
    for (int i = 0; i < n; i++) {
        Role role = role_at(p, i);
        tensors += TENSORS(role);
        *numbers += role == ROLE_MASK ? mask_words(mask) : NUMBERS(role);
    }
    *bytes = 8 + tensors * 8 + *numbers * 4 + (int)blob_more_tags(*numbers);
}
#else
static const uint8_t tensors_of_form[FORM_COUNT + 1] = {
#define SUM(slot, role, name) +TENSORS(ROLE_##role)
#include "isa/form_sum.def"
};

static const uint8_t numbers_of_form[FORM_COUNT + 1] = {
#define SUM(slot, role, name) +NUMBERS(ROLE_##role)
#include "isa/form_sum.def"
};

void
blob_instr_layout(Op op, MaskForm mask, int *numbers, int *bytes)
{
    Form form = op_form(op);
    int words = form_roles[ROLE_MASK][form] != 0 ? mask_words(mask) : 0;
    *numbers = numbers_of_form[form] + words;
    *bytes = 8 + tensors_of_form[form] * 8 + *numbers * 4;
    *bytes += (int)blob_more_tags(*numbers);
}
#endif

static MaskForm
form_of(const uint8_t *p)
{
    return (MaskForm)(get16(p + 2) >> OP_FORM_SHIFT & 3);
}

static int
numbers_of(const uint8_t *p, int *bytes)
{
    int n = 0;
    *bytes = 16;
    switch ((TikDescKind)(p[1] - CLASS_BASE)) {
    case DESC_LOOP:
        return 2;
    case DESC_ALU:
        return p[2] < SOP_COUNT && scalar_op_table[p[2]].arity == 1 ? 1 : 2;
    case DESC_IF:
        return 1;
    case DESC_STORE:
        *bytes = 20;
        return 1;
    case DESC_INSTR:
        blob_instr_layout((Op)(get16(p + 2) & ((1 << OP_BITS) - 1)), form_of(p), &n,
                          bytes);
        return n;
    case DESC_ENDLOOP:
    case DESC_ELSE:
    case DESC_ENDIF:
    case DESC_BREAK:
    case DESC_CONTINUE:
    case DESC_RETURN:
    case DESC_LOAD:
        break;
    }
    return 0;
}

/* Checks that the code has n more bytes. */
static bool
fits(const Reader *r, uint32_t bytes)
{
    uint32_t slots = (bytes + SLOT_BYTES - 1) / SLOT_BYTES;
    uint64_t room = r->c->end - r->c->at;
    return (uint64_t)slots * SLOT_BYTES <= room ||
           bad(r, BLOB_DESC_SIZE, 0, (BlobSeen){slots, 0, (int64_t)(room / SLOT_BYTES)});
}

/* Returns how many of the first n tags of a word are TAG_WIDE, which has both bits. */
static uint32_t
wide_tags(uint32_t tags, int n)
{
    uint32_t some = n < TAG_NUMBERS ? ((uint32_t)1 << 2 * n) - 1 : UINT32_MAX;
    uint32_t wide = tags & tags >> 1 & some & 0x55555555, count = 0;
    for (; wide != 0; wide &= wide - 1) {
        count++;
    }
    return count;
}

static bool
measure(Reader *r)
{
    bool instr = r->p[1] == CLASS_BASE + DESC_INSTR;
    int bytes;
    int n = numbers_of(r->p, &bytes);
    r->at = 8 + (instr ? blob_more_tags(n) : 0);
    r->wide = (uint32_t)bytes;
    if (!fits(r, r->at)) {
        return false;
    }
    uint32_t nwide = 0;
    for (int i = 0; i < n; i += TAG_NUMBERS) {
        nwide += wide_tags(tags_from(r->p, i), n - i);
    }
    uint32_t last = instr ? blob_tag_word(n > 0 ? n - 1 : 0) : 5;
    uint32_t tags = instr ? get32(r->p + last) : r->p[last];
    int in_last = n > 0 ? (n - 1) % TAG_NUMBERS + 1 : 0;
    if (in_last < TAG_NUMBERS && tags >> (2 * in_last) != 0) {
        return bad(r, BLOB_DESC_RESERVED, last, (BlobSeen){tags, 0, 0});
    }
    uint32_t used = (uint32_t)bytes + 8 * nwide;
    uint32_t slots = (used + SLOT_BYTES - 1) / SLOT_BYTES;
    if (r->p[0] != slots) {
        return bad(r, BLOB_DESC_SIZE, 0, (BlobSeen){r->p[0], slots, slots});
    }
    if (!fits(r, slots * SLOT_BYTES)) {
        return false;
    }
    if (!blob_is_zero(r->p + used, slots * SLOT_BYTES - used)) {
        return bad(r, BLOB_DESC_RESERVED, used, (BlobSeen){0, 0, 0});
    }
    return true;
}

/* ---- classes ------------------------------------------------------------- */

static bool
zero_bytes(const Reader *r, uint32_t at, uint32_t n)
{
    if (blob_is_zero(r->p + at, n)) {
        return true;
    }
    return bad(r, BLOB_DESC_RESERVED, at, (BlobSeen){0, 0, 0});
}

static bool
dtype_field(const Reader *r, uint32_t at)
{
    uint8_t t = r->p[at];
    if (t == DT_NONE || t >= DT_PLAIN) {
        return bad(r, BLOB_DESC_FIELD, at, (BlobSeen){t, 1, DT_PLAIN - 1});
    }
    return true;
}

static bool
reg_field(const Reader *r, TikDesc *out)
{
    uint32_t reg = get16(r->p + 6);
    if (reg >= r->c->kernel.nregs) {
        return bad(r, BLOB_DESC_FIELD, 6,
                   (BlobSeen){reg, 0, (int64_t)r->c->kernel.nregs - 1});
    }
    use_reg(r, reg);
    if (out != NULL) {
        out->reg = reg;
    }
    return true;
}

static bool
slot_field(const Reader *r, TikDesc *out)
{
    if (r->p[2] >= r->c->kernel.nloops) {
        return bad(r, BLOB_DESC_FIELD, 2,
                   (BlobSeen){r->p[2], 0, (int64_t)r->c->kernel.nloops - 1});
    }
    if (out != NULL) {
        out->slot = r->p[2];
    }
    return true;
}

static bool
read_alu(Reader *r, TikDesc *out)
{
    ScalarOp op = (ScalarOp)r->p[2];
    if (r->p[2] >= SOP_COUNT) {
        return bad(r, BLOB_DESC_FIELD, 2, (BlobSeen){r->p[2], 0, SOP_COUNT - 1});
    }
    bool unary = scalar_op_table[op].arity == 1;
    bool from_ok = blob_has_from(op) ? dtype_field(r, 4) : zero_bytes(r, 4, 1);
    if (!dtype_field(r, 3) || !from_ok || !reg_field(r, out)) {
        return false;
    }
    if (out != NULL) {
        out->alu_op = op;
        out->dtype = (Dtype)r->p[3];
        out->from = blob_has_from(op) ? (Dtype)r->p[4] : out->dtype;
    }
    if (!read_number(r, out ? &out->a : NULL)) {
        return false;
    }
    return unary ? zero_bytes(r, 12, 4) : read_number(r, out ? &out->b : NULL);
}

static bool
read_access(Reader *r, TikDesc *out)
{
    bool store = r->p[1] == CLASS_BASE + DESC_STORE;
    if (r->p[2] > ACCESS_CHECKED) {
        return bad(r, BLOB_DESC_RESERVED, 2, (BlobSeen){r->p[2], 0, ACCESS_CHECKED});
    }
    if (!zero_bytes(r, 3, 2) || !(store ? zero_bytes(r, 6, 2) : reg_field(r, out))) {
        return false;
    }
    uint32_t at = r->at + 3;
    if (!read_operand(r, out != NULL ? &out->operand : NULL)) {
        return false;
    }
    Dtype dtype = (Dtype)r->p[at];
    if (dtype >= DT_PLAIN) {
        return bad(r, BLOB_DESC_FIELD, at, (BlobSeen){dtype, 1, DT_PLAIN - 1});
    }
    if (out != NULL) {
        out->checked = r->p[2] & ACCESS_CHECKED;
        out->dtype = out->from = dtype;
    }
    return !store || read_number(r, out ? &out->a : NULL);
}

static bool
read_mask(Reader *r, MaskForm form, TikNum *words)
{
    for (int i = 0; i < mask_words(form); i++) {
        if (!read_number(r, words ? &words[i] : NULL)) {
            return false;
        }
    }
    return true;
}

static inline bool
read_param(Reader *r, Role role, TikDesc *out, int i)
{
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        return read_operand(r, out ? &out->args[i].t : NULL);
    case ROLE_MASK:
        return read_mask(r, form_of(r->p), out ? out->args[i].mask : NULL);
    case ROLE_MASKMODE:
        return true;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
    case ROLE_ATTR:
    case ROLE_PIPE:
        break;
    }
    if (!read_number(r, out ? &out->args[i].v : NULL)) {
        return false;
    }
    if (out != NULL) {
        out->args[i].literal = out->args[i].v.kind == NUM_IMM;
    }
    return true;
}

static bool
read_instr(Reader *r, TikDesc *out)
{
    Op op = (Op)(get16(r->p + 2) & ((1 << OP_BITS) - 1));
    int n;
    const ParamRow *p = op_params(op, &n);
    bool masked = false;
    if (out != NULL) {
        out->op = op;
        out->checked = (get16(r->p + 2) & OP_CHECKED) != 0;
        out->mask_form = form_of(r->p);
    }
    for (int i = 0; i < n; i++) {
        masked |= role_at(p, i) == ROLE_MASK;
        if (!read_param(r, role_at(p, i), out, i)) {
            return false;
        }
    }
    if ((!masked && form_of(r->p) != MASK_COUNT) || get16(r->p + 2) >> 15 != 0) {
        return bad(r, BLOB_DESC_RESERVED, 3, (BlobSeen){r->p[3], 0, 0});
    }
    return true;
}

static bool
read_class(Reader *r, TikDesc *out)
{
    switch ((TikDescKind)(r->p[1] - CLASS_BASE)) {
    case DESC_LOOP:
        return zero_bytes(r, 3, 2) && zero_bytes(r, 6, 2) && slot_field(r, out) &&
               read_number(r, out ? &out->a : NULL) &&
               read_number(r, out ? &out->b : NULL);
    case DESC_ENDLOOP:
        return slot_field(r, out) && zero_bytes(r, 3, 13);
    case DESC_IF:
        return zero_bytes(r, 2, 3) && zero_bytes(r, 6, 2) && zero_bytes(r, 12, 4) &&
               read_number(r, out ? &out->a : NULL);
    case DESC_ELSE:
    case DESC_ENDIF:
    case DESC_BREAK:
    case DESC_CONTINUE:
    case DESC_RETURN:
        return zero_bytes(r, 2, 14);
    case DESC_ALU:
        return read_alu(r, out);
    case DESC_LOAD:
    case DESC_STORE:
        return read_access(r, out);
    case DESC_INSTR:
        return read_instr(r, out);
    }
    return false;
}

/* Refuses an instruction that this reader does not have; it is never skipped. */
static bool
check_opcode(const Reader *r)
{
    uint32_t op = get16(r->p + 2) & ((1 << OP_BITS) - 1);
    if (r->p[1] != CLASS_BASE + DESC_INSTR) {
        return true;
    }
    if (op >= OP_COUNT) {
        return bad(r, BLOB_OPCODE, 2, (BlobSeen){op, 0, OP_COUNT - 1});
    }
#ifdef TIK_LEAN
    /* A form that is not there: others open the blob, and their verifier refuses it. */
    if (op_form(op) == FORM_COUNT) {
        BlobAt where = {.fourcc = blob_sections[SEC_CODE].fourcc,
                        .offset = r->c->at + 2,
                        .descriptor = r->c->index};
        return blob_refuse(r->diag, check_rule(RULE_NOT_ON_ARCH), &where);
    }
#endif
    return true;
}
int
blob_decode(const TikCursor *c, TikDesc *out, BlobUse *use, TikBlobDiag *diag)
{
    Reader r = {.c = c, .p = c->blob->bytes + c->at, .use = use, .diag = diag};
    if (c->end - c->at < SLOT_BYTES) {
        bad(&r, BLOB_DESC_SIZE, 0, (BlobSeen){(int64_t)(c->end - c->at), SLOT_BYTES, 0});
        return -1;
    }
    if (r.p[1] < CLASS_BASE || r.p[1] >= CLASS_COUNT) {
        bad(&r, BLOB_DESC_CLASS, 1, (BlobSeen){r.p[1], CLASS_BASE, CLASS_COUNT - 1});
        return -1;
    }
    if (out != NULL) {
        tikblob_clear(out, 0);
        out->kind = (TikDescKind)(r.p[1] - CLASS_BASE);
        out->index = c->index;
        out->offset = c->at;
    }
    if (!check_opcode(&r) || !measure(&r) || !read_class(&r, out)) {
        return -1;
    }
    return r.p[0];
}

/* ---- cursor -------------------------------------------------------------- */

void
tikblob_cursor(TikCursor *c, const TikBlob *b, int kernel)
{
    *c = (TikCursor){.blob = b};
    tikblob_kernel(b, kernel, &c->kernel);
    uint64_t code = blob_section(b, SEC_CODE)->offset;
    c->at = code + (uint64_t)c->kernel.code_first * SLOT_BYTES;
    c->end = c->at + (uint64_t)c->kernel.code_slots * SLOT_BYTES;
}

int
tikblob_next(TikCursor *c, TikDesc *out, TikBlobDiag *diag)
{
    if (c->at == c->end) {
        return 0;
    }
    int slots = blob_decode(c, out, NULL, diag);
    if (slots < 0) {
        return -1;
    }
    c->at += (uint64_t)slots * SLOT_BYTES;
    c->index++;
    return 1;
}

/* Keeps the depth of the deepest loop, whatever the nesting of branches is. */
static void
use_loop(const TikCursor *c, BlobUse *use)
{
    uint8_t class = c->blob->bytes[c->at + 1];
    if (class == CLASS_BASE + DESC_LOOP) {
        use->depth++;
        use->nloops = use->depth > use->nloops ? use->depth : use->nloops;
    } else if (class == CLASS_BASE + DESC_ENDLOOP && use->depth > 0) {
        use->depth--;
    }
}

#ifndef TIK_LEAN
enum {
    ECHOES = 4
};

/* The last descriptors of a kernel that were no repetitions, without those of loops. What
 * repeats one of them uses the same registers and rows. */
typedef struct Echoes {
    BlobEcho kept[ECHOES];
    int next;
} Echoes;

static void
forget_echoes(Echoes *e)
{
    for (int i = 0; i < ECHOES; i++) {
        e->kept[i].p = NULL;
    }
    e->next = 0;
}

/* Returns the slots of the next descriptor if it is a repetition, else 0. */
static int
echo_slots(const Echoes *e, const TikCursor *c)
{
    const uint8_t *p = c->blob->bytes + c->at;
    uint64_t room = c->end - c->at;
    for (int i = 0; room >= SLOT_BYTES && i < ECHOES; i++) {
        if (blob_echo_is(&e->kept[i], p, room)) {
            return p[0];
        }
    }
    return 0;
}

static void
keep_echo(Echoes *e, const TikCursor *c)
{
    uint8_t class = c->blob->bytes[c->at + 1];
    if (class != CLASS_BASE + DESC_LOOP && class != CLASS_BASE + DESC_ENDLOOP) {
        blob_echo_keep(&e->kept[e->next], c->blob, c->at);
        e->next = (e->next + 1) % ECHOES;
    }
}

#else
typedef int Echoes;
#define forget_echoes(e) (*(e) = 0)
#define echo_slots(e, c) (*(e))
#define keep_echo(e, c)  ((void)0)
#endif

/* A lean loader does without, for the sake of its stack. */
static int
check_next(TikCursor *c, BlobUse *use, Echoes *seen, TikBlobDiag *diag)
{
    int slots = echo_slots(seen, c);
    if (slots == 0) {
        slots = blob_decode(c, NULL, use, diag);
        if (slots > 0) {
            keep_echo(seen, c);
            use_loop(c, use);
        }
    }
    return slots;
}

static bool
check_kernel_code(TikCursor *c, BlobUse *use, int kernel, TikBlobDiag *diag)
{
    uint64_t where =
        (uint64_t)(blob_record(c->blob, SEC_KERN, (uint64_t)kernel) - c->blob->bytes);
    Echoes seen;
    forget_echoes(&seen);
    while (c->at < c->end) {
        int slots = check_next(c, use, &seen, diag);
        if (slots < 0) {
            return false;
        }
        c->at += (uint64_t)slots * SLOT_BYTES;
        c->index++;
    }
    if (c->index != c->kernel.ndescriptors) {
        return blob_bad_value(diag, BLOB_KERNEL_RANGE, SEC_KERN, where + 12,
                              (BlobSeen){c->kernel.ndescriptors, c->index, c->index});
    }
    if (use->nregs != c->kernel.nregs) {
        return blob_bad_value(diag, BLOB_KERNEL_REGS, SEC_KERN, where + 32,
                              (BlobSeen){c->kernel.nregs, use->nregs, use->nregs});
    }
    if (use->nloops != c->kernel.nloops) {
        return blob_bad_value(diag, BLOB_KERNEL_LOOPS, SEC_KERN, where + 36,
                              (BlobSeen){c->kernel.nloops, use->nloops, use->nloops});
    }
    return true;
}

bool
blob_check_code(const TikBlob *b, TikBlobDiag *diag)
{
    BlobUse use = {0};
    for (int k = 0; k < b->nkernels; k++) {
        TikCursor c;
        tikblob_cursor(&c, b, k);
        use = (BlobUse){.next_row = use.next_row};
        if (!check_kernel_code(&c, &use, k, diag)) {
            return false;
        }
    }
    if (use.next_row != blob_records(b, SEC_AFFN)) {
        return blob_bad(diag, BLOB_ROW_UNUSED, SEC_AFFN,
                        (uint64_t)(blob_record(b, SEC_AFFN, use.next_row) - b->bytes));
    }
    return true;
}
