/* wording.c: see wording.h. */
#include "ir/wording.h"

#include <string.h>

static const struct {
    const char *recorded;
    const char *word;   /* of data_copy where the scale is a number */
    const char *vector; /* of data_copy where the scale is a tensor */
} words[] = {
    {"tensor_mov", "data_copy", "data_copy"},
    {"nburst", "block_count", "block_count"},
    {"burst_len", "block_len", "block_len"},
    {"deqscale", "deq_value", "deq_tensor_addr"},
    {"relu is applied", "relu is applied", "relu is applied"},
    {"relu is not applied", "relu is not applied", "relu is not applied"},
    {"relu", "is_relu", "is_relu"},
    {"block mode 'm'", "BLOCK_MODE_MATRIX", "BLOCK_MODE_MATRIX"},
    {"block mode 'v'", "BLOCK_MODE_VECTOR", "BLOCK_MODE_VECTOR"},
};

static bool
in_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

const char *
wording_of_copy(Arena *a, const char *text, bool vector)
{
    Text t;
    text_init(&t, a);
    text_put(&t, "");
    for (const char *s = text; *s;) {
        bool begins = s == text || !in_word(s[-1]);
        size_t i = 0, n = 0;
        for (; begins && i < ARRAY_LEN(words); i++) {
            n = strlen(words[i].recorded);
            if (strncmp(s, words[i].recorded, n) == 0 && !in_word(s[n])) {
                break;
            }
        }
        if (begins && i < ARRAY_LEN(words)) {
            text_put(&t, vector ? words[i].vector : words[i].word);
            s += n;
        } else {
            text_putc(&t, *s++);
        }
    }
    return t.p;
}

/* Returns whether the call in the source is one of data_copy; a call by another name
 * keeps the words of the record. */
static bool
is_data_copy(const Kernel *k, const Stmt *s)
{
    static const char name[] = "data_copy";
    const Source *src = &k->unit->sources.p[s->span.file];
    size_t n = sizeof name - 1;
    for (uint32_t i = s->span.begin; i < s->span.end && i < src->len; i++) {
        if (src->text[i] == '(') {
            return i >= n && memcmp(src->text + i - n, name, n) == 0;
        }
    }
    return false;
}

const char *
wording_of_call(const Kernel *k, const Stmt *s, const char *text)
{
    bool vector = s->kind == ST_INSTR && s->instr.op == OP_TENSOR_MOV_VECTOR;
    if (s->kind != ST_INSTR || (s->instr.op != OP_TENSOR_MOV && !vector) ||
        !is_data_copy(k, s)) {
        return text;
    }
    return wording_of_copy(&k->unit->arena, text, vector);
}
