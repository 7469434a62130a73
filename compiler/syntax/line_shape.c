/* line_shape.c: lines of a long program are mostly like others before them, but for some
 * numbers. Two lines have one shape when their texts are equal except for the digits of
 * plain integers, each of which has as many digits in both. The tree of the second line
 * is then a copy of that of the first: integers are read anew, places are moved.
 * fast_line.c asks here first, and reads a line itself if its shape is new.
 *
 * A shape is kept when a line of it comes for the second time, and found by a hash of the
 * text in which all digits are equal. When there are too many all are forgotten.
 *
 * A line of the module means the same as the one before it, too. So its names are
 * resolved once, in the shape, as soon as all are variables of the module. */
#include "syntax/bytes.h"
#include "syntax/parser.h"

#include <string.h>

#include "tik.tab.h"

enum {
    SLOTS = 256,           /* a power of two */
    ROOM = 256 << 10,      /* bytes for shapes */
    LARGEST = ROOM / 8,    /* bytes of a shape; the offsets in it are below 64 K */
    MAX_VARYING_DIGITS = 9 /* so the value fits in Ast.slot */
};

/* An integer that may differ. */
typedef struct Varying {
    uint32_t at; /* its first digit, from the begin of the line */
    uint32_t digits;
    Ast *node;
} Varying;

/* What follows the structure are arrays: a shape is one piece of memory. */
typedef struct Shape {
    struct Shape *after; /* the shape that came after it last, or null */
    FastLine line;       /* places count from the begin of the line */
    /* eight bytes of text each, up to the one at line.at */
    uint64_t *text;
    uint64_t *fixed; /* the bits of text that another line of the shape has, too */
    uint32_t nwords;
    Varying *varying;
    uint32_t nvarying;
    char *tree; /* its nodes, one after the other; places count like those of line */
    uint32_t bytes;
    uint16_t *nodes; /* offset of each node in tree */
    uint32_t nnodes;
    uint16_t *links; /* offset of each pointer to a node in tree */
    uint32_t nlinks;
    bool known;    /* its names are resolved */
    int64_t asked; /* Parser.part_begin when that was tried last */
} Shape;

typedef struct Slot {
    uint64_t seen; /* hash of the last line that had no shape */
    uint64_t hash; /* that of the shape */
    Shape *shape;  /* or null */
} Slot;

struct LineShapes {
    Slot slots[SLOTS];
    uint64_t hash; /* that of the line that was looked for last */
    Shape *last;   /* the shape of the last line, or null */
    size_t used;   /* bytes of room */
    uint64_t room[ROOM / sizeof(uint64_t)];
};

/* ---- hash ---------------------------------------------------------------- */

#define EACH_BYTE(b) (0x0101010101010101u * (b))

/* Clears the bytes that are digits. */
static inline uint64_t
without_digits(uint64_t w)
{
    uint64_t above = w ^ EACH_BYTE('0'); /* a digit becomes its value */
    uint64_t others =
        (((above & EACH_BYTE(0x7f)) + EACH_BYTE(0x80 - 10)) | above) & EACH_BYTE(0x80);
    return w & (others >> 7) * 0xff;
}

/* Returns the hash of a text, which is not 0. Bytes after it can be read. */
static inline uint64_t
hash_text(const char *s, size_t n)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t h = n;
    for (; n >= sizeof h; n -= sizeof h, s += sizeof h) {
        h = (h ^ without_digits(eight(s))) * odd;
        h ^= h >> 32;
    }
    h = (h ^ without_digits(eight(s) & first_bytes((uint32_t)n))) * odd;
    return (h ^ h >> 32) | 1;
}

static inline Slot *
slot_of(struct LineShapes *all)
{
    return &all->slots[(all->hash >> 1) & (SLOTS - 1)];
}

/* ---- a line of a shape that is known ------------------------------------- */

/* Returns whether a text is that of the shape but for integers that may differ. */
static inline bool
has_shape(const Shape *x, const char *s)
{
    for (uint32_t i = 0; i < x->nwords; i++) {
        if ((eight(s + 8 * i) ^ x->text[i]) & x->fixed[i]) {
            return false;
        }
    }
    return true;
}

/* Puts the integers of a text into the shape. Returns false if one is none, or is not
 * written as a plain one is. */
static inline bool
put_integers(const Shape *x, const char *s)
{
    for (uint32_t i = 0; i < x->nvarying; i++) {
        const Varying *v = &x->varying[i];
        const char *at = s + v->at;
        uint32_t value = 0;
        for (uint32_t k = 0; k < v->digits; k++) {
            uint32_t digit = (unsigned char)at[k] - (uint32_t)'0';
            if (digit > 9) {
                return false;
            }
            value = value * 10 + digit;
        }
        if (*at == '0' && v->digits > 1) {
            return false;
        }
        v->node->slot = value;
    }
    return true;
}

/* Returns the node of the copy 'to' of a tree that n is in the tree. */
static inline Ast *
moved(const Ast *n, const char *tree, char *to)
{
    return (Ast *)(to + ((const char *)n - tree));
}

/* Copies the tree of a shape for the line that begins at 'begin'. */
static inline char *
copy_tree(Parser *p, const Shape *x, uint32_t begin)
{
    char *to = memcpy(ast_room(p, x->bytes), x->tree, x->bytes);
    const uint16_t *node = x->nodes;
    for (const uint16_t *end = node + x->nnodes; node < end; node++) {
        Span *span = &((Ast *)(to + *node))->span;
        span->begin += begin;
        span->end += begin;
    }
    ptrdiff_t by = to - x->tree;
    const uint16_t *link = x->links;
    for (const uint16_t *end = link + x->nlinks; link < end; link++) {
        Ast **at = (Ast **)(to + *link);
        *at = (Ast *)((char *)*at + by);
    }
    return to;
}

/* Returns whether the text at 'begin' has the shape; its integers are there then. */
static inline bool
fits(const Parser *p, const Shape *x, uint32_t begin)
{
    const char *s = p->text + begin;
    return x && p->fast_limit - begin >= x->line.at && has_shape(x, s) &&
           put_integers(x, s);
}

/* Returns the shape of a line, or null. Mostly it is the one that came after the shape of
 * the line before the last time. */
static inline Shape *
find_shape(Parser *p, struct LineShapes *all, uint32_t begin)
{
    Shape *before = all->last;
    if (before && fits(p, before->after, begin)) {
        return before->after;
    }
    const char *s = p->text + begin;
    const char *end = memchr(s, '\n', p->end - begin);
    all->hash = hash_text(s, (size_t)(end - s));
    const Slot *slot = slot_of(all);
    Shape *x =
        slot->hash == all->hash && fits(p, slot->shape, begin) ? slot->shape : NULL;
    if (before && x) {
        before->after = x;
    }
    return x;
}

/* Resolves the names of a shape. More of them are known when another part of the program
 * was executed. */
static NOINLINE void
know_names(const Parser *p, Shape *x)
{
    const AstSink *sink = p->sink;
    x->asked = p->part_begin;
    for (uint32_t i = 0; i < x->nnodes; i++) {
        if (!sink->know(sink->to, (Ast *)(x->tree + x->nodes[i]))) {
            return;
        }
    }
    x->known = true;
    for (Ast *n = x->line.list.first; n; n = n->next) {
        n->flags |= AST_KNOWN;
    }
}

bool
shape_read(Parser *p, uint32_t begin, FastLine *line)
{
    Shape *x = find_shape(p, p->shapes, begin);
    p->shapes->last = x;
    if (!x) {
        return false;
    }
    if (!x->known && p->sink && x->asked != p->part_begin) {
        know_names(p, x);
    }
    char *to = copy_tree(p, x, begin);
    *line = x->line;
    line->at += begin;
    line->end += begin;
    line->list.first = moved(line->list.first, x->tree, to);
    line->list.last = moved(line->list.last, x->tree, to);
    return true;
}

/* ---- a line of a new shape ----------------------------------------------- */

/* Returns the bytes of a node of a line. */
static size_t
node_bytes(const Ast *n)
{
    return ast_bytes(n->kind == AST_INT && n->op == INT_WIDE ? AST_BOOL
                                                             : (AstKind)n->kind);
}

/* Returns whether the field at that offset of a node, a pointer in some kinds, is one to
 * a node. */
static bool
is_link(const Ast *n, size_t offset)
{
    bool value = n->kind == AST_INT || n->kind == AST_FLOAT || n->kind == AST_BOOL ||
                 n->kind == AST_STRING || n->kind == AST_NONE;
    bool facts = n->kind == AST_CALL && offset == offsetof(Ast, b);
    return offset == offsetof(Ast, next) || (!value && !facts && offset < node_bytes(n));
}

/* Lists the places of a node's links in the tree; those that are null stay so. */
static void
list_links(Shape *x, uint32_t at)
{
    static const size_t offsets[] = {offsetof(Ast, next), offsetof(Ast, a),
                                     offsetof(Ast, b),    offsetof(Ast, list),
                                     offsetof(Ast, body), offsetof(Ast, c)};
    const Ast *n = (const Ast *)(x->tree + at);
    for (size_t i = 0; i < ARRAY_LEN(offsets); i++) {
        size_t link = at + offsets[i];
        if (is_link(n, offsets[i]) && *(Ast **)(x->tree + link)) {
            x->links[x->nlinks++] = (uint16_t)link;
        }
    }
}

/* Makes an integer one that may differ, if it is short. */
static void
vary(Shape *x, Ast *n)
{
    uint32_t digits = n->span.end - n->span.begin;
    if (n->kind != AST_INT || digits > MAX_VARYING_DIGITS) {
        return;
    }
    x->varying[x->nvarying++] = (Varying){n->span.begin, digits, n};
    memset((char *)x->fixed + n->span.begin, 0, digits);
}

/* Lists what is in the tree, which is a copy of that at 'from', and makes it one of the
 * shape. */
static void
list_tree(Shape *x, const char *from, uint32_t begin)
{
    for (uint32_t at = 0; at < x->bytes;) {
        Ast *n = (Ast *)(x->tree + at);
        x->nodes[x->nnodes++] = (uint16_t)at;
        n->span.begin -= begin;
        n->span.end -= begin;
        vary(x, n);
        list_links(x, at);
        at += (uint32_t)node_bytes(n);
    }
    for (uint32_t i = 0; i < x->nlinks; i++) {
        Ast **link = (Ast **)(x->tree + x->links[i]);
        *link = moved(*link, from, x->tree);
    }
}

/* Takes a part of the room. */
static void *
take(struct LineShapes *all, size_t bytes)
{
    void *p = (char *)all->room + all->used;
    all->used += (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    return p;
}

/* Takes room for a shape; forgets all others if there is none. Returns null if the line
 * is too long. */
static Shape *
take_shape(struct LineShapes *all, uint32_t text, uint32_t tree)
{
    uint32_t nodes = tree / (uint32_t)ast_bytes(AST_NAME); /* at most */
    uint32_t most = 2 * (text + tree) + 512;
    if (most > LARGEST) {
        return NULL;
    }
    if (all->used + most > ROOM) {
        memset(all->slots, 0, sizeof all->slots);
        all->last = NULL;
        all->used = 0;
    }
    Shape *x = take(all, sizeof *x);
    *x = (Shape){.nwords = (text + 7) / 8, .bytes = tree, .asked = -1};
    x->text = take(all, 8 * x->nwords);
    x->fixed = take(all, 8 * x->nwords);
    x->tree = take(all, tree);
    x->varying = take(all, nodes * sizeof *x->varying);
    x->nodes = take(all, nodes * sizeof *x->nodes);
    x->links = take(all, tree / sizeof(Ast *) * sizeof *x->links);
    return x;
}

/* Keeps the shape of a line that was read; its tree is at 'from'. */
static Shape *
new_shape(struct LineShapes *all, const char *s, uint32_t begin, const FastLine *line,
          const char *from, uint32_t bytes)
{
    uint32_t text = line->at + 1 - begin;
    Shape *x = take_shape(all, text, bytes);
    if (!x) {
        return NULL;
    }
    memcpy(x->text, s + begin, text);
    memset(x->fixed, 0xff, text);
    memcpy(x->tree, from, bytes);
    list_tree(x, from, begin);
    x->line = *line;
    x->line.at -= begin;
    x->line.end -= begin;
    x->line.list.first = moved(line->list.first, from, x->tree);
    x->line.list.last = moved(line->list.last, from, x->tree);
    return x;
}

void
shape_learn(Parser *p, uint32_t begin, const FastLine *line, ArenaMark mark)
{
    struct LineShapes *all = p->shapes;
    const Arena *tree = &p->u->tree;
    Slot *slot = slot_of(all);
    if (slot->seen != all->hash) {
        slot->seen = all->hash;
    } else if (mark.head == tree->head) { /* it is in one piece */
        Shape *x = new_shape(all, p->text, begin, line, mark.next,
                             (uint32_t)(tree->next - mark.next));
        *slot = (Slot){all->hash, all->hash, x};
    }
}

void
shapes_begin(Parser *p)
{
    p->shapes = ARENA_NEW(p->scratch, struct LineShapes);
}
