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
    for (int op = 0; op < OP_COUNT; op++) {
        t->form[op_table[op].form] = t->form[op_table[op].form] || t->op[op];
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
    for (int f = 0; f < FAM_COUNT; f++) {
        fprintf(t->h, "    LEAN_FAMILY_%s = %d,\n", names[f], has[f]);
    }
    for (int f = 0; f < FORM_COUNT; f++) {
        fprintf(t->h, "    LEAN_FORM_%s = %d,\n", forms[f], t->form[f]);
    }
    fprintf(t->h, "};\n");
}

/* ---- processors ---------------------------------------------------------- */

static void
write_soc(const Target *t, const Soc *s)
{
    fprintf(t->inc, "    {\"%s\", %d, %d, %d, %d, {", s->name, (int)s->core, s->cores,
            s->cube_cores, s->vector_cores);
    for (int i = 0; i < SC_COUNT; i++) {
        fprintf(t->inc, i == SC_GM ? "INT64_MAX" : ", %lld", (long long)s->bytes[i]);
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

static void
write_ops(const Target *t)
{
    fprintf(t->inc, "const OpInfo op_table[OP_COUNT] = {\n");
    for (int op = 0; op < OP_COUNT; op++) {
        const OpInfo *o = &op_table[op];
        fprintf(t->inc, "    {%d, %d, %d, %d},\n", t->op[op] ? (int)o->form : FORM_COUNT,
                (int)o->types, o->pipe, (int)o->sem);
    }
    fprintf(t->inc, "};\nstatic const uint8_t on_soc[(OP_COUNT + 7) / 8] = {");
    for (int i = 0; i < (OP_COUNT + 7) / 8; i++) {
        int bits = 0;
        for (int op = 8 * i; op < 8 * i + 8 && op < OP_COUNT; op++) {
            bits |= op_on_soc((Op)op, t->soc) << (op - 8 * i);
        }
        fprintf(t->inc, "%d, ", bits);
    }
    fprintf(t->inc, "};\n");
}

/* Returns an instruction with the set of types; OP_COUNT: none uses it. */
static Op
op_of_types(TypeSet set)
{
    int op = 0;
    while (op < OP_COUNT && op_table[op].types != set) {
        op++;
    }
    return (Op)op;
}

static void
write_types(const Target *t)
{
    fprintf(t->inc, "static const uint16_t set_types[TYPESET_COUNT] = {");
    for (int set = 0; set < TYPESET_COUNT; set++) {
        Op op = op_of_types((TypeSet)set);
        unsigned bits = 0;
        for (int d = 1; d < DT_COUNT && op != OP_COUNT; d++) {
            bool any = false;
            for (int i = 0; i < soc_count(); i++) {
                any = any ||
                      (in_family(t, soc_at(i)) && op_has_dtype(op, (Dtype)d, soc_at(i)));
            }
            bits |= (unsigned)any << d;
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
    for (int set = 0; set < TYPESET_COUNT; set++) {
        Op op = op_of_types((TypeSet)set);
        for (int d = 1; d < DT_COUNT && op != OP_COUNT; d++) {
            bool any = false;
            for (int i = 0; i < soc_count(); i++) {
                any = any ||
                      (in_family(t, soc_at(i)) && op_has_dtype(op, (Dtype)d, soc_at(i)));
            }
            for (int i = 0, k = 0; i < soc_count(); i++) {
                const Soc *s = soc_at(i);
                if (in_family(t, s) && any && !op_has_dtype(op, (Dtype)d, s)) {
                    fprintf(t->inc, "    {%d, %d, %d},\n", set, d, k);
                }
                k += in_family(t, s);
            }
        }
    }
    fprintf(t->inc, "    {TYPESET_COUNT, 0, 0},\n};\n");
}

static void
write_pairs(const Target *t)
{
    fprintf(t->inc, "static const Pair set_pairs[] = {\n");
    for (int set = 0; set < TYPESET_COUNT; set++) {
        Op op = op_of_types((TypeSet)set);
        if (op == OP_COUNT) {
            continue;
        }
        bool chosen = op == OP_VADDDEQRELU && !op_on_soc(op, t->soc);
        const Soc *s = chosen ? soc_find("Ascend310P3") : t->soc;
        for (int d = 1; d < DT_COUNT; d++) {
            for (int from = 1; from < DT_COUNT; from++) {
                uint32_t info;
                if (t->op[op] && op_has_pair(op, (Dtype)d, (Dtype)from, s, &info)) {
                    fprintf(t->inc, "    {%d, %d, %d, %u},\n", set, d, from, info);
                }
            }
        }
    }
    fprintf(t->inc, "    {TYPESET_COUNT, 0, 0, 0},\n};\n");
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
#define KEY(n, text)                                                                     \
    if (strcmp(name, text) == 0) {                                                       \
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

static void
write_pool(const Target *t, const Pool *p)
{
    fprintf(t->inc, "static const ParamInfo param_infos[] = {\n");
    for (int i = 0; i < p->n; i++) {
        const Row *r = &p->row[i];
        fprintf(t->inc, "    {%d, %d, %d, %d, %d, %d, %d},\n", r->role, r->of, r->key,
                r->is_item, r->rule, r->range, r->laned);
    }
    fprintf(t->inc, "};\nstatic const uint8_t param_roles[] = {\n");
    for (int i = 0; i < p->n; i++) {
        fprintf(t->inc, "%d,", p->row[i].role);
    }
    fprintf(t->inc, "\n};\nstatic const int64_t ranges[][2] = {\n");
    for (int i = 0; i < p->ranges.n; i++) {
        if (p->ranges.lo[i] == INT64_MIN) {
            fprintf(t->inc, "    {INT64_MIN, INT64_MAX},\n");
        } else {
            fprintf(t->inc, "    {%lld, %lld},\n", (long long)p->ranges.lo[i],
                    (long long)p->ranges.hi[i]);
        }
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
    fprintf(t->inc, "static const FormRow forms[FORM_COUNT] = {\n");
    for (int f = 0; f < FORM_COUNT; f++) {
        fprintf(t->inc, "    {%d, %d, %d, %d},\n", first[f], (int)form_family((Form)f),
                t->form[f] ? n[f] : 0, form_main((Form)f));
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

static void
write_choices(const Target *t)
{
    fprintf(t->inc, "static const struct {\n    char number[5];\n    uint8_t readings;\n"
                    "} points[CHOICE_COUNT] = {\n");
    for (int c = 0; c < CHOICE_COUNT; c++) {
        int n = 0;
        while (choice_reading((Choice)c, n) != NULL) {
            n++;
        }
        fprintf(t->inc, "    {\"%s\", %d},\n", choice_info((Choice)c)->number, n);
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
