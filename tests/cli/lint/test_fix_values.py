# SPDX-License-Identifier: Apache-2.0
"""No safe rewrite takes away a value that some call receives: generated programs run before and after, on a stand-in for torch."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import steptime

TORCH = '''\
class Tensor:
    def __init__(self, values): self.values = values
    def same(self, *_, **__): return self
    cuda = to = cpu = detach = double = contiguous = numpy = backward = reshape = float = same
    def item(self): return self.values[0]
    def tolist(self): return self.values if len(self.values) > 1 else self.values[0]
    def mean(self): return Tensor([sum(self.values) / len(self.values)])
    def sum(self): return Tensor([sum(self.values)])
    def max(self): return Tensor([max(self.values)])
    def __float__(self): return float(self.values[0])
    def __add__(self, other): return Tensor([v + float(other) for v in self.values])
    __radd__ = __add__
    def __mul__(self, other): return Tensor([v * float(other) for v in self.values])
    def __getitem__(self, i): return Tensor([self.values[i]])
    def __repr__(self): return repr(self.values)
def stack(tensors): return Tensor([t.values[0] for t in tensors])
class cuda:
    is_available = staticmethod(lambda: False)
class nn:
    class Linear:
        def __init__(self, *_): pass
        cuda = Tensor.same
        def parameters(self): return []
        def __call__(self, x): return x * 3.0
class optim:
    class Adam:
        def __init__(self, *_): pass
        def step(self): pass
class utils:
    class data:
        class DataLoader(list):
            def __init__(self, rows, **_): super().__init__(rows)
'''
HEAD = '''\
import torch
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())
def record(*values):
    print([v.values if isinstance(v, torch.Tensor) else v for v in values])
def keep(values, into=[]):
    into.append(values)
    record(len(into), into[-1])
def train(loader):
    total, other, kept = 0.0, 0.0, []
    a = b = c = 0.0
    for x in loader:
        x = x.cuda()
        out = model(x)
        loss = out.mean()
'''
TAIL = '''\
        loss.backward()
        optimizer.step()
    record(total, other, a, b, c, *kept)
train(torch.utils.data.DataLoader([torch.Tensor([0.1, 0.7, 0.3]), torch.Tensor([1.5, 0.2, 2.5])], num_workers=2))
'''
LINES = ("total += loss.item()", "other += 2 * out.max().item()", "a = loss.item()", "b = out.mean().item()", "c = out.cpu()",
         "record(a)", "record(b, c)", "record(loss.item(), out.max().item())", "out.cpu()", "keep(out.cpu())", "kept.append(c)",
         "kept.append(loss.item())", "c = out.detach().cpu().numpy()", "loss.item()", "record(value=1) if False else record(a, c)",
         "keep(values=loss.item())", "b = float(loss)", "record(total)", "del c; c = 1.0", "record(*[loss.item(), b])",
         "out = model(x)", "loss = out.sum()", "record([loss.item()], {'a': b})", "other += loss.item(); record(x[0].item())")
PROGRAMS, SEED = 60, 11


class Values(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(os.path.join(self.folder, "torch.py"), "w", encoding="utf-8") as file:
            file.write(TORCH)

    def write(self, text):
        with open(os.path.join(self.folder, "train.py"), "w", encoding="utf-8") as file:
            file.write(text)

    def received(self):
        done = subprocess.run([sys.executable, "train.py"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_calls_receive_what_they_did(self):
        dice, made = random.Random(SEED), 0
        for number in range(PROGRAMS):
            lines = [dice.choice(LINES) for _ in range(dice.randint(2, 8))]
            if dice.random() < 0.3:
                lines.insert(dice.randrange(len(lines)), "if a > 0.5:\n            record(b)\n            c = out.cpu()")
            text = HEAD + "".join(f"        {line}\n" for line in lines) + TAIL
            self.write(text)
            before = self.received()
            outcome = steptime("fix", "--write", "--notes", "train.py", cwd=self.folder)
            made += "0 rewrites" not in outcome.err
            with open(os.path.join(self.folder, "train.py"), encoding="utf-8") as file:
                after = file.read()
            with self.subTest(program=number):
                self.assertEqual(self.received(), before, f"{text}\n---\n{after}")
        self.assertGreater(made, PROGRAMS // 3, "most programs have something to rewrite")


if __name__ == "__main__":
    unittest.main()
