# SPDX-License-Identifier: Apache-2.0
"""What summary, critical-path and lint --trace say could be saved leaves the recorder out where it made a step over 1.25 times as long."""
import json
import os
import unittest

from support import Folder, OK, steptime, training_steps, values, write_trace


def table(document, name):
    return [dict(zip([column["id"] for column in table["columns"]], row)) for section in document["sections"]
            for table in section["tables"] if table["id"] == name for row in table["rows"]]


class LeftOut(Folder):
    def beside(self, factor):
        """Recorded steps took `factor` times as long as bare ones of 1000."""
        with open(os.path.join(self.folder, "a.steps.json"), "w", encoding="ascii") as out:
            json.dump({"version": 1, "bare_step_end_ns": [0, 1000, 2000],
                       "recorded_step_end_ns": [9000, 9000 + round(1000 * factor), 9000 + round(2000 * factor)]}, out)

    def said(self, command, factor, events=None):
        path = write_trace(os.path.join(self.folder, "a.json"), events or training_steps(30))
        self.beside(factor)
        done = steptime(command, path)
        self.assertEqual(done.code, OK, done.err)
        document = steptime(command, path, "--format", "json").json
        return values(document), {row["resource"]: row for row in table(document, "experiments")}, " ".join(done.out.split())

    def test_of_a_host_alone_all_is_that_of_a_bare_step(self):
        events = [event for event in training_steps(30) if event["cat"] not in ("kernel", "cuda_runtime")]
        for command in ("summary", "critical-path"):
            with_it, before, words = self.said(command, 1.2, events)
            without, after, said = self.said(command, 2, events)
            self.assertAlmostEqual(without["verdict_step_ns"] / with_it["verdict_step_ns"], 0.5, delta=0.01)
            self.assertAlmostEqual(without["verdict_host_share"], 0.5, delta=0.02)
            self.assertIsNone(with_it["verdict_host_share"])
            for row in before:
                if before[row]["saved_ns"]:
                    self.assertAlmostEqual(after[row]["saved_ns"] / before[row]["saved_ns"], 0.5, delta=0.02)
                    self.assertAlmostEqual(after[row]["saved"], before[row]["saved"], delta=0.02)
            self.assertGreater(after["host"]["saved_ns"], 0)
            self.assertNotIn("without the recorder", words)
            self.assertIn("all without the recorder, which leaves 50 % of the host's recorded time", said)

    def test_what_the_device_waits_for_is_less(self):
        """Of 1000 a step the host is at work in all; a bare one takes 500, of which the last kernel waits for no more of it."""
        with_it, before, _ = self.said("summary", 1.2)
        without, after, _ = self.said("summary", 2)
        self.assertAlmostEqual(without["verdict_step_ns"] / with_it["verdict_step_ns"], 0.5, delta=0.01)
        self.assertLess(after["host"]["saved_ns"], 0.52 * before["host"]["saved_ns"])
        self.assertLessEqual(after["host"]["removed_ns"], 1.001 * after["host"]["time_ns"])

    def test_the_device_is_not_slowed(self):
        """Kernels of 290 in turn of 200: they bound a recorded step, and a bare one all the more."""
        events = training_steps(30)
        for event in events:
            if event["cat"] == "kernel":
                event["ts"] += 100 * ((event["ts"] % 1000) // 200)
                event["dur"] = 150
        _, before, _ = self.said("summary", 1.2, events)
        _, after, _ = self.said("summary", 1.5, events)
        self.assertLess(after["host"]["saved"], before["host"]["saved"])
        self.assertGreater(after["device"]["saved"], before["device"]["saved"])

    def test_ranks_of_a_job_keep_it(self):
        for rank in range(2):
            write_trace(os.path.join(self.folder, f"rank{rank}.json"), training_steps(30),
                        distributedInfo={"backend": "nccl", "rank": rank, "world_size": 2})
            with open(os.path.join(self.folder, f"rank{rank}.steps.json"), "w", encoding="ascii") as out:
                json.dump({"version": 1, "bare_step_end_ns": [0, 1000, 2000], "recorded_step_end_ns": [9000, 11000, 13000]}, out)
        document = steptime("summary", self.folder, "--format", "json").json
        self.assertIsNone(values(document)["verdict_host_share"])


if __name__ == "__main__":
    unittest.main()
