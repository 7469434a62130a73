/* position.h: positions in texts. Editors count lines from 0 and columns in code units of
 * an encoding; the compiler counts bytes. */
#ifndef TIKC_LSP_POSITION_H
#define TIKC_LSP_POSITION_H

#include "base/unit.h"

#include <jansson.h>

/* The code units of columns: UTF-16 unless both sides agreed on bytes. */
typedef enum Encoding {
    ENCODING_UTF16,
    ENCODING_UTF8
} Encoding;

/* Returns the offset of a position; one that is past the end of its line is the end of
 * the line, one past the text its end. */
size_t position_offset(const char *text, size_t size, int64_t line, int64_t character,
                       Encoding e);
/* Returns the position of an offset, {"line": 0, "character": 0}. */
json_t *position_json(const char *text, size_t size, size_t offset, Encoding e);
json_t *position_range(const char *text, size_t size, size_t begin, size_t end,
                       Encoding e);
/* Returns the range of a span in its source. */
json_t *position_span(const Unit *u, Span span, Encoding e);
/* Reads {"line": ..., "character": ...}; returns false if it is something else. */
bool position_read(const json_t *position, int64_t *line, int64_t *character);

#endif
