/* allocate_lanes.c: places buffers in LMEM lanes and warns of bank conflicts (see
 * allocate_lanes.h). */
#include "passes/allocate_lanes.h"

#include <stdlib.h>

#include "rules/lmem_banks.h"
#include "layout/lmem.h"

enum {
    /* beyond this number of buffers it is not recorded which are used together */
    MOST_RELATED = 1024
};

/* ---- buffers that are used together -------------------------------------- */

static BankBuffer
place_of(void *ctx, uint32_t buffer)
{
    const Kernel *k = ctx;
    const Buffer *b = &k->bufs.p[buffer];
    return (BankBuffer){b->address, sym_text(&k->unit->names, b->name)};
}

/* Converts a tensor for the rules; one whose offset is known at run time only is left to
 * the emulator. */
static CheckTensor
tensor_of(const Kernel *k, const Ref *ref)
{
    const Buffer *b = &k->bufs.p[ref->buf];
    CheckTensor t = {
        .buffer = ref->buf, .scope = b->scope, .dtype = ref->dtype, .bytes = b->bytes};
    t.offset = ir_expr(k, ref->off)->imm;
    t.scope = ir_is_const(k, ref->off) ? t.scope : SC_GM;
    return t;
}

/* Returns the buffers in LMEM that an instruction names. */
static BankUser
used_by(const Kernel *k, const Stmt *s)
{
    int n;
    if (s->kind != ST_INSTR || !k->soc->lmem) {
        return (BankUser){.n = 0};
    }
    CheckInstr in = {.op = (Op)s->instr.op, .soc = k->soc};
    (void)form_params(op_table[in.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        if (a->kind == ARG_REF) {
            in.args[i].t = tensor_of(k, &a->ref);
        } else if (a->kind == ARG_EXPR && ir_is_const(k, a->expr)) {
            in.args[i].v = ir_expr(k, a->expr)->imm;
        }
    }
    return bank_user(&in, place_of, (void *)(uintptr_t)k);
}

/* Returns the instruction that follows s in its body without a branch or loop between
 * them; null: none. */
static const Stmt *
next_instr(const Kernel *k, const Stmt *s)
{
    for (StmtId id = s->next; id; id = k->stmts.p[id].next) {
        const Stmt *t = &k->stmts.p[id];
        if (t->kind == ST_INSTR) {
            return t;
        }
        if (t->kind == ST_FOR || t->kind == ST_IF || t->kind == ST_SCOPE) {
            break;
        }
    }
    return NULL;
}

/* Calls back for every instruction with tensors in LMEM, and for the instruction after it
 * if no branch or loop is between them. */
static void
each_user(const Kernel *k,
          void (*user)(void *ctx, const Stmt *s, const BankUser *u,
                       const BankUser *before),
          void *ctx)
{
    for (uint32_t id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        BankUser u = used_by(k, s);
        const Stmt *next = u.n ? next_instr(k, s) : NULL;
        if (u.n) {
            user(ctx, s, &u, NULL);
        }
        if (next) {
            BankUser v = used_by(k, next);
            user(ctx, next, &v, &u);
        }
    }
}

/* ---- places -------------------------------------------------------------- */

typedef struct Places {
    const Kernel *k;
    const LmemTarget *t;
    LaneLife *lives;
    uint32_t n;
    uint32_t *life_of; /* by BufId: index + 1 */
    uint8_t *related;  /* n x n, who is used with whom; null: banks do not matter */
} Places;

static void
relate(Places *p, BufId a, BufId b)
{
    uint32_t i = p->life_of[a], j = p->life_of[b];
    if (i != 0 && j != 0 && i != j) {
        p->related[(i - 1) * p->n + j - 1] = 1;
        p->related[(j - 1) * p->n + i - 1] = 1;
    }
}

/* Relates the buffers of one arithmetic instruction, and those of a move and arithmetic
 * that run at the same time. */
static void
relate_users(void *ctx, const Stmt *s, const BankUser *u, const BankUser *before)
{
    (void)s;
    const BankUser *v = before ? before : u;
    bool together = before ? bank_at_once(before, u) : u->computes;
    for (int i = 0; i < v->n && together; i++) {
        for (int j = 0; j < u->n; j++) {
            relate(ctx, v->o[i].buffer, u->o[j].buffer);
        }
    }
}

static bool
meet(const LaneLife *a, const LaneLife *b)
{
    return a->begin <= b->end && b->begin <= a->end;
}

/* Returns the lowest address from at on where l shares no byte with what is placed and,
 * with banks, no bank with what it is used with; -1: none. */
static int64_t
first_fit(const Places *p, uint32_t l, int64_t at, bool banks)
{
    const LaneLife *x = &p->lives[l];
    int64_t bank = p->t->lane_bytes / p->t->banks;
    bool moved = true;
    while (moved && at + x->size <= p->t->lane_bytes) {
        moved = false;
        for (uint32_t i = 0; i < p->n; i++) {
            const LaneLife *y = &p->lives[i];
            if (y->address < 0 || i == l || !meet(x, y)) {
                continue;
            }
            bool bytes = at < y->address + y->size && y->address < at + x->size;
            bool shares =
                banks && p->related[l * p->n + i] &&
                (lmem_banks(p->t, at, x->size) & lmem_banks(p->t, y->address, y->size));
            if (bytes || shares) {
                int64_t end = y->address + y->size;
                at = shares ? round_up(end, bank) : end;
                moved = true;
            }
        }
    }
    return at + x->size <= p->t->lane_bytes ? at : -1;
}

bool
lanes_place(const Kernel *k, Arena *scratch, LaneLife *lives, uint32_t n)
{
    Places p = {.k = k, .t = k->soc->lmem, .lives = lives, .n = n};
    bool ok = true;
    if (k->unit->opt.lmem_banked && n <= MOST_RELATED) {
        p.life_of = ARENA_ARRAY(scratch, uint32_t, k->bufs.n);
        p.related = ARENA_ARRAY(scratch, uint8_t, n *n);
        for (uint32_t i = 0; i < n; i++) {
            p.life_of[lives[i].buf] = i + 1;
        }
        each_user(k, relate_users, &p);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (lives[i].fixed) {
            continue;
        }
        lives[i].address = p.related ? first_fit(&p, i, 0, true) : -1;
        if (lives[i].address < 0) {
            lives[i].address = first_fit(&p, i, 0, false);
        }
        ok = ok && lives[i].address >= 0;
    }
    return ok;
}

/* ---- warnings ------------------------------------------------------------ */

static void
note_operand(const Kernel *k, Diag *d, const BankOperand *o)
{
    diag_note(k->unit, d, k->bufs.p[o->buffer].span,
              "'%s' has %lld bytes of each lane from %lld on there", o->name,
              (long long)o->bytes, (long long)o->from);
}

static void
warn_of(const Kernel *k, const Stmt *s, const BankClash *c)
{
    Diag *d = diag_add(k->unit, D_BANK_CONFLICT, s->span, s->chain, "%s", c->text);
    note_operand(k, d, c->a);
    note_operand(k, d, c->b);
}

static void
warn_of_one(void *ctx, const Stmt *s, const BankUser *u, const BankUser *before)
{
    const Kernel *k = ctx;
    BankClash c;
    if (!before && bank_clash(k->soc->lmem, u, &c)) {
        warn_of(k, s, &c);
    }
}

static void
warn_of_two(void *ctx, const Stmt *s, const BankUser *u, const BankUser *before)
{
    const Kernel *k = ctx;
    BankClash c;
    if (before && bank_clash_after(k->soc->lmem, before, u, &c)) {
        warn_of(k, s, &c);
    }
}

/* A place gets one warning; what an instruction does by itself comes first. */
void
lanes_warn_banks(const Kernel *k)
{
    if (k->soc->lmem && k->peak[SC_LMEM]) {
        each_user(k, warn_of_one, (void *)(uintptr_t)k);
        each_user(k, warn_of_two, (void *)(uintptr_t)k);
    }
}
