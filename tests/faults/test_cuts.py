# SPDX-License-Identifier: Apache-2.0
"""Real traces cut at 1000 places each, and damaged at random: a result or a clear error every time, and what is loaded
keeps every invariant of a trace (the fuzz target checks them)."""
import os
import subprocess
import unittest

import support
from support import recorded, shared_trace

TARGET = os.path.join(support.BUILD, "tests", "fuzz", "fuzz_trace")
CUTS = "1000"
DAMAGES = "100"


class RealTraces(unittest.TestCase):
    def replay(self, *arguments):
        done = subprocess.run([TARGET, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=1800, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertNotIn("not ok", done.stdout)
        self.assertIn(f"{CUTS} cuts of", done.stdout)

    def cut(self, path):
        self.replay("--cuts", CUTS, "--damages", DAMAGES, path)
        self.replay("--packed", "--cuts", CUTS, path)

    def test_ddp_recorded_here(self):
        self.cut(recorded("ddp-gloo-rank0.json.gz"))

    def test_legacy_list_recorded_here(self):
        self.cut(recorded("dlrm-legacy-113.json.gz"))

    def test_gpu_training_without_call_stacks(self):
        self.cut(shared_trace("kineto/hta_alexnet_critical_path.json.gz"))

    def test_gpu_training_of_an_old_profiler(self):
        self.cut(shared_trace("kineto/kineto_gpu_metrics_input.json.gz"))

    def test_amd(self):
        self.cut(shared_trace("kineto/hta_mi250_minitoy_train.json.gz"))
