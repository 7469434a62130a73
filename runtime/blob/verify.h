/* verify.h: the state of the verifier, which verify.c (structure, steps, scalar ranges)
 * and prove.c (instructions and accesses) share. All of it is in the caller's workspace.
 * It is private to runtime/blob. */
#ifndef TIK_BLOB_VERIFY_H
#define TIK_BLOB_VERIFY_H

#include "blob/blob.h"
#include "num/scalar_interval.h"
#include "rules/obligation.h"

enum {
    MAX_BLOCKS = TIKBLOB_MAX_LOOPS + TIKBLOB_MAX_IFS,
    NO_DEF = -1,
    PATTERNS = 4,       /* kept at a time */
    FEW_PLACES = 4,     /* tensors of which each is compared with each */
    WORK_OF_SLOT = 4608 /* at most; tests/unit/test_blob_work.c counts it */
};

/* Where a tensor of a proved instruction lies, and what its rules ask (rules/shape.h). */
typedef struct PatternPlace {
    uint32_t root;
    int first;   /* the first tensor of that root */
    int32_t low; /* low word of the offset */
    int32_t align;
    int64_t lo, hi; /* of the offset */
    int64_t extent, limit, reach;
} PatternPlace;

/* A proved instruction (pattern.c). */
typedef struct Pattern {
    BlobEcho echo;
    uint64_t blocks,
        writes;     /* Verifier.block_events, register_writes when it was proved */
    uint32_t steps; /* that were proved */
    int n, ndst;    /* tensors, and how many of them are destinations */
    bool registers; /* registers are among its numbers */
    bool crossed;   /* it is enough if destinations are apart from sources */
    bool pairs;     /* it is enough if all tensors are apart */
    bool alike;     /* it is enough if all tensors of a root keep their distances */
    PatternPlace place[MAX_PARAMS];
} Pattern;

/* What is known of a register. */
typedef struct RegFact {
    Interval any;  /* of all values that it ever holds */
    Interval last; /* of the value that the descriptor def wrote; valid while its block is
                      open */
    int64_t def;   /* NO_DEF: none yet */
    int64_t last_def; /* the last descriptor in the program that writes it */
    uint32_t block;   /* number of the block of def */
} RegFact;

/* An open loop or branch. */
typedef struct Block {
    TikDescKind kind; /* DESC_LOOP, DESC_IF or DESC_ELSE */
    uint32_t number;
    bool dead; /* never executed: a loop without iterations, or inside one */
} Block;

typedef struct Loop {
    Interval counter;
    int64_t start;  /* index of its descriptor */
    uint64_t trips; /* maximum number of iterations */
    uint64_t steps; /* steps of one iteration so far */
    bool exact;     /* constant bounds: the counter takes every value of its range */
} Loop;

typedef struct Verifier {
    const TikBlob *b;
    TikCursor c;
    TikDesc d;
    TikBlobDiag *diag;
    TikBlobProof *proof;
    uint8_t *weak; /* a bit for each descriptor that is not proved; null: it is refused */
    CheckInstr in; /* operands with numbers and offsets at their least */
    Known known;   /* of the present instruction */
    CheckInstr most, least, at;  /* room for Known */
    Interval values[MAX_PARAMS]; /* intervals of offsets and numbers */
    Interval mask[4];            /* intervals of the words of a mask */
    bool exact[MAX_PARAMS];      /* both ends of the operand's values are reached */
    Fault fault;
    ScalarIntervals scalars;          /* of the present operation */
    CheckStep steps[MAX_CHECK_STEPS]; /* nsteps of them, of the instruction steps_op */
    int nsteps;
    Op steps_op;
    NOT_LEAN(Shape shapes[SHAPES];)
    NOT_LEAN(Place places[MAX_PARAMS];) /* room for Known */
    NOT_LEAN(Pattern patterns[PATTERNS];)
    NOT_LEAN(int next_pattern;) /* the one that is replaced next */
    uint64_t block_events;      /* beginnings and ends of blocks so far */
    uint64_t register_writes;
    uint64_t budget;
    uint64_t top_steps; /* steps outside of loops */
    Block blocks[MAX_BLOCKS];
    int nblocks;
    int nifs;
    Loop loops[TIKBLOB_MAX_LOOPS];
    int nloops;
    uint32_t next_block;
    RegFact *regs;
} Verifier;

/* Refuses with the rule, a BlobRule or that of check_rule, and the present descriptor as
 * place. It always returns false. */
#ifdef TIK_LEAN
bool verify_refuse(Verifier *v, uint32_t rule);
#define verify_bad(v, rule, ...) verify_refuse(v, rule)
#else
bool verify_bad(Verifier *v, uint32_t rule, BlobSeen seen);
#endif

bool verify_dead(const Verifier *v);
/* Gives the values of a number at the present descriptor. Returns false when a counter is
 * used outside of its loop. */
bool verify_number(Verifier *v, const TikNum *n, Interval *out, bool *exact);

/* Proves P2 and P6 for the present descriptor, an INSTR, LOAD or STORE. */
bool prove_instr(Verifier *v);
bool prove_access(Verifier *v);

/* Keeps the present instruction, all steps of which hold; s is its shape. */
void pattern_keep(Verifier *v, const Shape *s);
/* Proves the next descriptor and goes on if it repeats one that is kept. A lean loader
 * keeps none, which costs it time and spares it memory. */
#ifdef TIK_LEAN
#define pattern_proves(v) ((void)(v), false)
#else
bool pattern_proves(Verifier *v);
#endif

/* The workspace: a Verifier, and after it a RegFact for each register. */
#define VERIFIER_BYTES ((sizeof(Verifier) + 15) / 16 * 16)

/* Verifies a kernel with a workspace that is large enough (workspace.c). Byte code has
 * its stack before the Verifier. */
bool verify_kernel(const TikBlob *b, int kernel, const TikBlobVerify *with,
                   TikBlobProof *proof, TikBlobDiag *diag);

#endif
