# SPDX-License-Identifier: Apache-2.0
"""The ranks of one job over two processes of MPI, each held to one core, against one process held to one core."""
import os
import shutil

import inputs
from inputs import Missing
from measure import compare

RANKS = 256
COMMANDS = ("ranks", "summary", "critical-path")
FASTER = 1.8

# What a process of mpirun becomes: the program on a core of its own.
ON_A_CORE = 'exec taskset -c "$(echo $CORES | cut -d" " -f$((OMPI_COMM_WORLD_RANK + 1)))" "$0" "$@"'


def on_cores(program, processes, cores):
    return ["env", "CORES=" + " ".join(str(core) for core in cores), "mpirun", "--allow-run-as-root", "--oversubscribe",
            "--bind-to", "none", "-n", processes, "sh", "-c", ON_A_CORE, program]


def jobs_over_processes(figures, program, work):
    mpi = os.path.join(os.path.dirname(os.path.realpath(program)), "mpi", "steptime-mpi")
    cores = sorted(os.sched_getaffinity(0))[:2]
    if not shutil.which("mpirun") or not os.path.exists(mpi):
        raise Missing("Open MPI is not installed")
    if len(cores) < 2:
        raise Missing("one core")
    folder = inputs.ranks(work, RANKS)
    for command in COMMANDS:
        words = [command, "--threads", "1", folder]
        costs = compare({n: [*on_cores(mpi, n, cores), *words] for n in (1, 2)}, figures.times)
        figures.add(f"mpi.{command}.two_processes", costs[1].wall_s / costs[2].wall_s, "times faster", (">=", FASTER),
                    one_s=costs[1].wall_s, two_s=costs[2].wall_s, one_cpu_s=costs[1].cpu_s, two_cpu_s=costs[2].cpu_s)
