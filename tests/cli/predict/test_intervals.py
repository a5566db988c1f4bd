# SPDX-License-Identifier: Apache-2.0
"""Every predicted figure of what-ifs, sweeps and shard stands beside its interval, or it is said why it has none."""
import csv
import io
import math
import os
import tempfile
import unittest

from support import OK, span, steptime, training_steps, write_trace

MODEL = "dlrm:default@2048"
TABLES = "name,rows,width,lookups\na,1000000,64,20\nb,20000,128,1\nc,5000000,64,0.5\n"


def waiting_steps():
    """Steps whose host waits for the last of their kernels."""
    return training_steps(count=4) + [
        span("cudaDeviceSynchronize", 1000 * step + 465, 107, cat="cuda_runtime", correlation=1000 + step) for step in range(4)]


def section(document, name):
    return next(part for part in document["sections"] if part["id"] == name)


def values(part):
    return {value["id"]: value["value"] for value in part["values"]}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = write_trace(os.path.join(folder.name, "trace.json"), waiting_steps(),
                                 deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}])
        self.tables = os.path.join(folder.name, "tables.csv")
        with open(self.tables, "w", encoding="ascii") as file:
            file.write(TABLES)

    def ask(self, *words):
        run = steptime(*words, "--format", "json")
        self.assertEqual(run.code, OK, run.err)
        return run.json

    def rows(self, table, *words):
        run = steptime(*words, "--format", "csv", "--table", table)
        self.assertEqual(run.code, OK, run.err)
        return list(csv.DictReader(io.StringIO(run.out)))

    def between(self, found, *names):
        low, value, high = (float(found[name]) for name in names)
        self.assertTrue(low < value < high, (low, value, high))


class WhatIfs(Case):
    def test_a_walked_answer_has_them_all(self):
        found = values(section(self.ask("predict", MODEL, "--hw", "V100", "--batch", "4096"), "what_if"))
        for name, unit in (("before", "_ns"), ("after", "_ns"), ("saving", "_ns"), ("speedup", "")):
            self.between(found, f"{name}_low{unit}", f"{name}{unit}", f"{name}_high{unit}")
        self.assertEqual(found["level"], 0.9)
        up, down = found["after_high_ns"] - found["after_ns"], found["before_ns"] - found["before_low_ns"]
        self.assertAlmostEqual(found["saving_ns"] - found["saving_low_ns"], math.hypot(up, down), delta=2)

    def test_a_replay_on_another_device_has_what_models_make_of_it(self):
        document = self.ask("predict", self.trace, "--hw", "H100")
        part = section(document, "what_if")
        found, step = values(part), values(section(document, "prediction"))
        self.assertIsNone(found["before_low_ns"])
        self.between(found, "after_low_ns", "after_ns", "after_high_ns")
        self.between(found, "saving_low_ns", "saving_ns", "saving_high_ns")
        self.assertEqual((found["after_low_ns"], found["after_high_ns"]), (step["step_low_ns"], step["step_high_ns"]))
        rank = self.rows("what_if_ranks", "predict", self.trace, "--hw", "H100")[0]
        self.between(rank, "after_low_ns", "after_ns", "after_high_ns")

    def test_a_replay_of_what_was_recorded_says_that_it_has_none(self):
        document = self.ask("predict", self.trace, "--no-sync")
        found = values(section(document, "what_if"))
        self.assertIsNone(found["after_high_ns"])
        self.assertIn("nothing of it is an estimate", found["interval"])
        screen = " ".join(steptime("predict", self.trace, "--no-sync").out.split())
        self.assertIn("nothing of it is an estimate", screen)
        self.assertIn("so it has no interval", screen)

    def test_a_wider_level_is_wider(self):
        half, most = (values(section(self.ask("predict", MODEL, "--hw", "V100", "--batch", "4096", "--level", level), "what_if"))
                      for level in ("0.5", "0.99"))
        self.assertGreater(half["after_low_ns"], most["after_low_ns"])
        self.assertLess(half["speedup_high"], most["speedup_high"])


class Sweeps(Case):
    def test_each_value_has_the_interval_of_the_question_alone(self):
        for row in self.rows("sweep", "predict", MODEL, "--hw", "V100", "--sweep", "batch=1024,4096"):
            self.between(row, "step_low_us", "step_us", "step_high_us")
            self.between(row, "samples_low_per_s", "samples_per_s", "samples_high_per_s")
            alone = values(section(self.ask("predict", MODEL, "--hw", "V100", "--batch", row["value"]), "what_if"))
            self.assertAlmostEqual(1e3 * float(row["step_high_us"]), alone["after_high_ns"], delta=2)

    def test_devices_swept_on_a_recording(self):
        first, second = self.rows("sweep", "predict", self.trace, "--sweep", "hw=V100,H100")
        self.between(first, "step_low_us", "step_us", "step_high_us")
        self.between(second, "step_low_us", "step_us", "step_high_us")

    def test_a_sweep_that_estimates_nothing_says_so(self):
        found = values(section(self.ask("predict", self.trace, "--sweep", "cpu-speed=1,2"), "sweep"))
        self.assertIn("nothing of it is an estimate", found["interval"])


class Shard(Case):
    def test_all_times_have_them(self):
        words = ("shard", self.tables, "--gpus", "2", "--hw", "H100")
        for row in self.rows("choices", *words):
            for name in ("step", "largest", "mean", "exchange"):
                self.between(row, f"{name}_low_us", f"{name}_us", f"{name}_high_us")
        for table in ("devices", "placement"):
            for row in self.rows(table, *words):
                self.between(row, "lookup_low_us", "lookup_us", "lookup_high_us")

    def test_the_level_is_told_and_taken(self):
        words = ("shard", self.tables, "--gpus", "2", "--hw", "H100")
        self.assertEqual(values(section(self.ask(*words, "--level", "50%"), "shard"))["level"], 0.5)

    def test_a_server_that_is_assumed_is_told(self):
        words = ("shard", self.tables, "--gpus", "2", "--hw", "T4")
        self.assertIn("8 are assumed", " ".join(steptime(*words).out.split()))
        self.assertNotIn("are assumed", steptime(*words, "--set", "gpus_per_server=4").out)
        half, nine = (float(self.rows("choices", *words, "--level", level)[0]["step_high_us"]) for level in ("0.5", "0.9"))
        self.assertLess(half, nine)


if __name__ == "__main__":
    unittest.main()
