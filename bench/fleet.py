# SPDX-License-Identifier: Apache-2.0
"""Tables of millions of jobs: time and memory of `fleet`, the same over two processes, and a public table beside DuckDB.

Rows are those of examples/fleet/generate.py, repeated under new names; the public table is rows drawn for the columns
of PAI 2020's table of tasks.
"""
import gzip
import os
import random
import shutil
import subprocess
import sys

import inputs
from inputs import Missing
from measure import Failed, compare, run

DRAWN = 200_000  # rows that are generated; longer tables repeat them
MILLION = 1_000_000
SECONDS, MIB, BYTES = 20, 200, 1 << 20
GENERATOR = os.path.join(inputs.TOP, "examples", "fleet", "generate.py")

# Tasks to jobs, jobs to architectures: what the importer does, and of what is told then counts, sums and a median.
DUCKDB = """
import sys, duckdb
duckdb.sql("SET threads = 2")
names = "job task instances status begin finish cpu memory gpu type".split()
rows = duckdb.read_csv(sys.argv[1], header=False, names=names)
print(duckdb.sql('''
  WITH jobs AS (SELECT job, bool_or(task = 'ps') AS ps, sum(instances) FILTER (gpu > 0) AS workers,
                       sum(instances * greatest(1, gpu / 100)) AS gpus, max(finish) - min(begin) AS seconds
                FROM rows GROUP BY job)
  SELECT CASE WHEN ps THEN 'ps-worker' WHEN gpus <= 1 THEN '1w1g' WHEN workers <= 1 THEN '1wng'
              WHEN gpus <= 8 THEN 'allreduce-local' ELSE 'allreduce-cluster' END AS architecture,
         count(*), sum(gpus), sum(gpus * seconds), median(seconds)
  FROM jobs WHERE gpus > 0 GROUP BY architecture ORDER BY architecture''').fetchall())
"""


def drawn():
    """Lines of a table without its header, and the header."""
    text = subprocess.run([sys.executable, GENERATOR, "--jobs", str(DRAWN), "--seed", "1"], check=True,
                          capture_output=True).stdout.splitlines(keepends=True)
    return text[0], text[1:]


def jobs(folder, count):
    def make(path):
        header, rows = drawn()
        tails = [row.partition(b",")[2] for row in rows]
        with open(path, "wb", buffering=BYTES) as out:
            out.write(header)
            for i in range(count):
                out.write(b"%d,%b" % (i, tails[i % DRAWN]))

    return inputs.made(folder, f"jobs-{count}.csv", make)


def packed_jobs(folder, count):
    """The same rows again and again, as members of gzip: a table of many GiB in a file of few."""
    def make(path):
        header, rows = drawn()
        member = gzip.compress(b"".join(rows), 1)
        with open(path, "wb") as out:
            out.write(gzip.compress(header))
            for _ in range(count // DRAWN):
                out.write(member)

    return inputs.made(folder, f"jobs-{count}.csv.gz", make)


def pai_tasks(folder, count):
    """Rows for the columns job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type."""
    def make(path):
        draw = random.Random(1)
        tails = []
        for _ in range(DRAWN):
            role = draw.choices(("tensorflow", "worker", "ps", "PyTorchWorker", "xComputeWorker"), (40, 25, 10, 15, 10))[0]
            start = draw.uniform(1e6, 7e6)
            gpu = "" if role == "ps" else draw.choice(("25.0", "50.0", "100.0", "100.0", "200.0", "800.0"))
            tails.append(f",{role},{draw.choice((1, 1, 1, 2, 4, 8, 16, 64))}.0,Terminated,{start:.1f},"
                         f"{start + draw.lognormvariate(6, 2):.1f},600.0,29.296875,{gpu},"
                         f"{draw.choice(('T4', 'P100', 'V100', 'MISC'))}\n".encode())
        with open(path, "wb", buffering=BYTES) as out:
            for i in range(count):
                out.write(b"%024x%b" % (i // 2 * 0x9E3779B97F4A7C15 % (1 << 96), tails[i % DRAWN]))

    os.makedirs(os.path.join(folder, f"pai-{count}"), exist_ok=True)
    return inputs.made(os.path.join(folder, f"pai-{count}"), "pai_task_table.csv", make)


def commands(program, path):
    breakdown = [program, "fleet", "breakdown", path, "--hw", "paper", "--format", "json"]
    return {"breakdown": breakdown,
            "grouped": [*breakdown, "--group-by", "architecture"],
            "project": [program, "fleet", "project", path, "--hw", "paper", "--to", "allreduce-local", "--format", "json"]}


def one_process(figures, program, work):
    """Ten million rows on two cores; how a row's cost grows from a million."""
    short, long = commands(program, jobs(work, MILLION)), commands(program, jobs(work, 10 * MILLION))
    times = min(3, figures.times)
    for name in long:
        costs = compare({"short": short[name], "long": long[name]}, times, cores=2)
        took, before = costs["long"], costs["short"]
        figures.add(f"fleet.{name}.seconds", took.wall_s, "s of 10 M rows", ("<=", SECONDS), cpu_s=took.cpu_s)
        figures.add(f"fleet.{name}.memory", took.peak_bytes / BYTES, "MiB", ("<=", MIB))
        figures.add(f"fleet.{name}.growth", took.cpu_s / before.cpu_s / 10, "of a row's cost in 1 M", ("<=", 1.1),
                    short_cpu_s=before.cpu_s, short_wall_s=before.wall_s, short_mib=before.peak_bytes / BYTES)


def mpirun(program, processes):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", processes,
            os.path.join(os.path.dirname(os.path.realpath(program)), "mpi", "steptime-mpi")]


def several_processes(figures, program, work):
    """One thread a process: two processes against one; then a hundred million rows."""
    if not shutil.which("mpirun") or not os.path.exists(mpirun(program, 1)[-1]):
        raise Missing("Open MPI is not installed")
    command = [*commands(program, jobs(work, 10 * MILLION))["breakdown"][1:], "--threads", "1"]
    costs = compare({n: [*mpirun(program, n), *command] for n in (1, 2)}, min(3, figures.times))
    figures.add("fleet.mpi.two_ranks", costs[1].wall_s / costs[2].wall_s, "times faster", (">=", 1.5),
                one_s=costs[1].wall_s, two_s=costs[2].wall_s, one_cpu_s=costs[1].cpu_s, two_cpu_s=costs[2].cpu_s)
    path = packed_jobs(work, 100 * MILLION)
    took = run([*mpirun(program, 2), *commands(program, path)["breakdown"][1:], "--threads", "1"])
    figures.add("fleet.mpi.hundred_million", took.wall_s, "s of 100 M rows on two ranks, packed", None, cpu_s=took.cpu_s)


def duckdb_python():
    """A Python that has DuckDB; made on first use."""
    home = os.path.join(inputs.TOP, "build", "bench-duckdb")
    python = os.path.join(home, "bin", "python")
    if not os.path.exists(os.path.join(home, "ready")):
        try:
            subprocess.run([sys.executable, "-m", "venv", home], check=True, capture_output=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "duckdb"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing("DuckDB cannot be installed here") from error
        with open(os.path.join(home, "ready"), "w", encoding="ascii"):
            pass
    return python


def beside_duckdb(figures, program, work):
    """A table of tasks into jobs by architecture, with all quantiles, against DuckDB's read_csv with sums and a median."""
    path = pai_tasks(work, 5 * MILLION)
    costs = compare({"ours": [program, "fleet", "breakdown", path, "--hw", "paper", "--format", "json"],
                     "theirs": [duckdb_python(), "-c", DUCKDB, path]}, min(3, figures.times), cores=2)
    ours, theirs = costs["ours"], costs["theirs"]
    figures.add("fleet.duckdb.speed", theirs.wall_s / ours.wall_s, "times faster", None, ours_s=ours.wall_s,
                theirs_s=theirs.wall_s, ours_cpu_s=ours.cpu_s, theirs_cpu_s=theirs.cpu_s,
                ours_mib=ours.peak_bytes / BYTES, theirs_mib=theirs.peak_bytes / BYTES)


def fleets(figures, program, work):
    for measure in (one_process, several_processes, beside_duckdb):
        try:
            measure(figures, program, work)
        except (Missing, Failed) as reason:
            figures.missing(f"fleet.{measure.__name__}", str(reason))
