# SPDX-License-Identifier: Apache-2.0
"""steptime ops: planted answers, an independent count on real traces, host-only traces."""
import os
import unittest

from support import OK, Folder, recorded, shared_trace, span, steptime, training_steps, write_trace
from test_kernels import DEVICE, check_manual, events_of, ns, percentile, tables

OPERATOR = {"cpu_op", "Operator"}


def ops(*arguments):
    return tables(steptime("ops", "--format", "json", *arguments))


def slow_operators(path):
    durations = {}
    for event in events_of(path):
        if event.get("cat") in OPERATOR:
            durations.setdefault(event["name"], []).append(ns(event["dur"]))
    return durations


def slow_device_self(path):
    """Device time a name of the operator with the same External id: the profiler's own join."""
    events, owner, found = events_of(path), {}, {}
    for event in events:
        if event.get("cat") in OPERATOR and "External id" in (event.get("args") or {}):
            owner[event["args"]["External id"]] = event["name"]
    for event in events:
        if event.get("cat") in DEVICE:
            name = owner.get((event.get("args") or {}).get("External id"))
            found[name] = found.get(name, 0) + ns(event["dur"])
    return found


class Real(unittest.TestCase):
    def check_calls(self, name):
        path = shared_trace(name)
        durations, shown = slow_operators(path), ops(path)
        self.assertEqual({row["name"] for row in shown["operators"]}, set(durations))
        for row in shown["operators"]:
            values = durations[row["name"]]
            self.assertEqual((row["calls"], row["max_ns"]), (len(values), max(values)), row["name"])
            self.assertAlmostEqual(row["mean_ns"], sum(values) / len(values), 3, row["name"])
            self.assertAlmostEqual(row["p95_ns"], percentile(values, 0.95), 3, row["name"])
            self.assertLessEqual(row["host_total_ns"], sum(values))
        return shown, path

    def check_device(self, name):
        shown, path = self.check_calls(name)
        slow = slow_device_self(path)
        for row in shown["operators"]:
            self.assertEqual(row["device_self_ns"], slow.get(row["name"], 0), row["name"])

    def test_nvidia_with_shapes(self):
        self.check_device("kineto/tl_h100_bert_small.json.gz")

    def test_collectives(self):
        self.check_device("kineto/hta_nccl_data_w2r0.json.gz")

    def test_categories_of_2020(self):
        self.check_calls("kineto/hta_old_Kernel_categories_r1.json.gz")

    def test_amd(self):
        self.check_calls("kineto/tl_mi300_resnet_act_ckpt_w8r0.json.gz")

    def test_arithmetic_of_products_with_recorded_shapes(self):
        path = shared_trace("kineto/tl_h100_bert_small.json.gz")
        flops = {}
        for event in events_of(path):
            first = {"aten::mm": 0, "aten::addmm": 1}.get(event["name"])
            if event.get("cat") in OPERATOR and first is not None:
                (m, k), (_, n) = event["args"]["Input Dims"][first:first + 2]
                flops[event["name"]] = flops.get(event["name"], 0) + 2 * m * n * k
        self.assertTrue(flops)
        shown = {row["name"]: row["flops"] for row in ops(path)["operators"]}
        for name, amount in flops.items():
            self.assertEqual(shown[name], amount)


class Planted(Folder):
    def trace(self, events, **more):
        return write_trace(os.path.join(self.folder, "trace.json"), events, **more)

    def test_a_training_loop(self):
        shown = ops(self.trace(training_steps(count=2, kernels=3)))
        row, = shown["operators"]
        self.assertEqual((row["name"], row["family"], row["phase"], row["calls"]), ("aten::mm", "gemm", "forward", 6))
        self.assertEqual((row["host_total_ns"], row["host_self_ns"]), (300_000, 240_000))
        self.assertEqual((row["device_total_ns"], row["device_self_ns"], row["launches"]), (600_000, 600_000, 6))
        self.assertEqual(row["flops"], 6 * 2 * 64**3)
        self.assertAlmostEqual(row["flop_per_s"], 6 * 2 * 64**3 / 600e-6, 0)
        self.assertIsNone(row["bytes"])  # no types, no bytes
        self.assertAlmostEqual(row["share"], 1)

    def test_shapes(self):
        path = self.trace(training_steps())
        row, = ops("--shapes", path)["operators"]
        self.assertEqual(row["shape"].replace(" ", ""), "[[64,64],[64,64]]")
        self.assertEqual(ops("--by", "shape", path), ops("--shapes", path))
        self.assertIsNone(ops(path)["operators"][0]["shape"])

    def test_without_a_device_times_are_those_of_the_host(self):
        path = self.trace([span("aten::linear", 0, 100, **{"Input Dims": [[4, 16], [8, 16], [8]]}),
                           span("aten::addmm", 10, 60, **{"Input Dims": [[8], [4, 16], [16, 8]]})])
        shown = ops(path)
        rows = {row["name"]: row for row in shown["operators"]}
        self.assertEqual(rows["aten::linear"]["host_self_ns"], 40_000)
        self.assertAlmostEqual(rows["aten::addmm"]["share"], 0.6)
        self.assertIsNone(rows["aten::addmm"]["device_total_ns"])
        self.assertIsNone(shown["calls.busy_ns"])
        self.assertEqual(shown["calls.flops"], 1024)  # once, though both have a formula
        self.assertIn("No device activity was recorded", steptime("ops", path).out)

    def test_without_shapes_arithmetic_is_null(self):
        shown = ops(self.trace([span("aten::mm", 0, 100)]))
        self.assertIsNone(shown["calls.flops"])
        self.assertIsNone(shown["operators"][0]["flops"])

    def test_modules_and_lines(self):
        events = [span("train.py(1): main", 0, 1000, cat="python_function", **{"Python id": 1}),
                  span("nn.Module: Linear_0", 10, 100, cat="python_function", **{"Python id": 2, "Python parent id": 1}),
                  span("torch/nn/modules/linear.py(1): forward", 12, 90, cat="python_function",
                       **{"Python id": 3, "Python parent id": 2}),
                  span("aten::linear", 20, 50), span("aten::relu", 200, 10)]
        path = self.trace(events)
        modules = {row["name"]: row["calls"] for row in ops("--by", "module", path)["operators"]}
        self.assertEqual(modules, {"nn.Module: Linear_0": 1, "(no module recorded)": 1})
        lines = {row["name"]: row["calls"] for row in ops("--by", "python", path)["operators"]}
        self.assertEqual(lines, {"train.py(1): main": 2})

    def test_recorded_by_this_project(self):
        folder = recorded("")
        for name in sorted(os.listdir(folder)):
            if ".json" in name:
                with self.subTest(name):
                    outcome = steptime("ops", "--format", "json", os.path.join(folder, name))
                    self.assertEqual(outcome.code, OK)
                    self.assertTrue(tables(outcome)["operators"])


class Manual(unittest.TestCase):
    def test_every_column_is_defined_as_in_the_program(self):
        check_manual(self, "ops", ("operators",))


if __name__ == "__main__":
    unittest.main()
