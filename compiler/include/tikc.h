/* tikc.h: the compiler as a library (libtikc): the text of a program becomes a descriptor
 * blob, its IR, and diagnostics as text or JSON. This header includes only headers of C,
 * and is valid C11 and C++17. tikrt.h runs what is made here.
 *
 *     Tikc *t = tikc_new();
 *     if (tikc_compile_text(t, "k.tik", text, size) &&
 *         tikc_make(t, -1, TIKC_BLOB, &bytes, &n)) {
 *         ...
 *     }
 *     fputs(tikc_diagnostics(t, TIKC_TEXT), stderr);
 *     tikc_free(t);
 *
 * A Tikc is one compilation. Different ones are independent, each is used by one thread
 * at a time, and there is no global state. Nothing prints. A program is staged by
 * recursion: the thread needs a stack of 8 MB. Running out of memory and faults of the
 * compiler itself end the process. Whatever a function returns is valid until
 * tikc_free. */
#ifndef TIKC_H
#define TIKC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define TIKC_API __attribute__((visibility("default")))
#else
#define TIKC_API
#endif

typedef struct Tikc Tikc;

TIKC_API const char *tikc_version(void); /* "0.1.0" */
TIKC_API Tikc *tikc_new(void);
TIKC_API void tikc_free(Tikc *t); /* t may be null */

/* ---- settings, before the program is compiled ---------------------------- */

/* Functions that return false have added a diagnostic. Texts are copied. docs/language.md
 * says what each setting means; the tool's options have the same names. */
TIKC_API bool tikc_set_soc(Tikc *t, const char *name);                        /* --soc */
TIKC_API void tikc_set_call(Tikc *t, const char *expression);                 /* --call */
TIKC_API bool tikc_define(Tikc *t, const char *name, const char *expression); /* -D */
TIKC_API bool tikc_choose(Tikc *t, const char *point, const char *reading); /* --choice */
TIKC_API void tikc_set_env(Tikc *t, const char *name, const char *value);   /* --env */
TIKC_API void tikc_add_folder(Tikc *t, const char *folder); /* -I, also NAME=DIR */

/* Finds the contents of a file that the program imports or reads constants from; returns
 * false if there is none. The text is copied after the function has returned. */
typedef bool TikcLoad(void *ctx, const char *path, const char **text, size_t *size);
/* Sets the loader. Without one a program is one text. The loader decides whether a file
 * may be read. */
TIKC_API void tikc_set_loader(Tikc *t, TikcLoad *load, void *ctx);

/* ---- compiling ----------------------------------------------------------- */

/* Parses, stages and checks a program, or reads and checks the text of kernels
 * (docs/ir.md; then settings that apply to programs only are errors). It may be called
 * once for each Tikc. path is the text's name in diagnostics, and where imports begin. */
TIKC_API bool tikc_compile_text(Tikc *t, const char *path, const char *text, size_t size);
TIKC_API int tikc_kernels(const Tikc *t);
TIKC_API const char *tikc_kernel_name(const Tikc *t, int kernel);

typedef enum TikcForm {
    TIKC_BLOB,  /* the descriptor blob (docs/blob-format.md) */
    TIKC_IR,    /* text of the IR (docs/ir.md) */
    TIKC_TRACE, /* a line per instruction (docs/trace-format.md) */
    TIKC_FACTS  /* what a host has to know, as JSON; for one kernel */
} TikcForm;

/* Makes a form of one kernel of a program that compiled, or of all (-1). Texts end in a
 * zero that is not counted. */
TIKC_API bool tikc_make(Tikc *t, int kernel, TikcForm form, const void **bytes,
                        size_t *size);

/* Compiles a kernel to machine code in this process, and gives what tik_launch of
 * tikrt.h runs, valid until tikc_free. It needs libtikc-host.so, and is in the shared
 * library only. */
struct TikKernel;
TIKC_API bool tikc_native(Tikc *t, int kernel, const struct TikKernel **entry);

/* ---- findings ------------------------------------------------------------ */

typedef enum TikcFindings {
    TIKC_TEXT, /* as the tool prints them */
    TIKC_JSON  /* an object on each line */
} TikcFindings;

/* "" if there is none */
TIKC_API const char *tikc_diagnostics(Tikc *t, TikcFindings form);
TIKC_API int64_t tikc_errors(const Tikc *t);
TIKC_API int64_t tikc_warnings(const Tikc *t);
TIKC_API const char *tikc_output(const Tikc *t); /* what the program printed */

#ifdef __cplusplus
}
#endif
#endif
