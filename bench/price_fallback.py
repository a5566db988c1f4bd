# SPDX-License-Identifier: Apache-2.0
"""What `steptime price` says of a script that it runs with data and a few samples, over what it says of the same script run dry: of
trainings that can be run both ways (bench/price/batches.py, with several batches). --whole: over what it says of a run with data and
the whole batch, of trainings in which values choose sizes (routed) as well.

    bench/price_fallback.py [--python PYTHON] [--hw DEVICE,DEVICE] [--batch N,N] [--one] [--whole] [NAME...]

Columns: ratios of FLOPs, of the peak of tensors, and on each device of the step and of its device work; then their means, biases and
most of the absolute ones. --one: only one batch is run, not two.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPTIME = os.environ.get("STEPTIME") or os.path.join(TOP, "build", "steptime")
SCRIPT = os.path.join(TOP, "bench", "price", "batches.py")
NAMES = ("perceptron", "residual", "encoder", "language", "recurrent", "tables", "padded", "patches", "unet")


def value(document, name, key):
    part = next(one for one in document["sections"] if one["id"] == name)
    return next((one["value"] for one in part["values"] if one["id"] == key), None)


def devices(document):
    part = next(one for one in document["sections"] if one["id"] == "price")
    found = next(one for one in part["tables"] if one["id"] == "devices")
    ids = [column["id"] for column in found["columns"]]
    return {row["device"]: row for row in (dict(zip(ids, row)) for row in found["rows"])}


# Fails in the second run: a batch of two, or three where one was too few.
ONE = """#!/bin/sh
[ -e ran ] && [ "$STEPTIME_DRY_BATCH" -gt "$(cat ran)" ] && exit 1
"{python}" "$@" && echo "${{STEPTIME_DRY_BATCH}}" > ran
"""


def interpreter(asked, folder):
    if not asked.one:
        return asked.python
    path = os.path.join(folder, "python")
    with open(path, "w", encoding="utf-8") as out:
        out.write(ONE.format(python=asked.python))
    os.chmod(path, 0o755)
    return path


def priced(asked, folder, name, batch, fallback, *more):
    python = asked.python if fallback == "never" else interpreter(asked, folder)
    words = [STEPTIME, "price", "--hw", asked.hw, "--fallback", fallback, "--format", "json", "--python", python, "--", SCRIPT, name, str(batch), *more]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"})
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:300])
    return json.loads(done.stdout)


def ratio(real, dry):
    return real / dry if real is not None and dry else math.nan


def compare(asked, folder, name, batch):
    dry = priced(asked, folder, name, batch, "always", "whole") if asked.whole else priced(asked, folder, name, batch, "never")
    real = priced(asked, folder, name, batch, "always")
    row = {"name": name, "batch": batch, "ran": f"{value(real, 'fallback', 'ran_batch')} {value(real, 'fallback', 'most_batch')}",
           "by_both": value(real, "fallback", "by_both"), "by_one": value(real, "fallback", "by_one"),
           "flops": ratio(value(real, "step", "flops"), value(dry, "step", "flops")),
           "peak": ratio(value(real, "memory", "peak_bytes"), value(dry, "memory", "peak_bytes"))}
    for device, one in devices(real).items():
        other = devices(dry)[device]
        row[f"step {device}"] = ratio(one["step_us"], other["step_us"])
        row[f"work {device}"] = ratio(one["device_us"], other["device_us"])
    return row


def sums(rows):
    for key in rows[0]:
        found = [row[key] - 1 for row in rows if isinstance(row[key], float) and not math.isnan(row[key])]
        if found:
            yield key, sum(map(abs, found)) / len(found), sum(found) / len(found), max(map(abs, found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--hw", default="H100,T4")
    parser.add_argument("--batch", default="8,64")
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("names", nargs="*", default=NAMES)
    asked = parser.parse_args()
    rows, out = [], None
    for name in asked.names:
        for batch in map(int, asked.batch.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    rows.append(compare(asked, folder, name, batch))
                except RuntimeError as problem:
                    print(f"{name} {batch}: {problem}", file=sys.stderr)
                    continue
            out = out or csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
            if len(rows) == 1:
                out.writeheader()
            out.writerow({key: f"{one:.4f}" if isinstance(one, float) else one for key, one in rows[-1].items()})
            sys.stdout.flush()
    for key, mean, bias, most in sums(rows) if rows else ():
        print(f"# {key}: mean {100 * mean:.1f} %, bias {100 * bias:+.1f} %, most {100 * most:.1f} %")


if __name__ == "__main__":
    main()
