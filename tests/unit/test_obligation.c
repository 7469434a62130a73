/* test_obligation.c: compares what is proved and refuted of intervals
 * (rules/obligation.h) with the rules on numbers, for every instruction. Operands are
 * drawn, each number and place with some values of which most are one; tensors share a
 * root now and then, at distances that are known or not. Each combination of the values,
 * or many of them, is given to the rules: where all steps before one hold, one that is
 * proved holds and one that is refuted does not. What stands at once, with a shape that
 * came before or without, is proved, and a model says which shapes came before. So that
 * proofs also say something, those of rules that no combination breaks are counted: no
 * fewer than when this was written. */
#include "rules/internal.h"
#include "rules/obligation.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    MASK_WORDS = 4,
    TRIES =
        4000,   /* random operands that are drawn for an instruction; most are refused */
    DRAWN = 6,  /* accepted operands that are tried */
    DRAWS = 60, /* numbers and places that are drawn for each of them */
    VARY = 3,   /* operands with more than one value, at most */
    POINTS = 64 /* combinations that are tried */
};

static uint64_t state_of_random = 20261128;

static int64_t
rnd(int64_t n)
{
    return random_below(&state_of_random, n);
}

static bool
is_number(const ParamInfo *p)
{
    return p->role == ROLE_INT || p->role == ROLE_REPEAT;
}

static bool
is_tensor(const ParamInfo *p)
{
    return p->role == ROLE_DST || p->role == ROLE_SRC;
}

/* ---- drawing ------------------------------------------------------------- */

/* An instruction and what is known of it. together: the first tensors move by one
 * variable, so that their distances are known. */
typedef struct Case {
    const ParamInfo *p;
    int n;
    CheckInstr in;
    Interval numbers[MAX_PARAMS], words[MASK_WORDS];
    bool together;
} Case;

typedef struct Counts {
    int ops, true_steps, proved, false_steps, refuted, stand, at_once, like, seen;
} Counts;

static void
draw_operand(CheckInstr *in, const ParamInfo *p, int i, Dtype common)
{
    static const Scope scopes[] = {SC_UB, SC_GM, SC_L1, SC_L0A, SC_L0B, SC_L0C};
    CheckArg *a = &in->args[i];
    *a = (CheckArg){.literal = false};
    if (is_tensor(p) || p->role == ROLE_ROOT) {
        Dtype t = rnd(3) ? common : (Dtype)(1 + rnd(DT_COUNT - 1));
        Scope s = scopes[rnd(4) ? 0 : rnd(6)];
        a->t = (CheckTensor){(uint32_t)i, s, t, .bytes = 1 << (8 + rnd(6))};
    } else if (p->role == ROLE_MASK) {
        a->m = (CheckMask){rnd(3) ? MASK_COUNT : MASK_BITS, {1, 0, 0, 0}};
    } else if (p->role == ROLE_ATTR) {
        a->v = rnd(p->of == OF_BOOL ? 2 : 4);
    }
}

static bool
draw_shape(Case *c, Op op)
{
    static const char *const socs[] = {"Ascend310P3", "Ascend910A",    "Ascend910B1",
                                       "Ascend310B1", "Ascend610Lite", "Ascend031"};
    Fault ignored;
    c->in = (CheckInstr){.op = op, .soc = soc_find(socs[rnd(6)])};
    c->p = form_params(op_table[op].form, &c->n);
    Dtype common = (Dtype)(1 + rnd(DT_COUNT - 1));
    for (int i = 0; i < c->n; i++) {
        draw_operand(&c->in, &c->p[i], i, common);
    }
    return check_static(&c->in, &ignored);
}

static Interval
values_from(int64_t lo, int64_t n, int64_t step)
{
    return n == 1 ? interval_const(lo)
                  : (Interval){lo, lo + (n - 1) * step, step, mod_floor(lo, step)};
}

static Interval
draw_number(const ParamInfo *p, bool vary)
{
    int64_t below = rnd(12) == 0, above = rnd(6);
    int64_t lo = p->rule == RULE_NONE ? rnd(12) : p->lo - below + above;
    if (rnd(5) == 0) {
        lo = rnd(80);
    }
    int64_t n = vary ? 1 + rnd(5) : 1, step = 1 + rnd(3) / 2;
    return values_from(lo, n, step);
}

static Interval
draw_place(bool vary)
{
    int64_t block = rnd(rnd(3) ? 8 : 40), below = rnd(20) == 0, odd = rnd(20) == 0;
    int64_t n = vary ? 1 + rnd(4) : 1, step = rnd(12) ? 32 << rnd(3) : 16;
    return values_from(32 * (block - below) + odd, n, step);
}

static Interval
shifted(Interval r, int64_t by)
{
    Interval out;
    return interval_add(r, interval_const(by), &out) ? out : r;
}

static void
draw_values(Case *c)
{
    int vary = 0, most = (int)rnd(VARY + 1);
    c->together = rnd(2);
    Interval moved = draw_place(true);
    for (int i = 0; i < c->n; i++) {
        CheckArg *a = &c->in.args[i];
        bool more = vary < most && rnd(3) == 0;
        vary += more && !(c->together && is_tensor(&c->p[i]));
        c->numbers[i] = interval_const(a->v);
        if (is_tensor(&c->p[i])) {
            int64_t apart = 32 * rnd(10);
            c->numbers[i] = c->together ? shifted(moved, apart) : draw_place(more);
            a->t.buffer = rnd(2) ? 0 : (uint32_t)(1 + rnd(2));
            a->t.offset = c->numbers[i].lo;
        } else if (is_number(&c->p[i]) || c->p[i].role == ROLE_SCALAR) {
            c->numbers[i] = draw_number(&c->p[i], more);
            a->v = c->numbers[i].lo;
            a->literal = interval_is_const(c->numbers[i]) && rnd(2);
        } else if (c->p[i].role == ROLE_MASK) {
            bool bits = a->m.form == MASK_BITS;
            int64_t word = rnd(bits ? 1 << 16 : 66);
            a->m.w[0] = (uint64_t)word << (bits ? rnd(40) : 0);
            c->numbers[i] = interval_const(0);
            for (int w = 0; w < MASK_WORDS; w++) {
                c->words[w] = interval_const((int64_t)a->m.w[w]);
            }
            if (!bits && more) {
                c->words[0] = values_from((int64_t)a->m.w[0], 1 + rnd(4), 1);
            }
        }
    }
}

/* ---- combinations -------------------------------------------------------- */

static int64_t
any_of(Interval r)
{
    return interval_is_const(r) ? r.lo : r.lo + r.mod * rnd((r.hi - r.lo) / r.mod + 1);
}

/* An end with the same chance as all others together, since rules fail there. */
static int64_t
pick(Interval r)
{
    int64_t what = rnd(4);
    return what == 0 ? r.lo : what == 1 ? r.hi : any_of(r);
}

static void
draw_point(const Case *c, CheckInstr *at)
{
    *at = c->in;
    int64_t moved = -1;
    for (int i = 0; i < c->n; i++) {
        CheckArg *a = &at->args[i];
        if (is_tensor(&c->p[i])) {
            int64_t v = pick(c->numbers[i]);
            moved = moved < 0 ? v - c->numbers[i].lo : moved;
            a->t.offset = c->together ? c->numbers[i].lo + moved : v;
        } else if (is_number(&c->p[i]) || c->p[i].role == ROLE_SCALAR) {
            a->v = pick(c->numbers[i]);
        } else if (c->p[i].role == ROLE_MASK) {
            a->m.w[0] = (uint64_t)pick(c->words[0]);
        }
    }
}

static bool
distance(const void *ctx, int a, int b, int64_t *out)
{
    const Case *c = ctx;
    *out = c->numbers[a].lo - c->numbers[b].lo;
    return c->together ||
           (interval_is_const(c->numbers[a]) && interval_is_const(c->numbers[b]));
}

/* ---- what is kept -------------------------------------------------------- */

/* What a room for a shape has, by a model: the instruction that was kept last, and
 * whether its numbers were legal. */
typedef struct Kept {
    CheckInstr in;
    bool any, legal;
} Kept;

typedef struct Rooms {
    Shape shape[SHAPES];
    Kept kept[SHAPES];
    int like, seen;
} Rooms;

static bool
same_tensor(const CheckArg *a, const CheckArg *b)
{
    return a->t.bytes == b->t.bytes && a->t.scope == b->t.scope &&
           a->t.dtype == b->t.dtype && a->t.read_only == b->t.read_only &&
           a->t.exact == b->t.exact && a->t.open == b->t.open &&
           (a->t.items > 0) == (b->t.items > 0);
}

/* Returns whether operands have the same numbers, where these may differ. */
static bool
same_number(const Case *c, int i, const CheckInstr *other)
{
    const CheckArg *a = &c->in.args[i], *b = &other->args[i];
    return c->p[i].role == ROLE_MASK
               ? memcmp(a->m.w, b->m.w, sizeof a->m.w) == 0
               : is_tensor(&c->p[i]) || c->p[i].role == ROLE_ROOT || a->v == b->v;
}

/* Returns whether operands are alike but for their places and such numbers. */
static bool
alike(const Case *c, int i, const CheckInstr *other)
{
    const CheckArg *a = &c->in.args[i], *b = &other->args[i];
    Role role = c->p[i].role;
    if (role == ROLE_MASK) {
        return a->m.form == b->m.form;
    }
    bool asked = a->literal && check_family(c->in.op)->asks_literals;
    bool free = (is_number(&c->p[i]) || role == ROLE_SCALAR) && !asked;
    return a->literal == b->literal &&
           (is_tensor(&c->p[i]) || role == ROLE_ROOT ? same_tensor(a, b)
                                                     : free || a->v == b->v);
}

/* Returns whether what the proof takes from the room is what is there. */
static bool
taken_rightly(const Case *c, const Known *k, Rooms *r)
{
    const Kept *kept = &r->kept[k->shape - r->shape];
    bool like = kept->any && kept->in.op == c->in.op, same = kept->legal;
    for (int i = 0; i < c->n; i++) {
        like = like && alike(c, i, &kept->in);
        same = same && same_number(c, i, &kept->in);
    }
    r->like += like;
    r->seen += like && same && k->decides;
    return k->like == like && k->seen == (like && same && k->decides);
}

static void
keep(const Case *c, const Known *k, Rooms *r)
{
    Kept *kept = &r->kept[k->shape - r->shape];
    bool legal = k->decides && check_numbers(&c->in, NULL);
    if (!k->like || legal) {
        *kept = (Kept){c->in, true, legal};
    }
}

/* ---- comparing ----------------------------------------------------------- */

static const char *
try_case(const Case *c, Rooms *rooms, Counts *counts)
{
    CheckStep steps[MAX_CHECK_STEPS];
    int nsteps = check_steps(c->in.op, steps);
    CheckInstr most, least, work, at;
    Place places[MAX_PARAMS];
    Known k = {.in = &c->in,
               .distance = distance,
               .ctx = c,
               .numbers = c->numbers,
               .words = c->words,
               .most = &most,
               .least = &least,
               .at = &work,
               .shapes = rooms->shape,
               .places = places};
    Standing is[MAX_CHECK_STEPS];
    bool always[MAX_CHECK_STEPS], never[MAX_CHECK_STEPS], all = true;
    Fault f;
    (void)obligation_seen(&k);
    if (!taken_rightly(c, &k, rooms)) {
        return "is asked of another instruction, or again";
    }
    bool once = obligation_all_stand(&k);
    keep(c, &k, rooms);
    for (int s = 0; s < nsteps; s++) {
        is[s] = obligation_stands(&k, steps[s], &f);
        always[s] = never[s] = true;
    }
    for (int i = 0; i < POINTS; i++) {
        draw_point(c, &at);
        for (int s = 0; s < nsteps; s++) {
            bool ok = check_step(&at, steps[s], &f);
            always[s] = always[s] && ok;
            never[s] = never[s] && !ok;
            all = all && ok;
            if (ok && is[s] == STANDS_REFUTED) {
                return "is refuted and holds";
            }
            if (!ok && is[s] == STANDS_PROVED) {
                return "is proved and broken";
            }
            if (!ok) { /* later steps rely on it */
                for (int t = s + 1; t < nsteps; t++) {
                    never[t] = always[t] = false;
                }
                break;
            }
        }
    }
    for (int s = 0; s < nsteps; s++) {
        counts->true_steps += always[s];
        counts->proved += always[s] && is[s] == STANDS_PROVED;
        counts->false_steps += never[s];
        counts->refuted += never[s] && is[s] >= STANDS_BROKEN;
    }
    counts->stand += all;
    counts->at_once += all && once;
    return once && !all ? "of some operand stands at once and is broken" : NULL;
}

static void
show(const Case *c)
{
    for (int i = 0; i < c->n; i++) {
        printf("  %s: %lld to %lld step %lld, root %u\n", c->p[i].name,
               (long long)c->numbers[i].lo, (long long)c->numbers[i].hi,
               (long long)c->numbers[i].mod, c->in.args[i].t.buffer);
    }
}

static int
try_op(Op op, Counts *counts)
{
    Rooms *rooms = calloc(1, sizeof *rooms);
    assert_non_null(rooms);
    Case c = {.n = 0};
    int drawn = 0, wrong = 0;
    for (int i = 0; i < TRIES && drawn < DRAWN && wrong == 0; i++) {
        bool ok = draw_shape(&c, op);
        drawn += ok;
        for (int j = 0; ok && j < DRAWS && wrong == 0; j++) {
            draw_values(&c);
            const char *text = try_case(&c, rooms, counts);
            if (text != NULL) {
                printf("%s on %s: a rule %s\n", op_table[op].name, c.in.soc->name, text);
                show(&c);
                wrong++;
            }
        }
    }
    counts->ops += drawn > 0;
    counts->like += rooms->like;
    counts->seen += rooms->seen;
    free(rooms);
    return wrong;
}

static void
all_instructions(void **state)
{
    (void)state;
    Counts n = {.ops = 0};
    int wrong = 0;
    for (Op op = 0; op < OP_COUNT; op++) {
        wrong += try_op(op, &n);
    }
    printf(
        "%d of %d instructions; of %d rules that hold %d are proved, of %d broken ones "
        "%d; of %d instructions that stand %d at once; %d have a shape that was kept, %d "
        "its numbers too\n",
        n.ops, OP_COUNT, n.true_steps, n.proved, n.false_steps, n.refuted, n.stand,
        n.at_once, n.like, n.seen);
    assert_int_equal(wrong, 0);
    assert_true(n.proved >= 384438);
    assert_true(n.refuted >= 36348);
    assert_true(n.at_once >= 7717);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
