/* fuzz_source.c: passes any text through parser, evaluator, passes and the stream back
 * end. What is accepted must verify and must run on the emulator without a fault of ours.
 * Every other input is changed in whole lines and words, which leaves most programs
 * well-formed; the rest is changed byte by byte. */
#include "python/interp.h"
#include "tikblob.h"
#include "pipeline.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *__asan_default_options(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed);

enum {
    MAX_PARAMS_RUN = 16,
    MAX_BYTES = 1 << 20
};

static void
emulate(const Kernel *k, const uint8_t *blob, size_t size)
{
    TikArray arrays[MAX_PARAMS_RUN] = {0};
    TikArray *pointers[MAX_PARAMS_RUN];
    TikError err;
    int n = (int)k->params.n;
    bool ok = n <= MAX_PARAMS_RUN;
    for (int i = 0; ok && i < n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        ok = b->bytes <= MAX_BYTES &&
             tik_array_alloc(&arrays[i], b->dtype, b->elems, &err);
        pointers[i] = &arrays[i];
    }
    if (ok) {
        (void)!tik_emulate(blob, size, 0, pointers, &err);
    }
    for (int i = 0; i < n && i < MAX_PARAMS_RUN; i++) {
        tik_array_free(&arrays[i]);
    }
}

static void
check_blob(Unit *u, Kernel *k)
{
    const uint8_t *blob;
    size_t size;
    if (!tikc_blob(u, &k, 1, &blob, &size)) {
        return;
    }
    TikBlob b;
    TikBlobDiag d;
    TikBlobProof proof;
    if (!tikblob_open(&b, blob, size, &d)) {
        abort();
    }
    uint64_t need = tikblob_workspace(&b, 0);
    void *work = malloc(need ? need : 1);
    if (!work || !tikblob_verify(&b, 0, work, need, &proof, &d)) {
        abort();
    }
    free(work);
    if (proof.steps < 20000) {
        emulate(k, blob, size);
    }
}

/* Renders every third input as text, every ninth as JSON: rendering takes as long as
 * parsing. */
static void
render(Unit *u, size_t size)
{
    Text out;
    if (size % 3 == 0) {
        text_init(&out, &u->arena);
        diag_render_all(u, size % 9 ? DIAG_TEXT : DIAG_JSON, &out);
    }
}

/* For speed the address sanitizer skips some checks: freed memory beyond the last few
 * compilations, formats (the compilers check them), and stack frames that have ended. */
const char *
__asan_default_options(void)
{
    return "quarantine_size_mb=2:check_printf=0:detect_stack_use_after_return=0";
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Unit u;
    unit_init(&u);
    u.opt.limits.steps = 20000;
    u.opt.limits.depth = 60;
    u.opt.limits.memory = 64 << 20;
    u.opt.limits.statements = 2000;
    PassOptions opt = {.verify_each = true};
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = 0;
    if (tikc_compile(&u, "fuzz.tik", text, size, &opt)) {
        for (uint32_t i = 0; i < u.kernels.n; i++) {
            check_blob(&u, u.kernels.p[i]);
        }
    }
    render(&u, size);
    for (uint32_t i = 0; i < u.kernels.n; i++) {
        kernel_free(u.kernels.p[i]);
    }
    unit_free(&u);
    free(text);
    return 0;
}

/* ---- changes of lines and words ------------------------------------------ */

typedef struct Piece {
    size_t at;
    size_t n;
} Piece;

/* The text that is being changed. It does not grow beyond max. */
typedef struct Change {
    uint8_t *p;
    size_t n;
    size_t max;
    uint32_t seed;
} Change;

static uint32_t
draw(Change *c, size_t below)
{
    c->seed = c->seed * 1664525u + 1013904223u;
    return below ? (c->seed >> 8) % (uint32_t)below : 0;
}

/* Replaces a piece by n bytes. with does not point into the text. */
static void
put_piece(Change *c, Piece old, const uint8_t *with, size_t n)
{
    if (c->n - old.n + n > c->max) {
        return;
    }
    memmove(c->p + old.at + n, c->p + old.at + old.n, c->n - old.at - old.n);
    if (n) {
        memcpy(c->p + old.at, with, n);
    }
    c->n = c->n - old.n + n;
}

/* Returns the line around a random byte, with its line end. */
static Piece
some_line(Change *c)
{
    Piece l = {draw(c, c->n), 0};
    while (l.at > 0 && c->p[l.at - 1] != '\n') {
        l.at--;
    }
    while (l.at + l.n < c->n && c->p[l.at + l.n] != '\n') {
        l.n++;
    }
    l.n += l.at + l.n < c->n;
    return l;
}

static int
class_of(uint8_t b)
{
    bool word = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '_' || b >= 0x80;
    return word || (b >= '0' && b <= '9') ? 1 : b == ' ' ? 2 : b == '\n' ? 3 : 4;
}

/* Returns the word, number or run of operators around a random byte. */
static Piece
some_word(Change *c)
{
    Piece w = {draw(c, c->n), 1};
    int kind = class_of(c->p[w.at]);
    while (w.at > 0 && class_of(c->p[w.at - 1]) == kind) {
        w.at--;
        w.n++;
    }
    while (w.at + w.n < c->n && class_of(c->p[w.at + w.n]) == kind) {
        w.n++;
    }
    return w;
}

/* Returns a copy of a piece, to be freed. */
static uint8_t *
copy_piece(const Change *c, Piece s)
{
    uint8_t *copy = malloc(s.n + 1);
    if (!copy) {
        abort();
    }
    memcpy(copy, c->p + s.at, s.n);
    return copy;
}

static void
copy_over(Change *c, Piece from, Piece to)
{
    uint8_t *copy = copy_piece(c, from);
    put_piece(c, to, copy, from.n);
    free(copy);
}

static void
put_text(Change *c, Piece old, const char *text)
{
    put_piece(c, old, (const uint8_t *)text, strlen(text));
}

static void
change_number(Change *c)
{
    static const char *const numbers[] = {
        "0",   "1",       "-1",   "2",       "3",    "7",        "8",     "15",
        "16",  "31",      "32",   "33",      "64",   "65",       "127",   "128",
        "255", "256",     "4095", "4096",    "1.5",  "65535",    "65536", "i",
        "n",   "2 ** 31", "None", "2 ** 63", "True", "10 ** 30",
    };
    for (int tries = 0; tries < 20; tries++) {
        Piece w = some_word(c);
        if (c->p[w.at] >= '0' && c->p[w.at] <= '9') {
            put_text(c, w, numbers[draw(c, ARRAY_LEN(numbers))]);
            return;
        }
    }
}

/* Puts a head before a line, with its indentation, and the line inside of it. */
static void
put_inside(Change *c)
{
    static const char *const heads[] = {
        "if n:",        "for i in range(3):",
        "try:",         "with t.for_range(0, 4) as i:",
        "while n < 3:", "with t.new_stmt_scope():",
        "def f(a=1):",  "with t.if_scope(s > 1):",
        "else:",        "with t.else_scope():",
        "class C:",     "except Exception as e:",
        "finally:",     "with t.for_range(0, 8, block_num=8) as b:",
    };
    Piece l = some_line(c);
    size_t indent = 0;
    char text[256];
    const char *head = heads[draw(c, ARRAY_LEN(heads))];
    while (indent < l.n && indent < 80 && c->p[l.at + indent] == ' ') {
        indent++;
    }
    snprintf(text, sizeof text, "%*s%s\n%*s", (int)indent, "", head, (int)indent + 4, "");
    put_text(c, (Piece){l.at, indent}, text);
}

static void
change(Change *c)
{
    Piece a = some_line(c);
    Piece b = some_line(c);
    switch (draw(c, 9)) {
    case 0:
        put_piece(c, a, NULL, 0);
        break;
    case 1:
        copy_over(c, a, (Piece){b.at, 0});
        break;
    case 2:
        copy_over(c, a, b);
        break;
    case 3:
        put_text(c, (Piece){a.at, 0}, "    ");
        break;
    case 4:
        if (a.n > 4 && memcmp(c->p + a.at, "    ", 4) == 0) {
            put_piece(c, (Piece){a.at, 4}, NULL, 0);
        }
        break;
    case 5:
        put_inside(c);
        break;
    case 6:
        change_number(c);
        break;
    default:
        a = some_word(c);
        copy_over(c, a, some_word(c));
        break;
    }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    Change c = {data, size, max_size, seed};
    if (size == 0 || draw(&c, 2)) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (uint32_t i = 1 + draw(&c, 4); i > 0 && c.n > 0; i--) {
        change(&c);
    }
    return c.n;
}
