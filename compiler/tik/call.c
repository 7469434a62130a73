/* call.c: see call.h. The table of calls, their prototypes, and the binding of arguments.
 * Functions of the program are bound in python/call.c. */
#include "tik/call.h"

#include "python/core.h"
#include "tik/calls/instruction.h"
#include "tik/tik.h"

#include <string.h>

/* ---- the table ----------------------------------------------------------- */

#define DFLT_INIT_REQUIRED .dflt = DFLT_REQUIRED
#define DFLT_INIT_NONE     .dflt = DFLT_NONE, .value = {.kind = VAL_NONE}
#define DFLT_INIT_INT(n)   .dflt = DFLT_INT, .value = {.kind = VAL_INT, .i = (n)}
#define DFLT_INIT_BOOL(v)  .dflt = DFLT_BOOL, .value = {.kind = VAL_BOOL, .b = (v)}
#define DFLT_INIT_TEXT(s)  .dflt = DFLT_TEXT, .text = (s)
#define DFLT_INIT_OWN(s)   .dflt = DFLT_OWN, .text = (s)

static const CallArg call_args[CALL_ARGS] = {
#define ARG(id, arg, what, which, value)                                                 \
    [CALL_AT_##id##_##                                                                   \
        arg] = {.name = #arg, .kind = TAKES_##what, .of = which, DFLT_INIT_##value},
#include "tik/call.def"
};

static const struct {
    const char *name;
    const char *meaning;
    uint8_t owner;
    uint16_t first; /* index of its first own argument; those of the next row follow */
    uint16_t like;  /* the call whose arguments it has */
} table[CALL_COUNT + 1] = {
#define CALL(id, of, called, what)                                                       \
    [CALL_##id] = {called, what, OWNER_##of, CALL_FIRST_##id, CALL_##id},
#define LIKE(id, of, called, other, what)                                                \
    [CALL_##id] = {called, what, OWNER_##of, CALL_FIRST_##id, CALL_##other},
#include "tik/call.def"
    [CALL_COUNT] = {.first = CALL_ARGS},
};

#define CALL(id, owner, name, meaning)
#define ARG(id, name, kind, of, dflt)                                                    \
    _Static_assert(P_##id##_##name < MOST_ARGS,                                          \
                   "a call with more arguments than MOST_ARGS");
#include "tik/call.def"

Signature
call_signature(Call call)
{
    unsigned from = table[call].like;
    int first = table[from].first;
    return (Signature){
        .name = table[call].name,
        .args = call_args + first,
        .n = table[from + 1].first - first,
    };
}

CallOwner
call_owner(Call call)
{
    return (CallOwner)table[call].owner;
}

const char *
call_meaning(Call call)
{
    return table[call].meaning;
}

const char *
call_owner_text(CallOwner owner)
{
    static const char *const texts[OWNER_COUNT] = {
#define OWNER(id, text) [OWNER_##id] = text,
#include "tik/call.def"
    };
    return texts[owner];
}

const char *
call_kind_text(const CallArg *arg)
{
    static const char *const texts[KIND_COUNT] = {
#define KIND(id, text) [TAKES_##id] = text,
#include "tik/call.def"
    };
    return *arg->of ? arg->of : texts[arg->kind];
}

/* ---- instructions that are called with the operands of their form -------- */

static const uint8_t kind_of_role[] = {
    [ROLE_DST] = TAKES_TENSOR,        [ROLE_SRC] = TAKES_TENSOR, [ROLE_MASK] = TAKES_MASK,
    [ROLE_MASKMODE] = TAKES_MASKMODE, [ROLE_REPEAT] = TAKES_INT, [ROLE_INT] = TAKES_INT,
    [ROLE_SCALAR] = TAKES_NUMBER,     [ROLE_ATTR] = TAKES_FIXED, [ROLE_PIPE] = TAKES_WORD,
    [ROLE_ROOT] = TAKES_TENSOR,
};

static CallArg
arg_of_operand(const ParamInfo *p, Arena *a)
{
    const char *end = p->items ? strchr(p->name, '[') : NULL;
    CallArg arg = {.name =
                       end ? arena_strndup(a, p->name, (size_t)(end - p->name)) : p->name,
                   .kind = p->items ? TAKES_LIST : kind_of_role[p->role],
                   .of = ""};
    if (p->of == OF_BOOL) {
        arg.kind = TAKES_BOOL;
    } else if (p->of == OF_ROUND) {
        arg.kind = TAKES_ROUND;
    } else if (p->of == OF_SIDE) {
        arg.kind = TAKES_SIDE;
    }
    if (p->role == ROLE_MASKMODE) {
        arg.dflt = DFLT_OWN;
        arg.text = "\"normal\"";
    } else if (p->dflt != PARAM_REQUIRED) {
        arg.dflt = DFLT_OWN;
        arg.text = p->of == OF_BOOL ? (p->dflt ? "True" : "False")
                                    : arena_printf(a, "%d", p->dflt);
    }
    return arg;
}

Signature
call_of_form(const char *name, Form form, Arena *a, CallArg *args)
{
    int n;
    const ParamInfo *p = form_params(form, &n);
    Signature s = {.name = name, .args = args};
    for (int i = 0; i < n; i++) {
        if (p[i].item == 0) { /* a list is one argument */
            args[s.n++] = arg_of_operand(&p[i], a);
        }
    }
    if (form_family(form) == FAM_MOVE && form_slot(form, ROLE_ATTR, "mode") >= 0) {
        s.extended = true;
        args[s.n - 1].name = "PadMode";
        args[s.n - 1].other = "ConvReluMode";
    }
    return s;
}

/* Returns the first row of a method of the container, CALL_COUNT if there is none. */
static int
row_of_method(const char *name)
{
    int call = 0;
    while (call < CALL_COUNT && (table[call].owner != OWNER_CONTAINER ||
                                 strcmp(table[call].name, name) != 0)) {
        call++;
    }
    return call;
}

bool
call_takes_operands(Op op)
{
    static const Op beside[] = {
#define OPERANDS(op) OP_##op,
#include "tik/call.def"
    };
    bool takes = row_of_method(op_table[op].name) == CALL_COUNT;
    for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
        takes = takes || beside[i] == op;
    }
    return takes;
}

bool
op_is_called(Op op)
{
    static const Op recorded[] = {
#define RECORDED(op) OP_##op,
#include "tik/call.def"
    };
    bool called = strchr(op_table[op].name, '.') == NULL;
    for (size_t i = 0; i < ARRAY_LEN(recorded); i++) {
        called = called && recorded[i] != op;
    }
    return called;
}

/* ---- prototypes ---------------------------------------------------------- */

static void
put_default(const CallArg *arg, bool keyword, Text *out)
{
    switch (arg->dflt) {
    case DFLT_REQUIRED:
        if (arg->kind == TAKES_STRUCT) {
            text_printf(out, "=%s(...)", arg->of);
        } else if (keyword) { /* follows an argument that may be left out */
            text_put(out, "=...");
        }
        break;
    case DFLT_OWN:
        text_printf(out, "=%s", arg->text);
        break;
    case DFLT_NONE:
        text_put(out, "=None");
        break;
    case DFLT_INT:
        text_printf(out, "=%lld", (long long)arg->value.i);
        break;
    case DFLT_BOOL:
        text_put(out, arg->value.b ? "=True" : "=False");
        break;
    case DFLT_TEXT:
        text_printf(out, "=\"%s\"", arg->text);
        break;
    }
}

void
call_prototype(const Signature *s, Text *out)
{
    bool keyword = false;
    text_printf(out, "%s(", s->name);
    for (int i = 0; i < s->n; i++) {
        const CallArg *arg = &s->args[i];
        text_printf(out, "%s%s", i ? ", " : "", arg->name);
        put_default(arg, keyword, out);
        keyword = keyword || arg->dflt != DFLT_REQUIRED || arg->kind == TAKES_STRUCT;
        if (arg->other) {
            text_printf(out, " or %s", arg->other);
        }
    }
    text_putc(out, ')');
}

/* ---- binding ------------------------------------------------------------- */

typedef struct Binding {
    Interp *in;
    const Signature *s;
    const CallArgs *args;
    Value *out;
    Span *spans;    /* may be null */
    uint64_t given; /* a bit for each argument that the call gives */
} Binding;

enum {
    MOST_BOUND = 64 /* bits of Binding.given */
};

_Static_assert((int)MOST_ARGS <= (int)MOST_BOUND, "Binding.given has a bit for each");
_Static_assert((int)MAX_PARAMS <= (int)MOST_BOUND, "Binding.given has a bit for each");

/* Reports that the call's name is followed by what: "needs an argument 'src'". */
static Diag *
bind_error(const Binding *b, DiagId id, Span span, const char *what)
{
    Text t;
    text_init(&t, core_arena(b->in));
    call_prototype(b->s, &t);
    Diag *d = py_diag(b->in, id, span, "%s %s", b->s->name, what);
    diag_note(b->in->u, d, (Span){0}, "prototype: %s", t.p);
    return d;
}

static bool
extended_twice(const Binding *b)
{
    py_diag(b->in, D_EXTARG, b->args->span,
            "%s is called with more than one extended argument", b->s->name);
    return false;
}

static bool
too_many(const Binding *b)
{
    const CallArgs *a = b->args;
    int n = b->s->n;
    if (b->s->extended) {
        return extended_twice(b);
    }
    const char *text =
        arena_printf(core_arena(b->in), "takes at most %d argument%s; %d are given", n,
                     n == 1 ? "" : "s", a->npos + a->nkw);
    Diag *d = bind_error(b, D_ARG_COUNT, a->pos_span ? a->pos_span[n] : a->span, text);
    if (n > 0) {
        diag_help(b->in->u, d, "'%s' is the last: leave out what follows it",
                  b->s->args[n - 1].name);
    }
    return false;
}

static bool
bind_positions(Binding *b)
{
    const CallArgs *a = b->args;
    size_t npos = (size_t)a->npos;
    if (a->npos > b->s->n) {
        return too_many(b);
    }
    if (npos == 0) {
        return true;
    }
    b->given = UINT64_MAX >> (MOST_BOUND - npos);
    memcpy(b->out, a->pos, npos * sizeof *a->pos);
    if (b->spans && a->pos_span) {
        memcpy(b->spans, a->pos_span, npos * sizeof *a->pos_span);
    }
    for (size_t i = 0; b->spans && !a->pos_span && i < npos; i++) {
        b->spans[i] = a->span;
    }
    return true;
}

static bool
unknown_argument(const Binding *b, Span span, const char *name)
{
    const Signature *s = b->s;
    Nearest near = {.wanted = name};
    for (int i = 0; i < s->n - s->extended; i++) {
        nearest_try(&near, s->args[i].name);
    }
    DiagId id = s->extended && !near.best ? D_EXTARG : D_ARG_COUNT;
    Diag *d = bind_error(b, id, span,
                         arena_printf(core_arena(b->in), "has no parameter '%s'", name));
    diag_suggest(b->in->u, d, span, &near);
    if (!near.best && s->n == 1 && s->args[0].kind == TAKES_CONDITION) {
        diag_help(b->in->u, d, "compare with %s == ...", name);
    }
    return false;
}

static inline bool
same_name(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0; /* most differ in the first letter */
}

static int
index_of(const Signature *s, const char *name)
{
    for (int i = 0; i < s->n; i++) {
        const CallArg *arg = &s->args[i];
        if (same_name(arg->name, name) || (arg->other && same_name(arg->other, name))) {
            return i;
        }
    }
    return -1;
}

static bool
bind_keyword(Binding *b, int k)
{
    const CallArgs *a = b->args;
    const char *name = sym_text(&b->in->u->names, a->kwname[k]);
    const Span *span = a->kw_span ? &a->kw_span[k] : &a->span;
    int i = index_of(b->s, name);
    if (i < 0) {
        return unknown_argument(b, a->kwname_span ? a->kwname_span[k] : *span, name);
    }
    if (b->given >> i & 1) {
        if (b->s->extended && i == b->s->n - 1) {
            return extended_twice(b);
        }
        bind_error(b, D_ARG_COUNT, *span,
                   arena_printf(core_arena(b->in), "gets the argument '%s' twice", name));
        return false;
    }
    b->given |= UINT64_C(1) << i;
    b->out[i] = a->kwval[k];
    if (b->spans) {
        b->spans[i] = *span;
    }
    return true;
}

static inline Value
default_value(Interp *in, const CallArg *arg)
{
    return arg->dflt == DFLT_TEXT ? val_str(in, arg->text) : arg->value;
}

void
call_defaults(Interp *in, Call call, Value *got)
{
    Signature s = call_signature(call);
    for (int i = 0; i < s.n; i++) {
        got[i] = default_value(in, &s.args[i]);
    }
}

/* Says how a missing argument is given: a stride of repeats with the one of repeats that
 * follow each other, what is a text as one. */
static void
help_missing(const Binding *b, Diag *d, const CallArg *arg)
{
    bool blocks = strstr(arg->name, "_rep_stride") != NULL;
    if (blocks) {
        diag_help(
            b->in->u, d,
            "add %s=8: 8 blocks of 32 bytes from one repeat to the next, so that they "
            "follow each other",
            arg->name);
    } else if (arg->kind == TAKES_TEXT) {
        diag_help(b->in->u, d, "add %s=\"...\", a text", arg->name);
    } else {
        diag_help(b->in->u, d, "add %s: %s", arg->name, call_kind_text(arg));
    }
}

/* Where a tensor is given first, and the mask is expected there, the mask was forgotten:
 * all arguments are shifted by one. */
static bool
help_shifted(const Binding *b, Diag *d)
{
    const CallArgs *a = b->args;
    const char *first = b->s->n ? b->s->args[0].name : "";
    if (strcmp(first, "mask") == 0 && a->npos && tik_is(a->pos[0], &tik_tensor_class)) {
        int lanes = 256 / dtype_size(((View *)a->pos[0].obj)->dtype);
        lanes = MIN(lanes, 128);
        diag_help(
            b->in->u, d,
            "the first argument is a Tensor, and the mask is missing before it: %s(%d, "
            "...) for %d elements of each repeat",
            b->s->name, lanes, lanes);
        return true;
    }
    return false;
}

/* Reports an argument that has to be given. */
static bool
missing_argument(const Binding *b, const CallArg *arg)
{
    Diag *d =
        bind_error(b, D_ARG_COUNT, b->args->span,
                   arena_printf(core_arena(b->in), "needs an argument '%s'", arg->name));
    if (!help_shifted(b, d)) {
        help_missing(b, d, arg);
    }
    return false;
}

bool
call_bind(Interp *in, const Signature *s, const CallArgs *args, Value *got, Span *spans)
{
    Binding b = {in, s, args, got, spans, 0};
    TRY(bind_positions(&b));
    for (int k = 0; k < args->nkw; k++) {
        TRY(bind_keyword(&b, k));
    }
    Span span = args->span;
    for (int i = args->npos, n = s->n; i < n; i++) {
        const CallArg *arg = &s->args[i];
        if (b.given >> i & 1) {
            continue;
        }
        if (arg->dflt == DFLT_REQUIRED) {
            return missing_argument(&b, arg);
        }
        got[i] = default_value(in, arg);
        if (spans) {
            spans[i] = span;
        }
    }
    return true;
}

bool
tik_bind(Interp *in, Call call, const CallArgs *args, Value *got, Span *spans)
{
    Signature s = call_signature(call);
    return call_bind(in, &s, args, got, spans);
}

bool
tik_bind_like(Interp *in, const char *name, Call call, const CallArgs *args, Value *got,
              Span *spans)
{
    Signature s = call_signature(call);
    s.name = name;
    return call_bind(in, &s, args, got, spans);
}

bool
tik_bind_form(Interp *in, Op op, const CallArgs *args, Value *got, Span *spans)
{
    return call_bind(in, tik_signature(in, op), args, got, spans);
}

/* Finds the row of an instruction whose arguments are its operands under other names;
 * false if it has none. */
static bool
row_of_instruction(Op op, Signature *s)
{
    static const char *const methods[] = {
#define METHOD(name, fn) #name,
#include "tik/call.def"
    };
    const char *name = op_table[op].name;
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        if (strcmp(methods[i], name) == 0) {
            return false; /* its rows are those of the method */
        }
    }
    int call = row_of_method(name);
    if (call == CALL_COUNT) {
        return false;
    }
    *s = call_signature((Call)call);
    return true;
}

const Signature *
tik_signature(Interp *in, Op op)
{
    TikState *st = tik_state(in);
    if (!st->of_op[op]) {
        Signature *s = ARENA_NEW(core_arena(in), Signature);
        if (!row_of_instruction(op, s)) {
            CallArg *args = ARENA_ARRAY(core_arena(in), CallArg, MAX_PARAMS);
            *s = call_of_form(op_method(op), op_table[op].form, core_arena(in), args);
        }
        st->of_op[op] = s;
    }
    return st->of_op[op];
}
