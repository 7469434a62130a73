/* cursor.h: where in a text the cursor is, found without a parse: while someone types,
 * the text is seldom right. */
#ifndef TIKC_LSP_CURSOR_H
#define TIKC_LSP_CURSOR_H

#include "base/arena.h"

/* A piece of the text. */
typedef struct Slice {
    size_t begin, end;
} Slice;

typedef enum CursorIn {
    IN_CODE,
    IN_STRING,
    IN_COMMENT
} CursorIn;

enum {
    CURSOR_NAMED = 64 /* keyword arguments that are remembered */
};

typedef struct LspCursor {
    CursorIn in;
    Slice word;     /* the name at the cursor, or the string before it; may be empty */
    bool dotted;    /* a dot is before the name */
    Slice receiver; /* the name before that dot */
    /* the innermost call whose brackets are open */
    bool call;
    Slice callee, callee_receiver; /* receiver: empty if the callee has none */
    int arg;                       /* number of commas before the cursor */
    Slice keyword; /* the name of the argument at the cursor, if it is a keyword one */
    Slice named[CURSOR_NAMED]; /* the keyword arguments before the cursor */
    int nnamed;
} LspCursor;

void cursor_find(const char *text, size_t size, size_t offset, LspCursor *out);

static inline size_t
slice_size(Slice s)
{
    return s.end - s.begin;
}

#endif
