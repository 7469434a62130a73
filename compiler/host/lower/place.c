/* place.c: builds the tables in which a fault finds its place: source positions of
 * statements, and the calls of the program's functions that led there while compiling.
 * Both hold each thing once: a helper that is called at a hundred places is a hundred
 * frames, however often it is unrolled. */
#include "host/lower/lower.h"

/* ---- frames -------------------------------------------------------------- */

static uint32_t
add_frame(Lower *l, const CallStep *step)
{
    TikFrame f = {
        .callee = step->callee, .file = "", .parent = l->frame_of[step->parent]};
    if (step->call.file != 0) {
        Source *src = &l->u->sources.p[step->call.file];
        LineCol at = source_line_col(&l->u->arena, src, step->call.begin);
        f.file = src->path;
        f.line = at.line;
        f.column = at.column;
    }
    VEC_PUSH(l->arena, &l->frames, f);
    return l->frames.n;
}

/* Returns the number of the frame of a call chain; the frames around it come first. */
static uint32_t
frame(Lower *l, uint32_t chain)
{
    uint32_t *calls;
    uint32_t n = unit_new_calls(l->u, chain, l->frame_of, l->arena, &calls);
    for (uint32_t i = 0; i < n; i++) {
        l->frame_of[calls[i]] = add_frame(l, &l->u->chains.p[calls[i]]);
    }
    return l->frame_of[chain];
}

/* ---- places -------------------------------------------------------------- */

/* Returns the slot of a place in the hash table: a free one, or that of the same
 * place. */
static uint32_t *
slot_of(Lower *l, const TikPlace *p)
{
    uint32_t mask = l->nplace_index - 1;
    uint32_t h = (p->line * 2654435761u ^ p->column) * 2654435761u;
    h = (h ^ p->frame) * 2654435761u;
    for (h ^= h >> 15;; h++) {
        uint32_t *slot = &l->place_index[h & mask];
        const TikPlace *q = *slot ? &l->places.p[*slot - 1] : NULL;
        if (!q || (q->line == p->line && q->column == p->column && q->frame == p->frame &&
                   q->file == p->file)) {
            return slot;
        }
    }
}

static void
grow_index(Lower *l)
{
    uint32_t n = l->nplace_index ? l->nplace_index * 2 : 64;
    l->place_index = ARENA_ARRAY(l->arena, uint32_t, n);
    l->nplace_index = n;
    for (uint32_t i = 0; i < l->places.n; i++) {
        *slot_of(l, &l->places.p[i]) = i + 1;
    }
}

static TikPlace
place_of(Lower *l, const Stmt *st)
{
    TikPlace place = {.file = ""};
    if (st->span.file != 0 && st->span.file < l->u->sources.n) {
        Source *src = &l->u->sources.p[st->span.file];
        LineCol at = source_line_col(&l->u->arena, src, st->span.begin);
        place = (TikPlace){.file = src->path, .line = at.line, .column = at.column};
    }
    place.frame = frame(l, st->chain);
    return place;
}

int32_t
lower_place(Lower *l, StmtId s)
{
    if (l->place_of[s] == 0) {
        TikPlace place = place_of(l, &l->k->stmts.p[s]);
        if (l->places.n * 2 >= l->nplace_index) {
            grow_index(l);
        }
        uint32_t *slot = slot_of(l, &place);
        if (*slot == 0) {
            VEC_PUSH(l->arena, &l->places, place);
            *slot = l->places.n;
        }
        l->place_of[s] = *slot;
    }
    return (int32_t)l->place_of[s] - 1;
}
