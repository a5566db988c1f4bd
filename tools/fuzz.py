#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target of a build folder for some seconds each, all cores at work.

fuzz.py BUILD SECONDS [--tally FILE] [--only TARGET]
fuzz.py BUILD --keep        puts what was learnt, minimised, into tests/fuzz/learnt

Each target starts from its seeds in tests/fuzz/corpus/TARGET and from what earlier runs learnt, tests/fuzz/learnt/
TARGET.tar.xz, and keeps what it learns in BUILD/corpus/TARGET. What breaks it is left in BUILD/crashes/TARGET. The last
line counts the targets that passed and failed. The tests replay seeds and archives in every build
(tests/faults/test_learnt.py), so that a minute of fuzzing in each run of CI would find little more.
"""
import argparse
import glob
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEEDS = os.path.join(TOP, "tests", "fuzz", "corpus")
LEARNT = os.path.join(TOP, "tests", "fuzz", "learnt")
LARGEST = 8192     # bytes of an input that is kept
MOST = 75 * 1024   # bytes of all that are kept of a target


def target_of(program):
    return os.path.basename(program).removeprefix("fuzz_")


def unpack(name, into):
    """The inputs of an archive as files of a folder; nothing where there is none."""
    path = os.path.join(LEARNT, f"{name}.tar.xz")
    if not os.path.exists(path):
        return
    with tarfile.open(path) as archive:
        for member in archive:
            with open(os.path.join(into, os.path.basename(member.name)), "wb") as file:
                file.write(archive.extractfile(member).read())


def fuzz(program, build, seconds):
    """Whether the target survived, and what it said last."""
    name = target_of(program)
    learnt, crashes = (os.path.join(build, kind, name) for kind in ("corpus", "crashes"))
    for folder in (learnt, crashes):
        os.makedirs(folder, exist_ok=True)
    unpack(name, learnt)
    seeds = os.path.join(SEEDS, name)
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


def in_order(folder):
    """The inputs of a folder, the smallest first."""
    names = [os.path.join(folder, name) for name in os.listdir(folder)]
    return sorted(names, key=lambda path: (os.path.getsize(path), path))


def keep(program, build):
    """The inputs that reach what the seeds do not, as few as libFuzzer finds, the smallest up to MOST bytes."""
    name = target_of(program)
    with tempfile.TemporaryDirectory() as fewest:
        old = os.path.join(build, "corpus", name)
        os.makedirs(old, exist_ok=True)
        unpack(name, old)
        subprocess.run([program, "-merge=1", f"-max_len={LARGEST}", fewest, old], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        os.makedirs(LEARNT, exist_ok=True)
        size = count = 0
        with tarfile.open(os.path.join(LEARNT, f"{name}.tar.xz"), "w:xz", preset=9) as archive:
            for path in in_order(fewest):
                with open(path, "rb") as file:
                    data = file.read()
                if size + len(data) > MOST:
                    break
                size, count = size + len(data), count + 1
                member = tarfile.TarInfo(f"{name}/{count:04}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    print(f"{name}: {count} inputs, {size} bytes", flush=True)


def main(build, seconds, tally, only, keeping):
    programs = sorted(p for p in glob.glob(os.path.join(build, "tests", "fuzz", "fuzz_*")) if os.access(p, os.X_OK)
                      and os.path.isfile(p) and only in ("", target_of(p)))
    failed = 0
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        if keeping:
            list(pool.map(lambda program: keep(program, build), programs))
            return 0
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
    parser.add_argument("seconds", type=int, nargs="?", default=60)
    parser.add_argument("--tally")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    sys.exit(main(arguments.build, arguments.seconds, arguments.tally, arguments.only, arguments.keep))
