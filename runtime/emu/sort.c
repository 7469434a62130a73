/* sort.c: fields of proposals, sorting and merging (vector chapter 9), done as the manual
 * describes: insertion by comparing scores, and merging by the first records of all
 * lists. A score that is NaN is below all others. */
#include "emu/emu.h"
#include "isa/operand.h"

#include "rules/sort.h"
#include "num/half.h"

enum {
    SORT32 = 32,
    RECORD_MOST = 32 /* in bytes */
};

bool
emu_sort_repeats(EmuRun *r, const EmuOp *op, int slot, int64_t *n)
{
    if (!emu_begin(r, op)) {
        return false;
    }
    *n = emu_slot(r, op, slot);
    return true;
}

static int
main_size(const EmuRun *r, const EmuOp *op)
{
    return dtype_size(emu_slot_ref(r->p, op, FIELD_dst)->dtype);
}

/* ---- fields -------------------------------------------------------------- */

typedef struct Field {
    uint8_t *dst;
    const uint8_t *src;
    int64_t n; /* number of repeats */
    int mode;
} Field;

static inline void
concat(const Field *f, int size)
{
    for (int64_t r = 0; r < f->n; r++) {
        uint8_t values[SORT_GROUP * 4];
        uint8_t *to = f->dst + (r * SORT_GROUP * PROPOSAL_ELEMS + f->mode) * size;
        memcpy(values, f->src + r * SORT_GROUP * size, (size_t)(SORT_GROUP * size));
        for (int i = 0; i < SORT_GROUP; i++) {
            memcpy(to + i * PROPOSAL_ELEMS * size, values + i * size, (size_t)size);
        }
    }
}

static inline void
extract(const Field *f, int size)
{
    for (int64_t r = 0; r < f->n; r++) {
        uint8_t values[SORT_GROUP * 4];
        const uint8_t *from = f->src + (r * SORT_GROUP * PROPOSAL_ELEMS + f->mode) * size;
        for (int i = 0; i < SORT_GROUP; i++) {
            memcpy(values + i * size, from + i * PROPOSAL_ELEMS * size, (size_t)size);
        }
        memcpy(f->dst + r * SORT_GROUP * size, values, (size_t)(SORT_GROUP * size));
    }
}

bool
emu_exec_field(EmuRun *r, const EmuOp *op)
{
    Field f = {.n = -1};
    int size = main_size(r, op);
    if (!emu_sort_repeats(r, op, FIELD_repeat_times, &f.n) || f.n == 0) {
        return f.n == 0;
    }
    bool to_records = op_table[op->op].sem == SEM_VCONCAT;
    int64_t values = f.n * SORT_GROUP * size, records = values * PROPOSAL_ELEMS;
    int64_t mode = emu_slot(r, op, FIELD_mode_number);
    f.mode = (int)mode;
    f.dst = emu_operand(r, op, FIELD_dst, to_records ? records : values);
    f.src = emu_operand(r, op, FIELD_src, to_records ? values : records);
    if (f.dst == NULL || f.src == NULL) {
        return emu_refuse(r, op);
    }
    if (to_records && size == 2) {
        concat(&f, 2);
    } else if (to_records) {
        concat(&f, 4);
    } else if (size == 2) {
        extract(&f, 2);
    } else {
        extract(&f, 4);
    }
    return true;
}

/* ---- sorting ------------------------------------------------------------- */

static float
score_at(const uint8_t *at, int size)
{
    uint16_t half;
    float single;
    if (size == 2) {
        memcpy(&half, at, sizeof half);
        return half_to_float(half);
    }
    memcpy(&single, at, sizeof single);
    return single;
}

/* Returns whether a is placed before b although it came later. */
static bool
is_before(float a, float b)
{
    return a > b || (b != b && a == a);
}

/* Sets order[k] to the index of the k-th of n scores in descending order. */
static void
insertion_order(const float *score, int n, int *order)
{
    for (int i = 0; i < n; i++) {
        int k = i;
        while (k > 0 && is_before(score[i], score[order[k - 1]])) {
            order[k] = order[k - 1];
            k--;
        }
        order[k] = i;
    }
}

bool
emu_exec_sort16(EmuRun *r, const EmuOp *op)
{
    int64_t n = -1;
    int size = main_size(r, op), record = PROPOSAL_ELEMS * size;
    if (!emu_sort_repeats(r, op, FIELD_repeat_times, &n) || n == 0) {
        return n == 0;
    }
    uint8_t *dst = emu_operand(r, op, RECORDS_dst, n * SORT_GROUP * record);
    const uint8_t *src = emu_operand(r, op, RECORDS_src, n * SORT_GROUP * record);
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n * SORT_GROUP * record; i += SORT_GROUP * record) {
        uint8_t sorted[SORT_GROUP * RECORD_MOST];
        float score[SORT_GROUP];
        int order[SORT_GROUP];
        for (int k = 0; k < SORT_GROUP; k++) {
            score[k] = score_at(src + i + k * record + PROPOSAL_SCORE * size, size);
        }
        insertion_order(score, SORT_GROUP, order);
        for (int k = 0; k < SORT_GROUP; k++) {
            memcpy(sorted + k * record, src + i + order[k] * record, (size_t)record);
        }
        memcpy(dst + i, sorted, (size_t)(SORT_GROUP * record));
    }
    return true;
}

/* Executes a repeat of vsort32 into pairs. */
static void
sort_pairs(const uint8_t *scores, const uint8_t *indices, int size, uint8_t *pairs)
{
    float score[SORT32];
    int order[SORT32];
    for (int k = 0; k < SORT32; k++) {
        score[k] = score_at(scores + k * size, size);
    }
    insertion_order(score, SORT32, order);
    memset(pairs, 0, SORT32 * PAIR_BYTES);
    for (int k = 0; k < SORT32; k++) {
        memcpy(pairs + k * PAIR_BYTES, scores + order[k] * size, (size_t)size);
        memcpy(pairs + k * PAIR_BYTES + 4, indices + order[k] * 4, 4);
    }
}

bool
emu_exec_sort32(EmuRun *r, const EmuOp *op)
{
    int64_t n = -1;
    int size = main_size(r, op);
    if (!emu_sort_repeats(r, op, OUTER_repeat_times, &n) || n == 0) {
        return n == 0;
    }
    uint8_t *dst = emu_operand(r, op, PAIRS_dst, n * SORT32 * PAIR_BYTES);
    const uint8_t *src0 = emu_operand(r, op, PAIRS_src0, n * SORT32 * size);
    const uint8_t *src1 = emu_operand(r, op, PAIRS_src1, n * SORT32 * 4);
    if (dst == NULL || src0 == NULL || src1 == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n; i++) {
        uint8_t pairs[SORT32 * PAIR_BYTES];
        sort_pairs(src0 + i * SORT32 * size, src1 + i * SORT32 * 4, size, pairs);
        memcpy(dst + i * SORT32 * PAIR_BYTES, pairs, sizeof pairs);
    }
    return true;
}

/* ---- merging ------------------------------------------------------------- */

typedef struct Merge {
    uint8_t *dst;
    const uint8_t *src[MERGE_LISTS];
    int64_t len[MERGE_LISTS];
    uint32_t taken[MERGE_LISTS];
    int lists;
    int record, size, score; /* bytes of a record and of a score; offset of the score */
    bool suspend, skip;      /* skip: lists without records do not end the merge */
} Merge;

static int
best_list(const Merge *m, const float *head)
{
    int best = -1;
    for (int i = 0; i < m->lists; i++) {
        if (m->taken[i] < m->len[i] && (best < 0 || is_before(head[i], head[best]))) {
            best = i;
        }
    }
    return best;
}

static bool
a_list_is_used_up(const Merge *m)
{
    bool found = false;
    for (int i = 0; i < m->lists; i++) {
        found = found || (m->taken[i] == m->len[i] && !(m->skip && m->len[i] == 0));
    }
    return found;
}

static void
merge(Merge *m)
{
    float head[MERGE_LISTS] = {0};
    for (int i = 0; i < MERGE_LISTS; i++) {
        m->taken[i] = 0;
        if (i < m->lists && m->len[i] > 0) {
            head[i] = score_at(m->src[i] + m->score, m->size);
        }
    }
    uint8_t *to = m->dst;
    for (int i = best_list(m, head); i >= 0 && !(m->suspend && a_list_is_used_up(m));
         i = best_list(m, head)) {
        const uint8_t *from = m->src[i] + (int64_t)m->taken[i] * m->record;
        memcpy(to, from, (size_t)m->record);
        to += m->record;
        if (++m->taken[i] < m->len[i]) {
            head[i] = score_at(from + m->record + m->score, m->size);
        }
    }
}

/* Opens the lists of the first repeat, and gives the records of one repeat in *total. A
 * list without records has no address. */
static bool
open_merge(EmuRun *r, const EmuOp *op, int64_t n, Merge *m, int64_t *total)
{
    bool pairs = op_table[op->op].form == FORM_MERGE;
    int64_t valid = pairs ? emu_slot_attr(r->p, op, MERGE_valid_bit)
                          : emu_slot(r, op, MERGE_valid_bit);
    *m = (Merge){.lists = merge_lists(valid),
                 .size = main_size(r, op),
                 .suspend = emu_slot_attr(r->p, op, MERGE_if_exhausted_suspension) != 0,
                 .skip = emu_chosen(r->p, CHOICE_EMPTY_LIST) == CHOSE_EMPTY_LIST_SKIPPED};
    m->record = pairs ? PAIR_BYTES : PROPOSAL_ELEMS * m->size;
    m->score = pairs ? 0 : PROPOSAL_SCORE * m->size;
    *total = 0;
    for (int i = 0; i < m->lists; i++) {
        int64_t len = emu_slot(r, op, MERGE_element_count_list + i);
        m->len[i] = len;
        int64_t bytes = (MERGE_LISTS * (n - 1) + 1) * len * m->record;
        m->src[i] = len > 0 ? emu_operand(r, op, MERGE_src_list + i, bytes) : NULL;
        *total += len;
        if (len > 0 && m->src[i] == NULL) {
            return false;
        }
    }
    m->dst = *total > 0 ? emu_operand(r, op, MERGE_dst, n * *total * m->record) : NULL;
    return *total == 0 || m->dst != NULL;
}

bool
emu_exec_merge(EmuRun *r, const EmuOp *op)
{
    Merge m;
    int64_t n, total;
    if (!emu_sort_repeats(r, op, MERGE_repeat_times, &n)) {
        return false;
    }
    if (n > 0 && !open_merge(r, op, n, &m, &total)) {
        return emu_refuse(r, op);
    }
    for (int64_t k = 0; k < n; k++) {
        merge(&m);
        memcpy(r->sreg + SREG_VMS4, m.taken, sizeof m.taken);
        if (k + 1 == n) {
            break;
        }
        m.dst = m.dst == NULL ? NULL : m.dst + total * m.record;
        for (int i = 0; i < m.lists; i++) {
            m.src[i] =
                m.len[i] == 0 ? NULL : m.src[i] + MERGE_LISTS * m.len[i] * m.record;
        }
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

bool
emu_bind_sort(EmuProgram *p, EmuOp *op, const char **why)
{
    Form form = op_table[op->op].form;
    Dtype t = emu_slot_ref(p, op, FIELD_dst)->dtype;
    bool bits = form == FORM_SUPPRESS || form == FORM_DIAGONAL;
    *why = "an operand of a sorting instruction has a type that it does not take";
    if (bits ? t != DT_U16 : t != DT_F16 && t != DT_F32) {
        return false;
    }
    *why = "a constant of a sorting instruction is out of range";
    return form != FORM_MERGE ||
           emu_allows(op, MERGE_valid_bit, emu_slot_attr(p, op, MERGE_valid_bit));
}
