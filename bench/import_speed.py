#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the tables of PAI 2020 become jobs: generated ones, beside DuckDB's read_csv with the same sums.

import_speed.py [--jobs N] [--program FILE] [--folder DIR] [--threads N]

The rows are those of a task table as published (no header), of made-up jobs in the published mix of roles; the seed is
fixed. Both tools count jobs and cNodes by architecture; their answers must agree. Each is run three times, the best
counts. Without DuckDB only our time is told.
"""
import argparse
import json
import os
import random
import subprocess
import time

from accuracy_data import PROGRAM
from inputs import TOP

SEED, KINDS = 2020, ("1w1g", "1wng", "ps-worker", "allreduce-local", "allreduce-cluster")

QUERY = """
with tasks as (from read_csv('{path}', header=false, columns={{
    'job': 'varchar', 'task': 'varchar', 'instances': 'double', 'status': 'varchar', 'start_s': 'double',
    'end_s': 'double', 'cpu': 'double', 'memory': 'double', 'gpu': 'double', 'type': 'varchar'}})),
jobs as (select job, bool_or(task = 'ps') as served,
    sum(instances) filter (gpu > 0 and task != 'ps') as instances, max(gpu) filter (task != 'ps') as gpu,
    sum(instances * greatest(1, gpu / 100)) filter (gpu > 0 and task != 'ps') as cnodes,
    max(end_s) - min(start_s) as duration_s from tasks group by job)
select case when served then 'ps-worker' when instances <= 1 then if(gpu <= 100, '1w1g', '1wng')
    when cnodes <= 8 then 'allreduce-local' else 'allreduce-cluster' end as architecture,
    count(*), avg(cnodes), sum(cnodes * duration_s) from jobs where cnodes > 0 group by architecture
"""


def rows_of(number, random_):
    """The tasks of one job."""
    name = f"{random_.getrandbits(96):024x}"
    start = 1_000_000 + number
    end = start + int(random_.expovariate(1 / 5000)) + 1
    kind = random_.choices(KINDS, (59, 12, 25, 3, 1))[0]
    task, gpu = {"1w1g": ("tensorflow", random_.choice((25, 50, 100))), "1wng": ("worker", 400),
                 "ps-worker": ("worker", 50)}.get(kind, ("PyTorchWorker", 100))
    instances = {"1w1g": 1, "1wng": 1, "ps-worker": random_.randint(2, 40), "allreduce-local": random_.randint(2, 8),
                 "allreduce-cluster": random_.randint(9, 64)}[kind]
    if kind == "ps-worker":
        yield f"{name},ps,{random_.randint(1, 8)},Terminated,{start}.0,{end}.0,600.0,29.29,,"
    yield f"{name},{task},{instances},Terminated,{start}.0,{end}.0,600.0,29.29,{gpu}.0,{random_.choice(('T4', 'P100', 'V100', 'MISC'))}"


def generated(folder, jobs):
    """The folder with the table, made once."""
    folder = os.path.join(folder, f"pai-{jobs}")
    path = os.path.join(folder, "pai_task_table.csv")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        random_ = random.Random(SEED)
        with open(path + ".part", "w") as out:
            for number in range(jobs):
                for row in rows_of(number, random_):
                    out.write(row + "\n")
        os.replace(path + ".part", path)
    return folder, path


def best_of(run, times=3):
    best, answer = float("inf"), None
    for _ in range(times):
        begin = time.monotonic()
        answer = run()
        best = min(best, time.monotonic() - begin)
    return best, answer


def ours(program, folder, threads):
    out = subprocess.run([program, "fleet", "breakdown", folder, "--threads", str(threads), "--format", "json"],
                         capture_output=True, check=True).stdout
    tables = [table for section in json.loads(out)["sections"] for table in section["tables"]]
    table = next(table for table in tables if table["id"] == "architectures")
    ids = [column["id"] for column in table["columns"]]
    rows = [dict(zip(ids, row)) for row in table["rows"]]
    return {row["group"]: (row["jobs"], row["mean_cnodes"]) for row in rows}


def duckdbs(path, threads):
    import duckdb
    connection = duckdb.connect(config={"threads": threads})
    return {row[0]: (row[1], row[2]) for row in connection.sql(QUERY.format(path=path)).fetchall()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--folder", default=os.path.join(TOP, "build", "bench"))
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    folder, path = generated(asked.folder, asked.jobs)
    size = os.path.getsize(path)
    seconds, mine = best_of(lambda: ours(asked.program, folder, asked.threads))
    print(f"steptime {seconds:8.2f} s {size / seconds / 1e6:8.0f} MB/s  {asked.jobs} jobs, {size / 1e6:.0f} MB")
    try:
        theirs_s, theirs = best_of(lambda: duckdbs(path, asked.threads))
    except ImportError:
        print("DuckDB is not installed")
        return
    print(f"DuckDB   {theirs_s:8.2f} s {size / theirs_s / 1e6:8.0f} MB/s  ratio {theirs_s / seconds:.2f}")
    for kind in sorted(set(mine) | set(theirs)):
        (count, mean), (count_there, mean_there) = mine[kind], theirs[kind]
        agree = count == count_there and abs(mean - mean_there) < 1e-6 * mean_there
        print(f"{kind:<20} {count:>10} jobs {mean:12.4f} cNodes {'agrees' if agree else f'{count_there} {mean_there}'}")


if __name__ == "__main__":
    main()
