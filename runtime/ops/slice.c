/* slice.c: elementwise instructions on slices for compiled kernels (vector chapter 13).
 *
 * The innermost dimension of a slice is a row. If the elements of a row are contiguous in
 * all operands, one loop of ops/slice_lanes.c computes the row; otherwise pieces of it
 * are collected and spread. */
#include "ops/slice.h"
#include "isa/operand.h"

#include <string.h>

#include "num/half.h"
#include "num/conv.h"
#include "num/fn.h"

enum {
    PIECE = 512,
    WIDEST = 8,
    MOST = 4, /* operands: dst, two sources, a mask */
    PACKS = 16
};

OpSlice
ops_slice_operand(const OpCall *c, int param)
{
    const SliceOperand *o = form_slice(op_table[c->in.op].form, param);
    OpSlice s = {.at = c->at[param], .size = dtype_size(c->in.args[param].t.dtype)};
    for (int i = 0; i < o->dims; i++) {
        s.len[i] = c->in.args[o->len + i].v;
        s.step[i] = c->in.args[o->stride + i].v * s.size;
    }
    return s;
}

void
ops_slice_collect(uint8_t *to, const uint8_t *from, int64_t step, int size, int64_t n)
{
    for (int64_t i = 0; size == 2 && i < n; i++) {
        memcpy(to + 2 * i, from + i * step, 2);
    }
    for (int64_t i = 0; size == 4 && i < n; i++) {
        memcpy(to + 4 * i, from + i * step, 4);
    }
    for (int64_t i = 0; size != 2 && size != 4 && i < n; i++) {
        memcpy(to + size * i, from + i * step, (size_t)size);
    }
}

void
ops_slice_spread(uint8_t *to, int64_t step, const uint8_t *from, int size, int64_t n)
{
    for (int64_t i = 0; size == 2 && i < n; i++) {
        memcpy(to + i * step, from + 2 * i, 2);
    }
    for (int64_t i = 0; size == 4 && i < n; i++) {
        memcpy(to + i * step, from + 4 * i, 4);
    }
    for (int64_t i = 0; size != 2 && size != 4 && i < n; i++) {
        memcpy(to + i * step, from + size * i, (size_t)size);
    }
}

void
ops_slice_saturate(void *halves, int64_t n)
{
    AnyU16 *h = halves;
    for (int64_t i = 0; i < n; i++) {
        h[i] = half_finite(h[i]);
    }
}

/* ---- the call ------------------------------------------------------------ */

/* Operands in the order dst, src0, src1, mask; a scalar is a piece of equal elements. */
typedef struct Job {
    OpSlice o[MOST];
    bool have[MOST];
    int scalar; /* index of the operand that is a scalar; 0: none */
    bool dense; /* rows of all slices are contiguous */
    SliceFn *fn;
    NumFnLanes *map;
    Sem sem;
    NumConv conv;    /* h_cast */
    uint64_t factor; /* h_quant: a float16 or a parameter word */
    uint64_t
        table[2 * PACKS]; /* h_quant: the parameter words, twice one after the other */
    int pack;             /* index in table for the first element of a row */
    bool twice;           /* h_quant: rounds to float32 first */
    bool saturates;       /* float16 results of arithmetic saturate */
    AtomicWrite w;        /* h_data_move to global memory */
    uint8_t value[PIECE * WIDEST];
} Job;

static void
set_scalar(Job *j, const OpCall *c)
{
    Form form = op_table[c->in.op].form;
    int slot = form_slot(form, ROLE_SCALAR, "scalar");
    int side = form_slot(form, ROLE_ATTR, "side");
    if (slot < 0) {
        return;
    }
    int size = dtype_size(c->in.args[form_main(form)].t.dtype);
    j->scalar = side >= 0 && c->in.args[side].v == 1 ? 2 : 1;
    for (int i = 0; i < PIECE; i++) {
        memcpy(j->value + i * size, &c->in.args[slot].v, (size_t)size);
    }
}

static void
set_slices(Job *j, const OpCall *c)
{
    int n, next = 1;
    Form form = op_table[c->in.op].form;
    const ParamInfo *params = form_params(form, &n);
    int mask = form_slot(form, ROLE_SRC, "mask_tensor");
    j->dense = true;
    for (int i = 0; i < n; i++) {
        if (form_slice(form, i) == NULL) {
            continue;
        }
        next += next == j->scalar;
        int k = params[i].role == ROLE_DST ? 0 : i == mask ? MOST - 1 : next++;
        j->o[k] = ops_slice_operand(c, i);
        j->have[k] = true;
        j->dense = j->dense && j->o[k].step[2] == j->o[k].size;
    }
}

static void
set_conversion(Job *j, const OpCall *c)
{
    static const NumRound rounds[ROUND_COUNT] = {
        [ROUND_NEAREST] = NUM_NEAREST, [ROUND_FLOOR] = NUM_FLOOR,
        [ROUND_CEIL] = NUM_CEIL,       [ROUND_AWAY] = NUM_AWAY,
        [ROUND_ZERO] = NUM_TO_ZERO,    [ROUND_ODD] = NUM_ODD};
    Dtype dst = c->in.args[HQUANT_dst].t.dtype;
    uint32_t keep;
    memcpy(&keep, c->sreg + (dtype_is_float(dst) ? SREG_FP2FP : SREG_FP2INT),
           sizeof keep);
    if (j->sem == SEM_CONV) {
        j->conv = (NumConv){.dst = num_type(dst),
                            .src = num_type(c->in.args[HQUANT_src].t.dtype),
                            .round = rounds[c->in.args[HCAST_round_mode].v],
                            .keep = keep & 1};
        if (j->conv.round == NUM_AWAY &&
            chosen(c->in.choices, CHOICE_AWAY_ZERO) == CHOSE_AWAY_ZERO_DIRECTED) {
            j->conv.round = NUM_OUTWARD;
        }
    } else if (j->sem == SEM_CONV_PACKS) {
        for (int i = 0; i < 2 && j->o[0].len[0] * j->o[0].len[1] * j->o[0].len[2] > 0;
             i++) {
            memcpy(j->table + i * PACKS, c->at[HPACKS_deqscale],
                   PACKS * sizeof *j->table);
        }
    } else {
        j->factor = (uint64_t)c->in.args[HQUANT_deqscale].v;
        j->twice = chosen(c->in.choices, CHOICE_INT32_TO_FLOAT16) ==
                   CHOSE_INT32_TO_FLOAT16_FLOAT32;
    }
}

static bool
converts(Sem sem)
{
    return sem == SEM_CONV || sem == SEM_CONV_SCALED || sem == SEM_CONV_PACK ||
           sem == SEM_CONV_PACKS;
}

/* Returns whether a float16 result of the operation is rounded. */
static bool
rounds(Sem sem)
{
    switch (sem) {
    case SEM_ADD:
    case SEM_SUB:
    case SEM_MUL:
    case SEM_DIV:
    case SEM_EXP:
    case SEM_LN:
    case SEM_REC:
    case SEM_RSQRT:
    case SEM_SIN:
    case SEM_COS:
        return true;
    default:
        return false;
    }
}

static void
set_readings(Job *j, const OpCall *c, Dtype t)
{
    j->saturates =
        t == DT_F16 && rounds(j->sem) &&
        chosen(c->in.choices, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    if (chosen(c->in.choices, CHOICE_INTEGER_OVERFLOW) ==
        CHOSE_INTEGER_OVERFLOW_SATURATE) {
        SliceFn *fn = ops_slice_clamped(j->sem, t);
        j->fn = fn != NULL ? fn : j->fn;
    }
}

static void
set_work(Job *j, const OpCall *c)
{
    Form form = op_table[c->in.op].form;
    Sem sem = op_table[c->in.op].sem;
    Dtype t = c->in.args[form_main(form)].t.dtype;
    const SliceTable *table = ops_slice_table();
    static const uint8_t functions[SEM_COUNT] = {
        [SEM_EXP] = 1 + NUM_EXP,     [SEM_LN] = 1 + NUM_LN,   [SEM_REC] = 1 + NUM_REC,
        [SEM_RSQRT] = 1 + NUM_RSQRT, [SEM_SIN] = 1 + NUM_SIN, [SEM_COS] = 1 + NUM_COS};
    j->fn = table->fn[sem][t];
    j->sem = sem;
    if (converts(sem)) {
        set_conversion(j, c);
    } else if (functions[sem] != 0) {
        NumType type = t == DT_F16 ? NUM_F16 : NUM_F32;
        NumFn fn = (NumFn)(functions[sem] - 1);
        bool fast = chosen(c->in.choices, CHOICE_APPROXIMATE) == CHOSE_APPROXIMATE_FAST;
        j->map = fast ? num_fn_fast(fn, type) : num_fn(fn, type);
    } else if (sem == SEM_SLICE_CMP) {
        j->fn = table->cmp[c->in.args[form_slot(form, ROLE_ATTR, "mode")].v][t];
    } else if (sem == SEM_SLICE_SEL) {
        j->fn = table->select[dtype_size(t)];
    }
    set_readings(j, c, t);
}

static void
work(const Job *j, uint8_t *dst, const uint8_t *const *src, int64_t n)
{
    if (j->sem == SEM_CONV) {
        num_conv(&j->conv, dst, src[1], n);
    } else if (j->sem == SEM_CONV_SCALED) {
        num_conv_scaled(dst, src[1], (uint16_t)j->factor, j->twice, n);
    } else if (j->sem == SEM_CONV_PACK) {
        num_conv_packed(dst, src[1], &j->factor, 1, n);
    } else if (j->sem == SEM_CONV_PACKS) {
        num_conv_packed(dst, src[1], j->table + j->pack, PACKS, n);
    } else if (j->map != NULL) {
        j->map(dst, src[1], n);
    } else if (j->fn != NULL) {
        j->fn(dst, src[1], src[2], src[3], n);
    } else if (j->w.on) {
        const OpRuns run = {dst, src[1], 1, n * j->o[0].size, 0, 0};
        ops_write_runs(&j->w, &run);
    } else {
        memmove(dst, src[1], (size_t)(n * j->o[0].size));
    }
    if (j->saturates) {
        ops_slice_saturate(dst, n);
    }
}

/* ---- rows ---------------------------------------------------------------- */

static void
piece(const Job *j, uint8_t *const *row, int64_t first, int64_t n)
{
    uint8_t buf[MOST][PIECE * WIDEST];
    const uint8_t *src[MOST] = {NULL};
    for (int k = 1; k < MOST; k++) {
        const OpSlice *o = &j->o[k];
        if (j->have[k]) {
            ops_slice_collect(buf[k], row[k] + first * o->step[2], o->step[2], o->size,
                              n);
            src[k] = buf[k];
        } else if (k == j->scalar) {
            src[k] = j->value;
        }
    }
    if (j->w.on) {
        ops_slice_collect(buf[0], row[0] + first * j->o[0].step[2], j->o[0].step[2],
                          j->o[0].size, n);
    }
    work(j, buf[0], src, n);
    ops_slice_spread(row[0] + first * j->o[0].step[2], j->o[0].step[2], buf[0],
                     j->o[0].size, n);
}

static void
dense_row(const Job *j, uint8_t *const *row, int64_t n)
{
    int64_t most = j->scalar ? PIECE : n;
    for (int64_t first = 0; first < n; first += most) {
        const uint8_t *src[MOST] = {NULL};
        for (int k = 1; k < MOST; k++) {
            src[k] = j->have[k]       ? row[k] + first * j->o[k].size
                     : k == j->scalar ? j->value
                                      : NULL;
        }
        work(j, row[0] + first * j->o[0].size, src, n - first < most ? n - first : most);
    }
}

static void
each_row(const Job *j, int64_t a, int64_t b)
{
    uint8_t *row[MOST] = {NULL};
    int64_t n = j->o[0].len[2];
    for (int k = 0; k < MOST; k++) {
        if (j->have[k]) {
            row[k] = j->o[k].at + a * j->o[k].step[0] + b * j->o[k].step[1];
        }
    }
    if (j->dense) {
        dense_row(j, row, n);
        return;
    }
    for (int64_t first = 0; first < n; first += PIECE) {
        piece(j, row, first, n - first < PIECE ? n - first : PIECE);
    }
}

/* Returns whether the parameter words are for the destination. */
static bool
packs_fit(const Job *j, OpCall *c)
{
    Dtype dst = c->in.args[HQUANT_dst].t.dtype;
    bool ok = j->sem != SEM_CONV_PACK || check_pack_sign(j->factor, dst, &c->fault);
    bool empty = j->o[0].len[0] * j->o[0].len[1] * j->o[0].len[2] == 0;
    for (int i = 0; ok && j->sem == SEM_CONV_PACKS && !empty && i < PACKS; i++) {
        ok = check_pack_sign(j->table[i], dst, &c->fault);
    }
    return ok;
}

/* Returns the number of the first element of a row in the whole slice, modulo the number
 * of parameter words. */
static int
first_pack(const Job *j, const OpCall *c, int64_t a, int64_t b)
{
    int first = form_slot(op_table[c->in.op].form, ROLE_INT, "first");
    int64_t before = (a * j->o[0].len[1] + b) * j->o[0].len[2];
    return first < 0 ? 0 : (int)((c->in.args[first].v + before) % PACKS);
}

bool
ops_slice(OpCall *c)
{
    Job j;
    memset(&j, 0, offsetof(Job, value));
    set_scalar(&j, c);
    set_slices(&j, c);
    set_work(&j, c);
    if (!packs_fit(&j, c)) {
        return false;
    }
    if (j.sem == SEM_MOVE && c->in.args[HMOVE_dst].t.scope == SC_GM &&
        !ops_write_mode(c, HMOVE_dst, c->in.args[HMOVE_src].t.scope, j.o[0].size, &j.w)) {
        return false;
    }
    for (int64_t a = 0; a < j.o[0].len[0]; a++) {
        for (int64_t b = 0; b < j.o[0].len[1]; b++) {
            j.pack = first_pack(&j, c, a, b);
            each_row(&j, a, b);
        }
    }
    return true;
}

const SliceTable *
ops_slice_table(void)
{
    return num_level() >= NUM_LEVEL_AVX2 ? &ops_slice_avx2 : &ops_slice_base;
}
