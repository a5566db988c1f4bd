/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that mpirun started, as a crew. */
#ifndef MPI_CREW_MPI_H
#define MPI_CREW_MPI_H

/* Joins it, once, at the start of the process. */
void crew_mpi_open(int *argc, char ***argv);

/* Leaves it with that exit code. One that is not 0 ends the others too, which may be waiting for this process. */
int crew_mpi_close(int code);

#endif
