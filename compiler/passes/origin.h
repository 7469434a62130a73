/* origin.h: where the blocks of on-core tensors were moved from, while the pass origin
 * executes the moves of a kernel (passes/origin_map.c). */
#ifndef TIKC_ORIGIN_H
#define TIKC_ORIGIN_H

#include "analysis/env.h"
#include "rules/check.h"

enum {
    ORIGIN_PLAIN = 16, /* Piece.lane: the block is a copy */
    ORIGIN_VARS = 6    /* most loops around a statement that are executed */
};

/* The blocks (i, j) of a factor of a product, in the order of an Origin that is not
 * transposed, and where they are in the operand. */
typedef struct OriginShape {
    int64_t nouter, ninner;
    bool second;     /* factor */
    bool fractals;   /* rows of the first factor are in fractals */
    int64_t columns; /* of the second factor: blocks from i to i + 1 */
    int64_t rows;    /* of the first factor in L1: blocks from j to j + 1 */
} OriginShape;

bool origin_is_product(const Stmt *s);
/* Returns the shape of a factor of a product with these numbers; false: it has none
 * because the product is empty or its elements are not whole bytes. */
bool origin_shape(const CheckInstr *in, int factor, OriginShape *out);
/* Returns the number of block (i, j) in the operand. */
int64_t origin_block(const OriginShape *s, int64_t i, int64_t j);

/* A place in global memory without its constant part. */
typedef struct Base {
    BufId buf;
    Affine sum;
} Base;

/* Where a block is from. With lane < ORIGIN_PLAIN it has that element, of 16 bits, of 16
 * blocks that are pitch bytes apart, the first of which is at off. */
typedef struct Piece {
    uint16_t base; /* index in OriginMap.bases; 0: it is not known */
    uint8_t lane;
    int64_t off, pitch;
} Piece;

typedef struct OriginMap {
    const Kernel *k;
    Env env;
    Arena *arena;
    bool *source;   /* by BufId: a global tensor that nothing ever writes */
    Piece **pieces; /* by BufId: a piece for each block; null: nothing is known */
    VEC(Base) bases;
    int64_t steps; /* blocks that were moved */
} OriginMap;

void origin_map_init(OriginMap *m, const Kernel *k, Arena *arena);
/* Returns whether an expression has one value at this point, and which. */
bool origin_number(const OriginMap *m, ExprId e, int64_t *out);
/* Returns whether the statement is a move whose blocks origin_map_move follows. */
bool origin_is_move(const Kernel *k, const Stmt *s);
/* Executes an instruction: a move, or anything that writes. */
void origin_map_execute(OriginMap *m, const Stmt *s);
/* Forgets what is known of a tensor, or of all that a body writes. */
void origin_map_forget(OriginMap *m, BufId b);
void origin_map_forget_written(OriginMap *m, StmtId first);
/* Returns the piece of a block of a tensor. */
Piece origin_piece(const OriginMap *m, BufId b, int64_t block);

#endif
