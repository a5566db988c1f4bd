# SPDX-License-Identifier: Apache-2.0
"""Four times the events take about four times the processor time, however awkwardly they are chosen. (bench/guard.py
counts instructions for every command on ordinary traces; these are the shapes that once were quadratic.)"""
import json
import os
import tempfile
import unittest

from support import OK, SANITIZED, SHARED, steptime

SMALL, LARGE = 20000, 80000
MOST_GROWTH = 9  # a quarter of the way from 4 (linear) to 16 (quadratic) would be 7; a busy machine adds some


def span(kind, name, ts, dur, tid, pid=1, **args):
    return {"ph": "X", "cat": kind, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def many_devices(count):
    yield span("user_annotation", "ProfilerStep#0", 0, 20 * count, 1)
    for i in range(count):
        yield span("cuda_runtime", "cudaLaunchKernel", 10 * i, 1, 1, correlation=i + 1)
        yield span("kernel", "k", 10 * i + 2, 5, 7, pid=i, device=i, stream=7, correlation=i + 1)


def equal_times(count):
    yield span("user_annotation", "ProfilerStep#0", 0, 1000, 1)
    for i in range(count):
        yield span("cuda_runtime", "cudaLaunchKernel", 5, 1, 1, correlation=i + 1)
        yield span("kernel", "k", 100, 5, i % 100, pid=0, device=0, stream=i % 100, correlation=i + 1)


@unittest.skipIf(SANITIZED, "sanitizers change what things cost")
class Growth(unittest.TestCase):
    def cheapest(self, command, path):
        runs = [steptime(command, path, "--format", "json", "--threads", 1) for _ in range(3)]
        self.assertTrue(all(run.code == OK for run in runs), runs[0].err)
        return min(run.cpu_s for run in runs)

    def assert_linear(self, command, shape):
        with tempfile.TemporaryDirectory() as folder:
            cost = {}
            for count in (SMALL, LARGE):
                path = os.path.join(folder, f"{count}.json")
                with open(path, "w", encoding="ascii") as out:
                    json.dump({"traceEvents": list(shape(count))}, out)
                cost[count] = self.cheapest(command, path)
        self.assertLess(cost[LARGE], MOST_GROWTH * max(cost[SMALL], 0.01), cost)

    def test_kernels_of_many_devices(self):
        self.assert_linear("kernels", many_devices)

    def test_operators_of_many_devices(self):
        self.assert_linear("ops", many_devices)

    def test_operators_launched_at_one_time(self):
        self.assert_linear("ops", equal_times)

    def test_a_summary_of_work_launched_at_one_time(self):
        self.assert_linear("summary", equal_times)

    def test_names_chosen_to_share_a_hash(self):
        paths = [os.path.join(SHARED, "data", "faults", f"colliding_names_{count}.json.gz") for count in (20000, 40000)]
        if not os.path.exists(paths[1]):
            self.skipTest("the shared faults are not here")
        small, large = (self.cheapest("info", path) for path in paths)
        self.assertLess(large, 3 * max(small, 0.02), (small, large))


if __name__ == "__main__":
    unittest.main()
