/* share.c: makes one buffer of tensors with a fixed start_addr that live at the same time
 * and share bytes.
 *
 * Needs: any kernel. Guarantees: the same effects, if equal addresses are the same bytes;
 * afterwards no two buffers with fixed addresses share bytes while both live, except
 * those that allocate refuses (in LMEM lanes, or beyond the end of their memory). So all
 * passes and both back ends, which tell accesses apart by their buffer, are right about
 * these tensors too. Never: changes other buffers.
 *
 * The first of them takes all the bytes, from the lowest address to the end of the last
 * one; every operand in the others becomes one in it, moved by their distance. Its alloc
 * stays and those of the others go: it is in the body that the others are in, since each
 * of them lives while an earlier one does. What is lost is where the single tensor ends:
 * an access is inside when it is in the bytes that they have together.
 *
 * Diagnostics: the warning start-addr, for each that overlaps an earlier one. */
#include "passes/passes.h"

typedef struct Share {
    Kernel *k;
    Arena scratch;
    VEC(BufId) live; /* fixed buffers, in the order of their allocs */
    /* by BufId: the buffer of an earlier alloc that takes its bytes, or itself */
    BufId *into;
    uint32_t *rank; /* by BufId: rank of a fixed buffer in the order of the allocs */
    uint32_t ranks;
    int64_t *begin,
        *end;   /* by BufId: the range of its bytes and of those that it took in */
    bool again; /* this is not the first walk: everything is already reported */
    bool any, changed;
} Share;

static int64_t
end_of(const Buffer *b)
{
    int64_t unit = scope_alloc_unit(b->scope);
    return b->fixed_at + (b->bytes + unit - 1) / unit * unit * b->copies;
}

static BufId
group_of(const Share *s, BufId b)
{
    while (s->into[b] != b) {
        b = s->into[b];
    }
    return b;
}

static void
warn(const Share *s, const Buffer *a, const Buffer *b)
{
    Unit *u = s->k->unit;
    Diag *d = diag_add(u, D_START_ADDR, b->span, b->chain,
                       "'%s' and '%s' live at the same time and share bytes %lld to %lld "
                       "of %s",
                       sym_text(&u->names, a->name), sym_text(&u->names, b->name),
                       (long long)MAX(a->fixed_at, b->fixed_at),
                       (long long)(MIN(end_of(a), end_of(b)) - 1), scope_name(b->scope));
    diag_note(u, d, a->span, "'%s' begins at byte %lld", sym_text(&u->names, a->name),
              (long long)a->fixed_at);
}

static bool
meet(const Share *s, BufId x, BufId y)
{
    return s->k->bufs.p[x].scope == s->k->bufs.p[y].scope && s->begin[x] < s->end[y] &&
           s->begin[y] < s->end[x];
}

/* The alloc that remains is the outermost one: that of the first buffer, which lives when
 * the other begins. */
static void
unite(Share *s, BufId x, BufId y)
{
    BufId to = s->rank[x] <= s->rank[y] ? x : y, from = to == x ? y : x;
    s->into[from] = to;
    s->begin[to] = MIN(s->begin[to], s->begin[from]);
    s->end[to] = MAX(s->end[to], s->end[from]);
    s->any = s->changed = true;
}

static void
begin_life(Share *s, BufId id)
{
    const Buffer *b = &s->k->bufs.p[id];
    if (!b->fixed || b->scope == SC_LMEM || end_of(b) > s->k->soc->bytes[b->scope]) {
        return;
    }
    bool reported = s->again;
    if (!s->again) {
        s->rank[id] = s->ranks++;
        s->begin[id] = b->fixed_at;
        s->end[id] = end_of(b);
    }
    for (uint32_t i = 0; i < s->live.n; i++) {
        const Buffer *a = &s->k->bufs.p[s->live.p[i]];
        if (!reported && a->scope == b->scope && end_of(a) > b->fixed_at &&
            end_of(b) > a->fixed_at) {
            warn(s, a, b);
            reported = true;
        }
        BufId x = group_of(s, s->live.p[i]), y = group_of(s, id);
        if (x != y && meet(s, x, y)) {
            unite(s, x, y);
        }
    }
    VEC_PUSH(&s->scratch, &s->live, id);
}

static void
walk(Share *s, StmtId id)
{
    uint32_t outside = s->live.n;
    for (; id; id = s->k->stmts.p[id].next) {
        const Stmt *st = &s->k->stmts.p[id];
        if (st->kind == ST_ALLOC) {
            begin_life(s, st->alloc.buf);
        } else if (st->kind == ST_FOR) {
            walk(s, st->loop.body);
        } else if (st->kind == ST_SCOPE) {
            walk(s, st->scope.body);
        } else if (st->kind == ST_IF) {
            walk(s, st->cond.then_body);
            walk(s, st->cond.else_body);
        }
    }
    s->live.n = outside;
}

/* Until all references are changed, the beginning of each buffer is needed, so the
 * group's extent is kept separately. */
typedef struct Extent {
    int64_t begin, end;
    Dtype dtype; /* the widest type: it demands the largest alignment */
    bool several;
} Extent;

static void
shift(const Share *s, const Extent *extents, Ref *r)
{
    Kernel *k = s->k;
    BufId to = group_of(s, r->buf);
    int64_t by = extents[to].several ? k->bufs.p[r->buf].fixed_at - extents[to].begin : 0;
    r->buf = to;
    if (by != 0) {
        r->off = ir_op2(k, SOP_ADD, r->off, ir_const(k, DT_S64, by));
    }
}

static void
change_references(const Share *s, const Extent *extents)
{
    Kernel *k = s->k;
    for (uint32_t i = 0; i < k->args.n; i++) {
        if (k->args.p[i].kind == ARG_REF) {
            shift(s, extents, &k->args.p[i].ref);
        }
    }
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        Stmt *st = &k->stmts.p[i];
        if (st->kind == ST_LOAD) {
            shift(s, extents, &st->load.ref);
        } else if (st->kind == ST_STORE) {
            shift(s, extents, &st->store.ref);
        }
    }
}

/* Removes the allocs of buffers that another buffer took in. */
static void
drop_allocs(const Share *s, StmtId *link)
{
    while (*link) {
        Stmt *st = &s->k->stmts.p[*link];
        if (st->kind == ST_ALLOC && s->into[st->alloc.buf] != st->alloc.buf) {
            st->kind = ST_NONE;
            *link = st->next;
            continue;
        }
        if (st->kind == ST_FOR) {
            drop_allocs(s, &st->loop.body);
        } else if (st->kind == ST_SCOPE) {
            drop_allocs(s, &st->scope.body);
        } else if (st->kind == ST_IF) {
            drop_allocs(s, &st->cond.then_body);
            drop_allocs(s, &st->cond.else_body);
        }
        link = &st->next;
    }
}

static void
change_buffers(const Share *s, const Extent *extents)
{
    for (BufId id = 1; id < s->k->bufs.n; id++) {
        Buffer *b = &s->k->bufs.p[id];
        const Extent *e = &extents[id];
        for (uint32_t i = 0; i < b->apart.n; i++) {
            b->apart.p[i] = group_of(s, b->apart.p[i]);
        }
        if (e->several) {
            int64_t size = dtype_size(e->dtype);
            b->dtype = e->dtype;
            b->elems = (e->end - e->begin + size - 1) / size;
            b->bytes = b->elems * size;
            b->shape.n = 0;
            b->copies = 1;
            b->fixed_at = e->begin;
        }
    }
}

static void
merge(Share *s)
{
    Kernel *k = s->k;
    Extent *extents = ARENA_ARRAY(&s->scratch, Extent, k->bufs.n);
    for (BufId id = 1; id < k->bufs.n; id++) {
        const Buffer *b = &k->bufs.p[id];
        if (b->fixed) {
            extents[id] = (Extent){b->fixed_at, end_of(b), b->dtype, false};
        }
    }
    for (BufId id = 1; id < k->bufs.n; id++) {
        const Buffer *b = &k->bufs.p[id];
        BufId to = group_of(s, id);
        Extent *e = &extents[to];
        if (to == id) {
            continue;
        }
        e->begin = MIN(e->begin, b->fixed_at);
        e->end = MAX(e->end, end_of(b));
        e->dtype = dtype_size(b->dtype) > dtype_size(e->dtype) ? b->dtype : e->dtype;
        e->several = true;
    }
    change_references(s, extents);
    drop_allocs(s, &k->body);
    change_buffers(s, extents);
}

static bool
has_fixed(const Kernel *k)
{
    for (BufId id = 1; id < k->bufs.n; id++) {
        if (k->bufs.p[id].fixed) {
            return true;
        }
    }
    return false;
}

bool
pass_share(Kernel *k)
{
    if (!has_fixed(k)) {
        return true;
    }
    Share s = {.k = k};
    arena_init(&s.scratch);
    s.into = ARENA_ARRAY(&s.scratch, BufId, k->bufs.n);
    s.rank = ARENA_ARRAY(&s.scratch, uint32_t, k->bufs.n);
    for (BufId id = 0; id < k->bufs.n; id++) {
        s.into[id] = id;
    }
    s.begin = ARENA_ARRAY(&s.scratch, int64_t, k->bufs.n);
    s.end = ARENA_ARRAY(&s.scratch, int64_t, k->bufs.n);
    do {
        /* a buffer that lives at another time overlaps the bytes that a group takes all
         * the time */
        s.changed = false;
        walk(&s, k->body);
        s.again = true;
    } while (s.changed);
    if (s.any) {
        merge(&s);
    }
    arena_free(&s.scratch);
    return true;
}
