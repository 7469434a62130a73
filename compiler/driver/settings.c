/* settings.c: gives a command that compiles one program the settings of its comments:
 * those of the options that option.def lets files set. All other options of 'tikc test'
 * may be there, too; they are for its runs. */
#include "driver/setting.h"

#include <string.h>

static const Setting *
find(const Settings *all, const char *key)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (strcmp(all->p[i].key, key) == 0) {
            return &all->p[i];
        }
    }
    return NULL;
}

const char *
settings_soc(const TestFile *f)
{
    const Setting *s = find(&f->all, "soc");
    for (uint32_t i = 0; i < f->tests.n && !s; i++) {
        s = find(&f->tests.p[i].settings, "soc");
    }
    return s ? s->value : NULL;
}

/* Adds a name without the blanks around it. */
static void
add_soc(Arena *a, const char *s, size_t n, Names *out)
{
    while (n > 0 && *s == ' ') {
        s++;
        n--;
    }
    while (n > 0 && s[n - 1] == ' ') {
        n--;
    }
    VEC_PUSH(a, out, arena_strndup(a, s, n));
}

void
settings_split_socs(Arena *a, const char *list, Names *out)
{
    if (strcmp(list, "all") == 0) {
        for (int i = 0; i < soc_count(); i++) {
            if (soc_at(i)->bytes[SC_UB] > 0) {
                VEC_PUSH(a, out, soc_at(i)->name);
            }
        }
        return;
    }
    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ",");
        add_soc(a, s, n, out);
        s += n;
        if (!*s) {
            return;
        }
    }
}

void
settings_calls(Arena *a, const TestFile *f, Names *out)
{
    for (uint32_t i = 0; i < f->tests.n; i++) {
        const Setting *s = find(&f->tests.p[i].settings, "call");
        if (s) {
            VEC_PUSH(a, out, s->value);
        }
    }
    const Setting *s = find(&f->all, "call");
    if (s && out->n == 0) {
        VEC_PUSH(a, out, s->value);
    }
}

bool
settings_read(Unit *u, const char *path, const char *text, size_t size, TestFile *out)
{
    return setting_read_comments(u, unit_add_source(u, path, text, size), out);
}

static bool
unknown(Cmd *c, const Setting *s, const char *near)
{
    Diag *d =
        diag_add(&c->unit, D_TEST_FILE, s->span, 0, "there is no setting '%s'", s->key);
    if (near) {
        diag_help(&c->unit, d, "did you mean '%s'?", near);
    }
    return false;
}

/* A file may be meant for several processors; a command that works on one takes the
 * first. */
static const char *
value_of(Arena *a, const Setting *s)
{
    bool list = strcmp(s->key, "soc") == 0;
    return list ? arena_strndup(a, s->value, strcspn(s->value, ",")) : s->value;
}

static bool
apply(Cmd *c, const Settings *all, bool of_one)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const Setting *s = &all->p[i];
        const char *near = NULL;
        if (!options_is_setting(s->key, &near)) {
            return unknown(c, s, near);
        }
        if (!of_one && !options_setting(c, s->key, value_of(&c->unit.arena, s))) {
            c->unit.diags.p[c->unit.diags.n - 1]->span = s->span;
            return false;
        }
    }
    return true;
}

bool
settings_apply(Cmd *c, const char *path, const char *text, size_t size)
{
    TestFile f = {0};
    if (!setting_find_comment(text, text, text + size)) {
        return true;
    }
    TRY(settings_read(&c->unit, path, text, size, &f) && apply(c, &f.all, false));
    for (uint32_t i = 0; i < f.tests.n; i++) {
        TRY(apply(c, &f.tests.p[i].settings, true));
    }
    return true;
}
