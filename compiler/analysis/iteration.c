/* iteration.c: describes instructions as loops over elements (see iteration.h). */
#include "analysis/iteration.h"

#include "isa/operand.h"

static const Arg *
arg_at(const Kernel *k, const Stmt *s, int slot)
{
    return &k->args.p[s->instr.arg + (uint32_t)slot];
}

/* Returns the number of an operand that is constant; false: it is not. */
static bool
const_number(const Kernel *k, const Stmt *s, int slot, int64_t *out)
{
    ExprId e = arg_at(k, s, slot)->expr;
    *out = ir_expr(k, e)->imm;
    return ir_is_const(k, e);
}

static Count
count_of(const Kernel *k, ExprId e)
{
    return ir_is_const(k, e) ? (Count){0, ir_expr(k, e)->imm} : (Count){e, 1};
}

static Count
count_times(Count c, int64_t by)
{
    return (Count){c.of, c.times * by};
}

int64_t
iteration_bytes(const IterationOperand *o, int64_t elements)
{
    return o->bits ? elements / 8 : elements * dtype_size(o->ref.dtype);
}

bool
iteration_same_size(const IterationOperand *a, const IterationOperand *b)
{
    return a->bits == b->bits &&
           (a->bits || dtype_size(a->ref.dtype) == dtype_size(b->ref.dtype));
}

bool
iteration_has_bits(const Iteration *it)
{
    for (int i = 0; i < it->n; i++) {
        if (it->op[i].bits) {
            return true;
        }
    }
    return false;
}

/* Makes one row of rows that follow each other in every operand. False: the number of
 * elements is no multiple of one expression. */
static bool
flatten(Iteration *it)
{
    for (int i = 0; i < it->n; i++) {
        int64_t row = iteration_bytes(&it->op[i], it->lanes.times);
        bool one = count_known(it->rows) && it->rows.times == 1;
        if (!one && (!count_known(it->lanes) || it->op[i].pitch != row)) {
            return false;
        }
    }
    it->lanes = count_known(it->lanes) ? count_times(it->rows, it->lanes.times)
                                       : count_times(it->lanes, it->rows.times);
    it->rows = (Count){0, 1};
    return true;
}

/* ---- lanes --------------------------------------------------------------- */

static int
leading_bits(const Kernel *k, const Arg *m)
{
    int n = 0;
    bool ended = false;
    for (int w = 0; w < mask_words(m->mask_form); w++) {
        if (!ir_is_const(k, m->mask[w])) {
            return -1;
        }
        uint64_t bits = (uint64_t)ir_expr(k, m->mask[w])->imm;
        for (int i = 0; i < 64; i++) {
            bool on = bits >> i & 1;
            if (on && ended) {
                return -1;
            }
            ended = ended || !on;
            n += on;
        }
    }
    return n;
}

/* Sets rows and lanes from the mask. False: the lanes that are on are not the first ones,
 * or their number is known only at run time. */
static bool
read_mask(const Kernel *k, const Arg *m, int repeat_lanes, Iteration *it)
{
    int64_t lanes;
    switch (m->mask_form) {
    case MASK_COUNTER:
        it->rows = (Count){0, 1};
        it->lanes = count_of(k, m->mask[0]);
        return true;
    case MASK_COUNT:
        it->lanes = count_of(k, m->mask[0]);
        lanes = it->lanes.times;
        break;
    default:
        lanes = leading_bits(k, m);
        it->lanes = (Count){0, lanes};
        break;
    }
    if (!count_known(it->lanes)) { /* a run of its own length needs one repeat */
        return count_known(it->rows) && it->rows.times == 1;
    }
    return lanes > 0 && lanes <= repeat_lanes;
}

static int
widest(const Kernel *k, const Stmt *s, Form form, int n)
{
    int most = 1;
    for (int i = 0; i < n; i++) {
        if (form_is_vector(form, i)) {
            most = MAX(most, dtype_size(arg_at(k, s, i)->ref.dtype));
        }
    }
    return most;
}

/* Adds an operand that is addressed by lanes; its blocks must follow each other. */
static bool
add_lanes(const Kernel *k, const Stmt *s, Form form, int slot, int repeat_lanes,
          Iteration *it)
{
    LaneOperand o = form_lanes(form, slot);
    const Ref *r = &arg_at(k, s, slot)->ref;
    int64_t bytes = (int64_t)repeat_lanes * dtype_size(r->dtype);
    int64_t blk = 1, rep = bytes / BLOCK_BYTES;
    if (it->n == ITERATION_OPERANDS || dtype_is_half_byte(r->dtype) ||
        (o.blk >= 0 && !const_number(k, s, o.blk, &blk)) ||
        (o.rep >= 0 && !const_number(k, s, o.rep, &rep))) {
        return false;
    }
    if (blk == 0 && form_blk0_is_1(form, slot, k->choices)) {
        blk = 1;
    }
    it->op[it->n++] = (IterationOperand){
        .slot = slot, .ref = *r, .pitch = rep * BLOCK_BYTES, .reads = true};
    return blk == 1 || (count_known(it->lanes) &&
                        it->lanes.times * dtype_size(r->dtype) <= BLOCK_BYTES);
}

/* A count over all repeats goes on from repeat to repeat. */
static bool
goes_on(const Iteration *it, int repeat_lanes)
{
    for (int i = 0; i < it->n; i++) {
        if (it->op[i].pitch != (int64_t)repeat_lanes * dtype_size(it->op[i].ref.dtype)) {
            return false;
        }
    }
    return true;
}

/* Fills in what the forms of instructions on lanes have in common. */
static bool
lanes_iteration(const Kernel *k, const Stmt *s, Iteration *it)
{
    int n;
    Form form = op_table[s->instr.op].form;
    const ParamInfo *params = form_params(form, &n);
    int unit = form_slot(form, ROLE_ATTR, "stride_unit");
    int64_t no_gaps = 0;
    int repeat_lanes = REPEAT_BYTES / widest(k, s, form, n);
    const Arg *mask = NULL;
    it->rows = (Count){0, 1};
    for (int i = 0; i < n; i++) {
        const Arg *a = arg_at(k, s, i);
        bool tensor = params[i].role == ROLE_DST || params[i].role == ROLE_SRC;
        if (tensor && !form_is_vector(form, i)) {
            return false;
        }
        mask = params[i].role == ROLE_MASK ? a : mask;
        it->rows = params[i].role == ROLE_REPEAT ? count_of(k, a->expr) : it->rows;
    }
    if ((unit >= 0 && (!const_number(k, s, unit, &no_gaps) || no_gaps != 0)) ||
        mask == NULL || !read_mask(k, mask, repeat_lanes, it)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (form_is_vector(form, i) && !add_lanes(k, s, form, i, repeat_lanes, it)) {
            return false;
        }
    }
    return mask->mask_form != MASK_COUNTER || goes_on(it, repeat_lanes);
}

/* ---- comparisons and selects --------------------------------------------- */

/* Returns the operand whose bits are those of all lanes of all repeats, one after the
 * other; -1: there is none. */
static int
bits_slot(const Stmt *s)
{
    const OpInfo *op = &op_table[s->instr.op];
    switch (op->form) {
    case FORM_VCMPV:
        return VCMPV_dst;
    case FORM_VCMPVB:
        return VCMPVB_dst;
    case FORM_VCMPVS:
        return VCMPVS_dst;
    default:
        return op->sem == SEM_SEL_BITS ? form_slot(op->form, ROLE_SRC, "sel") : -1;
    }
}

/* Reads the number of repeats and the mask, of which all lanes are on. */
static bool
whole_repeats(const Kernel *k, const Stmt *s, Form form, int repeat_lanes, Iteration *it)
{
    int n;
    const ParamInfo *params = form_params(form, &n);
    it->rows = (Count){0, 1};
    it->lanes = (Count){0, repeat_lanes};
    for (int i = 0; i < n; i++) {
        const Arg *a = arg_at(k, s, i);
        if (params[i].role == ROLE_REPEAT) {
            it->rows = count_of(k, a->expr);
        } else if (params[i].role == ROLE_MASK &&
                   (a->mask_form == MASK_COUNTER || !read_mask(k, a, repeat_lanes, it))) {
            return false;
        }
    }
    return count_known(it->lanes) && it->lanes.times == repeat_lanes;
}

static void
add_bits(const Kernel *k, const Stmt *s, int slot, int repeat_lanes, Iteration *it)
{
    it->op[it->n++] = (IterationOperand){.slot = slot,
                                         .ref = arg_at(k, s, slot)->ref,
                                         .pitch = repeat_lanes / 8,
                                         .reads = true,
                                         .bits = true};
}

/* The operand that is written is the first one. */
static bool
bits_iteration(const Kernel *k, const Stmt *s, Iteration *it)
{
    int n, bits = bits_slot(s);
    Form form = op_table[s->instr.op].form;
    const ParamInfo *params = form_params(form, &n);
    int repeat_lanes = REPEAT_BYTES / widest(k, s, form, n);
    if (bits < 0 || !whole_repeats(k, s, form, repeat_lanes, it)) {
        return false;
    }
    if (params[bits].role == ROLE_DST) {
        add_bits(k, s, bits, repeat_lanes, it);
    }
    for (int i = 0; i < n; i++) {
        if (form_is_vector(form, i) && !add_lanes(k, s, form, i, repeat_lanes, it)) {
            return false;
        }
    }
    if (params[bits].role != ROLE_DST) {
        add_bits(k, s, bits, repeat_lanes, it);
    }
    return true;
}

/* ---- moves --------------------------------------------------------------- */

static bool
move_iteration(const Kernel *k, const Stmt *s, Iteration *it)
{
    const Ref *dst = &arg_at(k, s, MOVE_dst)->ref;
    const Ref *src = &arg_at(k, s, MOVE_src)->ref;
    Scope from = k->bufs.p[src->buf].scope, to = k->bufs.p[dst->buf].scope;
    int64_t mode, dst_gap, src_gap;
    if (!const_number(k, s, MOVE_mode, &mode) || mode != 0 || from == SC_L0C ||
        to == SC_L0C || dst->buf == src->buf || dtype_is_half_byte(dst->dtype) ||
        !const_number(k, s, MOVE_dst_stride, &dst_gap) ||
        !const_number(k, s, MOVE_src_stride, &src_gap)) {
        return false;
    }
    MoveUnits u = move_units(from, src->dtype, to, dst->dtype);
    int64_t size = dtype_size(dst->dtype);
    if (u.dst_burst != u.src_burst || u.dst_burst % size != 0) {
        return false;
    }
    it->moves = true;
    it->rows = count_of(k, arg_at(k, s, MOVE_nburst)->expr);
    it->lanes =
        count_times(count_of(k, arg_at(k, s, MOVE_burst)->expr), u.dst_burst / size);
    int64_t row = it->lanes.times * size;
    it->n = 2;
    it->op[0] = (IterationOperand){.slot = MOVE_dst,
                                   .ref = *dst,
                                   .pitch = row + dst_gap * u.dst_gap,
                                   .writes = true};
    it->op[1] = (IterationOperand){
        .slot = MOVE_src, .ref = *src, .pitch = row + src_gap * u.src_gap, .reads = true};
    it->op[1].ref.dtype = dst->dtype;
    return true;
}

/* ---- instructions -------------------------------------------------------- */

static void
mark_destination(const Stmt *s, Iteration *it)
{
    int n;
    const OpInfo *op = &op_table[s->instr.op];
    const ParamInfo *params = form_params(op->form, &n);
    for (int i = 0; i < it->n; i++) {
        IterationOperand *o = &it->op[i];
        o->writes = params[o->slot].role == ROLE_DST;
        o->reads = !o->writes || sem_reads_dst(op->sem);
    }
}

bool
iteration_of(const Kernel *k, const Stmt *s, Iteration *out)
{
    *out = (Iteration){0};
    if (s->kind != ST_INSTR || s->proof == PROOF_ASKED) {
        return false;
    }
    Family f = form_family(op_table[s->instr.op].form);
    if (f == FAM_MOVE) {
        if (!move_iteration(k, s, out)) {
            return false;
        }
    } else if (f == FAM_COMPARE) {
        if (!bits_iteration(k, s, out)) {
            return false;
        }
        mark_destination(s, out);
        return out->flat = flatten(out);
    } else if (f == FAM_LANES || f == FAM_ARITH || f == FAM_CONVERT) {
        Sem sem = op_table[s->instr.op].sem;
        if (sem == SEM_CONV_PACK || sem == SEM_CONV_PACKS ||
            !lanes_iteration(k, s, out)) {
            return false;
        }
        mark_destination(s, out);
    } else {
        return false;
    }
    out->flat = flatten(out);
    return out->flat || count_known(out->lanes);
}

/* ---- sinks --------------------------------------------------------------- */

enum {
    SINK_LANES = REPEAT_BYTES / 4,
    SINK_REPEATS = SINK_LANES /* sums that are one vector */
};

static bool
sink_shape(const Kernel *k, const Stmt *s, int64_t *repeats)
{
    Form form = op_table[s->instr.op].form;
    const Arg *mask = arg_at(k, s, form_first(form, ROLE_MASK));
    Iteration lanes = {.rows = {0, 1}};
    int64_t step;
    return mask->mask_form != MASK_COUNTER && read_mask(k, mask, SINK_LANES, &lanes) &&
           count_known(lanes.lanes) && lanes.lanes.times == SINK_LANES &&
           const_number(k, s, ALLADD_repeat_times, repeats) && *repeats >= 2 &&
           *repeats <= SINK_REPEATS && const_number(k, s, ALLADD_src_rep_stride, &step) &&
           step == REPEAT_BYTES / BLOCK_BYTES;
}

bool
iteration_sink(const Kernel *k, const Stmt *s, Iteration *out)
{
    int64_t repeats;
    *out = (Iteration){.flat = true, .rows = {0, 1}, .n = 1};
    if (s->kind != ST_INSTR || op_table[s->instr.op].sem != SEM_ALL_ADD ||
        s->proof != PROOF_PROVED || soc_has(k->soc, FEATURE_REDUCE_CHUNKS) ||
        !sink_shape(k, s, &repeats)) {
        return false;
    }
    const Ref *src = &arg_at(k, s, ALLADD_src)->ref;
    const Ref *dst = &arg_at(k, s, ALLADD_dst)->ref;
    const Ref *work = &arg_at(k, s, ALLADD_work_tensor)->ref;
    out->lanes = (Count){0, repeats * SINK_LANES};
    out->op[0] =
        (IterationOperand){.slot = ALLADD_src, .ref = *src, .pitch = 0, .reads = true};
    return src->dtype == DT_F32 && src->buf != dst->buf && src->buf != work->buf;
}

int64_t
iteration_span(const Iteration *it, const IterationOperand *o)
{
    if (!count_known(it->rows) || !count_known(it->lanes)) {
        return -1;
    }
    int64_t row = iteration_bytes(o, it->lanes.times);
    return it->rows.times == 0 || row == 0 ? 0 : (it->rows.times - 1) * o->pitch + row;
}
