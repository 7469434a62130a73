/* rule-tables.c: prints the tables of docs/blob-rules.md that only the checker knows, for
 * gen-docs.py: what each operand is aligned to, which rules ask for its bounds, and which
 * operands are compared for overlap.
 *
 *   rule-tables align|bounds|overlap
 *
 * The checker has functions for these, no tables. They are asked here for every
 * instruction on every processor, with every type and memory, and what they answer is
 * named by the first of a few rules that gives all of the answers. One that none gives is
 * an error. */
#include "isa/isa.h"
#include "isa/operand.h"
#include "rules/internal.h"
#include "rules/image.h"
#include "rules/reg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_BYTES = 8192
};

/* A row of a table: instructions, and what the other cells say of them. */
typedef struct Row {
    char cells[TEXT_BYTES], ops[TEXT_BYTES];
    Op last;
} Row;

static Row rows[OP_COUNT * 2];
static int row_count;

static void
append(char *to, const char *text)
{
    size_t n = strlen(to);
    if (n + strlen(text) >= TEXT_BYTES) {
        fprintf(stderr, "a cell is too long\n");
        exit(1);
    }
    strcpy(to + n, text);
}

/* Adds an instruction to the row with the cells. */
static void
add(Op op, const char *cells)
{
    int i = 0;
    char name[128];
    while (i < row_count && strcmp(rows[i].cells, cells) != 0) {
        i++;
    }
    if (i == row_count) {
        append(rows[row_count++].cells, cells);
    }
    if (rows[i].last == op && rows[i].ops[0] != 0) {
        return; /* operands of one list */
    }
    rows[i].last = op;
    snprintf(name, sizeof name, "%s`%s`", rows[i].ops[0] ? " " : "", op_table[op].name);
    append(rows[i].ops, name);
}

static void
print(void)
{
    for (int i = 0; i < row_count; i++) {
        printf("| %s | %s |\n", rows[i].ops, rows[i].cells);
    }
}

static bool
is_tensor(Op op, int param)
{
    int n;
    const ParamRow *p = op_params(op, &n);
    Role role = param < n ? param_at(p, param)->role : ROLE_ATTR;
    return role == ROLE_DST || role == ROLE_SRC;
}

/* Returns the name of an operand; those of one list have that of the list. */
static const char *
name_of(Op op, int param)
{
    static char names[2][64];
    static int turn;
    int n;
    char *name = names[turn ^= 1];
    snprintf(name, sizeof names[0], "%s", param_at(op_params(op, &n), param)->name);
    name[strcspn(name, "[")] = 0;
    return name;
}

/* ---- alignment ----------------------------------------------------------- */

/* An operand of an instruction where one thing is asked. */
typedef struct Probe {
    CheckInstr in;
    int param;
    int align;
} Probe;

/* Rules that alignments may follow. */
typedef struct Law {
    const char *text;
    int (*of)(const Probe *p);
} Law;

static int
memory(const Probe *p)
{
    const CheckTensor *t = &p->in.args[p->param].t;
    return scope_align(t->scope, t->dtype);
}

static int
element(const Probe *p)
{
    return dtype_size(p->in.args[p->param].t.dtype);
}

static int
element_or_4(const Probe *p)
{
    return element(p) > 4 ? element(p) : 4;
}

static int
always_8(const Probe *p)
{
    (void)p;
    return 8;
}

static int
always_16(const Probe *p)
{
    (void)p;
    return 16;
}

static int
always_32(const Probe *p)
{
    (void)p;
    return BLOCK_BYTES;
}

static int
proposals(const Probe *p)
{
    return element(p) == 2 ? 16 : BLOCK_BYTES;
}

static int
always_64(const Probe *p)
{
    (void)p;
    return 64;
}

static int
always_1024(const Probe *p)
{
    (void)p;
    return 1024;
}

static int
fractals(const Probe *p)
{
    return soc_has(p->in.soc, FEATURE_MATMUL_ANYWHERE) ? memory(p) : 512;
}

static int
work(const Probe *p)
{
    return soc_has(p->in.soc, FEATURE_REDUCE_NO_WORK) ? element(p) : BLOCK_BYTES;
}

/* Returns the operand with the mode of a load or store of registers. */
static int
mode_slot(Op op)
{
    int load = op_slot(op, ROLE_ATTR, "ld_mode"),
        store = op_slot(op, ROLE_ATTR, "st_mode");
    return load >= 0 ? load : store;
}

static int
mode(const Probe *p)
{
    int slot = mode_slot(p->in.op);
    if (slot < 0) {
        return 0;
    }
    int64_t bytes = reg_mode_bytes((RegMode)p->in.args[slot].v,
                                   dtype_size(p->in.args[op_main(p->in.op)].t.dtype));
    return bytes < BLOCK_BYTES ? (int)bytes : BLOCK_BYTES;
}

static int
image(const Probe *p)
{
    const CheckArg *format = &p->in.args[IMAGE_input_format];
    return !format->literal ? 1 : format->v == 0 ? 2 : format->v == 1 ? 4 : 1;
}

static const Law laws[] = {
    {"", memory},
    {"its element", element},
    {"8", always_8},
    {"16", always_16},
    {"32", always_32},
    {"its element, at least 4", element_or_4},
    {"32; of elements of 2 bytes 16", proposals},
    {"64", always_64},
    {"1024", always_1024},
    {"512; on cores with MATMUL_ANYWHERE that of L1", fractals},
    {"32; on cores with REDUCE_NO_WORK its element", work},
    {"the bytes of its mode (instructions.md, Modes of vector registers), at most 32",
     mode},
    {"where `input_format` is an immediate 2 of format 0 and 4 of format 1; else 1",
     image},
};

enum {
    LAWS = sizeof laws / sizeof laws[0]
};

/* Crosses out the laws that do not give what the checker answers. */
static void
ask(Probe *p, bool holds[LAWS])
{
    p->align = check_align(&p->in, p->param);
    for (int i = 0; i < LAWS; i++) {
        holds[i] = holds[i] && laws[i].of(p) == p->align;
    }
}

/* Returns whether the operand may be in the memory, as far as alignments differ by it. */
static bool
has_scope(Op op, int param, Scope s)
{
    Family f = op_family(op);
    if (f == FAM_CUBE && op_sem(op) != SEM_MMAD) {
        return s == (param == MATMUL_dst ? SC_L0C : SC_L1);
    }
    if (f == FAM_FIXCOLUMNS) {
        return (s == SC_L0C) == (param == FIXC_src);
    }
    bool anywhere = op_pipe(op) == OP_PIPE_PATH || f == FAM_LOAD || f == FAM_CUBE ||
                    f == FAM_LMEM || f == FAM_IMAGE || f < FAM_LANES;
    return reg_operand(op_form(op), param) ? s == SC_VREG : anywhere || s == SC_UB;
}

/* Asks with each value of the number that an alignment may depend on. */
static void
ask_numbers(Probe *p, bool holds[LAWS])
{
    bool pictures = op_family(p->in.op) == FAM_IMAGE;
    int slot = pictures ? IMAGE_input_format : mode_slot(p->in.op);
    for (int v = 0; slot >= 0 && v < REG_MODES; v++) {
        for (int literal = 0; literal < 2; literal++) {
            p->in.args[slot].v = v;
            p->in.args[slot].literal = literal;
            ask(p, holds);
        }
    }
    if (slot < 0) {
        ask(p, holds);
    }
}

static void
ask_types(Probe *p, bool holds[LAWS])
{
    int n;
    (void)op_params(p->in.op, &n);
    for (int t = 1; t < DT_COUNT; t++) {
        for (int s = 0; s < SC_COUNT; s++) {
            if (!has_scope(p->in.op, p->param, (Scope)s)) {
                continue;
            }
            for (int i = 0; i < n; i++) {
                p->in.args[i].t.dtype = (Dtype)t;
                p->in.args[i].t.scope = (Scope)s;
            }
            ask_numbers(p, holds);
        }
    }
}

static const char *
alignment(Op op, int param)
{
    static Probe p;
    bool holds[LAWS];
    memset(holds, true, sizeof holds);
    memset(&p, 0, sizeof p);
    p.in.op = op;
    p.param = param;
    for (int i = 0; i < soc_count(); i++) {
        p.in.soc = soc_at(i);
        if (op_on_soc(op, p.in.soc)) {
            ask_types(&p, holds);
        }
    }
    for (int i = 0; i < LAWS; i++) {
        if (holds[i]) {
            return laws[i].text;
        }
    }
    fprintf(stderr, "no rule gives the alignment of %s of %s\n", name_of(op, param),
            op_table[op].name);
    exit(1);
}

static void
add_alignments(Op op)
{
    int n;
    char cells[TEXT_BYTES];
    (void)op_params(op, &n);
    for (int i = 0; i < n; i++) {
        const char *text = is_tensor(op, i) ? alignment(op, i) : "";
        if (text[0] != 0) {
            snprintf(cells, sizeof cells, "`%s` | %s", name_of(op, i), text);
            add(op, cells);
        }
    }
}

/* ---- bounds and overlap -------------------------------------------------- */

static const char *
rule_name(Rule rule)
{
    static const char *const names[] = {
#define RULE(id, name, level, aliases, rule, help) [RULE_##id] = name,
#include "isa/rule.def"
    };
    return names[rule];
}

static void
add_bounds(Op op)
{
    int n;
    const FamilyRules *rules = check_family(op);
    (void)op_params(op, &n);
    for (int i = 0; i < n; i++) {
        char cells[TEXT_BYTES];
        Rule rule = is_tensor(op, i) ? check_bounds_rule(op, i) : RULE_TENSOR_OVERFLOW;
        bool corners = is_tensor(op, i) && rules->bounds_corners != NULL &&
                       rules->bounds_corners(op, i);
        snprintf(cells, sizeof cells, "`%s` | `%s` | %s", name_of(op, i), rule_name(rule),
                 corners ? "corners" : "");
        if (rule != RULE_TENSOR_OVERFLOW || corners) {
            add(op, cells);
        }
    }
}

static void
add_overlap(Op op)
{
    int n;
    char cells[TEXT_BYTES] = "", last[64] = "";
    (void)op_params(op, &n);
    for (int i = 0; i < n; i++) {
        const char *name = name_of(op, i);
        if (check_has_overlap(op, i) && strcmp(last, name) != 0) {
            snprintf(last, sizeof last, "%s", name);
            append(cells, cells[0] ? ", `" : "`");
            append(cells, name);
            append(cells, check_overlap_is_regular(op_form(op), i) ? "` by steps" : "`");
        }
    }
    if (cells[0] != 0) {
        add(op, cells);
    }
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*add)(Op op);
    } tables[] = {
        {"align", add_alignments}, {"bounds", add_bounds}, {"overlap", add_overlap}};
    for (size_t i = 0; argc == 2 && i < sizeof tables / sizeof tables[0]; i++) {
        if (strcmp(argv[1], tables[i].name) == 0) {
            for (int op = 0; op < OP_COUNT; op++) {
                tables[i].add((Op)op);
            }
            print();
            return 0;
        }
    }
    fprintf(stderr, "usage: rule-tables align|bounds|overlap\n");
    return 2;
}
