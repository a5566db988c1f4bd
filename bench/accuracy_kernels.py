# SPDX-License-Identifier: Apache-2.0
"""Kernels: the published test rows of GPUs that were fitted and of one that was not, and families held out."""
from collections import defaultdict

from accuracy_data import Errors, csv_text, figure, rows

SEEN = ("Tesla P4", "Tesla P100-PCIE-16GB", "Tesla V100-PCIE-32GB", "Tesla T4", "NVIDIA A100-PCIE-40GB")
UNSEEN = "NVIDIA A100 80GB PCIe"

# name, published by NeuSight (best of four tools), promise; the same for the GPU that was never fitted
FAMILIES = {
    "bmm": ("26.0 (18.8)", 9, "13.8", 2.3),
    "linear": ("20.0 (16.8)", 9, "13.9", 6),
    "element-wise": ("14.0 (10.5)", 1.3, "19.3", 5),
    "softmax": ("19.3 (19.3)", 9, "13.9", 8),
    "layer norm": ("20.1 (18.6)", 6, "56.7", 10),
}
OWN = {"bmm": "bmm", "linear": "linear", "softmax": "softmax", "ln": "layer norm"}


def family(op):
    return OWN.get(op, "element-wise")


def predicted(program, table):
    """The rows with the column predicted_us that the program adds, from rows without their time."""
    asked = [{key: value for key, value in row.items() if key not in ("latency_us", "kernel")} for row in table]
    answer = program.table("predict", "kernel", "--input", "-", text=csv_text(asked))
    return zip(table, answer)


def test_errors(program, wanted):
    """Errors of the test rows on wanted devices: by family, and by family and device."""
    all_of, parts = defaultdict(Errors), defaultdict(lambda: defaultdict(Errors))
    for name in ("kernels/test_gemm.csv.gz", "kernels/test_vector.csv.gz"):
        table = [row for row in rows(name) if row["device"] in wanted]
        for row, answer in predicted(program, table) if table else ():
            of, device = family(row["op"]), row["device"]
            if of == "linear" and device == "Tesla P4":
                of = "linear, P4"  # measured with other libraries in the training rows than in the test rows
            for errors in (all_of[of], parts[of][device]):
                errors.add(answer["predicted_us"], row["latency_us"])
    return all_of, parts


def seen(program):
    """Test rows of the GPUs whose training rows were fitted."""
    all_of, parts = test_errors(program, SEEN)
    for name, (published, target, _, _) in FAMILIES.items():
        label = f"{name}, seen GPUs" + (" (P4 apart)" if name == "linear" else "")
        yield figure(label, "mean", published, target, all_of[name], parts[name])
    yield figure("linear, P4 (other library in training)", "mean", "-", None, all_of["linear, P4"])


def unseen(program):
    """Test rows of a GPU that was never fitted."""
    all_of, _ = test_errors(program, (UNSEEN,))
    for name, (_, _, published, target) in FAMILIES.items():
        yield figure(f"{name}, A100-80GB never fitted", "mean", published, target, all_of[name])


def amd(program):
    """For comparison: an AMD device whose vector kernels were fitted and whose GEMMs were not."""
    all_of, _ = test_errors(program, ("AMD Instinct MI210",))
    for name, errors in all_of.items():
        yield figure(f"{name}, MI210", "mean", "-", None, errors)
