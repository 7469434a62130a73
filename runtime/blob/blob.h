/* blob.h: declarations that the files of runtime/blob share: layout of the container
 * (docs/blob-format.md is the normative text), byte access, rules, digests. It is private
 * to runtime/blob and freestanding: everything here works without libc; blob_same and
 * blob_zero replace memcmp and memset. */
#ifndef TIK_BLOB_H
#define TIK_BLOB_H

#include "isa/integer.h"
#include "isa/isa.h"
#include "layout/lmem_pack.h"
#include "num/scalar.h"
#include "tikblob.h"

enum {
    HEADER_BYTES = 64,
    ENTRY_BYTES = 32,
    MAX_SECTIONS = 16,
    TARG_BYTES = 128,
    TARG_NAME = 24,
    CHOICE_BYTES = 8,
    KERN_BYTES = 96,
    ARG_BYTES = 88,
    REGION_BYTES = 24,
    ROW_BYTES = 16,
    NAME_BYTES = 16,
    CALL_HEAD = 4, /* bytes of section CALL before the frames */
    FRAME_BYTES = 24,
    SLOT_BYTES = 16,
    MAX_SLOTS = 255,  /* slots of one descriptor */
    MAX_NUMBERS = 48, /* numbers of one descriptor, with two bits each in its tag words */
    TAG_NUMBERS = 16, /* numbers of one tag word */
    MAX_BLOB_REGS = 65536,
    MAX_BLOB_CORES = 65535,
    MAX_STRING_BYTES = 4 << 20,
    BLOB_SCOPES = SC_SREG, /* memories of scope.def before this one have their sizes and
                              alignments recorded */
    PEAK_SCOPES = SC_VREG  /* those before this one have room for a peak in KERN */
};

/* Flags of an argument. */
enum {
    ARG_PRESET = 1,
    ARG_OPEN = 2
};

/* Returns whether kernels record the peak use of the memory; registers have a fixed
 * size. */
static inline bool
blob_has_peak(int scope)
{
    return scope != SC_GM && scope != SC_SREG && scope != SC_VREG;
}

/* Returns the bytes of a constant table in CNST. */
static inline uint64_t
blob_table_room(uint64_t bytes)
{
    return (uint64_t)scope_granule(SC_GM, true, (int64_t)bytes);
}

/* Packed constants (pack.c). */
enum {
    PACK_ALIGN = 4096, /* alignment of their tables in CNST */
    PACK_BYTES = 96
};

/* Fills p->plan for a processor from the other fields; false when they give no packed
 * constant. */
bool blob_pack_plan(const Soc *soc, const Choices *choices, TikBlobPack *p);
void blob_pack_write(const TikBlobPack *p, uint32_t region, uint8_t *record);
/* Returns the packed constant of a region; present is false when it has none. The tables
 * have been checked. */
TikBlobPack blob_pack_of(const TikBlob *b, uint64_t region);
/* Returns whether there is a record of PACK for the region. */
bool blob_is_packed(const TikBlob *b, uint64_t region);
/* Checks that every record belongs to a table and is consistent with its fields. */
bool blob_check_packs(const TikBlob *b, TikBlobDiag *diag);

enum {
    BLOB_MUST = 1,
    BLOB_STRIP = 2
}; /* flags of a section */

typedef enum SectionId {
#define SECTION(id, a, b, c, d, flags, align, record, required) SEC_##id,
#include "blob/section.def"
    SEC_COUNT
} SectionId;

_Static_assert((int)SEC_COUNT <= (int)TIKBLOB_KNOWN_SECTIONS,
               "TikBlob.known is too short");

typedef struct SectionInfo {
    uint32_t fourcc;
    uint16_t flags;
    uint8_t align;
    uint32_t record;
    bool required;
} SectionInfo;

extern const SectionInfo blob_sections[SEC_COUNT];

/* ---- descriptors --------------------------------------------------------- */

/* The class byte of a descriptor is its kind plus one, so that a zeroed slot is no
 * descriptor. */
enum {
    CLASS_BASE = 1,
    CLASS_COUNT = DESC_INSTR + 2
};

typedef enum NumTag {
    TAG_IMM,
    TAG_LOOP,
    TAG_REG,
    TAG_WIDE
} NumTag;

#define CORE_INDEX UINT32_MAX /* "loop slot" of the core's index */

enum {
    OP_BITS = 12, /* bits of the word that hold the instruction */
    OP_CHECKED = 1 << 12,
    OP_FORM_SHIFT = 13,
    ACCESS_CHECKED = 1 /* flag byte of LOAD and STORE */
};

enum {
    ROW_HEAD = 1,
    ROW_TERM = 2
}; /* mark byte of AFFN records */

/* Returns whether the operand of an operation has a type of its own. */
static inline bool
blob_has_from(ScalarOp op)
{
    return op == SOP_CAST || op == SOP_BITS;
}

/* The kind of a number, in byte 12 of NAME records. */
enum {
    NAME_SLOT = 1,
    NAME_REGISTER = 2
};

/* ---- bytes --------------------------------------------------------------- */

static inline uint32_t
get16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t
get32(const uint8_t *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static inline uint64_t
get64(const uint8_t *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static inline void
put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void
put32(uint8_t *p, uint32_t v)
{
    put16(p, v);
    put16(p + 2, v >> 16);
}

static inline void
put64(uint8_t *p, uint64_t v)
{
    put32(p, (uint32_t)v);
    put32(p + 4, (uint32_t)(v >> 32));
}

static inline bool
blob_same(const uint8_t *a, const uint8_t *b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static inline bool
blob_is_zero(const uint8_t *p, uint64_t n)
{
    uint64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        if (get64(p + i) != 0) {
            return false;
        }
    }
    for (; i < n; i++) {
        if (p[i] != 0) {
            return false;
        }
    }
    return true;
}

static inline uint64_t
blob_strlen(const char *s)
{
    uint64_t n = 0;
    while (s[n] != 0) {
        n++;
    }
    return n;
}

/* Compares two AFFN rows (heads with their terms), without links. Returns a number below,
 * equal to or above 0. */
int blob_row_compare(const uint8_t *a, const uint8_t *b);

bool blob_utf8(const uint8_t *p, uint64_t n, uint64_t *bad);

/* ---- rules --------------------------------------------------------------- */

/* A rule is its number. */
typedef enum BlobRule {
#define BLOB_RULE(id, number, name, rule) BLOB_##id = number,
#include "blob/blob_rule.def"
    CHECK_RULES = RULE_NUMBERS /* the rules of instructions follow */
} BlobRule;

typedef struct BlobRuleInfo {
    uint32_t number;
    const char *name;
    const char *rule;
} BlobRuleInfo;

/* Returns the rows of blob_rule.def, from 0 on; null after the last. Not in a lean
 * loader. */
const BlobRuleInfo *blob_rule_at(int index);

static inline uint32_t
check_rule(Rule rule)
{
    return CHECK_RULES + (uint32_t)rule;
}

typedef struct BlobAt {
    uint32_t fourcc; /* 0: no section */
    uint64_t offset;
    int64_t descriptor; /* -1: none */
    NOT_LEAN(int64_t seen_lo, seen_hi, allowed_lo, allowed_hi;)
} BlobAt;

/* Fills *diag, which may be null. It always returns false. */
bool blob_refuse(TikBlobDiag *diag, uint32_t rule, const BlobAt *at);
/* Does the same for a rule of blob_rule.def at a byte of the file. section is SEC_COUNT
 * for none. */
bool blob_bad(TikBlobDiag *diag, BlobRule rule, SectionId section, uint64_t offset);
/* The value that was found and the range that is required. */
typedef struct BlobSeen {
    int64_t seen, lo, hi;
} BlobSeen;
#ifdef TIK_LEAN
/* A lean loader gives the rule and the byte; tikc tells the numbers of the same file. */
#define blob_bad_value(diag, rule, section, offset, ...)                                 \
    blob_bad(diag, rule, section, offset)
#else
bool blob_bad_value(TikBlobDiag *diag, BlobRule rule, SectionId section, uint64_t offset,
                    BlobSeen v);
#endif

/* Says that memory is exhausted, for hosted functions that are not refused otherwise. */
void blob_no_memory(TikBlobDiag *diag); /* explain.c */
/* Returns whether the text form and the writer can express everything in the blob: not
 * those of a later version, with sections of other readers. */
bool blob_is_plain(const TikBlob *b, TikBlobDiag *diag); /* disasm.c */

/* ---- digests ------------------------------------------------------------- */

uint32_t blob_crc32c(const uint8_t *p, uint64_t n);
/* The same without an instruction of the processor. */
uint32_t blob_crc32c_tables(const uint8_t *p, uint64_t n);

typedef struct Sha256 {
    uint32_t h[8];
    uint8_t block[64];
    uint32_t used;
    uint64_t total;
} Sha256;

void blob_sha256_init(Sha256 *s);
void blob_sha256_add(Sha256 *s, const uint8_t *p, uint64_t n);
void blob_sha256_end(Sha256 *s, uint8_t out[32]);

/* ---- between the files --------------------------------------------------- */

/* Returns whether the first 8 bytes are those of a blob. */
bool blob_has_magic(const uint8_t *p);

/* Makes the TARG record of a processor. */
void blob_target_record(const Soc *soc, uint8_t out[TARG_BYTES]);

/* Makes the record of a choice: the point's number, zero-padded to 4 bytes, and the
 * reading. */
void blob_choice_record(Choice point, int reading, uint8_t out[CHOICE_BYTES]);

static inline const TikBlobSection *
blob_section(const TikBlob *b, SectionId id)
{
    return b->known[id] < 0 ? NULL : &b->sections[b->known[id]];
}

/* Returns the start of a section that every blob has. */
static inline const uint8_t *
blob_bytes(const TikBlob *b, SectionId id)
{
    return b->bytes + b->sections[b->known[id]].offset;
}

/* Returns the number of records of a section; 0 when the blob does not have it. */
static inline uint64_t
blob_records(const TikBlob *b, SectionId id)
{
    const TikBlobSection *s = blob_section(b, id);
    return s == NULL ? 0 : quotient(s->size, s->record);
}

/* Returns a record of a table; the index has been checked. */
static inline const uint8_t *
blob_record(const TikBlob *b, SectionId id, uint64_t index)
{
    const TikBlobSection *s = &b->sections[b->known[id]];
    return b->bytes + s->offset + index * s->record;
}

/* The steps of tikblob_open after the container (tables.c, decode.c, line.c). */
bool blob_check_tables(TikBlob *b, TikBlobDiag *diag);
bool blob_check_code(const TikBlob *b, TikBlobDiag *diag);
bool blob_check_lines(const TikBlob *b, TikBlobDiag *diag);
bool blob_check_names(const TikBlob *b, TikBlobDiag *diag); /* name.c */
bool blob_check_calls(const TikBlob *b, TikBlobDiag *diag); /* call.c */
bool blob_check_strings(const TikBlob *b, TikBlobDiag *diag);

/* Reads a number of seven bits per byte, low ones first. Returns false when it is not
 * coded in the fewest bytes or has more than 42 bits. */
bool blob_varint(const uint8_t **p, const uint8_t *end, uint64_t *out); /* line.c */

/* A walk over the runs of section CALL, whose frames have been checked. Without the
 * section there are none. */
typedef struct RunReader {
    const uint8_t *p, *end;
    uint64_t n;     /* descriptors of the run that was read last */
    uint32_t frame; /* frame of that run, or 0 */
} RunReader;

RunReader blob_runs(const TikBlob *b); /* call.c */
bool blob_run_next(RunReader *r);

/* A walk over the places of all kernels' descriptors. */
typedef struct LineReader {
    const uint8_t *p, *end;
    uint32_t file, line, column; /* place of the descriptor that was read last */
} LineReader;

/* Reads the next place; false when it is not coded in the shortest way or after the
 * end. */
bool blob_line_next(LineReader *r);
void blob_line_kernel(LineReader *r); /* called at the first descriptor of a kernel */

/* What the descriptors so far have used. */
typedef struct BlobUse {
    uint64_t next_row;      /* the first AFFN record that no operand has referred to */
    uint32_t nregs;         /* highest register plus one */
    uint32_t depth, nloops; /* open loops, and the maximum of them */
} BlobUse;

enum {
    ECHO_WORDS = 48 /* of 64 bits, of the longest descriptor that is kept */
};

/* A descriptor that was checked, and what may differ in one that repeats it (echo.c). */
typedef struct BlobEcho {
    const uint8_t *p; /* null: none is kept */
    int words;
    int n;                     /* number of operands */
    uint16_t at[MAX_PARAMS];   /* where the low words of their offsets are, in bytes */
    uint64_t keep[ECHO_WORDS]; /* bits that must be the same */
} BlobEcho;

/* Keeps the descriptor at an offset of the file, which is legal. Returns false if it is
 * too long, or has an offset that may overflow with another low word. */
bool blob_echo_keep(BlobEcho *e, const TikBlob *b, uint64_t offset);
/* Returns whether a descriptor of at least one slot whose code ends after `room` bytes
 * repeats the one that is kept. */
bool blob_echo_is(const BlobEcho *e, const uint8_t *p, uint64_t room);

/* Decodes and checks the descriptor at c->at without moving on. Returns its size in
 * slots, or -1. If out is null it only checks; if use is null rows may be in any
 * order. */
int blob_decode(const TikCursor *c, TikDesc *out, BlobUse *use, TikBlobDiag *diag);

/* Gives the number of 32-bit fields and of bytes of an instruction, with its head and
 * without wide immediates. */
void blob_instr_layout(Op op, MaskForm form, int *numbers, int *bytes);

/* Instructions of more than TAG_NUMBERS numbers have further tag words before their
 * fields. These return the bytes of such words, and where the tag word of a number is. */
static inline uint32_t
blob_more_tags(int numbers)
{
    return numbers > TAG_NUMBERS ? 4 * ((uint32_t)(numbers - 1) / TAG_NUMBERS) : 0;
}

static inline uint32_t
blob_tag_word(int number)
{
    return number < TAG_NUMBERS ? 4 : 4 + 4 * ((uint32_t)number / TAG_NUMBERS);
}

#endif
