/* lmem_watch.c: watches which bytes of LMEM were written. Each byte of a lane was never
 * written, or belongs to an element that was written, or is padding between such
 * elements. Instructions that read bytes outside of elements compute with undefined data;
 * they get the warning uninit-read or pad-read once. So do instructions that have a
 * bank-conflict by themselves or with the one that ran before. */
#include "emu/lmem.h"
#include "rules/lmem_banks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEVER,
    ELEMENT,
    PADDING
};

bool
emu_watch_begin(EmuRun *r)
{
    const EmuProgram *p = r->p;
    const EmuWatch *w = p->kernel.watch;
    r->lmem_state = NULL;
    if (w == NULL || w->warn == NULL || p->lmem_pitch == 0) {
        return true;
    }
    r->lmem_state = calloc((size_t)p->kernel.soc->lmem->npu, (size_t)p->lmem_pitch);
    return r->lmem_state != NULL;
}

void
emu_watch_end(EmuRun *r)
{
    free(r->lmem_state);
}

/* Returns the state of the bytes at an address of LMEM. */
static uint8_t *
state_of(const EmuRun *r, const uint8_t *at)
{
    return r->lmem_state + (at - (r->p->scratch + r->p->scope_at[SC_LMEM]));
}

static void
warn(EmuRun *r, const EmuOp *op, int slot, const uint8_t *at, uint8_t state)
{
    int n;
    EmuSite site = {r, op};
    Fault f = {.rule = state == PADDING ? RULE_PAD_READ : RULE_UNINIT_READ};
    int64_t byte = at - (r->p->scratch + r->p->scope_at[SC_LMEM]);
    const ParamInfo *params = form_params(op_table[op->op].form, &n);
    snprintf(f.text, sizeof f.text, "%s of %s is read in lane %lld, byte %lld, %s",
             params[slot].name, op_table[op->op].name,
             (long long)(byte / r->p->lmem_pitch), (long long)(byte % r->p->lmem_pitch),
             state == PADDING ? "which is padding of what was written around it"
                              : "which nothing has written");
    emu_warn(&site, &f);
}

static void
read_bytes(EmuRun *r, const EmuOp *op, int slot, const uint8_t *at, int64_t n)
{
    const uint8_t *s = state_of(r, at);
    for (int64_t i = 0; i < n; i++) {
        if (s[i] != ELEMENT) {
            warn(r, op, slot, at + i, s[i]);
            return;
        }
    }
}

static int64_t
element_bytes(const EmuTensor *t)
{
    return t->x.bits < 8 ? 1 : t->x.bits / 8;
}

void
emu_watch_read(EmuRun *r, const EmuOp *op, int slot, const EmuTensor *t)
{
    int64_t at[LMEM_AXES] = {0, 0, 0, 0};
    int half;
    if (r->lmem_state == NULL || t->npu == 0) {
        return;
    }
    do {
        read_bytes(r, op, slot, emu_tensor_at(t, at, &half), element_bytes(t));
    } while (emu_tensor_next(t->x.shape, at));
}

void
emu_watch_table(EmuRun *r, const EmuOp *op, int slot, const uint8_t *at, int64_t bytes,
                int64_t lanes)
{
    for (int64_t i = 0; r->lmem_state != NULL && i < lanes; i++) {
        read_bytes(r, op, slot, at + i * r->p->lmem_pitch, bytes);
    }
}

void
emu_watch_write(EmuRun *r, const EmuTensor *t)
{
    int64_t at[LMEM_AXES] = {0, 0, 0, 0};
    int half;
    if (r->lmem_state == NULL || t->npu == 0) {
        return;
    }
    const LmemTarget *target = r->p->kernel.soc->lmem;
    uint64_t lanes = lmem_lanes(target, t->x.lane, t->x.shape[LMEM_C]);
    int64_t reach = (lmem_extent(target, &t->x) * t->x.bits + 7) / 8;
    for (int lane = 0; lane < target->npu; lane++) {
        uint8_t *s = state_of(r, t->at) + lane * r->p->lmem_pitch;
        for (int64_t i = 0; (lanes >> lane & 1) && i < reach; i++) {
            s[i] = s[i] == NEVER ? PADDING : s[i];
        }
    }
    do {
        memset(state_of(r, emu_tensor_at(t, at, &half)), ELEMENT,
               (size_t)element_bytes(t));
    } while (emu_tensor_next(t->x.shape, at));
}

/* ---- banks --------------------------------------------------------------- */

static BankBuffer
place_of(void *ctx, uint32_t buffer)
{
    const EmuRun *r = ctx;
    const TikBlobRegion *g = &r->p->kernel.regions[buffer];
    return (BankBuffer){g->base, g->name};
}

static BankUser
used_by(EmuRun *r, const EmuOp *op)
{
    CheckInstr in;
    emu_instr(r, op, &in);
    return bank_user(&in, place_of, r);
}

void
emu_watch_banks(EmuRun *r, const EmuOp *op)
{
    const LmemTarget *t = r->p->kernel.soc->lmem;
    EmuSite site = {r, op};
    Fault f = {.rule = RULE_BANK_CONFLICT};
    BankClash c;
    if (!emu_warns(r, op, RULE_BANK_CONFLICT)) {
        return;
    }
    BankUser u = used_by(r, op), before = {.n = 0};
    if (r->before != NULL) {
        before = used_by(r, r->before);
    }
    if (bank_clash(t, &u, &c) || bank_clash_after(t, &before, &u, &c)) {
        snprintf(f.text, sizeof f.text, "%s", c.text);
        emu_warn(&site, &f);
    }
}

/* ---- the picture --------------------------------------------------------- */

bool
emu_watch_dump(EmuRun *r)
{
    const EmuProgram *p = r->p;
    const EmuWatch *w = p->kernel.watch;
    TikError err;
    if (w == NULL || w->lmem == NULL) {
        return true;
    }
    int64_t lanes = p->lmem_pitch > 0 ? p->kernel.soc->lmem->npu : 0;
    int64_t used = p->lmem_used;
    if (!tik_array_alloc(w->lmem, DT_U8, lanes * used, &err)) {
        return false;
    }
    w->lmem->ndim = 2;
    w->lmem->shape[0] = lanes;
    w->lmem->shape[1] = used;
    for (int64_t i = 0; i < lanes; i++) {
        memcpy(w->lmem->data + i * used,
               p->scratch + p->scope_at[SC_LMEM] + i * p->lmem_pitch, (size_t)used);
    }
    return true;
}
