/* slice_reduce.c: reductions along axes of a slice for compiled kernels (vector chapter
 * 13).
 *
 * If results are contiguous and the elements of each are not, many results are computed
 * at once, with a loop over results for each element; otherwise the elements of each
 * result are collected in pieces, in index order. A sum is a tree, neighbours first, as
 * if +0 filled it up to a power of two elements. An extreme is found by keys
 * (ops/slice.h), whose maximum does not depend on the order; it is the first element with
 * that key. */
#include "ops/slice.h"
#include "isa/operand.h"

#include <string.h>

enum {
    PIECE = 256, /* elements collected at once: a power of two */
    SIDE = 128,  /* results computed at once */
    LEVELS = 48,
    OUTER = 2 /* number of dimensions of the results */
};

typedef struct Walk {
    const OpSlice *s;
    const uint8_t *at;
    int64_t index[SLICE_DIMS];
    int64_t left; /* elements that are left */
} Walk;

static Walk
start(const OpSlice *s, const uint8_t *at)
{
    Walk w = {.s = s, .at = at, .left = 1};
    for (int d = OUTER; d < SLICE_DIMS; d++) {
        w.left *= s->len[d];
    }
    return w;
}

/* Goes on by n elements of the innermost dimension. */
static void
advance(Walk *w, int64_t n)
{
    int d = SLICE_DIMS - 1;
    w->left -= n;
    w->at += n * w->s->step[d];
    w->index[d] += n;
    while (d > OUTER && w->index[d] == w->s->len[d]) {
        w->at += w->s->step[d - 1] - w->s->len[d] * w->s->step[d];
        w->index[d--] = 0;
        w->index[d]++;
    }
}

/* Collects the next elements, at most PIECE, in buf. */
static int64_t
gather(Walk *w, uint8_t *buf)
{
    const int last = SLICE_DIMS - 1;
    int64_t n = 0;
    while (n < PIECE && w->left > 0) {
        int64_t row = w->s->len[last] - w->index[last];
        int64_t take = row < PIECE - n ? row : PIECE - n;
        ops_slice_collect(buf + n * w->s->size, w->at, w->s->step[last], w->s->size,
                          take);
        advance(w, take);
        n += take;
    }
    return n;
}

/* ---- sums ---------------------------------------------------------------- */

/* A stack of sums of 2^level elements each, larger ones first. Each has `width` numbers,
 * of neighbouring results. */
typedef struct Stack {
    const SliceTable *table;
    Dtype t;
    bool saturates; /* float16 sums saturate */
    int n, width;
    int level[LEVELS];
    uint32_t zero[SIDE];
    uint32_t sum[LEVELS][SIDE];
} Stack;

static void
add(const Stack *s, void *dst, const void *a, const void *b)
{
    s->table->fn[SEM_ADD][s->t](dst, a, b, NULL, s->width);
    if (s->saturates) {
        ops_slice_saturate(dst, s->width);
    }
}

static void
merge(Stack *s)
{
    while (s->n > 1 && s->level[s->n - 1] == s->level[s->n - 2]) {
        add(s, s->sum[s->n - 2], s->sum[s->n - 2], s->sum[s->n - 1]);
        s->level[s->n - 2]++;
        s->n--;
    }
}

static void
push(Stack *s, const void *numbers, int level)
{
    memcpy(s->sum[s->n], numbers, (size_t)(s->width * dtype_size(s->t)));
    s->level[s->n++] = level;
    merge(s);
}

static const void *
finish(Stack *s)
{
    while (s->n > 1) {
        add(s, s->sum[s->n - 1], s->sum[s->n - 1], s->zero);
        s->level[s->n - 1]++;
        merge(s);
    }
    return s->sum[0];
}

static void
open_stack(Stack *s, const Choices *c, Dtype t, int width)
{
    s->saturates = t == DT_F16 &&
                   chosen(c, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    s->table = ops_slice_table();
    s->t = t;
    s->n = 0;
    s->width = width;
    memset(s->zero, 0, sizeof s->zero);
}

/* Returns the smallest power of two that is at least n. */
static int64_t
room_of(int64_t n)
{
    int64_t room = 1;
    while (room < n) {
        room *= 2;
    }
    return room;
}

/* Adds n numbers at a, a power of two. Returns the place of the sum, in a or b, and gives
 * its level. */
static const uint8_t *
sum_piece(const Stack *s, uint8_t *a, uint8_t *b, int64_t n, int *level)
{
    for (*level = 0; n > 1; n /= 2) {
        uint8_t *sums = b;
        s->table->halve[s->t](sums, a, NULL, NULL, n / 2);
        if (s->saturates) {
            ops_slice_saturate(sums, n / 2);
        }
        b = a;
        a = sums;
        ++*level;
    }
    return a;
}

static void
sum_one(const Choices *c, const OpSlice *src, const uint8_t *at, uint8_t *to, Dtype t)
{
    uint8_t buf[2][PIECE * sizeof(uint32_t)];
    Stack s;
    Walk w = start(src, at);
    bool many = w.left > PIECE;
    open_stack(&s, c, t, 1);
    while (w.left > 0) {
        int level;
        int64_t n = gather(&w, buf[0]);
        int64_t room = many ? PIECE : room_of(n);
        memset(buf[0] + n * src->size, 0, (size_t)((room - n) * src->size));
        const uint8_t *sum = sum_piece(&s, buf[0], buf[1], room, &level);
        push(&s, sum, level);
    }
    memcpy(to, finish(&s), (size_t)dtype_size(t));
}

static void
sum_side(const Choices *c, const OpSlice *src, const uint8_t *at, uint8_t *to,
         int64_t step, int n, Dtype t)
{
    Stack s;
    Walk w = start(src, at);
    open_stack(&s, c, t, n);
    while (w.left > 0) {
        push(&s, w.at, 0);
        advance(&w, 1);
    }
    ops_slice_spread(to, step, finish(&s), dtype_size(t), n);
}

/* ---- extremes ------------------------------------------------------------ */

/* The best key so far, and its element. */
typedef struct Best {
    int32_t key[SIDE];
    int32_t index[SIDE];
    uint32_t bits[SIDE];
} Best;

static void
open_best(Best *b, Dtype t)
{
    for (int i = 0; i < SIDE; i++) {
        b->key[i] = INT32_MIN;
        b->index[i] = 0;
        b->bits[i] = t == DT_F16 ? 0x7e00u : 0x7fc00000u;
    }
}

static void
keys_of(int32_t *keys, const void *elements, Dtype t, bool largest, int64_t n)
{
    ops_slice_table()->keys[t](keys, elements, NULL, NULL, n);
    for (int64_t i = 0; !largest && i < n; i++) {
        keys[i] = keys[i] == INT32_MIN ? INT32_MIN : -keys[i];
    }
}

static uint32_t
bits_at(const uint8_t *p, int size)
{
    uint32_t v = 0;
    memcpy(&v, p, (size_t)size);
    return v;
}

static void
best_one(const OpSlice *src, const uint8_t *at, Best *b, Dtype t, bool largest)
{
    uint8_t buf[PIECE * sizeof(uint32_t)];
    int32_t keys[PIECE];
    Walk w = start(src, at);
    int64_t all = w.left;
    while (w.left > 0) {
        int64_t first = all - w.left, n = gather(&w, buf), i = 0;
        keys_of(keys, buf, t, largest, n);
        int32_t key = ops_slice_table()->largest(keys, n);
        if (key <= b->key[0]) {
            continue;
        }
        while (keys[i] != key) {
            i++;
        }
        b->key[0] = key;
        b->index[0] = (int32_t)(first + i);
        b->bits[0] = bits_at(buf + i * src->size, src->size);
    }
}

static void
best_side(const OpSlice *src, const uint8_t *at, Best *b, Dtype t, bool largest, int n)
{
    int32_t keys[SIDE];
    uint32_t bits[SIDE];
    Walk w = start(src, at);
    for (int32_t k = 0; w.left > 0; k++) {
        keys_of(keys, w.at, t, largest, n);
        for (int i = 0; i < n; i++) {
            bits[i] = bits_at(w.at + i * src->size, src->size);
        }
        for (int i = 0; i < n; i++) {
            bool better = keys[i] > b->key[i];
            b->key[i] = better ? keys[i] : b->key[i];
            b->index[i] = better ? k : b->index[i];
            b->bits[i] = better ? bits[i] : b->bits[i];
        }
        advance(&w, 1);
    }
}

/* ---- results ------------------------------------------------------------- */

static void
extremes(const OpCall *c, const OpSlice *src, const OpSlice *dst, const uint8_t *from,
         uint8_t *to, int n)
{
    Best b;
    Sem sem = op_table[c->in.op].sem;
    Dtype t = c->in.args[HREDUCE_src].t.dtype;
    bool largest = sem == SEM_SLICE_RMAX || sem == SEM_SLICE_ARGMAX;
    bool index = sem == SEM_SLICE_ARGMAX || sem == SEM_SLICE_ARGMIN;
    open_best(&b, t);
    if (n > 1) {
        best_side(src, from, &b, t, largest, n);
    } else {
        best_one(src, from, &b, t, largest);
    }
    for (int i = 0; i < n; i++) {
        const void *result = index ? (const void *)&b.index[i] : (const void *)&b.bits[i];
        memcpy(to + i * dst->step[1], result, (size_t)dst->size);
    }
}

/* Computes n results that are contiguous in the inner dimension of the results. */
static void
results(const OpCall *c, const OpSlice *src, const OpSlice *dst, const uint8_t *from,
        uint8_t *to, int n)
{
    Dtype t = c->in.args[HREDUCE_src].t.dtype;
    if (op_table[c->in.op].sem != SEM_SLICE_SUM) {
        extremes(c, src, dst, from, to, n);
    } else if (n > 1) {
        sum_side(c->in.choices, src, from, to, dst->step[1], n, t);
    } else {
        sum_one(c->in.choices, src, from, to, t);
    }
}

bool
ops_slice_reduce(OpCall *c)
{
    OpSlice dst = ops_slice_operand(c, 0), src = ops_slice_operand(c, 1);
    bool side = src.step[1] == src.size && src.step[SLICE_DIMS - 1] != src.size;
    int most = side ? SIDE : 1;
    if (start(&src, src.at).left == 0) {
        return true;
    }
    for (int64_t i = 0; i < src.len[0]; i++) {
        for (int64_t j = 0; j < src.len[1]; j += most) {
            int n = src.len[1] - j < most ? (int)(src.len[1] - j) : most;
            results(c, &src, &dst, src.at + i * src.step[0] + j * src.step[1],
                    dst.at + i * dst.step[0] + j * dst.step[1], n);
        }
    }
    return true;
}
