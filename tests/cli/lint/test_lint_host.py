# SPDX-License-Identifier: Apache-2.0
"""lint --trace with a trace of a CPU: the host's time under the lines of findings, planted, and what a rewrite spares of it."""
import json
import os
import tempfile
import textwrap
import unittest

from plant import Plant
from support import SOURCE as TOP, steptime

STEP_US = 1000
EXAMPLE = os.path.join(TOP, "examples", "antipatterns", "session_gnn")
SOURCE = """
    import numpy as np
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def prepare(samples, names):
        rows, labels = [], []
        for sample in samples:
            rows.append(np.zeros(4))
            labels.append(np.zeros(4))
        first = torch.tensor(rows).to(device)
        second = torch.tensor(labels).to(device)
        third = torch.Tensor(rows).to(device)
        return first, second, third

    def train(net, optimizer, batches):
        for samples in batches:
            first, second, third = prepare(samples, None)
            loss = net(first, second, third).sum()
            loss.backward()
            optimizer.step()

    train(torch.nn.Linear(4, 1).to(device), torch.optim.SGD([], lr=1), [[1]])
"""
PREPARE, FIRST, SECOND, THIRD = 6, 11, 12, 13
TENSOR = "<built-in method tensor of type object at 0x7f00>"


class Host(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        os.mkdir(os.path.join(holder.name, "job"))
        self.source = os.path.join(holder.name, "job", "train.py")
        self.trace = os.path.join(holder.name, "trace.json")
        with open(self.source, "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(SOURCE).lstrip("\n"))

    def record(self, steps=8, calls=2, slow=lambda step: 1, bare_us=None):
        """In each step of 1000 us: `first` takes 100, `second` 50, `third`, which has no frame, 200."""
        plant = Plant()
        at = 0
        plant.python(f"job/train.py({PREPARE + 10}): train", 0, 10 * STEP_US * steps)
        for step in range(steps):
            us = slow(step)
            plant.step(step, at, STEP_US * us)
            plant.python(f"job/train.py({PREPARE}): prepare", at + 10, 500 * us)
            plant.python(TENSOR, at + 20, 100 * us)
            if calls == 2:
                plant.python(TENSOR, at + 130 * us, 50 * us)
            plant.host("aten::empty", at + 200 * us, 2)
            plant.host("aten::to", at + 390 * us, 2)
            plant.host("aten::lift_fresh", at + 396 * us, 4 * us)
            at += STEP_US * us
        plant.write(self.trace)
        if bare_us:
            with open(os.path.join(os.path.dirname(self.trace), "trace.steps.json"), "w", encoding="ascii") as out:
                json.dump({"version": 1, "clock": "monotonic", "bare_step_end_ns": [1000 * bare_us * i for i in range(6)],
                           "recorded_step_end_ns": [1000 * STEP_US * i for i in range(6)], "recorder": {}}, out)

    def lint(self):
        done = steptime("lint", self.source, "--trace", self.trace, "--format", "json")
        document = done.json
        found = {f["line"]: f for f in document["findings"] if f["rule"] == "ST201"}
        self.assertEqual(set(found), {FIRST, SECOND, THIRD}, document["findings"])
        return found, document

    def test_calls_by_order_and_constructors_by_their_operators(self):
        self.record()
        found, document = self.lint()
        for line, us in ((FIRST, 100), (SECOND, 50), (THIRD, 200)):
            self.assertAlmostEqual(found[line]["per_step_saving_ns"], 1000 * (0.95 * us - 10), delta=2000, msg=line)
            self.assertIn(f"Host time under these lines: {us} us a step ({us} us to {us} us, 99 %, 8 steps)", found[line]["message"])
            self.assertIn("NumPy joins arrays in one piece", found[line]["message"])
        section = next(s for s in document["sections"] if s["id"] == "host_time")
        row = dict(zip([c["id"] for c in section["tables"][0]["columns"]], section["tables"][0]["rows"][0]))
        self.assertEqual((row["steps"], row["step_ns"]), (8, 1000 * STEP_US))
        self.assertGreaterEqual(row["under_lines"], 3)
        self.assertFalse([w for w in document["warnings"] if "no work of a device" in w["message"]])

    def record_beside_device(self, kernel_us):
        """The same, and then a kernel that the step waits for. Steps are as long as the host takes, or the device."""
        plant = Plant()
        long = max(STEP_US, kernel_us + 20)
        plant.python(f"job/train.py({PREPARE + 10}): train", 0, long * 8)
        for step in range(8):
            at = step * long
            plant.step(step, at, long)
            plant.python(f"job/train.py({PREPARE}): prepare", at + 10, 500)
            plant.python(TENSOR, at + 20, 100)
            plant.python(TENSOR, at + 130, 50)
            plant.host("aten::empty", at + 200, 2)
            plant.host("aten::to", at + 390, 2)
            plant.host("aten::lift_fresh", at + 396, 4)
            plant.work(at + 610 if kernel_us < STEP_US else at + 15, kernel_us, launch=at + 600 if kernel_us < STEP_US else at + 5)
        plant.write(self.trace)

    def test_beside_a_device_that_waits_lists_cost_what_they_cost_without_one(self):
        self.record_beside_device(kernel_us=100)
        found, document = self.lint()
        for line, us in ((FIRST, 100), (SECOND, 50), (THIRD, 200)):
            self.assertAlmostEqual(found[line]["per_step_saving_ns"], 1000 * 0.95 * us, delta=12000, msg=line)
            self.assertIn(f"Host time under these lines: {us} us a step", found[line]["message"])
        self.assertFalse([s for s in document["sections"] if s["id"] == "host_time"])
        row = next(s for s in document["sections"] if s["id"] == "evidence")["tables"][0]
        saving = dict(zip([c["id"] for c in row["columns"]], row["rows"][0]))["saving_ns"]
        self.assertTrue(1000 * 0.95 * 330 <= saving <= 1000 * 500, saving)  # all of prepare() is a finding, too

    def test_beside_a_device_that_fills_the_step_lists_cost_nothing(self):
        self.record_beside_device(kernel_us=3000)
        found, _ = self.lint()
        self.assertFalse([f for f in found.values() if f.get("per_step_saving_ns", 0) and f["per_step_saving_ns"] > 0])

    def test_what_cannot_be_told_apart_is_shared_and_said(self):
        self.record(calls=1)
        found, _ = self.lint()
        for line in (FIRST, SECOND):
            self.assertIn("its part of 2 such calls that the trace cannot tell apart", found[line]["message"])
            self.assertIn("Host time under these lines: 50 us", found[line]["message"])

    def test_time_that_findings_share_counts_once_in_the_sum(self):
        """make_batch() takes 500 us, 300 of them in a loop in brackets that is a finding of its own."""
        plant = Plant()
        plant.python("session_gnn/train.py(13): train_epoch", 0, 8 * STEP_US)
        for at in range(0, 8 * STEP_US, STEP_US):
            plant.step(at // STEP_US, at, STEP_US)
            plant.python("session_gnn/data.py(76): make_batch", at + 10, 500)
            plant.python("session_gnn/data.py(84): <listcomp>", at + 100, 300)
        plant.write(self.trace)
        document = steptime("lint", EXAMPLE, "--trace", self.trace, "--format", "json").json
        by_line = {(os.path.basename(f["file"]), f["line"]): f for f in document["findings"] if f["rule"] == "ST302"}
        outer, inner = by_line["train.py", 17], by_line["data.py", 84]
        self.assertAlmostEqual(outer["per_step_saving_ns"], 0.85 * 500000, delta=1)
        self.assertAlmostEqual(inner["per_step_saving_ns"], 0.93 * 300000, delta=1)
        section = next(s for s in document["sections"] if s["id"] == "host_time")
        row = dict(zip([c["id"] for c in section["tables"][0]["columns"]], section["tables"][0]["rows"][0]))
        self.assertEqual(row["saving_ns"], outer["per_step_saving_ns"])

    def test_a_busy_machine_moves_no_median(self):
        self.record(slow=lambda step: 7 if step == 3 else 1)
        found, _ = self.lint()
        self.assertAlmostEqual(found[FIRST]["per_step_saving_ns"], 85000, delta=2000)

    def test_a_processor_taken_away_now_and_then_is_shared_by_all(self):
        """In one step of eight `first` takes 900 us and the step 3400, 2400 of it elsewhere: all of it counts, not the middle step."""
        plant = Plant()
        plant.python(f"job/train.py({PREPARE + 10}): train", 0, 20 * STEP_US)
        at = 0
        for step in range(8):
            us = 3400 if step == 5 else STEP_US
            plant.step(step, at, us)
            plant.python(f"job/train.py({PREPARE}): prepare", at + 10, 960)
            plant.python(TENSOR, at + 20, 900 if step == 5 else 100)
            plant.python(TENSOR, at + 940, 20)
            at += us
        plant.write(self.trace)
        done = steptime("lint", self.source, "--trace", self.trace, "--format", "json").json
        found = {f["line"]: f for f in done["findings"] if f["rule"] == "ST201"}
        step_us = STEP_US  # the middle one
        self.assertAlmostEqual(found[FIRST]["per_step_saving_ns"], 1000 * (0.95 * step_us * 1600 / 10400 - 10), delta=2000)

    def test_what_recording_frames_cost_is_taken_off(self):
        """`first` holds 28 frames in its 100 us, and a step two more: the recorder added 5 us to it."""
        frames = 30  # prepare, both calls of torch.tensor, and what the first holds
        self.assertAlmostEqual(self.saved_of_frames(with_stack=1), 1000 * (0.95 * (100 - 28 * 5 / frames) - 10), delta=500)

    def test_frames_of_another_recording_cost_nothing(self):
        """As `record` joins them: the times are of steps without stacks, so what the recorder added lies nowhere in particular."""
        self.assertAlmostEqual(self.saved_of_frames(), 1000 * (0.95 * 99.5 - 10), delta=500)

    def saved_of_frames(self, **head):
        plant = Plant()
        for step in range(8):
            at = step * STEP_US
            plant.step(step, at, STEP_US)
            plant.python(f"job/train.py({PREPARE}): prepare", at + 10, 500)
            plant.python(TENSOR, at + 20, 100)
            for i in range(27):
                plant.python("<built-in function len>", at + 25 + 3 * i, 1)
            plant.python(TENSOR, at + 150, 50)
        plant.write(self.trace)
        with open(self.trace, encoding="utf-8") as file:
            trace = json.load(file)
        with open(self.trace, "w", encoding="utf-8") as out:
            json.dump({**head, **trace}, out)
        with open(os.path.join(os.path.dirname(self.trace), "trace.steps.json"), "w", encoding="ascii") as out:
            json.dump({"version": 1, "clock": "monotonic", "bare_step_end_ns": [995 * STEP_US * i for i in range(6)],
                       "recorded_step_end_ns": [1000 * STEP_US * i for i in range(6)], "recorder": {}}, out)
        done = steptime("lint", self.source, "--trace", self.trace, "--format", "json").json
        found = {f["line"]: f for f in done["findings"] if f["rule"] == "ST201"}
        return found[FIRST]["per_step_saving_ns"]

    def beside(self, **columns):
        with open(os.path.join(os.path.dirname(self.trace), "trace.steps.json"), "w", encoding="ascii") as out:
            json.dump({"version": 1, "clock": "monotonic", **columns, "recorder": {}}, out)

    def disturbed(self, known):
        """In each step `first` takes 100 of 1000 us. In two of eight the processor is away for 4000, within an operator behind it."""
        plant = Plant()
        at, waited, ends = 0, [0], [0]
        for step in range(8):
            away = 4000 if step in (2, 5) else 0
            plant.step(step, at, STEP_US + away)
            plant.python(f"job/train.py({PREPARE}): prepare", at + 10, 900)
            plant.python(TENSOR, at + 20, 100)
            plant.python(TENSOR, at + 150, 50)
            plant.host("aten::mm", at + 300, 100 + away)
            plant.host("aten::add", at + 500 + away, 100)
            at += STEP_US + away
            ends.append(1000 * at)
            waited.append(waited[-1] + 1000 * away)
        plant.write(self.trace)
        columns = {"bare_step_end_ns": [1000 * STEP_US * i for i in range(9)], "recorded_step_end_ns": ends}
        if known:
            columns.update(bare_step_end_waited_ns=[0] * 9, recorded_step_end_waited_ns=waited)
        self.beside(**columns)
        done = steptime("lint", self.source, "--trace", self.trace, "--format", "json").json
        return {f["line"]: f for f in done["findings"] if f["rule"] == "ST201"}[FIRST]

    def test_waits_for_a_processor_are_taken_from_where_they_were(self):
        self.assertAlmostEqual(self.disturbed(True)["per_step_saving_ns"], 85000, delta=1500)
        self.assertIn("Host time under these lines: 100 us a step (100 us to 100 us", self.disturbed(True)["message"])
        self.assertLess(self.disturbed(False)["per_step_saving_ns"], 50000)

    def test_waits_that_make_no_sense_are_not_heeded(self):
        self.disturbed(True)
        path = os.path.join(os.path.dirname(self.trace), "trace.steps.json")
        with open(path, encoding="ascii") as file:
            good = json.load(file)
        for waited in ([0], [0] * 8 + [10**9], list(range(9, 0, -1)), []):
            with open(path, "w", encoding="ascii") as out:
                json.dump({**good, "recorded_step_end_waited_ns": waited}, out)
            done = steptime("lint", self.source, "--trace", self.trace, "--format", "json").json
            found = {f["line"]: f for f in done["findings"] if f["rule"] == "ST201"}[FIRST]
            self.assertLess(found["per_step_saving_ns"], 50000, waited)

    def test_what_recording_operators_cost_is_told_by_the_trace(self):
        """Forty times aten::item calls one other and takes 1 us longer than it; `first` holds them all in its 100 us."""
        plant = Plant()
        for step in range(8):
            at = step * STEP_US
            plant.step(step, at, STEP_US)
            plant.python(f"job/train.py({PREPARE}): prepare", at + 10, 900)
            plant.python(TENSOR, at + 20, 200)
            plant.python(TENSOR, at + 250, 50)
            for i in range(40):
                plant.host("aten::item", at + 25 + 4 * i, 3)
                plant.host("aten::_local_scalar_dense", at + 26 + 4 * i, 2)
        plant.write(self.trace)
        self.beside(bare_step_end_ns=[920 * STEP_US * i for i in range(6)], recorded_step_end_ns=[1000 * STEP_US * i for i in range(6)])
        done = steptime("lint", self.source, "--trace", self.trace, "--format", "json").json
        found = {f["line"]: f for f in done["findings"] if f["rule"] == "ST201"}[FIRST]
        self.assertAlmostEqual(found["per_step_saving_ns"], 1000 * (0.95 * (200 - 80) - 10), delta=1000)

    def test_look_ups_one_behind_another(self):
        """From the call before the first of five to the last, 40 us; one alone, and those of a loop in brackets, are none."""
        with open(self.source, encoding="utf-8") as file:
            text = file.read()
        with open(self.source, "w", encoding="utf-8") as out:
            out.write(text.replace("        rows.append(np.zeros(4))\n", textwrap.indent(textwrap.dedent("""\
                node = np.unique(sample)
                for i in range(len(sample) - 1):
                    if sample[i] == 0:
                        break
                    u = np.where(node == sample[i])[0][0]
                    rows.append(np.zeros(u))
                """), " " * 8)))
        line = 13
        plant = Plant()
        for step in range(8):
            at = step * STEP_US
            plant.step(step, at, STEP_US)
            plant.python(f"job/train.py({PREPARE}): prepare", at + 10, 500)
            plant.python("<built-in function len>", at + 20, 10)
            for i in range(5):
                plant.python("numpy/_core/multiarray.py(403): where", at + 38 + 8 * i, 1)
            plant.python("<built-in function zeros>", at + 90, 10)
            plant.python("numpy/_core/multiarray.py(403): where", at + 200, 100)
            plant.python(f"job/train.py({PREPARE + 11}): <listcomp>", at + 320, 100)
            for i in range(5):
                plant.python("numpy/_core/multiarray.py(403): where", at + 325 + 10 * i, 1)
        plant.write(self.trace)
        done = steptime("lint", self.source, "--trace", self.trace, "--format", "json").json
        found = {f["line"]: f for f in done["findings"] if f["rule"] == "ST302"}
        self.assertIn("Host time under these lines: 40 us a step", found[line]["message"])
        self.assertAlmostEqual(found[line]["per_step_saving_ns"], 1000 * 0.47 * 40, delta=10)

    def test_the_step_without_the_recorder_is_what_counts(self):
        self.record(bare_us=500)
        found, document = self.lint()
        section = next(s for s in document["sections"] if s["id"] == "host_time")
        row = dict(zip([c["id"] for c in section["tables"][0]["columns"]], section["tables"][0]["rows"][0]))
        self.assertEqual(row["step_ns"], 500000)
        self.assertLess(found[FIRST]["per_step_saving_ns"], 50000)

    def test_few_steps_say_how_sure_they_are(self):
        self.record(steps=3)
        found, _ = self.lint()
        self.assertIn("75 %, 3 steps", found[FIRST]["message"])


if __name__ == "__main__":
    unittest.main()
