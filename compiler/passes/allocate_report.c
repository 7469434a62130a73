/* allocate_report.c: reports buffers that have no place (see passes/allocate_plan.h).
 *
 * Diagnostics: lmem-overflow and lmem-overlap in LMEM. In other memories capacity, one
 * per memory, at the buffer that does not fit, with a note for each buffer that is alive
 * then; and start-addr-range where fixed buffers leave their memory, or overlap those
 * that they must be apart from. */
#include "passes/allocate_plan.h"

static uint32_t
line_of(Unit *u, Span span)
{
    return source_line_col(&u->arena, &u->sources.p[span.file], span.begin).line;
}

static void
note_life(const Plan *p, Diag *d, const Life *l)
{
    Unit *u = p->k->unit;
    const Buffer *b = &p->k->bufs.p[l->buf];
    Text t;
    text_init(&t, &u->arena);
    text_printf(&t, "'%s' is %s[", sym_text(&u->names, b->name), dtype_name(b->dtype));
    for (uint32_t i = 0; i < b->shape.n; i++) {
        text_printf(&t, "%s%lld", i ? ", " : "", (long long)b->shape.p[i]);
    }
    text_printf(&t, "], %lld bytes", (long long)l->size);
    if (b->copies > 1) {
        text_printf(&t, " (%d copies for thread_num)", b->copies);
    }
    if (l->first_at) {
        const Stmt *stmts = p->k->stmts.p;
        unsigned first = (unsigned)line_of(u, stmts[l->first_at].span);
        unsigned last = (unsigned)line_of(u, stmts[l->last_at].span);
        text_printf(&t, first == last ? ", used in line %u" : ", used in lines %u to %u",
                    first, last);
    } else {
        text_put(&t, ", never used");
    }
    diag_note(u, d, b->span, "%s", t.p);
}

/* Returns the number of bytes that are alive when l begins to live. */
static int64_t
need_at(const Plan *p, const Life *l)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const Life *x = p->lives[i];
        if (plan_begin(p, x) <= plan_begin(p, l) && plan_end(p, x) >= plan_begin(p, l) &&
            (plan_begin(p, x) < plan_begin(p, l) || x->alloc <= l->alloc)) {
            sum = plan_plus(sum, x->size);
        }
    }
    return sum;
}

/* Returns the first buffer whose beginning takes the live bytes beyond the capacity; if
 * only gaps between buffers are lost, the buffer with the highest address. */
static const Life *
culprit(const Plan *p, int64_t capacity)
{
    const Life *highest = p->lives[0];
    Live live = {.p = ARENA_ARRAY(p->scratch, Life *, p->n)};
    for (uint32_t i = 0; i < p->n; i++) {
        Life *l = p->lives[i];
        plan_drop_ended(p, &live, plan_begin(p, l));
        live.p[live.n++] = l;
        live.bytes += l->size;
        if (live.bytes > capacity) {
            return l;
        }
        highest = plan_end_address(l) > plan_end_address(highest) ? l : highest;
    }
    return highest;
}

enum {
    MAX_LIFE_NOTES = 40
};

void
plan_report(const Plan *p, Scope scope)
{
    const Kernel *k = p->k;
    Unit *u = k->unit;
    int64_t capacity = k->soc->bytes[scope];
    const Life *l = culprit(p, capacity);
    const Buffer *b = &k->bufs.p[l->buf];
    const char *name = sym_text(&u->names, b->name);
    if (p->quiet) {
        return;
    }
    if (capacity == 0) {
        diag_add(u, D_CAPACITY, b->span, b->chain,
                 "'%s' is in %s, which %s does not have", name, scope_name(scope),
                 k->soc->name);
        return;
    }
    int64_t need = need_at(p, l);
    need = need > capacity ? need : p->peak;
    Diag *d = diag_add(
        u, scope == SC_LMEM ? D_LMEM_OVERFLOW : D_CAPACITY, b->span, b->chain,
        "'%s' of %lld bytes does not fit: the kernel needs %lld bytes of %s at this "
        "point, %s has %lld (%lld too many)",
        name, (long long)l->size, (long long)need, scope_name(scope), k->soc->name,
        (long long)capacity, (long long)(need - capacity));
    int notes = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const Life *x = p->lives[i];
        if (plan_begin(p, x) <= plan_begin(p, l) && plan_end(p, x) >= plan_begin(p, l) &&
            notes++ < MAX_LIFE_NOTES) {
            note_life(p, d, x);
        }
    }
    if (notes > MAX_LIFE_NOTES) {
        diag_note(u, d, b->span, "and %d more buffers", notes - MAX_LIFE_NOTES);
    }
    int64_t room = (l->size - (need - capacity)) / l->align * l->align / b->copies;
    if (room > 0 && dtype_size(b->dtype) > 0) {
        diag_help(u, d,
                  "beside the others %lld elements of %s fit; or close the scope of one "
                  "before the next opens",
                  (long long)(room / dtype_size(b->dtype)), dtype_name(b->dtype));
    }
}

static bool
fixed_fits(const Plan *p, const Life *l, int64_t capacity)
{
    const Buffer *b = &p->k->bufs.p[l->buf];
    Unit *u = p->k->unit;
    if (plan_end_address(l) <= capacity || p->quiet) {
        return plan_end_address(l) <= capacity;
    }
    diag_add(u, b->scope == SC_LMEM ? D_LMEM_OVERFLOW : D_START_ADDR_RANGE, b->span,
             b->chain, "'%s' covers bytes %lld to %lld of %s; %s has %lld",
             sym_text(&u->names, b->name), (long long)l->address,
             (long long)(plan_end_address(l) - 1), scope_name(b->scope), p->k->soc->name,
             (long long)capacity);
    return false;
}

static bool
fixed_apart(const Plan *p, const Life *x, const Life *y)
{
    Unit *u = p->k->unit;
    const Buffer *a = &p->k->bufs.p[x->buf];
    const Buffer *b = &p->k->bufs.p[y->buf];
    if (!plan_meet(p, x, y) || plan_end_address(x) <= y->address ||
        plan_end_address(y) <= x->address) {
        return true;
    }
    if (p->quiet) {
        return false;
    }
    Diag *d = diag_add(
        u, b->scope == SC_LMEM ? D_LMEM_OVERLAP : D_START_ADDR_RANGE, b->span, b->chain,
        "'%s' and '%s' live at the same time and share bytes %lld to %lld of %s",
        sym_text(&u->names, a->name), sym_text(&u->names, b->name),
        (long long)MAX(x->address, y->address),
        (long long)(MIN(plan_end_address(x), plan_end_address(y)) - 1),
        scope_name(b->scope));
    diag_note(u, d, a->span, "'%s' begins at byte %lld", sym_text(&u->names, a->name),
              (long long)x->address);
    return false;
}

bool
plan_check_fixed(const Plan *p, int64_t capacity)
{
    Life **fixed = ARENA_ARRAY(p->scratch, Life *, p->n);
    uint32_t n = 0;
    bool ok = true;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!p->lives[i]->fixed) {
            continue;
        }
        ok = fixed_fits(p, p->lives[i], capacity) && ok;
        for (uint32_t j = 0; j < n && ok; j++) {
            ok = fixed_apart(p, fixed[j], p->lives[i]);
        }
        fixed[n++] = p->lives[i];
    }
    return ok;
}
