/* test_shadow.c: compares what the mode check of the emulator says of bytes that nothing
 * has written, of bytes after the data of an array, and of cores that access the same
 * bytes, with a model that keeps a state for each byte: random kernels of some cores that
 * load, store, move, add and meet, each statement on all cores or on one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "emu_world.h"
#include "random.h"
#include "rules/atomic.h"

enum {
    CORES = 3,
    ARRAYS = 2,
    DATA = 76, /* bytes of an array: two blocks, and a part of one */
    GM = 96,   /* what of it is accessed */
    UB = 64,
    MOST = 14, /* statements of a kernel */
    KERNELS = 8000
};

static uint64_t state_of_random = 20261128;

static int64_t
rnd(int64_t n)
{
    return random_below(&state_of_random, n);
}

/* ---- kernels ------------------------------------------------------------- */

typedef enum Kind {
    LOAD_GM,
    STORE_GM,
    LOAD_UB,
    STORE_UB,
    MOVE_IN,
    MOVE_OUT,
    ADD_OUT, /* the same as additions of float32 */
    BARRIER, /* of all cores: what they did before is ordered before what follows */
    KINDS
} Kind;

/* Bytes [gm, gm + n) of an array or [ub, ub + n) of UB, or a move between them. */
typedef struct Statement {
    Kind kind;
    int core; /* -1: all */
    int array, gm, ub, n;
    uint32_t descriptor;
} Statement;

typedef struct Warning {
    Rule rule;
    int core, byte, other; /* other: a core, or -1: several */
} Warning;

/* What a statement says first of its bytes, and of cores. */
typedef struct Said {
    Warning bytes, cores;
} Said;

typedef struct Kernel {
    Statement s[MOST];
    int n;
    bool defined[ARRAYS + 1];
    Said want[MOST], got[MOST];
} Kernel;

static Statement
draw_statement(void)
{
    static const int sizes[] = {1, 2, 4};
    Statement s = {.kind = (Kind)rnd(KINDS), .core = (int)rnd(CORES + 2)};
    s.core = s.core < CORES && s.kind != BARRIER ? s.core : -1;
    s.array = (int)rnd(ARRAYS);
    bool moves = s.kind >= MOVE_IN && s.kind <= ADD_OUT;
    s.n = moves ? 32 : sizes[rnd(3)];
    s.ub = (int)rnd((UB - s.n) / s.n + 1) * s.n;
    s.gm = moves ? (int)rnd(GM - s.n + 1) : (int)rnd(DATA / s.n) * s.n;
    s.gm -= s.kind == ADD_OUT ? s.gm % 4 : 0;
    return s;
}

/* ---- the model ----------------------------------------------------------- */

typedef enum State {
    UNWRITTEN,
    WRITTEN,
    PADDING
} State;

typedef struct Byte {
    State state;
    int writer;   /* the last core that wrote it; -1: none */
    bool adds;    /* all writes were additions */
    bool several; /* of more than one core */
    bool read[CORES];
} Byte;

typedef struct Model {
    Byte gm[ARRAYS][GM];
    State ub[CORES][UB];
} Model;

static void
say(Warning *w, Warning what)
{
    if (w->rule == RULE_NONE) {
        *w = what;
    }
}

/* Returns whether another core accessed the byte, so that this access has no order. */
static bool
collides(const Byte *b, int core, Kind kind, int *other)
{
    int readers = 0;
    bool write = kind == STORE_GM || kind == MOVE_OUT || kind == ADD_OUT;
    if (b->writer >= 0 && (b->several || b->writer != core) &&
        !(kind == ADD_OUT && b->adds)) {
        *other = b->several ? -1 : b->writer;
        return true;
    }
    for (int c = 0; c < CORES; c++) {
        readers += b->read[c];
        *other = b->read[c] && c != core ? c : *other;
    }
    *other = readers > 1 ? -1 : *other;
    return write && readers > b->read[core];
}

static void
note_write(Byte *b, int core, bool adds)
{
    bool together = adds && b->adds && b->writer >= 0;
    b->several = together && (b->several || b->writer != core);
    b->adds = adds && (b->writer < 0 || b->adds);
    b->writer = core;
}

static void
access_global(Model *m, const Statement *s, int core, bool write, Said *said)
{
    for (int i = 0; i < s->n; i++) {
        int other = -1;
        Byte *b = &m->gm[s->array][s->gm + i];
        if (collides(b, core, s->kind, &other)) {
            say(&said->cores, (Warning){RULE_CORE_COLLISION, core, s->gm + i, other});
        }
        if (write) {
            note_write(b, core, s->kind == ADD_OUT);
        } else {
            b->read[core] = true;
        }
    }
}

static void
use(State st, int core, int byte, Said *said)
{
    if (st != WRITTEN) {
        Rule rule = st == PADDING ? RULE_PAD_READ : RULE_UNINIT;
        say(&said->bytes, (Warning){.rule = rule, .core = core, .byte = byte});
    }
}

static void
run_statement(Model *m, const Statement *s, int core, Said *said)
{
    bool writes = s->kind == STORE_GM || s->kind == MOVE_OUT || s->kind == ADD_OUT;
    if (s->kind != LOAD_UB && s->kind != STORE_UB) {
        access_global(m, s, core, writes, said);
    }
    for (int i = 0; s->kind == ADD_OUT && i < s->n && s->gm + i < DATA; i++) {
        use(m->gm[s->array][s->gm + i].state, core, s->gm + i, said);
    }
    for (int i = 0; i < s->n; i++) {
        State *u = &m->ub[core][s->ub + i];
        Byte *b = &m->gm[s->array][s->gm + i];
        bool data = s->gm + i < DATA;
        switch (s->kind) {
        case LOAD_GM:
            use(b->state, core, s->gm + i, said);
            break;
        case STORE_GM:
            b->state = WRITTEN;
            break;
        case LOAD_UB:
            use(*u, core, s->ub + i, said);
            break;
        case STORE_UB:
            *u = WRITTEN;
            break;
        case MOVE_IN:
            *u = b->state;
            break;
        default:
            if (data) {
                use(*u, core, s->ub + i, said);
                b->state = *u;
            }
        }
    }
}

static void
forget_cores(Model *m)
{
    for (int a = 0; a < ARRAYS; a++) {
        for (int i = 0; i < GM; i++) {
            m->gm[a][i].writer = -1;
            memset(m->gm[a][i].read, 0, sizeof m->gm[a][i].read);
        }
    }
}

/* Runs the statements up to a barrier on one core after another. */
static void
run_phase(Model *m, Kernel *k, int first, int end)
{
    forget_cores(m);
    for (int core = 0; core < CORES; core++) {
        for (int i = first; i < end; i++) {
            if (k->s[i].core < 0 || k->s[i].core == core) {
                run_statement(m, &k->s[i], core, &k->want[i]);
            }
        }
    }
}

static void
run_model(Kernel *k)
{
    Model m;
    memset(&m, 0, sizeof m);
    for (int a = 0; a < ARRAYS; a++) {
        for (int i = 0; i < GM; i++) {
            m.gm[a][i].state = i >= DATA ? PADDING : k->defined[a] ? WRITTEN : UNWRITTEN;
        }
    }
    for (int i = 0, first = 0; i <= k->n; i++) {
        if (i == k->n || k->s[i].kind == BARRIER) {
            run_phase(&m, k, first, i);
            first = i + 1;
        }
    }
}

/* ---- the emulator -------------------------------------------------------- */

static void
note(void *ctx, uint32_t core, uint32_t descriptor, Rule rule, const char *text)
{
    Kernel *k = ctx;
    int i = 0;
    while (k->s[i].descriptor != descriptor) {
        i++;
        assert_true(i < k->n);
    }
    bool cores = rule == RULE_CORE_COLLISION;
    Warning *w = cores ? &k->got[i].cores : &k->got[i].bytes;
    const char *byte = strstr(text, "byte "), *other = strstr(text, "which core ");
    assert_non_null(byte);
    assert_int_equal(w->rule, RULE_NONE);
    *w = (Warning){rule, (int)core, (int)strtol(byte + 5, NULL, 10), 0};
    if (cores) {
        w->other = other != NULL ? (int)strtol(other + 11, NULL, 10) : -1;
    }
}

typedef struct Regions {
    uint32_t ub, workspace, mode;
} Regions;

static void
set_mode(World *w, uint32_t region, int64_t mode)
{
    TikDesc *d = world_add(w, DESC_STORE);
    d->operand = at(w, region, SREG_ATOMIC);
    d->dtype = DT_U32;
    d->a = imm(mode);
}

static void
add_statement(World *w, Statement *s, const Regions *m)
{
    if (s->core >= 0) {
        TikDesc *d = world_add(w, DESC_ALU);
        d->alu_op = SOP_EQ;
        d->dtype = DT_S64;
        d->reg = 1;
        d->a = core();
        d->b = imm(s->core);
        world_add(w, DESC_IF)->a = reg(1);
    }
    if (s->kind == ADD_OUT) {
        set_mode(w, m->mode, atomic_mode_of(DT_F32));
    }
    s->descriptor = w->n;
    TikOperand gm = at(w, (uint32_t)s->array, s->gm), local = at(w, m->ub, s->ub);
    if (s->kind >= MOVE_IN && s->kind <= ADD_OUT) {
        bool in = s->kind == MOVE_IN;
        gm.dtype = local.dtype = s->kind == ADD_OUT ? DT_F32 : DT_U8;
        world_move(w, in ? local : gm, in ? gm : local, 1, 1);
    } else if (s->kind == BARRIER) {
        TikDesc *d = world_instr(w, OP_BLOCK_BARRIER);
        d->args[0].t = at(w, m->workspace, 0);
        d->args[1].v = imm(CORES);
    } else {
        bool load = s->kind == LOAD_GM || s->kind == LOAD_UB;
        TikDesc *d = world_add(w, load ? DESC_LOAD : DESC_STORE);
        d->operand = s->kind == LOAD_GM || s->kind == STORE_GM ? gm : local;
        d->dtype = s->n == 1 ? DT_U8 : s->n == 2 ? DT_U16 : DT_U32;
        d->a = imm(7);
        d->reg = 2;
    }
    if (s->kind == ADD_OUT) {
        set_mode(w, m->mode, 0);
    }
    if (s->core >= 0) {
        world_add(w, DESC_ENDIF);
    }
}

static void
run_emulator(Kernel *k)
{
    World *w = world_new("Ascend910A");
    EmuWatch watch = {.warn = note, .ctx = k, .shadow = true, .defined = k->defined};
    for (int a = 0; a < ARRAYS; a++) {
        (void)world_gm(w, DT_U8, DATA);
    }
    Regions m = {.workspace = world_gm(w, DT_U8, CORES * 32)};
    m.ub = world_local(w, SC_UB, DT_U8, 0, UB);
    m.mode = world_local(w, SC_SREG, DT_U32, 0, SREG_BYTES);
    w->k.cores = CORES;
    w->k.watch = &watch;
    for (int i = 0; i < k->n; i++) {
        add_statement(w, &k->s[i], &m);
    }
    if (!world_run(w)) {
        fail_msg("%s", w->res.fault.text);
    }
    world_free(w);
}

/* ---- the comparison ------------------------------------------------------ */

static bool
same(const Warning *a, const Warning *b)
{
    return a->rule == b->rule && a->core == b->core && a->byte == b->byte &&
           a->other == b->other;
}

static void
show(const Kernel *k, const Said *said, int i)
{
    const Warning *b = &said[i].bytes, *c = &said[i].cores;
    printf("  %s core %d byte %d, %s core %d byte %d other %d", rule_table[b->rule].name,
           b->core, b->byte, rule_table[c->rule].name, c->core, c->byte, c->other);
    printf("%s", said == k->want ? " |" : "\n");
}

static void
compare(const Kernel *k)
{
    for (int i = 0; i < k->n; i++) {
        if (same(&k->want[i].bytes, &k->got[i].bytes) &&
            same(&k->want[i].cores, &k->got[i].cores)) {
            continue;
        }
        for (int j = 0; j < k->n; j++) {
            const Statement *s = &k->s[j];
            printf("%d: kind %d core %d array %d gm %d ub %d n %d", j, s->kind, s->core,
                   s->array, s->gm, s->ub, s->n);
            show(k, k->want, j);
            show(k, k->got, j);
        }
        fail_msg("statement %d", i);
    }
}

static void
kernels_of_cores(void **state)
{
    (void)state;
    int64_t said[3] = {0, 0, 0};
    for (int n = 0; n < KERNELS; n++) {
        Kernel k;
        memset(&k, 0, sizeof k);
        k.n = 1 + (int)rnd(MOST);
        for (int a = 0; a < ARRAYS; a++) {
            k.defined[a] = rnd(2) != 0;
        }
        k.defined[ARRAYS] = true;
        for (int i = 0; i < k.n; i++) {
            k.s[i] = draw_statement();
        }
        run_model(&k);
        run_emulator(&k);
        compare(&k);
        for (int i = 0; i < k.n; i++) {
            said[0] += k.want[i].bytes.rule == RULE_UNINIT;
            said[1] += k.want[i].bytes.rule == RULE_PAD_READ;
            said[2] += k.want[i].cores.rule == RULE_CORE_COLLISION;
        }
    }
    for (int i = 0; i < 3; i++) {
        assert_true(said[i] > KERNELS / 100);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
