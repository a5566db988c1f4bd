# SPDX-License-Identifier: Apache-2.0
"""Tables of millions of jobs: time and memory of `fleet`, the same over two processes, and tables beside DuckDB and Polars.

Rows are those of examples/fleet/generate.py, repeated under new names; the public table is rows drawn for the columns
of PAI 2020's table of tasks.
"""
import gzip
import json
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

PEERS = os.path.join(inputs.TOP, "bench", "peers")

# What is asked of the peers (bench/peers/fleet_duckdb.py): the rows of its table, how much faster than either peer ours
# is to be, and how much smaller. Of parts a million rows are kept to be exact: no promise of memory.
QUESTIONS = {"tasks": (5 * MILLION, 1.5, 7), "parts": (MILLION, 1.5, None), "jobs": (MILLION, None, None)}


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


def peers_python():
    """A Python that has DuckDB and Polars; made on first use."""
    home = os.path.join(inputs.TOP, "build", "bench-tables")
    python = os.path.join(home, "bin", "python")
    if not os.path.exists(os.path.join(home, "ready")):
        try:
            subprocess.run([sys.executable, "-m", "venv", home], check=True, capture_output=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "duckdb", "polars"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing("DuckDB and Polars cannot be installed here") from error
        with open(os.path.join(home, "ready"), "w", encoding="ascii"):
            pass
    return python


def near(mine, yours):
    return mine == yours or (isinstance(mine, float) and abs(mine - yours) <= 1e-6 * abs(yours))


def architectures(answer):
    """Of each architecture the jobs and their share of the GPUs and of GPU-time: ours of the report, theirs of sums."""
    if isinstance(answer, dict):
        tables = [table for section in answer["sections"] for table in section["tables"]]
        rows = next(table["rows"] for table in tables if table["id"] == "architectures")
        return [[row[0], row[1], float(row[3]), float(row[4])] for row in rows]
    gpus, gpu_time = (sum(row[i] for row in answer) for i in (2, 3))
    return [[row[0], row[1], row[2] / gpus, row[3] / gpu_time] for row in answer]


def check_answers(question, costs):
    """Who answers something else is not compared. Of parts only the peers answer the same: our steps know their links."""
    answers = {name: json.loads(cost.out) for name, cost in costs.items()}
    if question == "parts":
        rows = [sorted(answers[name]) for name in ("duckdb", "polars")]
    else:
        rows = [architectures(answers[name]) for name in ("ours", "duckdb", "polars")]
    for other in rows[1:]:
        if len(other) != len(rows[0]) or not all(near(*pair) for a, b in zip(rows[0], other) for pair in zip(a, b)):
            raise Failed(f"answers to '{question}' differ")


def beside(figures, program, work, question):
    """The same of one table by ours and by each peer, on the same two cores in turns, the file in the page cache."""
    count, faster, smaller = QUESTIONS[question]
    path = (pai_tasks if question == "tasks" else jobs)(work, count)
    python = peers_python()
    theirs = {peer: [python, os.path.join(PEERS, f"fleet_{peer}.py"), question, path] for peer in ("duckdb", "polars")}
    costs = compare({"ours": commands(program, path)["breakdown"], **theirs}, min(5, figures.times), cores=2)
    check_answers(question, costs)
    ours = costs["ours"]
    speed, memory = faster and (">=", faster), smaller and (">=", smaller)
    for peer in theirs:
        cost, name = costs[peer], f"fleet.{peer}.{question}"
        figures.add(f"{name}.wall", cost.wall_s / ours.wall_s, "times ours", speed,
                    ours_s=ours.wall_s, theirs_s=cost.wall_s)
        figures.add(f"{name}.cpu", cost.cpu_s / ours.cpu_s, "times ours", speed,
                    ours_s=ours.cpu_s, theirs_s=cost.cpu_s)
        figures.add(f"{name}.memory", cost.peak_bytes / ours.peak_bytes, "times ours", memory,
                    ours_mib=ours.peak_bytes / BYTES, theirs_mib=cost.peak_bytes / BYTES)


def tasks_beside(figures, program, work):
    """Tasks to jobs and jobs by architecture: all that `fleet breakdown` tells of such a table."""
    beside(figures, program, work, "tasks")


def parts_beside(figures, program, work):
    """Parts of steps, their means and quantiles by architecture under three weights: most of what it tells of jobs."""
    beside(figures, program, work, "parts")


def jobs_beside(figures, program, work):
    """Counts and a median by architecture, where ours tells everything in any case: no promise."""
    beside(figures, program, work, "jobs")


def fleets(figures, program, work):
    for measure in (one_process, several_processes, tasks_beside, parts_beside, jobs_beside):
        try:
            measure(figures, program, work)
        except (Missing, Failed) as reason:
            figures.missing(f"fleet.{measure.__name__}", str(reason))
