/* blind.c: finds on-core buffers in which one NaN is as good as another.
 *
 * Results of instructions have the canonical NaN, whose making is a part of a loop's
 * work. It is not needed where nothing but arithmetic reads a buffer: that makes the
 * canonical NaN of any NaN, and nobody else sees the bytes. */
#include "host/lower/lower.h"
#include "isa/operand.h"

/* Returns whether the results of an instruction do not depend on which NaN it reads. */
static bool
takes_any_nan(Sem sem, Dtype src)
{
    switch (sem) {
    case SEM_ADD:
    case SEM_SUB:
    case SEM_MUL:
    case SEM_DIV:
    case SEM_MAX:
    case SEM_MIN:
    case SEM_CADD:
    case SEM_ALL_ADD:
        return dtype_is_float(src);
    case SEM_CONV:
        return src == DT_F32;
    default:
        return false;
    }
}

static void
note_operands(Lower *l, const Stmt *st)
{
    int n;
    Sem sem = op_table[st->instr.op].sem;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &l->k->args.p[st->instr.arg + (uint32_t)i];
        bool written = params[i].role == ROLE_DST && !sem_reads_dst(sem);
        bool any = params[i].role == ROLE_SRC && takes_any_nan(sem, a->ref.dtype);
        if (a->kind == ARG_REF && !written && !any) {
            l->blind[a->ref.buf] = false;
        }
    }
}

void
lower_find_blind(Lower *l)
{
    const Kernel *k = l->k;
    for (uint32_t i = 1; i < k->bufs.n; i++) {
        const Buffer *b = &k->bufs.p[i];
        l->blind[i] = b->scope == SC_UB && !b->dynamic && !k->may_read_uninit;
    }
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        const Stmt *st = &k->stmts.p[i];
        if (st->kind == ST_INSTR) {
            note_operands(l, st);
        } else if (st->kind == ST_LOAD) {
            l->blind[st->load.ref.buf] = false;
        }
    }
}
