# SPDX-License-Identifier: Apache-2.0
"""Families on GPUs of which other rows were fitted: a fifth of the shapes is held out, on all devices alike, the rest is
fitted here, and the held-out rows are predicted from that fit.

The table of convolutions drifts: what a lone call costs grows from its first row to its last, by 300 to 700 us, whatever
the shape. Where a held-out row stood cannot be known from its shape, so as measured no model can do better than about
6 %. The second figure takes out of the held-out rows what the *fitted* rows around each were above prediction.
"""
import bisect
import os
import tempfile
import zlib
from collections import defaultdict

from accuracy_data import Errors, csv_text, figure, path, rows
from collectives import collectives

CONVOLUTION = ("batch", "in_channels", "out_channels", "kernel_size", "input_size", "stride", "padding")
PRODUCT = ("M", "N", "K")
COLLECTIVE = ("op", "bytes", "ranks")
HELD_OUT = 5  # one shape of so many
AROUND = 100  # fitted rows on either side that say how far the table had drifted
PUBLISHED, PROMISE = "10", 6


def held_out(row, shape):
    return zlib.crc32(",".join(row[name] for name in shape).encode()) % HELD_OUT == 0


def predicted(program, model, table, time):
    """Microseconds of each row, from rows without their time."""
    asked = [{key: value for key, value in row.items() if key not in (time, "kernel")} for row in table]
    answer = program.table("predict", "kernel", "--models", model, "--input", "-", text=csv_text(asked))
    return [row["predicted_us"] for row in answer]


def fitted(program, family, table, folder):
    source, model = os.path.join(folder, "rows.csv"), os.path.join(folder, "model.txt")
    with open(source, "w") as out:
        out.write(csv_text(table))
    program.run("model", "fit", source, "--family", family, "-o", model)
    return model


def split(program, family, table, shape, time):
    """Every row with whether it is held out, and the prediction of a fit that did not see those that are."""
    held = [held_out(row, shape) for row in table]
    with tempfile.TemporaryDirectory() as folder:
        model = fitted(program, family, [row for row, out in zip(table, held) if not out], folder)
        return held, predicted(program, model, table, time)


def weighted_median(pairs):
    """Of (value, weight)."""
    pairs = sorted(pairs)
    half, reached = sum(weight for _, weight in pairs) / 2, 0
    for value, weight in pairs:
        reached += weight
        if reached >= half:
            return value


def drift(places, excess, at):
    """What the fitted rows around a place are above prediction; long kernels say little of a small constant."""
    middle = bisect.bisect(places, at)
    return weighted_median(excess[max(0, middle - AROUND):middle + AROUND])


def scored(name, table, held, answers, time, device, clean=False):
    """The errors of the held-out rows, by device."""
    all_of, parts = Errors(), defaultdict(Errors)
    for gpu in sorted({row[device] for row in table}):
        mine = [(float(row[time]), answer, out) for row, answer, out in zip(table, answers, held) if row[device] == gpu]
        seen = [(at, us - float(answer), 1 / us) for at, (us, answer, out) in enumerate(mine) if answer and not out]
        places, excess = [at for at, _, _ in seen], [(value, weight) for _, value, weight in seen]
        for at, (us, answer, out) in enumerate(mine):
            if out:
                us -= drift(places, excess, at) if clean else 0
                for errors in (all_of, parts[gpu]):
                    errors.add(answer, us)
    return figure(name, "gmae", "-" if clean else PUBLISHED, None if clean else PROMISE, all_of, parts)


def own(program):
    table = rows("kernels/train_conv.csv.gz")
    held, answers = split(program, "convolution", table, CONVOLUTION, "latency_us")
    yield scored("convolution, held-out shapes", table, held, answers, "latency_us", "device")
    yield scored("convolution, without the table's drift", table, held, answers, "latency_us", "device", clean=True)

    table = [{key: row[key] for key in (*PRODUCT, "hardware", "avg_duration")} for row in
             rows("llm/gemm_fp8_train.csv.gz")]
    held, answers = split(program, "gemm_matrix", table, PRODUCT, "avg_duration")
    yield scored("FP8 products, held-out shapes", table, held, answers, "avg_duration", "hardware")

    table = list(collectives(path("llm/collectives.tar.xz")))
    held, answers = split(program, "collective", table, COLLECTIVE, "latency_us")
    yield scored("collectives, held-out messages", table, held, answers, "latency_us", "device")
