/* writer.h: the writer's tables, shared by encode.c (descriptors) and writer.c
 * (container). Hosted: uses malloc. Private to runtime/blob. */
#ifndef TIK_BLOB_WRITER_H
#define TIK_BLOB_WRITER_H

#include "blob/blob.h"

/* Growing bytes. failed: out of memory, sticky. */
typedef struct Bytes {
    uint8_t *p;
    size_t n, cap;
    bool failed;
} Bytes;

/* n zeroed bytes at the end; null when out of memory. Valid until the next call. */
uint8_t *bytes_add(Bytes *b, size_t n);

/* Things told apart by their bytes: an open-addressed table of offsets plus one. */
typedef struct Index {
    uint32_t *slots;
    uint32_t nslots, used;
} Index;

typedef struct WriterPlace {
    uint32_t file, line, column; /* file: string id */
    uint32_t frame;              /* number in TikBlobWriter.frames; 0: none */
} WriterPlace;

/* Fields of CALL's records in their order, with numbers and string ids of the writer. */
typedef struct WriterFrame {
    uint32_t depth, parent, callee, file, line, column;
} WriterFrame;

typedef struct WriterName {
    uint32_t descriptor; /* counted over all kernels */
    uint32_t name;       /* string id */
    TikNum num;
    Dtype dtype;
} WriterName;

typedef struct WriterKernel {
    /* args and regions are the writer's copies; names are in the ids */
    TikBlobKernelInfo info;
    uint32_t name;
    uint32_t *arg_names,
        *region_names; /* string ids; region data: in TikBlobWriter.tables */
    uint32_t code_first, code_slots, ndescriptors, nregs, nloops;
} WriterKernel;

struct TikBlobWriter {
    const Soc *soc;
    Choices choices;
    bool failed; /* out of memory */
    bool check_unproved;
    Bytes code;
    Bytes rows;      /* AFFN, links not yet made */
    Bytes strings;   /* texts with their ends, in order of arrival */
    Bytes string_at; /* uint32_t per id: offset in strings */
    Index row_index, string_index, frame_index;
    Bytes frames;  /* WriterFrame */
    Bytes kernels; /* WriterKernel */
    Bytes places;  /* WriterPlace per descriptor */
    Bytes names;   /* WriterName, by descriptor */
    Bytes tables;  /* CNST */
    bool has_place;
    bool has_empty; /* a frame without a place */
    uint32_t depth; /* open loops of the present kernel */
};

/* The id of a text; bytes that are not UTF-8 become '?'. */
uint32_t writer_string(TikBlobWriter *w, const char *text);
/* The record of an affine row in AFFN (head with terms, no link), added when it is
 * new. */
uint32_t writer_row(TikBlobWriter *w, const uint8_t *row, size_t size);
WriterKernel *writer_kernel(TikBlobWriter *w);

typedef struct EncodeError {
    char *text;
    size_t size;
} EncodeError;

/* Appends a descriptor to w->code. */
bool writer_encode(TikBlobWriter *w, const TikDesc *d, const EncodeError *err);

#endif
