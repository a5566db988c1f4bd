/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steptime-mpi fleet ...: a table of jobs read by the processes of mpirun, each
 * its share; the first shows the result, as steptime shows that of one process.
 */
#include <stdio.h>
#include <string.h>

#include "cli/program/program.h"
#include "crew_mpi.h"
#include "fleet/table/crew.h"

enum { USAGE = 2 };

static int run(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "fleet") == 0)
        return program(argc, argv);
    if (crew_ours()->rank == 0)
        fputs("steptime-mpi: it is for 'steptime-mpi fleet breakdown' and 'steptime-mpi fleet project'\n", stderr);
    return USAGE;
}

int main(int argc, char **argv)
{
    crew_mpi_open(&argc, &argv);
    return crew_mpi_close(run(argc, argv));
}
