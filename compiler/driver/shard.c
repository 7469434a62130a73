/* shard.c: --shard K/N, the K-th of N parts of the files or tests of a command. Each is
 * in one part: the first is in part 1, the second in part 2, and so on, in the order of
 * their names, so that the large ones of a folder are spread. */
#include "driver/shard.h"

#include <stdio.h>

bool
shard_parse(Cmd *c, Shard *out)
{
    char rest;
    *out = (Shard){1, 1};
    if (!c->shard || (sscanf(c->shard, "%6ld/%6ld%c", &out->k, &out->n, &rest) == 2 &&
                      out->k >= 1 && out->k <= out->n)) {
        return true;
    }
    return options_wrong(c, arena_printf(&c->unit.arena,
                                         "--shard takes K/N, such as 1/8 for the first "
                                         "of 8 parts, not '%s'",
                                         c->shard));
}
