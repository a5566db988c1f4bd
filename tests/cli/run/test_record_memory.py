# SPDX-License-Identifier: Apache-2.0
"""steptime record --memory: allocations of some steps, and the line that holds most. CUDA's own history is that of a stub."""
import os
import pickle
import re
import tempfile
import unittest

from support import OK, steptime
from test_record import Case as Recording, events_of
from torch_python import torch_python

# A stub of what PyTorch says and does on a GPU, for machines without one.
STUB = """
    import torch
    calls, kept = [], {kept}
    torch.cuda.is_initialized = lambda: True
    torch._C._cuda_isHistoryEnabled = lambda: kept
    torch.cuda.memory._record_memory_history = lambda enabled="all", **named: calls.append((enabled, named))
    torch.cuda.memory._snapshot = lambda: {{"segments": [], "device_traces": []}}
"""
HOLDS = """
    def hold():
        return torch.ones(1000, 2000)
    for i in range({steps}):
        held = hold()
        step()
        del held
"""


class OneRecording(Recording):
    """That all cases look at."""

    @classmethod
    def setUpClass(cls):
        cls.python = torch_python()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder, cls.out = holder.name, os.path.join(holder.name, "out")
        cls.path = cls.script(cls, HOLDS.format(steps=50))
        cls.done = cls.record(cls, cls.python, cls.path, options=("--memory",))

    def setUp(self):
        self.assertEqual(self.done.code, OK, self.done.err)
        if "its traces hold no allocations" in self.done.err:
            self.skipTest(self.done.err)

    def test_how_much_at_most_when_and_from_where(self):
        done = self.done
        self.assertEqual(sorted(os.listdir(self.out)), ["train.json.gz", "train.memory.json.gz", "train.steps.json"])
        told = re.search(r"memory of cpu: at most (\S+) MiB beyond what was held when its pass began, in step (\d+); "
                         r"(\S+) MiB of it from train\.py:(\d+), in 1 allocation", done.err)
        self.assertTrue(told, done.err)
        most, step, largest, line = told.groups()
        self.assertAlmostEqual(float(largest), 8e6 / (1 << 20), delta=0.01)
        self.assertLess(float(largest), float(most) + 0.01)
        self.assertLess(float(most), 8)
        self.assertIn(int(step), range(26, 31))
        with open(self.path, encoding="utf-8") as text:
            self.assertIn("return torch.ones", text.read().splitlines()[int(line) - 1])

    def test_it_says_the_same_as_its_trace(self):
        events = sorted((event for event in events_of(os.path.join(self.out, "train.memory.json.gz"))
                         if event["name"] == "[memory]"), key=lambda event: event["ts"])
        held = most = 0
        for event in events:
            held += event["args"]["Bytes"]
            most = max(most, held)
        told = float(re.search(r"at most (\S+) MiB", self.done.err)[1])
        self.assertAlmostEqual(told, most / (1 << 20), delta=0.01)

    def test_the_times_know_nothing_of_it(self):
        trace = events_of(os.path.join(self.out, "train.json.gz"))
        self.assertFalse(any(event["name"] == "[memory]" for event in trace))

    def test_commands_that_read_the_folder_pass_it_over(self):
        for command in ("summary", "breakdown", "info", "ranks", "critical-path", "predict"):
            shown = steptime(command, "--format", "json", self.out)
            self.assertEqual(shown.code, OK, shown.err)
            self.assertEqual([os.path.basename(one["path"]) for one in shown.json["inputs"]], ["train.json.gz"])
        named = steptime("info", "--format", "json", os.path.join(self.out, "train.memory.json.gz"))
        self.assertEqual(named.code, OK, named.err)


class Memory(Recording):
    def setUp(self):
        super().setUp()
        self.python = torch_python()

    def recorded(self, text, code=OK, environment=None):
        done = self.record(self.python, self.script(text), options=("--memory", "--no-stacks"),
                           environment=environment)
        self.assertEqual(done.code, code, done.err)
        if "its traces hold no allocations" in done.err:
            self.skipTest(done.err)
        return done

    def test_a_script_that_ends_in_the_pass(self):
        self.recorded(HOLDS.format(steps=21) + "    raise SystemExit(3)", code=3)
        self.assertIn("train.memory.json.gz", self.traces())

    def test_the_history_of_cuda_is_a_file_of_its_own(self):
        """Through a stub: no GPU is here."""
        self.script(STUB.format(kept=False), "stub.py", train=False)
        text = "    import stub, steptime_record_memory\n    steptime_record_memory.HISTORY_OF = 'cpu'\n" + HOLDS.format(steps=50) + "    print(stub.calls)\n"
        done = self.recorded(text, environment={"PYTHONPATH": self.folder})
        self.assertEqual(done.out, "[('all', {'max_entries': 200000, 'stacks': 'python'}), (None, {})]\n")
        self.assertIn("history of CUDA's allocator: train.memory.pickle", done.err)
        with open(os.path.join(self.out, "train.memory.pickle"), "rb") as file:
            owners = pickle.load(file)["steptime_owners"]
        self.assertEqual({(owner["role"], owner["name"]) for owner in owners} & {
            ("parameter", "Linear.weight"), ("parameter", "Linear.bias"), ("gradient", "Linear.weight")},
            {("parameter", "Linear.weight"), ("parameter", "Linear.bias"), ("gradient", "Linear.weight")})
        self.assertEqual(len({owner["addr"] for owner in owners}), len(owners))
        self.assertEqual(steptime("summary", "--format", "json", self.out).json["warnings"], [])

    def test_a_history_that_the_script_keeps_is_left_to_it(self):
        self.script(STUB.format(kept=True), "stub.py", train=False)
        text = "    import stub\n" + HOLDS.format(steps=50) + "    print(stub.calls)\n"
        done = self.recorded(text, environment={"PYTHONPATH": self.folder})
        self.assertEqual(done.out, "[]\n")
        self.assertFalse(os.path.exists(os.path.join(self.out, "train.memory.pickle")))


del Recording  # its cases run in their own file

if __name__ == "__main__":
    unittest.main()
