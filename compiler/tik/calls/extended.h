/* extended.h: what is special about data_move: extended arguments, paths and types. */
#ifndef TIKC_TIK_EXTENDED_H
#define TIKC_TIK_EXTENDED_H

#include "tik/tik.h"

/* The call of data_move without extended arguments where its path has none. */
CallArgs tik_without_extended(Interp *in, const CallArgs *args);
/* Of a bound call of data_move: paths that its manual does not list are told of, and what
 * copies out of L0C without a conversion gets the type of src on both sides. */
void tik_judge_move(Interp *in, Tik *c, Arg *out, const Span *span);
/* False with dtype-unsupported of a type that only data_copy moves. */
bool tik_move_has_type(Interp *in, const char *method, Dtype t, Span span);
/* Whether code, of moves from L0C to UB, converts nothing between these types: both sides
 * are of type from then. */
bool tik_copies_bytes(Dtype from, Dtype to, int64_t code);

#endif
