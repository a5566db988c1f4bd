# SPDX-License-Identifier: Apache-2.0
"""steptime price: a dry run on the CPU against a real one, operator by operator, and its memory against MemTracker."""
import json
import os
import subprocess
import unittest

from dry_real import Comparison, Tree, nodes_of
from price_case import MLP, Case, rows, value
from support import OK, steptime

CNN = """
    import torch
    from torch import nn
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Conv2d(16, 32, 3, groups=2), nn.GELU(), nn.AdaptiveAvgPool2d(1))
    tail = nn.Sequential(nn.SiLU(), nn.Upsample(scale_factor=2), nn.Conv2d(32, 32, 3, padding=1), nn.Flatten(), nn.Dropout(),
                         nn.Linear(128, 10))
    optimizer = torch.optim.SGD([*model.parameters(), *tail.parameters()], lr=0.1, momentum=0.9)
    for step in range(12):
        pixels = model(torch.randn(8, 3, 16, 16)).view(8, 1, 32).transpose(1, 2).view(8, 32, 1, 1)  # channels last, or not
        pairs = nn.functional.log_softmax(tail(pixels).view(8, 5, 2), -1).transpose(0, 1)
        loss = -(pairs * torch.rand(5, 8, 2)).sum()
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
"""

DLRM = """
    import torch
    from torch import nn
    class Model(nn.Module):
        def __init__(self, rows=(1000, 500, 200), width=16):
            super().__init__()
            self.tables = nn.ModuleList(nn.EmbeddingBag(r, width, mode="sum") for r in rows)
            self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(6 + width, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())
        def forward(self, dense, indices, offsets):
            x = self.bottom(dense)
            both = torch.cat([x] + [t(i, o) for t, i, o in zip(self.tables, indices, offsets)], 1).view(len(x), -1, x.size(1))
            products = torch.bmm(both, both.transpose(1, 2))
            n = products.size(1)
            i = torch.tensor([i for i in range(n) for j in range(i)])
            j = torch.tensor([j for i in range(n) for j in range(i)])
            return self.top(torch.cat([x, products[:, i, j]], 1))
    model = Model()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for step in range(12):
        offsets = [torch.arange(0, 32 * 4, 4) for _ in range(3)]
        indices = [torch.randint(0, r, (32 * 4,)) for r in (1000, 500, 200)]
        loss = nn.functional.binary_cross_entropy(model(torch.rand(32, 13), indices, offsets), torch.rand(32, 1).round())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""

LANGUAGE = """
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(n_layer=2, n_embd=64, n_head=4, vocab_size=500, n_positions=64, bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for step in range(12):
        words = torch.randint(0, 500, (4, 32))
        loss = model(input_ids=words, labels=words).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
"""

class Same(Case):
    def both(self, text):
        script = self.script(text)
        self.price(script, "--keep", self.path("dry.json"), "--format", "json")
        real = steptime("record", "--et", "--no-stacks", "--wait", 3, "--warmup", 1, "--steps", 1, "-o", self.path("real"),
                        "--", self.python, script, env={"OMP_NUM_THREADS": "1"})
        self.assertEqual(real.code, OK, real.err)
        return Tree(self.path("dry.json")), Tree(self.path("real/train.et.json.gz"))

    def same(self, text, at_least):
        dry, real = self.both(text)
        self.assertTrue(dry.dry)
        self.assertFalse(real.dry)
        found = Comparison(dry, real)
        self.assertEqual(found.differences, [])
        self.assertGreater(found.equal, at_least)

    def test_layers(self):
        self.same(MLP, 140)

    def test_convolutions(self):
        """Among them of layouts of memory that decide what comes next."""
        self.same(CNN, 150)

    def test_tables(self):
        self.same(DLRM, 180)

    def test_lengths_that_ctc_reads(self):
        self.same(CTC, 50)
        ends = CTC.replace("optimizer.zero_grad()", 'loss = loss + ctc(scores, reduction="sum", zero_infinity=True) + ctc(scores[:, 0])\n        optimizer.zero_grad()')
        self.same("""
    from torch.nn.functional import ctc_loss
    def ctc(scores, **named):
        count = scores.shape[1:-1].numel()
        lengths = [torch.full(scores.shape[1:-1], length, dtype=torch.int32) for length in (20, 5)]
        return ctc_loss(scores, torch.ones(5 * count, dtype=torch.int32), *lengths, **named)
""" + ends, 90)

    def test_language(self):
        if subprocess.run([self.python, "-c", "import transformers"], capture_output=True, check=False).returncode:
            self.skipTest("no transformers")
        self.same(LANGUAGE, 900)


CTC = """
    import torch
    from torch import nn
    model = nn.Linear(16, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(12):
        scores = model(torch.randn(4, 20, 16)).log_softmax(-1).transpose(0, 1)
        loss = nn.functional.ctc_loss(scores, torch.randint(1, 8, (4, 5)), torch.full((4,), 20), torch.full((4,), 5))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


class Whole(Case):
    def test_gradients_of_ctc_end_in_the_trace(self):
        self.price(self.script(CTC), "--keep", self.path("dry.json"))
        names = [node["name"] for node in Tree(self.path("dry.json")).top]
        self.assertIn("autograd::engine::evaluate_function: CtcLossBackward0", names)
        self.assertEqual(names[-1], "Optimizer.step#SGD.step")

    def test_lengths_that_nobody_knows_are_the_longest(self):
        drawn = CTC.replace("torch.full((4,), 20)", "(10 + 10 * torch.rand(4).cuda()).long()").replace("nn.Linear(16, 8)", "nn.Linear(16, 8).cuda()")
        told = self.priced(drawn.replace("(4, 20, 16)", "(4, 20, 16).cuda()"), "--keep", self.path("dry.json"))
        told = {(row["kind"], row["call"]): row["times"] for row in rows(told, "dry_run", "stand_ins")}
        self.assertEqual(told[("value", "lengths of ctc_loss()")], 3)
        loss = next(node for node in nodes_of(self.path("dry.json")) if node["name"] == "aten::_ctc_loss")
        self.assertEqual(loss["inputs"]["values"][2], [20] * 4)


TRACKED = """
    import json
    import torch
    from torch import nn
    def make():
        model = nn.Sequential(nn.Linear(512, 1024), nn.GELU(), nn.LayerNorm(1024), nn.Linear(1024, 1024), nn.Tanh(), nn.Linear(1024, 64))
        return model, torch.optim.Adam(model.parameters(), foreach=False)
    def step(model, optimizer):
        loss = nn.functional.cross_entropy(model(torch.randn({batch}, 512)), torch.randint(0, 64, ({batch},)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
STEPS = """
    model, optimizer = make()
    for _ in range(3):
        step(model, optimizer)
"""
TRACKER = """
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker
    tracker = MemTracker()
    with FakeTensorMode(allow_non_fake_inputs=True):
        model, optimizer = make()
        tracker.track_external(model, optimizer)
        with tracker:
            for _ in range(3):
                step(model, optimizer)
                tracker.reset_mod_stats()
    peak = next(iter(tracker.get_tracker_snapshot("peak").values()))
    print(json.dumps({str(kind): size for kind, size in peak.items()}))
"""


class Memory(Case):
    def tracked(self, text):
        done = subprocess.run([self.python, self.script(text, "tracked.py")], capture_output=True, text=True, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_peak_is_that_of_mem_tracker(self):
        for batch in (4, 4096):  # the state of the optimizer, or activations
            text = TRACKED.format(batch=batch)
            told = self.priced(text + STEPS)
            peak = self.tracked(text + TRACKER)
            self.assertAlmostEqual(value(told, "memory", "peak_bytes") / peak["Total"], 1, delta=0.05)
            kinds = {row["kind"]: row["bytes"] for row in rows(told, "memory", "memory")}
            self.assertAlmostEqual(kinds["parameters"] / peak["_MemRefType.PARAM"], 1, delta=0.05)
            self.assertAlmostEqual(sum(kinds.values()), value(told, "memory", "peak_bytes"))


if __name__ == "__main__":
    unittest.main()
