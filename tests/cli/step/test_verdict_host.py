# SPDX-License-Identifier: Apache-2.0
"""What bounds the steps of a trace that has no device: planted loops whose answer is known."""
import os
import tempfile
import unittest

import plant
from plant import BACKWARD, GLOO, MAIN
from support import rows_of, steptime


def verdict(command, path):
    document = steptime(command, path, "--format", "json").json
    tables = {table["id"]: [dict(zip([c["id"] for c in table["columns"]], row)) for row in table["rows"]]
              for section in document["sections"] for table in section["tables"]}
    values = {value["id"]: value["value"] for section in document["sections"] for value in section["values"]}
    return values, {row["resource"]: row for row in tables["experiments"]}


def loop(body, steps=6):
    """body(scene, start) plants a step and returns its end; microseconds."""
    scene, at = plant.Plant(), 0
    for number in range(1, steps + 1):
        end = body(scene, at)
        scene.step(number, at, end - at)
        at = end
    return scene


def operators(scene, at, count=10, each=100, name="aten::mm", apart=5, tid=MAIN):
    for i in range(count):
        scene.host(name, at + i * (each + apart), each, tid=tid)
    return at + count * (each + apart)


def training(scene, at, forward=0, backward=0, python=0, copies=0):
    """A step of these, beside a little of everything."""
    at = operators(scene, at, each=20 + forward / 10)
    scene.host("autograd::engine::evaluate_function: MmBackward0", at, 100 + backward)
    at += 105 + backward
    for i in range(10):
        scene.host("aten::copy_", at, 5 + copies / 10)
        at += 10 + (copies + python) / 10
    scene.annotation("Optimizer.step#SGD.step", at, 60)
    return operators(scene, at, count=5, each=10, name="aten::add_", apart=1) + 10


def waiting(scene, at):
    at = training(scene, at)
    scene.host("c10d::allreduce_", at, 20)
    scene.annotation("gloo:all_reduce", at + 20, 5000, tid=GLOO)
    return operators(scene, at + 5025, count=5)


def loading(scene, at):
    scene.annotation(plant.LOADER, at, 5000)
    return training(scene, at + 5000)


def sleeping(scene, at):
    scene.python("train.py(70): wait_for_lock", at, 5000)
    scene.python("<built-in function sleep>", at + 1, 4998)
    return training(scene, at + 5000)


CASES = {
    "compute-bound": ("operators", 5000, lambda scene, at: training(scene, at, forward=2500, backward=2500)),
    "host-bound": ("beside", 5000, lambda scene, at: training(scene, at, python=5000)),
    "copy-bound": ("copies", 5000, lambda scene, at: training(scene, at, copies=5000)),
    "communication-bound": ("communication", 5000, waiting),
    "input-bound": ("data", 5000, loading),
    "stalled": ("stalls", 4998, sleeping),
}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.json")


class Bounds(Case):
    def test_what_takes_most_is_the_bound_and_saves_what_was_planted(self):
        for bound, (resource, us, body) in CASES.items():
            with self.subTest(bound):
                path = loop(body).write(self.path)
                values, of = verdict("summary", path)
                self.assertEqual(values["verdict_bound"], bound, values["verdict"])
                self.assertEqual(values["bound"], bound)
                self.assertTrue(values["verdict"].startswith(bound), values["verdict"])
                self.assertAlmostEqual(of[resource]["removed_ns"], us * 1000, delta=900_000)
                self.assertEqual((values["bound"], of), (lambda found: (found[0]["bound"], found[1]))(verdict("critical-path", path)))

    def test_what_to_change_first_is_about_the_bound(self):
        """A finding of the same screen, or what is said of the work itself; none where the bound is another's."""
        first = {"compute-bound": "SM", "host-bound": "SM", "input-bound": "SM101", "stalled": "SM116", "copy-bound": "SM305",
                 "communication-bound": "SM302"}
        for bound, (_, _, body) in CASES.items():
            with self.subTest(bound):
                path = loop(body).write(self.path)
                screen = " ".join(steptime("summary", path).out.split())
                self.assertIn(f"To change first ({first[bound]}", screen)
                rule = screen.split("To change first (")[1].split(")")[0]
                listed = [finding["rule"] for finding in steptime("summary", path, "--format", "json").json["findings"]]
                self.assertEqual(screen.count(rule), 1 + (rule in listed), screen)

    def test_python_is_not_blamed_for_what_has_a_cause(self):
        """Garbage collection is no loop over samples: of Python only the short pieces are told."""
        def body(scene, at):
            scene.python("train.py(70): tidy", at, 5000)
            scene.python("<built-in function collect>", at + 1, 4998)
            return training(scene, at + 5000)
        screen = " ".join(steptime("summary", loop(body).write(self.path)).out.split())
        self.assertIn("To change first (SM113): Garbage collection in every step costs 5.00 ms a step", screen)
        self.assertNotIn("SM301", screen)

    def test_one_sleep_of_many_that_wakes_late_is_one_of_them(self):
        """In the same range, and of about the same length; another length there is work of its own."""
        for late, times in ((4000, 6), (30_000, 5)):
            with self.subTest(late):
                lengths = iter([50_000, 50_001, 50_002, 50_000, 50_001, 50_000 + late])

                def body(scene, at):
                    us = next(lengths)
                    scene.annotation("route tokens", at, us)
                    return training(scene, at + us)
                document = steptime("summary", loop(body).write(self.path), "--format", "json").json
                rows = {row["cause"]: row for row in rows_of(document, "causes")}
                self.assertEqual(rows["pause"]["times"], times, rows)
                self.assertEqual("unknown" in rows, times == 5, rows)

    def test_the_phases_are_parts_of_the_operators_and_these_of_the_host(self):
        _, of = verdict("summary", loop(CASES["compute-bound"][2]).write(self.path))
        self.assertAlmostEqual(of["forward"]["removed_ns"], 2_700_000, delta=10_000)
        self.assertAlmostEqual(of["backward"]["removed_ns"], 2_600_000, delta=10_000)
        self.assertAlmostEqual(of["optimizer"]["removed_ns"], 50_000, delta=10_000)
        self.assertEqual(of["operators"]["time_ns"], sum(of[name]["time_ns"] for name in ("forward", "backward", "optimizer")))
        self.assertEqual(of["host"]["time_ns"], sum(of[name]["time_ns"] for name in ("operators", "beside", "copies")))

    def test_a_faster_host_moves_no_sleep_loader_or_network(self):
        for bound in ("communication-bound", "input-bound", "stalled"):
            with self.subTest(bound):
                path = loop(CASES[bound][2]).write(self.path)
                document = steptime("predict", path, "--cpu-speed", 2, "--format", "json").json
                found = {value["id"]: value["value"] for section in document["sections"] if section["id"] == "prediction"
                         for value in section["values"]}
                self.assertGreater(found["step_ns"] / found["measured_step_ns"], 0.75)
                said = verdict("summary", path)[1]["host"]["saved"]
                self.assertAlmostEqual(1 - found["step_ns"] / found["measured_step_ns"], said, delta=0.001)
                self.assertIn("as recorded", steptime("predict", path, "--cpu-speed", 2).out)

    def test_a_walk_that_is_no_replay_leaves_them_out_too(self):
        """Means of operators do not tell them apart, so their share of the host's time stays."""
        path = loop(CASES["stalled"][2]).write(self.path)
        document = steptime("predict", path, "--cpu-speed", 2, "--without-profiler", "--format", "json").json
        found = {value["id"]: value["value"] for section in document["sections"] for value in section["values"]}
        self.assertEqual(found["basis"], "the walk")
        self.assertGreater(found["after_ns"] / found["before_ns"], 0.75)
        self.assertIn("sleep, the loader, start-up", steptime("predict", path, "--cpu-speed", 2, "--without-profiler").out)


class Threads(Case):
    """What runs at the same time is followed and never added up."""

    def test_operators_of_the_backward_thread_while_the_training_thread_waits(self):
        def body(scene, at):
            at = operators(scene, at, each=20)
            for i in range(10):
                scene.host("autograd::engine::evaluate_function: MmBackward0", at + i * 500, 495, tid=BACKWARD)
            return operators(scene, at + 5005, count=5, each=20)
        values, of = verdict("summary", loop(body).write(self.path))
        self.assertEqual(values["bound"], "compute-bound")
        self.assertAlmostEqual(of["backward"]["removed_ns"], 4_950_000, delta=60_000)
        self.assertLessEqual(of["host"]["removed"], 1)

    def test_two_workers_at_once_save_what_the_longer_one_takes(self):
        def body(scene, at):
            at = operators(scene, at, each=20)
            scene.host("aten::mm", at + 10, 4000, tid=21)
            scene.host("aten::mm", at + 10, 5000, tid=22)
            return operators(scene, at + 5020, count=10, each=20)
        values, of = verdict("summary", loop(body).write(self.path))
        self.assertEqual(values["bound"], "compute-bound", values["verdict"])
        self.assertAlmostEqual(of["operators"]["saved_ns"], 2_700_000, delta=200_000)
        self.assertLessEqual(of["operators"]["removed"], 1)

    def test_a_task_that_is_waited_for_inside_a_call(self):
        def body(scene, at):
            scene.host("aten::mm", at + 30, 5000, tid=21)
            at = operators(scene, at, each=20)
            scene.host("aten::wait", at, 4790)
            return operators(scene, at + 4795, count=10, each=20)
        values, of = verdict("summary", loop(body).write(self.path))
        self.assertEqual(values["bound"], "compute-bound", values["verdict"])
        self.assertAlmostEqual(of["operators"]["saved_ns"], 2_650_000, delta=200_000)
        self.assertAlmostEqual(of["operators"]["time_ns"], 5_000_000 + 400_000, delta=20_000)  # waiting is no work

    def test_a_collective_that_is_waited_for_inside_an_operator(self):
        """As functional collectives are recorded: the inner wait may stand in an event of another name."""
        def body(scene, at):
            at = operators(scene, at, each=100)
            scene.host("_c10d_functional::all_reduce", at, 60)
            scene.host("c10d::allreduce_", at + 20, 30)
            scene.host("_c10d_functional::wait_tensor", at + 70, 5100)
            scene.host("PythonSubclass", at + 75, 5080)
            scene.host("_c10d_functional::wait_tensor", at + 80, 5060)
            scene.annotation("gloo:all_reduce", at + 100, 5000, tid=GLOO)
            return operators(scene, at + 5180, count=10, each=20)
        path = loop(body).write(self.path)
        values, of = verdict("summary", path)
        self.assertEqual(values["bound"], "communication-bound", values["verdict"])
        self.assertAlmostEqual(of["communication"]["removed_ns"], 5_000_000, delta=120_000)
        self.assertLess(of["host"]["saved_ns"], 800_000)
        screen = steptime("summary", path).out
        self.assertNotIn("long operator", screen)
        self.assertRegex(screen, r"= communication +5\.10")

    def test_what_is_waited_for_and_not_recorded_is_no_work_of_the_host(self):
        def body(scene, at):
            at = operators(scene, at, each=20)
            scene.host("aten::wait", at, 5000)
            return operators(scene, at + 5005, count=10, each=20)
        values, of = verdict("summary", loop(body).write(self.path))
        self.assertEqual(values["bound"], "stalled", values["verdict"])
        self.assertAlmostEqual(of["stalls"]["removed_ns"], 5_000_000, delta=20_000)
        self.assertLess(of["host"]["saved_ns"], 300_000)

    def test_a_call_of_another_process_is_communication_in_the_parts_too(self):
        def body(scene, at):
            at = training(scene, at)
            scene.host("rpc_sync#add(worker0 -> worker1)", at, 5000)
            return operators(scene, at + 5005, count=5)
        path = loop(body).write(self.path)
        values, of = verdict("summary", path)
        self.assertEqual(values["bound"], "communication-bound", values["verdict"])
        self.assertRegex(steptime("summary", path).out, r"= communication +5\.00|communication +5\.00")

    def test_gloo_beside_the_backward_pass_costs_only_what_is_waited_for(self):
        def body(scene, at):
            at = operators(scene, at, count=40, each=100)
            scene.annotation("gloo:all_reduce", at - 3000, 3500, tid=GLOO)
            return operators(scene, at + 505, count=10, each=20)
        values, of = verdict("summary", loop(body).write(self.path))
        self.assertEqual(values["bound"], "compute-bound", values["verdict"])
        self.assertAlmostEqual(of["communication"]["removed_ns"], 500_000, delta=30_000)
        self.assertAlmostEqual(of["communication"]["time_ns"], 3_500_000, delta=10_000)


class Doubts(Case):
    def doubt(self, body, doubt, words, steps=6):
        values, _ = verdict("summary", loop(body, steps).write(self.path))
        self.assertEqual((values["bound"], values["verdict_doubt"]), ("unknown", doubt), values["verdict"])
        self.assertIn(words, values["verdict"])
        screen = steptime("summary", self.path).out
        self.assertNotIn("largest part", screen)  # it need not be what the step waits for
        self.assertNotIn("To change first", screen)

    def test_few_operators(self):
        self.doubt(lambda scene, at: operators(scene, at, count=3, each=500), "few", "only 18 operators")

    def test_nothing_recorded_for_most_of_the_time(self):
        self.doubt(lambda scene, at: training(scene, training(scene, at) + 3000 + at // 7), "blank",
                   "nothing was recorded on the training thread")

    def test_a_recording_that_began_long_before_the_first_operator(self):
        scene = plant.Plant()
        scene.annotation("PyTorch Profiler (0)", 0, 30_000, tid="PyTorch Profiler")
        operators(scene, 20_000, count=50, each=100)
        values, _ = verdict("summary", scene.write(self.path))
        self.assertEqual(values["verdict_doubt"], "blank", values["verdict"])

    def test_launches_of_a_device_that_was_not_recorded(self):
        def body(scene, at):
            for i in range(10):
                scene.call("cudaLaunchKernel", at + 100 * i, 10, correlation=int(at) + i + 1)
            return operators(scene, at + 1000)
        self.doubt(body, "lost", "launches have no device work")

    def test_the_first_step_alone(self):
        scene = plant.Plant()
        scene.step(0, 0, training(scene, 0, forward=3000))
        values, _ = verdict("summary", scene.write(self.path))
        self.assertEqual(values["verdict_doubt"], "first")


if __name__ == "__main__":
    unittest.main()
