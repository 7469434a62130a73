/* allocate_lanes.c: see allocate_lanes.h. Owns: bank-conflict. */
#include "passes/allocate_lanes.h"

#include <stdlib.h>

#include "layout/lmem.h"

enum {
    MOST_OPERANDS = 8,
    MOST_RELATED = 1024 /* buffers for which it is kept who is used with whom */
};

/* ---- who is used with whom ------------------------------------------------------------------------------------- */

/* Buffers in LMEM that an instruction names. */
typedef struct Used {
    BufId buf[MOST_OPERANDS];
    int n;
    bool computes;
} Used;

static Used
used_by(const Kernel *k, const Stmt *s)
{
    int n;
    Used u = {.n = 0};
    if (s->kind != ST_INSTR) {
        return u;
    }
    (void)form_params(op_table[s->instr.op].form, &n);
    u.computes = op_table[s->instr.op].form != FORM_LMOVE;
    for (int i = 0; i < n && u.n < MOST_OPERANDS; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        bool lanes = a->kind == ARG_REF && k->bufs.p[a->ref.buf].scope == SC_LMEM;
        bool seen = false;
        for (int j = 0; lanes && j < u.n; j++) {
            seen = seen || u.buf[j] == a->ref.buf;
        }
        if (lanes && !seen) {
            u.buf[u.n++] = a->ref.buf;
        }
    }
    return u;
}

/* A move and arithmetic that follow each other and name no common buffer run at the same time. */
static bool
at_once(const Used *a, const Used *b)
{
    bool shared = false;
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            shared = shared || a->buf[i] == b->buf[j];
        }
    }
    return a->n > 0 && b->n > 0 && a->computes != b->computes && !shared;
}

/* The instruction that stands behind s in its body, without a branch or loop between them; null: none. */
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

typedef void Pair(void *ctx, const Stmt *s, BufId a, BufId b, bool same_instr);

/* Calls back for every two buffers that an instruction uses at once, or it and the next one. */
static void
each_pair(const Kernel *k, Pair *pair, void *ctx)
{
    for (uint32_t id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        Used u = used_by(k, s);
        for (int i = 0; i < u.n && u.computes; i++) {
            for (int j = 0; j < i; j++) {
                pair(ctx, s, u.buf[j], u.buf[i], true);
            }
        }
        const Stmt *behind = u.n ? next_instr(k, s) : NULL;
        Used v = behind ? used_by(k, behind) : (Used){.n = 0};
        for (int i = 0; i < u.n && at_once(&u, &v); i++) {
            for (int j = 0; j < v.n; j++) {
                pair(ctx, behind, u.buf[i], v.buf[j], false);
            }
        }
    }
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

typedef struct Places {
    const Kernel *k;
    const LaneTarget *t;
    LaneLife *lives;
    uint32_t n;
    uint32_t *life_of; /* by BufId: index + 1 */
    uint8_t *related;  /* n x n; null: banks do not matter */
} Places;

static void
relate(void *ctx, const Stmt *s, BufId a, BufId b, bool same_instr)
{
    Places *p = ctx;
    (void)s;
    (void)same_instr;
    uint32_t i = p->life_of[a], j = p->life_of[b];
    if (i != 0 && j != 0) {
        p->related[(i - 1) * p->n + j - 1] = 1;
        p->related[(j - 1) * p->n + i - 1] = 1;
    }
}

static bool
meet(const LaneLife *a, const LaneLife *b)
{
    return a->begin <= b->end && b->begin <= a->end;
}

/* The lowest address from at on where l shares no byte with what is placed, and with banks no bank with what it is
 * used with; -1: none. */
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
                at = shares ? lmem_up(end, bank) : end;
                moved = true;
            }
        }
    }
    return at + x->size <= p->t->lane_bytes ? at : -1;
}

bool
lanes_place(const Kernel *k, Arena *scratch, LaneLife *lives, uint32_t n)
{
    Places p = {.k = k, .t = k->soc->lane, .lives = lives, .n = n};
    bool ok = true;
    if (k->unit->opt.lmem_banked && n <= MOST_RELATED) {
        p.life_of = ARENA_ARRAY(scratch, uint32_t, k->bufs.n);
        p.related = ARENA_ARRAY(scratch, uint8_t, n *n);
        for (uint32_t i = 0; i < n; i++) {
            p.life_of[lives[i].buf] = i + 1;
        }
        each_pair(k, relate, &p);
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

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

static void
warn(void *ctx, const Stmt *s, BufId a, BufId b, bool same_instr)
{
    const Kernel *k = ctx;
    const LaneTarget *t = k->soc->lane;
    Unit *u = k->unit;
    const Buffer *x = &k->bufs.p[a], *y = &k->bufs.p[b];
    uint32_t banks =
        lmem_banks(t, x->address, x->bytes) & lmem_banks(t, y->address, y->bytes);
    if (banks == 0 || x->address < 0 || y->address < 0) {
        return;
    }
    Diag *d = diag_add(u, D_BANK_CONFLICT, s->span, s->chain,
                       same_instr ? "%s has '%s' and '%s' in bank %d of LMEM"
                                  : "%s runs at the same time as what stands before it, "
                                    "with '%s' and '%s' in bank %d of LMEM",
                       op_table[s->instr.op].name, sym_text(&u->names, x->name),
                       sym_text(&u->names, y->name), __builtin_ctz(banks));
    diag_note(u, d, x->span, "'%s' has %lld bytes of each lane from %lld on",
              sym_text(&u->names, x->name), (long long)x->bytes, (long long)x->address);
    diag_note(u, d, y->span, "'%s' has %lld bytes of each lane from %lld on",
              sym_text(&u->names, y->name), (long long)y->bytes, (long long)y->address);
}

void
lanes_warn_banks(const Kernel *k)
{
    if (k->soc->lane && k->peak[SC_LMEM]) {
        each_pair(k, warn, (void *)(uintptr_t)k);
    }
}
