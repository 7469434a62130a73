/* pairs.c: all 2^32 pairs of float16 through arithmetic and comparisons of vectors, by
 * compiled kernels and by the emulator, against a model of its own that works on
 * integers.
 *
 * usage: pairs [OPERATION] LIBRARY... BLOB
 * The files are made of pairs.tik; OPERATION is a row of operations[], all by default.
 * Prints wrong results and, for each operation, the number of pairs and of wrong ones in
 * each way. The exit code is 1 when there are any.
 *
 * The model: a finite float16 is k 2^-24 with an integer k of at most 41 bits. Sums are
 * exact in these integers; products and quotients are made of the 11 digits of each
 * operand, with a last digit for what a quotient lacks. Each result is rounded once to
 * nearest even by round_half. */
#include <stdbool.h>

#include "kernels.h"

enum {
    VALUES = 1 << 16,
    ROWS = 16, /* first operands of one run */
    PAIRS = ROWS * VALUES,
    NAN_BITS = 0x7e00,
    INF = 0x7c00,
    SIGN = 0x8000,
    SHOWN = 10 /* wrong results that are printed, of each way */
};

/* A number apart from NaN and infinity. */
typedef struct Number {
    int64_t digits; /* with its sign: the number is digits 2^exponent */
    int exponent;
} Number;

static inline bool
is_nan(uint32_t h)
{
    return (h & 0x7fff) > INF;
}

static inline bool
is_inf(uint32_t h)
{
    return (h & 0x7fff) == INF;
}

static inline Number
number_of(uint32_t h)
{
    int e = h >> 10 & 31;
    int64_t m = h & 1023;
    Number n = {e == 0 ? m : m + 1024, (e == 0 ? 1 : e) - 25};
    n.digits = h & SIGN ? -n.digits : n.digits;
    return n;
}

/* Returns the number in units of 2^-24. */
static inline int64_t
units_of(uint32_t h)
{
    Number n = number_of(h);
    return n.digits * ((int64_t)1 << (n.exponent + 24));
}

/* Returns m 2^e rounded once to nearest even, with the given sign. */
static inline uint32_t
round_half(uint32_t sign, uint64_t m, int e)
{
    if (m == 0) {
        return sign;
    }
    int top = 63 - __builtin_clzll(m) + e;      /* 2^top <= m 2^e < 2^(top + 1) */
    int last = top - 10 < -24 ? -24 : top - 10; /* the result is a multiple of 2^last */
    int drop = last - e;
    uint64_t kept, half;
    if (drop <= 0) {
        kept = m << -drop;
    } else if (drop > 63) {
        kept = 0; /* far below half of the least number */
    } else {
        half = (uint64_t)1 << (drop - 1);
        kept = m >> drop;
        uint64_t lost = m & ((half << 1) - 1);
        kept += lost > half || (lost == half && (kept & 1));
    }
    /* Adding the digits to the exponent carries into it. */
    uint64_t bits = kept + ((uint64_t)(last + 24) << 10);
    return sign | (uint32_t)(bits > INF ? INF : bits);
}

static inline uint32_t
add(uint32_t a, uint32_t b)
{
    if (is_nan(a) || is_nan(b)) {
        return NAN_BITS;
    }
    if (is_inf(a) || is_inf(b)) {
        return is_inf(a) && is_inf(b) && a != b ? NAN_BITS : is_inf(a) ? a : b;
    }
    int64_t sum = units_of(a) + units_of(b);
    if (sum == 0) {
        return a & b & SIGN; /* -0 only as the sum of two; x - x is +0 */
    }
    return round_half(sum < 0 ? SIGN : 0, (uint64_t)(sum < 0 ? -sum : sum), -24);
}

static inline uint32_t
subtract(uint32_t a, uint32_t b)
{
    return add(a, b ^ SIGN);
}

static inline uint32_t
multiply(uint32_t a, uint32_t b)
{
    uint32_t sign = (a ^ b) & SIGN;
    if (is_nan(a) || is_nan(b)) {
        return NAN_BITS;
    }
    Number x = number_of(a & 0x7fff), y = number_of(b & 0x7fff);
    if (is_inf(a) || is_inf(b)) {
        bool zero = (!is_inf(a) && x.digits == 0) || (!is_inf(b) && y.digits == 0);
        return zero ? NAN_BITS : sign | INF;
    }
    return round_half(sign, (uint64_t)(x.digits * y.digits), x.exponent + y.exponent);
}

static inline uint32_t
divide(uint32_t a, uint32_t b)
{
    uint32_t sign = (a ^ b) & SIGN;
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_inf(b))) {
        return NAN_BITS;
    }
    if (is_inf(a) || is_inf(b)) {
        return is_inf(a) ? sign | INF : sign;
    }
    Number x = number_of(a & 0x7fff), y = number_of(b & 0x7fff);
    if (y.digits == 0) {
        return x.digits == 0 ? NAN_BITS : sign | INF;
    }
    if (x.digits == 0) {
        return sign;
    }
    /* At least 19 digits, and a last one that says whether there are more. */
    int up = __builtin_clz((uint32_t)x.digits) - 1;
    uint32_t dividend = (uint32_t)x.digits << up, divisor = (uint32_t)y.digits;
    uint32_t more = dividend % divisor != 0;
    return round_half(sign, (uint64_t)(dividend / divisor) << 1 | more,
                      x.exponent - y.exponent - up - 1);
}

/* -1, 0 or 1 as a is less than, equal to or greater than b; neither is NaN. */
static inline int
order(uint32_t a, uint32_t b)
{
    int32_t x = a & SIGN ? -(int32_t)(a & 0x7fff) : (int32_t)a;
    int32_t y = b & SIGN ? -(int32_t)(b & 0x7fff) : (int32_t)b;
    return (x > y) - (x < y);
}

/* The second operand is the result only where it is beyond the first. */
static inline uint32_t
maximum(uint32_t a, uint32_t b)
{
    return is_nan(a) || is_nan(b) ? NAN_BITS : order(b, a) > 0 ? b : a;
}

static inline uint32_t
minimum(uint32_t a, uint32_t b)
{
    return is_nan(a) || is_nan(b) ? NAN_BITS : order(b, a) < 0 ? b : a;
}

/* Comparisons with NaN are false, but that it differs from everything. */
#define COMPARISON(name, test)                                                           \
    static inline uint32_t name(uint32_t a, uint32_t b)                                  \
    {                                                                                    \
        return !is_nan(a) && !is_nan(b) && order(a, b) test 0;                           \
    }
COMPARISON(equal, ==)
COMPARISON(less, <)
COMPARISON(no_more, <=)
COMPARISON(greater, >)
COMPARISON(no_less, >=)

static inline uint32_t
unequal(uint32_t a, uint32_t b)
{
    return !equal(a, b);
}

/* What the model says of n pairs, as the kernels write it: numbers, or a bit for each
 * comparison, the lowest one first. */
typedef void Model(void *want, const uint16_t *a, const uint16_t *b, int n);

#define NUMBERS(name)                                                                    \
    static void name##_all(void *want, const uint16_t *a, const uint16_t *b, int n)      \
    {                                                                                    \
        for (int i = 0; i < n; i++) {                                                    \
            ((uint16_t *)want)[i] = (uint16_t)name(a[i], b[i]);                          \
        }                                                                                \
    }
#define BITS(name)                                                                       \
    static void name##_all(void *want, const uint16_t *a, const uint16_t *b, int n)      \
    {                                                                                    \
        for (int i = 0; i < n; i += 8) {                                                 \
            uint32_t byte = 0;                                                           \
            for (int j = 0; j < 8; j++) {                                                \
                byte |= name(a[i + j], b[i + j]) << j;                                   \
            }                                                                            \
            ((uint8_t *)want)[i / 8] = (uint8_t)byte;                                    \
        }                                                                                \
    }
NUMBERS(add)
NUMBERS(subtract)
NUMBERS(multiply)
NUMBERS(divide)
NUMBERS(maximum)
NUMBERS(minimum)
BITS(equal)
BITS(unequal)
BITS(less)
BITS(no_more)
BITS(greater)
BITS(no_less)

typedef struct Operation {
    const char *kernel;
    Model *model;
    bool compares;
} Operation;

static const Operation operations[] = {
    {"vadd", add_all, false},           {"vsub", subtract_all, false},
    {"vmul", multiply_all, false},      {"vdiv", divide_all, false},
    {"vmax", maximum_all, false},       {"vmin", minimum_all, false},
    {"vec_cmpv_eq", equal_all, true},   {"vec_cmpv_ne", unequal_all, true},
    {"vec_cmpv_lt", less_all, true},    {"vec_cmpv_le", no_more_all, true},
    {"vec_cmpv_gt", greater_all, true}, {"vec_cmpv_ge", no_less_all, true},
};

/* Operands, results and what the model says of the pairs of ROWS first operands. */
typedef struct Block {
    TikArray a, b, y;
    uint16_t want[PAIRS]; /* of a comparison: a bit for each pair */
} Block;

static Block *
new_block(void)
{
    Block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        kernels_fail("pairs", "out of memory");
    }
    block->a = kernels_array(tikrt_dtype("float16"), PAIRS);
    block->b = kernels_array(tikrt_dtype("float16"), PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        ((uint16_t *)block->b.data)[i] = (uint16_t)i;
    }
    return block;
}

static uint32_t
result_at(const Operation *o, const void *results, int i)
{
    return o->compares ? ((const uint8_t *)results)[i / 8] >> i % 8 & 1
                       : ((const uint16_t *)results)[i];
}

/* Returns the number of wrong results, and prints the first ones. */
static int64_t
count_wrong(const Operation *o, const Block *block, const char *way)
{
    int64_t wrong = 0;
    if (memcmp(block->y.data, block->want, (size_t)block->y.bytes) == 0) {
        return 0;
    }
    for (int i = 0; i < PAIRS; i++) {
        uint32_t got = result_at(o, block->y.data, i);
        uint32_t want = result_at(o, block->want, i);
        if (got != want && wrong++ < SHOWN) {
            printf("%s: %s(%04x, %04x) is %04x, not %04x\n", way, o->kernel,
                   ((const uint16_t *)block->a.data)[i],
                   ((const uint16_t *)block->b.data)[i], got, want);
        }
    }
    return wrong;
}

/* Tries all pairs whose first operand is one of ROWS from first on. */
static void
try_rows(const Operation *o, const Ways *ways, Block *block, int first, int64_t *wrong)
{
    TikArray *const args[3] = {&block->a, &block->b, &block->y};
    for (int i = 0; i < PAIRS; i++) {
        ((uint16_t *)block->a.data)[i] = (uint16_t)(first + i / VALUES);
    }
    o->model(block->want, (const uint16_t *)block->a.data,
             (const uint16_t *)block->b.data, PAIRS);
    for (int way = 0; way < ways->of->n; way++) {
        memset(block->y.data, 0xa5, (size_t)block->y.bytes);
        kernels_run(ways, way, args);
        int64_t n = count_wrong(o, block, ways->of->way[way]);
#pragma omp atomic
        wrong[way] += n;
    }
}

static bool
try_all(const Operation *o, const Kernels *k)
{
    Ways ways = kernels_find(k, o->kernel);
    int64_t wrong[MOST_WAYS] = {0}, all = 0;
#pragma omp parallel num_threads(2)
    {
        Block *block = new_block();
        block->y = o->compares ? kernels_array(tikrt_dtype("uint8"), PAIRS / 8)
                               : kernels_array(tikrt_dtype("float16"), PAIRS);
#pragma omp for schedule(dynamic)
        for (int first = 0; first < VALUES; first += ROWS) {
            try_rows(o, &ways, block, first, wrong);
        }
        tik_array_free(&block->a);
        tik_array_free(&block->b);
        tik_array_free(&block->y);
        free(block);
    }
    printf("%s: %lld pairs, wrong:", o->kernel, (long long)VALUES * VALUES);
    for (int way = 0; way < k->n; way++) {
        printf(" %lld (%s)", (long long)wrong[way], strrchr(k->way[way], '/') + 1);
        all += wrong[way];
    }
    printf("\n");
    fflush(stdout);
    return all == 0;
}

static const Operation *
find(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(operations[i].kernel, name) == 0) {
            return &operations[i];
        }
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    bool right = true;
    const Operation *only = argc > 1 ? find(argv[1]) : NULL;
    int first = only != NULL ? 2 : 1;
    Kernels k = kernels_open(argv + first, argc - first);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (only == NULL || only == &operations[i]) {
            right &= try_all(&operations[i], &k);
        }
    }
    return !right;
}
