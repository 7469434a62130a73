/* fusion.h: the loop that a fused scope becomes, for the files that build it. */
#ifndef TIKC_FUSION_H
#define TIKC_FUSION_H

#include "analysis/member.h"
#include "host/lower/lower.h"

enum {
    CHUNK_BYTES = 128, /* of the widest operand of a chunk */
    MOST_MEMBERS = 32,
    MOST_OPERANDS = 64,
    MOST_HINTS = 8,
    UNROLLED = 4, /* chunks of an iteration over rows */
    MOST_WALKS = MOST_OPERANDS + MOST_MEMBERS + MOST_HINTS,
    MOST_PARAMS = MOST_OPERANDS + 2 * MOST_MEMBERS + MOST_HINTS + 1,
    FEW_STEPS = 8,         /* instructions on chunks that are no loop of their own */
    AHEAD_LEAST = 1 << 16, /* bytes of a tensor whose next tile is prefetched */
    MOST_STAGED = 8192     /* bytes of a row that is put together before it is streamed */
};

/* The bytes of an operand, which instructions may share. */
typedef struct FusedOperand {
    BufId buf;
    ExprId off;
    Dtype dtype;
    int64_t pitch; /* bytes from row to row, unless the loop is flat */
    LLVMValueRef at;
    bool stored;
    bool streams;  /* stored past the caches, in whole lines */
    bool staged;   /* the same, but rows do not end where lines end */
    int64_t ahead; /* where it is read from memory that the caches do not hold: how far
                      ahead its lines are asked for; else 0 */
    bool bits;     /* one for each element (analysis/iteration.h) */
    bool blind;    /* its NaNs need not be canonical */
} FusedOperand;

/* Lines that the next iteration of the loop around needs: a number of bytes for each
 * element, or of rows that are apart, from one of their bytes on. */
typedef struct FusedHint {
    LLVMValueRef at;
    int bytes;
    int64_t row, pitch, from; /* rows that do not follow each other; else 0 */
    bool writes;
} FusedHint;

typedef struct FusedMember {
    LaneJob job; /* compute is null for a move */
    LLVMValueRef scalar;
    Dtype scalar_type;
    Count rows, lanes;
    bool run;            /* of a run (Stmt.scope.run), whose number may be less than 1 */
    LLVMValueRef elems;  /* of a flat loop */
    LLVMValueRef result; /* address of the sum of all elements, of a sink; else null */
    int n;
    int operand[ITERATION_OPERANDS];
    Dtype dtype[ITERATION_OPERANDS];
} FusedMember;

/* A fused scope while it is lowered. */
struct Fusion {
    StmtId scope;
    ScopeMember now; /* the member that is lowered */
    int n, noperands;
    FusedMember member[MOST_MEMBERS];
    FusedOperand operand[MOST_OPERANDS];
    int nhints;
    FusedHint hint[MOST_HINTS];
    bool flat;
    bool multiples; /* all members have whole chunks, however many */
    bool whole;     /* of a flat loop: its elements fill all chunks */
    int unrolled;   /* how many chunks an iteration of such a loop has; 0: see walk.c */
    int64_t row_lanes; /* of a loop over rows */
    int lanes;         /* of a chunk */
    bool streams;      /* full chunks are stored past the caches */
    int fit;           /* see fit.c: the operand that is looked at afterwards, or -1 */
    int fit_lanes;     /* how much of it at once */
};

/* The helper's loop while it is built. */
typedef struct Chunk {
    const Fusion *f;
    LLVMValueRef at[MOST_OPERANDS]; /* of the first element of the row */
    LLVMValueRef scalar[MOST_MEMBERS];
    LLVMValueRef result[MOST_MEMBERS];
    LLVMValueRef hint[MOST_HINTS];
    LLVMValueRef quarters[MOST_MEMBERS]; /* of a sink: what is left of its repeats */
    LLVMValueRef first; /* index in the row of the chunk's first element */
    LLVMValueRef mask;  /* null: the chunk is full */
    LLVMValueRef rest;  /* number of its elements, with a mask */
    LLVMValueRef value[MOST_OPERANDS];
    /* of a staged operand: what is not streamed yet, where its first line goes, and how
     * many bytes there are before the row */
    LLVMValueRef stage, line, before;
} Chunk;

/* ---- host/lower/walk.c: pointers that go through a run ------------------- */

/* What goes through a run of chunks. */
typedef struct Walks {
    int n;
    struct {
        LLVMValueRef *at, start;
        int64_t step; /* bytes of an iteration */
    } walk[MOST_WALKS];
} Walks;

/* Makes the addresses of the chunk those of the present iteration of a loop over that
 * many elements at a time, whose body begins here; the index of its first element is 0
 * then. from: the block before the loop. */
void walks_begin(Lower *l, Walks *w, Chunk *c, int64_t elems, LLVMBasicBlockRef from);
/* Ends the iteration; the addresses of the chunk are those before the loop again. */
void walks_end(Lower *l, Walks *w);

/* ---- host/lower/fusion.c ------------------------------------------------- */

/* Returns whether the loop computes a function, whose chunks take long and have more
 * branches than the one for NaN. */
bool fusion_has_function(const Fusion *f);

/* ---- host/lower/sink.c: sums that end a loop ----------------------------- */

bool fusion_has_sink(const Fusion *f);
/* Reserves what the sinks need. */
void sinks_begin(Lower *l, Chunk *c);
/* Returns the bytes of what is left of the repeats of that many elements. */
int64_t sink_bytes(int64_t elems);
/* Takes a chunk, which is one repeat, of the values of a sink. */
void sink_take(Lower *l, const Chunk *c, int member, LLVMValueRef bits);
/* Writes the sums. */
void sinks_end(Lower *l, const Chunk *c);

/* ---- host/lower/fit.c: float16 that is looked at after the loop ---------- */

/* Finds the operand of a loop over that many elements; 0: known only at run time. */
void fusion_find_fit(const Lower *l, Fusion *f, int64_t count);
/* Stores a chunk of it. */
void fit_store(Lower *l, const Chunk *c, LLVMValueRef at);
/* Returns whether the loop has to be executed again. */
LLVMValueRef fit_any_unfit(Lower *l, const Chunk *c, LLVMValueRef elems);

/* ---- host/lower/ahead.c: prefetches for the next iteration --------------- */

/* Finds what a flat loop over that many elements asks for. */
void fusion_look_ahead(Lower *l, Fusion *f, LLVMValueRef count);
void fusion_build_hints(Lower *l, const Chunk *c);
/* Returns how far ahead the lines of an operand are asked for that is read there. */
int64_t fusion_distance(const Lower *l, const Fusion *f, const FusedOperand *o);
/* Returns whether fused loops of the body around ask for its next iteration, so that
 * nothing else needs to. */
bool fusion_looks_ahead(const Lower *l);

/* ---- host/lower/stage.c: rows that are streamed in whole lines ----------- */

/* Marks the operands that are stored past the caches; returns whether there are any. */
bool fusion_find_streams(const Lower *l, Fusion *f);
/* Forgets them, for a loop that stores as usual. */
void fusion_forget_streams(Fusion *f);
/* Returns (i64) how many elements are before the first whole line, of a run that may
 * begin inside of one; null: it is known to begin where the tensor does, or at a line of
 * it. */
LLVMValueRef fusion_before_line(Lower *l, const Fusion *f);
/* Returns (i1) whether all that is stored past the caches begins at a line, that many
 * elements after its start. */
LLVMValueRef fusion_begins_at_lines(Lower *l, const Fusion *f, LLVMValueRef head);
/* Returns the operand whose rows are put together, or -1. */
int fusion_staged(const Fusion *f);
void stage_begin(Lower *l, Chunk *c, LLVMValueRef start);
/* Stores a chunk of the present row into the stage. */
void stage_store(Lower *l, const Chunk *c, const FusedOperand *o, LLVMValueRef v);
/* Streams the whole lines after a row of that many bytes. */
void stage_end_row(Lower *l, const Chunk *c, int64_t bytes);
/* Writes what is left after the last row. */
void stage_end(Lower *l, const Chunk *c);

#endif
