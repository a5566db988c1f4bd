# SPDX-License-Identifier: Apache-2.0
"""How many truths lie within the intervals of their predictions, of 50, 80 and 90 %, and how wide these are.

At 90 % a table of 200 rows or more must hold 75 to 99 %, a smaller one what a binomial of 90 % gives in 99 of 100; all GPUs
of a family together that were left out of a fit 85 to 95 %, every table weighing the same; and then the half-width in the
middle must be at most four times the error in the middle, so that a wide band is no way to pass.
"""
import math
import statistics
from dataclasses import dataclass, field

from accuracy_data import csv_text

LEVELS = (0.5, 0.8, 0.9)
TIME = "latency_us"


@dataclass
class Held:
    """Of a table, or of several together: residuals and half-widths, as logarithms."""
    name: str
    at: list = field(default_factory=list)  # (|ln(true / predicted)|, half-width by level)
    note: str = ""
    pooled: bool = False
    weights: list = field(default_factory=list)

    def put(self, true, predicted, highs):
        """A truth, its prediction and the upper ends of its intervals, by level."""
        self.at.append((abs(math.log(true / predicted)), [math.log(high / predicted) for high in highs]))
        self.weights.append(1.0)

    def add(self, row):
        self.put(float(row[TIME]), float(row["predicted_us"]), [float(row[f"high_{level}"]) for level in LEVELS])

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


def answered(program, table, *words, true=TIME, skip=("kernel",)):
    """The rows that are predicted, with the upper ends of the intervals; `words` say by which models and where."""
    asked = [{key: value for key, value in row.items() if key not in (*skip, true)} for row in table]
    answers = None
    for level in LEVELS:
        now = program.table("predict", "kernel", *words, "--level", str(level), "--input", "-", text=csv_text(asked))
        answers = answers or [dict(row) for row in now]
        for answer, row, truth in zip(answers, now, table):
            answer[f"high_{level}"], answer[TIME] = row["high_us"], truth[true]
    return [answer for answer in answers if answer["predicted_us"]]


def held_of(name, rows, **more):
    held = Held(name, **more)
    for row in rows:
        held.add(row)
    return held
