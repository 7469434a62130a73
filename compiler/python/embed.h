/* embed.h: the modules of stdlib/, as texts inside of the compiler. The table is made by
 * tools/embed.py while building. Private modules begin with an underscore: programs
 * cannot import them. */
#ifndef TIKC_STAGE_EMBED_H
#define TIKC_STAGE_EMBED_H

#include <stddef.h>

typedef struct EmbeddedModule {
    const char *name; /* "numpy" */
    const char *path; /* what diagnostics print: "<stdlib>/numpy.tik" */
    const char *text; /* zero-ended */
    size_t len;
} EmbeddedModule;

extern const EmbeddedModule embedded_modules[];
extern const size_t embedded_module_count;

#endif
