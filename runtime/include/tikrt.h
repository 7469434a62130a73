/* tikrt.h: the header of libtikrt, which a test bench or a program links to run kernels:
 * arrays from .npy files, launch of compiled kernels over cores, the emulator for blobs.
 * It does not depend on the compiler.
 *
 * On errors functions return false and fill a TikError; none prints or exits.
 *
 * This header and those that it includes need no others, in C11 and in C++17. They have
 * types, and the functions that are marked TIK_API. */
#ifndef TIKRT_H
#define TIKRT_H

#include "isa/types.h"
#include "tik_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why something failed. It selects the exit code of tools. */
typedef enum TikErrorKind {
    TIK_OK,
    TIK_ERR_IO,    /* a file could not be read or written: exit code 3 */
    TIK_ERR_NPY,   /* not a fitting .npy file: exit code 3 */
    TIK_ERR_BLOB,  /* blob refused: exit code 4 */
    TIK_ERR_FAULT, /* a run-time check failed: exit code 5 */
    TIK_ERR_USAGE  /* a wrong argument of the caller: exit code 2 */
} TikErrorKind;

enum {
    WHERE_BYTES = 240
};

typedef struct TikError {
    TikErrorKind kind;
    char name[40];   /* diagnostic name: "tensor-overflow", "npy", "file-read" */
    char text[400];  /* message with values */
    char place[200]; /* "file:line:column" of the source, or "" */
    /* of a fault: "core 3, i = 7, left = 452": the core, if there are several, the
     * variables of the loops around it, the Scalars that it read; or "" */
    char where[WHERE_BYTES];
    /* of a fault: the innermost call of the program's functions that led there while
     * compiling, as a number in TikKernel.frames or in the blob (tikblob_frame); 0: there
     * is none or it is not known */
    uint32_t frame;
} TikError;

/* ---- arrays -------------------------------------------------------------- */

/* The storage of a global tensor, 64-byte aligned; or the arrays of an address list: then
 * data is null and items are elems arrays of any dtype, of at most LIST_WINDOW / 2 bytes
 * each, which the caller owns. Arrays of one run share no bytes. Kernels may access the
 * whole granule of a tensor (tik_array_room): bytes after its data, which are zero when
 * the run begins. An array whose room covers them lends them to the run and gets them
 * zeroed; an array without (room 0) is copied for the run if the kernel may access
 * them. */
typedef struct TikArray {
    Dtype dtype;
    int64_t elems;
    int ndim;
    int64_t shape[8];
    uint8_t *data;
    int64_t bytes; /* elems times their size; room is not part of it */
    struct TikArray *items;
    /* bytes from data on that belong to the array, with those after its data; 0: its data
     * alone */
    int64_t room;
} TikArray;

/* Finds a type of tensors by name; DT_NONE when there is none. */
TIK_API Dtype tikrt_dtype(const char *name);
/* The name of a type ("float16"), and the bytes of one element or, if an element has 4
 * bits, of two. */
TIK_API const char *tikrt_dtype_name(Dtype t);
TIK_API int tikrt_dtype_size(Dtype t);
TIK_API const char *tikrt_role_name(int role); /* of an ArgRole: "input" */
/* Writes element i of an array as text, as numpy writes a scalar: floats with the fewest
 * digits that read back as the same number. */
TIK_API void tik_element_text(const TikArray *a, int64_t i, char *out, size_t size);
/* Writes an array as text, as numpy's str() does, ended by a zero, as far as there is
 * room for it. Returns the length of the whole text. */
TIK_API size_t tik_array_text(const TikArray *a, char *out, size_t size);
/* Returns the room, from data on, that an array of `bytes` bytes needs so that kernels
 * may access the whole granule of its tensor. */
TIK_API int64_t tik_array_room(int64_t bytes);
TIK_API bool tik_array_alloc(TikArray *a, Dtype t, int64_t elems,
                             TikError *err); /* zeroed */
TIK_API void tik_array_free(TikArray *a);    /* the items stay */
/* Reads a .npy file (versions 1 to 3) for a tensor of that dtype and number of elements;
 * bfloat16 is stored as uint16. Elements in Fortran order and big endian numbers are
 * brought into the order of tensors. elems -1 takes as many as the file has. For an array
 * of an address list they are DT_NONE and -1. */
TIK_API bool tik_npy_read(const char *path, Dtype dtype, int64_t elems, TikArray *out,
                          TikError *err);
/* Does the same with a file that is in memory. data points into it, at any alignment and
 * without room, so there is nothing to free, and the file has to be in C order and little
 * endian. path is for messages. */
TIK_API bool tik_npy_view(const char *path, const void *file, size_t size, Dtype dtype,
                          int64_t elems, TikArray *out, TikError *err);
/* Writes a .npy file of the array's shape, through a temporary file that is renamed. */
TIK_API bool tik_npy_write(const char *path, const TikArray *a, TikError *err);

/* ---- compiled kernels ---------------------------------------------------- */

typedef struct TikCore TikCore;

/* The entry of a compiled kernel runs one core's part. args has one pointer per argument
 * (for an address list to its table of ListItem), then the size of each argument in
 * bytes, as integers of a pointer's width. It returns 0, or 1 after a run-time check
 * failed and was recorded in core. */
typedef int (*TikEntry)(uint8_t *const *args, int32_t core_index, uint8_t *scratch,
                        TikCore *core);

/* A source position in a kernel, for faults. */
typedef struct TikPlace {
    const char *file;
    uint32_t line, column;
    uint32_t frame; /* number in frames of the innermost call that led there; 0: none */
} TikPlace;

/* A call of a function of the program that was made while compiling. Calls have numbers
 * from 1; a parent's number is less than its own. */
typedef struct TikFrame {
    const char *callee;
    const char *file; /* file of the call */
    uint32_t line, column;
    uint32_t parent; /* number of the call that it was made from; 0: the top level */
} TikFrame;

typedef struct TikParam {
    const char *name;
    Dtype dtype;
    int role; /* ArgRole */
    int64_t elems;
    int ndim;
    int preset; /* not 0: every element is set to preset_value before the kernel runs */
    int64_t shape[8];
    int64_t preset_value; /* canonical, see num/scalar.h */
    int32_t
        open; /* not 0: elems is only the maximum; the array that is given has the size */
    int32_t inside;    /* not 0: no access reaches bytes after the data */
    int32_t unwritten; /* not 0: the kernel does not write it */
    int32_t reserved;
} TikParam;

/* In which order the cores of a kernel run. */
enum {
    TIK_ORDERED = 1,
    TIK_ATOMICS_ORDERED
};

/* What a launcher needs to know of a kernel: constant data next to its code. */
enum {
    TIKRT_ABI = 4 /* of TikKernel, and of the functions that compiled kernels call */
};

/* What an inspector has room for (TikKernel.inspector): runs of bytes of each tensor. */
enum {
    TIK_INSPECT_RUNS = 1024,
    TIK_INSPECT_WORDS = 1 + 2 * TIK_INSPECT_RUNS
};

typedef struct TikKernel {
    /* TIKRT_ABI of the compiler that made it: libtikrt runs kernels of its own number */
    uint32_t abi;
    uint32_t reserved;
    const char *name;
    const char *soc;
    TikEntry entry;
    int32_t cores; /* how often entry runs, core_index 0 .. cores-1 */
    /* TIK_ORDERED: cores run one after another; TIK_ATOMICS_ORDERED: they do so from the
     * first atomic write of each on; 0: in any order */
    int32_t ordered;
    int32_t fill_scratch;  /* not 0: scratch is filled with 0xff before each core */
    int32_t barriers;      /* not 0: cores wait for each other (block_barrier) */
    int64_t scratch_bytes; /* UB, L1, L0A, L0B, L0C ... one after the other */
    int64_t lmem_pitch;    /* distance of LMEM lanes in scratch; 0: there are none */
    int32_t nparams;
    const TikParam *params;
    int32_t nplaces;
    const TikPlace *places;
    const Choices
        *choices; /* readings with which it was compiled; null: the usual ones */
    int32_t nframes;
    const TikFrame *frames; /* numbers begin at 1, so the first item has number 1 */
    /* Kernels with TIK_ORDERED: tells which bytes of the `inspects` tensors that it
     * writes a core would access, and accesses none of them. It is called as entry is,
     * with one more argument: int64_t [cores][inspects][TIK_INSPECT_WORDS], for each
     * tensor the number of runs of bytes, which it writes last, then of each run the
     * first byte and the byte after the last one, relative to the tensor. A core for
     * which it cannot tell leaves the number. Null: there is none. */
    TikEntry inspector;
    int32_t inspects;
} TikKernel;

/* Runs all cores, on up to `threads` threads (0: as many as there are
 * processors, or as OMP_NUM_THREADS says). args are in
 * the order of the parameters; those that the kernel wants preset are filled first. If
 * several cores fault, the one of the lowest index is reported. After a fault the tensors
 * that the kernel writes have any contents. */
TIK_API bool tik_launch(const TikKernel *k, TikArray *const *args, int threads,
                        TikError *err);

/* Gets each warning of a run (relu-mismatch, deq-reserved, sign-forced, nop, stride-0,
 * sync-leftover; from the emulator also uninit-read, pad-read and bank-conflict) once for
 * each instruction and rule. place is "file:line:column" or "". */
typedef void TikWarn(void *ctx, const char *name, const char *text, const char *place);

/* Does the same, and calls warn with the warnings when all cores have ended. */
TIK_API bool tik_launch_watched(const TikKernel *k, TikArray *const *args, int threads,
                                TikWarn *warn, void *ctx, TikError *err);

/* ---- several processes --------------------------------------------------- */

/* A process that shares the cores of a kernel with others of the same program, on this
 * machine or others, and how it reaches them. All of them run the same kernel with equal
 * arrays. Then rank 0 gets what one process would get: arrays to the bit, the fault,
 * warnings and counts. The arrays of the other ranks are left with any contents, and
 * they get neither faults nor warnings. */
typedef struct TikPeers {
    int32_t rank, ranks; /* 0 to ranks - 1 */
    void *ctx;
    /* Send bytes to a rank, and receive as many as it sent, in order; they may wait.
     * False: the rank cannot be reached any more. Rank 0 talks to each other one, and
     * these to rank 0 only. */
    bool (*send)(void *ctx, int32_t to, const void *bytes, size_t n);
    bool (*receive)(void *ctx, int32_t from, void *bytes, size_t n);
    /* set by a run: why rank 0 ran all cores alone; null: they were shared */
    const char *alone;
} TikPeers;

/* Does as tik_launch_watched, with the cores shared among peers. */
TIK_API bool tik_launch_among(TikPeers *peers, const TikKernel *k, TikArray *const *args,
                              int threads, TikWarn *warn, void *ctx, TikError *err);

/* ---- blobs --------------------------------------------------------------- */

/* Runs a kernel of a verified blob on the emulator, in program order and with all cores
 * one after another. kernel is its index in the blob. */
TIK_API bool tik_emulate(const uint8_t *blob, size_t size, int kernel,
                         TikArray *const *args, TikError *err);

enum {
    TIK_QUEUES = 7,    /* S, V, M, MTE1, MTE2, MTE3, FIX: rows of isa/pipe.def */
    TIK_MEMORIES = 12, /* GM, UB, L1, ...: rows of isa/scope.def */
    /* what a queue waits for beside other queues: the dispatcher that hands out
     * descriptors, and, at a barrier, the other cores */
    TIK_WAIT_DISPATCHER = TIK_QUEUES,
    TIK_WAIT_CORES,
    TIK_WAITS
};

/* Bytes that an instruction accesses, of a region of the kernel: addresses in a memory of
 * the core, offsets in an array of global memory. */
typedef struct TikProfileAccess {
    uint32_t region;
    bool write;
    int64_t lo, hi; /* hi is one past the last byte */
} TikProfileAccess;

/* An instruction in the model of the queues: clocks from the start of the kernel. On the
 * queue S these are accesses to elements, and, with begin equal to end, descriptors for
 * which the dispatcher waited. */
typedef struct TikProfileEvent {
    uint32_t core, descriptor;
    int queue; /* index in TikProfile.queue */
    uint64_t begin, end;
    uint64_t waited; /* clocks for which its queue was idle before */
    int waited_for;  /* the queue, or a TIK_WAIT_ */
    uint64_t since;  /* when what it waited for there began; of queues only */
    int from, to;    /* memories of a move that has bytes */
    uint64_t bytes;  /* that were moved */
    int naccess;
    const TikProfileAccess *access; /* valid in the call only */
} TikProfileEvent;

/* A wait_flag and the set_flag that it waits for. */
typedef struct TikProfileFlag {
    uint32_t core;
    uint32_t set, wait; /* descriptors */
    int from, to;       /* the queue that sets it, the one that waits */
    uint32_t id;
    uint64_t since;   /* when the last instruction before set_flag began */
    uint64_t set_at;  /* when the flag is up */
    uint64_t wait_at; /* when the queue comes to wait_flag; it goes on at the later one */
} TikProfileFlag;

/* What the mode time finds (docs/emulator.md). The caller zeroes it and sets the
 * functions and ctx; the emulator fills the rest. It is a model: results never depend on
 * it. */
typedef struct TikProfile {
    /* called for each instruction and each pair of flags, in the order of execution; may
     * be null */
    void (*event)(void *ctx, const TikProfileEvent *e);
    void (*flag)(void *ctx, const TikProfileFlag *f);
    void *ctx;
    int64_t mhz; /* clock of a core; 0: the rates of the processor are not known, so that
                  * clocks mean nothing and only what is counted does */
    uint32_t cores;       /* that ran */
    uint64_t clocks;      /* until the last core ended, if all start at once */
    uint64_t core_clocks; /* sum over the cores */
    uint64_t descriptors; /* that were executed */
    bool in_l2; /* all arguments fit into L2: its rates count for global memory */
    struct {
        uint64_t busy, instructions;
        /* clocks for which the queue was idle, by what it waited for: a queue, or a
         * TIK_WAIT_ */
        uint64_t wait[TIK_WAITS];
    } queue[TIK_QUEUES];
    uint64_t moved[TIK_MEMORIES][TIK_MEMORIES]; /* bytes, from and to */
    /* bytes a clock of a path between two memories, as the model takes them */
    int64_t rate[TIK_MEMORIES][TIK_MEMORIES];
} TikProfile;

/* The name of a queue, "MTE2", or of a memory, "UB"; null past the last one. */
TIK_API const char *tikrt_queue_name(int queue);
TIK_API const char *tikrt_memory_name(int memory);

/* What the emulator checks and shows in addition to the results. */
typedef struct TikEmuOptions {
    uint8_t lmem_fill; /* value of each byte of LMEM when a core starts */
    /* gets the LMEM lanes of core 0 when it has ended: uint8 of the shape (lanes, bytes
     * that the kernel uses), which the caller frees; may be null */
    TikArray *lmem;
    TikWarn *warn; /* null: warnings are dropped, and not looked for */
    void *ctx;
    /* mode check: warnings of uses of what was never written, in memories of a core,
     * registers and arrays (uninit, pad-read), and of cores that collide in global memory
     * (core-collision) */
    bool check;
    /* for each argument: its array has contents that the kernel may read; null: all
     * arrays have. Only mode check asks */
    const bool *defined;
    TikProfile *profile; /* mode time; null: there is no model */
    /* a blob that says so is executed by its queues, in one of the orders that its flags
     * allow, which this number chooses; 0: in the order of the program */
    uint64_t schedule;
    TikPeers *peers; /* share the cores; null: this process runs all */
} TikEmuOptions;

TIK_API bool tik_emulate_watched(const uint8_t *blob, size_t size, int kernel,
                                 TikArray *const *args, const TikEmuOptions *options,
                                 TikError *err);

/* Blobs by handle, for callers that do without tikblob.h, such as bindings of other
 * languages. tik_load copies the bytes and verifies all kernels; null after an error. */
typedef struct TikLoaded TikLoaded;
TIK_API TikLoaded *tik_load(const void *bytes, size_t size, TikError *err);
TIK_API void tik_unload(TikLoaded *b); /* b may be null */
TIK_API int tik_loaded_kernels(const TikLoaded *b);
/* Describes a kernel as compiled ones are described: name, soc, cores and params; entry
 * is null. It is valid until tik_unload. */
TIK_API const TikKernel *tik_loaded_kernel(const TikLoaded *b, int kernel);
/* The rules that were proved, and those that are left to a check while running. */
TIK_API void tik_loaded_proof(const TikLoaded *b, int kernel, int64_t *proved,
                              int64_t *checked);
TIK_API bool tik_loaded_run(const TikLoaded *b, int kernel, TikArray *const *args,
                            const TikEmuOptions *options, TikError *err);

#ifdef __cplusplus
}
#endif
#endif
