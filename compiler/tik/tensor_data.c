/* tensor_data.c: options of a tensor's creation that give its contents and its place
 * (language 4.3): init_value, start_addr, reuse_list and no_reuse_list.
 *
 * A constant table is converted to the bytes that it has in memory, so that everything
 * that follows (text form, object code, blob) copies bytes. Owns: tensor-init of values,
 * start-addr, reuse-list. */
#include "tik/literal.h"
#include "tik/tensor.h"
#include "tik/tik.h"

#include <math.h>

#include <string.h>

/* ---- init_value ---------------------------------------------------------- */

static bool
is_number(Value v)
{
    return v.kind == VAL_INT || v.kind == VAL_BOOL || v.kind == VAL_BIG ||
           v.kind == VAL_FLOAT;
}

enum {
    WHOLE = -1 /* "index" of a value that stands for all elements */
};

static const char *
value_name(Interp *in, const char *what, int64_t index)
{
    return index == WHOLE ? what
                          : arena_printf(&in->u->arena, "element %lld of %s",
                                         (long long)index, what);
}

/* Converts a number to the tensor's dtype. */
static bool
read_value(Interp *in, const Root *r, const char *what, Value v, Span span, int64_t index,
           int64_t *out)
{
    if (!is_number(v)) {
        py_diag(in, D_TENSOR_INIT, span, "%s of '%s' is %s; it takes a number",
                value_name(in, what, index), tik_sym(in, r->name), tik_a(in, v));
        return false;
    }
    bool fits = tik_literal_fits(v, r->dtype);
    bool table =
        !r->c->k->soc->lmem; /* Ascend: converted like operands of instructions */
    bool whole = v.kind != VAL_FLOAT || dtype_is_float(r->dtype) || v.f == trunc(v.f);
    Literal use = {what, span, true};
    if (!fits) {
        use.what = arena_printf(&in->u->arena, "%s of '%s'", value_name(in, what, index),
                                tik_sym(in, r->name));
    }
    if ((!fits && !table) || !whole ||
        !tik_literal_value(in, r->c, v, r->dtype, &use, out)) {
        py_diag(in, D_TENSOR_INIT, span, "%s of '%s' is %s, which %s does not represent",
                value_name(in, what, index), tik_sym(in, r->name), val_repr(in, v),
                dtype_name(r->dtype));
        return false;
    }
    return true;
}

bool
tik_preset(Interp *in, Root *r, Value v, Span span)
{
    r->preset = true;
    if (v.kind == VAL_LIST || v.kind == VAL_TUPLE) {
        py_diag(in, D_TENSOR_INIT, span,
                "init_value of '%s' is %s; with is_atomic_add it is one number",
                tik_sym(in, r->name), tik_a(in, v));
        return false;
    }
    return v.kind == VAL_NONE ||
           read_value(in, r, "init_value", v, span, WHOLE, &r->preset_value);
}

/* A table while its values are read. */
typedef struct Table {
    Interp *in;
    Root *r;
    const char *what; /* name of the parameter */
    Span span;
    uint8_t *data;
    int64_t n;     /* values so far */
    int64_t lists; /* lists so far; one that is in the table twice counts twice */
} Table;

static void
put_value(Table *t, int64_t index, int64_t value)
{
    int size = dtype_size(t->r->dtype);
    for (int i = 0; i < size; i++) {
        t->data[index * size + i] = (uint8_t)((uint64_t)value >> (8 * i));
    }
}

static bool
add_value(Table *t, Value v)
{
    int64_t value;
    if (t->n == t->r->elems) {
        t->n++; /* one too many is enough to report */
        return true;
    }
    TRY(read_value(t->in, t->r, t->what, v, t->span, t->n, &value));
    put_value(t, t->n++, value);
    return true;
}

enum {
    MAX_TABLE_DEPTH = 64 /* most levels of lists, as for shapes */
};

/* Adds nested lists from left to right. */
static bool
add_list(Table *t, Value v, int depth)
{
    if (v.kind != VAL_LIST && v.kind != VAL_TUPLE) {
        return add_value(t, v);
    }
    core_owe(t->in, 1);
    if (depth == MAX_TABLE_DEPTH || t->lists++ == IR_MAX_TABLE) {
        py_diag(t->in, D_TENSOR_INIT, t->span, "%s of '%s' has %s", t->what,
                tik_sym(t->in, t->r->name),
                depth == MAX_TABLE_DEPTH ? "lists more than 64 deep"
                                         : "more than 262144 lists");
        return false;
    }
    for (uint32_t i = 0; i < v.list->n && t->n <= t->r->elems; i++) {
        TRY(add_list(t, v.list->p[i], depth + 1));
    }
    return true;
}

static bool
broadcast(Table *t, Value v)
{
    int64_t value;
    TRY(read_value(t->in, t->r, t->what, v, t->span, WHOLE, &value));
    for (int64_t i = 0; i < t->r->elems; i++) {
        put_value(t, i, value);
    }
    t->n = t->r->elems;
    return true;
}

bool
tik_fill(Interp *in, Root *r, const char *what, Value v, Span span)
{
    TRY(py_plain(in, &v, span));
    Table t = {.in = in, .r = r, .what = what, .span = span};
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    core_owe(in, list ? r->elems * 3 : r->elems / 8);
    t.data = arena_alloc(&in->u->arena, (size_t)r->bytes);
    TRY(list ? add_list(&t, v, 0) : broadcast(&t, v));
    if (t.n != r->elems) {
        py_diag(in, D_TENSOR_INIT, span,
                "%s of '%s' has %s%lld values; the tensor has %lld", what,
                tik_sym(in, r->name), t.n > r->elems ? "more than " : "",
                (long long)MIN(t.n, r->elems), (long long)r->elems);
        return false;
    }
    r->role = BUF_CONST;
    r->data = t.data;
    return true;
}

bool
tik_table(Interp *in, Root *r, Value v, Span span)
{
    if (r->elems > IR_MAX_TABLE) {
        py_diag(in, D_TENSOR_INIT, span,
                "the constant table '%s' has %lld elements; at most %d",
                tik_sym(in, r->name), (long long)r->elems, IR_MAX_TABLE);
        return false;
    }
    return tik_fill(in, r, "init_value", v, span);
}

/* ---- where on-core tensors stand ----------------------------------------- */

/* Returns the alignment of start_addr: 32 in UB, 512 elsewhere, 1024 in L0C for wider
 * elements. */
static int64_t
start_align(const Root *r)
{
    return r->mem == SC_UB ? scope_align(SC_UB, r->dtype)
                           : MAX(512, scope_align(r->mem, r->dtype));
}

bool
tik_start_addr(Interp *in, Root *r, Value v, Span span)
{
    int64_t at, align = start_align(r);
    const char *name = tik_sym(in, r->name);
    if (v.kind == VAL_NONE) {
        return true;
    }
    if (r->mem == SC_GM) {
        py_diag(in, D_START_ADDR_RANGE, span,
                "start_addr is given for '%s', which is in GM", name);
        return false;
    }
    if (r->mem == SC_LMEM) {
        py_diag(in, D_START_ADDR_RANGE, span,
                "start_addr is given for '%s', which is in LMEM and takes addr", name);
        return false;
    }
    if (v.kind == VAL_FLOAT || v.kind == VAL_BOOL || !val_as_int64(v, &at) || at < 0 ||
        at > IR_MAX_BYTES || at % align != 0) {
        py_diag(in, D_START_ADDR_RANGE, span,
                "start_addr of '%s' is %s; in %s it is a multiple of %lld bytes", name,
                val_repr(in, v), scope_name(r->mem), (long long)align);
        return false;
    }
    r->fixed = true;
    r->fixed_at = at;
    return true;
}

/* Adds all earlier on-core tensors with that name. */
static bool
add_named(Interp *in, Root *r, Sym name, bool apart)
{
    bool found = false;
    core_owe(in, r->c->locals.n / 8);
    for (uint32_t i = 0; i < r->c->locals.n; i++) {
        Root *other = r->c->locals.p[i];
        if (other->name != name) {
            continue;
        }
        found = true;
        if (apart && other->buf != 0) {
            VEC_PUSH(&in->u->arena, &r->apart, other->buf);
        }
    }
    return found;
}

bool
tik_reuse_list(Interp *in, Root *r, Value v, Span span, bool apart)
{
    const char *param = apart ? "no_reuse_list" : "reuse_list";
    if (v.kind == VAL_NONE) {
        return true;
    }
    if ((v.kind != VAL_LIST && v.kind != VAL_TUPLE) || r->mem == SC_GM) {
        py_diag(in, D_REUSE_LIST, span, "%s of '%s' is %s%s", param, tik_sym(in, r->name),
                r->mem == SC_GM ? "given for GM" : tik_a(in, v),
                r->mem == SC_GM ? "" : "; it is a list of names of tensors");
        return false;
    }
    for (uint32_t i = 0; i < v.list->n; i++) {
        const char *name;
        TRY(tik_text(in, v.list->p[i], param, span, &name));
        if (!add_named(in, r, intern(&in->u->names, name), apart)) {
            py_diag(in, D_REUSE_LIST, span,
                    "%s of '%s' names '%s'; no earlier tensor of a core has that name",
                    param, tik_sym(in, r->name), name);
            return false;
        }
    }
    return true;
}
