# SPDX-License-Identifier: Apache-2.0
"""steptime predict leaves the recorder out where bare steps lie beside the trace and it made a step over 1.25 times as long."""
import json
import os
import unittest

from support import Folder, OK, steptime, training_steps, values, write_trace


class Recorder(Folder):
    def predicted(self, events, factor, *options):
        """Recorded steps took `factor` times as long as bare ones of 1000."""
        path = write_trace(os.path.join(self.folder, "a.json"), events)
        if factor:
            with open(os.path.join(self.folder, "a.steps.json"), "w", encoding="ascii") as out:
                json.dump({"version": 1, "bare_step_end_ns": [0, 1000, 2000],
                           "recorded_step_end_ns": [9000, 9000 + round(1000 * factor), 9000 + round(2000 * factor)]}, out)
        done = steptime("predict", path, *options)
        self.assertEqual(done.code, OK, done.err)
        result = steptime("predict", path, *options, "--format", "json")
        return values(result.json), " ".join(done.out.split())

    def test_a_step_of_the_host_takes_what_a_bare_one_took(self):
        found, said = self.predicted(training_steps(6), 2)
        self.assertAlmostEqual(found["unprofiled_step_ns"] / (found["step_ns"] / 2), 1, delta=0.01)
        self.assertAlmostEqual(found["host_share"], 0.5, delta=0.02)
        self.assertIn("Without the recorder, which made a step 2.00 times as long, it takes", said)

    def test_without_the_profiler_it_is_the_prediction(self):
        found, _ = self.predicted(training_steps(6), 2, "--without-profiler")
        self.assertEqual(found["step_ns"], found["unprofiled_step_ns"])
        self.assertAlmostEqual(found["step_ns"] / (found["measured_step_ns"] / 2), 1, delta=0.01)

    def test_what_is_compared_with_recorded_steps_stays(self):
        with_it, _ = self.predicted(training_steps(6), 2)
        without, _ = self.predicted(training_steps(6), 1.25)
        for name in ("step_ns", "measured_step_ns", "error", "bias"):
            self.assertEqual(with_it[name], without[name], name)

    def test_the_device_is_not_slowed(self):
        """The last kernel of a step ends 1000 later: the host may be as quick as it likes."""
        events = training_steps(6)
        for event in events:
            if event["cat"] == "kernel":
                event["ts"] += 100 * ((event["ts"] % 1000) // 200)
                event["dur"] = 290
        found, _ = self.predicted(events, 3)
        self.assertAlmostEqual(found["host_share"], 1 / 3, delta=0.001)
        self.assertGreater(found["unprofiled_step_ns"], 3 * 290e3)

    def test_a_little_and_what_is_not_known_change_nothing(self):
        for factor in (0, 1.2):
            found, said = self.predicted(training_steps(6), factor)
            self.assertIsNone(found["host_share"])
            self.assertNotIn("Without the recorder", said)
            os.unlink(os.path.join(self.folder, "a.json"))

    def test_a_question_that_is_replayed_says_what_it_holds(self):
        found, said = self.predicted(training_steps(6), 2, "--remove", "sgemm*")
        self.assertIsNone(found["host_share"])
        self.assertIn("All this holds the recorder, which made a step 2.00 times as long", said)


if __name__ == "__main__":
    unittest.main()
