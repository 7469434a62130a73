/* sync.h: the order of the queues of a kernel (docs/blob-format.md, Queues): what each
 * descriptor accesses (sync_tape.c), which accesses may share bytes (sync_overlap.c), and
 * the proof that flags and barriers order them (sync_check.c), and what refutes it
 * (sync_run.c). Hosted.
 *
 * A tape is a kernel's program as events of queues. Registers are gone: an address is a
 * sum of loop counters, the core's index and numbers that are known only while running. A
 * loop whose counter is taken modulo a small number, as buffers in turn do, is unrolled
 * that many times, so that the remainder is a constant in each copy of its body. */
#ifndef TIK_BLOB_SYNC_H
#define TIK_BLOB_SYNC_H

#include "isa/interval.h"
#include "rules/flag.h"
#include "tikblob.h"

enum {
    SYNC_TERMS = 8,
    SYNC_COPIES = 8, /* most copies of a loop's body */
    SYNC_NONE = -1
};

typedef enum SyncTermKind {
    SYNC_TERM_LOOP,  /* id: the level of the loop, 1 for the outermost one */
    SYNC_TERM_CORE,  /* id: 0 */
    SYNC_TERM_NUMBER /* id: index in SyncTape.numbers */
} SyncTermKind;

typedef struct SyncTerm {
    SyncTermKind kind;
    uint32_t id;
    int64_t coef;
} SyncTerm;

/* constant + the sum of coef * term; terms ascend by kind and id. */
typedef struct SyncSum {
    int64_t constant;
    int n;
    SyncTerm terms[SYNC_TERMS];
} SyncSum;

/* A number that is known only while running. It changes whenever the place where it is
 * computed is executed. */
typedef struct SyncNumber {
    int64_t lo, hi;
    int depth; /* loops around the place */
} SyncNumber;

/* What a queue need not wait for by itself (isa/queue.def). */
enum {
    SYNC_FIRST = 1, /* it may go on after it has ended its queue's turn */
    SYNC_LATER = 2  /* it may begin before such a one has ended */
};

/* Bytes that an instruction accesses: [lo, hi) from `at` in a memory of the core, or in
 * an argument. */
typedef struct SyncAccess {
    int32_t space;  /* Scope, or SC_COUNT + the argument */
    int32_t region; /* SYNC_NONE: special registers that no operand names */
    bool write;
    bool dense; /* every byte of [lo, hi) is accessed */
    uint8_t pairs;
    SyncSum at;
    int64_t lo, hi;
} SyncAccess;

typedef struct SyncStmt {
    uint32_t desc;
    Pipe pipe;
    int32_t loop; /* innermost loop, or SYNC_NONE */
    uint32_t at;  /* index of its event */
    uint32_t first, n;
} SyncStmt;

typedef struct SyncLoop {
    uint32_t desc;
    int32_t outer; /* SYNC_NONE: none */
    int level;     /* 1: no loop around it */
    int copies;
    int64_t trips;  /* of the loop; SYNC_NONE: known only while running */
    int64_t rounds; /* most executions of all copies */
    bool jumps;     /* its body has a jump, of any loop */
} SyncLoop;

/* A flag that the program uses. */
typedef struct SyncFlag {
    Pipe from, to;
    int id;
} SyncFlag;

typedef enum SyncEventKind {
    SYNC_STMT, /* index: of the statement */
    SYNC_SET,  /* index: of the flag */
    SYNC_WAIT,
    SYNC_BARRIER, /* index: Pipe */
    SYNC_ALL,     /* all queues become empty */
    SYNC_ANY,     /* a flag whose id is not known */
    SYNC_LOOP,    /* index: of the loop */
    SYNC_COPY,    /* the end of a copy of its body */
    SYNC_END,
    SYNC_IF,
    SYNC_ELSE,
    SYNC_ENDIF,
    SYNC_BREAK,
    SYNC_CONTINUE,
    SYNC_RETURN
} SyncEventKind;

typedef struct SyncEvent {
    SyncEventKind kind;
    uint32_t index;
    uint32_t desc;
    int copy; /* COPY: which one, from 0 */
} SyncEvent;

typedef struct SyncTape {
    const Soc *soc;
    uint32_t cores;
    int64_t work; /* most of the proof, in ages that are compared; 0: the usual one */
    SyncEvent *events;
    SyncStmt *stmts;
    SyncAccess *accesses;
    SyncLoop *loops;
    SyncNumber *numbers;
    SyncFlag *flags;
    uint32_t nevents, nstmts, naccesses, nloops, nnumbers, nflags;
    uint32_t cap_events, cap_stmts, cap_accesses, cap_loops, cap_numbers, cap_flags;
} SyncTape;

/* A kernel as its tables and descriptors say it. */
typedef struct SyncKernel {
    const Soc *soc;
    const Choices *choices;
    const TikBlobRegion *regions;
    TikDesc **descs; /* with match filled; each has room for its own operands only */
    uint32_t nregions, ndescs, nregs, cores;
} SyncKernel;

/* Fills match of descriptors whose blocks are closed in order; LOOP and IF lead to their
 * ENDLOOP, ELSE or ENDIF, ELSE to its ENDIF. */
void sync_match(TikDesc **descs, uint32_t n);
/* Gives of each register every value that it is ever given, by dtype, and 0. */
void sync_any(const SyncKernel *k, Interval *any);
/* Reads a kernel of a blob. Null: memory is exhausted, or the code is malformed. */
SyncKernel *sync_kernel_new(const TikBlob *b, int kernel);
void sync_kernel_free(SyncKernel *k);

/* Returns whether an operand of the instruction says where its accesses begin, not where
 * they end. */
bool sync_roams(Op op);

/* Makes the tape of a kernel. False: memory is exhausted. */
bool sync_tape_make(SyncTape *t, const SyncKernel *k);
void sync_tape_free(SyncTape *t);

/* ---- which accesses share bytes ------------------------------------------ */

/* Executions of two statements of which the common loops outside of `level` are in the
 * same iteration, and the later one's round of the loop of that level is `least` to
 * `most` rounds after that of the earlier one; loops inside are in any. Level 0: all
 * loops are in any iteration. With `same` the loops inside that both have are in the same
 * iteration, too. */
typedef struct SyncApart {
    int level;
    int64_t least, most;
    bool same;
} SyncApart;

/* Returns the number of loops that are around both. */
int sync_common(const SyncTape *t, const SyncStmt *a, const SyncStmt *b);
/* Returns whether an access of a and a later one of b may share bytes, one of them to
 * write; with `pairs` only those that a queue does not order by itself. *of tells which
 * two. */
typedef struct SyncMeet {
    uint32_t a, b; /* indices in SyncTape.accesses */
} SyncMeet;
bool sync_may_meet(const SyncTape *t, const SyncStmt *a, const SyncStmt *b,
                   const SyncApart *apart, SyncMeet *of);

/* ---- the proof ----------------------------------------------------------- */

typedef enum SyncFinding {
    SYNC_ORDERED,
    SYNC_RACE,     /* nothing orders two accesses */
    SYNC_DEADLOCK, /* a wait_flag whose flag may be down */
    SYNC_DOUBLE,   /* a set_flag whose flag may be up */
    SYNC_OVERRUN,  /* a set_flag that may be executed before the wait_flag before it */
    SYNC_LEFTOVER, /* a flag that may be up at the end */
    SYNC_UNKNOWN,  /* a flag whose id is not known */
    SYNC_BUDGET    /* it would take too long, or memory is exhausted */
} SyncFinding;

typedef struct SyncVerdict {
    SyncFinding finding;
    uint32_t first, later; /* RACE: statements; others: later is an event */
    SyncMeet meet;         /* RACE */
    int level;      /* RACE: the loop that carries it, 0: none, and how many rounds */
    int64_t rounds; /* apart they are at least */
    uint32_t flag;  /* index of the flag */
} SyncVerdict;

/* Proves that the queues of a program are well ordered. False with what it could not
 * prove. */
bool sync_check(const SyncTape *t, SyncVerdict *v);

/* ---- refutation ---------------------------------------------------------- */

/* Iterations of the loops around a place, from 0, the outermost loop first. */
typedef struct SyncIteration {
    int64_t of[TIKBLOB_MAX_LOOPS];
} SyncIteration;

/* What goes wrong in each execution: RACE; DEADLOCK, a wait_flag that waits for ever;
 * DOUBLE, OVERRUN, a set_flag that can be executed while the flag is up; or LEFTOVER, the
 * last set_flag. */
typedef struct SyncWitness {
    SyncFinding finding;
    uint32_t first, later; /* events; first: of a RACE */
    SyncIteration first_at, later_at;
    SyncMeet meet;  /* RACE: the accesses, and the bytes that both have */
    int64_t lo, hi; /* from the beginning of the memory or argument, for core 0 */
    uint32_t flag;  /* others: index of the flag */
} SyncWitness;

/* Executes the program as far as every execution goes the same way. Returns whether
 * something certainly goes wrong there. Where it finds nothing, nothing is said. */
bool sync_run(const SyncTape *t, SyncWitness *out);

#endif
