# SPDX-License-Identifier: Apache-2.0
"""The path across the ranks of a job and the delay costs: exact to the nanosecond, and where the plant is."""
import collections
import os
import tempfile
import unittest

import plant
from planted import real
from planted.jobs import JOBS, LATE, LINKS, NONE, PIPELINES, SLOWER
from planted.truth import truth, write
from support import rows_of, shared_trace, steptime, values

MS = 1e6
UNSURE = ("stages_unnumbered_4", "stages_unnumbered_8", "stages_queued_before_4")  # not all messages are matched, or not rightly
NO_HOST = {"compute": "compute", "copies": "copies", "memset": "copies", "unknown": "not recorded", "transfer": "transfer",
           "data_loading": "data loading", "stream_gaps": "queue", "launch_latency": "launch"}


class AcrossTest(unittest.TestCase):
    def path(self, folder, begin=""):
        traces = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                        if name.startswith(begin) and name.endswith(".json.gz"))
        return steptime("critical-path", "--format", "json", *traces).json

    def check(self, document):
        """What is on the path adds up to the job, and all that ranks waited is somebody's cost."""
        value = values(document)
        rows, crossings = rows_of(document, "across"), rows_of(document, "crossings")
        self.assertEqual(sum(row["time_ns"] for row in rows), value["job_wall_ns"])
        self.assertTrue(all(row["time_ns"] > 0 for row in rows))
        self.assertEqual(len(crossings), value["crossings"])
        times = [row["at_ns"] for row in crossings]
        self.assertEqual(times, sorted(times))
        for before, after in zip(crossings, crossings[1:]):
            self.assertEqual(after["last"], before["waited"])  # where one goes to, further back, the other had come from
        if "all_waiting_ns" in value:
            costs = rows_of(document, "delay_costs")
            self.assertEqual(sum(row["short_ns"] + row["long_ns"] for row in costs), value["all_waiting_ns"])
        return value, rows, crossings

    def test_recorded_jobs_against_an_independent_program(self):
        """(rank, kind): ms. Which edges are known differs: 5 points of the whole are allowed; the whole itself is exact, but
        for clocks, which are estimated (4 us)."""
        for name, wall, apart, expected, crossing in (
                ("param_dlrm_v100_w8", 20_823_000, 0, {(4, "host"): 9.968, (7, "not recorded"): 7.513, (7, "host"): 2.043,
                                                       (7, "data loading"): 1.157}, (10_725_000, 7)),
                ("torchrec_a2a_v100_w4", 3_668_995_000, 4000, {(2, "host"): 3499.309, (2, "compute"): 133.279,
                                                               (None, "transfer"): 11.919}, (3_653_404_000, 2)),
                ("torchrec_a2a_opt4_v100_w4", 747_302_000, 4000,
                 {(2, "host"): 591.468, (2, "compute"): 54.642, (None, "transfer"): 44.659, (3, "compute"): 34.416},
                 (691_694_000, 2)),
                ("torchrec_log_resnet18_w2", 130_698_000, 0, {(1, "host"): 129.508, (1, "not recorded"): 1.190}, None)):
            with self.subTest(name):
                value, rows, crossings = self.check(self.path(shared_trace(f"multirank/{name}"), "kineto"))
                self.assertAlmostEqual(value["job_wall_ns"], wall, delta=apart)
                sums = collections.Counter()
                for row in rows:
                    sums[row["rank"], NO_HOST.get(row["class"], "host")] += row["time_ns"]
                for what, ms in expected.items():
                    self.assertAlmostEqual(sums[what] / MS, ms, delta=0.05 * wall / MS, msg=what)
                self.assertEqual(len(crossings), 1 if crossing else 0)
                for row in crossings:
                    self.assertAlmostEqual(row["at_ns"], crossing[0], delta=apart)
                    self.assertEqual(row["last"], crossing[1])

    def test_all_waiting_is_what_an_independent_program_found(self):
        for name, waiting, apart in (("param_dlrm_v100_w8", 46_843_000, 0), ("torchrec_log_resnet18_w2", 7_164_000, 0),
                                     ("torchrec_a2a_v100_w4", 9_408_410_000, 100_000),
                                     ("torchrec_a2a_opt4_v100_w4", 353_595_000, 100_000)):
            with self.subTest(name):
                document = self.path(shared_trace(f"multirank/{name}"), "kineto")
                self.assertAlmostEqual(values(document)["all_waiting_ns"], waiting, delta=apart)

    def test_the_sentence_names_what_the_costs_and_the_path_name(self):
        """A pause of one length is one on the path too; and before its first event nobody knows what a rank did: who begins
        late delays the others by what is not recorded, not by what it did since."""
        for name, rank, cause, kind in (("torchrec_a2a_v100_w4", 2, "pause", "stalls"),
                                        ("param_dlrm_v100_w8", 7, "unknown", "unknown")):
            with self.subTest(name):
                document = self.path(shared_trace(f"multirank/{name}"), "kineto")
                value = values(document)
                self.assertEqual((value["late_rank"], value["late_cause"]), (rank, cause))
                cost, part = rows_of(document, "delay_costs")[0], rows_of(document, "across")[0]
                self.assertEqual((cost["rank"], cost["cause"] or cost["class"], cost["class"]), (rank, cause, kind))
                self.assertEqual((part["rank"], part["class"]), (rank, kind))
                self.assertEqual(value["largest"], f"{part['title']} of rank {rank}")

    def test_what_was_not_recorded_has_one_name(self):
        """200 ms in backward of which nothing says what ran: the sentence, the costs and the path call it the same."""
        for name in ("late_backward_4", "late_forward_8", "late_in_gloo_pipeline_4"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                job = JOBS[name]
                write(job, folder)
                document = self.path(folder)
                value = values(document)
                cost, part = rows_of(document, "delay_costs")[0], rows_of(document, "across")[0]
                self.assertIn(value["late_cause"], ("unknown", "pause"))
                for row in (cost, part):
                    self.assertEqual((row["rank"], row["cause"], row["phase"]), (job.rank, value["late_cause"], job.phase))
                    self.assertEqual(row["name"], job.where)
                self.assertEqual(value["largest"], f"{part['title']} of rank {job.rank}")

    def test_recorded_gloo(self):
        for name in ("ddp-sid", "ddp-trixie"):
            with self.subTest(name):
                self.check(self.path(shared_trace("producers"), name))
        with self.subTest("hta_sampled"):
            self.check(self.path(shared_trace("kineto"), "hta_sampled_w128r"))

    def expect_plant(self, about, document, near=0.05):
        """Most of the waiting is due to the planted rank, and without what it does longer the job saves what was planted."""
        rank = about["rank"]
        value, rows, _ = self.check(document)
        saved = [row["saves_ns"] for row in rows_of(document, "ideal") if row["what"] == f"rank {rank}"]
        planted = about["expected_ns"] * about["steps"]
        self.assertAlmostEqual(saved[0] / planted, 1, delta=near)
        costs = collections.Counter()
        for row in rows_of(document, "delay_costs"):
            costs[row["rank"]] += row["cost_ns"]
        self.assertEqual(costs.most_common(1)[0][0], rank, value)
        self.assertGreater(costs[rank], 0.5 * value["all_waiting_ns"])

    def test_planted_jobs(self):
        for job in LATE + SLOWER + NONE:
            with self.subTest(job.name), tempfile.TemporaryDirectory() as folder:
                write(job, folder)
                if job.bound == "late_rank" and job.kind != "stage_imbalance":
                    self.expect_plant(truth(job), self.path(folder))
                else:
                    self.check(self.path(folder))

    def test_what_a_job_saves_without_the_slow_link_or_with_a_shorter_stage(self):
        """Those with all their messages: what nobody is known to wait for is not replayed."""
        for job in LINKS + SLOWER + PIPELINES:
            named = {"link": "the link ", "stage_imbalance": "stage "}.get(job.kind)
            if not named:
                continue
            with self.subTest(job.name), tempfile.TemporaryDirectory() as folder:
                write(job, folder)
                document, about = self.path(folder), truth(job)
                self.check(document)
                saved = [row["saves_ns"] for row in rows_of(document, "ideal") if row["what"].startswith(named)]
                self.assertEqual(len(saved), 1)
                if job.name not in UNSURE:
                    self.assertAlmostEqual(saved[0] / about["steps"] / about["expected_ns"], 1, delta=0.05)

    def test_the_path_goes_from_stage_to_stage_over_gloo(self):
        """Each message for which a stage stands still is a crossing, and no time on the path is spent waiting in one."""
        for name in ("stages_gloo_4", "late_in_gloo_pipeline_4"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                write(JOBS[name], folder)
                _, rows, crossings = self.check(self.path(folder))
                self.assertEqual({row["collective"] for row in crossings}, {"point_to_point"})
                self.assertGreaterEqual(len(crossings), 2 * 6)
                self.assertNotIn("host_communication", {row["class"] for row in rows})

    def test_a_recorded_pipeline_over_gloo_crosses_in_its_messages(self):
        _, rows, crossings = self.check(self.path(os.path.join(real.FOLDER, "stages")))
        self.assertGreaterEqual(len(crossings), 16)
        times = collections.Counter()
        for row in rows:
            times[row["rank"]] += row["time_ns"]
        self.assertEqual(times.most_common(1)[0][0], 2)  # the stage with more layers

    def irecv(self, folder, framed):
        """Rank 0 asks for a message, works for 2 ms, and waits until rank 1 sends it, 20 ms after the step's begin."""
        for rank in range(2):
            scene = plant.Plant(rank=rank, world=2)
            told = {"Concrete Inputs": ["", "", str(1 - rank), "0"], "Input type": ["TensorList", "", "Scalar", "Scalar"],
                    "Input Dims": [[[512, 512]], [], [], []]}
            work = {"Input Dims": [[512, 512]], "Input type": ["float"], "Concrete Inputs": [""]}
            for number in range(1, 7):
                at = 25_000 * number
                scene.step(number, at, 25_000)
                if rank == 0:
                    scene.host("c10d::recv_", at + 10, 20, **told)
                    scene.host("gloo:recv", at + 25, 21_000, cat="user_annotation", **work)
                    scene.host("aten::mm", at + 40, 2000)
                    if framed:
                        scene.python("<built-in method wait of PyCapsule object at 0x7f>", at + 2050, 18_980)
                    scene.host("aten::add", at + 21_040, 3900)
                else:
                    scene.host("aten::mm", at + 10, 19_980)
                    scene.host("c10d::send", at + 20_000, 20, **told)
                    scene.host("gloo:send", at + 20_010, 1000, cat="user_annotation", **work)
                    scene.host("aten::add", at + 21_020, 10)
            scene.write(os.path.join(folder, f"rank{rank}.json.gz"))

    def test_a_receive_that_is_waited_for_after_other_calls(self):
        """A frame that names the wait is crossed at; without one it is said that nobody knows."""
        for framed in (True, False):
            with self.subTest(framed), tempfile.TemporaryDirectory() as folder:
                self.irecv(folder, framed)
                _, rows, crossings = self.check(self.path(folder))
                screen = " ".join(steptime("critical-path", folder).out.split())
                words = "whether it waited is not recorded, so the path does not cross there"
                if not framed:
                    self.assertIn(words, screen)
                    continue
                self.assertNotIn(words, screen)
                self.assertIn((0, 1), {(row["waited"], row["last"]) for row in crossings})
                slow = sum(row["time_ns"] for row in rows if row["rank"] == 1 and row["name"] == "aten::mm")
                self.assertGreater(slow / MS, 19)

    def test_planted_jobs_that_were_recorded(self):
        for about in real.truths():
            with self.subTest(about["name"]):
                document = self.path(about["folder"])
                if about["rank"] is None or about["kind"] == "stage_imbalance":
                    self.check(document)
                else:
                    self.expect_plant(about, document, 0.07)


if __name__ == "__main__":
    unittest.main()
