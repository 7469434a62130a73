/* huffman.c: codes of the symbols of a table, the shortest for the most frequent. Codes
 * of one length are numbers that follow each other, and less than the first bits of
 * longer ones. */
#include "compact.h"

#include <string.h>

/* The two lightest of n trees are joined until one is left; returns the longest code. */
static int
find_lengths(const int *weight, int *length)
{
    int parent[2 * SYMBOLS], w[2 * SYMBOLS], n = SYMBOLS, longest = 0;
    bool open[2 * SYMBOLS] = {false};
    for (int i = 0; i < SYMBOLS; i++) {
        w[i] = weight[i];
        open[i] = weight[i] > 0;
        parent[i] = -1;
    }
    for (;;) {
        int a = -1, b = -1;
        for (int i = 0; i < n; i++) {
            if (open[i] && (a < 0 || w[i] < w[a])) {
                b = a;
                a = i;
            } else if (open[i] && (b < 0 || w[i] < w[b])) {
                b = i;
            }
        }
        if (b < 0) {
            break;
        }
        open[a] = open[b] = false;
        open[n] = true;
        w[n] = w[a] + w[b];
        parent[n] = -1;
        parent[a] = parent[b] = n++;
    }
    for (int i = 0; i < SYMBOLS; i++) {
        length[i] = 0;
        for (int k = i; weight[i] > 0 && parent[k] >= 0; k = parent[k]) {
            length[i]++;
        }
        length[i] += weight[i] > 0 && length[i] == 0; /* the only symbol has a bit */
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
