/* analysis.c: compiles documents, and keeps what is known of their names. */
#include "lsp/server.h"
#include "lsp/uri.h"
#include "syntax/ast.h"

#include <string.h>

uint32_t
analysis_main(const Document *d, const Unit *u)
{
    uint32_t file = u->sources.n; /* comments with settings were read as another source */
    while (file > 1 && strcmp(u->sources.p[--file].path, d->path) != 0) {
    }
    return MIN(file, u->sources.n - 1);
}

bool
analysis_is_file(const Document *d, const Unit *u, uint32_t file)
{
    const char *path = u->sources.p[file].path;
    bool is = file && strcmp(path, d->path) == 0;
    for (uint32_t i = 0; file && i < u->loaded.n && !is; i++) {
        is = strcmp(u->loaded.p[i], path) == 0;
    }
    return is;
}

const char *
analysis_uri(Server *s, const Document *d, const Unit *u, uint32_t file)
{
    const char *path = u->sources.p[file].path;
    if (strcmp(path, d->path) == 0) {
        return d->uri;
    }
    for (const Document *o = s->documents; o; o = o->next) {
        if (strcmp(path, o->path) == 0) {
            return o->uri;
        }
    }
    if (*path != '/' && u->opt.cwd) {
        path = arena_printf(&s->scratch, "%s/%s", u->opt.cwd, path);
    }
    return uri_of(&s->scratch, path);
}

json_t *
analysis_location(Server *s, const Document *d, const Unit *u, Span span)
{
    return json_pack("{s:o, s:o}", "uri", rpc_text(analysis_uri(s, d, u, span.file)),
                     "range", position_span(u, span, s->encoding));
}

/* Parses the present text, for what depends on the text alone. */
static void
parse(Document *d)
{
    unit_free(&d->syntax);
    unit_init(&d->syntax);
    d->tree = NULL;
    if (d->size <= UINT32_MAX / 2) {
        uint32_t file = unit_add_source(&d->syntax, d->path, d->text, d->size);
        d->tree = parse_file(&d->syntax, file);
    }
}

/* Keeps the unit if it knows names, or if no other is there. */
static void
keep(Server *s, Document *d, Unit *u)
{
    d->fresh = u->facts && u->facts->all.n > 0;
    Unit *other = d->fresh || !d->unit ? d->unit : u;
    d->unit = other == u ? d->unit : u;
    if (other) {
        s->host->release(s->host->ctx, other);
    }
}

void
analysis_refresh(Server *s, Document *d)
{
    const LspHost *h = s->host;
    json_t *before = d->findings;
    Unit *u;
    if (!d->dirty) {
        return;
    }
    d->dirty = false;
    d->findings = json_object();
    parse(d);
    for (int nth = 0; (u = h->compile(h->ctx, d->path, d->text, d->size, nth, &s->open));
         nth++) {
        diagnostics_add(s, d, u);
        if (nth == 0) {
            keep(s, d, u);
        } else {
            h->release(h->ctx, u);
        }
    }
    diagnostics_publish(s, d, before);
    json_decref(before);
}
