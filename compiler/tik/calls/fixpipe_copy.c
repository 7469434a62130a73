/* fixpipe_copy.c: data_copy with DataCopyCO12DstParams, which uses what set_fixpipe_*
 * have set (cube-quant 12.4), and these setters.
 *
 * Words that are set are special registers of the core, which the copy reads when it
 * runs. The tensor of scales is chosen by the text of the program: it is that of the last
 * set_fixpipe_config before the copy.
 *
 * Owns: fix-setup. */
#include "tik/calls/fixpipe.h"

#include "python/core.h"
#include "tik/struct.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/sreg.h"

/* Stores the present value of an integer to a special register. */
static bool
set_register(Interp *in, Tik *c, const char *method, const char *name, Value v, Span span,
             int64_t lo, int64_t hi, int64_t offset, Dtype t)
{
    ExprId e;
    int64_t n;
    uint64_t bits;
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span, &e));
        return tik_sreg_store(in, c, offset, t, e, span);
    }
    bool ok = t == DT_U64
                  ? val_as_uint64(v, &bits)
                  : v.kind != VAL_FLOAT && val_as_int64(v, &n) && n >= lo && n <= hi;
    if (!ok) {
        py_diag(in, D_FIX_STRIDE, span, "%s is %s; %s takes %lld to %lld", name,
                val_repr(in, v), method, (long long)lo, (long long)hi);
        return false;
    }
    e = ir_const(c->k, DT_U64, t == DT_U64 ? (int64_t)bits : n);
    return tik_sreg_store(in, c, offset, t, e, span);
}

void
tik_set_fixpipe_nz2nd_flag(const Bound *b)
{
    static const int64_t most[] = {UINT16_MAX, 512, UINT16_MAX};
    b->c->fix_nd = true;
    Signature s = call_signature(CALL_set_fixpipe_nz2nd_flag);
    for (int i = 0; i < s.n; i++) {
        (void)set_register(b->in, b->c, s.name, s.args[i].name, b->got[i], b->span[i],
                           i == 0, most[i], SREG_FIX_ND + 4 * i, DT_U32);
    }
}

void
tik_set_fixpipe_pre_quant_flag(const Bound *b)
{
    static const char *const method = "set_fixpipe_pre_quant_flag";
    b->c->fix_word = true;
    (void)set_register(b->in, b->c, method, "config", b->got[0], b->span[0], 0, INT64_MAX,
                       SREG_FIX_WORD, DT_U64);
}

void
tik_set_fixpipe_config(const Bound *b)
{
    if (tik_fix_tensor(b->got[0]) == NULL) {
        (void)tik_fix_broken(b->in, b->span[0], D_FIX_SETUP,
                             "set_fixpipe_config takes a tensor of words");
    } else {
        b->c->fix_vector = tik_fix_tensor(b->got[0]);
    }
}

/* Reads a register that the program must have set before. */
static bool
read_register(FixColumns *x, bool set, const char *setter, int64_t offset, Dtype t,
              Value *out)
{
    ExprId e;
    if (!set) {
        py_diag(x->in, D_FIX_SETUP, x->args->span,
                "%s was not called before a copy that needs it", setter);
        return false;
    }
    TRY(tik_sreg_read(x->in, x->c, offset, t, x->args->span, &e));
    *out = tik_expr(x->in, x->c, e);
    return true;
}

static bool
copy_setup(FixColumns *x, FixMode mode)
{
    x->v[FIXC_nd_num] = val_int(1);
    x->v[FIXC_src_nd_stride] = x->v[FIXC_dst_nd_stride] = x->v[FIXC_deq] = val_int(0);
    for (int i = 0; i < 3 && tik_is_set(x->v[FIXC_nd]); i++) {
        TRY(read_register(x, x->c->fix_nd, "set_fixpipe_nz2nd_flag", SREG_FIX_ND + 4 * i,
                          DT_U32, &x->v[FIXC_nd_num + i]));
    }
    if (fix_mode_is_vector(mode)) {
        if (x->c->fix_vector == NULL) {
            return tik_fix_broken(
                x->in, x->args->span, D_FIX_SETUP,
                "set_fixpipe_config was not called before a copy that needs it");
        }
        x->v[FIXC_deq] = val_object(&x->c->fix_vector->base);
    } else if (fix_mode_scales(mode)) {
        return read_register(x, x->c->fix_word, "set_fixpipe_pre_quant_flag",
                             SREG_FIX_WORD, DT_U64, &x->v[FIXC_deq]);
    }
    return true;
}

#define FIELD(name) tik_field(got[2], TFIELD_DataCopyCO12DstParams_##name)

bool
tik_fix_copy(Interp *in, Tik *c, const CallArgs *args, const Value *got, const Span *span)
{
    FixColumns x = {.in = in, .c = c, .args = args};
    FixMode mode = (FixMode)tik_enum_number(FIELD(quant_pre));
    for (int i = 0; i <= FIXC_relu; i++) {
        x.span[i] = span[i <= FIXC_src ? i : 2];
    }
    x.v[FIXC_dst] = got[0];
    x.v[FIXC_src] = got[1];
    x.v[FIXC_n_size] = FIELD(n_size);
    x.v[FIXC_m_size] = FIELD(m_size);
    x.v[FIXC_dst_stride] = FIELD(dst_stride);
    x.v[FIXC_src_stride] = FIELD(src_stride);
    x.v[FIXC_quant_pre] = val_int(mode);
    x.v[FIXC_relu] = val_bool(tik_is_set(FIELD(relu_pre)));
    x.v[FIXC_split] = val_bool(tik_is_set(FIELD(channel_split)));
    x.v[FIXC_nd] = val_bool(tik_is_set(FIELD(nz2nd_en)));
    return copy_setup(&x, mode) ? tik_fix_record(&x) : !in->fatal;
}
