/* build.c: BuildCCE ends a kernel, orders its arguments and hands it to the unit.
 *
 * The order of arguments is: tensors and then InputScalars of inputs, tensors of outputs,
 * workspaces and then global-space tensors in order of creation, tensors of flowtable,
 * InputScalars of outputs and of flowtable. Constant tables are part of the kernel and no
 * arguments. A kernel whose argument lists are wrong is not handed over, since the back
 * ends rely on every global tensor being an argument. config, enable_l2,
 * output_files_path and extend_params have no effect on the kernel (language 5.5). */
#include "python/core.h"
#include "tik/addr_list.h"
#include "tik/build.h"
#include "tik/calls/slice_shape.h"
#include "tik/methods.h"
#include "tik/sreg.h"
#include "tik/tensor.h"
#include "tik/tik.h"

#include <ctype.h>
#include <string.h>

enum {
    MAX_ARGUMENTS = 192
};

typedef struct Build {
    Interp *in;
    Tik *c;
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Span call;
    VEC(Root *) params;
} Build;

static bool
read_name(Build *b)
{
    const char *text;
    TRY(tik_text(b->in, b->got[P_BuildCCE_kernel_name], "kernel_name",
                 b->span[P_BuildCCE_kernel_name], &text));
    bool ok = isalpha((unsigned char)*text) || *text == '_';
    for (const char *p = text; *p; p++) {
        ok = ok && (isalnum((unsigned char)*p) || *p == '_');
    }
    if (!ok) {
        py_diag(b->in, D_BUILD_ARGS, b->span[P_BuildCCE_kernel_name],
                "kernel_name '%s' is not an identifier", text);
        return false;
    }
    Unit *u = b->in->u;
    b->c->k->name = intern(&u->names, text);
    Value first;
    if (dict_get(b->in, tik_state(b->in)->built, b->got[P_BuildCCE_kernel_name],
                 &first)) {
        Diag *d = py_diag(b->in, D_KERNEL_NAME, b->span[P_BuildCCE_kernel_name],
                          "two kernels are called '%s'", text);
        diag_note(u, d, u->kernels.p[first.i]->span, "the first one");
        return false;
    }
    return true;
}

enum {
    PARAM_STEPS = 256 /* cost of one argument, also of one in a message */
};

static bool
name_is_taken(const Build *b, Sym name)
{
    for (uint32_t i = 0; i < b->params.n; i++) {
        if (b->params.p[i]->name == name) {
            return true;
        }
    }
    return false;
}

/* Renames an argument whose name is taken. The original tells such arguments apart by
 * their places; --in and the facts do so by a number. */
static void
rename_param(Build *b, Root *r, const Root *other, const char *name)
{
    Unit *u = b->in->u;
    for (int i = 1; name_is_taken(b, r->name); i++) {
        r->name = intern(&u->names, arena_printf(&u->arena, "%s_%d", name, i));
    }
    b->c->k->bufs.p[r->buf].name = r->name;
    Diag *d = py_diag(b->in, D_ARGUMENT_NAME, r->span,
                      "two kernel arguments are called '%s'; this one becomes '%s'", name,
                      tik_sym(b->in, r->name));
    diag_note(u, d, other->span, "the other one");
}

static bool
add_param(Build *b, Root *r, Span span)
{
    Unit *u = b->in->u;
    const char *name = tik_sym(b->in, r->name);
    Root *same = NULL;
    TRY(core_charge(b->in, PARAM_STEPS + b->params.n, span));
    for (uint32_t i = 0; i < b->params.n; i++) {
        Root *other = b->params.p[i];
        if (other == r) {
            py_diag(b->in, D_BUILD_ARGS, span, "tensor '%s' is listed twice", name);
            return false;
        }
        same = other->name == r->name ? other : same;
    }
    if (same) {
        rename_param(b, r, same, name);
    }
    VEC_PUSH(&u->arena, &b->params, r);
    return true;
}

static bool
add_addresses(Build *b, Root *r, int list, const char *name)
{
    if (r->c != b->c) {
        py_diag(b->in, D_BUILD_ARGS, b->span[list],
                "TensorAddrList '%s' in %s belongs to another container",
                tik_sym(b->in, r->name), name);
        return false;
    }
    tik_declare(r);
    return add_param(b, r, b->span[list]);
}

static bool
add_tensor(Build *b, Value v, int list, const char *name)
{
    Span span = b->span[list];
    bool refused;
    Root *addresses = tik_list_root(v, &refused);
    if (addresses) {
        return !refused && add_addresses(b, addresses, list, name);
    }
    if (!tik_is(v, &tik_tensor_class)) {
        py_diag(b->in, D_BUILD_ARGS, span, "%s contains %s; it lists global tensors",
                name, tik_a(b->in, v));
        return false;
    }
    View *view = (View *)v.obj;
    Root *r = view->root;
    const char *text = r->name ? tik_sym(b->in, r->name) : "?";
    if (view->poisoned) {
        return false;
    }
    if (r->c != b->c || r->mem != SC_GM || r->role > BUF_OUT) {
        py_diag(b->in, D_BUILD_ARGS, span, "'%s' in %s is %s; it lists global tensors",
                text, name,
                r->c != b->c ? "a tensor of another container"
                : r->mem != SC_GM
                    ? arena_printf(&b->in->u->arena, "a tensor in %s", scope_name(r->mem))
                : r->role == BUF_CONST  ? "a constant table"
                : r->role == BUF_GLOBAL ? "created with is_global_tensor"
                                        : "a workspace");
        return false;
    }
    tik_declare(r);
    Buffer *buf = &b->c->k->bufs.p[r->buf];
    buf->role = list == P_BuildCCE_outputs ? BUF_OUT : BUF_IN;
    buf->preset = r->preset && list == P_BuildCCE_outputs; /* the caller presets inputs */
    buf->use = list == P_BuildCCE_flowtable ? USE_FLOW : USE_TENSOR;
    return add_param(b, r, span);
}

static bool
is_input_scalar(Value v)
{
    return tik_is(v, &tik_expr_class) && tik_runtime(v)->input;
}

static bool
add_input_scalar(Build *b, Value v, int list, const char *name)
{
    Root *r = tik_runtime(v)->input;
    if (r->c != b->c) {
        py_diag(b->in, D_BUILD_ARGS, b->span[list],
                "InputScalar '%s' in %s belongs to another container",
                tik_sym(b->in, r->name), name);
        return false;
    }
    b->c->k->bufs.p[r->buf].role = BUF_IN;
    b->c->k->bufs.p[r->buf].use = USE_SCALAR;
    return add_param(b, r, b->span[list]);
}

/* Adds the InputScalars of a list, or everything else in it. */
static bool
add_list(Build *b, int list, const char *name, bool scalars)
{
    Value v = b->got[list];
    bool ok = true, many = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    uint32_t n = v.kind == VAL_NONE ? 0 : many ? v.list->n : 1;
    for (uint32_t i = 0; i < n && !b->in->fatal; i++) {
        Value item = many ? v.list->p[i] : v;
        if (is_input_scalar(item) != scalars) {
            continue;
        }
        ok = (scalars ? add_input_scalar(b, item, list, name)
                      : add_tensor(b, item, list, name)) &&
             ok;
    }
    return ok;
}

/* Adds the arguments that are in no list, in order of creation. */
static bool
add_unlisted(Build *b, BufRole role)
{
    bool ok = true;
    for (uint32_t i = 0; i < b->c->globals.n; i++) {
        Root *r = b->c->globals.p[i];
        if (r->role == role) {
            tik_declare(r);
            ok = add_param(b, r, r->span) && ok;
        }
    }
    return ok;
}

/* Adds the arrays that addresses in UB point to. */
static bool
add_implied(Build *b)
{
    bool ok = true;
    for (uint32_t i = 0; i < b->c->globals.n; i++) {
        Root *r = b->c->globals.p[i];
        if (r->implied && r->used) {
            ok = add_param(b, r, r->span) && ok;
        }
    }
    return ok;
}

/* Checks that every global tensor that a statement uses is an argument. */
static bool
all_listed(Build *b)
{
    bool ok = true;
    Diag *d = NULL;
    for (uint32_t i = 0; i < b->c->globals.n; i++) {
        Root *r = b->c->globals.p[i];
        bool listed = false;
        for (uint32_t j = 0; j < b->params.n && !listed; j++) {
            listed = b->params.p[j] == r;
        }
        if (r->used && !listed && r->role != BUF_CONST) {
            const char *name = tik_sym(b->in, r->name);
            if (!d) {
                d = py_diag(b->in, D_BUILD_ARGS, b->call,
                            "global tensor '%s' is used and is in none of the lists",
                            name);
                diag_help(b->in->u, d, "add it to inputs or outputs");
            }
            diag_note(b->in->u, d, r->span, ok ? "'%s' is created here" : "'%s' too",
                      name);
            ok = false;
        }
    }
    return ok;
}

static bool
arguments(Build *b)
{
    bool ok = add_list(b, P_BuildCCE_inputs, "inputs", false);
    ok = add_list(b, P_BuildCCE_inputs, "inputs", true) && ok;
    ok = add_list(b, P_BuildCCE_outputs, "outputs", false) && ok;
    ok = add_unlisted(b, BUF_WORKSPACE) && ok;
    ok = add_unlisted(b, BUF_GLOBAL) && ok;
    ok = add_implied(b) && ok;
    ok = add_list(b, P_BuildCCE_flowtable, "flowtable", false) && ok;
    ok = add_list(b, P_BuildCCE_outputs, "outputs", true) && ok;
    ok = add_list(b, P_BuildCCE_flowtable, "flowtable", true) && ok;
    if (b->params.n > MAX_ARGUMENTS) {
        py_diag(b->in, D_BUILD_ARGS, b->call, "the kernel has %u arguments; %d at most",
                b->params.n, MAX_ARGUMENTS);
        return false;
    }
    return ok && all_listed(b);
}

static bool
other_parameters(Build *b)
{
    Value config = b->got[P_BuildCCE_config];
    if (config.kind != VAL_NONE && config.kind != VAL_DICT) {
        py_diag(b->in, D_BUILD_ARGS, b->span[P_BuildCCE_config],
                "config is %s; it is a dict of options", tik_a(b->in, config));
        return false;
    }
    return tik_evaluate(b->in, b->c, b->got[P_BuildCCE_evaluates],
                        b->span[P_BuildCCE_evaluates]);
}

static bool
scopes_closed(Build *b)
{
    bool ok = b->c->top == &b->c->top_level;
    if (!ok) {
        Diag *d =
            py_diag(b->in, D_BUILD_ARGS, b->call, "BuildCCE is called inside a scope");
        diag_note(b->in->u, d, b->c->top->span, "the scope was opened here");
    }
    for (uint32_t i = 0; i < b->c->openers.n; i++) {
        Opener *o = b->c->openers.p[i];
        if (!o->entered) {
            diag_add(b->in->u, D_SCOPE_USE, o->span, o->chain,
                     "the scope is never opened; it stands in a with statement");
        }
    }
    return ok;
}

Value
tik_build(Interp *in, Tik *c, const CallArgs *args)
{
    Build b = {.in = in, .c = c, .call = args->span};
    if (!tik_bind(in, CALL_BuildCCE, args, b.got, b.span)) {
        return val_fail();
    }
    if (c->top->dropped) { /* after tik_return the call still counts */
        return val_none();
    }
    if (!tik_not_built(in, c, args->span)) {
        return val_none();
    }
    c->built = true;
    c->k->span = args->span;
    bool ok = scopes_closed(&b);
    ok = read_name(&b) && ok;
    ok = other_parameters(&b) && ok;
    if (!arguments(&b) || !ok) {
        return val_none();
    }
    for (uint32_t i = 0; i < b.params.n; i++) {
        VEC_PUSH(&c->k->arena, &c->k->params, b.params.p[i]->buf);
    }
    tik_slice_begin(c);
    tik_sreg_begin(in, c);
    ir_keep_trace(c->k);
    VEC_PUSH(&in->u->arena, &in->u->kernels, c->k);
    c->pushed = true;
    Value number = val_int(in->u->kernels.n - 1);
    return dict_set(in, tik_state(in)->built, b.got[P_BuildCCE_kernel_name], number,
                    args->span)
               ? val_none()
               : val_fail();
}
