/* server.c: the life of the server: it reads messages, finds their methods and sends the
 * answers. Before initialize and after shutdown it answers as the protocol wants. */
#include "lsp/server.h"

#include <string.h>

typedef enum MethodKind {
    REQUEST,
    NOTICE
} MethodKind;

static const struct {
    const char *name;
    LspAnswer *fn;
    MethodKind kind;
} methods[] = {
#define METHOD(name, fn, kind) {name, fn, kind},
#include "lsp/method.def"
};

/* ---- life ---------------------------------------------------------------- */

static bool
wants_utf8(const json_t *params)
{
    const json_t *client = json_object_get(params, "capabilities");
    const json_t *general = json_object_get(client, "general");
    const json_t *encodings = json_object_get(general, "positionEncodings");
    size_t i;
    json_t *e;
    json_array_foreach(encodings, i, e)
    {
        const char *name = json_string_value(e);
        if (name && strcmp(name, "utf-8") == 0) {
            return true;
        }
    }
    return false;
}

static json_t *
capabilities(const Server *s)
{
    return json_pack(
        "{s:s, s:{s:b, s:i, s:{s:b}}, s:b, s:{s:[s,s,s,s,s]}, s:{s:[s,s], s:[s]}, s:b,"
        " s:b, s:b, s:b, s:{s:b}, s:{s:[s,s]}}",
        "positionEncoding", s->encoding == ENCODING_UTF8 ? "utf-8" : "utf-16",
        "textDocumentSync", "openClose", 1, "change", 2, "save", "includeText", 0,
        "hoverProvider", 1, "completionProvider", "triggerCharacters", ".", "(", ",", "'",
        "\"", "signatureHelpProvider", "triggerCharacters", "(", ",",
        "retriggerCharacters", "=", "definitionProvider", 1, "referencesProvider", 1,
        "documentHighlightProvider", 1, "documentSymbolProvider", 1, "renameProvider",
        "prepareProvider", 1, "codeActionProvider", "codeActionKinds", "quickfix",
        "source.fixAll");
}

json_t *
server_initialize(Server *s, const json_t *params, LspError *err)
{
    if (s->initialized) {
        *err = (LspError){RPC_INVALID_REQUEST, "the server is initialized already"};
        return NULL;
    }
    s->initialized = true;
    s->encoding = wants_utf8(params) ? ENCODING_UTF8 : ENCODING_UTF16;
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities(s), "serverInfo",
                     "name", "tikc", "version", s->host->version);
}

json_t *
server_ignore(Server *s, const json_t *params, LspError *err)
{
    (void)s;
    (void)params;
    (void)err;
    return NULL;
}

json_t *
server_shutdown(Server *s, const json_t *params, LspError *err)
{
    (void)params;
    (void)err;
    s->shutdown = true;
    return json_null();
}

json_t *
server_exit(Server *s, const json_t *params, LspError *err)
{
    (void)params;
    (void)err;
    s->exited = true;
    return NULL;
}

/* ---- messages ------------------------------------------------------------ */

/* Sends an answer; id and result are taken over. */
static void
answer(Server *s, json_t *id, json_t *result, LspError err)
{
    json_t *m = json_pack("{s:s, s:o}", "jsonrpc", "2.0", "id", id);
    if (err.code) {
        json_object_set_new(
            m, "error",
            json_pack("{s:i, s:o}", "code", err.code, "message", rpc_text(err.message)));
        json_decref(result);
    } else {
        json_object_set_new(m, "result", result ? result : json_null());
    }
    rpc_send(&s->rpc, m);
}

/* Returns why a method may not be called now, or 0. */
static LspError
refusal(const Server *s, const char *method)
{
    if (!s->initialized && strcmp(method, "initialize") != 0) {
        return (LspError){RPC_NOT_INITIALIZED, "the first request is initialize"};
    }
    if (s->shutdown) {
        return (LspError){RPC_INVALID_REQUEST, "the server is shut down"};
    }
    return (LspError){0, NULL};
}

static json_t *
call_method(Server *s, const char *method, const json_t *params, bool request,
            LspError *err)
{
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        if (strcmp(methods[i].name, method) == 0 &&
            (methods[i].kind == REQUEST) == request) {
            return methods[i].fn(s, params, err);
        }
    }
    *err = (LspError){RPC_METHOD_NOT_FOUND,
                      arena_printf(&s->scratch, "there is no method '%s'", method)};
    return NULL;
}

/* Handles a request or notification. */
static void
handle(Server *s, const json_t *message)
{
    json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));
    bool request = json_is_integer(id) || json_is_string(id);
    bool response = !method && (json_object_get(message, "result") ||
                                json_object_get(message, "error"));
    if (!method || (id && !request)) {
        LspError err = {RPC_INVALID_REQUEST, "a message has a method, and an id that is "
                                             "a number or a text"};
        if (!response) {
            answer(s, request ? json_incref(id) : json_null(), NULL, err);
        }
        return;
    }
    LspError err = refusal(s, method);
    bool allowed = err.code == 0 || (!request && strcmp(method, "exit") == 0);
    const json_t *params = json_object_get(message, "params");
    json_t *result = allowed ? call_method(s, method, params, request, &err) : NULL;
    if (request) {
        answer(s, json_incref(id), result, err);
    } else {
        json_decref(result);
    }
}

static void
bad_message(Server *s, int code, const char *fault)
{
    answer(s, json_null(), NULL, (LspError){code, fault});
}

static void
read_message(Server *s, const char *body, size_t size)
{
    json_error_t fault;
    json_t *message = json_loadb(body, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, &fault);
    if (!message) {
        bad_message(s, RPC_PARSE_ERROR,
                    arena_printf(&s->scratch, "the message is no JSON: %s", fault.text));
    } else if (!json_is_object(message)) {
        bad_message(s, RPC_INVALID_REQUEST, "a message is an object");
    } else {
        handle(s, message);
    }
    json_decref(message);
}

/* ---- the loop ------------------------------------------------------------ */

static bool
find_open(void *ctx, const char *path, const char **text, size_t *size)
{
    const Server *s = ctx;
    for (const Document *d = s->documents; d; d = d->next) {
        if (strcmp(d->path, path) == 0) {
            *text = d->text;
            *size = d->size;
            return true;
        }
    }
    return false;
}

/* Compiles a document that waits for it. Returns false if there is none. */
static bool
refresh_one(Server *s)
{
    Document *d = s->documents;
    while (d && !d->dirty) {
        d = d->next;
    }
    if (d) {
        analysis_refresh(s, d);
    }
    return d != NULL;
}

static bool
step(Server *s)
{
    char *body;
    size_t size;
    const char *fault;
    if (!rpc_pending(&s->rpc) && refresh_one(s)) {
        return !s->rpc.broken;
    }
    switch (rpc_read(&s->rpc, &s->scratch, &body, &size, &fault)) {
    case RPC_MESSAGE:
        read_message(s, body, size);
        break;
    case RPC_BAD:
        bad_message(s, RPC_PARSE_ERROR, fault);
        break;
    case RPC_END:
        return false;
    }
    return !s->exited && !s->rpc.broken;
}

bool
lsp_run(const LspHost *host, int in, int out)
{
    Arena room = {0};
    Server *s = ARENA_NEW(&room, Server);
    s->host = host;
    s->rpc.in = in;
    s->rpc.out = out;
    s->open = (LspTexts){find_open, s};
    while (step(s)) {
        arena_free(&s->scratch);
    }
    while (s->documents) {
        document_free(s, s->documents);
    }
    bool good = s->shutdown && s->exited;
    arena_free(&s->scratch);
    arena_free(&room);
    return good;
}
