/* check_int.h: what the files of the checker (check.c, footprint.c, overlap.c) share. Private to
 * runtime/isa. */
#ifndef TIK_CHECK_INT_H
#define TIK_CHECK_INT_H

#include "isa/check.h"

/* Operands of a move by index. */
enum {
    MV_DST,
    MV_SRC,
    MV_SID,
    MV_NBURST,
    MV_BURST,
    MV_SRC_STRIDE,
    MV_DST_STRIDE,
    MV_MODE
};

/* Where a rule is broken: the numbers of a Fault. */
typedef struct FaultAt {
    Rule rule;
    int param;
    int64_t value, lo, hi;
} FaultAt;

/* Fills *fault; always false, so that it can be returned. */
bool check_fail(Fault *fault, const FaultAt *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sums and products of numbers that may come from hostile input, clamped to the range of int64. */
static inline int64_t
sat_add(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? (b < 0 ? INT64_MIN : INT64_MAX) : r;
}

static inline int64_t
sat_mul(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX)
                                            : r;
}

/* Bytes of each burst that a pad mode takes from global memory; 0: no pad mode. */
int check_pad_width(int64_t mode);
bool check_is_pad_move(const CheckInstr *in);

/* Index of repeat_times in a vector form; the stride of tensor operand p follows at that + p. */
int check_repeat_index(Op op);
static inline int64_t
check_stride(const CheckInstr *in, int param)
{
    return in->args[check_repeat_index(in->op) + param].v;
}

/* Bytes from the operand's start to one past the last byte touched; 0 when nothing is. */
int64_t check_extent(const CheckInstr *in, int param);
/* Bytes that may be touched in a root tensor: global memory is rounded up to 32. */
int64_t check_limit(const CheckTensor *t);

/* Overlap of source operand param with the destination. */
bool check_overlap(const CheckInstr *in, int param, Fault *fault);

#endif
