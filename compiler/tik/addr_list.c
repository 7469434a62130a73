/* addr_list.c: TensorAddrList, a kernel argument that stands for several arrays
 * (language 4.4).
 *
 * In the kernel a list is one sparse global buffer (isa.h): l[i] begins at byte i *
 * LIST_WINDOW, so the address of an element is like that of any view, and a run-time
 * index is a term of it. l[i].value is that address without a dtype; as an operand it
 * takes the dtype of the instruction's tensor. Bounds in a list are checked while the
 * kernel runs. An index or offset that is refused gives a poisoned address: the program
 * goes on with it, and its uses report nothing.
 *
 * The addresses of a list in UB are words of an int64 tensor there, which l[i].set_as
 * writes and l[i].value reads. A word is an offset into the same sparse buffer: i *
 * LIST_WINDOW is the start of array i. That buffer is the one of the list in global
 * memory whose addresses data_move has copied there; without such a move it is an
 * argument of its own, with the name of the list. */
#include "tik/addr_list.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/tensor.h"
#include "tik/tik.h"

#include <string.h>

typedef struct AddressList {
    Object base;
    Root *root;     /* its own; of one in UB that another has filled, that of the other */
    View *words;    /* the addresses of a list in UB, else null */
    bool addressed; /* an address of it was taken */
    bool poisoned;
} AddressList;

/* The values of l[i] and l[i].value, the latter with an offset. */
typedef struct Address {
    Object base;
    Root *root;
    ExprId at;    /* offset of the array in the buffer, in bytes, int64 */
    ExprId elems; /* offset from there, in elements, int64 */
    View *word;   /* for a list in UB, the word that holds the address; else null */
    bool poisoned;
} Address;

static Value
address(Interp *in, const ObjectClass *cls, const Address *made)
{
    Address *a = ARENA_NEW(&in->u->arena, Address);
    *a = *made;
    a->base.cls = cls;
    return val_object(&a->base);
}

/* ---- elements ------------------------------------------------------------ */

/* A window number up to this limit gives an offset that fits 64 bits. A larger one is
 * outside of the list as well, so it may be replaced by the limit. */
enum {
    INDEX_LIMIT = 1 << 26
};

/* Replaces a run-time index outside of the limit by the limit, since its register may
 * hold any number. */
static ExprId
limited(Tik *c, ExprId index)
{
    Kernel *k = c->k;
    if (!(ir_expr(k, index)->flags & EXF_REG)) {
        return index;
    }
    ExprId low = ir_op2(k, SOP_GE, index, tik_i64(c, -INDEX_LIMIT));
    ExprId high = ir_op2(k, SOP_LT, index, tik_i64(c, INDEX_LIMIT));
    ExprId good = ir_cast(k, DT_S64, ir_op2(k, SOP_AND, low, high));
    ExprId bad = ir_op2(k, SOP_SUB, tik_i64(c, 1), good);
    return ir_op2(k, SOP_ADD, ir_op2(k, SOP_MUL, index, good),
                  ir_op2(k, SOP_MUL, bad, tik_i64(c, INDEX_LIMIT)));
}

static bool
constant_index(Interp *in, const Root *r, int64_t i, Span span, int64_t *out)
{
    *out = i < 0 ? i + r->elems : i;
    if (*out >= 0 && *out < r->elems) {
        return true;
    }
    Diag *d = py_diag(in, D_TENSOR_INDEX, span,
                      "index %lld of TensorAddrList '%s' is outside its size %lld",
                      (long long)i, tik_sym(in, r->name), (long long)r->elems);
    diag_note(in->u, d, r->span, "'%s' is created here", tik_sym(in, r->name));
    return false;
}

/* Reads an int, or an integer Scalar or Expr, as int64. */
static bool
integer(Interp *in, const Root *r, Value v, const char *what, Span span, ExprId *out)
{
    int64_t i;
    if (v.kind != VAL_FLOAT && val_as_int64(v, &i)) {
        *out = tik_i64(r->c, i);
        return true;
    }
    const char *given = tik_a(in, v);
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, r->c, v, span, out));
        Dtype t = ir_expr(r->c->k, *out)->dtype;
        if (!dtype_is_float(t)) {
            *out = ir_cast(r->c->k, DT_S64, *out);
            return true;
        }
        given = arena_printf(&in->u->arena, "%s of dtype %s", given, dtype_name(t));
    }
    py_diag(in, D_TENSOR_INDEX, span,
            "%s of TensorAddrList '%s' is %s; it takes an int, or an integer Scalar or "
            "Expr",
            what, tik_sym(in, r->name), given);
    return false;
}

/* Returns element i of a list in UB. */
static Value
word_item(Interp *in, AddressList *l, Value key, Span span)
{
    l->addressed = true;
    Address a = {.root = l->root, .poisoned = l->poisoned};
    Value v = l->poisoned ? val_fail()
                          : tik_tensor_class.get_item(in, &l->words->base, key, span);
    a.at = a.elems = tik_i64(l->root->c, 0);
    a.word = tik_is(v, &tik_tensor_class) ? (View *)v.obj : NULL;
    a.poisoned = a.word == NULL || a.word->poisoned;
    return address(in, &tik_list_item_class, &a);
}

static Value
list_get_item(Interp *in, Object *self, Value key, Span span)
{
    AddressList *l = (AddressList *)self;
    Root *r = l->root;
    Tik *c = r->c;
    if (l->words) {
        return word_item(in, l, key, span);
    }
    Address a = {.root = r, .elems = tik_i64(c, 0), .poisoned = l->poisoned};
    ExprId index = tik_i64(c, 0);
    int64_t i;
    if (!l->poisoned) {
        a.poisoned = !integer(in, r, key, "an index", span, &index);
        if (tik_const_of(c, index, &i)) {
            a.poisoned = !constant_index(in, r, i, span, &i) || a.poisoned;
            index = tik_i64(c, i);
        }
    }
    a.at = ir_op2(c->k, SOP_MUL, limited(c, index), tik_i64(c, LIST_WINDOW));
    return address(in, &tik_list_item_class, &a);
}

/* Returns the offset that a word in UB holds. The word may be any number: one outside of
 * the list's buffer becomes the end of the buffer. */
static ExprId
place_of_word(const Root *r, ExprId word)
{
    Tik *c = r->c;
    Kernel *k = c->k;
    ExprId end = tik_i64(c, r->elems * LIST_WINDOW);
    ExprId low = ir_op2(k, SOP_GE, word, tik_i64(c, 0));
    ExprId good =
        ir_cast(k, DT_S64, ir_op2(k, SOP_AND, low, ir_op2(k, SOP_LT, word, end)));
    ExprId bad = ir_op2(k, SOP_SUB, tik_i64(c, 1), good);
    return ir_op2(k, SOP_ADD, ir_op2(k, SOP_MUL, word, good),
                  ir_op2(k, SOP_MUL, bad, end));
}

/* Returns l[i].value; for a list in UB it records the load of the word. */
static Value
item_value(Interp *in, const Address *item, Span span)
{
    Address a = *item;
    ExprId word;
    if (a.word && !a.poisoned) {
        if (!tik_load_element(in, a.root->c, a.word, span, &word)) {
            return val_fail();
        }
        a.at = place_of_word(a.root, word);
    }
    return address(in, &tik_address_class, &a);
}

static Value
item_set_as(Interp *in, Value self, const CallArgs *args)
{
    const Address *a = (const Address *)self.obj;
    Value v;
    Span span;
    if (!tik_bind(in, CALL_TensorAddrList_set_as, args, &v, &span)) {
        return tik_none(in);
    }
    return a->poisoned ? val_none() : tik_tensor_set_as(in, a->word, v, span);
}

static Value
item_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    const Address *a = (const Address *)self;
    *found = true;
    if (strcmp(tik_sym(in, name), "value") == 0) {
        return item_value(in, a, span);
    }
    if (strcmp(tik_sym(in, name), "set_as") == 0 && a->word) {
        return val_builtin(in, "set_as", item_set_as, val_object(self));
    }
    *found = false;
    return val_none();
}

static const char *
item_name(int index)
{
    static const char *const names[] = {"value", "set_as"};
    return index < (int)ARRAY_LEN(names) ? names[index] : NULL;
}

/* Returns value + n, n + value or value - n, where n counts elements. */
static Value
address_binary(Interp *in, AstOp op, Value left, Value right, Span span)
{
    bool swapped = !tik_is(left, &tik_address_class);
    const Address *a = (const Address *)(swapped ? right : left).obj;
    Kernel *k = a->root->c->k;
    Address sum = *a;
    ExprId n;
    if (op != AOP_ADD && (op != AOP_SUB || swapped)) {
        py_diag(in, D_RUNTIME_OPERATOR, span,
                "'%s' is not defined for an address; + and - take a number of elements",
                ast_op_text(op));
        sum.poisoned = true;
    } else if (!integer(in, a->root, swapped ? left : right, "an offset", span, &n)) {
        sum.poisoned = true;
    } else {
        sum.elems = ir_op2(k, op == AOP_ADD ? SOP_ADD : SOP_SUB, a->elems, n);
    }
    return address(in, &tik_address_class, &sum);
}

bool
tik_address_ref(Interp *in, const Tik *c, Value v, Dtype t, Span span, Ref *out)
{
    const Address *a = (const Address *)v.obj;
    Root *r = a->root;
    if (a->poisoned) {
        return false;
    }
    if (r->c != c) {
        py_diag(in, D_ARG_TYPE, span, "the address belongs to another container");
        return false;
    }
    tik_declare(r);
    r->used = true;
    Kernel *k = r->c->k;
    ExprId bytes = ir_op2(k, SOP_MUL, a->elems, tik_i64(r->c, dtype_size(t)));
    *out = (Ref){r->buf, t, ir_op2(k, SOP_ADD, a->at, bytes)};
    return tik_alive(in, r->c, &out->off, span);
}

Root *
tik_list_root(Value v, bool *poisoned)
{
    const AddressList *l = tik_is(v, &tik_list_class) ? (AddressList *)v.obj : NULL;
    *poisoned = l && l->poisoned;
    return l ? l->root : NULL;
}

/* ---- the list ------------------------------------------------------------ */

static Value
list_set_as(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    py_diag(in, D_NOT_SUPPORTED, args->span, "'set_as' of a TensorAddrList");
    return val_none();
}

static Value
list_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    const Root *r = ((AddressList *)self)->root;
    const char *text = tik_sym(in, name);
    Value size = val_int(r->elems);
    *found = true;
    if (strcmp(text, "name") == 0) {
        return val_str(in, tik_sym(in, r->name));
    }
    if (strcmp(text, "size") == 0) {
        return size;
    }
    if (strcmp(text, "shape") == 0) {
        return val_list(in, &size, 1);
    }
    if (strcmp(text, "set_as") == 0) {
        return val_builtin(in, "set_as", list_set_as, val_object(self));
    }
    *found = false;
    return val_none();
}

static const char *
list_name(int index)
{
    static const char *const names[] = {"name", "size", "shape", "set_as"};
    return index < (int)ARRAY_LEN(names) ? names[index] : NULL;
}

static void
list_repr(Interp *in, Object *self, Text *out)
{
    text_printf(out, "<TensorAddrList %s>",
                tik_sym(in, ((AddressList *)self)->root->name));
}

static void
address_repr(Interp *in, Object *self, Text *out)
{
    text_printf(out, "<address of %s>", tik_sym(in, ((Address *)self)->root->name));
}

const ObjectClass tik_list_class = {
    .name = "TensorAddrList",
    .get_attr = list_attr,
    .attr_name = list_name,
    .get_item = list_get_item,
    .repr = list_repr,
};

const ObjectClass tik_list_item_class = {
    .name = "element of a TensorAddrList",
    .get_attr = item_attr,
    .attr_name = item_name,
    .repr = address_repr,
};

const ObjectClass tik_address_class = {
    .name = "address",
    .binary = address_binary,
    .repr = address_repr,
};

/* ---- a list in UB gets the addresses of one in global memory ------------- */

/* A word of 8 bytes holds an address. */
enum {
    BLOCK_WORDS = BLOCK_BYTES / 8
};

typedef struct Fill {
    Interp *in;
    Value *got; /* the operands of data_move */
    Span *span;
    AddressList *dst, *src;
    int64_t words; /* how many are moved */
} Fill;

static bool
fill_lists(Fill *f)
{
    static const char *const place[] = {"UB", "global memory"};
    AddressList **list[] = {&f->dst, &f->src};
    for (int i = 0; i < (int)ARRAY_LEN(list); i++) {
        AddressList *l =
            tik_is(f->got[i], &tik_list_class) ? (AddressList *)f->got[i].obj : NULL;
        if (l == NULL || (l->words == NULL) != (i == 1)) {
            py_diag(f->in, D_ARG_TYPE, f->span[i],
                    "data_move fills a TensorAddrList in UB from one in global memory; "
                    "%s is %s%s%s",
                    i == 0 ? "dst" : "src", tik_a(f->in, f->got[i]), l ? " in " : "",
                    l ? place[1 - i] : "");
            return false;
        }
        *list[i] = l;
    }
    return !f->dst->poisoned && !f->src->poisoned;
}

/* Reads how many words are moved, which is known while compiling. */
static bool
fill_count(Fill *f)
{
    enum {
        NBURST = 3,
        BURST = 4
    };
    int64_t n, blocks;
    for (int i = NBURST; i <= BURST; i++) {
        if (tik_is_runtime(f->got[i]) ||
            !val_as_int64(f->got[i], i == BURST ? &blocks : &n)) {
            py_diag(f->in, D_NOT_SUPPORTED, f->span[i],
                    "a move of addresses whose length is known only at run time");
            return false;
        }
    }
    if (n != 1 || blocks < 1 || blocks > LIST_MAX) {
        py_diag(f->in, D_NOT_SUPPORTED, f->span[NBURST],
                "a move of addresses that is not one burst of 1 to %d blocks", LIST_MAX);
        return false;
    }
    f->words = blocks * BLOCK_WORDS;
    return true;
}

/* Checks that a list reaches so far, with the rest of its last block. */
static bool
fill_fits(const Fill *f, int param)
{
    const Root *r = param == 0 ? f->dst->root : f->src->root;
    int64_t room = (r->elems + BLOCK_WORDS - 1) / BLOCK_WORDS * BLOCK_WORDS;
    if (f->words <= room) {
        return true;
    }
    Diag *d =
        py_diag(f->in, D_TENSOR_OVERFLOW, f->span[param],
                "%s covers bytes 0 to %lld; the list of %lld addresses has %lld bytes",
                param == 0 ? "dst" : "src", (long long)f->words * 8 - 1,
                (long long)r->elems, (long long)r->elems * 8);
    diag_note(f->in->u, d, r->span, "'%s' is created here", tik_sym(f->in, r->name));
    return false;
}

/* From now on the words of dst are places in the buffer of src. */
static bool
fill_bind(Fill *f)
{
    if (f->dst->root != f->src->root && (f->dst->addressed || !f->dst->root->implied)) {
        py_diag(f->in, D_NOT_SUPPORTED, f->span[1],
                "a TensorAddrList in UB with the addresses of two lists");
        return false;
    }
    f->words = MIN(f->words, MIN(f->dst->root->elems, f->src->root->elems));
    f->dst->root = f->src->root;
    return true;
}

Value
tik_list_fill(Interp *in, const Tik *c, const CallArgs *args)
{
    Value got[MAX_PARAMS];
    Span span[MAX_PARAMS];
    Fill f = {.in = in, .got = got, .span = span};
    if (tik_dropped(c) || !tik_bind_form(in, OP_DATA_MOVE, args, got, span) ||
        !fill_lists(&f) || !fill_count(&f) || !fill_fits(&f, 0) || !fill_fits(&f, 1) ||
        !fill_bind(&f)) {
        return tik_none(in);
    }
    for (int64_t i = 0; i < f.words; i++) {
        Value word =
            tik_tensor_class.get_item(in, &f.dst->words->base, val_int(i), span[0]);
        if (!tik_is(word, &tik_tensor_class)) {
            return val_fail();
        }
        (void)tik_tensor_set_as(in, (View *)word.obj, val_int(i * LIST_WINDOW), span[1]);
    }
    return tik_none(in);
}

/* ---- creation ------------------------------------------------------------ */

static bool
read_size(Interp *in, Value v, Span span, int64_t *n)
{
    if (tik_is_runtime(v)) {
        py_diag(in, D_NOT_SUPPORTED, span,
                "the size of a TensorAddrList is known only at run time");
        return false;
    }
    if (v.kind == VAL_FLOAT || !val_as_int64(v, n) || *n < 1 || *n > LIST_MAX) {
        py_diag(in, D_TENSOR_SHAPE, span,
                "the size of a TensorAddrList is %s; it is an int, 1 to %d",
                val_repr(in, v), LIST_MAX);
        return false;
    }
    return true;
}

static bool
read_place(Interp *in, const Tik *c, Value scope, Span span, Span call, bool *in_ub)
{
    const char *text;
    Scope mem;
    TRY(tik_text(in, scope, "scope", span, &text));
    if (!scope_find(text, &mem) || (mem != SC_GM && mem != SC_UB)) {
        py_diag(in, D_TENSOR_SCOPE, span,
                "a TensorAddrList in '%s'; it is in global memory or UB", text);
        return false;
    }
    *in_ub = mem == SC_UB;
    if (mem == SC_GM && c->top->kind != TS_TOP) {
        Diag *d = py_diag(in, D_TENSOR_PLACE, call,
                          "a TensorAddrList is created inside a scope");
        diag_note(in->u, d, c->top->span, "the scope was opened here");
        return false;
    }
    return true;
}

static bool
read_name(Interp *in, Value v, Span span, Sym *out)
{
    const char *text;
    TRY(tik_text(in, v, "name", span, &text));
    *out = intern(&in->u->names, text);
    return tik_identifier(in, *out, span);
}

/* Makes the int64 tensor of a list in UB. */
static View *
make_words(Interp *in, Tik *c, const CallArgs *args, const Value *got, const Root *r)
{
    Value shape = val_int(r->elems);
    Value v[] = {val_str(in, "int64"), val_list(in, &shape, 1), got[1], got[2]};
    CallArgs call = {.pos = v, .npos = (int)ARRAY_LEN(v), .span = args->span};
    Value words = tik_tensor_new(in, c, &call);
    return tik_is(words, &tik_tensor_class) ? (View *)words.obj : NULL;
}

Value
tik_list_new(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span spans[MOST_ARGS];
    if (!tik_bind(in, CALL_TensorAddrList, args, got, spans)) {
        return val_fail();
    }
    Root *r = ARENA_NEW(&in->u->arena, Root);
    *r = (Root){.c = c,
                .scope = c->top,
                .mem = SC_GM,
                .dtype = DT_S64,
                .elems = 1,
                .role = BUF_LIST,
                .span = args->span,
                .chain = in->chain};
    bool in_ub = false;
    AddressList *l = ARENA_NEW(&in->u->arena, AddressList);
    l->base.cls = &tik_list_class;
    l->root = r;
    l->poisoned = !tik_not_built(in, c, args->span) ||
                  !read_size(in, got[P_TensorAddrList_size], spans[P_TensorAddrList_size],
                             &r->elems) ||
                  !read_place(in, c, got[P_TensorAddrList_scope],
                              spans[P_TensorAddrList_scope], args->span, &in_ub) ||
                  !read_name(in, got[P_TensorAddrList_name], spans[P_TensorAddrList_name],
                             &r->name);
    if (in_ub && !l->poisoned) {
        r->implied = true;
        r->scope = &c->top_level;
        l->words = make_words(in, c, args, got, r);
        l->poisoned = !l->words || l->words->poisoned;
    }
    if (!l->poisoned) {
        r->bytes = r->elems * LIST_WINDOW;
        VEC_PUSH(&in->u->arena, &r->shape, r->elems);
        VEC_PUSH(&in->u->arena, &c->globals, r);
    }
    return val_object(&l->base);
}
