/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steptime-mpi fleet ..., ranks ...: a table of jobs, or the traces of a job, read by
 * the processes of mpirun, each its share; the first shows the result, as steptime
 * shows that of one process.
 */
#include <stdio.h>
#include <string.h>

#include "cli/program/program.h"
#include "crew_mpi.h"
#include "parallel/crew.h"

enum { USAGE = 2 };

static int run(int argc, char **argv)
{
    if (argc >= 2 && (strcmp(argv[1], "fleet") == 0 || strcmp(argv[1], "ranks") == 0))
        return program(argc, argv);
    if (crew_ours()->rank == 0)
        fputs(
            "steptime-mpi: it is for 'steptime-mpi ranks', 'steptime-mpi fleet breakdown' and 'steptime-mpi fleet project'\n",
            stderr);
    return USAGE;
}

int main(int argc, char **argv)
{
    crew_mpi_open(&argc, &argv);
    return crew_mpi_close(run(argc, argv));
}
