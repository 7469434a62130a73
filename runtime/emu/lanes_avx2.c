/* lanes_avx2.c: lane functions for x86-64 processors with AVX2 and F16C. */
#if defined(__x86_64__)
#define LANES_ATTR  LANES_AVX2
#define LANES_TABLE emu_lanes_avx2
#define LANES_F16C  1
#include "emu/lanes_body.h"
#else
#include "emu/lanes.h"
const LaneTable emu_lanes_avx2 = {0};
#endif
