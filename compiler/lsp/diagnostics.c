/* diagnostics.c: what was found in a document, as diagnostics of the protocol. A finding
 * in an imported file is shown in that file; one in the library where the program called
 * it. */
#include "lsp/server.h"

#include <string.h>

enum {
    SEVERITY_ERROR = 1,
    SEVERITY_WARNING = 2,
    SEVERITY_INFORMATION = 3,
    TAG_UNNECESSARY = 1,
    MOST_RELATED = 20
};

static int
severity_of(const Diag *d)
{
    return d->level == LEVEL_ERROR     ? SEVERITY_ERROR
           : d->level == LEVEL_WARNING ? SEVERITY_WARNING
                                       : SEVERITY_INFORMATION;
}

/* Returns the tag of a finding, or 0: code without effect is drawn faded. */
static int
tag_of(const Diag *d)
{
    switch (d->id) {
#define UNNECESSARY(id) case D_##id:
#include "lsp/tag.def"
        return TAG_UNNECESSARY;
    default:
        return 0;
    }
}

/* Returns the place that the editor shows: the finding's own, or the innermost call that
 * led there and is in a file. */
static Span
place_of(const Document *doc, const Unit *u, const Diag *d, uint32_t *chain)
{
    Span at = d->span;
    *chain = d->chain;
    while (!analysis_is_file(doc, u, at.file) && *chain) {
        at = u->chains.p[*chain].call;
        *chain = u->chains.p[*chain].parent;
    }
    return analysis_is_file(doc, u, at.file) ? at : (Span){analysis_main(doc, u), 0, 0};
}

static void
relate(Server *s, Document *doc, const Unit *u, Span at, const char *text, json_t *list)
{
    if (analysis_is_file(doc, u, at.file) && json_array_size(list) < MOST_RELATED) {
        json_array_append_new(list, json_pack("{s:o, s:o}", "location",
                                              analysis_location(s, doc, u, at), "message",
                                              rpc_text(text)));
    }
}

/* Returns the notes, and the calls that led there. */
static json_t *
related(Server *s, Document *doc, const Unit *u, const Diag *d, uint32_t chain)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->notes.n; i++) {
        relate(s, doc, u, d->notes.p[i].span, d->notes.p[i].text, list);
    }
    for (; chain; chain = u->chains.p[chain].parent) {
        const CallStep *step = &u->chains.p[chain];
        const char *text = arena_printf(&s->scratch, "called here: %s()", step->callee);
        relate(s, doc, u, step->call, text, list);
    }
    return list;
}

/* Returns the replacements that mend the fault. */
static json_t *
fixes(Server *s, Document *doc, const Unit *u, const Diag *d)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->fixes.n; i++) {
        const DiagFix *f = &d->fixes.p[i];
        const Source *src = &u->sources.p[f->span.file];
        if (!analysis_is_file(doc, u, f->span.file)) {
            json_array_clear(list);
            return list;
        }
        json_t *edit = analysis_location(s, doc, u, f->span);
        const char *old = arena_strndup(&s->scratch, src->text + f->span.begin,
                                        f->span.end - f->span.begin);
        json_object_set_new(edit, "newText", rpc_text(f->text));
        json_object_set_new(edit, "oldText", rpc_text(old));
        json_array_append_new(list, edit);
    }
    return list;
}

static const char *
message_of(Arena *a, const Diag *d)
{
    const char *help = diag_help_of(d);
    return *help ? arena_printf(a, "%s\nhelp: %s", d->text, help) : d->text;
}

static void
set_list(json_t *to, const char *key, json_t *list)
{
    if (json_array_size(list) > 0) {
        json_object_set(to, key, list);
    }
    json_decref(list);
}

static json_t *
finding_json(Server *s, Document *doc, Unit *u, const Diag *d, Span at, uint32_t chain)
{
    const char *name = diag_table[d->id].name;
    json_t *j =
        json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", position_span(u, at, s->encoding),
                  "severity", severity_of(d), "code", name, "source", "tikc", "message",
                  rpc_text(message_of(&s->scratch, d)));
    if (s->host->docs) {
        const char *href = arena_printf(&s->scratch, "file://%s#%s", s->host->docs, name);
        json_object_set_new(j, "codeDescription",
                            json_pack("{s:o}", "href", rpc_text(href)));
    }
    if (tag_of(d)) {
        json_object_set_new(j, "tags", json_pack("[i]", tag_of(d)));
    }
    set_list(j, "relatedInformation", related(s, doc, u, d, chain));
    json_t *edits = fixes(s, doc, u, d);
    if (json_array_size(edits) > 0) {
        json_object_set_new(j, "data", json_pack("{s:O}", "fixes", edits));
    }
    json_decref(edits);
    return j;
}

static bool
has_equal(const json_t *list, const json_t *item)
{
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other)
    {
        if (json_equal(other, item)) {
            return true;
        }
    }
    return false;
}

void
diagnostics_add_to(json_t *lists, const char *uri, json_t *item)
{
    json_t *list = json_object_get(lists, uri);
    if (!list) {
        json_object_set_new(lists, uri, list = json_array());
    }
    if (!has_equal(list, item)) {
        json_array_append(list, item);
    }
}

/* True if nothing is wrong with a text but that it makes no container. */
static bool
builds_none(const Unit *u, const Diag *d)
{
    return d->id == D_NO_KERNEL && u->errors == 1 && d->span.end == 0;
}

/* A file that others import builds no kernel, and nothing is wrong with it. An operator
 * that nothing calls is no fault either, but deserves the remark how it is called. */
static bool
is_module(const Unit *u, const Diag *d)
{
    return builds_none(u, d) && d->notes.n == 0;
}

static void
soften(const Unit *u, const Diag *d, json_t *finding)
{
    if (builds_none(u, d)) {
        json_object_set_new(finding, "severity", json_integer(SEVERITY_INFORMATION));
    }
}

void
diagnostics_add(Server *s, Document *doc, Unit *u)
{
    diag_sort(u);
    for (uint32_t i = 0; i < u->diags.n; i++) {
        const Diag *d = u->diags.p[i];
        if (is_module(u, d)) {
            continue;
        }
        uint32_t chain;
        Span at = place_of(doc, u, d, &chain);
        json_t *finding = finding_json(s, doc, u, d, at, chain);
        const char *uri = at.file ? analysis_uri(s, doc, u, at.file) : doc->uri;
        soften(u, d, finding);
        diagnostics_add_to(doc->findings, uri, finding);
        json_decref(finding);
    }
}

json_t *
diagnostics_of(const Server *s, const char *uri)
{
    json_t *lists = json_object();
    for (const Document *d = s->documents; d; d = d->next) {
        size_t i;
        json_t *item;
        json_array_foreach(json_object_get(d->findings, uri), i, item)
        {
            diagnostics_add_to(lists, uri, item);
        }
    }
    json_t *list = json_object_get(lists, uri);
    list = list ? json_incref(list) : json_array();
    json_decref(lists);
    return list;
}

static void
publish(Server *s, const char *uri)
{
    const Document *d = document_find(s, uri);
    json_t *params =
        json_pack("{s:s, s:o}", "uri", uri, "diagnostics", diagnostics_of(s, uri));
    if (d) {
        json_object_set_new(params, "version", json_integer(d->version));
    }
    rpc_send(&s->rpc, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method",
                                "textDocument/publishDiagnostics", "params", params));
}

void
diagnostics_publish(Server *s, const Document *d, const json_t *before)
{
    const char *uri;
    json_t *list;
    publish(s, d->uri);
    json_object_foreach(d->findings, uri, list)
    {
        if (strcmp(uri, d->uri) != 0) {
            publish(s, uri);
        }
    }
    json_object_foreach((json_t *)before, uri, list)
    {
        if (strcmp(uri, d->uri) != 0 && !json_object_get(d->findings, uri)) {
            publish(s, uri);
        }
    }
}
