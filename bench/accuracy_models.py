# SPDX-License-Identifier: Apache-2.0
"""Whole transformer models from their operator lists, beside the sum of their measured operators."""
from collections import defaultdict

from accuracy_data import Errors, figure, path, rows

KEY = ("model", "mode", "seq", "batch")
PUBLISHED = {"inf": ("inference", "9.7"), "train": ("training", "7.3")}
SHORT_OF_POWER = ("Tesla_T4", "Tesla_P4")  # whose clock falls: in a model as for a kernel by itself (doc/models.md, Power)


def key(row):
    return tuple(row[column] for column in KEY)


def summed_ops():
    """Milliseconds of all measured operators, each times its repeat, by device and model."""
    sums = defaultdict(float)
    for row in rows("models/ops.csv.gz"):
        us = sum(float(row[part] or 0) for part in ("fwd_us", "bwd_us", "accumulate_us"))
        sums[row["device"], key(row)] += us * int(row["repeat"]) / 1000
    return sums


def predictions(program, devices):
    answers = {}
    for device in devices:
        for row in program.table("predict", "graph", "--input", path("models/graphs.csv.gz"), "--hw", device):
            answers[device, key(row)] = row["predicted_ms"]
    return answers


def whole_models(program):
    """End-to-end times of transformer models on NVIDIA GPUs; nothing of these tables is fitted."""
    listed = {key(row) for row in rows("models/graphs.csv.gz")}
    measured = [row for row in rows("models/e2e.csv") if key(row) in listed]
    answers = predictions(program, sorted({row["device"] for row in measured}))
    sums = summed_ops()
    errors, parts, summed = defaultdict(Errors), defaultdict(lambda: defaultdict(Errors)), defaultdict(Errors)
    for row in measured:
        device = row["device"]
        if device in SHORT_OF_POWER:
            errors["short"].add(answers.get((device, key(row))), row["e2e_ms"])
            parts["short"][device].add(answers.get((device, key(row))), row["e2e_ms"])
            summed["short"].add(sums[device, key(row)], row["e2e_ms"])
        mode = row["mode"] if not device.startswith("AMD") else "AMD"
        errors[mode].add(answers.get((device, key(row))), row["e2e_ms"])
        parts[mode][device].add(answers.get((device, key(row))), row["e2e_ms"])
        summed[mode].add(sums[device, key(row)], row["e2e_ms"])
    for mode, (word, published) in PUBLISHED.items():
        yield figure(f"whole models, {word}, NVIDIA", "mean", published, 9, errors[mode], parts[mode])
        yield figure(f"  their measured operators summed, {word}", "mean", "-", None, summed[mode])
    yield figure("whole models, short of power (T4, P4)", "mean", "-", None, errors["short"], parts["short"])
    yield figure("  their measured operators summed", "mean", "-", None, summed["short"])
    yield figure("whole models, MI210 (GEMM never fitted there)", "mean", "-", None, errors["AMD"])
