# SPDX-License-Identifier: Apache-2.0
"""What a module uploads in each forward pass becomes a buffer of it: the training goes on as it was. Needs an interpreter
with PyTorch."""
import os
import shutil
import subprocess
import tempfile
import unittest

from support import OK, steptime
from torch_python import torch_python

TRAIN = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.scale = torch.tensor([1.0, 0.5, 2.0])  # of the classes

    def forward(self, x):
        out = self.linear(x) * self.scale.to(x)
        bias = torch.tensor([0.1, 0.2, 0.3]).to(x.device)
        return out + bias + torch.tensor([1.0, 2.0, 3.0], device=x.device)


def train():
    torch.manual_seed(0)
    model = Net().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(8):
        loss = model(torch.randn(8, 4, device=device)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(sorted(model.state_dict()), sorted(name for name, _ in model.named_buffers()))


if __name__ == "__main__":
    train()
"""


class Buffers(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.naive, self.fixed = (os.path.join(holder.name, name) for name in ("naive.py", "fixed.py"))
        with open(self.naive, "w", encoding="ascii") as script:
            script.write(TRAIN)
        shutil.copy(self.naive, self.fixed)

    def fix(self, *words):
        outcome = steptime("fix", "--write", *words, self.fixed)
        self.assertEqual(outcome.code, OK, outcome.err)
        with open(self.fixed, encoding="ascii") as script:
            return script.read()

    def test_they_are_made_when_asked_for(self):
        self.assertEqual(self.fix(), TRAIN)
        text = self.fix("--unsafe")
        self.assertEqual(text.count("register_buffer("), 3)
        self.assertEqual(text.count(".to(x"), 0)
        self.assertEqual(self.fix("--unsafe"), text)

    def test_losses_are_equal_and_no_key_is_added(self):
        python = torch_python()
        self.fix("--unsafe")
        outcome = steptime("verify", "--python", python, "--format", "json", "--seeds", "0,1", "--steps", "8",
                           "--repeat", "0", self.naive, self.fixed, limit_s=300)
        self.assertEqual(outcome.code, OK, outcome.out + outcome.err)
        said = [subprocess.run([python, script], capture_output=True, text=True, check=True).stdout
                for script in (self.naive, self.fixed)]
        self.assertEqual(said, ["['linear.bias', 'linear.weight'] []\n",
                                "['linear.bias', 'linear.weight'] ['bias_buffer', 'constant_buffer', 'scale']\n"])


if __name__ == "__main__":
    unittest.main()
