/* wording.h: faults in the words of the call that the program has. data_copy out of the
 * accumulator is recorded as tensor_mov; who wrote fields of tik.DataCopyParams reads
 * their names. */
#ifndef TIKC_WORDING_H
#define TIKC_WORDING_H

#include "ir/ir.h"

/* A text about a tensor_mov in the words of data_copy. vector: its scale is a tensor. */
const char *wording_of_copy(Arena *a, const char *text, bool vector);
/* A text about an instruction in the words of its call; the text itself when they are the
 * same. */
const char *wording_of_call(const Kernel *k, const Stmt *s, const char *text);

#endif
