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
    case SEM_CADD:
    case SEM_CGADD:
    case SEM_CPADD:
        return ops_reduce_sum;
    case SEM_CMAX:
    case SEM_CMIN:
        return ops_reduce_extreme;
    case SEM_CGMAX:
    case SEM_CGMIN:
        return ops_reduce_blocks;
    case SEM_ALL_ADD:
        return ops_reduce_sum_all;
    case SEM_ALL_MAX:
    case SEM_ALL_MIN:
        return ops_reduce_extreme_all;
    case SEM_VCONCAT:
        return ops_vconcat;
    case SEM_VEXTRACT:
        return ops_vextract;
    case SEM_VRPSORT16:
        return ops_vrpsort16;
    case SEM_VSORT32:
        return ops_vsort32;
    case SEM_VMRGSORT4:
    case SEM_VMRGSORT:
        return ops_vmrgsort;
    case SEM_VRPAC:
        return ops_vrpac;
    case SEM_VIOU:
        return ops_viou;
    case SEM_VAADD:
        return ops_vaadd;
    case SEM_RPN_COR:
        return ops_rpn_cor;
    case SEM_RPN_COR_DIAG:
        return ops_rpn_cor_diag;
    case SEM_CI:
        return ops_sequence;
    case SEM_BCB:
        return ops_broadcast;
    case SEM_COPY:
        return ops_copy;
    case SEM_PADDING:
        return ops_padding;
    case SEM_CONV_PACK:
    case SEM_CONV_PACKS:
        return ops_convert_packed;
    case SEM_PICK:
        return ops_pick;
    case SEM_GATHER:
        return ops_gather;
    case SEM_SCATTER:
        return ops_scatter;
    case SEM_GATHERB:
        return ops_gatherb;
    case SEM_BI:
        return ops_bi;
    default:
        return 0;
    }
}
