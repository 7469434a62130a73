/* npy_header.c: reads the dictionary of a .npy header: three known keys, each once, with
 * a string, a bool and a tuple of non-negative integers. An L after a number, which old
 * writers add, is skipped. */
#include "launch/npy_header.h"

#include <string.h>

typedef struct Reader {
    const char *p, *end;
    const char *why;
} Reader;

static bool
fail(Reader *r, const char *why)
{
    r->why = why;
    return false;
}

static void
skip_space(Reader *r)
{
    while (r->p < r->end &&
           (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r')) {
        r->p++;
    }
}

/* Skips spaces, and c if it is next. Returns whether it was. */
static bool
take(Reader *r, char c)
{
    skip_space(r);
    if (r->p < r->end && *r->p == c) {
        r->p++;
        return true;
    }
    return false;
}

static bool
read_string(Reader *r, char *out, size_t size)
{
    skip_space(r);
    if (r->p >= r->end || (*r->p != '\'' && *r->p != '"')) {
        return fail(r, "its header has no string where one belongs");
    }
    char quote = *r->p++;
    size_t n = 0;
    while (r->p < r->end && *r->p != quote) {
        if (n + 1 >= size || *r->p == '\\' || *r->p < ' ') {
            return fail(r, "its header has a string that no array header has");
        }
        out[n++] = *r->p++;
    }
    out[n] = '\0';
    return take(r, quote) || fail(r, "its header has an unterminated string");
}

static bool
take_word(Reader *r, const char *word)
{
    skip_space(r);
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0) {
        return false;
    }
    r->p += n;
    return true;
}

static bool
read_bool(Reader *r, bool *out)
{
    *out = take_word(r, "True");
    return *out || take_word(r, "False") ||
           fail(r, "its fortran_order is not True or False");
}

static bool
read_int(Reader *r, int64_t *out)
{
    skip_space(r);
    int64_t v = 0;
    const char *first = r->p;
    while (r->p < r->end && *r->p >= '0' && *r->p <= '9') {
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, *r->p - '0', &v)) {
            return fail(r, "its shape has a number that is too large");
        }
        r->p++;
    }
    if (r->p == first) {
        return fail(r, "its shape is not a tuple of numbers");
    }
    if (r->p < r->end && *r->p == 'L') {
        r->p++;
    }
    *out = v;
    return true;
}

static bool
read_shape(Reader *r, NpyHeader *h)
{
    if (!take(r, '(')) {
        return fail(r, "its shape is not a tuple of numbers");
    }
    h->ndim = 0;
    bool comma = true;
    while (!take(r, ')')) {
        if (!comma) {
            return fail(r, "its shape is not a tuple of numbers");
        }
        if (h->ndim == NPY_MAX_DIMS) {
            return fail(r, "its shape has too many dimensions");
        }
        if (!read_int(r, &h->shape[h->ndim++])) {
            return false;
        }
        comma = take(r, ',');
    }
    return h->ndim != 1 || comma || fail(r, "its shape is not a tuple of numbers");
}

enum {
    KEY_DESCR = 1,
    KEY_ORDER = 2,
    KEY_SHAPE = 4,
    KEY_ALL = 7
};

static bool
read_entry(Reader *r, NpyHeader *h, int *seen)
{
    char key[32];
    if (!read_string(r, key, sizeof key)) {
        return false;
    }
    if (!take(r, ':')) {
        return fail(r, "its header is not a dictionary");
    }
    int bit = strcmp(key, "descr") == 0           ? KEY_DESCR
              : strcmp(key, "fortran_order") == 0 ? KEY_ORDER
              : strcmp(key, "shape") == 0         ? KEY_SHAPE
                                                  : 0;
    if (bit == 0 || (*seen & bit) != 0) {
        return fail(r, "its header has an unknown or repeated key");
    }
    *seen |= bit;
    if (bit == KEY_DESCR) {
        skip_space(r);
        if (r->p < r->end && *r->p == '[') {
            return fail(r, "it holds records; a tensor has one number per element");
        }
        return read_string(r, h->descr, sizeof h->descr);
    }
    return bit == KEY_ORDER ? read_bool(r, &h->fortran) : read_shape(r, h);
}

static bool
read_dict(Reader *r, NpyHeader *h)
{
    if (!take(r, '{')) {
        return fail(r, "its header is not a dictionary");
    }
    int seen = 0;
    bool comma = true;
    while (!take(r, '}')) {
        if (!comma) {
            return fail(r, "its header is not a dictionary");
        }
        if (!read_entry(r, h, &seen)) {
            return false;
        }
        comma = take(r, ',');
    }
    if (seen != KEY_ALL) {
        return fail(r, "its header lacks descr, fortran_order or shape");
    }
    skip_space(r);
    return r->p == r->end || fail(r, "its header has text after the dictionary");
}

bool
npy_parse_header(const char *text, size_t len, NpyHeader *out, const char **why)
{
    Reader r = {text, text + len, NULL};
    memset(out, 0, sizeof *out);
    bool ok = read_dict(&r, out);
    *why = r.why;
    return ok;
}
