/* arena.h: memory by lifetime. An arena hands out memory that lives until the arena is
 * freed; nothing is freed singly. The compiler has three lifetimes: the compilation
 * (Unit.arena), one kernel (Kernel.arena) and scratch (a local arena of one pass or one
 * call). Pointers go from the shorter to the longer life only. */
#ifndef TIKC_ARENA_H
#define TIKC_ARENA_H

#include "base/base.h"
#include <stdarg.h>

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    ArenaChunk *head; /* newest chunk first */
    char *next;       /* free space of the newest chunk */
    char *end;
    ArenaChunk *spare;  /* one that was released, zeroed, or null */
    ArenaChunk *tables; /* large arrays that grow, each in a chunk of its own */
    int64_t used;       /* bytes handed out; the memory limit of the evaluator reads it */
    bool raw;           /* rewinding leaves what was handed out as it is */
    /* null, or the count of another arena, which gets this one's chunks too */
    int64_t *also;
} Arena;

/* How much an arena had handed out. */
typedef struct ArenaMark {
    ArenaChunk *head;
    char *next;
} ArenaMark;

/* An arena full of zero bytes is a valid empty arena. */
void arena_init(Arena *a);

/* Releases all memory; the arena is empty and usable again. */
void arena_free(Arena *a);

ArenaMark arena_mark(const Arena *a);
/* Releases what a handed out since the mark, except large arrays that grow. used still
 * counts it. After that a raw arena hands out memory that is not zeroed. */
void arena_rewind(Arena *a, ArenaMark mark);

/* Returns the bytes of memory that an arena takes. */
size_t arena_bytes(const Arena *a);

/* What a takes from now on is counted in the use of other, too; other must outlive a. */
void arena_count_in(Arena *a, Arena *other);

/* Returns zeroed memory, aligned to 16 bytes. A size of 0 gives a unique pointer that may
 * not be read. The result is never null. */
void *arena_alloc(Arena *a, size_t size);

/* Begins a chunk with room for at least that many bytes. */
void arena_add_chunk(Arena *a, size_t wanted);

/* Takes that many bytes, a multiple of what they are aligned to. */
static inline void *
arena_take(Arena *a, size_t rounded)
{
    if ((size_t)(a->end - a->next) < rounded) {
        arena_add_chunk(a, rounded);
    }
    void *p = a->next;
    a->next += rounded;
    a->used += (int64_t)rounded;
    return p;
}

/* Returns zeroed memory, aligned to 8 bytes only, for arenas that hold very many small
 * things. An arena that gives such memory gives no other. */
static inline void *
arena_alloc_word(Arena *a, size_t size)
{
    const size_t word = sizeof(uint64_t);
    return arena_take(a, (size + word - 1) / word * word);
}

/* Allocates n zeroed elements of a type. */
#define ARENA_NEW(a, T)          ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, count) ((T *)arena_alloc((a), sizeof(T) * (size_t)(count)))

/* Returns whether p points into the arena. */
bool arena_holds(const Arena *a, const void *p);

/* Copies bytes into the arena; the results of the string forms end in a zero byte. */
void *arena_copy(Arena *a, const void *bytes, size_t size);
char *arena_strdup(Arena *a, const char *s);
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(Arena *a, const char *fmt, va_list ap);

/* A growable array in an arena: VEC(int) v = {0}; VEC_PUSH(arena, &v, 3); v.p[0]; v.n.
 * Growth copies, and the old storage stays in the arena, unless it is the arena's newest
 * piece. A large array moves, and takes its storage along: so no pointer to an element is
 * used after the next VEC_PUSH. */
#define VEC(T)                                                                           \
    struct {                                                                             \
        T *p;                                                                            \
        uint32_t n;                                                                      \
        uint32_t cap;                                                                    \
    }

#define VEC_PUSH(arena, v, ...)                                                          \
    do {                                                                                 \
        if ((v)->n == (v)->cap) {                                                        \
            (v)->p = arena_grow((arena), (v)->p, &(v)->cap, sizeof(*(v)->p));            \
        }                                                                                \
        (v)->p[(v)->n++] = __VA_ARGS__;                                                  \
    } while (0)

/* Returns the array with room for more elements; *cap says for how many. The first has
 * room for 8. */
void *arena_grow(Arena *a, void *old, uint32_t *cap, size_t elem);
/* The same, with room for twice as many. */
void *arena_double(Arena *a, void *old, uint32_t *cap, size_t elem);

/* A growable text in an arena. It is always zero-ended. */
typedef struct Text {
    Arena *arena;
    char *p;
    size_t n;
    size_t cap;
    const char *lent; /* the caller's room, as text_init_in got it */
} Text;

void text_init(Text *t, Arena *a);
/* Begins a text in room of the caller (cap bytes); it moves to the arena when it becomes
 * longer. As long as p is the caller's room, the text is valid only as long as that
 * room. */
void text_init_in(Text *t, Arena *a, char *room, size_t cap);
/* Makes sure that n more bytes fit without growing. */
void text_reserve(Text *t, size_t n);
void text_put(Text *t, const char *s);
void text_putn(Text *t, const char *s, size_t n);
void text_printf(Text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Texts are often made of single characters, so there is no call while there is room. */
static inline void
text_putc(Text *t, char c)
{
    if (t->n + 1 >= t->cap) {
        text_reserve(t, 1);
    }
    t->p[t->n++] = c;
    t->p[t->n] = 0;
}

#endif
