/* gdb.c: the interface of gdb (and lldb) for code that is made while a process runs: a
 * list of object files in memory, and a function at which the debugger has a breakpoint.
 * Both are in LLVM's library, so a process has them once.
 *
 * The debugger reads the object as a file whose sections are where their headers say; so
 * a copy gets the place of its code. All other sections that it needs are those of the
 * line table, which it relocates itself. */
#include "host/gdb.h"

#include <elf.h>
#include <string.h>

enum {
    GDB_REGISTER = 1,
    GDB_UNREGISTER = 2
};

struct GdbCode {
    GdbCode *next, *prev;
    const char *object;
    uint64_t size;
};

typedef struct GdbDescriptor {
    uint32_t version;
    uint32_t action;
    GdbCode *relevant;
    GdbCode *first;
} GdbDescriptor;

/* names and forms that debuggers know */
extern GdbDescriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

/* ---- the object ---------------------------------------------------------- */

static Elf64_Shdr *
section(char *object, size_t size, uint32_t index)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)object;
    uint64_t at = h->e_shoff + (uint64_t)index * sizeof(Elf64_Shdr);
    return index < h->e_shnum && at <= size && size - at >= sizeof(Elf64_Shdr)
               ? (Elf64_Shdr *)(object + at)
               : NULL;
}

static bool
is_object(const char *object, size_t size)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)object;
    return size >= sizeof *h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
           h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_type == ET_REL &&
           h->e_shentsize == sizeof(Elf64_Shdr);
}

static const char *
name_of(const char *object, const Elf64_Shdr *names, const Elf64_Sym *s)
{
    return s->st_name < names->sh_size ? object + names->sh_offset + s->st_name : "";
}

/* Finds a symbol in a table of symbols, and gives the section that has it its place. */
static bool
place_by(char *object, size_t size, const Elf64_Shdr *table, const char *symbol,
         uint64_t address)
{
    const Elf64_Shdr *names = section(object, size, table->sh_link);
    if (names == NULL || table->sh_offset + table->sh_size > size ||
        names->sh_offset + names->sh_size > size) {
        return false;
    }
    const Elf64_Sym *s = (const Elf64_Sym *)(object + table->sh_offset);
    for (uint64_t i = 0; i < table->sh_size / sizeof *s; i++) {
        Elf64_Shdr *code = strcmp(name_of(object, names, &s[i]), symbol) == 0
                               ? section(object, size, s[i].st_shndx)
                               : NULL;
        if (code != NULL) {
            code->sh_addr = address - s[i].st_value;
            return true;
        }
    }
    return false;
}

static bool
place_code(char *object, size_t size, const char *symbol, uint64_t address)
{
    const Elf64_Shdr *s;
    for (uint32_t i = 0; (s = section(object, size, i)) != NULL; i++) {
        if (s->sh_type == SHT_SYMTAB && place_by(object, size, s, symbol, address)) {
            return true;
        }
    }
    return false;
}

/* ---- the list ------------------------------------------------------------ */

static void
announce(GdbCode *code, uint32_t action)
{
    __jit_debug_descriptor.relevant = code;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
}

GdbCode *
gdb_register(Arena *a, char *object, size_t size, const char *symbol, uint64_t address)
{
    if (!is_object(object, size) || !place_code(object, size, symbol, address)) {
        return NULL;
    }
    GdbCode *code = ARENA_NEW(a, GdbCode);
    *code = (GdbCode){__jit_debug_descriptor.first, NULL, object, size};
    if (code->next != NULL) {
        code->next->prev = code;
    }
    __jit_debug_descriptor.first = code;
    announce(code, GDB_REGISTER);
    return code;
}

void
gdb_forget(GdbCode *code)
{
    if (code->next != NULL) {
        code->next->prev = code->prev;
    }
    if (code->prev != NULL) {
        code->prev->next = code->next;
    } else {
        __jit_debug_descriptor.first = code->next;
    }
    announce(code, GDB_UNREGISTER);
}
