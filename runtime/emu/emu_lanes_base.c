/* emu_lanes_base.c: lane functions for any processor, and the choice between the tables. */
#define LANES_ATTR
#define LANES_TABLE emu_lanes_base
#define LANES_F16C  0
#include "emu/emu_lanes_body.h"

LaneFn *
emu_lane_fn(Op op, Dtype t)
{
    const LaneTable *table =
        num_level() >= NUM_LEVEL_AVX2 ? &emu_lanes_avx2 : &emu_lanes_base;
    const OpInfo *info = &op_table[op];
    LaneFn *function = emu_lane_function(info->sem, t);
    if (function != NULL) {
        return function;
    }
    if (form_slot(info->form, ROLE_SCALAR, NULL) >= 0) {
        return table->scalar[info->sem][t];
    }
    return table->vector[info->sem][t];
}
