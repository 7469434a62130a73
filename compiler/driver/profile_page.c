/* profile_page.c: writes what 'tikc profile --html' shows, as data for the script of
 * page/profile.html. Long lists are arrays of numbers, whose members the functions below
 * name in their order. */
#include "driver/page.h"
#include "driver/profile_record.h"

#include <stdlib.h>
#include <string.h>

/* Instructions of one name at one place of the source: a row of the page's table. */
typedef struct Row {
    const char *name;
    ProfilePlace place;
    uint64_t count, busy, waited, bytes;
    uint8_t queue;
    uint32_t descriptor; /* the first one */
} Row;

typedef struct PageData {
    Cmd *c;
    const ProfileView *v;
    const ProfileRecord *r;
    Text out;
    VEC(Row) rows;
    uint32_t *row_of; /* by descriptor */
    VEC(const char *) files;
} PageData;

/* ---- rows ---------------------------------------------------------------- */

static int
compare_places(const ProfilePlace *a, const ProfilePlace *b)
{
    int n = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    n = n ? n : (a->line > b->line) - (a->line < b->line);
    return n ? n : (a->column > b->column) - (a->column < b->column);
}

/* Rows of one place and name are neighbours then. */
static int
by_place(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    int n = compare_places(&x->place, &y->place);
    n = n ? n : x->queue - y->queue;
    n = n ? n : strcmp(x->name, y->name);
    return n ? n : (x->descriptor > y->descriptor) - (x->descriptor < y->descriptor);
}

/* Without a place each descriptor has a row. */
static bool
same_row(const Row *a, const Row *b)
{
    return a->place.file && compare_places(&a->place, &b->place) == 0 &&
           a->queue == b->queue && strcmp(a->name, b->name) == 0;
}

static void
add_row(PageData *d, const Row *one)
{
    Row *last = d->rows.n > 0 ? &d->rows.p[d->rows.n - 1] : NULL;
    if (last != NULL && same_row(last, one)) {
        last->count += one->count;
        last->busy += one->busy;
        last->waited += one->waited;
        last->bytes += one->bytes;
    } else {
        VEC_PUSH(d->r->a, &d->rows, *one);
    }
    d->row_of[one->descriptor] = d->rows.n - 1;
}

static void
find_rows(PageData *d)
{
    const ProfileView *v = d->v;
    VEC(Row) all = {0};
    d->row_of = ARENA_ARRAY(d->r->a, uint32_t, v->kernel.ndescriptors + 1);
    for (uint32_t i = 0; i < v->kernel.ndescriptors; i++) {
        if (d->r->count[i] > 0) {
            VEC_PUSH(d->r->a, &all,
                     (Row){.name = v->names[i],
                           .place = v->places[i],
                           .count = d->r->count[i],
                           .busy = v->busy[i],
                           .waited = d->r->waited[i],
                           .bytes = d->r->bytes[i],
                           .queue = v->queue[i],
                           .descriptor = i});
        }
    }
    if (all.n > 0) {
        qsort(all.p, all.n, sizeof *all.p, by_place);
    }
    for (uint32_t i = 0; i < all.n; i++) {
        add_row(d, &all.p[i]);
    }
}

/* Returns the index of a file's name in the list of files; rows of one file are
 * neighbours. */
static int64_t
file_of(PageData *d, const char *file)
{
    if (file == NULL) {
        return -1;
    }
    if (d->files.n == 0 || strcmp(d->files.p[d->files.n - 1], file) != 0) {
        VEC_PUSH(d->r->a, &d->files, file);
    }
    return d->files.n - 1;
}

/* Puts name, descriptor, queue, file, line, column, count, busy, waited, bytes. */
static void
put_rows(PageData *d)
{
    Text *t = &d->out;
    json_open(t, "rows", '[');
    for (uint32_t i = 0; i < d->rows.n; i++) {
        const Row *r = &d->rows.p[i];
        json_open(t, NULL, '[');
        json_text(t, NULL, r->name);
        json_count(t, NULL, r->descriptor);
        json_count(t, NULL, r->queue);
        json_number(t, NULL, file_of(d, r->place.file));
        json_count(t, NULL, r->place.line);
        json_count(t, NULL, r->place.column);
        json_count(t, NULL, r->count);
        json_count(t, NULL, r->busy);
        json_count(t, NULL, r->waited);
        json_count(t, NULL, r->bytes);
        json_close(t, ']');
    }
    json_close(t, ']');
}

/* ---- spans --------------------------------------------------------------- */

/* Puts a number of a flat list. */
static void
put_item(Text *t, int64_t n)
{
    if (t->p[t->n - 1] != '[') {
        text_putc(t, ',');
    }
    text_printf(t, "%lld", (long long)n);
}

/* Puts of each span the distance from the end before, length, row, clocks waited before
 * and for what; if spans were joined also how many it is, busy clocks, clocks waited
 * inside and for what. Contents of a buffer have no waits. */
static void
put_spans(PageData *d, const RecordLane *lane, bool contents)
{
    Text *t = &d->out;
    uint64_t end = 0;
    json_open(t, "spans", '[');
    for (uint32_t i = 0; i < lane->n; i++) {
        const RecordSpan *s = &lane->p[i];
        put_item(t, (int64_t)(s->begin - end));
        put_item(t, (int64_t)(s->end - s->begin));
        put_item(t, d->row_of[s->what]);
        if (!contents) {
            put_item(t, (int64_t)s->waited);
            put_item(t, s->by);
        }
        if (contents || d->r->grain > 0) {
            put_item(t, s->count);
            put_item(t, (int64_t)s->busy);
        }
        if (!contents && d->r->grain > 0) {
            put_item(t, (int64_t)s->inside);
            put_item(t, s->inside_by);
        }
        end = s->end;
    }
    json_close(t, ']');
}

static void
put_places(PageData *d, const RecordCore *core)
{
    Text *t = &d->out;
    json_open(t, "places", '[');
    for (uint32_t g = 0; g < d->r->nregions; g++) {
        for (int i = 0; i < core->places[g].n; i++) {
            const RecordSlot *s = &core->places[g].slots[i];
            json_open(t, NULL, '{');
            json_count(t, "region", g);
            json_number(t, "lo", s->lo);
            json_number(t, "hi", s->hi);
            put_spans(d, &s->lane, true);
            json_close(t, '}');
        }
    }
    json_close(t, ']');
}

static void
put_cores(PageData *d)
{
    Text *t = &d->out;
    json_open(t, "cores", '[');
    for (uint32_t i = 0; i < d->r->ncores; i++) {
        const RecordCore *core = &d->r->cores[i];
        json_open(t, NULL, '{');
        json_open(t, "queues", '[');
        for (int q = 0; q < TIK_QUEUES; q++) {
            if (core->queue[q].n > 0) {
                json_open(t, NULL, '{');
                json_number(t, "queue", q);
                put_spans(d, &core->queue[q], false);
                json_close(t, '}');
            }
        }
        json_close(t, ']');
        put_places(d, core);
        json_close(t, '}');
    }
    json_close(t, ']');
    json_open(t, "ends", '[');
    for (uint32_t i = 0; i < d->r->ends.n; i++) {
        put_item(t, (int64_t)d->r->ends.p[i]);
    }
    json_close(t, ']');
}

/* Puts core, queue, queue, id of the flag or -1, begin and end. */
static void
put_arrows(PageData *d)
{
    Text *t = &d->out;
    json_open(t, "arrows", '[');
    for (uint32_t i = 0; i < d->r->arrows.n; i++) {
        const RecordArrow *a = &d->r->arrows.p[i];
        put_item(t, a->core);
        put_item(t, a->from);
        put_item(t, a->to);
        put_item(t, a->id);
        put_item(t, (int64_t)a->begin);
        put_item(t, (int64_t)a->end);
    }
    json_close(t, ']');
    json_count(t, "all_arrows", d->r->narrows);
}

/* ---- the rest ------------------------------------------------------------ */

static void
put_names(PageData *d)
{
    Text *t = &d->out;
    json_open(t, "waits", '['); /* the first of them are the queues */
    for (int i = 0; i < TIK_WAITS; i++) {
        json_text(t, NULL, profile_wait_name(i));
    }
    json_close(t, ']');
    json_open(t, "assumptions", '[');
#define ASSUMPTION(text) json_text(t, NULL, text);
#include "driver/time_model.def"
    json_close(t, ']');
}

/* Puts the regions in memories of a core; others are null, so that indices stay. */
static void
put_regions(PageData *d)
{
    Text *t = &d->out;
    const TikBlobKernel *k = &d->v->kernel;
    json_open(t, "regions", '[');
    for (uint32_t i = 0; i < d->r->nregions; i++) {
        TikBlobRegion g;
        tikblob_region(&d->v->blob, k, (int)i, &g);
        if (g.scope == SC_GM || g.scope == SC_SREG) {
            json_key(t, NULL);
            text_put(t, "null");
            continue;
        }
        json_open(t, NULL, '{');
        json_text(t, "name", g.name);
        json_text(t, "memory", tikblob_scope_name(g.scope));
        json_text(t, "dtype", dtype_name(g.dtype));
        json_number(t, "address", g.base);
        json_number(t, "bytes", g.bytes);
        json_close(t, '}');
    }
    json_close(t, ']');
    json_count(t, "all_regions", k->nregions);
    json_open(t, "memories", '[');
    for (int s = 0; s < SC_COUNT; s++) {
        if (k->peak[s] > 0 && s != SC_SREG && s != SC_GM) {
            json_open(t, NULL, '{');
            json_text(t, "memory", tikblob_scope_name((Scope)s));
            json_number(t, "peak", k->peak[s]);
            json_number(t, "bytes", d->v->blob.soc->bytes[s]);
            json_close(t, '}');
        }
    }
    json_close(t, ']');
}

/* Puts the rates of the paths that were used. */
static void
put_rates(PageData *d)
{
    Text *t = &d->out;
    const TikProfile *p = &d->v->profile;
    json_bool(t, "in_l2", p->in_l2);
    json_open(t, "rates", '[');
    for (int from = 0; from < TIK_MEMORIES; from++) {
        for (int to = 0; to < TIK_MEMORIES; to++) {
            if (p->moved[from][to] > 0) {
                json_number(t, NULL, p->rate[from][to]);
            }
        }
    }
    json_close(t, ']');
}

static void
put_data(PageData *d, const ProfileForms *forms)
{
    Text *t = &d->out;
    text_init(t, &d->c->unit.arena);
    json_open(t, NULL, '{');
    json_key(t, "profile");
    text_put(t, forms->json);
    put_names(d);
    put_rates(d);
    put_regions(d);
    json_count(t, "grain", d->r->grain);
    json_count(t, "events", d->r->events);
    json_count(t, "spans", d->r->spans);
    put_rows(d);
    page_files(&d->c->unit, d->files.p, d->files.n, t);
    put_cores(d);
    put_arrows(d);
    json_close(t, '}');
}

bool
profile_page(Cmd *c, const ProfileView *v, const ProfileForms *forms, IoBatch *out)
{
    PageData d = {.c = c, .v = v, .r = v->record};
    find_rows(&d);
    put_data(&d, forms);
    Text page;
    text_init(&page, &c->unit.arena);
    page_put(
        page_profile,
        &(PageContent){.title = v->kernel.name, .text = forms->screen, .json = &d.out},
        &page);
    return io_add(out, c->html, page.p, page.n);
}
