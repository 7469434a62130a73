/* mpi_api.h: how processes of the tool that one launcher started reach each other. MPI is
 * in a shared library of its own (libtikc-mpi.so), opened when a launcher started the
 * tool (driver/cluster.c), so that nothing else needs it. */
#ifndef TIKC_MPI_API_H
#define TIKC_MPI_API_H

#include "tik_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MpiApi {
    int version; /* MPI_API_VERSION */
    /* Joins the processes of the launcher; false if that is not possible. end must
     * follow. */
    bool (*begin)(int32_t *rank, int32_t *ranks);
    void (*end)(void);
    /* As TikPeers has them. They wait without taking a processor from other threads, and
     * one thread of the process calls them. */
    bool (*send)(void *ctx, int32_t to, const void *bytes, size_t n);
    bool (*receive)(void *ctx, int32_t from, void *bytes, size_t n);
} MpiApi;

enum {
    MPI_API_VERSION = 1
};
/* The symbol that libtikc-mpi.so exports. */
TIK_API const MpiApi *tikc_mpi_api(void);

#endif
