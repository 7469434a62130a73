/* tikcode.h: the functions of libtikrt that compiled kernels call. Only code that tikc
 * makes knows them, so the header is not installed. */
#ifndef TIKCODE_H
#define TIKCODE_H

#include "tikrt.h"

/* An operand of a run-time check, as far as it is constant. Members hold for the kind of
 * operand that their comment names. */
typedef struct TikCheckArg {
    int32_t scope, dtype; /* tensors */
    uint32_t buffer;      /* tensors: identity of the root */
    int32_t mask_form;    /* masks: MaskForm */
    int32_t literal;      /* numbers: written as a constant */
    /* tensors: number of the argument from 1 if it is an address list; -1: a constant
     * table; else 0 */
    int32_t list;
    /* tensors: number of the argument from 1 if its array may be without the room after
     * its data, which an instruction may access; else 0 */
    int32_t edge;
    int64_t bytes; /* tensors: size of the root; -1: it is passed in values */
} TikCheckArg;

typedef struct TikCheck {
    int32_t op;
    int32_t place; /* index in TikKernel.places */
    const char *soc;
    int64_t proved;     /* the rules are known to hold */
    TikCheckArg args[]; /* an item for each operand of the form */
} TikCheck;

/* What is remembered of an instruction whose rules hold: they hold again, while its
 * numbers, its masks and the distances of its tensors are the same, for each offset of a
 * tensor below `end` that has none of the bits of `odd`; end is 0 where that is not
 * known. Such an instruction accesses no byte after the data of an array. */
typedef struct TikSpan {
    uint64_t odd, end;
} TikSpan;

/* Runs check_values; compiled code calls it before an instruction that could not be
 * proved, and where an instruction may access bytes after the data of an array, unless
 * the spans tell that it needs not. values holds, for each operand of the form in order:
 * a tensor's byte offset, followed by the size of the root when that is no constant; a
 * mask's four words; any other operand's number (a MASKMODE operand has none). spans has
 * an item for each operand DST and SRC, and is filled. Returns 0; or records the fault
 * and returns 1; or 2 when the instruction accesses bytes after the data of an array: it
 * must then go to the addresses that tikrt_edge gives, and tikrt_edges_end must follow.
 * Several checks may come before. */
TIK_API int tikrt_check(TikCore *core, const TikCheck *check, const int64_t *values,
                        TikSpan *spans);
/* Returns the address of byte `offset` of the argument with that index. */
TIK_API uint8_t *tikrt_edge(TikCore *core, int32_t argument, int64_t offset);
TIK_API void tikrt_edges_end(TikCore *core);
/* Executes an instruction whose meaning is in this library (runtime/ops), for compiled
 * code. values are those of tikrt_check. operands holds, for each operand of the form,
 * the address of a tensor's first byte (unset for other operands), and after them the
 * address of the core's special registers. Returns 0, or records the fault and returns
 * 1. */
TIK_API int tikrt_exec(TikCore *core, const TikCheck *op, const int64_t *values,
                       uint8_t *const *operands);
/* Where a factor of a product is: blocks of 32 bytes at the operand's address + i * outer
 * + j * inner. i and j count rows and runs of terms of the first factor; runs of terms
 * and columns of the second one, or, if it is transposed, its terms and groups of 16
 * columns. Without `used` the factor has the layout of the instruction.
 *
 * The product is executed `parts` times (the same number for both factors): first as the
 * instruction says, then with the next terms of both factors, which are added to the
 * sums. parts is above 1 only if the terms fill their runs, both factors are used, the
 * sums have 32 bits, and those of integers begin with 0 and do not saturate. */
typedef struct TikOrigin {
    int64_t outer, inner;
    int32_t used, transposed;
    int64_t parts;
} TikOrigin;

/* Does the same for a product of matrices; origins has an item for each factor. */
TIK_API int tikrt_product(TikCore *core, const TikCheck *op, const int64_t *values,
                          uint8_t *const *operands, const TikOrigin *origins);
/* What becomes of the sums of a product that nothing else reads: moves out of L0C convert
 * them, and the results of each group of 16 columns go to rows somewhere else. */
typedef struct TikFinishGroup {
    int32_t move;  /* the one that converts the group */
    int32_t write; /* item of places that has the group's results, off bytes after it */
    int64_t burst; /* of the move */
    int64_t off;
} TikFinishGroup;

/* An instruction with its values, those of tensors' places 0. */
typedef struct TikFinishMove {
    const TikCheck *op;
    const int64_t *values;
} TikFinishMove;

typedef struct TikFinish {
    int64_t rows;    /* that are stored, at most those of the product */
    int64_t pitch;   /* bytes from row to row of the results */
    int32_t rectify; /* results of signed bytes below 0 are 0 */
    int32_t moves, groups;
    const TikFinishMove *move;
    const TikFinishGroup *group;
} TikFinish;

/* Does the same for such a product, whose sums have 32 bits and begin with 0. places has
 * an address for each move, that of its tensor of parameters, and those of the writes. */
TIK_API int tikrt_finish(TikCore *core, const TikCheck *op, const int64_t *values,
                         uint8_t *const *operands, const TikOrigin *origins,
                         const TikFinish *finish, uint8_t *const *places);
/* Computes a mathematical function (EXP, LN, RSQRT or EXPM1 of isa/sem.def) of the first
 * `lanes` vector lanes of each repeat, whose blocks are contiguous. The steps are the
 * bytes from repeat to repeat. All elements of a repeat are read before any is written,
 * and repeats are executed in order. */
typedef struct TikMap {
    int32_t function, dtype, lanes;
    int32_t reading; /* of CHOICE_APPROXIMATE */
} TikMap;

TIK_API void tikrt_map(const TikMap *map, uint8_t *dst, const uint8_t *src,
                       int64_t repeats, int64_t dst_step, int64_t src_step);
/* Converts (vector chapter 3) vector lanes in the way of tikrt_map. dst and src are rows
 * of isa/dtype.def; round is a RoundMode, or ROUND_COUNT, which rounds away from zero
 * whatever the fraction is. scaled: the conversion is from int32 to float16 and
 * multiplies by value, the bits of a float16; else bit 0 of value is the core's mode that
 * keeps infinities or low bits (SREG_FP2FP for float results, SREG_FP2INT for
 * integers). */
typedef struct TikConvert {
    int32_t dst, src, round, scaled, lanes;
} TikConvert;

TIK_API void tikrt_convert(const TikConvert *c, uint8_t *dst, const uint8_t *src,
                           int64_t repeats, int64_t dst_step, int64_t src_step,
                           uint32_t value);
/* Transposes tiles of 16 rows of a block (of half a block for elements of one byte), one
 * for each repeat. blocks: the addresses of 16 transposed blocks, then those of the rows.
 * apart: no repeat writes what another one reads. The halves are bytes before those of a
 * block that are used; the steps are the bytes from repeat to repeat. Each tile is read
 * before it is written, and blocks are written in order. The lines that many bytes ahead
 * of the rows are needed soon; 0: none are. */
typedef struct TikTiles {
    int32_t size, apart; /* size: bytes of an element: 1, 2, 4 */
    int32_t dst_half, src_half;
} TikTiles;

TIK_API void tikrt_tiles(const TikTiles *how, uint8_t *const *blocks, int64_t repeats,
                         int64_t dst_step, int64_t src_step, int64_t ahead);
/* Does the same with bands of tiles whose rows are at a pitch, as are the transposed
 * columns. */
typedef struct TikPlanes {
    int32_t size, apart;
    int64_t bands, dst_band, src_band; /* number of bands, bytes from band to band */
    int64_t dst_pitch, src_pitch;
} TikPlanes;

TIK_API void tikrt_planes(const TikPlanes *p, uint8_t *dst, const uint8_t *src,
                          int64_t repeats, int64_t dst_step, int64_t src_step);
/* Returns the square root of x, rounded down, for integer square roots of compiled
 * code. */
TIK_API uint64_t tikrt_isqrt(uint64_t x);
/* Gives the special registers the values that they have when the core of that index
 * starts. */
TIK_API void tikrt_sreg_reset(uint8_t *sreg, uint32_t core);
/* Zeroes all LMEM lanes, the first of which is at lmem, when a core starts. */
TIK_API void tikrt_lmem_reset(TikCore *core, uint8_t *lmem);
/* Records a fault that belongs to no instruction (run-time-zero-division). It always
 * returns 1. */
TIK_API int tikrt_fault(TikCore *core, int32_t rule, int64_t value, int32_t place);
/* A value that the message of a fault shows. */
typedef struct TikNamed {
    const char *name;
    int32_t dtype; /* type of the value, which num/scalar.h describes */
} TikNamed;

/* Adds to the fault that was just recorded where it was: n names and their values. */
TIK_API void tikrt_where(TikCore *core, const TikNamed *names, int32_t n,
                         const int64_t *values);
/* Reports that a multi-core loop has n blocks; if fewer are launched, the missing ones
 * are launched too. Returns 1 after a fault. */
TIK_API int tikrt_blocks(TikCore *core, int64_t n, int32_t place);
/* Waits for cores 0 to blocks - 1. If one of them never comes, the launch ends with a
 * fault and this does not return. Returns 1 after a fault. */
TIK_API int tikrt_barrier(TikCore *core, int64_t blocks, int32_t place);

#endif
