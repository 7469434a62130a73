/* ops.c: the table of ops.h. One file per family beside it. */
#include "ops/ops_int.h"

OpFn *
ops_find(Sem sem)
{
    switch (sem) {
    case SEM_NCHW:
        return ops_nchw;
    case SEM_TILES:
        return ops_tiles;
    case SEM_PLANES:
        return ops_planes;
    case SEM_CHANNELS:
        return ops_channels;
    default:
        return 0;
    }
}
