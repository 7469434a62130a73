/* check_files.h: checks many files. */
#ifndef TIKC_CHECK_FILES_H
#define TIKC_CHECK_FILES_H

#include "driver/driver.h"

/* Checks files with the options of a command, and adds what is found to f, whose reports
 * live as long as the unit of c. */
void check_files(Cmd *c, const SourceFiles *files, Findings *f);

#endif
