/* convert.h: a conversion on lanes before it is recorded, for the spellings of it. */
#ifndef TIKC_TIK_CONVERT_H
#define TIKC_TIK_CONVERT_H

#include "tik/tik.h"

typedef struct Convert {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    const char *method; /* for messages */
    bool old;           /* vconv and what is recorded as vconv */
    Value got
        /* by the arguments of vconv; VAL_FAIL: not given, or none of vec_conv */
        [MOST_ARGS];
    Span span[MOST_ARGS];
} Convert;

/* Whether the types of dst and src need a scale: a float16, or a pack. False for operands
 * that are no tensors. */
bool tik_convert_scales(const Convert *x);
bool tik_convert_packs(const Convert *x);
/* Records the instruction that the types of dst and src choose. False: refused, with
 * diagnostics. */
bool tik_convert(Convert *x);
/* [scale, offset] and the sign as a pack: offset is -256 to 255, scale a number. */
uint64_t tik_deq_word(int64_t scale_bits, int64_t offset, bool sign);

/* deqscale of a scaled conversion: a number or Scalar; [scale, offset], a pack or a
 * Scalar of one, a list becoming a pack. False: it is something else, with diagnostic
 * that says what the call takes. */
bool tik_deq_scale(Interp *in, Value deq, Span span);
bool tik_deq_pack(Interp *in, Value *deq, Span span, Dtype dst, const char *takes);

#endif
