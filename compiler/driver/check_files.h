/* check_files.h: checks many files. */
#ifndef TIKC_CHECK_FILES_H
#define TIKC_CHECK_FILES_H

#include "driver/driver.h"

/* Checks files with the options of a command, and adds what is found to f, whose reports
 * live as long as the unit of c. */
void check_files(Cmd *c, const SourceFiles *files, Findings *f);

/* Makes a command for one file. The options of c are read only: lists that settings add
 * to are grown as copies. The path is the command's file. */
void check_one_begin(const Cmd *c, const char *const *path, Cmd *one);
/* Frees what a command for one file has compiled. */
void check_one_end(Cmd *one);
/* Gives it the call and the processor of the nth combination that the options, or the
 * settings of the text, ask for. Returns false if there are fewer. */
bool MUST_USE check_combine(const Cmd *c, Cmd *one, const char *path, const char *text,
                            size_t size, int nth);

#endif
