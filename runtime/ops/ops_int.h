/* ops_int.h: the functions of ops.h by family. */
#ifndef TIK_OPS_INT_H
#define TIK_OPS_INT_H

#include "ops/ops.h"

/* ops_layout.c */
OpFn ops_nchw, ops_tiles, ops_planes, ops_channels;

#endif
