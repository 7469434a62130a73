/* numrun.c: runs the numeric library over elements on standard input; results go to
 * standard output. Both are raw. It is for tests/random/num_*.py.
 *
 * usage: numrun fn LEVEL NAME TYPE
 *       numrun fast LEVEL NAME TYPE            the reading `fast`
 *       numrun conv LEVEL SRC DST ROUND 0|1    1: the results are not clamped
 *       numrun scaled LEVEL SCALE              int32 to float16; the scale's bits in
 *                                              hexadecimal
 *       numrun packed LEVEL PACK...            int16 to 8 bits; one pack or 16, in
 *                                              hexadecimal
 *       numrun shift left|left-all|right|rounded TYPE COUNT
 *
 * LEVEL is base, avx2 or avx512. Exit codes: 2 usage, 3 the processor does not have the
 * level, 4 there is no such function. */
#include "num/conv.h"
#include "num/fn.h"
#include "num/int.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[NUM_LEVELS] = {"base", "avx2", "avx512"};
static const char *const fns[NUM_FNS] = {"exp", "expm1", "ln",  "sqrt",
                                         "rec", "rsqrt", "sin", "cos"};
static const char *const rounds[NUM_ROUNDS] = {"round",     "floor",   "ceil",
                                               "away-zero", "to-zero", "odd"};
static const char *const shifts[NUM_SHIFTS] = {"left", "left-all", "right", "rounded"};
static const char *const types[NUM_TYPES] = {
#define DTYPE(id, name, bytes, kind) name,
#include "isa/dtype.def"
};
static const int bytes_of[NUM_TYPES] = {
#define DTYPE(id, name, bytes, kind) bytes,
#include "isa/dtype.def"
};

/* Returns the place of a word in a list; ends the program when it is not there. */
static int
find(const char *word, const char *const *list, int n)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(list[i], word) == 0) {
            return i;
        }
    }
    fprintf(stderr, "numrun: unknown word %s\n", word);
    exit(2);
}

/* Reads standard input whole; *n is the number of bytes. */
static uint8_t *
read_all(size_t *n)
{
    size_t room = 1 << 20;
    uint8_t *p = malloc(room);
    *n = 0;
    while (p) {
        *n += fread(p + *n, 1, room - *n, stdin);
        if (*n < room) {
            return p;
        }
        room *= 2;
        p = realloc(p, room);
    }
    fprintf(stderr, "numrun: out of memory\n");
    exit(2);
}

static NumLevel
level_of(const char *word)
{
    NumLevel level = (NumLevel)find(word, levels, NUM_LEVELS);
    if (level > num_level()) {
        exit(3);
    }
    return level;
}

/* Reads elements of at most size bytes each from standard input, their number into *n,
 * and makes room for that many results of at most 8 bytes. */
static uint8_t *
read_elements(int size, int64_t *n, uint8_t **results)
{
    size_t bytes;
    uint8_t *p = read_all(&bytes);
    *n = (int64_t)(bytes / (size_t)size);
    *results = calloc((size_t)*n + 1, 8);
    if (!*results) {
        fprintf(stderr, "numrun: out of memory\n");
        exit(2);
    }
    return p;
}

static int
write_results(uint8_t *src, uint8_t *dst, int64_t bytes)
{
    bool ok = fwrite(dst, 1, (size_t)bytes, stdout) == (size_t)bytes;
    free(src);
    free(dst);
    return ok ? 0 : 2;
}

static int
run_fn(bool fast, char **arg)
{
    NumLevel level = level_of(arg[0]);
    NumType t = (NumType)find(arg[2], types, NUM_TYPES);
    NumFn f = (NumFn)find(arg[1], fns, NUM_FNS);
    NumFnLanes *run = fast ? num_fn_fast_at(level, f, t) : num_fn_at(level, f, t);
    int64_t n;
    uint8_t *dst;
    if (!run) {
        return 4;
    }
    uint8_t *src = read_elements(bytes_of[t], &n, &dst);
    run(dst, src, n);
    return write_results(src, dst, n * bytes_of[t]);
}

static int
run_conv(char **arg)
{
    NumLevel level = level_of(arg[0]);
    NumConv c = {.src = (NumType)find(arg[1], types, NUM_TYPES),
                 .dst = (NumType)find(arg[2], types, NUM_TYPES),
                 .round = (NumRound)find(arg[3], rounds, NUM_ROUNDS),
                 .keep = arg[4][0] == '1'};
    int64_t n;
    uint8_t *dst;
    if (!num_conv_exists(&c)) {
        return 4;
    }
    uint8_t *src = read_elements(bytes_of[c.src], &n, &dst);
    num_conv_at(level, &c, dst, src, n);
    return write_results(src, dst, c.dst == NUM_S4 ? (n + 1) / 2 : n * bytes_of[c.dst]);
}

static int
run_scaled(char **arg)
{
    NumLevel level = level_of(arg[0]);
    uint16_t scale = (uint16_t)strtoul(arg[1], NULL, 16);
    int64_t n;
    uint8_t *dst;
    uint8_t *src = read_elements(4, &n, &dst);
    num_conv_scaled_at(level, dst, src, scale, n);
    return write_results(src, dst, n * 2);
}

static int
run_packed(int packs, char **arg)
{
    NumLevel level = level_of(arg[0]);
    uint64_t pack[16];
    int64_t n;
    uint8_t *dst;
    for (int i = 0; i < packs; i++) {
        pack[i] = strtoull(arg[1 + i], NULL, 16);
    }
    uint8_t *src = read_elements(2, &n, &dst);
    num_conv_packed_at(level, dst, src, pack, packs, n);
    return write_results(src, dst, n);
}

static int
run_shift(char **arg)
{
    NumType t = (NumType)find(arg[1], types, NUM_TYPES);
    NumShiftLanes *run = num_shift((NumShift)find(arg[0], shifts, NUM_SHIFTS), t);
    int64_t n;
    uint8_t *dst;
    if (!run) {
        return 4;
    }
    uint8_t *src = read_elements(bytes_of[t], &n, &dst);
    run(dst, src, (int)strtol(arg[2], NULL, 10), n);
    return write_results(src, dst, n * bytes_of[t]);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool fast = strcmp(what, "fast") == 0;
    if (argc == 5 && (fast || strcmp(what, "fn") == 0)) {
        return run_fn(fast, argv + 2);
    }
    if (argc == 7 && strcmp(what, "conv") == 0) {
        return run_conv(argv + 2);
    }
    if (argc == 4 && strcmp(what, "scaled") == 0) {
        return run_scaled(argv + 2);
    }
    if ((argc == 4 || argc == 19) && strcmp(what, "packed") == 0) {
        return run_packed(argc - 3, argv + 2);
    }
    if (argc == 5 && strcmp(what, "shift") == 0) {
        return run_shift(argv + 2);
    }
    fprintf(stderr, "usage: numrun fn|conv|scaled|packed|shift ..., see its source\n");
    return 2;
}
