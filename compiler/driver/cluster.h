/* cluster.h: processes of the tool that a launcher of MPI started together. Rank 0 reads
 * inputs, prints and writes files; what another one would print is kept, and told when it
 * alone fails. A process that was started by itself has no Cluster: then all functions do
 * as if there were one rank.
 *
 * Nothing waits for ever: at each point of cluster_agree, a rank that has left already is
 * answered for by cluster_leave. */
#ifndef TIKC_CLUSTER_H
#define TIKC_CLUSTER_H

#include "driver/driver.h"

typedef struct Cluster Cluster;

/* Returns whether a launcher says that this process is not its first one. */
bool cluster_is_other(void);
/* Checks --mpi; returns false after a usage error. */
bool MUST_USE cluster_option(Cmd *c);
/* Joins the other processes if a launcher started this one (--mpi). words is the command
 * line. Returns false after a diagnostic; then no rank goes on. */
bool MUST_USE cluster_join(Cmd *c, int argc, char **words);
/* Leaves them, whatever happened; returns the exit code of this rank. */
int cluster_leave(Cmd *c, int code);

/* Where the message of a crash goes: the standard error that the process was given. */
int cluster_errors(const Cmd *c);
bool cluster_first(const Cmd *c); /* this is rank 0 */
int32_t cluster_rank(const Cmd *c);
int32_t cluster_ranks(const Cmd *c);
/* The peers of a run; null: there are none. */
TikPeers *cluster_peers(const Cmd *c);

/* Adds bytes to what has to be the same on all ranks at the next cluster_agree. */
void cluster_same(Cmd *c, const void *bytes, size_t n);
/* Returns whether all ranks come here with ok and with the same bytes. If not, rank 0 has
 * a diagnostic, its own or one about the others. err (or null) is why a rank is not ok.
 */
bool MUST_USE cluster_agree(Cmd *c, bool ok, const TikError *err);
/* Gives all ranks the bytes that rank 0 has. The others get them in memory of the unit.
 */
bool MUST_USE cluster_share(Cmd *c, void **bytes, size_t *n);
/* The same, into memory that all ranks have. */
bool MUST_USE cluster_share_into(Cmd *c, void *bytes, size_t n);
/* Lets the others read the standard input of rank 0. Returns false after a diagnostic. */
bool MUST_USE cluster_share_input(Cmd *c);

/* Sends bytes to rank 0 (from another one), and receives them there. */
bool MUST_USE cluster_give(Cmd *c, const void *bytes, size_t n);
bool MUST_USE cluster_take(Cmd *c, int32_t from, char **bytes, size_t *n);

#endif
