/* rpc.c: frames messages: header lines, an empty line, then as many bytes as the header
 * Content-Length says. Whatever comes instead is answered once and skipped. */
#include "lsp/rpc.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    MOST_LINE = 1024 /* bytes of a header line that are looked at */
};

static bool
fill(Rpc *r)
{
    ssize_t n;
    do {
        n = read(r->in, r->room, sizeof r->room);
    } while (n < 0 && errno == EINTR);
    r->begin = 0;
    r->end = n > 0 ? (size_t)n : 0;
    r->ended = n <= 0;
    return !r->ended;
}

bool
rpc_pending(const Rpc *r)
{
    struct pollfd p = {.fd = r->in, .events = POLLIN};
    return r->begin < r->end || (!r->ended && poll(&p, 1, 0) > 0);
}

/* Reads a line without its end; of a long one the last bytes are kept. Returns false at
 * the end of the input. */
static bool
read_line(Rpc *r, char *line)
{
    size_t n = 0;
    for (;;) {
        if (r->begin == r->end && !fill(r)) {
            return false;
        }
        char c = r->room[r->begin++];
        if (c == '\n') {
            break;
        }
        if (n == MOST_LINE - 1) {
            memmove(line, line + n / 2, n - n / 2);
            n -= n / 2;
        }
        line[n++] = c ? c : '?';
    }
    n -= n > 0 && line[n - 1] == '\r';
    line[n] = 0;
    return true;
}

static const char length_header[] = "content-length:";

/* Reads the number of a header line with a length; returns false if it is none. */
static bool
read_length(const char *line, uint64_t *out)
{
    char *end;
    if (strncasecmp(line, length_header, sizeof length_header - 1) != 0) {
        return false;
    }
    line += sizeof length_header - 1;
    while (*line == ' ' || *line == '\t') {
        line++;
    }
    errno = 0;
    *out = strtoull(line, &end, 10);
    bool number = isdigit((unsigned char)*line) && errno == 0;
    while (*end == ' ' || *end == '\t') {
        end++;
    }
    return number && !*end;
}

/* Finds a header with a length at the end of a line that has something before it. */
static const char *
find_length(const char *line)
{
    uint64_t n;
    for (const char *s = line; *s; s++) {
        if ((*s == 'C' || *s == 'c') && read_length(s, &n)) {
            return s;
        }
    }
    return line;
}

static bool
is_header(const char *line)
{
    const char *colon = strchr(line, ':');
    return colon && colon > line && strcspn(line, " \t{}\"") > (size_t)(colon - line);
}

/* Reads the header lines of a message. */
static RpcRead
read_headers(Rpc *r, uint64_t *length, const char **fault)
{
    char line[MOST_LINE];
    bool known = false, wrong = false;
    while (read_line(r, line)) {
        const char *header = r->lost ? find_length(line) : line;
        if (read_length(header, length)) {
            known = true;
            r->lost = false;
        } else if (r->lost) {
            continue;
        } else if (*line == 0 && (known || wrong)) {
            r->lost = wrong || !known;
            *fault = "a header is malformed";
            return r->lost ? RPC_BAD : RPC_MESSAGE;
        } else if (!is_header(line) ||
                   strncasecmp(line, length_header, sizeof length_header - 1) == 0) {
            r->lost = true;
            *fault = "a message begins with the header Content-Length";
            return RPC_BAD;
        }
    }
    return RPC_END;
}

/* Reads bytes, or skips them if to is null. Returns false at the end of the input. */
static bool
read_bytes(Rpc *r, uint64_t n, char *to)
{
    while (n > 0) {
        if (r->begin == r->end && !fill(r)) {
            return false;
        }
        size_t part = (size_t)MIN((uint64_t)(r->end - r->begin), n);
        if (to) {
            memcpy(to, r->room + r->begin, part);
            to += part;
        }
        r->begin += part;
        n -= part;
    }
    return true;
}

RpcRead
rpc_read(Rpc *r, Arena *a, char **body, size_t *size, const char **fault)
{
    uint64_t length = 0;
    RpcRead kind = read_headers(r, &length, fault);
    if (kind != RPC_MESSAGE) {
        return kind;
    }
    bool fits = length <= RPC_MOST_BYTES;
    *body = fits ? arena_alloc(a, (size_t)length + 1) : NULL;
    *size = (size_t)length;
    if (!read_bytes(r, length, *body)) {
        return RPC_END;
    }
    *fault = "the message is too long";
    return fits ? RPC_MESSAGE : RPC_BAD;
}

static bool
write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        p += done;
        n -= (size_t)done;
    }
    return true;
}

void
rpc_send(Rpc *r, json_t *message)
{
    Arena a = {0};
    char *body = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (body) {
        const char *head = arena_printf(&a, "Content-Length: %zu\r\n\r\n", strlen(body));
        r->broken = r->broken || !write_all(r->out, head, strlen(head)) ||
                    !write_all(r->out, body, strlen(body));
    }
    arena_free(&a);
    free(body);
}

json_t *
rpc_text(const char *s)
{
    json_t *good = json_string(s);
    if (good) {
        return good;
    }
    char *copy = strdup(s);
    for (char *p = copy; p && *p; p++) {
        *p = (unsigned char)*p < 0x80 ? *p : '?';
    }
    good = json_string(copy ? copy : "");
    free(copy);
    return good;
}
