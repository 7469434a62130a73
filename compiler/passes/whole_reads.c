/* whole_reads.c: instructions that read no byte beyond their elements. */
#include "passes/whole_reads.h"

#include "isa/operand.h"

enum {
    RESULT_DIMS = 2 /* of a slice that is reduced: the others have the elements */
};

bool
reads_whole_vectors(const Kernel *k, const Stmt *s)
{
    int n;
    Form form = op_table[s->instr.op].form;
    const ParamInfo *params = form_params(form, &n);
    int64_t lanes = 0, least = REPEAT_BYTES, most = 1;
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        if (params[i].role == ROLE_MASK && a->mask_form == MASK_COUNT &&
            ir_is_const(k, a->mask[0])) {
            lanes = ir_expr(k, a->mask[0])->imm;
        }
        if (form_is_vector(form, i)) {
            least = MIN(least, dtype_size(a->ref.dtype));
            most = MAX(most, dtype_size(a->ref.dtype));
        }
    }
    bool power = lanes > 0 && (lanes & (lanes - 1)) == 0;
    bool reduces = form_family(form) == FAM_REDUCE;
    return power &&
           (reduces ? lanes * most == REPEAT_BYTES : lanes * least >= BLOCK_BYTES);
}

bool
reads_whole_rows(const Kernel *k, const Stmt *s)
{
    const Arg *args = &k->args.p[s->instr.arg];
    const SliceOperand *o = form_slice(op_table[s->instr.op].form, 1);
    Sem sem = op_table[s->instr.op].sem;
    int64_t len[SLICE_DIMS];
    for (int i = 0; i < SLICE_DIMS; i++) {
        ExprId e = args[o->len + i].expr;
        len[i] = ir_is_const(k, e) ? ir_expr(k, e)->imm : -1;
        if (len[i] < 1 || (i >= RESULT_DIMS && i < SLICE_DIMS - 1 && len[i] != 1) ||
            !ir_is_const(k, args[o->stride + i].expr)) {
            return false;
        }
    }
    Dtype t = args[HREDUCE_src].ref.dtype;
    bool numbers = sem == SEM_SLICE_SUM ? t == DT_F32 : t == DT_F32 || t == DT_F16;
    return numbers && len[SLICE_DIMS - 1] * dtype_size(t) % REPEAT_BYTES == 0 &&
           ir_expr(k, args[o->stride + SLICE_DIMS - 1].expr)->imm == 1;
}
