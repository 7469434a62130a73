/* target.c: the module _target, which only stdlib/ imports: facts of the processor that is compiled
 * for, from the tables of runtime/isa, and the few things that cannot be written in the language. */
#include "stage/resolve.h"

#include <string.h>

static Value
put_fact(Interp *in, Value dict, const char *key, Value v, Span span)
{
    return dict_put(in, dict.dict, val_str(in, key), v, span) ? dict : val_fail();
}

/* facts(): a dictionary; sizes in bytes. */
static Value
fn_facts(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const Soc *s = in->u->soc;
    const struct {
        const char *key;
        Value v;
    } rows[] = {
        {"name", val_str(in, s->name)},
        {"family", val_str(in, s->family)},
        {"core_type", val_str(in, core_kind_name(s->core))},
        {"cores", val_int(s->cores)},
        {"cube_cores", val_int(s->cube_cores)},
        {"vector_cores", val_int(s->vector_cores)},
        {"ub", val_int(s->bytes[SC_UB])},
        {"l1", val_int(s->bytes[SC_L1])},
        {"l0a", val_int(s->bytes[SC_L0A])},
        {"l0b", val_int(s->bytes[SC_L0B])},
        {"l0c", val_int(s->bytes[SC_L0C])},
        {"l2", val_int(s->l2)},
        {"dynamic", val_bool(in->core->loader.dynamic)},
    };
    Value d = val_dict(in);
    for (size_t i = 0; i < ARRAY_LEN(rows) && !val_failed(d); i++) {
        d = put_fact(in, d, rows[i].key, rows[i].v, args->span);
    }
    return d;
}

static bool
is_text(Interp *in, const CallArgs *args, int i)
{
    if (args->pos[i].kind != VAL_STR) {
        stage_raise(in, "TypeError", args->span, "a text is needed, not '%s'",
                    val_type_name(args->pos[i]));
        return false;
    }
    return true;
}

/* supports(instruction, dtype): dtype "" asks for any. None: the tables have no such instruction. */
static Value
fn_supports(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Op op;
    if (!is_text(in, args, 0) || !is_text(in, args, 1)) {
        return val_fail();
    }
    const char *dtype = args->pos[1].str->p;
    if (!op_find(args->pos[0].str->p, &op)) {
        return val_none();
    }
    if (!*dtype) {
        return val_bool(op_on_soc(op, in->u->soc));
    }
    Dtype t = dtype_find(dtype);
    return val_bool(t != DT_NONE && op_has_dtype(op, t, in->u->soc));
}

/* select(name): compiles for that processor unless the command line chose one; whether it is known. */
static Value
fn_select(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (!is_text(in, args, 0)) {
        return val_fail();
    }
    const char *name = args->pos[0].str->p;
    bool ok = in->u->soc_fixed ? soc_find(name) != NULL : unit_set_soc(in->u, name);
    return val_bool(ok);
}

/* parameters(f): the names of the parameters of a function that was defined by def. */
static Value
fn_parameters(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value out = val_items(in, VAL_LIST, 0);
    if (args->pos[0].kind == VAL_FUNC) {
        const Locals *loc = args->pos[0].func->loc;
        for (int i = 0; i < loc->npos; i++) {
            list_push(in, out, val_str_sym(in, loc->params[i].name));
        }
    }
    return out;
}

/* check_info(key, value): raises when JSON cannot hold the value. */
static Value
fn_check_info(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const char *text;
    const char *bad;
    if (compile_info_text(in, args->pos[1], args->span, &text, &bad)) {
        return val_none();
    }
    return !bad ? val_fail()
                : stage_raise(
                      in, "TypeError", args->span,
                      "the compile info %s holds %s; it is written as JSON: numbers, "
                      "texts, lists and dicts",
                      val_repr(in, args->pos[0]), bad);
}

static const BuiltinRow rows[] = {
    {"facts", fn_facts, 0, 0, NULL},           {"supports", fn_supports, 2, 2, NULL},
    {"select", fn_select, 1, 1, NULL},         {"parameters", fn_parameters, 1, 1, NULL},
    {"check_info", fn_check_info, 2, 2, NULL},
};

void
target_install(Interp *in)
{
    Value m = stage_module(in, "<stdlib>._target");
    builtin_add_rows(in, &m.module->attrs, rows, ARRAY_LEN(rows), NULL);
}
