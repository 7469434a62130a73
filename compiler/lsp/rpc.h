/* rpc.h: messages of JSON-RPC with headers, as the base protocol of LSP frames them. */
#ifndef TIKC_LSP_RPC_H
#define TIKC_LSP_RPC_H

#include "base/arena.h"

#include <jansson.h>

/* Error codes of JSON-RPC and of LSP. */
enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_NOT_INITIALIZED = -32002,
    RPC_REQUEST_FAILED = -32803
};

enum {
    RPC_MOST_BYTES = 64 << 20 /* of one message; a longer one is skipped */
};

typedef struct Rpc {
    int in, out;
    size_t begin, end; /* what of room was read and not yet used */
    bool ended;        /* no more can be read */
    bool broken;       /* what was written did not arrive */
    /* the last header was no header: lines are skipped up to one with a length */
    bool lost;
    char room[1 << 16];
} Rpc;

typedef enum RpcRead {
    RPC_MESSAGE,
    RPC_BAD, /* there was something else; *fault says what */
    RPC_END
} RpcRead;

/* Reads the next message; its bytes are allocated in a and end in a zero that is not
 * counted. */
RpcRead rpc_read(Rpc *r, Arena *a, char **body, size_t *size, const char **fault);
/* Returns whether the other side has sent more. */
bool rpc_pending(const Rpc *r);
/* Sends a message, which it takes over. */
void rpc_send(Rpc *r, json_t *message);
/* Returns a JSON string; bytes that are no UTF-8 become '?'. */
json_t *rpc_text(const char *s);

#endif
