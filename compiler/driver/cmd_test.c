/* cmd_test.c: implements tikc test: it runs the tests beside kernels on both back ends,
 * each in a process of its own, so that a crash is the fault of one test and several run
 * at once. What is printed has the order of the tests' names. */
#define _XOPEN_SOURCE 700
#include "driver/cluster.h"
#include "driver/shard.h"
#include "driver/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- results that cross processes ---------------------------------------- */

typedef struct Head {
    int code;
    double seconds;
    size_t text, json, found; /* bytes that follow */
} Head;

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns how many seconds a test may take. */
static int64_t
timeout_of(const Cmd *c)
{
    enum {
        USUAL = 300,
        MOST = 1000000
    };
    return c->timeout ? MIN(c->timeout, MOST) : USUAL;
}

/* Runs the case and writes what came of it; this is the process of the test. */
static void
run_child(Cmd *c, const TestCase *t, TestFormat format, FILE *to)
{
    double begin = now();
    Unit *u = &c->unit;
    c->cluster = NULL;              /* the processes of tests work alone */
    alarm((unsigned)timeout_of(c)); /* its signal ends the process */
    Head h = {.code = test_case(c, t)};
    Text text, json, found;
    text_init(&text, &u->arena);
    text_init(&json, &u->arena);
    text_init(&found, &u->arena);
    diag_render_all(u, DIAG_TEXT, &text);
    diag_render_all(u, DIAG_JSON, &json);
    if (format == TEST_SARIF || format == TEST_GITHUB) {
        test_found_put(u, format == TEST_SARIF ? FORMAT_SARIF : FORMAT_GITHUB, &found);
    }
    h.seconds = now() - begin;
    h.text = text.n;
    h.json = json.n;
    h.found = found.n;
    bool ok = fwrite(&h, sizeof h, 1, to) == 1 &&
              fwrite(text.p, 1, text.n, to) == text.n &&
              fwrite(json.p, 1, json.n, to) == json.n &&
              fwrite(found.p, 1, found.n, to) == found.n && fflush(to) == 0;
    _exit(ok ? EXIT_CLEAN : EXIT_IO);
}

static const char *
read_text(Arena *a, FILE *from, size_t n)
{
    char *s = arena_alloc(a, n + 1);
    return fread(s, 1, n, from) == n ? s : "";
}

/* Takes the result of a test whose process has ended. */
static void
take_result(Cmd *c, TestCase *t, FILE *from, int status)
{
    Head h;
    Arena *a = &c->unit.arena;
    rewind(from);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CLEAN &&
        fread(&h, sizeof h, 1, from) == 1) {
        t->code = h.code;
        t->seconds = h.seconds;
        t->text = read_text(a, from, h.text);
        t->json = read_text(a, from, h.json);
        t->found = read_text(a, from, h.found);
        return;
    }
    t->code = EXIT_INTERNAL;
    t->json = t->found = "";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        t->code = EXIT_FAULT;
        t->text = arena_printf(a, "the test did not end in %lld seconds (--timeout)\n",
                               (long long)timeout_of(c));
        return;
    }
    t->text = arena_printf(a, "the process of the test ended with %s %d\n",
                           WIFEXITED(status) ? "exit code" : "signal",
                           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* ---- processes ----------------------------------------------------------- */

typedef struct Worker {
    pid_t pid;    /* 0: it has ended */
    int32_t rank; /* of a cluster, where the test runs */
    FILE *result;
} Worker;

typedef struct Pool {
    Cmd *c;
    TestList *list;
    TestFormat format;
    Worker *workers;  /* by case */
    uint32_t started; /* cases */
    uint32_t printed;
    int64_t running;
} Pool;

static bool
start(Pool *p)
{
    uint32_t i = p->started++;
    TestCase *t = &p->list->cases.p[i];
    if (t->text || p->workers[i].rank != cluster_rank(p->c)) {
        return true; /* it could not be read, or runs elsewhere */
    }
    p->workers[i].result = tmpfile();
    fflush(stdout);
    fflush(stderr);
    pid_t pid = p->workers[i].result ? fork() : -1;
    if (pid < 0) {
        diag_add(&p->c->unit, D_FILE_WRITE, (Span){0}, 0,
                 "cannot start the test of '%s': %s", t->kernel, strerror(errno));
        return false;
    }
    if (pid == 0) {
        run_child(p->c, t, p->format, p->workers[i].result);
    }
    p->workers[i].pid = pid;
    p->running++;
    return true;
}

/* Waits for the end of one of the processes. */
static bool
wait_for_one(Pool *p)
{
    int status;
    pid_t pid = waitpid(-1, &status, 0);
    for (uint32_t i = 0; pid > 0 && i < p->started; i++) {
        if (p->workers[i].pid == pid) {
            take_result(p->c, &p->list->cases.p[i], p->workers[i].result, status);
            fclose(p->workers[i].result);
            p->workers[i].pid = 0;
            p->running--;
        }
    }
    return pid > 0 || errno == EINTR;
}

static void
put_result(TestCase *t, Text *out)
{
    if (!t->text) {
        t->code = EXIT_IO;
        t->text = "the process of the test was not started\n";
        t->json = t->found = "";
    }
    Head h = {.code = t->code,
              .seconds = t->seconds,
              .text = strlen(t->text),
              .json = strlen(t->json),
              .found = strlen(t->found)};
    text_putn(out, (const char *)&h, sizeof h);
    text_putn(out, t->text, h.text);
    text_putn(out, t->json, h.json);
    text_putn(out, t->found, h.found);
}

/* Reads what put_result has put; returns false if it is damaged. */
static bool
get_result(Arena *a, const char *bytes, size_t n, TestCase *t)
{
    Head h;
    if (n < sizeof h) {
        return false;
    }
    memcpy(&h, bytes, sizeof h);
    n -= sizeof h;
    bool fits = h.text <= n && h.json <= n - h.text && h.found == n - h.text - h.json;
    const char *at = bytes + sizeof h;
    t->code = h.code;
    t->seconds = h.seconds;
    t->text = fits ? arena_strndup(a, at, h.text) : "";
    t->json = fits ? arena_strndup(a, at + h.text, h.json) : "";
    t->found = fits ? arena_strndup(a, at + h.text + h.json, h.found) : "";
    return fits;
}

/* Brings the results of tests that ran elsewhere to rank 0. */
static bool
bring_results(Pool *p)
{
    Cmd *c = p->c;
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->list->cases.n; i++) {
        TestCase *t = &p->list->cases.p[i];
        int32_t rank = p->workers[i].rank;
        char *bytes;
        size_t n;
        if (rank > 0 && cluster_first(c)) {
            ok = cluster_take(c, rank, &bytes, &n) &&
                 get_result(&c->unit.arena, bytes, n, t);
        } else if (rank > 0 && rank == cluster_rank(c)) {
            Text out;
            text_init(&out, &c->unit.arena);
            put_result(t, &out);
            ok = cluster_give(c, out.p, out.n);
        }
    }
    return ok;
}

/* Returns whether the result of a case is here. */
static bool
has_ended(const Pool *p, uint32_t i)
{
    bool elsewhere = p->workers[i].rank != cluster_rank(p->c);
    return p->workers[i].pid == 0 && (!elsewhere || p->list->cases.p[i].text);
}

/* Prints the cases that have ended, up to the first one that has not. */
static bool
print_ended(Pool *p)
{
    Text out;
    text_init(&out, &p->c->unit.arena);
    while (p->printed < p->started && has_ended(p, p->printed)) {
        test_report_case(&p->list->cases.p[p->printed++], p->format, &out);
    }
    return out.n == 0 || io_print(&p->c->unit, out.p, out.n);
}

static bool
run_all(Pool *p, int64_t jobs)
{
    bool ok = true;
    while (ok && (p->started < p->list->cases.n || p->running > 0)) {
        ok = p->started < p->list->cases.n && p->running < jobs ? start(p)
                                                                : wait_for_one(p);
        ok = print_ended(p) && ok;
    }
    while (p->running > 0 && wait_for_one(p)) {
    }
    /* the others wait to give their results, whatever happened here */
    return bring_results(p) && ok && print_ended(p);
}

/* ---- the command --------------------------------------------------------- */

static bool
read_format(Cmd *c, TestFormat *out)
{
    static const char *const names[] = {"text", "json", "junit", "sarif", "github"};
    const char *given = c->format ? c->format : "text";
    c->format = NULL; /* of diagnostics about the command itself */
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(given, names[i]) == 0) {
            *out = (TestFormat)i;
            return true;
        }
    }
    return options_wrong(
        c,
        arena_printf(&c->unit.arena,
                     "--format is text, json, junit, sarif or github, not '%s'", given));
}

/* Reads what the command line says, and finds the tests. */
static bool
begin_tests(Cmd *c, Pool *p)
{
    Shard shard;
    TestList *list = p->list;
    TRY(read_format(c, &p->format) && shard_parse(c, &shard) && test_find(c, list));
    SHARD_KEEP(&shard, &list->cases);
    list->without = shard.k == 1 ? list->without : 0;
    p->workers = ARENA_ARRAY(&c->unit.arena, Worker, list->cases.n);
    for (uint32_t i = 0; i < list->cases.n; i++) {
        const TestCase *t = &list->cases.p[i];
        p->workers[i].rank = t->text ? 0 : (int32_t)(i % (uint32_t)cluster_ranks(c));
        cluster_same(c, t->title, strlen(t->title) + 1);
    }
    return true;
}

static bool
run_tests(Cmd *c, TestList *list)
{
    Pool p = {.c = c, .list = list};
    Text out;
    text_init(&out, &c->unit.arena);
    TRY(cluster_agree(c, begin_tests(c, &p), NULL));
    int64_t jobs = c->jobs > 0 ? c->jobs : cpu_count();
    c->threads = jobs > 1 ? 1 : c->threads;
    c->files.n = 0;
    TRY(run_all(&p, jobs));
    if (!cluster_first(c)) {
        return true;
    }
    test_report_end(c, list, p.format, &out);
    return io_print(&c->unit, out.p, out.n);
}

int
cmd_test(Cmd *c)
{
    TestList list = {0};
    bool ok = run_tests(c, &list);
    int code = report_unit(c);
    for (uint32_t i = 0; i < list.cases.n; i++) {
        code = MAX(code, list.cases.p[i].code);
    }
    for (uint32_t i = 0; i < c->units.n; i++) {
        unit_free(c->units.p[i]);
    }
    return ok ? code : MAX(code, EXIT_FINDINGS);
}
