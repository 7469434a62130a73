/* sync.c: explicit synchronisation: the places of set_flag and wait_flag, and
 * block_barrier.
 *
 * Instructions execute in program order, so flags and pipe_barrier have no effect on
 * results; a pass (passes/sync.c) and rules/flag.h check that they fit together. A
 * barrier between cores is real: runtime/launch and runtime/emu let the cores of the loop
 * wait for each other, and report a core that never arrives. */
#include "tik/calls/sync.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/tensor.h"
#include "tik/tik.h"
#include "rules/flag.h"

/* ---- flags --------------------------------------------------------------- */

bool
tik_without_sync(const Tik *c)
{
    bool found = false;
    for (const TScope *s = c->top; s && !found; s = s->parent) {
        found = s->no_sync;
    }
    return found;
}

bool
tik_flag_place(Interp *in, const Tik *c, Op op, Span span)
{
    if (tik_without_sync(c)) {
        return true;
    }
    py_diag(in, D_SYNC_SCOPE, span, "%s outside of new_stmt_scope(disable_sync=True)",
            op_table[op].name);
    return false;
}

bool
tik_composite_place(Interp *in, const Tik *c, const char *name, Span span)
{
    if (!tik_without_sync(c)) {
        return true;
    }
    py_diag(in, D_SYNC_SCOPE, span, "%s in new_stmt_scope(disable_sync=True)", name);
    return false;
}

bool
tik_unit_flag(Interp *in, const Tik *c, Value v, Span span)
{
    int64_t n;
    if (tik_is_runtime(v) || !val_as_int64(v, &n)) {
        py_diag(in, D_UNITFLAG, span, "unit_flag is not 0, 2 or 3");
    } else if (n != 0 && n != 2 && n != 3) {
        py_diag(in, D_UNITFLAG, span, "unit_flag is %lld; it is 0, 2 or 3", (long long)n);
    } else if (n != 0 && !flag_has_pipe(c->k->soc, PIPE_FIX)) {
        py_diag(in, D_UNITFLAG, span, "unit_flag is %lld; %s has none", (long long)n,
                c->k->soc->name);
    } else {
        return true;
    }
    return false;
}

/* ---- block_barrier ------------------------------------------------------- */

static const TScope *
multicore_loop(const Tik *c)
{
    const TScope *s = c->top;
    while (s && !(s->kind == TS_LOOP && s->multicore)) {
        s = s->parent;
    }
    return s;
}

/* Reads the workspace, a tensor through which the cores of the original wait for each
 * other. */
static bool
barrier_workspace(Interp *in, const Tik *c, Value v, Span span, Root **out)
{
    if (!tik_is(v, &tik_tensor_class)) {
        py_diag(in, D_ARG_TYPE, span, "workspace is %s; it takes a Tensor", tik_a(in, v));
        return false;
    }
    const View *view = (View *)v.obj;
    Root *r = view->root;
    if (view->poisoned || !tik_own(in, c, v, span)) {
        return false;
    }
    if (r->mem != SC_GM || r->role != BUF_WORKSPACE || !r->preset || r->dtype != DT_S64) {
        py_diag(in, D_BARRIER, span,
                "'%s' is no int64 tensor in global memory with is_workspace and "
                "is_atomic_add",
                tik_sym(in, r->name));
        return false;
    }
    *out = r;
    return true;
}

/* Checks the size of the workspace. If a Scalar gives the number of blocks, two must have
 * room here, and the instruction checks the others at run time. */
static bool
barrier_size(Interp *in, const Tik *c, const Stmt *loop, const Root *r, Span span)
{
    const int64_t each = 32;
    int64_t n = loop->loop.block_num;
    int most = MAX(c->k->soc->cores, c->k->soc->vector_cores);
    if (n == IR_SCALAR_BLOCKS && r->bytes >= 2 * each) {
        return true;
    }
    n = n == IR_SCALAR_BLOCKS ? 2 : n;
    if (n > most) {
        py_diag(in, D_BARRIER, span,
                "the loop has %lld blocks; at a barrier meet 2 to %d, "
                "the cores of %s",
                (long long)n, most, c->k->soc->name);
        return false;
    }
    bool scalar = loop->loop.block_num == IR_SCALAR_BLOCKS;
    if (scalar ? r->bytes < n * each : r->bytes != n * each) {
        py_diag(in, D_BARRIER, span,
                "the workspace '%s' has %lld bytes; it takes 32 for each core, %s%lld",
                tik_sym(in, r->name), (long long)r->bytes, scalar ? "at least " : "",
                (long long)(n * each));
        return false;
    }
    return true;
}

static bool
record_barrier(Interp *in, Tik *c, Root *r, const Stmt *loop, Span span)
{
    tik_declare(r);
    r->used = true;
    Arg args[2] = {
        {.kind = ARG_REF, .ref = {r->buf, r->dtype, tik_i64(c, 0)}},
        {.kind = ARG_EXPR, .expr = ir_cast(c->k, DT_S64, loop->loop.end)},
    };
    Stmt s = {.kind = ST_INSTR,
              .instr = {.op = OP_BLOCK_BARRIER, .arg = ir_args(c->k, args, 2)}};
    return tik_emit(in, c, s, span, NULL);
}

void
tik_block_barrier(const Bound *b)
{
    Root *r;
    Span at = b->args->span, span = b->span[P_block_barrier_sync_workspace];
    const TScope *loop = multicore_loop(b->c);
    if (!barrier_workspace(b->in, b->c, b->got[P_block_barrier_sync_workspace], span,
                           &r)) {
        return;
    }
    if (!loop || !loop->loop) {
        py_diag(b->in, D_BARRIER, at, "block_barrier outside of a multi-core loop");
        return;
    }
    Stmt st = b->c->k->stmts.p[loop->loop];
    if (barrier_size(b->in, b->c, &st, r, span)) {
        (void)record_barrier(b->in, b->c, r, &st, at);
    }
}
