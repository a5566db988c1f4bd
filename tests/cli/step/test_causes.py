# SPDX-License-Identifier: Apache-2.0
"""What held the host or the device up, by cause: planted loops in which one thing is too long."""
import os
import tempfile
import unittest

import plant
from planted import compare, real, truth as truths
from planted.jobs import JOBS, OTHERS
from support import steptime

STEPS = 6


def tables_of(document):
    return {table["id"]: [dict(zip([c["id"] for c in table["columns"]], row)) for row in table["rows"]]
            for section in document["sections"] for table in section["tables"]}


def kernels(scene, at, count=10, each=100, kernel=20, name="sgemm", free=0):
    """An operator and its kernel each `each` us, one kernel after another and none before `free`; the end of the host."""
    for i in range(count):
        scene.host("aten::mm", at + i * each, each - 1)
        free = max(free, at + i * each + 6)
        scene.work(free, kernel, launch=at + i * each + 1, launch_dur=3, name=name)
        free += kernel
    return at + count * each


class Catalogue(unittest.TestCase):
    """Planted jobs (tests/planted) whose cause no call names by itself."""

    NAMES = ("late_backward_2", "skewed_start_8", "capture_each", "capture_once", "checkpoint_every_third", "single_gap",
             "real_backward", "real_skewed_start", "real_checkpoint", *(job.name for job in OTHERS))

    def folders(self):
        for name in self.NAMES:
            with tempfile.TemporaryDirectory() as folder:
                if name in JOBS:
                    known = truths.truth(JOBS[name])
                    truths.write(JOBS[name], folder)
                    yield known, folder
                else:
                    [known] = [known for known in real.truths() if known["name"] == name]
                    yield known, known["folder"]

    def test_what_is_not_recorded_is_unknown_and_its_place_is_named(self):
        for known, folder in self.folders():
            with self.subTest(known["name"]):
                document = steptime("summary", "--format", "json", folder).json
                wrong = [(check.what, check.said, check.wanted) for check in compare.check(known, {"summary": document})
                         if check.right is False]
                self.assertEqual(wrong, [])


class Causes(unittest.TestCase):
    def summary(self, body, steps=STEPS):
        """body(scene, start, number) plants a step and returns its end; times are in microseconds."""
        scene, at = plant.Plant(), 0
        for number in range(1, steps + 1):
            end = body(scene, at, number)
            scene.step(number, at, end - at)
            at = end
        with tempfile.TemporaryDirectory() as folder:
            return steptime("summary", "--format", "json", scene.write(os.path.join(folder, "trace.json"))).json

    def test_what_surrounds_a_capture_is_the_capture(self):
        def body(scene, at, number):
            if number == 3:
                scene.host("CompiledFunction", at, 20_000)
                scene.call("cudaDeviceSynchronize", at + 10, 20)
                scene.call("cudaStreamBeginCapture", at + 15_000, 5)
                scene.call("cudaStreamEndCapture", at + 16_000, 5)
                scene.call("cudaGraphInstantiate", at + 16_010, 500)
                at += 20_000
            return kernels(scene, at)
        causes = tables_of(self.summary(body))["causes"]
        self.assertEqual((causes[0]["cause"], causes[0]["times"], causes[0]["when"]), ("graph_capture", 1, "once"))
        self.assertAlmostEqual(causes[0]["per_step_ns"] * STEPS, 19_960_000, delta=100_000)

    def test_operators_that_launch_nothing_are_no_launches_to_save(self):
        def body(scene, at, _):
            scene.annotation("DistributedDataParallel.forward", at, 5010)
            for i in range(100):
                scene.host("aten::split_with_sizes", at + 50 * i, 45)
            return kernels(scene, at + 5010)
        document = self.summary(body)
        row = tables_of(document)["causes"][0]
        self.assertEqual((row["cause"], row["when"], row["times"]), ("no_launch", "each", STEPS))
        self.assertEqual(row["what"], "DistributedDataParallel.forward")
        self.assertAlmostEqual(row["per_step_ns"], 5_091_000, delta=1000)  # from the launch before, 96 us earlier, without 5
        finding = document["findings"][0]
        self.assertEqual(finding["rule"], "SM119")
        self.assertIn("broadcast_buffers=False", finding["message"])

    def test_few_operators_or_short_runs_are_ordinary(self):
        def body(scene, at, _):
            for i in range(10):
                scene.host("aten::split_with_sizes", at + 90 * i, 85)
            return kernels(scene, at + 900)
        self.assertNotIn("no_launch", [row["cause"] for row in tables_of(self.summary(body))["causes"]])

    def test_where_the_device_is_the_bound_its_kernels_are_named(self):
        def body(scene, at, _):
            end = kernels(scene, at, kernel=300, name="flash_fwd")
            end = kernels(scene, end, kernel=30, name="scale", free=at + 3006)
            scene.call("cudaDeviceSynchronize", end, at + 3310 - end)
            return at + 3310
        document = self.summary(body)
        row = tables_of(document)["causes"][0]
        self.assertEqual((row["cause"], row["what"], row["inside"]), ("device_work", "flash_fwd", "aten::mm"))
        self.assertEqual(document["findings"][0]["id"], "SM203-device_work-flash_fwd")

    def test_savings_that_add_up_to_more_than_the_step_are_told_together(self):
        def body(scene, at, _):
            scene.annotation(plant.LOADER, at, 5000)
            end = kernels(scene, at + 5000, count=20, each=20, kernel=200)
            scene.call("cudaDeviceSynchronize", end, at + 9100 - end)
            return at + 9100
        rows = tables_of(self.summary(body))["causes"]
        self.assertGreater(sum(row["share"] for row in rows[:-1]), 1)
        self.assertEqual([row["cause"] == "together" for row in rows], [False] * (len(rows) - 1) + [True])
        self.assertLessEqual(rows[-1]["share"], 1)
        self.assertGreaterEqual(rows[-1]["share"], max(row["share"] for row in rows))
        self.assertIsNone(rows[-1]["when"])

    def test_savings_that_add_up_to_less_need_no_sum(self):
        rows = tables_of(self.summary(lambda scene, at, _: kernels(scene, at)))["causes"]
        self.assertNotIn("together", [row["cause"] for row in rows])

    def test_without_steps_nothing_is_a_habit(self):
        scene = plant.Plant()
        kernels(scene, kernels(scene, 0) + 20_000)
        with tempfile.TemporaryDirectory() as folder:
            document = steptime("summary", "--format", "json", scene.write(os.path.join(folder, "trace.json"))).json
        message = document["findings"][0]["message"]
        self.assertIn("ms of the recording", message)
        self.assertIn("Without steps nobody can say whether it comes again", message)

    def test_a_range_is_not_inside_of_itself(self):
        def body(scene, at, _):
            scene.annotation("my range", at, 5000)
            return kernels(scene, at + 5010)
        rows = [row for row in tables_of(self.summary(body))["causes"] if row["what"] == "my range"]
        self.assertEqual([row["inside"] for row in rows], [""])

    def test_one_step_does_not_tell_whether_something_comes_again(self):
        def body(scene, at, _):
            scene.host("CompiledFunction", at, 20_000)
            scene.call("cudaStreamBeginCapture", at + 15_000, 5)
            scene.call("cudaStreamEndCapture", at + 16_000, 5)
            scene.call("cudaGraphInstantiate", at + 16_010, 500)
            return kernels(scene, at + 20_000, count=30)
        document = self.summary(body, steps=1)
        self.assertEqual({row["when"] for row in tables_of(document)["causes"]}, {"one_step"})
        message = document["findings"][0]["message"]
        self.assertIn("ms of the one step", message)
        self.assertIn("One step does not show whether a graph is recorded again", message)
        self.assertNotIn("every step", message)

    def test_where_the_host_is_the_bound_they_are_not(self):
        causes = tables_of(self.summary(lambda scene, at, _: kernels(scene, at)))["causes"]
        self.assertNotIn("device_work", [row["cause"] for row in causes])

    def test_one_long_pause_is_told_apart_from_many_shorter_ones(self):
        def body(scene, at, number):
            return kernels(scene, at + (500_000 if number == 4 else 3000))
        rows = [row for row in tables_of(self.summary(body))["causes"] if row["cause"] == "unknown" and row["longest_ns"] > 1e6]
        self.assertEqual([(row["when"], row["times"]) for row in rows], [("once", 1)])

    def test_memory_does_not_take_the_time_that_it_waits(self):
        """A cudaFree that ends with a kernel: the time is the kernel's."""
        def body(scene, at, _):
            scene.host("aten::cumsum", at, 30)
            scene.work(at + 10, 50_000, launch=at + 5, name="scan")
            scene.call("cudaFree", at + 40, 50_000 - 29)
            return kernels(scene, at + 50_012)
        row = tables_of(self.summary(body))["causes"][0]
        self.assertEqual((row["cause"], row["what"]), ("device_work", "scan"))
        self.assertAlmostEqual(row["per_step_ns"], 50_000_000, delta=100_000)

    def test_no_finding_claims_more_than_the_replay_saves(self):
        """Communication lies bare, but the host has more to do meanwhile: without it a step is no shorter."""
        def body(scene, at, _):
            scene.work(at + 10, 2000, launch=at + 5, name=plant.NCCL, stream=20)
            scene.host("aten::cat", at + 20, 2900)
            return kernels(scene, at + 3000)
        document = self.summary(body)
        self.assertLess(next(row["removed"] for row in tables_of(document)["experiments"] if row["resource"] == "communication"),
                        0.01)
        self.assertNotIn("SM105", [finding["rule"] for finding in document["findings"]])


if __name__ == "__main__":
    unittest.main()
