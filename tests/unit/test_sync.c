/* test_sync.c: the proof that queues are well ordered (blob/sync.h) against all
 * interleavings of small programs: what it accepts has no order of execution in which two
 * accesses of the same bytes change places, a flag is raised twice, or a queue hangs. The
 * opposite, programs that are in order and are not proved, is counted and printed. What
 * is refuted (sync_run.c) has such an order of execution, and of the programs whose way
 * is known each one that is not in order is refuted.
 *
 *   test_sync            programs of up to 4 descriptors, and a sample of those of 5 and
 * 6 test_sync N K/PARTS  all programs of N descriptors, one of the parts, from 0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blob/sync.h"
#include "random.h"

enum {
    QUEUES = 3,
    FLAGS = 2,
    BUFFERS = 2,
    MOST = 6,        /* descriptors of a program */
    MOST_STEPS = 24, /* of its execution */
    BLOCK = 32
};

static const Pipe queues[QUEUES] = {PIPE_MTE2, PIPE_V, PIPE_MTE3};

/* Instructions of small programs: accesses of a queue, sets and waits of two flags, in
 * opposite directions between the first two queues, and barriers. */
typedef struct Small {
    SyncEventKind kind; /* STMT, SET, WAIT, ALL */
    int queue;
    int buffer; /* of statements; flags: which */
    bool write;
    bool turns; /* of statements: the buffer of the round */
} Small;

enum {
    ACCESSES = QUEUES * BUFFERS * 2,
    TURNING = QUEUES * 2,
    LETTERS = ACCESSES + TURNING + 2 * FLAGS + 1
};

static Small
letter(int i)
{
    if (i < ACCESSES) {
        return (Small){SYNC_STMT, i / 4, i / 2 % 2, i % 2 != 0, false};
    }
    i -= ACCESSES;
    if (i < TURNING) {
        return (Small){SYNC_STMT, i / 2, 0, i % 2 != 0, true};
    }
    i -= TURNING;
    return i < 2 * FLAGS
               ? (Small){i < FLAGS ? SYNC_SET : SYNC_WAIT, 0, i % FLAGS, false, false}
               : (Small){SYNC_ALL, 0, 0, false, false};
}

/* What is around the descriptors [from, to) of a program. */
typedef enum Around {
    PLAIN,
    ONCE,   /* a loop of one iteration */
    TWICE,  /* of two */
    SOME,   /* of 0 to 2 */
    BRANCH, /* a branch */
    CHOICE, /* [from, to) or what follows up to the end */
    AROUNDS
} Around;

typedef struct Program {
    int n;
    int letters[MOST];
    Small p[MOST];
    Around around;
    int from, to;
} Program;

/* ---- all interleavings --------------------------------------------------- */

/* One execution: the instructions that the dispatcher hands out, in order. */
typedef struct Step {
    Small s;
    int buffer;
} Step;

typedef struct World {
    Step steps[MOST_STEPS];
    int n;
    int of[QUEUES][MOST_STEPS]; /* steps of a queue, in order */
    int count[QUEUES];
    /* ALL: no queue begins what follows before everything before it has ended */
    bool bad;
    uint8_t *seen; /* by how far the queues are, and flags */
    size_t room;
} World;

static int
queue_of(const Small *s)
{
    if (s->kind == SYNC_SET || s->kind == SYNC_WAIT) {
        return (s->kind == SYNC_SET) == (s->buffer == 0) ? 0 : 1;
    }
    return s->queue;
}

static bool
conflict(const Step *a, const Step *b)
{
    return a->s.kind == SYNC_STMT && b->s.kind == SYNC_STMT && a->buffer == b->buffer &&
           (a->s.write || b->s.write) && a->s.queue != b->s.queue;
}

/* Tries all executions from a state: how far each queue is, and which flags are up. */
static void
explore(World *w, const int at[QUEUES], int flags)
{
    int key = flags;
    for (int q = 0; q < QUEUES; q++) {
        key = key * (w->count[q] + 1) + at[q];
    }
    if (w->bad || w->seen[key]) {
        return;
    }
    w->seen[key] = 1;
    int ended = w->n, first_all = w->n;
    for (int q = 0; q < QUEUES; q++) { /* the earliest step that has not ended */
        int i = at[q] < w->count[q] ? w->of[q][at[q]] : w->n;
        ended = i < ended ? i : ended;
    }
    for (int i = w->n; i-- > 0;) { /* the first barrier that holds */
        bool waits = false;
        for (int q = 0; q < QUEUES; q++) {
            waits = waits || (at[q] < w->count[q] && w->of[q][at[q]] < i);
        }
        first_all = w->steps[i].s.kind == SYNC_ALL && waits ? i : first_all;
    }
    bool moved = false, done = true;
    for (int q = 0; q < QUEUES; q++) {
        if (at[q] == w->count[q]) {
            continue;
        }
        done = false;
        int i = w->of[q][at[q]];
        const Small *s = &w->steps[i].s;
        int next[QUEUES] = {at[0], at[1], at[2]}, bit = 1 << s->buffer, up = flags;
        if (i > first_all || (s->kind == SYNC_WAIT && (flags & bit) == 0)) {
            continue;
        }
        moved = true;
        if (s->kind == SYNC_SET) {
            w->bad = w->bad || (flags & bit) != 0;
            up |= bit;
        } else if (s->kind == SYNC_WAIT) {
            up &= ~bit;
        }
        for (int p = 0; p < QUEUES && s->kind == SYNC_STMT; p++) {
            for (int j = at[p]; j < w->count[p] && w->of[p][j] < i; j++) {
                w->bad = w->bad || conflict(&w->steps[w->of[p][j]], &w->steps[i]);
            }
        }
        next[q]++;
        explore(w, next, up);
    }
    w->bad = w->bad || (done ? flags != 0 : !moved);
}

static bool
is_safe(World *w)
{
    int start[QUEUES] = {0};
    memset(w->count, 0, sizeof w->count);
    for (int i = 0; i < w->n; i++) {
        if (w->steps[i].s.kind != SYNC_ALL) {
            int q = queue_of(&w->steps[i].s);
            w->of[q][w->count[q]++] = i;
        }
    }
    size_t states = 1 << FLAGS;
    for (int q = 0; q < QUEUES; q++) {
        states *= (size_t)w->count[q] + 1;
    }
    assert_true(states <= w->room);
    memset(w->seen, 0, states);
    w->bad = false;
    explore(w, start, 0);
    return !w->bad;
}

static void
hand_out(World *w, const Program *p, int from, int to, int round)
{
    for (int i = from; i < to; i++) {
        Small s = p->p[i];
        w->steps[w->n++] = (Step){s, s.turns ? round % BUFFERS : s.buffer};
    }
}

/* What executions of a program's instructions are in order, by how often those of a range
 * are executed: what is around the range does not matter to that, so each is tried once.
 */
typedef enum Known {
    UNKNOWN,
    SAFE,
    UNSAFE
} Known;

typedef struct Executions {
    Known once;            /* all of them */
    Known begin[MOST + 1]; /* the first few */
    Known none[MOST][MOST + 1], twice[MOST][MOST + 1];
} Executions;

/* Executes [0, from), [from, to) a number of times, [to, end), unless that is known. */
static bool
is_known_safe(World *w, const Program *p, Known *known, int rounds, int end)
{
    if (*known == UNKNOWN) {
        w->n = 0;
        hand_out(w, p, 0, p->from, 0);
        for (int r = 0; r < rounds; r++) {
            hand_out(w, p, p->from, p->to, r);
        }
        hand_out(w, p, p->to, end, 0);
        *known = is_safe(w) ? SAFE : UNSAFE;
    }
    return *known == SAFE;
}

static bool
all_safe(World *w, const Program *p, Executions *e)
{
    Known *none = &e->none[p->from][p->to], *twice = &e->twice[p->from][p->to];
    switch (p->around) {
    case PLAIN:
    case ONCE:
        return is_known_safe(w, p, &e->once, 1, p->n);
    case TWICE:
        return is_known_safe(w, p, twice, 2, p->n);
    case SOME:
        return is_known_safe(w, p, none, 0, p->n) &&
               is_known_safe(w, p, &e->once, 1, p->n) &&
               is_known_safe(w, p, twice, 2, p->n);
    case BRANCH:
        return is_known_safe(w, p, none, 0, p->n) &&
               is_known_safe(w, p, &e->once, 1, p->n);
    case CHOICE:
        return is_known_safe(w, p, none, 0, p->n) &&
               is_known_safe(w, p, &e->begin[p->to], 1, p->to);
    case AROUNDS:
        break;
    }
    return false;
}

/* ---- tapes --------------------------------------------------------------- */

typedef struct Tape {
    SyncTape t;
    SyncEvent events[MOST * 2 + 6];
    SyncStmt stmts[MOST];
    SyncAccess accesses[MOST];
    SyncLoop loop;
    SyncFlag flags[FLAGS];
} Tape;

static void
event(Tape *x, SyncEventKind kind, uint32_t index)
{
    x->events[x->t.nevents++] = (SyncEvent){.kind = kind, .index = index};
}

/* Begins the tapes of a program: its statements and accesses are the same whatever is
 * around them, but for the loop. */
static void
begin_tapes(Tape *x, const Program *p)
{
    *x = (Tape){.flags = {{PIPE_MTE2, PIPE_V, 0}, {PIPE_V, PIPE_MTE2, 0}}};
    for (int i = 0; i < p->n; i++) {
        const Small *s = &p->p[i];
        if (s->kind != SYNC_STMT) {
            continue;
        }
        uint32_t k = x->t.nstmts++;
        x->accesses[k] = (SyncAccess){
            .space = SC_UB,
            .write = s->write,
            .dense = true,
            .at = {.constant = s->buffer * BLOCK, .terms = {{SYNC_TERM_LOOP, 1, BLOCK}}},
            .hi = BLOCK};
        x->stmts[k] = (SyncStmt){.pipe = queues[s->queue], .first = k, .n = 1};
    }
}

static void
put(Tape *x, const Small *s, int32_t loop)
{
    SyncTape *t = &x->t;
    if (s->kind != SYNC_STMT) {
        event(x, s->kind, (uint32_t)s->buffer);
        return;
    }
    uint32_t k = t->nstmts++;
    event(x, SYNC_STMT, k);
    x->stmts[k].loop = loop;
    x->stmts[k].at = t->nevents - 1;
    x->accesses[k].at.n = s->turns && loop != SYNC_NONE;
    t->naccesses++;
}

static void
put_range(Tape *x, const Program *p, int from, int to, int32_t loop)
{
    for (int i = from; i < to; i++) {
        put(x, &p->p[i], loop);
    }
}

static void
make_tape(Tape *x, const Program *p)
{
    bool loop = p->around == ONCE || p->around == TWICE || p->around == SOME;
    bool branch = p->around == BRANCH || p->around == CHOICE;
    x->t = (SyncTape){.events = x->events,
                      .stmts = x->stmts,
                      .accesses = x->accesses,
                      .loops = &x->loop,
                      .flags = x->flags,
                      .cores = 1,
                      .nflags = FLAGS};
    put_range(x, p, 0, p->from, SYNC_NONE);
    if (loop) {
        x->t.nloops = 1;
        x->loop = (SyncLoop){.outer = SYNC_NONE,
                             .level = 1,
                             .copies = 1,
                             .trips = p->around == SOME ? SYNC_NONE : (int)p->around,
                             .rounds = p->around == ONCE ? 1 : 2};
        event(x, SYNC_LOOP, 0);
    }
    if (branch) {
        event(x, SYNC_IF, 0);
    }
    put_range(x, p, p->from, p->to, loop ? 0 : SYNC_NONE);
    if (loop) {
        event(x, SYNC_END, 0);
    }
    if (branch) {
        if (p->around == CHOICE) {
            event(x, SYNC_ELSE, 0);
            put_range(x, p, p->to, p->n, SYNC_NONE);
        }
        event(x, SYNC_ENDIF, 0);
    }
    if (p->around != CHOICE) {
        put_range(x, p, p->to, p->n, SYNC_NONE);
    }
}

/* ---- enumeration --------------------------------------------------------- */

typedef struct Tally {
    World *w;
    int64_t tried;                             /* programs, one of those that are alike */
    int64_t alike;                             /* of the present one, itself too */
    int64_t programs, proved, alarms, refuted; /* with all that are alike */
    int part, parts; /* programs are taken by their first two letters */
    int shown;
} Tally;

static void
show(const Program *p)
{
    printf("around %d [%d, %d):", (int)p->around, p->from, p->to);
    for (int i = 0; i < p->n; i++) {
        const Small *s = &p->p[i];
        printf(" %s%d.%s%s",
               s->kind == SYNC_STMT  ? (s->write ? "w" : "r")
               : s->kind == SYNC_SET ? "set"
               : s->kind == SYNC_ALL ? "all"
                                     : "wait",
               s->buffer, s->kind == SYNC_STMT ? pipe_name(queues[s->queue]) : "",
               s->turns ? "~" : "");
    }
    printf("\n");
}

static void
try(Tally *t, const Program *p, Tape *x, Executions *e)
{
    SyncVerdict v;
    make_tape(x, p);
    bool proved = sync_check(&x->t, &v);
    bool safe = all_safe(t->w, p, e);
    t->tried++;
    t->programs += t->alike;
    t->proved += proved ? t->alike : 0;
    if (proved && !safe) {
        show(p);
        fail_msg("proved, but some order of execution goes wrong");
    }
    SyncWitness witness;
    bool refuted = sync_run(&x->t, &witness);
    bool one_way = p->around == PLAIN || p->around == ONCE || p->around == TWICE;
    t->refuted += refuted ? t->alike : 0;
    if (refuted && safe) {
        show(p);
        fail_msg("refuted, but no order of execution goes wrong");
    }
    if (!refuted && !safe && one_way) {
        show(p);
        fail_msg("some order of execution goes wrong, and it is not refuted");
    }
    if (safe && !proved) {
        t->alarms += t->alike;
        if (t->shown < 5 && getenv("SYNC_SHOW") != NULL) {
            show(p);
            t->shown++;
        }
    }
}

/* A program of which no two accesses meet, or in which a flag is set but never waited for
 * or the other way round, has an answer that is plain. */
static bool
is_plain(const Program *p)
{
    int sets[FLAGS] = {0}, waits[FLAGS] = {0}, writes = 0, accesses = 0;
    for (int i = 0; i < p->n; i++) {
        const Small *s = &p->p[i];
        sets[s->buffer] += s->kind == SYNC_SET;
        waits[s->buffer] += s->kind == SYNC_WAIT;
        writes += s->kind == SYNC_STMT && s->write;
        accesses += s->kind == SYNC_STMT;
    }
    return (sets[0] > 0) != (waits[0] > 0) || (sets[1] > 0) != (waits[1] > 0) ||
           writes == 0 || accesses < 2;
}

static bool
has_turns(const Program *p)
{
    for (int i = 0; i < p->n; i++) {
        if (p->p[i].turns) {
            return true;
        }
    }
    return false;
}

static void
try_arounds(Tally *t, Program *p)
{
    Tape x;
    Executions e = {0};
    bool turns = has_turns(p);
    begin_tapes(&x, p);
    for (int a = turns ? TWICE : PLAIN; a < (turns ? BRANCH : AROUNDS); a++) {
        p->around = (Around)a;
        for (p->from = 0; p->from < p->n; p->from++) {
            for (p->to = p->from + 1; p->to <= p->n; p->to++) {
                try(t, p, &x, &e);
                if (a == PLAIN) {
                    break;
                }
            }
            if (a == PLAIN) {
                break;
            }
        }
    }
}

/* ---- programs that are alike --------------------------------------------- */

/* The first two queues may be exchanged, with the flags between them, and so may the
 * buffers unless the rounds of a loop use them in turn: proof and execution of such
 * programs are the same. Bit 0: queues, bit 1: buffers. */
static int
exchanged(int letter_at, int how)
{
    int i = letter_at, first_flag = ACCESSES + TURNING;
    if ((how & 2) != 0 && i < ACCESSES) {
        i ^= 2;
    }
    if ((how & 1) == 0) {
        return i;
    }
    if (i < ACCESSES) {
        return i / 4 < 2 ? i ^ 4 : i;
    }
    if (i < first_flag) {
        return (i - ACCESSES) / 2 < 2 ? ACCESSES + ((i - ACCESSES) ^ 2) : i;
    }
    return i < first_flag + 2 * FLAGS ? first_flag + ((i - first_flag) ^ 1) : i;
}

/* Compares a program with what an exchange makes of it: -1, 0 or 1. */
static int
compare_exchanged(const Program *p, int how)
{
    for (int i = 0; i < p->n; i++) {
        int other = exchanged(p->letters[i], how);
        if (p->letters[i] != other) {
            return p->letters[i] < other ? -1 : 1;
        }
    }
    return 0;
}

/* Returns how many programs are like this one, which is the first of them; 0: it is not.
 */
static int64_t
alike(const Program *p)
{
    int same = 0, all = has_turns(p) ? 2 : 4;
    for (int how = 0; how < all; how++) {
        int is = compare_exchanged(p, how);
        if (is > 0) {
            return 0;
        }
        same += is == 0;
    }
    return all / same;
}

/* Tries all programs that begin with the first p->n letters, one of those that are alike.
 */
static void
enumerate(Tally *t, Program *p, int most)
{
    if (p->n == 2 && (p->letters[0] * LETTERS + p->letters[1]) % t->parts != t->part) {
        return;
    }
    if (p->n == most) {
        t->alike = is_plain(p) ? 0 : alike(p);
        if (t->alike > 0) {
            try_arounds(t, p);
        }
        return;
    }
    for (int i = 0; i < LETTERS; i++) {
        p->letters[p->n] = i;
        p->p[p->n++] = letter(i);
        if (compare_exchanged(p, 1) <= 0) { /* else nothing that begins so is the first */
            enumerate(t, p, most);
        }
        p->n--;
    }
}

static void
report(const Tally *t, const char *what)
{
    printf("%s: %lld programs (%lld tried), %lld proved, %lld refuted, %lld in order but "
           "not proved\n",
           what, (long long)t->programs, (long long)t->tried, (long long)t->proved,
           (long long)t->refuted, (long long)t->alarms);
}

static World *
new_world(void)
{
    World *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->room = (size_t)(MOST_STEPS + 1) * (MOST_STEPS + 1) * (MOST_STEPS + 1) << FLAGS;
    w->seen = malloc(w->room);
    assert_non_null(w->seen);
    return w;
}

static void
every_small_program(void **state)
{
    (void)state;
    World *w = new_world();
    for (int n = 2; n <= 4; n++) {
        Tally t = {.w = w, .parts = 1};
        Program p = {0};
        char what[40];
        enumerate(&t, &p, n);
        (void)snprintf(what, sizeof what, "all of %d descriptors", n);
        report(&t, what);
        assert_true(t.proved > 0);
    }
    free(w->seen);
    free(w);
}

/* A part of the programs of n descriptors. */
typedef struct Part {
    int n, part, parts;
} Part;

static void
part_of_them(void **state)
{
    const Part *of = *state;
    World *w = new_world();
    Tally t = {.w = w, .part = of->part, .parts = of->parts};
    Program p = {0};
    char what[60];
    enumerate(&t, &p, of->n);
    (void)snprintf(what, sizeof what, "all of %d descriptors, part %d of %d", of->n,
                   of->part, of->parts);
    report(&t, what);
    free(w->seen);
    free(w);
}

static void
a_sample_of_larger_ones(void **state)
{
    (void)state;
    World *w = new_world();
    uint64_t seed = 15;
    for (int n = 5; n <= MOST; n++) {
        Tally t = {.w = w, .alike = 1};
        char what[40];
        for (int i = 0; i < 60000 / n; i++) {
            Program p = {.n = n};
            for (int j = 0; j < n; j++) {
                p.p[j] = letter((int)random_below(&seed, LETTERS));
            }
            if (!is_plain(&p)) {
                try_arounds(&t, &p);
            }
        }
        (void)snprintf(what, sizeof what, "a sample of %d", n);
        report(&t, what);
    }
    free(w->seen);
    free(w);
}

/* V reads in each round what MTE2 wrote some rounds before; nothing orders them. */
static void
rounds_that_are_far_apart(void **state)
{
    (void)state;
    for (int64_t far = 1; far <= 9; far++) {
        Tape x;
        SyncVerdict v;
        Program p = {.n = 2, .around = TWICE, .from = 0, .to = 2};
        p.p[0] = (Small){SYNC_STMT, 0, 0, true, true};
        p.p[1] = (Small){SYNC_STMT, 1, 0, false, true};
        begin_tapes(&x, &p);
        make_tape(&x, &p);
        x.loop.trips = x.loop.rounds = 8;
        x.accesses[1].at.constant = -far * BLOCK;
        assert_int_equal(sync_check(&x.t, &v), far >= 8);
        assert_true(far >= 8 || (v.finding == SYNC_RACE && v.level == 1));
    }
}

/* A proof that is not made is none: of a tape that is too large, or with less work than
 * it takes. Places that are 2^63 bytes apart do not meet. */
static void
what_is_too_large(void **state)
{
    (void)state;
    Tape x;
    SyncVerdict v;
    Program p = {.n = 2, .around = TWICE, .from = 0, .to = 2};
    p.p[0] = (Small){SYNC_STMT, 0, 0, true, false};
    p.p[1] = (Small){SYNC_STMT, 1, 1, false, false};
    begin_tapes(&x, &p);
    make_tape(&x, &p);
    assert_true(sync_check(&x.t, &v));
    x.t.work = 1;
    assert_false(sync_check(&x.t, &v));
    assert_int_equal(v.finding, SYNC_BUDGET);
    x.t.work = 0;
    x.t.nstmts = 1 << 26;
    assert_false(sync_check(&x.t, &v));
    assert_int_equal(v.finding, SYNC_BUDGET);
    x.t.nstmts = 2;
    x.accesses[0].at.constant = INT64_MIN;
    assert_true(sync_check(&x.t, &v));
    x.accesses[1].at.constant = INT64_MIN;
    assert_false(sync_check(&x.t, &v));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_program),
        cmocka_unit_test(a_sample_of_larger_ones),
        cmocka_unit_test(rounds_that_are_far_apart),
        cmocka_unit_test(what_is_too_large),
    };
    if (argc == 1) {
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    Part part;
    if (argc != 3 || sscanf(argv[1], "%d", &part.n) != 1 ||
        sscanf(argv[2], "%d/%d", &part.part, &part.parts) != 2 || part.n < 2 ||
        part.n > MOST || part.part < 0 || part.part >= part.parts) {
        (void)fprintf(stderr, "usage: test_sync [N K/PARTS]\n");
        return 2;
    }
    const struct CMUnitTest parts[] = {cmocka_unit_test_prestate(part_of_them, &part)};
    return cmocka_run_group_tests(parts, NULL, NULL);
}
