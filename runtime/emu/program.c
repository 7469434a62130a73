/* program.c: makes an EmuProgram of descriptors. Everything that does not change while
 * running is looked up here, and everything that the run relies on (indexes in range,
 * matching ends, known forms) is checked here, so that running needs no such checks.
 *
 * Slot 0 of the numbers is the core's index; slots 1 .. nloops are the loop counters;
 * then follow the registers, and the constants in the order of first use. */
#include "emu/emu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/pages.h"
#include "layout/lmem.h"

bool
emu_malformed(EmuResult *res, uint32_t descriptor, const char *text)
{
    *res = (EmuResult){.status = EMU_MALFORMED, .descriptor = descriptor};
    snprintf(res->fault.text, sizeof res->fault.text, "%s", text);
    return false;
}

static bool
no_memory(EmuResult *res)
{
    *res = (EmuResult){.status = EMU_NO_MEMORY};
    return false;
}

/* Makes room for one more element; false when memory is exhausted. */
static bool
grow(void *array, uint32_t *cap, uint32_t n, size_t size)
{
    if (n < *cap) {
        return true;
    }
    uint32_t want = *cap == 0 ? 16 : *cap * 2;
    void *old;
    memcpy(&old, array, sizeof old);
    void *p = want > *cap ? realloc(old, want * size) : NULL;
    if (p == NULL) {
        return false;
    }
    memcpy(array, &p, sizeof p);
    *cap = want;
    return true;
}

/* ---- memory -------------------------------------------------------------- */

enum {
    SCOPE_ALIGN = 1024
};

static int64_t
storage_of(const TikBlobRegion *g)
{
    return scope_granule(g->scope, g->kind == TIKBLOB_TABLE, g->bytes);
}

/* Copies constant tables to the end of the memories, so that no operand can reach the
 * blob itself. */
static bool
copy_tables(EmuProgram *p, int64_t at)
{
    for (uint32_t i = 0; i < p->kernel.nregions; i++) {
        const TikBlobRegion *g = &p->kernel.regions[i];
        if (g->kind == TIKBLOB_TABLE) {
            p->tables[i] = p->scratch + at;
            memcpy(p->tables[i], g->data, (size_t)g->bytes);
            at += storage_of(g);
        }
    }
    return true;
}

/* Lays out the memories one after the other, each as large as the regions of the kernel
 * need. */
static bool
lay_out(EmuProgram *p, EmuResult *res)
{
    const EmuKernel *k = &p->kernel;
    int64_t size[SC_COUNT] = {0};
    for (uint32_t i = 0; i < k->nregions; i++) {
        const TikBlobRegion *g = &k->regions[i];
        if (g->scope == SC_GM) {
            continue;
        }
        int64_t capacity = k->soc->bytes[g->scope];
        if (g->base < 0 || g->bytes < 0 || g->base > capacity ||
            storage_of(g) > capacity - g->base) {
            return emu_malformed(res, 0, "a region is outside its memory");
        }
        int64_t end = g->base + storage_of(g);
        size[g->scope] = end > size[g->scope] ? end : size[g->scope];
    }
    size[SC_SREG] = SREG_BYTES; /* instructions access it without an operand */
    if (size[SC_LMEM] > 0) {
        p->lmem_used = size[SC_LMEM];
        p->lmem_pitch = lmem_pitch(size[SC_LMEM]);
        size[SC_LMEM] = k->soc->lmem->npu * p->lmem_pitch;
    }
    for (int s = 0; s < SC_COUNT; s++) {
        p->scope_at[s] = p->scratch_bytes;
        p->scratch_bytes += (size[s] + SCOPE_ALIGN - 1) / SCOPE_ALIGN * SCOPE_ALIGN;
    }
    int64_t tables = p->scratch_bytes;
    for (uint32_t i = 0; i < k->nregions; i++) {
        p->scratch_bytes +=
            k->regions[i].kind == TIKBLOB_TABLE ? storage_of(&k->regions[i]) : 0;
    }
    p->scratch = pages_alloc(p->scratch_bytes);
    p->tables = calloc((size_t)k->nregions + 1, sizeof *p->tables);
    return p->scratch != NULL && p->tables != NULL ? copy_tables(p, tables)
                                                   : no_memory(res);
}

static bool
is_list(const EmuKernel *k, const TikBlobRegion *g)
{
    return g->base >= 0 && g->base < k->nargs && k->bound != NULL &&
           k->args[g->base] != NULL && k->args[g->base]->items != NULL &&
           g->bytes == k->args[g->base]->elems * LIST_WINDOW;
}

static bool
check_globals(const EmuKernel *k, EmuResult *res)
{
    for (uint32_t i = 0; i < k->nregions; i++) {
        const TikBlobRegion *g = &k->regions[i];
        if (g->scope != SC_GM || (g->kind == TIKBLOB_TABLE && g->data != NULL) ||
            (g->kind == TIKBLOB_LIST && is_list(k, g))) {
            continue;
        }
        if (g->kind != TIKBLOB_TENSOR || g->base < 0 || g->base >= k->nargs ||
            k->args[g->base] == NULL || k->args[g->base]->data == NULL || g->bytes < 0 ||
            (!g->open && k->args[g->base]->bytes < g->bytes)) {
            return emu_malformed(res, 0, "a global region has no array of its size");
        }
    }
    return true;
}

static bool
new_checked(EmuProgram *p, EmuResult *res)
{
    const EmuKernel *k = &p->kernel;
    if (k->nregs > INT32_MAX / 4 || k->nloops > TIKBLOB_MAX_LOOPS) {
        return emu_malformed(res, 0, "too many registers or loops");
    }
    p->first_const = 1 + k->nloops + k->nregs;
    return check_globals(k, res) && lay_out(p, res);
}

EmuProgram *
emu_new(const EmuKernel *k, EmuResult *res)
{
    EmuProgram *p = calloc(1, sizeof *p);
    if (p == NULL) {
        no_memory(res);
        return NULL;
    }
    p->kernel = *k;
    p->rows = emu_rows();
    if (!new_checked(p, res)) {
        emu_free(p);
        return NULL;
    }
    return p;
}

void
emu_free(EmuProgram *p)
{
    if (p == NULL) {
        return;
    }
    free(p->ops);
    free(p->refs);
    free(p->terms);
    free(p->slots);
    free(p->consts);
    free(p->moves);
    pages_free(p->scratch, p->scratch_bytes);
    free(p->tables);
    free(p);
}

/* ---- operands ------------------------------------------------------------ */

/* A descriptor that is being added to the program. */
typedef struct Adder {
    EmuProgram *p;
    const TikDesc *d;
    EmuResult *res;
} Adder;

static bool
bad(const Adder *a, const char *text)
{
    return emu_malformed(a->res, a->d->index, text);
}

static bool
add_const(const Adder *a, int64_t value, EmuNum *out)
{
    EmuProgram *p = a->p;
    if (p->nconsts > 0 && p->consts[p->nconsts - 1] == value) {
        *out = p->first_const + p->nconsts - 1;
        return true;
    }
    if (!grow(&p->consts, &p->cap_consts, p->nconsts, sizeof *p->consts)) {
        return no_memory(a->res);
    }
    p->consts[p->nconsts] = value;
    *out = p->first_const + p->nconsts++;
    return true;
}

static bool
add_num(const Adder *a, const TikNum *n, EmuNum *out)
{
    const EmuKernel *k = &a->p->kernel;
    switch (n->kind) {
    case NUM_IMM:
        return add_const(a, n->imm, out);
    case NUM_REG:
        *out = 1 + k->nloops + n->index;
        return n->index < k->nregs || bad(a, "a register is out of range");
    case NUM_LOOP:
        *out = 1 + n->index;
        return n->index < k->nloops || bad(a, "a loop slot is out of range");
    case NUM_CORE:
        *out = 0;
        return true;
    }
    return bad(a, "a number is of no kind");
}

static bool
add_term(const Adder *a, const TikNum *num, int64_t coef)
{
    EmuProgram *p = a->p;
    if (!grow(&p->terms, &p->cap_terms, p->nterms, sizeof *p->terms)) {
        return no_memory(a->res);
    }
    EmuTerm *t = &p->terms[p->nterms];
    t->coef = coef;
    if (!add_num(a, num, &t->num)) {
        return false;
    }
    p->nterms++;
    return true;
}

uint8_t *
emu_list_at(const EmuRef *o, int64_t off, int64_t extent)
{
    int64_t item = list_item(off);
    int64_t first = list_offset(off);
    if (item < 0 || item >= o->nitems || first < 0) {
        return NULL;
    }
    int64_t limit = scope_granule(SC_GM, false, o->items[item].bytes);
    bool inside = first <= limit && extent <= limit - first;
    return inside ? o->items[item].data + first : NULL;
}

static void
locate(const EmuProgram *p, EmuRef *ref)
{
    const EmuKernel *k = &p->kernel;
    const TikBlobRegion *g = &k->regions[ref->region];
    if (g->kind == TIKBLOB_LIST) {
        ref->items = (const ListItem *)(const void *)k->bound[g->base];
        ref->nitems = (int32_t)k->args[g->base]->elems;
    } else if (g->kind == TIKBLOB_TABLE) {
        ref->base = p->tables[ref->region];
    } else {
        ref->base = g->scope == SC_GM
                        ? k->args[g->base]->data
                        : p->scratch + p->scope_at[g->scope] + (g->open ? 0 : g->base);
    }
}

int64_t
emu_given_bytes(const EmuKernel *k, const TikBlobRegion *g)
{
    bool argument = g->scope == SC_GM && g->kind == TIKBLOB_TENSOR;
    return argument ? k->args[g->base]->bytes : g->bytes;
}

/* Returns the bytes that an operand may access. Those of an open region of a core are in
 * EmuRun.places. */
static int64_t
limit_of(const EmuKernel *k, const TikBlobRegion *g)
{
    TikBlobRegion given = *g;
    given.bytes = emu_given_bytes(k, g);
    return storage_of(&given);
}

static bool
add_ref(const Adder *a, const TikOperand *o, bool write, uint32_t *out)
{
    EmuProgram *p = a->p;
    if (o->region >= p->kernel.nregions) {
        return bad(a, "a region is out of range");
    }
    if (o->nterms < 0 || o->nterms > TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS) {
        return bad(a, "an address has too many terms");
    }
    if (o->dtype <= DT_NONE || o->dtype >= DT_COUNT) {
        return bad(a, "an operand has no dtype");
    }
    if (!grow(&p->refs, &p->cap_refs, p->nrefs, sizeof *p->refs)) {
        return no_memory(a->res);
    }
    const TikBlobRegion *g = &p->kernel.regions[o->region];
    if (write && g->kind == TIKBLOB_TABLE) {
        return bad(a, "a constant table is written");
    }
    EmuRef ref = {.limit = limit_of(&p->kernel, g),
                  .offset = o->offset,
                  .first_term = p->nterms,
                  .nterms = (uint32_t)o->nterms,
                  .region = o->region,
                  .dtype = o->dtype,
                  .open = g->open && g->scope != SC_GM};
    locate(p, &ref);
    for (int i = 0; i < o->nterms; i++) {
        if (!add_term(a, &o->terms[i].num, o->terms[i].coef)) {
            return false;
        }
    }
    p->refs[p->nrefs] = ref;
    *out = p->nrefs++;
    return true;
}

/* ---- instructions -------------------------------------------------------- */

static bool
add_operand(const Adder *a, EmuOp *op, int i, Role role, uint32_t *slot)
{
    const TikDesc *d = a->d;
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
        return add_ref(a, &d->args[i].t, role == ROLE_DST, slot);
    case ROLE_ROOT:
        return add_ref(a, &d->args[i].t, false, slot);
    case ROLE_MASK:
        for (int w = 0; w < mask_words(d->mask_form); w++) {
            if (!add_num(a, &d->args[i].mask[w], &op->mask[w])) {
                return false;
            }
        }
        return true;
    case ROLE_MASKMODE:
        return true;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
        return add_num(a, &d->args[i].v, slot);
    case ROLE_ATTR:
    case ROLE_PIPE:
        return d->args[i].v.kind == NUM_IMM ? add_num(a, &d->args[i].v, slot)
                                            : bad(a, "an attribute is not an immediate");
    }
    return bad(a, "an operand has no role");
}

static bool
add_slot(const Adder *a, uint32_t value)
{
    EmuProgram *p = a->p;
    if (!grow(&p->slots, &p->cap_slots, p->nslots, sizeof *p->slots)) {
        return no_memory(a->res);
    }
    p->slots[p->nslots++] = value;
    return true;
}

bool
emu_add_move(EmuProgram *p, const EmuMove *m, uint32_t *index)
{
    if (!grow(&p->moves, &p->cap_moves, p->nmoves, sizeof *p->moves)) {
        return false;
    }
    p->moves[p->nmoves] = *m;
    *index = p->nmoves++;
    return true;
}

static EmuExec *
exec_of_family(const EmuOp *op)
{
    static EmuExec *const families[FAM_COUNT] = {
#define FAMILY(id, rules, lower, bind, ops, emu) [FAM_##id] = emu_exec_##emu,
#include "isa/family.def"
    };
    return families[form_family(op_table[op->op].form)];
}

/* Operations on single elements are executed by the form's family. */
bool
emu_exec_each(EmuRun *r, const EmuOp *op)
{
    return exec_of_family(op)(r, op);
}

bool
emu_exec_none(EmuRun *r, const EmuOp *op)
{
    return emu_refuse(r, op);
}

static bool
bind(const Adder *a, EmuOp *op)
{
    static EmuExec *const meanings[SEM_COUNT] = {
#define SEM(id, ops, emu) [SEM_##id] = emu_exec_##emu,
#include "isa/sem.def"
    };
    static EmuBind *const families[FAM_COUNT] = {
#define FAMILY(id, rules, lower, bind, ops, emu) [FAM_##id] = emu_bind_##bind,
#include "isa/family.def"
    };
    const char *why = NULL;
    op->exec = meanings[op_table[op->op].sem];
    if (families[form_family(op_table[op->op].form)](a->p, op, &why)) {
        op->exec = op->exec == emu_exec_each ? exec_of_family(op) : op->exec;
        return true;
    }
    return why == NULL ? no_memory(a->res) : bad(a, why);
}

/* Returns the queue that executes an instruction whose operands are in range. */
static Pipe
pipe_of(const Adder *a)
{
    int n;
    const TikDesc *d = a->d;
    CheckInstr in;
    const ParamInfo *params = form_params(op_table[d->op].form, &n);
    check_begin(&in, d->op, n);
    in.soc = a->p->kernel.soc;
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_DST || params[i].role == ROLE_SRC) {
            in.args[i].t.scope = a->p->kernel.regions[d->args[i].t.region].scope;
        }
    }
    return flag_pipe(&in);
}

static bool
add_instr(const Adder *a, EmuOp *op)
{
    const TikDesc *d = a->d;
    if ((int)d->op < 0 || d->op >= OP_COUNT || (int)d->mask_form < 0 ||
        d->mask_form > MASK_COUNTER) {
        return bad(a, "the instruction is not known");
    }
    op->op = (uint16_t)d->op;
    op->mask_form = (uint8_t)d->mask_form;
    int n;
    const ParamInfo *params = form_params(op_table[d->op].form, &n);
    op->first_slot = a->p->nslots;
    for (int i = 0; i < n; i++) {
        uint32_t slot = 0;
        if (!add_operand(a, op, i, params[i].role, &slot) || !add_slot(a, slot)) {
            return false;
        }
        op->literals |= (uint64_t)(d->args[i].literal ? 1 : 0) << i;
    }
    op->queue = (uint8_t)pipe_of(a);
    return bind(a, op);
}

/* ---- scalars ------------------------------------------------------------- */

static bool
good_dtype(Dtype t)
{
    return (int)t > DT_NONE && t < DT_PLAIN;
}

static bool
add_alu(const Adder *a, EmuOp *op)
{
    const TikDesc *d = a->d;
    if ((int)d->alu_op < 0 || d->alu_op >= SOP_COUNT || !good_dtype(d->dtype) ||
        ((d->alu_op == SOP_CAST || d->alu_op == SOP_BITS) && !good_dtype(d->from))) {
        return bad(a, "the scalar operation is not known");
    }
    op->op = (uint8_t)d->alu_op;
    op->from = (uint8_t)d->from;
    TikNum reg = {.kind = NUM_REG, .index = d->reg};
    return add_num(a, &reg, &op->reg) && add_num(a, &d->a, &op->a) &&
           (scalar_op_table[d->alu_op].arity < 2 || add_num(a, &d->b, &op->b));
}

static bool
add_access(const Adder *a, EmuOp *op)
{
    const TikDesc *d = a->d;
    if (!good_dtype(d->dtype)) {
        return bad(a, "an element has no dtype");
    }
    if (!add_ref(a, &d->operand, d->kind == DESC_STORE, &op->ref)) {
        return false;
    }
    TikNum reg = {.kind = NUM_REG, .index = d->reg};
    return d->kind == DESC_LOAD ? add_num(a, &reg, &op->reg) : add_num(a, &d->a, &op->a);
}

/* ---- control: targets are filled when the end of a body is met ----------- */

static bool
push_open(const Adder *a)
{
    EmuProgram *p = a->p;
    if (p->nopen == sizeof p->open / sizeof p->open[0]) {
        return bad(a, "loops and branches are nested too deeply");
    }
    p->open[p->nopen++] = p->nops;
    return true;
}

/* Returns the innermost loop or branch that has not ended if it has that kind; null
 * otherwise. */
static EmuOp *
innermost(EmuProgram *p, TikDescKind kind)
{
    if (p->nopen == 0) {
        return NULL;
    }
    EmuOp *op = &p->ops[p->open[p->nopen - 1]];
    return op->kind == (uint8_t)kind ? op : NULL;
}

static bool
add_loop(const Adder *a, EmuOp *op)
{
    EmuProgram *p = a->p;
    TikNum slot = {.kind = NUM_LOOP, .index = a->d->slot};
    if (p->nloops_open == TIKBLOB_MAX_LOOPS) {
        return bad(a, "loops are nested too deeply");
    }
    op->depth = p->nloops_open++;
    return add_num(a, &slot, &op->reg) && add_num(a, &a->d->a, &op->a) &&
           add_num(a, &a->d->b, &op->b) && push_open(a);
}

static bool
add_endloop(const Adder *a, EmuOp *op)
{
    EmuProgram *p = a->p;
    EmuOp *loop = innermost(p, DESC_LOOP);
    if (loop == NULL) {
        return bad(a, "an end of a loop has no loop");
    }
    p->nopen--;
    op->depth = --p->nloops_open;
    op->reg = loop->reg;
    op->target = (uint32_t)(loop - p->ops) + 1;
    loop->target = p->nops + 1;
    return true;
}

static bool
add_else(const Adder *a, EmuOp *op)
{
    EmuProgram *p = a->p;
    (void)op;
    EmuOp *cond = innermost(p, DESC_IF);
    if (cond == NULL) {
        return bad(a, "an else has no branch");
    }
    cond->target = p->nops + 1;
    p->open[p->nopen - 1] = p->nops;
    return true;
}

static bool
add_endif(const Adder *a)
{
    EmuProgram *p = a->p;
    EmuOp *cond = innermost(p, DESC_IF);
    cond = cond != NULL ? cond : innermost(p, DESC_ELSE);
    if (cond == NULL) {
        return bad(a, "an end of a branch has no branch");
    }
    p->nopen--;
    cond->target = p->nops + 1;
    return true;
}

/* BREAK and CONTINUE keep the index of their loop, of which emu_finish makes a target. */
static bool
add_jump(const Adder *a, EmuOp *op)
{
    EmuProgram *p = a->p;
    for (uint32_t i = p->nopen; i-- > 0;) {
        if (p->ops[p->open[i]].kind == DESC_LOOP) {
            op->target = p->open[i];
            return true;
        }
    }
    return bad(a, "a break or continue is in no loop");
}

static bool
add_kind(const Adder *a, EmuOp *op)
{
    switch (a->d->kind) {
    case DESC_LOOP:
        return add_loop(a, op);
    case DESC_ENDLOOP:
        return add_endloop(a, op);
    case DESC_IF:
        return add_num(a, &a->d->a, &op->a) && push_open(a);
    case DESC_ELSE:
        return add_else(a, op);
    case DESC_ENDIF:
        return add_endif(a);
    case DESC_BREAK:
    case DESC_CONTINUE:
        return add_jump(a, op);
    case DESC_RETURN:
        return true;
    case DESC_ALU:
        return add_alu(a, op);
    case DESC_LOAD:
    case DESC_STORE:
        return add_access(a, op);
    case DESC_INSTR:
        return add_instr(a, op);
    }
    return bad(a, "the descriptor is of no kind");
}

bool
emu_add(EmuProgram *p, const TikDesc *d, EmuResult *res)
{
    Adder a = {p, d, res};
    if (p->nops == UINT32_MAX - 1 ||
        !grow(&p->ops, &p->cap_ops, p->nops, sizeof *p->ops)) {
        return no_memory(res);
    }
    EmuOp op = {.kind = (uint8_t)d->kind,
                .index = d->index,
                .dtype = (uint8_t)d->dtype,
                .checked = d->checked};
    if (!add_kind(&a, &op)) {
        return false;
    }
    p->ops[p->nops++] = op;
    return true;
}

bool
emu_finish(EmuProgram *p, EmuResult *res)
{
    if (p->nopen > 0) {
        return emu_malformed(res, p->ops[p->open[p->nopen - 1]].index,
                             "a loop or branch has no end");
    }
    for (uint32_t i = 0; i < p->nops; i++) {
        EmuOp *op = &p->ops[i];
        if (op->kind == DESC_BREAK) {
            op->target = p->ops[op->target].target;
        } else if (op->kind == DESC_CONTINUE) {
            op->target = p->ops[op->target].target - 1;
        }
    }
    TikDesc last = {.kind = DESC_RETURN};
    return emu_add(p, &last, res);
}
