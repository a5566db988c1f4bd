# SPDX-License-Identifier: Apache-2.0
"""steptime tune --write-settings with PyTorch itself: one kernel of the optimizer is written."""
import os
import unittest

from support import OK, rows_of, steptime
from test_tune_settings import Case as Settings
from torch_python import torch_python


class Optimizer(Settings):
    def test_one_kernel_of_the_optimizer_is_written(self):
        """Of many small parameters the optimizer takes most of the step."""
        python = torch_python()
        self.write("a project/train.py", """
            import torch
            torch.manual_seed(0)
            net = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(100)])
            optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
            for _ in range(40):
                loss = net(torch.ones(4, 8)).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """)
        done = steptime("tune", "--format", "json", "--write-settings", "--unsafe", "--processor-time", "--rtol", "1e-3", "--steps", "30",
                        "--warmup", "4", "--repeat", "2", "--folder", "tuned", "--", python, "train.py", env={"OMP_NUM_THREADS": "1"},
                        cwd=self.project, limit_s=1100)
        self.assertEqual(done.code, OK, done.err)
        rows = {row["rule"]: row for row in rows_of(done.json, "trials")}
        if not rows:
            self.skipTest("this PyTorch has no such kernel")
        self.assertEqual(rows["fused=True"]["outcome"], "kept", done.err)
        with open(os.path.join(self.project, "train.py"), encoding="utf-8") as text:
            self.assertIn("torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)", text.read())


if __name__ == "__main__":
    unittest.main()
