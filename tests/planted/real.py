# SPDX-License-Identifier: Apache-2.0
"""The truth of the recorded jobs (tests/data/planted): what their ranks' own clocks saw of the plant."""
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "planted")
STEPS = 4

# bound, phase, cause, kind, where, when
ABOUT = {
    "none": (None, None, None, None, None, "each"),
    "forward": ("late_rank", "forward", "unknown", "other", "embedding lookup", "each"),
    "backward": ("late_rank", "backward", "unknown", "other", "LateBackward", "each"),
    "loader": ("late_rank", "loader", "loading_single", "loader", None, "each"),
    "gc": ("late_rank", None, "gc", "gc", "gc", "each"),
    "slow_link": ("communication", None, "link", "link", None, "each"),
    "skewed_start": ("late_rank", None, "unknown", "skewed_start", None, "once"),
    "sequence": ("late_rank", None, "sequence_lengths", "sequence_lengths", None, "each"),
    "checkpoint": ("late_rank", None, "checkpoint", "other", "checkpoint", "twice"),
    "compile": ("late_rank", None, "compilation", "compilation", None, "twice"),
    "stages": ("late_rank", None, "stage_imbalance", "stage_imbalance", None, "each"),
}


def truths():
    """One for each recorded job, as truth.truth() says it of a written one."""
    with open(os.path.join(FOLDER, "told.json"), encoding="ascii") as file:
        told = json.load(file)
    found = []
    for name, (bound, phase, cause, kind, where, when) in ABOUT.items():
        planted = {int(step): ns for step, ns in told[name]["planted_ns"]}
        late = cause and kind != "link"
        found.append({"name": f"real_{name}", "folder": os.path.join(FOLDER, name), "ranks": 4, "bound": bound,
                      "bounds": {bound}, "alone": False,
                      "rank": told[name]["rank"] if late else None, "phase": phase, "cause": cause, "kind": kind,
                      "where": where, "when": when, "steps": STEPS, "planted_ns": planted, "doubts": (), "never": (),
                      "expected_ns": sum(planted.values()) / STEPS if planted else None})
    return found
