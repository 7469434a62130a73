/* finish.c: what becomes of the sums of a product whose moves out of L0C are done with
 * them (ops/finish.h). */
#include "ops/finish.h"

#include <string.h>

enum {
    CHANNELS = DEQ_CHANNELS,
    PIECE_ROWS = 32,
    WORD = 4
};

/* A group's rows of two are next to each other where the results of both are. */
void
ops_finish_pair(OpFinish *f)
{
    for (int g = 0; g < f->groups; g++) {
        f->group[g].paired = false;
        f->group[g].single = num_deq_half_rows(&f->group[g].pair, f->group[g].deq);
    }
    for (int g = 0; g + 1 < f->groups; g++) {
        OpFinishGroup *x = &f->group[g], *y = x + 1;
        bool second = g > 0 && f->group[g - 1].paired;
        x->paired = !second && !x->single && y->to == x->to + CHANNELS &&
                    num_deq_pair(&x->pair, x->deq, y->deq, f->rectify);
    }
}

static void
rectify(int8_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = x[i] < 0 ? 0 : x[i];
    }
}

/* Converts rows of a group, a few at a time. */
static void
finish_group(const OpFinish *f, const OpFinishGroup *g, const FinishSums *s,
             const uint32_t *from)
{
    uint8_t piece[PIECE_ROWS * CHANNELS * WORD];
    const int64_t row = (int64_t)CHANNELS * g->bytes;
    for (int64_t i = 0; i < s->rows; i += PIECE_ROWS) {
        int64_t n = s->rows - i < PIECE_ROWS ? s->rows - i : PIECE_ROWS;
        uint8_t *to = g->to + (s->row + i) * f->pitch;
        num_deq(g->deq, piece, from + i * CHANNELS, n * CHANNELS);
        if (f->rectify && g->deq->dst == NUM_S8) {
            rectify((int8_t *)piece, n * CHANNELS);
        }
        for (int64_t j = 0; j < n; j++) {
            memcpy(to + j * f->pitch, piece + j * row, (size_t)row);
        }
    }
}

void
ops_finish_rows(const OpFinish *f, const FinishSums *s)
{
    for (int i = 0; i < s->groups; i++) {
        const OpFinishGroup *g = &f->group[s->group + i];
        const uint32_t *from = s->at + i * s->pitch;
        if (g->paired && i + 1 < s->groups) {
            g->pair.rows(&g->pair, g->to + s->row * f->pitch, f->pitch,
                         (const AnyS32 *)from, (const AnyS32 *)(from + s->pitch),
                         s->rows);
            i++;
        } else if (g->single) {
            g->pair.rows(&g->pair, g->to + s->row * f->pitch, f->pitch,
                         (const AnyS32 *)from, NULL, s->rows);
        } else {
            finish_group(f, g, s, from);
        }
    }
}
