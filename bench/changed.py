#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `steptime diff` finds a change that was made.

    STEPTIME_TORCH_PYTHON=venv/bin/python bench/changed.py [--program FILE] [--folder DIR] [--json FILE]

The small trainings of bench/unchanged_programs.py, recorded as they are and with one of its changes, one after the other,
kept in --folder. Each pair is compared with all steps of both sides, and with a few. A change is found where the answer is
`changed` or `part_changed` with its cause; it is missed where the answer is `unchanged`.
"""
import argparse
import json
import os
import subprocess

from inputs import TOP
from unchanged import ACTIVE, CLAIMS, PYTHON, Pair, ask, marks, opened, percent, span

# (training, change, cause): what the change adds to the step, of a host-only one.
MADE = [("dense", "batch", "host"), ("dense", "double", "host"), ("dense", "sort", "host"), ("dense", "clip", "host"),
        ("dense", "twice", "host"), ("pictures", "batch", "host"), ("pictures", "double", "host"), ("pictures", "loading", "data_loading"),
        ("pictures", "twice", "host"), ("attention", "batch", "host"), ("attention", "sort", "host"), ("attention", "clip", "host"),
        ("attention", "twice", "host"), ("recurrent", "batch", "host"), ("recurrent", "sort", "host"), ("recurrent", "loading", "data_loading"),
        ("recurrent", "twice", "host"), ("workers", "batch", "host"), ("workers", "sort", "host"), ("workers", "twice", "host")]
FEW = (3, 4, 8)  # steps a side, beside all


def recorded(folder, kind, change, name):
    path = os.path.join(folder, f"{name}.json.gz")
    if not os.path.exists(path):
        part = os.path.join(folder, "part.json.gz")
        words = [os.path.join(TOP, "bench", "unchanged_programs.py"), "--active", str(ACTIVE), kind, part]
        subprocess.run([PYTHON, *words, *(("--change", change) if change else ())], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
        os.replace(part, path)
    return path


def compared(folder):
    """Pairs of what is changed, of all steps and of the first few; the cause; and how many steps."""
    os.makedirs(folder, exist_ok=True)
    for kind, change, cause in MADE:
        sides = [recorded(folder, kind, None, f"{kind}-before-{change}"), recorded(folder, kind, change, f"{kind}-{change}")]
        steps = marks(opened(sides[0]))
        yield Pair("all", f"{kind} {change}", sides), cause
        for few in FEW:
            yield Pair(f"{few} steps", f"{kind} {change}", [*sides, "--steps", span(steps[:few])]), cause


def main(asked):
    answers = [{**ask(asked.program, pair), "made": cause} for pair, cause in compared(asked.folder)]
    print(f"{'pairs of':9} {'pairs':>5} {'found':>5} {'wrong':>5} {'differ':>6} {'missed':>6}")
    for kind in dict.fromkeys(answer["kind"] for answer in answers):
        of = [answer for answer in answers if answer["kind"] == kind]
        claimed = [answer for answer in of if answer["answer"] in CLAIMS]
        found = sum(answer["cause"] == answer["made"] for answer in claimed)
        missed = sum(answer["answer"] == "unchanged" for answer in of)
        print(f"{kind:9} {len(of):5} {found:5} {len(claimed) - found:5} {len(of) - len(claimed) - missed:6} {missed:6}")
    for answer in answers:
        if answer["answer"] not in CLAIMS or answer["cause"] != answer["made"]:
            print(f"  {answer['kind']:9} {answer['of']:20} {answer['answer']:12} {answer['cause']} {percent(answer['change_share'])}, "
                  f"quickest {percent(answer['quickest_share'])}")
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as out:
            json.dump(answers, out, indent=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(TOP, "build", "steptime"))
    parser.add_argument("--folder", default=os.path.join(TOP, "build", "changed"))
    parser.add_argument("--json", metavar="FILE")
    main(parser.parse_args())
