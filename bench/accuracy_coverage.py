# SPDX-License-Identifier: Apache-2.0
"""Whether intervals hold: how many true times lie within those of 50, 80 and 90 %, each GPU left out of the fit in turn.

A table is the rows of an operator on a GPU that was left out, of the training and the test tables, thinned. What must hold
is said in held.py; GPUs left out of serving tables are in accuracy_serving.py, tables of measured GPUs in
coverage_measured.py.
"""
import tempfile
from collections import defaultdict

import fits
from accuracy_data import csv_text, path, rows
from collectives import collectives
from held import Held, answered, held_of

FITTED, SHOWN = 800, 300  # rows of an operator on a device: that are fitted, that are predicted
VECTOR = ("add", "addu", "mul", "mulu", "div", "divu", "pow", "powu", "relu", "gelu", "tanh")
NVIDIA = (("Tesla V100-PCIE-32GB",), ("Tesla P100-PCIE-16GB",), ("Tesla T4",), ("Tesla P4",),
          ("NVIDIA A100-PCIE-40GB", "NVIDIA A100 80GB PCIe"))
AMD = (("AMD Instinct MI100",), ("AMD Instinct MI210",))
LINKED = (("NVIDIA A100-SXM4-80GB",), ("NVIDIA H100 SXM 80GB",), ("NVIDIA H20",), ("NVIDIA H800 SXM 80GB",),
          ("NVIDIA RTX 6000 Ada Generation",), ("NVIDIA RTX PRO 6000 Blackwell Server Edition",))

# family: its words (operators that stand for one table, by title), its tables, those left out together, first in them
FAMILIES = {
    "gemm": ({"bmm": ("bmm",), "linear": ("linear",)}, ("kernels/train_gemm.csv.gz",), ("kernels/test_gemm.csv.gz",),
             NVIDIA),
    "rows": ({"softmax": ("softmax",), "layer norm": ("ln",)},
             ("kernels/train_vector.csv.gz", "kernels/train_amd_vector.csv.gz"), ("kernels/test_vector.csv.gz",),
             NVIDIA + AMD),
    "elementwise": ({"element-wise": VECTOR}, ("kernels/train_vector.csv.gz", "kernels/train_amd_vector.csv.gz"),
                    ("kernels/test_vector.csv.gz",), NVIDIA + AMD),
    "convolution": ({"convolution": ("conv",)}, ("kernels/train_conv.csv.gz",), (), NVIDIA),
    "collective": ({"collectives": ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv",
                                    "broadcast", "reduce")}, ("llm/collectives.tar.xz",), (), LINKED),
}
# Measured in another state than the rows that were fitted (README of the data): shown, and no part of what must hold.
APART = {("linear", "Tesla P4"): "another library in the test rows"}


def thinned(table, most):
    return table if len(table) <= most else [table[i * len(table) // most] for i in range(most)]


def read(name):
    return list(collectives(path(name))) if name.endswith(".xz") else rows(name)


def by_table(table, words, most):
    """Rows by title and device; a title of several words is thinned by word."""
    title = {op: name for name, ops in words.items() for op in ops}
    found = defaultdict(list)
    for row in table:
        if row["op"] in title:
            found[title[row["op"]], row["device"], row["op"]].append(row)
    kept = defaultdict(list)
    for (name, device, _), of in found.items():
        kept[name, device] += thinned(of, most // max(1, len(words[name]) // 4) if most == SHOWN else most)
    return kept


def models_without(program, family):
    """The devices left out together, and a fit of the training rows without them, for each of the groups."""
    words, trained, _, groups = FAMILIES[family]
    train = [row for name in trained for row in read(name)]
    fitted = [row for of in by_table(train, words, FITTED).values() for row in of]
    for devices in groups:
        def make(model, without=devices):
            with tempfile.NamedTemporaryFile("w", suffix=".csv") as source:
                source.write(csv_text([row for row in fitted if row["device"] not in without]))
                source.flush()
                program.run("model", "fit", source.name, "--family", family, "-o", model)
        yield devices, fits.once(f"{family}, {devices[0]}.txt", make)


def left_out_tables(program, family):
    """A table for each operator and device left out."""
    words, trained, tested, _ = FAMILIES[family]
    shown = by_table([row for name in trained + tested for row in read(name)], words, SHOWN)
    for devices, model in models_without(program, family):
        for (name, device), table in shown.items():
            if device in devices:
                yield held_of(f"{name}, {device}", answered(program, table, "--models", model),
                              note=APART.get((name, device), ""))


def coverage(program):
    """Every table, and each family's together."""
    for family in FAMILIES:
        pooled = Held(f"{family}, all GPUs left out", pooled=True)
        for held in left_out_tables(program, family):
            yield held
            if not held.note and held.at:
                pooled.join(held)
        yield pooled
