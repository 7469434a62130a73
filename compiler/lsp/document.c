/* document.c: the texts that are open in the editor, and their changes. */
#include "lsp/server.h"
#include "lsp/uri.h"

#include <string.h>

Document *
document_find(Server *s, const char *uri)
{
    Document *d = s->documents;
    while (d && strcmp(d->uri, uri) != 0) {
        d = d->next;
    }
    return d;
}

static const char *
uri_member(const json_t *params)
{
    const json_t *id = json_object_get(params, "textDocument");
    return json_string_value(json_object_get(id, "uri"));
}

Document *
document_of(Server *s, const json_t *params, LspError *err)
{
    const char *uri = uri_member(params);
    Document *d = uri ? document_find(s, uri) : NULL;
    if (!d) {
        *err = (LspError){RPC_INVALID_PARAMS,
                          uri ? "the document is not open"
                              : "the parameters have textDocument with a uri"};
    }
    return d;
}

bool
document_at(Server *s, const json_t *params, At *at, LspError *err)
{
    int64_t line, character;
    at->doc = document_of(s, params, err);
    if (!at->doc) {
        return false;
    }
    if (!position_read(json_object_get(params, "position"), &line, &character)) {
        *err = (LspError){RPC_INVALID_PARAMS,
                          "a position has line and character, which are not negative"};
        return false;
    }
    at->offset =
        position_offset(at->doc->text, at->doc->size, line, character, s->encoding);
    return true;
}

/* Gives the document a text, which is copied. */
static void
set_text(Document *d, const char *text, size_t size)
{
    Arena room = {0};
    char *copy = arena_strndup(&room, text, size);
    memcpy(copy, text, size); /* it may have zero bytes */
    arena_free(&d->room);
    d->room = room;
    d->text = copy;
    d->size = size;
    d->dirty = true;
}

/* ---- changes ------------------------------------------------------------- */

static bool
read_range(const Server *s, const Document *d, const json_t *range, size_t *begin,
           size_t *end)
{
    int64_t line, character;
    if (!position_read(json_object_get(range, "start"), &line, &character)) {
        return false;
    }
    *begin = position_offset(d->text, d->size, line, character, s->encoding);
    if (!position_read(json_object_get(range, "end"), &line, &character)) {
        return false;
    }
    *end = position_offset(d->text, d->size, line, character, s->encoding);
    return *begin <= *end;
}

/* Makes one change: of a range, or of the whole text. */
static void
change(Server *s, Document *d, const json_t *what)
{
    const json_t *text = json_object_get(what, "text");
    const json_t *range = json_object_get(what, "range");
    const char *bytes = json_string_value(text);
    size_t n = json_string_length(text), begin, end;
    if (!bytes) {
        return;
    }
    if (!range || json_is_null(range)) {
        set_text(d, bytes, n);
        return;
    }
    if (!read_range(s, d, range, &begin, &end)) {
        return;
    }
    Text t;
    text_init(&t, &s->scratch);
    text_putn(&t, d->text, begin);
    text_putn(&t, bytes, n);
    text_putn(&t, d->text + end, d->size - end);
    set_text(d, t.n ? t.p : "", t.n);
}

json_t *
document_open(Server *s, const json_t *params, LspError *err)
{
    const json_t *item = json_object_get(params, "textDocument");
    const json_t *text = json_object_get(item, "text");
    const char *uri = uri_member(params);
    (void)err;
    if (!uri || !json_is_string(text)) {
        return NULL;
    }
    Document *d = document_find(s, uri);
    if (!d) {
        Arena room = {0};
        d = ARENA_NEW(&room, Document);
        d->uri = arena_strdup(&room, uri);
        d->path = uri_path(&room, uri);
        d->path = d->path ? d->path : d->uri;
        d->arena = room;
        d->findings = json_object();
        d->next = s->documents;
        s->documents = d;
    }
    d->version = json_integer_value(json_object_get(item, "version"));
    set_text(d, json_string_value(text), json_string_length(text));
    document_touch(s, d->path);
    return NULL;
}

json_t *
document_change(Server *s, const json_t *params, LspError *err)
{
    Document *d = document_of(s, params, err);
    if (!d) {
        return NULL;
    }
    const json_t *id = json_object_get(params, "textDocument");
    d->version = json_integer_value(json_object_get(id, "version"));
    size_t i;
    json_t *what;
    json_array_foreach(json_object_get(params, "contentChanges"), i, what)
    {
        change(s, d, what);
    }
    document_touch(s, d->path);
    return NULL;
}

json_t *
document_close(Server *s, const json_t *params, LspError *err)
{
    Document *d = document_of(s, params, err);
    if (d) {
        json_t *before = d->findings;
        d->findings = json_object();
        diagnostics_publish(s, d, before);
        json_decref(before);
        document_touch(s, d->path);
        document_free(s, d);
    }
    return NULL;
}

/* A file on disk may be what a document imports or reads constants from. */
static void
touch_all(Server *s)
{
    for (Document *d = s->documents; d; d = d->next) {
        d->dirty = true;
    }
}

json_t *
document_save(Server *s, const json_t *params, LspError *err)
{
    (void)params;
    (void)err;
    touch_all(s);
    return NULL;
}

json_t *
document_watched(Server *s, const json_t *params, LspError *err)
{
    return document_save(s, params, err);
}

void
document_touch(Server *s, const char *path)
{
    for (Document *d = s->documents; d; d = d->next) {
        for (uint32_t i = 0; d->unit && i < d->unit->loaded.n; i++) {
            d->dirty = d->dirty || strcmp(d->unit->loaded.p[i], path) == 0;
        }
    }
}

void
document_free(Server *s, Document *d)
{
    Document **at = &s->documents;
    while (*at != d) {
        at = &(*at)->next;
    }
    *at = d->next;
    if (d->unit) {
        s->host->release(s->host->ctx, d->unit);
    }
    unit_free(&d->syntax);
    json_decref(d->findings);
    arena_free(&d->room);
    Arena room = d->arena;
    arena_free(&room);
}
