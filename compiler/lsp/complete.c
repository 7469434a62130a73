/* complete.c: what may be typed at the cursor: methods after a dot, arguments and their
 * values in a call, words in a string, and names of the program. */
#include "lsp/callee.h"

#include <string.h>

/* The kinds of items, as the protocol numbers them. */
typedef enum ItemKind {
    ITEM_METHOD = 2,
    ITEM_FUNCTION = 3,
    ITEM_FIELD = 5,
    ITEM_VARIABLE = 6,
    ITEM_CLASS = 7,
    ITEM_MODULE = 9,
    ITEM_PROPERTY = 10,
    ITEM_VALUE = 12,
    ITEM_ENUM = 13,
    ITEM_ENUMERATOR = 20,
    ITEM_CONSTANT = 21,
    ITEM_STRUCT = 22
} ItemKind;

typedef struct Items {
    Server *s;
    const Document *d;
    json_t *items;
    json_t *seen; /* labels */
} Items;

/* Adds an item; rank comes before the label in the order. detail may be null. */
static void
add(Items *l, const char *label, ItemKind kind, int rank, const char *detail)
{
    if (json_object_get(l->seen, label)) {
        return;
    }
    json_object_set_new(l->seen, label, json_true());
    json_t *item =
        json_pack("{s:o, s:i, s:o}", "label", rpc_text(label), "kind", kind, "sortText",
                  rpc_text(arena_printf(&l->s->scratch, "%d%s", rank, label)));
    if (detail) {
        json_object_set_new(item, "detail", rpc_text(detail));
    }
    json_array_append_new(l->items, item);
}

/* ---- after a dot --------------------------------------------------------- */

static void
add_method(void *ctx, const char *name)
{
    Items *l = ctx;
    CallTexts calls = {0};
    call_texts(&l->s->scratch, name, &calls);
    add(l, name, ITEM_METHOD, 1, calls.n ? calls.p[0].meaning : NULL);
}

/* Adds what the module tik has beside functions. */
static void
add_module(Items *l, const char *prefix, int rank)
{
    Arena *a = &l->s->scratch;
#define MEMORY(name, text)                                                               \
    add(l, arena_printf(a, "%s%s", prefix, #name), ITEM_CONSTANT, rank, text);
#include "tik/memory.def"
    if (*prefix) {
        return;
    }
#define ENUM(name)   add(l, #name, ITEM_ENUM, rank, NULL);
#define STRUCT(name) add(l, #name, ITEM_STRUCT, rank, NULL);
#include "tik/struct.def"
#undef ENUM
#undef STRUCT
}

static bool
is_word(const Items *l, Slice s, const char *word)
{
    return strlen(word) == slice_size(s) &&
           memcmp(l->d->text + s.begin, word, slice_size(s)) == 0;
}

static void
add_enumerators(Items *l, const char *of, const char *prefix)
{
    Arena *a = &l->s->scratch;
#define ENUMERATOR(owner, name, number)                                                  \
    if (strcmp(#owner, of) == 0) {                                                       \
        add(l, arena_printf(a, "%s%s", prefix, #name), ITEM_ENUMERATOR, 0, NULL);        \
    }
#include "tik/struct.def"
#undef ENUMERATOR
}

/* Adds the attributes that the program gives to its own objects. */
static void
add_attributes(Items *l)
{
    const Unit *u = l->d->unit;
    for (uint32_t i = 0; u && i < u->facts->all.n; i++) {
        const NameFact *f = &u->facts->all.p[i];
        if (f->attribute) {
            add(l, sym_text(&u->names, f->name), ITEM_FIELD, 1, f->text);
        }
    }
}

static void
complete_attribute(Items *l, const LspCursor *c)
{
    CallOwner owner;
    const char *receiver = l->d->text + c->receiver.begin;
    if (facts_owner(l->d, receiver, slice_size(c->receiver), c->word.begin, &owner)) {
        call_names(owner, add_method, l);
        if (owner == OWNER_MODULE) {
            add_module(l, "", 2);
        }
        return;
    }
#define ENUM(name)                                                                       \
    if (is_word(l, c->receiver, #name)) {                                                \
        add_enumerators(l, #name, "");                                                   \
        return;                                                                          \
    }
#include "tik/struct.def"
#undef ENUM
    add_attributes(l);
}

/* ---- arguments ----------------------------------------------------------- */

/* Adds the words that the text of a kind has in quotes. */
static void
add_words(Items *l, const char *text, const char *quote)
{
    Arena *a = &l->s->scratch;
    const char *begin, *end;
    for (; (begin = strchr(text, '\'')) && (end = strchr(begin + 1, '\''));
         text = end + 1) {
        add(l,
            arena_printf(a, "%s%.*s%s", quote, (int)(end - begin - 1), begin + 1, quote),
            ITEM_VALUE, 0, NULL);
    }
}

/* Adds the values of an argument; quote is what texts are to be put in. */
static void
add_values(Items *l, const CallArg *arg, const char *quote)
{
    bool string = !*quote;
    switch ((CallKind)arg->kind) {
    case TAKES_DTYPE:
        for (int t = 1; t < DT_COUNT; t++) {
            add(l,
                arena_printf(&l->s->scratch, "%s%s%s", quote, dtype_name((Dtype)t),
                             quote),
                ITEM_VALUE, 0, NULL);
        }
        break;
    case TAKES_ROUND:
    case TAKES_SIDE:
    case TAKES_MASKMODE:
    case TAKES_WORD:
        add_words(l, call_kind_text(arg), quote);
        break;
    case TAKES_SCOPE:
        if (!string) {
            add_module(l, "tik.", 0);
        }
        break;
    case TAKES_ENUM:
        if (!string) {
            add_enumerators(l, arg->of, arena_printf(&l->s->scratch, "tik.%s.", arg->of));
        }
        break;
    case TAKES_BOOL:
        if (!string) {
            add(l, "True", ITEM_CONSTANT, 0, NULL);
            add(l, "False", ITEM_CONSTANT, 0, NULL);
        }
        break;
    default:
        break;
    }
}

static bool
is_given(const Items *l, const LspCursor *c, const char *name, int index)
{
    bool given = index < c->arg && c->nnamed == 0;
    for (int i = 0; i < c->nnamed && !given; i++) {
        given = is_word(l, c->named[i], name);
    }
    return given;
}

/* Adds the keyword arguments that were not given. */
static void
add_keywords(Items *l, const LspCursor *c, const CallText *call)
{
    for (int i = 0; i < call->signature.n; i++) {
        const CallArg *arg = &call->signature.args[i];
        Text t;
        if (!is_given(l, c, arg->name, i)) {
            text_init(&t, &l->s->scratch);
            call_argument_text(call, arg, &t);
            add(l, arena_printf(&l->s->scratch, "%s=", arg->name), ITEM_PROPERTY, 2, t.p);
        }
    }
}

/* Adds what fits the arguments of the calls; returns whether a tensor does. */
static bool
complete_argument(Items *l, const LspCursor *c)
{
    CallTexts calls = {0};
    bool tensor = false;
    const char *quote = c->in == IN_STRING ? "" : "\"";
    callee_find(l->s, l->d, c, &calls);
    for (uint32_t i = 0; i < calls.n; i++) {
        const Signature *sig = &calls.p[i].signature;
        int arg = callee_argument(l->d, c, sig);
        if (arg >= 0) {
            tensor = tensor || sig->args[arg].kind == TAKES_TENSOR;
            add_values(l, &sig->args[arg], quote);
        }
        if (c->in == IN_CODE && slice_size(c->keyword) == 0) {
            add_keywords(l, c, &calls.p[i]);
        }
    }
    return tensor;
}

/* ---- names --------------------------------------------------------------- */

static ItemKind
kind_of(const NameFact *f)
{
    return f->kind == FACT_TIK                ? ITEM_MODULE
           : strcmp(f->text, "function") == 0 ? ITEM_FUNCTION
           : strcmp(f->text, "module") == 0   ? ITEM_MODULE
           : strncmp(f->text, "type", 4) == 0 ? ITEM_CLASS
                                              : ITEM_VARIABLE;
}

/* Adds the names that the text binds; tensors first where one is wanted. */
static void
add_names(Items *l, bool tensor)
{
    const Unit *u = l->d->unit;
    for (uint32_t i = 0; u && i < u->facts->all.n; i++) {
        const NameFact *f = &u->facts->all.p[i];
        const char *path = u->sources.p[f->at.file].path;
        if (!f->attribute && strcmp(path, l->d->path) == 0) {
            int rank = f->kind == FACT_TENSOR && tensor ? 0 : 3;
            add(l, sym_text(&u->names, f->name), kind_of(f), rank, f->text);
        }
    }
}

json_t *
complete_answer(Server *s, const json_t *params, LspError *err)
{
    At at;
    LspCursor c;
    if (!document_at(s, params, &at, err)) {
        return NULL;
    }
    if (!at.doc->unit) {
        analysis_refresh(s, at.doc);
    }
    Items l = {s, at.doc, json_array(), json_object()};
    cursor_find(at.doc->text, at.doc->size, at.offset, &c);
    if (c.in == IN_CODE && c.dotted) {
        complete_attribute(&l, &c);
    } else if (c.in != IN_COMMENT) {
        bool tensor = complete_argument(&l, &c);
        if (c.in == IN_CODE) {
            add_names(&l, tensor);
        }
    }
    json_decref(l.seen);
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", l.items);
}
