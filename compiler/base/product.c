/* product.c: see product.h. The table is product.def. */
#include "base/product.h"

#include "base/nearest.h"
#include "isa/isa.h"

#include <string.h>

static const struct {
    const char *name;
    const char *platform;
} products[] = {
#define PRODUCT(name, platform) {name, platform},
#include "base/product.def"
};

static bool
take(const char **s, const char *word)
{
    size_t n = strlen(word);
    bool has = strncmp(*s, word, n) == 0;
    *s += has ? n : 0;
    return has;
}

/* Returns small letters, digits and slashes of s only; Chinese words become English
 * ones. */
static const char *
plain(Arena *a, const char *s)
{
    Text t;
    text_init(&t, a);
    text_put(&t, "");
    while (*s) {
        if (take(&s, "\xe8\xae\xad\xe7\xbb\x83")) {
            text_put(&t, "training");
        } else if (take(&s, "\xe6\x8e\xa8\xe7\x90\x86")) {
            text_put(&t, "inference");
        } else {
            char c = *s++;
            c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
            if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/') {
                text_putc(&t, c);
            }
        }
    }
    return t.p;
}

static const char *
without_fillers(Arena *a, const char *name)
{
    static const char *const fillers[] = {"series",     "products",  "product",
                                          "processors", "processor", "aicore"};
    Text t;
    text_init(&t, a);
    text_put(&t, "");
    for (const char *s = plain(a, name); *s;) {
        bool filler = false;
        for (size_t i = 0; i < ARRAY_LEN(fillers) && !filler; i++) {
            filler = take(&s, fillers[i]);
        }
        if (!filler) {
            text_putc(&t, *s++);
        }
    }
    return t.p;
}

/* Returns the platform of the product whose name wanted is, or null. If not whole, wanted
 * names another product after that one, separated by a slash. */
static const char *
find(Arena *a, const char *wanted, bool whole)
{
    for (size_t i = 0; i < ARRAY_LEN(products); i++) {
        const char *name = without_fillers(a, products[i].name);
        size_t n = strlen(name);
        if (strncmp(wanted, name, n) == 0 && wanted[n] == (whole ? 0 : '/')) {
            return products[i].platform;
        }
    }
    return NULL;
}

const char *
product_platform(Arena *a, const char *name)
{
    const char *wanted = without_fillers(a, name);
    const char *one = find(a, wanted, true);
    return one || !*wanted ? one : find(a, wanted, false);
}

const char *
product_nearest(const char *name)
{
    Nearest near = {.wanted = name};
    for (int i = 0; i < soc_count(); i++) {
        nearest_try(&near, soc_at(i)->name);
        nearest_try(&near, soc_at(i)->family);
    }
    for (size_t i = 0; i < ARRAY_LEN(products); i++) {
        nearest_try(&near, products[i].name);
    }
    return near.best;
}

bool
product_fix_soc(Unit *u, const char *name)
{
    const char *product = product_platform(&u->arena, name);
    u->soc_fixed = true;
    if (unit_set_soc(u, name) || (product && unit_set_soc(u, product))) {
        return true;
    }
    const char *near = product_nearest(name);
    Diag *d =
        diag_add(u, D_SOC_UNKNOWN, (Span){0}, 0, "there is no processor '%s'", name);
    if (near) {
        diag_help(u, d, "did you mean '%s'? 'tikc targets' lists the processors", near);
    }
    return false;
}
