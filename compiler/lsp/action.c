/* action.c: quick fixes: what tikc fix would do to a finding, or to all of a file. */
#include "lsp/server.h"

#include <string.h>

/* Returns an edit of all replacements of a list, by file. */
static json_t *
edit_of(const json_t *list, json_t *changes)
{
    size_t i;
    json_t *fix;
    json_array_foreach(list, i, fix)
    {
        json_t *edit = json_pack("{s:O, s:O}", "range", json_object_get(fix, "range"),
                                 "newText", json_object_get(fix, "newText"));
        diagnostics_add_to(changes, json_string_value(json_object_get(fix, "uri")), edit);
        json_decref(edit);
    }
    return changes;
}

static const char *
title_of(Arena *a, const json_t *list)
{
    const json_t *first = json_array_get(list, 0);
    const char *old = json_string_value(json_object_get(first, "oldText"));
    const char *text = json_string_value(json_object_get(first, "newText"));
    return *old ? arena_printf(a, "'%s' becomes '%s'", old, text)
                : arena_printf(a, "put '%s' in", text);
}

static json_t *
quick_fix(Server *s, json_t *finding, const json_t *list)
{
    return json_pack("{s:o, s:s, s:[O], s:b, s:{s:o}}", "title",
                     rpc_text(title_of(&s->scratch, list)), "kind", "quickfix",
                     "diagnostics", finding, "isPreferred", 1, "edit", "changes",
                     edit_of(list, json_object()));
}

static bool
is_before(const json_t *a, const json_t *b)
{
    int64_t la, ca, lb, cb;
    return position_read(a, &la, &ca) && position_read(b, &lb, &cb) &&
           (la < lb || (la == lb && ca < cb));
}

static bool
overlap(const json_t *a, const json_t *b)
{
    return !is_before(json_object_get(a, "end"), json_object_get(b, "start")) &&
           !is_before(json_object_get(b, "end"), json_object_get(a, "start"));
}

/* Returns whether the client asks for actions of a kind; without a list for all but those
 * of a whole file. */
static bool
wants(const json_t *params, const char *kind, bool usually)
{
    const json_t *context = json_object_get(params, "context");
    const json_t *only = json_object_get(context, "only");
    size_t i;
    json_t *k;
    json_array_foreach(only, i, k)
    {
        const char *word = json_string_value(k);
        size_t n = word ? strlen(word) : 0;
        if (word && strncmp(kind, word, n) == 0 && (!kind[n] || kind[n] == '.')) {
            return true;
        }
    }
    return json_array_size(only) == 0 && usually;
}

/* Returns whether replacements overlap none of those that were taken. */
static bool
are_apart(const json_t *list, const json_t *taken)
{
    size_t i, k;
    json_t *fix, *other;
    json_array_foreach(list, i, fix)
    {
        const char *uri = json_string_value(json_object_get(fix, "uri"));
        json_array_foreach(json_object_get(taken, uri), k, other)
        {
            if (overlap(json_object_get(fix, "range"), json_object_get(other, "range"))) {
                return false;
            }
        }
    }
    return true;
}

json_t *
action_answer(Server *s, const json_t *params, LspError *err)
{
    Document *d = document_of(s, params, err);
    if (!d) {
        return NULL;
    }
    analysis_refresh(s, d);
    json_t *list = diagnostics_of(s, d->uri), *actions = json_array(),
           *all = json_object();
    const json_t *range = json_object_get(params, "range");
    size_t i;
    json_t *finding;
    json_array_foreach(list, i, finding)
    {
        const json_t *data = json_object_get(finding, "data");
        const json_t *edits = json_object_get(data, "fixes");
        bool here = overlap(json_object_get(finding, "range"), range);
        if (are_apart(edits, all)) {
            (void)edit_of(edits, all);
        }
        if (edits && here && wants(params, "quickfix", true)) {
            json_array_append_new(actions, quick_fix(s, finding, edits));
        }
    }
    if (json_object_size(all) > 0 && wants(params, "source.fixAll", false)) {
        json_array_append_new(
            actions, json_pack("{s:s, s:s, s:{s:O}}", "title", "Mend what has one answer",
                               "kind", "source.fixAll", "edit", "changes", all));
    }
    json_decref(all);
    json_decref(list);
    return actions;
}
