# SPDX-License-Identifier: Apache-2.0
"""steptime summary: one screen that agrees with the tables behind it, and the advice it gives on planted steps."""
import os
import tempfile
import unittest

import plant
from support import OK, USAGE, recorded, shared_trace, steptime, values

MS = 1_000_000


def summary(*arguments):
    outcome = steptime("summary", "--format", "json", *arguments)
    assert outcome.code == OK, outcome.err
    return outcome.json


def table(document, wanted):
    for section in document["sections"]:
        for found in section["tables"]:
            if found["id"] == wanted:
                columns = [column["id"] for column in found["columns"]]
                return [dict(zip(columns, row)) for row in found["rows"]]
    return None


class FirstWord(unittest.TestCase):
    def test_a_file_or_folder_instead_of_a_command_is_summarised(self):
        for path in (recorded("dlrm-cpu.json.gz"), recorded("")):
            shown = steptime(path)
            self.assertEqual((shown.code, shown.out), (OK, steptime("summary", path).out))
        self.assertEqual(steptime(recorded("dlrm-cpu.json.gz"), "--format", "json").json["command"], "summary")

    def test_so_is_standard_input(self):
        with open(recorded("dlrm-cpu.json.gz"), "rb") as file:
            data = file.read()
        self.assertEqual(steptime("-", stdin=data).out, steptime("summary", "-", stdin=data).out)

    def test_a_command_comes_before_a_file_of_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            plant_at = os.path.join(folder, "hw")
            with open(plant_at, "w", encoding="ascii") as file:
                file.write("{}")
            self.assertEqual(steptime("hw", cwd=folder).code, OK)

    def test_what_is_neither_is_named(self):
        shown = steptime("no-such-trace.json")
        self.assertEqual((shown.code, shown.out), (USAGE, ""))
        self.assertIn("there is no command or file 'no-such-trace.json'", shown.err)


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.json")

    def test_a_gap_of_3_ms_is_a_finding_of_3_ms(self):
        rules = {"data_loading": "SM101", "blocked": "SM118", "launching": "SM118", "framework": "SM118",
                 "between_operators": "SM118", "launch_latency": "SM108", "dependency": "SM107"}
        for cause, rule in rules.items():
            with self.subTest(cause):
                finding = summary(plant.GAPS[cause]().write(self.path))["findings"][0]
                self.assertEqual((finding["rule"], finding["severity"]), (rule, "warning"))
                self.assertAlmostEqual(finding["per_step_saving_ns"], 3 * MS, delta=0.1 * MS)
                self.assertRegex(finding["message"], r"(3\.0|2\.9). ms (a step|of the one step) \((60|59|58) %\)")
                self.assertTrue(finding["events"])

    def test_of_a_full_device_only_its_kernels_are_worth_a_word(self):
        scene = plant.Plant()
        scene.step(1, 0, 3000)
        for i in range(30):
            scene.work(100 * i, 100, launch=i, launch_dur=0)
        scene.call("cudaDeviceSynchronize", 40, 2960)
        document = summary(scene.write(self.path))
        self.assertEqual(values(document)["bound"], "GPU-bound")
        self.assertEqual(values(document)["gpu_busy"], 1)
        self.assertEqual([finding["id"] for finding in document["findings"]], ["SM203-device_work-sgemm_128x64"])

    def test_a_finding_names_the_line_of_the_user(self):
        scene = plant.gap()
        scene.python("train.py(12): train", 0, 5000)
        scene.python("torch/utils/data/dataloader.py(630): __next__", 900, 3100)
        scene.annotation(plant.LOADER, 1000, 3000)
        finding = summary(scene.write(self.path))["findings"][0]
        self.assertEqual((finding["rule"], finding["file"], finding["line"]), ("SM101", "train.py", 12))

    def test_the_number_of_findings_can_be_chosen(self):
        scene = plant.GAPS["data_loading"]()
        self.assertEqual(summary("--findings", 0, scene.write(self.path))["findings"], [])
        self.assertEqual(steptime("summary", "--findings", "few", self.path).code, USAGE)


class Recorded(unittest.TestCase):
    def test_the_parts_are_those_of_breakdown(self):
        for name in ("dlrm-cpu.json.gz", "session-gnn-cpu-stack.json.gz", "dlrm-legacy-113.json.gz"):
            with self.subTest(name):
                document = summary(recorded(name))
                parts = table(document, "step_parts")
                self.assertAlmostEqual(sum(part["share"] for part in parts), 1)
                steps = table(steptime("breakdown", "--format", "json", recorded(name)).json, "steps")
                mean = sum(step["wall_ns"] for step in steps) / len(steps)
                self.assertAlmostEqual(values(document)["step_mean"], mean, delta=1)
                self.assertIsNone(values(document)["gpu_busy"])

    def test_the_first_line_says_that_there_is_no_device(self):
        screen = steptime("summary", recorded("dlrm-cpu.json.gz")).out
        self.assertIn("The trace has no device activity", screen)
        self.assertLess(screen.index("no device activity"), screen.index("step, mean"))

    def test_one_screen_says_it_all(self):
        screen = steptime("summary", recorded("dlrm-cpu.json.gz")).out
        self.assertLess(len(screen.splitlines()), 60)
        for word in ("step, mean", "forward", "backward", "optimizer", "aten::mm", "Findings", "ms a step"):
            self.assertIn(word, screen)


class Shared(unittest.TestCase):
    def test_device_figures_agree_with_breakdown(self):
        trace = shared_trace("kineto/hta_trace_diff_control_w8r3.json.gz")
        found = values(summary(trace))
        steps = table(steptime("breakdown", "--format", "json", trace).json, "steps")
        wall = sum(step["wall_ns"] for step in steps)
        busy = sum(ns for step in steps for name, ns in step.items()
                   if name in ("compute_ns", "exposed_communication_ns", "memset_ns") or name.startswith("exposed_copy"))
        self.assertAlmostEqual(found["gpu_busy"], busy / wall)
        self.assertTrue(0 < found["mfu"] < 1)
        self.assertEqual(found["device"], "NVIDIA A100-SXM4-40GB")

    def test_ranks_are_taken_together(self):
        folder = shared_trace("multirank/torchrec_a2a_v100_w4")
        found = values(summary(folder))
        self.assertEqual((found["ranks"], found["steps"]), (4, 12))


if __name__ == "__main__":
    unittest.main()
