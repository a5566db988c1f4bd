# SPDX-License-Identifier: Apache-2.0
"""Compile time has a name of its own, and compiling again is told."""
import os
import tempfile
import unittest

import support
from plant import Plant
from support import OK, rows_of, steptime, values


class Compilation(unittest.TestCase):
    def run_on(self, command, path):
        done = steptime(command, path, "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        return done.json

    def check_sums(self, document):
        parts = {row["part"] for row in rows_of(document, "parts")}
        for row in rows_of(document, "steps"):
            self.assertEqual(sum(row[f"{part}_ns"] or 0 for part in parts), row["wall_ns"], row["step"])

    def test_a_planted_compilation(self):
        """Two steps of 5 ms; in the second 2 ms of compilation while the device is idle, and an operator inside it."""
        plant = Plant()
        for step in range(2):
            plant.step(step, 5000 * step, 5000)
            plant.work(launch=5000 * step, at=5000 * step + 10, dur=990)
            plant.work(launch=5000 * step + 4000, at=5000 * step + 4010, dur=900)
        for name, at, dur in (("entire_frame_compile", 6000, 2000), ("_compile.compile_inner (dynamo_timed)", 6000, 2000),
                              ("compile_fx_inner (dynamo_timed)", 6500, 1000), ("aten::detach", 6600, 100)):
            plant.host(name, at, dur)
        plant.annotation("entire_frame_compile_data: fn_name=_compile.compile_inner, compile_id=0/1", 6000, 1)
        with tempfile.TemporaryDirectory() as folder:
            path = plant.write(os.path.join(folder, "compiled.json"))
            document, summary = self.run_on("breakdown", path), self.run_on("summary", path)
        self.assertEqual([row["compilation_ns"] for row in rows_of(document, "steps")], [0, 2000000])
        self.check_sums(document)
        for found in (document, summary):
            self.assertEqual([values(found)[key] for key in ("compilations", "recompilations", "compiled_graphs")],
                             [1, 1, 1])
        parts = {row["part"]: row["per_step_ns"] for row in rows_of(summary, "step_parts")}
        self.assertEqual(parts["compilation"], 1000000)
        self.assertIn("SM109", [finding["rule"] for finding in summary["findings"]])

    def test_recompiled_by_pytorch_2_13(self):
        path = os.path.join(support.SHARED, "data", "faults", "recompiles_torch213.json.gz")
        if not os.path.exists(path):
            self.skipTest("the shared faults are not here")
        document, summary = self.run_on("breakdown", path), self.run_on("summary", path)
        self.check_sums(document)
        share = {row["part"]: row["share"] for row in rows_of(summary, "step_parts")}
        self.assertGreater(share["compilation"], 0.9)
        self.assertLess(share["forward"], 0.1)
        self.assertEqual([values(summary)[key] for key in ("compilations", "recompilations", "compiled_graphs")], [2, 2, 4])
        self.assertIn("The first and the last step take 100.0 % of the time of all, most of it compilation. The others are compute-bound:",
                      values(summary)["verdict"])
        causes = rows_of(summary, "causes")
        self.assertEqual(causes[0]["cause"], "compilation")
        self.assertGreater(causes[0]["share"], 0.95)
        [finding] = [found for found in summary["findings"] if found["rule"] == "SM109"]
        self.assertIn("2 functions compiled in 7 steps, 2 of them again", finding["message"])
        self.assertIn("TORCH_TRACE", finding["message"])

    def test_parts_have_ids(self):
        """step_parts.part of summary is what parts.part of breakdown is."""
        path = support.recorded("dlrm-cpu.json.gz")
        ids = {row["part"] for row in rows_of(self.run_on("breakdown", path), "parts")}
        self.assertLessEqual({row["part"] for row in rows_of(self.run_on("summary", path), "step_parts")}, ids)
