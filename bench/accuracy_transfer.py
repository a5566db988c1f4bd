# SPDX-License-Identifier: Apache-2.0
"""What is carried to a device that nobody measured, and what ten measured rows of it are worth."""
import os
import statistics
import tempfile
from collections import defaultdict

from accuracy_data import Errors, Figure, csv_text, rows
from accuracy_kernels import UNSEEN, family

# Family of models and its groups; the promise for a device left out of the training rows.
LEFT_OUT = {
    "bmm": (("gemm", ("bmm",)), 12),
    "linear": (("gemm", ("linear",)), 20),
    "element-wise": (("elementwise", None), 5),
    "softmax, layer norm": (("rows", None), 12),
}
# Devices with test rows that were not fitted, and what was not fitted there.
NEW = {UNSEEN: ("bmm", "linear", "element-wise", "softmax", "layer norm"), "AMD Instinct MI210": ("bmm", "linear")}
SAMPLE = 10


def single(value, count):
    """A figure that is no mean of errors of rows."""
    return {"n": count, "mean": value, "median": None, "p95": None, "bias": None, "gmae": None}


def group_errors(program, of, wanted, candidate):
    """Percent, by group: what the cross-validation of one candidate found, a device left out."""
    tried = program.table("model", "show", of, "--format", "csv", "--table", "candidates")
    return [100 * float(row["error"]) for row in tried
            if row["candidate"] == candidate and (not wanted or row["group"] in wanted)]


def left_out(program):
    """Cross-validation of the models that are built in: each measured device predicted by the others."""
    groups = program.table("model", "show", "--format", "csv", "--table", "groups")
    for name, ((of, wanted), target) in LEFT_OUT.items():
        own = [row for row in groups if row["family"] == of and (not wanted or row["group"] in wanted)]
        errors = [100 * float(row["carried_error"]) for row in own if row["carried_error"]]
        label = f"{name}, each of {'/'.join(sorted({row['devices'] for row in own}))} GPUs left out"
        if not errors:
            yield Figure(label, "mean", "-", target, missing="the models built in were not fitted")
            continue
        yield Figure(label, "mean", "-", target, single(statistics.fmean(errors), len(errors)))
        launched = group_errors(program, of, wanted, "vendor+launch")
        if launched:  # not what is promised: a row of the device itself was seen
            yield Figure("  the same, a row of it for each launch", "mean", "-", None,
                         single(statistics.fmean(launched), len(launched)))


def test_rows(device):
    """The test rows of a device, by family."""
    found = defaultdict(list)
    for name in ("kernels/test_gemm.csv.gz", "kernels/test_vector.csv.gz"):
        for row in rows(name):
            if row["device"] == device:
                found[family(row["op"])].append({key: row.get(key, "") for key in
                                                 ("op", "device", "b", "m", "n", "k", "rows", "cols", "latency_us")})
    return found


def mean_error(program, table, *models):
    errors = Errors()
    for row, answer in zip(table, program.table("predict", "kernel", *models, "--input", "-", text=csv_text(table))):
        errors.add(answer["predicted_us"], row["latency_us"])
    return errors.summary()["mean"]


def adapted(program, table):
    """Mean error of the other rows before and after ten, evenly spread, were shown."""
    shown = [table[i * len(table) // SAMPLE] for i in range(SAMPLE)]
    others = [row for row in table if row not in shown]
    with tempfile.TemporaryDirectory() as folder:
        ten, model = os.path.join(folder, "ten.csv"), os.path.join(folder, "models.txt")
        with open(ten, "w") as out:
            out.write(csv_text(shown))
        program.run("model", "fit", "--adapt", ten, "-o", model)
        return mean_error(program, others), mean_error(program, others, "--models", model)


def ten_rows(program):
    """A new GPU: how much of its mean error is left after ten measured rows of each family, in percent."""
    for device, names in NEW.items():
        found = test_rows(device)
        changes = {name: adapted(program, found[name]) for name in names}
        before, after = (statistics.fmean(column) for column in zip(*changes.values()))
        parts = {f"{name}: {was:.1f} -> {now:.1f} %": single(100 * now / was, len(found[name]))
                 for name, (was, now) in changes.items()}
        yield Figure(f"of the error of {device}, after ten rows", "mean", "-", 66.7,
                     single(100 * after / before, sum(len(found[name]) for name in names)), detail=parts)
