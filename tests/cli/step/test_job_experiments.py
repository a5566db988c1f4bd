# SPDX-License-Identifier: Apache-2.0
"""What a job saves is what it saves as a whole: its simulation without a resource says so, and so does every way to ask.

All planted jobs are compared by `tests/planted/run.py --proof`; here a few of each kind.
"""
import os
import tempfile
import unittest

from planted import compare, truth
from planted.jobs import JOBS
from support import rows_of, steptime, values

PROVEN = ("late_forward_2", "late_backward_4", "late_gc_4", "slower_device_2", "stages_told_2", "stages_gloo_2", "stages_balanced_4",
          "late_in_gloo_pipeline_3")
ANSWERS = (("summary",), ("critical-path",), ("ranks",), ("fleet", "stragglers"))


class JobExperiments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def traces(self, name):
        return truth.write(JOBS[name], self.folder)

    def test_shares_are_those_of_the_simulation(self):
        for name in PROVEN:
            with self.subTest(name):
                about = {**truth.truth(JOBS[name]), "proof": truth.proof(JOBS[name])}
                document = steptime("summary", *self.traces(name), "--format", "json").json
                for check in compare.of_proof(about, document):
                    self.assertTrue(check.right, f"{check.what}: {check.said}, not {check.wanted}")

    def test_it_says_that_the_job_was_replayed(self):
        traces = self.traces("late_forward_2")
        said = values(steptime("summary", *traces, "--format", "json").json)
        self.assertEqual(said["verdict_replayed"], "job")
        self.assertLess(said["verdict_job_error"], 0.001)
        self.assertEqual(values(steptime("summary", traces[0], "--format", "json").json)["verdict_replayed"], "rank")

    def test_one_late_rank_saves_on_all_once_and_nothing_beside(self):
        """The sleep of one rank is what makes it late: without the one the other has nothing left to save."""
        rows = {row["resource"]: row for row in rows_of(
            steptime("summary", *self.traces("late_forward_2"), "--format", "json").json, "experiments")}
        self.assertAlmostEqual(rows["stalls"]["removed"], rows["lateness"]["removed"], delta=0.01)
        self.assertGreater(rows["stalls"]["removed_ns"], rows["stalls"]["time_ns"])
        self.assertLess(rows["stalls"]["beside_late"], 0.01)

    def test_every_command_and_sketches_say_the_same(self):
        traces = self.traces("late_gc_4")
        wanted = rows_of(steptime("summary", *traces, "--format", "json").json, "experiments")
        sketches = os.path.join(self.folder, "sketches")
        os.mkdir(sketches)
        steptime("summary", *traces, "--save", sketches)
        for inputs, commands in ((traces, ANSWERS), ([sketches], ANSWERS[:3])):
            for command in commands:
                self.assertEqual(rows_of(steptime(*command, *inputs, "--format", "json").json, "experiments"), wanted, command)


if __name__ == "__main__":
    unittest.main()
