/* lean.h: what a loader for one family of processors leaves out. Such a build defines
 * TIK_LEAN and finds the tables of its family in family.h, which tools/family-tables.c
 * makes of the .def files; it has codes and numbers instead of names and texts, which a
 * program on a host makes of them (tikblob_explain). */
#ifndef TIK_LEAN_H
#define TIK_LEAN_H

/* What only texts need: members, initializers; what only saves time; and what only a
 * lean loader needs. */
#ifdef TIK_LEAN
#define TEXT(...)
#define NOT_LEAN(...)
#define LEAN(...)         __VA_ARGS__
#define TIK_TEXT_BYTES(n) 1
/* Functions of which the frame is not to be a part of their caller's, which calls others
 * that need more of the stack. */
#define LEAN_APART __attribute__((noinline))
/* Functions whose result depends on their arguments and on what these point to, and which
 * do nothing else: calls whose results only texts need are left out. */
#define PURE __attribute__((pure))
#else
#define LEAN_APART
#define PURE
#define TEXT(...)     __VA_ARGS__
#define NOT_LEAN(...) __VA_ARGS__
#define LEAN(...)
#define TIK_TEXT_BYTES(n) (n)
#endif

#endif
