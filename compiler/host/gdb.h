/* gdb.h: tells a debugger of code that the JIT has made. Private to the JIT. */
#ifndef TIKC_HOST_GDB_H
#define TIKC_HOST_GDB_H

#include "base/arena.h"

typedef struct GdbCode GdbCode;

/* Makes object code known to debuggers of this process, as it is linked: symbol is a
 * function of it, at address. The object is a copy of what was linked: it is changed, and
 * lives until gdb_forget. Returns null if it is no object of a form that is known. Only
 * one thread of the process registers or forgets code at a time. */
GdbCode *gdb_register(Arena *a, char *object, size_t size, const char *symbol,
                      uint64_t address);
void gdb_forget(GdbCode *code);

#endif
