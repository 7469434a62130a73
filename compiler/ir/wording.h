/* wording.h: puts faults into the words of the call that the program has. data_copy out
 * of the accumulator is recorded as tensor_mov, but an author who wrote fields of
 * tik.DataCopyParams should read their names. */
#ifndef TIKC_WORDING_H
#define TIKC_WORDING_H

#include "ir/ir.h"

/* Returns a text about a tensor_mov in the words of data_copy. vector: its scale is a
 * tensor. */
const char *wording_of_copy(Arena *a, const char *text, bool vector);
/* Returns a text about an instruction in the words of its call; the text itself when they
 * are the same. */
const char *wording_of_call(const Kernel *k, const Stmt *s, const char *text);

#endif
