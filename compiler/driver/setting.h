/* setting.h: tests of kernels as files describe them: options of 'tikc test' by name, in
 * a file NAME.test.toml beside the kernel or in comments of the kernel. docs/running.md
 * defines both forms. */
#ifndef TIKC_SETTING_H
#define TIKC_SETTING_H

#include "driver/driver.h"

typedef struct Setting {
    const char *key;
    const char *sub;   /* the x of in.x; null if there is none */
    const char *value; /* as text; null for a flag that is set */
    Span span;
} Setting;

typedef VEC(Setting) Settings;

typedef struct TestSpec {
    const char *name; /* null: it has none */
    Settings settings;
} TestSpec;

/* The tests of a file. */
typedef struct TestFile {
    Settings all; /* what holds for every test */
    VEC(TestSpec) tests;
    bool wanted; /* what was read says how to run the kernel, so there is a test */
} TestFile;

/* Add what the text of a NAME.test.toml, or the comments of a kernel, say. The source
 * must have been added to the unit. Return false after a diagnostic at its line. */
bool MUST_USE setting_read_toml(Unit *u, uint32_t file, TestFile *out);
bool MUST_USE setting_read_comments(Unit *u, uint32_t file, TestFile *out);

/* Returns what follows '# tikc:' on the first line from 'from' on that begins so, or
 * null. 'text' is where the file begins. */
const char *setting_find_comment(const char *text, const char *from, const char *end);

/* ---- settings.c ---------------------------------------------------------- */

/* Reads the settings that a program's comments have. Returns false after a diagnostic. */
bool MUST_USE settings_read(Unit *u, const char *path, const char *text, size_t size,
                            TestFile *out);
/* Returns the processors that a file names, with commas between them, or null. */
const char *settings_soc(const TestFile *f);
/* Puts the names of a list with commas between them; all is every processor that has a
 * unified buffer. */
void settings_split_socs(Arena *a, const char *list, Names *out);
/* Puts the calls of a file: those of its tests, or the one that holds for all. */
void settings_calls(Arena *a, const TestFile *f, Names *out);

#endif
