#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `steptime price` says that loading takes, beside what a DataLoader really takes on this machine, with and without workers.

    bench/price_loading.py [--python PYTHON] [--workers 0,1,2] [KIND...]

Loaders of five kinds (bench/price/loading.py). Said: load_own_us or load_feed_us of a step. Real: the middle one of the times from one
batch to the next where nothing else is done, behind the first ones. The machine should have nothing else to do, and as many
processors as workers. The Python needs torch, numpy and pillow.
"""
import argparse
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPTIME = os.path.join(TOP, "build", "steptime")
SCRIPT = os.path.join(TOP, "bench", "price", "loading.py")
KINDS = ("numbers", "pictures", "files", "texts", "tensors")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


def said_ms(python, kind, workers):
    document = json.loads(output(STEPTIME, "price", "--hw", "H100", "--format", "json", "--python", python, "--", SCRIPT, kind, workers))
    section = next(part for part in document["sections"] if part["id"] == "loading")
    values = {one["id"]: one["value"] for one in section["values"]}
    return (values["load_feed_us"] if int(workers) else values["load_own_us"]) / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--workers", default="0,1,2")
    parser.add_argument("kinds", nargs="*", default=KINDS)
    asked = parser.parse_args()
    ratios = []
    print("kind,workers,said_ms,real_ms,said_over_real")
    for kind in asked.kinds:
        for workers in asked.workers.split(","):
            said, real = said_ms(asked.python, kind, workers), float(output(asked.python, SCRIPT, kind, workers, "--real"))
            ratios.append(said / real)
            print(f"{kind},{workers},{said:.2f},{real:.2f},{ratios[-1]:.2f}", flush=True)
    errors = sorted(abs(ratio - 1) for ratio in ratios)
    print(f"# absolute error: mean {sum(errors) / len(errors):.1%}, median {errors[len(errors) // 2]:.1%}, most {errors[-1]:.1%}; "
          f"bias {sum(ratios) / len(ratios) - 1:+.1%}")


if __name__ == "__main__":
    main()
