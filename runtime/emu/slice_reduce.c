/* slice_reduce.c: reductions along axes of a slice (vector chapter 13), one result after
 * the other and one element after the other, in index order.
 *
 * A sum is a tree over the elements, padded with +0 to a power of two: neighbours first.
 * It is kept as a stack of sums of 1, 2, 4 ... elements; two of one size become one. An
 * extreme is the first of equal ones; NaN counts only if there is nothing else. */
#include "emu/emu.h"

#include <string.h>

#include "num/half.h"

enum {
    OUTER = 2, /* number of dimensions of the results; the others are reduced */
    LEVELS = 64
};

/* A walk over the reduced dimensions. */
typedef struct Walk {
    const EmuSlice *s;
    const uint8_t *at;
    int64_t index[SLICE_DIMS];
} Walk;

/* Goes on to the next element; false when there is none. */
static bool
next(Walk *w)
{
    for (int d = w->s->dims - 1; d >= OUTER; d--) {
        w->at += w->s->step[d];
        if (++w->index[d] < w->s->len[d]) {
            return true;
        }
        w->at -= w->s->len[d] * w->s->step[d];
        w->index[d] = 0;
    }
    return false;
}

static uint32_t
bits_at(const uint8_t *p, Dtype t)
{
    uint16_t h;
    uint32_t u;
    memcpy(&h, p, sizeof h);
    if (t != DT_F32) {
        return h;
    }
    memcpy(&u, p, sizeof u);
    return u;
}

static double
value_of(uint32_t bits, Dtype t)
{
    return t == DT_F16   ? half_to_float((uint16_t)bits)
           : t == DT_F32 ? float_of_bits(bits)
                         : (double)(int16_t)bits;
}

/* ---- sums ---------------------------------------------------------------- */

typedef struct Addition {
    Dtype type;
    bool saturates;  /* float16 sums saturate */
    RowPairs *pairs; /* null: elements are added one by one */
} Addition;

static uint32_t
add(uint32_t a, uint32_t b, Addition t)
{
    if (t.type == DT_F16) {
        uint16_t sum =
            half_from_float(half_to_float((uint16_t)a) + half_to_float((uint16_t)b));
        return t.saturates ? half_finite(sum) : sum;
    }
    return float_bits_canonical(float_of_bits(a) + float_of_bits(b));
}

/* A stack of sums: sum[i] is that of 2^level[i] elements; larger ones come first. An
 * element has level 0. */
typedef struct Tree {
    uint32_t sum[LEVELS];
    int level[LEVELS];
    int n;
} Tree;

static void
push(Tree *s, uint32_t bits, int level, Addition t)
{
    while (s->n > 0 && s->level[s->n - 1] == level) {
        bits = add(s->sum[--s->n], bits, t);
        level++;
    }
    s->sum[s->n] = bits;
    s->level[s->n++] = level;
}

/* Elements that are missing on the right count as +0. */
static uint32_t
close_tree(Tree *s, Addition t)
{
    while (s->n > 1) {
        int last = s->n - 1;
        if (s->level[last] == s->level[last - 1]) {
            s->sum[last - 1] = add(s->sum[last - 1], s->sum[last], t);
            s->level[last - 1]++;
            s->n--;
        } else {
            s->sum[last] = add(s->sum[last], 0, t);
            s->level[last]++;
        }
    }
    return s->sum[0];
}

enum {
    CHUNK_LEVEL = 8,
    LEAST_LEVEL = 3, /* of fewer elements no tree is made at once */
    CHUNK = 1 << CHUNK_LEVEL
};

/* Collects elements up to a whole chunk. Returns their number; *more is false after the
 * last one. */
static int
collect(Walk *w, int size, uint8_t *to, bool *more)
{
    int n = 0;
    while (*more && n < CHUNK) {
        memcpy(to + n++ * size, w->at, (size_t)size);
        *more = next(w);
    }
    return n;
}

/* Does the same for elements that follow each other in the last dimension, a row at a
 * time. */
static int
collect_rows(Walk *w, int size, uint8_t *to, bool *more)
{
    int d = w->s->dims - 1, n = 0;
    while (*more && n < CHUNK) {
        int64_t some = w->s->len[d] - w->index[d];
        some = some < CHUNK - n ? some : CHUNK - n;
        memcpy(to + n * size, w->at, (size_t)(some * size));
        n += (int)some;
        w->at += (some - 1) * w->s->step[d];
        w->index[d] += some - 1;
        *more = next(w);
    }
    return n;
}

/* Adds 2^level elements in a tree. */
static uint32_t
sum_of_tree(uint8_t *x, int level, Addition t)
{
    uint8_t room[2][CHUNK / 2 * sizeof(float)];
    const uint8_t *from = x;
    for (int now = 0; level > 0; now = !now) {
        level--;
        t.pairs(room[now], from, (int64_t)1 << level);
        from = room[now];
    }
    return bits_at(from, t.type);
}

static uint32_t
sum_of(Walk *w, Addition t)
{
    Tree s = {.n = 0};
    uint8_t chunk[CHUNK * sizeof(float)];
    int size = dtype_size(t.type);
    bool more = true, rows = w->s->dims > OUTER && w->s->step[w->s->dims - 1] == size;
    while (more) {
        int n = (rows ? collect_rows : collect)(w, size, chunk, &more), at = 0;
        for (int level = CHUNK_LEVEL; t.pairs != NULL && level >= LEAST_LEVEL; level--) {
            if (n - at >= 1 << level) {
                push(&s, sum_of_tree(chunk + at * size, level, t), level, t);
                at += 1 << level;
            }
        }
        for (; at < n; at++) {
            push(&s, bits_at(chunk + at * size, t.type), 0, t);
        }
    }
    return close_tree(&s, t);
}

/* ---- extremes ------------------------------------------------------------ */

typedef struct Extreme {
    uint32_t bits;
    int32_t index;
    bool found; /* an element was found that is not NaN */
} Extreme;

static Extreme
extreme_of(Walk *w, Dtype t, bool largest)
{
    Extreme e = {.bits = t == DT_F16 ? HALF_NAN : FLOAT_NAN};
    double best = 0;
    int32_t i = 0;
    do {
        uint32_t bits = bits_at(w->at, t);
        double v = value_of(bits, t);
        if (v == v && (!e.found || (largest ? v > best : v < best))) {
            e = (Extreme){bits, i, true};
            best = v;
        }
        i++;
    } while (next(w));
    return e;
}

/* ---- results ------------------------------------------------------------- */

static void
one_result(const EmuRun *r, const EmuOp *op, const EmuSlice *src, const uint8_t *from,
           uint8_t *to)
{
    Dtype t = (Dtype)op->dtype;
    Sem sem = op_table[op->op].sem;
    Walk w = {.s = src, .at = from};
    uint32_t bits;
    if (sem == SEM_SLICE_SUM) {
        bool saturates =
            emu_chosen(r->p, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
        bits =
            sum_of(&w, (Addition){t, saturates, saturates ? NULL : r->p->rows->pairs[t]});
    } else {
        bool largest = sem == SEM_SLICE_RMAX || sem == SEM_SLICE_ARGMAX;
        Extreme e = extreme_of(&w, t, largest);
        bool index = sem == SEM_SLICE_ARGMAX || sem == SEM_SLICE_ARGMIN;
        bits = index ? (uint32_t)e.index : e.bits;
        t = index ? DT_S32 : t;
    }
    uint16_t half = (uint16_t)bits;
    memcpy(to, dtype_size(t) == 2 ? (const void *)&half : (const void *)&bits,
           (size_t)dtype_size(t));
}

bool
emu_exec_slice_reduce(EmuRun *r, const EmuOp *op)
{
    EmuSlice dst, src;
    if (!emu_begin(r, op) || !emu_slice_open(r, op, 0, &dst) ||
        !emu_slice_open(r, op, 1, &src)) {
        return false;
    }
    for (int64_t i = 0; i < src.len[0] && !src.empty; i++) {
        for (int64_t j = 0; j < src.len[1]; j++) {
            one_result(r, op, &src, src.at + i * src.step[0] + j * src.step[1],
                       dst.at + i * dst.step[0] + j * dst.step[1]);
        }
    }
    return true;
}
