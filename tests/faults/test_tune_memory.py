# SPDX-License-Identifier: Apache-2.0
"""steptime tune while memory runs out: at allocations all over a run, settings and writing included. It ends with exit code 5, or
goes on; the user's files hold what they held or what was kept, whole; and going on gives what an undisturbed run gives."""
import json
import os
import shutil
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import support
from support import MEMORY, OK, steptime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from torch_stand_in import NUMPY, STAND_IN  # noqa: E402

LIBRARY = os.path.join(support.BUILD, "tests", "libfailmalloc.so")
TRIES, TRIES_OF_GOING_ON = 6, 150

# A list that costs much, and a loader that is waited for.
TRAIN = """\
import time
import numpy as np
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
samples = [[0.0] * 4 for i in range(8)]

def prepare(at):
    rows = []
    for i in range(8):
        rows.append(samples[(at + i) % 8])
    return torch.Tensor(rows).float().to(device)

optimizer = torch.optim.SGD()
for at in DataLoader(range(8)):
    batch = prepare(at)
    batch.backward()
    optimizer.step()
"""
LOADER = """
import time

class DataLoader:
    def __init__(self, dataset, batch_size=1, num_workers=0, prefetch_factor=None, persistent_workers=False, pin_memory=False):
        self.dataset, self.batch_size, self.num_workers, self.pin_memory = dataset, batch_size, num_workers, pin_memory
        self.prefetch_factor, self.persistent_workers = prefetch_factor, persistent_workers

    def __iter__(self):
        for at in self.dataset:
            time.sleep(0 if self.num_workers else 0.03)
            yield at
"""


@unittest.skipIf(support.SANITIZED, "the sanitizers bring a heap of their own")
@unittest.skipUnless(os.path.exists(LIBRARY), "the failing allocator needs glibc")
class Memory(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tune memory ")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for name, text in (("lib/torch/__init__.py", STAND_IN), ("lib/torch/utils/__init__.py", ""), ("lib/numpy.py", NUMPY),
                           ("lib/torch/utils/data/__init__.py", "from torch.utils.data.dataloader import DataLoader\n"),
                           ("lib/torch/utils/data/dataloader.py", LOADER)):
            self.write(name, text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as text:
            return text.read()

    def tune(self, name, **environment):
        """In a project of its own."""
        self.write(f"{name}/train.py", TRAIN)
        return steptime("tune", "--write-settings", "--steps", "5", "--warmup", "1", "--repeat", "2", "--folder", self.path(name + ".tuned"),
                        "--", sys.executable, "train.py", cwd=self.path(name), limit_s=120,
                        env={"PYTHONPATH": self.path("lib"), "PYTHONDONTWRITEBYTECODE": "1", **environment})

    def kept(self, name):
        manifest = json.loads(self.read(name + ".tuned", "manifest.json"))
        return [(trial["rule"], trial["setting"]) for trial in manifest["trials"] if trial["outcome"] == "kept"]

    def failing(self, **how):
        return {"LD_PRELOAD": LIBRARY, "FAIL_IN": os.path.basename(os.path.realpath(support.PROGRAM)), **how}

    def go_on(self, name):
        done = steptime("tune", "--write", "--resume", self.path(name + ".tuned"), cwd=self.folder, limit_s=120)
        return None if done.code == OK else f"going on: exit {done.code}: {done.err.strip()[-300:]}"

    def try_one(self, mode, n, whole):
        """What is wrong with the run whose n-th allocation fails, or None."""
        name = f"{mode}-{n}"
        done = self.tune(name, **self.failing(**{mode: str(n)}))
        if done.code not in (OK, MEMORY):
            return f"{name}: exit {done.code}: {done.err.strip()[-300:]}"
        if done.code == MEMORY and "memory" not in done.err:
            return f"{name}: silent"
        if done.code == MEMORY and self.read(name, "train.py") not in (TRAIN, whole):
            return f"{name}: the file is neither as it was nor as it is to be"
        if done.code == MEMORY and os.path.exists(self.path(name + ".tuned", "manifest.json")):
            wrong = self.go_on(name) if self.read(name, "train.py") == TRAIN else None
            if wrong or "num_workers=" not in self.read(name, "train.py"):
                return f"{name}: {wrong or self.read(name, 'train.py')}"
        shutil.rmtree(self.path(name + ".tuned"), ignore_errors=True)
        return None

    def try_going_on(self, mode, n):
        """With nothing left to run: what was done is read, made again, shown and written."""
        done = steptime("tune", "--format", "json", "--resume", self.path("whole.tuned"), "-o", self.path(f"{mode}-{n}.json"), cwd=self.folder,
                        limit_s=60, env=self.failing(**{mode: str(n)}))
        if done.code == MEMORY:
            return None if "memory" in done.err else f"{mode}={n}: silent"
        return None if done.code == OK else f"{mode}={n}: exit {done.code}: {done.err.strip()[-300:]}"

    def test_going_on(self):
        done = self.tune("whole")
        self.assertEqual(done.code, OK, done.err)
        self.write("whole/train.py", TRAIN)
        told = steptime("tune", "--resume", self.path("whole.tuned"), cwd=self.folder, env=self.failing(FAIL_COUNT=self.path("count")))
        self.assertEqual(told.code, OK, told.err)
        count = int(self.read("count"))
        self.assertGreater(count, TRIES_OF_GOING_ON)
        wrong = [self.try_going_on(("FAIL_AT", "FAIL_FROM")[i % 2], 1 + count * i // TRIES_OF_GOING_ON) for i in range(TRIES_OF_GOING_ON)]
        self.assertEqual([why for why in wrong if why], [])
        self.assertEqual(self.read("whole", "train.py"), TRAIN)
        again = steptime("tune", "--write", "--resume", self.path("whole.tuned"), cwd=self.folder)
        self.assertEqual(again.code, OK, again.err)
        self.assertIn("num_workers=", self.read("whole", "train.py"))

    def test_all_over_a_run(self):
        done = self.tune("whole", **self.failing(FAIL_COUNT=self.path("count")))
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("num_workers=", self.read("whole", "train.py"), done.err)
        self.assertIn("np.asarray(rows", self.read("whole", "train.py"))
        count = int(self.read("count"))
        self.assertGreater(count, 1000)
        tries = [(mode, 1 + count * i // TRIES) for i in range(TRIES) for mode in (("FAIL_AT", "FAIL_FROM")[i % 2],)]
        whole = self.read("whole", "train.py")
        with ThreadPoolExecutor(max_workers=2) as pool:
            wrong = [why for why in pool.map(lambda t: self.try_one(*t, whole), tries) if why]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
