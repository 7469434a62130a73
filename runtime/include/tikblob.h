/* tikblob.h: the loader, verifier, cursor and writer of descriptor blobs. The loader, the
 * cursor and the verifier are freestanding C: no malloc, no libc calls, no recursion, no
 * floating point; the caller brings the memory. docs/blob-format.md is the normative
 * text; this header is its C side.
 *
 * Life of a blob: tikblob_open checks the container (P1), and tikblob_identify its build
 * id where somebody relies on it; tikblob_verify proves P2 to P6 for every kernel; then a
 * TikCursor walks the descriptors of a kernel in dispatch order. */
#ifndef TIKBLOB_H
#define TIKBLOB_H

#include "isa/types.h"
#include "layout/pack_plan.h"
#include "tik_api.h"

#include "isa/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TIKBLOB_MAJOR = 1,
    TIKBLOB_MINOR = 0,
    TIKBLOB_MAX_LOOPS = 16, /* nesting of loops */
    TIKBLOB_MAX_IFS = 512,  /* nesting of branches: a chain of 400 elif links is legal */
    TIKBLOB_MAX_TERMS = 8,  /* loop terms of an affine operand */
    TIKBLOB_MAX_REGS = 2,   /* register terms of an affine operand */
    TIKBLOB_MAX_CALLS = 65535, /* depth of calls that led to a descriptor */
    TIKBLOB_KNOWN_SECTIONS = 15
};

/* Says where and why a blob is refused, or what the verifier could not prove. */
typedef struct TikBlobDiag {
    char code[40];   /* stable name of the rule, see docs/blob-format.md; "" of a loader
                        that has no names (make loader) */
    uint32_t rule;   /* number of the rule, see tikblob_rule_name */
    char section[5]; /* fourcc or "" */
    uint64_t offset; /* byte offset in the file */
    int64_t descriptor; /* index in the kernel's code or -1 */
    /* what was found and what is allowed; 0 of a loader that has no names */
    int64_t seen_lo, seen_hi;
    int64_t allowed_lo, allowed_hi;
} TikBlobDiag;

typedef struct TikBlobSection {
    uint32_t fourcc;
    uint32_t flags;
    uint64_t offset, size;
    uint32_t record;
} TikBlobSection;

/* A checked container. It points into the caller's bytes, which must outlive it. */
typedef struct TikBlob {
    const uint8_t *bytes;
    uint64_t size;
    const Soc *soc;
    TikBlobSection sections[16];
    int nsections;
    int nkernels;
    /* the readings with which all kernels were compiled, see isa/choice.h */
    Choices choices;
    /* private: index of each known section in sections, or -1 */
    int8_t known[TIKBLOB_KNOWN_SECTIONS];
} TikBlob;

TIK_API bool tikblob_open(TikBlob *b, const uint8_t *bytes, uint64_t size,
                          TikBlobDiag *diag);
/* Checks that the build id of an opened blob is the SHA-256 of the bytes before it. It
 * takes many times as long as the checksums that tikblob_open compares, which tell damage
 * already; call it where the id itself is used, to name a blob or to compare it with a
 * trusted one. */
TIK_API bool tikblob_identify(const TikBlob *b, TikBlobDiag *diag);

/* Whether a blob is for a device. */
typedef enum TikBlobFit {
    TIKBLOB_FIT_UNKNOWN,    /* no blob, a damaged one, too few bytes of it, or of a later
                               version */
    TIKBLOB_FIT_HERE,       /* it was compiled for the device */
    TIKBLOB_FIT_RECOMPILED, /* for another processor of the same kind: its source can be
                               compiled for the device, with the same instructions */
    TIKBLOB_FIT_OTHER       /* for another kind of processor */
} TikBlobFit;

/* Answers from the first bytes of a blob alone: header, section table, and TARG, which
 * follow each other. It checks nothing else, and reads no byte after size. */
TIK_API TikBlobFit tikblob_fit(const uint8_t *bytes, uint64_t size, const Soc *soc);

/* Computes the identity of what an opened blob contains, which stripping does not change:
 * a SHA-256 over the sections that must be understood (docs/blob-format.md). Who pins
 * blobs pins this; who signs them signs it, see below. */
TIK_API void tikblob_content_id(const TikBlob *b, uint8_t id[32]);

enum {
    TIKBLOB_KEY_BYTES = 32,
    TIKBLOB_SIGNATURE_BYTES = 64,
    TIKBLOB_MESSAGE_BYTES = 48
};

/* Makes the message that a signature of an opened blob signs: 16 bytes that no other
 * message begins with, and the content id. */
TIK_API void tikblob_message(const TikBlob *b, uint8_t message[TIKBLOB_MESSAGE_BYTES]);

/* Returns whether signature is the one of a message by the owner of key: ed25519 as RFC
 * 8032 has it, without a context. The library has no cryptography; the caller brings this
 * function. */
typedef bool (*TikBlobEd25519)(void *context, const uint8_t key[TIKBLOB_KEY_BYTES],
                               const uint8_t *message, uint64_t size,
                               const uint8_t signature[TIKBLOB_SIGNATURE_BYTES]);

/* The keys that are trusted, and what checks a signature. */
typedef struct TikBlobTrust {
    const uint8_t (*keys)[TIKBLOB_KEY_BYTES];
    int nkeys;
    TikBlobEd25519 ed25519;
    void *context; /* given to ed25519 */
} TikBlobTrust;

/* Checks that signature, of size bytes, is that of an opened blob by one of the keys. The
 * place of *diag is none: it is about the whole blob. */
TIK_API bool tikblob_trusted(const TikBlob *b, const uint8_t *signature, uint64_t size,
                             const TikBlobTrust *trust, TikBlobDiag *diag);

typedef struct TikBlobKernel {
    const char *name;
    uint32_t code_first, code_slots; /* in 16-byte slots of CODE */
    uint32_t ndescriptors;
    uint32_t nargs, nregions, nregs, nloops;
    uint32_t first_arg, first_region;
    uint32_t cores; /* block count */
    uint32_t flags; /* TIKBLOB_FILL_SCRATCH and the bits after it */
    int64_t peak[SC_COUNT];
    uint64_t step_bound;
} TikBlobKernel;

enum {
    TIKBLOB_FILL_SCRATCH = 1,
    TIKBLOB_ORDERED = 2,
    TIKBLOB_ANY_CORES = 4, /* the instruction `blocks` can start more cores */
    TIKBLOB_QUEUES = 8, /* the kernel orders its queues itself, by flags and barriers */
    TIKBLOB_MAX_CORES = 65535
};

TIK_API void tikblob_kernel(const TikBlob *b, int index, TikBlobKernel *out);

typedef struct TikBlobArg {
    const char *name;
    Dtype dtype;
    int role; /* ArgRole; of an address list elems is the number of arrays */
    int64_t elems;
    int ndim;
    int64_t shape[8];
    /* the launcher sets every element to preset_value before the kernel runs */
    bool preset;
    int64_t preset_value; /* canonical, see num/scalar.h */
    bool open; /* elems is only the maximum; the array that is given has the size */
} TikBlobArg;

TIK_API void tikblob_arg(const TikBlob *b, const TikBlobKernel *k, int index,
                         TikBlobArg *out);

/* What a region of global memory is. Regions of other memories are TIKBLOB_TENSOR. */
typedef enum TikBlobRegionKind {
    TIKBLOB_TENSOR,
    TIKBLOB_TABLE, /* a constant table of the blob, never written */
    TIKBLOB_LIST /* the arrays of an address list, a LIST_WINDOW for each (isa/types.h) */
} TikBlobRegionKind;

/* A packed constant that a convolution reads: its weight, and the requantisation and bias
 * that go with it (docs/lmem.md 7). The layout of its bytes follows from the fields
 * (layout/lmem_pack.h). */
typedef struct TikBlobPack {
    bool present; /* the table is a packed constant */
    bool packed;  /* the bytes have the packed layout; else the order of the sources */
    bool depthwise;
    bool requant; /* it begins with words of requantisation */
    bool bias;    /* it has a bias before the weight */
    /* elements have 4 bits: weight is DT_S8 or DT_U8, and a byte holds two of them */
    bool nibbles;
    Dtype weight;
    uint32_t dim[4]; /* of the weight: output and input channels, height, width */
    PackPlan plan;   /* filled when a blob is opened; the writer computes it */
} TikBlobPack;

/* A root tensor: a global argument, a constant table or an on-core buffer. */
typedef struct TikBlobRegion {
    const char *name;
    Scope scope;
    Dtype dtype;
    TikBlobRegionKind kind;
    /* on-core: address in the scope; argument: its index; table: where it begins in CNST
     * (the writer computes that) */
    int64_t base;
    int64_t bytes; /* not rounded */
    /* of a table: its bytes, padded with zeros to a multiple of 32 (for the writer:
     * without padding) */
    const uint8_t *data;
    /* the size is known only while running, bytes is the maximum. A region of GM has the
     * size of the array; an on-core region gets its size, and its place from base on,
     * from the instruction `reserve` */
    bool open;
    TikBlobPack pack; /* valid for a table */
} TikBlobRegion;

TIK_API void tikblob_region(const TikBlob *b, const TikBlobKernel *k, int index,
                            TikBlobRegion *out);

/* ---- decoded descriptors ------------------------------------------------- */

typedef enum TikDescKind {
    /* a loop: the counter in its slot takes the values of [a, b), which are read once on
     * entry; unless 0 <= a <= b this is the fault loop-bounds. The slot of a loop is its
     * nesting depth from 0 */
    DESC_LOOP,
    DESC_ENDLOOP,
    DESC_IF, /* the body runs when the number a is not 0 */
    DESC_ELSE,
    DESC_ENDIF,
    DESC_BREAK,
    DESC_CONTINUE,
    DESC_RETURN,
    DESC_ALU,   /* reg = alu_op(a, b) of type dtype; from: the operand's type of a cast */
    DESC_LOAD,  /* reg = element of type dtype at the operand */
    DESC_STORE, /* element of type dtype at the operand = a */
    DESC_INSTR  /* an instruction, a row of op.def */
} TikDescKind;

/* A number: immediate, scalar register, loop counter, or the core's index. */
typedef enum TikNumKind {
    NUM_IMM,
    NUM_REG,
    NUM_LOOP,
    NUM_CORE
} TikNumKind;

/* Registers are 64 bits wide and 0 when the kernel starts. Their values are those that
 * num/scalar.h describes. */
typedef struct TikNum {
    TikNumKind kind;
    int64_t imm;    /* NUM_IMM */
    uint32_t index; /* NUM_REG: register; NUM_LOOP: loop slot */
} TikNum;

/* An address: region base + offset + the sum of coefficient * num over the terms. */
typedef struct TikOperand {
    uint32_t region;
    int64_t offset;
    int nterms;
    struct {
        TikNum num; /* NUM_LOOP, NUM_CORE or NUM_REG */
        int64_t coef;
    } terms[TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS];
    Dtype dtype; /* type of the elements accessed */
} TikOperand;

typedef struct TikDesc {
    TikDescKind kind;
    uint32_t index;  /* index of the descriptor in its kernel */
    uint64_t offset; /* byte offset of the descriptor in the file */
    /* LOOP: index of its ENDLOOP and back; IF: ELSE or ENDIF; ELSE: ENDIF */
    uint32_t match;
    uint32_t reg;       /* ALU, LOAD: destination register */
    uint32_t slot;      /* LOOP, ENDLOOP: loop slot */
    ScalarOp alu_op;    /* ALU */
    Dtype dtype, from;  /* ALU, LOAD, STORE */
    TikNum a, b;        /* ALU, IF, STORE; LOOP: begin and end */
    TikOperand operand; /* LOAD, STORE */
    Op op;              /* INSTR */
    /* INSTR: check_values runs before it; LOAD, STORE: bounds are checked */
    bool checked;
    MaskForm mask_form;
    struct {
        TikOperand t; /* DST, SRC */
        TikNum v;     /* numbers and scalars (canonical bits) */
        TikNum mask[4];
        bool literal; /* v is an immediate */
    } args[MAX_PARAMS];
} TikDesc;

/* Clears a descriptor and its first nargs operands; the other operands stay as they
 * are. */
static inline void
tikblob_clear(TikDesc *d, int nargs)
{
    memset(d, 0, offsetof(TikDesc, args) + (size_t)nargs * sizeof d->args[0]);
}

typedef struct TikCursor {
    const TikBlob *blob;
    TikBlobKernel kernel;
    uint64_t at, end; /* byte offsets in the file */
    uint32_t index;
} TikCursor;

TIK_API void tikblob_cursor(TikCursor *c, const TikBlob *b, int kernel);
/* Returns 1 with the next descriptor in *out, 0 at the end, -1 with *diag when it is
 * malformed. match is not filled here but by tikblob_verify's caller or the emulator,
 * which see the whole program. */
TIK_API int tikblob_next(TikCursor *c, TikDesc *out, TikBlobDiag *diag);

/* Finds the source position of a descriptor in LINE; false when the blob was stripped. */
TIK_API bool tikblob_place(const TikBlob *b, int kernel, uint32_t descriptor,
                           const char **file, uint32_t *line, uint32_t *column);

/* Does the same for all descriptors of a kernel that have a position, in their order. */
typedef void (*TikBlobPlaceSink)(void *to, uint32_t descriptor, const char *file,
                                 uint32_t line, uint32_t column);
TIK_API void tikblob_places(const TikBlob *b, int kernel, TikBlobPlaceSink each,
                            void *to);

/* A call of a function of the source that was made while compiling, and the call that it
 * was made from. Frames have numbers from 1; a parent's number is less than its own. */
typedef struct TikBlobFrame {
    uint32_t parent; /* 0: called at the top level */
    const char *callee;
    const char *file; /* file of the call, or "" */
    uint32_t line, column;
} TikBlobFrame;

/* Returns the number of frames; 0 when the blob was stripped. */
TIK_API uint32_t tikblob_frames(const TikBlob *b);
TIK_API void tikblob_frame(const TikBlob *b, uint32_t number, TikBlobFrame *out);
/* Returns the frame of the innermost call that led to a descriptor; 0 when it was
 * recorded at the top level or nothing is known. */
TIK_API uint32_t tikblob_frame_of(const TikBlob *b, int kernel, uint32_t descriptor);

/* The name of a loop counter or register at a descriptor, for messages. A record at a
 * LOOP names its counter up to the end of the loop; other records name what the
 * descriptor uses. */
typedef struct TikBlobName {
    uint32_t descriptor; /* index in its kernel */
    const char *name;
    TikNum num; /* NUM_LOOP or NUM_REG */
    Dtype dtype;
} TikBlobName;

/* Finds the records of NAME that belong to the kernel: *n of them from *first on, ordered
 * by descriptor; none when the blob was stripped. */
TIK_API void tikblob_names(const TikBlob *b, int kernel, uint32_t *first, uint32_t *n);
TIK_API void tikblob_name(const TikBlob *b, int kernel, uint32_t record,
                          TikBlobName *out);

/* ---- names --------------------------------------------------------------- */

/* Returns the name of a rule by its number, "" for none. A loader without names gives
 * numbers; a program on a host names them, or makes a sentence of them
 * (tikblob_explain). All are stable: those below 1000 are in docs/blob-format.md, those
 * from 1000 on, of rules on instructions, in docs/diagnostics.md. */
TIK_API const char *tikblob_rule_name(uint32_t rule);

/* Finds a processor by the name of its platform ("Ascend310P3") or family; null when
 * there is none. */
TIK_API const Soc *tikblob_soc(const char *name);
TIK_API const char *tikblob_soc_name(const Soc *soc);
TIK_API const char *tikblob_op_name(Op op);      /* "data_move" */
TIK_API const char *tikblob_scope_name(Scope s); /* "UB" */

/* Describes an operand of an instruction, so TikDesc.args at the same index. */
typedef struct TikBlobParam {
    const char *name;
    Role role; /* DST, SRC: t; MASK: mask; MASKMODE: none; others: v */
    int item;  /* index in its list */
    int items; /* length of the list; 0: not a list */
} TikBlobParam;

TIK_API int tikblob_params(Op op); /* number of operands */
TIK_API void tikblob_param(Op op, int index, TikBlobParam *out);

/* Returns the name of the queue that executes an instruction (DESC_INSTR) of a kernel:
 * "V", "MTE2". */
TIK_API const char *tikblob_queue(const TikBlob *b, const TikBlobKernel *k,
                                  const TikDesc *d);

/* ---- verifier ------------------------------------------------------------ */

typedef struct TikBlobProof {
    int64_t proved, checked; /* obligations: proved, or left to a check while running */
    uint64_t steps;          /* proven bound on descriptors executed by one core */
    uint64_t work; /* what the proof cost: descriptors, ranges of numbers that were looked
                      up, evaluations of rules */
} TikBlobProof;

/* Proves P2 to P6 for one kernel. workspace has at least tikblob_workspace bytes and is
 * 16-byte aligned. Returns false when it is refuted; diag then has the witness. */
TIK_API uint64_t tikblob_workspace(const TikBlob *b, int kernel);
/* Returns what TikBlobProof.work of the kernel is at most, whatever is in it: a number of
 * steps for each slot of its code (docs/blob-format.md, Loading). */
TIK_API uint64_t tikblob_work(const TikBlob *b, int kernel);
TIK_API bool tikblob_verify(const TikBlob *b, int kernel, void *workspace, uint64_t bytes,
                            TikBlobProof *proof, TikBlobDiag *diag);

/* The input of tikblob_unproved. With unproved the blob is one that is being made: an
 * access or rule that is neither proved nor marked `checked` is not refused but sets its
 * descriptor's bit in unproved (a bit per descriptor, zeroed by the caller), and the
 * stated step bound is ignored. With null it does what tikblob_verify does. With a budget
 * other than 0 a kernel whose proof costs more than that work is refused by the rule
 * `budget`. */
typedef struct TikBlobVerify {
    void *workspace;
    uint64_t bytes;
    uint8_t *unproved;
    uint64_t budget;
} TikBlobVerify;
TIK_API bool tikblob_unproved(const TikBlob *b, int kernel, const TikBlobVerify *with,
                              TikBlobProof *proof, TikBlobDiag *diag);

/* ---- order of queues (hosted) -------------------------------------------- */

/* What could not be proved of the order of a kernel's queues (docs/blob-format.md,
 * Queues). */
typedef struct TikBlobOrder {
    char name[20];  /* race, sync-deadlock, sync-double-set, sync-overrun, sync-leftover,
                       sync-unknown or sync-budget */
    uint32_t first; /* descriptors; of a race the earlier one */
    uint32_t later;
    bool certain;   /* each execution has this fault, at the iterations that text has */
    char text[600]; /* a sentence, with places of the source where they are known */
} TikBlobOrder;

/* Proves that flags and barriers order every two accesses of the same bytes, one of them
 * to write, and that no order of execution hangs or loses a flag: whatever the numbers
 * are that only the run knows. The kernel must have been verified. False with what it
 * could not prove. */
TIK_API bool tikblob_order(const TikBlob *b, int kernel, TikBlobOrder *out);

/* ---- text (hosted) ------------------------------------------------------- */

/* Makes a text that tikblob_assemble turns back into the same bytes. The caller frees
 * *text. */
TIK_API bool tikblob_disassemble(const uint8_t *bytes, size_t size, char **text,
                                 TikBlobDiag *diag);
/* Returns the line that the text has for a descriptor, with the names of regions in the
 * place of their numbers; null without memory. The caller frees it. */
TIK_API char *tikblob_text(const TikBlob *b, const TikBlobKernel *k, const TikDesc *d);
/* Writes a blob again without what a device does not need: places, names, calls and META.
 * What it executes is the same. The caller frees *out. */
TIK_API bool tikblob_strip(const uint8_t *bytes, size_t size, uint8_t **out,
                           size_t *out_size, TikBlobDiag *diag);
/* Makes a blob of a text. *line is the line of the first error. The caller frees
 * *bytes. */
TIK_API bool tikblob_assemble(const char *text, size_t len, uint8_t **bytes, size_t *size,
                              int *line, char *error, size_t error_size);
/* A field of a blob: bytes of the file with a name and, in `value`, what they say (empty
 * where the bytes are all there is). */
typedef struct TikBlobField {
    char part[12];   /* "header", "sections", the name of a section, "" between them */
    uint64_t record; /* index of the record, descriptor or frame in its part */
    uint64_t offset, bytes;
    const char *name;
    char value[600];
} TikBlobField;

typedef void (*TikBlobFieldSink)(void *to, const TikBlobField *field);

/* Calls each with the fields of a blob in the order of the file; every byte belongs to
 * one. A refused blob is gone through as far as its section table can be followed.
 * Returns what tikblob_open and tikblob_identify return, with their *diag. */
TIK_API bool tikblob_fields(const uint8_t *bytes, size_t size, TikBlobFieldSink each,
                            void *to, TikBlobDiag *diag);
/* Writes a diagnostic as one sentence, with kernel, source line and names where known. */
TIK_API void tikblob_explain(const TikBlob *b, int kernel, const TikBlobDiag *diag,
                             char *out, size_t size);

/* ---- writer (hosted; used by compiler/stream and the assembler) ---------- */

typedef struct TikBlobWriter TikBlobWriter;

TIK_API TikBlobWriter *tikblob_writer_new(const Soc *soc);
/* Sets the readings of all kernels, before tikblob_finish. Without this call, or with c
 * null, they are the usual ones. */
TIK_API void tikblob_choices(TikBlobWriter *w, const Choices *c);
TIK_API void tikblob_writer_free(TikBlobWriter *w);

typedef struct TikBlobKernelInfo {
    const char *name;
    uint32_t cores, flags;
    const TikBlobArg *args;
    int nargs;
    const TikBlobRegion *regions;
    int nregions;
    uint32_t nregs; /* ignored: counted from the descriptors */
    int64_t peak[SC_COUNT];
    uint64_t step_bound; /* 0: the bound that the verifier finds */
} TikBlobKernelInfo;

TIK_API void tikblob_begin_kernel(TikBlobWriter *w, const TikBlobKernelInfo *info);
/* Appends one descriptor (index, offset and match are ignored); file may be null. Returns
 * false, with a text in error, when a field does not fit its encoding. */
TIK_API bool tikblob_emit(TikBlobWriter *w, const TikDesc *d, const char *file,
                          uint32_t line, uint32_t column, char *error, size_t error_size);
/* Adds a frame when it is new and returns its number in the writer (the blob has an order
 * of its own). frame->parent is 0 or such a number. Calls that nest deeper than
 * TIKBLOB_MAX_CALLS are left out: the number is then that of the parent. */
TIK_API uint32_t tikblob_add_frame(TikBlobWriter *w, const TikBlobFrame *frame);
/* Sets the frame that led to the descriptor that was appended last. */
TIK_API void tikblob_emit_frame(TikBlobWriter *w, uint32_t frame);
/* Names a number (NUM_LOOP or NUM_REG) at the descriptor that was appended last. An empty
 * name is ignored. */
TIK_API void tikblob_emit_name(TikBlobWriter *w, const char *name, TikNum num,
                               Dtype dtype);
TIK_API void tikblob_end_kernel(TikBlobWriter *w);
/* Lets tikblob_finish mark `checked` whatever the verifier cannot prove. */
TIK_API void tikblob_check_unproved(TikBlobWriter *w);
/* Makes the bytes of the blob. meta is the text for META (producer, source hash) and may
 * be null. The caller frees *bytes. */
TIK_API bool tikblob_finish(TikBlobWriter *w, const char *meta, uint8_t **bytes,
                            size_t *size);

/* Recomputes every checksum and the build id of bytes that were changed, in place, as far
 * as the section table can be followed. It never reads or writes outside of them. Tests
 * use it to have a right checksum over wrong contents. It is freestanding. */
TIK_API void tikblob_update_checksums(uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
