#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records real jobs of four ranks with something planted on one of them.

record.py [--out FOLDER] [--python PYTHON] [PLANT...]

Each plant becomes FOLDER/PLANT/rank0..3.json.gz; what was planted, as the rank's own clock saw it, goes to
FOLDER/told.json. The ranks meet on the loopback, one thread each. Needs PyTorch (tests/torch_python.py finds it), and a
C compiler for slow_link.
"""
import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import torch_python  # noqa: E402

RANKS = 4
PLANTS = {"none": 1, "forward": 1, "backward": 1, "loader": 1, "gc": 1, "slow_link": 1, "skewed_start": 1, "sequence": 2,
          "checkpoint": 0, "compile": 1, "stages": 2}  # the rank of each
PROGRAMS = {"stages": "real_pipeline.py"}  # of the others real_job.py
BY_WORK = ("sequence", "stages")  # told as the processor time of each step, on every rank
FREE_PORT = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"


def slow_link(folder):
    library = os.path.join(folder, "slow_link.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "slow_link.c"), "-ldl"], check=True)
    return library


def start(python, plant, rank, port, folder):
    env = {**os.environ, "OMP_NUM_THREADS": "1", "RANK": str(rank), "WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1",
           "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo", "TORCH_CPP_LOG_LEVEL": "ERROR"}
    if plant == "slow_link" and rank == PLANTS[plant]:
        env["LD_PRELOAD"] = slow_link(folder)
    command = [python, os.path.join(HERE, PROGRAMS.get(plant, "real_job.py")), plant, str(PLANTS[plant]), f"{folder}/rank{rank}.json",
               f"{folder}/told{rank}.json"]
    named = ["unshare", "-u", "sh", "-c", 'hostname example; exec "$@"', "sh"] if os.geteuid() == 0 else []
    return subprocess.Popen(named + command, env=env, cwd=folder)


def pack(source, target):
    """Compressed without a name and a time, so that the same trace is the same file."""
    with open(source, "rb") as file, open(target, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        shutil.copyfileobj(file, packed)


def read(path):
    with open(path, encoding="ascii") as file:
        return json.load(file)


def longer(told, rank):
    """How much longer than the middle of the others each step of a rank was."""
    others = [[ns for _, ns in told[r]] for r in range(RANKS) if r != rank]
    return [[step, ns - statistics.median(others[r][i] for r in range(RANKS - 1))] for i, (step, ns) in enumerate(told[rank])]


def record(python, plant, out):
    """What was planted: [[step, ns], ...]."""
    with tempfile.TemporaryDirectory() as folder:
        port = subprocess.run([sys.executable, "-c", FREE_PORT], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        ranks = [start(python, plant, rank, port, folder) for rank in range(RANKS)]
        if any([process.wait(timeout=300) for process in ranks]):
            sys.exit(f"{plant}: a rank failed")
        os.makedirs(os.path.join(out, plant), exist_ok=True)
        for rank in range(RANKS):
            pack(f"{folder}/rank{rank}.json", os.path.join(out, plant, f"rank{rank}.json.gz"))
        told = [read(f"{folder}/told{rank}.json") for rank in range(RANKS)]
        return longer(told, PLANTS[plant]) if plant in BY_WORK else told[PLANTS[plant]]


def write_told(path, told):
    try:
        told = {**read(path), **told}
    except FileNotFoundError:
        pass
    rows = [f'"{plant}": {{"rank": {PLANTS[plant]}, "planted_ns": {json.dumps(told[plant])}}}'
            if not isinstance(told[plant], dict) else f'"{plant}": {json.dumps(told[plant])}' for plant in sorted(told)]
    with open(path, "w", encoding="ascii") as file:
        file.write("{\n" + ",\n".join(rows) + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(HERE), "data", "planted"))
    parser.add_argument("--python", default=None)
    parser.add_argument("plants", nargs="*", metavar="PLANT", help=" ".join(PLANTS))
    args = parser.parse_args()
    python = args.python or torch_python.find() or sys.exit("no interpreter with PyTorch")
    for plant in args.plants or PLANTS:
        write_told(os.path.join(args.out, "told.json"), {plant: record(python, plant, args.out)})


if __name__ == "__main__":
    main()
