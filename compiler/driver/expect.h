/* expect.h: compares arrays with what is expected of them. */
#ifndef TIKC_EXPECT_H
#define TIKC_EXPECT_H

#include "driver/fill.h"
#include "driver/job.h"

/* Reads --rtol and --atol into Cmd.tolerance. Returns false after a usage error. */
bool MUST_USE expect_options(Cmd *c);
/* Compares the arrays that --expect names, after the run. What differs is an
 * output-mismatch of the unit. Returns false, with *err, if a file cannot be read. */
bool MUST_USE expect_check(Cmd *c, const Job *job, TikError *err);

/* Reports the first element of an array whose bits differ between the back ends. */
void expect_bits(Cmd *c, const char *tensor, const TikArray *native,
                 const TikArray *emulated);

#endif
