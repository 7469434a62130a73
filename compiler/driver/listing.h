/* listing.h: source, kernel IR and descriptors side by side, as build --emit html shows
 * them. */
#ifndef TIKC_LISTING_H
#define TIKC_LISTING_H

#include "driver/driver.h"

typedef struct Listing Listing;

/* Begins a listing of the kernels that the command will compile. */
Listing *listing_begin(Cmd *c);
/* Keeps the text of a kernel before its first pass (PassOptions.begin). */
void listing_staged(void *to, const Kernel *k);
/* Adds the page for kernels that were compiled. Returns false after a diagnostic. */
bool MUST_USE listing_add(Cmd *c, IoBatch *out, Kernel *const *kernels, int n);

#endif
