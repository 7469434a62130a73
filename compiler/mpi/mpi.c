/* mpi.c: messages between processes of the tool, by MPI. It is all of libtikc-mpi.so. An
 * error of MPI ends the job, as MPI does by itself. */
#include "mpi/mpi_api.h"

#include <mpi.h>
#include <sched.h>
#include <time.h>

enum {
    PIECE = 1 << 30,  /* bytes of a message; MPI counts them in an int */
    YIELDS = 2000,    /* looks before the first pause */
    LONGEST = 500000, /* nanoseconds of a pause */
    TAG = 1
};

static bool
begin(int32_t *rank, int32_t *ranks)
{
    int provided, number, count;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        return false;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *rank = number;
    *ranks = count;
    return true;
}

static void
end(void)
{
    MPI_Finalize();
}

/* Waits for the end of a request. Other ranks compute meanwhile, maybe on this processor:
 * it is left to them more and more. */
static bool
wait_for(MPI_Request *request)
{
    int done = 0;
    long pause = 1000;
    for (int64_t i = 0;; i++) {
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done) {
            return done != 0;
        }
        if (i < YIELDS) {
            sched_yield();
            continue;
        }
        nanosleep(&(struct timespec){0, pause}, NULL);
        pause = pause < LONGEST ? pause + pause / 8 : LONGEST;
    }
}

static bool
send(void *ctx, int32_t to, const void *bytes, size_t n)
{
    const char *at = bytes;
    bool ok = true;
    (void)ctx;
    while (ok && n > 0) {
        int some = n < PIECE ? (int)n : PIECE;
        MPI_Request request;
        ok = MPI_Isend(at, some, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &request) ==
                 MPI_SUCCESS &&
             wait_for(&request);
        at += some;
        n -= (size_t)some;
    }
    return ok;
}

static bool
receive(void *ctx, int32_t from, void *bytes, size_t n)
{
    char *at = bytes;
    bool ok = true;
    (void)ctx;
    while (ok && n > 0) {
        int some = n < PIECE ? (int)n : PIECE;
        MPI_Request request;
        ok = MPI_Irecv(at, some, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &request) ==
                 MPI_SUCCESS &&
             wait_for(&request);
        at += some;
        n -= (size_t)some;
    }
    return ok;
}

const MpiApi *
tikc_mpi_api(void)
{
    static const MpiApi api = {MPI_API_VERSION, begin, end, send, receive};
    return &api;
}
