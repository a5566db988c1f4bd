# SPDX-License-Identifier: Apache-2.0
"""lint --trace where loops in brackets have no frame, as from Python 3.12 on: written traces in that manner, and real recordings of
one script under each Python that has PyTorch here."""
import json
import os
import shutil
import tempfile
import textwrap
import unittest

from plant import Plant
from support import steptime
from torch_python import has_torch, once_is_enough

STEP_US = 1000
WHERE = "numpy/_core/multiarray.py(403): where"
HEAD = """
    import numpy as np
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

"""
TAIL = """

    def train(net, optimizer, batches):
        for batch in batches:
            inputs = prepare(batch, True)
            loss = net(inputs).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

"""
AFTER_THE_NET = TAIL.replace("inputs = prepare(batch, True)", "hidden = net(torch.tensor(batch).float().to(device))").replace(
    "net(inputs)", "prepare(hidden, batch)")
RUN = "    train(torch.nn.Linear(4, 1).to(device), torch.optim.SGD([], lr=1), [[[1]]])\n"
LOOK_UPS = """
    def prepare(rows, wide):
        graphs, ends = [], []
        for row in rows:
            node = np.unique(row)
            graph = np.zeros((len(node), len(node)))
            for i in range(len(row) - 1):
                u = np.where(node == row[i])[0][0]
                v = np.where(node == row[i + 1])[0][0]
                graph[u][v] = 1
            graphs.append(graph)
            ends.append([np.where(node == i)[0][0] for i in row])
        return torch.tensor(np.array(ends)).float().to(device)
"""


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "job")
        os.mkdir(self.folder)
        self.source = os.path.join(self.folder, "train.py")
        self.trace = os.path.join(holder.name, "trace.json")

    def write(self, function, tail=TAIL + RUN):
        text = "".join(textwrap.dedent(part).lstrip("\n") + "\n" for part in (HEAD, function, tail))
        with open(self.source, "w", encoding="utf-8") as out:
            out.write(text)
        self.lines = text.split("\n")

    def line_of(self, part):
        return next(i for i, line in enumerate(self.lines, 1) if part in line)

    def lint(self, trace=None):
        document = steptime("lint", self.source, "--trace", trace or self.trace, "--format", "json").json
        return {(f["rule"], f["line"]): f for f in document["findings"]}


class Written(Case):
    """No frame of any loop in brackets; times in us."""

    def record(self, calls, steps=8):
        """calls: (name, begin, length) right below prepare(); a name of aten:: is an operator."""
        plant = Plant()
        first = self.line_of("def prepare")
        for step in range(steps):
            at = step * STEP_US
            plant.step(step, at, STEP_US)
            plant.python(f"job/train.py({first}): prepare", at + 10, 900)
            for name, begin, length in calls:
                (plant.host if name.startswith("aten::") else plant.python)(name, at + begin, length)
        plant.write(self.trace)

    def test_the_same_call_in_a_statement_and_in_brackets(self):
        """Two rows: edges take 40 us each, ends 100."""
        self.write(LOOK_UPS)
        calls = []
        for begin in (20, 420):
            calls += [("numpy/lib.py(1): unique", begin, 10), ("<built-in function len>", begin + 12, 1),
                      ("<built-in function len>", begin + 14, 1), ("<built-in function zeros>", begin + 16, 2),
                      ("<built-in function len>", begin + 19, 1)]
            calls += [(WHERE, begin + 30 + 10 * i, 1) for i in range(5)]  # the fifth begins 40 behind the first
            calls += [(WHERE, begin + 80, 1), ("<built-in method append of list object at 0x1>", begin + 90, 10)]
            calls += [(WHERE, begin + 105 + 10 * i, 1) for i in range(9)]
            calls += [("<built-in method append of list object at 0x1>", begin + 200, 5)]
        self.record(calls)
        found = self.lint()
        edges, ends = (found["ST302", self.line_of(part)] for part in ("u = np.where", "ends.append("))
        self.assertIn("Host time under these lines: 200 us a step", ends["message"])
        self.assertAlmostEqual(ends["per_step_saving_ns"], 1000 * 0.93 * 200, delta=10)
        # From the call before the first look-up to the last one: 20 to 80 of each row.
        self.assertIn("Host time under these lines: 120 us a step", edges["message"])
        self.assertAlmostEqual(edges["per_step_saving_ns"], 1000 * 0.47 * 120, delta=10)

    def test_a_loop_that_calls_nothing_lies_between_two_calls(self):
        self.write("""
            def prepare(hidden, wide):
                n = len(hidden)
                return torch.stack([hidden[i][wide[i]] for i in range(n)])
        """, AFTER_THE_NET + RUN)
        calls = [("<built-in function len>", 20, 10), ("<built-in method stack of type object at 0x1>", 430, 70)]
        self.record(calls + [("aten::select", 40 + 15 * i, 10) for i in range(20)])
        found = self.lint()["ST102", self.line_of("torch.stack")]
        self.assertIn("Host time under these lines: 470 us a step", found["message"])

    def test_beside_a_call_without_a_frame_it_is_not_known(self):
        self.write("""
            def prepare(hidden, wide):
                wide = torch.LongTensor(wide)
                return torch.stack([hidden[i][wide[i]] for i in range(4)])
        """, AFTER_THE_NET + RUN)
        self.record([("<built-in method stack of type object at 0x1>", 430, 70)])
        found = self.lint()["ST102", self.line_of("torch.stack")]
        self.assertIn("is not known: this Python gives loops in brackets no frame, and nothing that it calls has a frame",
                      found["message"])
        self.assertIsNone(found["per_step_saving_ns"])

    def test_branches_that_read_the_same_are_not_known(self):
        self.write("""
            def prepare(rows, wide):
                node = np.unique(rows)
                if wide:
                    ends = [np.where(node == i)[0][0] for i in rows]
                else:
                    ends = [np.where(node == i)[0][0] for i in rows[1:]]
                return torch.tensor(ends).float().to(device)
        """)
        self.record([("numpy/lib.py(1): unique", 20, 10)] + [(WHERE, 40 + 10 * i, 1) for i in range(9)])
        found = self.lint()
        for line in (self.line_of("in rows]"), self.line_of("in rows[1:]]")):
            self.assertIn("is not known: this Python gives loops in brackets no frame, and calls of the same names",
                          found["ST302", line]["message"])
            self.assertIsNone(found["ST302", line]["per_step_saving_ns"])

    def test_a_lambda_of_another_file_is_none_of_this_one(self):
        self.write("""
            def prepare(rows, wide):
                pick = lambda at: at[0][0]
                ends = [pick(np.where(rows == i)) for i in rows]
                return torch.tensor(ends).float().to(device)
        """)
        line = self.line_of("pick = lambda")
        calls = [call for i in range(9) for call in ((WHERE, 40 + 10 * i, 1), (f"job/train.py({line}): <lambda>", 45 + 10 * i, 1))]
        self.record(calls + [(f"lib/other.py({line}): <lambda>", 400, 50)])
        found = self.lint()["ST302", self.line_of("ends = [pick(")]
        self.assertIn("Host time under these lines: 116 us a step", found["message"])

    def test_calls_of_another_text_are_not_known(self):
        self.write(LOOK_UPS)
        names = ("<built-in method append of list object at 0x1>", "<built-in function zeros>", "numpy/lib.py(1): unique")
        other = [(name, 20 + 12 * i + 4 * k, 1) for i in range(20) for k, name in enumerate(names)]
        self.record(other + [(WHERE, 300 + 10 * i, 1) for i in range(9)])
        found = self.lint()["ST302", self.line_of("ends.append(")]
        self.assertIn("what the function called in the trace is not what its text says", found["message"])
        self.assertIsNone(found["per_step_saving_ns"])


RECORDED_TAIL = TAIL + """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(60, 1)

        def forward(self, x):
            return self.layer(x)

    net = Net().to(device)
    rows = [np.arange(60) % 40 for _ in range(20)]
    train(net, torch.optim.SGD(net.parameters(), lr=0.01), [rows] * 24)
"""


class Recorded(Case):
    """Of 60 look-ups a row 118 are of edges, two in each turn of 59, and 60 in brackets: half as long, in the same manner."""

    def python(self, version):
        once_is_enough()
        at = os.environ.get("STEPTIME_TORCH_PYTHON_" + version.replace(".", "")) or shutil.which("python" + version)
        if not at or not has_torch(at):
            raise unittest.SkipTest(f"no Python {version} with PyTorch; STEPTIME_TORCH_PYTHON_{version.replace('.', '')} names one")
        return at

    def check(self, version):
        self.write(LOOK_UPS, RECORDED_TAIL)
        out = os.path.join(self.folder, "..", "recorded")
        done = steptime("record", "-o", out, "--wait", "4", "--steps", "6", "--window", "0:0", "--", self.python(version), self.source,
                        env={"OMP_NUM_THREADS": "1"})
        self.assertEqual(done.code, 0, done.err)
        found = self.lint(out)
        ends = found["ST302", self.line_of("ends.append(")]
        edges = found["ST302", self.line_of("u = np.where")]
        self.assertIsNotNone(ends["per_step_saving_ns"], ends["message"])
        of_ends, of_edges = ends["per_step_saving_ns"] / 0.93, edges["per_step_saving_ns"] / 0.47
        self.assertGreater(of_ends / of_edges, 0.25, json.dumps([ends, edges]))
        self.assertLess(of_ends / of_edges, 0.8, json.dumps([ends, edges]))

    def test_python_311(self):
        self.check("3.11")

    def test_python_312(self):
        self.check("3.12")

    def test_python_313(self):
        self.check("3.13")


if __name__ == "__main__":
    unittest.main()
