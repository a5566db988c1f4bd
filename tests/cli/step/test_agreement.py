# SPDX-License-Identifier: Apache-2.0
"""One question, one answer: on every trace at hand `summary`, `critical-path`, `ranks`, `fleet stragglers` and `predict` agree.

Four of them print the same experiments, so there the figures are equal. `predict --cpu-speed 2` asks what the experiment on the host
asks; its headline is another replay, of all ranks together, and may be 5 points of a step from it.
"""
import os
import unittest
from concurrent.futures import ThreadPoolExecutor

import support
from support import INPUT, OK, USAGE, rows_of, steptime, values

CONCLUDING = (("critical-path",), ("ranks",), ("fleet", "stragglers"))
SAID = ("verdict", "verdict_bound", "verdict_second", "verdict_doubt", "verdict_error", "verdict_steps", "verdict_step_ns")
SAID_OF_JOBS = ("late", "late_rank", "late_per_step_ns", "late_cause", "late_kind", "late_phase", "late_steps")
MOST_APART = 0.05  # of a step
MOST_ERROR = 0.10  # of a replay that may name a bound
PARTS = ("kineto", "et", "nsys", "multirank", "other", "producers", "legacy")
ENDINGS = (".json", ".gz", ".sqlite")


def ask(command, paths, *options):
    """The document; None where the command says that it cannot answer, and why."""
    outcome = steptime(*command, *paths, *options, "--format", "json", limit_s=300)
    if outcome.code in (INPUT, USAGE) and outcome.err.startswith("steptime: "):
        return None
    assert outcome.code == OK, (command, paths, outcome.code, outcome.err)
    return outcome.json


def section(document, name):
    return {value["id"]: value["value"] for part in document["sections"] if part["id"] == name for value in part["values"]}


def experiments(document):
    """None where the steps hold nothing to experiment with."""
    found = [table for part in document["sections"] for table in part["tables"] if table["id"] == "experiments"]
    return rows_of(document, "experiments") if found else None


class Answers:
    """What all five say of the same files."""

    def __init__(self, paths):
        self.paths, self.name = paths, os.path.relpath(paths[0], support.SHARED)
        self.summary = ask(("summary",), paths)
        self.others = {command: ask(command, paths) for command in CONCLUDING} if self.summary else {}
        self.predicted = ask(("predict",), paths, "--cpu-speed", 2) if self.summary else None

    def wrong(self):
        if not self.summary:
            return []
        return [f"{self.name}: {line}" for line in self.others_differ() + self.bounds_without_ground() + self.prediction_differs()]

    def others_differ(self):
        of, rows, lines = values(self.summary), experiments(self.summary), []
        for command, document in self.others.items():
            if document is None or document["inputs"][0]["format"] == "operations":  # a table of another kind of job
                continue
            found = values(document)
            lines += [f"{command[-1]}: {name} is {found.get(name)!r}, in summary {of.get(name)!r}"
                      for name in SAID + (SAID_OF_JOBS if len(self.paths) > 1 else ()) if found.get(name) != of.get(name)]
            if experiments(document) != rows:
                lines.append(f"{command[-1]}: other experiments")
        if of["bound"] != (of.get("verdict_bound") or "unknown") or values(self.others[("critical-path",)])["bound"] != of["bound"]:
            lines.append("the bound of the head is not that of the verdict")
        return lines

    def bounds_without_ground(self):
        of = values(self.summary)
        if (of.get("verdict_error") or 0) <= MOST_ERROR or of.get("verdict_bound") in (None, "late rank"):
            return []
        return [f"{of['verdict_bound']} with an error of {of['verdict_error']:.0%}"]

    def prediction_differs(self):
        """A step of the job is the mean over its ranks; the head of a prediction is the slowest of them."""
        if not self.predicted:
            return []
        head, answer = section(self.predicted, "prediction"), section(self.predicted, "what_if")
        lines = [] if head["step_ns"] == answer["after_ns"] else ["predict has two answers"]
        of, rows = values(self.summary), {row["resource"]: row for row in experiments(self.summary) or ()}
        if not rows or (of["verdict_error"] or 0) > MOST_ERROR or not head["measured_step_ns"]:
            return lines
        if len(self.paths) > 1 and "together" not in answer["basis"]:
            return lines + ["predict: ranks are not replayed together"]
        ranks = rows_of(self.predicted, "what_if_ranks") if len(self.predicted["inputs"]) > 1 else [answer]
        saved = 1 - sum(rank["after_ns"] for rank in ranks) / sum(rank["before_ns"] for rank in ranks)
        said = rows["host"]["saved"]
        if abs(saved - said) > MOST_APART:
            lines.append(f"predict: {saved:.1%} less with a host twice as fast, summary {said:.1%}")
        return lines


def single_traces(folder):
    return [[os.path.join(at, name)] for part in PARTS for at, _, names in sorted(os.walk(os.path.join(folder, part)))
            for name in sorted(names) if name.endswith(ENDINGS)]


def jobs(folder):
    """Traces that lie in one folder, and those that one job of PyTorch named alike."""
    found = []
    for name in sorted(os.listdir(os.path.join(folder, "multirank"))):
        found.append([os.path.join(folder, "multirank", name)])
    producers = os.path.join(folder, "producers")
    for host in ("ddp-sid", "ddp-trixie"):
        found.append([os.path.join(producers, name) for name in sorted(os.listdir(producers)) if name.startswith(host + "-")])
    return found


class Shared(unittest.TestCase):
    maxDiff = None

    def check(self, inputs, least):
        self.assertGreaterEqual(len(inputs), least)
        with ThreadPoolExecutor(max_workers=2) as pool:
            self.assertEqual([line for lines in pool.map(lambda paths: Answers(paths).wrong(), inputs) for line in lines], [])

    def folder(self):
        folder = os.path.join(support.SHARED, "data", "traces")
        if not os.path.isdir(folder):
            self.skipTest("the shared traces are not here")
        return folder

    def test_of_each_trace(self):
        self.check(single_traces(self.folder()), 50)

    def test_of_each_job(self):
        self.check(jobs(self.folder()), 6)


class Own(unittest.TestCase):
    """The same of what this project recorded: single traces, and jobs with something planted."""

    def test_of_each_trace_and_job(self):
        data = os.path.join(support.SOURCE, "tests", "data")
        inputs = [[os.path.join(data, part, name)] for part in ("recorded", "compiled") for name in sorted(os.listdir(os.path.join(data, part)))
                  if name.endswith(".json.gz")]
        planted = os.path.join(data, "planted")
        inputs += [[os.path.join(planted, name, file) for file in sorted(os.listdir(os.path.join(planted, name))) if file.endswith(".json.gz")]
                   for name in sorted(os.listdir(planted)) if os.path.isdir(os.path.join(planted, name))]
        for paths in inputs:
            with self.subTest(paths[0]):
                self.assertEqual(Answers(paths).wrong(), [])


if __name__ == "__main__":
    unittest.main()
