/* test_choice.c: checks the table of choices, and how a blob keeps readings: its text,
 * and the rules of its section just outside and just inside the limit. */
#include "blob_parts.h"

static const char head[] = "blob 1.0 Ascend310P3\n";
static const char rest[] = "kernel \"t\" cores 1 steps 0\n"
                           "code\nend\n";

static Bin
with(const char *choices)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s%s", head, choices, rest);
    return assemble(text);
}

static uint8_t *
record(Parts *s, int i)
{
    return part(s, "CHCE")->p + (size_t)i * CHOICE_BYTES;
}

/* ---- the table ----------------------------------------------------------- */

static void
points_have_readings(void **state)
{
    (void)state;
    for (int i = 0; i < CHOICE_COUNT; i++) {
        const ChoiceInfo *c = choice_info((Choice)i);
        Choice point;
        int n = 0;
        assert_true(strlen(c->number) <= 4);
        assert_true(choice_find(c->number, &point) && (int)point == i);
        assert_true(choice_find(c->name, &point) && (int)point == i);
        for (; choice_reading((Choice)i, n) != NULL; n++) {
            uint8_t found;
            assert_true(choice_find_reading((Choice)i, choice_reading((Choice)i, n)->name,
                                            &found));
            assert_int_equal(found, n);
        }
        /* A choice is a switch, or the table says why not. */
        assert_true(choice_fixed((Choice)i) != NULL ? n == 1 : n > 1);
    }
}

static void
unknown_words_are_refused(void **state)
{
    (void)state;
    Choice point;
    uint8_t n;
    assert_false(choice_find("U0", &point));
    assert_false(choice_find("", &point));
    assert_false(choice_find_reading(CHOICE_AWAY_ZERO, "up", &n));
    assert_null(choice_reading(CHOICE_AWAY_ZERO, -1));
    assert_null(choice_reading(CHOICE_AWAY_ZERO, 2));
}

static void
usual_readings_are_no_choices(void **state)
{
    (void)state;
    Choices c = {{0}};
    assert_null(choices_or_null(NULL));
    assert_null(choices_or_null(&c));
    assert_int_equal(chosen(NULL, CHOICE_AWAY_ZERO), CHOSE_AWAY_ZERO_NEAREST);
    c.v[CHOICE_AWAY_ZERO] = CHOSE_AWAY_ZERO_DIRECTED;
    assert_ptr_equal(choices_or_null(&c), &c);
    assert_int_equal(chosen(&c, CHOICE_AWAY_ZERO), CHOSE_AWAY_ZERO_DIRECTED);
}

/* ---- blobs --------------------------------------------------------------- */

static void
blobs_keep_readings(void **state)
{
    (void)state;
    TikBlob blob;
    TikBlobDiag diag;
    char *text;
    /* The order of the text does not matter; the bytes have the table's order. */
    Bin a = with("choice away-zero \"directed\"\nchoice U1 \"one\"\n");
    assert_true(tikblob_open(&blob, a.p, a.n, &diag));
    assert_int_equal(blob.choices.v[CHOICE_AWAY_ZERO], CHOSE_AWAY_ZERO_DIRECTED);
    assert_int_equal(blob.choices.v[CHOICE_BLOCK_STRIDE_0], CHOSE_BLOCK_STRIDE_0_ONE);
    assert_true(tikblob_disassemble(a.p, a.n, &text, &diag));
    assert_non_null(strstr(text, "choice U1 \"one\"\nchoice U8 \"directed\"\n"));
    Bin b = assemble(text);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.p, b.p, a.n);
    free(text);
    free(a.p);
    free(b.p);
}

static void
usual_readings_have_no_section(void **state)
{
    (void)state;
    Bin a = with("choice U8 \"nearest\"\n"), b = with("");
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.p, b.p, a.n);
    free(a.p);
    free(b.p);
}

#define CASE(name, body)                                                                 \
    static void name(Parts *s)                                                           \
    {                                                                                    \
        body;                                                                            \
    }

CASE(nothing, (void)s)
CASE(reading_0, put32(record(s, 0) + 4, 0))
CASE(reading_2, put32(record(s, 0) + 4, 2))
CASE(reading_257, put32(record(s, 0) + 4, 257))
CASE(unknown_point, memcpy(record(s, 0), "U0\0", 4))
CASE(longer_name, memcpy(record(s, 0), "U1 \0", 4))
CASE(fixed_point, memcpy(record(s, 0), "U4\0", 4))
CASE(twice, memcpy(record(s, 1), record(s, 0), CHOICE_BYTES))
CASE(other_order, memcpy(record(s, 0), "U24", 4))
CASE(one_less, resize(part(s, "CHCE"), CHOICE_BYTES))
CASE(none, resize(part(s, "CHCE"), 0))
CASE(cut, resize(part(s, "CHCE"), CHOICE_BYTES + 4))

static const struct {
    const char *code; /* "": accepted */
    void (*change)(Parts *);
} cases[] = {
    {"", nothing},
    {"", one_less},
    {"choice-field", reading_0},
    {"choice-field", reading_2},
    {"choice-field", reading_257},
    {"choice-field", unknown_point},
    {"choice-field", longer_name},
    {"choice-field", fixed_point},
    {"choice-field", none},
    {"choice-order", twice},
    {"choice-order", other_order},
    {"section-size", cut},
};

static void
records_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Bin a = with("choice U1 \"one\"\nchoice U8 \"directed\"\n");
        Parts s = take_apart(&a);
        free(a.p);
        cases[i].change(&s);
        Bin b = put_together(&s);
        if (strcmp(open_code(&b), cases[i].code) != 0) {
            fail_msg("case %zu: expected '%s', found '%s'", i, cases[i].code,
                     open_code(&b));
        }
        free(b.p);
    }
}

static void
wrong_texts_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"choice U0 \"one\"\n", "choice U8 \"up\"\n",
                                        "choice U8 directed\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[400], error[300];
        Bin b;
        int line;
        snprintf(text, sizeof text, "%s%s%s", head, wrong[i], rest);
        assert_false(
            tikblob_assemble(text, strlen(text), &b.p, &b.n, &line, error, sizeof error));
        assert_int_equal(line, 2);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_readings),
        cmocka_unit_test(unknown_words_are_refused),
        cmocka_unit_test(usual_readings_are_no_choices),
        cmocka_unit_test(blobs_keep_readings),
        cmocka_unit_test(usual_readings_have_no_section),
        cmocka_unit_test(records_are_checked),
        cmocka_unit_test(wrong_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
