/* scalar_sets.c: what scalar operations make of sets of numbers, for
 * tests/random/scalar_sets.py.
 *  scalar_sets < FILE    reads lines "OP TYPE FROM LO HI MOD REM LO HI MOD REM", numbers
 * of rows of scalar.def and dtype.def and two sets, and prints "LO HI MOD REM" for each
 */
#include "num/scalar_interval.h"

#include <inttypes.h>
#include <stdio.h>

static bool
read_set(Interval *r)
{
    return scanf("%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &r->lo, &r->hi, &r->mod,
                 &r->rem) == 4;
}

int
main(void)
{
    int op, type, from;
    ScalarIntervals in;
    while (scanf("%d %d %d", &op, &type, &from) == 3 && read_set(&in.a) &&
           read_set(&in.b)) {
        in.type = (Dtype)type;
        in.from = (Dtype)from;
        Interval r = scalar_interval_untyped((ScalarOp)op, &in, NULL);
        printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", r.lo, r.hi, r.mod,
               r.rem);
    }
    return 0;
}
