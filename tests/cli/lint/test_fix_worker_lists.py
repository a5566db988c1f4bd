# SPDX-License-Identifier: Apache-2.0
"""Lists that workers hand over become arrays there (ST202), where nothing but tensors of one type is made of them."""
import os
import tempfile
import unittest

from support import steptime

PROGRAM = '''\
import numpy as np
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())

def collate(rows):
    ids, weights = [], []
    for row in rows:
        ids.append(row.ids)
        weights.append([0.5 * item for item in row.ids])
    return ids, weights

def tensors(batch):
    ids, weights = batch
    return torch.LongTensor(ids).cuda(), torch.Tensor(weights).cuda()

def train(loader):
    for i, batch in enumerate(loader):
        ids, weights = tensors(batch)
        loss = (model(ids.float()) * weights).sum()
        loss.backward()
        optimizer.step()

loader = DataLoader([1, 2], collate_fn=collate, num_workers=2)
train(loader)
'''
RETURNS = "    return ids, weights\n\ndef tensors"
ARRAYS = "    return np.asarray(ids, dtype=np.int64), np.asarray(weights, dtype=np.float32)\n\ndef tensors"
LOADER = "loader = DataLoader([1, 2], collate_fn=collate, num_workers=2)\n"
# What else is done with the list of ids.
OTHER_USES = {
    "it is handed on": "    print(ids)\n",
    "it grows": "    ids.append([0])\n",
    "another type": "    torch.Tensor(ids)\n",
    "it is gone over": "    for row in ids:\n        pass\n",
    "its truth": "    assert ids\n",
    "a part of it": "    first = ids[0]\n",
}
# Of each what differs; neither list is to be changed.
TRAPS = {
    "no workers": (", num_workers=2", ""),
    "none, said": ("num_workers=2", "num_workers=0"),
    "the batch goes elsewhere": ("        ids, weights = tensors(batch)", "        keep(batch)\n        ids, weights = tensors(batch)"),
    "the loader goes elsewhere": (LOADER, LOADER + "keep(loader)\n"),
    "kept by an object": ("train(loader)\n", "class A:\n    pass\nA.loader = loader\ntrain(loader)\n"),
    "mapped elsewhere": (LOADER, LOADER + "more = [row + [0.0] for batch in map(collate, []) for row in batch]\n"),
    "under another name": (LOADER, LOADER + "other = collate\n"),
    "bound to arguments": (LOADER, LOADER + "import functools\nother = functools.partial(collate)\n"),
    "kept with an object": (LOADER, LOADER + "class B:\n    pass\nB.fn = collate\n"),
    "in a table": (LOADER, LOADER + "table = {'c': collate}\n"),
    "called elsewhere": (LOADER, LOADER + "print(collate([]))\n"),
    "two returns": (RETURNS, "    if not ids:\n        return [], []\n" + RETURNS),
    "tensors": ("ids.append(row.ids)\n        weights.append([0.5 * item for item in row.ids])",
                "ids.append(torch.tensor(row.ids))\n        weights.append(torch.tensor(row.ids))"),
}


class Rewrites(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lists test ")
        self.addCleanup(holder.cleanup)
        self.path = os.path.join(holder.name, "train.py")

    def fixed(self, program, *words):
        with open(self.path, "w", encoding="utf-8") as out:
            out.write(program)
        done = steptime("fix", "--write", "--select", "ST202", *words, self.path)
        self.assertIn(done.code, (0, 1), done.err)
        with open(self.path, encoding="utf-8") as text:
            return text.read()

    def test_each_gets_the_type_of_its_constructor_and_once(self):
        fixed = self.fixed(PROGRAM)
        self.assertEqual(fixed, PROGRAM.replace(RETURNS, ARRAYS))
        self.assertEqual(self.fixed(fixed, "--unsafe", "--notes"), fixed)

    def test_behind_the_rewrite_of_lists_too(self):
        through = PROGRAM.replace("torch.Tensor(weights)", "torch.Tensor(np.asarray(weights, dtype=np.float32))")
        self.assertEqual(self.fixed(through), through.replace(RETURNS, ARRAYS))

    def test_one_list_alone(self):
        one = PROGRAM.replace(RETURNS, "    return ids\n\ndef tensors").replace("ids, weights = batch", "ids = batch")
        one = one.replace("torch.Tensor(weights).cuda()", "1")
        self.assertIn("return np.asarray(ids, dtype=np.int64)\n", self.fixed(one))

    def test_parts_by_number(self):
        parts = PROGRAM.replace("    ids, weights = batch\n", "").replace("LongTensor(ids)", "LongTensor(batch[0])")
        parts = parts.replace("Tensor(weights)", "Tensor(batch[1])")
        self.assertIn(ARRAYS, self.fixed(parts))

    def test_of_a_call_beside_the_loader(self):
        both = PROGRAM + "ids, weights = tensors(collate([]))\n"
        self.assertIn(ARRAYS, self.fixed(both))

    def test_a_list_that_is_used_as_one_stays(self):
        for name, use in OTHER_USES.items():
            with self.subTest(name):
                self.assertIn("    return ids, np.asarray(weights, dtype=np.float32)\n",
                              self.fixed(PROGRAM.replace("    ids, weights = batch\n", "    ids, weights = batch\n" + use), "--unsafe"))

    def test_what_cannot_be_followed_stays(self):
        for name, (old, new) in TRAPS.items():
            with self.subTest(name):
                self.assertIn(old, PROGRAM)
                trap = PROGRAM.replace(old, new, 1)
                self.assertEqual(self.fixed(trap, "--unsafe"), trap)

    def test_a_row_that_becomes_too_wide_is_broken(self):
        wide = PROGRAM.replace("weights", "weights_of_each_item")
        self.assertIn("    return (\n        np.asarray(ids, dtype=np.int64),\n", self.fixed(wide))

    def test_what_goes_too_far_stays(self):
        far = PROGRAM.replace("def train(loader):", "\n".join(f"def pass_{i}(batch):\n    return pass_{i + 1}(batch)\n" for i in range(12)) +
                              "\ndef pass_12(batch):\n    return tensors(batch)\n\ndef train(loader):")
        far = far.replace("ids, weights = tensors(batch)\n        loss", "ids, weights = pass_0(batch)\n        loss")
        self.assertEqual(self.fixed(far), far)


if __name__ == "__main__":
    unittest.main()
