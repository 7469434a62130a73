/* extended.h: extended arguments, paths and types of data_move. */
#ifndef TIKC_TIK_EXTENDED_H
#define TIKC_TIK_EXTENDED_H

#include "tik/tik.h"

/* Returns the call of data_move without extended arguments if its path has none. */
CallArgs tik_without_extended(Interp *in, const CallArgs *args);
/* Warns of paths that the manual of data_move does not list, for a bound call. Copies out
 * of L0C without a conversion get the type of src on both sides. */
void tik_check_move(Interp *in, Tik *c, Arg *out, const Span *span);
/* Returns false with dtype-unsupported for a type that only data_copy moves. */
bool tik_move_has_type(Interp *in, const char *method, Dtype t, Span span);
/* Returns whether the code of a move from L0C to UB converts nothing between these types:
 * then both sides have the type from. */
bool tik_copies_bytes(Dtype from, Dtype to, int64_t code);

#endif
