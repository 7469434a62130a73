/* test_blob_repeat.c: what the verifier says of instructions that repeat one before them
 * (blob/pattern.c, blob/echo.c) is what it says of them one by one. Each instruction of
 * the conformance set is repeated at other offsets, once in a row and once with blocks
 * between that make the verifier forget: verdicts and counts are the same. */
#include "blob_parts.h"

#include <dirent.h>

enum {
    COPIES = 4,
    ROUNDS = 4,
    ROOM = 8000 /* of a line */
};

static uint32_t state = 1;

static uint32_t
draw(uint32_t n)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

static char *
read_text(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "tests/blobs/accepted/%s", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

/* Returns whether a line of a text is an instruction: it has operands with names. */
static bool
is_instr(const char *line)
{
    size_t word = strcspn(line, " \n");
    const char *equals = memchr(line, '=', strcspn(line, "\n"));
    return equals != NULL && line[word] == ' ' && strncmp(line, "loop ", 5) != 0 &&
           strncmp(line + word, " = ", 3) != 0;
}

/* Copies a line, with the constant offsets of its tensors moved a little. Places and
 * names are left out. */
static char *
copy_moved(char *to, const char *line, size_t n)
{
    static const int by[] = {0, 0, 0, 32, -32, 256, -256, 2, 512, 4096};
    const char *end = strstr(line, " @ \"");
    const char *in = strstr(line, " in "), *named = strstr(line, " named ");
    end = end == NULL || end > line + n ? line + n : end;
    end = in != NULL && in < end ? in : end;
    end = named != NULL && named < end ? named : end;
    int all = by[draw(10)];
    while (line < end) {
        const char *open = memchr(line, '[', (size_t)(end - line));
        bool tensor = open != NULL && strchr("0123456789", open[-1]) != NULL;
        const char *offset = open == NULL ? NULL : strchr(open, ',');
        size_t part = open == NULL ? (size_t)(end - line) : (size_t)(open + 1 - line);
        memcpy(to, line, part);
        to += part;
        line += part;
        if (tensor && offset != NULL && offset < end && strchr(open, ']') > offset) {
            char *after;
            long long at = strtoll(offset + 1, &after, 10);
            int move = draw(4) == 0 ? by[draw(10)] : all;
            to += snprintf(to, ROOM, "%.*s, %lld", (int)(offset - line), line, at + move);
            line = after;
        }
    }
    *to++ = '\n';
    return to;
}

/* Repeats the instructions of a text. The draws are the same with and without blocks. */
static char *
repeated(const char *text, bool blocks, uint32_t seed)
{
    char *out = malloc(strlen(text) * (COPIES + 2) * 2 + 2 * ROOM), *to = out;
    state = seed;
    for (const char *p = text; *p != 0;) {
        size_t n = strcspn(p, "\n"), indent = strspn(p, " ");
        const char *steps = strstr(p, " steps ");
        if (strncmp(p, "kernel ", 7) == 0 && steps != NULL && steps < p + n) {
            size_t digits = strspn(steps + 7, "0123456789");
            to += snprintf(to, ROOM, "%.*s steps 0%.*s\n", (int)(steps - p), p,
                           (int)(p + n - steps - 7 - (long)digits), steps + 7 + digits);
        } else {
            memcpy(to, p, n + 1);
            to += n + 1;
        }
        for (int i = 0; i < COPIES && is_instr(p + indent); i++) {
            to += blocks ? snprintf(to, ROOM, "if 1\nendif\n") : 0;
            to = copy_moved(to, p + indent, n - indent);
        }
        p += n + 1;
    }
    *to = 0;
    return out;
}

/* What is said of a text: the rule that refuses it, or "", and of each instruction
 * whether it was proved. */
typedef struct Verdict {
    char code[40];
    int64_t proved, checked;
    size_t n, unproved;
    uint8_t weak[1 << 16]; /* of each instruction */
} Verdict;

static void
note_weak(const TikBlob *blob, int kernel, const uint8_t *bits, Verdict *out)
{
    TikDesc *d = malloc(sizeof *d);
    TikCursor c;
    tikblob_cursor(&c, blob, kernel);
    while (tikblob_next(&c, d, NULL) > 0) {
        bool weak = bits[d->index / 8] >> (d->index % 8) & 1;
        if (d->kind == DESC_INSTR && out->n < sizeof out->weak) {
            out->weak[out->n++] = weak;
            out->unproved += weak;
        }
    }
    free(d);
}

static void
assess(const char *text, Verdict *out)
{
    TikBlob blob;
    TikBlobDiag diag = {0};
    Bin b = assemble(text);
    *out = (Verdict){.n = 0};
    bool ok = tikblob_open(&blob, b.p, b.n, &diag);
    for (int i = 0; ok && i < blob.nkernels; i++) {
        TikBlobProof one = {0};
        TikBlobKernel k;
        tikblob_kernel(&blob, i, &k);
        TikBlobVerify with = {.bytes = tikblob_workspace(&blob, i),
                              .unproved = calloc(1, k.ndescriptors / 8 + 1)};
        with.workspace = malloc(with.bytes);
        ok = tikblob_unproved(&blob, i, &with, &one, &diag);
        if (ok) {
            note_weak(&blob, i, with.unproved, out);
        }
        free(with.workspace);
        free(with.unproved);
        out->proved += one.proved;
        out->checked += one.checked;
    }
    free(b.p);
    snprintf(out->code, sizeof out->code, "%s", ok ? "" : diag.code);
}

/* Adds to the numbers of instructions that are proved and that are not. */
static void
compare(const char *name, const char *text, uint32_t seed, size_t *proved,
        size_t *unproved)
{
    static Verdict a, b;
    char *plain = repeated(text, false, seed), *apart = repeated(text, true, seed);
    assess(plain, &a);
    assess(apart, &b);
    if (strcmp(a.code, b.code) != 0 || a.n != b.n || memcmp(a.weak, b.weak, a.n) != 0 ||
        (a.code[0] == 0 && (a.proved != b.proved || a.checked != b.checked))) {
        fail_msg("%s, seed %u: '%s' %lld %lld %zu in a row, '%s' %lld %lld %zu apart\n%s",
                 name, seed, a.code, (long long)a.proved, (long long)a.checked,
                 a.unproved, b.code, (long long)b.proved, (long long)b.checked,
                 b.unproved, plain);
    }
    *proved += a.n - a.unproved;
    *unproved += a.unproved;
    free(plain);
    free(apart);
}

static void
repetitions_of_all_instructions(void **unused)
{
    (void)unused;
    DIR *dir = opendir("tests/blobs/accepted");
    if (dir == NULL) {
        skip();
    }
    size_t proved = 0, unproved = 0;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".txt") != 0) {
            continue;
        }
        char *text = read_text(e->d_name);
        for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
            compare(e->d_name, text, seed, &proved, &unproved);
        }
        free(text);
    }
    closedir(dir);
    assert_true(proved > 10000 && unproved > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_of_all_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
