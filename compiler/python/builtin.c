/* builtin.c: the built-in functions. Each is a row with its numbers of arguments, which
 * the call checks. */
#include "python/resolve.h"

#include <math.h>
#include <string.h>

Value
builtin_keyword(const CallArgs *args, Sym name)
{
    for (int i = 0; i < args->nkw; i++) {
        if (args->kwname[i] == name) {
            return args->kwval[i];
        }
    }
    return val_fail();
}

void
builtin_add_rows(Interp *in, Attrs *into, const BuiltinRow *rows, size_t n,
                 ClassVal *owner)
{
    for (size_t i = 0; i < n; i++) {
        Value f = val_builtin(in, rows[i].name, rows[i].fn, val_fail());
        f.builtin->owner = owner;
        f.builtin->checked = true;
        f.builtin->keywords = rows[i].keywords;
        f.builtin->min = rows[i].min;
        f.builtin->max = rows[i].max;
        f.builtin->cost = (uint8_t)rows[i].cost;
        attrs_set(core_arena(in), into, intern(&in->u->names, rows[i].name), f);
    }
}

void
builtin_add_static(Interp *in, ClassVal *c, const BuiltinRow *rows, size_t n)
{
    Attrs plain = {0};
    builtin_add_rows(in, &plain, rows, n, NULL);
    for (uint32_t i = 0; i < plain.n; i++) {
        Descr *d = ARENA_NEW(core_arena(in), Descr);
        d->base.cls = &descr_class;
        d->kind = DESCR_STATIC;
        d->get = plain.p[i].v;
        attrs_set(core_arena(in), &c->attrs, plain.p[i].name, val_object(&d->base));
    }
}

/* ---- printing and text --------------------------------------------------- */

static bool
text_or_none(Interp *in, Value v, Span span)
{
    if (v.kind != VAL_STR && v.kind != VAL_NONE && !val_failed(v)) {
        py_raise(in, "TypeError", span, "a text or None is needed, not '%s'",
                 val_type_name(v));
        return false;
    }
    return true;
}

static Value
fn_print(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const CoreSyms *sym = &in->core->sym;
    Value sep = builtin_keyword(args, sym->sep);
    Value end = builtin_keyword(args, sym->end);
    if (!text_or_none(in, sep, args->span) || !text_or_none(in, end, args->span)) {
        return val_fail();
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    for (int i = 0; i < args->npos; i++) {
        Str space = {.p = " ", .len = 1};
        const Str *between = sep.kind == VAL_STR ? sep.str : &space;
        if (i && !core_put(in, &t, between->p, between->len, args->span)) {
            return val_fail();
        }
        if (!format_str(in, args->pos[i], args->span, &t)) {
            return val_fail();
        }
    }
    if (end.kind == VAL_STR) {
        text_putn(&t, end.str->p, end.str->len);
    } else {
        text_putc(&t, '\n');
    }
    return core_put(in, &in->u->log, t.p, t.n, args->span) ? val_none() : val_fail();
}

static Value
fn_repr(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    return format_repr(in, args->pos[0], args->span, &t) ? val_text(in, &t) : val_fail();
}

static Value
fn_ascii(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    return format_ascii(in, args->pos[0], args->span, &t) ? val_text(in, &t) : val_fail();
}

static Value
fn_format(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    char room[TEXT_ROOM];
    Text t;
    Value spec = args->npos > 1 ? args->pos[1] : val_str(in, "");
    text_init_in(&t, core_arena(in), room, sizeof room);
    if (spec.kind != VAL_STR) {
        return py_raise(in, "TypeError", args->span, "a format is a text");
    }
    bool ok = format_spec(in, args->pos[0], spec.str->p, spec.str->len, args->span, &t);
    return ok ? val_text(in, &t) : val_fail();
}

static Value
based(Interp *in, const CallArgs *args, const char *prefix, int base)
{
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    if (!val_is_int(args->pos[0])) {
        return py_raise(in, "TypeError", args->span, "an integer is needed, not '%s'",
                        val_type_name(args->pos[0]));
    }
    big_text(in, args->pos[0], base, &t);
    bool negative = t.p[0] == '-';
    char whole[TEXT_ROOM];
    Text out;
    text_init_in(&out, core_arena(in), whole, sizeof whole);
    text_put(&out, negative ? "-" : "");
    text_put(&out, prefix);
    text_put(&out, t.p + negative);
    return val_text(in, &out);
}

static Value
fn_hex(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return based(in, args, "0x", 16);
}

static Value
fn_bin(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return based(in, args, "0b", 2);
}

static Value
fn_oct(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return based(in, args, "0o", 8);
}

static Value
fn_chr(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    int64_t c = 0;
    if (!val_is_int(args->pos[0])) {
        return py_raise(in, "TypeError", args->span, "an integer is needed, not '%s'",
                        val_type_name(args->pos[0]));
    }
    if (!val_as_int64(args->pos[0], &c) || c < 0 || c > 0x10ffff) {
        return py_raise(in, "ValueError", args->span,
                        "a character code lies in 0 to 1114111");
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    format_put_code(&t, (uint32_t)c);
    return val_str_n(in, t.p, t.n);
}

static Value
fn_ord(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value s = args->pos[0];
    if (s.kind != VAL_STR || str_count(s) != 1) {
        return py_raise(in, "TypeError", args->span, "ord takes one character");
    }
    int bytes = 0;
    return val_int(format_code(s.str->p, &bytes));
}

/* ---- numbers ------------------------------------------------------------- */

static bool
need_number(Interp *in, Value v, Span span)
{
    if (!val_is_number(v)) {
        py_raise(in, "TypeError", span, "a number is needed, not '%s'", val_type_name(v));
        return false;
    }
    return true;
}

static Value
fn_abs(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v = args->pos[0];
    if (v.kind == VAL_FLOAT) {
        return val_float(fabs(v.f));
    }
    if (is_host(v)) {
        return host_derived(in, v, args->span);
    }
    Value r = val_none();
    if (attr_special(in, v, in->core->sym.abs_, CALL_ARGS(NULL, 0, args->span), &r)) {
        return r;
    }
    if (!need_number(in, v, args->span)) {
        return val_fail();
    }
    bool negative = number_compare(v, val_int(0)) < 0;
    return number_unary(in, negative ? AOP_NEG : AOP_POS, v, args->span);
}

static Value
fn_divmod(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value r[2];
    r[0] = op_binary(in, AOP_FLOORDIV, args->pos[0], args->pos[1], args->span);
    r[1] = val_failed(r[0])
               ? r[0]
               : op_binary(in, AOP_MOD, args->pos[0], args->pos[1], args->span);
    return val_failed(r[1]) ? r[1] : val_tuple(in, r, 2);
}

static Value
pow_modulo(Interp *in, const CallArgs *args)
{
    Value b = args->pos[0];
    Value e = args->pos[1];
    Value m = args->pos[2];
    if (!val_is_int(b) || !val_is_int(e) || !val_is_int(m) ||
        number_compare(m, val_int(0)) == 0) {
        return py_raise(in, "ValueError", args->span,
                        "pow with three arguments takes integers, the third not zero");
    }
    if (!core_charge(in, big_bits(e) * (1 + big_bits(m) / 64) * (1 + big_bits(m) / 64),
                     args->span)) {
        return val_fail();
    }
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    big_load(x, b);
    big_load(y, e);
    big_load(z, m);
    bool negative = mpz_sgn(z) < 0;
    bool inverse = mpz_sgn(y) >= 0 || mpz_invert(x, x, z);
    mpz_abs(y, y);
    if (inverse) {
        mpz_powm(x, x, y, z);
    }
    if (negative && mpz_sgn(x) > 0) {
        mpz_add(x, x, z);
    }
    Value r = inverse ? big_from_mpz(in, x, args->span)
                      : py_raise(in, "ValueError", args->span,
                                 "base is not invertible for the given modulus");
    mpz_clears(x, y, z, NULL);
    return r;
}

static Value
fn_pow(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (args->npos == 3) {
        return pow_modulo(in, args);
    }
    return op_binary(in, AOP_POW, args->pos[0], args->pos[1], args->span);
}

static Value
fn_round(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (is_host(args->pos[0])) {
        return host_derived(in, args->pos[0], args->span);
    }
    Value r = val_none();
    if (attr_special(in, args->pos[0], in->core->sym.round_,
                     CALL_ARGS(args->pos + 1, args->npos - 1, args->span), &r)) {
        return r;
    }
    if (!need_number(in, args->pos[0], args->span)) {
        return val_fail();
    }
    return number_round(in, args->pos[0], args->npos > 1 ? args->pos[1] : val_none(),
                        args->span);
}

/* ---- sequences ----------------------------------------------------------- */

static Value
fn_len(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    int64_t n = 0;
    return op_length(in, args->pos[0], args->span, &n) ? val_int(n) : val_fail();
}

/* Returns the smallest or largest of several values: min and max. */
static Value
extreme(Interp *in, const CallArgs *args, const char *name, bool max)
{
    const CoreSyms *sym = &in->core->sym;
    Value key = builtin_keyword(args, sym->key);
    Value best = val_fail();
    Value best_key = val_fail();
    List several = {.p = (Value *)args->pos, .n = (uint32_t)args->npos};
    /* it is only iterated */
    Value items =
        args->npos == 1 ? args->pos[0] : (Value){.kind = VAL_TUPLE, .list = &several};
    Iter it;
    if (!iter_begin(in, items, args->span, &it)) {
        return val_fail();
    }
    for (;;) {
        Value v = val_none();
        bool less = false;
        int more = iter_next(in, &it, args->span, &v);
        if (more < 0 || !core_item(in, args->span)) {
            return val_fail();
        }
        if (more == 0) {
            break;
        }
        Value k = val_failed(key) || key.kind == VAL_NONE
                      ? v
                      : call_values(in, key, &v, 1, args->span);
        if (val_failed(k)) {
            return k;
        }
        if (!val_failed(best) &&
            !op_less(in, max ? best_key : k, max ? k : best_key, args->span, &less)) {
            return val_fail();
        }
        if (val_failed(best) || less) {
            best = v;
            best_key = k;
        }
    }
    if (val_failed(best)) {
        best = builtin_keyword(args, sym->dflt);
    }
    return val_failed(best)
               ? py_raise(in, "ValueError", args->span, "%s() of nothing", name)
               : best;
}

static Value
fn_min(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return extreme(in, args, "min", false);
}

static Value
fn_max(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return extreme(in, args, "max", true);
}

Value
builtin_fold(Interp *in, const CallArgs *args, Value start, AstOp op)
{
    Iter it;
    Value total = start;
    if (!iter_begin(in, args->pos[0], args->span, &it)) {
        return val_fail();
    }
    for (;;) {
        Value v = val_none();
        int more = iter_next(in, &it, args->span, &v);
        if (more <= 0) {
            return more == 0 ? total : val_fail();
        }
        Value sum = val_none();
        bool fast = eval_fast(op, total, v, &sum);
        total = fast ? sum : op_binary(in, op, total, v, args->span);
        if (val_failed(total) || !core_item(in, args->span)) {
            return val_fail();
        }
    }
}

static Value
fn_sum(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value start = builtin_keyword(args, in->core->sym.start);
    Value zero = val_failed(start) ? val_int(0) : start;
    return builtin_fold(in, args, args->npos > 1 ? args->pos[1] : zero, AOP_ADD);
}

/* Implements any and all: the first item whose truth is stop decides. */
static Value
first_truth(Interp *in, const CallArgs *args, bool stop)
{
    Iter it;
    if (!iter_begin(in, args->pos[0], args->span, &it)) {
        return val_fail();
    }
    for (;;) {
        Value v = val_none();
        bool yes = false;
        int more = iter_next(in, &it, args->span, &v);
        if (more <= 0) {
            return more == 0 ? val_bool(!stop) : val_fail();
        }
        if (!op_truth(in, v, args->span, &yes) || !core_item(in, args->span)) {
            return val_fail();
        }
        if (yes == stop) {
            return val_bool(stop);
        }
    }
}

static Value
fn_any(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return first_truth(in, args, true);
}

static Value
fn_all(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return first_truth(in, args, false);
}

static Value
fn_sorted(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const CoreSyms *sym = &in->core->sym;
    Value v = iter_collect(in, VAL_LIST, args->pos[0], args->span);
    Value reverse = builtin_keyword(args, sym->reverse);
    bool down = false;
    if (val_failed(v) ||
        (!val_failed(reverse) && !op_truth(in, reverse, args->span, &down)) ||
        !list_sort(in, v.list, builtin_keyword(args, sym->key), down, args->span)) {
        return val_fail();
    }
    return v;
}

static Iter *
sub_iters(Interp *in, const CallArgs *args, int first)
{
    int n = args->npos - first;
    Iter *sub = ARENA_ARRAY(core_arena(in), Iter, MAX(n, 1));
    for (int i = 0; i < n; i++) {
        if (!iter_begin(in, args->pos[first + i], args->span, &sub[i])) {
            return NULL;
        }
    }
    return sub;
}

static Value
fn_enumerate(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value start =
        args->npos > 1 ? args->pos[1] : builtin_keyword(args, in->core->sym.start);
    CallArgs one = *args;
    one.npos = 1;
    Iter it = {.kind = ITER_ENUMERATE, .sub = sub_iters(in, &one, 0), .nsub = 1};
    if (!val_failed(start) && (!val_is_int(start) || !val_as_int64(start, &it.i))) {
        return py_raise(in, "TypeError", args->span,
                        "the start of enumerate is an integer");
    }
    return it.sub ? iter_object(in, "enumerate", &it) : val_fail();
}

static Value
fn_zip(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value strict = builtin_keyword(args, intern(&in->u->names, "strict"));
    Iter it = {
        .kind = ITER_ZIP, .sub = sub_iters(in, args, 0), .nsub = (uint32_t)args->npos};
    if (!val_failed(strict) && !op_truth(in, strict, args->span, &it.strict)) {
        return val_fail();
    }
    return it.sub ? iter_object(in, "zip", &it) : val_fail();
}

static Value
fn_map(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Iter it = {.kind = ITER_MAP,
               .sub = sub_iters(in, args, 1),
               .nsub = (uint32_t)args->npos - 1,
               .fn = args->pos[0]};
    return it.sub ? iter_object(in, "map", &it) : val_fail();
}

static Value
fn_filter(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Iter it = {.kind = ITER_FILTER,
               .sub = sub_iters(in, args, 1),
               .nsub = 1,
               .fn = args->pos[0]};
    return it.sub ? iter_object(in, "filter", &it) : val_fail();
}

static Value
fn_reversed(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v = args->pos[0];
    if (v.kind == VAL_DICT || v.kind == VAL_STR) {
        v = iter_collect(in, VAL_LIST, v, args->span);
    }
    if (val_failed(v) ||
        (v.kind != VAL_LIST && v.kind != VAL_TUPLE && v.kind != VAL_RANGE)) {
        return val_failed(v) ? v
                             : py_raise(in, "TypeError", args->span,
                                        "a '%s' cannot be reversed", val_type_name(v));
    }
    Iter it = {.kind = ITER_REVERSED, .src = v};
    return op_length(in, v, args->span, &it.n) ? iter_object(in, "reversed", &it)
                                               : val_fail();
}

static Value
fn_iter(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Iter it;
    Value v = args->pos[0];
    if (args->npos == 2) {
        it = (Iter){.kind = ITER_CALL, .fn = v, .src = args->pos[1]};
        return iter_object(in, "callable_iterator", &it);
    }
    if (v.kind == VAL_OBJECT && v.obj->cls == &iter_class) {
        return v;
    }
    return iter_begin(in, v, args->span, &it) ? iter_object(in, "iterator", &it)
                                              : val_fail();
}

static Value
fn_next(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v = args->pos[0];
    Value out = val_none();
    bool iterator = v.kind == VAL_OBJECT && v.obj->cls == &iter_class;
    if (!iterator &&
        attr_special(in, v, in->core->sym.next, CALL_ARGS(NULL, 0, args->span), &out)) {
        return out;
    }
    if (!iterator) {
        return py_raise(in, "TypeError", args->span, "a '%s' is not an iterator",
                        val_type_name(v));
    }
    int more = iter_next(in, &((IterVal *)v.obj)->it, args->span, &out);
    if (more == 0) {
        return args->npos > 1 ? args->pos[1]
                              : py_raise(in, "StopIteration", args->span,
                                         "the iterator has no more items");
    }
    return more > 0 ? out : val_fail();
}

/* ---- objects ------------------------------------------------------------- */

static Value
fn_isinstance(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    bool yes = false;
    return class_isinstance(in, args->pos[0], args->pos[1], args->span, &yes)
               ? val_bool(yes)
               : val_fail();
}

static Value
fn_issubclass(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value c = args->pos[0];
    Value of =
        args->pos[1].kind == VAL_TUPLE ? args->pos[1] : val_tuple(in, &args->pos[1], 1);
    bool yes = false;
    for (uint32_t i = 0; i < of.list->n; i++) {
        Value base = of.list->p[i];
        if (!core_item(in, args->span)) {
            return val_fail();
        }
        if (c.kind != VAL_CLASS || base.kind != VAL_CLASS) {
            return py_raise(in, "TypeError", args->span, "issubclass takes classes");
        }
        yes = yes || base.klass == in->core->object_type || class_is(c.klass, base.klass);
    }
    return val_bool(yes);
}

static bool
name_argument(Interp *in, const CallArgs *args, Sym *out)
{
    if (args->pos[1].kind != VAL_STR) {
        py_raise(in, "TypeError", args->span, "the name of an attribute is a text");
        return false;
    }
    *out = val_sym(in, args->pos[1]);
    return true;
}

static Value
fn_getattr(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Sym name = SYM_NONE;
    bool found = false;
    if (!name_argument(in, args, &name)) {
        return val_fail();
    }
    if (args->npos < 3) {
        return attr_get(in, args->pos[0], name, args->span);
    }
    Value v = attr_try(in, args->pos[0], name, args->span, &found);
    return found ? v : args->pos[2];
}

static Value
fn_hasattr(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Sym name = SYM_NONE;
    bool found = false;
    if (!name_argument(in, args, &name)) {
        return val_fail();
    }
    Value v = attr_try(in, args->pos[0], name, args->span, &found);
    return found && val_failed(v) ? v : val_bool(found);
}

static Value
fn_setattr(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Sym name = SYM_NONE;
    bool ok = name_argument(in, args, &name) &&
              attr_set(in, args->pos[0], name, args->pos[2], args->span);
    return ok ? val_none() : val_fail();
}

static Value
fn_delattr(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Sym name = SYM_NONE;
    bool ok =
        name_argument(in, args, &name) && attr_del(in, args->pos[0], name, args->span);
    return ok ? val_none() : val_fail();
}

/* Returns the hashes of the evaluator, cut to what a 64-bit CPython may give; those of
 * objects without __hash__ are addresses, which a program should not see. */
static Value
fn_hash(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v = args->pos[0];
    uint64_t h = 0;
    bool address = v.kind >= VAL_FUNC && v.kind != VAL_INSTANCE;
    if (v.kind == VAL_INSTANCE) {
        address = val_failed(class_lookup(v.inst->cls, in->core->sym.hash));
    }
    if (address) {
        return error_not_supported(
            in, args->span,
            "hash() of an object is its address and differs from run to run",
            "define __hash__, or use an attribute of the object");
    }
    return dict_hash(in, v, args->span, &h) ? val_int((int64_t)(h >> 3)) : val_fail();
}

static Value
fn_callable(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v = args->pos[0];
    bool yes = v.kind == VAL_FUNC || v.kind == VAL_BUILTIN || v.kind == VAL_BOUND ||
               v.kind == VAL_CLASS || (v.kind == VAL_OBJECT && v.obj->cls->call) ||
               (v.kind == VAL_INSTANCE &&
                !val_failed(class_lookup(v.inst->cls, in->core->sym.call)));
    return val_bool(yes);
}

static Value
fn_locals(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const Frame *f = in->frame;
    Value d = val_dict(in);
    if (!f->func) {
        Value m = {.kind = VAL_MODULE, .module = f->module};
        return attr_get(in, m, in->core->sym.dict, args->span);
    }
    for (int i = 0; i < f->loc->nparams; i++) {
        const ParamSlot *p = &f->loc->params[i];
        Value v = p->in_cell ? f->cells[p->slot]->v : f->slots[p->slot];
        if (!val_failed(v) &&
            !dict_put(in, d.dict, val_str_sym(in, p->name), v, args->span)) {
            return val_fail();
        }
    }
    for (uint32_t i = 0; i < f->loc->nslots + f->loc->ncells; i++) {
        bool cell = i >= f->loc->nslots;
        uint32_t k = cell ? i - f->loc->nslots : i;
        Sym name = cell ? f->loc->cell_names[k] : f->loc->slot_names[k];
        Value v = cell ? f->cells[k]->v : f->slots[k];
        if (name && !val_failed(v) &&
            !dict_put(in, d.dict, val_str_sym(in, name), v, args->span)) {
            return val_fail();
        }
    }
    return d;
}

static Value
fn_globals(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value m = {.kind = VAL_MODULE, .module = in->frame->module};
    return attr_get(in, m, in->core->sym.dict, args->span);
}

static void
push_names(Interp *in, Value list, const Attrs *a)
{
    core_owe(in, a->n);
    for (uint32_t i = 0; i < a->n; i++) {
        if (!val_failed(a->p[i].v)) {
            list_push(in, list, val_str_sym(in, a->p[i].name));
        }
    }
}

static Value
fn_dir(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value list = val_items(in, VAL_LIST, 0);
    Value v = args->npos ? args->pos[0]
                         : (Value){.kind = VAL_MODULE, .module = in->frame->module};
    if (!args->npos && in->frame->func) {
        Value d = fn_locals(in, val_none(), args);
        list = iter_collect(in, VAL_LIST, d, args->span);
    } else if (v.kind == VAL_MODULE) {
        push_names(in, list, &v.module->attrs);
    } else {
        if (v.kind == VAL_INSTANCE) {
            push_names(in, list, &v.inst->attrs);
        }
        for (ClassVal *c = v.kind == VAL_CLASS ? v.klass : val_class(in, v); c;
             c = c->base) {
            push_names(in, list, &c->attrs);
        }
    }
    return list_sort(in, list.list, val_fail(), false, args->span) ? list : val_fail();
}

static Value
fn_vars(Interp *in, Value self, const CallArgs *args)
{
    if (args->npos == 0) {
        return fn_locals(in, self, args);
    }
    return attr_get(in, args->pos[0], in->core->sym.dict, args->span);
}

static const BuiltinRow functions[] = {
    {"print", fn_print, 0, 255, "sep end file flush"},
    {"repr", fn_repr, 1, 1, NULL},
    {"ascii", fn_ascii, 1, 1, NULL},
    {"format", fn_format, 1, 2, NULL},
    {"hex", fn_hex, 1, 1, NULL},
    {"bin", fn_bin, 1, 1, NULL},
    {"oct", fn_oct, 1, 1, NULL},
    {"chr", fn_chr, 1, 1, NULL, COST_ONE},
    {"ord", fn_ord, 1, 1, NULL, COST_ONE},
    {"abs", fn_abs, 1, 1, NULL},
    {"divmod", fn_divmod, 2, 2, NULL},
    {"pow", fn_pow, 2, 3, NULL},
    {"round", fn_round, 1, 2, NULL},
    {"len", fn_len, 1, 1, NULL, COST_ONE},
    {"min", fn_min, 1, 255, "key default"},
    {"max", fn_max, 1, 255, "key default"},
    {"sum", fn_sum, 1, 2, "start"},
    {"any", fn_any, 1, 1, NULL, COST_INSIDE},
    {"all", fn_all, 1, 1, NULL, COST_INSIDE},
    {"sorted", fn_sorted, 1, 1, "key reverse"},
    {"enumerate", fn_enumerate, 1, 2, "start", COST_INSIDE},
    {"zip", fn_zip, 0, 255, "strict", COST_INSIDE},
    {"map", fn_map, 2, 255, NULL, COST_INSIDE},
    {"filter", fn_filter, 2, 2, NULL, COST_INSIDE},
    {"reversed", fn_reversed, 1, 1, NULL, COST_INSIDE},
    {"iter", fn_iter, 1, 2, NULL, COST_INSIDE},
    {"next", fn_next, 1, 2, NULL, COST_INSIDE},
    {"isinstance", fn_isinstance, 2, 2, NULL, COST_INSIDE},
    {"issubclass", fn_issubclass, 2, 2, NULL, COST_INSIDE},
    {"getattr", fn_getattr, 2, 3, NULL},
    {"hasattr", fn_hasattr, 2, 2, NULL},
    {"setattr", fn_setattr, 3, 3, NULL},
    {"delattr", fn_delattr, 2, 2, NULL},
    {"hash", fn_hash, 1, 1, NULL},
    {"callable", fn_callable, 1, 1, NULL, COST_ONE},
    {"locals", fn_locals, 0, 0, NULL, COST_INSIDE},
    {"globals", fn_globals, 0, 0, NULL, COST_INSIDE},
    {"dir", fn_dir, 0, 1, NULL, COST_INSIDE},
    {"vars", fn_vars, 0, 1, NULL, COST_INSIDE},
};

void
builtin_functions(Interp *in, Attrs *into)
{
    builtin_add_rows(in, into, functions, ARRAY_LEN(functions), NULL);
}
