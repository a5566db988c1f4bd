# SPDX-License-Identifier: Apache-2.0
"""Whether intervals hold: how many true times lie within those of 50, 80 and 90 %, each GPU left out of the fit in turn.

A table is the rows of an operator on a GPU that was left out, of the training and the test tables, thinned. At 90 % a
table of 200 rows or more must hold 75 to 99 %, a smaller one what a binomial of 90 % gives in 99 of 100; all GPUs of a
family together 85 to 95 %, every table weighing the same; and the half-width in the middle must be at most four times
the error in the middle, so that a wide band is no way to pass.
"""
import math
import os
import statistics
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field

from accuracy_data import csv_text, path, rows
from collectives import collectives

FITTED, SHOWN = 800, 300  # rows of an operator on a device: that are fitted, that are predicted
LEVELS = (0.5, 0.8, 0.9)
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


@dataclass
class Held:
    """Of a table, or of several together: residuals and half-widths, as logarithms."""
    name: str
    at: list = field(default_factory=list)  # (|ln(true / predicted)|, half-width by level)
    note: str = ""
    pooled: bool = False
    weights: list = field(default_factory=list)

    def add(self, row):
        off = abs(math.log(float(row[TIME]) / float(row["predicted_us"])))
        self.at.append((off, [math.log(float(row[f"high_{level}"]) / float(row["predicted_us"])) for level in LEVELS]))
        self.weights.append(1.0)

    def join(self, other):
        """A table of its own weighs the same, however many rows it has."""
        self.at += other.at
        self.weights += [1 / len(other.at)] * len(other.at)

    def share(self, level):
        within = sum(w for (off, half), w in zip(self.at, self.weights) if off <= half[LEVELS.index(level)])
        return 100 * within / sum(self.weights)

    @property
    def error(self):
        return 100 * statistics.median(math.expm1(off) for off, _ in self.at)

    @property
    def width(self):
        return 100 * statistics.median(math.expm1(half[-1]) for _, half in self.at)

    @property
    def bounds(self):
        """What the 90 % interval must hold, in percent."""
        if self.pooled:
            return 85, 95
        return (75, 99) if len(self.at) >= 200 else binomial(len(self.at), LEVELS[-1])

    @property
    def met(self):
        if self.note:
            return None
        low, high = self.bounds
        return low <= self.share(LEVELS[-1]) <= high and (not self.pooled or self.width <= 4 * self.error)

    def line(self):
        mark = {None: "    ", True: "ok  ", False: "MISS"}[self.met]
        low, high = self.bounds
        cells = "".join(f"{self.share(level):7.1f}" for level in LEVELS)
        return (f"{mark} {self.name:<56}{cells}   {low:3.0f} to {high:3.0f}{self.width:8.1f}{self.error:8.1f}"
                f"{self.width / max(self.error, 1e-9):7.1f}{len(self.at):7}  {self.note}".rstrip())

    def numbers(self):
        return {"name": self.name, "rows": len(self.at), "met": self.met, "note": self.note, "width": self.width,
                "error": self.error, **{f"within_{100 * level:.0f}": self.share(level) for level in LEVELS}}


TIME = "latency_us"


def binomial(count, share, outside=0.005):
    """Between which percent the share lies in 99 of 100."""
    reached, low, high = 0.0, 0, count
    for k in range(count + 1):
        reached += math.comb(count, k) * share ** k * (1 - share) ** (count - k)
        low = k if reached <= outside else low
        if reached >= 1 - outside:
            high = k
            break
    return 100 * low / count, 100 * high / count


def heading():
    return (f"     {'truths within the intervals, percent':<56}" + "".join(f"{f'{100 * level:.0f} %':>7}" for level in LEVELS)
            + f"   {'bounds':>10}{'width':>8}{'error':>8}{'ratio':>7}{'rows':>7}")


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


def predicted(program, model, table):
    """The rows with their prediction and the upper ends of the intervals."""
    asked = [{key: value for key, value in row.items() if key not in ("kernel", TIME)} for row in table]
    answers = None
    for level in LEVELS:
        now = program.table("predict", "kernel", "--models", model, "--level", str(level), "--input", "-",
                            text=csv_text(asked))
        answers = answers or [dict(row) for row in now]
        for answer, row, truth in zip(answers, now, table):
            answer[f"high_{level}"], answer[TIME] = row["high_us"], truth[TIME]
    return [answer for answer in answers if answer["predicted_us"]]


def left_out_tables(program, family, folder):
    """A table for each operator and device left out."""
    words, trained, tested, groups = FAMILIES[family]
    train = [row for name in trained for row in read(name)]
    fitted = [row for of in by_table(train, words, FITTED).values() for row in of]
    shown = by_table(train + [row for name in tested for row in read(name)], words, SHOWN)
    source, model = os.path.join(folder, "rows.csv"), os.path.join(folder, "model.txt")
    for devices in groups:
        with open(source, "w") as out:
            out.write(csv_text([row for row in fitted if row["device"] not in devices]))
        program.run("model", "fit", source, "--family", family, "-o", model)
        for (name, device), table in shown.items():
            if device in devices:
                held = Held(f"{name}, {device}", note=APART.get((name, device), ""))
                for row in predicted(program, model, table):
                    held.add(row)
                yield held


def coverage(program):
    """Every table, and each family's together."""
    for family in FAMILIES:
        pooled = Held(f"{family}, all GPUs left out", pooled=True)
        with tempfile.TemporaryDirectory() as folder:
            for held in left_out_tables(program, family, folder):
                yield held
                if not held.note and held.at:
                    pooled.join(held)
        yield pooled
