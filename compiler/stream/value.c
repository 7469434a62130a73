/* value.c: finds the values of expressions as numbers of the blob. Constants, registers,
 * loop variables and the core's index are numbers themselves; everything else is computed
 * by scalar descriptors into temporary registers, each node once per statement.
 * Expressions are evaluated where they are used, so nothing is kept from one statement to
 * the next. */
#include "stream/stream.h"

#include <string.h>

uint32_t
stream_reg(Stream *s, RegId r)
{
    if (s->regs[r] < 0) {
        s->regs[r] = (int32_t)s->nregs++;
    }
    return (uint32_t)s->regs[r];
}

uint32_t
stream_temp(Stream *s)
{
    if (s->used_temps == s->temps.n) {
        VEC_PUSH(&s->scratch, &s->temps, s->nregs++);
    }
    return s->temps.p[s->used_temps++];
}

void
stream_next_statement(Stream *s, const Stmt *st)
{
    s->at = st;
    s->stamp++;
    s->used_temps = 0;
}

/* ---- numbers ------------------------------------------------------------- */

/* Follows casts that change no value. */
static ExprId
through_casts(Stream *s, ExprId e)
{
    while (stream_cast_is_free(s, ir_expr(s->k, e))) {
        e = ir_expr(s->k, e)->a;
    }
    return e;
}

/* Finds the number of a leaf, or of what this statement has computed already. */
static bool
known(Stream *s, ExprId e, TikNum *out)
{
    const Expr *x = ir_expr(s->k, e);
    switch ((ExprKind)x->kind) {
    case EX_CONST:
        *out = (TikNum){.kind = NUM_IMM, .imm = x->imm};
        return true;
    case EX_REG:
        *out = (TikNum){.kind = NUM_REG, .index = stream_reg(s, x->a)};
        return true;
    case EX_VAR:
        *out = s->vars[x->a].num;
        return true;
    case EX_OP:
        *out = s->values[e].num;
        return s->values[e].stamp == s->stamp;
    case EX_NONE:
        break;
    }
    ICE("expression without kind");
}

/* Emits reg = node; the operands are known. */
static bool
compute(Stream *s, ExprId e, uint32_t reg)
{
    const Expr *x = ir_expr(s->k, e);
    bool casts = x->op == SOP_CAST || x->op == SOP_BITS;
    Dtype operand = (Dtype)ir_expr(s->k, x->a)->dtype;
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_ALU;
    s->d.alu_op = (ScalarOp)x->op;
    s->d.dtype = casts ? (Dtype)x->dtype : operand;
    s->d.from = operand;
    s->d.reg = reg;
    if (!known(s, through_casts(s, x->a), &s->d.a) ||
        (scalar_op_table[x->op].arity == 2 &&
         !known(s, through_casts(s, x->b), &s->d.b))) {
        ICE("operand of a scalar operation was not computed");
    }
    return stream_emit(s);
}

/* Computes all that the node root needs, but not root itself. */
static bool
compute_operands(Stream *s, ExprId root)
{
    VEC(ExprId) stack = {0};
    VEC_PUSH(&s->scratch, &stack, root);
    while (stack.n > 0) {
        ExprId e = stack.p[stack.n - 1];
        const Expr *x = ir_expr(s->k, e);
        uint32_t before = stack.n;
        TikNum ignored;
        for (int i = scalar_op_table[x->op].arity - 1; i >= 0; i--) {
            ExprId child = through_casts(s, i == 0 ? x->a : x->b);
            if (!known(s, child, &ignored)) {
                VEC_PUSH(&s->scratch, &stack, child);
            }
        }
        if (stack.n > before) {
            continue;
        }
        stack.n--;
        if (e != root && !known(s, e, &ignored)) {
            uint32_t reg = stream_temp(s);
            TRY(compute(s, e, reg));
            s->values[e] = (Value){s->stamp, {.kind = NUM_REG, .index = reg}};
        }
    }
    return true;
}

bool
stream_number(Stream *s, ExprId e, TikNum *out)
{
    e = through_casts(s, e);
    if (known(s, e, out)) {
        return true;
    }
    TRY(compute_operands(s, e));
    uint32_t reg = stream_temp(s);
    *out = (TikNum){.kind = NUM_REG, .index = reg};
    TRY(compute(s, e, reg));
    s->values[e] = (Value){s->stamp, *out};
    return true;
}

/* The last operation writes the register itself. */
bool
stream_assign(Stream *s, RegId r, ExprId e)
{
    TikNum n;
    Dtype t = s->k->regs.p[r].dtype;
    e = through_casts(s, e);
    if (!known(s, e, &n)) {
        TRY(compute_operands(s, e));
        return compute(s, e, stream_reg(s, r));
    }
    tikblob_clear(&s->d, 0);
    s->d.kind = DESC_ALU;
    s->d.alu_op = SOP_BITS;
    s->d.dtype = t;
    s->d.from = t;
    s->d.reg = stream_reg(s, r);
    s->d.a = n;
    return stream_emit(s);
}

/* ---- addresses ----------------------------------------------------------- */

static bool
atom_number(Stream *s, const Atom *a, TikNum *out)
{
    switch (a->kind) {
    case ATOM_VAR:
        *out = s->vars[a->id].num;
        return true;
    case ATOM_REG:
        *out = (TikNum){.kind = NUM_REG, .index = stream_reg(s, a->id)};
        return true;
    case ATOM_EXPR:
        return stream_number(s, a->id, out);
    }
    UNREACHABLE();
}

bool
stream_operand(Stream *s, const Ref *ref, TikOperand *out)
{
    const Sum *f = stream_sum(s, ref->off);
    *out = (TikOperand){.region = (uint32_t)s->regions[ref->buf],
                        .offset = f->constant,
                        .dtype = ref->dtype};
    for (int i = 0; i < f->n; i++) {
        TikNum n;
        TRY(atom_number(s, &f->atoms[i], &n));
        out->terms[out->nterms].num = n;
        out->terms[out->nterms].coef = f->atoms[i].coef;
        out->nterms++;
    }
    return stream_add_turn(s, ref->buf, out);
}
