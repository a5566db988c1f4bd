# SPDX-License-Identifier: Apache-2.0
"""Iterations of training large language models: each model shape predicted by coefficients fitted on the others."""
import os
import tempfile
from collections import defaultdict

from accuracy_data import Errors, csv_text, figure, rows

DEVICE = "A100-SXM4-80GB"
TABLES = {"one server": ("llm/vtrain_single.csv", "8.37", 8), "many servers": ("llm/vtrain_multi.csv", "14.73", 13)}
TIME = "iteration time (ms)"


def shape(row):
    return tuple(row[column] for column in ("hidden size", "attention heads", "# layers", "sequence length"))


def fitted(program, folder, tables):
    """A file of models, fitted on these rows alone."""
    model = os.path.join(folder, "models.txt")
    paths = []
    for i, table in enumerate(tables):
        paths.append(os.path.join(folder, f"{i}.csv"))
        with open(paths[-1], "w") as out:
            out.write(csv_text(table))
    program.run("model", "fit", "--family", "iteration", "--hw", DEVICE, *paths, "-o", model)
    return model


def predicted(program, model, table):
    asked = csv_text([{key: value for key, value in row.items() if key != TIME} for row in table])
    return program.table("predict", "kernel", "--models", model, "--hw", DEVICE, "--input", "-", text=asked)


def left_out(program, tables, name):
    """Errors of each shape of a table, with the shape left out of the fit wherever it stands."""
    all_of, parts = Errors(), defaultdict(Errors)
    for held in sorted({shape(row) for row in tables[name]}):
        rest = [[row for row in table if shape(row) != held] for table in tables.values()]
        test = [row for row in tables[name] if shape(row) == held]
        with tempfile.TemporaryDirectory() as folder:
            answers = predicted(program, fitted(program, folder, [table for table in rest if table]), test)
        for row, answer in zip(test, answers):
            us = answer["predicted_us"]
            for errors in (all_of, parts["hidden {} heads {} layers {} sequence {}".format(*held)]):
                errors.add(us and float(us) / 1000, row[TIME])
    return all_of, parts


def iterations(program):
    """vTrain's tables of A100 servers."""
    tables = {name: rows(path) for name, (path, _, _) in TABLES.items()}
    for name, (_, published, target) in TABLES.items():
        errors, parts = left_out(program, tables, name)
        yield figure(f"LLM iterations, {name}, shape not fitted", "mean", published, target, errors, parts)
