# SPDX-License-Identifier: Apache-2.0
"""steptime price on training scripts of ten public models (bench/price): what the dry run costs, and what it says beside a
real run on the CPU. The scripts run unmodified, with random weights; packages that are not installed are told.

    bench/price_models.py [--python PYTHON] [--hw DEVICE] [NAME...]

The Python needs torch, transformers, diffusers, torchrec with fbgemm-gpu-cpu, torch-geometric, stable-baselines3, accelerate and
lightning. Columns: processor time and memory of `steptime price`, everything included; operators of the last step that are equal, and
how many differences there are; peak memory over MemTracker's; FLOPs of matrix operators over FlopCounterMode's, and operators of which
these are not equal. Beside a real run speech and diffusion are smaller models of the same kind (SMALL), and the job has two ranks.
"""
import argparse
import csv
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "cli", "price"))
from dry_real import Comparison, Tree  # pylint: disable=wrong-import-position

STEPTIME = os.path.join(TOP, "build", "steptime")
SCRIPTS = os.path.join(TOP, "bench", "price")
NAMES = ("language_trainer", "vision_trainer", "speech_trainer", "diffusion", "recommendation", "graph", "reinforcement",
         "accelerate_loop", "lightning_module", "sharded")
SMALL = ("speech_trainer", "diffusion")  # beside a real run: it would take minutes
JOBS = {"sharded": 2}  # ranks
STEPS = 3
COLUMNS = ("name", "cpu_s", "mb", "step_ms", "equal", "different", "peak_bytes", "peak_ratio", "flops", "flops_ratio", "flops_different", "trouble")


class Failed(Exception):
    pass


def run(words, folder, **more):
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", **more})
    if done.returncode:
        last = done.stderr.strip().splitlines()
        raise Failed(f"{words[1]} ended with {done.returncode}: {last[-1] if last else ''}"[:300])
    return done.stdout


def timed(words, folder):
    """Output, processor time with children's, and the most memory that one of them held."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            said = run(words, folder)
        except Failed as problem:
            said = f"!{problem}"
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with os.fdopen(write, "w") as out:
            out.write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}\n{said}")
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as text:
        figures, said = text.read().split("\n", 1)
    os.waitpid(child, 0)
    if said.startswith("!"):
        raise Failed(said[1:])
    return said, *map(float, figures.split())


def value(document, name, key):
    part = next(one for one in document["sections"] if one["id"] == name)
    return next((one["value"] for one in part["values"] if one["id"] == key), None)


def rows(document, name, table):
    part = next(one for one in document["sections"] if one["id"] == name)
    found = next(one for one in part["tables"] if one["id"] == table)
    ids = [column["id"] for column in found["columns"]]
    return [dict(zip(ids, row)) for row in found["rows"]]


class Model:
    def __init__(self, name, asked, folder):
        self.script, self.asked, self.folder = os.path.join(SCRIPTS, f"{name}.py"), asked, folder
        self.row = {"name": name}

        self.ranks = JOBS.get(name, 0)
        self.small = {"SMALL": "1"} if name in SMALL else {}

    def really(self, words):
        """The first rank, with the others beside it."""
        if not self.ranks:
            return run(words, self.folder, **self.small)
        with socket.socket() as free:
            free.bind(("localhost", 0))
            port = str(free.getsockname()[1])
        job = [{"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(self.ranks), "MASTER_ADDR": "localhost",
                "MASTER_PORT": port} for rank in range(self.ranks)]
        others = [subprocess.Popen([self.asked.python, self.script], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1", **rank}) for rank in job[1:]]
        try:
            return run(words, self.folder, **job[0])
        finally:
            for other in others:
                other.kill()
                other.wait()

    def price(self, *options):
        options = (*options, "--ranks", str(self.ranks)) if self.ranks else options
        return [STEPTIME, "price", *options, "--format", "json", "--python", self.asked.python, "--", self.script]

    def on_device(self):
        said, seconds, megabytes = timed(self.price("--hw", self.asked.hw), self.folder)
        step_us = rows(json.loads(said), "price", "devices")[0]["step_us"]
        self.row.update(cpu_s=f"{seconds:.1f}", mb=f"{megabytes:.0f}", step_ms=f"{step_us / 1000:.2f}")

    def beside_a_real_run(self):
        """Asked for a CPU: peak and FLOPs of the dry run are kept for what follows."""
        dry = os.path.join(self.folder, "dry.json")
        told = json.loads(run(self.price("--keep", dry), self.folder, **self.small))
        self.row["peak_bytes"] = value(told, "memory", "peak_bytes")
        real = os.path.join(self.folder, "real")
        self.really([STEPTIME, "record", "--et", "--no-stacks", "--wait", str(STEPS), "--warmup", "1", "--steps", "1", "-o", real, "--",
                     self.asked.python, self.script])
        name = os.path.splitext(os.path.basename(self.script))[0] + ("-rank0" if self.ranks else "")
        found = Comparison(Tree(dry), Tree(os.path.join(real, f"{name}.et.json.gz")))
        self.row.update(equal=found.equal, different=len(found.differences))
        for line in found.differences[:self.asked.show]:
            print(f"  {line[:600]}", file=sys.stderr)

    def watched(self, kind):
        said = self.really([self.asked.python, os.path.join(TOP, "bench", "price_watch.py"), kind, str(STEPS), self.script])
        return json.loads(next(line for line in said.splitlines() if line.startswith("watched "))[8:])

    def memory(self):
        self.row["peak_ratio"] = f"{self.row['peak_bytes'] / self.watched('memory')['peak_bytes']:.4f}"

    def flops(self):
        told = json.loads(run(self.price("--keep", os.devnull), self.folder, **self.small))
        ours = {row["operator"]: row["flops"] for row in rows(told, "step", "operators")}
        theirs = self.watched("flops")
        self.row.update(flops=theirs["flops"], flops_ratio=f"{sum(ours.values()) / theirs['flops']:.4f}" if theirs["flops"] else "-")
        of_theirs = {name.replace(".", "::"): count for name, count in theirs["by"].items()}
        apart = [name for name in sorted({*ours, *of_theirs}) if ours.get(name) != of_theirs.get(name)]
        self.row["flops_different"] = " ".join(apart)
        for name in apart:
            print(f"  {name}: {ours.get(name)} {of_theirs.get(name)}", file=sys.stderr)

    def all(self):
        for part in (self.on_device, self.beside_a_real_run, self.memory, self.flops):
            if self.asked.only and part.__name__ not in self.asked.only:
                continue
            try:
                part()
            except (Failed, StopIteration, KeyError, FileNotFoundError) as problem:
                self.row["trouble"] = f"{self.row.get('trouble', '')} {part.__name__}: {problem}".strip()
        return self.row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--hw", default="H100")
    parser.add_argument("--show", type=int, default=3, help="so many differences of each")
    parser.add_argument("--only", action="append", help="on_device, beside_a_real_run, memory or flops")
    parser.add_argument("names", nargs="*", default=NAMES)
    asked = parser.parse_args()
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    for name in asked.names:
        with tempfile.TemporaryDirectory() as folder:
            out.writerow(Model(name, asked, folder).all())
            sys.stdout.flush()


if __name__ == "__main__":
    main()
