/* product.h: finds products by the names that manuals give them. */
#ifndef TIKC_PRODUCT_H
#define TIKC_PRODUCT_H

#include "base/unit.h"

/* Returns the platform or family of a product, or null. A pair of products, "A/B" as
 * headings have it, is treated as its first one. */
const char *product_platform(Arena *a, const char *name);
/* Returns the nearest name of a platform, family or product, or null. */
const char *product_nearest(const char *name);
/* Compiles for the processor of that name, whatever the program says. Returns false after
 * a diagnostic. */
bool MUST_USE product_fix_soc(Unit *u, const char *name);

#endif
