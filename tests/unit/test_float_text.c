/* test_float_text.c: digits of floats are those of printf, and the fewest that strtod
 * reads back: for random floats, floats next to powers of ten and two, and halves. */
#include "python/float_text.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 88172645463325252u;

static uint64_t
rnd(void)
{
    return random_bits(&seed);
}

/* Floats of all shapes, most of them of the usual sizes. */
static double
some_float(void)
{
    uint64_t bits = rnd();
    double f;
    memcpy(&f, &bits, sizeof f);
    switch (rnd() % 6) {
    case 0:
        return isfinite(f) ? fabs(f) : 0;
    case 1:
        return (double)(rnd() % 1000000) / (double)(1 + rnd() % 1000);
    case 2:
        return (double)(rnd() % 100000) / 8; /* halves of digits */
    case 3:
        return ldexp(1, (int)(rnd() % 80) - 20) * (1 + (double)(rnd() % 5) * 0x1p-52);
    case 4:
        return nextafter(pow(10, (double)(rnd() % 20) - 4), (double)(rnd() % 3) * 1e20);
    default:
        return ldexp((double)(rnd() >> 11), -(int)(rnd() % 64));
    }
}

static int
check_shortest(double f)
{
    FloatDigits d;
    char text[40] = "", plain[FLOAT_DIGITS + 1];
    if (f == 0 || !float_shortest(f, &d)) {
        return 0;
    }
    int p = 15;
    do {
        snprintf(text, sizeof text, "%.*e", p - 1, f);
    } while (p++ < FLOAT_DIGITS && strtod(text, NULL) != f);
    snprintf(plain, sizeof plain, "%c%.*s", text[0], d.n - 1, text + 2);
    assert_int_equal(d.n, p - 1);
    assert_string_equal(d.digit, plain);
    assert_int_equal(d.exp10, (int)strtol(strchr(text, 'e') + 1, NULL, 10));
    return 1;
}

static int
check_text(Arena *a, double f, int precision)
{
    char text[400];
    Text t;
    int done = 0;
    text_init(&t, a);
    if (float_fixed(f, precision, &t)) {
        snprintf(text, sizeof text, "%.*f", precision, f);
        assert_string_equal(t.p, text);
        done++;
    }
    assert_true(t.n > 0 || done == 0);
    text_init(&t, a);
    if (float_scientific(f, precision, &t)) {
        snprintf(text, sizeof text, "%.*e", precision, f);
        assert_string_equal(t.p, text);
        done++;
    }
    return done;
}

static void
test_digits(void **state)
{
    (void)state;
    enum {
        ROUNDS = 200000
    };
    int shortest = 0, texts = 0;
    for (int i = 0; i < ROUNDS; i++) {
        Arena a = {0};
        double f = some_float();
        shortest += check_shortest(f);
        texts += check_text(&a, f, (int)(rnd() % 18) - 1);
        arena_free(&a);
    }
    /* most of them are of the usual sizes */
    assert_true(shortest > ROUNDS / 2 && texts > ROUNDS / 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
