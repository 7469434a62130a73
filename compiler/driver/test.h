/* test.h: what the parts of 'tikc test' share. */
#ifndef TIKC_TEST_H
#define TIKC_TEST_H

#include "driver/setting.h"

/* One run of a kernel and what came of it. */
typedef struct TestCase {
    const char *kernel; /* path of the program */
    const char *file;   /* path of the file that describes the test */
    const char *title;  /* "k.tik: small [Ascend910]" */
    const char *soc;    /* null: the usual one */
    const TestFile *from;
    const TestSpec *spec; /* null: the file has no [[test]] */
    /* the result: its exit code, and what was found, as text and as JSON objects, a line
     * for each */
    int code;
    double seconds;
    const char *text, *json;
    const char *found; /* for SARIF and GitHub: see test_found.c; else "" */
} TestCase;

typedef VEC(TestCase) TestCases;

/* What was found in folders. */
typedef struct TestList {
    TestCases cases;
    int64_t without; /* kernels without a test */
} TestList;

/* ---- test_find.c --------------------------------------------------------- */

/* Finds the tests of all files and folders of the command, by name. A test that cannot be
 * read is a case that has failed. Returns false after a diagnostic. */
bool MUST_USE test_find(Cmd *c, TestList *out);

/* ---- test_case.c --------------------------------------------------------- */

/* Runs a case on both back ends, with the unit and the options of c. What was found is in
 * the unit; returns the exit code. */
int test_case(Cmd *c, const TestCase *t);

/* ---- test_reference.c ---------------------------------------------------- */

struct Job;

/* Runs a script that computes what is expected of the arrays of a job, and adds its files
 * to Cmd.expects. They are in *folder, which test_forget removes; it is set even if this
 * returns false, which it does after a diagnostic. */
bool MUST_USE test_reference(Cmd *c, const struct Job *job, const char *script,
                             const char **folder);
void test_forget(const struct Job *job, const char *folder);

/* ---- test_report.c ------------------------------------------------------- */

typedef enum TestFormat {
    TEST_TEXT,
    TEST_JSON,
    TEST_JUNIT,
    TEST_SARIF,
    TEST_GITHUB
} TestFormat;

/* Puts what is said of one case, and at the end of all. */
void test_report_case(const TestCase *t, TestFormat format, Text *out);
void test_report_end(const Cmd *c, const TestList *all, TestFormat format, Text *out);

/* ---- test_found.c -------------------------------------------------------- */

/* Puts what a unit collected, as TestCase.found. */
void test_found_put(Unit *u, FormatId format, Text *out);
/* Puts the document of all tests. */
void test_found_end(const Cmd *c, const TestList *all, FormatId format, Text *out);

#endif
