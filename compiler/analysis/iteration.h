/* iteration.h: instructions that go over their operands element by element, as loops over
 * elements. Such an instruction does the same with element i of each operand, for all i,
 * in the order of i: moves of bursts, arithmetic and conversions on lanes. Passes and the
 * host back end ask here which elements of which bytes those are. */
#ifndef TIKC_ITERATION_H
#define TIKC_ITERATION_H

#include "ir/ir.h"

/* A number that is known, or a multiple of an expression. */
typedef struct Count {
    ExprId of; /* 0: the number is `times` */
    int64_t times;
} Count;

enum {
    ITERATION_OPERANDS = 4
};

/* Element l of row r is at ref + r * pitch + l * dtype_size(ref.dtype). With bits, which
 * only flat iterations of whole bytes have, element l is bit l % 8 of the byte at ref + l
 * / 8: the results of a comparison, or what selects. */
typedef struct IterationOperand {
    int slot; /* of the form */
    Ref ref;
    int64_t pitch;
    bool reads, writes;
    bool bits;
} IterationOperand;

/* An instruction's iterations: `rows` rows of `lanes` elements. In a flat one the rows of
 * every operand follow each other, so it is one row of any number of elements; rows is
 * then 1. */
typedef struct Iteration {
    bool flat;
    Count rows;
    Count lanes; /* a number unless the iteration is flat */
    bool moves;  /* the instruction is a move: its elements are bytes of any type */
    int n;
    IterationOperand op[ITERATION_OPERANDS];
} Iteration;

/* Returns whether the statement is such an instruction with a shape that is known, and
 * describes it. Nothing here looks at what the instruction computes. */
bool iteration_of(const Kernel *k, const Stmt *s, Iteration *out);

/* Returns whether the statement is a sum of all lanes of whole repeats, a few of them,
 * whose elements follow each other: an instruction that reads elements in their order and
 * writes nothing before it has read them all. *out describes how it reads its source, the
 * only operand there. What it writes are its other tensors. */
bool iteration_sink(const Kernel *k, const Stmt *s, Iteration *out);

/* Returns the bytes of that many neighbouring elements. */
int64_t iteration_bytes(const IterationOperand *o, int64_t elements);

/* Returns whether elements of two operands are of one size. */
bool iteration_same_size(const IterationOperand *a, const IterationOperand *b);

bool iteration_has_bits(const Iteration *it);

/* Returns the bytes that an operand spans, from its first to its last, if all of it is
 * constant; else -1. */
int64_t iteration_span(const Iteration *it, const IterationOperand *o);

static inline bool
count_same(Count a, Count b)
{
    return a.of == b.of && a.times == b.times;
}

static inline bool
count_known(Count a)
{
    return a.of == 0;
}

#endif
