/* test_blob_sound.c: compares the verifier with execution. A small interpreter runs
 * random programs of loops, branches, scalar operations and stores step by step. Whatever
 * the verifier proved must hold in every step: stores are inside their region and
 * aligned, counters and steps are inside their bounds. */
#include "blob_parts.h"
#include "random.h"

enum {
    PROGRAMS = 2000,
    CORES = 3,
    MAX_DESCS = 400,
    MAX_STEPS = 20000,
    REGS = 5
};

/* ---- programs ------------------------------------------------------------ */

typedef struct Gen {
    uint64_t state;
    char text[16000];
    size_t n;
    int depth;  /* number of open loops */
    int blocks; /* number of open loops and branches */
    int descs;
} Gen;

static uint32_t
below(Gen *g, uint32_t n)
{
    return (uint32_t)random_below(&g->state, n);
}

static void put(Gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
put(Gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    g->n += (size_t)vsnprintf(g->text + g->n, sizeof g->text - g->n, fmt, ap);
    va_end(ap);
}

static int64_t
immediate(Gen *g)
{
    static const int64_t some[] = {0,    1,     2,       3,          4,        5,   7,
                                   8,    16,    32,      64,         -1,       -3,  -32,
                                   100,  255,   127,     1000,       511,      256, -128,
                                   4096, 65535, 1 << 20, 2147483647, INT32_MIN};
    return some[below(g, sizeof some / sizeof some[0])];
}

static void
number(Gen *g)
{
    switch (below(g, 8)) {
    case 0:
        put(g, " core");
        break;
    case 1:
    case 2:
    case 3:
        put(g, " r%u", below(g, REGS));
        break;
    case 4:
    case 5:
        if (g->depth > 0) {
            put(g, " s%u", below(g, (uint32_t)g->depth));
            break;
        }
        /* fall through */
    default:
        put(g, " %lld", (long long)immediate(g));
    }
}

static void
alu(Gen *g)
{
    static const char *const types[] = {"int32", "int64",  "uint8",
                                        "int16", "uint64", "int32"};
    ScalarOp op = (ScalarOp)below(g, SOP_COUNT);
    uint32_t t = below(g, 6);
    put(g, "r%u = %s %s", below(g, REGS), scalar_op_table[op].name, types[t]);
    if (op == SOP_CAST) {
        put(g, " %s", types[t == 0 || t == 5 ? 1 : t - 1]);
    } else if (op == SOP_BITS) {
        put(g, " %s", types[t]);
    }
    number(g);
    if (scalar_op_table[op].arity == 2) {
        number(g);
    }
    put(g, "\n");
}

static void
store(Gen *g)
{
    static const char *const types[] = {"int8", "int16", "int32", "int64"};
    static const int coefs[] = {1, 2, 4, 8, 12, 32, 64, -1, -4, -32};
    uint32_t terms = below(g, 4);
    put(g, "store %s[%u, %u", types[below(g, 4)], below(g, 2), below(g, 64) * 4);
    for (uint32_t i = 0; i < terms; i++) {
        uint32_t kind = below(g, 4);
        put(g, ", %d*", coefs[below(g, 10)]);
        if (kind == 0) {
            put(g, "core");
        } else if (kind == 1 || g->depth == 0) {
            put(g, "r%u", i % REGS < 2 ? below(g, 2) : 0); /* at most two registers */
        } else {
            put(g, "s%u", below(g, (uint32_t)g->depth));
        }
    }
    put(g, "] 1\n");
}

/* Makes a value that may be small, and a store that depends on it. */
static void
dependent_store(Gen *g)
{
    static const char *const ops[] = {"add", "sub", "mul", "div", "rem",
                                      "shl", "shr", "and", "or"};
    static const char *const types[] = {"int32", "uint8", "int64", "int16"};
    static const int64_t small[] = {1, 2, 3, 4, 8, 15, 16, 31, 32, 60};
    uint32_t r = below(g, 2);
    uint32_t n = 1 + below(g, 3);
    for (uint32_t i = 0; i < n; i++) {
        put(g, "r%u = %s %s", r, ops[below(g, 9)], types[below(g, 4)]);
        if (i == 0) {
            number(g);
        } else {
            put(g, " r%u", r);
        }
        put(g, " %lld\n", (long long)small[below(g, 10)]);
        g->descs++;
    }
    if (g->blocks < 5 && below(g, 4) == 0) {
        put(g, "if core\nr%u = add int32", r);
        number(g);
        put(g, " 0\nendif\n");
        g->descs += 3;
    }
    put(g, "store int%d[1, %u, %d*r%u] 1\n", 8 << below(g, 3), below(g, 4) * 8,
        1 << below(g, 4), r);
}

static void
loop_bounds(Gen *g)
{
    put(g, "loop s%d =", g->depth);
    if (below(g, 3) != 0) {
        uint32_t begin = below(g, 3);
        put(g, " %u %u\n", begin, begin + below(g, 6));
        return;
    }
    put(g, " %u", below(g, 2));
    number(g);
    put(g, "\n");
}

static void statements(Gen *g);

static void
block(Gen *g)
{
    g->blocks++;
    if (below(g, 3) != 0 && g->depth < 3) {
        int slot = g->depth;
        char head[64];
        size_t at = g->n;
        loop_bounds(g);
        snprintf(head, sizeof head, "loop s%d = ", slot);
        /* constant bounds must be in order; the assembler accepts others, the verifier
         * does not */
        long long a, b;
        if (sscanf(g->text + at + strlen(head), "%lld %lld", &a, &b) == 2 && a > b) {
            g->n = at;
            put(g, "loop s%d = 0 2\n", slot);
        }
        g->depth++;
        statements(g);
        g->depth--;
        put(g, "endloop s%d\n", slot);
    } else {
        put(g, "if");
        number(g);
        put(g, "\n");
        statements(g);
        if (below(g, 2) != 0) {
            put(g, "else\n");
            statements(g);
        }
        put(g, "endif\n");
    }
    g->blocks--;
}

static void
statements(Gen *g)
{
    uint32_t n = 1 + below(g, 4);
    for (uint32_t i = 0; i < n && g->descs < 80; i++) {
        uint32_t kind = below(g, 20);
        g->descs++;
        if (kind < 4) {
            alu(g);
        } else if (kind < 10) {
            dependent_store(g);
        } else if (kind < 14) {
            store(g);
        } else if (kind < 18 && g->blocks < 5) {
            block(g);
        } else if (kind == 18 && g->depth > 0) {
            put(g, below(g, 2) ? "break\n" : "continue\n");
        }
    }
}

/* ---- execution ----------------------------------------------------------- */

typedef struct Run {
    TikDesc *code;
    uint32_t match[MAX_DESCS];
    uint32_t n;
    int64_t regs[REGS];
    int64_t slots[TIKBLOB_MAX_LOOPS], ends[TIKBLOB_MAX_LOOPS];
    int core;
    uint64_t steps;
    const uint8_t *unproved;
    const char *wrong;
} Run;

static void
find_matches(Run *r)
{
    uint32_t stack[64];
    int n = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        switch (r->code[i].kind) {
        case DESC_LOOP:
        case DESC_IF:
            stack[n++] = i;
            break;
        case DESC_ELSE:
            r->match[stack[n - 1]] = i;
            stack[n - 1] = i;
            break;
        case DESC_ENDLOOP:
        case DESC_ENDIF:
            r->match[stack[--n]] = i;
            r->match[i] = stack[n];
            break;
        default:
            break;
        }
    }
}

static int64_t
value(const Run *r, const TikNum *n)
{
    return n->kind == NUM_IMM    ? n->imm
           : n->kind == NUM_REG  ? r->regs[n->index]
           : n->kind == NUM_LOOP ? r->slots[n->index]
                                 : r->core;
}

/* The regions have 256 and 1024 bytes. */
static void
check_store(Run *r, const TikDesc *d)
{
    __int128 at = d->operand.offset;
    for (int i = 0; i < d->operand.nterms; i++) {
        at += (__int128)d->operand.terms[i].coef * value(r, &d->operand.terms[i].num);
    }
    int size = dtype_size(d->dtype);
    bool proved = !(r->unproved[d->index / 8] >> (d->index % 8) & 1);
    if (proved &&
        (at < 0 || at % size != 0 || at + size > (d->operand.region ? 1024 : 256))) {
        r->wrong = "a proved store leaves its region";
    }
}

/* Returns the innermost loop around i. */
static uint32_t
loop_end(const Run *r, uint32_t i)
{
    int depth = 0;
    while (r->code[i].kind != DESC_ENDLOOP || depth > 0) {
        depth += r->code[i].kind == DESC_LOOP;
        depth -= r->code[i].kind == DESC_ENDLOOP;
        i++;
    }
    return i;
}

static uint32_t
enter_loop(Run *r, uint32_t i)
{
    const TikDesc *d = &r->code[i];
    int64_t begin = value(r, &d->a);
    int64_t end = value(r, &d->b);
    if (begin < 0 || begin > end) {
        return r->n; /* the run ends with a fault */
    }
    r->slots[d->slot] = begin;
    r->ends[d->slot] = end;
    return begin < end ? i + 1 : r->match[i] + 1;
}

static uint32_t
close_loop(Run *r, uint32_t i)
{
    uint32_t slot = r->code[i].slot;
    return ++r->slots[slot] < r->ends[slot] ? r->match[i] + 1 : i + 1;
}

static uint32_t
step(Run *r, uint32_t i)
{
    const TikDesc *d = &r->code[i];
    switch (d->kind) {
    case DESC_LOOP:
        return enter_loop(r, i);
    case DESC_ENDLOOP:
        return close_loop(r, i);
    case DESC_IF:
        return value(r, &d->a) != 0 ? i + 1 : r->match[i] + 1;
    case DESC_ELSE:
        return r->match[i] + 1;
    case DESC_BREAK:
        return loop_end(r, i) + 1;
    case DESC_CONTINUE:
        return loop_end(r, i);
    case DESC_ALU:
        if (!scalar_eval(d->alu_op, d->dtype, d->from, value(r, &d->a), value(r, &d->b),
                         &r->regs[d->reg])) {
            return r->n;
        }
        return i + 1;
    case DESC_STORE:
        check_store(r, d);
        return i + 1;
    default:
        return i + 1;
    }
}

/* ---- the test ------------------------------------------------------------ */

static const char *
execute(const TikBlob *b, TikDesc *code, const uint8_t *unproved, uint64_t bound)
{
    TikCursor c;
    Run r = {.code = code, .unproved = unproved};
    tikblob_cursor(&c, b, 0);
    while (tikblob_next(&c, &code[r.n], NULL) > 0) {
        r.n++;
    }
    find_matches(&r);
    for (r.core = 0; r.core < CORES; r.core++) {
        memset(r.regs, 0, sizeof r.regs);
        r.steps = 1;
        for (uint32_t i = 0; i < r.n && r.steps < MAX_STEPS && r.wrong == NULL;) {
            i = step(&r, i);
            r.steps++;
        }
        if (r.steps > bound) {
            return "more steps than proved";
        }
    }
    return r.wrong;
}

static int64_t
check_program(uint64_t seed, TikDesc *code)
{
    static Gen g;
    uint8_t bits[MAX_DESCS / 8 + 1] = {0};
    TikBlob b;
    TikBlobDiag diag;
    TikBlobProof proof;
    memset(&g, 0, sizeof g);
    g.state = seed * 0x9e3779b97f4a7c15u + 1;
    put(&g,
        "blob 1.0 Ascend310P3\nkernel \"k\" cores %d steps 0\npeak UB 1280\n"
        "region 0 \"a\" UB int8 at 0 bytes 256\nregion 1 \"b\" UB int8 at 256 bytes "
        "1024\n"
        "code\n",
        CORES);
    statements(&g);
    put(&g, "end\n");
    Bin a = assemble(g.text);
    assert_true(tikblob_open(&b, a.p, a.n, &diag));
    TikBlobVerify with = {.bytes = tikblob_workspace(&b, 0), .unproved = bits};
    with.workspace = malloc(with.bytes);
    bool ok = tikblob_unproved(&b, 0, &with, &proof, &diag);
    free(with.workspace);
    if (!ok) {
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, diag.code, g.text);
    }
    const char *wrong = execute(&b, code, bits, proof.steps);
    if (wrong != NULL) {
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, wrong, g.text);
    }
    free(a.p);
    return proof.proved;
}

static void
what_is_proved_holds_in_every_run(void **state)
{
    (void)state;
    TikDesc *code = calloc(MAX_DESCS, sizeof *code);
    int64_t proved = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        proved += check_program(seed, code);
    }
    free(code);
    assert_true(proved > PROGRAMS); /* the test would be empty if nothing were proved */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_proved_holds_in_every_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
