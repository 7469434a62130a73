/* numrun.c: runs the numeric library over elements on standard input, results to standard output, both
 * raw. For tests/oracle/num_*.py.
 *
 * usage: numrun fn LEVEL NAME TYPE
 *
 * LEVEL is base, avx2 or avx512. Exit codes: 2 usage, 3 the processor does not have the level, 4 there is
 * no such function. */
#include "num/num_fn.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[NUM_LEVELS] = {"base", "avx2", "avx512"};
static const char *const fns[NUM_FNS] = {"exp", "expm1", "ln",  "sqrt",
                                         "rec", "rsqrt", "sin", "cos"};
static const char *const types[NUM_TYPES] = {
#define DTYPE(id, name, bytes, kind) name,
#include "isa/dtype.def"
    "int4"};
static const int bytes_of[NUM_TYPES] = {
#define DTYPE(id, name, bytes, kind) bytes,
#include "isa/dtype.def"
    1};

/* The place of a word in a list; ends the program when it is not there. */
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

/* Standard input whole; its bytes in *n. */
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

static int
run_fn(char **arg)
{
    NumLevel level = level_of(arg[0]);
    NumFn f = (NumFn)find(arg[1], fns, NUM_FNS);
    NumType t = (NumType)find(arg[2], types, NUM_TYPES);
    NumFnLanes *run = num_fn_at(level, f, t);
    size_t n;
    if (!run) {
        return 4;
    }
    uint8_t *p = read_all(&n);
    n /= (size_t)bytes_of[t];
    run(p, p, (int64_t)n);
    bool ok = fwrite(p, (size_t)bytes_of[t], n, stdout) == n;
    free(p);
    return ok ? 0 : 2;
}

int
main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "fn") == 0) {
        return run_fn(argv + 2);
    }
    fprintf(stderr, "usage: numrun fn LEVEL NAME TYPE\n");
    return 2;
}
