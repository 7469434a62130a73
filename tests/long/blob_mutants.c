/* blob_mutants.c: changed copies of accepted blobs, each of which must be refused, or be
 * accepted and clean: then it runs as its twin does, in which every instruction and
 * every access is marked to be checked. So nothing that the verifier left unchecked
 * breaks a rule. Arguments whose size is open are given short and long arrays. Kernels
 * that queues execute give the same in 64 of the orders that their flags allow.
 *
 * usage: blob_mutants flips BLOB...            every single bit of each blob
 *        blob_mutants random COUNT SEED BLOB... changes of fields, with checksums made
 * right
 *
 * Flips keep the checksums, so they must all be refused by tikblob_open or, where only
 * the build id tells, by tikblob_identify. The last line has the counts; the exit code is
 * 1 if something was accepted and dirty. It is a long target, not a part of the suite. */
#define _GNU_SOURCE /* memmem */
#include "../fuzz/blob_change.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_ARGS = 16,
    MAX_ITEMS = 4,
    MAX_BYTES = 1 << 18, /* of an array */
    MAX_STEPS = 4000,
    MAX_CORES = 8,
    MAX_KERNELS = 4,
    SCHEDULES = 64
};

typedef struct Seed {
    const char *path;
    uint8_t *bytes;
    size_t size;
} Seed;

typedef struct Counts {
    uint64_t tried, refused, accepted, run, ordered, dirty;
} Counts;

static uint64_t state;

static uint32_t
below(uint32_t n)
{
    return change_below(&state, n);
}

static void
fail(const char *what)
{
    perror(what);
    exit(2);
}

static Seed
read_seed(const char *path)
{
    Seed s = {.path = path};
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        fail(path);
    }
    s.size = (size_t)ftell(f);
    rewind(f);
    s.bytes = malloc(s.size + 1);
    if (s.bytes == NULL || fread(s.bytes, 1, s.size, f) != s.size) {
        fail(path);
    }
    fclose(f);
    return s;
}

/* ---- arrays -------------------------------------------------------------- */

typedef struct Args {
    TikArray arrays[MAX_ARGS];
    TikArray items[MAX_ARGS][MAX_ITEMS];
    TikArray *pointers[MAX_ARGS];
    int n;
} Args;

/* The same bytes for both runs, small numbers among them, which are used as indices. */
static void
fill(TikArray *a)
{
    for (int64_t i = 0; i < a->bytes; i++) {
        a->data[i] = (uint8_t)(i % 7 == 0 ? i * 37 : i % 4 == 0 ? i % 13 : 0);
    }
}

static bool
make_list(Args *all, int i, const TikBlobArg *a)
{
    TikError err;
    bool ok = a->elems <= MAX_ITEMS;
    all->arrays[i] =
        (TikArray){.dtype = a->dtype, .elems = a->elems, .items = all->items[i]};
    for (int64_t j = 0; ok && j < a->elems; j++) {
        ok = tik_array_alloc(&all->items[i][j], DT_U8, 40 + 56 * j, &err);
    }
    return ok;
}

/* Returns false if some array would be too large. Open ones get few or many elements. */
static bool
args_make(Args *all, const TikBlob *b, const TikBlobKernel *k, bool small)
{
    TikError err;
    memset(all, 0, sizeof *all);
    bool ok = k->nargs <= MAX_ARGS;
    for (uint32_t i = 0; ok && i < k->nargs; i++) {
        TikBlobArg a;
        tikblob_arg(b, k, (int)i, &a);
        int64_t elems = a.open && small ? (a.elems + 6) / 7 : a.elems;
        all->n++;
        all->pointers[i] = &all->arrays[i];
        if (a.role == (int)ARGROLE_LIST) {
            ok = make_list(all, (int)i, &a);
        } else {
            ok = elems <= MAX_BYTES / 8 &&
                 tik_array_alloc(&all->arrays[i], a.dtype, elems, &err);
            if (ok && !a.preset) {
                fill(&all->arrays[i]);
            }
        }
    }
    return ok;
}

static void
args_free(Args *all)
{
    for (int i = 0; i < all->n; i++) {
        for (int j = 0; all->arrays[i].items != NULL && j < MAX_ITEMS; j++) {
            tik_array_free(&all->items[i][j]);
        }
        if (all->arrays[i].items == NULL) {
            tik_array_free(&all->arrays[i]);
        }
    }
}

static bool
same_array(const TikArray *a, const TikArray *b)
{
    return a->bytes == b->bytes &&
           (a->bytes == 0 || memcmp(a->data, b->data, (size_t)a->bytes) == 0);
}

static bool
same_args(const Args *a, const Args *b)
{
    for (int i = 0; i < a->n; i++) {
        bool list = a->arrays[i].items != NULL;
        for (int j = 0; list && j < MAX_ITEMS; j++) {
            if (!same_array(&a->items[i][j], &b->items[i][j])) {
                return false;
            }
        }
        if (!list && !same_array(&a->arrays[i], &b->arrays[i])) {
            return false;
        }
    }
    return true;
}

/* ---- twins --------------------------------------------------------------- */

/* Puts a line of a disassembly with its instruction or access marked. */
static size_t
mark_line(const char *line, size_t n, char *to)
{
    const char *word = line + strspn(line, " ");
    const char *end = line + n;
    const char *at = NULL;
    const char *load = memmem(line, n, " = load ", 8);
    size_t len = strcspn(word, " \n");
    bool operands = memchr(line, '=', n) != NULL && memchr(line, '[', n) != NULL;
    if (load != NULL) {
        at = load + 7;
    } else if (strncmp(word, "store ", 6) == 0) {
        at = word + 5;
    } else if (operands && *line == ' ' && word[len] == ' ' &&
               strncmp(word, "loop", 4) != 0 && *word != 'r') {
        at = word + len;
    } else if (operands && *line == ' ' && *word == 'r' &&
               (word[1] < '0' || word[1] > '9')) {
        at = word + len; /* instructions whose names begin with an r */
    }
    if (at == NULL || strncmp(at, " checked", 8) == 0) {
        memcpy(to, line, n);
        return n;
    }
    memcpy(to, line, (size_t)(at - line));
    memcpy(to + (at - line), " checked", 8);
    memcpy(to + (at - line) + 8, at, (size_t)(end - at));
    return n + 8;
}

/* Makes the twin of an accepted blob; null if it has no text form. */
static uint8_t *
twin_of(const uint8_t *bytes, size_t size, size_t *twin_size)
{
    char *text, error[300];
    uint8_t *twin = NULL;
    TikBlobDiag diag;
    int line;
    if (!tikblob_disassemble(bytes, size, &text, &diag)) {
        return NULL;
    }
    size_t len = strlen(text), n = 0;
    char *marked = malloc(len * 3 + 64);
    bool code = false;
    for (char *p = text; marked != NULL && *p != 0;) {
        size_t row = strcspn(p, "\n") + 1;
        code = strncmp(p, "code\n", 5) == 0 || (code && strncmp(p, "end\n", 4) != 0);
        n += code ? mark_line(p, row, marked + n) : (memcpy(marked + n, p, row), row);
        p += row;
    }
    if (marked == NULL ||
        !tikblob_assemble(marked, n, &twin, twin_size, &line, error, sizeof error)) {
        fprintf(stderr, "a twin cannot be made: line %d: %s\n", line, error);
        twin = NULL;
    }
    free(marked);
    free(text);
    return twin;
}

/* ---- verdicts ------------------------------------------------------------ */

static bool
verify(const TikBlob *b, int kernel, TikBlobProof *proof)
{
    static _Alignas(16) uint8_t room[1 << 22];
    TikBlobDiag diag;
    uint64_t need = tikblob_workspace(b, kernel);
    return need <= sizeof room && tikblob_verify(b, kernel, room, need, proof, &diag);
}

/* Opens, identifies and verifies a blob. */
static bool
accept(TikBlob *b, const uint8_t *bytes, size_t size, bool *small)
{
    TikBlobDiag diag;
    TikBlobProof proof;
    if (!tikblob_open(b, bytes, size, &diag) || !tikblob_identify(b, &diag)) {
        return false;
    }
    *small = b->nkernels <= MAX_KERNELS;
    for (int i = 0; i < b->nkernels && *small; i++) {
        TikBlobKernel k;
        TikBlobOrder order;
        tikblob_kernel(b, i, &k);
        if (!verify(b, i, &proof) ||
            ((k.flags & TIKBLOB_QUEUES) != 0 && !tikblob_order(b, i, &order))) {
            return false;
        }
        *small = *small && proof.steps <= MAX_STEPS && k.cores <= MAX_CORES;
    }
    return true;
}

/* Runs a kernel of both blobs. Returns whether they do the same. */
static bool
runs_alike(const TikBlob *b, const uint8_t *twin, size_t twin_size, int kernel,
           bool small, uint64_t *run)
{
    TikBlobKernel k;
    Args one, two;
    TikError a = {0}, c = {0};
    tikblob_kernel(b, kernel, &k);
    bool room = args_make(&one, b, &k, small);
    room = args_make(&two, b, &k, small) && room;
    bool alike = true;
    if (room) {
        bool x = tik_emulate(b->bytes, b->size, kernel, one.pointers, &a);
        bool y = tik_emulate(twin, twin_size, kernel, two.pointers, &c);
        alike = x == y && a.kind == c.kind && strcmp(a.name, c.name) == 0 &&
                same_args(&one, &two);
        if (!alike) {
            fprintf(stderr, "%s '%s', its twin %s '%s'\n", x ? "ran" : "failed", a.text,
                    y ? "ran" : "failed", c.text);
        }
        ++*run;
    }
    args_free(&one);
    args_free(&two);
    return alike;
}

/* Runs a kernel in many orders of its queues. Returns whether all do what the order of
 * the program does. */
static bool
runs_in_any_order(const TikBlob *b, int kernel, Counts *n)
{
    TikBlobKernel k;
    Args one = {.n = 0}, two = {.n = 0};
    TikError a = {0}, c = {0};
    bool alike = true;
    tikblob_kernel(b, kernel, &k);
    if ((k.flags & TIKBLOB_QUEUES) == 0) {
        return true;
    }
    bool room = args_make(&one, b, &k, false);
    bool ran = room && tik_emulate(b->bytes, b->size, kernel, one.pointers, &a);
    for (uint64_t i = 1; i <= SCHEDULES && room && alike; i++) {
        TikEmuOptions with = {.schedule = i};
        bool made = args_make(&two, b, &k, false);
        bool x = made &&
                 tik_emulate_watched(b->bytes, b->size, kernel, two.pointers, &with, &c);
        alike = !made || (x == ran && (!ran || same_args(&one, &two)));
        if (!alike) {
            fprintf(stderr, "schedule %llu %s '%s', the program's order %s '%s'\n",
                    (unsigned long long)i, x ? "ran" : "failed", c.text,
                    ran ? "ran" : "failed", a.text);
        }
        n->ordered++;
        args_free(&two);
    }
    args_free(&one);
    return alike;
}

/* Tries one changed blob. */
static void
try_blob(const uint8_t *bytes, size_t size, const char *path, Counts *n)
{
    TikBlob b;
    bool small = false;
    n->tried++;
    if (!accept(&b, bytes, size, &small)) {
        n->refused++;
        return;
    }
    n->accepted++;
    size_t twin_size;
    uint8_t *twin = small ? twin_of(bytes, size, &twin_size) : NULL;
    for (int i = 0; twin != NULL && i < b.nkernels; i++) {
        bool alike = runs_alike(&b, twin, twin_size, i, false, &n->run) &&
                     runs_alike(&b, twin, twin_size, i, true, &n->run) &&
                     runs_in_any_order(&b, i, n);
        if (!alike) {
            char name[64];
            snprintf(name, sizeof name, "dirty-%llu.tkb", (unsigned long long)n->dirty++);
            FILE *f = fopen(name, "wb");
            fprintf(stderr, "dirty: a change of %s, written to %s\n", path, name);
            if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
                fail(name);
            }
            break;
        }
    }
    free(twin);
}

/* ---- changes ------------------------------------------------------------- */

static void
flip_all(const Seed *s, Counts *n)
{
    for (size_t i = 0; i < s->size * 8; i++) {
        TikBlob b;
        TikBlobDiag diag;
        s->bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        n->tried++;
        if (tikblob_open(&b, s->bytes, s->size, &diag) && tikblob_identify(&b, &diag)) {
            n->accepted++;
            n->dirty++;
            fprintf(stderr, "%s: bit %zu makes no difference\n", s->path, i);
        } else {
            n->refused++;
        }
        s->bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
}

static void
mutate(const Seed *s, Counts *n)
{
    uint8_t *copy = malloc(s->size);
    if (copy == NULL) {
        fail(s->path);
    }
    memcpy(copy, s->bytes, s->size);
    for (uint32_t i = 1 + below(3); i > 0; i--) {
        change_field(copy, s->size, &state);
    }
    tikblob_update_checksums(copy, s->size);
    try_blob(copy, s->size, s->path, n);
    free(copy);
}

int
main(int argc, char **argv)
{
    Counts n = {0};
    bool flips = argc > 2 && strcmp(argv[1], "flips") == 0;
    bool random = argc > 4 && strcmp(argv[1], "random") == 0;
    int first = flips ? 2 : 4;
    if (!flips && !random) {
        fprintf(stderr,
                "usage: blob_mutants flips BLOB... | random COUNT SEED BLOB...\n");
        return 2;
    }
    uint32_t nseeds = (uint32_t)(argc - first);
    Seed *seeds = malloc(nseeds * sizeof *seeds);
    for (uint32_t i = 0; seeds != NULL && i < nseeds; i++) {
        seeds[i] = read_seed(argv[first + (int)i]);
        if (flips) {
            flip_all(&seeds[i], &n);
        }
    }
    state = random ? strtoull(argv[3], NULL, 10) * 2 + 1 : 0;
    for (uint64_t i = 0; random && i < strtoull(argv[2], NULL, 10); i++) {
        mutate(&seeds[below(nseeds)], &n);
    }
    printf("%llu blobs: %llu refused, %llu accepted, %llu runs, %llu in other orders, "
           "%llu accepted and dirty\n",
           (unsigned long long)n.tried, (unsigned long long)n.refused,
           (unsigned long long)n.accepted, (unsigned long long)n.run,
           (unsigned long long)n.ordered, (unsigned long long)n.dirty);
    return n.dirty != 0;
}
