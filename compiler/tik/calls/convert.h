/* convert.h: a conversion on lanes before it is recorded, for all its spellings. */
#ifndef TIKC_TIK_CONVERT_H
#define TIKC_TIK_CONVERT_H

#include "tik/tik.h"

typedef struct Convert {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    const char *method; /* name of the call, for messages */
    bool old;           /* vconv, or a call that is recorded as vconv */
    Value got
        /* values by the arguments of vconv; VAL_FAIL: not given, or not part of
         * vec_conv */
        [MOST_ARGS];
    Span span[MOST_ARGS];
} Convert;

/* Returns whether the types of dst and src need a scale: a float16, or a pack. False for
 * operands that are no tensors. */
bool tik_convert_scales(const Convert *x);
bool tik_convert_packs(const Convert *x);
/* Records the instruction that the types of dst and src choose. False: refused, with
 * diagnostics. */
bool tik_convert(Convert *x);
/* Returns [scale, offset] and the sign as a pack: offset is -256 to 255, scale a
 * number. */
uint64_t tik_deq_word(int64_t scale_bits, int64_t offset, bool sign);

/* Checks the deqscale of a scaled conversion: tik_deq_scale takes a number or Scalar;
 * tik_deq_pack takes a pack, a Scalar of one, or [scale, offset], which it replaces by a
 * pack. False with a diagnostic that says what the call takes. */
bool tik_deq_scale(Interp *in, Value deq, Span span);
bool tik_deq_pack(Interp *in, Value *deq, Span span, Dtype dst, const char *takes);

#endif
