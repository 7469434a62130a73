/* record.c: implements tikrecord.h: what a program that runs elsewhere does with kernels
 * is done by the evaluator's own functions. An evaluation is begun as for a text; it
 * stays open between the calls, and has no limits of work, since the program that runs
 * elsewhere has none. */
#include "lib/face.h"
#include "lib/record_value.h"
#include "lib/stage.h"
#include "syntax/ast.h"
#include "tik/install.h"

#include <string.h>

/* Returns the recording, ready for a call of this thread. */
static Record *
recording(Tikc *t)
{
    Record *r = t->record;
    if (!pthread_equal(r->thread, pthread_self())) {
        r->thread = pthread_self();
        core_begin_stack(&r->in);
    }
    return r;
}

static void
end_record(Tikc *t)
{
    tik_finish(&t->record->in);
    for (uint32_t i = 0; i < t->record->failed.n; i++) {
        kernel_free(t->record->failed.p[i]);
    }
}

bool
tikc_record_begin(Tikc *t, const char *path, TikcForeign *foreign, void *ctx)
{
    Unit *u = &t->unit;
    if (t->used) {
        diag_add(u, D_USAGE, (Span){0}, 0,
                 "each program needs a Tikc of its own; this one has another: '%s'",
                 path);
        return false;
    }
    Record *r = ARENA_NEW(&u->arena, Record);
    t->used = true;
    u->opt.limits.steps = u->opt.limits.memory = INT64_MAX / 4;
    uint32_t file = unit_add_source(u, path, "", 0);
    r->host = (ForeignHost){record_foreign, r};
    r->foreign = foreign;
    r->ctx = ctx;
    if (u->errors > 0 || !py_begin(&r->in, u, file) || !tik_install(&r->in) ||
        !foreign_begin(&r->in, file)) {
        return false;
    }
    r->thread = pthread_self();
    t->record = r;
    t->end_record = end_record;
    return true;
}

/* ---- places -------------------------------------------------------------- */

uint32_t
tikc_record_source(Tikc *t, const char *path, const char *text, size_t size)
{
    Unit *u = &t->unit;
    uint32_t file = unit_add_source(u, path, text, size);
    loader_note_file(&t->record->in, path);
    /* Parsing finds the allowances. The program's own interpreter reports what is wrong
     * with the text, and accepts more than the language has. */
    DiagMark mark = diag_mark(u);
    (void)parse_file(u, file);
    diag_rewind(u, mark, 0);
    return file;
}

uint32_t
tikc_record_frame(Tikc *t, uint32_t caller, TikcPlace place, const char *callee)
{
    Interp *in = &t->record->in;
    const char *name = sym_text(&t->unit.names, intern(&t->unit.names, callee));
    in->chain = caller;
    return call_chain(in, record_span(&t->unit, place), name);
}

void
tikc_record_at(Tikc *t, uint32_t frame, TikcPlace place)
{
    t->record->in.chain = frame;
    t->record->in.here = record_span(&t->unit, place);
}

/* ---- what a program does ------------------------------------------------- */

/* Gives a result to the program. A failure that set no exception and ended nothing is one
 * of a value that an error kept from being made. */
static bool
give(Record *r, Value v, TikcValue *out)
{
    return !val_failed(v) && record_out(r, v, out);
}

bool
tikc_record_import(Tikc *t, const char *module, TikcValue *out)
{
    Record *r = recording(t);
    Interp *in = &r->in;
    Value v = module_find(in, module, in->here);
    if (val_failed(v) && !module_failed(in)) {
        v = py_raise(in, "ModuleNotFoundError", in->here, "there is no module '%s'",
                     module);
    }
    return give(r, v, out);
}

bool
tikc_record_names(Tikc *t, const TikcValue *module, TikcValue *out)
{
    Record *r = recording(t);
    Value v = record_in(r, module);
    Value list = val_list(&r->in, NULL, 0);
    return v.kind == VAL_MODULE && foreign_names(&r->in, v, r->in.here, list) &&
           give(r, list, out);
}

bool
tikc_record_get(Tikc *t, const TikcValue *object, const char *attribute, TikcValue *out)
{
    Record *r = recording(t);
    Interp *in = &r->in;
    Value v = record_in(r, object);
    Sym name = intern(&in->u->names, attribute);
    return !val_failed(v) && give(r, attr_get(in, v, name, in->here), out);
}

bool
tikc_record_set(Tikc *t, const TikcValue *object, const char *attribute,
                const TikcValue *v)
{
    Record *r = recording(t);
    Interp *in = &r->in;
    Value to = record_in(r, object), value = record_in(r, v);
    Sym name = intern(&in->u->names, attribute);
    return !val_failed(to) && !val_failed(value) &&
           attr_set(in, to, name, value, in->here);
}

bool
tikc_record_get_item(Tikc *t, const TikcValue *object, const TikcValue *key,
                     TikcValue *out)
{
    Record *r = recording(t);
    Value of = record_in(r, object), k = record_in(r, key);
    return !val_failed(of) && !val_failed(k) &&
           give(r, index_get(&r->in, of, k, r->in.here), out);
}

bool
tikc_record_set_item(Tikc *t, const TikcValue *object, const TikcValue *key,
                     const TikcValue *v)
{
    Record *r = recording(t);
    Value to = record_in(r, object), k = record_in(r, key), value = record_in(r, v);
    return !val_failed(to) && !val_failed(k) && !val_failed(value) &&
           index_set(&r->in, to, k, value, r->in.here);
}

bool
tikc_record_call(Tikc *t, const TikcValue *object, const char *method,
                 const TikcArgs *args, TikcValue *out)
{
    Record *r = recording(t);
    Interp *in = &r->in;
    CallArgs given;
    Value v = record_in(r, object);
    if (val_failed(v) || !record_args(r, args, in->here, &given)) {
        return false;
    }
    uint32_t hint = 0;
    Value result =
        method ? attr_call(in, v, intern(&in->u->names, method), &given, in->here, &hint)
               : py_call(in, v, &given);
    return give(r, result, out);
}

/* Returns the operator that a program writes so, or AOP_NONE. */
static AstOp
find_operator(const char *text, size_t n, bool unary)
{
    for (int op = unary ? AOP_NEG : AOP_ADD; op < AOP_COUNT; op++) {
        const char *written = ast_op_text((AstOp)op);
        bool fits = unary ? op <= AOP_INVERT : op < AOP_NEG || op > AOP_NOT;
        if (fits && strlen(written) == n && memcmp(written, text, n) == 0) {
            return (AstOp)op;
        }
    }
    return AOP_NONE;
}

static Value
operate(Interp *in, const char *text, Value a, Value b)
{
    size_t n = strlen(text);
    AstOp op = find_operator(text, n, false);
    if (op >= AOP_EQ) {
        return op_compare(in, op, a, b, in->here);
    }
    if (op != AOP_NONE) {
        return op_binary(in, op, a, b, in->here);
    }
    op = n > 1 && text[n - 1] == '=' ? find_operator(text, n - 1, false) : AOP_NONE;
    return op != AOP_NONE
               ? op_inplace(in, op, a, b, in->here)
               : py_raise(in, "TypeError", in->here, "there is no operator '%s'", text);
}

bool
tikc_record_operator(Tikc *t, const char *op, const TikcValue *left,
                     const TikcValue *right, TikcValue *out)
{
    Record *r = recording(t);
    Interp *in = &r->in;
    Value a = record_in(r, left), b = right ? record_in(r, right) : val_none();
    AstOp sign = right ? AOP_NONE : find_operator(op, strlen(op), true);
    if (val_failed(a) || val_failed(b)) {
        return false;
    }
    return give(
        r, sign != AOP_NONE ? op_unary(in, sign, a, in->here) : operate(in, op, a, b),
        out);
}

bool
tikc_record_truth(Tikc *t, const TikcValue *v, bool *out)
{
    Record *r = recording(t);
    Value value = record_in(r, v);
    return !val_failed(value) && op_truth(&r->in, value, r->in.here, out);
}

bool
tikc_record_length(Tikc *t, const TikcValue *v, int64_t *out)
{
    Record *r = recording(t);
    Value value = record_in(r, v);
    return !val_failed(value) && op_length(&r->in, value, r->in.here, out);
}

bool
tikc_record_text(Tikc *t, const TikcValue *v, bool plain, TikcValue *out)
{
    Record *r = recording(t);
    Interp *in = &r->in;
    Text text;
    text_init(&text, core_arena(in));
    text_put(&text, "");
    Value value = record_in(r, v);
    bool ok = !val_failed(value) && (plain ? format_str(in, value, in->here, &text)
                                           : format_repr(in, value, in->here, &text));
    return ok && give(r, val_text(in, &text), out);
}

bool
tikc_record_enter(Tikc *t, const TikcValue *v, const char *name, TikcValue *out)
{
    Record *r = recording(t);
    Value manager = record_in(r, v), result = val_none();
    Sym sym = name ? intern(&t->unit.names, name) : 0;
    return !val_failed(manager) &&
           foreign_enter(&r->in, manager, sym, r->in.here, &result) &&
           give(r, result, out);
}

bool
tikc_record_leave(Tikc *t, const TikcValue *v, bool failed)
{
    Record *r = recording(t);
    Value manager = record_in(r, v);
    return !val_failed(manager) && foreign_leave(&r->in, manager, r->in.here, failed);
}

/* ---- results ------------------------------------------------------------- */

bool
tikc_record_exception(Tikc *t, const char **name, TikcValue *args, const char **help)
{
    Record *r = recording(t);
    Value e = r->in.exception;
    r->in.exception = val_none();
    if (e.kind != VAL_INSTANCE || (e.inst->exc && e.inst->exc->silent)) {
        return false;
    }
    *name = e.inst->cls->name;
    *help = e.inst->exc && e.inst->exc->help ? e.inst->exc->help : "";
    return record_out(r, e.inst->args, args);
}

static void
check_kernels(Record *r, Unit *u)
{
    for (uint32_t i = r->checked; i < u->kernels.n; i++) {
        Kernel *k = u->kernels.p[i];
        if (tik_record_spoilt(&r->in, k) && u->errors == 0) {
            diag_add(u, D_BUILD_ARGS, k->span, 0,
                     "an error was reported while kernel '%s' was recorded",
                     sym_text(&u->names, k->name));
        }
        (void)!passes_run(k, NULL);
    }
}

/* Takes the kernels out that have errors: numbers of kernels are those of good ones. */
bool
tikc_record_build(Tikc *t)
{
    Unit *u = &t->unit;
    Record *r = recording(t);
    check_kernels(r, u);
    bool ok = r->checked < u->kernels.n && u->errors == 0 &&
              compile_info_finish(&r->in, r->in.here);
    while (!ok && u->kernels.n > r->checked) {
        VEC_PUSH(&u->arena, &r->failed, u->kernels.p[--u->kernels.n]);
    }
    r->checked = u->kernels.n;
    t->good = u->kernels.n > 0;
    return ok;
}

void
tikc_record_next(Tikc *t)
{
    Interp *in = &t->record->in;
    tik_record_next(in, t->unit.errors > 0);
    diag_forget(&t->unit);
    in->fatal = false;
    in->exception = val_none();
}
