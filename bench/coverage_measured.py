# SPDX-License-Identifier: Apache-2.0
"""Whether intervals hold on GPUs that were measured, on rows that were not fitted, and of sums of kernels.

Kernels: the published test rows of GPUs whose training rows are built in; held-out shapes of tables that have no test rows; the
rows of serving tables that were not fitted; the traffic of recorded traces, which nothing was fitted to. Sums: whole
transformers from their operators, and iterations of training, the shape left out of the fit.
"""
import glob
import os
import statistics
import subprocess
import tempfile
from collections import defaultdict

import accuracy_llm
import accuracy_models
import accuracy_own
import serving
from accuracy_coverage import APART, FAMILIES, SHOWN, by_table, thinned
from accuracy_data import path, rows
from accuracy_kernels import SEEN
from accuracy_serving import ALL, FITTED, MANY, TABLES
from collectives import collectives
from held import LEVELS, Held, answered, held_of
from inputs import SHARED, TOP, Missing

MEASURED = ", measured"
# Of Student's distribution of four degrees of freedom, over its standard deviation (doc/numbers/prediction.md).
QUANTILES = (0.524, 1.084, 1.507)


def seen(program):
    """Published test rows of GPUs whose training rows are built in."""
    for words, _, tested, _ in (FAMILIES[family] for family in ("gemm", "rows", "elementwise")):
        table = [row for name in tested for row in rows(name) if row["device"] in SEEN]
        for (name, device), some in by_table(table, words, SHOWN).items():
            yield held_of(f"{name}, {device}{MEASURED}", answered(program, some), note=APART.get((name, device), ""))


def held_out(program, name, family, table, shape, time, device):
    """A fifth of the shapes, predicted by a fit of the others."""
    out = [row for row in table if accuracy_own.held_out(row, shape)]
    with tempfile.TemporaryDirectory() as folder:
        rest = [row for row in table if not accuracy_own.held_out(row, shape)]
        model = accuracy_own.fitted(program, family, rest, folder)
        for gpu in sorted({row[device] for row in out}):
            some = thinned([row for row in out if row[device] == gpu], SHOWN)
            yield held_of(f"{name}, {gpu}{MEASURED}", answered(program, some, "--models", model, true=time))


def shapes(program):
    """Tables that have no test rows."""
    yield from held_out(program, "convolution", "convolution", rows("kernels/train_conv.csv.gz"),
                        accuracy_own.CONVOLUTION, "latency_us", "device")
    products = [{key: row[key] for key in (*accuracy_own.PRODUCT, "hardware", "avg_duration")}
                for row in rows("llm/gemm_fp8_train.csv.gz")]
    yield from held_out(program, "FP8 products", "gemm_matrix", products, accuracy_own.PRODUCT, "avg_duration", "hardware")
    lone = list(collectives(path("llm/collectives.tar.xz")))
    yield from held_out(program, "lone collectives", "collective", lone, accuracy_own.COLLECTIVE, "latency_us", "device")
    queued = list(serving.converted(path("serving"), "collectives"))
    yield from held_out(program, "collectives", "collective_queued", queued, (*accuracy_own.COLLECTIVE, "library"),
                        "latency_us", "device")


def served(program):
    """Rows of serving tables beside those that are built in."""
    for table, (_, formats) in TABLES.items():
        if table == "collectives":  # all of it is built in
            continue
        others = list(serving.thinned(serving.converted(path("serving"), table), MANY.get(table, FITTED), others=True))
        for of, (name, *_) in formats.items():
            for gpu in sorted({row["device"] for row in others}):
                some = [row for row in others if row["device"] == gpu and of in (ALL, row.get("format", ""))]
                if some:
                    yield held_of(f"{name}, {gpu}{MEASURED}", answered(program, thinned(some, SHOWN), skip=()))


def iterations(program):
    """Of training large language models, each shape predicted by a fit of the others."""
    tables = {name: rows(file) for name, (file, _, _) in accuracy_llm.TABLES.items()}
    held = {name: Held(f"LLM iterations, {name}, shape not fitted") for name in tables}
    for shape in sorted({accuracy_llm.shape(row) for table in tables.values() for row in table}):
        rest = [[row for row in table if accuracy_llm.shape(row) != shape] for table in tables.values()]
        with tempfile.TemporaryDirectory() as folder:
            model = accuracy_llm.fitted(program, folder, [table for table in rest if table])
            for name, table in tables.items():
                some = [row for row in table if accuracy_llm.shape(row) == shape]
                for row in answered(program, some, "--models", model, "--hw", accuracy_llm.DEVICE,
                                    true=accuracy_llm.TIME) if some else ():
                    row["latency_us"] = 1000 * float(row["latency_us"])
                    held[name].add(row)
    yield from held.values()


def whole_models(program):
    """Transformers from their operators: nothing of these tables is fitted."""
    measured = defaultdict(list)
    for row in rows("models/e2e.csv"):
        measured[row["device"]].append(row)
    together = {mode: Held(f"whole transformers, {mode}") for mode in ("inf", "train")}
    for device, table in measured.items():
        answers = [{accuracy_models.key(row): row for row in program.table(
            "predict", "graph", "--input", path("models/graphs.csv.gz"), "--hw", device, "--level", str(level))}
            for level in LEVELS]
        own = Held(f"whole transformers, {device}")
        for row in table:
            found = [answer.get(accuracy_models.key(row)) for answer in answers]
            if all(found):
                for held in (own, together[row["mode"]]):
                    held.put(float(row["e2e_ms"]), float(found[0]["predicted_ms"]), [float(of["high_ms"]) for of in found])
        yield own
    yield from together.values()


TRAFFIC = ("embedding", "transpose", "index", "concat", "copy", "fill", "host_copy", "optimizer", "dropout", "batch_norm",
           "pooling", "reduction")


def traffic(program):
    """What moves data in recorded traces, a shape of an operator once."""
    del program
    units = os.path.join(TOP, "build", "bench", "units_bench")
    traces = sorted(glob.glob(os.path.join(SHARED, "data", "traces", "kineto", "*.json.gz")))
    if not os.path.exists(units) or not traces:
        raise Missing("traffic: the traces beside the checkout, and build/bench/units_bench")
    done = subprocess.run([units, *traces], capture_output=True, text=True, errors="replace", check=True)
    found = defaultdict(list)
    for line in done.stdout.splitlines():
        cells = line.split("\t")
        if cells[0] == "total":
            continue
        form, modelled, sd = cells[4].split("/")[0], float(cells[10]), float(cells[11])
        if form in TRAFFIC and cells[3] == "kernels" and cells[7] == cells[8] and modelled > 0 and sd > 0:
            found[cells[1], cells[2], cells[4], cells[5], modelled, sd].append(float(cells[9]))
    together, devices = Held("traffic, all recorded GPUs"), defaultdict(list)
    for (device, *_, modelled, sd), recorded in found.items():
        devices[device].append((statistics.median(recorded), modelled, [modelled * 2.718281828459045 ** (q * sd) for q in QUANTILES]))
    for device, of in sorted(devices.items()):
        held = Held(f"traffic, {device}")
        for true in of:
            held.put(*true)
            together.put(*true)
        yield held
    yield together


GROUPS = (seen, shapes, served, iterations, whole_models, traffic)
