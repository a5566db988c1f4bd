# SPDX-License-Identifier: Apache-2.0
"""steptime tune with scripts that do not train the same twice: it says so, and which line draws the first different number."""
import os
import sys
import tempfile
import textwrap
import unittest

from support import INPUT, steptime
from torch_python import torch_python
from torch_stand_in import NUMPY, STAND_IN

# Line 3 seeds; line 8 draws what the seed governs; what differs comes from CHANCE in line 9.
TRAIN = """
import os, random, time
import torch
random.seed(5)
optimizer = torch.optim.SGD()


def draw():
    steady = random.random() + random.randint(1, 6)
    return steady + CHANCE


for step in range(6):
    torch.Tensor(draw()).backward()
    optimizer.step()
"""


class Chance(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tune chance ")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for name, text in (("lib/torch.py", STAND_IN), ("lib/numpy.py", NUMPY)):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            self.write(name, text)
        os.mkdir(os.path.join(self.folder, "a project"))
        self.environment = {"PYTHONPATH": os.path.join(self.folder, "lib"), "PYTHONDONTWRITEBYTECODE": "1"}

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
            out.write(text)

    def refused(self, chance, python=sys.executable, environment=None, text=TRAIN):
        self.write("a project/train.py", text.replace("CHANCE", chance).lstrip("\n"))
        done = steptime("tune", "--steps", "6", "--folder", os.path.join(self.folder, "tuned"), "--", python, "train.py",
                        env=environment or self.environment, cwd=os.path.join(self.folder, "a project"), limit_s=500)
        self.assertEqual(done.code, INPUT, done.err)
        self.assertIn("differs from itself with one seed: loss 1 is", done.err)
        return done.err

    def test_the_line_that_draws_the_first_different_number(self):
        said = self.refused("os.urandom(1)[0] * 1e-3 + random.random()")
        self.assertIn(f"is drawn at {os.path.join(self.folder, 'a project', 'train.py')}:9, by os.urandom, behind 2 that are "
                      "alike: no seed governs it", said)

    def test_where_no_draw_differs_that_is_said(self):
        said = self.refused("time.perf_counter_ns() % 1000003")
        self.assertIn("All 12 numbers that it was seen to draw by chance are alike, so it is something else: the clock", said)

    def test_a_seed_from_the_clock(self):
        said = self.refused("random.random()", text=TRAIN.replace("random.seed(5)", "random.seed(time.time_ns())"))
        self.assertIn("train.py:8, by random.random, behind 0 that are alike", said)


class RealTorch(Chance):
    """The same with PyTorch: what its own generators draw, and a generator of NumPy without a seed."""

    SCRIPT = textwrap.dedent("""
        import os
        import numpy as np
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        own = CHANCE
        for step in range(6):
            noise = torch.randn(8, 4) + torch.randperm(8)[:, None]
            net(noise + float(own.random())).sum().backward()
            optimizer.step()
    """)

    test_the_line_that_draws_the_first_different_number = None
    test_where_no_draw_differs_that_is_said = None
    test_a_seed_from_the_clock = None

    def test_a_generator_without_a_seed(self):
        said = self.refused("np.random.default_rng()", torch_python(), {"OMP_NUM_THREADS": "1"}, self.SCRIPT)
        self.assertIn("train.py:6, by numpy.random.default_rng() without a seed", said)

    def test_a_seed_of_the_script_that_differs(self):
        said = self.refused("np.random.default_rng(3); torch.manual_seed(int.from_bytes(os.urandom(4), 'little'))", torch_python(),
                            {"OMP_NUM_THREADS": "1"}, self.SCRIPT)
        self.assertIn("train.py:6, by os.urandom", said)


if __name__ == "__main__":
    unittest.main()
