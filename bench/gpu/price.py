#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `steptime price` says of the scripts of bench/price, written down before they run, and what they then take on this GPU.

price.py [--hw NAME] [--steptime PROGRAM] [--output FOLDER] [--compare-only] [NAME...]

FOLDER/said/NAME.json is the answer of `price`, of a dry run under this machine's PyTorch; FOLDER/measured/NAME.json that of
watched.py, made afterwards. Scripts whose packages are not there are told and left out. Prints a row of a Markdown table for each: the
step (the median behind the third), its interval, whether it holds, and the most memory that PyTorch's allocator gave out and took.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE.parent / "price"
NAMES = ("language_trainer", "vision_trainer", "speech_trainer", "diffusion", "recommendation", "graph", "reinforcement",
         "accelerate_loop", "lightning_module", "sharded")
FIRST = 2  # of the steps that watched.py timed, these do not count either


def run(words, folder):
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "HF_HUB_OFFLINE": "1"})
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        print(f"{words[-1]}: left out: {last[:160]}", file=sys.stderr)
    return done.returncode == 0


def say(options, name):
    to = options.output / "said" / f"{name}.json"
    return run([options.steptime, "price", "--hw", options.hw, "--format", "json", "-o", to, "--", sys.executable, SCRIPTS / f"{name}.py"],
               to.parent)


def measure(options, name):
    to = options.output / "measured" / f"{name}.json"
    return run([sys.executable, HERE / "watched.py", to, SCRIPTS / f"{name}.py"], options.output / "work" / name)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def values_of(document, section):
    return {value["id"]: value["value"] for part in document["sections"] if part["id"] == section for value in part["values"]}


def device_of(document):
    for section in document["sections"]:
        for table in section["tables"]:
            if table["id"] == "devices":
                return dict(zip([column["id"] for column in table["columns"]], table["rows"][0]))
    raise SystemExit("the answer has no table of devices")


class Row:
    def __init__(self, folder, name):
        said, self.measured = load(folder / "said" / f"{name}.json"), load(folder / "measured" / f"{name}.json")
        device, memory = device_of(said), values_of(said, "memory")
        self.name = name
        self.said_ms, self.low_ms, self.high_ms = (device[key] / 1e3 for key in ("step_us", "step_us_low", "step_us_high"))
        self.step_ms = statistics.median(self.measured["steps_ms"][FIRST:])
        self.peak = memory.get("allocated_bytes", memory["peak_bytes"])
        self.reserved = memory["reserved_bytes"]

    def holds(self):
        return self.low_ms <= self.step_ms <= self.high_ms

    def peak_ratio(self):
        return self.peak / self.measured["allocated_bytes"]

    def __str__(self):
        return (f"| {self.name} | {self.said_ms:.1f} ({self.low_ms:.1f} to {self.high_ms:.1f}) | {self.step_ms:.1f} | "
                f"{'yes' if self.holds() else 'no'} | {self.said_ms / self.step_ms:.2f} | {self.peak / 1e6:.1f} | "
                f"{self.measured['allocated_bytes'] / 1e6:.1f} | {self.peak_ratio():.3f} | "
                f"{self.reserved / self.measured['reserved_bytes']:.3f} |")


def compare(folder, names):
    rows = [Row(folder, name) for name in names if (folder / "measured" / f"{name}.json").exists()]
    print("| script | said, ms | measured, ms | holds | ratio | peak said, MB | measured | ratio | taken, ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(row)
    if rows:
        near = sum(abs(row.peak_ratio() - 1) <= 0.05 for row in rows)
        print(f"\n{sum(row.holds() for row in rows)} of {len(rows)} steps within their interval; {near} of {len(rows)} peaks within 5 %")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hw", default="H200")
    parser.add_argument("--steptime", default=str(HERE.parents[1] / "build" / "steptime"))
    parser.add_argument("--output", type=Path, default=Path("measured"), metavar="FOLDER")
    parser.add_argument("--compare-only", action="store_true", help="of what lies in FOLDER already")
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME")
    options = parser.parse_args()
    options.output = options.output.resolve()
    if not options.compare_only:
        said = [name for name in options.names if say(options, name)]
        for name in said:
            measure(options, name)
    compare(options.output, options.names)


if __name__ == "__main__":
    main()
