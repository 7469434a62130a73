/* huffman.c: codes of the symbols of a table, the shortest for the most frequent. Codes
 * of one length are numbers that follow each other, and less than the first bits of
 * longer ones. */
#include "compact.h"

#include <string.h>

/* Finds the two lightest of n trees; false: only one of them is open. */
static bool
find_lightest(const int *weight, const bool *open, int n, int *a, int *b)
{
    *a = *b = -1;
    for (int i = 0; i < n; i++) {
        if (open[i] && (*a < 0 || weight[i] < weight[*a])) {
            *b = *a;
            *a = i;
        } else if (open[i] && (*b < 0 || weight[i] < weight[*b])) {
            *b = i;
        }
    }
    return *b >= 0;
}

static int
depth_of(const int *parent, int i)
{
    int depth = 0;
    for (; parent[i] >= 0; i = parent[i]) {
        depth++;
    }
    return depth;
}

/* The two lightest trees are joined until one is left; returns the longest code. */
static int
find_lengths(const int *weight, int *length)
{
    int parent[2 * SYMBOLS], w[2 * SYMBOLS], n = SYMBOLS, longest = 0, a, b;
    bool open[2 * SYMBOLS] = {false};
    for (int i = 0; i < SYMBOLS; i++) {
        w[i] = weight[i];
        open[i] = weight[i] > 0;
        parent[i] = -1;
    }
    for (; find_lightest(w, open, n, &a, &b); n++) {
        open[a] = open[b] = false;
        open[n] = true;
        w[n] = w[a] + w[b];
        parent[n] = -1;
        parent[a] = parent[b] = n;
    }
    for (int i = 0; i < SYMBOLS; i++) {
        int depth = depth_of(parent, i);
        length[i] = weight[i] == 0 ? 0
                    : depth > 0    ? depth
                                   : 1; /* the only one has a bit */
        longest = length[i] > longest ? length[i] : longest;
    }
    return longest;
}

void
make_code(Huffman *h)
{
    int weight[SYMBOLS];
    unsigned next = 0;
    memcpy(weight, h->count, sizeof weight);
    while (find_lengths(weight, h->length) > COMPACT_LONGEST) {
        for (int i = 0; i < SYMBOLS; i++) { /* rare symbols become less rare */
            weight[i] = (weight[i] + 1) / 2 + (weight[i] > 0);
        }
    }
    for (int n = 1; n <= COMPACT_LONGEST; n++) {
        next <<= 1;
        for (int i = 0; i < SYMBOLS; i++) {
            if (h->length[i] == n) {
                h->bits[i] = next++;
            }
        }
    }
}
