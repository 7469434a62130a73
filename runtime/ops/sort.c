/* sort.c: fields of proposals, sorting and merging (vector chapter 9) for compiled
 * kernels.
 *
 * Scores become integer keys of the same order: equal numbers have equal keys, and NaN
 * has the least. A group is sorted by ranks: the rank of an element is the number of keys
 * that come before its own, counted for all elements at once. A merge packs key and list
 * into one word, so the next record is a maximum of four, without branches on data. */
#include "ops/internal.h"
#include "isa/operand.h"

#include <string.h>

#include "rules/sort.h"

enum {
    SORT32 = 32,
    RECORD_MOST = 32 /* in bytes */
};

/* The functions below are inlined with constants for size and record. */
#define OPS_INLINE static inline __attribute__((always_inline))

OPS_INLINE int32_t
key_at(const uint8_t *at, int size)
{
    uint16_t half;
    uint32_t bits;
    if (size == 2) {
        memcpy(&half, at, sizeof half);
        int32_t magnitude = half & 0x7fff;
        int32_t key = half & 0x8000 ? -magnitude : magnitude;
        return magnitude > 0x7c00 ? INT32_MIN : key;
    }
    memcpy(&bits, at, sizeof bits);
    int32_t magnitude = (int32_t)(bits & 0x7fffffffu);
    int32_t key = bits >> 31 ? -magnitude : magnitude;
    return magnitude > 0x7f800000 ? INT32_MIN : key;
}

static int
size_of(const OpCall *c)
{
    return dtype_size(c->in.args[FIELD_dst].t.dtype);
}

/* ---- fields -------------------------------------------------------------- */

/* All values of a group are read before any is written. */
OPS_INLINE void
scatter(uint8_t *dst, const uint8_t *src, int64_t n, int size)
{
    for (int64_t i = 0; i < n; i += SORT_GROUP) {
        uint8_t group[SORT_GROUP * 4];
        memcpy(group, src + i * size, (size_t)(SORT_GROUP * size));
        for (int k = 0; k < SORT_GROUP; k++) {
            memcpy(dst + (i + k) * PROPOSAL_ELEMS * size, group + k * size, (size_t)size);
        }
    }
}

OPS_INLINE void
gather(uint8_t *dst, const uint8_t *src, int64_t n, int size)
{
    for (int64_t i = 0; i < n; i += SORT_GROUP) {
        uint8_t group[SORT_GROUP * 4];
        for (int k = 0; k < SORT_GROUP; k++) {
            memcpy(group + k * size, src + (i + k) * PROPOSAL_ELEMS * size, (size_t)size);
        }
        memcpy(dst + i * size, group, (size_t)(SORT_GROUP * size));
    }
}

bool
ops_vconcat(OpCall *c)
{
    int64_t n = c->in.args[FIELD_repeat_times].v * SORT_GROUP;
    uint8_t *dst = c->at[FIELD_dst] + c->in.args[FIELD_mode_number].v * size_of(c);
    if (size_of(c) == 2) {
        scatter(dst, c->at[FIELD_src], n, 2);
    } else {
        scatter(dst, c->at[FIELD_src], n, 4);
    }
    return true;
}

bool
ops_vextract(OpCall *c)
{
    int64_t n = c->in.args[FIELD_repeat_times].v * SORT_GROUP;
    const uint8_t *src = c->at[FIELD_src] + c->in.args[FIELD_mode_number].v * size_of(c);
    if (size_of(c) == 2) {
        gather(c->at[FIELD_dst], src, n, 2);
    } else {
        gather(c->at[FIELD_dst], src, n, 4);
    }
    return true;
}

/* ---- sorting ------------------------------------------------------------- */

/* Sets rank[i] to the position of key i in descending order; equal keys keep their
 * order. */
OPS_INLINE void
ranks(const int32_t *key, int n, int32_t *rank)
{
    for (int i = 0; i < n; i++) {
        rank[i] = 0;
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            rank[i] += (key[k] > key[i]) | ((key[k] == key[i]) & (k < i));
        }
    }
}

/* Does the same for keys of float16, of 17 bits or NaN, which become n different keys
 * together with their places. */
OPS_INLINE void
ranks_of_halves(const int32_t *key, int n, int32_t *rank)
{
    int32_t word[SORT32];
    for (int i = 0; i < n; i++) {
        word[i] = (key[i] < INT16_MIN ? INT16_MIN : key[i]) * SORT32 + (n - 1 - i);
        rank[i] = 0;
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            rank[i] += word[k] > word[i];
        }
    }
}

OPS_INLINE void
sort_group(uint8_t *dst, const uint8_t *src, int size)
{
    const int record = PROPOSAL_ELEMS * size;
    int32_t key[SORT_GROUP], rank[SORT_GROUP];
    uint8_t sorted[SORT_GROUP * RECORD_MOST];
    for (int i = 0; i < SORT_GROUP; i++) {
        key[i] = key_at(src + i * record + PROPOSAL_SCORE * size, size);
    }
    if (size == 2) {
        ranks_of_halves(key, SORT_GROUP, rank);
    } else {
        ranks(key, SORT_GROUP, rank);
    }
    for (int i = 0; i < SORT_GROUP; i++) {
        memcpy(sorted + rank[i] * record, src + i * record, (size_t)record);
    }
    memcpy(dst, sorted, (size_t)(SORT_GROUP * record));
}

bool
ops_vrpsort16(OpCall *c)
{
    int64_t step = (int64_t)SORT_GROUP * PROPOSAL_ELEMS * size_of(c);
    for (int64_t i = 0; i < c->in.args[FIELD_repeat_times].v; i++) {
        if (size_of(c) == 2) {
            sort_group(c->at[RECORDS_dst] + i * step, c->at[RECORDS_src] + i * step, 2);
        } else {
            sort_group(c->at[RECORDS_dst] + i * step, c->at[RECORDS_src] + i * step, 4);
        }
    }
    return true;
}

OPS_INLINE void
sort_pairs(uint8_t *dst, const uint8_t *scores, const uint8_t *indices, int size)
{
    int32_t key[SORT32], rank[SORT32];
    uint64_t pairs[SORT32];
    for (int i = 0; i < SORT32; i++) {
        key[i] = key_at(scores + i * size, size);
    }
    if (size == 2) {
        ranks_of_halves(key, SORT32, rank);
    } else {
        ranks(key, SORT32, rank);
    }
    for (int i = 0; i < SORT32; i++) {
        uint32_t score = 0, index;
        memcpy(&score, scores + i * size, (size_t)size);
        memcpy(&index, indices + i * 4, sizeof index);
        pairs[rank[i]] = score | (uint64_t)index << 32;
    }
    memcpy(dst, pairs, sizeof pairs);
}

bool
ops_vsort32(OpCall *c)
{
    int size = size_of(c);
    for (int64_t i = 0; i < c->in.args[OUTER_repeat_times].v; i++) {
        uint8_t *dst = c->at[PAIRS_dst] + i * SORT32 * PAIR_BYTES;
        const uint8_t *scores = c->at[PAIRS_src0] + i * SORT32 * size;
        const uint8_t *indices = c->at[PAIRS_src1] + i * SORT32 * 4;
        if (size == 2) {
            sort_pairs(dst, scores, indices, 2);
        } else {
            sort_pairs(dst, scores, indices, 4);
        }
    }
    return true;
}

/* ---- merging ------------------------------------------------------------- */

typedef struct Merge {
    const uint8_t *next[MERGE_LISTS]; /* the first record that was not taken */
    int64_t left[MERGE_LISTS];        /* number of records */
    /* word of the record after the first one, so that no choice waits for memory */
    int64_t after[MERGE_LISTS];
    int lists;
    bool suspend, skip; /* skip: a list without records does not end the merge */
} Merge;

/* Packs the key and the list of a record. Of equal keys that of the lower list gives the
 * larger word. */
OPS_INLINE int64_t
word_of(const Merge *m, int list, int ahead, int record, int score, int size)
{
    int64_t key = m->left[list] > ahead
                      ? key_at(m->next[list] + ahead * record + score, size)
                      : INT64_MIN / 8;
    return key * MERGE_LISTS + (MERGE_LISTS - 1 - list);
}

static inline int64_t
largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Merges records until all lists are used up, or with suspension until one is. */
OPS_INLINE void
merge(Merge *m, uint8_t *dst, int record, int score, int size)
{
    int64_t all = 0, head[MERGE_LISTS]; /* words of the first records, in registers */
    bool stop = false;
    for (int i = 0; i < MERGE_LISTS; i++) {
        bool takes_part = i < m->lists;
        m->left[i] = takes_part ? m->left[i] : 0;
        stop = stop || (m->suspend && !m->skip && takes_part && m->left[i] == 0);
        head[i] = word_of(m, i, 0, record, score, size);
        m->after[i] = word_of(m, i, 1, record, score, size);
        all += m->left[i];
    }
    for (int64_t k = 0; k < all && !stop; k++) {
        int64_t best = largest(largest(head[0], head[1]), largest(head[2], head[3]));
        int list = MERGE_LISTS - 1 - (int)(best & (MERGE_LISTS - 1));
        for (int i = 0; i < MERGE_LISTS; i++) {
            head[i] = best == head[i] ? m->after[i] : head[i];
        }
        memcpy(dst + k * record, m->next[list], (size_t)record);
        m->next[list] += record;
        m->left[list]--;
        m->after[list] = word_of(m, list, 1, record, score, size);
        stop = m->suspend && m->left[list] == 0;
    }
}

static void
merge_repeat(const OpCall *c, Merge *m, uint8_t *dst)
{
    const int half = PROPOSAL_ELEMS * 2, single = PROPOSAL_ELEMS * 4;
    bool is_half = size_of(c) == 2;
    if (op_table[c->in.op].form == FORM_MERGE) {
        is_half ? merge(m, dst, PAIR_BYTES, 0, 2) : merge(m, dst, PAIR_BYTES, 0, 4);
    } else if (is_half) {
        merge(m, dst, half, PROPOSAL_SCORE * 2, 2);
    } else {
        merge(m, dst, single, PROPOSAL_SCORE * 4, 4);
    }
}

bool
ops_vmrgsort(OpCall *c)
{
    bool pairs = op_table[c->in.op].form == FORM_MERGE;
    int64_t record = pairs ? PAIR_BYTES : PROPOSAL_ELEMS * size_of(c), at = 0;
    for (int64_t k = 0; k < c->in.args[MERGE_repeat_times].v; k++) {
        uint32_t taken[MERGE_LISTS] = {0};
        Merge m = {.lists = merge_lists(c->in.args[MERGE_valid_bit].v),
                   .suspend = c->in.args[MERGE_if_exhausted_suspension].v != 0,
                   .skip = chosen(c->in.choices, CHOICE_EMPTY_LIST) ==
                           CHOSE_EMPTY_LIST_SKIPPED};
        int64_t total = 0;
        for (int i = 0; i < m.lists; i++) {
            m.left[i] = c->in.args[MERGE_element_count_list + i].v;
            m.next[i] = c->at[MERGE_src_list + i] + k * MERGE_LISTS * m.left[i] * record;
            total += m.left[i];
        }
        merge_repeat(c, &m, c->at[MERGE_dst] + at);
        for (int i = 0; i < m.lists; i++) {
            taken[i] = (uint32_t)(c->in.args[MERGE_element_count_list + i].v - m.left[i]);
        }
        memcpy(c->sreg + SREG_VMS4, taken, sizeof taken);
        at += total * record;
    }
    return true;
}
