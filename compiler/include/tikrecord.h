/* tikrecord.h: records kernels for a program that runs elsewhere. An interpreter of
 * another language (runtime/python is one) runs the program; whatever the program does
 * with the modules and objects of kernels comes here, value by value, and is done by the
 * same code that does it for programs that tikc runs itself. The kernels that result are
 * those of a Tikc: tikc_make and tikc_diagnostics give what they give for a text.
 *
 *     Tikc *t = tikc_new();
 *     tikc_record_begin(t, "k.py", NULL, NULL);
 *     tikc_record_import(t, "tbe.tik", &tik);
 *     tikc_record_call(t, &tik, "Tik", &none, &container);
 *     ...
 *     if (tikc_record_build(t)) { tikc_make(t, 0, TIKC_BLOB, &bytes, &n); }
 *
 * Functions return false when the program has to stop: tikc_record_exception then gives
 * the exception, or none, after which tikc_diagnostics says why. Threads may take
 * turns. */
#ifndef TIKRECORD_H
#define TIKRECORD_H

#include "tikc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TikcKind {
    TIKC_NONE,
    TIKC_BOOL,    /* i */
    TIKC_INT,     /* i */
    TIKC_BIG,     /* text: the digits of an integer that int64_t does not hold */
    TIKC_FLOAT,   /* f */
    TIKC_STR,     /* text, n bytes of UTF-8 */
    TIKC_TUPLE,   /* items, n of them */
    TIKC_LIST,    /* the same */
    TIKC_DICT,    /* the same: a key, its value, a key, ... */
    TIKC_SET,     /* the same: the members */
    TIKC_SLICE,   /* three items: start, stop, step */
    TIKC_MODULE,  /* ref; its attribute __name__ is the dotted name */
    TIKC_OBJECT,  /* ref, n: anything else; only what a function gave may be given back */
    TIKC_FOREIGN, /* i: a number that the caller chose for a callable object of its own */
    TIKC_ELLIPSIS
} TikcKind;

/* A value. Lists, dictionaries and sets are copies. What a function gives is valid until
 * tikc_free. */
typedef struct TikcValue {
    int32_t kind; /* a TikcKind */
    uint32_t n;
    union {
        int64_t i;
        double f;
        const char *text;
        const struct TikcValue *items;
        const void *ref;
    };
} TikcValue;

/* A place in a text that tikc_record_source was given. Lines and columns begin at 1,
 * columns count bytes; the end is one past the last. Line 0: the whole text. */
typedef struct TikcPlace {
    uint32_t source, line, column, end_line, end_column;
} TikcPlace;

typedef struct TikcArgs {
    const TikcValue *pos;
    const TikcValue *named;
    const char *const *names;
    const TikcPlace *places; /* of all arguments, for messages; null: not known */
    int32_t npos, nnamed;
} TikcArgs;

/* Gets an attribute of a foreign object, or calls it if attribute is null. false means
 * that the caller's program raised an exception, which it keeps: it goes through the
 * code in between as an ordinary one. */
typedef bool TikcForeign(void *ctx, int64_t object, const char *attribute,
                         const TikcArgs *args, TikcValue *out);

/* Begins in place of tikc_compile_text. path names the program, and is where imports of
 * the program's own modules begin. foreign may be null. */
TIKC_API bool tikc_record_begin(Tikc *t, const char *path, TikcForeign *foreign,
                                void *ctx);

/* ---- places -------------------------------------------------------------- */

/* Adds a text of the program and returns its number. Its comments '# tikc: allow(...)'
 * apply. */
TIKC_API uint32_t tikc_record_source(Tikc *t, const char *path, const char *text,
                                     size_t size);
/* Returns the number of a chain of calls: that of the caller (0: the top level) and the
 * call of callee at a place. */
TIKC_API uint32_t tikc_record_frame(Tikc *t, uint32_t caller, TikcPlace place,
                                    const char *callee);
/* Says where the program is, for what follows. */
TIKC_API void tikc_record_at(Tikc *t, uint32_t frame, TikcPlace place);

/* ---- what a program does ------------------------------------------------- */

TIKC_API bool tikc_record_import(Tikc *t, const char *module, TikcValue *out);
/* The names that `from module import *` gives, as a list. */
TIKC_API bool tikc_record_names(Tikc *t, const TikcValue *module, TikcValue *out);
TIKC_API bool tikc_record_get(Tikc *t, const TikcValue *object, const char *attribute,
                              TikcValue *out);
TIKC_API bool tikc_record_set(Tikc *t, const TikcValue *object, const char *attribute,
                              const TikcValue *v);
TIKC_API bool tikc_record_get_item(Tikc *t, const TikcValue *object, const TikcValue *key,
                                   TikcValue *out);
TIKC_API bool tikc_record_set_item(Tikc *t, const TikcValue *object, const TikcValue *key,
                                   const TikcValue *v);
/* Calls a method of the object, or the object itself if method is null. */
TIKC_API bool tikc_record_call(Tikc *t, const TikcValue *object, const char *method,
                               const TikcArgs *args, TikcValue *out);
/* Computes `left op right` for an operator as programs write it, "+", "<=" or "in";
 * "+=" and its like; or `op left` if right is null, for "-", "+" and "~". */
TIKC_API bool tikc_record_operator(Tikc *t, const char *op, const TikcValue *left,
                                   const TikcValue *right, TikcValue *out);
TIKC_API bool tikc_record_truth(Tikc *t, const TikcValue *v, bool *out);
TIKC_API bool tikc_record_length(Tikc *t, const TikcValue *v, int64_t *out);
/* Gives what repr() gives, or str() if plain. */
TIKC_API bool tikc_record_text(Tikc *t, const TikcValue *v, bool plain, TikcValue *out);
/* Enters a with statement; name is what follows `as`, or null. */
TIKC_API bool tikc_record_enter(Tikc *t, const TikcValue *v, const char *name,
                                TikcValue *out);
TIKC_API bool tikc_record_leave(Tikc *t, const TikcValue *v, bool failed);

/* ---- results ------------------------------------------------------------- */

/* Takes the exception because of which a function returned false: the name of its class,
 * the tuple of its arguments, and what helps against it ("" if nothing is known). false:
 * there is none. */
TIKC_API bool tikc_record_exception(Tikc *t, const char **name, TikcValue *args,
                                    const char **help);
/* Checks the kernels that BuildCCE ended since the last time, which get the next numbers
 * if nothing is wrong. false: there were errors, or none was ended. */
TIKC_API bool tikc_record_build(Tikc *t);
/* Forgets the diagnostics, so that those that come belong to the next kernel. Kernels
 * stay, names may be used again. A kernel that is still being recorded and that an error
 * was reported for will not be built. */
TIKC_API void tikc_record_next(Tikc *t);

#ifdef __cplusplus
}
#endif
#endif
