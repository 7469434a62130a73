/* tik.h: the TIK objects of the evaluator (container, Tensor, Scalar, Expr, scopes,
 * profile) and what their files share. Private to compiler/stage/tik*.c; the evaluator
 * sees only tik_install and tik_finish of python/interp.h.
 *
 * A container owns one kernel and a stack of lifetime scopes. Objects hold their
 * container; an expression's scope is the deepest one of the registers and loop variables
 * that it reads, so "is it still defined" is one look-up. A view that was refused is
 * poisoned: it stays usable and silent, and instructions with a poisoned operand are not
 * recorded. */
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

/* Number of methods that are not instructions, and of the names known but refused. */
typedef enum TikMethod {
#define METHOD(name, fn) TM_##name,
#include "tik/call.def"
    TM_COUNT
} TikMethod;

/* Names of tik/known.def, by number; more than there are methods. */
enum {
#define KNOWN(name) TK_##name,
#include "tik/known.def"
    TK_COUNT
};

/* Calls of a method that this version does not compile. */
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

/* Where an elif_scope or else_scope may continue. Kept in the scope that contains the
 * branches. */
typedef struct IfChain {
    bool active;  /* a branch has just been closed here */
    bool decided; /* a compile-time condition was true: later branches are dropped */
    /* innermost run-time IF of the chain, whose else body is free; 0: none */
    StmtId branch;
    int links;
    Cursor behind; /* in the else body of branch: where the next link goes */
    StmtId loads;  /* first of the elements loaded since the last link; 0: none */
    Cursor before; /* where these loads begin */
} IfChain;

struct TScope {
    TScope *parent;
    TScopeKind kind;
    /* of nesting in the kernel, links of if chains included; 0 = top level */
    uint32_t depth;
    bool open;
    bool dropped; /* calls emit nothing and check nothing (language 5.2) */
    bool ended;   /* behind tik_break, tik_continue or tik_return */
    Cursor at;
    IfChain chain;
    StmtId loop;      /* TS_LOOP: the statement; 0 in a dropped branch */
    int thread_num;   /* TS_LOOP */
    bool no_sync;     /* TS_BLOCK with disable_sync */
    bool multicore;   /* TS_LOOP with block_num > 1 or a Scalar */
    RegId bounds[2];  /* TS_LOOP: Scalars that bound it */
    VEC(Root *) bufs; /* TS_LOOP: buffers that exist thread_num times */
    Span span;        /* of the call that opened it */
    /* newest tensor of run-time size created directly here */
    Root *last_dynamic[SC_COUNT];
    int64_t live[SC_COUNT]; /* bytes of the tensors created directly here */
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

/* The storage behind views. */
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
    bool used;
    /* a list whose addresses are in UB: an argument that stands in no list of BuildCCE */
    bool implied;
    BufRole role; /* local until BuildCCE lists it, workspace, global, list, or const */
    Span span;
    uint32_t chain;
    VEC(int64_t) shape;
    const uint8_t *data;  /* BUF_CONST */
    const PackInfo *pack; /* BUF_CONST that pack_conv made */
    bool preset;
    int64_t preset_value;
    bool fixed; /* start_addr */
    int64_t fixed_at;
    VEC(BufId) apart; /* no_reuse_list */
    ExprId size;      /* elements as given, int64 */
    StmtId reserve;   /* on-core and dynamic: the instruction that gives it its room */
    bool dynamic; /* its size is known only at run time; elems and bytes are the most */
    int bits;     /* 4: two elements in each of its bytes; else that of the dtype */
    bool sign4;   /* bits 4: int4, else uint4 */
    /* in LMEM: the packed constant that was moved here last; null: none */
    const Root *holds;
};

struct Tik {
    Object base;
    Kernel *k;
    TScope top_level;
    TScope *top;
    VEC(TScope *) reg_scope;  /* by RegId */
    VEC(TScope *) var_scope;  /* by VarId */
    VEC(TScope *) expr_scope; /* by ExprId; filled on demand */
    VEC(Root *) globals;      /* in order of creation */
    VEC(Root *) locals;       /* on-core tensors, in order of creation */
    VEC(struct Opener *) openers;
    MethodObj **methods; /* by method number, made on demand */
    struct Profile_ *profile;
    bool built;
    bool pushed;           /* the kernel belongs to the unit */
    Root *h_room;          /* what calls on slices reserve; null: there was none */
    BufId sreg;            /* the special registers; 0: nothing names them yet */
    bool fix_nd, fix_word; /* registers of copies out of L0C that were set */
    View *fix_vector;      /* the tensor of set_fixpipe_config; null: none */
    struct {
        bool half, pack; /* forms of a number that set_deq_scale has had so far */
        Value literal;   /* of the last one; VAL_FAIL: only the run knows it */
        bool literal_is_pack;
        TScope *scope; /* in which it stands; null: there was none */
        View *packs;   /* the last tensor; null: none */
    } deq;
    Span span;
    uint32_t chain;
    Tik *next; /* all containers of the run */
};

typedef struct Dim {
    ExprId len;    /* int64 */
    ExprId stride; /* int64, elements */
    int64_t step;  /* of the slices that made it; 0: none did */
} Dim;

/* Tensor: a view of a root. */
struct View {
    Object base;
    Root *root;
    Dtype dtype;
    bool poisoned;
    bool element;    /* made by an index in every dimension */
    bool of_element; /* such a view as another type: one key counts from there */
    bool sliced;     /* made by an index or slice */
    int ndim;
    Dim *dim;
    ExprId off;         /* bytes from the start of the root, int64 */
    ExprId flat_len;    /* elements of the shape at creation or at the last reshape */
    const Lanes *lanes; /* in LMEM: where they are in the lanes; null: linear */
    int64_t halves;     /* while it is being indexed: elements of 4 bits behind off */
};

/* Expr and Scalar share their first members. */
typedef struct ExprObj {
    Object base;
    Tik *c;
    ExprId e;
    RegId reg; /* Scalar only; 0 when it is the element of an array, chosen at run time */
    Sym name;  /* Scalar and InputScalar only */
    Root *input;        /* the argument that an InputScalar stands for */
    ScalarArray *array; /* such an element: its array */
    ExprId index;       /* and index, int64 */
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

/* What for_range, if_scope ... return: a context manager that can be entered once. */
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
    bool nest;            /* loops: of multi_for_range, yields a list */
    struct Opener *inner; /* loops: the next one of the nest */
    TScope *loads; /* elif: lifetime of the elements that its condition loads, or null */
    TScope *scope; /* while entered */
    IfChain chain_in; /* branches: the chain that this one continues */
} Opener;

/* State of the TIK objects of one run (Interp.tik). */
typedef struct TikState {
    uint16_t *method_of_sym; /* by Sym: 1 + method number, 0 none */
    uint32_t nsym;
    const Signature *of_op[OP_COUNT]; /* null: not asked yet */
    Tik *containers;
    ProfileObj *profile; /* the newest one that selected a processor */
    Sym sym_set_as;
    Value scalar_type, expr_type; /* the class objects tik.Scalar and tik.Expr */
    Refused refused[TK_COUNT];
    Value built;              /* names of the unit's kernels to their numbers */
    const Value *enumerators; /* those of tik/struct.def; null: not made yet */
} TikState;

extern const ObjectClass tik_container_class, tik_tensor_class, tik_scalar_class,
    tik_expr_class, tik_opener_class, tik_method_class, tik_profile_class,
    tik_debugger_class, tik_list_class, tik_list_item_class, tik_address_class;

/* A call of a method whose arguments are bound: what the functions of the rows RECORDS of
 * call.def get. */
typedef struct Bound {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Call call;
    Value *got; /* the arguments with their defaults, by P_<call>_<argument> */
    Span *span;
} Bound;

/* ---- tik/container.c ----------------------------------------------------- */

/* The result of a call that records: None, whether it recorded or was reported, unless
 * the program has to end. */
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

/* "an int", "a Tensor", "None": for messages. */
const char *tik_a(Interp *in, Value v);
const char *tik_sym(Interp *in, Sym s);
/* Name of a method number. */
const char *tik_method_name(int method);
/* A text argument; false with arg-type when it is something else. */
bool tik_text(Interp *in, Value v, const char *what, Span span, const char **out);

/* The processor does not have the method: not-on-arch, with those that do. */
void tik_not_on_arch(Interp *in, const Tik *c, const char *method, Span span, SocHas *has,
                     const void *ctx);
/* The same of a method that kinds of core have, by a mask: whether the processor's is one
 * of them. */
bool tik_on_cores(Interp *in, const Tik *c, const char *method, Span span, CoreSet cores);
/* The same of one that needs an instruction. */
bool tik_has_op(Interp *in, const Tik *c, const char *method, Span span, Op op);

/* An option that is not None, False or 0. */
static inline bool
tik_is_set(Value v)
{
    return v.kind == VAL_BOOL ? v.b : v.kind == VAL_INT ? v.i != 0 : v.kind != VAL_NONE;
}

/* The parameter mask_o of vconv and vsel, of which no manual says what it does: None,
 * else an error. */
bool tik_no_mask_o(Interp *in, const char *method, Value v, Span span);

/* ---- tik/refused.c ------------------------------------------------------- */

/* A call of a name of tik/known.def. */
Value tik_refuse(Interp *in, Tik *c, int known, const CallArgs *args);
/* Notes with the number of calls, at the end of the program. */
void tik_refuse_finish(Interp *in);

/* ---- tik/emit.c: statements, scopes of objects --------------------------- */

/* Nothing is recorded at present. */
static inline bool
tik_dropped(const Tik *c)
{
    return c->top->dropped || c->top->ended;
}

/* Appends a statement with the span and the present call chain. False only past the
 * statement limit. In a dropped branch nothing happens and *id is 0. */
bool tik_emit(Interp *in, Tik *c, Stmt s, Span span, StmtId *id);
bool tik_emit_at(Interp *in, Tik *c, Cursor *at, Stmt s, Span span, StmtId *id);
/* Appends the load of an element into a fresh register. It leaves the open if chain as it
 * is: behind the last link, the load belongs to the condition of the elif_scope that may
 * follow. */
bool tik_emit_element(Interp *in, Tik *c, Stmt s, Span span);
/* The open chain goes on with an elif_scope: what its condition loads moves into the else
 * body. The registers live in the given scope from now on. */
void tik_take_loads(Tik *c, TScope *scope);
/* False with scope-ended when the expression reads something whose scope was closed.
 * Variables of multi-core loops that have ended become the core's index in *e. */
bool tik_alive(Interp *in, Tik *c, ExprId *e, Span span);
RegId tik_new_reg(Interp *in, Tik *c, Sym name, Dtype t, Span span);
/* Call on a container that is built already: build-args. */
bool tik_not_built(Interp *in, Tik *c, Span span);
TScope *tik_innermost_loop(const Tik *c);
/* Deepest nesting of recorded scopes, links of if chains included; more is too-nested. */
enum {
    TIK_MAX_NESTING = IR_MAX_NEST - 2
};

/* ---- tik/expr.c, tik/operator.c ------------------------------------------ */

Value tik_expr(Interp *in, Tik *c, ExprId e);
/* A Scalar or an Expr. */
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
/* A Python number as a constant of type t, as by a C conversion. False without diagnostic
 * when v is not a number of at most 64 bits. */
bool tik_number(Tik *c, Value v, Dtype t, ExprId *out);
/* The same without recording it: the canonical value. */
bool tik_number_value(Value v, Dtype t, int64_t *out);
/* A Scalar or Expr of the container, alive. False with a diagnostic. */
bool tik_read(Interp *in, Tik *c, Value v, Span span, ExprId *out);
/* A condition: 1 or 0 when it is known at compile time, -1 and *out (DT_BOOL); -2:
 * diagnostic. c may be null: then the container of the value is used. */
int tik_condition(Interp *in, Value v, const char *what, Span span, ExprId *out);
Value tik_binary(Interp *in, AstOp op, Value left, Value right, Span span);
Value tik_unary(Interp *in, AstOp op, Object *self, Span span);
/* tik/condition.c: what to write instead of a decision that Python cannot make; the
 * program's name for its container. */
void tik_condition_help(Interp *in, Diag *d, Span span);
const char *tik_container_name(Interp *in);
bool tik_truth(Interp *in, Object *self, Span span, bool *out);
void tik_install_logic(Interp *in, Value module); /* all, any, negate */

/* ---- tik/scalar.c -------------------------------------------------------- */

Value tik_scalar_new(Interp *in, Tik *c, const CallArgs *args);
Value tik_global_scalar(Interp *in, Tik *c, const CallArgs *args);
/* A Scalar in the open scope. */
Value tik_scalar(Interp *in, Tik *c, Sym name, Dtype t, Span span);
/* Arguments of what creates Scalars; a failed value is the default (int64, the given
 * name). */
bool tik_scalar_dtype(Interp *in, Value v, Span span, Dtype *out);
bool tik_scalar_name(Interp *in, Value v, Span span, const char *dflt, Sym *out);
/* Records o = v, converted as by a C cast. False with a diagnostic. */
bool tik_assign(Interp *in, ExprObj *o, Value v, Span span);
/* A Scalar that a method is to set: of this container and alive; what: the parameter.
 * Warns where it bounds an open loop. False with a diagnostic. */
bool tik_target(Interp *in, Tik *c, Value v, const char *what, const char *method,
                Span span);
/* What set_as does: tik_assign if the Scalar is alive and the branch is not dropped.
 * False: the program ends. */
bool tik_set(Interp *in, ExprObj *o, Value v, Span span);
/* Loads a one-element view of the container into a fresh register and gives its value. */
bool tik_load(Interp *in, Tik *c, View *v, Span span, ExprId *out);
/* The container of a tensor, Scalar or Expr; null for other values. */
Tik *tik_container_of(Value v);
/* False with arg-type when the value belongs to another container. */
bool tik_own(Interp *in, const Tik *c, Value v, Span span);
Value tik_tensor_set_as(Interp *in, View *dst, Value v, Span span);

/* ---- tik/scalar_array.c, tik/input_scalar.c ------------------------------ */

Value tik_scalar_array(Interp *in, Tik *c, const CallArgs *args);
/* The Scalars of a ScalarArray and their number; -1 for other values. */
int64_t tik_array_items(Value v, const Value **items);
/* tik_assign to an element that is chosen at run time. */
bool tik_array_assign(Interp *in, ExprObj *o, Value v, Span span);
Value tik_input_scalar(Interp *in, Tik *c, const CallArgs *args);

/* ---- tik/tensor.c, tik/view.c -------------------------------------------- */

Value tik_tensor_new(Interp *in, Tik *c, const CallArgs *args);
View *tik_view(Interp *in, Root *root, int ndim);
/* Two elements of the view share a byte. */
bool tik_view_is_halves(const View *v);
/* The operand for an instruction, load or store; false silently when the view is
 * poisoned, with scope-ended when its scope was closed. */
bool tik_ref(Interp *in, View *v, Span span, Ref *out);
/* False with tensor-name when it is no identifier. */
bool tik_identifier(Interp *in, Sym name, Span span);
/* Puts a global tensor into the kernel. */
void tik_declare(Root *root);
Value tik_get_item(Interp *in, Object *self, Value key, Span span);
Value tik_reshape(Interp *in, View *v, const CallArgs *args);
Value tik_flatten(Interp *in, View *v, const CallArgs *args);
Value tik_reinterpret(Interp *in, View *v, const CallArgs *args);
/* Product of the lengths, int64. */
ExprId tik_product(Tik *c, const Dim *dim, int ndim);
/* The value of a formula whose run-time parts cancel (tik/fold.c); for conditions of the
 * program only. */
bool tik_fold(const Tik *c, ExprId e, int64_t *out);
/* Number of elements, -1 if not constant. */
int64_t tik_view_elems(const View *v);
/* Row-major strides for the lengths. */
void tik_strides(Tik *c, Dim *dim, int ndim);
/* A shape: items are positive ints, integral floats, integer Scalars and Exprs. */
bool tik_shape(Interp *in, Tik *c, Value v, Span span, Dim **dim, int *ndim);
/* ---- tik/addr_list.c ----------------------------------------------------- */

Value tik_list_new(Interp *in, Tik *c, const CallArgs *args);
/* The storage of a TensorAddrList; null for other values. *poisoned: it was refused. */
Root *tik_list_root(Value v, bool *poisoned);
/* The operand that an address (l[i].value) is, as elements of the dtype. */
bool tik_address_ref(Interp *in, const Tik *c, Value v, Dtype t, Span span, Ref *out);

/* The value of tik.scope_static: memory that no tensor can be in. */
#define TIK_SCOPE_STATIC "local.STATIC"
/* ---- tik/tensor_data.c: options of a tensor that is being created -------- */

/* init_value with is_atomic_add: one number or None (0). */
bool tik_preset(Interp *in, Root *r, Value v, Span span);
/* init_value without: a number for all elements, or nested lists. Makes the tensor a
 * constant table. */
bool tik_table(Interp *in, Root *r, Value v, Span span);
/* The same of any size; what: the parameter. */
bool tik_fill(Interp *in, Root *r, const char *what, Value v, Span span);
bool tik_start_addr(Interp *in, Root *r, Value v, Span span);
/* apart: no_reuse_list, else reuse_list. */
bool tik_reuse_list(Interp *in, Root *r, Value v, Span span, bool apart);

/* Reports a text that names no dtype; what: " of tensors" or the like. */
/* The dtype of the name, with bits and sign4 of the root. Elements of 4 bits exist where
 * memory has lanes; two of them are a byte. DT_NONE: there is none. */
Dtype tik_find_dtype(Root *r, const char *text);
const char *tik_dtype_name(const View *v);
void tik_no_dtype(Interp *in, Span span, const char *text, const char *what);

static inline ExprId
tik_i64(Tik *c, int64_t v)
{
    return ir_const(c->k, DT_S64, v);
}
static inline bool
tik_const_of(const Tik *c, ExprId e, int64_t *v)
{
    if (!ir_is_const(c->k, e)) {
        return false;
    }
    *v = ir_expr(c->k, e)->imm;
    return true;
}

/* ---- scopes, loops, instructions, kernels -------------------------------- */

/* A context manager, not entered yet. */
Opener *tik_opener(Interp *in, Tik *c, OpenerKind kind, Span span);
Value tik_for_range(Interp *in, Tik *c, const CallArgs *args);
Value tik_if_scope(Interp *in, Tik *c, const CallArgs *args);
Value tik_elif_scope(Interp *in, Tik *c, const CallArgs *args);
Value tik_else_scope(Interp *in, Tik *c, const CallArgs *args);
Value tik_new_scope(Interp *in, Tik *c, const CallArgs *args);
Value tik_new_stmt_scope(Interp *in, Tik *c, const CallArgs *args);
Value tik_multi_for_range(Interp *in, Tik *c, const CallArgs *args);
Value tik_break(Interp *in, Tik *c, const CallArgs *args);
Value tik_continue(Interp *in, Tik *c, const CallArgs *args);
Value tik_return(Interp *in, Tik *c, const CallArgs *args);
Value tik_left_bytes(Interp *in, Tik *c, const CallArgs *args);
Value tik_available_bytes(Interp *in, Tik *c, const CallArgs *args);
/* Calls that have no effect here: printing, profiling, tiling hints. */
Value tik_ignore(Interp *in, Tik *c, const CallArgs *args);
/* ---- tik/calls/extended.c ------------------------------------------------ */

/* The call of data_move without extended arguments where its path has none. */
CallArgs tik_without_extended(Interp *in, const CallArgs *args);
/* Of a bound call of data_move: paths that its manual does not list are told of, and what
 * copies out of L0C without a conversion gets the type of src on both sides. */
void tik_judge_move(Interp *in, Tik *c, Arg *out, const Span *span);
/* False with dtype-unsupported of a type that only data_copy moves. */
bool tik_move_has_type(Interp *in, const char *method, Dtype t, Span span);
/* Whether code, of moves from L0C to UB, converts nothing between these types: both sides
 * are of type from then. */
bool tik_copies_bytes(Dtype from, Dtype to, int64_t code);

/* ---- tik/calls/sync.c ---------------------------------------------------- */

/* Whether the open scope is one in which the compiler does not synchronise. */
bool tik_without_sync(const Tik *c);
/* False with sync-scope where a method of several instructions may not stand: it would
 * need flags of its own. */
bool tik_composite_place(Interp *in, const Tik *c, const char *name, Span span);
/* The unit flag of a structure; false with unitflag. */
bool tik_unit_flag(Interp *in, const Tik *c, Value v, Span span);
/* False with scope-use where the instruction, set_flag or wait_flag, may not stand. */
bool tik_flag_place(Interp *in, const Tik *c, Op op, Span span);
void tik_block_barrier(const Bound *b);

/* ---- tik/sreg.c: special registers, by their offset SREG_ and dtype ------ */

/* The register as the place of a load or store. */
Ref tik_sreg_ref(Interp *in, Tik *c, int64_t offset, Dtype t);
/* Loads it into a fresh register. False: the program ends. */
bool tik_sreg_read(Interp *in, Tik *c, int64_t offset, Dtype t, Span span, ExprId *out);
/* Sets a Scalar, or an element of a ScalarArray, to its value, as set_as converts. The
 * caller has asked tik_alive. */
bool tik_sreg_load(Interp *in, ExprObj *dst, int64_t offset, Dtype t, Span span);
/* Sets it to the value, converted as by a C cast. */
bool tik_sreg_store(Interp *in, Tik *c, int64_t offset, Dtype t, ExprId value, Span span);
/* The index of the core that executes, converted to an integer type. */
ExprId tik_core_index(Interp *in, Tik *c, Dtype t);
/* When the kernel is built: the registers exist from its first statement on. */
void tik_sreg_begin(Interp *in, Tik *c);

/* ---- tik/calls/reduce.c -------------------------------------------------- */

/* ---- tik/calls/fixpipe.c ------------------------------------------------- */

Value tik_fixpipe(Interp *in, Tik *c, const CallArgs *args);
void tik_set_fixpipe_nz2nd_flag(const Bound *b);
void tik_set_fixpipe_pre_quant_flag(const Bound *b);
void tik_set_fixpipe_config(const Bound *b);

/* ---- tik/calls/l0c_move.c ------------------------------------------------ */

void tik_tensor_mov(const Bound *b);
void tik_data_move_quant(const Bound *b);

/* ---- tik/calls/convert.c ------------------------------------------------- */

/* deqscale of a scaled conversion: a number or Scalar; [scale, offset], a pack or a
 * Scalar of one, a list becoming a pack. False: it is something else, with diagnostic
 * that says what the call takes. */
bool tik_deq_scale(Interp *in, Value deq, Span span);
bool tik_deq_pack(Interp *in, Value *deq, Span span, Dtype dst, const char *takes);
Value tik_vec_conv(Interp *in, Tik *c, const CallArgs *args);
Value tik_vconv(Interp *in, Tik *c, const CallArgs *args);
void tik_vector_extreme(const Bound *b);
Value tik_vec_reduce_add(Interp *in, Tik *c, const CallArgs *args);
Value tik_vec_reduce_max(Interp *in, Tik *c, const CallArgs *args);
Value tik_vec_reduce_min(Interp *in, Tik *c, const CallArgs *args);
/* ---- tik/calls/cast.c ---------------------------------------------------- */

Value tik_set_deq_scale(Interp *in, Tik *c, const CallArgs *args);
Value tik_cast(Interp *in, Tik *c, const CallArgs *args);
Value tik_cast_deq(Interp *in, Tik *c, const CallArgs *args);
Value tik_cast_dequant(Interp *in, Tik *c, const CallArgs *args);
/* ---- tik/calls/gather.c -------------------------------------------------- */

Value tik_vreduce(Interp *in, Tik *c, const CallArgs *args);
Value tik_vreducev2(Interp *in, Tik *c, const CallArgs *args);

/* ---- tik/calls/data_copy.c, tik/struct.c --------------------------------- */

Value tik_data_copy(Interp *in, Tik *c, const CallArgs *args);
/* The structures and enumerations of tik/struct.def. */
void tik_install_structs(Interp *in, Value module);

/* ---- tik/calls/sort.c ---------------------------------------------------- */

Value tik_vmrgsort4(Interp *in, Tik *c, const CallArgs *args);
Value tik_vmrgsort(Interp *in, Tik *c, const CallArgs *args);
void tik_mov_vmrgsort4_sr(const Bound *b);
Value tik_rpn_cor(Interp *in, Tik *c, const CallArgs *args);
void tik_rpn_cor_diag(const Bound *b);
Value tik_set_rpn_cor_ir(Interp *in, Tik *c, const CallArgs *args);
void tik_mov_rpn_cor_ir(const Bound *b);
Value tik_set_rpn_offset(Interp *in, Tik *c, const CallArgs *args);

/* ---- tik/calls/scalar_instr.c -------------------------------------------- */

void tik_scalar_function(const Bound *b);
void tik_scalar_extreme(const Bound *b);
void tik_scalar_conv(const Bound *b);

/* ---- tik/calls/mode.c ---------------------------------------------------- */

void tik_set_mode(const Bound *b);
void tik_get_mode(const Bound *b);
void tik_set_cond_task_id(const Bound *b);
/* tik/calls/atomic.c */
void tik_set_atomic(const Bound *b);
void tik_set_atomic_none(const Bound *b);
void tik_mov_atomic_add(const Bound *b);
/* tik/calls/transfer.c */
void tik_data_move_pad(const Bound *b);
void tik_data_copy_pad(const Bound *b);
void tik_set_l0_set_value(const Bound *b);
void tik_tensor_padding_with_matrix(const Bound *b);
void tik_set_pad_value(const Bound *b);

/* ---- tik/calls/slice_shape.c, tik/calls/slice.c -------------------------- */

#define BINARY(name, op, scalar)                                                         \
    Value tik_##name(Interp *in, Tik *c, const CallArgs *args);
#define UNARY(name, op)  Value tik_##name(Interp *in, Tik *c, const CallArgs *args);
#define REDUCE(name, op) Value tik_##name(Interp *in, Tik *c, const CallArgs *args);
#include "tik/calls/slice.def"
Value tik_h_duplicate(Interp *in, Tik *c, const CallArgs *args);
Value tik_h_cast(Interp *in, Tik *c, const CallArgs *args);
Value tik_h_quant(Interp *in, Tik *c, const CallArgs *args);
Value tik_h_cmpv(Interp *in, Tik *c, const CallArgs *args);
Value tik_h_sel(Interp *in, Tik *c, const CallArgs *args);
/* When the kernel is built: the room that calls on slices reserve exists from its first
 * statement on. */
void tik_slice_begin(Tik *c);

/* ---- tik/const.c --------------------------------------------------------- */

Value tik_const_new(Interp *in, Tik *c, const CallArgs *args);
Value tik_resize(Interp *in, Tik *c, const CallArgs *args);
Value tik_requant(Interp *in, Tik *c, const CallArgs *args);
Value tik_pack_conv(Interp *in, Tik *c, const CallArgs *args);
Value tik_pack_params(Interp *in, Tik *c, const CallArgs *args);
Value tik_arange(Interp *in, Value self, const CallArgs *args);
Value tik_const_content(Interp *in, Value self, const CallArgs *args);

/* What an instruction is called with, kept by the evaluator. */
const Signature *tik_signature(Interp *in, Op op);
Value tik_instruction(Interp *in, Tik *c, Op op, const CallArgs *args);
/* The instruction that data_move of blocks to dst is: moves to the bias table are one of
 * their own. */
Op tik_move_op(Value dst);
/* The dtype represents the number; a float is no integer unless it has no fraction. */
bool tik_literal_fits(Value v, Dtype t);

/* What a literal is given to (tik/literal.c). */
typedef struct Literal {
    const char *what; /* for messages */
    Span span;
    bool operand; /* of a vector instruction; else a Scalar, an element or an h_* call */
} Literal;

/* The number in the type, with a warning when it becomes another one. False: no number,
 * or an integer of more than 64 bits; nothing is reported then. */
bool tik_literal_value(Interp *in, const Tik *c, Value v, Dtype t, const Literal *use,
                       int64_t *out);
bool tik_literal(Interp *in, Tik *c, Value v, Dtype t, const Literal *use, ExprId *out);
/* A constant Expr that is given to a float16 Scalar or element is limited as a literal
 * is. */
void tik_limit_constant(Interp *in, Tik *c, Dtype t, const Literal *use, ExprId *e);
/* "Scalar 'n'". */
const char *tik_reg_name(Interp *in, const Tik *c, RegId r);
/* For methods that bind their own arguments: records op with one value and one place for
 * each parameter of the form (VAL_FAIL: the default; a list is one value). False:
 * refused, with diagnostics. The caller has asked tik_dropped and tik_not_built. */
bool tik_record(Interp *in, Tik *c, Op op, const CallArgs *args, const Value *values,
                const Span *spans);
/* ---- tik/calls/load_data.c ----------------------------------------------- */

void tik_load_data(const Bound *b);
void tik_load_image(const Bound *b);
void tik_load_data_with_transpose(const Bound *b);
/* mmad with MmadParams: whether the call has one, and the call. */
bool tik_is_mmad_params(const CallArgs *args);
Value tik_mmad_params(Interp *in, Tik *c, const CallArgs *args);

/* ---- tik/calls/scatter.c ------------------------------------------------- */

void tik_scatter_vconv(const Bound *b);

/* ---- tik/calls/reg.c ----------------------------------------------------- */

Value tik_vector_new(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_cast(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_load(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_store(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_vadd(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_vdintlv(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_vdup(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_vintlv(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_vmul(Interp *in, Tik *c, const CallArgs *args);
Value tik_vector_vsub(Interp *in, Tik *c, const CallArgs *args);

/* ---- tik/calls/cube.c ---------------------------------------------------- */

Value tik_col2img(Interp *in, Tik *c, const CallArgs *args);
Value tik_conv2d(Interp *in, Tik *c, const CallArgs *args);
Value tik_load2dv1(Interp *in, Tik *c, const CallArgs *args);
Value tik_load2dv2(Interp *in, Tik *c, const CallArgs *args);
Value tik_load3dv1(Interp *in, Tik *c, const CallArgs *args);
Value tik_load3dv2(Interp *in, Tik *c, const CallArgs *args);
Value tik_matmul(Interp *in, Tik *c, const CallArgs *args);
Value tik_mmad(Interp *in, Tik *c, const CallArgs *args);

/* ---- tik/calls/lmem.c ---------------------------------------------------- */

/* Of bursts, or of tensors where memory has lanes. */
Value tik_data_move(Interp *in, Tik *c, const CallArgs *args);
Value tik_lane_add(Interp *in, Tik *c, const CallArgs *args);
Value tik_lane_sub(Interp *in, Tik *c, const CallArgs *args);
Value tik_lane_mul(Interp *in, Tik *c, const CallArgs *args);
Value tik_lane_max(Interp *in, Tik *c, const CallArgs *args);
Value tik_lane_min(Interp *in, Tik *c, const CallArgs *args);
Value tik_lane_conv2d(Interp *in, Tik *c, const CallArgs *args);
/* ---- tik/calls/compare.c ------------------------------------------------- */

/* What the call of an instruction gives: a handle of CMPMASK where it writes that, else
 * None. */
Value tik_instruction_value(Interp *in, Tik *c, Op op);
Value tik_mov_tensor_to_cmpmask(Interp *in, Tik *c, const CallArgs *args);
void tik_select(const Bound *b);
void tik_mov_cmpmask_to_tensor(const Bound *b);
Value tik_set_scalar_to_cmpmask(Interp *in, Tik *c, const CallArgs *args);

static inline DiagId
tik_diag_of_rule(Rule r)
{
    return (DiagId)((int)D_ARG_TYPE + (int)r - (int)RULE_ARG_TYPE);
}
Value tik_build(Interp *in, Tik *c, const CallArgs *args);
/* tik/evaluate.c: fixes Scalars to the numbers of the evaluates argument. False with a
 * diagnostic. */
bool tik_evaluate(Interp *in, Tik *c, Value evaluates, Span span);
Value tik_profile_new(Interp *in, Value self, const CallArgs *args);

/* ---- compile_info.c: facts for the host ---------------------------------- */

/* A value as JSON. False: *bad says what in it JSON cannot hold; null: a limit was
 * hit. */
bool MUST_USE compile_info_text(Interp *in, Value v, Span span, const char **text,
                                const char **bad);

/* ---- target.c ------------------------------------------------------------ */

/* The module _target: facts of the processor for stdlib/. */
void target_install(Interp *in);

#endif
