/* hover.c: what is known of the name under the pointer: the value that the program gave
 * it, where a tensor lies, what a call does, and how the rules of the instructions of the
 * line stand. */
#include "lsp/cursor.h"
#include "lsp/server.h"
#include "passes/check.h"
#include "tik/call_text.h"

#include <string.h>

/* ---- tensors ------------------------------------------------------------- */

static void
put_storage(const Buffer *b, Text *out)
{
    text_printf(out, "%lld bytes", (long long)b->bytes);
    if (b->role == BUF_LOCAL && b->address >= 0) {
        text_printf(out, ", addresses %lld to %lld of %s", (long long)b->address,
                    (long long)(b->address + b->bytes - 1), scope_name(b->scope));
    } else if (b->role != BUF_LOCAL && b->role != BUF_CONST && b->role != BUF_GLOBAL) {
        text_printf(out, ", %s of the kernel", argrole_name(ir_arg_role(b)));
    }
    if (b->copies > 1) {
        text_printf(out, ", %d copies (thread_num)", b->copies);
    }
    if (b->unset) {
        text_put(out, "  \nmay be read before it is written");
    }
}

static void
put_fact(const Document *d, const NameFact *f, Text *out)
{
    const Kernel *k;
    const char *name = sym_text(&d->unit->names, f->name);
    text_printf(out, "```python\n%s: %s\n```\n", name, f->text);
    BufId buf = describe_buffer(f, &k);
    if (buf) {
        put_storage(&k->bufs.p[buf], out);
        text_put(out, "\n");
    }
    if (f->times > 1) {
        text_printf(out, "\nThe last of %u values that it gets here.\n", f->times);
    }
}

/* ---- rules --------------------------------------------------------------- */

typedef struct Rules {
    const Kernel *k;
    Span line; /* of the document, in the unit's source */
    int64_t count[3];
    Text *open; /* those that are not proved */
    int shown;
} Rules;

static bool
overlaps(Span a, Span b)
{
    return a.file == b.file && a.begin < b.end && b.begin < a.end;
}

/* Returns whether a statement, or a call that led to it, is on the line. */
static bool
is_on_line(const Unit *u, const Stmt *st, Span line)
{
    bool on = overlaps(st->span, line);
    for (uint32_t c = st->chain; c && !on; c = u->chains.p[c].parent) {
        on = overlaps(u->chains.p[c].call, line);
    }
    return on;
}

static void
count_rule(void *ctx, StmtId id, int param, const char *operand, Rule rule, Answer a)
{
    enum {
        MOST_SHOWN = 8
    };
    Rules *r = ctx;
    (void)param;
    if (!is_on_line(r->k->unit, &r->k->stmts.p[id], r->line)) {
        return;
    }
    r->count[a]++;
    if (a != ANSWER_PROVED && r->shown++ < MOST_SHOWN) {
        text_printf(r->open, "- %s: `%s`%s%s\n",
                    a == ANSWER_REFUTED ? "refuted" : "checked at run time",
                    rule_table[rule].name, *operand ? " of " : "", operand);
    }
}

/* Puts how the rules of the instructions of a line stand; nothing if it has none. */
static void
put_rules(Server *s, const Document *d, Slice line, Text *out)
{
    Text open;
    Unit *u = d->unit;
    text_init(&open, &s->scratch);
    Rules r = {
        .line = {u ? analysis_main(d, u) : 0, (uint32_t)line.begin, (uint32_t)line.end},
        .open = &open};
    for (uint32_t i = 0; u && d->fresh && i < u->kernels.n; i++) {
        r.k = u->kernels.p[i];
        if (r.k->proofs[0] + r.k->proofs[1] + r.k->proofs[2] > 0) {
            check_visit(r.k, count_rule, &r);
        }
    }
    if (r.count[0] + r.count[1] + r.count[2] > 0) {
        text_printf(out,
                    "\nRules of this line: %lld proved, %lld checked at run time, %lld "
                    "refuted\n",
                    (long long)r.count[ANSWER_PROVED], (long long)r.count[ANSWER_RUNTIME],
                    (long long)r.count[ANSWER_REFUTED]);
        text_put(out, open.n ? open.p : "");
    }
}

/* ---- calls --------------------------------------------------------------- */

static void
put_call(const CallText *call, Text *out)
{
    text_put(out, "```python\n");
    call_prototype(&call->signature, out);
    text_printf(out, "\n```\n%s\n\n", call->meaning);
}

/* Puts what a method of an owner does; of any owner if that is not known. */
static void
put_calls(Server *s, const char *name, const CallOwner *owner, Text *out)
{
    CallTexts calls = {0};
    call_texts(&s->scratch, name, &calls);
    for (uint32_t i = 0; i < calls.n; i++) {
        if (!owner || calls.p[i].owner == *owner) {
            put_call(&calls.p[i], out);
        }
    }
}

static void
put_size(Scope sc, const Soc *soc, Text *out)
{
    text_put(out, scope_name(sc));
    if (sc == SC_GM) {
        text_put(out, ": global memory");
    } else if (soc->bytes[sc] > 0) {
        text_printf(out, ": %lld bytes on %s", (long long)soc->bytes[sc], soc->name);
    } else {
        text_printf(out, ": %s has none", soc->name);
    }
    text_putc(out, '\n');
}

/* Puts what a constant of the module tik that names a memory means. */
static void
put_memory(const Unit *u, const char *name, Text *out)
{
    static const struct {
        const char *name, *text;
    } memories[] = {
#define MEMORY(id, value) {#id, value},
#include "tik/memory.def"
    };
    static const char *const texts[] = {
#define SCOPE(id, title, text, alloc, align, align32) text,
#include "isa/scope.def"
    };
    for (size_t i = 0; i < ARRAY_LEN(memories); i++) {
        for (int sc = 0; strcmp(memories[i].name, name) == 0 && sc < SC_COUNT; sc++) {
            if (strcmp(memories[i].text, texts[sc]) == 0) {
                put_size((Scope)sc, u->soc, out);
            }
        }
    }
}

/* ---- the answer ---------------------------------------------------------- */

static void
put_name(Server *s, const Document *d, const LspCursor *c, Text *out)
{
    const char *word = d->text + c->word.begin;
    size_t n = slice_size(c->word);
    const char *name = arena_strndup(&s->scratch, word, n);
    const NameFact *f = facts_find(d, word, n, c->dotted, c->word.begin);
    CallOwner owner;
    if (!c->dotted) {
        if (f) {
            put_fact(d, f, out);
        }
        return;
    }
    const char *receiver = d->text + c->receiver.begin;
    bool ours = facts_owner(d, receiver, slice_size(c->receiver), c->word.begin, &owner);
    size_t before = out->n;
    if (ours) {
        put_calls(s, name, &owner, out);
        put_memory(d->unit, name, out);
    }
    if (out->n == before && f) {
        put_fact(d, f, out);
    } else if (out->n == before && !d->unit) {
        put_calls(s, name, NULL, out);
    }
}

static Slice
line_at(const Document *d, size_t offset)
{
    Slice line = {offset, offset};
    while (line.begin > 0 && d->text[line.begin - 1] != '\n') {
        line.begin--;
    }
    while (line.end < d->size && d->text[line.end] != '\n') {
        line.end++;
    }
    return line;
}

json_t *
hover_answer(Server *s, const json_t *params, LspError *err)
{
    At at;
    LspCursor c;
    Text t;
    if (!document_at(s, params, &at, err)) {
        return NULL;
    }
    analysis_refresh(s, at.doc);
    cursor_find(at.doc->text, at.doc->size, at.offset, &c);
    if (c.in != IN_CODE || slice_size(c.word) == 0) {
        return json_null();
    }
    text_init(&t, &s->scratch);
    put_name(s, at.doc, &c, &t);
    put_rules(s, at.doc, line_at(at.doc, at.offset), &t);
    if (t.n == 0) {
        return json_null();
    }
    return json_pack("{s:{s:s, s:o}, s:o}", "contents", "kind", "markdown", "value",
                     rpc_text(t.p), "range",
                     position_range(at.doc->text, at.doc->size, c.word.begin, c.word.end,
                                    s->encoding));
}
