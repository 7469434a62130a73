/* interval_set.c: operations on sets of bytes (see passes/interval_set.h). */
#include "passes/interval_set.h"

#include <string.h>

/* Returns the index of the first interval that ends at or after byte (one that only
 * adjoins counts). */
static int
first_reaching(ByteSet s, int64_t byte)
{
    int lo = 0;
    int hi = s.n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (s.p[mid].hi < byte) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

bool
byteset_covers(ByteSet s, ByteRange r)
{
    int i = first_reaching(s, r.lo + 1);
    return r.lo >= r.hi || (i < s.n && s.p[i].lo <= r.lo && s.p[i].hi >= r.hi);
}

bool
byteset_gap(ByteSet s, ByteRange r, ByteRange *gap)
{
    int64_t at = r.lo;
    for (int i = first_reaching(s, r.lo + 1); i < s.n && s.p[i].lo <= at; i++) {
        at = s.p[i].hi;
    }
    if (at >= r.hi) {
        return false;
    }
    int next = first_reaching(s, at + 1);
    gap->lo = at;
    gap->hi = next < s.n && s.p[next].lo < r.hi ? s.p[next].lo : r.hi;
    return true;
}

/* Removes the smallest gap between two intervals. */
static int
fill_smallest_gap(ByteRange *p, int n)
{
    int best = 0;
    for (int i = 1; i + 1 < n; i++) {
        if (p[i + 1].lo - p[i].hi < p[best + 1].lo - p[best].hi) {
            best = i;
        }
    }
    p[best].hi = p[best + 1].hi;
    memmove(&p[best + 1], &p[best + 2], (size_t)(n - best - 2) * sizeof *p);
    return n - 1;
}

ByteSet
byteset_add(Arena *a, ByteSet s, ByteRange r, ByteSetFull full)
{
    if (byteset_covers(s, r)) {
        return s;
    }
    int from = first_reaching(s, r.lo);
    int to = from;
    while (to < s.n && s.p[to].lo <= r.hi) {
        r.lo = s.p[to].lo < r.lo ? s.p[to].lo : r.lo;
        r.hi = s.p[to].hi > r.hi ? s.p[to].hi : r.hi;
        to++;
    }
    if (from == to && s.n == BYTESET_MAX && full == BYTESET_DROP) {
        return s;
    }
    int n = s.n - (to - from) + 1;
    ByteRange *p = ARENA_ARRAY(a, ByteRange, n);
    if (from) {
        memcpy(p, s.p, (size_t)from * sizeof *p);
    }
    p[from] = r;
    if (to < s.n) {
        memcpy(p + from + 1, s.p + to, (size_t)(s.n - to) * sizeof *p);
    }
    if (n > BYTESET_MAX) {
        n = fill_smallest_gap(p, n);
    }
    return (ByteSet){p, n};
}

ByteSet
byteset_meet(Arena *a, ByteSet x, ByteSet y)
{
    if (x.p == y.p && x.n == y.n) {
        return x;
    }
    ByteRange *p = ARENA_ARRAY(a, ByteRange, x.n + y.n + 1);
    int n = 0;
    int i = 0;
    int j = 0;
    while (i < x.n && j < y.n) {
        ByteRange both = {MAX(x.p[i].lo, y.p[j].lo), MIN(x.p[i].hi, y.p[j].hi)};
        if (both.lo < both.hi && n < BYTESET_MAX) {
            p[n++] = both;
        }
        if (x.p[i].hi < y.p[j].hi) {
            i++;
        } else {
            j++;
        }
    }
    return (ByteSet){p, n};
}
