/* pack.c: compares the speed of packing weights for LMEM with memcpy of the same bytes in
 * the same run. The set has 256 MB of int8 convolutions for bm1684x and bm1688, with
 * requantisation and bias before the weights.
 *
 * usage: pack [ROUNDS [MEGABYTES]]
 *
 * The set is the middle of a residual network, over and over: kernels of 1 x 1 and 3 x 3
 * with 64 to 512 channels. Times are medians; contestants alternate. Memory is what the
 * process holds beyond the two arrays. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "layout/lmem_pack.h"
#include "timing.h"

typedef struct Layer {
    uint64_t oc, ic, k;
} Layer;

static const Layer layers[] = {{64, 64, 1},    {64, 64, 3},   {256, 64, 1},
                               {128, 128, 3},  {512, 128, 1}, {256, 256, 3},
                               {1024, 256, 1}, {512, 512, 3}};

enum {
    LAYERS = sizeof layers / sizeof *layers,
    MAX_ROUNDS = 100,
    MAX_OC = 1024,
    SLACK = 1 << 16 /* rows are longer than their weights */
};

typedef struct Set {
    uint8_t *weights, *packed;
    size_t bytes, room;
    int32_t words[3 * MAX_OC];
    PackTarget target;
} Set;

/* Packs layer after layer until the weights are used up. */
static double
pack_all(Set *s)
{
    memset(s->packed, 0,
           s->room); /* rows are written into zeros, as in the compiler's memory */
    double start = seconds();
    size_t at = 0, out = 0;
    for (int i = 0;; i = (i + 1) % LAYERS) {
        const Layer *l = &layers[i];
        size_t bytes = l->oc * l->ic * l->k * l->k;
        PackWeight w = {s->weights + at, 8,    false, false, l->oc,
                        l->ic,           l->k, l->k,  false, PACK_MERGE_NONE};
        PackPlan plan;
        if (at + bytes > s->bytes) {
            break;
        }
        if (pack_plan(&s->target, &w, true, true, &plan) != PACK_OK ||
            out + plan.total > s->room) {
            fprintf(stderr, "pack: layer %d does not pack\n", i);
            exit(1);
        }
        pack_rows(&s->target, &w, s->words, s->words, &plan, s->packed + out);
        at += bytes;
        out += plan.total;
    }
    return (seconds() - start) * (double)s->bytes / (double)at;
}

static double
copy_all(Set *s)
{
    double start = seconds();
    memcpy(s->packed, s->weights, s->bytes);
    return seconds() - start;
}

static void
measure(Set *s, const char *name, int rounds)
{
    double packing[MAX_ROUNDS], copying[MAX_ROUNDS];
    if (!pack_target(soc_find(name), NULL, &s->target)) {
        fprintf(stderr, "pack: %s has no lanes\n", name);
        exit(1);
    }
    for (int i = 0; i < rounds; i++) {
        packing[i] = pack_all(s);
        copying[i] = copy_all(s);
    }
    double mega = (double)s->bytes / 1e6;
    double p = median(packing, rounds), c = median(copying, rounds);
    printf("  %-8s %8.0f MB/s   memcpy %8.0f MB/s   %4.2f of it\n", name, mega / p,
           mega / c, c / p);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
    size_t megabytes = argc > 2 ? (size_t)strtol(argv[2], NULL, 10) : 256;
    static Set s;
    if (rounds < 1 || rounds > MAX_ROUNDS || megabytes < 8) {
        fprintf(stderr, "usage: pack [ROUNDS [MEGABYTES]]\n");
        return 2;
    }
    s.bytes = megabytes << 20;
    s.room = s.bytes + s.bytes / 4 + SLACK;
    s.weights = malloc(s.bytes);
    s.packed = malloc(s.room);
    if (s.weights == NULL || s.packed == NULL) {
        fprintf(stderr, "pack: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < s.bytes; i++) {
        s.weights[i] = (uint8_t)(i * 2654435761U >> 13);
    }
    printf("\npacking %zu MB of int8 weights with bias and requantisation\n", megabytes);
    measure(&s, "bm1684x", rounds);
    measure(&s, "bm1688", rounds);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("  memory beside weights and rows: %.1f MB\n",
           (double)use.ru_maxrss / 1024 - (double)(s.bytes + s.room) / (1 << 20));
    free(s.weights);
    free(s.packed);
    return 0;
}
