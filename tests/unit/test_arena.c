/* test_arena.c: arrays and texts that grow keep what is in them, on both sides of the
 * size from which they have a chunk of their own. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum {
    MANY = 300000
};

/* Two arrays grow in turn, so neither is the newest piece for long. */
static void
test_arrays(void **state)
{
    (void)state;
    Arena a = {0};
    VEC(uint32_t) x = {0};
    VEC(uint64_t) y = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        VEC_PUSH(&a, &x, i);
        VEC_PUSH(&a, &y, ~(uint64_t)i);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(x.p[i] == i && y.p[i] == ~(uint64_t)i);
    }
    assert_true(arena_holds(&a, x.p) && arena_holds(&a, &y.p[MANY - 1]));
    assert_false(arena_holds(&a, &x));
    /* no old storage is kept: at most twice what is used, and the small first pieces */
    assert_true(a.used < (int64_t)(2 * MANY * (sizeof *x.p + sizeof *y.p) + (1 << 20)));
    arena_free(&a);
    assert_false(arena_holds(&a, x.p));
    assert_int_equal(a.used, 0);
}

static void
test_text(void **state)
{
    (void)state;
    Arena a = {0};
    char room[16];
    Text t;
    text_init_in(&t, &a, room, sizeof room);
    for (int i = 0; i < MANY; i++) {
        text_putc(&t, (char)('a' + i % 26));
        if (i % 1000 == 0) {
            (void)arena_alloc(&a, 8); /* the text is not the newest piece */
        }
    }
    assert_int_equal(t.n, MANY);
    assert_int_equal(t.p[MANY], 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(t.p[i], 'a' + i % 26);
    }
    arena_free(&a);
}

/* Another arena counts the chunks, also those that grow. */
static void
test_count(void **state)
{
    (void)state;
    Arena a = {0};
    Arena all = {0};
    VEC(uint64_t) x = {0};
    VEC_PUSH(&a, &x, 0);
    arena_count_in(&a, &all);
    for (uint32_t i = 1; i < MANY; i++) {
        VEC_PUSH(&a, &x, i);
    }
    assert_true(all.used >= (int64_t)(MANY * sizeof *x.p));
    assert_true(all.used < (int64_t)(4 * MANY * sizeof *x.p));
    arena_free(&a);
}

/* Small things are 8 bytes apart, and zero. */
static void
test_words(void **state)
{
    (void)state;
    Arena a = {0};
    char *last = arena_alloc_word(&a, 24);
    for (int i = 0; i < MANY; i++) {
        uint64_t *p = arena_alloc_word(&a, 5);
        assert_true((uintptr_t)p % 8 == 0 && *p == 0);
        last = i == 0 ? last + 24 : last + 8;
        if ((char *)p != last) {
            assert_true(arena_holds(&a, p)); /* the first of a new chunk */
            last = (char *)p;
        }
        *p = UINT64_MAX;
    }
    arena_free(&a);
}

/* What was handed out since a mark goes, and what is handed out again is zero; what is
 * older stays. */
static void
test_rewind(void **state)
{
    (void)state;
    enum {
        PIECE = 1 << 16,
        N = 256 /* several of the largest chunks */
    };
    Arena a = {0};
    char *p[N];
    for (int round = 0; round < 3; round++) {
        int before = round * N / 8; /* none, and then more than fit one chunk */
        for (int i = 0; i < before; i++) {
            p[i] = arena_alloc_word(&a, PIECE);
            memset(p[i], i + 1, PIECE);
        }
        ArenaMark mark = arena_mark(&a);
        size_t room = arena_bytes(&a);
        for (int i = before; i < N; i++) {
            p[i] = arena_alloc_word(&a, PIECE);
            memset(p[i], 1, PIECE);
        }
        assert_true(arena_bytes(&a) > room + (size_t)(N - before - 64) * PIECE);
        arena_rewind(&a, mark);
        assert_true(arena_bytes(&a) <= room + 2 * PIECE);
        for (int i = 0; i < before; i++) {
            assert_true(p[i][0] == (char)(i + 1) && p[i][PIECE - 1] == (char)(i + 1));
        }
        for (int i = 0; i < N; i++) {
            const char *q = arena_alloc_word(&a, PIECE);
            assert_true(q[0] == 0 && q[PIECE - 1] == 0);
        }
        arena_free(&a);
    }
}

/* A chunk that was released is taken again, and is zero then. */
static void
test_again(void **state)
{
    (void)state;
    enum {
        PIECE = 4096,
        N = 64 /* more than the first chunk, less than the largest */
    };
    Arena a = {0};
    (void)arena_alloc_word(&a, PIECE);
    ArenaMark mark = arena_mark(&a);
    size_t room = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            char *p = arena_alloc_word(&a, PIECE);
            assert_true(p[0] == 0 && p[PIECE - 1] == 0);
            memset(p, 1, PIECE);
        }
        arena_rewind(&a, mark);
        room = round == 0 ? arena_bytes(&a) : room;
        assert_true(arena_bytes(&a) <= room);
    }
    (void)arena_alloc_word(&a, 1 << 20); /* the spare chunk is too small for it */
    arena_free(&a);
    assert_int_equal(arena_bytes(&a), 0);
}

/* A raw arena hands out again what was handed out since a mark, as it is. */
static void
test_raw(void **state)
{
    (void)state;
    enum {
        PIECE = 1 << 10
    };
    Arena a = {.raw = true};
    (void)arena_alloc_word(&a, PIECE);
    ArenaMark mark = arena_mark(&a);
    char *p = arena_alloc_word(&a, PIECE);
    memset(p, 1, PIECE);
    arena_rewind(&a, mark);
    const char *q = arena_alloc_word(&a, PIECE);
    assert_ptr_equal(p, q);
    assert_true(q[0] == 1 && q[PIECE - 1] == 1);
    arena_free(&a);
}

/* A large array gets a part of its room at a time, in place as long as there is some; one
 * that is doubled gets all. */
static void
test_parts(void **state)
{
    (void)state;
    enum {
        PART = 64 << 10
    };
    Arena a = {0};
    VEC(uint32_t) x = {0};
    int moved = 0;
    int parts = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t *p = x.p;
        uint32_t cap = x.cap;
        VEC_PUSH(&a, &x, i);
        bool large = i * sizeof i >= PART;
        parts += large && x.cap != cap;
        moved += large && x.p != p;
        assert_true(x.cap > i && (x.cap - x.n) * sizeof i <= PART);
    }
    assert_true(parts >= (int)(MANY * sizeof *x.p / PART) - 1 && moved < parts / 2);
    uint32_t cap = x.cap;
    x.p = arena_double(&a, x.p, &x.cap, sizeof *x.p);
    assert_int_equal(x.cap, 2 * cap);
    memset(x.p + MANY, 1, (x.cap - MANY) * sizeof *x.p);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(x.p[i] == i);
    }
    arena_free(&a);
}

/* Arrays keep what is in them where they get huge pages, whether they begin or become
 * large. */
static void
test_huge(void **state)
{
    (void)state;
    enum {
        FIRST = 5 << 20,
        N = 5 << 20
    };
    Arena a = {0};
    Text t;
    VEC(uint32_t) v = {0};
    text_init(&t, &a);
    text_reserve(&t, FIRST);
    for (uint32_t i = 0; i < N; i++) {
        VEC_PUSH(&a, &v, i * 3);
        text_putc(&t, (char)('a' + i % 26));
    }
    text_reserve(&t, 3 * FIRST);
    for (uint32_t i = 0; i < N; i++) {
        assert_true(v.p[i] == i * 3 && t.p[i] == (char)('a' + i % 26));
    }
    memset(t.p + t.n, 'x', 2 * FIRST);
    arena_free(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays), cmocka_unit_test(test_text),
        cmocka_unit_test(test_count),  cmocka_unit_test(test_words),
        cmocka_unit_test(test_rewind), cmocka_unit_test(test_again),
        cmocka_unit_test(test_huge),   cmocka_unit_test(test_raw),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
