/* emu_world.h: builds a small kernel by hand for the tests of the emulator. Regions and
 * descriptors are numbered in the order in which they are made. It relies on <cmocka.h>
 * being included. */
#ifndef EMU_WORLD_H
#define EMU_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"

enum {
    WORLD_REGIONS = 16,
    WORLD_DESCS = 128
};

typedef struct World {
    EmuKernel k;
    TikBlobRegion regions[WORLD_REGIONS];
    TikArray arrays[WORLD_REGIONS];
    TikArray *args[WORLD_REGIONS];
    TikDesc descs[WORLD_DESCS];
    uint32_t n;
    EmuResult res;
} World;

static inline World *
world_new(const char *soc)
{
    World *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->k = (EmuKernel){
        .soc = soc_find(soc), .regions = w->regions, .args = w->args, .cores = 1};
    w->k.nregs = 8;
    w->k.nloops = 4;
    assert_non_null(w->k.soc);
    return w;
}

static inline void
world_free(World *w)
{
    for (uint32_t i = 0; i < w->k.nargs; i++) {
        tik_array_free(&w->arrays[i]);
    }
    free(w);
}

/* Makes a global tensor of zeros. */
static inline uint32_t
world_gm(World *w, Dtype t, int64_t elems)
{
    uint32_t a = w->k.nargs++, g = w->k.nregions++;
    assert_true(tik_array_alloc(&w->arrays[a], t, elems, NULL));
    w->args[a] = &w->arrays[a];
    w->regions[g] = (TikBlobRegion){
        .scope = SC_GM, .dtype = t, .base = a, .bytes = w->arrays[a].bytes};
    return g;
}

static inline uint8_t *
world_data(World *w, uint32_t region)
{
    return w->arrays[w->regions[region].base].data;
}

/* Makes an on-core buffer at an address of its memory. */
static inline uint32_t
world_local(World *w, Scope s, Dtype t, int64_t base, int64_t bytes)
{
    uint32_t g = w->k.nregions++;
    w->regions[g] = (TikBlobRegion){.scope = s, .dtype = t, .base = base, .bytes = bytes};
    return g;
}

static inline TikNum
imm(int64_t v)
{
    return (TikNum){.kind = NUM_IMM, .imm = v};
}

static inline TikNum
reg(uint32_t i)
{
    return (TikNum){.kind = NUM_REG, .index = i};
}

static inline TikNum
loop(uint32_t i)
{
    return (TikNum){.kind = NUM_LOOP, .index = i};
}

static inline TikNum
core(void)
{
    return (TikNum){.kind = NUM_CORE};
}

static inline TikDesc *
world_add(World *w, TikDescKind kind)
{
    assert_true(w->n < WORLD_DESCS);
    TikDesc *d = &w->descs[w->n];
    *d = (TikDesc){.kind = kind, .index = w->n};
    w->n++;
    return d;
}

static inline TikOperand
at(World *w, uint32_t region, int64_t offset)
{
    return (TikOperand){
        .region = region, .offset = offset, .dtype = w->regions[region].dtype};
}

static inline TikOperand
plus(TikOperand o, TikNum num, int64_t coef)
{
    o.terms[o.nterms].num = num;
    o.terms[o.nterms++].coef = coef;
    return o;
}

static inline TikDesc *
world_instr(World *w, Op op)
{
    TikDesc *d = world_add(w, DESC_INSTR);
    d->op = op;
    return d;
}

static inline TikDesc *
world_move(World *w, TikOperand dst, TikOperand src, int64_t nburst, int64_t burst)
{
    TikDesc *d = world_instr(w, OP_DATA_MOVE);
    d->args[0].t = dst;
    d->args[1].t = src;
    d->args[2].v = imm(0);
    d->args[3].v = imm(nburst);
    d->args[4].v = imm(burst);
    d->args[5].v = imm(0);
    d->args[6].v = imm(0);
    d->args[7].v = imm(0);
    return d;
}

/* Sets strides and mode of the move that was made last. */
static inline void
world_shape(World *w, int64_t src_stride, int64_t dst_stride, int64_t mode)
{
    TikDesc *d = &w->descs[w->n - 1];
    d->args[5].v = imm(src_stride);
    d->args[6].v = imm(dst_stride);
    d->args[7].v = imm(mode);
}

static inline bool
world_run(World *w)
{
    return emu_run_program(&w->k, w->descs, w->n, &w->res);
}

#endif
