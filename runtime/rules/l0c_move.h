/* l0c_move.h: moves out of and into L0C with block modes, scales, relu and a second
 * operand: their tables (isa/l0c_move.def), their units, and the rules that can be
 * checked only during the execution. */
#ifndef TIK_ACCMOVE_H
#define TIK_ACCMOVE_H

#include "rules/check.h"
#include "isa/operand.h"

/* The unit of a move: 16 x 16 elements; row 0 of such a fractal; 16 rows of 4; 16 x 16
 * with the channels 0..7 of all rows before the channels 8..15. */
typedef enum BlockMode {
    BLOCK_M,
    BLOCK_V,
    BLOCK_SC,
    BLOCK_DP,
    BLOCK_MODES
} BlockMode;

/* DEQ: one float16; DEQ8, DEQ16: one word of 64 bits (num/deq.h); V: one for each
 * channel, 16 of them. */
typedef enum AccScale {
    SCALE_NONE,
    SCALE_DEQ,
    SCALE_VDEQ,
    SCALE_DEQ8,
    SCALE_VDEQ8,
    SCALE_DEQ16,
    SCALE_VDEQ16,
    SCALE_COUNT
} AccScale;

typedef struct AccPair {
    Scope src, dst;
    uint8_t tik, enhanced; /* block modes as bits */
    Dtype from, to;
    AccScale scale;
    int8_t code, relu_code; /* -1: none */
} AccPair;

/* Returns the row for a block mode (of either spelling); null when there is none. */
const AccPair *acc_pair(Scope src, Scope dst, BlockMode mode, Dtype from, Dtype to,
                        AccScale scale);
/* Returns the block modes of a path as bits; 0 when the processor has no such path. */
uint32_t acc_modes(const Soc *soc, Scope src, Scope dst);
/* Returns the conversion codes of the processor as bits. */
uint32_t acc_codes(const Soc *soc);
/* Does the same for data_copy, whose manual has its own list. */
uint32_t acc_copy_codes(const Soc *soc);
const char *block_mode_name(BlockMode m); /* "m" */
const char *acc_scale_name(AccScale s);   /* "DEQ8" */
/* Returns whether there is a parameter for each channel. */
PURE bool acc_scale_is_vector(AccScale s);

/* The unit of a move: its elements, and the bytes from unit to unit on either side. Gaps
 * in L0C count units of `gap` bytes, those on the other side blocks of 32 bytes. */
typedef struct AccUnits {
    int64_t elems, acc, gap, out;
} AccUnits;

/* Returns the unit. packed is a reading of CHOICE_VECTOR_ROWS. */
PURE AccUnits acc_units(BlockMode mode, Dtype acc, Dtype out, int64_t sid, bool packed);
/* These return the bytes of the vector of a move of n bursts, and those from burst to
 * burst. VDEQ has one vector for all bursts (or, by CHOICE_VDEQ_VECTOR, one for each). */
PURE int64_t acc_vector_bytes(AccScale s, int64_t n, const Choices *c);
PURE int64_t acc_vector_step(AccScale s, const Choices *c);
/* Returns whether 8-bit results go to the second half of blocks (CHOICE_SID_HALVES). */
PURE bool acc_high_half(int64_t sid, const Choices *c);

/* The use of parameter words. */
typedef struct AccUse {
    AccScale scale;
    Dtype dst;
    bool relu; /* relu of the operand; for DEQ8 and DEQ16 also bit 47 of the word */
} AccUse;

/* Checks deq-sign-bit, vdeq-mcb and deq8-relu-offset of n words, the first of which has
 * number first. The stage calls it for literals, both back ends always. */
bool check_acc_words(const AccUse *use, const uint64_t *word, int n, int64_t first,
                     Fault *fault);
/* Warns on n words, the first of which has number first: deq-reserved, sign-forced,
 * relu-mismatch; each once, for the first such word. It is called for literals while
 * compiling (FamilyRules.warnings), for others while running. */
void check_acc_word_warnings(const AccUse *use, const uint64_t *word, int n,
                             int64_t first, void (*report)(void *ctx, const Fault *),
                             void *ctx);
/* Checks the warning deq-reserved for a word, which messages call name. */
bool check_word_reserved(uint64_t word, int param, const char *name, Fault *fault);
/* Checks sid2-odd; it is called where check_acc_words is. */
bool check_acc_lengths(BlockMode mode, Dtype dst, int64_t sid, int64_t nburst,
                       int64_t burst, Fault *fault);

#endif
