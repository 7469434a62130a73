/* writer.h: the tables of the writer, which encode.c (descriptors) and writer.c
 * (container) share. It needs malloc and is private to runtime/blob. */
#ifndef TIK_BLOB_WRITER_H
#define TIK_BLOB_WRITER_H

#include "blob/blob.h"

/* Bytes that grow. failed is set when memory is exhausted, and stays. */
typedef struct Bytes {
    uint8_t *p;
    size_t n, cap;
    bool failed;
} Bytes;

/* Adds n zeroed bytes at the end; null when memory is exhausted. They are valid until the
 * next call. */
uint8_t *bytes_add(Bytes *b, size_t n);

/* An index of items by their bytes: an open-addressed table of offsets plus one. */
typedef struct Index {
    uint32_t *slots;
    uint32_t nslots, used;
} Index;

typedef struct WriterPlace {
    uint32_t file, line, column; /* file is a string id */
    uint32_t frame;              /* number in TikBlobWriter.frames; 0: none */
} WriterPlace;

/* The fields of the records of CALL in their order, with numbers and string ids of the
 * writer. */
typedef struct WriterFrame {
    uint32_t depth, parent, callee, file, line, column;
} WriterFrame;

typedef struct WriterName {
    uint32_t descriptor; /* index of the descriptor over all kernels */
    uint32_t name;       /* string id */
    TikNum num;
    Dtype dtype;
} WriterName;

typedef struct WriterKernel {
    /* args and regions are copies; names are replaced by the ids below */
    TikBlobKernelInfo info;
    uint32_t name;
    uint32_t *arg_names,
        *region_names; /* string ids; data of regions is in TikBlobWriter.tables */
    uint32_t code_first, code_slots, ndescriptors, nregs, nloops;
} WriterKernel;

struct TikBlobWriter {
    const Soc *soc;
    Choices choices;
    bool failed; /* out of memory */
    bool check_unproved;
    Bytes code;
    Bytes rows;      /* AFFN, without links */
    Bytes strings;   /* texts with their zero bytes, in order of arrival */
    Bytes string_at; /* a uint32_t for each id: its offset in strings */
    Index row_index, string_index, frame_index;
    Bytes frames;  /* WriterFrame */
    Bytes kernels; /* WriterKernel */
    Bytes places;  /* a WriterPlace for each descriptor */
    Bytes names;   /* WriterName, in the order of descriptors */
    Bytes tables;  /* CNST */
    bool has_place;
    bool has_empty; /* there is a frame without a place */
    uint32_t depth; /* open loops of the present kernel */
};

/* Returns the id of a text, in which bytes that are not UTF-8 become '?'. */
uint32_t writer_string(TikBlobWriter *w, const char *text);
/* Returns the record of an affine row (head with terms, no link) in AFFN, to which it is
 * added when it is new. */
uint32_t writer_row(TikBlobWriter *w, const uint8_t *row, size_t size);
WriterKernel *writer_kernel(TikBlobWriter *w);

typedef struct EncodeError {
    char *text;
    size_t size;
} EncodeError;

/* Appends a descriptor to w->code. */
bool writer_encode(TikBlobWriter *w, const TikDesc *d, const EncodeError *err);

#endif
