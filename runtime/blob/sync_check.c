/* sync_check.c: proves that flags and barriers order the queues of a kernel (see sync.h
 * and docs/blob-format.md, Queues). It knows nothing of how they came there.
 *
 * For each queue and each statement the walk keeps an age: which executions of the
 * statement have certainly ended when the queue begins its next instruction. Age 0: all
 * of them. Else some level m and number d of rounds: all of those before the d-th last
 * round of the loop of level m that is around the statement, the present round counted as
 * the first one. Few rounds of an inner loop are less than one of an outer loop, so ages
 * are numbers, and greater means that less has ended. A flag that is up carries the ages
 * of the moment when it was raised; wait_flag takes the lesser of these and its queue's
 * own. A wait_flag is a statement itself: a set_flag needs that the one before it has
 * ended.
 *
 * Where paths meet the greater age counts. Loops are walked until the ages at their heads
 * grow no more; then a last walk compares each access with those that may not have ended.
 *
 * If each wait_flag finds its flag up in program order, the earliest instruction that has
 * not ended can always go on, so nothing hangs. */
#include "blob/sync.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 4, /* rounds of a level that are told apart; the last means any number */
    MOST_BYTES = 1 << 28
};

#define USUAL_WORK ((int64_t)1 << 33)

typedef enum FlagState {
    FLAG_DOWN,
    FLAG_UP,
    FLAG_MIXED
} FlagState;

/* What is known at a place of the program. Rows of ages: one for each queue, then one for
 * each flag. Columns: statements, then the flags' last waits. */
typedef struct State {
    bool reached;
    uint8_t *flags; /* FlagState of each */
    uint8_t *ages;
} State;

/* An open loop or branch. */
typedef struct Open {
    bool loop;
    State out; /* LOOP: where it is left; IF: the state before it, then after its body */
    State again; /* LOOP: where jumps to the end of the present copy lead */
} Open;

typedef struct Walk {
    const SyncTape *t;
    uint32_t columns;
    size_t bytes; /* of the arrays of a State */
    State now;
    State *heads; /* by loop */
    Open *open;   /* with room for the deepest nesting */
    uint32_t nopen;
    uint8_t *free_bytes; /* of the one block that all states are in */
    bool grew;           /* a head has changed */
    bool judging;        /* the last walk */
    int64_t work;
    SyncVerdict *v;
} Walk;

/* ---- states -------------------------------------------------------------- */

static State
new_state(Walk *w)
{
    State s = {.flags = w->free_bytes, .ages = w->free_bytes + w->t->nflags};
    w->free_bytes += w->bytes;
    return s;
}

static void
copy(const Walk *w, State *to, const State *from)
{
    to->reached = from->reached;
    memcpy(to->flags, from->flags, w->bytes);
}

/* Returns whether *to has changed. */
static bool
join(Walk *w, State *to, const State *from)
{
    uint8_t grew = 0; /* without branches, so that many ages are compared at a time */
    size_t nages = w->bytes - w->t->nflags;
    uint8_t *restrict ages = to->ages;
    const uint8_t *restrict other = from->ages;
    w->work += (int64_t)w->bytes;
    if (!from->reached) {
        return false;
    }
    if (!to->reached) {
        copy(w, to, from);
        return true;
    }
    for (uint32_t i = 0; i < w->t->nflags; i++) {
        if (to->flags[i] != from->flags[i] && to->flags[i] != FLAG_MIXED) {
            to->flags[i] = FLAG_MIXED;
            grew = 1;
        }
    }
    for (size_t i = 0; i < nages; i++) {
        uint8_t greater = ages[i] < other[i] ? other[i] : ages[i];
        grew |= ages[i] ^ greater;
        ages[i] = greater;
    }
    return grew != 0;
}

static uint8_t *
row_of_queue(const Walk *w, const State *s, Pipe q)
{
    return s->ages + (size_t)q * w->columns;
}

static uint8_t *
row_of_flag(const Walk *w, const State *s, uint32_t flag)
{
    return s->ages + ((size_t)PIPE_COUNT + flag) * w->columns;
}

static uint32_t
column_of_wait(const Walk *w, uint32_t flag)
{
    return w->t->nstmts + flag;
}

/* ---- ages ---------------------------------------------------------------- */

static int
depth_of(const Walk *w, uint32_t stmt)
{
    int32_t l = w->t->stmts[stmt].loop;
    return l == SYNC_NONE ? 0 : w->t->loops[l].level;
}

/* Returns the age of a statement in depth loops: everything before the d-th last round
 * of a level. */
static uint8_t
age_of(int depth, int level, int d)
{
    return level == 0 ? (uint8_t)(1 + depth * ROUNDS)
                      : (uint8_t)(1 + (depth - level) * ROUNDS + d - 1);
}

static int
level_of(int depth, uint8_t age)
{
    return depth - (age - 1) / ROUNDS;
}

static int
rounds_of(uint8_t age)
{
    return (age - 1) % ROUNDS + 1;
}

static bool
is_inside(const SyncTape *t, const SyncStmt *s, uint32_t loop)
{
    int32_t i = s->loop;
    while (i != SYNC_NONE && t->loops[i].level > t->loops[loop].level) {
        i = t->loops[i].outer;
    }
    return i == (int32_t)loop;
}

/* Calls for the ages of each statement inside of a loop that are of its level. */
static void
change_ages(Walk *w, uint32_t loop, bool leave)
{
    const SyncTape *t = w->t;
    int level = t->loops[loop].level;
    uint32_t rows = PIPE_COUNT + t->nflags;
    w->work += (int64_t)rows * t->nstmts;
    for (uint32_t s = 0; w->now.reached && s < t->nstmts; s++) {
        if (!is_inside(t, &t->stmts[s], loop)) {
            continue;
        }
        int depth = depth_of(w, s);
        uint8_t first = age_of(depth, level, 1), last = age_of(depth, level, ROUNDS);
        uint8_t left = age_of(depth, level - 1, 1);
        for (uint32_t r = 0; r < rows; r++) {
            uint8_t *age = &w->now.ages[(size_t)r * w->columns + s];
            if (*age >= first && *age <= last) {
                *age = leave ? left : *age + (*age < last);
            }
        }
    }
}

/* What the dispatcher knows, every queue knows of what is dispatched later. */
static void
spread(Walk *w)
{
    const uint8_t *from = row_of_queue(w, &w->now, PIPE_S);
    w->work += (int64_t)w->columns * PIPE_COUNT;
    for (int q = 0; q < PIPE_COUNT; q++) {
        uint8_t *to = row_of_queue(w, &w->now, (Pipe)q);
        for (uint32_t i = 0; i < w->columns; i++) {
            to[i] = to[i] < from[i] ? to[i] : from[i];
        }
    }
}

/* ---- findings ------------------------------------------------------------ */

/* Flags come first: what is said of accesses supposes that they are in order. */
static void
finding(Walk *w, SyncFinding what, uint32_t later, uint32_t flag)
{
    if (w->judging && w->v->finding <= SYNC_RACE) {
        *w->v = (SyncVerdict){.finding = what, .later = later, .flag = flag};
    }
}

/* ---- events -------------------------------------------------------------- */

/* Something of a queue is executed that may not have ended when later things begin. */
static void
begin(Walk *w, uint32_t column, Pipe queue, bool waits, uint8_t age)
{
    uint32_t rows = PIPE_COUNT + w->t->nflags;
    for (uint32_t r = 0; r < rows; r++) {
        uint8_t *a = &w->now.ages[(size_t)r * w->columns + column];
        bool own = r == (uint32_t)queue && !waits;
        *a = *a == 0 && !own ? age : *a;
    }
}

/* Returns whether later instructions of its own queue may not wait for the statement. */
static bool
goes_on(const SyncTape *t, const SyncStmt *s)
{
    for (uint32_t i = s->first; i < s->first + s->n; i++) {
        if ((t->accesses[i].pairs & SYNC_FIRST) != 0) {
            return true;
        }
    }
    return false;
}

/* The executions of an earlier statement that an age leaves open. */
static bool
open_executions(const Walk *w, uint32_t first, uint32_t later, uint8_t age,
                SyncMeet *meet)
{
    const SyncTape *t = w->t;
    const SyncStmt *a = &t->stmts[first], *b = &t->stmts[later];
    int level = level_of(depth_of(w, first), age), common = sync_common(t, a, b);
    int64_t most = rounds_of(age) == ROUNDS ? INT64_MAX : rounds_of(age) - 1;
    SyncApart apart = {.level = level};
    w->v->level = level;
    w->v->rounds = 0;
    if (level == 0) {
        apart.same = common == 0;
        return sync_may_meet(t, a, b, &apart, meet);
    }
    bool before = level < common || a->at < b->at;
    apart.same = level == common;
    if (before && sync_may_meet(t, a, b, &apart, meet)) {
        return true;
    }
    apart = (SyncApart){.level = level, .least = 1, .most = most};
    w->v->rounds = 1;
    return most > 0 && sync_may_meet(t, a, b, &apart, meet);
}

static void
compare(Walk *w, uint32_t later)
{
    const SyncTape *t = w->t;
    Pipe queue = t->stmts[later].pipe;
    const uint8_t *ages = row_of_queue(w, &w->now, queue);
    SyncVerdict keep = *w->v;
    w->work += t->nstmts;
    /* accesses of other queues first: they say more */
    for (uint32_t i = 0; i < 2 * t->nstmts && keep.finding == SYNC_ORDERED; i++) {
        SyncMeet meet;
        uint32_t s = i % t->nstmts;
        bool own = t->stmts[s].pipe == queue;
        if (ages[s] == 0 || own != (i >= t->nstmts)) {
            continue;
        }
        w->work += 20;
        if (open_executions(w, s, later, ages[s], &meet)) {
            keep = (SyncVerdict){.finding = SYNC_RACE,
                                 .first = s,
                                 .later = later,
                                 .meet = meet,
                                 .level = w->v->level,
                                 .rounds = w->v->rounds};
        }
    }
    *w->v = keep;
}

static void
statement(Walk *w, uint32_t s)
{
    const SyncStmt *st = &w->t->stmts[s];
    if (w->judging) {
        compare(w, s);
    }
    if (st->pipe != PIPE_S) {
        int depth = depth_of(w, s);
        begin(w, s, st->pipe, goes_on(w->t, st), age_of(depth, depth, 1));
    }
}

static void
set_flag(Walk *w, const SyncEvent *e, uint32_t at)
{
    const SyncFlag *f = &w->t->flags[e->index];
    const uint8_t *own = row_of_queue(w, &w->now, f->from);
    uint8_t *to = row_of_flag(w, &w->now, e->index);
    if (w->now.flags[e->index] != FLAG_DOWN) {
        finding(w, SYNC_DOUBLE, at, e->index);
    } else if (own[column_of_wait(w, e->index)] != 0) {
        finding(w, SYNC_OVERRUN, at, e->index);
    }
    w->work += w->columns;
    memcpy(to, own, w->columns);
    for (uint32_t s = 0; s < w->t->nstmts; s++) {
        to[s] = w->t->stmts[s].pipe == f->from ? 0 : to[s];
    }
    for (uint32_t i = 0; i < w->t->nflags; i++) {
        uint8_t *wait = &to[column_of_wait(w, i)];
        *wait = w->t->flags[i].to == f->from ? 0 : *wait;
    }
    w->now.flags[e->index] = FLAG_UP;
}

static void
wait_flag(Walk *w, const SyncEvent *e, uint32_t at)
{
    const SyncFlag *f = &w->t->flags[e->index];
    uint8_t *own = row_of_queue(w, &w->now, f->to);
    const uint8_t *from = row_of_flag(w, &w->now, e->index);
    w->work += w->columns;
    if (w->now.flags[e->index] != FLAG_UP) {
        finding(w, SYNC_DEADLOCK, at, e->index);
    } else {
        for (uint32_t i = 0; i < w->columns; i++) {
            own[i] = own[i] < from[i] ? own[i] : from[i];
        }
    }
    w->now.flags[e->index] = FLAG_DOWN;
    if (f->to == PIPE_S) {
        spread(w);
    } else {
        begin(w, column_of_wait(w, e->index), f->to, false, 1);
    }
}

static void
barrier(Walk *w, Pipe p)
{
    uint8_t *own = row_of_queue(w, &w->now, p);
    for (uint32_t s = 0; s < w->t->nstmts; s++) {
        own[s] = w->t->stmts[s].pipe == p ? 0 : own[s];
    }
}

static void
everything(Walk *w)
{
    memset(w->now.ages, 0, w->bytes - w->t->nflags);
}

static void
leave_program(Walk *w)
{
    for (uint32_t i = 0; w->now.reached && i < w->t->nflags; i++) {
        if (w->now.flags[i] != FLAG_DOWN) {
            finding(w, SYNC_LEFTOVER, 0, i);
        }
    }
    w->now.reached = false;
}

/* ---- control ------------------------------------------------------------- */

static Open *
push(Walk *w, bool loop)
{
    w->open[w->nopen].loop = loop;
    return &w->open[w->nopen++];
}

static void
enter_loop(Walk *w, uint32_t loop)
{
    const SyncLoop *l = &w->t->loops[loop];
    Open *o = push(w, true);
    o->out.reached = o->again.reached = false;
    if (l->trips == SYNC_NONE) {
        join(w, &o->out, &w->now);
    }
    w->grew = join(w, &w->heads[loop], &w->now) || w->grew;
    copy(w, &w->now, &w->heads[loop]);
}

/* The end of a copy of a loop's body: the loop may end here or go on. */
static void
end_copy(Walk *w, const SyncEvent *e)
{
    const SyncLoop *l = &w->t->loops[e->index];
    Open *o = &w->open[w->nopen - 1];
    bool last = e->kind == SYNC_END;
    join(w, &w->now, &o->again);
    o->again.reached = false;
    if (l->trips == SYNC_NONE || (l->trips - 1) % l->copies == e->copy) {
        State after = w->now;
        join(w, &o->out, &after);
    }
    if (!last) {
        return;
    }
    if (l->rounds > 1) {
        change_ages(w, e->index, false);
        w->grew = join(w, &w->heads[e->index], &w->now) || w->grew;
    }
    copy(w, &w->now, &o->out);
    change_ages(w, e->index, true);
    w->nopen--;
}

/* Returns the innermost open loop; a jump has one. */
static Open *
innermost(Walk *w)
{
    uint32_t i = w->nopen - 1;
    while (!w->open[i].loop) {
        i--;
    }
    return &w->open[i];
}

static void
jump(Walk *w, bool again)
{
    Open *o = innermost(w);
    join(w, again ? &o->again : &o->out, &w->now);
    w->now.reached = false;
}

static void
branch(Walk *w, SyncEventKind kind)
{
    Open *o = kind == SYNC_IF ? push(w, false) : &w->open[w->nopen - 1];
    if (kind == SYNC_IF) {
        copy(w, &o->out, &w->now);
    } else if (kind == SYNC_ELSE) {
        State then = w->now;
        w->now = o->out;
        o->out = then;
    } else {
        join(w, &w->now, &o->out);
        w->nopen--;
    }
}

/* ---- the walk ------------------------------------------------------------ */

static void
event(Walk *w, uint32_t at)
{
    const SyncEvent *e = &w->t->events[at];
    bool plain = e->kind < SYNC_LOOP || e->kind > SYNC_ENDIF;
    if (plain && !w->now.reached) {
        return;
    }
    switch (e->kind) {
    case SYNC_STMT:
        statement(w, e->index);
        return;
    case SYNC_SET:
        set_flag(w, e, at);
        return;
    case SYNC_WAIT:
        wait_flag(w, e, at);
        return;
    case SYNC_BARRIER:
        barrier(w, (Pipe)e->index);
        return;
    case SYNC_ALL:
        everything(w);
        return;
    case SYNC_ANY:
        finding(w, SYNC_UNKNOWN, at, 0);
        return;
    case SYNC_LOOP:
        enter_loop(w, e->index);
        return;
    case SYNC_COPY:
    case SYNC_END:
        end_copy(w, e);
        return;
    case SYNC_IF:
    case SYNC_ELSE:
    case SYNC_ENDIF:
        branch(w, e->kind);
        return;
    case SYNC_BREAK:
    case SYNC_CONTINUE:
        jump(w, e->kind == SYNC_CONTINUE);
        return;
    case SYNC_RETURN:
        leave_program(w);
        return;
    }
}

static void
walk(Walk *w)
{
    w->grew = false;
    w->nopen = 0;
    memset(w->now.flags, 0, w->bytes);
    w->now.reached = true;
    for (uint32_t i = 0; i < w->t->nevents; i++) {
        event(w, i);
    }
    leave_program(w);
}

static void
prove(Walk *w)
{
    int64_t most = w->t->work > 0 ? w->t->work : USUAL_WORK;
    w->grew = w->t->nloops > 0; /* without loops nothing has to settle */
    while (w->grew && w->work < most) {
        walk(w);
    }
    if (w->grew) {
        w->v->finding = SYNC_BUDGET;
        return;
    }
    w->judging = true;
    walk(w);
}

/* Returns how many loops and branches are open at once. */
static uint32_t
deepest(const SyncTape *t)
{
    uint32_t open = 0, most = 0;
    for (uint32_t i = 0; i < t->nevents; i++) {
        SyncEventKind kind = t->events[i].kind;
        open += kind == SYNC_LOOP || kind == SYNC_IF;
        open -= kind == SYNC_END || kind == SYNC_ENDIF;
        most = open > most ? open : most;
    }
    return most;
}

/* Makes the states of a walk, and of `depth` open loops and branches. False: they are
 * too large, or memory is exhausted. */
static bool
make_states(Walk *w, uint32_t depth)
{
    uint32_t nloops = w->t->nloops;
    size_t states = 1 + (size_t)nloops + 2 * (size_t)depth;
    size_t structs = nloops * sizeof *w->heads + depth * sizeof *w->open;
    if (w->bytes > MOST_BYTES / states) {
        return false;
    }
    w->heads = calloc(1, structs + states * w->bytes + 1);
    if (w->heads == NULL) {
        return false;
    }
    w->open = (Open *)(w->heads + nloops);
    w->free_bytes = (uint8_t *)(w->open + depth);
    w->now = new_state(w);
    for (uint32_t i = 0; i < nloops; i++) {
        w->heads[i] = new_state(w);
    }
    for (uint32_t i = 0; i < depth; i++) {
        w->open[i] = (Open){.out = new_state(w), .again = new_state(w)};
    }
    return true;
}

bool
sync_check(const SyncTape *t, SyncVerdict *v)
{
    Walk w = {.t = t, .columns = t->nstmts + t->nflags, .v = v};
    w.bytes = t->nflags + ((size_t)PIPE_COUNT + t->nflags) * w.columns;
    *v = (SyncVerdict){.finding = SYNC_ORDERED};
    if (make_states(&w, deepest(t))) {
        prove(&w);
    } else {
        v->finding = SYNC_BUDGET;
    }
    free(w.heads);
    return v->finding == SYNC_ORDERED;
}
