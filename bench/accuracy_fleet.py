# SPDX-License-Identifier: Apache-2.0
"""Jobs of public clusters at several scales: the step and the share of the network, from the row of one GPU and the
weights of the model.

A job is data-parallel, its traffic that of a ring over the weights. What else it does is what one GPU alone does, one
part after the other: in Muri's rows of one GPU input and computing add up to the step (six of eight models). What links
give, how much of the traffic is hidden, and how much the rest slows with every doubling of the workers (they wait for
the slowest of them, and share the cores of a server) is fitted on some models and tested on the others.
"""
import csv
import math
import os
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


# ---- the model, through the program ----

def as_job(point, architecture="data-parallel", efficiency=1.0):
    """A row of the table of jobs whose work but for the traffic takes what one GPU measured."""
    ring = 2 * 2 * (point["gpus"] - 1) / point["gpus"] * BYTES * WEIGHTS[point["model"]]
    return {"job": point["name"], "architecture": architecture, "cnodes": point["gpus"],
            "input_bytes": 0, "flops": point["compute_ms"] / 1e3 * FLOPS * efficiency, "memory_bytes": 0, "weight_bytes": ring,
            "gpus_per_server": point["per_server"]}


def broken_down(program, jobs, *settings):
    words = [word for setting in settings for word in ("--set", setting)]
    return program.table("fleet", "breakdown", "-", "--hw", "paper", *words, "--jobs", "--format", "csv", "--table",
                         "jobs", text=csv_text(jobs))


FULL = ("efficiency=100%", "ethernet=100Gbps")


def add_parts(program, points):
    """What the links take at their full rates; the network's part is what doubles where it gives half."""
    jobs = [as_job(point) for point in points]
    whole = broken_down(program, jobs, *FULL)
    halved = broken_down(program, jobs, *FULL, "efficiency.ethernet=50%")
    for point, full, half in zip(points, whole, halved):
        point["network_ms"] = float(half["weight_ms"]) - float(full["weight_ms"])
        point["link_ms"] = float(full["weight_ms"]) - point["network_ms"]


def step_of(point, constants):
    """The step and its traffic; as the program has it, for the fit."""
    link, network, overlap, growth = constants
    slower = 1 + growth * math.log2(point["gpus"])
    traffic = point["link_ms"] / link + point["network_ms"] / network
    return max(point["compute_ms"] * slower, overlap * traffic) + (1 - overlap) * traffic, traffic


def asked_of_program(program, points, constants):
    """The same from the program, with the constants as settings: those of a number of workers together."""
    link, network, overlap, growth = constants
    answers = {}
    for gpus in sorted({point["gpus"] for point in points}):
        some = [point for point in points if point["gpus"] == gpus]
        slower = 1 + growth * math.log2(gpus)
        table = broken_down(program, [as_job(point) for point in some], *FULL, f"efficiency.nvlink={100 * link:.6f}%",
                            f"efficiency.ethernet={100 * network:.6f}%", f"efficiency.flops={100 / slower:.6f}%",
                            f"overlap={100 * overlap:.6f}%")
        for point, row in zip(some, table):
            answers[point["name"]] = float(row["step_ms"]), float(row["weight_ms"])
    return [answers[point["name"]] for point in points]


# ---- fitting ----

def loss(points, constants, share_of):
    total = 0
    for point in points:
        step, traffic = step_of(point, constants)
        total += abs(math.log(step / point["step_ms"])) + abs(share_of(point, step, traffic) - point["share"])
    return total / len(points)


LEAST, MOST = (0.002, 0.002, 0, 0), (1, 1, 1, 0.3)
STARTS = [(0.3, 0.3, 0.2, 0.02), (0.1, 0.6, 0.6, 0.05), (0.8, 0.05, 0.9, 0)]


def moved(constants, i, step):
    """Efficiencies by a factor, the others by a difference; within their bounds."""
    value = constants[i] * math.exp(step) if i < 2 else constants[i] + step * (0.3 if i == 2 else 0.05)
    return (*constants[:i], min(MOST[i], max(LEAST[i], value)), *constants[i + 1:])


def descended(points, share_of, start):
    """One constant at a time, in steps that halve."""
    best, at, step = loss(points, start, share_of), start, 1.0
    while step > 1e-3:
        tried = [moved(at, i, sign * step) for i in range(4) for sign in (1, -1)]
        losses = [loss(points, constants, share_of) for constants in tried]
        if min(losses) < best - 1e-9:
            best, at = min(losses), tried[losses.index(min(losses))]
        else:
            step /= 2
    return best, at


ENOUGH = 500  # points to fit on: of more every n-th


def fitted(points, share_of):
    some = points[::len(points) // ENOUGH + 1]
    return min(descended(some, share_of, start) for start in STARTS)[1]


# ---- figures ----

def tested(program, points, halves, share_of):
    """Errors of the step in percent, of the share in points; each half with constants of the other."""
    steps, shares, parts = Errors(), [], defaultdict(Errors)
    for half in halves:
        constants = fitted([point for point in points if point["model"] not in half], share_of)
        test = [point for point in points if point["model"] in half]
        for point, (step, traffic) in zip(test, asked_of_program(program, test, constants)):
            for errors in (steps, parts[point["model"]]):
                errors.add(step, point["step_ms"])
            shares.append(100 * (share_of(point, step, traffic) - point["share"]))
    return steps, shares, parts


def in_points(signed):
    errors = Errors()
    errors.signed = signed
    return errors


def paper(program, points, share_of):
    """No overlap, 70 % of each resource, its own two architectures."""
    errors, shares = Errors(), []
    jobs = [as_job(point, "allreduce-local" if point["gpus"] <= 8 else "allreduce-cluster", 0.7) for point in points]
    for point, row in zip(points, broken_down(program, jobs)):
        errors.add(row["step_ms"], point["step_ms"])
        shares.append(100 * (share_of(point, float(row["step_ms"]), float(row["weight_ms"])) - point["share"]))
    return errors, in_points(shares)


# ---- Muri: eight models, the parts of an iteration measured at 1 to 32 GPUs ----

TABLES = ("cluster_trace", "trace1", "trace2", "trace3", "trace4")


def muri_points():
    """A point each model and number of GPUs: the figures that most jobs have (one of resnet18 on 32 differs)."""
    seen = defaultdict(Counter)
    for table in TABLES:
        for row in rows(f"muri-sigcomm22/{table}.csv"):
            figures = tuple(float(row[c]) for c in ("iteration_time", "resource_time_0", "resource_time_1",
                                                    "resource_time_2"))
            seen[row["model_name"], int(row["num_gpu"])][figures] += 1
    usual = {key: counts.most_common(1)[0][0] for key, counts in seen.items()}
    points = []
    for (model, gpus), (step, given, computing, network) in sorted(usual.items()):
        if gpus < 8:
            continue
        _, alone_input, alone_computing, _ = usual[model, 1]
        points.append({"name": f"{model}@{gpus}", "model": model, "gpus": gpus, "per_server": 8, "step_ms": step,
                       "compute_ms": alone_input + alone_computing, "share": network / step,
                       "plain_ms": given + computing + network})
    return points


def whole_traffic(_, step, traffic):
    return traffic / step


def muri(program):
    points = muri_points()
    add_parts(program, points)
    names = sorted({point["model"] for point in points})
    steps, shares, parts = tested(program, points, (names[::2], names[1::2]), whole_traffic)
    plain = Errors()
    for point in points:
        plain.add(point["plain_ms"], point["step_ms"])
    paper_steps, paper_shares = paper(program, points, whole_traffic)
    yield figure("Muri, step at 8 to 32 GPUs, other half of models", "mean", "", 15, steps, parts)
    yield figure("Muri, share of the network, points", "mean", "", 15, in_points(shares))
    yield figure("  the paper's 70 %, step", "mean", "", None, paper_steps)
    yield figure("  the paper's 70 %, share, points", "mean", "", None, paper_shares)
    yield figure("  sum of the parts measured at that scale", "mean", "11.9", None, plain)


# ---- Pollux: three models, synchronisation that is not hidden, by placement ----

POLLUX = ("bert", "cifar10", "imagenet")


def pollux_points():
    points = []
    for model in POLLUX:
        table = rows(f"pollux-osdi21/{model}/placements.csv")
        alone = {row["local_bsz"]: 1e3 * float(row["step_time"]) for row in table if row["placement"] == "1"}
        for row in table:
            digits = [int(digit) for digit in row["placement"]]
            if sum(digits) < 2 or row["local_bsz"] not in alone:
                continue
            points.append({"name": f"{model}/{row['placement']}/{row['local_bsz']}", "model": model,
                           "gpus": sum(digits), "per_server": max(digits), "compute_ms": alone[row["local_bsz"]], "step_ms": 1e3 * float(row["step_time"]),
                           "share": float(row["sync_time"]) / float(row["step_time"])})
    return points


def exposed(point, step, _):
    """What the step takes longer than that of one GPU."""
    return max(0, step - point["compute_ms"]) / step


def pollux(program):
    points = pollux_points()
    add_parts(program, points)
    steps, shares, parts = tested(program, points, [[model] for model in POLLUX], exposed)
    paper_steps, paper_shares = paper(program, points, exposed)
    yield figure("Pollux, step by placement, model not fitted", "mean", "", 15, steps, parts)
    yield figure("Pollux, exposed synchronisation, points", "mean", "", 15, in_points(shares))
    yield figure("  the paper's 70 %, step", "mean", "", None, paper_steps)
    yield figure("  the paper's 70 %, exposed, points", "mean", "", None, paper_shares)


def fleet(program):
    yield from muri(program)
    yield from pollux(program)
