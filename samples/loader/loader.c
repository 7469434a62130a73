/* loader.c: a loader for a device that runs kernels of moves, sums and Scalars. It shows
 * what a loader does with a blob: it opens and verifies it, then walks over the
 * descriptors with a cursor and gives the work to the queues of the device. The device
 * here is a mock of two queues, which print and execute what they get; a real one would
 * write the same numbers into its rings.
 *
 *   loader BLOB FILE...   one file of bytes for each argument; outputs are written back
 *
 * make loader TARGET=Ascend310P, then
 * cc -DTIK_LEAN -Ibuild/loader/Ascend310P/src -Ibuild/loader/Ascend310P/src/include
 *    samples/loader/loader.c build/loader/Ascend310P/libtikload.a -Wl,--gc-sections -o
 * loader */
#include "tikblob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 32,
    LANES = 64, /* of int32 in one repeat */
    MOST_ARGS = 16,
    MOST_REGS = 256,
    UB_BYTES = 1 << 18,
    BLOB_BYTES = 1 << 20,
    WORKSPACE = 1 << 17
};

typedef struct Device {
    uint8_t *gm[MOST_ARGS]; /* the arrays of the arguments, with room after them */
    uint8_t ub[UB_BYTES];
} Device;

/* A core that dispatches one kernel. */
typedef struct Core {
    const TikBlob *blob;
    TikCursor cursor;
    TikCursor begin[TIKBLOB_MAX_LOOPS]; /* after the beginnings of the open loops */
    int64_t counter[TIKBLOB_MAX_LOOPS], end[TIKBLOB_MAX_LOOPS];
    int64_t reg[MOST_REGS];
    int64_t index;
    Device *device;
    TikDesc d; /* 19 KB: not for a stack */
} Core;

static Device device;
static Core core;
static uint8_t blob_bytes[BLOB_BYTES];
static uint8_t workspace[WORKSPACE] __attribute__((aligned(16)));

static bool
cannot(const Core *c, const char *what)
{
    fprintf(stderr, "descriptor %u: this device has no %s\n", (unsigned)c->d.index, what);
    return false;
}

/* ---- numbers and addresses ----------------------------------------------- */

static int64_t
number(const Core *c, const TikNum *n)
{
    switch (n->kind) {
    case NUM_IMM:
        return n->imm;
    case NUM_REG:
        return c->reg[n->index];
    case NUM_LOOP:
        return c->counter[n->index];
    case NUM_CORE:
        return c->index;
    }
    return 0;
}

/* The verifier has proved that the address is inside of the region, or the descriptor is
 * marked and refused below. */
static uint8_t *
address(const Core *c, const TikOperand *o)
{
    TikBlobRegion r;
    tikblob_region(c->blob, &c->cursor.kernel, (int)o->region, &r);
    int64_t at = o->offset;
    for (int i = 0; i < o->nterms; i++) {
        at += o->terms[i].coef * number(c, &o->terms[i].num);
    }
    if (r.scope == SC_GM) {
        return r.kind == TIKBLOB_TENSOR ? c->device->gm[r.base] + at : NULL;
    }
    return r.scope == SC_UB ? c->device->ub + r.base + at : NULL;
}

/* ---- queues -------------------------------------------------------------- */

/* Bursts of blocks between global memory and UB; strides are gaps. */
static bool
queue_move(Core *c)
{
    uint8_t *to = address(c, &c->d.args[0].t), *from = address(c, &c->d.args[1].t);
    int64_t n[6];
    for (int i = 0; i < 6; i++) { /* sid, nburst, burst, src_stride, dst_stride, mode */
        n[i] = number(c, &c->d.args[2 + i].v);
    }
    if (to == NULL || from == NULL || n[5] != 0) {
        return cannot(c, "such move");
    }
    printf("DMA    %lld bursts of %lld bytes\n", (long long)n[1],
           (long long)n[2] * BLOCK);
    for (int64_t i = 0; i < n[1]; i++) {
        memmove(to + i * (n[2] + n[4]) * BLOCK, from + i * (n[2] + n[3]) * BLOCK,
                (size_t)n[2] * BLOCK);
    }
    return true;
}

/* vec_add of int32: mask, dst, src0, src1, repeat_times and three strides in blocks. */
static bool
queue_add(Core *c)
{
    uint8_t *p[3];
    int64_t stride[3], lanes = number(c, &c->d.args[0].mask[0]);
    int64_t repeats = number(c, &c->d.args[4].v);
    if (c->d.mask_form != MASK_COUNT || c->d.args[1].t.dtype != DT_S32) {
        return cannot(c, "sums but of int32 with a number of lanes");
    }
    for (int i = 0; i < 3; i++) {
        p[i] = address(c, &c->d.args[1 + i].t);
        stride[i] = number(c, &c->d.args[5 + i].v) * BLOCK;
    }
    printf("vector %lld repeats of %lld lanes\n", (long long)repeats, (long long)lanes);
    for (int64_t r = 0; r < repeats; r++) {
        for (int64_t i = 0; i < lanes && i < LANES; i++) {
            uint32_t a, b; /* with the low byte first, as on the host */
            memcpy(&a, p[1] + r * stride[1] + 4 * i, 4);
            memcpy(&b, p[2] + r * stride[2] + 4 * i, 4);
            a += b;
            memcpy(p[0] + r * stride[0] + 4 * i, &a, 4);
        }
    }
    return true;
}

static bool
instruction(Core *c)
{
    if (c->d.checked) {
        return cannot(c, "checks while it runs; the kernel is not proved");
    }
    return c->d.op == OP_DATA_MOVE ? queue_move(c)
           : c->d.op == OP_VEC_ADD ? queue_add(c)
                                   : cannot(c, "such instruction");
}

/* ---- the dispatcher ------------------------------------------------------ */

/* Goes on after the end of the loop or branch that begins here, or at its ELSE. */
static bool
skip(Core *c, bool to_else)
{
    TikBlobDiag diag;
    int depth = 1;
    while (depth > 0 && tikblob_next(&c->cursor, &c->d, &diag) > 0) {
        TikDescKind k = c->d.kind;
        depth += k == DESC_LOOP || k == DESC_IF;
        depth -= k == DESC_ENDLOOP || k == DESC_ENDIF ||
                 (k == DESC_ELSE && to_else && depth == 1);
    }
    return depth == 0;
}

static bool
loop(Core *c)
{
    uint32_t slot = c->d.slot;
    c->counter[slot] = number(c, &c->d.a);
    c->end[slot] = number(c, &c->d.b);
    c->begin[slot] = c->cursor;
    return c->counter[slot] < c->end[slot] || skip(c, false);
}

static bool
scalar(Core *c)
{
    uint64_t a = (uint64_t)number(c, &c->d.a), b = (uint64_t)number(c, &c->d.b);
    if (c->d.dtype != DT_S32 || c->d.reg >= MOST_REGS) {
        return cannot(c, "Scalars but of int32");
    }
    if (c->d.alu_op > SOP_MUL) {
        return cannot(c, "such operation on Scalars");
    }
    a = c->d.alu_op == SOP_ADD ? a + b : c->d.alu_op == SOP_SUB ? a - b : a * b;
    c->reg[c->d.reg] = (int32_t)(uint32_t)a;
    return true;
}

static bool
dispatch(Core *c)
{
    switch (c->d.kind) {
    case DESC_LOOP:
        return loop(c);
    case DESC_ENDLOOP:
        if (++c->counter[c->d.slot] < c->end[c->d.slot]) {
            c->cursor = c->begin[c->d.slot];
        }
        return true;
    case DESC_IF:
        return number(c, &c->d.a) != 0 || skip(c, true);
    case DESC_ELSE: /* the other branch was executed */
        return skip(c, false);
    case DESC_ENDIF:
        return true;
    case DESC_ALU:
        return scalar(c);
    case DESC_INSTR:
        return instruction(c);
    default:
        return cannot(c, "jumps and elements");
    }
}

static bool
run(Core *c, const TikBlob *b, int64_t index)
{
    TikBlobDiag diag;
    int more = 1;
    memset(c, 0, sizeof *c);
    c->blob = b;
    c->device = &device;
    c->index = index;
    tikblob_cursor(&c->cursor, b, 0);
    while ((more = tikblob_next(&c->cursor, &c->d, &diag)) > 0) {
        if (!dispatch(c)) {
            return false;
        }
    }
    return more == 0;
}

/* ---- files --------------------------------------------------------------- */

/* Reads the arrays of all arguments, or writes those of outputs. The files have the bytes
 * of the arguments, which the proof is about. */
static bool
exchange(const TikBlob *b, const TikBlobKernel *k, char **files, bool out)
{
    static const int width[DT_COUNT] = {
#define DTYPE(id, name, bytes, kind) [DT_##id] = bytes,
#include "isa/dtype.def"
    };
    for (uint32_t i = 0; i < k->nargs; i++) {
        TikBlobArg a;
        tikblob_arg(b, k, (int)i, &a);
        size_t size = (size_t)a.elems * (size_t)width[a.dtype];
        if (a.open || a.role == ARGROLE_LIST || (out && a.role != ARGROLE_OUTPUT)) {
            continue;
        }
        FILE *f = fopen(files[i], out ? "wb" : "rb");
        device.gm[i] = out ? device.gm[i] : calloc(1, size + (size_t)2 * BLOCK);
        if (f == NULL || device.gm[i] == NULL ||
            (out ? fwrite(device.gm[i], 1, size, f) : fread(device.gm[i], 1, size, f)) !=
                size ||
            fclose(f) != 0) {
            return false;
        }
    }
    return true;
}

int
main(int argc, char **argv)
{
    TikBlob b;
    TikBlobDiag diag;
    TikBlobProof proof;
    TikBlobKernel k;
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t n = f == NULL ? 0 : fread(blob_bytes, 1, sizeof blob_bytes, f);
    if (!tikblob_open(&b, blob_bytes, n, &diag) ||
        tikblob_workspace(&b, 0) > sizeof workspace ||
        !tikblob_verify(&b, 0, workspace, sizeof workspace, &proof, &diag)) {
        fprintf(stderr, "refused by rule %u at byte %llu\n", (unsigned)diag.rule,
                (unsigned long long)diag.offset);
        return 4;
    }
    tikblob_kernel(&b, 0, &k);
    if (k.nargs > MOST_ARGS || (uint32_t)argc != 2 + k.nargs || k.nregs > MOST_REGS ||
        !exchange(&b, &k, argv + 2, false)) {
        fprintf(stderr, "usage: loader BLOB FILE for each of %u arguments\n",
                (unsigned)k.nargs);
        return 2;
    }
    for (uint32_t i = 0; i < k.cores; i++) {
        if (!run(&core, &b, i)) {
            return 5;
        }
    }
    return exchange(&b, &k, argv + 2, true) ? 0 : 3;
}
