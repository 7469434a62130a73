/* memory_map.h: where the buffers of a kernel are in the memories of a core, and when. */
#ifndef TIKC_MEMORY_MAP_H
#define TIKC_MEMORY_MAP_H

#include "driver/driver.h"

/* Put the memories of a kernel that was checked: a table and a map in characters, or an
 * object in a line. */
void memory_map_text(const Kernel *k, Text *out);
void memory_map_json(const Kernel *k, Text *out);
/* Puts a picture of all kernels as SVG: addresses from left to right, the program from
 * top to bottom. */
void memory_map_svg(Kernel *const *kernels, uint32_t n, Text *out);

#endif
