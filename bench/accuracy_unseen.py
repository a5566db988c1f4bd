# SPDX-License-Identifier: Apache-2.0
"""GPUs left out of the fit, each in turn (both A100 together), judged on the published test rows and whole models.

Only training rows of the other GPUs are fitted and chosen on. Two tables stand apart, for they were measured in another
state than the training rows of the same GPU: linear layers of the P4 (another library) and batched products of the T4
(another clock).
"""
import os
import tempfile
from collections import defaultdict

from accuracy_coverage import NVIDIA
from accuracy_data import Errors, csv_text, figure, path, rows
from accuracy_kernels import family
from accuracy_models import key, summed_ops

FITTED = 1600  # rows of an operator on a device: as many as a fit takes of one
# name: published by NeuSight for GPUs that it had not seen, promise
FAMILIES = {"bmm": ("13.8", 12), "linear": ("13.9", 11), "element-wise": ("19.3", 5), "softmax": ("13.9", 9),
            "layer norm": ("56.7", 10)}
APART = {("bmm", "Tesla T4"): "another clock than in training", ("linear", "Tesla P4"): "another library than in training"}
PUBLISHED = {"inf": ("inference", "9.7"), "train": ("training", "7.3")}
TABLES = {"gemm": (("kernels/train_gemm.csv.gz",), ("op", "device", "b", "m", "n", "k", "latency_us")),
          "vector": (("kernels/train_vector.csv.gz", "kernels/train_amd_vector.csv.gz"),
                     ("op", "device", "rows", "cols", "latency_us"))}


def training_rows():
    """Of each table at most so many rows of an operator on a device, evenly spread."""
    kept = defaultdict(list)
    for table, (names, columns) in TABLES.items():
        found = defaultdict(list)
        for row in (row for name in names for row in rows(name)):
            found[row["op"], row["device"]].append({column: row[column] for column in columns})
        for of in found.values():
            step = max(1, len(of) // FITTED)
            kept[table] += of[::step]
    return kept


def fitted_without(program, training, devices, folder):
    """A file of models from the training rows of all other devices."""
    sources, model = [], os.path.join(folder, "models.txt")
    for table, of in training.items():
        sources.append(os.path.join(folder, table + ".csv"))
        with open(sources[-1], "w") as out:
            out.write(csv_text([row for row in of if row["device"] not in devices]))
    program.run("model", "fit", *sources, "-o", model)
    return model


def add_kernels(program, model, devices, parts):
    for name in ("kernels/test_gemm.csv.gz", "kernels/test_vector.csv.gz"):
        table = [row for row in rows(name) if row["device"] in devices]
        asked = [{column: value for column, value in row.items() if column not in ("latency_us", "kernel")}
                 for row in table]
        answers = program.table("predict", "kernel", "--models", model, "--input", "-", text=csv_text(asked))
        for row, answer in zip(table, answers):
            parts[family(row["op"])][row["device"]].add(answer["predicted_us"], row["latency_us"])


def add_models(program, model, devices, parts, summed):
    """Whole models, beside the sum of their measured operators."""
    listed, sums = {key(row) for row in rows("models/graphs.csv.gz")}, summed_ops()
    measured = [row for row in rows("models/e2e.csv")
                if key(row) in listed and row["device"].replace("_", " ") in devices]
    for device in sorted({row["device"] for row in measured}):
        answers = {key(row): row for row in program.table(
            "predict", "graph", "--models", model, "--input", path("models/graphs.csv.gz"), "--hw", device)}
        for row in (row for row in measured if row["device"] == device):
            answer = answers.get(key(row), {})
            parts[row["mode"]][device].add(answer.get("predicted_ms"), row["e2e_ms"])
            for phase in ("fwd", "bwd") if row["mode"] == "train" else ():
                parts[phase][device].add(answer.get(f"predicted_{phase}_ms"), row[f"{phase}_ms"])
            summed[row["mode"]].add(sums[device, key(row)], row["e2e_ms"])


def pooled(parts, apart=()):
    errors = Errors()
    for device, of in parts.items():
        if device not in apart:
            errors.signed += of.signed
            errors.unpredicted += of.unpredicted
    return errors


def unseen(program):
    """Each GPU left out."""
    kernels, models, summed = (defaultdict(lambda: defaultdict(Errors)), defaultdict(lambda: defaultdict(Errors)),
                               defaultdict(Errors))
    training = training_rows()
    for devices in NVIDIA:
        with tempfile.TemporaryDirectory() as folder:
            model = fitted_without(program, training, devices, folder)
            add_kernels(program, model, devices, kernels)
            add_models(program, model, devices, models, summed)
    for name, (published, target) in FAMILIES.items():
        apart = [device for of, device in APART if of == name]
        yield figure(f"{name}, GPU left out" + "".join(f" ({one.split()[-1]} apart)" for one in apart), "mean", published,
                     target, pooled(kernels[name], apart), kernels[name])
    for (name, device), why in APART.items():
        yield figure(f"{name}, {device.split()[-1]} left out ({why})", "mean", "-", None, kernels[name][device])
    for mode, (word, published) in PUBLISHED.items():
        yield figure(f"whole models, {word}, GPU left out", "mean", published, 9, pooled(models[mode]), models[mode])
        yield figure(f"  their measured operators summed, {word}", "mean", "-", None, summed[mode])
    for phase, word in (("fwd", "forward"), ("bwd", "backward")):
        yield figure(f"  training, {word} alone", "mean", "-", None, pooled(models[phase]), models[phase])
