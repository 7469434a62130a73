/* quant_word.c: the rules on parameter words of scaled moves (cube-quant 10.1 to 10.4),
 * which depend on contents: literals are checked while compiling, all others by both back
 * ends while they execute.
 *
 * It owns deq-sign-bit, vdeq-mcb, deq8-relu-offset, relu-mismatch, sign-forced,
 * deq-reserved, sid2-odd of these moves. */
#ifndef TIK_LEAN
#include <stdio.h>
#endif

#include "rules/l0c_move.h"
#include "rules/internal.h"

static int
offset_of(uint64_t word)
{
    int field = (int)(word >> 37 & 0x1ff);
    return field < 256 ? field : field - 512;
}

#ifndef TIK_LEAN
/* Returns the name of a word with number i for messages: "deqscale", "deqscale[3]". */
static const char *
word_name(const AccUse *use, int64_t i, char *buf, size_t size)
{
    snprintf(buf, size, acc_scale_is_vector(use->scale) ? "deqscale[%lld]" : "deqscale",
             (long long)i);
    return buf;
}
#else
#define word_name(...) ""
#endif

/* Returns whether the sign bit is forced (sign-forced), which is so for a scalar for
 * int8. */
static bool
word_sign(const AccUse *use, uint64_t word, int64_t i, Fault *fault)
{
    bool sign = word >> 46 & 1, want = use->dst == DT_S8;
    FaultAt at = {RULE_DEQ_SIGN, ACCFLY_deqscale, sign, want, want};
    TEXT(char name[40];)
    return sign == want || (want && !acc_scale_is_vector(use->scale)) ||
           check_fail(fault, &at,
                      "%s is 0x%llx, whose bit 46 is %d; for dst of %s it is %d",
                      word_name(use, i, name, sizeof name), (unsigned long long)word,
                      sign, dtype_name(use->dst), want);
}

static bool
word_offset(const AccUse *use, uint64_t word, int64_t i, Fault *fault)
{
    bool relu = use->relu || (use->scale == SCALE_DEQ8 && (word >> 47 & 1));
    int offset = offset_of(word), want = use->dst == DT_S8 ? -128 : 0;
    FaultAt at = {RULE_DEQ8_RELU_OFFSET, ACCFLY_deqscale, offset, want, want};
    TEXT(char name[40];)
    return !relu || offset == want ||
           check_fail(
               fault, &at,
               "%s is 0x%llx, whose offset is %d; with relu it is %d for dst of %s",
               word_name(use, i, name, sizeof name), (unsigned long long)word, offset,
               want, dtype_name(use->dst));
}

bool
check_acc_words(const AccUse *use, const uint64_t *word, int n, int64_t first,
                Fault *fault)
{
    bool narrow = use->dst == DT_S8 || use->dst == DT_U8;
    TEXT(char name[40];)
    if (use->scale == SCALE_NONE || use->scale == SCALE_DEQ || use->scale == SCALE_VDEQ) {
        return true;
    }
    for (int i = 0; i < n; i++) {
        bool mcb = word[i] >> 36 & 1;
        FaultAt at = {RULE_VDEQ_MCB, ACCFLY_deqscale, mcb, !mcb, !mcb};
        if (mcb != (word[0] >> 36 & 1)) {
            return check_fail(
                fault, &at,
                "%s is 0x%llx, whose bit 36 is %d; in deqscale[%lld] it is %d",
                word_name(use, first + i, name, sizeof name), (unsigned long long)word[i],
                mcb, (long long)first, !mcb);
        }
        if (narrow && (!word_sign(use, word[i], first + i, fault) ||
                       !word_offset(use, word[i], first + i, fault))) {
            return false;
        }
    }
    return true;
}

bool
check_word_reserved(uint64_t word, int param, const char *name, Fault *fault)
{
    FaultAt at = {RULE_DEQ_RESERVED, param, (int64_t)(word >> 48), 0, 0};
    return word >> 48 == 0 ||
           check_fail(fault, &at, "%s is 0x%llx; bits 63 to 48 are reserved and are 0",
                      name, (unsigned long long)word);
}

/* Words that are checked by a rule, which is reported for the first word that breaks
 * it. */
typedef struct Words {
    const AccUse *use;
    const uint64_t *word;
    int n;
    int64_t first;
    void (*report)(void *ctx, const Fault *);
    void *ctx;
} Words;

static void
warn_reserved(const Words *w)
{
    Fault fault;
    TEXT(char name[40];)
    for (int i = 0; i < w->n; i++) {
        if (!check_word_reserved(w->word[i], ACCFLY_deqscale,
                                 word_name(w->use, w->first + i, name, sizeof name),
                                 &fault)) {
            w->report(w->ctx, &fault);
            return;
        }
    }
}

/* With relu a word without the bit is normal, because tensor_mov adds it. */
static void
warn_relu(const Words *w)
{
    Fault fault;
    TEXT(char name[40];)
    bool vector = acc_scale_is_vector(w->use->scale), relu = w->use->relu;
    for (int i = 0; i < w->n; i++) {
        bool bit = w->word[i] >> 47 & 1;
        if (bit != relu && (bit || vector)) {
            FaultAt at = {RULE_RELU_MISMATCH, ACCFLY_deqscale, bit, relu, relu};
            check_fail(&fault, &at, "relu is %s and bit 47 of %s is %d; relu is %s",
                       relu ? "True" : "False",
                       word_name(w->use, w->first + i, name, sizeof name), bit,
                       relu || !vector ? "applied" : "not applied");
            w->report(w->ctx, &fault);
            return;
        }
    }
}

void
check_acc_word_warnings(const AccUse *use, const uint64_t *word, int n, int64_t first,
                        void (*report)(void *ctx, const Fault *), void *ctx)
{
    Words w = {use, word, n, first, report, ctx};
    FaultAt at = {RULE_SIGN_FORCED, ACCFLY_deqscale, 0, 1, 1};
    Fault fault;
    if (use->scale == SCALE_NONE || use->scale == SCALE_DEQ || use->scale == SCALE_VDEQ) {
        return;
    }
    warn_reserved(&w);
    if (use->dst == DT_S8 && use->scale == SCALE_DEQ8 && !(word[0] >> 46 & 1)) {
        check_fail(&fault, &at,
                   "deqscale is 0x%llx, whose bit 46 is 0; for dst of int8 it "
                   "counts as 1",
                   (unsigned long long)word[0]);
        report(ctx, &fault);
    }
    warn_relu(&w);
}

bool
check_acc_lengths(BlockMode mode, Dtype dst, int64_t sid, int64_t nburst, int64_t burst,
                  Fault *fault)
{
    FaultAt at = {RULE_SID2_ODD, ACCFLY_burst_len, burst, 0, 0};
    bool rows = mode == BLOCK_V && sid == 2 && dtype_size(dst) == 1;
    return !rows || burst % 2 == 0 || nburst <= 1 ||
           check_fail(
               fault, &at,
               "burst_len is %lld with sid_store_mode 2 in block mode 'v'; of several "
               "bursts it is even",
               (long long)burst);
}
