/* l0c_copy.c: data_copy from L0C to UB with DataCopyEnhancedParams (cube-quant 9),
 * recorded like tensor_mov.
 *
 * Owns: block-mode, reserved-field, deq-ignored, deqscale-missing and path-applicability
 * of such copies. */
#include "tik/calls/l0c_move.h"
#include "tik/struct.h"

static bool
copy_block(AccCall *x, Value v)
{
    int mode = tik_enum_number(v);
    if (mode == TVALUE_BlockMode_MATRIX || mode == TVALUE_BlockMode_VECTOR) {
        x->got[ACCFLY_block_mode] =
            val_int(mode == TVALUE_BlockMode_MATRIX ? BLOCK_M : BLOCK_V);
        return true;
    }
    static const char *const names[] = {
        [TVALUE_BlockMode_NORMAL] = "NORMAL",
        [TVALUE_BlockMode_SMALL_CHANNEL] = "SMALL_CHANNEL",
        [TVALUE_BlockMode_DEPTHWISE] = "DEPTHWISE",
    };
    py_diag(
        x->in, D_BLOCKMODE, x->span[ACCFLY_block_mode],
        "block_mode is BLOCK_MODE_%s, which a copy from L0C to UB does not have; it is "
        "BLOCK_MODE_MATRIX or BLOCK_MODE_VECTOR",
        names[mode]);
    return false;
}

static bool
is_constant(Value v, int64_t want)
{
    int64_t n;
    return !tik_is_runtime(v) && val_as_int64(v, &n) && n == want;
}

static bool
copy_reserved(const AccCall *x, Value how, Span span)
{
    static const TikField reserved[] = {TFIELD_DataCopyEnhancedParams_pad_mode,
                                        TFIELD_DataCopyEnhancedParams_pad_value};
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++) {
        if (!is_constant(tik_field(how, reserved[i]), 0)) {
            py_diag(x->in, D_RESERVED, tik_field_span(how, reserved[i], span),
                    "%s of DataCopyEnhancedParams is reserved and is 0",
                    tik_field_name(reserved[i]));
            return false;
        }
    }
    return true;
}

/* Takes deq_value or deq_tensor_addr, whichever the mode requires. */
static bool
copy_scale(AccCall *x, AccScale mode, Value word, Value vector)
{
    bool tensor_given = tik_is(vector, &tik_tensor_class);
    bool takes_vector = acc_scale_is_vector(mode);
    x->got[ACCFLY_deq_mode] = val_int(mode);
    x->got[ACCFLY_deqscale] = takes_vector         ? vector
                              : mode == SCALE_NONE ? val_int(0)
                                                   : word;
    if (takes_vector && !tensor_given) {
        Diag *d = py_diag(x->in, D_DEQ_MISSING, x->span[ACCFLY_deqscale],
                          "deq_tensor_addr is no tensor, and %s needs one",
                          acc_scale_name(mode));
        diag_help(x->in->u, d,
                  mode == SCALE_VDEQ ? "give deq_tensor_addr, a float16 tensor of 16 "
                                       "scales in the Unified Buffer"
                                     : "give deq_tensor_addr, a uint64 tensor of 16 "
                                       "words for each burst in the Unified Buffer");
        return false;
    }
    bool word_given = !is_constant(word, 0);
    if ((word_given && (takes_vector || mode == SCALE_NONE)) ||
        (!takes_vector && (tensor_given || !is_constant(vector, 0)))) {
        py_diag(x->in, D_DEQ_IGNORED, x->span[ACCFLY_deqscale],
                "%s is given, which %s does not use",
                word_given && (takes_vector || mode == SCALE_NONE) ? "deq_value"
                                                                   : "deq_tensor_addr",
                acc_scale_name(mode));
    }
    return true;
}

/* Warns of a conversion that is not in the processor's list of codes (Q14). */
static void
copy_applicability(const AccCall *x)
{
    const AccPair *p = tik_acc_pair(x);
    const Soc *soc = x->c->k->soc;
    if (p == NULL || acc_modes(soc, p->src, p->dst) == 0) {
        return;
    }
    int code =
        tik_acc_number(x, ACCFLY_relu) && p->relu_code >= 0 ? p->relu_code : p->code;
    if (!(acc_copy_codes(soc) >> code & 1)) {
        py_diag(x->in, D_PATH_APPLICABILITY, x->args->span,
                "the manual lists %s from %s to %s for the 310P class, not for %s",
                acc_scale_name(p->scale), dtype_name(p->from), dtype_name(p->to),
                soc->name);
    }
}

#define PARAMS(name)    tik_field(got[2], TFIELD_DataCopyParams_##name)
#define ENHANCED(name)  tik_field(got[3], TFIELD_DataCopyEnhancedParams_##name)
#define PARAMS_AT(name) tik_field_span(got[2], TFIELD_DataCopyParams_##name, span[2])
#define ENHANCED_AT(name)                                                                \
    tik_field_span(got[3], TFIELD_DataCopyEnhancedParams_##name, span[3])

bool
tik_acc_copy(Interp *in, Tik *c, const CallArgs *args, const Value *got, const Span *span)
{
    AccCall x = {.in = in, .c = c, .args = args, .enhanced = true};
    for (int i = 0; i <= ACCFLY_src_onthefly; i++) {
        x.span[i] = i <= ACCFLY_src ? span[i] : span[3];
    }
    x.span[ACCFLY_nburst] = PARAMS_AT(block_count);
    x.span[ACCFLY_burst_len] = PARAMS_AT(block_len);
    x.span[ACCFLY_dst_stride] = PARAMS_AT(dst_stride);
    x.span[ACCFLY_src_stride] = PARAMS_AT(src_stride);
    x.span[ACCFLY_block_mode] = ENHANCED_AT(block_mode);
    x.span[ACCFLY_deq_mode] = ENHANCED_AT(deq_scale);
    x.span[ACCFLY_sid_store_mode] = ENHANCED_AT(sid_store_mode);
    x.span[ACCFLY_relu] = ENHANCED_AT(is_relu);
    x.got[ACCFLY_dst] = got[0];
    x.got[ACCFLY_src] = got[1];
    x.got[ACCFLY_nburst] = PARAMS(block_count);
    x.got[ACCFLY_burst_len] = PARAMS(block_len);
    x.got[ACCFLY_dst_stride] = PARAMS(dst_stride);
    x.got[ACCFLY_src_stride] = PARAMS(src_stride);
    x.got[ACCFLY_sid_store_mode] = ENHANCED(sid_store_mode);
    x.got[ACCFLY_relu] = val_int(tik_is_set(ENHANCED(is_relu)));
    x.got[ACCFLY_onthefly_mode] = val_int(0);
    x.got[ACCFLY_src_onthefly] = val_none();
    AccScale mode = (AccScale)tik_enum_number(ENHANCED(deq_scale));
    x.span[ACCFLY_deqscale] =
        acc_scale_is_vector(mode)
            ? tik_field_span(got[3], TFIELD_DataCopyEnhancedParams_deq_tensor_addr,
                             x.span[ACCFLY_deq_mode])
            : tik_field_span(got[3], TFIELD_DataCopyEnhancedParams_deq_value,
                             x.span[ACCFLY_deq_mode]);
    if (!copy_block(&x, ENHANCED(block_mode)) || !copy_reserved(&x, got[3], span[3]) ||
        !copy_scale(&x, mode, ENHANCED(deq_value), ENHANCED(deq_tensor_addr))) {
        return !in->fatal;
    }
    copy_applicability(&x);
    return tik_acc_record(&x);
}
