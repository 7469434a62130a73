/* verify.h: what verify.c (structure, steps, scalar ranges) and prove.c (instructions and
 * accesses) share: the verifier's state, all of it in the caller's workspace. Private to
 * runtime/blob. */
#ifndef TIK_BLOB_VERIFY_H
#define TIK_BLOB_VERIFY_H

#include "blob/blob.h"
#include "num/scalar_interval.h"
#include "rules/obligation.h"

enum {
    MAX_BLOCKS = TIKBLOB_MAX_LOOPS + TIKBLOB_MAX_IFS,
    NO_DEF = -1
};

/* What is known of a register. */
typedef struct RegFact {
    Interval any;  /* of every value that it ever holds */
    Interval last; /* of what the descriptor def wrote; holds while its block is open */
    int64_t def;   /* NO_DEF: none yet */
    int64_t last_def; /* the last descriptor in the program that writes it */
    uint32_t block;   /* number of the block that def stands in */
} RegFact;

/* An open loop or branch. */
typedef struct Block {
    TikDescKind kind; /* DESC_LOOP, DESC_IF or DESC_ELSE */
    uint32_t number;
    bool dead; /* never executed: a loop without iterations, or inside one */
} Block;

typedef struct Loop {
    Interval counter;
    int64_t start;  /* its descriptor */
    uint64_t trips; /* at most */
    uint64_t steps; /* of one iteration so far */
    bool exact;     /* constant bounds: the counter takes every value of its range */
} Loop;

typedef struct Verifier {
    const TikBlob *b;
    TikCursor c;
    TikDesc d;
    TikBlobDiag *diag;
    TikBlobProof *proof;
    uint8_t *weak; /* null: refuse what is not proved; else a bit per descriptor */
    CheckInstr in; /* numbers and offsets at their least */
    CheckInstr most, least, at;  /* room for Known */
    Interval values[MAX_PARAMS]; /* of offsets and numbers */
    Interval mask[4];            /* of the words of a mask */
    bool exact[MAX_PARAMS];      /* both ends of the operand's values are reached */
    Fault fault;
    CheckStep steps[MAX_CHECK_STEPS];
    uint64_t top_steps; /* outside of loops */
    Block blocks[MAX_BLOCKS];
    int nblocks;
    int nifs;
    Loop loops[TIKBLOB_MAX_LOOPS];
    int nloops;
    uint32_t next_block;
    RegFact *regs;
} Verifier;

/* False with the rule and the present descriptor as place. */
bool verify_refuse(Verifier *v, const char *code, const BlobAt *values);
bool verify_bad(Verifier *v, BlobRule rule, BlobSeen seen);
/* Not proved: the bit is set, or it is refused; false in the second case. */
bool verify_weak(Verifier *v, const char *code, const BlobAt *values);

bool verify_dead(const Verifier *v);
/* Values of a number at the present descriptor. False: a counter is used outside its
 * loop. */
bool verify_number(Verifier *v, const TikNum *n, Interval *out, bool *exact);

/* P2 and P6 for the present descriptor, an INSTR, LOAD or STORE. */
bool prove_instr(Verifier *v);
bool prove_access(Verifier *v);

#endif
