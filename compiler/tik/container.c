/* container.c: the module tik: its names and constants, the container class Tik, and the
 * dispatch of container methods.
 *
 * A method is an instruction (a row of op.def), a method of tik/call.def, or a name that
 * TIK has and this compiler refuses (tik/known.def). One number space covers all three; a
 * dense table by symbol makes the look-up of an attribute one load. The file relies on
 * the registration of modules and classes in python/interp.h. */
#include "tik/print.h"
#include "tik/addr_list.h"
#include "tik/calls/instruction.h"
#include "tik/const.h"
#include "tik/expr.h"
#include "tik/install.h"
#include "tik/refused.h"
#include "tik/scalar.h"
#include "tik/struct.h"
#include "tik/target.h"
#include "tik/methods.h"
#include "tik/tik.h"

#include <string.h>

/* A method that is no instruction: fn compiles its calls, or else the arguments are bound
 * here to those of call, and record records the statements. */
typedef struct Method {
    const char *name;
    Value (*fn)(Interp *, Tik *, const CallArgs *);
    Call call;
    void (*record)(const Bound *);
} Method;

static const Method own_methods[] = {
#define METHOD(name, fn)  {#name, fn, CALL_COUNT, NULL},
#define RECORDS(name, fn) {#name, NULL, CALL_##name, fn},
#include "tik/call.def"
};

static const char *const known_names[] = {
#define KNOWN(name) #name,
#include "tik/known.def"
};

enum {
    METHOD_COUNT = OP_COUNT + TM_COUNT + TK_COUNT
};

const char *
tik_method_name(int method)
{
    if (method < OP_COUNT) {
        return op_table[method].name;
    }
    method -= OP_COUNT;
    return method < TM_COUNT ? own_methods[method].name : known_names[method - TM_COUNT];
}

const char *
tik_sym(Interp *in, Sym s)
{
    return sym_text(&in->u->names, s);
}

const char *
tik_a(Interp *in, Value v)
{
    if (v.kind == VAL_NONE) {
        return "None";
    }
    const char *hidden = py_hidden_name(in, v);
    if (hidden) {
        return hidden;
    }
    const char *name = val_type_name(v);
    bool vowel = name[0] && strchr("aeiouEIO", name[0]) != NULL;
    return arena_printf(&in->u->arena, "%s %s", vowel ? "an" : "a", name);
}

bool
tik_text(Interp *in, Value v, const char *what, Span span, const char **out)
{
    if (v.kind == VAL_STR && !memchr(v.str->p, '\0', v.str->len)) {
        *out = val_text_of(in, v);
        return true;
    }
    py_diag(in, D_ARG_TYPE, span, "%s is %s; it takes a text", what, tik_a(in, v));
    return false;
}

void
tik_not_on_arch(Interp *in, const Tik *c, const char *method, Span span, SocHas *has,
                const void *ctx)
{
    char families[320];
    Diag *d = py_diag(in, D_NOT_ON_ARCH, span, "%s does not exist on %s", method,
                      c->k->soc->name);
    soc_families(has, ctx, families, sizeof families);
    diag_note(in->u, d, (Span){0}, "processors that have it: %s", families);
}

static bool
is_core_of(const void *ctx, const Soc *soc)
{
    return soc_on(soc, *(const CoreSet *)ctx);
}

bool
tik_on_cores(Interp *in, const Tik *c, const char *method, Span span, CoreSet cores)
{
    bool on = is_core_of(&cores, c->k->soc);
    if (!on) {
        tik_not_on_arch(in, c, method, span, is_core_of, &cores);
    }
    return on;
}

static bool
has_op(const void *ctx, const Soc *soc)
{
    return op_on_soc(*(const Op *)ctx, soc);
}

bool
tik_has_op(Interp *in, const Tik *c, const char *method, Span span, Op op)
{
    bool on = op_on_soc(op, c->k->soc);
    if (!on) {
        tik_not_on_arch(in, c, method, span, has_op, &op);
    }
    return on;
}

/* ---- methods of the container -------------------------------------------- */

/* Binds and records a call. One that does not bind is reported and records nothing; the
 * program goes on, so that its other errors are found, too. */
static Value
record(Interp *in, Tik *c, const Method *m, const CallArgs *args)
{
    Value got[MOST_ARGS] = {0};
    Span span[MOST_ARGS] = {0};
    const Bound b = {in, c, args, m->call, got, span};
    if (!tik_dropped(c) && tik_bind(in, m->call, args, got, span) &&
        tik_not_built(in, c, args->span)) {
        m->record(&b);
    }
    return tik_none(in);
}

static Value
run_method(Interp *in, Tik *c, int method, const CallArgs *args)
{
    enum {
        METHOD_STEPS = 24 /* recording and checking, without the call itself */
    };
    core_owe(in, METHOD_STEPS);
    if (!meter_sizes(in, val_none(), args)) {
        return val_fail();
    }
    if (method < OP_COUNT) {
        return tik_instruction(in, c, (Op)method, args);
    }
    if (method - OP_COUNT < TM_COUNT) {
        const Method *m = &own_methods[method - OP_COUNT];
        return m->fn ? m->fn(in, c, args) : record(in, c, m, args);
    }
    return tik_refuse(in, c, method - OP_COUNT - TM_COUNT, args);
}

static Value
method_call(Interp *in, Object *self, const CallArgs *args)
{
    MethodObj *m = (MethodObj *)self;
    return run_method(in, m->c, m->method, args);
}

static void
method_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    text_printf(out, "<method Tik.%s>", tik_method_name(((MethodObj *)self)->method));
}

const ObjectClass tik_method_class = {
    .name = "method",
    .call = method_call,
    .repr = method_repr,
};

static Value
bound_method(Interp *in, Tik *c, int method)
{
    if (!c->methods) {
        c->methods = ARENA_ARRAY(&in->u->arena, MethodObj *, METHOD_COUNT);
    }
    MethodObj *m = c->methods[method];
    if (!m) {
        m = ARENA_NEW(&in->u->arena, MethodObj);
        m->base.cls = &tik_method_class;
        m->c = c;
        m->method = method;
        c->methods[method] = m;
    }
    return val_object(&m->base);
}

/* tikdb, the debugger of the original. Its prints are those of a run (tik/print.h). A
 * value that a run would give is known to the host alone. */
typedef struct Debugger {
    Object base;
    Tik *c;
} Debugger;

static Value
debug_print(Interp *in, Value self, const CallArgs *args)
{
    return tik_debug_print(in, ((Debugger *)self.obj)->c, args);
}

static Value
start_debug(Interp *in, Value self, const CallArgs *args)
{
    const Tik *c = ((Debugger *)self.obj)->c;
    Diag *d = py_diag(in, D_DEBUG_IGNORED, args->span,
                      "'tikdb.start_debug' runs nothing inside the compiler; only "
                      "the host has its outputs");
    diag_help(in->u, d,
              "run the kernel with 'tikc run', or the whole program "
              "with 'python3 -m tikc' (docs/python.md)");
    Value list = val_list(in, NULL, 0);
    for (uint32_t i = 0; c->pushed && i < c->k->params.n; i++) {
        const Buffer *b = &c->k->bufs.p[c->k->params.p[i]];
        Value out = host_value(in, "tikdb.start_debug(...)", args->span);
        if (b->role == BUF_OUT && !list_push(in, list, out)) {
            return val_fail();
        }
    }
    return list;
}

static Value
debugger_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    const char *text = tik_sym(in, name);
    *found = true;
    if (strcmp(text, "debug_print") == 0) {
        return val_builtin(in, "debug_print", debug_print, val_object(self));
    }
    if (strcmp(text, "start_debug") == 0) {
        return val_builtin(in, "start_debug", start_debug, val_object(self));
    }
    *found = false;
    return val_none();
}

const ObjectClass tik_debugger_class = {.name = "Tikdb", .get_attr = debugger_attr};

static Value
debugger(Interp *in, Tik *c)
{
    Debugger *d = ARENA_NEW(&in->u->arena, Debugger);
    d->base.cls = &tik_debugger_class;
    d->c = c;
    return val_object(&d->base);
}

static Value
container_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    TikState *st = tik_state(in);
    Tik *c = (Tik *)self;
    *found = true;
    if (name < st->nsym && st->method_of_sym[name]) {
        return bound_method(in, c, st->method_of_sym[name] - 1);
    }
    const char *text = tik_sym(in, name);
    if (strcmp(text, "d_profiling") == 0) {
        return val_object(&c->profile->base);
    }
    if (strcmp(text, "tikdb") == 0) {
        return debugger(in, c);
    }
    *found = false;
    return val_none();
}

/* Returns a help for an unknown name: programs are sometimes written with methods outside
 * of a container, or without the import of the module. */
static const char *
name_help(Interp *in, Sym name)
{
    const TikState *st = tik_state(in);
    const char *text = tik_sym(in, name);
    if (strcmp(text, "tik") == 0) {
        return "begin with: from tbe import tik";
    }
    bool method = name < st->nsym && st->method_of_sym && st->method_of_sym[name];
    return method ? arena_printf(&in->u->arena,
                                 "it is a method of the container: write %s.%s",
                                 tik_container_name(in), text)
                  : NULL;
}

/* Returns a help with the tensors that there are, for a name that is like none. */
static const char *
name_list(Interp *in)
{
    enum {
        MOST = 8
    };
    const Tik *c = tik_state(in)->containers;
    Text t;
    text_init(&t, &in->u->arena);
    int n = 0;
    for (BufId i = 1; c && i < c->k->bufs.n && n < MOST; i++) {
        const Buffer *b = &c->k->bufs.p[i];
        if (b->name) {
            text_printf(&t, "%s'%s'", n++ ? ", " : "the tensors so far: ",
                        sym_text(&in->u->names, b->name));
        }
    }
    return n ? t.p : NULL;
}

static Value
container_call(Interp *in, Object *self, Sym name, const CallArgs *args, Span span,
               bool *found)
{
    (void)span;
    TikState *st = tik_state(in);
    *found = name < st->nsym && st->method_of_sym[name];
    return *found ? run_method(in, (Tik *)self, st->method_of_sym[name] - 1, args)
                  : val_none();
}

/* What instructions, moves and the scopes of branches and loops record are expressions
 * of the kernel; some other methods keep a tensor or a Scalar. */
static bool
container_forgets(Interp *in, Object *self, Sym name)
{
    (void)self;
    const TikState *st = tik_state(in);
    int method = name < st->nsym ? st->method_of_sym[name] - 1 : -1;
    switch (method - OP_COUNT) {
    case TM_data_copy:
    case TM_data_move:
    case TM_elif_scope:
    case TM_for_range:
    case TM_if_scope:
    case TM_load2dv1:
    case TM_load2dv2:
    case TM_mmad:
        return true;
    default:
        return method >= 0 && method < OP_COUNT;
    }
}

static const char *
container_name(int index)
{
    return index < METHOD_COUNT ? tik_method_name(index) : NULL;
}

const ObjectClass tik_container_class = {
    .only_records = true,
    .name = "Tik",
    .get_attr = container_attr,
    .call_method = container_call,
    .forgets = container_forgets,
    .attr_name = container_name,
};

/* ---- the container ------------------------------------------------------- */

static ProfileObj *
profile_for(Interp *in, Value given)
{
    if (tik_is(given, &tik_profile_class)) {
        return (ProfileObj *)given.obj;
    }
    ProfileObj *p = ARENA_NEW(&in->u->arena, ProfileObj);
    p->base.cls = &tik_profile_class;
    return p;
}

/* Fills the table of methods. A row of tik/call.def has precedence over the row of op.def
 * with that name, and both have it over the list of known names. The first container does
 * this: a program without one does not pay for a thousand names. */
static void
fill_method_table(Interp *in, TikState *st)
{
    if (st->method_of_sym) {
        return;
    }
    Sym sym[METHOD_COUNT];
    for (int i = 0; i < METHOD_COUNT; i++) {
        sym[i] = intern(&in->u->names, tik_method_name(i));
        st->nsym = MAX(st->nsym, sym[i] + 1);
    }
    st->method_of_sym = ARENA_ARRAY(&in->u->arena, uint16_t, st->nsym);
    for (int i = METHOD_COUNT - 1; i >= 0; i--) {
        if (i < OP_COUNT && !op_is_called((Op)i)) {
            continue;
        }
        st->method_of_sym[sym[i]] = (uint16_t)(i + 1);
    }
    for (int i = OP_COUNT; i < OP_COUNT + TM_COUNT; i++) {
        st->method_of_sym[sym[i]] = (uint16_t)(i + 1);
    }
    st->sym_set_as = intern(&in->u->names, "set_as");
}

static Value
container_new(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value got[MOST_ARGS];
    if (!tik_bind(in, CALL_Tik, args, got, NULL)) {
        return val_fail();
    }
    TikState *st = tik_state(in);
    fill_method_table(in, st);
    Tik *c = ARENA_NEW(&in->u->arena, Tik);
    c->base.cls = &tik_container_class;
    c->k = kernel_new(in->u);
    c->profile = profile_for(in, got[P_Tik_profiling]);
    arena_count_in(&c->k->arena, &in->u->arena);
    c->k->soc = c->profile->soc ? c->profile->soc : in->u->soc;
    c->top_level.kind = TS_TOP;
    c->top_level.open = true;
    c->top_level.at = ir_cursor_body(0, 0);
    c->top_level.span = args->span;
    c->top_level.work = ARENA_NEW(&in->u->arena, ScopeWork);
    c->top = &c->top_level;
    c->span = args->span;
    c->chain = py_chain(in);
    c->next = st->containers;
    st->containers = c;
    return val_object(&c->base);
}

/* ---- the module ---------------------------------------------------------- */

static const struct {
    const char *name;
    const char *text;
} scope_names[] = {
#define MEMORY(name, text) {#name, text},
#include "tik/memory.def"
};

static const struct {
    const char *name;
    int value;
} constants[] = {
    {"VECTOR_INST_BLOCK_NUM", 8},
    {"VECTOR_INST_BLOCK_WIDTH", 256},
    {"VECTOR_INST_MAX_REPEAT_TIMES", 255},
    {"BLOCK_IN", 16},
    {"BLOCK_OUT", 16},
    {"BLOCK_REDUCE", 16},
    {"BLOCK_REDUCE_INT8", 32},
    {"C0_SIZE", 16},
};

static Value
is_tik_var(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v;
    if (!tik_bind(in, CALL_is_tik_var, args, &v, NULL)) {
        return val_fail();
    }
    return val_bool(tik_is_runtime(v) || tik_is(v, &tik_tensor_class) ||
                    tik_is(v, &tik_list_class));
}

static Value
product_version(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)self;
    (void)args;
    return val_none();
}

static void
add_classes(Interp *in, Value m)
{
    TikState *st = tik_state(in);
    st->scalar_type = py_object_type(in, "Scalar", &tik_scalar_class, NULL);
    st->expr_type = py_object_type(in, "Expr", &tik_expr_class, NULL);
    py_module_set(in, m, "Tik",
                  py_object_type(in, "Tik", &tik_container_class, container_new));
    py_module_set(in, m, "Dprofile",
                  py_object_type(in, "Dprofile", &tik_profile_class, tik_profile_new));
    py_module_set(in, m, "Tensor", py_object_type(in, "Tensor", &tik_tensor_class, NULL));
    py_module_set(in, m, "Scalar", st->scalar_type);
    py_module_set(in, m, "Expr", st->expr_type);
}

/* Adds tik.tik_lib.tik_expr.Expr and tik.api.tik_scalar.Scalar: the original defines the
 * classes in these modules. */
static void
add_inner_paths(Interp *in, Value m)
{
    Value lib = py_module(in, "tik.tik_lib"), api = py_module(in, "tik.api");
    Value expr = py_module(in, "tik.tik_lib.tik_expr");
    Value scalar = py_module(in, "tik.api.tik_scalar");
    py_module_set(in, m, "tik_lib", lib);
    py_module_set(in, m, "api", api);
    py_module_set(in, lib, "tik_expr", expr);
    py_module_set(in, api, "tik_scalar", scalar);
    py_module_set(in, expr, "Expr", tik_state(in)->expr_type);
    py_module_set(in, scalar, "Scalar", tik_state(in)->scalar_type);
    Value tensor = py_module(in, "tik.api.tik_tensor");
    py_module_set(in, api, "tik_tensor", tensor);
    py_module_set(in, tensor, "Tensor",
                  py_object_type(in, "Tensor", &tik_tensor_class, NULL));
    py_module_set(in, scalar, "InputScalar", tik_state(in)->expr_type);
}

static void
fill_module(Interp *in, Value m)
{
    for (size_t i = 0; i < ARRAY_LEN(scope_names); i++) {
        py_module_set(in, m, scope_names[i].name, val_str(in, scope_names[i].text));
    }
    for (size_t i = 0; i < ARRAY_LEN(constants); i++) {
        py_module_set(in, m, constants[i].name, val_int(constants[i].value));
    }
    add_classes(in, m);
    tik_install_structs(in, m);
    tik_install_logic(in, m);
    py_module_set(in, m, "is_tik_var",
                  val_builtin(in, "is_tik_var", is_tik_var, val_none()));
    py_module_set(in, m, "arange", val_builtin(in, "arange", tik_arange, val_none()));
    py_module_set(in, m, "set_product_version",
                  val_builtin(in, "set_product_version", product_version, val_none()));
    py_module_set(in, m, "unset_product_version",
                  val_builtin(in, "unset_product_version", product_version, val_none()));
}

static bool
all_built(Interp *in)
{
    const TikState *st = tik_state(in);
    bool open = false;
    for (const Tik *c = st ? st->containers : NULL; c; c = c->next) {
        open = open || (!c->pushed && !c->built);
    }
    return in->u->kernels.n > 0 && !open;
}

bool
tik_install(Interp *in)
{
    TikState *st = ARENA_NEW(&in->u->arena, TikState);
    static const Embedding embedding = {name_help, all_built, name_list};
    in->tik = st;
    in->embedding = &embedding;
    target_install(in);
    st->built = val_dict(in);
    Value m = py_module(in, "tik");
    fill_module(in, m);
    add_inner_paths(in, m);
    Value content = val_builtin(in, "constant", tik_const_content, val_none());
    py_module_set(in, py_module(in, "<stdlib>._tik"), "constant", content);
    Value tbe = py_module(in, "tbe");
    Value common = py_module(in, "tbe.common");
    py_module_set(in, tbe, "tik", m);
    py_module_set(in, tbe, "common", common);
    py_module_set(in, common, "tik", m);
    py_module_set(in, py_module(in, "te"), "tik", m);
    return true;
}

void
tik_finish(Interp *in)
{
    TikState *st = tik_state(in);
    if (st) {
        tik_refuse_finish(in);
    }
    for (Tik *c = st ? st->containers : NULL; c; c = c->next) {
        if (c->pushed) {
            continue;
        }
        if (!c->built && c->k->body != 0 && in->u->errors == 0) {
            bool others = in->u->kernels.n > 0;
            diag_add(in->u, others ? D_NOT_BUILT : D_NO_KERNEL, c->span, c->chain,
                     "the kernel of this container was never built");
        }
        if (in->u->want_partial && !in->u->limit_hit && in->u->errors > 0 &&
            c->k->body != 0) {
            VEC_PUSH(&in->u->arena, &in->u->partial, c->k);
        } else {
            kernel_free(c->k);
        }
        c->k = NULL;
    }
}

void
tik_record_next(Interp *in, bool spoilt)
{
    TikState *st = tik_state(in);
    for (Tik *c = st->containers; c && spoilt; c = c->next) {
        c->spoilt = c->spoilt || !c->built;
    }
    st->built = val_dict(in);
    memset(st->refused, 0, sizeof st->refused);
}

bool
tik_record_spoilt(Interp *in, const Kernel *k)
{
    const Tik *c = tik_state(in)->containers;
    while (c && c->k != k) {
        c = c->next;
    }
    return c && c->spoilt;
}
