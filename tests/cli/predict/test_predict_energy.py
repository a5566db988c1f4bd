# SPDX-License-Identifier: Apache-2.0
"""Joules of a step, and money."""
import os
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


if __name__ == "__main__":
    unittest.main()
