#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a folder, runs every test of it and says how many cases passed.

check.py BUILD [--label WORD] [--tally FILE] [MESON-TEST-OPTION...]

The last line is "N passed, N failed, N skipped" over all cases of all test programs; the exit status is 1 if any
failed. --tally appends the counts to a file, one line a run, so that several runs can be summed (.ci/run).
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

CASE = re.compile(r"^(not )?ok\b(?:\s+\d+)?\s*(?:-\s*)?(.*)$")
SKIP = re.compile(r"#\s*skip\b\s*(.*)$", re.IGNORECASE)
PLAN = re.compile(r"^1\.\.(\d+)\s*(#.*)?$")


class Counts(collections.Counter):
    def __str__(self):
        return f"{self['passed']} passed, {self['failed']} failed, {self['skipped']} skipped"


def count_tap(text, reasons):
    """The cases of one TAP stream, and whether as many came as were planned."""
    counts, planned, seen = Counts(), None, 0
    for line in text.splitlines():
        plan, case = PLAN.match(line), CASE.match(line)
        if plan:
            planned = int(plan[1])
        if not case:
            continue
        seen += 1
        skip = SKIP.search(case[2])  # cmocka says "not ok 3 # SKIP" for what it skips
        if skip:
            reasons[skip[1] or "no reason given"] += 1
        counts["skipped" if skip else "failed" if case[1] else "passed"] += 1
    return counts, planned == seen


def count_program(run, reasons):
    """The cases of one test program. One that ends badly with no failed case to show for it counts as one failure."""
    killed = run["result"] in ("TIMEOUT", "INTERRUPT")
    ended_well = run["returncode"] == 0 and not killed
    counts, complete = count_tap(run["stdout"] or "", reasons)
    if not sum(counts.values()):  # it does not speak TAP, or skipped everything
        word = "skipped" if run["result"] == "SKIP" else "passed" if ended_well else "failed"
        return Counts({word: 1})
    if not counts["failed"] and not (ended_well and complete):
        counts["failed"] = 1
    return counts


def failures(text):
    """The failed cases of a TAP stream, each with the remarks below it."""
    showing = False
    for line in text.splitlines():
        case = CASE.match(line)
        if case:
            showing = bool(case[1]) and not SKIP.search(line)
        if showing:
            yield line


COST = re.compile(r"^# cpu ([\d.]+) s$", re.MULTILINE)  # tests/run.py and tests/run_program.py end with it


def costs(runs):
    """What all took in processor time, and which most."""
    found = [(float(told[-1]), run["name"].rpartition(" ")[2]) for run in runs if (told := COST.findall(run["stdout"] or ""))]
    most = ", ".join(f"{name} {seconds:.0f}" for seconds, name in sorted(found, reverse=True)[:5])
    return f"{sum(seconds for seconds, _ in found):.0f} s of processor time; most: {most}"


def read_log(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def jobs():
    """Many tests sleep or wait for a child: with one a processor, half of the processors' time was idle."""
    return str(os.cpu_count() + (os.cpu_count() + 1) // 2)


def main(build, options, label, tally):
    log = os.path.join(build, "meson-logs", "testlog.json")
    if os.path.exists(log):
        os.unlink(log)
    status = subprocess.run(["ninja", "-C", build, "--quiet"], stdin=subprocess.DEVNULL, check=False).returncode
    if status == 0:
        status = subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--print-errorlogs", "--num-processes", jobs(), *options],
                                stdin=subprocess.DEVNULL, check=False).returncode
    reasons = collections.Counter()
    total = Counts()
    bad = []
    runs = read_log(log) if os.path.exists(log) else []
    for run in runs:
        counts = count_program(run, reasons)
        total += counts
        if counts["failed"]:
            bad.append(run["name"])
            print("\n".join([f"== {run['name']}", *failures(run["stdout"] or "")]))
    if not total["failed"] and (status or not sum(total.values())):
        total["failed"] = 1  # no test ran, or what runs them broke off: that is no success
        bad.append(f"the run itself, which ended with {status}")
    print(costs(runs))
    for reason, n in sorted(reasons.items()):
        print(f"skipped {n}: {reason}")
    if bad:
        print("failed in: " + ", ".join(bad))
    if tally:
        with open(tally, "a", encoding="utf-8") as out:
            print(total["passed"], total["failed"], total["skipped"], label, file=out)
    print(total, flush=True)
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--label", default="check")
    parser.add_argument("--tally")
    known, rest = parser.parse_known_args()
    sys.exit(main(known.build, rest, known.label, known.tally))
