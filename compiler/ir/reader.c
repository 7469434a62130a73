/* reader.c: reads tokens and names of the IR's text form. See reader.h. */
#include "ir/reader.h"

#include <string.h>

/* ---- tokens -------------------------------------------------------------- */

bool
reader_fail_at(const Reader *p, uint32_t begin, DiagId id, const char *text)
{
    uint32_t end = p->pos > begin ? p->pos : begin + (p->text[begin] != 0);
    diag_add(p->u, id, (Span){p->file, begin, end}, 0, "%s", text);
    return false;
}

bool
reader_fail(const Reader *p, uint32_t begin, const char *text)
{
    return reader_fail_at(p, begin, D_SYNTAX, text);
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* Returns the next character that is neither space nor comment; 0 at the end. */
char
reader_peek(Reader *p)
{
    for (;;) {
        char c = p->text[p->pos];
        if (c == '#') {
            while (p->text[p->pos] && p->text[p->pos] != '\n') {
                p->pos++;
            }
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            p->pos++;
        } else {
            return c;
        }
    }
}

bool
reader_accept(Reader *p, const char *token)
{
    reader_peek(p);
    size_t n = strlen(token);
    if (strncmp(p->text + p->pos, token, n) != 0 ||
        (is_word(token[n - 1]) && is_word(p->text[p->pos + n]))) {
        return false;
    }
    p->pos += (uint32_t)n;
    return true;
}

bool MUST_USE
reader_expect(Reader *p, const char *token)
{
    if (reader_accept(p, token)) {
        return true;
    }
    return reader_fail(p, p->pos, arena_printf(&p->scratch, "expected '%s'", token));
}

/* Reads a word of name characters and of the given others. */
bool MUST_USE
reader_word(Reader *p, const char *others, const char *what, const char **out)
{
    reader_peek(p);
    uint32_t begin = p->pos;
    while (is_word(p->text[p->pos]) ||
           (p->text[p->pos] && strchr(others, p->text[p->pos]))) {
        p->pos++;
    }
    *out = arena_strndup(&p->scratch, p->text + begin, p->pos - begin);
    if (p->pos == begin || is_digit((*out)[0])) {
        return reader_fail(p, begin, arena_printf(&p->scratch, "expected %s", what));
    }
    return true;
}

bool MUST_USE
reader_operand_dtype(Reader *p, Dtype *out)
{
    const char *w;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_word(p, "", "a dtype", &w));
    *out = dtype_find_operand(w);
    if (*out == DT_NONE) {
        return reader_fail(p, begin, arena_printf(&p->scratch, "'%s' is not a dtype", w));
    }
    return true;
}

bool MUST_USE
reader_dtype_word(Reader *p, Dtype *out)
{
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_operand_dtype(p, out));
    return *out < DT_PLAIN ||
           reader_fail(p, begin,
                       arena_printf(&p->scratch, "'%s' is no dtype of scalars",
                                    dtype_name(*out)));
}

bool MUST_USE
reader_stored_dtype(Reader *p, Dtype *out)
{
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_operand_dtype(p, out));
    return dtype_is_stored((int)*out) ||
           reader_fail(p, begin,
                       arena_printf(&p->scratch, "'%s' is a dtype of operands only",
                                    dtype_name(*out)));
}

bool MUST_USE
reader_natural(Reader *p, int64_t lo, int64_t hi, int64_t *out)
{
    reader_peek(p);
    uint32_t begin = p->pos;
    int64_t v = 0;
    bool fits = true;
    while (is_digit(p->text[p->pos])) {
        fits =
            fits && checked_mul(v, 10, &v) && checked_add(v, p->text[p->pos] - '0', &v);
        p->pos++;
    }
    if (p->pos == begin || !fits || v < lo || v > hi) {
        return reader_fail(p, begin,
                           arena_printf(&p->scratch,
                                        "expected a number from %lld to %lld",
                                        (long long)lo, (long long)hi));
    }
    *out = v;
    return true;
}

static int
hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool MUST_USE
reader_bytes(Reader *p, int64_t n, const uint8_t **out)
{
    /* The text has two characters for each byte, so no more is allocated than is read. */
    VEC(uint8_t) bytes = {0};
    for (int64_t i = 0; i < n; i++) {
        int high = hex_digit(reader_peek(p));
        int low = high >= 0 ? hex_digit(p->text[p->pos + 1]) : -1;
        if (low < 0) {
            return reader_fail(p, p->pos, "expected two hexadecimal digits");
        }
        VEC_PUSH(&p->scratch, &bytes, (uint8_t)(high << 4 | low));
        p->pos += 2;
    }
    *out = bytes.p;
    return true;
}

/* ---- names --------------------------------------------------------------- */

/* Reads NAME or NAME.n after its sigil; base gets NAME, full the symbol of all of it. */
bool MUST_USE
reader_sigil_name(Reader *p, const char *sigil, Sym *base, Sym *full)
{
    const char *w;
    TRY(reader_expect(p, sigil));
    uint32_t begin = p->pos;
    if (!is_word(p->text[begin])) {
        return reader_fail(p, begin, "expected a name");
    }
    TRY(reader_word(p, "", "a name", &w));
    *base = intern(&p->u->names, w);
    if (p->text[p->pos] == '.' && is_digit(p->text[p->pos + 1])) {
        p->pos++;
        while (is_digit(p->text[p->pos])) {
            p->pos++;
        }
    }
    *full = intern_n(&p->u->names, p->text + begin, p->pos - begin);
    return true;
}

uint32_t
reader_find_name(const NameTable *t, Sym s)
{
    return s < t->cap ? t->id[s] : 0;
}

bool MUST_USE
reader_declare_name(Reader *p, NameTable *t, Sym s, uint32_t id)
{
    if (reader_find_name(t, s)) {
        const char *text = sym_text(&p->u->names, s);
        return reader_fail(p, p->pos - (uint32_t)strlen(text),
                           arena_printf(&p->scratch, "'%s' is declared already", text));
    }
    if (s >= t->cap) {
        uint32_t cap = MAX(s + 1, t->cap * 2);
        uint32_t *grown = ARENA_ARRAY(&p->scratch, uint32_t, cap);
        if (t->cap) {
            memcpy(grown, t->id, t->cap * sizeof *grown);
        }
        t->id = grown;
        t->cap = cap;
    }
    t->id[s] = id;
    VEC_PUSH(&p->scratch, &t->order, s);
    return true;
}

void
reader_forget_names(NameTable *t, uint32_t keep)
{
    while (t->order.n > keep) {
        t->id[t->order.p[--t->order.n]] = 0;
    }
}

bool MUST_USE
reader_use_name(Reader *p, const NameTable *t, const char *sigil, uint32_t *id)
{
    Sym base, full;
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(reader_sigil_name(p, sigil, &base, &full));
    *id = reader_find_name(t, full);
    if (!*id) {
        return reader_fail(p, begin,
                           arena_printf(&p->scratch, "'%s%s' is not declared here", sigil,
                                        sym_text(&p->u->names, full)));
    }
    return true;
}
