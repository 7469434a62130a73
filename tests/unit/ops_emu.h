/* ops_emu.h: runs a drawn instruction (ops_draw.h) on the emulator, for tests that
 * compare it with other executions. It relies on <cmocka.h> being included. */
#ifndef OPS_EMU_H
#define OPS_EMU_H

#include "emu/emu.h"
#include "ops_draw.h"

#include <stdio.h>
#include <stdlib.h>

/* What the emulator has of a case. Regions are those of the tensors. */
typedef struct Emu {
    EmuKernel k;
    TikBlobRegion regions[MAX_PARAMS];
    TikArray arrays[MAX_PARAMS];
    TikArray *args[MAX_PARAMS];
    uint32_t region_of[MAX_PARAMS]; /* by operand */
    EmuProgram *program;
    EmuResult result;
} Emu;

static void
add_region(Emu *e, const Case *c, int i)
{
    const CheckTensor *t = &c->in.args[i].t;
    uint32_t g = e->k.nregions++;
    int64_t base = 0;
    for (uint32_t k = 0; k < g; k++) {
        base += e->regions[k].scope == t->scope ? e->regions[k].bytes : 0;
    }
    if (t->scope == SC_GM) {
        base = e->k.nargs++;
        e->args[base] = &e->arrays[base];
        assert_true(tik_array_alloc(&e->arrays[base], DT_U8, ROOM, NULL));
    }
    e->regions[g] = (TikBlobRegion){
        .scope = t->scope, .dtype = t->dtype, .base = base, .bytes = t->bytes};
    e->region_of[i] = g;
}

/* Returns whether the memories of the processor have room for the regions. */
static bool
add_regions(Emu *e, const Case *c)
{
    for (int i = 0; i < c->n; i++) {
        if (!is_tensor(&c->p[i])) {
            continue;
        }
        int same = 0;
        while (same < i && (!is_tensor(&c->p[same]) ||
                            c->in.args[same].t.buffer != c->in.args[i].t.buffer)) {
            same++;
        }
        if (same < i) {
            e->region_of[i] = e->region_of[same];
        } else {
            add_region(e, c, i);
        }
        const TikBlobRegion *g = &e->regions[e->region_of[i]];
        if (g->scope != SC_GM && g->base + g->bytes > c->in.soc->bytes[g->scope]) {
            return false;
        }
    }
    return true;
}

static TikNum
imm(int64_t v)
{
    return (TikNum){.kind = NUM_IMM, .imm = v};
}

static bool
make_program(Emu *e, const Case *c, bool checked)
{
    TikDesc *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->kind = DESC_INSTR;
    d->op = c->in.op;
    d->checked = checked;
    for (int i = 0; i < c->n; i++) {
        const CheckArg *a = &c->in.args[i];
        d->args[i].v = imm(a->v);
        d->args[i].literal = a->literal && c->p[i].role != ROLE_ATTR;
        if (is_tensor(&c->p[i])) {
            d->args[i].t = (TikOperand){
                .region = e->region_of[i], .offset = a->t.offset, .dtype = a->t.dtype};
        } else if (c->p[i].role == ROLE_MASK) {
            d->mask_form = a->m.form;
            for (int w = 0; w < 4; w++) {
                d->args[i].mask[w] = imm((int64_t)a->m.w[w]);
            }
        }
    }
    e->program = emu_new(&e->k, &e->result);
    bool ok = e->program != NULL && emu_add(e->program, d, &e->result) &&
              emu_finish(e->program, &e->result);
    free(d);
    return ok;
}

/* Numbers of all sizes, and now and then one that is special. kind: bytes of any value,
 * small integers, or offsets of blocks that are near. */
static void
fill(uint8_t *p, int64_t n, int64_t kind)
{
    static const uint32_t special[] = {0,          0x3c003c00, 0x7c007c00, 0xfbff7bff,
                                       0x80008000, 0x7e00fc00, 0x7f800000, 0xffc00001,
                                       0x3f800000, 0x7bff7bff};
    for (int64_t i = 0; i + 4 <= n; i += 4) {
        uint32_t v = (uint32_t)(random_next(&state_of_random) >> 32);
        v = kind == 1 ? (uint32_t)rnd(64) : kind == 2 ? 32 * (uint32_t)rnd(64) : v;
        v = kind == 3 ? 0x3c003c00 + (v & 0x0fff0fff) : v;
        v = kind != 2 && rnd(9) == 0 ? special[rnd(sizeof special / sizeof *special)] : v;
        memcpy(p + i, &v, 4);
    }
}

static void
show(const Case *c)
{
    for (int i = 0; i < c->n; i++) {
        const CheckArg *a = &c->in.args[i];
        if (is_tensor(&c->p[i])) {
            printf("  %s: %s in %s, root %u from byte %lld\n", c->p[i].name,
                   dtype_name(a->t.dtype), scope_name(a->t.scope), a->t.buffer,
                   (long long)a->t.offset);
        } else if (c->p[i].role == ROLE_MASK) {
            printf("  mask of form %d: %llx %llx\n", a->m.form,
                   (unsigned long long)a->m.w[0], (unsigned long long)a->m.w[1]);
        } else {
            printf("  %s: %lld\n", c->p[i].name, (long long)a->v);
        }
    }
}

/* Fills a region of the program's memory. */
static void
fill_region(Emu *e, uint32_t g)
{
    const TikBlobRegion *x = &e->regions[g];
    uint8_t *p = x->scope == SC_GM
                     ? e->arrays[x->base].data
                     : e->program->scratch + e->program->scope_at[x->scope] + x->base;
    fill(p, x->bytes, rnd(5));
}

/* Makes the program of the emulator. checked: rules are checked before it is executed.
 * False: a memory is too small, or it is no program. */
static bool
begin(Emu *e, const Case *c, bool checked)
{
    *e = (Emu){.k = {.soc = c->in.soc, .choices = c->choices, .cores = 1}};
    e->k.regions = e->regions;
    e->k.args = e->args;
    return add_regions(e, c) && make_program(e, c, checked);
}

static void
end(Emu *e)
{
    emu_free(e->program);
    for (uint32_t i = 0; i < e->k.nargs; i++) {
        tik_array_free(&e->arrays[i]);
    }
}

#endif
