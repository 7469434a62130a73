/* lanes_base.c: lane functions for any processor, and the choice between the tables. */
#define LANES_ATTR
#define LANES_TABLE emu_lanes_base
#define LANES_F16C  0
#include "emu/lanes_body.h"

/* The type of sources that are not of the type of dst. */
static Dtype
mixed_source(Sem sem)
{
    return sem == SEM_ADDDEQRELU ? DT_S32 : DT_F16;
}

LaneFn *
emu_lane_fn(const Choices *c, LaneWork w, Dtype dst, Dtype src)
{
    const LaneTable *table =
        num_level() >= NUM_LEVEL_AVX2 ? &emu_lanes_avx2 : &emu_lanes_base;
    if (src != DT_NONE && src != dst) {
        return src != mixed_source(w.sem) ? NULL
               : w.scalar                 ? table->mixed_scalar[w.sem][dst]
                                          : table->mixed_vector[w.sem][dst];
    }
    LaneFn *other = emu_lane_reading(c, w.sem, dst, w.scalar);
    if (other != NULL) {
        return other;
    }
    LaneFn *function = emu_lane_function(w.sem, dst);
    if (function != NULL) {
        return function;
    }
    return w.scalar ? table->scalar[w.sem][dst] : table->vector[w.sem][dst];
}
