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
    LEVELS = 64,
    CHUNK_LEVEL = 8,
    LEAST_LEVEL = 3, /* of fewer elements no tree is made at once */
    CHUNK = 1 << CHUNK_LEVEL,
    MANY = 2048 /* elements of several results that are added at a time */
};

/* A walk over the reduced dimensions. */
typedef struct Walk {
    const EmuSlice *s;
    const uint8_t *at;
    int64_t index[SLICE_DIMS];
    bool pieces; /* are_pieces */
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

/* Returns how many elements follow each other in memory from the present one on. */
static int64_t
in_row(const Walk *w, int size)
{
    int d = w->s->dims - 1;
    bool rows = w->s->dims > OUTER && w->s->step[d] == size;
    return rows ? w->s->len[d] - w->index[d] : 1;
}

/* Goes on by elements that follow each other; false when there are no more. */
static bool
skip(Walk *w, int64_t n)
{
    int d = w->s->dims - 1;
    if (n > 1) {
        w->at += (n - 1) * w->s->step[d];
        w->index[d] += n - 1;
    }
    return next(w);
}

/* Returns whether rows need not be collected to make whole chunks: a chunk is some rows
 * then, or there is one row. */
static bool
are_pieces(const Walk *w)
{
    int d = w->s->dims - 1;
    int64_t len = w->s->len[d], others = 1;
    for (int i = OUTER; i < d; i++) {
        others *= w->s->len[i];
    }
    return others == 1 || (len & (len - 1)) == 0;
}

/* Returns the next elements in memory, or collected in the room. *n is their number;
 * *more is false after the last one. Before them there are as many as pieces of each size
 * in which a tree takes them, the largest ones first. */
static const uint8_t *
take(Walk *w, int size, uint8_t *room, int64_t *n, bool *more)
{
    const uint8_t *at = w->at;
    int64_t row = in_row(w, size);
    if (row > 1 && w->pieces) {
        *n = row < CHUNK ? row : CHUNK;
        *more = skip(w, *n);
        return at;
    }
    for (*n = 0; *more && *n < CHUNK;) {
        int64_t some = in_row(w, size), left = CHUNK - *n;
        some = some < left ? some : left;
        memcpy(room + *n * size, w->at, (size_t)(some * size));
        *n += some;
        *more = skip(w, some);
    }
    return room;
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

/* Adds n elements at a time in level after level of all trees, each of 2^level. */
static const uint8_t *
sums_of_trees(uint8_t room[2][MANY / 2 * sizeof(float)], const uint8_t *from, int64_t n,
              int level, RowPairs *pairs)
{
    for (int now = 0; level > 0; now = !now, level--) {
        n /= 2;
        pairs(room[now], from, n);
        from = room[now];
    }
    return from;
}

static uint32_t
sum_of_tree(const uint8_t *x, int level, Addition t)
{
    uint8_t room[2][MANY / 2 * sizeof(float)];
    return bits_at(sums_of_trees(room, x, (int64_t)1 << level, level, t.pairs), t.type);
}

static uint32_t
sum_of(Walk *w, Addition t)
{
    Tree s = {.n = 0};
    uint8_t room[CHUNK * sizeof(float)];
    int size = dtype_size(t.type);
    bool more = true;
    while (more) {
        int64_t n, at = 0;
        const uint8_t *chunk = take(w, size, room, &n, &more);
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
    int32_t key; /* its order (RowExtreme) */
} Extreme;

/* The largest number of a chunk that a row function takes. */
enum {
    SOME = 128
};

static Extreme
extreme_of(Walk *w, Dtype t, RowFind *find, bool largest)
{
    Extreme e = {.bits = t == DT_F16 ? HALF_NAN : FLOAT_NAN, .key = ROW_NAN};
    uint8_t room[CHUNK * sizeof(float)];
    int size = dtype_size(t);
    bool more = true;
    for (int64_t first = 0, n = 0; more; first += n) {
        const uint8_t *chunk = take(w, size, room, &n, &more);
        for (int64_t at = 0; at < n; at += SOME) {
            RowExtreme f;
            find(&f, chunk + at * size, NULL, n - at < SOME ? n - at : SOME, largest);
            if (f.key > e.key) {
                uint32_t bits = bits_at(chunk + (at + f.at) * size, t);
                e = (Extreme){bits, (int32_t)(first + at + f.at), f.key};
            }
        }
    }
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
    w.pieces = are_pieces(&w);
    uint32_t bits;
    if (sem == SEM_SLICE_SUM) {
        bool saturates =
            emu_chosen(r->p, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
        bits =
            sum_of(&w, (Addition){t, saturates, saturates ? NULL : r->p->rows->pairs[t]});
    } else {
        bool largest = sem == SEM_SLICE_RMAX || sem == SEM_SLICE_ARGMAX;
        Extreme e = extreme_of(&w, t, r->p->rows->find[t], largest);
        bool index = sem == SEM_SLICE_ARGMAX || sem == SEM_SLICE_ARGMIN;
        bits = index ? (uint32_t)e.index : e.bits;
        t = index ? DT_S32 : t;
    }
    uint16_t half = (uint16_t)bits;
    memcpy(to, dtype_size(t) == 2 ? (const void *)&half : (const void *)&bits,
           (size_t)dtype_size(t));
}

/* ---- sums of many rows --------------------------------------------------- */

/* Returns the elements of a result if they follow each other, and those of the next
 * result follow them; else 0. */
static int64_t
dense_elements(const EmuSlice *s)
{
    int64_t elements = 1;
    bool dense = true;
    for (int d = s->dims - 1; d >= OUTER; d--) {
        dense = dense && (s->len[d] == 1 || s->step[d] == elements * s->size);
        elements *= s->len[d];
    }
    return dense && s->step[1] == elements * s->size ? elements : 0;
}

/* Adds rows whose trees are full, many results at a time; false: they must go one by
 * one. */
static bool
sum_rows(const EmuRun *r, const EmuOp *op, const EmuSlice *dst, const EmuSlice *src)
{
    uint8_t room[2][MANY / 2 * sizeof(float)];
    RowPairs *pairs = r->p->rows->pairs[op->dtype];
    int64_t elements = dense_elements(src);
    if (op_table[op->op].sem != SEM_SLICE_SUM || pairs == NULL || elements < 2 ||
        elements > MANY || (elements & (elements - 1)) != 0 ||
        emu_chosen(r->p, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE) {
        return false;
    }
    int level = __builtin_ctzll((unsigned long long)elements);
    for (int64_t i = 0; i < src->len[0]; i++) {
        for (int64_t j = 0, n; j < src->len[1]; j += n) {
            n = src->len[1] - j < MANY >> level ? src->len[1] - j : MANY >> level;
            const uint8_t *from = src->at + i * src->step[0] + j * src->step[1];
            from = sums_of_trees(room, from, n << level, level, pairs);
            for (int64_t k = 0; k < n; k++) {
                memcpy(dst->at + i * dst->step[0] + (j + k) * dst->step[1],
                       from + k * src->size, (size_t)src->size);
            }
        }
    }
    return true;
}

bool
emu_exec_slice_reduce(EmuRun *r, const EmuOp *op)
{
    EmuSlice dst, src;
    if (!emu_begin(r, op) || !emu_slice_open(r, op, 0, &dst) ||
        !emu_slice_open(r, op, 1, &src)) {
        return false;
    }
    if (src.empty || sum_rows(r, op, &dst, &src)) {
        return true;
    }
    for (int64_t i = 0; i < src.len[0]; i++) {
        for (int64_t j = 0; j < src.len[1]; j++) {
            one_result(r, op, &src, src.at + i * src.step[0] + j * src.step[1],
                       dst.at + i * dst.step[0] + j * dst.step[1]);
        }
    }
    return true;
}
