/* emu_lanes_base.c: lane functions for any processor, and the choice between the tables. */
#define LANES_ATTR
#define LANES_TABLE emu_lanes_base
#define LANES_F16C  0
#include "emu/emu_lanes_body.h"

static const LaneTable *
table_of_processor(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")) {
        return &emu_lanes_avx2;
    }
#endif
    return &emu_lanes_base;
}

LaneFn *
emu_lane_fn(Op op, Dtype t)
{
    const LaneTable *table = table_of_processor();
    const OpInfo *info = &op_table[op];
    if (info->form == FORM_VDUP || info->form == FORM_VSCALAR) {
        return table->scalar[info->sem][t];
    }
    return table->vector[info->sem][t];
}
