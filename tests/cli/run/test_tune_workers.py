# SPDX-License-Identifier: Apache-2.0
"""steptime tune --try with PyTorch itself: workers pay where samples are slow to read."""
import unittest

from support import OK, rows_of, steptime
from test_tune_settings import Case as Settings
from torch_python import torch_python

# Each sample waits, as for a disk; Adam's step of many parameters takes a part of the rest.
SLOW_TO_READ = """
    import time
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Slow(Dataset):
        def __len__(self):
            return 160
        def __getitem__(self, i):
            time.sleep(0.01)
            return torch.full((16,), float(i)) / 160

    torch.manual_seed(0)
    net = torch.nn.Linear(16, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for batch in DataLoader(Slow(), batch_size=8, shuffle=True):
        loss = net(batch).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


class Workers(Settings):
    def test_two_workers_pay_where_samples_are_slow_to_read(self):
        python = torch_python()
        self.write("a project/train.py", SLOW_TO_READ)
        done = steptime("tune", "--format", "json", "--try", "--steps", "14", "--warmup", "4", "--repeat", "2", "--folder", "tuned", "--",
                        python, "train.py", env={"OMP_NUM_THREADS": "1"}, cwd=self.project, limit_s=1100)
        self.assertEqual(done.code, OK, done.err)
        rows = {row["rule"]: row for row in rows_of(done.json, "trials")}
        if "num_workers=2" not in rows:
            self.skipTest("one processor: one worker is all that is tried")
        self.assertEqual(rows["num_workers=2"]["outcome"], "kept", done.err)
        self.assertIn("equal to the last bit", self.screen(self.project))


if __name__ == "__main__":
    unittest.main()
