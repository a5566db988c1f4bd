# SPDX-License-Identifier: Apache-2.0
"""What traces with profile_memory say of memory."""
import json
import os
import tempfile
import unittest

import support
from support import INPUT, OK, rows_of, steptime, values


def memory_event(ts, bytes_, addr, total, reserved, kind=1, device=0, tid=1):
    return {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": tid, "ts": ts,
            "args": {"Total Reserved": reserved, "Total Allocated": total, "Bytes": bytes_, "Addr": addr, "Device Id": device,
                     "Device Type": kind, "Ev Idx": 1}}


class Traces(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def trace(self, leak=True):
        events, total, live = [], 1000, []
        for step in range(8):
            at = 1000 * step
            events.append(support.span(f"ProfilerStep#{step}", at, 990, cat="user_annotation"))
            events.append(support.span("train.py(7): step", at + 1, 980, cat="python_function"))
            events.append(support.span("aten::mm", at + 10, 50))
            total += 4096
            events.append(memory_event(at + 20, 4096, 10 * step + 1, total, 1 << 20))
            if leak:
                live.append(4096)
            else:
                total -= 4096
                events.append(memory_event(at + 500, -4096, 10 * step + 1, total, 1 << 20))
        return support.write_trace(self.path("trace.json"), events)

    def test_a_line_that_leaks(self):
        done = steptime("memory", self.trace(), "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        document = done.json
        self.assertEqual((values(document)["peak_bytes"], values(document)["reserved_peak_bytes"], values(document)["steps"],
                          values(document)["growth_bytes"]), (1000 + 8 * 4096, 1 << 20, 8, 4096))
        self.assertEqual([(row["where"], row["per_step_bytes"]) for row in rows_of(document, "memory_leaks")],
                         [("train.py:7 step", 4096)])
        lines = {row["where"]: row["bytes"] for row in rows_of(document, "memory_lines")}
        self.assertEqual(lines, {"train.py:7 step": 8 * 4096, "(before the history)": 1000})
        self.assertIn("Lines are those in which functions begin", steptime("memory", self.path("trace.json")).out)

    def test_steps_and_what_tells_them(self):
        """Numbers are those of the trace, and so is what tells steps."""
        path = self.trace()
        document = steptime("memory", path, "--format", "json").json
        self.assertEqual([row["step"] for row in rows_of(document, "memory_steps")], list(range(8)))
        self.assertEqual(values(document)["steps_told_by"], "steps as the trace has them: profiler_steps")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("ProfilerStep#", "ProfilerStep#10"))
        document = steptime("memory", path, "--format", "json").json
        self.assertEqual([row["step"] for row in rows_of(document, "memory_steps")], list(range(100, 108)))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("ProfilerStep#", "round "))
        document = steptime("memory", path, "--format", "json").json
        self.assertEqual((values(document)["steps"], values(document)["steps_told_by"]), (8, "steps as the trace has them: ranges"))

    def test_none_that_leaks(self):
        document = steptime("memory", self.trace(leak=False), "--format", "json").json
        self.assertEqual((values(document)["peak_bytes"], document["findings"]), (1000 + 4096, []))

    def test_a_trace_without(self):
        done = steptime("memory", support.write_trace(self.path("bare.json"), support.training_steps(2)))
        self.assertEqual(done.code, INPUT)
        self.assertIn("profile_memory", done.err)

    def test_rank_of_one_trace(self):
        path = self.trace()
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        told = told if isinstance(told, dict) else {"traceEvents": told}
        told["distributedInfo"] = {"rank": 3, "world_size": 4, "backend": "nccl"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(told, file)
        self.assertEqual(steptime("memory", path, "--rank", "3").code, OK)
        done = steptime("memory", path, "--rank", "0")
        self.assertEqual((done.code, "not of rank 0 but of rank 3" in done.err), (INPUT, True))

    def cut(self, text, at):
        with open(self.path("cut.json"), "w", encoding="utf-8") as file:
            file.write(text[:at])
        return steptime("memory", self.path("cut.json"))

    def test_a_trace_that_breaks_off(self):
        with open(self.trace(), encoding="utf-8") as file:
            whole = file.read()
        done = self.cut(whole, whole.index("[memory]") - 40)
        self.assertEqual(done.code, INPUT)
        self.assertRegex(done.err, r"byte \d+: the file breaks off, and what stands before tells no allocations")
        self.assertNotIn("profile_memory", done.err)
        done = self.cut(whole, whole.rindex("[memory]") - 40)
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("The file breaks off: before that", done.out)

    def test_events_of_devices_between_each_other(self):
        """Each has its own, in the order of time."""
        events = [memory_event(2 * k + kind, 1000 * (kind + 1), 8 * k, 1000 * (kind + 1) * (k + 1), 0, kind=kind)
                  for k in range(5) for kind in (1, 0)]
        document = steptime("memory", support.write_trace(self.path("two.json"), events), "--format", "json").json
        self.assertEqual({row["device"]: (row["peak_bytes"], row["allocations"]) for row in rows_of(document, "memory_devices")},
                         {"GPU 0": (10000, 5), "host": (5000, 5)})

    def test_before_of_the_host(self):
        """The host's total begins where the recorder did, unless it is more than the first piece."""
        def told(total, kind):
            path = support.write_trace(self.path("host.json"), [memory_event(1, 4096, 1, total, 0, kind=kind),
                                                                memory_event(2, 4096, 2, total + 4096, 0, kind=kind)])
            [device] = rows_of(steptime("memory", path, "--format", "json").json, "memory_devices")
            return device["begin_bytes"], "What lived before the first event is not known" in steptime("memory", path).out
        self.assertEqual(told(4096, 0), (None, True))
        self.assertEqual(told(5096, 0), (1000, False))
        self.assertEqual(told(4096, 1), (0, False))


if __name__ == "__main__":
    unittest.main()
