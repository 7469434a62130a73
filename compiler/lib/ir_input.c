/* ir_input.c: recognises and reads texts of kernel IR as inputs, and refuses the options
 * that do not apply to them. See ir_input.h. */
#include "lib/ir_input.h"

#include "ir/ir.h"

#include <string.h>

static const char *
skip_space(const char *s)
{
    s += strspn(s, " \t\r\n");
    while (*s == '#') {
        s += strcspn(s, "\n");
        s += strspn(s, " \t\r\n");
    }
    return s;
}

/* Returns what follows the next word, or null if that is another one. */
static const char *
skip_word(const char *s, const char *word)
{
    size_t n = strlen(word);
    return strncmp(s, word, n) == 0 ? skip_space(s + n) : NULL;
}

bool
ir_input_is(const Unit *u, uint32_t file)
{
    static const char name_chars[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const char *path = u->sources.p[file].path, *text = u->sources.p[file].text;
    size_t n = strlen(path);
    const char *name = skip_word(skip_space(text), "kernel");
    size_t len = name ? strspn(name, name_chars) : 0;
    return (n > 3 && strcmp(path + n - 3, ".ir") == 0) ||
           (len > 0 && skip_word(skip_space(name + len), "soc=") != NULL);
}

/* Returns an option that was given and applies to programs only, or null. */
static const char *
for_programs(const Options *o)
{
    return o->soc                         ? "soc"
           : o->call                      ? "call"
           : o->defines.n > 0             ? "define"
           : choices_or_null(&o->choices) ? "choice"
           : o->dirs.n > 0                ? "include"
           : o->env.n > 0                 ? "env"
           : o->mode                      ? "mode"
                                          : NULL;
}

bool
ir_input_read(Unit *u, uint32_t file)
{
    const char *option = for_programs(&u->opt);
    if (option) {
        diag_add(u, D_USAGE, (Span){0}, 0,
                 "--%s is for programs; '%s' is kernel IR, which comes from no program",
                 option, u->sources.p[file].path);
        return false;
    }
    return ir_read(u, file) && u->errors == 0;
}
