/* tikrt.h: libtikrt, what a test bench or a program links to run kernels: arrays from
 * .npy files, launch of compiled kernels over cores, the emulator for blobs. Independent
 * of the compiler.
 *
 * Errors: functions return false and fill a TikError; nothing prints or exits.
 *
 * This header and those that it includes stand alone, in C11 and C++17: types, and the
 * functions marked TIK_API. */
#ifndef TIKRT_H
#define TIKRT_H

#include "isa/types.h"
#include "tik_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why something failed. kind selects the exit code of tools. */
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
    char where
        /* of a fault: "core 3, i = 7, left = 452": the core of several, the variables of
         * the loops around it, the Scalars that it read; or "" */
        [WHERE_BYTES];
    /* of a fault: the innermost call of the program's functions that led there while
     * compiling, number in TikKernel.frames or in the blob (tikblob_frame); 0: none or
     * not known */
    uint32_t frame;
} TikError;

/* ---- arrays -------------------------------------------------------------- */

/* A global tensor's storage, 64-byte aligned. Or what an address
 * list stands for: items are its elems arrays, of any dtype and at most LIST_WINDOW / 2
 * bytes, which the caller owns; data is null then. Arrays of one run share no bytes.
 * Kernels may touch the granule of a tensor (tik_array_room), bytes after its data that
 * are zero when the run begins. An array that says that it has this room lends it,
 * zeroed, to the run; one of exactly its bytes (room 0) is copied for the run where the
 * kernel may get there. */
typedef struct TikArray {
    Dtype dtype;
    int64_t elems;
    int ndim;
    int64_t shape[8];
    uint8_t *data;
    int64_t bytes; /* elems * size, without the tail */
    struct TikArray *items;
    /* bytes from data on that are the array's, those behind its data too; 0: its data
     * alone */
    int64_t room;
} TikArray;

/* The type of tensors of that name; DT_NONE: there is none. */
TIK_API Dtype tikrt_dtype(const char *name);
/* "float16"; bytes of one element, or of two of 4 bits. */
TIK_API const char *tikrt_dtype_name(Dtype t);
TIK_API int tikrt_dtype_size(Dtype t);
TIK_API const char *tikrt_role_name(int role); /* of an ArgRole: "input" */
/* Bytes from data on that an array of so many bytes needs to have the room that kernels
 * may touch. */
TIK_API int64_t tik_array_room(int64_t bytes);
TIK_API bool tik_array_alloc(TikArray *a, Dtype t, int64_t elems,
                             TikError *err); /* zeros */
TIK_API void tik_array_free(TikArray *a);    /* not its items */
/* Reads a .npy file (versions 1 to 3, C order, little endian). dtype: what the tensor
 * has; bfloat16 is stored as uint16. elems: what the tensor has, -1: as many as the file.
 * For an array of a list: DT_NONE and -1. */
TIK_API bool tik_npy_read(const char *path, Dtype dtype, int64_t elems, TikArray *out,
                          TikError *err);
/* The same of a file that is in memory: data points into it, at any address, without
 * room; there is nothing to free. path is for messages. */
TIK_API bool tik_npy_view(const char *path, const void *file, size_t size, Dtype dtype,
                          int64_t elems, TikArray *out, TikError *err);
/* Writes through a temporary file that is renamed; shape as in the array. */
TIK_API bool tik_npy_write(const char *path, const TikArray *a, TikError *err);

/* ---- compiled kernels ---------------------------------------------------- */

typedef struct TikCore TikCore;

/* Entry of a compiled kernel: runs one core's part. args: one pointer per argument, of a
 * list to its table of ListItem; then, as integers of that width, the size of each
 * argument in bytes. Returns 0, or 1 after a run-time check failed and was recorded in
 * core. */
typedef int (*TikEntry)(uint8_t *const *args, int32_t core_index, uint8_t *scratch,
                        TikCore *core);

/* One source position in a kernel, for faults. */
typedef struct TikPlace {
    const char *file;
    uint32_t line, column;
    uint32_t frame; /* the innermost call that led there, number in frames; 0: none */
} TikPlace;

/* A call of a function of the program, made while compiling. They have numbers from 1; a
 * parent's is less. */
typedef struct TikFrame {
    const char *callee;
    const char *file; /* where the call stands */
    uint32_t line, column;
    uint32_t parent; /* the call that it stands in; 0: the top level */
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
    int32_t open; /* not 0: elems is only the most; the size is that of the array given */
    int32_t inside; /* not 0: no access touches bytes behind the data */
} TikParam;

/* How the cores of a kernel follow each other. */
enum {
    TIK_ORDERED = 1,
    TIK_TURNS
};

/* Everything a launcher needs to know of a kernel; constant data beside the code. */
typedef struct TikKernel {
    const char *name;
    const char *soc;
    TikEntry entry;
    int32_t cores; /* how often entry runs, core_index 0 .. cores-1 */
    /* TIK_ORDERED: cores run one after another; TIK_TURNS: from the first
     * atomic write of each; 0: as they like */
    int32_t ordered;
    int32_t fill_scratch;  /* not 0: scratch is filled with 0xff before each core */
    int32_t meets;         /* not 0: cores wait for each other (block_barrier) */
    int64_t scratch_bytes; /* UB, L1, L0A, L0B, L0C ... laid out one behind the other */
    int64_t lane_bytes; /* how far apart the lanes of LMEM lie in it; 0: there are none */
    int32_t nparams;
    const TikParam *params;
    int32_t nplaces;
    const TikPlace *places;
    const Choices *choices; /* readings that it was compiled with; null: the usual ones */
    int32_t nframes;
    const TikFrame *frames; /* number 1 is the first */
} TikKernel;

/* Runs all cores, on up to threads threads (0: as many as OpenMP gives). args in
 * parameter order; those that the kernel wants preset are filled first. A fault of the
 * lowest core index is reported. */
TIK_API bool tik_launch(const TikKernel *k, TikArray *const *args, int threads,
                        TikError *err);

/* Told of a warning while running (relu-mismatch, deq-reserved, sign-forced, nop,
 * stride-0, sync-leftover; of the emulator also uninit-read, pad-read and bank-conflict),
 * once for each instruction and rule; place: "file:line:column" or "". */
typedef void TikWarn(void *ctx, const char *name, const char *text, const char *place);

/* The same, and tells warn of warnings when all cores have ended. */
TIK_API bool tik_launch_watched(const TikKernel *k, TikArray *const *args, int threads,
                                TikWarn *warn, void *ctx, TikError *err);

/* ---- blobs --------------------------------------------------------------- */

/* Runs a kernel of a verified blob on the emulator, fast mode: program order, all cores
 * one after another. kernel: index in the blob. */
TIK_API bool tik_emulate(const uint8_t *blob, size_t size, int kernel,
                         TikArray *const *args, TikError *err);

/* What the emulator watches and shows beside the results. */
typedef struct TikEmuOptions {
    uint8_t lmem_fill; /* bytes of LMEM when a core starts; else 0 */
    /* gets the lanes of core 0 when it has ended, uint8 of (lanes, bytes that the kernel
     * uses), which the caller frees; null: nothing does */
    TikArray *lmem;
    TikWarn *warn; /* null: nobody is told, and nothing is watched */
    void *ctx;
} TikEmuOptions;

TIK_API bool tik_emulate_watched(const uint8_t *blob, size_t size, int kernel,
                                 TikArray *const *args, const TikEmuOptions *options,
                                 TikError *err);

#ifdef __cplusplus
}
#endif
#endif
