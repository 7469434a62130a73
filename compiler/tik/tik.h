/* tik.h: the TIK objects of the evaluator (container, Tensor, Scalar, Expr, scopes,
 * profile) and what their files share. Private to compiler/tik; the evaluator sees only
 * tik/install.h.
 *
 * A container owns one kernel and a stack of lifetime scopes. Objects hold their
 * container; an expression's scope is the deepest one of the registers and loop variables
 * that it reads, so "is it still defined" is one look-up. A view that was refused is
 * poisoned: the program goes on with it, its uses report nothing, and instructions with a
 * poisoned operand are not recorded. */
#ifndef TIKC_TIK_H
#define TIKC_TIK_H

#include "ir/ir.h"
#include "python/meter.h"
#include "tik/call.h"
#include "tik/install.h"

typedef struct Tik Tik;
typedef struct TScope TScope;
typedef struct Root Root;
typedef struct View View;
typedef struct ScalarArray ScalarArray;
typedef struct Lanes Lanes; /* tik/lmem.h */

/* Numbers of methods that are no instructions; those of refused names follow. */
typedef enum TikMethod {
#define METHOD(name, fn) TM_##name,
#include "tik/call.def"
    TM_COUNT
} TikMethod;

/* The names of tik/known.def by number; some of them are methods that are compiled. */
enum {
#define KNOWN(name) TK_##name,
#include "tik/known.def"
    TK_COUNT
};

/* The calls of a method that this version does not compile. */
typedef struct Refused {
    Diag *diag; /* at the first call; null: none yet */
    int64_t calls;
} Refused;

typedef enum TScopeKind {
    TS_TOP,
    TS_LOOP,
    TS_BRANCH,
    TS_BLOCK
} TScopeKind;

/* The place where an elif_scope or else_scope may continue. It is kept in the scope that
 * contains the branches. */
typedef struct IfChain {
    bool active;  /* a branch has just been closed here */
    bool decided; /* a compile-time condition was true: later branches are dropped */
    /* innermost run-time IF of the chain, whose else body is free; 0: none */
    StmtId branch;
    int links;
    Cursor else_at; /* place of the next link, in the else body of branch */
    StmtId loads;   /* first of the elements loaded since the last link; 0: none */
    Cursor before;  /* where these loads begin */
} IfChain;

/* What a scope needs only while it is open. */
typedef struct ScopeWork {
    /* newest tensor of run-time size created directly here */
    Root *last_dynamic[SC_COUNT];
    int64_t live[SC_COUNT]; /* bytes of the tensors created directly here */
    IfChain chain;
    RegId bounds[2];        /* TS_LOOP: Scalars that bound it */
    VEC(Root *) bufs;       /* TS_LOOP: buffers that exist thread_num times */
    struct ScopeWork *next; /* of those that wait for the next scope */
} ScopeWork;

struct TScope {
    TScope *parent;
    TScopeKind kind;
    /* depth of nesting in the kernel, links of if chains included; 0: top level */
    uint32_t depth;
    bool open;
    bool dropped;   /* calls record nothing and check nothing (language 5.2) */
    bool ended;     /* after tik_break, tik_continue or tik_return */
    bool no_sync;   /* TS_BLOCK with disable_sync */
    bool multicore; /* TS_LOOP with block_num > 1 or a Scalar */
    Cursor at;
    StmtId loop;     /* TS_LOOP: the statement; 0 in a dropped branch */
    int thread_num;  /* TS_LOOP */
    Span span;       /* place of the call that opened it */
    ScopeWork *work; /* null when it was closed */
};

/* Bytes of UB that calls on slices reserve (language 4.9). */
enum {
    TIK_H_BYTES = 16384
};

/* A method bound to its container. */
typedef struct MethodObj {
    Object base;
    Tik *c;
    /* Op, then OP_COUNT + TikMethod, then OP_COUNT + TM_COUNT + index of the refused */
    int method;
} MethodObj;

/* The storage that views are parts of. */
struct Root {
    Tik *c;
    TScope *scope;
    Sym name;
    Scope mem;
    Dtype dtype;
    int64_t elems;
    int64_t bytes;
    /* 0: not in the kernel (unused global tensor, or made in a dropped branch) */
    BufId buf;
    BufRole role; /* local until BuildCCE lists it, workspace, global, list, or const */
    Span span;
    uint32_t chain;
    bool used;
    /* a list whose addresses are in UB: an argument that is in no list of BuildCCE */
    bool implied;
    bool preset;
    bool fixed;   /* start_addr */
    bool dynamic; /* of run-time size; elems and bytes are upper bounds */
    bool sign4;   /* bits 4: int4, else uint4 */
    uint8_t
        bits; /* bits of an element: 4 (two in each byte), or else those of the dtype */
    VEC(int64_t) shape;
    const uint8_t *data;  /* BUF_CONST */
    const PackInfo *pack; /* BUF_CONST that pack_conv made */
    int64_t preset_value;
    int64_t fixed_at;
    VEC(BufId) apart; /* no_reuse_list */
    ExprId size;      /* product of the lengths that the program gave, int64 */
    StmtId reserve;   /* on-core and dynamic: the instruction that reserves its storage */
    /* in LMEM: the packed constant that was moved here last; null: none */
    const Root *holds;
};

struct Tik {
    Object base;
    Kernel *k;
    TScope top_level;
    TScope *top;
    ScopeWork *spare;         /* of scopes that were closed; the next ones take them */
    VEC(TScope *) reg_scope;  /* by RegId */
    VEC(TScope *) var_scope;  /* by VarId */
    VEC(TScope *) expr_scope; /* by ExprId; filled on demand */
    VEC(Root *) globals;      /* in order of creation */
    VEC(Root *) locals;       /* on-core tensors, in order of creation */
    VEC(struct Opener *) openers; /* those that were not entered at once */
    struct Opener *spare_opener;  /* the next ones take it, and its inner ones */
    MethodObj **methods;          /* by method number, made on demand */
    struct Profile_ *profile;
    bool built;
    bool pushed;           /* the kernel belongs to the unit */
    bool spoilt;           /* an error was reported and forgotten (tik_record_next) */
    Root *h_room;          /* tensor that calls on slices reserve; null: there was none */
    BufId sreg;            /* buffer of the special registers; 0: nothing uses them yet */
    bool fix_nd, fix_word; /* registers of copies out of L0C that were set */
    View *fix_vector;      /* the tensor of set_fixpipe_config; null: none */
    struct {
        bool half, pack; /* kinds of scales that set_deq_scale has stored so far */
        Value literal;   /* the last one; VAL_FAIL: only the run knows it */
        bool literal_is_pack;
        TScope *scope; /* scope of the last call; null: there was none */
        View *packs;   /* the last tensor; null: none */
    } deq;
    Span span;
    uint32_t chain;
    Tik *next; /* next one in the list of all containers */
};

typedef struct Dim {
    ExprId len;    /* int64 */
    ExprId stride; /* in elements, int64 */
    int64_t step;  /* step of the slices that made it; 0: none did */
} Dim;

/* A Tensor, which is a view of a root. */
struct View {
    Object base;
    Root *root;
    Dtype dtype;
    bool poisoned;
    bool element;    /* made by an index in every dimension */
    bool of_element; /* an element viewed as another type: one key counts from it */
    bool sliced;     /* made by an index or slice */
    int ndim;
    Dim *dim;
    ExprId off;         /* bytes from the start of the root, int64 */
    ExprId flat_len;    /* elements of the shape at creation or at the last reshape */
    const Lanes *lanes; /* in LMEM: its place in the lanes; null: linear */
    int64_t halves;     /* while it is being indexed: elements of 4 bits to add to off */
};

/* An Expr, Scalar or InputScalar. */
typedef struct ExprObj {
    Object base;
    Tik *c;
    ExprId e;
    RegId reg; /* Scalar only; 0 when it is the element of an array, chosen at run time */
    Sym name;  /* Scalar and InputScalar only */
    ExprId index; /* the index of an element of an array, int64 */
    union {
        Root *input; /* Expr: the argument that an InputScalar stands for, or null */
        ScalarArray *array; /* Scalar: the array of that element, or null */
    };
} ExprObj;

typedef struct Profile_ {
    Object base;
    const Soc *soc;
    const char *product; /* "mini", "cloud", "aic", ... */
    bool vector;         /* the profile means the processor's vector cores */
} ProfileObj;

typedef enum OpenerKind {
    OPEN_LOOP,
    OPEN_IF,
    OPEN_ELIF,
    OPEN_ELSE,
    OPEN_BLOCK,
    OPEN_GROUP /* new_scope: no lifetimes */
} OpenerKind;

/* The value of for_range, if_scope ...: a context manager that can be entered once. */
typedef struct Opener {
    Object base;
    Tik *c;
    OpenerKind kind;
    Span span;
    uint32_t chain;
    bool entered;
    int decided; /* branches: 1 true, 0 false at compile time; -1: cond */
    ExprId cond;
    ExprId begin, end; /* loops */
    Dtype dtype;
    Sym name;
    int block_num, thread_num;
    bool multicore;       /* block_num > 1 or a Scalar */
    bool no_sync;         /* blocks: disable_sync */
    bool nest;            /* loops of multi_for_range: yields a list */
    struct Opener *inner; /* loops: the next one of the nest */
    TScope *loads; /* elif: lifetime of the elements that its condition loads, or null */
    TScope *scope; /* while entered */
    IfChain chain_in; /* branches: the chain that this one continues */
} Opener;

/* The state of the TIK objects of one run (Interp.tik). */
typedef struct TikState {
    uint16_t *method_of_sym; /* by Sym: 1 + method number, 0 none */
    uint32_t nsym;
    const Signature *of_op[OP_COUNT]; /* signatures of instructions, made on demand */
    /* arguments that the operands of an instruction are, plus 1; 0: not counted yet */
    uint8_t nargs_of_op[OP_COUNT];
    Tik *containers;
    ProfileObj *profile; /* the newest one that selected a processor */
    Sym sym_set_as;
    Value scalar_type, expr_type; /* the class objects tik.Scalar and tik.Expr */
    Refused refused[TK_COUNT];
    Value built;              /* names of the unit's kernels to their numbers */
    const Value *enumerators; /* the values of tik/struct.def; null: not made yet */
} TikState;

extern const ObjectClass tik_container_class, tik_tensor_class, tik_scalar_class,
    tik_expr_class, tik_opener_class, tik_method_class, tik_profile_class,
    tik_debugger_class, tik_list_class, tik_list_item_class, tik_address_class;

/* A call of a method whose arguments are bound, for functions of the rows RECORDS of
 * call.def. */
typedef struct Bound {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Call call;
    Value *got; /* the arguments with their defaults, by P_<call>_<argument> */
    Span *span;
} Bound;

/* ---- tik/container.c ----------------------------------------------------- */

/* Returns the result of a call that records: None, also if it was refused, unless the
 * program has to end. */
static inline Value
tik_none(const Interp *in)
{
    return in->fatal ? val_fail() : val_none();
}
static inline TikState *
tik_state(Interp *in)
{
    return in->tik;
}
static inline bool
tik_is(Value v, const ObjectClass *cls)
{
    return v.kind == VAL_OBJECT && v.obj->cls == cls;
}
/* Returns the description of a value for messages: "an int", "a Tensor", "None". */
const char *tik_a(Interp *in, Value v);
const char *tik_sym(Interp *in, Sym s);
/* Returns the name of a method number. */
const char *tik_method_name(int method);
/* Reads a text argument; false with arg-type when it is something else. */
bool tik_text(Interp *in, Value v, const char *what, Span span, const char **out);
/* Reports not-on-arch for a method that the processor does not have, with the processors
 * that do. */
void tik_not_on_arch(Interp *in, const Tik *c, const char *method, Span span, SocHas *has,
                     const void *ctx);
/* Returns whether the processor's kind of core is in the set; false with not-on-arch. */
bool tik_on_cores(Interp *in, const Tik *c, const char *method, Span span, CoreSet cores);
/* Returns whether the processor has the instruction that a method needs; false with
 * not-on-arch. */
bool tik_has_op(Interp *in, const Tik *c, const char *method, Span span, Op op);
/* Returns whether an option is other than None, False and 0. */
static inline bool
tik_is_set(Value v)
{
    return v.kind == VAL_BOOL ? v.b : v.kind == VAL_INT ? v.i != 0 : v.kind != VAL_NONE;
}
/* Checks that the parameter mask_o of vconv and vsel is None: no manual says what it
 * does. */
bool tik_no_mask_o(Interp *in, const char *method, Value v, Span span);
/* True for a Scalar or an Expr. */
static inline bool
tik_is_runtime(Value v)
{
    return tik_is(v, &tik_scalar_class) || tik_is(v, &tik_expr_class);
}
static inline ExprObj *
tik_runtime(Value v)
{
    return (ExprObj *)v.obj;
}
/* Returns the container of a tensor, Scalar or Expr; null for other values. */
static inline Tik *
tik_container_of(Value v)
{
    return tik_is_runtime(v)              ? tik_runtime(v)->c
           : tik_is(v, &tik_tensor_class) ? ((View *)v.obj)->root->c
                                          : NULL;
}
/* Reports a value of another container; returns false. */
bool tik_not_own(Interp *in, Value v, Span span);
/* Returns false with arg-type when the value belongs to another container. */
static inline bool
tik_own(Interp *in, const Tik *c, Value v, Span span)
{
    const Tik *own = tik_container_of(v);
    return !own || own == c || tik_not_own(in, v, span);
}

/* tik.Dprofile(...). */
Value tik_profile_new(Interp *in, Value self, const CallArgs *args);

/* ---- tik/emit.c: statements ---------------------------------------------- */

/* Returns whether nothing is recorded at present. */
static inline bool
tik_dropped(const Tik *c)
{
    return c->top->dropped || c->top->ended;
}
/* Appends a statement with the span and the present call chain. False only past the
 * statement limit. In a dropped branch nothing happens and *id is 0. */
bool tik_emit(Interp *in, Tik *c, Stmt s, Span span, StmtId *id);
bool tik_emit_at(Interp *in, Tik *c, Cursor *at, Stmt s, Span span, StmtId *id);
/* Appends the load of an element into a fresh register. It does not end an open if
 * chain: after the last link, the load belongs to the condition of the elif_scope that
 * may follow. */
bool tik_emit_element(Interp *in, Tik *c, Stmt s, Span span);
/* Continues the open chain with an elif_scope: the loads of its condition move into the
 * else body. The registers live in the given scope from now on. */
void tik_take_loads(Tik *c, TScope *scope);
/* Does what tik_alive does, also for expressions that were not looked at yet. */
bool tik_still_alive(Interp *in, Tik *c, ExprId *e, Span span);
/* Returns false with scope-ended when the expression reads something whose scope was
 * closed. In *e, variables of multi-core loops that have ended become the core's
 * index. */
static inline bool
tik_alive(Interp *in, Tik *c, ExprId *e, Span span)
{
    bool known = *e < c->expr_scope.n && c->expr_scope.p[*e]->open;
    return known || tik_still_alive(in, c, e, span);
}
/* Returns whether nothing that the expression reads is closed; reports nothing. */
bool tik_in_scope(Interp *in, Tik *c, ExprId e);
RegId tik_new_reg(Interp *in, Tik *c, Sym name, Dtype t, Span span);
/* Returns whether the container is not built yet; false with build-args. */
bool tik_not_built(Interp *in, Tik *c, Span span);
TScope *tik_innermost_loop(const Tik *c);
/* Deepest nesting of recorded scopes, links of if chains included; more is too-nested. */
enum {
    TIK_MAX_NESTING = IR_MAX_NEST - 2
};

#endif
