/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steptime-mpi fleet ..., summary ..., critical-path ..., ranks ...: a table of jobs, or the traces of a job, read by
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
    static const char *const spread[] = {"summary", "critical-path", "ranks", "fleet"};
    for (size_t i = 0; argc >= 2 && i < sizeof spread / sizeof *spread; i++)
        if (strcmp(argv[1], spread[i]) == 0)
            return program(argc, argv);
    if (crew_ours()->rank == 0)
        fputs("steptime-mpi: it is for 'summary', 'critical-path', 'ranks', 'fleet breakdown' and 'fleet project'\n",
              stderr);
    return USAGE;
}

int main(int argc, char **argv)
{
    crew_mpi_open(&argc, &argv);
    return crew_mpi_close(run(argc, argv));
}
