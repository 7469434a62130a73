/* nearest.c: see nearest.h. */
#include "base/nearest.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_LEN = 48
};

/* Returns the number of edits (an insertion, deletion, replacement or swap of neighbours
 * counts one) from a to b, at most limit + 1. *work is increased by the steps that this
 * took. */
static int
edit_distance(const char *a, const char *b, int limit, int64_t *work)
{
    size_t n = strnlen(a, NAME_MAX_LEN + 1);
    size_t m = strnlen(b, NAME_MAX_LEN + 1);
    if (n > NAME_MAX_LEN || m > NAME_MAX_LEN || abs((int)n - (int)m) > limit) {
        return limit + 1;
    }
    *work += (int64_t)(n * m);
    int row[3][NAME_MAX_LEN + 1];
    for (size_t j = 0; j <= m; j++) {
        row[0][j] = (int)j;
    }
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3];
        const int *up = row[(i + 2) % 3];
        const int *up2 = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int d = MIN(up[j] + 1, now[j - 1] + 1);
            d = MIN(d, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d = MIN(d, up2[j - 2] + 1);
            }
            now[j] = d;
        }
    }
    return row[n % 3][m];
}

static char
next_letter(const char **s)
{
    while (**s == '_') {
        (*s)++;
    }
    char c = **s;
    *s += c != 0;
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool
nearest_same(const char *a, const char *b)
{
    char x, y;
    do {
        x = next_letter(&a);
        y = next_letter(&b);
    } while (x == y && x);
    return x == y;
}

void
nearest_try(Nearest *n, const char *candidate)
{
    enum {
        MOST_WORK = 1 << 18, /* limit of Nearest.work, in steps of edit_distance */
        WORK_OF_A_NAME = 16, /* cost of a name for which no edits are counted */
        /* distances: of one edit, and of a candidate that begins with the wanted name */
        EDIT = 2,
        BEGINNING = 1
    };
    size_t len = strnlen(n->wanted, NAME_MAX_LEN + 1);
    n->work += WORK_OF_A_NAME;
    if (n->work > MOST_WORK || len > NAME_MAX_LEN || (n->best && n->distance == 0)) {
        return;
    }
    if (nearest_same(n->wanted, candidate) && strcmp(n->wanted, candidate) != 0) {
        n->best = candidate;
        n->distance = 0;
        return;
    }
    int limit = n->best ? n->distance : EDIT * MIN((int)len / 3, 2);
    int d = EDIT * edit_distance(n->wanted, candidate, limit / EDIT, &n->work);
    if (len >= 6 && strncmp(candidate, n->wanted, len) == 0) {
        d = BEGINNING;
    }
    if (d == 0 || d > limit) {
        return;
    }
    bool as_near = n->best && d == n->distance && strcmp(candidate, n->best) != 0;
    n->tied = as_near || (n->tied && d == n->distance);
    if (!n->best || d < n->distance) {
        n->best = candidate;
        n->distance = d;
    }
}
