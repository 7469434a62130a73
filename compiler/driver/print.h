/* print.h: what --print has noted in a run. */
#ifndef TIKC_PRINT_H
#define TIKC_PRINT_H

#include "driver/job.h"

/* Reports a --print that fits nothing in the program. */
bool MUST_USE print_check(Cmd *c);
/* Prints the log of a run, core by core. Returns false after a file-write diagnostic. */
bool MUST_USE print_show(Cmd *c, const Job *job);

#endif
