# SPDX-License-Identifier: Apache-2.0
"""What a job saves is what it saves as a whole: its simulation without a resource says so, and so does every way to ask.

All planted jobs are compared by `tests/planted/run.py --proof`; here a few of each kind.
"""
import os
import tempfile
import unittest
import unittest.mock

from planted import compare, truth
from planted.jobs import JOBS, Job
from support import rows_of, steptime, values

IDEAL = {"link_in_ring_4": "the link ", "link_between_nodes_4": "the link ", "link_beside_compute_4": "the link ",
         "stage_imbalance_4": "stage ", "late_in_pipeline_4": "stage ", "stages_told_4": "stage ", "stages_gloo_4": "stage "}
PROVEN = ("late_forward_2", "late_backward_4", "late_gc_4", "slower_device_2", "stages_told_2", "stages_unnumbered_8", "stages_gloo_2", "stages_balanced_4",
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

    def test_a_link_and_a_stage_made_ideal_save_what_was_planted(self):
        for name, what in IDEAL.items():
            with self.subTest(name):
                about, traces = truth.truth(JOBS[name]), self.traces(name)
                document = steptime("ranks", *traces, "--format", "json").json
                saves = next(row["saves_ns"] for row in rows_of(document, "ideal") if row["what"].startswith(what))
                self.assertAlmostEqual(saves / about["steps"] / about["saving_per_step_ns"], 1, delta=0.05)
                if what == "the link ":
                    cause = rows_of(document, "causes")[0]["per_step_ns"]
                    self.assertAlmostEqual(cause / about["saving_per_step_ns"], 1, delta=0.05)

    def test_what_a_pipeline_saves_spread_evenly_is_replayed(self):
        """24 layers as 4, 4, 4, 12 and as 6 each: less is saved than 12 is more than 6, for it begins and ends as it did."""
        job = JOBS["stage_imbalance_4"]
        even = Job(**{**vars(job), "setup": {**job.setup, "layers_of": lambda rank: 6}})
        with unittest.mock.patch.dict(JOBS, {job.name: job, "even": even}):
            saved = (truth.simulate(job.name).wall_ns - truth.simulate("even").wall_ns) / truth.simulate(job.name).steps
        said = values(steptime("summary", *self.traces(job.name), "--format", "json").json)["late"]
        words = said.partition("makes a step shorter by ")[2].split()
        self.assertEqual(words[1].rstrip("."), "ms", said)
        self.assertAlmostEqual(float(words[0]) * 1e6 / saved, 1, delta=0.05)

    def test_collectives_without_a_record_make_a_share_a_range(self):
        """Rank 3 has no record of a third of the collectives: what was waited there stays, so 73 % are the least. 97 % are true."""
        name = "every_third_unseen_4"
        true = truth.saves(JOBS[name], resource="stalls", factor=0.0)
        document = steptime("summary", *self.traces(name), "--format", "json").json
        rows = {row["resource"]: row for row in rows_of(document, "experiments")}
        for resource in ("stalls", "lateness"):
            self.assertLess(rows[resource]["removed"], true - 0.05)
            self.assertAlmostEqual(rows[resource]["removed_most"], true, delta=0.02)
        self.assertLess(rows["device"]["removed_most"], 0.1)
        self.assertRegex(values(document)["verdict"], r"a step is 73 to 97 % shorter if .* no stalls -73 to -97 %.* no record of\.$")
        whole = rows_of(steptime("summary", *self.traces("late_forward_2"), "--format", "json").json, "experiments")
        self.assertEqual({row["removed_most"] for row in whole}, {None})

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
