# SPDX-License-Identifier: Apache-2.0
"""What the accuracy benches share: the data beside the checkout, the program under test, and what errors amount to."""
import csv
import gzip
import io
import math
import os
import statistics
import subprocess
from dataclasses import dataclass, field

from inputs import SHARED, TOP, Missing

DATA = os.path.join(SHARED, "data", "prediction")
PROGRAM = os.path.join(TOP, "build", "steptime")


def path(name):
    full = os.path.join(DATA, name)
    if not os.path.exists(full):
        raise Missing(f"no {name}: the shared measurements are not here")
    return full


def rows(name):
    """A table of the shared data as a list of dictionaries."""
    opener = gzip.open if name.endswith(".gz") else open
    with opener(path(name), "rt", newline="") as table:
        return list(csv.DictReader(table))


class Program:
    """The program under test; a run that fails is a figure that is missing."""

    def __init__(self, path):
        self.path = path

    def run(self, *words, text=None, fine=(0,)):
        done = subprocess.run([self.path, *words], input=text, capture_output=True, text=True)
        if done.returncode not in fine or (done.returncode and not done.stdout):
            last = done.stderr.strip().splitlines()
            raise Missing(f"steptime {' '.join(words)[:60]} ended with {done.returncode}: {last[0] if last else ''}")
        return done.stdout

    def table(self, *words, text=None):
        """The rows of its CSV; also of one in which no row could be predicted."""
        return list(csv.DictReader(io.StringIO(self.run(*words, text=text, fine=(0, 3)))))


def csv_text(table):
    """Dictionaries as a table, the columns being those of the first."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


@dataclass
class Errors:
    """Of predictions against measurements, in percent of the measurement."""
    signed: list = field(default_factory=list)
    unpredicted: int = 0

    def add(self, predicted, measured):
        if predicted in ("", None):
            self.unpredicted += 1
        else:
            self.signed.append(100 * (float(predicted) / float(measured) - 1))

    def summary(self):
        size = sorted(abs(e) for e in self.signed)
        return {
            "n": len(size), "unpredicted": self.unpredicted, "mean": statistics.fmean(size),
            "median": statistics.median(size), "p95": size[min(len(size) - 1, math.ceil(0.95 * len(size)) - 1)],
            "bias": statistics.fmean(self.signed),
            # An error of nothing would make the geometric mean nothing; a hundredth of a percent is as good as none.
            "gmae": math.exp(statistics.fmean(math.log(max(e, 0.01)) for e in size)),
        }


@dataclass
class Figure:
    """A promise: what was measured, by which mean, what others publish, what is promised, what it is here."""
    name: str
    metric: str  # of Errors.summary: "mean", "gmae", "bias"
    published: str
    target: float  # below this; None: no promise, the figure stands for comparison
    stats: dict = None
    missing: str = None
    detail: dict = field(default_factory=dict)  # stats by device or family

    @property
    def ours(self):
        return None if self.stats is None else self.stats[self.metric]

    @property
    def met(self):
        if self.target is None or self.ours is None:
            return None
        return abs(self.ours) < self.target and not self.stats.get("unpredicted")


def figure(name, metric, published, target, errors, parts=None):
    """A figure of these errors; `parts` are the same errors by device or family."""
    if not errors.signed:
        return Figure(name, metric, published, target, missing=f"none of {errors.unpredicted} rows was predicted")
    return Figure(name, metric, published, target, errors.summary(),
                  detail={key: part.summary() for key, part in (parts or {}).items() if part.signed})
