/* data_explain.c: words for what the walk over a kernel's bytes finds (see data.h). */
#include "blob/data.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
say_iteration(DataWalk *w, SyncText *t)
{
    const char *sep = " (";
    for (int i = 0; i < w->nloops; i++) {
        const TikDesc *l = w->k->descs[w->loops[i].desc];
        Interval v = w->counters[l->slot % TIKBLOB_MAX_LOOPS];
        const char *name = sync_counter_name(&w->names, l->index);
        if (!interval_is_const(v)) {
            continue;
        }
        if (name != NULL) {
            sync_say(t, "%s%s = %lld", sep, name, (long long)v.lo);
        } else {
            sync_say(t, "%sloop %u = %lld", sep, l->slot, (long long)v.lo);
        }
        sep = ", ";
    }
    if (w->info.cores > 1 && interval_is_const(w->core)) {
        sync_say(t, "%score %lld", sep, (long long)w->core.lo);
        sep = ", ";
    }
    sync_say(t, "%s", sep[0] == ',' ? ")" : "");
}

static void
say_place(DataWalk *w, SyncText *t, uint32_t first)
{
    if (w->desc == NULL) {
        return;
    }
    sync_say(t, ": ");
    sync_say_place(t, &w->names, w->desc->index);
    if (first != UINT32_MAX) {
        sync_say(t, " and ");
        sync_say_place(t, &w->names, first);
    } else {
        say_iteration(w, t);
    }
}

void
data_found(DataWalk *w, TikBlobPropertyId p, bool certain, uint32_t first,
           const char *fmt, ...)
{
    TikBlobProperty *to = &w->found[p];
    bool refutes = certain && w->unsure == 0;
    if (w->muted > 0 || to->verdict == TIKBLOB_REFUTED ||
        (to->verdict == TIKBLOB_NOT_PROVED && !refutes)) {
        return;
    }
    SyncText t = {to->text, 0, sizeof to->text};
    to->verdict = refutes ? TIKBLOB_REFUTED : TIKBLOB_NOT_PROVED;
    to->first = first;
    to->later = w->desc == NULL ? UINT32_MAX : w->desc->index;
    if (w->desc != NULL && w->desc->kind == DESC_INSTR && first == UINT32_MAX) {
        sync_say(&t, "%s ", op_table[w->desc->op].name);
    }
    char words[240];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    sync_say(&t, "%s", words);
    say_place(w, &t, first);
}
