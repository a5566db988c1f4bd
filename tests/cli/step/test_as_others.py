# SPDX-License-Identifier: Apache-2.0
"""steptime breakdown --as: equal to what the other tools said of the same traces; their defects are not ours.

tests/data/peers/*.csv are recorded by running the tools (bench/peers/README.md).
"""
import csv
import math
import os
import tempfile
import unittest
from collections import defaultdict

import plant
from support import OK, SANITIZED, SHARED, SOURCE, USAGE, shared_trace, steptime
from test_breakdown import breakdown

# 0.1 % of the tool's number, or 1 ns: below that the tool's doubles decide.
RELATIVE, ABSOLUTE = 1e-3, {"us": 1.01e-3, "ms": 1.01e-6}

# Why a number may differ; doc/other-tools.md names the events.
NOT_COUNTED = {("hta", "rows"), ("hta", "device_rows")}
EXPLAINED = {
    ("tracelens", "kineto/tl_mi300_resnet_act_ckpt_w8r0.json.gz", "linked."):
        "launches of memsets have no starting flow arrow there",
}


def is_explained(tool, trace, metric, recorded):
    if recorded < -1e18:
        return True  # a step window with its limits the wrong way round: no operators
    return any(tool == t and trace == f and metric.startswith(prefix) for t, f, prefix in EXPLAINED)


def recorded(tool):
    """{trace: {metric: (value, unit)}} of what the tool said; parts in which it failed are absent."""
    found = defaultdict(dict)
    with open(os.path.join(SOURCE, "tests", "data", "peers", f"{tool}.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["trace"] != "*" and row["metric"] != "error" and (tool, row["metric"]) not in NOT_COUNTED:
                found[row["trace"]][row["metric"]] = (float(row["value"]), row["unit"])
    return found


def counted(tool, path):
    """{metric: value} as we count; NaN where the tool says NaN."""
    return {row["metric"]: math.nan if row["value"] is None else row["value"]
            for row in breakdown("--as", tool, path)[tool]}


def same(ours, theirs, unit):
    if math.isnan(theirs) or math.isnan(ours):
        return math.isnan(theirs) and math.isnan(ours)
    return abs(ours - theirs) <= max(RELATIVE * abs(theirs), ABSOLUTE.get(unit, 0))


class Equal(unittest.TestCase):
    def check(self, tool, least):
        shared_trace("kineto")
        compared = 0
        for trace, metrics in recorded(tool).items():
            path = os.path.join(SHARED, "data", "traces", trace)
            if SANITIZED and os.path.getsize(path) > 500_000:
                continue
            if steptime("info", "--format", "json", path).code != OK:
                continue  # the tool takes a file without events for one with a step
            ours = counted(tool, path)
            for metric, (theirs, unit) in metrics.items():
                if is_explained(tool, trace, metric, theirs):
                    continue
                with self.subTest(f"{trace} {metric}"):
                    self.assertTrue(same(ours.get(metric, 0), theirs, unit), (ours.get(metric), theirs))
                compared += 1
        self.assertGreater(compared, 100 if SANITIZED else least)

    def test_hta(self):
        self.check("hta", 1300)

    def test_tracelens(self):
        self.check("tracelens", 800)

    def test_tensorboard(self):
        self.check("tensorboard", 4000)


class Defects(unittest.TestCase):
    """What other tools get wrong: --as shows it, our own numbers do not have it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.json")

    def ours(self, scene):
        return breakdown(scene.write(self.path))["ranks"][0]

    def theirs(self, tool, scene):
        return counted(tool, scene.write(self.path))

    def test_hta_takes_synchronisation_for_device_work(self):
        path = shared_trace("kineto/hta_alexnet_critical_path.json.gz")
        hta = counted("hta", path)
        self.assertEqual(hta["temporal.kernel_time"], 12_996_011)
        ours, = breakdown(path)["ranks"]
        self.assertEqual(ours["span_ns"], 12_920_244_000)
        self.assertEqual(hta["temporal.kernel_time"] - hta["temporal.idle_time"], ours["busy_ns"] / 1000 + 186)

    def test_hta_rounds_short_kernels_to_nothing_or_less(self):
        scene = plant.Plant()
        scene.host("aten::mm", 0.5, 1)
        scene.work(10.250, 0.5, launch=1, launch_dur=1)
        scene.work(20.250, 1.5, launch=2, launch_dur=1)
        scene.work(30, 10, launch=3, launch_dur=1)
        self.assertEqual(self.theirs("hta", scene)["temporal.compute_time"], -1 + 0 + 10)
        self.assertEqual(self.ours(scene)["compute_ns"], 12_000)

    def test_hta_compares_nanoseconds_of_its_manual_as_microseconds(self):
        scene = plant.Plant()
        for at in (0, 129, 259):  # gaps of 29 and 30 us
            scene.work(at, 100, launch=0, launch_dur=1)
        hta = self.theirs("hta", scene)
        self.assertEqual((hta["idle.stream7.kernel_wait"], hta["idle.stream7.other"]), (29, 30))
        ours = self.ours(scene)
        self.assertEqual((ours["kernel_wait_ns"], ours["other_idle_ns"]), (29_000, 30_000))

    def test_hta_drops_the_last_step(self):
        scene = plant.Plant()
        for i in range(2):
            scene.step(i, 1000 * i, 1000)
            scene.work(1000 * i + 10, 100)
        self.assertEqual(self.theirs("hta", scene)["temporal.compute_time"], 100)
        self.assertEqual(self.ours(scene)["compute_ns"], 200_000)

    def test_hta_takes_the_first_event_for_a_missing_launch(self):
        scene = plant.Plant()
        scene.host("aten::mm", 50, 1)
        scene.row("early", 0, 10, correlation=77)
        scene.row("later", 20, 10, correlation=78)
        self.assertEqual(self.theirs("hta", scene)["idle.stream7.host_wait"], 10)
        self.assertEqual(self.ours(scene)["kernel_wait_ns"], 10_000)

    def test_a_name_that_begins_with_hip_is_no_communication(self):
        scene = plant.Plant()
        scene.work(0, 10, name="hip_something_kernel")
        self.assertEqual(self.ours(scene)["communication_ns"], 0)
        self.assertEqual(self.ours(scene)["compute_ns"], 10_000)

    def test_hta_knows_communication_by_nccl_kernel_names_only(self):
        scene = plant.Plant()
        scene.work(0, 10, name="void cross_device_reduce_1stage<float, 8>(RankData*)")
        scene.work(20, 10, name="void rcclGenericKernel<4, false>(ncclDevKernelArgs)")
        self.assertEqual(self.theirs("hta", scene)["temporal.compute_time"], 20)
        self.assertEqual(self.ours(scene)["communication_ns"], 20_000)

    def test_tracelens_takes_memsets_for_computation(self):
        scene = plant.Plant()
        scene.work(0, 10, name="Memset (Device)", cat="gpu_memset")
        self.assertEqual(self.theirs("tracelens", scene)["all.computation_time"], 0.01)
        ours = self.ours(scene)
        self.assertEqual((ours["compute_ns"], ours["memory_ns"]), (0, 10_000))

    def test_tracelens_prints_nothing_where_flows_have_an_older_name(self):
        trace = "kineto/hta_trace_diff_control_w8r3.json.gz"
        path = shared_trace(trace)
        self.assertNotIn("linked.total_time", recorded("tracelens")[trace])
        self.assertEqual(counted("tracelens", path)["linked.total_time"], recorded("tracelens")[trace]["all.total_time"][0])

    def test_tensorboard_knows_no_loader_that_is_an_annotation(self):
        scene = plant.gap_data_loading()
        self.assertEqual(self.theirs("tensorboard", scene)["step0.DataLoader"], 0)
        self.assertEqual(breakdown(scene.write(self.path))["steps"][0]["data_loading_ns"], 3_000_000)

    def test_tools_that_add_concurrent_work_exceed_the_time_there_is(self):
        scene = plant.Plant()
        scene.work(0, 100, stream=7, launch_dur=0)
        scene.work(0, 100, stream=8, launch_dur=0)
        ours = self.ours(scene)
        self.assertEqual((ours["kernel_sum_ns"], ours["busy_ns"], ours["busy_share"]), (200_000, 100_000, 1))


class Usage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = plant.gap().write(os.path.join(folder.name, "trace.json"))

    def test_ranks_has_the_tools_numbers_under_our_names(self):
        for tool in ("hta", "tracelens", "tensorboard"):
            row, = breakdown("--as", tool, self.path)["ranks"]
            self.assertEqual((row["span_ns"], row["compute_ns"]), (5_000_000, 2_000_000), tool)

    def test_other_tools_count_whole_traces(self):
        outcome = steptime("breakdown", "--as", "hta", "--steps", "0", self.path)
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("--steps", outcome.err)

    def test_an_unknown_tool_is_a_usage_error(self):
        self.assertEqual(steptime("breakdown", "--as", "nvprof", self.path).code, USAGE)


if __name__ == "__main__":
    unittest.main()
