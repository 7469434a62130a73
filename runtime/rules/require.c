/* require.c: rules on one number; see require.h. Each row becomes a function that
 * evaluates its terms, and a table finds the rows of an operand. */
#include "rules/require.h"

#ifndef TIK_LEAN
#include <inttypes.h>
#include <stdio.h>
#endif

#include "isa/operand.h"
#include "layout/fractal.h"
#include "rules/flag.h"
#include "rules/image.h"
#include "rules/internal.h"
#include "rules/l0c_move.h"
#include "rules/load.h"
#include "rules/segment.h"
#include "rules/transfer.h"

/* The relation that a row requires of a number in an instruction. */
typedef struct Relation {
    enum {
        RELATES_NOTHING,
        RELATES_BETWEEN,
        RELATES_AT_MOST,
        RELATES_MULTIPLE
    } kind;
    int64_t least, most; /* for a multiple both are the unit */
} Relation;

typedef bool (*Ask)(const CheckInstr *in, int param, Fault *fault);

typedef struct Require {
    LEAN(uint8_t form, operand;)
    uint8_t sem;           /* Sem; SEM_COUNT: the row is for all meanings */
    uint8_t rule;          /* Rule */
    uint8_t direction : 6; /* Direction */
    uint8_t asks : 1;      /* it has a function instead of a relation */
    uint8_t also : 1;      /* checked after the row before */
    union {
        Relation (*relate)(const CheckInstr *in,
                           bool always); /* always: whatever when says */
        Ask ask;
    };
    TEXT(int of; const char *text;)
} Require;

/* ---- terms --------------------------------------------------------------- */

#define NUMBER(slot)      (in->args[slot].v)
#define TYPE(slot)        (in->args[slot].t.dtype)
#define IS_TYPE(slot, id) (TYPE(slot) == DT_##id)
#define SIZE(slot)        dtype_size(TYPE(slot))
#define BYTES(slot)       (in->args[slot].t.bytes)
#define OPEN(slot)        (in->args[slot].t.open)
#define SCOPE(slot)       (in->args[slot].t.scope)
#define HAS(feature)      soc_has(in->soc, FEATURE_##feature)
#define LITERAL           (self->literal)

#define BETWEEN(lo, hi) RELATES_BETWEEN, (lo), (hi)
#define AT_MOST(lo, hi) RELATES_AT_MOST, (lo), (hi)
#define EQUAL(v)        RELATES_BETWEEN, (v), (v)
#define MULTIPLE(unit)  RELATES_MULTIPLE, (unit), (unit)

#define RELATION(form, operand, rule, when, ...)                                         \
    static Relation relation_##form##_##operand##_##rule(const CheckInstr *in,           \
                                                         bool always)                    \
    {                                                                                    \
        const CheckArg *self = &in->args[form##_##operand];                              \
        (void)self;                                                                      \
        return always || (when) ? (Relation){__VA_ARGS__}                                \
                                : (Relation){RELATES_NOTHING, 0, 0};                     \
    }

#define REQUIRE(form, operand, rule, when, relation, ...)                                \
    RELATION(form, operand, rule, when, relation)
#define REQUIRE_OF(form, sem, operand, rule, when, relation, ...)                        \
    RELATION(form, operand, rule, when, relation)
#define ALSO(form, operand, rule, when, relation, ...)                                   \
    RELATION(form, operand, also_##rule, when, relation)
#define ASK(...)
#include "rules/require.def"

/* ---- rows ---------------------------------------------------------------- */

/* A loader without the instructions of a form has none of its rows. */
#ifdef TIK_LEAN
#define ROW_IF_0(...)
#define ROW_IF_1(...)     __VA_ARGS__
#define ROW_IF_(has, ...) ROW_IF_##has(__VA_ARGS__)
#define ROW_IF(has, ...)  ROW_IF_(has, __VA_ARGS__)
#define IF_HAS(form, ...) ROW_IF(LEAN_FORM_##form, __VA_ARGS__)
#else
#define IF_HAS(form, ...) __VA_ARGS__
#endif

static const Require rows[] = {
    {LEAN(FORM_COUNT, 0, ) 0}, /* no row */
#define ROW(form, sem, operand, rule, direction, asks, also, of, function, text)         \
    IF_HAS(form,                                                                         \
           {LEAN(FORM_##form, form##_##operand, ) sem,                                   \
            RULE_##rule,                                                                 \
            DIRECTION_##direction,                                                       \
            asks,                                                                        \
            also,                                                                        \
            {function},                                                                  \
            TEXT(form##_##of, text)}, )
#define REQUIRE(form, operand, rule, when, relation, direction, of, text)                \
    ROW(form, SEM_COUNT, operand, rule, direction, false, false, of,                     \
        .relate = relation_##form##_##operand##_##rule, text)
#define REQUIRE_OF(form, sem, operand, rule, when, relation, direction, of, text)        \
    ROW(form, SEM_##sem, operand, rule, direction, false, false, of,                     \
        .relate = relation_##form##_##operand##_##rule, text)
#define ALSO(form, operand, rule, when, relation, direction, of, text)                   \
    ROW(form, SEM_COUNT, operand, rule, direction, false, true, of,                      \
        .relate = relation_##form##_##operand##_also_##rule, text)
#define ASK(form, operand, rule, direction, function, meaning)                           \
    ROW(form, SEM_COUNT, operand, rule, direction, true, false, operand,                 \
        .ask = function, "")
#include "rules/require.def"
};

#ifdef TIK_LEAN
/* Returns the first row of the operand, or the empty one. A search instead of a table. */
static const Require *
row_of(Op op, int param)
{
    Form form = op_form(op);
    const Require *r = rows + sizeof rows / sizeof rows[0] - 1;
    while (r > rows && (r->form != form || r->operand != param || r->also)) {
        r--;
    }
    return r->sem == SEM_COUNT || r->sem == (Sem)op_sem(op) ? r : &rows[0];
}
#else
/* The places of rows in the table. Two first rows of an operand do not compile. */
enum {
    NO_ROW,
#define REQUIRE(form, operand, rule, ...)         ROW_OF_##form##_##operand,
#define REQUIRE_OF(form, sem, operand, rule, ...) ROW_OF_##form##_##operand,
#define ALSO(form, operand, rule, ...)            ROW_OF_##form##_##operand##_also_##rule,
#define ASK(form, operand, rule, ...)             ROW_OF_##form##_##operand,
#include "rules/require.def"
    ROWS
};

_Static_assert(ROWS <= UINT8_MAX, "places of rows fit a byte");

static const uint8_t first_row[FORM_COUNT][MAX_PARAMS] = {
#define PLACE(form, operand)                [FORM_##form][form##_##operand] = ROW_OF_##form##_##operand,
#define REQUIRE(form, operand, ...)         PLACE(form, operand)
#define REQUIRE_OF(form, sem, operand, ...) PLACE(form, operand)
#define ALSO(...)
#define ASK(form, operand, ...) PLACE(form, operand)
#include "rules/require.def"
};

/* Returns the first row of the operand, or the empty one. */
static const Require *
row_of(Op op, int param)
{
    const Require *r = &rows[first_row[op_form(op)][param]];
    return r->sem == SEM_COUNT || r->sem == op_sem(op) ? r : &rows[0];
}
#endif

Rule
require_rule(Op op, int param)
{
    return (Rule)row_of(op, param)->rule;
}

Direction
require_direction(Op op, int param)
{
    return (Direction)row_of(op, param)->direction;
}

int64_t
require_unit(const CheckInstr *in, int param)
{
    const Require *r = row_of(in->op, param);
    if (r->asks || r->direction != DIRECTION_STEPS) {
        return 1;
    }
    Relation x = r->relate(in, true);
    return x.kind == RELATES_MULTIPLE ? x.most : 1;
}

/* ---- texts --------------------------------------------------------------- */

#ifdef TIK_LEAN
#define broken(in, row, at, fault) check_fail(fault, at)
#else
typedef struct Broken {
    const CheckInstr *in;
    const Require *row;
    FaultAt at;
} Broken;

/* Returns the name of the element type of the operand; "" for one that is no tensor,
 * whose type is not set. */
static const char *
type_text(const CheckInstr *in, int param)
{
    int n;
    const ParamInfo *p = param_at(op_params(in->op, &n), param);
    bool tensor = p->role == ROLE_DST || p->role == ROLE_SRC || p->role == ROLE_ROOT;
    return tensor ? dtype_name(in->args[param].t.dtype) : "";
}

/* Returns the text of a word in braces, or its number in *number. */
static const char *
word(const Broken *t, const char *name, size_t n, char number[24])
{
    const CheckArg *of = &t->in->args[t->row->of];
    const struct {
        const char *name, *text;
        int64_t number;
    } words[] = {
        {"name", check_param_name(t->in, t->at.param), 0},
        {"op", check_op_name(t->in), 0},
        {"soc", t->in->soc->name, 0},
        {"type", type_text(t->in, t->row->of), 0},
        {"value", NULL, t->at.value},
        {"least", NULL, t->at.lo},
        {"most", NULL, t->at.hi},
        {"number", NULL, of->v},
        {"bytes", NULL, of->t.bytes},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].name) == n && memcmp(words[i].name, name, n) == 0) {
            snprintf(number, 24, "%" PRId64, words[i].number);
            return words[i].text != NULL ? words[i].text : number;
        }
    }
    return "?";
}

static bool
broken(const CheckInstr *in, const Require *row, const FaultAt *at, Fault *fault)
{
    const Broken broken = {in, row, *at}, *t = &broken;
    char text[sizeof fault->text] = "", number[24];
    size_t used = 0;
    if (fault == NULL) {
        return false;
    }
    for (const char *p = t->row->text; *p != 0 && used + 1 < sizeof text;) {
        size_t n = strcspn(p, "{");
        bool brace = n == 0;
        const char *from = p;
        p += brace ? strcspn(p, "}") + 1 : n;
        if (brace) {
            from = word(t, from + 1, (size_t)(p - from) - 2, number);
            n = strlen(from);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s", (int)n, from);
    }
    return check_fail(fault, at, "%s", text);
}
#endif

static bool
relation_holds(Relation x, int64_t v)
{
    switch (x.kind) {
    case RELATES_NOTHING:
        return true;
    case RELATES_BETWEEN:
        return v >= x.least && v <= x.most;
    case RELATES_AT_MOST:
        return v <= x.most;
    case RELATES_MULTIPLE:
        return v % x.most == 0;
    }
    return true;
}

static bool
row_holds(const CheckInstr *in, int param, const Require *r, Fault *fault)
{
    if (r->asks) {
        return r->ask(in, param, fault);
    }
    Relation x = r->relate(in, false);
    int64_t v = in->args[param].v;
    FaultAt at = {(Rule)r->rule, param, v, x.least, x.most};
    return relation_holds(x, v) || broken(in, r, &at, fault);
}

bool
require_holds(const CheckInstr *in, int param, Fault *fault)
{
    const Require *r = row_of(in->op, param);
    if (r == rows) {
        return true;
    }
    do {
        if (!row_holds(in, param, r, fault)) {
            return false;
        }
        r++;
    } while (r < rows + sizeof rows / sizeof rows[0] && r->also);
    return true;
}
