/* pair.c: replaces pairs of symbols by symbols that stand for them, the most frequent one
 * first, and then writes bytes. No pair goes over the start of a block or over the
 * distance of a branch, so that the machine can go on reading bytes there. */
#include "compact.h"

#include <stdlib.h>
#include <string.h>

static bool
is_label(int t)
{
    return t >= TOKEN_LABEL && t < TOKEN_BRANCH;
}

static bool
is_branch(int t)
{
    return t >= TOKEN_BRANCH && t < TOKEN_RAW;
}

/* Labels to which nothing goes part nothing. */
static void
drop_labels(Program *p)
{
    bool *used = calloc((size_t)p->nblocks + 1, 1);
    int n = 0, *c = p->code.at;
    for (int i = 0; i < p->code.n; i++) {
        if (is_branch(c[i])) {
            used[c[i] - TOKEN_BRANCH] = true;
        }
    }
    for (int i = 0; i < p->code.n; i++) {
        int label = c[i] - TOKEN_LABEL;
        if (!is_label(c[i]) || label == TOKEN_NUMBER || used[label]) {
            c[n++] = c[i];
        }
    }
    p->code.n = n;
    free(used);
}

static int
need_of(const Program *p, int a, int b)
{
    return 1 + p->needs[a] > p->needs[b] ? 1 + p->needs[a] : p->needs[b];
}

static bool
best_pair(const Program *p, int *a, int *b)
{
    static int count[SYMBOLS][SYMBOLS];
    const int *c = p->code.at;
    int most = 3;
    memset(count, 0, sizeof count);
    for (int i = 0; i + 1 < p->code.n; i++) {
        if (c[i] < SYMBOLS && c[i + 1] < SYMBOLS) {
            count[c[i]][c[i + 1]]++;
            i += c[i] == c[i + 1] && i + 2 < p->code.n && c[i + 2] == c[i];
        }
    }
    for (int x = 0; x < SYMBOLS; x++) {
        for (int y = 0; y < SYMBOLS; y++) {
            if (count[x][y] > most && need_of(p, x, y) <= COMPACT_WAITING) {
                most = count[x][y];
                *a = x;
                *b = y;
            }
        }
    }
    return most > 3;
}

void
make_pairs(Program *p)
{
    int a, b, *c = p->code.at;
    drop_labels(p);
    for (int s = LITERALS; s < SYMBOLS && best_pair(p, &a, &b); s++) {
        int n = 0;
        p->codes[s][0] = a;
        p->codes[s][1] = b;
        p->needs[s] = need_of(p, a, b);
        for (int i = 0; i < p->code.n; i++) {
            bool pair = i + 1 < p->code.n && c[i] == a && c[i + 1] == b;
            c[n++] = pair ? s : c[i];
            i += pair;
        }
        p->code.n = n;
    }
}

/* ---- bytes --------------------------------------------------------------- */

/* Distances count from the byte after them. Forward ones of less than 224 have one byte,
 * others two or three. */
static int
length_of(int distance)
{
    return distance >= 0 && distance < 224        ? 1
           : distance >= -3968 && distance < 3968 ? 2
                                                  : 3;
}

static int
write_distance(uint8_t *out, int distance, int length)
{
    if (length == 1) {
        out[0] = (uint8_t)distance;
    } else if (length == 2) {
        out[0] = (uint8_t)(224 + (distance + 3968) / 256);
        out[1] = (uint8_t)((distance + 3968) % 256);
    } else {
        out[0] = 255;
        out[1] = (uint8_t)((distance + 32768) / 256);
        out[2] = (uint8_t)((distance + 32768) % 256);
    }
    return length;
}

/* Places all tokens, with branches that are as long as they were found to be; returns
 * whether one had to grow. */
static bool
place(Program *p, int *lengths, int *at, int *labels)
{
    const int *c = p->code.at;
    int pos = 0;
    bool grown = false;
    for (int i = 0; i < p->code.n; i++) {
        at[i] = pos;
        if (is_label(c[i]) && c[i] - TOKEN_LABEL != TOKEN_NUMBER) {
            labels[c[i] - TOKEN_LABEL] = pos;
        }
        pos += is_branch(c[i]) ? lengths[i] : !is_label(c[i]);
    }
    for (int i = 0; i < p->code.n; i++) {
        if (is_branch(c[i])) {
            int need = length_of(labels[c[i] - TOKEN_BRANCH] - at[i] - lengths[i]);
            grown = grown || need > lengths[i];
            lengths[i] = need > lengths[i] ? need : lengths[i];
        }
    }
    at[p->code.n] = pos;
    return grown;
}

uint8_t *
encode(Program *p, int *n, int *starts)
{
    const int *c = p->code.at;
    size_t k = (size_t)p->code.n + 1;
    int *lengths = calloc(k, sizeof *lengths), *at = calloc(k, sizeof *at),
        *labels = calloc((size_t)p->nblocks + 1, sizeof *labels);
    for (int i = 0; i < p->code.n; i++) {
        lengths[i] = 1;
    }
    while (place(p, lengths, at, labels)) {
    }
    uint8_t *out = calloc(k, 3);
    int f = 0;
    for (int i = 0; i < p->code.n; i++) {
        if (c[i] - TOKEN_LABEL == TOKEN_NUMBER) {
            starts[f++] = at[i];
        } else if (is_branch(c[i])) {
            write_distance(out + at[i], labels[c[i] - TOKEN_BRANCH] - at[i] - lengths[i],
                           lengths[i]);
        } else if (!is_label(c[i])) {
            out[at[i]] = (uint8_t)(c[i] >= TOKEN_RAW ? c[i] - TOKEN_RAW : c[i]);
        }
    }
    *n = at[p->code.n];
    free(lengths);
    free(at);
    free(labels);
    return out;
}
