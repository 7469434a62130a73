/* ir.h: kernel IR. One kernel has a target, buffers (global arguments and on-core
 * tensors), registers (TIK Scalars, mutable), hash-consed typed expressions, and one
 * structured body of statements. Everything is an index into a table of the Kernel, so
 * analyses are dense arrays and printing is stable. Index 0 of each table is "none".
 *
 * Expressions are formulas, evaluated where they are used (language 4.4): they read
 * registers and loop variables at that moment. Their types are Dtypes; a value is
 * represented as in num/scalar.h.
 *
 * Tensor operands are byte addresses: buffer + byte offset (an int64 expression). A view
 * never restricts what an instruction accesses; the root buffer does. */
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

/* What an expression reads, itself or through its operands. */
enum {
    EXF_REG = 1,
    EXF_VAR = 2
};

/* Size of the largest expression, in nodes of its tree (a shared node counts each time),
 * so walks may recurse. Where the builder would exceed it, the result is the constant 0
 * and Kernel.expr_too_large is set; the stage (and passes_run) then report limit-ir. */
enum {
    IR_MAX_EXPR = 4096
};

typedef struct Expr {
    uint8_t kind;  /* ExprKind */
    uint8_t dtype; /* type of the result; DT_BOOL for comparisons */
    uint8_t op;    /* ScalarOp, for EX_OP */
    uint8_t flags; /* EXF_ */
    uint32_t a;    /* EX_OP: operands; b is 0 for one-operand operations */
    uint32_t b;
    uint32_t size; /* nodes of the tree, 1 to IR_MAX_EXPR */
    int64_t imm;   /* EX_CONST: canonical value */
} Expr;

/* ---- tables -------------------------------------------------------------- */

/* Limits that hold in every kernel (verify.c). IR_MAX_BYTES limits the bytes of one
 * buffer, so that sums of a few offsets inside buffers never overflow. IR_MAX_NEST limits
 * the nesting of bodies, so that walks over statements may recurse; the stage (and
 * passes_run) report too-nested. */
#define IR_MAX_BYTES ((int64_t)1 << 48)
enum {
    IR_MAX_NEST = 200,
    IR_MAX_COPIES = 4,
    IR_MAX_BLOCKS = 65535,
    IR_SCALAR_BLOCKS = -1,
    IR_RECENT = 64
};

/* A buffer is local, an argument (in the order of argrole.def), an address list or a
 * constant table. */
typedef enum BufRole {
    BUF_LOCAL,
    BUF_IN,
    BUF_OUT,
    BUF_WORKSPACE,
    BUF_GLOBAL,
    /* sparse, see isa.h: one window of bytes per array; elems is the number of arrays */
    BUF_LIST,
    BUF_CONST /* in the program, no argument; never written */
} BufRole;

_Static_assert((int)BUF_LIST - (int)BUF_IN == (int)ARGROLE_LIST, "argrole.def");

/* The limit of elements of a constant table (language 4.3). */
enum {
    IR_MAX_TABLE = 262144
};

/* The limit of bytes of a constant that no list of the program spells out: one of a file,
 * or packed. */
#define IR_MAX_CONST ((int64_t)1 << 32)

/* A constant that pack_conv made. Before the pass weight-reorder its bytes are in the
 * order PACK_PLAIN_FORM (passes/weight_reorder.c), after it in that of the plan. */
typedef struct PackInfo {
    Dtype weight;
    /* sizes of the weight: output channels, input channels, height, width */
    int64_t dim[4];
    bool depthwise;
    bool requant;
    bool bias;
    /* elements have 4 bits: weight is DT_S8 or DT_U8, and a byte holds two of them */
    bool nibbles;
    PackPlan plan;
} PackInfo;

/* What a launcher learns about an argument, apart from its role. */
typedef enum BufUse {
    USE_TENSOR,
    USE_SCALAR, /* InputScalar: one value */
    USE_FLOW    /* tensor of flowtable: the tiling data */
} BufUse;

typedef struct Buffer {
    Sym name; /* the tensor's name; GM names are unique in a kernel */
    Scope scope;
    Dtype dtype; /* as the program declares it */
    BufRole role;
    BufUse use;
    /* as the program declares it; bytes = elems * dtype_size, for a list elems *
     * LIST_WINDOW */
    int64_t elems;
    int64_t bytes;
    /* in bytes, inside the scope; -1 before allocation; always -1 in GM */
    int64_t address;
    int copies; /* thread_num of the loop body that it lives in, else 1 */
    Span span;  /* span of its declaration */
    uint32_t chain;
    /* The size is known only at run time: elems and bytes are the most that it can be. A
     * global buffer has the size of the array that the launcher gets. For an on-core one,
     * address is where the first such buffer of its memory begins; the instruction
     * reserve after its alloc gives it its place and size. */
    bool dynamic;
    bool packed; /* BUF_CONST: its bytes are in the order of the plan */
    /* argument: the launcher fills it with preset_value before the kernel runs */
    bool preset;
    /* on-core: a read of bytes that were never written could not be excluded */
    bool unset;
    bool fixed; /* on-core: allocate puts it at fixed_at */
    /* argument: the check pass knows an access beyond it, which the user allows */
    bool beyond;
    /* argument: the check pass knows that no access reaches bytes after its data */
    bool inside;
    VEC(int64_t) shape;   /* as the program declares it, for messages and --emit ir */
    const uint8_t *data;  /* BUF_CONST: its bytes as they are in memory; else null */
    const PackInfo *pack; /* BUF_CONST: what pack_conv made it from; else null */
    int64_t preset_value; /* canonical value of dtype */
    int64_t fixed_at;
    VEC(BufId) apart; /* on-core: earlier buffers with which it shares no bytes */
    /* on-core: number of bytes by which the check pass enlarges it, as the user allows */
    int64_t grown;
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
    Sym bound;    /* name that the with statement gives it, for messages; 0: none */
    ExprId shown; /* what messages show in place of its value; 0: the value */
} Var;

/* ---- operands ------------------------------------------------------------ */

typedef struct Ref {
    BufId buf;
    Dtype dtype; /* dtype of the view that the program passed */
    ExprId off;  /* byte offset from the start of the buffer, int64 */
} Ref;

typedef enum ArgKind {
    ARG_NONE,
    ARG_REF,
    ARG_EXPR,
    ARG_MASK
} ArgKind;

/* One operand; its kind follows from the role in form.def: DST and SRC have REF, MASK has
 * MASK, MASKMODE has NONE (the mask's form holds it), all others have EXPR. */
typedef struct Arg {
    uint8_t kind;      /* ArgKind */
    uint8_t mask_form; /* ARG_MASK: MaskForm */
    union {
        Ref ref;
        ExprId expr;
        ExprId mask[4]; /* word 0 = lanes 0..63; counts: [0]; integer expressions */
    };
} Arg;

/* Where the bytes of a factor of a product are, too: blocks of 32 bytes in global memory,
 * at ref + i * outer + j * inner. i and j count, in this order:
 *   the first factor    rows, and runs of terms of a row
 *   the second factor   runs of terms, and columns; if it is transposed, rows of 16
 *                       columns, one for each term, and groups of 16 columns
 *   an image            nothing, and blocks
 * The instruction may read them there; the statement's operand still says the layout that
 * the program gave it. */
typedef struct Origin {
    Ref ref; /* buf 0: only the operand has the bytes */
    int64_t outer, inner;
    int64_t nouter, ninner;
    bool transposed;
} Origin;

enum {
    ORIGIN_FACTORS = 2,
    ORIGIN_BYTES = 32 /* of a block */
};

/* With parts, the product is executed that many times: first as the statement says, then
 * with the terms of both factors that follow, which are added to the sums. The numbers of
 * the origins count the blocks of all parts, those of the statement the first part's. */
typedef struct Origins {
    Origin of[ORIGIN_FACTORS];
    int64_t parts; /* 0 is 1 */
} Origins;

enum {
    FINISH_GROUPS = 64
};

/* Where the results of 16 columns of a product go: those of row 0 are `off` bytes after
 * the destination of the instruction write. */
typedef struct FinishGroup {
    StmtId move; /* the move out of L0C whose burst `burst` converts them */
    int64_t burst;
    StmtId write;
    int64_t off;
} FinishGroup;

/* What a finishing scope does, whose first statement is a product: it converts the sums
 * of each group of columns, and writes the first rows of the results. */
typedef struct Finish {
    int64_t rows, pitch; /* pitch: bytes from row to row of results */
    bool rectify;        /* results of signed bytes below 0 are 0 */
    int groups;
    FinishGroup group[FINISH_GROUPS];
} Finish;

/* ---- statements ---------------------------------------------------------- */

typedef enum StmtKind {
    ST_NONE,  /* index 0, and statements that a pass has dropped */
    ST_INSTR, /* instr */
    ST_SET,   /* reg = expr */
    ST_LOAD,  /* reg = one element of a buffer */
    ST_STORE, /* one element of a buffer = expr */
    ST_ALLOC, /* an on-core buffer begins to live, until the end of this body */
    ST_FOR,   /* loop */
    ST_IF,    /* cond */
    ST_SCOPE, /* body with its own lifetimes */
    ST_BREAK, /* leaves the innermost loop */
    ST_CONTINUE,
    ST_RETURN /* ends the kernel on this core */
} StmtKind;

/* The outcome of the checks of an instruction. */
typedef enum Proof {
    PROOF_NONE,   /* the check pass has not run */
    PROOF_PROVED, /* every rule holds whenever the instruction executes */
    /* check_values runs before the instruction executes, in both back ends */
    PROOF_RUNTIME,
    /* the same, and then the instruction does not execute: another one has its effects,
     * or nothing needs them */
    PROOF_ASKED
} Proof;

typedef struct Stmt {
    uint8_t kind; /* StmtKind */
    uint8_t proof;
    /* number of bodies around its own when it was appended, which passes may change; at
     * most IR_MAX_NEST + 1 */
    uint8_t nest;
    StmtId next; /* next statement of the same body; 0 ends the body */
    Span span;
    uint32_t chain;
    union {
        struct {
            Op op;
            /* index of the first operand in Kernel.args; form_params gives the count */
            uint32_t arg;
            /* products: index in Kernel.origins of what the pass origin has found of the
             * factors; 0: nothing */
            uint32_t origin;
        } instr;
        struct {
            RegId reg;
            ExprId value; /* has the register's dtype */
        } set;
        struct {
            RegId reg;
            Ref ref; /* its dtype is the register's */
        } load;
        struct {
            Ref ref;
            ExprId value; /* has ref.dtype */
        } store;
        struct {
            BufId buf;
        } alloc;
        struct {
            VarId var;
            /* Integers of any type. The loop is for (k = 0; k < end - begin; k++), in the
             * integers, with the variable k + begin and both bounds read again at each
             * use. After the pass loops no body changes a register that a bound reads, so
             * they are read once. In a multi-core loop they are always read once. */
            ExprId begin, end;
            /* > 1: one iteration per core; begin is 0, end is block_num.
             * IR_SCALAR_BLOCKS: the same, but end is a Scalar; the instruction blocks
             * before the loop gives it to the launcher. */
            int32_t block_num;
            int32_t thread_num;
            /* Some iterations may be executed statement by statement, as long as no rule
             * is broken in them (passes/vectorize.c). */
            bool vectorized;
            StmtId body;
        } loop;
        struct {
            ExprId cond; /* has DT_BOOL */
            StmtId then_body;
            StmtId else_body;
        } cond;
        struct {
            StmtId body;
            /* the compiler does not order queues here: the program does, with flags and
             * barriers */
            bool no_sync;
            /* The instructions may be executed chunk by chunk instead of one after the
             * other (analysis/iteration.h): each byte that one of them writes and another
             * one accesses belongs to the same element of both. */
            bool fused;
            /* A scope of instructions, some of them in fused scopes, that have bits and
             * are not equally long. It could be one fused scope if only the elements of
             * the shortest were needed: pass drop decides. */
            bool uneven;
            /* A fused scope of which only those elements are needed. The others are of
             * dropped buffers, and are not made. */
            bool trimmed;
            /* Not 0: the body does with its first elements, then with others after them,
             * what the list `instrs` would do with that many elements, or with none if
             * that is less than 1 (passes/join.c, analysis/member.h). The list is in no
             * body; its masks and numbers of repeats say nothing. */
            ExprId run;
            StmtId instrs;
            /* item of Kernel.finishes, 0: none. All that the instructions write is what
             * that says, and bytes of the buffers in the list. */
            uint32_t finish;
            /* items of Kernel.drops: on-core buffers whose bytes nothing reads after the
             * scope before they are written again */
            uint32_t drop, ndrops;
        } scope;
    };
} Stmt;

/* Returns whether the loop gives each core one iteration. */
static inline bool
ir_is_multicore(const Stmt *loop)
{
    return loop->loop.block_num > 1 || loop->loop.block_num == IR_SCALAR_BLOCKS;
}

/* The place of an operand, in few bytes since there are many of them. */
typedef struct ArgSpan {
    uint32_t begin; /* far: index in Kernel.far_spans */
    uint32_t rest;  /* bytes, whether it is far, and file, as builder.c packs them */
} ArgSpan;

enum {
    IR_PRINT_VARS = 16 /* loop variables of a record of the log */
};

/* What an inspector (Kernel.inspector) writes about a tensor on a core: the number of
 * runs of bytes, then the first byte of each and the byte after its last one; as tikrt.h
 * says. */
enum {
    IR_INSPECT_RUNS = 1024,
    IR_INSPECT_WORDS = 1 + 2 * IR_INSPECT_RUNS
};

/* The name of the log of prints: a workspace of (cores, words) numbers of 64 bits. */
#define IR_PRINT_LOG "tikc_print_log"

/* A place of the program that notes something in the log (passes/print.c). */
typedef struct PrintSite {
    const char *text; /* the wish, and parts of it */
    const char *name;
    const char *file;
    uint32_t line;
    Dtype dtype;
    bool scalar; /* one value, which is no tensor */
    int ndim;
    int64_t shape[PRINT_DIMS];
    int64_t elems;
    int64_t time; /* only this time on each core is noted; 0: each */
    int nvars;
    VarId vars[IR_PRINT_VARS];
    /* of a call of the program: the text before the value, its conversion or "", and what
     * follows the last value, else null; before is null for a wish */
    const char *before, *spec, *after;
    bool first; /* value of the call */
} PrintSite;

/* A value of a call that prints, with the text before it. */
typedef struct PrintArg {
    const char *before, *spec;
    const char *text;      /* what is shown if wish is nothing; or null */
    const PrintWish *wish; /* what a text names; or null */
    ExprId value;          /* else of a Scalar; 0: elements of a buffer, or nothing */
    BufId buf;
    Dtype dtype;
    ExprId off; /* bytes, int64 */
    int ndim;
    int64_t shape[PRINT_DIMS], step[PRINT_DIMS]; /* in elements */
} PrintArg;

/* A call of the program that prints; the empty scope at says where it is. */
typedef struct PrintCall {
    StmtId at;
    VEC(PrintArg) args;
    const char *after;
} PrintCall;

/* When the bytes of an on-core buffer are its own, between two statements in program
 * order, and which statements use it. */
typedef struct BufLife {
    BufId buf;
    int64_t bytes; /* whole granules, of all copies */
    uint32_t begin, end;
    StmtId begin_at;          /* the statement at begin */
    StmtId first_at, last_at; /* the first and last use; 0: there is none */
} BufLife;

typedef struct Kernel {
    Arena arena;
    Unit *unit;
    Sym name;
    const Soc *soc;
    const Choices *choices; /* null: the first reading of each choice */
    VEC(Buffer) bufs;
    VEC(Reg) regs;
    VEC(Var) vars;
    VEC(Expr) exprs;
    VEC(Arg) args;
    VEC(Stmt) stmts;
    VEC(BufId) params; /* global tensors in argument order: inputs, outputs, workspaces */
    VEC(BufId) drops;  /* lists of the fused scopes */
    VEC(Origins) origins; /* index 0 is "none" */
    VEC(Finish) finishes; /* index 0 is "none" */
    StmtId body;
    /* holds the core's index from the first statement on; 0 if nothing reads it */
    RegId core;
    Span span; /* span of the BuildCCE call */
    /* scratch is filled with 0xff bytes at the start of each core's run */
    bool may_read_uninit;
    /* a statement of the program is missing: the kernel is checked and never lowered */
    bool incomplete;
    /* the pass fold has run: a second run would find more in what the first one made */
    bool folded;
    /* an expression was cut at IR_MAX_EXPR, so the kernel must not be compiled */
    bool expr_too_large;
    uint8_t deepest; /* the largest Stmt.nest */
    /* cores may access the same global bytes, so they run one after another */
    bool blocks_ordered;
    /* not blocks_ordered, but cores may access the same bytes with atomic writes: from
     * the first such write on they run in core order */
    bool blocks_atomics_ordered;
    int64_t peak[SC_COUNT];     /* bytes used in each memory, after allocation */
    VEC(PrintCall) print_calls; /* until the pass print */
    VEC(PrintSite) prints;      /* by the numbers of records */
    /* of the buffers that have an address, by memory, when Options.lives is set */
    VEC(BufLife) lives;
    /* tensors stay as declared, since what their accesses reach does not fit */
    bool no_growth;
    /* What becomes machine code in place of the kernel where no two arguments share
     * bytes, see passes_host; null: the kernel itself. Its owner is the kernel. */
    struct Kernel *tiled;
    /* What tells, before the kernel runs, which global bytes each core accesses, see
     * passes_inspector; null: there is none. Its owner is the kernel. */
    struct Kernel *inspector;
    int64_t inspects; /* an inspector: number of tensors that each row is about */
    /* number of obligations that were proved, refuted, left to run time */
    int64_t proofs[3];
    uint32_t *expr_slots; /* hash set of exprs, private to the builder */
    uint32_t nexpr_slots;
    ExprId recent_consts[IR_RECENT]; /* constants that were asked for last, by value */
    /* trace of the kernel as staged, when Options.trace is set; else null */
    const char *trace;
    /* places of args[i] in the source; may be shorter than args */
    VEC(ArgSpan) arg_spans;
    VEC(Span) far_spans; /* those that an ArgSpan has no room for */
} Kernel;

/* Returns whether a statement may write the buffer. */
bool ir_may_write(const Kernel *k, BufId b);

/* Returns the group that an argument belongs to. */
static inline ArgRole
ir_arg_role(const Buffer *b)
{
    return (ArgRole)((int)b->role - (int)BUF_IN);
}

/* Returns the span of an operand, or that of the statement when the operand's is not
 * known. */
Span ir_arg_span(const Kernel *k, const Stmt *s, int param);

/* Returns whether both bounds of a loop are constants below 2^63, and which. */
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

/* Returns the number of blocks of a multi-core loop; for one over a Scalar, the number of
 * cores: at least that many run. */
static inline int32_t
ir_blocks(const Kernel *k, const Stmt *loop)
{
    return loop->loop.block_num == IR_SCALAR_BLOCKS ? k->soc->cores
                                                    : loop->loop.block_num;
}

/* Returns how many cores a kernel is launched for. */
int32_t ir_cores(const Kernel *k);

/* ---- builder (builder.c) ------------------------------------------------- */

/* Makes an empty kernel in its own arena; kernel_free releases it. */
Kernel *kernel_new(Unit *u);
void kernel_free(Kernel *k);

/* Returns a copy with tables of its own in an arena of its own. What the tables point to
 * (shapes, constants, descriptions of packed weights) is shared with the original, which
 * must live longer. */
Kernel *kernel_clone(const Kernel *k);

BufId ir_buffer(Kernel *k, const Buffer *b); /* copies *b */
/* Returns the operand as the checker expects it, with offset 0. */
CheckTensor ir_check_tensor(const Kernel *k, const Ref *r);
/* Returns the bytes of a buffer, including those by which it has grown. */
int64_t ir_bytes(const Buffer *b);
/* Returns the bytes of a buffer in whole granules: what accesses may reach
 * (scope_granule). */
int64_t ir_room(const Buffer *b);
/* Sets elems and bytes of a dynamic buffer to what its memory holds from its address on
 * (global: IR_MAX_BYTES). Returns false if there is no room for an element, and leaves
 * them. */
bool ir_dynamic_room(const Kernel *k, Buffer *b);
RegId ir_reg(Kernel *k, Sym name, Dtype t, Span span);
VarId ir_var(Kernel *k, Sym name, Dtype t);

/* These make expressions. Operands of binary operations must have equal types already
 * (ir_promote, ir_cast). Results are folded: constants; x+0, 0+x, x-0, x*1, 1*x, x*0, 0*x
 * (integers); x-x and comparisons of x with itself (integers). Nothing else is folded, so
 * that the trace format stays easy to reproduce. An integer division of constants by zero
 * is not folded. */
ExprId ir_const(Kernel *k, Dtype t, int64_t canonical);
ExprId ir_float(Kernel *k, Dtype t, double value);
ExprId ir_reg_value(Kernel *k, RegId r);
ExprId ir_var_value(Kernel *k, VarId v);
ExprId ir_op1(Kernel *k, ScalarOp op, ExprId a);           /* NOT, NEG, SQRT */
ExprId ir_op2(Kernel *k, ScalarOp op, ExprId a, ExprId b); /* equal dtypes */
/* Returns a if it has type t. */
ExprId ir_cast(Kernel *k, Dtype t, ExprId a);
ExprId ir_bits(Kernel *k, Dtype t, ExprId a);
/* Returns the type of an operation on two run-time values (language 4.5). */
Dtype ir_promote(Dtype a, Dtype b);

static inline const Expr *
ir_expr(const Kernel *k, ExprId e)
{
    return &k->exprs.p[e];
}

/* Returns whether an expression reads a loop variable. */
bool ir_reads_var(const Kernel *k, ExprId e, VarId v);

static inline bool
ir_is_const(const Kernel *k, ExprId e)
{
    return k->exprs.p[e].kind == EX_CONST;
}

/* Statements are appended to a body through a cursor: the place where the link to the
 * next statement is stored (a body or a next field, by table index, since tables move
 * when they grow). */
typedef struct Cursor {
    StmtId owner; /* 0 means the kernel's body */
    int slot;     /* 0: body or then_body; 1: else_body; 2: next of owner */
} Cursor;

Cursor ir_cursor_body(StmtId owner, int slot); /* a cursor at the start of a body */
/* Returns where the first statement of a body (or the statement after owner, slot 2) is
 * stored; the pointer is valid until the next statement is added. */
StmtId *ir_body(Kernel *k, StmtId owner, int slot);
/* Adds the statement (copied) after the cursor and moves the cursor past it. */
StmtId ir_append(Kernel *k, Cursor *c, const Stmt *s);
/* Adds n operands and returns the index of the first. */
uint32_t ir_args(Kernel *k, const Arg *args, int n);
/* Does the same with operands whose places are known; an unknown one has file 0. */
uint32_t ir_args_at(Kernel *k, const Arg *args, const Span *spans, int n);

/* Computes the value of an expression that reads no register; vars[v] are the values of
 * loop variables. Returns false after a division by zero, or if a register is read.
 * (eval.c) */
bool ir_eval(const Kernel *k, ExprId e, const int64_t *vars, int64_t *out);

/* Adds "i = 3" for a loop variable to a list that is separated by commas (eval.c). */
void ir_var_text(const Kernel *k, VarId v, const int64_t *vars, Text *out);

/* Data about the place of a fault (where.c). */
enum {
    IR_WHERE_LOOPS = 16, /* as many as a blob nests */
    IR_WHERE_SCALARS = 8
};

/* Finds the integer Scalars that a statement's own operands read, in their order, and
 * returns how many there are, at most room. */
int ir_scalars_read(const Kernel *k, const Stmt *st, RegId *out, int room);
/* Returns what faults call the variable of a loop. */
const char *ir_var_label(const Kernel *k, VarId v);

/* ---- text form (printer.c, parser.c) and structural check (verify.c) ----- */

/* Prints the stable text of a kernel, which parses back to a kernel that prints the
 * same. */
void ir_print(const Kernel *k, Text *out);
/* Prints the trace (docs/trace-format.md); if the kernel keeps one, that one
 * (trace.c). */
void ir_trace(const Kernel *k, Text *out);
void ir_print_places(const Kernel *k,
                     Text *out); /* the same with source positions as comments */
/* Does the same as ir_print, and calls each with the span of every statement and with
 * where its line ends in the text, from the first line on. */
typedef void IrLineSink(void *to, size_t end, Span span);
void ir_print_lines(const Kernel *k, Text *out, IrLineSink *each, void *to);
void ir_print_expr(const Kernel *k, ExprId e, Text *out);
/* Reads a text of one kernel; returns null after a diagnostic (syntax, at the place in
 * the source). */
Kernel *ir_parse(Unit *u, uint32_t file);
/* Reads a text of one kernel or more into u->kernels, with what its comments allow
 * (severity.h). Returns false after a diagnostic; the kernels before the fault are
 * kept. */
bool MUST_USE ir_read(Unit *u, uint32_t file);
/* Returns what the text form and the facts of a kernel call the use of an argument. */
const char *bufuse_name(BufUse use);
/* Keeps the trace of the kernel as it is now, if Options.trace is set (trace.c). */
void ir_keep_trace(Kernel *k);
/* Checks for faults of our own: dangling ids, wrong types, misplaced statements. Ends in
 * an ICE with the fault and the pass. */
void ir_verify(const Kernel *k, const char *after_pass);

#endif
