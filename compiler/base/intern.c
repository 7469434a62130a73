/* intern.c: see intern.h. The hash is FNV-1a with linear probing; a table grows when it
 * is three quarters full. The tables begin with room for the names that every compilation
 * has. */
#include "base/intern.h"

#include <ctype.h>
#include <string.h>

enum {
    FIRST_ENTRIES = 1024,
    FIRST_SLOTS = 2048
};

void
intern_init(Interner *in, Arena *arena)
{
    memset(in, 0, sizeof *in);
    in->arena = arena;
    in->cap = FIRST_ENTRIES;
    in->entries = ARENA_ARRAY(arena, InternEntry, in->cap);
    in->entries[0] = (InternEntry){"", 0, 0};
    in->n = 1;
    in->nslots = FIRST_SLOTS;
    in->slots = ARENA_ARRAY(arena, uint32_t, in->nslots);
}

static uint32_t
hash_bytes(const char *p, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ (unsigned char)p[i]) * 16777619u;
    }
    return h;
}

static void
grow_slots(Interner *in)
{
    uint32_t size = in->nslots * 2;
    uint32_t *slots = ARENA_ARRAY(in->arena, uint32_t, size);
    for (uint32_t s = 1; s < in->n; s++) {
        uint32_t i = in->entries[s].hash & (size - 1);
        while (slots[i]) {
            i = (i + 1) & (size - 1);
        }
        slots[i] = s;
    }
    in->slots = slots;
    in->nslots = size;
}

static Sym
add_entry(Interner *in, const char *text, size_t n, uint32_t hash)
{
    if (in->n == in->cap) {
        in->entries = arena_grow(in->arena, in->entries, &in->cap, sizeof(InternEntry));
    }
    in->entries[in->n] =
        (InternEntry){arena_strndup(in->arena, text, n), (uint32_t)n, hash};
    return in->n++;
}

Sym
intern_n(Interner *in, const char *text, size_t n)
{
    if (n > UINT32_MAX / 2) {
        base_out_of_memory(n);
    }
    uint32_t hash = hash_bytes(text, n);
    uint32_t i = hash & (in->nslots - 1);
    for (; in->slots[i]; i = (i + 1) & (in->nslots - 1)) {
        const InternEntry *e = &in->entries[in->slots[i]];
        if (e->hash == hash && e->len == n && memcmp(e->text, text, n) == 0) {
            return in->slots[i];
        }
    }
    Sym s = add_entry(in, text, n, hash);
    in->slots[i] = s;
    if (in->n > in->nslots / 4 * 3) {
        grow_slots(in);
    }
    return s;
}

Sym
intern(Interner *in, const char *text)
{
    return intern_n(in, text, strlen(text));
}

const char *
sym_text(const Interner *in, Sym s)
{
    return in->entries[s].text;
}

uint32_t
sym_len(const Interner *in, Sym s)
{
    return in->entries[s].len;
}

bool
intern_is_identifier(const char *s)
{
    bool ok = isalpha((unsigned char)*s) || *s == '_';
    for (; *s; s++) {
        ok = ok && (isalnum((unsigned char)*s) || *s == '_');
    }
    return ok;
}
