/* packed_const.c: describes the packed constants of a kernel in the terms of
 * layout/lmem_pack.h. Its functions are pure. */
#include "ir/packed_const.h"

PackWeight
weight_source(const PackInfo *i, const void *data)
{
    return (PackWeight){
        .data = data,
        .bits = i->nibbles ? 4 : 8 * (unsigned)dtype_size(i->weight),
        .is_float = dtype_is_float(i->weight),
        .is_bfloat = i->weight == DT_BF16,
        .oc = (uint64_t)i->dim[0],
        .ic = (uint64_t)i->dim[1],
        .kh = (uint64_t)i->dim[2],
        .kw = (uint64_t)i->dim[3],
        .depthwise = i->depthwise,
    };
}

Dtype
weight_stored_dtype(const PackInfo *info)
{
    return info->bias || info->requant || info->nibbles ? DT_U8 : info->weight;
}

const char *
weight_dtype_name(const PackInfo *info)
{
    return !info->nibbles          ? dtype_name(info->weight)
           : info->weight == DT_S8 ? "int4"
                                   : "uint4";
}

PackResult
weight_plan(const PackTarget *t, PackInfo *i)
{
    PackWeight w = weight_source(i, NULL);
    return pack_constant(t, &w, i->requant, i->bias, &i->plan);
}
