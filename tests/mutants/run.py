#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every trace found, and mutants of them, against the invariants.

run.py PROGRAM [--mutants N] [--whole] [--every] [--only NAME[/NUMBER]] [--keep FOLDER] [--jobs N] [FOLDER|FILE...]

Without --whole the traces themselves are left out. --every asks the expensive questions (formats, threads, packing) of every
command, where otherwise one is drawn. FOLDERs are those of this project and of $STEPTIME_SHARED. A mutant is
called TRACE/NUMBER and is the same in every run; --only makes one again, --keep leaves its file in a folder.
"""
import argparse
import json
import os
import random
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import invariants  # noqa: E402
import mutate  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENDINGS = (".json", ".json.gz", ".json.zst")


def traces(places):
    found = []
    for place in places:
        if os.path.isfile(place):
            found.append(place)
        for at, _, names in os.walk(place):
            found += [os.path.join(at, name) for name in names if name.endswith(ENDINGS)]
    return sorted(found)


def usual_places():
    shared = os.environ.get("STEPTIME_SHARED") or os.path.join(os.path.dirname(TOP), "shared")
    return [os.path.join(TOP, "tests", "data", "recorded"), os.path.join(shared, "data", "traces")]


def hold_whole(job):
    program, path, _, _, every = job
    with tempfile.TemporaryDirectory() as folder:  # a name may tell the rank, and only one of the ways in would have it
        neutral = os.path.join(folder, "trace" + next(ending for ending in reversed(ENDINGS) if path.endswith(ending)))
        os.symlink(os.path.abspath(path), neutral)
        wrong = list(invariants.violations(program, neutral, random.Random(mutate.name_of(path)), every))
    return [f"{mutate.name_of(path)}: {line}" for line in wrong], 1


def hold_mutants(job):
    """All mutants of one trace, which is read once."""
    program, path, numbers, keep, every = job
    try:
        document = mutate.load(path)
    except mutate.NoTrace:
        return [], 0
    lines = []
    for number in numbers:
        name = f"{mutate.name_of(path)}/{number}"
        made, changes = mutate.mutant(document, mutate.name_of(path), number)
        with tempfile.TemporaryDirectory() as folder:
            at = os.path.join(keep or folder, name.replace("/", "-").replace(".gz", "").replace(".zst", "") + ".json")
            with open(at, "w", encoding="utf-8") as file:
                json.dump(made, file)
            wrong = invariants.violations(program, at, random.Random(name), every)
            lines += [f"{name} ({', '.join(changes)}): {line}" for line in wrong]
    return lines, len(numbers)


def shares(count, among):
    """Numbers of mutants by trace, as equal as can be."""
    return [range(count // among + (i < count % among)) for i in range(among)]


def can_be_changed(path):
    """Whether mutants can be made of it: a document that Python reads too, and not too large."""
    try:
        return len(mutate.read_bytes(path)) <= mutate.LARGEST and bool(mutate.load(path)["traceEvents"])
    except (OSError, EOFError, mutate.NoTrace):
        return False


def jobs_of(asked):
    found = traces(asked.places or usual_places())
    if asked.only:
        name, _, number = asked.only.partition("/")
        found = [path for path in found if mutate.name_of(path) == name]
        return [(hold_mutants if number else hold_whole, (asked.program, path, [int(number or 0)], asked.keep, asked.every))
                for path in found]
    jobs = [(hold_whole, (asked.program, path, [], None, asked.every)) for path in found] if asked.whole else []
    found = [path for path in found if asked.mutants and can_be_changed(path)]
    random.Random(0).shuffle(found)  # where there are fewer mutants than traces, any of them
    return jobs + [(hold_mutants, (asked.program, path, numbers, asked.keep, asked.every))
                   for path, numbers in zip(found, shares(asked.mutants, len(found) or 1)) if numbers]


def hold(job):
    """What one job found. What goes wrong in the harness itself is told as the trace's, and the others are held all the same."""
    try:
        return job[0](job[1])
    except Exception as error:  # noqa: BLE001  whatever it is, it must not end the run
        at = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{mutate.name_of(job[1][1])}: not held, the harness failed: {type(error).__name__}: {error} "
                f"({os.path.basename(at.filename)}:{at.lineno})"], 0


def results(jobs, workers):
    """(lines, count) of each job, in order. A worker that dies is told with the first trace that was not held by then."""
    with ProcessPoolExecutor(max_workers=workers) as pool:
        waiting = [pool.submit(hold, job) for job in jobs]
        for job, result in zip(jobs, waiting):
            try:
                yield result.result()
            except BrokenProcessPool:
                yield [f"{mutate.name_of(job[1][1])}: not held, nor what follows: a worker died (out of memory?)"], 0
                return


def main(asked):
    begin, held, broken = time.monotonic(), 0, 0
    for lines, count in results(jobs_of(asked), asked.jobs):
        held += count
        broken += len(lines)
        for line in lines:
            print(line, flush=True)
    print(f"{held} traces held, {broken} violations, {time.monotonic() - begin:.0f} s")
    return 1 if broken or not held else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("places", nargs="*")
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--keep")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    sys.exit(main(parser.parse_intermixed_args()))
