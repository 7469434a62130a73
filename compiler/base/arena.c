/* arena.c: see arena.h. Chunks double in size, so that small compilations use little
 * memory and large ones make few system calls. Large chunks are mapped as huge pages: a
 * large kernel would spend a third of its time on page faults. */
#define _GNU_SOURCE /* mremap, MADV_POPULATE_WRITE */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALIGN = 16,
    FIRST_CHUNK = 16 << 10,
    PAGE = 4096,
    HUGE_PAGE = 2 << 20, /* chunks from this size on are mapped */
    /* An array of this size grows in a chunk of its own: its pages move, so it needs no
     * room for the old and the new storage, and what is not used yet is no memory. */
    TABLE = 64 << 10,
    STEP = 64 << 10,            /* that many bytes of it are handed out at a time */
    HUGE_ARRAY = 2 * HUGE_PAGE, /* one that begins so large gets huge pages, */
    HUGE_TABLE = 4 * HUGE_PAGE  /* and one that has grown so large */
};

struct ArenaChunk {
    ArenaChunk *older;
    size_t size; /* of the data that follows this header */
};

/* The data of the largest chunks, unless one thing needs more: with its header such a
 * chunk is one huge page. */
#define MAX_CHUNK (HUGE_PAGE - sizeof(ArenaChunk))

/* Asks for huge pages. A page costs more than what is done with its contents. */
static void
want_huge(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(p, size, MADV_HUGEPAGE);
#else
    (void)p;
    (void)size;
#endif
}

/* Returns zeroed memory, or null if there is none. *whole is rounded up to the size that
 * was taken. */
static ArenaChunk *
take_chunk(size_t *whole)
{
    if (*whole < HUGE_PAGE) {
        return calloc(1, *whole);
    }
    *whole = (*whole + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *p =
        mmap(NULL, *whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    want_huge(p, *whole);
    return p;
}

static void
give_chunk(ArenaChunk *c)
{
    size_t whole = sizeof *c + c->size;
    if (whole < HUGE_PAGE) {
        free(c);
    } else {
        munmap(c, whole);
    }
}

void
arena_init(Arena *a)
{
    memset(a, 0, sizeof *a);
}

void
arena_free(Arena *a)
{
    ArenaChunk *c = a->head;
    while (c) {
        ArenaChunk *older = c->older;
        give_chunk(c);
        c = older;
    }
    if (a->spare) {
        give_chunk(a->spare);
    }
    while (a->tables) {
        c = a->tables;
        a->tables = c->older;
        munmap(c, sizeof *c + c->size);
    }
    arena_init(a);
}

ArenaMark
arena_mark(const Arena *a)
{
    return (ArenaMark){a->head, a->next};
}

/* Clears what was handed out of the newest chunk from 'from' on: it is handed out
 * again. */
static void
clear(const Arena *a, char *from)
{
    if (!a->raw && from != a->next) {
        memset(from, 0, (size_t)(a->next - from));
    }
}

/* Takes the newest chunk off. If it is worth it, it stays to be taken again, unless it is
 * one that the system should rather have. */
static void
release_newest(Arena *a, bool worth)
{
    ArenaChunk *c = a->head;
    a->head = c->older;
    if (!worth || a->spare || sizeof *c + c->size >= HUGE_PAGE) {
        give_chunk(c);
        return;
    }
    clear(a, (char *)(c + 1));
    c->older = NULL;
    a->spare = c;
}

void
arena_rewind(Arena *a, ArenaMark mark)
{
    /* of an arena that was empty the first chunk stays, as it is taken again */
    bool largest = true;
    while (a->head != mark.head && (mark.head || a->head->older)) {
        release_newest(a, largest);
        largest = false;
        a->next = a->end = (char *)(a->head + 1) + a->head->size;
    }
    if (a->head) {
        char *next = mark.head ? mark.next : (char *)(a->head + 1);
        clear(a, next);
        a->next = next;
    }
}

static bool
in_chunk(const ArenaChunk *c, const void *p)
{
    const char *data = (const char *)(c + 1);
    return (const char *)p >= data && (const char *)p < data + c->size;
}

bool
arena_holds(const Arena *a, const void *p)
{
    const ArenaChunk *lists[] = {a->head, a->tables};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (const ArenaChunk *c = lists[i]; c; c = c->older) {
            if (in_chunk(c, p)) {
                return true;
            }
        }
    }
    return false;
}

size_t
arena_bytes(const Arena *a)
{
    const ArenaChunk *lists[] = {a->head, a->tables, a->spare};
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (const ArenaChunk *c = lists[i]; c; c = c->older) {
            n += sizeof *c + c->size;
        }
    }
    return n;
}

void
arena_count_in(Arena *a, Arena *other)
{
    a->also = &other->used;
    other->used += (int64_t)arena_bytes(a);
}

/* Puts a chunk in the place of the newest. */
static void
begin_chunk(Arena *a, ArenaChunk *c)
{
    c->older = a->head;
    a->head = c;
    a->next = (char *)(c + 1);
    a->end = a->next + c->size;
}

void
arena_add_chunk(Arena *a, size_t wanted)
{
    if (a->spare && a->spare->size >= wanted) {
        begin_chunk(a, a->spare);
        a->spare = NULL;
        return;
    }
    size_t size = a->head ? a->head->size * 2 : FIRST_CHUNK;
    size = MAX(MIN(size, MAX_CHUNK), wanted);
    size_t whole = sizeof(ArenaChunk) + size;
    ArenaChunk *c = size < SIZE_MAX / 2 ? take_chunk(&whole) : NULL;
    if (!c) {
        base_out_of_memory(wanted);
    }
    size = whole - sizeof *c;
    if (a->also) {
        *a->also += (int64_t)whole;
    }
    c->size = size;
    begin_chunk(a, c);
}

static size_t
rounded_size(size_t size)
{
    return (size + (size == 0) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* Enlarges p in place. Returns false unless p is the newest piece and the chunk has
 * room. */
static bool
extend(Arena *a, const void *p, size_t size, size_t grown)
{
    size_t more = rounded_size(grown) - rounded_size(size);
    if (!p || (const char *)p + rounded_size(size) != a->next ||
        (size_t)(a->end - a->next) < more) {
        return false;
    }
    a->next += more;
    a->used += (int64_t)more;
    return true;
}

/* Returns the chunk of an array that grows, or null: its place in the list. */
static ArenaChunk **
find_table(Arena *a, const void *p)
{
    ArenaChunk **at = &a->tables;
    while (*at && (const void *)(*at + 1) != p) {
        at = &(*at)->older;
    }
    return at;
}

/* Returns room for a mapping that begins where a huge page does; MAP_FAILED if there is
 * none. */
static char *
reserve_aligned(size_t whole)
{
    char *p = mmap(NULL, whole + HUGE_PAGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        return p;
    }
    size_t before = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
    if (before) {
        munmap(p, before);
    }
    munmap(p + before + whole, HUGE_PAGE - before);
    return p + before;
}

static void *
map_pages(void *at, size_t size)
{
    return mmap(at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

/* Moves the pages of an array to 'at', if that is not null; copies them where pages of
 * both sizes are in it. */
static void *
move_pages(ArenaChunk *old, size_t was, size_t whole, void *at)
{
    void *p = mremap(old, was, whole, MREMAP_MAYMOVE | (at ? MREMAP_FIXED : 0), at);
    if (p == MAP_FAILED) {
        p = map_pages(at, whole);
        if (p != MAP_FAILED) {
            memcpy(p, old, MIN(was, whole));
            munmap(old, was);
        }
    }
    return p;
}

/* Maps room for an array, or moves one there. A large array that grows gets huge pages
 * where it has none yet, of which the last is half empty as a rule; one that begins large
 * is as large as it will be, and its rest gets small ones. */
static void *
map_table(ArenaChunk *old, size_t was, size_t whole)
{
    bool huge = whole >= (was ? HUGE_TABLE : HUGE_ARRAY);
    void *at = huge ? reserve_aligned(whole) : NULL;
    if (at == MAP_FAILED) {
        return at;
    }
    void *p = was ? move_pages(old, was, whole, at) : map_pages(at, whole);
    if (huge && p != MAP_FAILED) {
        want_huge(p, was ? whole : whole / HUGE_PAGE * HUGE_PAGE);
    }
    return p;
}

/* Asks for the pages of a part of an array at once, which takes two thirds of the time
 * of a fault for each. They come when they are written, if that fails. */
static void
want_pages(char *from, char *to)
{
#ifdef MADV_POPULATE_WRITE
    char *first = from - (uintptr_t)from % PAGE;
    (void)madvise(first, (size_t)(to - first), MADV_POPULATE_WRITE);
#else
    (void)from;
    (void)to;
#endif
}

static void *
enlarge_table(Arena *a, ArenaChunk **at, size_t size)
{
    size_t was = *at ? sizeof **at + (*at)->size : 0;
    size_t whole = (sizeof **at + size + PAGE - 1) / PAGE * PAGE;
    void *p = map_table(*at, was, whole);
    if (p == MAP_FAILED) {
        base_out_of_memory(size);
    }
    *at = p;
    (*at)->size = whole - sizeof **at;
    a->used += (int64_t)(whole - was);
    if (a->also) {
        *a->also += (int64_t)(whole - was);
    }
    return *at + 1;
}

/* Gives p room for grown bytes; the first size of them stay. */
static void *
resize(Arena *a, void *p, size_t size, size_t grown)
{
    ArenaChunk **table = grown < TABLE || grown > SIZE_MAX / 4 ? NULL : find_table(a, p);
    if (p && table && *table) {
        return enlarge_table(a, table, grown);
    }
    if (extend(a, p, size, grown)) {
        return p;
    }
    void *room;
    if (table) {
        ArenaChunk *older = a->tables;
        a->tables = NULL;
        room = enlarge_table(a, &a->tables, grown);
        a->tables->older = older;
    } else {
        room = arena_alloc(a, grown);
    }
    if (size) {
        memcpy(room, p, size);
    }
    return room;
}

void *
arena_alloc(Arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) {
        base_out_of_memory(size);
    }
    return arena_take(a, rounded_size(size));
}

void *
arena_copy(Arena *a, const void *bytes, size_t size)
{
    void *p = arena_alloc(a, size);
    if (size) {
        memcpy(p, bytes, size);
    }
    return p;
}

char *
arena_strdup(Arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *
arena_strndup(Arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    if (n) {
        memcpy(p, s, n);
    }
    return p;
}

char *
arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
    char brief[256]; /* long enough for most texts, which then need no second pass */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(brief, sizeof brief, fmt, ap);
    if (n < 0) {
        ICE("bad format '%s'", fmt);
    }
    char *p = NULL;
    if ((size_t)n < sizeof brief) {
        p = arena_copy(a, brief, (size_t)n + 1);
    } else {
        p = arena_alloc(a, (size_t)n + 1);
        vsnprintf(p, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    return p;
}

char *
arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}

void *
arena_double(Arena *a, void *old, uint32_t *cap, size_t elem)
{
    uint32_t grown = *cap ? *cap * 2 : 8;
    if (grown <= *cap) {
        base_out_of_memory(SIZE_MAX);
    }
    void *p = resize(a, old, *cap * elem, grown * elem);
    *cap = grown;
    return p;
}

/* Returns how many elements a large array may have that has the first 'had' now: what
 * comes next of its room, whose pages are there then. Returns 'had' if all is handed
 * out, or it has no chunk of its own. */
static uint32_t
next_part(Arena *a, const void *p, uint32_t had, size_t elem)
{
    size_t size = had * elem;
    const ArenaChunk *c = size < TABLE / 2 ? NULL : *find_table(a, p);
    if (!c || c->size / elem <= had) {
        return had;
    }
    uint32_t more = (uint32_t)MIN(c->size / elem - had, STEP / elem + 1);
    if (more <= UINT32_MAX - had) {
        had += more;
        want_pages((char *)p + size, (char *)p + had * elem);
    }
    return had;
}

void *
arena_grow(Arena *a, void *old, uint32_t *cap, size_t elem)
{
    uint32_t had = *cap;
    *cap = next_part(a, old, had, elem);
    if (*cap > had) {
        return old;
    }
    void *p = arena_double(a, old, cap, elem);
    uint32_t most = next_part(a, p, had, elem);
    *cap = most > had ? most : *cap;
    return p;
}

void
text_init(Text *t, Arena *a)
{
    t->arena = a;
    t->cap = 64;
    t->p = arena_alloc(a, t->cap);
    t->n = 0;
    t->lent = NULL;
}

void
text_init_in(Text *t, Arena *a, char *room, size_t cap)
{
    room[0] = 0;
    *t = (Text){.arena = a, .p = room, .cap = cap, .lent = room};
}

void
text_reserve(Text *t, size_t extra)
{
    if (extra > SIZE_MAX / 4 || t->n > SIZE_MAX / 4) {
        base_out_of_memory(extra);
    }
    if (t->n + extra + 1 <= t->cap) {
        return;
    }
    size_t cap = MAX(t->cap * 2, t->n + extra + 1);
    t->p = resize(t->arena, t->p, t->cap, cap);
    t->cap = cap;
}

void
text_putn(Text *t, const char *s, size_t n)
{
    text_reserve(t, n);
    if (n) {
        memcpy(t->p + t->n, s, n);
    }
    t->n += n;
    t->p[t->n] = 0;
}

void
text_put(Text *t, const char *s)
{
    text_putn(t, s, strlen(s));
}

void
text_printf(Text *t, const char *fmt, ...)
{
    va_list ap;
    va_list again;
    va_start(ap, fmt);
    va_copy(again, ap);
    /* most pieces fit, so formatting is tried before the room is enlarged */
    size_t room = t->cap - t->n;
    int n = vsnprintf(t->p + t->n, room, fmt, ap);
    va_end(ap);
    if (n < 0) {
        ICE("bad format '%s'", fmt);
    }
    if ((size_t)n >= room) {
        text_reserve(t, (size_t)n);
        vsnprintf(t->p + t->n, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    t->n += (size_t)n;
}
