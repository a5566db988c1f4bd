# SPDX-License-Identifier: Apache-2.0
"""Table `kernels_of_ranks` of `ranks`: a slow device is told from a kernel that varies, from traces and from sketches."""
import os
import unittest

from support import OK, Folder, rows_of, span, steptime, write_trace
from test_ranks import launched

KERNELS = {"ampere_sgemm_128x64_tn": 400, "volta_sgemm_64x64_nn": 200, "some_kernel": 100}
STEPS, RANKS, STEP_US = 10, 4, 10000


class Planted(Folder):
    def plant(self, duration):
        """A trace a rank: duration(rank, step, name, us) says how long a kernel takes."""
        for rank in range(RANKS):
            events = []
            for step in range(STEPS):
                at = STEP_US * step
                events.append(span(f"ProfilerStep#{step}", at, STEP_US, cat="user_annotation"))
                for i, (name, us) in enumerate(KERNELS.items()):
                    events += launched(name, at + 10 + 2000 * i, duration(rank, step, name, us), 10 * step + i + 1, 7)
            write_trace(os.path.join(self.folder, f"rank{rank}.json"), events,
                        distributedInfo={"backend": "nccl", "rank": rank, "world_size": RANKS})
        return self.folder

    def section(self, *inputs):
        outcome = steptime("ranks", "--format", "json", *inputs)
        self.assertEqual(outcome.code, OK, outcome.err)
        return outcome.json, next(section for section in outcome.json["sections"] if section["id"] == "kernels")

    def from_sketches(self, traces):
        sketches = os.path.join(self.folder, "sketches")
        steptime("summary", "--save", sketches, traces)
        return self.section(sketches)

    def test_a_slow_device(self):
        traces = self.plant(lambda rank, step, name, us: us * (1.3 if rank == 2 else 1))
        document, section = self.section(traces)
        rows = rows_of(document, "kernels_of_ranks")
        self.assertEqual([row["name"] for row in rows], list(KERNELS))
        for row, us in zip(rows, KERNELS.values()):
            self.assertEqual((row["ranks"], row["launches"], row["slowest_rank"]), (RANKS, RANKS * STEPS, 2))
            self.assertEqual((row["typical_mean_ns"], row["slowest_mean_ns"]), (us * 1000, us * 1300))
            self.assertAlmostEqual(row["slowest_over_typical"], 1.3)
            self.assertEqual((row["min_ns"], row["max_ns"]), (us * 1000, us * 1300))
            self.assertLess(abs(row["p50_ns"] / (us * 1000) - 1), 1 / 8)
            self.assertLess(abs(row["slowest_p50_ns"] / (us * 1300) - 1), 1 / 8)
        self.assertIn("All 3 take longest on rank 2, 1.30 to 1.30 times", " ".join(steptime("ranks", traces).out.split()))
        self.assertIn(["slow_rank", 2], [[value["id"], value["value"]] for value in section["values"]])
        self.assertEqual(self.from_sketches(traces)[1], section)

    def test_a_kernel_that_varies(self):
        """Every tenth launch takes ten times as long, on whichever rank: no device is slow."""
        traces = self.plant(lambda rank, step, name, us: us * (10 if name == "some_kernel" and step == rank else 1))
        document, section = self.section(traces)
        row = next(row for row in rows_of(document, "kernels_of_ranks") if row["name"] == "some_kernel")
        self.assertAlmostEqual(row["slowest_over_typical"], 1)
        self.assertLess(abs(row["p50_ns"] / 1e5 - 1), 1 / 8)
        self.assertLess(abs(row["p99_ns"] / 1e6 - 1), 1 / 8)
        self.assertIn(["slow_rank", None], [[value["id"], value["value"]] for value in section["values"]])
        self.assertEqual(self.from_sketches(traces)[1], section)


if __name__ == "__main__":
    unittest.main()
