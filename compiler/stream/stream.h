/* stream.h: the state while one kernel is lowered to descriptors, shared by the files of
 * compiler/stream and private to them. */
#ifndef TIKC_STREAM_H
#define TIKC_STREAM_H

#include "num/scalar_interval.h"
#include "ir/ir.h"
#include "stream/plan.h"
#include "tikblob.h"

/* A summand of an address that is not a constant. An opaque expression is computed into a
 * register first. */
typedef enum AtomKind {
    ATOM_VAR,
    ATOM_REG,
    ATOM_EXPR
} AtomKind;

typedef struct Atom {
    AtomKind kind;
    uint32_t id; /* VarId, RegId or ExprId */
    int64_t coef;
} Atom;

enum {
    MAX_ATOMS = TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS
};

/* An integer expression as constant + sum of coef * atom, computed in 64 bits without
 * wrapping, and the values that it can have. An expression that is no such sum is one
 * opaque atom. */
typedef struct Sum {
    int64_t constant;
    Interval range;
    int n;
    Atom atoms[MAX_ATOMS];
} Sum;

/* How a loop variable is represented in the blob. */
typedef struct LoopVar {
    TikNum num; /* NUM_LOOP or NUM_CORE */
    Interval range;
} LoopVar;

typedef struct Value {
    uint32_t stamp; /* number of the statement that computed it */
    TikNum num;
} Value;

/* A buffer of which the iterations of a loop use copies in turn (turn.c). */
typedef struct Turn {
    StmtId loop;  /* 0: there is one copy */
    uint32_t reg; /* the number of the copy */
} Turn;

typedef struct Stream {
    Unit *u;
    const Kernel *k;
    TikBlobWriter *w;
    Arena scratch;
    const Sum **sums;    /* per expression, made on first use */
    Value *values;       /* per expression: where this statement has its value */
    uint32_t stamp;      /* number of the present statement */
    LoopVar *vars;       /* per variable */
    int32_t *regs;       /* per IR register: blob register, -1 before its first use */
    uint32_t *frames;    /* per call chain: the writer's frame; 0: none yet */
    int32_t *regions;    /* per buffer: region; -1 when the kernel does not access it */
    Turn *turns;         /* per buffer */
    VEC(uint32_t) temps; /* blob registers for intermediate values */
    uint32_t used_temps; /* registers that the present statement uses */
    uint32_t nregs;
    int depth; /* number of open loops */
    int ifs;   /* number of open branches */
    int32_t cores;
    /* cores is only a lower bound: a loop has a Scalar number of blocks */
    bool any_cores;
    const Stmt *at;    /* the present statement */
    TikDesc d;         /* the descriptor being made */
    TikDesc call;      /* the descriptor of an instruction being made */
    const Plan *plan;  /* what is inserted; null: nothing */
    uint32_t nemitted; /* descriptors so far, without those that are inserted */
    uint32_t next;     /* the next item of the plan */
    uint32_t turn_reg; /* of ids that take turns */
} Stream;

/* Returns an expression as a Sum, which lives as long as the stream (sum.c). */
const Sum *stream_sum(Stream *s, ExprId e);
/* True if a cast keeps every value that its operand can have. */
bool stream_cast_is_free(Stream *s, const Expr *cast);

/* Numbers and addresses (value.c); the functions append the descriptors that compute
 * them. */
bool MUST_USE stream_number(Stream *s, ExprId e, TikNum *out);
bool MUST_USE stream_assign(Stream *s, RegId r, ExprId e);
bool MUST_USE stream_operand(Stream *s, const Ref *ref, TikOperand *out);
uint32_t stream_reg(Stream *s, RegId r);
/* Returns a register for the present statement only. */
uint32_t stream_temp(Stream *s);
/* Forgets what the statement computed. */
void stream_next_statement(Stream *s, const Stmt *st);

/* Copies of buffers in turn (turn.c): finds them; the bytes of all copies of a buffer;
 * computes which copies an iteration uses, when its loop opens; adds the term of the
 * present copy to an address. */
void stream_find_turns(Stream *s);
int64_t stream_region_bytes(const Stream *s, BufId b);
bool MUST_USE stream_begin_turn(Stream *s, StmtId loop);
bool MUST_USE stream_add_turn(Stream *s, BufId b, TikOperand *out);

/* Appends what the plan inserts at the present place (insert.c). */
bool MUST_USE stream_insert(Stream *s);
/* Appends a descriptor as it is, and s->d or another one after what the plan inserts,
 * with the present statement's place (stream.c). */
bool MUST_USE stream_append(Stream *s, const TikDesc *d);
bool MUST_USE stream_emit(Stream *s); /* s->d */
bool MUST_USE stream_emit_desc(Stream *s, const TikDesc *d);

#endif
