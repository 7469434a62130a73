/* test_fields.c: the fields of a blob (tikblob_fields), of one that is accepted and of
 * the same with a changed byte: each byte of the file belongs to one of them, in order. A
 * blob whose header alone is wrong has the strings that it had before. */
#include "tikblob.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    ROOM = 1 << 16,
    MAGIC = 4, /* a byte of the first eight, without which a file is no blob */
    CHANGES = 3000,
    TEXTS = 4096
};

/* What came so far: the end of the last field, and all strings. */
typedef struct Seen {
    uint64_t end;
    bool gap;
    int strings;
    char text[TEXTS];
} Seen;

static void
see(void *to, const TikBlobField *f)
{
    Seen *s = to;
    s->gap = s->gap || f->offset != s->end;
    s->end = f->offset + f->bytes;
    if (strcmp(f->name, "string") == 0) {
        size_t n = strlen(s->text);
        snprintf(s->text + n, sizeof s->text - n, "%s;", f->value);
        s->strings++;
    }
}

static size_t
load(const char *path, uint8_t *bytes)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, ROOM, f);
    assert_true(n > 0 && n < ROOM);
    fclose(f);
    return n;
}

static Seen
fields(const uint8_t *bytes, size_t n, bool *accepted)
{
    TikBlobDiag diag;
    Seen s = {.end = 0};
    *accepted = tikblob_fields(bytes, n, see, &s, &diag);
    assert_false(s.gap);
    assert_int_equal(s.end, n);
    return s;
}

static void
strings_of_a_refused_blob(void **state)
{
    (void)state;
    static uint8_t bytes[ROOM];
    bool accepted;
    size_t n = load("tests/blobs/accepted/alu-bool.tkb", bytes);
    Seen before = fields(bytes, n, &accepted);
    assert_true(accepted && before.strings > 0);
    bytes[MAGIC]++;
    Seen after = fields(bytes, n, &accepted);
    assert_false(accepted);
    assert_int_equal(after.strings, before.strings);
    assert_string_equal(after.text, before.text);
}

static void
changed_bytes(void **state)
{
    (void)state;
    static uint8_t bytes[ROOM];
    uint64_t seed = 4;
    bool accepted;
    size_t n = load("tests/blobs/accepted/alu-bool.tkb", bytes);
    for (int i = 0; i < CHANGES; i++) {
        int64_t at = random_below(&seed, i % 2 ? 400 : (int64_t)n);
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)(random_next(&seed) >> 40);
        (void)fields(bytes, n, &accepted);
        bytes[at] = old;
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_a_refused_blob),
        cmocka_unit_test(changed_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
