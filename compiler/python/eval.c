/* eval.c: evaluates expressions. It is a recursive walk over the resolved tree; the C
 * stack is guarded by its address (core_stack), since a call in an expression in a call
 * nests without a fixed frame size. */
#include "python/resolve.h"
#include "python/watch.h"

#include <string.h>

/* ---- names --------------------------------------------------------------- */

/* Returns what other languages call a constant, as a help. */
static const char *
other_spelling(const char *name)
{
    static const char *const helps[][2] = {
        {"true", "write True"}, {"false", "write False"}, {"null", "write None"},
        {"none", "write None"}, {"nil", "write None"},
    };
    for (size_t i = 0; i < ARRAY_LEN(helps); i++) {
        if (strcmp(name, helps[i][0]) == 0) {
            return helps[i][1];
        }
    }
    return NULL;
}

/* Notes a definition of the name at the beginning of a line after the use. */
static void
note_later(Interp *in, ExcInfo *x, const char *name, Span span)
{
    static const char *const before[] = {"\ndef ", "\nclass ", "\n"};
    const Source *src = &in->u->sources.p[span.file];
    for (size_t i = 0; i < ARRAY_LEN(before) && span.end < src->len; i++) {
        const char *text = arena_printf(core_arena(in), "%s%s", before[i], name);
        const char *hit = strstr(src->text + span.end, text);
        size_t n = strlen(text);
        bool definition = hit && (i < 2 ? strchr("(:", hit[n]) && hit[n]
                                        : strncmp(hit + n, " = ", 3) == 0);
        if (definition) {
            uint32_t at = (uint32_t)(hit - src->text) + 1;
            x->note = arena_printf(core_arena(in), "'%s' is defined here, later", name);
            x->note_span = (Span){span.file, at, at + (uint32_t)n - 1};
            x->help = "move the definition before the use";
            return;
        }
    }
}

enum {
    SEARCH_STEPS = 1000 /* cost of looking for a similar name */
};

static Value
unknown_name(Interp *in, Sym name, Span span)
{
    const Frame *f = in->frame;
    const char *text = sym_text(&in->u->names, name);
    bool local = false;
    Nearest n = {.wanted = text};
    core_owe(in, SEARCH_STEPS);
    for (uint32_t i = 0; i < f->loc->nslots; i++) {
        local = local || f->loc->slot_names[i] == name;
        if (f->loc->slot_names[i] && !val_failed(f->slots[i])) {
            nearest_try(&n, sym_text(&in->u->names, f->loc->slot_names[i]));
        }
    }
    for (uint32_t i = 0; i < f->loc->ncells; i++) {
        local = local || f->loc->cell_names[i] == name;
        if (f->loc->cell_names[i] && !val_failed(f->cells[i]->v)) {
            nearest_try(&n, sym_text(&in->u->names, f->loc->cell_names[i]));
        }
    }
    nearest_attrs(in, &n, &f->module->attrs);
    nearest_attrs(in, &n, &in->core->builtins->attrs);
    if (!local && !n.best && is_absent(f->module->unknown_names)) {
        return absent_member(in, f->module->unknown_names, text, span);
    }
    ExcInfo *x = error_raise(
        in, local ? "UnboundLocalError" : "NameError", span,
        local ? "'%s' is used before it is assigned" : "'%s' is not defined", text);
    x->help = other_spelling(text);
    if (x->help) {
        return val_fail();
    }
    if (local) {
        bool outside = !val_failed(attrs_get(&f->module->attrs, name));
        x->help = outside
                      ? arena_printf(core_arena(in),
                                     "it is assigned in this function, which makes it "
                                     "local; the module's one needs: global %s",
                                     text)
                      : NULL;
        return val_fail();
    }
    x->help = in->embedding ? in->embedding->name_help(in, name) : NULL;
    if (!x->help && module_is_known(in, text)) {
        x->help = arena_printf(core_arena(in), "begin with: import %s", text);
    } else if (!x->help && !nearest_suggest(in, &n, x) && in->embedding) {
        x->help = in->embedding->name_list(in);
    }
    note_later(in, x, text, span);
    return val_fail();
}

static inline Value
builtin_name(Interp *in, Sym name)
{
    const struct Core *c = in->core;
    return name < c->nbuiltin_of ? c->builtin_of[name] : val_fail();
}

static inline Value
read_name(Interp *in, const Ast *e, Sym name)
{
    Frame *f = in->frame;
    Value v = val_fail();
    switch ((NamePlace)e->op) {
    case PLACE_CLASS_GLOBAL:
        v = attrs_get(f->class_names, name);
        if (!val_failed(v)) {
            return v;
        }
        /* fall through */
    case PLACE_GLOBAL:
        v = f->module->attrs.p[e->slot].v;
        return val_failed(v) ? builtin_name(in, name) : v;
    case PLACE_CLASS_LOCAL:
        v = attrs_get(f->class_names, name);
        if (!val_failed(v)) {
            return v;
        }
        /* fall through */
    case PLACE_LOCAL:
        return f->slots[e->slot];
    case PLACE_CLASS_CELL:
        v = attrs_get(f->class_names, name);
        if (!val_failed(v)) {
            return v;
        }
        /* fall through */
    case PLACE_CELL:
        return f->cells[e->slot]->v;
    }
    UNREACHABLE();
}

Value
eval_name(Interp *in, Ast *e, Sym name)
{
    Value v = read_name(in, e, name);
    if (v.kind != VAL_FAIL && v.kind != VAL_OBJECT) {
        return v;
    }
    if (is_poison(v)) {
        return error_poisoned(in, e->span);
    }
    return val_failed(v) ? unknown_name(in, name, e->span) : v;
}

/* Returns the place of a variable; null in a class body, whose names are found by
 * name. */
static Value *
variable(Interp *in, const Ast *e)
{
    Frame *f = in->frame;
    switch ((NamePlace)e->op) {
    case PLACE_GLOBAL:
        return &f->module->attrs.p[e->slot].v;
    case PLACE_LOCAL:
        return &f->slots[e->slot];
    case PLACE_CELL:
        return &f->cells[e->slot]->v;
    default:
        return NULL;
    }
}

bool
eval_bind(Interp *in, Ast *e, Sym name, Value v)
{
    Value *to = variable(in, e);
    if (in->watch) {
        watch_note(in->watch, e->span, name, false, v);
    }
    if (to) {
        *to = v;
    } else {
        attrs_set(core_arena(in), in->frame->class_names, name, v);
    }
    return true;
}

Value
eval_held(Interp *in, const Ast *e)
{
    const Value *at = variable(in, e);
    return at ? *at : val_fail();
}

bool
eval_unbind(Interp *in, Ast *e, Sym name)
{
    Value *to = variable(in, e);
    if (!to) {
        Attr *a = attrs_entry(in->frame->class_names, name);
        to = a ? &a->v : NULL;
    }
    if (!to || val_failed(*to)) {
        unknown_name(in, name, e->span);
        return false;
    }
    *to = val_fail();
    return true;
}

/* ---- displays and texts -------------------------------------------------- */

static bool
append(Interp *in, Value list, Ast *e)
{
    Value v = eval(in, e->kind == AST_STARRED ? e->a : e);
    if (val_failed(v)) {
        return false;
    }
    if (e->kind != AST_STARRED) {
        return list_push(in, list, v);
    }
    Value items = iter_collect(in, VAL_LIST, v, e->span);
    if (val_failed(items)) {
        return false;
    }
    for (uint32_t i = 0; i < items.list->n; i++) {
        list_push(in, list, items.list->p[i]);
    }
    return true;
}

static Value
eval_items(Interp *in, Ast *e)
{
    uint32_t n = 0;
    bool starred = false;
    for (Ast *i = e->list; i; i = i->next) {
        n++;
        starred = starred || i->kind == AST_STARRED;
    }
    ValueKind kind = e->kind == AST_LIST ? VAL_LIST : VAL_TUPLE;
    Value v = val_items(in, kind, starred ? 0 : n);
    n = 0;
    for (Ast *i = e->list; i; i = i->next) {
        if (starred) {
            if (!append(in, v, i)) {
                return val_fail();
            }
            continue;
        }
        Value item = eval(in, i);
        if (val_failed(item)) {
            return item;
        }
        v.list->p[n++] = item;
    }
    return v;
}

static Value
eval_set(Interp *in, Ast *e)
{
    Value items = val_items(in, VAL_LIST, 0);
    Value set = dict_new(in, VAL_SET);
    for (Ast *i = e->list; i; i = i->next) {
        if (!append(in, items, i)) {
            return val_fail();
        }
    }
    for (uint32_t i = 0; i < items.list->n; i++) {
        if (!dict_put(in, set.dict, items.list->p[i], val_none(), e->span)) {
            return val_fail();
        }
    }
    return set;
}

static bool
put_pair(Interp *in, Value dict, Ast *pair)
{
    Value key = pair->a ? eval(in, pair->a) : val_none();
    Value v = val_failed(key) ? key : eval(in, pair->b);
    if (val_failed(v)) {
        return false;
    }
    if (pair->a) {
        return dict_put(in, dict.dict, key, v, pair->span);
    }
    if (v.kind != VAL_DICT) {
        py_raise(in, "TypeError", pair->span, "** takes a dictionary, not '%s'",
                 val_type_name(v));
        return false;
    }
    return dict_merge(in, dict.dict, v, pair->span);
}

static Value
eval_dict(Interp *in, Ast *e)
{
    Value d = val_dict(in);
    for (Ast *p = e->list; p; p = p->next) {
        if (!put_pair(in, d, p)) {
            return val_fail();
        }
    }
    return d;
}

static Value eval_fstring(Interp *in, Ast *e);

static bool
put_field(Interp *in, Ast *field, Text *out)
{
    Value v = eval(in, field->a);
    if (val_failed(v)) {
        return false;
    }
    if (field->op == 'r' || field->op == 'a' || field->op == 's') {
        char room[TEXT_ROOM];
        Text t;
        text_init_in(&t, core_arena(in), room, sizeof room);
        TRY(field->op == 's'   ? format_str(in, v, field->span, &t)
            : field->op == 'a' ? format_ascii(in, v, field->span, &t)
                               : format_repr(in, v, field->span, &t));
        v = val_text(in, &t);
    }
    if (!field->b) {
        const char *spec = field->str ? field->str : "";
        return format_spec(in, v, spec, strlen(spec), field->span, out);
    }
    Value spec = eval_fstring(in, field->b);
    return !val_failed(spec) &&
           format_spec(in, v, spec.str->p, spec.str->len, field->span, out);
}

static Value
eval_fstring(Interp *in, Ast *e)
{
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    for (Ast *p = e->list; p; p = p->next) {
        if (p->kind == AST_STRING) {
            text_putn(&t, p->str, p->len);
        } else if (!put_field(in, p, &t)) {
            return val_fail();
        }
    }
    return val_text(in, &t);
}

static Value
eval_slice(Interp *in, Ast *e)
{
    SliceVal *s = ARENA_NEW(core_arena(in), SliceVal);
    s->start = e->a ? eval(in, e->a) : val_none();
    s->stop = e->b && !val_failed(s->start) ? eval(in, e->b) : val_none();
    s->step = e->c && !val_failed(s->stop) ? eval(in, e->c) : val_none();
    if (val_failed(s->start) || val_failed(s->stop) || val_failed(s->step)) {
        return val_fail();
    }
    return (Value){.kind = VAL_SLICE, .slice = s};
}

/* ---- operators ----------------------------------------------------------- */

/* Handles the common case, in which both operands are small integers; returns false if
 * the general way is needed. */
static inline bool
fast_integers(AstOp op, int64_t a, int64_t b, Value *out)
{
    int64_t r = 0;
    bool ok = false;
    switch (op) {
    case AOP_ADD:
        ok = checked_add(a, b, &r);
        break;
    case AOP_SUB:
        ok = checked_sub(a, b, &r);
        break;
    case AOP_MUL:
        ok = checked_mul(a, b, &r);
        break;
    case AOP_FLOORDIV:
        ok = b > 0;
        r = ok ? a / b - (a % b < 0) : 0;
        break;
    case AOP_MOD:
        ok = b > 0;
        r = ok ? a % b : 0;
        r += r < 0 ? b : 0;
        break;
    case AOP_AND:
        ok = true;
        r = a & b;
        break;
    default:
        break;
    }
    *out = val_int(r);
    return ok;
}

static inline bool
fast_floats(AstOp op, double a, double b, Value *out)
{
    switch (op) {
    case AOP_ADD:
        *out = val_float(a + b);
        return true;
    case AOP_SUB:
        *out = val_float(a - b);
        return true;
    case AOP_MUL:
        *out = val_float(a * b);
        return true;
    case AOP_DIV:
        *out = val_float(b != 0 ? a / b : 0);
        return b != 0;
    default:
        return false;
    }
}

/* Handles operands that are machine numbers; returns false if the general way is
 * needed. */
static inline bool
fast_binary(AstOp op, Value a, Value b, Value *out)
{
    if (a.kind == VAL_INT && b.kind == VAL_INT) {
        return fast_integers(op, a.i, b.i, out);
    }
    bool numbers = (a.kind == VAL_FLOAT && (b.kind == VAL_FLOAT || b.kind == VAL_INT)) ||
                   (a.kind == VAL_INT && b.kind == VAL_FLOAT);
    return numbers && fast_floats(op, a.kind == VAL_INT ? (double)a.i : a.f,
                                  b.kind == VAL_INT ? (double)b.i : b.f, out);
}

bool
eval_fast(AstOp op, Value a, Value b, Value *out)
{
    return fast_binary(op, a, b, out);
}

Value
eval_update(Interp *in, AstOp op, Value a, Value b, Span span)
{
    Value r = val_none();
    return fast_binary(op, a, b, &r) ? r : op_inplace(in, op, a, b, span);
}

/* Evaluates a name; most are variables of a function or a module. */
static inline Value
name_value(Interp *in, Ast *e)
{
    if (e->op == PLACE_LOCAL || e->op == PLACE_GLOBAL) {
        const Frame *f = in->frame;
        Value v =
            e->op == PLACE_LOCAL ? f->slots[e->slot] : f->module->attrs.p[e->slot].v;
        if (v.kind != VAL_FAIL && !is_poison(v)) {
            return v;
        }
    }
    return eval_name(in, e, e->name);
}

/* Evaluates an operand; most are names and numbers. */
static inline Value
operand(Interp *in, Ast *e)
{
    if (e->kind == AST_NAME) {
        return name_value(in, e);
    }
    return e->kind == AST_INT && e->op != INT_TEXT ? val_int(ast_int_value(e))
                                                   : eval(in, e);
}

/* Does what eval does, without a call for names and numbers. */
static inline Value
argument(Interp *in, Ast *e)
{
    bool counted = e->kind == AST_NAME || (e->kind == AST_INT && e->op != INT_TEXT);
    core_owe(in, counted); /* eval counts the others */
    return operand(in, e);
}

static Value
eval_binary(Interp *in, Ast *e)
{
    Value r = val_none();
    Value a = operand(in, e->a);
    if (val_failed(a)) {
        return a;
    }
    Value b = operand(in, e->b);
    if (val_failed(b)) {
        return b;
    }
    if (fast_binary((AstOp)e->op, a, b, &r)) {
        return r;
    }
    return op_binary(in, (AstOp)e->op, a, b, e->span);
}

static Value
eval_unary(Interp *in, Ast *e)
{
    bool yes = false;
    Value a = eval(in, e->a);
    if (val_failed(a)) {
        return a;
    }
    if (e->op == AOP_NOT && !is_host(a)) {
        return op_truth(in, a, e->a->span, &yes) ? val_bool(!yes) : val_fail();
    }
    if (e->op == AOP_NEG && a.kind == VAL_INT && a.i != INT64_MIN) {
        return val_int(-a.i);
    }
    return op_unary(in, (AstOp)e->op, a, e->span);
}

static inline bool
fast_compare(AstOp op, int64_t a, int64_t b, bool *out)
{
    switch (op) {
    case AOP_EQ:
        *out = a == b;
        return true;
    case AOP_NE:
        *out = a != b;
        return true;
    case AOP_LT:
        *out = a < b;
        return true;
    case AOP_LE:
        *out = a <= b;
        return true;
    case AOP_GT:
        *out = a > b;
        return true;
    case AOP_GE:
        *out = a >= b;
        return true;
    default:
        return false;
    }
}

/* Does so for texts of one byte. */
static inline bool
fast_texts(AstOp op, const Str *a, const Str *b, bool *out)
{
    if (a->len != 1 || b->len != 1 || (op != AOP_EQ && op != AOP_NE)) {
        return false;
    }
    *out = (a->p[0] == b->p[0]) == (op == AOP_EQ);
    return true;
}

/* Evaluates a < b < c, each operand once; the result is that of the first false part, or
 * of the last. */
static Value
eval_compare(Interp *in, Ast *e)
{
    Value a = operand(in, e->a);
    for (Ast *part = e->list; !val_failed(a); part = part->next) {
        Value b = operand(in, part->a);
        bool yes = false;
        core_owe(in, 1);
        if (val_failed(b)) {
            return b;
        }
        Value r = val_none();
        if (a.kind == VAL_INT && b.kind == VAL_INT &&
            fast_compare((AstOp)part->op, a.i, b.i, &yes)) {
            r = val_bool(yes);
        } else if (a.kind == VAL_STR && b.kind == VAL_STR &&
                   fast_texts((AstOp)part->op, a.str, b.str, &yes)) {
            r = val_bool(yes);
        } else {
            Span span = e->list->next
                            ? (Span){e->span.file, e->span.begin, part->span.end}
                            : e->span;
            r = op_compare(in, (AstOp)part->op, a, b, span);
        }
        if (val_failed(r) || !part->next) {
            return r;
        }
        if (!op_truth(in, r, e->span, &yes)) {
            return val_fail();
        }
        if (!yes) {
            return r;
        }
        a = b;
    }
    return a;
}

bool
eval_truth(Interp *in, Ast *e, bool *out)
{
    Value v = eval(in, e);
    if (v.kind == VAL_BOOL) {
        *out = v.b;
        return true;
    }
    return !val_failed(v) && op_truth(in, v, e->span, out);
}

static Value
eval_logic(Interp *in, Ast *e)
{
    bool yes = false;
    Value a = eval(in, e->a);
    if (is_host(a)) {
        return a; /* the right side could only make it another such value */
    }
    if (val_failed(a) || !op_truth(in, a, e->a->span, &yes)) {
        return val_fail();
    }
    return yes == (e->kind == AST_OR) ? a : eval(in, e->b);
}

/* ---- calls --------------------------------------------------------------- */

/* Calls the callee with the arguments, or a method of it if it is the receiver. */
static Value
finish_call(Interp *in, Ast *e, Value callee, CallArgs *args)
{
    if (e->a->kind == AST_ATTR) {
        return attr_call(in, callee, e->a->name, args, e->a->span, &e->a->slot);
    }
    return call_any(in, callee, args);
}

/* Returns whether what is called never asks for the places of its arguments: functions of
 * the program, built-in ones that do the same for all arguments, and methods of values
 * that only the evaluator has. callee is the receiver of a method. */
static inline bool
needs_no_spans(const Ast *e, Value callee)
{
    const unsigned plain = 1u << VAL_INT | 1u << VAL_FLOAT | 1u << VAL_STR |
                           1u << VAL_LIST | 1u << VAL_DICT | 1u << VAL_SET;
    if (e->a->kind == AST_ATTR) {
        return (plain >> callee.kind & 1) != 0;
    }
    return callee.kind == VAL_FUNC ||
           (callee.kind == VAL_BUILTIN && callee.builtin->cost == COST_ONE);
}

/* Returns how many values take the room of n things of some bytes, so that these can be
 * on the value stack. */
static inline uint32_t
stack_values(uint32_t n, size_t bytes)
{
    return (uint32_t)((n * bytes + sizeof(Value) - 1) / sizeof(Value));
}

/* Where the next arguments of a call go, with what else is to be known of them. */
typedef struct Filling {
    Value *pos;
    Value *kw;
    Sym *name;
    Span *pos_span; /* null: places are not needed */
    Span *kw_span;
    Span *name_span;
} Filling;

/* Takes room on the value stack for the arguments of a call, and if asked for their
 * places. */
static inline Filling
make_room(Interp *in, const CallFacts *f, bool spans)
{
    uint32_t nvalues = f->npos + f->nkw;
    uint32_t nspans = spans ? stack_values(nvalues + f->nkw, sizeof(Span)) : 0;
    uint32_t nnames = stack_values(f->nkw, sizeof(Sym));
    Value *room = stack_take(in, nvalues + nspans + nnames);
    Filling to = {.pos = room, .kw = room + f->npos};
    room += nvalues;
    if (spans) {
        to.pos_span = (Span *)room;
        to.kw_span = to.pos_span + f->npos;
        to.name_span = to.kw_span + f->nkw;
    }
    to.name = (Sym *)(room + nspans);
    return to;
}

/* Evaluates the keyword arguments of a call; false if one failed. */
static bool
fill_keywords(Interp *in, const Ast *a, Filling to, uint32_t *kinds)
{
    for (; a; a = a->next) {
        Value v = argument(in, a->a);
        if (val_failed(v)) {
            return false;
        }
        *kinds |= 1u << v.kind;
        *to.kw++ = v;
        *to.name++ = a->name;
        if (to.pos_span) {
            uint32_t begin = a->span.begin;
            uint32_t end = begin + sym_len(&in->u->names, a->name);
            *to.kw_span++ = a->a->span;
            *to.name_span++ = (Span){a->span.file, begin, end};
        }
    }
    return true;
}

/* Evaluates the arguments of a call in order, those with names after the others; false if
 * one failed. *kinds gets a bit for the kind of each. */
static inline bool
fill_arguments(Interp *in, const Ast *e, Filling to, uint32_t *kinds)
{
    Ast *a = e->list;
    for (uint32_t i = 0; i < e->facts.npos; i++, a = a->next) {
        Value v = argument(in, a);
        if (val_failed(v)) {
            return false;
        }
        *kinds |= 1u << v.kind;
        to.pos[i] = v;
        if (to.pos_span) {
            to.pos_span[i] = a->span;
        }
    }
    return !a || fill_keywords(in, a, to, kinds);
}

/* Evaluates the arguments of a call and calls. brief: objects of the arguments are not
 * kept. */
static Value
call_plain(Interp *in, Ast *e, Value callee, Arena *brief)
{
    if (!e->list) {
        CallArgs none = {.span = e->span};
        return finish_call(in, e, callee, &none);
    }
    const CallFacts *f = &e->facts;
    StackMark mark = stack_mark(in);
    Filling to = make_room(in, f, !needs_no_spans(e, callee));
    CallArgs args = {.pos = to.pos,
                     .npos = (int)f->npos,
                     .kwname = to.name,
                     .kwval = to.kw,
                     .nkw = (int)f->nkw,
                     .span = e->span,
                     .pos_span = to.pos_span,
                     .kw_span = to.kw_span,
                     .kwname_span = to.name_span};
    in->brief = brief;
    bool good = fill_arguments(in, e, to, &args.kinds);
    Value r = val_fail();
    if (good) {
        in->brief = NULL;
        r = finish_call(in, e, callee, &args);
    }
    stack_release(in, mark);
    return r;
}

/* Does the same where the method forgets its arguments. An exception may hold some. */
static Value
call_forgetting(Interp *in, Ast *e, Value callee)
{
    struct Core *c = in->core;
    bool seen = c->brief_seen;
    Arena *brief = &in->u->brief;
    ArenaMark mark = arena_mark(brief);
    c->brief_seen = false;
    Value r = call_plain(in, e, callee, brief);
    if (!c->brief_seen && !val_failed(r)) {
        arena_rewind(brief, mark);
    }
    c->brief_seen = seen || c->brief_seen;
    return r;
}

static inline bool
forgets(Interp *in, const Ast *e, Value callee)
{
    return callee.kind == VAL_OBJECT && callee.obj->cls->forgets && !in->watch &&
           e->a->kind == AST_ATTR && callee.obj->cls->forgets(in, callee.obj, e->a->name);
}

typedef struct Gathered {
    VEC(Value) pos;
    VEC(Sym) kwname;
    VEC(Value) kwval;
    VEC(Span) pos_span;
    VEC(Span) kw_span;
} Gathered;

/* Adds a keyword argument. others is the number of earlier ones that may have the same
 * name; the keys of one dictionary differ. */
static bool
gather_keyword(Interp *in, Gathered *g, uint32_t others, Sym name, Value v, Span span)
{
    TRY(core_charge(in, 2 + others / 4, span));
    for (uint32_t i = 0; i < others; i++) {
        if (g->kwname.p[i] == name) {
            py_raise(in, "TypeError", span, "the argument '%s' is given twice",
                     sym_text(&in->u->names, name));
            return false;
        }
    }
    VEC_PUSH(core_arena(in), &g->kwname, name);
    VEC_PUSH(core_arena(in), &g->kwval, v);
    VEC_PUSH(core_arena(in), &g->kw_span, span);
    return true;
}

static bool
gather_map(Interp *in, Gathered *g, Value map, Span span)
{
    if (map.kind != VAL_DICT) {
        py_raise(in, "TypeError", span, "** takes a dictionary, not '%s'",
                 val_type_name(map));
        return false;
    }
    uint32_t others = g->kwname.n;
    for (uint32_t i = 0; i < map.dict->n; i++) {
        const DictEntry *d = &map.dict->p[i];
        if (val_failed(d->key)) {
            continue;
        }
        if (d->key.kind != VAL_STR) {
            py_raise(in, "TypeError", span, "the names of ** arguments are texts");
            return false;
        }
        TRY(gather_keyword(in, g, others, val_sym(in, d->key), d->v, span));
    }
    return true;
}

static bool
gather(Interp *in, Gathered *g, Ast *a)
{
    bool wrapped = a->kind == AST_KEYWORD || a->kind == AST_STARRED;
    Value v = eval(in, wrapped ? a->a : a);
    if (val_failed(v)) {
        return false;
    }
    if (a->kind == AST_KEYWORD) {
        return a->name ? gather_keyword(in, g, g->kwname.n, a->name, v, a->a->span)
                       : gather_map(in, g, v, a->span);
    }
    if (a->kind == AST_STARRED) {
        v = iter_collect(in, VAL_LIST, v, a->span);
        double each = 2 * (sizeof(Value) + sizeof(Span)); /* vectors double their room */
        if (val_failed(v) || !core_reserve(in, v.list->n * each, a->span)) {
            return false;
        }
        for (uint32_t i = 0; i < v.list->n; i++) {
            VEC_PUSH(core_arena(in), &g->pos, v.list->p[i]);
            VEC_PUSH(core_arena(in), &g->pos_span, a->span);
        }
        return true;
    }
    VEC_PUSH(core_arena(in), &g->pos, v);
    VEC_PUSH(core_arena(in), &g->pos_span, a->span);
    return true;
}

static Value
call_dynamic(Interp *in, Ast *e, Value callee)
{
    Gathered g = {0};
    for (Ast *a = e->list; a; a = a->next) {
        if (!gather(in, &g, a)) {
            return val_fail();
        }
    }
    CallArgs args = {.pos = g.pos.p,
                     .npos = (int)g.pos.n,
                     .kwname = g.kwname.p,
                     .kwval = g.kwval.p,
                     .nkw = (int)g.kwname.n,
                     .span = e->span,
                     .pos_span = g.pos_span.p,
                     .kw_span = g.kw_span.p};
    return finish_call(in, e, callee, &args);
}

Value
eval_call(Interp *in, Ast *e)
{
    Arena *brief = in->brief; /* what a call inside of arguments makes may be kept */
    in->brief = NULL;
    Value callee = argument(in, e->a->kind == AST_ATTR ? e->a->a : e->a);
    Value r = val_failed(callee)       ? callee
              : e->facts.dynamic       ? call_dynamic(in, e, callee)
              : forgets(in, e, callee) ? call_forgetting(in, e, callee)
                                       : call_plain(in, e, callee, NULL);
    in->brief = in->core->brief_seen ? NULL : brief;
    return r;
}

/* ---- functions and comprehensions ---------------------------------------- */

Value
eval_function(Interp *in, AstFunc *fn)
{
    core_keep_brief(in); /* defaults of parameters last */
    const Locals *loc = fn->locals;
    Arena *a = core_arena(in);
    FuncVal *f = ARENA_NEW(a, FuncVal);
    f->name = loc->name;
    f->loc = loc;
    f->module = in->frame->module;
    f->owner = in->frame->class_names ? in->frame->class_ref
               : in->frame->func      ? in->frame->func->owner
                                      : NULL;
    f->dflt = ARENA_ARRAY(a, Value, loc->nparams);
    for (int i = 0; i < loc->nparams; i++) {
        const ParamSlot *p = &loc->params[i];
        bool many = p->kind == PARAM_STAR || p->kind == PARAM_STARSTAR;
        f->dflt[i] = many ? val_none() : val_fail();
        if (p->dflt) {
            f->dflt[i] = eval(in, p->dflt);
            if (val_failed(f->dflt[i])) {
                return val_fail();
            }
        }
    }
    uint32_t nfree = loc->ncells - loc->nown;
    f->closure = ARENA_ARRAY(a, Cell *, nfree);
    for (uint32_t i = 0; i < nfree; i++) {
        f->closure[i] = in->frame->cells[loc->outer[i]];
    }
    return (Value){.kind = VAL_FUNC, .func = f};
}

static bool
comp_element(Interp *in, Ast *e, Value into)
{
    if (e->op == ':') {
        return put_pair(in, into, e->a);
    }
    Value v = eval(in, e->a);
    if (val_failed(v)) {
        return false;
    }
    return e->op == '{' ? dict_put(in, into.dict, v, val_none(), e->span)
                        : list_push(in, into, v);
}

/* Executes one for clause and, in the innermost one, adds the element. */
static bool
comp_clause(Interp *in, Ast *e, Ast *clause, Value into)
{
    Iter it;
    Value source = eval(in, clause->b);
    if (val_failed(source) || !iter_begin(in, source, clause->b->span, &it)) {
        return false;
    }
    for (;;) {
        Value item = val_none();
        int more = iter_step(in, &it, clause->b->span, &item);
        if (more <= 0) {
            return more == 0;
        }
        TRY(core_step(in, clause->span));
        if (clause->a->kind == AST_NAME && clause->a->op == PLACE_LOCAL) {
            in->frame->slots[clause->a->slot] = item;
        } else {
            TRY(exec_assign(in, clause->a, item));
        }
        bool yes = true;
        for (Ast *cond = clause->list; cond && yes; cond = cond->next) {
            TRY(eval_truth(in, cond, &yes));
        }
        TRY(!yes || (clause->next ? comp_clause(in, e, clause->next, into)
                                  : comp_element(in, e, into)));
    }
}

/* Makes a generator. The first iterable is evaluated now, everything else when items are
 * needed. */
static Value
make_generator(Interp *in, Ast *e)
{
    const Locals *loc = e->cache;
    Arena *a = core_arena(in);
    Iter it = {.kind = ITER_GENERATOR, .gen = ARENA_NEW(a, Generator)};
    Iter first;
    Value source = eval(in, e->list->b);
    if (val_failed(source) || !iter_begin(in, source, e->list->b->span, &first)) {
        return val_fail();
    }
    int clauses = 0;
    for (const Ast *c = e->list; c; c = c->next) {
        clauses++;
    }
    it.sub = ARENA_ARRAY(a, Iter, clauses);
    it.sub[0] = first;
    it.gen->node = e;
    Frame *f = ARENA_NEW(a, Frame);
    *f = (Frame){.module = in->frame->module, .loc = loc, .func = in->frame->func};
    f->slots = ARENA_ARRAY(a, Value, loc->nslots);
    f->cells = ARENA_ARRAY(a, Cell *, loc->ncells);
    for (uint32_t i = 0; i < loc->ncells; i++) {
        f->cells[i] = i < loc->nown ? ARENA_NEW(a, Cell)
                                    : in->frame->cells[loc->outer[i - loc->nown]];
    }
    it.gen->frame = f;
    return iter_object(in, "generator", &it);
}

static Ast *
clause_at(const Generator *g)
{
    Ast *c = g->node->list;
    for (int i = 0; i < g->depth; i++) {
        c = c->next;
    }
    return c;
}

/* Binds the next item of a clause to its target. Returns 1 if the conditions hold, 0 if
 * they do not, 2 if there are no more items. */
static int
advance_clause(Interp *in, Iter *it, Ast *clause)
{
    Value item = val_none();
    bool yes = true;
    int more = iter_next(in, &it->sub[it->gen->depth], clause->b->span, &item);
    if (more <= 0) {
        return more == 0 ? 2 : -1;
    }
    if (!core_step(in, clause->span) || !exec_assign(in, clause->a, item)) {
        return -1;
    }
    for (Ast *cond = clause->list; cond && yes; cond = cond->next) {
        if (!eval_truth(in, cond, &yes)) {
            return -1;
        }
    }
    return yes;
}

static int
resume(Interp *in, Iter *it, Value *out)
{
    Generator *g = it->gen;
    while (g->depth >= 0) {
        Ast *clause = clause_at(g);
        int state = advance_clause(in, it, clause);
        if (state < 0) {
            return -1;
        }
        if (state == 2) {
            g->depth--;
        } else if (state && !clause->next) {
            *out = eval(in, g->node->a);
            return val_failed(*out) ? -1 : 1;
        } else if (state) {
            Value source = eval(in, clause->next->b);
            if (val_failed(source) ||
                !iter_begin(in, source, clause->next->b->span, &it->sub[g->depth + 1])) {
                return -1;
            }
            g->depth++;
        }
    }
    return 0;
}

int
eval_generator(Interp *in, Iter *it, Span span, Value *out)
{
    Generator *g = it->gen;
    if (g->running) {
        py_raise(in, "ValueError", span, "generator already executing");
        return -1;
    }
    if (!call_enter(in, span)) {
        return -1;
    }
    core_keep_brief(in);
    Span here = in->here;
    py_chain(in); /* the frame of a generator is no step of the chain */
    g->frame->caller = in->frame;
    in->frame = g->frame;
    in->depth++;
    g->running = true;
    int more = resume(in, it, out);
    g->running = false;
    in->depth--;
    in->frame = g->frame->caller;
    in->here = here;
    it->done = it->done || more < 0;
    return more;
}

Value
eval_comp(Interp *in, Ast *e)
{
    core_keep_brief(in); /* its variables keep what they are bound to */
    if (e->op == '(') {
        return make_generator(in, e);
    }
    const CompFacts *f = e->cache;
    for (uint32_t i = 0; f && i < f->n; i++) {
        in->frame->cells[f->cell[i]] = ARENA_NEW(core_arena(in), Cell);
    }
    Value into = e->op == ':'   ? val_dict(in)
                 : e->op == '{' ? dict_new(in, VAL_SET)
                                : val_items(in, VAL_LIST, 0);
    if (!comp_clause(in, e, e->list, into)) {
        return val_fail();
    }
    return into;
}

/* ---- dispatch ------------------------------------------------------------ */

/* Returns a character that is one of ASCII and was asked for before, else VAL_FAIL. */
static inline Value
str_ascii(Interp *in, Value text, int64_t i)
{
    const Str *s = text.str;
    unsigned char c = i >= 0 && i < s->len ? (unsigned char)s->p[i] : 128;
    /* all characters of the text have one byte: that is known, and how many there are */
    Str *one = c < 128 && s->chars == s->len + 1 ? in->core->ascii[c] : NULL;
    return one ? (Value){.kind = VAL_STR, .str = one} : val_fail();
}

static Value
eval_index(Interp *in, Ast *e)
{
    Value container = operand(in, e->a);
    if (val_failed(container)) {
        return container;
    }
    Value key = operand(in, e->b);
    bool list = container.kind == VAL_LIST || container.kind == VAL_TUPLE;
    if (list && key.kind == VAL_INT && key.i >= 0 && key.i < container.list->n) {
        return container.list->p[key.i];
    }
    if (container.kind == VAL_STR && key.kind == VAL_INT) {
        Value c = str_ascii(in, container, key.i);
        if (!val_failed(c)) {
            return c;
        }
    }
    return val_failed(key) ? key : index_get(in, container, key, e->span);
}

static Value
eval_cond(Interp *in, Ast *e)
{
    bool yes = false;
    Value v = eval(in, e->b);
    if (is_host(v)) {
        /* only the host knows which of the two it is */
        return host_derived(in, v, e->span);
    }
    if (val_failed(v) || !op_truth(in, v, e->b->span, &yes)) {
        return val_fail();
    }
    return eval(in, yes ? e->a : e->c);
}

static Value
eval_walrus(Interp *in, Ast *e)
{
    core_keep_brief(in);
    Value v = eval(in, e->a);
    return !val_failed(v) && eval_bind(in, e, e->name, v) ? v : val_fail();
}

static Value
eval_attr(Interp *in, Ast *e)
{
    Value v = operand(in, e->a);
    v = val_failed(v) ? v : attr_get_at(in, v, e->name, e->span, &e->slot);
    return is_poison(v) ? error_poisoned(in, e->span) : v;
}

static Value
eval_ellipsis(Interp *in)
{
    return in->core->ellipsis;
}

/* Evaluates a name, number or string, which needs no more of the stack. */
static inline Value
eval_leaf(Interp *in, Ast *e)
{
    switch ((AstKind)e->kind) {
    case AST_NAME:
        return name_value(in, e);
    case AST_INT:
        return e->op == INT_TEXT ? *(Value *)e->cache : val_int(ast_int_value(e));
    case AST_FLOAT:
        return val_float(e->number);
    default:
        return (Value){.kind = VAL_STR, .str = e->cache};
    }
}

/* It is no part of eval, which would save registers for the sake of it. */
static NOINLINE Value
eval_node(Interp *in, Ast *e)
{
    if (!core_stack(in, e->span)) {
        return val_fail();
    }
    switch ((AstKind)e->kind) {
    case AST_FSTRING:
        return eval_fstring(in, e);
    case AST_NONE:
        return val_none();
    case AST_BOOL:
        return val_bool(e->value != 0);
    case AST_ELLIPSIS:
        return eval_ellipsis(in);
    case AST_TUPLE:
    case AST_LIST:
        return eval_items(in, e);
    case AST_DICT:
        return eval_dict(in, e);
    case AST_SET:
        return eval_set(in, e);
    case AST_UNARY:
        return eval_unary(in, e);
    case AST_BINARY:
        return eval_binary(in, e);
    case AST_COMPARE:
        return eval_compare(in, e);
    case AST_AND:
    case AST_OR:
        return eval_logic(in, e);
    case AST_COND:
        return eval_cond(in, e);
    case AST_LAMBDA:
        return eval_function(in, e->func);
    case AST_CALL:
        return eval_call(in, e);
    case AST_ATTR:
        return eval_attr(in, e);
    case AST_INDEX:
        return eval_index(in, e);
    case AST_SLICE:
        return eval_slice(in, e);
    case AST_COMP:
        return eval_comp(in, e);
    case AST_WALRUS:
        return eval_walrus(in, e);
    case AST_YIELD:
        return error_not_supported(
            in, e->span,
            e->flags & AST_YIELD_FROM
                ? "yield from: generator functions are not evaluated"
                : "yield: generator functions are not evaluated",
            "collect the values in a list and return it, or write a generator "
            "expression");
    case AST_AWAIT:
        return error_not_supported(in, e->span,
                                   "await: asynchronous code is not evaluated",
                                   "call the function; a compilation is one thread");
    case AST_STARRED:
        return error_not_supported(in, e->span,
                                   "a starred expression must be in a list or call",
                                   "write [*x], (*x,) or f(*x)");
    default:
        ICE("expression of kind %d", e->kind);
    }
}

Value
eval(Interp *in, Ast *e)
{
    core_owe(in, 1);
    return e->kind <= AST_STRING ? eval_leaf(in, e) : eval_node(in, e);
}
