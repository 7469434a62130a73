/* sreg.c: special registers (isa.h, SREG_) as the program reads and sets them.
 *
 * They are one buffer of the kernel in the memory SC_SREG, which the first method that
 * needs it makes. A setter records the store of one element, a reader the load of one;
 * instructions use the registers without naming them. The buffer lives as long as the
 * kernel: when the kernel is built, its alloc becomes the first statement and the load of
 * the core's index, if anything reads it, the second. */
#include "tik/expr.h"
#include "tik/scalar.h"
#include "tik/sreg.h"
#include "tik/tik.h"

Ref
tik_sreg_ref(Interp *in, Tik *c, int64_t offset, Dtype t)
{
    if (!c->sreg) {
        Buffer b = {.name = intern(&in->u->names, "sreg"),
                    .scope = SC_SREG,
                    .dtype = DT_U32,
                    .role = BUF_LOCAL,
                    .elems = SREG_BYTES / 4,
                    .bytes = SREG_BYTES,
                    .address = -1,
                    .copies = 1,
                    .span = c->span,
                    .chain = c->chain};
        VEC_PUSH(&c->k->arena, &b.shape, b.elems);
        c->sreg = ir_buffer(c->k, &b);
    }
    return (Ref){c->sreg, t, tik_i64(c, offset)};
}

bool
tik_sreg_read(Interp *in, Tik *c, int64_t offset, Dtype t, Span span, ExprId *out)
{
    RegId r = tik_new_reg(in, c, intern(&in->u->names, "sreg"), t, span);
    Stmt s = {.kind = ST_LOAD, .load = {r, tik_sreg_ref(in, c, offset, t)}};
    *out = ir_reg_value(c->k, r);
    return tik_emit(in, c, s, span, NULL);
}

bool
tik_sreg_load(Interp *in, ExprObj *dst, int64_t offset, Dtype t, Span span)
{
    Tik *c = dst->c;
    ExprId value;
    if (!dst->array && c->k->regs.p[dst->reg].dtype == t) {
        Stmt s = {.kind = ST_LOAD, .load = {dst->reg, tik_sreg_ref(in, c, offset, t)}};
        return tik_emit(in, c, s, span, NULL);
    }
    return tik_sreg_read(in, c, offset, t, span, &value) &&
           tik_assign(in, dst, tik_expr(in, c, value), span);
}

bool
tik_sreg_store(Interp *in, Tik *c, int64_t offset, Dtype t, ExprId value, Span span)
{
    Stmt s = {.kind = ST_STORE,
              .store = {tik_sreg_ref(in, c, offset, t), ir_cast(c->k, t, value)}};
    return tik_emit(in, c, s, span, NULL);
}

ExprId
tik_core_index(Interp *in, Tik *c, Dtype t)
{
    Kernel *k = c->k;
    if (!k->core) {
        k->core = tik_new_reg(in, c, intern(&in->u->names, "core"), DT_S32, c->span);
        c->reg_scope.p[k->core] = &c->top_level;
    }
    return ir_cast(k, t, ir_reg_value(k, k->core));
}

void
tik_sreg_begin(Interp *in, Tik *c)
{
    Cursor first = ir_cursor_body(0, 0);
    Stmt load = {.kind = ST_LOAD, .span = c->span, .chain = c->chain};
    if (c->k->core) {
        load.load.reg = c->k->core;
        load.load.ref = tik_sreg_ref(in, c, SREG_BLOCK, DT_S32);
    }
    if (c->sreg) {
        Stmt s = {.kind = ST_ALLOC, .span = c->span, .chain = c->chain};
        s.alloc.buf = c->sreg;
        ir_append(c->k, &first, &s);
    }
    if (c->k->core) {
        ir_append(c->k, &first, &load);
    }
}
