/* test_embed.c: checks the modules of stdlib/ inside of the compiler: the table holds
 * their texts, they parse, and without a loader an evaluation reads no file. */
#include "python/embed.h"
#include "pipeline.h"
#include "syntax/ast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const EmbeddedModule *
find(const char *name)
{
    for (size_t i = 0; i < embedded_module_count; i++) {
        if (strcmp(embedded_modules[i].name, name) == 0) {
            return &embedded_modules[i];
        }
    }
    return NULL;
}

static void
table_holds_the_files(void **state)
{
    (void)state;
    assert_non_null(find("numpy"));
    assert_non_null(find("_provided"));
    for (size_t i = 0; i < embedded_module_count; i++) {
        const EmbeddedModule *m = &embedded_modules[i];
        char path[256];
        static char text[1 << 16];
        (void)snprintf(path, sizeof path, "stdlib/%s.tik", m->name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t n = fread(text, 1, sizeof text, f);
        fclose(f);
        assert_int_equal(n, m->len);
        assert_int_equal(strlen(m->text), m->len);
        assert_memory_equal(text, m->text, n);
    }
}

static void
every_module_parses(void **state)
{
    (void)state;
    for (size_t i = 0; i < embedded_module_count; i++) {
        const EmbeddedModule *m = &embedded_modules[i];
        Unit u;
        unit_init(&u);
        uint32_t file = unit_add_source(&u, m->path, m->text, m->len);
        assert_non_null(parse_file(&u, file));
        unit_free(&u);
    }
}

static int64_t
errors_of(const char *text, bool (*load)(Unit *, const char *, const char **, size_t *))
{
    Unit u;
    unit_init(&u);
    u.load = load;
    (void)!tikc_stage(&u, "impl/main.py", text, strlen(text));
    int64_t errors = u.errors;
    unit_free(&u);
    return errors;
}

static bool
load_one(Unit *u, const char *path, const char **text, size_t *len)
{
    (void)u;
    *text = "value = 7\n";
    *len = strlen(*text);
    return strcmp(path, "impl/util/one.py") == 0;
}

static void
files_come_through_the_loader(void **state)
{
    (void)state;
    assert_int_equal(errors_of("from .util.one import value\nassert value == 7\n", NULL),
                     1);
    assert_int_equal(
        errors_of("from .util.one import value\nassert value == 7\n", load_one), 0);
    assert_int_equal(errors_of("from impl.util import one, two\n", load_one), 1);
    assert_int_equal(errors_of("import te.x.y\nassert te.x.y is not None\n", NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_holds_the_files),
        cmocka_unit_test(every_module_parses),
        cmocka_unit_test(files_come_through_the_loader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
