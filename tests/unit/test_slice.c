/* test_slice.c: compares the rules on slices (rules/slice.c) with lists of their
 * elements, for random slices of up to three dimensions that are small enough to lie near
 * each other: what is accessed, whether it is inside of a tensor, and whether source and
 * destination are apart or the same slice. */
#include "rules/check.h"
#include "isa/operand.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum {
    TRIES = 200000,
    DIMS = 3,
    MOST = 27, /* elements of a slice */
    SIZE = 2,  /* bytes of an element */
    ROOM = 256 /* bytes of the tensors */
};

static uint64_t state_of_random = 7;

static int64_t
rnd(int64_t n)
{
    return random_below(&state_of_random, n);
}

/* The first bytes of the elements, in order, and where the last one ends. */
typedef struct List {
    int64_t at[MOST], end;
    int n;
} List;

static CheckInstr
draw(void)
{
    CheckInstr in = {.op = OP_H_ABS, .soc = soc_find("Ascend310P3")};
    int stride[2][DIMS] = {{HUN_dst_stride0, HUN_dst_stride1, HUN_dst_stride2},
                           {HUN_src_stride0, HUN_src_stride1, HUN_src_stride2}};
    bool alike = rnd(2);
    for (int i = 0; i < DIMS; i++) {
        in.args[HUN_len0 + i].v = rnd(20) == 0 ? 0 : 1 + rnd(3);
        for (int side = 0; side < 2; side++) {
            int64_t v = 1 + rnd(rnd(4) == 0 ? 12 : 4);
            bool same = side == 1 && alike && rnd(4);
            in.args[stride[side][i]].v = same ? in.args[stride[0][i]].v : v;
        }
    }
    for (int side = 0; side < 2; side++) {
        int64_t at = SIZE * rnd(24);
        bool same = side == 1 && rnd(2);
        in.args[side].t = (CheckTensor){.buffer = (uint32_t)(rnd(8) == 0 ? side : 0),
                                        .scope = SC_UB,
                                        .dtype = DT_F16,
                                        .bytes = ROOM,
                                        .exact = true,
                                        .offset = same ? in.args[0].t.offset : at};
        in.args[side].t.bytes = SIZE * (8 + rnd(40));
    }
    return in;
}

static List
elements(const CheckInstr *in, int side)
{
    List e = {.n = 0};
    const CheckArg *len = &in->args[HUN_len0];
    const CheckArg *stride = &in->args[side == 0 ? HUN_dst_stride0 : HUN_src_stride0];
    for (int64_t i = 0; i < len[0].v; i++) {
        for (int64_t j = 0; j < len[1].v; j++) {
            for (int64_t k = 0; k < len[2].v; k++) {
                int64_t of = i * stride[0].v + j * stride[1].v + k * stride[2].v;
                int64_t at = in->args[side].t.offset + SIZE * of;
                e.at[e.n++] = at;
                e.end = at + SIZE > e.end ? at + SIZE : e.end;
            }
        }
    }
    return e;
}

/* Marks each byte of the elements. */
static void
mark(bool *bytes, const List *e)
{
    memset(bytes, 0, ROOM);
    for (int i = 0; i < e->n; i++) {
        bytes[e->at[i]] = bytes[e->at[i] + 1] = true;
    }
}

static void
mark_footprint(bool *bytes, const Footprint *f)
{
    memset(bytes, 0, ROOM);
    for (int64_t i = 0; i < f->count0; i++) {
        for (int64_t j = 0; j < f->count1; j++) {
            for (int64_t k = 0; k < f->len; k++) {
                bytes[f->offset + i * f->stride0 + j * f->stride1 + k] = true;
            }
        }
    }
}

/* Returns whether the footprint has the bytes of the elements, or, if it is not exact,
 * all bytes from the first to the last. */
static bool
footprint_right(const CheckInstr *in, int side, const List *e, int *inexact)
{
    bool want[ROOM], got[ROOM], exact = true;
    Footprint f = check_footprint(in, side, &exact);
    mark(want, e);
    mark_footprint(got, &f);
    if (!exact) {
        int64_t from = in->args[side].t.offset;
        memset(want, 0, sizeof want);
        memset(want + from, 1, (size_t)(e->end - from));
        (*inexact)++;
    }
    return memcmp(want, got, sizeof want) == 0;
}

static bool
apart_or_same(const CheckInstr *in, const List *d, const List *s)
{
    int64_t dst = in->args[0].t.offset, src = in->args[1].t.offset;
    bool same = d->n == s->n && memcmp(d->at, s->at, (size_t)d->n * sizeof d->at[0]) == 0;
    return in->args[0].t.buffer != in->args[1].t.buffer || d->n == 0 || same ||
           d->end <= src || s->end <= dst;
}

static void
random_slices(void **state)
{
    (void)state;
    int inexact = 0, apart = 0, inside = 0;
    for (int i = 0; i < TRIES; i++) {
        CheckInstr in = draw();
        for (int side = 0; side < 2; side++) {
            List e = elements(&in, side);
            bool room = side == 1 || e.n * SIZE <= e.end - in.args[side].t.offset;
            bool fits = e.end <= in.args[side].t.bytes && (e.n == 0 || room);
            CheckStep step = {CHECK_BOUNDS, side};
            assert_true(footprint_right(&in, side, &e, &inexact));
            assert_int_equal(check_step(&in, step, NULL), fits);
            inside += fits;
        }
        List d = elements(&in, 0), s = elements(&in, 1);
        bool ok = apart_or_same(&in, &d, &s);
        assert_int_equal(check_step(&in, (CheckStep){CHECK_OVERLAP, 1}, NULL), ok);
        apart += ok;
    }
    printf("%d slices inside, %d pairs apart or the same, %d footprints not exact\n",
           inside, apart, inexact);
    assert_true(inside > TRIES && apart > TRIES / 4 && apart < TRIES && inexact > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
