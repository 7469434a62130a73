/* ir.h: kernel IR. One kernel: a target, buffers (global arguments and on-core tensors),
 * registers (TIK Scalars, mutable), hash-consed typed expressions, and one structured
 * body of statements. Everything is an index into a table of the Kernel, so analyses are
 * dense arrays and printing is stable. Index 0 of each table is "none".
 *
 * Expressions are formulas, evaluated where they are used (language 4.4): they read
 * registers and loop variables at that moment. Their types are Dtypes; a value travels as
 * in num/scalar.h.
 *
 * Tensor operands are byte addresses: buffer + byte offset (an int64 expression). A view
 * never restricts what an instruction touches; the root buffer does. */
#ifndef TIKC_IR_H
#define TIKC_IR_H

#include "base/unit.h"
#include "rules/check.h"
#include "isa/isa.h"
#include "num/scalar.h"
#include "layout/lmem_pack.h"

typedef uint32_t BufId;
typedef uint32_t RegId;
typedef uint32_t VarId;
typedef uint32_t ExprId;
typedef uint32_t StmtId;

/* ---- expressions --------------------------------------------------------- */

typedef enum ExprKind {
    EX_NONE,
    EX_CONST, /* imm */
    EX_REG,   /* a = RegId: the register's present value */
    EX_VAR,   /* a = VarId: loop variable */
    EX_OP     /* op on a (and b) */
} ExprKind;

/* What an expression reads, itself or through operands. */
enum {
    EXF_REG = 1,
    EXF_VAR = 2
};

/* Largest expression, in nodes of its tree (shared nodes counted each time). So walks may
 * recurse. Where the builder would exceed it, it gives the constant 0 and sets
 * Kernel.expr_too_large; the stage (and passes_run) then report limit-ir. */
enum {
    IR_MAX_EXPR = 4096
};

typedef struct Expr {
    uint8_t kind;  /* ExprKind */
    uint8_t dtype; /* of the result; comparisons: DT_BOOL */
    uint8_t op;    /* ScalarOp, for EX_OP */
    uint8_t flags; /* EXF_ */
    uint32_t a;    /* EX_OP: operands; b is 0 for one-operand operations */
    uint32_t b;
    uint32_t size; /* nodes of the tree, 1 to IR_MAX_EXPR */
    int64_t imm;   /* EX_CONST: canonical value */
} Expr;

/* ---- tables -------------------------------------------------------------- */

/* Limits that hold in every kernel (verify.c). Bytes: of one buffer, so that sums of a
 * few offsets inside buffers never overflow. Nesting of bodies: walks over statements may
 * recurse; the stage (and passes_run) report too-nested. */
#define IR_MAX_BYTES ((int64_t)1 << 48)
enum {
    IR_MAX_NEST = 200,
    IR_MAX_COPIES = 4,
    IR_MAX_BLOCKS = 65535,
    IR_SCALAR_BLOCKS = -1
};

/* A local buffer, the arguments in the order of argrole.def, and a constant table. */
typedef enum BufRole {
    BUF_LOCAL,
    BUF_IN,
    BUF_OUT,
    BUF_WORKSPACE,
    BUF_GLOBAL,
    BUF_LIST, /* sparse, see isa.h: one window of bytes per array; elems arrays */
    BUF_CONST /* in the program, not an argument; never written */
} BufRole;

_Static_assert((int)BUF_LIST - (int)BUF_IN == (int)ARGROLE_LIST, "argrole.def");

/* Most elements of a constant table (language 4.3). */
enum {
    IR_MAX_TABLE = 262144
};

/* Most bytes of one that no list of the program spells out: a file's, or packed. */
#define IR_MAX_CONST ((int64_t)1 << 32)

/* A constant that pack_conv made. Before the pass weight-reorder its bytes are those of
 * PACK_PLAIN_FORM (passes/weight_reorder.c), behind it those of the plan. */
typedef struct PackInfo {
    Dtype weight;
    int64_t dim[4]; /* of the weight: output channels, input channels, height, width */
    bool depthwise;
    bool requant;
    bool bias;
    /* elements of 4 bits: weight is DT_S8 or DT_U8, two of them are a byte */
    bool nibbles;
    PackPlan plan;
} PackInfo;

/* What a launcher is told of an argument beside its role. */
typedef enum BufUse {
    USE_TENSOR,
    USE_SCALAR, /* InputScalar: one value */
    USE_FLOW    /* tensor of flowtable: the tiling data */
} BufUse;

typedef struct Buffer {
    Sym name; /* the tensor's name; GM names are unique in a kernel */
    Scope scope;
    Dtype dtype; /* as declared */
    BufRole role;
    BufUse use;
    /* as declared; bytes = elems * dtype_size, of a list elems * LIST_WINDOW */
    int64_t elems;
    int64_t bytes;
    int64_t address; /* inside the scope, bytes; -1 before allocation; GM: -1 always */
    int copies;      /* thread_num of the loop body that it lives in, else 1 */
    /* the size is known only at run time: elems and bytes are the most that it can be.
     * Global: that of the array given. On-core: address is where the first such
     * buffer of its memory begins; the instruction reserve behind its alloc gives it
     * its place and size */
    bool dynamic;
    Span span; /* its declaration */
    uint32_t chain;
    VEC(int64_t) shape;   /* as declared, for messages and --emit ir */
    const uint8_t *data;  /* BUF_CONST: its bytes as they stand in memory; else null */
    const PackInfo *pack; /* BUF_CONST: what pack_conv made it of; else null */
    bool packed;          /* its bytes are in the order of the plan */
    bool preset; /* arguments: the launcher fills it with preset_value before it runs */
    int64_t preset_value; /* canonical, of dtype */
    bool fixed;           /* on-core: allocate puts it at fixed_at */
    int64_t fixed_at;
    VEC(BufId) apart; /* on-core: earlier ones whose bytes it does not share */
    /* on-core: bytes that the check pass gives it beyond those declared, as the user
     * allows; 0: none */
    int64_t grown;
    /* arguments: the check pass knows of an access beyond it, which the user allows */
    bool beyond;
    /* arguments: the check pass knows that no access touches bytes behind its data */
    bool inside;
} Buffer;

typedef struct Reg {
    Sym name;
    Dtype dtype;
    Span span;
} Reg;

typedef struct Var {
    Sym name; /* loop variable */
    Dtype dtype;
    StmtId loop;
    Sym bound;    /* name that the with statement gave it, for messages; 0: none */
    ExprId shown; /* what messages show for it; 0: its value */
} Var;

/* ---- operands ------------------------------------------------------------ */

typedef struct Ref {
    BufId buf;
    Dtype dtype; /* of the view that was passed */
    ExprId off;  /* byte offset from the start of the buffer, int64 */
} Ref;

typedef struct MaskArg {
    MaskForm form;
    ExprId w[4]; /* word 0 = lanes 0..63; counts: w[0]; integer expressions */
} MaskArg;

typedef enum ArgKind {
    ARG_NONE,
    ARG_REF,
    ARG_EXPR,
    ARG_MASK
} ArgKind;

/* One operand; kind follows from the role in form.def: DST, SRC: REF; MASK: MASK;
 * MASKMODE: NONE (it is in the mask's form); all others: EXPR. */
typedef struct Arg {
    ArgKind kind;
    union {
        Ref ref;
        ExprId expr;
        MaskArg mask;
    };
} Arg;

/* ---- statements ---------------------------------------------------------- */

typedef enum StmtKind {
    ST_NONE,  /* index 0, and statements that a pass has dropped */
    ST_INSTR, /* instr */
    ST_SET,   /* reg = expr */
    ST_LOAD,  /* reg = one element of a buffer */
    ST_STORE, /* one element of a buffer = expr */
    ST_ALLOC, /* an on-core buffer begins to live; until the end of this body */
    ST_FOR,   /* loop */
    ST_IF,    /* cond */
    ST_SCOPE, /* body with its own lifetimes */
    ST_BREAK, /* leaves the innermost loop */
    ST_CONTINUE,
    ST_RETURN /* ends the kernel on this core */
} StmtKind;

/* Outcome of the checks of an instruction. */
typedef enum Proof {
    PROOF_NONE,   /* check pass has not run */
    PROOF_PROVED, /* every rule holds whenever it executes */
    PROOF_RUNTIME /* check_values runs before it executes, in both back ends */
} Proof;

typedef struct Stmt {
    uint8_t kind; /* StmtKind */
    uint8_t proof;
    StmtId next; /* in the same body; 0 ends it */
    Span span;
    uint32_t chain;
    union {
        struct {
            Op op;
            /* index of the first operand in Kernel.args; form_params gives the count */
            uint32_t arg;
        } instr;
        struct {
            RegId reg;
            ExprId value; /* of the register's dtype */
        } set;
        struct {
            RegId reg;
            Ref ref; /* dtype equals the register's */
        } load;
        struct {
            Ref ref;
            ExprId value; /* of ref.dtype */
        } store;
        struct {
            BufId buf;
        } alloc;
        struct {
            VarId var;
            /* Integers of any type. The loop is for (k = 0; k < end - begin; k++), in the
             * integers, with the variable k + begin and both bounds read again wherever
             * they stand. Behind the pass loops no body changes a register that a bound
             * reads, so they are read once. Of a multi-core loop they are read once
             * always. */
            ExprId begin, end;
            /* > 1: one iteration per core; begin 0, end block_num.
             * IR_SCALAR_BLOCKS: the same, end is a Scalar; the instruction
             * blocks before it says so to the launcher */
            int32_t block_num;
            int32_t thread_num;
            StmtId body;
        } loop;
        struct {
            ExprId cond; /* DT_BOOL */
            StmtId then_body;
            StmtId else_body;
        } cond;
        struct {
            StmtId body;
            /* the compiler orders no queues here: the program does, with flags and
             * barriers */
            bool no_sync;
        } scope;
    };
} Stmt;

/* Whether the loop gives each core one iteration. */
static inline bool
ir_is_multicore(const Stmt *loop)
{
    return loop->loop.block_num > 1 || loop->loop.block_num == IR_SCALAR_BLOCKS;
}

typedef struct Kernel {
    Arena arena;
    Unit *unit;
    Sym name;
    const Soc *soc;
    const Choices *choices; /* null: the usual ones */
    VEC(Buffer) bufs;
    VEC(Reg) regs;
    VEC(Var) vars;
    VEC(Expr) exprs;
    VEC(Arg) args;
    VEC(Stmt) stmts;
    VEC(BufId) params; /* global tensors in argument order: inputs, outputs, workspaces */
    StmtId body;
    /* holds the core's index from the first statement on; 0: nothing asks for it */
    RegId core;
    Span span; /* the BuildCCE call */
    /* scratch is filled with 0xff bytes at the start of each core's run */
    bool may_read_uninit;
    /* a statement of the program is missing: only checked, never lowered */
    bool incomplete;
    /* the pass fold has been over it: it would find more in what it made itself */
    bool folded;
    bool expr_too_large; /* an expression was cut at IR_MAX_EXPR: not to be compiled */
    /* cores may touch the same global bytes: run them one after another */
    bool blocks_ordered;
    /* else they may, with atomic writes only: from the first one on in their order */
    bool blocks_atomics_ordered;
    int64_t peak[SC_COUNT]; /* bytes used per memory, after allocation */
    /* tensors stay as declared, since what their accesses reach does not fit */
    bool no_growth;
    int64_t proofs[3];    /* obligations proved, refuted, checked at run time */
    uint32_t *expr_slots; /* private to the builder: hash set of exprs */
    uint32_t nexpr_slots;
    const char *trace; /* as staged, when Options.trace is set; else null */
    VEC(Span)
    arg_spans; /* where args[i] stands in the source; may be shorter than args */
} Kernel;

/* The group of an argument. */
static inline ArgRole
ir_arg_role(const Buffer *b)
{
    return (ArgRole)((int)b->role - (int)BUF_IN);
}

/* Place of an operand: its own, or that of the statement when it is not known. */
static inline Span
ir_arg_span(const Kernel *k, const Stmt *s, int param)
{
    uint32_t i = s->instr.arg + (uint32_t)param;
    bool known = s->kind == ST_INSTR && param >= 0 && i < k->arg_spans.n;
    return known && k->arg_spans.p[i].file ? k->arg_spans.p[i] : s->span;
}

/* The bounds of a loop when both are constants below 2^63. */
static inline bool
ir_loop_bounds(const Kernel *k, const Stmt *loop, int64_t *begin, int64_t *end)
{
    const Expr *b = &k->exprs.p[loop->loop.begin];
    const Expr *e = &k->exprs.p[loop->loop.end];
    *begin = b->imm;
    *end = e->imm;
    return b->kind == EX_CONST && e->kind == EX_CONST &&
           (b->imm >= 0 || b->dtype != DT_U64) && (e->imm >= 0 || e->dtype != DT_U64);
}

/* Number of blocks of a multi-core loop; of one over a Scalar: of cores, that many run at
 * least. */
static inline int32_t
ir_blocks(const Kernel *k, const Stmt *loop)
{
    return loop->loop.block_num == IR_SCALAR_BLOCKS ? k->soc->cores
                                                    : loop->loop.block_num;
}

/* ---- builder (builder.c) ------------------------------------------------- */

/* An empty kernel in its own arena; kernel_free gives it back. */
Kernel *kernel_new(Unit *u);
void kernel_free(Kernel *k);

BufId ir_buffer(Kernel *k, const Buffer *b); /* copies *b */
/* The operand as the checker wants it, with offset 0. */
CheckTensor ir_check_tensor(const Kernel *k, const Ref *r);
/* The bytes of a buffer with those that it has grown by. */
int64_t ir_bytes(const Buffer *b);
/* The bytes of a buffer's granule: what accesses may touch (scope_granule). */
int64_t ir_room(const Buffer *b);
/* Sets elems and bytes of a dynamic buffer to what its memory holds from its address on
 * (global: IR_MAX_BYTES). False: there is room for no element, and they stay. */
bool ir_dynamic_room(const Kernel *k, Buffer *b);
RegId ir_reg(Kernel *k, Sym name, Dtype t, Span span);
VarId ir_var(Kernel *k, Sym name, Dtype t);

/* Expressions. Operands of binary operations have equal types already (ir_promote,
 * ir_cast); results are folded: constants; x+0, 0+x, x-0, x*1, 1*x, x*0, 0*x (integers);
 * x-x and comparisons of x with itself (integers); nothing else, so that the trace format
 * stays easy to reproduce. An integer division of constants by zero is not folded. */
ExprId ir_const(Kernel *k, Dtype t, int64_t canonical);
ExprId ir_float(Kernel *k, Dtype t, double value);
ExprId ir_reg_value(Kernel *k, RegId r);
ExprId ir_var_value(Kernel *k, VarId v);
ExprId ir_op1(Kernel *k, ScalarOp op, ExprId a);           /* NOT, NEG, SQRT */
ExprId ir_op2(Kernel *k, ScalarOp op, ExprId a, ExprId b); /* equal dtypes */
ExprId ir_cast(Kernel *k, Dtype t, ExprId a);              /* a itself if it has type t */
ExprId ir_bits(Kernel *k, Dtype t, ExprId a);
/* Type of an operation on two run-time values (language 4.5). */
Dtype ir_promote(Dtype a, Dtype b);

static inline const Expr *
ir_expr(const Kernel *k, ExprId e)
{
    return &k->exprs.p[e];
}

static inline bool
ir_is_const(const Kernel *k, ExprId e)
{
    return k->exprs.p[e].kind == EX_CONST;
}

/* Statements are appended to a body through a cursor: the place where the link to the
 * next statement is stored (a body or a next field, by table index, since tables move
 * when they grow). */
typedef struct Cursor {
    StmtId owner; /* 0: the kernel's body */
    int slot;     /* 0 body or then_body, 1 else_body, 2 next of owner */
} Cursor;

Cursor ir_cursor_body(StmtId owner, int slot); /* at the start of a body */
/* Where the first statement of a body (or the statement after owner, slot 2) is stored;
 * valid until the next statement is added. */
StmtId *ir_body(Kernel *k, StmtId owner, int slot);
/* Adds the statement (copied) behind the cursor and moves the cursor behind it. */
StmtId ir_append(Kernel *k, Cursor *c, const Stmt *s);
/* Adds n operands, gives the index of the first. */
uint32_t ir_args(Kernel *k, const Arg *args, int n);

/* Value of an expression that reads no register: vars[v] for loop variables. False:
 * division by zero, or a register is read. (eval.c) */
bool ir_eval(const Kernel *k, ExprId e, const int64_t *vars, int64_t *out);

/* Adds "i = 3" for a loop variable to a list that is separated by commas. (eval.c) */
void ir_var_text(const Kernel *k, VarId v, const int64_t *vars, Text *out);

/* Where a fault is (where.c). */
enum {
    IR_WHERE_LOOPS = 16, /* as many as a blob nests */
    IR_WHERE_SCALARS = 8
};

/* The integer Scalars that a statement's own operands read, in their order: how many, at
 * most room. */
int ir_scalars_read(const Kernel *k, const Stmt *st, RegId *out, int room);
/* What a fault calls the variable of a loop. */
const char *ir_var_label(const Kernel *k, VarId v);

/* ---- text form (printer.c, parser.c) and structural check (verify.c) ----- */

/* The stable text of a kernel; parses back to a kernel that prints the same. */
void ir_print(const Kernel *k, Text *out);
/* The trace (docs/trace-format.md); of a kernel that keeps one, that (trace.c). */
void ir_trace(const Kernel *k, Text *out);
void ir_print_places(const Kernel *k,
                     Text *out); /* the same with source positions as comments */
void ir_print_expr(const Kernel *k, ExprId e, Text *out);
/* Reads a text of one kernel; null with diagnostics (syntax, at the place in the source)
 * otherwise. */
Kernel *ir_parse(Unit *u, uint32_t file);
/* Reads a text of one kernel or more into u->kernels, with what its comments allow
 * (severity.h). False: diagnostics were added; the kernels before the fault are kept. */
bool MUST_USE ir_read(Unit *u, uint32_t file);
/* What the text form and the facts of a kernel call the use of an argument. */
const char *bufuse_name(BufUse use);
/* Keeps the trace of the kernel as it is now, if the unit wants it (trace.c). */
void ir_keep_trace(Kernel *k);
/* Our own faults: dangling ids, wrong types, misplaced statements. ICE with the fault and
 * the pass. */
void ir_verify(const Kernel *k, const char *after_pass);

#endif
