/* source.h: holds source texts and positions in them. A Span is a file id and a byte
 * range; line and column are computed only when something is printed. */
#ifndef TIKC_SOURCE_H
#define TIKC_SOURCE_H

#include "base/arena.h"

typedef struct Span {
    /* index into Unit.sources; 0 is "nowhere" (command line, whole file) */
    uint32_t file;
    uint32_t begin;
    uint32_t end; /* one past the last byte */
} Span;

typedef struct LineCol {
    uint32_t line;   /* from 1; 0 means the whole file */
    uint32_t column; /* from 1, in bytes of the line */
} LineCol;

typedef struct Source {
    const char *path; /* as the user wrote it, and as diagnostics print it */
    const char *text; /* zero-ended */
    uint32_t len;
    uint32_t *line_starts; /* byte offset of each line, made on first use */
    uint32_t nlines;
    /* true if the text is not available: offsets are then indices of places */
    bool absent;
    VEC(LineCol) places;
} Source;

LineCol source_line_col(Arena *a, Source *src, uint32_t offset);
/* Returns the text of a line (from 1) without its line end; *len gets its length. */
const char *source_line(Arena *a, Source *src, uint32_t line, uint32_t *len);

#endif
