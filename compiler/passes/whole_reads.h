/* whole_reads.h: instructions that read no byte beyond their elements, so that they can
 * read them elsewhere. */
#ifndef TIKC_WHOLE_READS_H
#define TIKC_WHOLE_READS_H

#include "ir/ir.h"

/* Returns whether all lanes of a repeat are on, or as many as a short vector has: then
 * nothing reads more than the lanes. */
bool reads_whole_vectors(const Kernel *k, const Stmt *s);
/* Returns whether a reduction of a slice is one of rows, each of them whole vectors. */
bool reads_whole_rows(const Kernel *k, const Stmt *s);

#endif
