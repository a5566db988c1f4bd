#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where a command costs more than before for the same work: about a minute, the same figures on a busy machine.

guard.py [--program FILE] [--only WORD] [--update]

Every command runs over generated inputs of three sizes. Instructions are counted: by perf where the processor's counters
can be had, else by valgrind, which runs the three sizes in one process (bench/turns.c), as starting it takes longer than
most commands. Peak memory, of the largest, is what the system saw. What a unit costs more in the large input than in the
medium one is its growth: above LINEAR it fails, but for the few whose question is superlinear. What a rank more costs in
memory is bounded, as memory is to be for as many traces as cores, not as ranks. Instructions and memory of
the largest input are held against bench/guard/baseline.json: more than TOLERANCE above fails; as much below is told, so
that --update keeps the gain. The baseline names its compiler and options; a program built otherwise is measured for growth
alone.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import guard_inputs
from inputs import TOP
from measure import run

BUILD = os.path.join(TOP, "build")
BASELINE = os.path.join(TOP, "bench", "guard", "baseline.json")
LINEAR, TOLERANCE = 1.15, 1.10
MEMORY_NOISE = 512 << 10  # pages that the system hands out more or less of
COPIES, RANKS, ROWS, DEVICES = (1, 10, 30), (8, 64, 256), (300, 3000, 9000), (8, 64, 256)
STEPS_A_COPY = 4
RANK_KIB = 12  # that a rank may leave behind: its place in the list, its numbers, its rows
RANK_KIB_OF = {"summary": 32,  # what to change first, of each rank
               "critical-path": 16,
               "predict": 48}  # the packed programs of its steps; and the ranks of a step are walked together
SKETCH_KIB = 16  # that a rank takes of which a sketch is read


@dataclass
class Case:
    """A command over inputs of three sizes; make(folder, size) gives its argument, or a list of them."""

    command: str
    sizes: tuple
    make: object
    options: tuple = ()
    superlinear: str = ""  # why its growth is not judged

    @property
    def name(self):
        return f"{self.command}, {self.make.__name__}"

    def arguments(self, folder, size):
        made = self.make(folder, size)
        return [*self.command.split(), *self.options, *(made if isinstance(made, list) else [made])]


def steps(folder, copies):
    return guard_inputs.trace(folder, STEPS_A_COPY * copies)


def snapshot_steps(folder, copies):
    return guard_inputs.snapshot(folder, STEPS_A_COPY * 10 * copies)


def allocations(folder, copies):
    return guard_inputs.allocations(folder, STEPS_A_COPY * copies)


def two(folder, copies):
    return guard_inputs.two(folder, STEPS_A_COPY * copies)


AGGREGATION = "SELECT rank, name, count(*) AS calls, sum(dur_ns) AS total_ns FROM events GROUP BY rank, name ORDER BY total_ns DESC"


def cases():
    over_traces = ("summary", "breakdown", "kernels", "ops", "critical-path", "ranks", "overheads", "predict", "info",
                   "fleet features")
    for command in over_traces:
        json_or_csv = ("--format", "csv") if command == "fleet features" else ("--format", "json")
        yield Case(command, COPIES, steps, json_or_csv)
        yield Case(command, RANKS, guard_inputs.ranks, json_or_csv)
    for command in ("ranks", "summary", "critical-path"):
        yield Case(command, RANKS, guard_inputs.sketches, ("--format", "json"))
    yield Case("diff", COPIES, two, ("--format", "json"))
    yield Case("memory", COPIES, allocations, ("--format", "json"))
    yield Case("memory", COPIES, snapshot_steps, ("--format", "json"))
    for sizes, make in ((COPIES, steps), (RANKS, guard_inputs.ranks)):
        yield Case("query", sizes, make, ("--format", "json", "--sql", AGGREGATION))
        yield Case("report", sizes, make, ("--output", os.devnull))
    for command in ("summary", "breakdown"):
        yield Case(command, DEVICES, guard_inputs.devices, ("--format", "json"))
    yield Case("fleet stragglers", RANKS, guard_inputs.ranks, ("--format", "json"),
               superlinear="it replays the whole job once for each worker")
    yield Case("lint", COPIES, guard_inputs.source, ("--format", "json", "--fail-on", "never"))
    yield Case("fix", COPIES, guard_inputs.source)
    yield Case("fleet breakdown", ROWS, guard_inputs.jobs, ("--hw", "paper"))
    yield Case("fleet project", ROWS, guard_inputs.jobs, ("--hw", "paper", "--to", "allreduce-local", "--format", "json"))
    yield Case("shard", RANKS, guard_inputs.tables, ("--gpus", "8", "--hw", "A100-SXM4-40GB"),
               superlinear="it searches for exchanges between tables")
    yield Case("model eval", ROWS, guard_inputs.kernels, ("--format", "json"))


PEAK = os.path.join(TOP, "build", "bench", "peak")
ALONE = ("hw", "rules", "model show", "help", "completion bash")  # no input: what starting costs


# ---- counting ----

class Miscounted(Exception):
    """The program did not end well, or nothing can be counted here."""


def perf_counts():
    """Whether perf can read the processor's counters: not in every virtual machine."""
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-e", "instructions:u", "true"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "not supported" not in done.stderr and "not counted" not in done.stderr


def counter():
    if perf_counts():
        return ["perf", "stat", "-x", " ", "-e", "instructions:u"], re.compile(r"^(\d+) .*instructions", re.M)
    if shutil.which("valgrind"):
        return (["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
                re.compile(r"I +refs: +([\d,]+)"))
    return None, None


def told_by(tool, command):
    """What the counting tool says of a command that ends well."""
    with tempfile.TemporaryFile() as told:
        status = subprocess.run([*tool, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=told,
                                check=False).returncode
        told.seek(0)
        text = told.read().decode("utf-8", "replace")
    if status:
        raise Miscounted(f"{' '.join(command[1:])} ended with {status}: {text.strip().splitlines()[-1:]}")
    return text


def counts(pattern, text, wanted):
    found = [int(count.replace(",", "")) for count in pattern.findall(text)]
    if len(found) != wanted:
        raise Miscounted(f"{len(found)} counts where {wanted} were to come: {text.strip().splitlines()[-1:]}")
    return found


def instructions(commands):
    """Of each of several command lines of the program (its path first), on one thread."""
    tool, pattern = counter.found
    if tool[0] == "perf" or len(commands) == 1:
        return [counts(pattern, told_by(tool, command), 1)[0] for command in commands]
    lines = [commands[0], *commands]  # the first reads what is read once a process
    words = [word for command in lines for word in (";", *command[1:])][1:]
    turns = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(commands[0][0]))), "bench", "turns")
    so_far = counts(pattern, told_by(tool, [turns, *words]), len(lines) + 2)  # before, behind each, at the end
    return [after - before for before, after in zip(so_far[1:], so_far[2:-1])]


def peak_bytes(command):
    """Of the plain run, as a tool's own would hide it, and started by a small program (bench/peak.c)."""
    with tempfile.NamedTemporaryFile("r") as told:
        run([PEAK, told.name, *command])
        return int(told.read())


def measure(commands):
    """Of the same command over inputs of rising size: the instructions of all, the peak memory of the last."""
    # Of three, as the kernel counts pages in lots.
    return {"instructions": instructions(commands), "peak_bytes": min(peak_bytes(commands[-1]) for _ in range(3))}


# ---- judging ----

def growth(sizes, costs):
    """What a unit more costs from the second size to the third, over the same from the first to the second."""
    early = (costs[1] - costs[0]) / (sizes[1] - sizes[0])
    late = (costs[2] - costs[1]) / (sizes[2] - sizes[1])
    return late / early if early > 0 else 1.0


def judge_growth(case, taken):
    factor = growth(case.sizes, taken["instructions"])
    if factor > LINEAR and not case.superlinear:
        yield f"{case.name}: a unit costs {factor:.2f} times as much at {case.sizes[2]} as at {case.sizes[1]} (at most {LINEAR})"


def judge_ranks(case, taken):
    """What a rank more costs in memory."""
    if case.make not in (guard_inputs.ranks, guard_inputs.sketches):
        return
    small, large = (cost["peak_bytes"] for cost in taken[1:])
    kib = (large - small) / (case.sizes[2] - case.sizes[1]) / 1024
    most = SKETCH_KIB if case.make is guard_inputs.sketches else RANK_KIB_OF.get(case.command, RANK_KIB)
    if kib > most:
        yield f"{case.name}: a rank takes {kib:.1f} KiB of memory (at most {most})"


def judge_cost(name, cost, before):
    if before is None:
        yield f"{name}: not in the baseline (--update adds it)"
        return
    for figure, noise in (("instructions", 0), ("peak_bytes", MEMORY_NOISE)):
        if cost[figure] > before[figure] * TOLERANCE + noise:
            yield (f"{name}: {figure} {cost[figure]:,}, {cost[figure] / before[figure]:.2f} times the baseline's "
                   f"{before[figure]:,} (at most {TOLERANCE})")


def gains(name, cost, before):
    if before and cost["instructions"] * TOLERANCE < before["instructions"]:
        yield f"{name}: {before['instructions'] / cost['instructions']:.2f} times cheaper than the baseline (--update keeps that)"


def built_with(program):
    """Compiler and options of the build that the program lies in; what makes its counts comparable."""
    about = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), "meson-info")
    try:
        with open(os.path.join(about, "intro-compilers.json"), encoding="utf-8") as text:
            compiler = json.load(text)["host"]["c"]
        with open(os.path.join(about, "intro-buildoptions.json"), encoding="utf-8") as text:
            options = {option["name"]: option["value"] for option in json.load(text)}
    except (OSError, KeyError, ValueError):
        return None
    kept = ("buildtype", "optimization", "b_lto", "b_sanitize", "b_ndebug", "c_args", "isal", "isa")
    return {"compiler": f"{compiler['id']} {compiler['version']}", "counter": counter.found[0][0],
            **{name: options[name] for name in kept if name in options}}


# ---- the run ----

def take(program, only, folder):
    """The costs by name: of each case its three sizes, of a command alone one. The largest inputs come first."""
    jobs = {}
    with ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:
        chosen = [case for case in cases() if only in case.name]
        for case in sorted(chosen, key=lambda case: case.make is not guard_inputs.ranks):
            last = ["--threads", "1"] if threads(case) else []
            commands = [[program, *case.arguments(folder, size), *last] for size in case.sizes]
            jobs[case.name] = pool.submit(measure, commands)
        for command in (command for command in ALONE if only in command):
            jobs[command] = pool.submit(measure, [[program, *command.split()]])
        return {name: job.result() for name, job in jobs.items()}


def threads(case):
    """Whether the command has --threads."""
    return case.command not in ("shard", "model eval", "fleet features", "fleet stragglers")


def update(costs, built, only):
    kept = read_baseline()["costs"] if only else {}
    document = {"built": built, "costs": dict(sorted({**kept, **costs}.items()))}
    with open(BASELINE, "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1)
        out.write("\n")


def read_baseline():
    try:
        with open(BASELINE, encoding="utf-8") as text:
            return json.load(text)
    except FileNotFoundError:
        return {"built": None, "costs": {}}


def main(program, only, updating):
    counter.found = counter()
    if not counter.found[0]:
        print("guard: neither perf's counters nor valgrind are here: nothing was measured")
        return 0
    taken = take(program, only, guard_inputs.folder_in(BUILD))
    costs = {name: {**cost, "instructions": cost["instructions"][-1]} for name, cost in taken.items()}
    faults, told = [], []
    for case in (case for case in cases() if only in case.name):
        faults += judge_growth(case, taken[case.name])
    baseline, built = read_baseline(), built_with(program)
    if updating:
        update(costs, built, only)
    elif baseline["built"] != built:
        told.append(f"built as {built}, the baseline as {baseline['built']}: growth alone was judged")
    else:
        for name, cost in costs.items():
            faults += judge_cost(name, cost, baseline["costs"].get(name))
            told += gains(name, cost, baseline["costs"].get(name))
    for line in told:
        print(f"guard: {line}")
    for line in faults:
        print(f"guard: FAIL {line}")
    print(f"guard: {len(costs)} commands over their inputs, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(BUILD, "src", "steptime"))
    parser.add_argument("--only", metavar="WORD", default="")
    parser.add_argument("--update", action="store_true", help="keep what is measured as the baseline")
    arguments = parser.parse_args()
    sys.exit(main(arguments.program, arguments.only, arguments.update))
