# SPDX-License-Identifier: Apache-2.0
"""What fixes bring: the naive pipelines of examples/antipatterns against themselves, fixed, by verify."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from inputs import TOP, Missing
from measure import run

NAIVE = os.path.join(TOP, "examples", "antipatterns")
ALONE = ["env", "OMP_NUM_THREADS=1"]  # threads that spin cost more than they bring on few cores

# Options of a pipeline, and what the fixed one must reach: host preparation dominates in the first alone.
SETTINGS = (
    ("session_gnn", "narrow", ("--width", "32", "--negatives", "512"), (">=", 2.0)),
    ("session_gnn", "middle", ("--width", "64", "--negatives", "512"), None),
    ("session_gnn", "paper", ("--width", "100"), None),
    ("bcq", "small", ("--batch", "32"), None),
)


def torch_python():
    for python in filter(None, (os.environ.get("STEPTIME_TORCH_PYTHON"), sys.executable)):
        if subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    raise Missing("no interpreter with PyTorch; STEPTIME_TORCH_PYTHON names one")


def values(document, section):
    return {v["id"]: v["value"] for s in document["sections"] if s["id"] == section for v in s["values"]}


def python_share(program, python, folder, script, options):
    """Of a step on this machine: Python outside of operators, which is what preparation is made of."""
    trace = os.path.join(folder, "trace.json")
    run([*ALONE, python, "-W", "ignore", os.path.join(NAIVE, "record.py"), trace, script, *options])
    document = json.loads(run([program, "summary", "--format", "json", trace]).out)
    parts = next(t for s in document["sections"] for t in s["tables"] if t["id"] == "step_parts")
    column = {c["id"]: i for i, c in enumerate(parts["columns"])}
    return next(row[column["share"]] for row in parts["rows"] if row[column["part"]] == "python")


def fixed(program, folder, name, *words):
    copy = shutil.copytree(os.path.join(NAIVE, name), os.path.join(folder, "-".join((name, *words))))
    run([program, "fix", "--write", *words, copy])
    return os.path.join(copy, "train.py")


def fixing(figures, program):
    python = torch_python()
    with tempfile.TemporaryDirectory() as folder:
        scripts = {name: fixed(program, folder, name, "--unsafe") for name in ("session_gnn", "bcq")}
        for name, label, options, bound in SETTINGS:
            naive = os.path.join(NAIVE, name, "train.py")
            out = run([*ALONE, program, "verify", "--format", "json", "--python", python, "--rtol", "1e-5", "--steps", "30",
                       "--warmup", "6", "--repeat", figures.times, naive, scripts[name], "--", "--sessions", "8000",
                       *options]).out
            pace = values(json.loads(out), "pace")
            share = python_share(program, python, folder, naive, ("--sessions", "8000", *options))
            figures.add(f"fix.{name}.{label}", pace["ratio"], "times as fast", bound, by_the_means=pace["ratio_of_means"],
                        p10=pace["ratio_p10"], p90=pace["ratio_p90"], python_share_before=share)
