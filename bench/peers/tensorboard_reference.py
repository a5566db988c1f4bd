# SPDX-License-Identifier: Apache-2.0
"""Reference numbers of torch-tb-profiler, the TensorBoard plug-in: the step costs of its overview."""

import importlib.metadata
import logging
import tempfile
import warnings

import common


def load(path):
    from torch_tb_profiler.profiler.data import RunProfileData

    with tempfile.TemporaryDirectory() as cache:
        return RunProfileData.parse("worker", None, path, cache)


def cost_rows(prefix, costs):
    from torch_tb_profiler.profiler.event_parser import ProfileRole

    return [(f"{prefix}.{role.name}", costs.costs[role], "us") for role in ProfileRole]


def overlap_rows(prefix, costs):
    parts = ("computation", "communication", "overlap", "other")
    return [(f"{prefix}.comm_{part}", getattr(costs, part), "us") for part in parts]


def unique(names):
    """The second step of a name becomes NAME#2 (a device annotation of a step counts as one more step)."""
    seen = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}#{seen[name]}"


def overview_rows(profile):
    rows = [("steps", len(profile.steps_costs), "count")]
    rows += cost_rows("average", profile.avg_costs)
    steps = zip(unique(profile.steps_names), profile.steps_costs, profile.comm_overlap_costs)
    for name, costs, overlap in steps:
        rows += cost_rows(f"step{name}", costs)
        if profile.has_communication:
            rows += overlap_rows(f"step{name}", overlap)
    return rows


def measure(path):
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    rows = []
    with common.as_json(path) as plain:
        common.attempt(rows, "overview", lambda: overview_rows(load(plain)))
    return rows


if __name__ == "__main__":
    names = ("torch-tb-profiler", "tensorboard", "pandas", "numpy")
    common.main(__doc__, [(f"version.{n}", importlib.metadata.version(n), "") for n in names], measure)
