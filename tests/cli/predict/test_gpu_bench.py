# SPDX-License-Identifier: Apache-2.0
"""The microbenchmarks of bench/gpu, tried out on the processor: they run, and the program reads what they write.

No figure of them is judged. Cases that run PyTorch skip where no interpreter has it.
"""
import csv
import gzip
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

from support import OK, SOURCE, steptime
from torch_python import torch_python

BENCH = os.path.join(SOURCE, "bench", "gpu")
ANY_GPU = "NVIDIA H100 PCIe"
LIMIT_S = 500
sys.path.insert(0, BENCH)
import measured_rows
import queued
import sizes


def run(*words):
    """In the interpreter that has PyTorch, on one thread."""
    done = subprocess.run([torch_python(), *map(str, words)], cwd=BENCH, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=LIMIT_S, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode:
        raise AssertionError(done.stderr)
    return done


def read(folder, name):
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


class Sizes(unittest.TestCase):
    def test_are_the_same_in_every_run_and_others_for_another_family(self):
        drawn = [[sizes.Sizes(seed).shape((1, 4096), (1, 4096)) for _ in range(3)] for seed in ("a", "a", "b")]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_keep_within_their_range_and_their_product(self):
        draw = sizes.Sizes("limits", most=100, elements=500)
        for _ in range(200):
            rows, cols = draw.shape((1, 1000), (20, 1000))
            self.assertTrue(1 <= rows <= 100 and 20 <= cols <= 100 and rows * cols <= 500)
            self.assertIn(draw.of(50, 200, 60), (50, 60))


class Halves(unittest.TestCase):
    def setUp(self):
        self.tables = sorted(measured_rows.MEASURED.glob("*.csv.gz"))

    def test_every_row_is_in_one_half_and_every_operator_in_both(self):
        for table in self.tables:
            fit, judge = (measured_rows.rows_of(table, part) for part in ("fit", "judge"))
            with gzip.open(table, "rt", encoding="utf-8") as text:
                self.assertEqual(len(fit) + len(judge), sum(1 for _ in text) - 1)
            many = {op for op, count in Counter(row["op"] for row in fit + judge).items() if count > 1}
            for half in (fit, judge):
                self.assertEqual({row["op"] for row in half} & many, many)

    def test_only_rows_of_families_that_are_fitted_are_for_the_fit(self):
        rows = [row for table in self.tables for row in measured_rows.table_of(table, "fit")]
        self.assertEqual({measured_rows.form_of(row) for row in rows},
                         {"linear", "bmm", "elementwise", "softmax", "ln", "layer_norm"})
        self.assertNotIn("1", {row.get("backward") for row in rows})
        half = [row for row in rows if row.get("dtype") in ("bf16", "fp16") and row["form"] in ("linear", "bmm")]
        self.assertTrue(half and all(measured_rows.is_unaligned(row) for row in half))

    def test_a_time_in_a_queue_is_taken_before_the_profilers(self):
        row = {"op": "add", "rows": "8", "latency_us": "20", "queued_us": "3", "kernel_us": "2"}
        self.assertEqual([(one["queued"], one["latency_us"]) for one in measured_rows.timed(row, measured_rows.TIMES)],
                         [("0", "20"), ("1", "3")])
        self.assertEqual([one["latency_us"] for one in measured_rows.timed({**row, "queued_us": ""}, measured_rows.TIMES)],
                         ["20", "2"])


class Slow:
    """A device by a clock of its own: launching takes the host `launch_us`, the kernels of a call `kernel_us`."""

    def __init__(self, launch_us, kernel_us, room=1000):
        self.launch_us, self.kernel_us, self.room = launch_us, kernel_us, room
        self.holds, self.calls = [], []

    def wait(self):
        pass

    def behind_us(self, hold_us, call, calls):
        self.holds.append(hold_us)
        self.calls.append(calls)
        ahead = calls * self.launch_us < hold_us and calls <= self.room
        return calls * self.kernel_us if ahead else None


class Queue(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, queued, "host_us", queued.host_us)

    def time(self, watch, seen_us):
        """Where launching the first call was seen to take so long."""
        queued.host_us = lambda *_: seen_us
        return queued.queued_us(watch, None)

    def test_the_launch_is_not_in_the_time_of_a_queue(self):
        self.assertEqual(self.time(Slow(80, 4), 80), 4)

    def test_the_device_is_held_up_for_longer_where_the_host_was_slower_than_seen(self):
        watch = Slow(200, 4)
        self.assertEqual(self.time(watch, 50), 4)
        self.assertEqual(len(watch.holds), 2)
        self.assertGreater(watch.holds[1], watch.holds[0])

    def test_fewer_calls_where_the_queue_was_full(self):
        watch = Slow(20, 4, room=8)
        self.assertEqual(self.time(watch, 20), 4)
        self.assertEqual(watch.calls, [20, 10, 5])

    def test_a_call_that_waits_for_the_device_has_no_such_time(self):
        self.assertIsNone(self.time(Slow(float("inf"), 4), 80))

    def test_a_call_that_takes_the_host_long_is_queued_twice(self):
        watch = Slow(9000, 4)
        self.assertEqual(self.time(watch, 9000), 4)
        self.assertEqual(watch.calls, [queued.FEWEST_CALLS])


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.done = run("kernels.py", "--device", "cpu", "--quick", "--seconds", LIMIT_S, "--output", cls.folder.name)
        cls.known, cls.further = (read(cls.folder.name, name) for name in ("kernels.csv", "further.csv"))

    def test_every_family_is_measured_and_nothing_fails_but_what_needs_a_gpu(self):
        self.assertNotIn(": 0 rows", self.done.stderr)
        left_out = [line for line in self.done.stderr.splitlines() if line.startswith("left out")]
        self.assertTrue(all("pin_memory" in line for line in left_out), left_out)

    def test_every_time_is_above_zero_and_called_a_processors(self):
        for row in self.known + self.further:
            self.assertGreater(float(row["latency_us"]), 0)
            self.assertGreater(float(row["queued_us"]), 0)
            self.assertTrue(row["device"].startswith("CPU "), row)
            self.assertEqual(row["kernel"], "")
        self.assertIn("say nothing of a GPU", self.done.stderr)

    def test_the_program_predicts_every_row_of_the_table_that_it_should_read(self):
        words = "linear bmm conv softmax ln add addu sub subu mul mulu div divu pow powu relu gelu tanh"
        self.assertEqual({row["op"] for row in self.known}, set(words.split()))
        path = os.path.join(self.folder.name, "kernels.csv")
        done = steptime("predict", "kernel", "--input", path, "--hw", ANY_GPU)
        self.assertEqual((done.code, done.err), (OK, ""))
        predicted = list(csv.DictReader(done.out.splitlines()))
        self.assertEqual(len(predicted), len(self.known))
        self.assertTrue(all(float(row["predicted_us"]) > 0 for row in predicted))

    def test_the_program_predicts_every_further_row(self):
        path = os.path.join(self.folder.name, "further.csv")
        done = steptime("predict", "kernel", "--input", path, "--hw", ANY_GPU)
        self.assertEqual((done.code, done.err), (OK, ""))
        predicted = list(csv.DictReader(done.out.splitlines()))
        self.assertEqual(len(predicted), len(self.further))
        self.assertTrue(all(float(row["predicted_us"]) > 0 for row in predicted))

    def test_the_program_takes_no_processor_for_a_gpu(self):
        done = steptime("model", "fit", os.path.join(self.folder.name, "kernels.csv"))
        self.assertNotEqual(done.code, OK)
        self.assertIn("CPU ", done.err)

    def test_models_are_fitted_to_the_table(self):
        table = os.path.join(self.folder.name, "kernels.csv")
        fitted = steptime("model", "fit", "--hw", ANY_GPU, "--family", "elementwise", table)
        self.assertEqual(fitted.code, OK, fitted.err)
        self.assertIn("family elementwise", fitted.out)

    def test_further_rows_have_words_of_their_own_and_every_size_of_their_form(self):
        known = {row["op"] for row in self.known}
        counts = {"attention": 6, "batch_norm": 3, "bmm": 4, "concat": 2, "convolution": 10, "copy": 1, "dropout": 2,
                  "elementwise": 3, "embedding": 5, "fill": 1, "host_copy": 2, "index": 2, "layer_norm": 2, "linear": 4,
                  "optimizer": 2, "pooling": 4, "reduction": 2, "softmax": 2, "transpose": 3}
        about = {"op", "device", "form", "backward", "dtype", "latency_us", "queued_us", "kernel_us",
                 "kernel"}
        for row in self.further:
            self.assertNotIn(row["op"], known)
            self.assertEqual(sum(bool(row[name]) for name in row.keys() - about), counts[row["form"]], row)
        self.assertEqual({row["form"] for row in self.further}, set(counts))


class Dlrm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.done = run("dlrm.py", "--device", "cpu", "--quick", "--output", cls.folder.name)
        cls.rows = read(cls.folder.name, "dlrm.csv")

    def test_every_model_has_times_and_says_that_its_tables_were_cut(self):
        self.assertEqual([row["model"] for row in self.rows], ["default", "mlperf", "ddp"])
        for row in self.rows:
            self.assertGreater(float(row["iteration_ms"]), 0)
            self.assertGreater(float(row["profiled_iteration_ms"]), 0)
            self.assertLess(int(row["table_rows"]), int(row["table_rows_published"]))
        self.assertEqual(self.done.stderr.count("tables cut from"), 3)

    def test_the_program_predicts_the_recording_and_the_model_that_was_measured(self):
        for row in self.rows:
            recorded = steptime("predict", os.path.join(self.folder.name, row["trace"]))
            self.assertEqual(recorded.code, OK, recorded.err)
            model = os.path.join(self.folder.name, f"dlrm_{row['model']}.toml")
            described = steptime("predict", "--hw", ANY_GPU, f"dlrm:{model}@{row['batch']}")
            self.assertEqual(described.code, OK, described.err)

    def test_active_time_counts_work_side_by_side_once(self):
        script = "import dlrm; print(dlrm.active_us([(5, 6), (0, 4), (1, 2), (3, 4.5)]))"
        self.assertEqual(float(run("-c", script).stdout), 5.5)


if __name__ == "__main__":
    unittest.main()
