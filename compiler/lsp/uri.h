/* uri.h: file URIs, by which editors name files. */
#ifndef TIKC_LSP_URI_H
#define TIKC_LSP_URI_H

#include "base/arena.h"

/* Returns the path of a file URI, in the arena; null if it is none. */
char *uri_path(Arena *a, const char *uri);
/* Returns the URI of an absolute path, in the arena. */
char *uri_of(Arena *a, const char *path);

#endif
