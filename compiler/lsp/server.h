/* server.h: what the files of the language server share: its state, the open documents,
 * and the functions that answer methods (method.def). */
#ifndef TIKC_LSP_SERVER_H
#define TIKC_LSP_SERVER_H

#include "lsp/lsp.h"
#include "lsp/position.h"
#include "lsp/rpc.h"
#include "tik/call.h"
#include "tik/describe.h"

/* A text that is open in the editor. */
typedef struct Document {
    struct Document *next;
    Arena arena;
    const char *uri, *path;
    json_int_t version;
    Arena room; /* of the text, which changes replace */
    const char *text;
    size_t size;
    bool dirty; /* the text, or one that it imports, is not the one that was compiled */
    /* the newest evaluation that knows names, perhaps of an earlier text; or null */
    Unit *unit;
    bool fresh; /* unit is that of the present text */
    /* by the URI of a file, what was found there: a list of diagnostics */
    json_t *findings;
    Unit syntax; /* parse of the present text */
    struct Ast *tree;
} Document;

typedef struct Server {
    const LspHost *host;
    Rpc rpc;
    Encoding encoding;
    bool initialized, shutdown, exited;
    Document *documents;
    LspTexts open; /* the documents */
    Arena scratch; /* of one message */
} Server;

/* An error that answers a request. */
typedef struct LspError {
    int code; /* 0: none */
    const char *message;
} LspError;

/* The place that the parameters of a request name. */
typedef struct At {
    Document *doc;
    size_t offset;
} At;

/* Answers a request with a result, which is null after an error. Notifications give
 * nothing. */
typedef json_t *LspAnswer(Server *s, const json_t *params, LspError *err);

#define METHOD(name, fn, kind) LspAnswer fn;
#include "lsp/method.def"

/* ---- document.c ---------------------------------------------------------- */

/* Returns the document of a URI, or null. */
Document *document_find(Server *s, const char *uri);
/* Returns the document that the parameters name; null after an error. */
Document *document_of(Server *s, const json_t *params, LspError *err);
/* Does the same for a position in it. */
bool document_at(Server *s, const json_t *params, At *at, LspError *err);
/* Lets all documents that import the file be compiled again. */
void document_touch(Server *s, const char *path);
void document_free(Server *s, Document *d);

/* ---- analysis.c ---------------------------------------------------------- */

/* Compiles a document whose text is not the one that was compiled, and publishes what was
 * found. */
void analysis_refresh(Server *s, Document *d);
/* Returns the source of a unit that is the document's text. */
uint32_t analysis_main(const Document *d, const Unit *u);
/* Returns whether the source of a unit is a file, and not one of the library. */
bool analysis_is_file(const Document *d, const Unit *u, uint32_t file);
/* Returns the URI of such a source, in the scratch arena. */
const char *analysis_uri(Server *s, const Document *d, const Unit *u, uint32_t file);
/* Returns a place in such a source: {"uri": ..., "range": ...}. */
json_t *analysis_location(Server *s, const Document *d, const Unit *u, Span span);

/* ---- diagnostics.c ------------------------------------------------------- */

/* Adds what a unit of the document found. */
void diagnostics_add(Server *s, Document *d, Unit *u);
/* Sends the diagnostics of all files in which the document has findings, or had. */
void diagnostics_publish(Server *s, const Document *d, const json_t *before);
/* Returns what all documents have found in a file, a list that the caller owns. */
json_t *diagnostics_of(const Server *s, const char *uri);
/* Adds an item to the list of a file, unless an equal one is there. */
void diagnostics_add_to(json_t *lists, const char *uri, json_t *item);

/* ---- facts of names (facts.c) -------------------------------------------- */

/* Returns what the name was bound to before the offset, in the function around it if it
 * is known there, otherwise anywhere; null if nothing is known. */
const NameFact *facts_find(const Document *d, const char *name, size_t n, bool attribute,
                           size_t offset);
/* Returns the calls that a receiver of that name has; false if it has none of ours. */
bool facts_owner(const Document *d, const char *name, size_t n, size_t offset,
                 CallOwner *owner);

#endif
