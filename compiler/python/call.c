/* call.c: implements calls: binding of arguments to parameters, frames, and the chain of
 * calls that diagnostics show. Arguments are on the value stack of the caller. */
#include "python/resolve.h"
#include "python/watch.h"

#include <string.h>

/* ---- call chains --------------------------------------------------------- */

static uint32_t
hash_step(const CallStep *s)
{
    uint64_t h = s->parent * 0x9e3779b97f4a7c15u;
    h = (h ^ s->call.begin) * 0x9e3779b97f4a7c15u;
    h = (h ^ s->call.file ^ (uintptr_t)s->callee) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static bool
same_step(const CallStep *a, const CallStep *b)
{
    return a->parent == b->parent && a->call.file == b->call.file &&
           a->call.begin == b->call.begin && a->call.end == b->call.end &&
           a->callee == b->callee;
}

static void
grow_index(Interp *in)
{
    struct Core *c = in->core;
    Unit *u = in->u;
    c->nchain_index = c->nchain_index ? c->nchain_index * 2 : 256;
    c->chain_index = ARENA_ARRAY(core_arena(in), uint32_t, c->nchain_index);
    for (uint32_t i = 1; i < u->chains.n; i++) {
        uint32_t h = hash_step(&u->chains.p[i]) & (c->nchain_index - 1);
        while (c->chain_index[h]) {
            h = (h + 1) & (c->nchain_index - 1);
        }
        c->chain_index[h] = i;
    }
}

/* Returns the chain id of a call; equal calls share one id. */
static uint32_t
chain_of(Interp *in, uint32_t parent, Span call, const char *callee)
{
    struct Core *c = in->core;
    Unit *u = in->u;
    CallStep step = {parent, call, callee};
    if (u->chains.n * 2 >= c->nchain_index) {
        grow_index(in);
    }
    uint32_t h = hash_step(&step) & (c->nchain_index - 1);
    while (c->chain_index[h] && !same_step(&u->chains.p[c->chain_index[h]], &step)) {
        h = (h + 1) & (c->nchain_index - 1);
    }
    if (!c->chain_index[h]) {
        c->chain_index[h] = u->chains.n;
        VEC_PUSH(core_arena(in), &u->chains, step);
    }
    return c->chain_index[h];
}

uint32_t
py_chain(Interp *in)
{
    if (in->chain != CHAIN_UNKNOWN) {
        return in->chain;
    }
    Frame *f = in->frame;
    for (f->callee = NULL; f->outer_chain == CHAIN_UNKNOWN; f = f->caller) {
        f->caller->callee = f;
    }
    uint32_t chain = chain_of(in, f->outer_chain, f->call, f->func->name);
    while ((f = f->callee)) {
        f->outer_chain = chain;
        chain = chain_of(in, chain, f->call, f->func->name);
    }
    in->chain = chain;
    return chain;
}

/* ---- binding ------------------------------------------------------------- */

static const char *
prototype(Interp *in, const FuncVal *f)
{
    Text t;
    text_init(&t, core_arena(in));
    text_printf(&t, "%s(", f->name);
    for (int i = 0; i < f->loc->nparams; i++) {
        const ParamSlot *p = &f->loc->params[i];
        bool first_kw = p->kind == PARAM_KWONLY && f->loc->star < 0 &&
                        (i == 0 || f->loc->params[i - 1].kind != PARAM_KWONLY);
        text_put(&t, i ? ", " : "");
        text_put(&t, first_kw ? "*, " : "");
        text_put(&t, p->kind == PARAM_STAR ? "*" : p->kind == PARAM_STARSTAR ? "**" : "");
        text_put(&t, sym_text(&in->u->names, p->name));
        if (!val_failed(f->dflt[i]) && p->kind != PARAM_STAR &&
            p->kind != PARAM_STARSTAR) {
            text_printf(&t, "=%s", val_repr(in, f->dflt[i]));
        }
    }
    text_putc(&t, ')');
    return t.p;
}

static bool
bind_error(Interp *in, const FuncVal *f, const CallArgs *args, const char *text)
{
    ExcInfo *x = error_raise(in, "TypeError", args->span, "%s() %s", f->name, text);
    x->id = D_ARG_COUNT;
    x->note = arena_printf(core_arena(in), "prototype: %s", prototype(in, f));
    x->note_span = f->loc->span;
    return false;
}

static bool
bind_surplus(Interp *in, const FuncVal *f, const Value *self, const CallArgs *args,
             int given)
{
    const Locals *loc = f->loc;
    const char *most = loc->npos == 1 ? "argument" : "arguments";
    bool selfless = self && loc->npos == given - 1 &&
                    (loc->npos == 0 ||
                     strcmp(sym_text(&in->u->names, loc->params[0].name), "self") != 0);
    (void)!bind_error(in, f, args,
                      arena_printf(core_arena(in),
                                   "takes at most %d positional %s; %d %s given",
                                   loc->npos, most, given, given == 1 ? "is" : "are"));
    if (selfless) {
        in->exception.inst->exc->help =
            "the first parameter of a method is the object: add self";
    }
    return false;
}

static bool
bind_unknown(Interp *in, const FuncVal *f, const CallArgs *args, const char *name)
{
    Nearest near = {.wanted = name};
    for (int i = 0; i < f->loc->nparams; i++) {
        nearest_try(&near, sym_text(&in->u->names, f->loc->params[i].name));
    }
    (void)!bind_error(in, f, args,
                      arena_printf(core_arena(in), "has no parameter '%s'", name));
    (void)nearest_suggest(in, &near, in->exception.inst->exc);
    return false;
}

enum {
    REST_STEPS = 96 /* cost of an argument of ** */
};

static bool
bind_keywords(Interp *in, const FuncVal *f, const CallArgs *args, Value *to)
{
    const Locals *loc = f->loc;
    Value rest = loc->starstar >= 0 ? val_dict(in) : val_none();
    for (int k = 0; k < args->nkw; k++) {
        int i = loc->npos_only;
        while (i < loc->nparams && (loc->params[i].name != args->kwname[k] ||
                                    loc->params[i].kind == PARAM_STAR ||
                                    loc->params[i].kind == PARAM_STARSTAR)) {
            i++;
        }
        TRY(core_charge(in, 4 + i / 4, args->span));
        const char *name = sym_text(&in->u->names, args->kwname[k]);
        if (i == loc->nparams && loc->starstar >= 0) {
            TRY(dict_put(in, rest.dict, val_str_sym(in, args->kwname[k]), args->kwval[k],
                         args->span));
            core_owe(in, REST_STEPS);
        } else if (i == loc->nparams) {
            return bind_unknown(in, f, args, name);
        } else if (!val_failed(to[i])) {
            return bind_error(
                in, f, args,
                arena_printf(core_arena(in), "gets the argument '%s' twice", name));
        } else {
            to[i] = args->kwval[k];
        }
    }
    if (loc->starstar >= 0) {
        to[loc->starstar] = rest;
    }
    return true;
}

static bool
bind_defaults(Interp *in, const FuncVal *f, const CallArgs *args, Value *to)
{
    const Locals *loc = f->loc;
    for (int i = 0; i < loc->nparams; i++) {
        if (!val_failed(to[i])) {
            continue;
        }
        to[i] = f->dflt[i];
        if (val_failed(to[i])) {
            return bind_error(in, f, args,
                              arena_printf(core_arena(in), "needs an argument '%s'",
                                           sym_text(&in->u->names, loc->params[i].name)));
        }
    }
    return true;
}

/* Binds arguments in the general case. to has one value per parameter, all VAL_FAIL. */
static bool
bind_general(Interp *in, const FuncVal *f, const Value *self, const CallArgs *args,
             Value *to)
{
    const Locals *loc = f->loc;
    int given = args->npos + (self != NULL);
    int taken = MIN(given, loc->npos);
    for (int i = 0; i < taken; i++) {
        to[i] = self && i == 0 ? *self : args->pos[i - (self != NULL)];
    }
    if (loc->star >= 0) {
        Value rest = val_items(in, VAL_TUPLE, (uint32_t)(given - taken));
        for (int i = taken; i < given; i++) {
            rest.list->p[i - taken] =
                self && i == 0 ? *self : args->pos[i - (self != NULL)];
        }
        to[loc->star] = rest;
    } else if (given > loc->npos) {
        return bind_surplus(in, f, self, args, given);
    }
    return bind_keywords(in, f, args, to) && bind_defaults(in, f, args, to);
}

static bool
bind_params(Interp *in, const FuncVal *f, const Value *self, const CallArgs *args,
            Frame *fr)
{
    const Locals *loc = f->loc;
    int given = args->npos + (self != NULL);
    if (loc->plain && args->nkw == 0 && given == loc->nparams) {
        for (int i = 0; i < given; i++) {
            fr->slots[loc->params[i].slot] =
                self && i == 0 ? *self : args->pos[i - (self != NULL)];
        }
        return true;
    }
    Value *to = stack_take(in, (uint32_t)loc->nparams);
    memset(to, 0, (size_t)loc->nparams * sizeof *to);
    TRY(bind_general(in, f, self, args, to));
    for (int i = 0; i < loc->nparams; i++) {
        const ParamSlot *p = &loc->params[i];
        if (p->in_cell) {
            fr->cells[p->slot]->v = to[i];
        } else {
            fr->slots[p->slot] = to[i];
        }
    }
    return true;
}

/* ---- functions ----------------------------------------------------------- */

/* Notes the parameters of a call at the head of its function. */
static void
note_params(Interp *in, const Locals *loc, const Frame *fr)
{
    for (int i = 0; i < loc->nparams; i++) {
        const ParamSlot *p = &loc->params[i];
        Value v = p->in_cell ? fr->cells[p->slot]->v : fr->slots[p->slot];
        watch_note(in->watch, loc->span, p->name, false, v);
    }
}

static void
make_cells(Interp *in, const Locals *loc, Cell **closure, Frame *fr)
{
    fr->cells = ARENA_ARRAY(core_arena(in), Cell *, loc->ncells);
    for (uint32_t i = 0; i < loc->nown; i++) {
        fr->cells[i] = ARENA_NEW(core_arena(in), Cell);
    }
    for (uint32_t i = loc->nown; i < loc->ncells; i++) {
        fr->cells[i] = closure[i - loc->nown];
    }
}

static Value
run_body(Interp *in, const Locals *loc, Frame *fr)
{
    if (loc->expression) {
        return eval(in, loc->body);
    }
    switch (exec_block(in, loc->body)) {
    case FLOW_RETURN:
        return fr->ret;
    case FLOW_FAIL:
        return val_fail();
    default:
        return val_none();
    }
}

bool
call_enter(Interp *in, Span span)
{
    if (in->depth >= in->u->opt.limits.depth) {
        in->fatal = true;
        py_diag(in, D_LIMIT_DEPTH, span, "calls nest deeper than %lld",
                (long long)in->u->opt.limits.depth);
        return false;
    }
    enum {
        CALL_STEPS = 8 /* cost of a call without the statements in it */
    };
    core_owe(in, CALL_STEPS);
    return core_step(in, span) && core_stack(in, span);
}

Value
call_function(Interp *in, FuncVal *f, const Value *self, const CallArgs *args)
{
    const Locals *loc = f->loc;
    core_keep_brief(in);
    if (!call_enter(in, args->span)) {
        return val_fail();
    }
    StackMark mark = stack_mark(in);
    Frame fr = {.caller = in->frame, .module = f->module, .loc = loc, .func = f};
    fr.slots = stack_take(in, loc->nslots);
    memset(fr.slots, 0, loc->nslots * sizeof *fr.slots);
    if (loc->ncells) {
        make_cells(in, loc, f->closure, &fr);
    }
    Value r = val_fail();
    if (bind_params(in, f, self, args, &fr)) {
        Span here = in->here;
        if (in->watch) {
            note_params(in, loc, &fr);
        }
        fr.call = args->span;
        fr.outer_chain = in->chain;
        in->chain = CHAIN_UNKNOWN;
        in->frame = &fr;
        in->depth++;
        r = run_body(in, loc, &fr);
        in->depth--;
        in->frame = fr.caller;
        in->here = here;
        in->chain = fr.outer_chain;
    }
    stack_release(in, mark);
    return r;
}

uint32_t
call_chain(Interp *in, Span call, const char *callee)
{
    return chain_of(in, py_chain(in), call, callee);
}

/* ---- callables ----------------------------------------------------------- */

static bool
is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; n && (p = strstr(p, name)); p += n) {
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n])) {
            return true;
        }
    }
    return false;
}

/* Tries the words of a list, which are separated by spaces. */
static void
nearest_words(Interp *in, Nearest *n, const char *list)
{
    while (*list) {
        size_t len = strcspn(list, " ");
        nearest_try(n, arena_strndup(core_arena(in), list, len));
        list += len + (list[len] == ' ');
    }
}

static bool
keywords_allowed(Interp *in, const BuiltinVal *b, const CallArgs *args)
{
    for (int i = 0; i < args->nkw; i++) {
        const char *name = sym_text(&in->u->names, args->kwname[i]);
        if (b->keywords && (*b->keywords == '*' || is_listed(b->keywords, name))) {
            continue;
        }
        const char *fmt = b->keywords ? "has no parameter" : "takes no keyword argument";
        ExcInfo *x =
            error_raise(in, "TypeError", args->span, "%s() %s '%s'", b->name, fmt, name);
        x->id = D_ARG_COUNT;
        x->help = b->keywords ? arena_printf(core_arena(in),
                                             "its keyword arguments are: %s", b->keywords)
                              : "give the arguments by position";
        Nearest near = {.wanted = name};
        nearest_words(in, &near, b->keywords ? b->keywords : "");
        (void)nearest_suggest(in, &near, x);
        return false;
    }
    return true;
}

static bool
check_builtin(Interp *in, const BuiltinVal *b, const CallArgs *args)
{
    if (!b->checked) {
        return true;
    }
    TRY(keywords_allowed(in, b, args));
    if (args->npos < b->min || (b->max != 255 && args->npos > b->max)) {
        bool most = args->npos >= b->min;
        int n = most ? b->max : b->min;
        ExcInfo *x =
            error_raise(in, "TypeError", args->span,
                        "%s() takes %s %d argument%s; %d %s given", b->name,
                        b->min == b->max ? "exactly"
                        : most           ? "at most"
                                         : "at least",
                        n, n == 1 ? "" : "s", args->npos, args->npos == 1 ? "is" : "are");
        x->id = D_ARG_COUNT;
        x->help = "see the documentation of the function";
        return false;
    }
    return true;
}

/* Calls a built-in function. No other function does, so each call is charged as its row
 * says. */
static Value
run_builtin(Interp *in, const BuiltinVal *b, Value self, const CallArgs *args)
{
    bool ok = check_builtin(in, b, args) &&
              (b->cost != COST_SIZES || meter_sizes(in, self, args));
    return ok ? b->fn(in, self, args) : val_fail();
}

/* Calls a method through its class, as in list.append(x, 1): the receiver is the first
 * argument. */
static Value
call_unbound(Interp *in, const BuiltinVal *b, const CallArgs *args)
{
    if (args->npos == 0 || !(b->owner == in->core->object_type ||
                             class_is(val_class(in, args->pos[0]), b->owner))) {
        return py_raise(in, "TypeError", args->span,
                        "%s.%s() needs a '%s' as its first argument", b->owner->name,
                        b->name, b->owner->name);
    }
    CallArgs rest = *args;
    rest.pos++;
    rest.npos--;
    rest.pos_span = args->pos_span ? args->pos_span + 1 : NULL;
    return run_builtin(in, b, args->pos[0], &rest);
}

static Value
call_builtin(Interp *in, const BuiltinVal *b, const CallArgs *args)
{
    if (!core_step(in, args->span) || !core_stack(in, args->span)) {
        return val_fail();
    }
    if (b->owner && val_failed(b->self)) {
        return call_unbound(in, b, args);
    }
    return run_builtin(in, b, b->self, args);
}

Value
call_any(Interp *in, Value callee, const CallArgs *args)
{
    enum {
        CLASS_STEPS = 4 /* cost of making a value of a class */
    };
    Value f = val_fail();
    switch (callee.kind) {
    case VAL_FUNC:
        return call_function(in, callee.func, NULL, args);
    case VAL_BUILTIN:
        return call_builtin(in, callee.builtin, args);
    case VAL_BOUND:
        return call_with_self(in, callee.bound->func, callee.bound->self, args);
    case VAL_CLASS:
        core_owe(in, CLASS_STEPS);
        return core_stack(in, args->span) && core_step(in, args->span)
                   ? class_construct(in, callee.klass, args)
                   : val_fail();
    case VAL_OBJECT:
        if (callee.obj->cls->call) {
            CallArgs room;
            args = op_plain_args(in, args, &room);
            return args && core_stack(in, args->span) && core_step(in, args->span)
                       ? callee.obj->cls->call(in, callee.obj, args)
                       : val_fail();
        }
        break;
    case VAL_INSTANCE:
        f = class_lookup(callee.inst->cls, in->core->sym.call);
        if (!val_failed(f)) {
            return call_with_self(in, f, callee, args);
        }
        break;
    case VAL_MODULE:
        return module_call(in, callee.module, args->span);
    default:
        break;
    }
    return py_raise(in, "TypeError", args->span, "a '%s' cannot be called",
                    val_type_name(callee));
}

Value
call_with_self(Interp *in, Value callee, Value self, const CallArgs *args)
{
    if (callee.kind == VAL_FUNC) {
        return call_function(in, callee.func, &self, args);
    }
    if (callee.kind == VAL_BUILTIN && callee.builtin->owner &&
        val_failed(callee.builtin->self)) {
        return core_step(in, args->span) && core_stack(in, args->span)
                   ? run_builtin(in, callee.builtin, self, args)
                   : val_fail();
    }
    StackMark mark = stack_mark(in);
    Value *pos = stack_take(in, (uint32_t)args->npos + 1);
    pos[0] = self;
    if (args->npos) {
        memcpy(pos + 1, args->pos, (size_t)args->npos * sizeof *pos);
    }
    CallArgs all = *args;
    all.pos = pos;
    all.npos++;
    all.pos_span = NULL;
    all.kinds = 0;
    Value r = call_any(in, callee, &all);
    stack_release(in, mark);
    return r;
}

Value
py_call(Interp *in, Value callee, const CallArgs *args)
{
    return call_any(in, callee, args);
}

Value
call_values(Interp *in, Value callee, const Value *args, int n, Span span)
{
    CallArgs a = {.pos = args, .npos = n, .span = span};
    return call_any(in, callee, &a);
}
