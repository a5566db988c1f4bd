#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `steptime diff` tells a change where there is none.

    STEPTIME_TORCH_PYTHON=venv/bin/python bench/unchanged.py [--program FILE] [--folder DIR] [--runs N] [--json FILE]

Real recordings only, in pairs of which both sides are the same program, of these kinds:

- halves: the first and the second half of the steps of a trace
- turns: its even and its odd steps, each moved together (what lasts longer than two steps hits both sides alike)
- windows: tens of neighbouring steps of a long trace
- fours: its first four steps and the next four, told apart from the others' sum
- runs: two recordings of the same program, one after the other

of every trace beside the checkout and in tests/data that marks at least EIGHT steps, and of programs recorded now: the
examples and bench/unchanged_programs.py, each --runs times in turns, kept in --folder. A pair is silent where the answer is
`unchanged`; it is claimed where it is `changed` or `part_changed`; the rest says that it differs and that nothing is proven. --half 0 or 1 takes a half of the traces, by a hash of their names: what is
fitted is fitted on 0.
"""
import argparse
import bisect
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass

from inputs import SHARED, TOP

EIGHT = 8  # a test needs four steps a side
WINDOW, LONG = 10, 40
FOUR = 4
ACTIVE = 20
MARK = re.compile(r"ProfilerStep#(\d+)$")
CLAIMS = ("changed", "part_changed")
PYTHON = os.environ.get("STEPTIME_TORCH_PYTHON") or sys.executable
SCHEDULE = ("--wait", "6", "--warmup", "4", "--active", str(ACTIVE), "--steps", str(10 + ACTIVE), "--record-shapes")
KINDS = ("dense", "pictures", "attention", "recurrent", "workers")


@dataclass
class Pair:
    kind: str
    of: str
    words: list  # what diff is asked


# ---- recordings ----

def programs():
    """(name, command line but for the file) of what is recorded here."""
    for name in ("dlrm", "session_gnn"):
        yield name, [os.path.join(TOP, "examples", name, "train.py"), *SCHEDULE, "--profile"]
    for kind in KINDS:
        yield kind, [os.path.join(TOP, "bench", "unchanged_programs.py"), "--active", str(ACTIVE), kind]


def record(folder, runs):
    """{name: its recordings}. Programs take turns, so that a noisy minute does not hit one alone."""
    os.makedirs(folder, exist_ok=True)
    found = {}
    for run in range(runs):
        for name, command in programs():
            path = os.path.join(folder, f"{name}-{run}.json.gz")
            if not os.path.exists(path):
                part = os.path.join(folder, "part.json.gz")
                subprocess.run([PYTHON, *command, part], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "OMP_NUM_THREADS": "1"})
                os.replace(part, path)
            found.setdefault(name, []).append(path)
    return found


def real_traces():
    for top in (os.path.join(SHARED, "data", "traces"), os.path.join(TOP, "tests", "data", "recorded")):
        for folder, _, names in sorted(os.walk(top, followlinks=True)):
            for name in sorted(names):
                if name.endswith((".json", ".json.gz", ".json.zst")) and "expected" not in name:
                    yield os.path.join(folder, name)


# ---- pairs ----

def opened(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def marks(text):
    """The numbers of the profiler's steps in a trace's text; two places of one number mean a device's marks beside the host's."""
    return sorted({int(number) for number in re.findall(rb'"ProfilerStep#(\d+)"', text)})


def starts(events):
    """[(when, number)] of the host's marks of steps."""
    found = {}
    for event in events:
        mark = MARK.match(str(event.get("name")))
        if mark and event.get("ph") == "X" and event.get("cat") in (None, "user_annotation"):
            found.setdefault(int(mark[1]), float(event["ts"]))
    return sorted((when, number) for number, when in found.items())


def every_other(events, odd):
    """The events of the odd or the even steps, moved together as if the others had never been; a step reaches to the next."""
    steps = starts(events)
    begins, left_out, gone = [when for when, _ in steps], [], 0.0
    for (when, number), after in zip(steps, [*begins[1:], None]):
        kept = number % 2 == odd
        left_out.append(gone if kept else None)
        gone += 0 if kept or after is None else after - when
    for event in events:
        if event.get("ph") == "M" or "ts" not in event:
            yield event
            continue
        at = bisect.bisect_right(begins, float(event["ts"])) - 1
        if at >= 0 and left_out[at] is not None:
            yield {**event, "ts": float(event["ts"]) - left_out[at]}


def turns(path, text, folder):
    """The trace twice: its even steps, and its odd ones."""
    document = json.loads(text)
    whole, sides = document["traceEvents"], []
    for odd in (0, 1):
        document["traceEvents"] = list(every_other(whole, odd))
        sides.append(os.path.join(folder, f"turn{odd}-{os.path.basename(path).split('.')[0]}.json"))
        with open(sides[-1], "w", encoding="utf-8") as out:
            json.dump(document, out)
    return sides


def span(steps):
    return f"{steps[0]}..{steps[-1]}"


def within(path, folder, kinds=("halves", "turns", "windows", "fours")):
    """The pairs of one trace; turns are written into the folder."""
    text = opened(path)
    steps, of = marks(text), os.path.basename(path)
    if len(steps) < EIGHT:
        return
    half = len(steps) // 2
    if "halves" in kinds:
        yield Pair("halves", of, [path, path, "--steps", span(steps[:half]), "--steps-after", span(steps[half:2 * half])])
    if "turns" in kinds:
        yield Pair("turns", of, turns(path, text, folder))
    if "fours" in kinds:
        yield Pair("fours", of, [path, path, "--steps", span(steps[:FOUR]), "--steps-after", span(steps[FOUR:2 * FOUR])])
    if "windows" in kinds and len(steps) >= LONG:
        for i in range(0, len(steps) - 2 * WINDOW + 1, 2 * WINDOW):
            yield Pair("windows", of, [path, path, "--steps", span(steps[i:i + WINDOW]),
                                       "--steps-after", span(steps[i + WINDOW:i + 2 * WINDOW])])


def pairs(recorded, folder):
    for path in [*real_traces(), *(path for paths in recorded.values() for path in paths)]:
        yield from within(path, folder)
    for name, paths in recorded.items():
        for before, after in zip(paths[::2], paths[1::2]):
            yield Pair("runs", name, [before, after])


# ---- answers ----

def ask(program, pair):
    done = subprocess.run([program, "diff", "--format", "json", *pair.words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{pair.of}: {done.stderr.strip()}")
    values = {value["id"]: value["value"] for section in json.loads(done.stdout)["sections"] for value in section["values"]}
    return {"kind": pair.kind, "of": pair.of, **{key: values.get(key) for key in ("answer", "cause", "change_share", "quickest_share", "p_mean", "p_rank")}}


def half_of(name):
    return hashlib.sha256(name.encode()).digest()[-1] % 2


def percent(share):
    return "-" if share is None else f"{100 * share:+.1f} %"


def tell(answers):
    print(f"{'kind':8} {'pairs':>5} {'silent':>6} {'differ':>6} {'claimed':>7}")
    for kind in [*dict.fromkeys(answer["kind"] for answer in answers), None]:
        counts = Counter("silent" if answer["answer"] == "unchanged" else "claimed" if answer["answer"] in CLAIMS else "differ"
                         for answer in answers if kind == answer["kind"] or (not kind and answer["kind"] != "fours"))
        print(f"{kind or 'all':8} {counts.total():5} {counts['silent']:6} {counts['differ']:6} {counts['claimed']:7}")
    for answer in answers:
        if answer["answer"] != "unchanged":
            print(f"  {answer['kind']:8} {answer['of']:50} {answer['answer']:12} {answer['cause']} {percent(answer['change_share'])}, "
                  f"quickest {percent(answer['quickest_share'])}")


def main(asked):
    recorded = record(asked.folder, asked.runs)
    with tempfile.TemporaryDirectory() as folder:
        answers = [ask(asked.program, pair) for pair in pairs(recorded, folder) if asked.half in (None, half_of(pair.of))]
    tell(answers)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as out:
            json.dump(answers, out, indent=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(TOP, "build", "steptime"))
    parser.add_argument("--folder", default=os.path.join(TOP, "build", "unchanged"))
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--json", metavar="FILE")
    main(parser.parse_args())
