/* lsp.h: the language server: it speaks the Language Server Protocol 3.17 with an editor
 * and knows of kernels what the compiler knows. docs/editors.md lists what it offers.
 *
 * The server holds the texts that are open in the editor and compiles them from memory,
 * as the host (the tool) says. It works on one message at a time; texts that changed are
 * compiled when no message waits, so a fast typist waits for one compilation at most.
 * Nothing here opens a file. */
#ifndef TIKC_LSP_H
#define TIKC_LSP_H

#include "base/unit.h"

/* Finds the text of a file that is open in the editor; it is valid until the next
 * message. Returns false if the file is not open. */
typedef struct LspTexts {
    bool (*find)(void *ctx, const char *path, const char **text, size_t *size);
    void *ctx;
} LspTexts;

/* What the server needs from the tool. */
typedef struct LspHost {
    void *ctx;
    const char *version;
    const char *docs; /* path of docs/diagnostics.md, or null */
    /* Compiles a text as 'tikc check' does, for the nth of the processors and calls that
     * its settings ask for; imported files that are open are taken from there. The unit
     * has facts, and is the server's until it is released. Returns null if there are
     * fewer. */
    Unit *(*compile)(void *ctx, const char *path, const char *text, size_t size, int nth,
                     const LspTexts *open);
    void (*release)(void *ctx, Unit *u);
} LspHost;

/* Serves an editor that writes to in and reads from out, until it says exit or closes in.
 * Returns whether it said shutdown before exit. */
bool lsp_run(const LspHost *host, int in, int out);

#endif
