# SPDX-License-Identifier: Apache-2.0
"""A batch as wide as its longest row (ST203): where the text shows the mask, and with what is masked out the same numbers."""
import os
import subprocess
import sys
import tempfile
import unittest

from support import steptime

DATA = '''\
import numpy as np

def pad(rows, item):
    lengths = [len(row) for row in rows]
    most = max(lengths)
    padded = [row + item * (most - n) for row, n in zip(rows, lengths)]
    mask = [[1] * n + [0] * (most - n) for n in lengths]
    return padded, mask, most

class Data:
    def __init__(self, rows):
        rows, mask, most = pad(rows, [0])
        self.rows = np.asarray(rows)
        self.mask = np.asarray(mask)
        self.most = most

    def shuffle(self):
        order = np.random.permutation(len(self.rows))
        self.rows = self.rows[order]
        self.mask = self.mask[order]

    def batch(self, i):
        rows, mask = self.rows[i], self.mask[i]
        sums = []
        for row in rows:
            sums.append(row.sum())
        return rows, mask, sums
'''
TRAIN = '''\
import numpy as np
import torch
from data import Data
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())
data = Data([[1], [2, 3], [4, 5, 6, 7]])
def step(i):
    rows, mask, sums = data.batch(i)
    loss = (model(torch.from_numpy(rows).float().cuda()) * torch.from_numpy(mask).cuda()).sum()
    loss.backward()
    optimizer.step()
for i in np.array_split(np.arange(2), 1):
    step(i)
'''
TAKES = "        rows, mask = self.rows[i], self.mask[i]\n"
CUT = "        longest = mask.sum(1).max()\n        rows, mask = rows[:, :longest], mask[:, :longest]\n"
MASK = "mask = [[1] * n + [0] * (most - n) for n in lengths]"
# Of each what of the data differs; none is to be rewritten.
TRAPS = {
    "a part that is none": (TAKES, TAKES.replace("rows, mask = self.rows[i], self.mask[i]",
                                                 "rows, mask, k = self.rows[i], self.mask[i], 3")),
    "cut already": (TAKES, TAKES + CUT),
    "cut later": ("return rows, mask, sums", "return rows[:, :3], mask[:, :3], sums"),
    "ones not first": (MASK, "mask = [[0] * (most - n) + [1] * n for n in lengths]"),
    "another length": (MASK, "mask = [[1] * n + [0] * (most - 1) for n in lengths]"),
    "another width": (MASK, "mask = [[1] * n + [0] * (len(rows) - n) for n in lengths]"),
    "no ones": (MASK, "mask = [[2] * n + [0] * (most - n) for n in lengths]"),
    "made anew": ("    def batch", "    def other(self):\n        self.mask = np.ones((2, 2))\n\n    def batch"),
    "one sample": ("    def batch", "    def __getitem__(self, i):\n        return self.batch(int(i))\n\n    def batch_"),
    "other rows": (TAKES, "        rows, mask = self.rows[i], self.mask[self.order]\n"),
    "the mask is not taken": (TAKES, "        rows, mask = self.rows[i], None\n"),
    "lists": ("np.asarray(mask)", "mask"),
}


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="padding test ")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.write("train.py", TRAIN)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
            out.write(text)

    def fixed(self, data, *words):
        self.write("data.py", data)
        done = steptime("fix", "--write", "--select", "ST203", *words, self.folder)
        self.assertIn(done.code, (0, 1), done.err)
        with open(os.path.join(self.folder, "data.py"), encoding="utf-8") as text:
            return text.read()


class Rewrites(Case):
    def test_it_is_cut_off_and_once(self):
        fixed = self.fixed(DATA, "--unsafe")
        self.assertEqual(fixed, DATA.replace(TAKES, TAKES + CUT))
        self.assertEqual(self.fixed(fixed, "--unsafe"), fixed)

    def test_statements_in_a_row(self):
        apart = "        rows = self.rows[i]\n        mask = self.mask[i]\n"
        self.assertEqual(self.fixed(DATA.replace(TAKES, apart), "--unsafe"), DATA.replace(TAKES, apart + CUT))

    def test_a_name_that_is_taken(self):
        taken = DATA.replace("        sums = []", "        longest = 1\n        sums = [longest]")
        self.assertIn("longest_2 = mask.sum(1).max()", self.fixed(taken, "--unsafe"))

    def test_not_without_the_word(self):
        self.assertEqual(self.fixed(DATA), DATA)

    def test_where_the_text_does_not_show_it_nothing_changes(self):
        for name, (old, new) in TRAPS.items():
            with self.subTest(name):
                self.assertIn(old, DATA)
                trap = DATA.replace(old, new, 1)
                self.assertEqual(self.fixed(trap, "--unsafe"), trap)

    def test_where_the_width_of_all_is_asked_for_nothing_changes(self):
        self.write("train.py", TRAIN + "positions = torch.nn.Embedding(data.most, 4)\n")
        self.assertEqual(self.fixed(DATA, "--unsafe"), DATA)


class Values(Case):
    def test_what_the_mask_keeps_is_the_same(self):
        sees = '''\
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from data import Data
rng = np.random.default_rng(0)
data = Data([list(map(int, rng.integers(1, 9, n))) for n in rng.integers(1, 30, 50)])
for i in np.array_split(np.arange(50), 7):
    rows, mask, sums = data.batch(i)
    print((rows * mask).sum(1).tolist(), mask.sum(1).tolist(), sums, rows.shape == mask.shape)
'''
        self.write("sees.py", sees)
        seen = []
        for data in (DATA, self.fixed(DATA, "--unsafe")):
            self.write("data.py", data)
            done = subprocess.run([sys.executable, "-B", "sees.py", self.folder], cwd=self.folder, capture_output=True, text=True,
                                  check=False)
            if "No module named 'numpy'" in done.stderr:
                self.skipTest("needs NumPy")
            self.assertEqual(done.returncode, 0, done.stderr)
            seen.append(done.stdout)
        self.assertEqual(*seen)


if __name__ == "__main__":
    unittest.main()
