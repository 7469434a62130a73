/* slice.c: elementwise instructions on slices (vector chapter 13). A slice has up to
 * three dimensions; where their lengths are known and the elements of a row follow each
 * other, dimensions without gaps between them become one row, and a row is the same lane
 * code as a vector instruction of all its elements. The runtime library has everything
 * else. */
#include "host/lower/lower.h"

#include <string.h>

enum {
    DIMS = 3,
    INNER = DIMS - 1
};

/* The operands of an instruction, dst first, a mask last; truth values are bytes. */
typedef struct Rows {
    int n;
    int param[LANE_OPERANDS];
    Dtype dtype[LANE_OPERANDS];
    int64_t len[DIMS];
    int64_t step[LANE_OPERANDS][DIMS]; /* in bytes */
} Rows;

static const Arg *
args_of(const Lower *l, StmtId s)
{
    return &l->k->args.p[l->k->stmts.p[s].instr.arg];
}

/* ---- shapes -------------------------------------------------------------- */

/* Reads lengths and steps of an operand; false: they are known at run time only. */
static bool
read_operand(const Lower *l, const Arg *args, const SliceOperand *o, Rows *r, int i)
{
    for (int d = 0; d < DIMS; d++) {
        ExprId len = args[o->len + d].expr, step = args[o->stride + d].expr;
        if (!ir_is_const(l->k, len) || !ir_is_const(l->k, step)) {
            return false;
        }
        r->len[d] = ir_expr(l->k, len)->imm;
        r->step[i][d] = ir_expr(l->k, step)->imm * dtype_size(r->dtype[i]);
    }
    return true;
}

static bool
read_rows(const Lower *l, StmtId s, Rows *r)
{
    int n;
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    const Arg *args = args_of(l, s);
    (void)form_params(form, &n);
    r->n = 0;
    for (int i = 0; i < n; i++) {
        const SliceOperand *o = form_slice(form, i);
        if (o == NULL) {
            continue;
        }
        int at = r->n++;
        r->param[at] = i;
        r->dtype[at] = args[i].ref.dtype == DT_BOOL ? DT_U8 : args[i].ref.dtype;
        if (o->dims != DIMS || l->k->bufs.p[args[i].ref.buf].scope == SC_GM ||
            !read_operand(l, args, o, r, at)) {
            return false;
        }
    }
    return true;
}

/* True if rows follow each other in all operands. */
static bool
is_joint(const Rows *r)
{
    bool joint = true;
    for (int i = 0; i < r->n; i++) {
        joint = joint && r->step[i][1] == r->len[INNER] * r->step[i][INNER];
    }
    return joint || r->len[1] == 1;
}

/* Joins rows until there are as few as possible; false: the elements of a row have gaps
 * between them. */
static bool
join_rows(Rows *r)
{
    for (int turn = 1; turn < DIMS && is_joint(r); turn++) {
        r->len[INNER] *= r->len[1];
        r->len[1] = r->len[0];
        r->len[0] = 1;
        for (int i = 0; i < r->n; i++) {
            r->step[i][1] = r->step[i][0];
        }
    }
    bool dense = true;
    for (int i = 0; i < r->n; i++) {
        dense = dense && r->step[i][INNER] == dtype_size(r->dtype[i]);
    }
    return dense;
}

/* ---- computations -------------------------------------------------------- */

/* variant: the scalar is the first source. */
static LLVMValueRef
arithmetic(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    if (sh->variant == 0) {
        return lower_vector_compute(l, sh, v, scalar);
    }
    LLVMValueRef swapped[LANE_OPERANDS] = {v[0], scalar, v[1]};
    return lower_vector_compute(l, sh, swapped, NULL);
}

/* Computes a byte 0 or 1 per element; mode: that of the instruction. */
static LLVMValueRef
compare(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    static const LLVMRealPredicate predicates[] = {LLVMRealOLT, LLVMRealOLE, LLVMRealOGT,
                                                   LLVMRealOGE, LLVMRealOEQ, LLVMRealUNE};
    LLVMValueRef other = scalar != NULL ? scalar : v[2];
    LLVMValueRef r = lower_float_compare(l, predicates[sh->mode], sh->dtype[1], sh->lanes,
                                         sh->variant != 0 ? other : v[1],
                                         sh->variant != 0 ? v[1] : other);
    return LLVMBuildZExt(l->b, r, lower_bits_type(l, DT_U8, sh->lanes), "");
}

static LLVMValueRef
choose(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    LLVMValueRef on = v[sh->n - 1];
    LLVMValueRef other = scalar != NULL ? scalar : v[2];
    on = LLVMBuildICmp(l->b, LLVMIntNE, on, LLVMConstNull(LLVMTypeOf(on)), "");
    return LLVMBuildSelect(l->b, on, sh->variant != 0 ? other : v[1],
                           sh->variant != 0 ? v[1] : other, "");
}

static bool
set_scalar(Lower *l, StmtId s, LaneJob *job)
{
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    int scalar = form_slot(form, ROLE_SCALAR, "scalar");
    int side = form_slot(form, ROLE_ATTR, "side");
    if (scalar < 0) {
        return true;
    }
    const Arg *args = args_of(l, s);
    job->scalar = lower_expr(l, args[scalar].expr, s);
    job->scalar_type = (Dtype)ir_expr(l->k, args[scalar].expr)->dtype;
    job->variant = side < 0 ? 0 : ir_expr(l->k, args[side].expr)->imm == 0;
    return job->scalar_type == args[form_main(form)].ref.dtype;
}

/* False: the runtime library has the instruction. */
static bool
set_job(Lower *l, StmtId s, const Rows *r, LaneJob *job)
{
    Sem sem = op_table[l->k->stmts.p[s].instr.op].sem;
    int mode = form_slot(op_table[l->k->stmts.p[s].instr.op].form, ROLE_ATTR, "mode");
    *job = (LaneJob){.name = sem_name(sem), .mode = (uint32_t)sem};
    switch (sem) {
    case SEM_EXP:
    case SEM_LN:
    case SEM_REC:
    case SEM_RSQRT:
    case SEM_SIN:
    case SEM_COS:
    case SEM_MOVE:
    case SEM_CONV_SCALED:
    case SEM_CONV_PACK:
    case SEM_CONV_PACKS:
        return false;
    case SEM_CONV:
        *job = lower_conversion(l, s);
        return r->dtype[1] != DT_S16 || r->dtype[0] != DT_U32;
    case SEM_SLICE_CMP:
        job->compute = compare;
        job->mode = (uint32_t)ir_expr(l->k, args_of(l, s)[mode].expr)->imm;
        return set_scalar(l, s, job);
    case SEM_SLICE_SEL:
        job->compute = choose;
        return set_scalar(l, s, job);
    default:
        job->compute = arithmetic;
        return set_scalar(l, s, job);
    }
}

/* ---- the instruction ----------------------------------------------------- */

static void
row_loops(Lower *l, StmtId s, const Rows *r, const LaneJob *job)
{
    LaneRun run = {.n = r->n, .elems = r->len[INNER]};
    Counted loops[INNER];
    for (int i = 0; i < r->n; i++) {
        run.dtype[i] = r->dtype[i];
        run.at[i] = lower_ref(l, &args_of(l, s)[r->param[i]].ref);
    }
    for (int d = 0; d < INNER; d++) {
        Counted *c = &loops[d];
        *c = (Counted){.count = lower_const(l, r->len[d]), .n = r->n};
        for (int i = 0; i < r->n; i++) {
            c->at[i] = run.at[i];
            c->step[i] = lower_const(l, r->step[i][d]);
        }
        if (r->len[d] != 1) {
            lower_counted_begin(l, c);
            memcpy(run.at, c->at, sizeof run.at);
        }
    }
    lower_run(l, &run, job);
    for (int d = INNER - 1; d >= 0; d--) {
        if (r->len[d] != 1) {
            lower_counted_end(l, &loops[d]);
        }
    }
}

void
lower_slice(Lower *l, StmtId s)
{
    Rows r;
    LaneJob job;
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    if ((form == FORM_HREDUCE || form == FORM_HINDEX) && lower_slice_reduce(l, s)) {
        return;
    }
    if (!read_rows(l, s, &r) || !join_rows(&r) || !set_job(l, s, &r, &job)) {
        lower_exec(l, s);
        return;
    }
    row_loops(l, s, &r, &job);
}
