# SPDX-License-Identifier: Apache-2.0
"""What is odd about an input is told by whoever concludes from it, and does not bend a figure."""
import os

import support
from support import OK, USAGE, Folder, span, steptime, training_steps, write_trace

CONCLUDING = ("summary", "breakdown", "kernels", "critical-path", "ops", "ranks", "predict")


class Doubts(Folder):
    def written(self, name, events, **more):
        return write_trace(os.path.join(self.folder, name), events, **more)

    def result(self, *words):
        done = steptime(*words, "--format", "json")
        self.assertEqual(done.code, OK, (words, done.err))
        return done.json

    def rows(self, table, *words):
        for section in self.result(*words)["sections"]:
            for found in section["tables"]:
                if found["id"] == table:
                    ids = [column["id"] for column in found["columns"]]
                    return [dict(zip(ids, row)) for row in found["rows"]]
        raise AssertionError(f"no table {table}")

    def test_a_lost_kernel(self):
        events = training_steps()
        events.remove(next(event for event in events if event["cat"] == "kernel"))
        path = self.written("lost.json", events)
        for command in CONCLUDING:
            told = [warning["message"] for warning in self.result(command, path)["warnings"]]
            self.assertTrue(any("1 of 6 launches have no device work in the recording" in line for line in told),
                            (command, told))

    def test_work_on_no_device(self):
        lost = span("sgemm", 900, 1, cat="kernel", pid=-1, tid=7, correlation=9999, device=-1, stream=3)
        path, twin = self.written("minus1.json", training_steps() + [lost]), self.written("twin.json", training_steps())
        self.assertEqual(self.rows("steps", "breakdown", path), self.rows("steps", "breakdown", twin))
        self.assertEqual([row["device"] for row in self.rows("ranks", "breakdown", path)], [0])

    def test_shared_work_on_no_device(self):
        folder = os.path.join(support.SHARED, "data", "faults")
        if not os.path.isdir(folder):
            self.skipTest("the shared faults are not here")
        path, one, ok = (os.path.join(folder, name) for name in ("dev_minus1.json", "dev_1.json", "dev_ok.json"))
        self.assertEqual(self.rows("steps", "breakdown", path), self.rows("steps", "breakdown", ok))
        self.assertEqual(self.rows("steps", "breakdown", path),
                         [row for row in self.rows("steps", "breakdown", one) if row["device"] == 0])

    def check_own_time(self, path):
        for by in ("name", "shape"):
            for row in self.rows("operators", "ops", "--by", by, path):
                self.assertLessEqual(row["host_self_ns"], row["host_total_ns"], (path, row["name"]))

    def test_calls_that_overlap_in_part(self):
        """Three calls of one name, [0, 100), [50, 150), [90, 190): together 190 us, all of it their own."""
        path = self.written("partial.json", [span("aten::x", at, 100) for at in (0, 50, 90)])
        self.check_own_time(path)
        [row] = self.rows("operators", "ops", path)
        self.assertEqual((row["host_total_ns"], row["host_self_ns"]), (190000, 190000))
        mixed = self.written("mixed.json", [span("aten::p", 0, 100), span("aten::a", 10, 40), span("aten::b", 40, 40)])
        own = {row["name"]: row["host_self_ns"] for row in self.rows("operators", "ops", mixed)}
        self.assertEqual(own, {"aten::p": 30000, "aten::a": 30000, "aten::b": 40000})

    def test_shared_calls_that_overlap_in_part(self):
        path = os.path.join(support.SHARED, "data", "faults", "partial.json")
        if not os.path.exists(path):
            self.skipTest("the shared faults are not here")
        self.check_own_time(path)

    def test_a_copy_of_rank_0_leaves_rank_1_its_number(self):
        paths = [self.written(f"{name}.json", training_steps(), distributedInfo={"rank": rank, "world_size": 2})
                 for name, rank in (("a", 0), ("b", 0), ("c", 1))]
        ranks = {os.path.basename(row["file"]): row["rank"] for row in self.rows("ranks", "breakdown", *paths)}
        self.assertEqual((ranks["a.json"], ranks["c.json"]), (0, 1))

    def test_standard_input_is_read_once(self):
        done = steptime("summary", "-", "-", stdin=support.trace_text().encode())
        self.assertEqual(done.code, USAGE, done.err)
