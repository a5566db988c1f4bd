# SPDX-License-Identifier: Apache-2.0
"""What the tests of `steptime price` share: scripts, and running them dry."""
import os
import tempfile
import textwrap
import unittest

from support import OK, steptime
from torch_python import torch_python

MLP = """
    import torch
    from torch import nn
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for step in range(12):
        x, y = torch.randn(64, 256), torch.randint(0, 10, (64,))
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        print(step, loss.item())
"""

class Case(unittest.TestCase):
    def setUp(self):
        self.python = torch_python()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def script(self, text, name="train.py"):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))
        return self.path(name)

    def line_of(self, text, name="train.py"):
        """FILE:LINE of the first line with that in it."""
        with open(self.path(name), encoding="utf-8") as lines:
            number = next(i for i, line in enumerate(lines, 1) if text in line)
        return f"{self.path(name)}:{number}"

    def price(self, script, *options, code=OK):
        done = steptime("price", *options, "--python", self.python, "--", script, env={"OMP_NUM_THREADS": "1"})
        self.assertEqual(done.code, code, done.err)
        return done

    def priced(self, text, *options):
        return self.price(self.script(text), "--hw", "H100", "--format", "json", *options).json


def section(document, name):
    return next(part for part in document["sections"] if part["id"] == name)


def value(document, name, key):
    return next(one["value"] for one in section(document, name)["values"] if one["id"] == key)


def rows(document, name, table):
    found = next(one for one in section(document, name)["tables"] if one["id"] == table)
    ids = [column["id"] for column in found["columns"]]
    return [dict(zip(ids, row)) for row in found["rows"]]

