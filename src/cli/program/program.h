/* SPDX-License-Identifier: Apache-2.0 */
/* The whole program: a command line in, the exit code out. Its mains call it: of one process, of several (src/mpi). */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

int program(int argc, char **argv);

#endif
