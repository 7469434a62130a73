/* embed.h: has the modules of stdlib/, as texts inside of the compiler. tools/embed.py
 * makes the table during the build. Private modules begin with an underscore: programs
 * cannot import them. */
#ifndef TIKC_PYTHON_EMBED_H
#define TIKC_PYTHON_EMBED_H

#include <stddef.h>

typedef struct EmbeddedModule {
    const char *name; /* "numpy" */
    const char *path; /* the path in diagnostics: "<stdlib>/numpy.tik" */
    const char *text; /* zero-ended */
    size_t len;
} EmbeddedModule;

extern const EmbeddedModule embedded_modules[];
extern const size_t embedded_module_count;

#endif
