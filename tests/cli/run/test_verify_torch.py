# SPDX-License-Identifier: Apache-2.0
"""steptime verify with the real PyTorch, where there is one."""
import os
import unittest

from support import JUDGED, OK
from test_verify import Bench
from torch_python import torch_python

REAL = '''
import sys, torch
from torch.utils.data import DataLoader
class Rows(torch.utils.data.Dataset):
    def __len__(self): return 64
    def __getitem__(self, i):
        x = torch.tensor([i / 64, 1.0], requires_grad=True)
        x.sum().backward()  # a worker's
        return x.detach()
layer = torch.nn.Linear(2, 3)
optimizer = torch.optim.{kind}(layer.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)
for rows in DataLoader(Rows(), batch_size=4, shuffle=True, num_workers={workers}, generator=torch.Generator()):
    optimizer.zero_grad()
    torch.nn.functional.dropout(layer(rows)).pow(2).mean().backward()
    optimizer.step()
    schedule.step()
torch.save(layer.state_dict(), __file__ + ".pt")
'''


class Real(Bench):
    @classmethod
    def setUpClass(cls):
        cls.python = torch_python()

    def setUp(self):
        super().setUp()
        os.remove(self.path("torch.py"))

    def real(self, *words):
        return self.verify(*words, "--python", self.python, env={"OMP_NUM_THREADS": "1"}, limit_s=300)

    def test_losses_of_the_training_process_alone(self):
        a = self.write("a.py", REAL.format(workers=1, kind="Adam"))
        b = self.write("b.py", REAL.format(workers=2, kind="Adam"))
        outcome = self.real(a, b, "--repeat", "1", "--seeds", "3", "--saved")
        self.assertEqual(outcome.code, OK, outcome.err + outcome.out)
        self.assertEqual(self.values_of(outcome, "same")["losses"], 16)

    def test_another_optimizer_is_another_training(self):
        a = self.write("a.py", REAL.format(workers=0, kind="SGD"))
        b = self.write("b.py", REAL.format(workers=0, kind="Adam"))
        outcome = self.real(a, b, "--repeat", "0")
        # Without workers the four samples of a batch call backward() here, too: the second batch's loss is the tenth.
        self.assertEqual((outcome.code, self.losses_of(outcome)[0]["first_step"]), (JUDGED, 10))


if __name__ == "__main__":
    unittest.main()
