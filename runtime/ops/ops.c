/* ops.c: the table of ops.h. One file per family beside it. */
#include "ops/ops.h"

OpFn *
ops_find(Sem sem)
{
    switch (sem) {
    default:
        return 0;
    }
}
