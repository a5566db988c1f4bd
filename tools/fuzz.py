#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target of a build folder for some seconds each, all cores at work.

fuzz.py BUILD SECONDS [--tally FILE]

Each target starts from its seeds in tests/fuzz/corpus/TARGET and keeps what it learns in BUILD/corpus/TARGET. What
breaks it is left in BUILD/crashes/TARGET. The last line counts the targets that passed and failed.
"""
import argparse
import glob
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fuzz(program, build, seconds):
    """Whether the target survived, and what it said last."""
    name = os.path.basename(program).removeprefix("fuzz_")
    learnt, crashes = (os.path.join(build, kind, name) for kind in ("corpus", "crashes"))
    for folder in (learnt, crashes):
        os.makedirs(folder, exist_ok=True)
    seeds = os.path.join(TOP, "tests", "fuzz", "corpus", name)
    command = [program, f"-max_total_time={seconds}", "-max_len=65536", "-timeout=20", "-rss_limit_mb=2048",
               "-print_final_stats=1", f"-artifact_prefix={crashes}/", learnt]
    if os.path.isdir(seeds):
        command.append(seeds)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    return name, done.returncode == 0, done.stdout


def report(name, survived, said):
    lines = said.splitlines()
    units = next((line.split()[-1] for line in lines if line.startswith("stat::number_of_executed_units")), "?")
    print(f"{'ok' if survived else 'FAILED'}: {name}, {units} inputs", flush=True)
    if not survived:
        print("\n".join(lines[-60:]))


def main(build, seconds, tally):
    programs = sorted(p for p in glob.glob(os.path.join(build, "tests", "fuzz", "fuzz_*")) if os.access(p, os.X_OK)
                      and os.path.isfile(p))
    failed = 0
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        for name, survived, said in pool.map(lambda program: fuzz(program, build, seconds), programs):
            report(name, survived, said)
            failed += not survived
    if not programs:
        print("no fuzz target was built")
        failed = 1
    passed = len(programs) - failed if programs else 0
    if tally:
        with open(tally, "a", encoding="utf-8") as out:
            print(passed, failed, 0, "fuzz", file=out)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("seconds", type=int)
    parser.add_argument("--tally")
    arguments = parser.parse_args()
    sys.exit(main(arguments.build, arguments.seconds, arguments.tally))
