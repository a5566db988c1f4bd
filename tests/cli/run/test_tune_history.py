# SPDX-License-Identifier: Apache-2.0
"""steptime tune --history: predicted against measured over manifests that are made here, so that every figure is known."""
import json
import os
import tempfile
import unittest

from support import INPUT, OK, USAGE, steptime


def trial(rule, predicted, measured, half=0.01, step=10e6, interval=0.02, of=10e6):
    """Parts of a step: a saving that was predicted, and one that was measured with an interval of +- half."""
    times = lambda saved: 1 / (1 - saved)
    return {"rule": rule, "path": "train.py", "line": 1, "text": "x", "message": "", "kind": "safe", "level": "warning",
            "outcome": "kept", "why": "", "predicted_ns": None if predicted is None else predicted * of,
            "predicted_low_ns": None if predicted is None or interval is None else (predicted - interval) * of,
            "predicted_high_ns": None if predicted is None or interval is None else (predicted + interval) * of,
            "predicted_step_ns": of, "step_ns": step, "times_as_fast": times(measured), "low": times(measured - half),
            "high": times(measured + half), "repetitions": 4, "took_ns": 1, "after": []}


class History(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, trials, **more):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as out:
            json.dump({"format": "steptime tune", "version": 1, "steptime": "0", "phase": "measured", "script": "/x/train.py",
                       "root": "/x", "trace": "", "folder": "/x", "command": ["python3", "train.py"], "trials": trials, **more}, out)
        return folder

    def history(self, *words):
        done = steptime("tune", "--history", "--format", "json", *words, cwd=self.folder)
        self.assertEqual(done.code, OK, done.err)
        section = done.json["sections"][0]
        table = section["tables"][0]
        rows = {row[0]: dict(zip([c["id"] for c in table["columns"]], row)) for row in table["rows"]}
        return rows, {v["id"]: v["value"] for v in section["values"]}, done

    def test_errors_by_rule(self):
        self.write("a", [trial("ST201", 0.30, 0.20), trial("ST201", 0.20, 0.20), trial("ST401", -0.001, 0.002, half=0.01)])
        self.write("deep/er/b", [trial("ST201", -0.05, 0.10), trial("ST302", None, 0.5)])
        rows, values, _ = self.history()
        self.assertEqual(set(rows), {"ST201", "ST401", "all"})
        self.assertEqual((values["runs"], values["all_trials"]), (2, 5))
        lists = rows["ST201"]
        self.assertEqual((lists["predicted_trials"], lists["told"], lists["signs_right"]), (3, 3, 2))
        self.assertAlmostEqual(lists["median_ratio"], 1.0)
        self.assertAlmostEqual(lists["median_relative_error"], 0.5)
        self.assertAlmostEqual(lists["median_error"], 0.10)
        self.assertAlmostEqual(lists["mean_error"], (0.10 + 0 + 0.15) / 3)
        self.assertAlmostEqual(lists["bias"], (0.10 + 0 - 0.15) / 3)
        self.assertEqual((lists["intervals"], lists["covered"]), (3, 1))
        self.assertEqual((rows["ST401"]["told"], rows["ST401"]["median_ratio"], rows["ST401"]["covered"]), (0, None, 1))
        self.assertEqual(rows["all"]["predicted_trials"], 4)

    def test_a_prediction_is_of_its_own_step(self):
        """Recorded while steps took half as long as when they were timed: the same part of a step."""
        self.write("a", [trial("ST201", 0.30, 0.30, step=20e6, of=10e6)])
        rows, _, _ = self.history()
        self.assertAlmostEqual(rows["ST201"]["median_ratio"], 1.0)

    def test_folders_that_are_named_and_copies_that_are_not_searched(self):
        first = self.write("a", [trial("ST201", 0.3, 0.3)])
        self.write("b", [trial("ST302", 0.3, 0.3)])
        self.write("a/trial/steptime-tune-train", [trial("ST401", 0.3, 0.3)])
        rows, _, _ = self.history(first)
        self.assertEqual(set(rows), {"ST201", "all"})

    def test_nothing_and_what_is_none(self):
        os.makedirs(os.path.join(self.folder, "web"))
        with open(os.path.join(self.folder, "web", "manifest.json"), "w", encoding="utf-8") as out:
            out.write('{"name": "a site"}')
        rows, values, done = self.history()
        self.assertEqual((rows, values["runs"], done.json["warnings"]), ({}, 0, []))
        folder = self.write("c", [])
        with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as out:
            out.write('{"format": "steptime tune", "version":')
        _, _, done = self.history()
        self.assertIn("is no manifest of steptime tune", done.json["warnings"][0]["message"])
        self.assertEqual(steptime("tune", "--history", "no/such/folder", cwd=self.folder).code, INPUT)
        self.assertEqual(steptime("tune", "--history", "--write", cwd=self.folder).code, USAGE)


if __name__ == "__main__":
    unittest.main()
