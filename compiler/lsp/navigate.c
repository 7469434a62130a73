/* navigate.c: where a name is defined and used, and giving it another one. What a text
 * alone says comes from its tree; imported names and attributes from the evaluation. */
#include "lsp/cursor.h"
#include "lsp/server.h"
#include "lsp/symbols.h"

#include <string.h>

/* The variable at a position. */
typedef struct Found {
    Document *doc;
    size_t offset;
    Symbols symbols;
    const Occurrence *at; /* null: none */
} Found;

static bool
find(Server *s, const json_t *params, Found *f, LspError *err)
{
    At at;
    if (!document_at(s, params, &at, err)) {
        return false;
    }
    *f = (Found){.doc = at.doc, .offset = at.offset};
    analysis_refresh(s, at.doc);
    if (at.doc->tree) {
        symbols_collect(&at.doc->syntax, at.doc->tree, &s->scratch, &f->symbols);
        f->at = symbols_at(&f->symbols, at.offset);
    }
    return true;
}

static json_t *
range_of(Server *s, const Found *f, Span at)
{
    return position_range(f->doc->text, f->doc->size, at.begin, at.end, s->encoding);
}

static json_t *
location(Server *s, const Found *f, Span at)
{
    return json_pack("{s:s, s:o}", "uri", f->doc->uri, "range", range_of(s, f, at));
}

/* ---- definition ---------------------------------------------------------- */

/* Returns the name in the statement of a function or class. */
static Span
defined_name(const Unit *u, Span statement)
{
    const char *text = u->sources.p[statement.file].text;
    Span word = symbols_word(u, statement, statement.begin, "def");
    word = word.end > word.begin ? word
                                 : symbols_word(u, statement, statement.begin, "class");
    Span name = {statement.file, word.end, word.end};
    while (name.begin < statement.end && strchr(" \t\\\r\n", text[name.begin])) {
        name.begin++;
    }
    name.end = name.begin;
    while (name.end < statement.end && !strchr(" \t\\\r\n(:", text[name.end])) {
        name.end++;
    }
    return name;
}

/* Adds where the program made what a fact is about: the statement of a function, the file
 * of a module. Returns false if that is no other place than the name's own. */
static bool
add_made(Server *s, const Document *d, const NameFact *f, json_t *list)
{
    Span at = f->made;
    if (!analysis_is_file(d, d->unit, at.file)) {
        return false;
    }
    bool file = at.end == 0; /* a module */
    if (!file) {
        at = defined_name(d->unit, at);
    }
    json_array_append_new(list, analysis_location(s, d, d->unit, at));
    return true;
}

/* Adds where attributes of that name are set. */
static void
add_attributes(Server *s, const Found *f, const LspCursor *c, json_t *list)
{
    const Document *d = f->doc;
    for (uint32_t i = 0; d->unit && i < d->unit->facts->all.n; i++) {
        const NameFact *fact = &d->unit->facts->all.p[i];
        const char *name = sym_text(&d->unit->names, fact->name);
        bool same = fact->attribute && strlen(name) == slice_size(c->word) &&
                    memcmp(name, d->text + c->word.begin, strlen(name)) == 0;
        if (same && analysis_is_file(d, d->unit, fact->at.file)) {
            Span at = fact->at;
            at.begin = at.end - (uint32_t)strlen(name);
            json_array_append_new(list, analysis_location(s, d, d->unit, at));
        }
    }
}

/* Adds the methods of the text's classes that have the name. */
static void
add_methods(Server *s, const Found *f, const LspCursor *c, json_t *list)
{
    for (uint32_t i = 0; i < f->symbols.all.n; i++) {
        const Occurrence *o = &f->symbols.all.p[i];
        const Variable *v = &f->symbols.variables.p[o->variable];
        const char *name = sym_text(&f->doc->syntax.names, v->name);
        if (o->binds && v->attribute && strlen(name) == slice_size(c->word) &&
            memcmp(name, f->doc->text + c->word.begin, strlen(name)) == 0) {
            json_array_append_new(list, location(s, f, o->at));
        }
    }
}

/* Adds the definition of a name that a module of the program has: ops.fill. */
static void
add_member(Server *s, const Found *f, const LspCursor *c, json_t *list)
{
    const Document *d = f->doc;
    const NameFact *module = facts_find(d, d->text + c->receiver.begin,
                                        slice_size(c->receiver), false, c->word.begin);
    if (!module || !module->made.file || module->made.end > 0) {
        return;
    }
    for (uint32_t i = 0; i < d->unit->facts->all.n; i++) {
        const NameFact *fact = &d->unit->facts->all.p[i];
        const char *name = sym_text(&d->unit->names, fact->name);
        if (fact->at.file == module->made.file && !fact->attribute &&
            strlen(name) == slice_size(c->word) &&
            memcmp(name, d->text + c->word.begin, strlen(name)) == 0) {
            Span at = symbols_word(d->unit, fact->at, fact->at.begin, name);
            json_array_append_new(list, analysis_location(s, d, d->unit, at));
            return;
        }
    }
}

/* Adds where the variable is bound: the last place before this one in its text, or all of
 * them. */
static void
add_bindings(Server *s, const Found *f, json_t *list)
{
    const Occurrence *best = NULL;
    for (uint32_t i = 0; i < f->symbols.all.n; i++) {
        const Occurrence *o = &f->symbols.all.p[i];
        bool before =
            o->binds && o->variable == f->at->variable && o->at.begin <= f->at->at.begin;
        best = before && (!best || o->at.begin > best->at.begin) ? o : best;
    }
    for (uint32_t i = 0; i < f->symbols.all.n; i++) {
        const Occurrence *o = &f->symbols.all.p[i];
        if (best ? o == best : o->binds && o->variable == f->at->variable) {
            json_array_append_new(list, location(s, f, o->at));
        }
    }
}

json_t *
navigate_definition(Server *s, const json_t *params, LspError *err)
{
    Found f;
    LspCursor c;
    if (!find(s, params, &f, err)) {
        return NULL;
    }
    json_t *list = json_array();
    cursor_find(f.doc->text, f.doc->size, f.offset, &c);
    if (c.in != IN_CODE || slice_size(c.word) == 0) {
        return list;
    }
    if (c.dotted) {
        add_member(s, &f, &c, list);
        add_attributes(s, &f, &c, list);
        add_methods(s, &f, &c, list);
        return list;
    }
    const NameFact *fact = facts_find(f.doc, f.doc->text + c.word.begin,
                                      slice_size(c.word), false, c.word.begin);
    bool imported = fact && fact->made.file && add_made(s, f.doc, fact, list);
    if (!imported && f.at) {
        add_bindings(s, &f, list);
    }
    return list;
}

/* ---- uses ---------------------------------------------------------------- */

json_t *
navigate_references(Server *s, const json_t *params, LspError *err)
{
    Found f;
    if (!find(s, params, &f, err)) {
        return NULL;
    }
    const json_t *context = json_object_get(params, "context");
    bool all = json_is_true(json_object_get(context, "includeDeclaration"));
    json_t *list = json_array();
    for (uint32_t i = 0; f.at && i < f.symbols.all.n; i++) {
        const Occurrence *o = &f.symbols.all.p[i];
        if (o->variable == f.at->variable && (all || !o->binds)) {
            json_array_append_new(list, location(s, &f, o->at));
        }
    }
    return list;
}

json_t *
navigate_highlight(Server *s, const json_t *params, LspError *err)
{
    enum {
        READS = 2,
        WRITES = 3
    };
    Found f;
    if (!find(s, params, &f, err)) {
        return NULL;
    }
    json_t *list = json_array();
    for (uint32_t i = 0; f.at && i < f.symbols.all.n; i++) {
        const Occurrence *o = &f.symbols.all.p[i];
        if (o->variable == f.at->variable) {
            json_array_append_new(list,
                                  json_pack("{s:o, s:i}", "range", range_of(s, &f, o->at),
                                            "kind", o->binds ? WRITES : READS));
        }
    }
    return list;
}

/* ---- other names --------------------------------------------------------- */

/* Returns whether a call of the text gives an argument by that name: a parameter would
 * have to be renamed in calls, too. */
static bool
has_keyword(const Document *d, const char *name)
{
    size_t n = strlen(name);
    const char *end = d->text + d->size;
    Span all = {1, 0, (uint32_t)d->size};
    Span at = symbols_word(&d->syntax, all, 0, name);
    for (; at.end > at.begin; at = symbols_word(&d->syntax, all, at.end, name)) {
        const char *s = d->text + at.begin + n;
        while (s < end && (*s == ' ' || *s == '\t')) {
            s++;
        }
        bool inside = at.begin > 0 && strchr("(, \n", d->text[at.begin - 1]);
        if (inside && s < end && *s == '=' && (s + 1 == end || s[1] != '=')) {
            return true;
        }
    }
    return false;
}

/* Returns why the variable cannot have another name, or null. */
static const char *
refusal(const Found *f)
{
    if (!f->doc->tree) {
        return "the text has a syntax error";
    }
    const Variable *v = f->at ? &f->symbols.variables.p[f->at->variable] : NULL;
    if (!v || !v->bound) {
        return "here is no name that this text defines";
    }
    if (v->attribute) {
        return "a name of a class is used through objects, which are not renamed";
    }
    if (v->parameter && has_keyword(f->doc, sym_text(&f->doc->syntax.names, v->name))) {
        return "calls may give this parameter by its name";
    }
    return NULL;
}

json_t *
navigate_prepare_rename(Server *s, const json_t *params, LspError *err)
{
    Found f;
    if (!find(s, params, &f, err)) {
        return NULL;
    }
    const char *why = refusal(&f);
    if (why) {
        *err = (LspError){RPC_REQUEST_FAILED, why};
        return NULL;
    }
    return range_of(s, &f, f.at->at);
}

json_t *
navigate_rename(Server *s, const json_t *params, LspError *err)
{
    Found f;
    const char *name = json_string_value(json_object_get(params, "newName"));
    if (!name || !intern_is_identifier(name)) {
        *err = (LspError){RPC_INVALID_PARAMS, "newName is a name"};
        return NULL;
    }
    if (!find(s, params, &f, err)) {
        return NULL;
    }
    const char *why = refusal(&f);
    if (why) {
        *err = (LspError){RPC_REQUEST_FAILED, why};
        return NULL;
    }
    json_t *edits = json_array();
    for (uint32_t i = 0; i < f.symbols.all.n; i++) {
        const Occurrence *o = &f.symbols.all.p[i];
        if (o->variable == f.at->variable) {
            json_array_append_new(edits,
                                  json_pack("{s:o, s:s}", "range", range_of(s, &f, o->at),
                                            "newText", name));
        }
    }
    return json_pack("{s:{s:o}}", "changes", f.doc->uri, edits);
}
