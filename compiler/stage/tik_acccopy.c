/* tik_acccopy.c: data_copy from L0C to UB with DataCopyEnhancedParams (cube-quant 9), recorded as tensor_mov is.
 *
 * Owns: block-mode, reserved-field, deq-ignored, deqscale-missing and path-applicability of such copies. */
#include "stage/tik_accmove.h"
#include "stage/tik_struct.h"

static bool
copy_block(AccCall *x, Value v)
{
    int mode = tik_enum_number(v);
    if (mode == TVALUE_BlockMode_MATRIX || mode == TVALUE_BlockMode_VECTOR) {
        x->got[ACC_BLOCK] = val_int(mode == TVALUE_BlockMode_MATRIX ? BLOCK_M : BLOCK_V);
        return true;
    }
    static const char *const names[] = {
        [TVALUE_BlockMode_NORMAL] = "NORMAL",
        [TVALUE_BlockMode_SMALL_CHANNEL] = "SMALL_CHANNEL",
        [TVALUE_BlockMode_DEPTHWISE] = "DEPTHWISE",
    };
    stage_diag(
        x->in, D_BLOCKMODE, x->span[ACC_BLOCK],
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
copy_reserved(const AccCall *x, Value mode, Value value)
{
    if (is_constant(mode, 0) && is_constant(value, 0)) {
        return true;
    }
    stage_diag(x->in, D_RESERVED, x->span[ACC_BLOCK],
               "%s of DataCopyEnhancedParams is reserved and is 0",
               is_constant(mode, 0) ? "pad_value" : "pad_mode");
    return false;
}

/* deq_value or deq_tensor_addr, whichever the mode takes. */
static bool
copy_scale(AccCall *x, AccScale mode, Value word, Value vector)
{
    bool tensor_given = tik_is(vector, &tik_tensor_class);
    bool takes_vector = acc_scale_is_vector(mode);
    x->got[ACC_MODE] = val_int(mode);
    x->got[ACC_SCALE] = takes_vector ? vector : mode == SCALE_NONE ? val_int(0) : word;
    if (takes_vector && !tensor_given) {
        stage_diag(x->in, D_DEQ_MISSING, x->span[ACC_SCALE],
                   "deq_tensor_addr is no tensor, and the scale mode needs one");
        return false;
    }
    bool word_given = !is_constant(word, 0);
    if ((word_given && (takes_vector || mode == SCALE_NONE)) ||
        (!takes_vector && (tensor_given || !is_constant(vector, 0)))) {
        stage_diag(x->in, D_DEQ_IGNORED, x->span[ACC_SCALE],
                   "%s is given, which %s does not use",
                   word_given && (takes_vector || mode == SCALE_NONE) ? "deq_value"
                                                                      : "deq_tensor_addr",
                   acc_scale_name(mode));
    }
    return true;
}

/* Conversions that the processor's list of codes does not have are told of (Q14). */
static void
copy_applicability(const AccCall *x)
{
    const AccPair *p = tik_acc_pair(x);
    const Soc *soc = x->c->k->soc;
    if (p == NULL || acc_modes(soc, p->src, p->dst) == 0) {
        return;
    }
    int code = tik_acc_number(x, ACC_RELU) && p->relu_code >= 0 ? p->relu_code : p->code;
    if (!(acc_copy_codes(soc) >> code & 1)) {
        stage_diag(x->in, D_PATH_APPLICABILITY, x->args->span,
                   "the manual lists %s from %s to %s for the 310P class, not for %s",
                   acc_scale_name(p->scale), dtype_name(p->from), dtype_name(p->to),
                   soc->name);
    }
}

#define PARAMS(name)   tik_field(got[2], TFIELD_DataCopyParams_##name)
#define ENHANCED(name) tik_field(got[3], TFIELD_DataCopyEnhancedParams_##name)

bool
tik_acc_copy(Interp *in, Tik *c, const CallArgs *args, const Value *got, const Span *span)
{
    AccCall x = {.in = in, .c = c, .args = args, .enhanced = true};
    for (int i = 0; i <= ACC_OTHER; i++) {
        bool first = i == ACC_NBURST || i == ACC_BURST || i == ACC_DST_STRIDE ||
                     i == ACC_SRC_STRIDE;
        x.span[i] = i <= ACC_SRC ? span[i] : span[first ? 2 : 3];
    }
    x.got[ACC_DST] = got[0];
    x.got[ACC_SRC] = got[1];
    x.got[ACC_NBURST] = PARAMS(block_count);
    x.got[ACC_BURST] = PARAMS(block_len);
    x.got[ACC_DST_STRIDE] = PARAMS(dst_stride);
    x.got[ACC_SRC_STRIDE] = PARAMS(src_stride);
    x.got[ACC_SID] = ENHANCED(sid_store_mode);
    x.got[ACC_RELU] = val_int(tik_is_set(ENHANCED(is_relu)));
    x.got[ACC_FLY] = val_int(0);
    x.got[ACC_OTHER] = val_none();
    AccScale mode = (AccScale)tik_enum_number(ENHANCED(deq_scale));
    if (!copy_block(&x, ENHANCED(block_mode)) ||
        !copy_reserved(&x, ENHANCED(pad_mode), ENHANCED(pad_value)) ||
        !copy_scale(&x, mode, ENHANCED(deq_value), ENHANCED(deq_tensor_addr))) {
        return !in->fatal;
    }
    copy_applicability(&x);
    return tik_acc_record(&x);
}
