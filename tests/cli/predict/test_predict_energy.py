# SPDX-License-Identifier: Apache-2.0
"""Joules of a step, and money."""
import csv
import io
import os
import tempfile
import unittest

from support import OK, SOURCE, USAGE, shared_trace, steptime


class Energy(unittest.TestCase):
    """Joules of a step and money, where the device is known."""

    def values(self, *words):
        done = steptime("predict", *words, "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        (section,) = [section for section in done.json["sections"] if section["id"] == "prediction"]
        ranks = [table for part in done.json["sections"] for table in part["tables"] if table["id"] == "ranks"]
        return {value["id"]: value["value"] for value in section["values"]}, ranks[0]

    def test_a_model_in_joules_and_money(self):
        of, _ = self.values("dlrm:default", "--hw", "A100", "--per-hour", "3.6")
        self.assertAlmostEqual(of["joules"] / (of["watts"] * of["step_ns"] / 1e9), 1, delta=1e-6)
        self.assertTrue(40 < of["watts"] < 400)
        self.assertTrue(of["joules_low"] < of["joules"] < of["joules_high"] <= 1.02 * 400 * of["step_high_ns"] / 1e9)
        self.assertIn(of["watts_basis"], ("carried", "analytic"))
        self.assertAlmostEqual(of["cost"], of["step_ns"] / 1e12, delta=1e-12)
        self.assertTrue(of["cost_low"] < of["cost"] < of["cost_high"])
        said = steptime("predict", "dlrm:default", "--hw", "A100", "--per-hour", "3.6").out
        self.assertIn("a million steps cost", said)
        self.assertIn("energy of a step on the GPU (J)", said)
        self.assertIn("energy of a step on the GPU", steptime("predict", "dlrm:default", "--hw", "A100", "--format", "html").out)

    def test_a_smaller_share_of_the_board_draws_less_but_takes_more_in_all(self):
        slow, _ = self.values("dlrm:default", "--hw", "A100", "--cpu-speed", "0.25")
        fast, _ = self.values("dlrm:default", "--hw", "A100")
        self.assertLess(slow["watts"], fast["watts"])
        self.assertGreater(slow["joules"], fast["joules"])

    def test_a_recorded_step_draws_what_its_kernels_do_in_their_time(self):
        of, ranks = self.values(shared_trace("kineto/tl_h100_bert_small.json.gz"))
        self.assertTrue(70 < of["watts"] < 700)
        self.assertTrue(of["joules_low"] < of["joules"] < of["joules_high"])
        columns = [column["id"] for column in ranks["columns"]]
        self.assertEqual(ranks["rows"][0][columns.index("joules")], of["joules"])

    def test_without_a_price_or_a_device_there_is_none(self):
        of, _ = self.values("dlrm:default", "--hw", "A100")
        self.assertIsNone(of["cost"])
        recorded = os.path.join(SOURCE, "tests", "data", "recorded", "dlrm-cpu.json.gz")
        of, ranks = self.values(recorded)
        self.assertEqual([of[name] for name in ("watts", "joules", "joules_low", "joules_high", "watts_basis")], [None] * 5)
        self.assertIn("joules", [column["id"] for column in ranks["columns"]])
        self.assertEqual(steptime("predict", "dlrm:default", "--hw", "A100", "--per-hour", "-1").code, USAGE)

    def test_money_is_of_steps(self):
        rows = b"op,device,b,m,n,k\nbmm,T4,1,64,64,64\n"
        for words in (("kernel",), ("graph", "--each", "--hw", "T4")):
            done = steptime("predict", *words, "--input", "-", "--per-hour", "2", stdin=rows)
            self.assertEqual(done.code, USAGE)
            self.assertIn("--per-hour is of steps", done.err)


POWERLESS = "name,fp32_tflop_per_s,memory_gb_per_s,sm_count,gpu_link\nBoard,10,1000,80,NVLink 4 x18\n"


class Compared(unittest.TestCase):
    """Joules and money of what a sweep and a placement of tables compare."""

    def rows(self, table, *words):
        done = steptime(*words, "--format", "csv", "--table", table)
        self.assertEqual(done.code, OK, done.err)
        return list(csv.DictReader(io.StringIO(done.out)))

    def swept(self, *words):
        return self.rows("sweep_energy", "predict", *words)

    def file(self, name, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        full = os.path.join(folder.name, name)
        with open(full, "w", encoding="ascii") as out:
            out.write(text)
        return full

    def tables(self):
        return self.file("tables.csv", "rows,width,lookups\n1000000,64,20\n20000,128,1\n5000000,64,40\n")

    def test_each_value_of_a_sweep_has_the_joules_of_its_prediction(self):
        rows = self.swept("dlrm:default", "--hw", "A100", "--sweep", "batch=512,2048", "--per-hour", "3.6")
        for row in rows:
            done = steptime("predict", f"dlrm:default@{row['value']}", "--hw", "A100", "--per-hour", "3.6", "--format", "json")
            of = {value["id"]: value["value"] for section in done.json["sections"] for value in section["values"]}
            for word in ("joules", "joules_low", "joules_high", "watts", "cost", "cost_low", "cost_high"):
                self.assertAlmostEqual(float(row[word]) / of[word], 1, delta=1e-3, msg=word)
            self.assertEqual(row["watts_basis"], of["watts_basis"])
            self.assertAlmostEqual(float(row["million_cost"]) / float(row["cost"]), 1e6, delta=1)
        self.assertLess(float(rows[0]["joules"]), float(rows[1]["joules"]))

    def test_devices_and_networks_are_swept_in_joules(self):
        rows = self.swept("dlrm:default", "--hw", "A100", "--sweep", "hw=T4,H100")
        self.assertLess(float(rows[0]["watts"]), 70 * 1.02)
        self.assertEqual([row["cost"] for row in rows], ["", ""])
        trace = shared_trace("kineto/tl_h100_bert_small.json.gz")
        rows = self.swept(trace, "--sweep", "network=25..100Gbps")
        self.assertTrue(all(70 < float(row["watts"]) < 700 for row in rows))

    def test_a_recorded_step_that_is_replayed_draws_for_the_time_of_the_replay(self):
        trace = shared_trace("kineto/tl_h100_bert_small.json.gz")
        slow, fast = self.swept(trace, "--sweep", "cpu-speed=1,4")
        self.assertLess(float(fast["joules"]), float(slow["joules"]))
        self.assertGreater(float(fast["watts"]), float(slow["watts"]))

    def test_what_is_not_known_says_why_and_is_no_zero(self):
        recorded = os.path.join(SOURCE, "tests", "data", "recorded", "dlrm-cpu.json.gz")
        for row in self.swept(recorded, "--sweep", "cpu-speed=1,2"):
            self.assertEqual([row["joules"], row["joules_high"], row["watts"], row["watts_basis"]], ["", "", "", "unknown"])
        self.assertIn("Joules are unknown: the device is not known.",
                      steptime("predict", recorded, "--sweep", "cpu-speed=1,2").out)
        board = self.file("board.csv", POWERLESS)
        said = steptime("predict", "dlrm:default", "--hw", board, "--sweep", "batch=512,1024", "--per-hour", "1").out
        self.assertIn("Joules are unknown: no power limit of Board is known.", said)
        self.assertIn("a million cost", said)  # money needs no watts
        said = steptime("shard", self.tables(), "--gpus", "2", "--hw", board, "--memory", "16GiB").out
        self.assertIn("Joules are unknown: no power limit of Board is known.", said)

    def test_a_placement_draws_and_costs_on_all_its_devices(self):
        words = ("shard", self.tables(), "--hw", "A100-SXM4-80GB", "--per-hour", "2")
        four = {row["method"]: row for row in self.rows("energy", *words, "--gpus", "4")}
        step = {row["method"]: float(row["step_us"]) for row in self.rows("choices", *words, "--gpus", "4")}
        for method, row in four.items():
            self.assertTrue(float(row["joules_low"]) < float(row["joules"]) < float(row["joules_high"]))
            self.assertTrue(4 * 40 < float(row["watts"]) < 4 * 400)
            self.assertAlmostEqual(float(row["cost"]), 4 * 2 * step[method] / 3.6e9, delta=1e-12)
            self.assertAlmostEqual(float(row["joules"]), float(row["watts"]) * step[method] / 1e6, delta=1e-6)
        one = self.rows("energy", *words, "--gpus", "1")[0]
        self.assertLess(float(one["watts"]), 400)
        self.assertEqual(steptime(*words, "--gpus", "2", "--per-hour", "-1").code, USAGE)

    def test_a_step_whose_time_is_unsure_has_joules_as_unsure(self):
        """A board that waits draws as long as the step lasts."""
        (row,) = self.swept("dlrm:default", "--hw", "A100", "--cpu-speed", "0.25", "--sweep", "batch=64")
        (time,) = self.rows("sweep", "predict", "dlrm:default", "--hw", "A100", "--cpu-speed", "0.25", "--sweep", "batch=64")
        self.assertGreater(float(row["joules_high"]) / float(row["joules"]),
                           0.9 * float(time["step_high_us"]) / float(time["step_us"]))


if __name__ == "__main__":
    unittest.main()
