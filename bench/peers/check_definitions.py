# SPDX-License-Identifier: Apache-2.0
"""Compare the recorded tables with the definitions of README.md, written out in plain Python (definition_*.py).

Needs only the standard library. It shows that the text is complete: a number that this gets wrong is one the text
does not explain. Prints each difference, and a count for each tool; exit status 1 if there is any.
"""

import csv
import gzip
import json
import math
import pathlib
import sys
from collections import defaultdict

import common
from definition_hta import hta
from definition_tensorboard import tensorboard
from definition_tracelens import tracelens

TABLES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "peers"
TOLERANCE = 1e-9


def read_document(path):
    with common.as_json(path) as plain:
        data = pathlib.Path(plain).read_bytes()
    return json.loads(gzip.decompress(data) if path.name.endswith(".gz") else data, strict=False)


def read_table(name):
    table = defaultdict(dict)
    with open(TABLES / f"{name}.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["trace"] != "*":
                metric = row["metric"] if row["metric"] != "error" else f"error {row['value']}"
                table[row["trace"]][metric] = row["value"]
    return table


def same(left, right):
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=1e-6)


def differences(recorded, found):
    for metric, text in recorded.items():
        if metric.startswith("error "):
            continue
        if metric not in found and float(text) != 0:  # HTA lists some classes of no length
            yield f"{metric}: recorded {text}, none found"
        elif not same(float(text), found.get(metric, 0)):
            yield f"{metric}: recorded {text}, found {found[metric]}"
    for metric in found.keys() - recorded.keys():
        if found[metric] and not math.isnan(found[metric]):
            yield f"{metric}: found {found[metric]}, none recorded"


def check(name, definition, root, only):
    compared = wrong = 0
    for trace, recorded in read_table(name).items():
        if only not in trace or all(m.startswith("error") for m in recorded):
            continue
        found = definition(read_document(root / trace))
        lines = list(differences(recorded, found))
        compared += len(recorded)
        wrong += len(lines)
        for line in lines:
            print(f"{name}: {trace}: {line}")
    print(f"{name}: {compared} numbers, {wrong} differ")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else common.default_root()
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    tools = (("hta", hta), ("tracelens", tracelens), ("tensorboard", tensorboard))
    return int(sum(check(name, definition, root, only) for name, definition in tools) > 0)


if __name__ == "__main__":
    sys.exit(main())
