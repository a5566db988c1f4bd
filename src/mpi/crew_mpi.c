/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of MPI itself end the job with a message of its own (MPI_ERRORS_ARE_FATAL, the default), as does a process
 * that dies: mpirun notices. So nothing here fails.
 */
#include "crew_mpi.h"

#include <mpi.h>
#include <time.h>

#include "parallel/crew.h"

enum { FIRST = 0, TAG = 1, MOST = 1 << 30 }; /* bytes of one message: counts of MPI are ints */

static void send_bytes(str bytes)
{
    for (size_t at = 0; at < bytes.len; at += MOST) {
        const size_t left = bytes.len - at;
        MPI_Send(bytes.at + at, (int)(left < MOST ? left : MOST), MPI_BYTE, FIRST, TAG, MPI_COMM_WORLD);
    }
}

static str receive_bytes(int rank, uint64_t count, struct arena *arena)
{
    char *const bytes = arena_alloc(arena, count);
    for (uint64_t at = 0; at < count; at += MOST) {
        const uint64_t left = count - at;
        MPI_Recv(bytes + at, (int)(left < MOST ? left : MOST), MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return (str){bytes, count};
}

static bool gather(str mine, struct arena *arena, str *parts, struct steptime_error *err)
{
    (void)err;
    const struct crew *const crew = crew_ours();
    const uint64_t count = mine.len;
    uint64_t *const counts = arena_array(arena, crew->count, sizeof *counts);
    MPI_Gather(&count, 1, MPI_UINT64_T, counts, 1, MPI_UINT64_T, FIRST, MPI_COMM_WORLD);
    if (crew->rank != FIRST) {
        send_bytes(mine);
        return true;
    }
    parts[FIRST] = mine;
    for (unsigned rank = 1; rank < crew->count; rank++)
        parts[rank] = receive_bytes((int)rank, counts[rank], arena);
    return true;
}

static bool total(uint64_t mine, uint64_t *all, struct steptime_error *err)
{
    (void)err;
    MPI_Allreduce(&mine, all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return true;
}

void crew_mpi_open(int *argc, char ***argv)
{
    static struct crew crew = {.gather = gather, .total = total};
    int rank, count, provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    crew.rank = (unsigned)rank;
    crew.count = (unsigned)count;
    crew_join(&crew);
}

/*
 * What is wrong for one process is mostly wrong for all, and mpirun of Open MPI 4.1 can crash where several end the job
 * at once: so the others give the first one time to do it.
 */
static void end_job(int code)
{
    if (crew_ours()->rank != FIRST)
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    MPI_Abort(MPI_COMM_WORLD, code);
}

int crew_mpi_close(int code)
{
    if (code != 0)
        end_job(code);
    MPI_Finalize();
    return code;
}
