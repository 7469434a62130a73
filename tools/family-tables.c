/* family-tables.c: makes the tables of a lean loader (isa/lean.h) for one family of
 * processors, of those that all others use:
 *
 *   family-tables FAMILY DIR [INSTRUCTION]...    writes DIR/family.h and DIR/family.inc
 *
 * family.h has what is the same for all processors of the family, as constants for the
 * compiler; family.inc the tables of runtime/lean/isa.c. What the processors do not have
 * is left out: instructions, the rows of their forms, types, whole families of rules. So
 * are all instructions but the named ones, if any are named, and those that all
 * processors have. */
#include "isa/isa.h"
#include "isa/operand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Target {
    const char *family;
    const Soc *soc; /* one of the family; they have one kind of core */
    FILE *h, *inc;
    bool op[OP_COUNT], form[FORM_COUNT];
    int set[TYPESET_COUNT]; /* numbers of the sets of types that its instructions have */
} Target;

/* ---- what the family has ------------------------------------------------- */

static bool
has_op(const Soc *s, Op op)
{
    return op_on_soc(op, s) ||
           (op == OP_VADDDEQRELU && soc_has(s, FEATURE_VADDDEQRELU_BY_CHOICE));
}

static bool
in_family(const Target *t, const Soc *s)
{
    return strcmp(s->family, t->family) == 0;
}

static bool
is_named(Op op, char **names)
{
    bool named = names[0] == NULL || form_is_control(op_table[op].form);
    for (int i = 0; names[i] != NULL; i++) {
        named = named || strcmp(op_table[op].name, names[i]) == 0;
    }
    return named;
}

static bool
names_exist(char **names)
{
    Op op;
    for (int i = 0; names[i] != NULL; i++) {
        if (!op_find(names[i], &op)) {
            fprintf(stderr, "'%s' is no instruction\n", names[i]);
            return false;
        }
    }
    return true;
}

static bool
find_family(Target *t, char **names)
{
    for (int i = 0; i < soc_count(); i++) {
        const Soc *s = soc_at(i);
        if (!in_family(t, s)) {
            continue;
        }
        if (t->soc != NULL && (t->soc->core != s->core || t->soc->own != s->own)) {
            fprintf(stderr, "%s has processors of several kinds\n", t->family);
            return false;
        }
        t->soc = s;
        for (int op = 0; op < OP_COUNT; op++) {
            t->op[op] = t->op[op] || (has_op(s, (Op)op) && is_named((Op)op, names));
        }
    }
    int sets = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        const OpInfo *o = &op_table[op];
        t->form[o->form] = t->form[o->form] || t->op[op];
        if (t->op[op] && t->set[o->types] == 0) {
            t->set[o->types] = ++sets;
        }
    }
    if (t->soc == NULL) {
        fprintf(stderr, "'%s' is no family of processors (tikc targets)\n", t->family);
    }
    return t->soc != NULL;
}

/* Returns the core that decides about instructions (core.def, like). */
static int
core_like(const Soc *s)
{
    int like = 0;
    while (!soc_on(s, (CoreSet)1 << like)) {
        like++;
    }
    return like;
}

static void
write_header(const Target *t)
{
    static const char *const names[] = {
#define FAMILY(id, rules, lower, bind, ops, emu) #id,
#include "isa/family.def"
    };
    static const char *const forms[] = {
#define FORM(id, name, family, main) #id,
#include "isa/form.def"
    };
    bool has[FAM_COUNT] = {false};
    for (int f = 0; f < FORM_COUNT; f++) {
        has[form_family((Form)f)] = has[form_family((Form)f)] || t->form[f];
    }
    fprintf(t->h,
            "/* family.h: constants of %s, made by tools/family-tables.c. */\nenum {\n",
            t->family);
    fprintf(t->h, "    LEAN_LIKE = %d,\n    LEAN_PROFILE = %d,\n    LEAN_OWN = %d,\n",
            core_like(t->soc), (int)soc_profile(t->soc), (int)t->soc->own);
    fprintf(t->h, "    LEAN_LMEM = %d,\n", t->soc->lmem != NULL);
    /* The one that there may be by a choice only. */
    bool by_choice = t->op[OP_VADDDEQRELU] && !op_on_soc(OP_VADDDEQRELU, t->soc);
    fprintf(t->h, "    LEAN_BY_CHOICE = %d,\n", by_choice ? OP_VADDDEQRELU : OP_COUNT);
    for (int f = 0; f < FAM_COUNT; f++) {
        fprintf(t->h, "    LEAN_FAMILY_%s = %d,\n", names[f], has[f]);
    }
    fprintf(t->h, "};\n");
    for (int f = 0; f < FORM_COUNT; f++) {
        fprintf(t->h, "#define LEAN_FORM_%s %d\n", forms[f], t->form[f]);
    }
}

/* ---- processors ---------------------------------------------------------- */

static void
write_soc(const Target *t, const Soc *s)
{
    fprintf(t->inc, "    {\"%s\", %d, %d, %d, %d, {", s->name, (int)s->core, s->cores,
            s->cube_cores, s->vector_cores);
    for (int i = 0; i < SC_COUNT; i++) {
        fprintf(t->inc, i == SC_GM ? "0" : ", %lld", (long long)s->bytes[i]);
    }
    fprintf(t->inc, "}, %lld, %d, ", (long long)s->l2, (int)s->own);
    const LmemTarget *l = s->lmem;
    if (l == NULL) {
        fprintf(t->inc, "NULL},\n");
        return;
    }
    fprintf(t->inc,
            "&(const LmemTarget){%d, %d, %lld, %d, {%d, %d, %d}, %d, %d, %d, %d, ",
            l->npu, l->eu_bytes, (long long)l->lane_bytes, l->banks, l->icp[0], l->icp[1],
            l->icp[2], (int)l->unit, l->requant_words, l->requant_aligned, l->dw_aligned);
    fprintf(t->inc, "%lld, %d}},\n", (long long)l->smem_bytes, l->dim_max);
}

static void
write_socs(const Target *t)
{
    fprintf(t->inc, "static const Soc socs[] = {\n");
    for (int i = 0; i < soc_count(); i++) {
        if (in_family(t, soc_at(i))) {
            write_soc(t, soc_at(i));
        }
    }
    fprintf(t->inc, "};\n");
}

/* ---- instructions -------------------------------------------------------- */

/* Writes a set, by which rows of what is in it are found. */
static void
write_set(const Target *t, const char *name, const bool *has, int n)
{
    unsigned before = 0;
    fprintf(t->inc, "static const Member %s[] = {\n", name);
    for (int word = 0; word <= n / 32; word++) {
        unsigned bits = 0, count = 0;
        for (int i = 32 * word; i < 32 * word + 32 && i < n; i++) {
            bits |= (unsigned)has[i] << i % 32;
            count += has[i];
        }
        fprintf(t->inc, "    {%uu, %u},\n", bits, before);
        before += count;
    }
    fprintf(t->inc, "};\n");
}

static void
write_ops(const Target *t)
{
    write_set(t, "op_set", t->op, OP_COUNT);
    fprintf(t->inc, "static const OpRow op_rows[] = {\n    {FORM_COUNT, 0, 0, 0},\n");
    for (int op = 0; op < OP_COUNT; op++) {
        const OpInfo *o = &op_table[op];
        if (t->op[op]) {
            fprintf(t->inc, "    {%d, %d, %d, %d},\n", (int)o->form, t->set[o->types],
                    o->pipe, (int)o->sem);
        }
    }
    fprintf(t->inc, "};\n");
}

/* Returns the instruction by which a set of types has its number, the first one with
 * it. */
static Op
op_of_set(const Target *t, int number)
{
    int op = 0;
    while (op < OP_COUNT && !(t->op[op] && t->set[op_table[op].types] == number)) {
        op++;
    }
    return (Op)op;
}

static bool
any_has(const Target *t, Op op, Dtype d)
{
    bool any = false;
    for (int i = 0; i < soc_count(); i++) {
        any = any || (in_family(t, soc_at(i)) && op_has_dtype(op, d, soc_at(i)));
    }
    return any;
}

static void
write_types(const Target *t)
{
    fprintf(t->inc, "static const uint16_t set_types[] = {0, ");
    for (int set = 1; op_of_set(t, set) != OP_COUNT; set++) {
        unsigned bits = 0;
        for (int d = 1; d < DT_COUNT; d++) {
            bits |= (unsigned)any_has(t, op_of_set(t, set), (Dtype)d) << d;
        }
        fprintf(t->inc, "%u, ", bits);
    }
    fprintf(t->inc, "};\n");
}

/* Some processors of a family lack types that others have. */
static void
write_lacks(const Target *t)
{
    fprintf(t->inc, "static const Lack set_lacks[] = {\n");
    for (int set = 1; op_of_set(t, set) != OP_COUNT; set++) {
        Op op = op_of_set(t, set);
        for (int d = 1; d < DT_COUNT; d++) {
            bool any = any_has(t, op, (Dtype)d);
            for (int i = 0, k = 0; i < soc_count(); i++) {
                const Soc *s = soc_at(i);
                if (in_family(t, s) && any && !op_has_dtype(op, (Dtype)d, s)) {
                    fprintf(t->inc, "    {%d, %d, %d},\n", set, d, k);
                }
                k += in_family(t, s);
            }
        }
    }
    fprintf(t->inc, "    {UINT8_MAX, 0, 0},\n};\n");
}

static void
write_pairs(const Target *t)
{
    fprintf(t->inc, "static const Pair set_pairs[] = {\n");
    for (int set = 1; op_of_set(t, set) != OP_COUNT; set++) {
        Op op = op_of_set(t, set);
        bool chosen = op == OP_VADDDEQRELU && !op_on_soc(op, t->soc);
        const Soc *s = chosen ? soc_find("Ascend310P3") : t->soc;
        for (int d = 1; d < DT_COUNT; d++) {
            for (int from = 1; from < DT_COUNT; from++) {
                uint32_t info;
                if (op_has_pair(op, (Dtype)d, (Dtype)from, s, &info)) {
                    if (info > UINT16_MAX) {
                        fprintf(stderr, "%u is more than a row of pairs has\n", info);
                        exit(1);
                    }
                    fprintf(t->inc, "    {%d, %d, %d, %u},\n", set, d, from, info);
                }
            }
        }
    }
    fprintf(t->inc, "    {UINT8_MAX, 0, 0, 0},\n};\n");
}

/* ---- forms --------------------------------------------------------------- */

enum {
    MAX_RANGES = 64, /* as ParamInfo has bits for (isa/isa.h) */
    MAX_LANED = 32
};

typedef struct Ranges {
    int64_t lo[MAX_RANGES], hi[MAX_RANGES];
    int n;
} Ranges;

static int
range_of(Ranges *r, const ParamInfo *p)
{
    for (int i = 0; i < r->n; i++) {
        if (r->lo[i] == p->lo && r->hi[i] == p->hi) {
            return i;
        }
    }
    if (r->n == MAX_RANGES) {
        fprintf(stderr, "too many ranges\n");
        exit(1);
    }
    r->lo[r->n] = p->lo;
    r->hi[r->n] = p->hi;
    return r->n++;
}

static int
key_of(const char *name)
{
#define KEY(n, key)                                                                      \
    if (strcmp(name, #key) == 0) {                                                       \
        return n;                                                                        \
    }
#include "isa/key.def"
    return 0;
}

/* A row of an operand as the loader has it. */
typedef struct Row {
    int role, of, key, is_item, rule, range, laned;
} Row;

/* The rows of all forms. Those of one may be a part of those of another. */
typedef struct Pool {
    Row row[OPERAND_ROWS];
    int n;
    Ranges ranges;
    LaneOperand way[MAX_LANED]; /* how rows are addressed by lanes; 0: not at all */
    int ways;
} Pool;

static int
way_of(Pool *p, Form f, int param)
{
    if (!form_is_vector(f, param)) {
        return 0;
    }
    LaneOperand l = form_lanes(f, param);
    int k = 1;
    while (k < p->ways && (p->way[k].blk != l.blk || p->way[k].rep != l.rep ||
                           p->way[k].blk0_is_1 != l.blk0_is_1)) {
        k++;
    }
    if (k == MAX_LANED) {
        fprintf(stderr, "too many ways of lanes\n");
        exit(1);
    }
    p->way[k] = l;
    p->ways += k == p->ways;
    return k;
}

static int
rows_of(Pool *p, Form f, Row out[MAX_PARAMS])
{
    int n;
    const ParamInfo *info = form_params(f, &n);
    for (int i = 0; i < n; i++) {
        out[i] =
            (Row){(int)info[i].role,  (int)info[i].of,   key_of(info[i].name),
                  info[i].items != 0, (int)info[i].rule, range_of(&p->ranges, &info[i]),
                  way_of(p, f, i)};
    }
    return n;
}

/* Finds a place for rows, from which on as many as the pool has there are the same. */
static int
place(Pool *p, const Row *rows, int n)
{
    int at = 0;
    for (;; at++) {
        int there = p->n - at < n ? p->n - at : n;
        if (memcmp(&p->row[at], rows, (size_t)there * sizeof *rows) == 0) {
            break;
        }
    }
    memcpy(&p->row[at], rows, (size_t)n * sizeof *rows);
    p->n = at + n > p->n ? at + n : p->n;
    return at;
}

/* The rows that differ, in the order of their roles. */
typedef struct Kinds {
    Row row[OPERAND_ROWS];
    int n;
    int ends[ROLES]; /* of each role, one past its last row */
} Kinds;

static int
kind_of(const Kinds *k, const Row *row)
{
    int i = 0;
    while (i < k->n && memcmp(&k->row[i], row, sizeof *row) != 0) {
        i++;
    }
    return i;
}

static void
find_kinds(Kinds *k, const Pool *p)
{
    for (int role = 0; role < ROLES; role++) {
        for (int i = 0; i < p->n; i++) {
            if (p->row[i].role == role && kind_of(k, &p->row[i]) == k->n) {
                k->row[k->n++] = p->row[i];
            }
        }
        k->ends[role] = k->n;
    }
    if (k->n > UINT8_MAX) {
        fprintf(stderr, "too many kinds of operands\n");
        exit(1);
    }
}

/* Returns the end of a range as runtime/lean/isa.c reads it. */
static int
range_end(int64_t v)
{
    enum {
        POWER = 0x4000
    };
    if (v == INT64_MIN) {
        return INT16_MAX;
    }
    for (int k = 0; k < 64; k++) {
        for (int less = 0; less < 2; less++) {
            if (v >= POWER && v == (int64_t)(((uint64_t)1 << k) - (uint64_t)less)) {
                return POWER + 2 * k + less;
            }
        }
    }
    if (v <= -POWER || v >= POWER) {
        fprintf(stderr, "%lld is no end of a range that a loader can have\n",
                (long long)v);
        exit(1);
    }
    return (int)v;
}

static void
write_kinds(const Target *t, const Pool *p)
{
    static Kinds k;
    find_kinds(&k, p);
    fprintf(t->inc, "const ParamInfo param_infos[] = {\n");
    for (int i = 0; i < k.n; i++) {
        const Row *r = &k.row[i];
        fprintf(t->inc, "    {%d, %d, %d, %d, %d, %d, %d},\n", r->role, r->of, r->key,
                r->is_item, r->rule, r->range, r->laned);
    }
    fprintf(t->inc, "};\nstatic const uint8_t role_ends[] = {");
    for (int role = 0; role < ROLES; role++) {
        fprintf(t->inc, "%d, ", k.ends[role]);
    }
    fprintf(t->inc, "};\nstatic const ParamRow param_rows[] = {\n");
    for (int i = 0; i < p->n; i++) {
        fprintf(t->inc, "%d,", kind_of(&k, &p->row[i]));
    }
    fprintf(t->inc, "\n};\n");
}

static void
write_pool(const Target *t, const Pool *p)
{
    write_kinds(t, p);
    fprintf(t->inc, "static const Range ranges[] = {\n");
    for (int i = 0; i < p->ranges.n; i++) {
        fprintf(t->inc, "    {%d, %d},\n", range_end(p->ranges.lo[i]),
                range_end(p->ranges.hi[i]));
    }
    fprintf(t->inc, "};\nstatic const LanedInfo lane_ways[] = {\n    {-1, -1, 0},\n");
    for (int k = 1; k < p->ways; k++) {
        fprintf(t->inc, "    {%d, %d, %d},\n", p->way[k].blk, p->way[k].rep,
                p->way[k].blk0_is_1);
    }
    fprintf(t->inc, "};\n");
}

static void
write_forms(const Target *t)
{
    static Pool p;
    int first[FORM_COUNT] = {0}, n[FORM_COUNT] = {0};
    p.ways = 1;
    /* Long ones first: they are no part of others. */
    for (int len = MAX_PARAMS; len > 0; len--) {
        for (int f = 0; f < FORM_COUNT; f++) {
            Row rows[MAX_PARAMS];
            form_params((Form)f, &n[f]);
            if (t->form[f] && n[f] == len) {
                first[f] = place(&p, rows, rows_of(&p, (Form)f, rows));
            }
        }
    }
    write_pool(t, &p);
    write_set(t, "form_set", t->form, FORM_COUNT);
    fprintf(t->inc, "static const FormRow forms[] = {\n    {0, 0, 0, -1},\n");
    for (int f = 0; f < FORM_COUNT; f++) {
        if (t->form[f]) {
            fprintf(t->inc, "    {%d, %d, %d, %d},\n", first[f],
                    (int)form_family((Form)f), n[f], form_main((Form)f));
        }
    }
    fprintf(t->inc, "};\n");
}

static void
write_slices(const Target *t)
{
    fprintf(t->inc, "static const SliceRow slices[] = {\n");
    for (int f = 0; f < FORM_COUNT; f++) {
        int n;
        form_params((Form)f, &n);
        for (int i = 0; i < n && t->form[f]; i++) {
            const SliceOperand *s = form_slice((Form)f, i);
            if (s != NULL) {
                fprintf(t->inc, "    {%d, %d, {%d, %d, %d}},\n", f, i, s->len, s->dims,
                        s->stride);
            }
        }
    }
    fprintf(t->inc, "    {FORM_COUNT, 0, {0, 0, 0}},\n};\n");
    fprintf(t->inc, "static const LmemRow lmem_rows[] = {\n");
    for (int f = 0; f < FORM_COUNT; f++) {
        int n;
        form_params((Form)f, &n);
        for (int i = 0; i < n && t->form[f]; i++) {
            const LmemOperand *l = form_lmem((Form)f, i);
            if (l != NULL) {
                fprintf(t->inc, "    {%d, %d, {%d, %d, %d}},\n", f, i, l->lane, l->shape,
                        l->stride);
            }
        }
    }
    fprintf(t->inc, "    {FORM_COUNT, 0, {0, 0, 0}},\n};\n");
}

/* The number of a choice is a letter and a number. */
static void
write_choices(const Target *t)
{
    fprintf(t->inc, "static const PointRow points[CHOICE_COUNT] = {\n");
    for (int c = 0; c < CHOICE_COUNT; c++) {
        int n = 0;
        const char *number = choice_info((Choice)c)->number;
        char *end;
        long value = strtol(number + 1, &end, 10);
        while (choice_reading((Choice)c, n) != NULL) {
            n++;
        }
        if (*end != 0 || value < 1 || value > 63 || n > 3) {
            fprintf(stderr, "a loader cannot have the choice %s\n", number);
            exit(1);
        }
        fprintf(t->inc, "    {'%c', %ld, %d},\n", number[0], value, n);
    }
    fprintf(t->inc, "};\n");
}

static FILE *
open_out(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    return f;
}

int
main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: family-tables FAMILY DIR [INSTRUCTION]...\n");
        return 2;
    }
    Target t = {.family = argv[1]};
    if (!names_exist(argv + 3) || !find_family(&t, argv + 3)) {
        return 1;
    }
    t.h = open_out(argv[2], "family.h");
    t.inc = open_out(argv[2], "family.inc");
    write_header(&t);
    fprintf(t.inc, "/* family.inc: tables of %s, made by tools/family-tables.c. */\n",
            t.family);
    write_socs(&t);
    write_ops(&t);
    write_types(&t);
    write_lacks(&t);
    write_pairs(&t);
    write_forms(&t);
    write_slices(&t);
    write_choices(&t);
    bool ok = fclose(t.h) == 0;
    return fclose(t.inc) == 0 && ok ? 0 : 1;
}
