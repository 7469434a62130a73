/* cursor.c: scans a text up to the cursor: strings, comments, brackets, and the names
 * before them. */
#include "lsp/cursor.h"

#include <string.h>

enum {
    MOST_OPEN = 200 /* brackets; deeper ones are not followed */
};

typedef struct Open {
    char bracket;
    Slice callee, receiver; /* of a call; else empty */
    int arg;
    Slice keyword;
    Slice named[CURSOR_NAMED];
    int nnamed;
} Open;

typedef struct Scan {
    const char *text;
    size_t size, at;
    Slice name, before; /* the name that was read last, and the one before its dot */
    bool dot;           /* a dot is the last token */
    Open open[MOST_OPEN];
    int depth;
    CursorIn in;
    size_t string; /* where the text of the string begins */
} Scan;

static bool
is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

/* ---- strings and comments ------------------------------------------------ */

/* Skips a string that begins with a quote; it may end at the cursor. */
static void
skip_string(Scan *s, size_t end)
{
    char quote = s->text[s->at];
    size_t left = end - s->at;
    bool triple = left >= 3 && s->text[s->at + 1] == quote && s->text[s->at + 2] == quote;
    s->at += triple ? 3 : 1;
    s->string = s->at;
    s->in = IN_STRING;
    while (s->at < end) {
        char c = s->text[s->at];
        if (c == '\\' && s->at + 1 < end) {
            s->at += 2;
        } else if (c == quote &&
                   (!triple || (end - s->at >= 3 && s->text[s->at + 1] == quote &&
                                s->text[s->at + 2] == quote))) {
            s->at += triple ? 3 : 1;
            s->in = IN_CODE;
            return;
        } else if (c == '\n' && !triple) {
            s->in = IN_CODE; /* it was not closed */
            return;
        } else {
            s->at++;
        }
    }
}

static void
skip_comment(Scan *s, size_t end)
{
    const char *line = memchr(s->text + s->at, '\n', end - s->at);
    s->in = line ? IN_CODE : IN_COMMENT;
    s->at = line ? (size_t)(line - s->text) : end;
}

/* ---- code ---------------------------------------------------------------- */

/* A statement that begins at the start of a line is in no bracket: one before it was left
 * open. */
static bool
begins_statement(const Scan *s, Slice name)
{
    static const char *const words[] = {"def", "class", "with",   "for",    "while",
                                        "if",  "from",  "import", "return", "try"};
    if (name.begin > 0 && s->text[name.begin - 1] != '\n') {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strlen(words[i]) == slice_size(name) &&
            memcmp(s->text + name.begin, words[i], slice_size(name)) == 0) {
            return true;
        }
    }
    return false;
}

static void
read_name(Scan *s, size_t end)
{
    Slice name = {s->at, s->at};
    while (name.end < end && is_name(s->text[name.end])) {
        name.end++;
    }
    s->before = s->dot ? s->name : (Slice){0, 0};
    s->name = name;
    s->dot = false;
    s->at = name.end;
    if (s->depth && begins_statement(s, name)) {
        s->depth = 0;
    }
}

static void
open_bracket(Scan *s, char c)
{
    if (s->depth < MOST_OPEN) {
        Open *o = &s->open[s->depth];
        memset(o, 0, sizeof *o);
        o->bracket = c;
        if (c == '(') {
            o->callee = s->name;
            o->receiver = s->before;
        }
    }
    s->depth++;
}

static Open *
top(Scan *s)
{
    return s->depth > 0 && s->depth <= MOST_OPEN ? &s->open[s->depth - 1] : NULL;
}

/* Notes that the argument at the cursor is a keyword one. */
static void
note_keyword(Scan *s)
{
    Open *o = top(s);
    bool compares = s->at + 1 < s->size && s->text[s->at + 1] == '=';
    if (o && o->bracket == '(' && slice_size(s->name) && !compares) {
        o->keyword = s->name;
        if (o->nnamed < CURSOR_NAMED) {
            o->named[o->nnamed++] = s->name;
        }
    }
}

static void
read_mark(Scan *s)
{
    char c = s->text[s->at];
    Open *o = top(s);
    if (strchr("([{", c)) {
        open_bracket(s, c);
    } else if (strchr(")]}", c)) {
        s->depth -= s->depth > 0;
    } else if (c == ',' && o) {
        o->arg++;
        o->keyword = (Slice){0, 0};
    } else if (c == '=') {
        note_keyword(s);
    }
    if (c == '.') {
        s->dot = true;
    } else {
        s->name = s->before = (Slice){0, 0};
        s->dot = false;
    }
    s->at++;
}

static void
scan_to(Scan *s, size_t end)
{
    while (s->at < end && s->in == IN_CODE) {
        char c = s->text[s->at];
        if (c == '\'' || c == '"') {
            skip_string(s, end);
            s->name = s->before = (Slice){0, 0};
            s->dot = false;
        } else if (c == '#') {
            skip_comment(s, end);
        } else if (is_name(c)) {
            read_name(s, end);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            s->at++;
        } else if (c == 0) {
            s->at++;
        } else {
            read_mark(s);
        }
    }
}

/* Returns the innermost open call. */
static const Open *
call_of(const Scan *s)
{
    for (int i = MIN(s->depth, (int)MOST_OPEN); i > 0; i--) {
        if (s->open[i - 1].bracket == '(' && slice_size(s->open[i - 1].callee)) {
            return &s->open[i - 1];
        }
    }
    return NULL;
}

void
cursor_find(const char *text, size_t size, size_t offset, LspCursor *out)
{
    Scan s = {.text = text, .size = size};
    size_t begin = offset, end = offset;
    memset(out, 0, sizeof *out);
    while (begin > 0 && is_name(text[begin - 1])) {
        begin--;
    }
    while (end < size && is_name(text[end])) {
        end++;
    }
    scan_to(&s, begin);
    out->in = s.in;
    out->word = s.in == IN_STRING ? (Slice){s.string, offset} : (Slice){begin, end};
    out->dotted = s.in == IN_CODE && s.dot;
    out->receiver = s.dot ? s.name : (Slice){0, 0};
    const Open *call = call_of(&s);
    out->call = call != NULL;
    if (call) {
        out->callee = call->callee;
        out->callee_receiver = call->receiver;
        out->arg = call->arg;
        out->keyword = call->keyword;
        memcpy(out->named, call->named, sizeof out->named);
        out->nnamed = call->nnamed;
    }
}
