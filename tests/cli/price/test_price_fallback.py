# SPDX-License-Identifier: Apache-2.0
"""steptime price: scripts that cannot go on without data are run with some, with few samples, and scaled; others die once."""
import os
import unittest

from price_case import Case, rows, value
from support import INPUT, USAGE

LAYERS = """
    import numpy, torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset
    def train(model, width, batch=16):
        model.to("cuda")
        optimizer = torch.optim.Adam(model.parameters())
        data = TensorDataset(torch.randn(256, width), torch.randint(0, 10, (256,)))
        for x, y in DataLoader(data, batch_size=batch, shuffle=True):
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
"""

NO_META = LAYERS + """
    library = torch.library.Library("fallback_test", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return WAY
        @staticmethod
        def backward(context, gradient):
            return gradient * 2
    class Model(nn.Sequential):
        def forward(self, x):
            return self[2](Twice.apply(self[0](x)))
    train(Model(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)), 64)
"""
OPERATOR = NO_META.replace("WAY", "torch.ops.fallback_test.twice(x)")
PLAIN = NO_META.replace("WAY", "x * 2")

VALUES = LAYERS + """
    class Chosen(nn.Module):
        def __init__(self):
            super().__init__()
            self.into, self.norm, self.out = nn.Linear(64, 128), nn.BatchNorm1d(128), nn.Linear(64, 10)
        def forward(self, x):
            h = self.norm(self.into(x))
            sums = self.into(x).detach().cpu().numpy().sum(0)
            return self.out(torch.cat([h[:, [i]] for i in numpy.flatnonzero(sums < numpy.sort(sums)[64])], 1))
    train(Chosen(), 64)
"""

WITHOUT_LOADER = OPERATOR.replace("DataLoader(data, batch_size=batch, shuffle=True)", "[data[:batch]] * 9")


class Fallback(Case):
    def setUp(self):
        super().setUp()
        self.interpreter = self.python
        self.python = self.path("python")  # each run leaves a line
        with open(self.python, "w", encoding="utf-8") as out:
            out.write(f'#!/bin/sh\necho run >> "{self.path("runs")}"\nexec "{self.interpreter}" "$@"\n')
        os.chmod(self.python, 0o755)

    def runs(self):
        with open(self.path("runs"), encoding="utf-8") as lines:
            return len(lines.readlines())

    def dies(self, text, *options):
        return self.price(self.script(text), "--hw", "H100", *options, code=INPUT).err

    def batches(self, told):
        return [value(told, "fallback", key) for key in ("ran_batch", "most_batch", "batch")]

    def device(self, told):
        return rows(told, "price", "devices")[0]

    # ---- run with data ----

    def test_an_operator_without_meta_kernel(self):
        """What is said is what is said of the same layers where they are run dry, less sure; another batch runs nothing again."""
        told = self.priced(OPERATOR, "--batch", "16,64")
        self.assertEqual(self.runs(), 3)  # dry, with two samples, with three
        self.assertEqual(self.batches(told), [2, 3, 16])
        self.assertIn("UnsupportedOperatorException", value(told, "fallback", "error"))
        self.assertEqual(value(told, "fallback", "place"), self.line_of("return torch.ops.fallback_test"))
        few, many = rows(told, "sweep", "sweep")
        self.assertEqual((few["batch"], many["batch"], few["step_us"]), (16, 64, self.device(told)["step_us"]))
        self.assertGreater(many["samples_per_s"], 2 * few["samples_per_s"])
        self.same_as_dry(told, self.priced(PLAIN))

    def same_as_dry(self, told, dry):
        self.assertEqual(value(told, "step", "samples"), 16)
        self.assertEqual(value(told, "step", "flops"), value(dry, "step", "flops"))
        self.assertEqual(value(told, "memory", "peak_bytes"), value(dry, "memory", "peak_bytes"))
        one, other = self.device(told), self.device(dry)
        self.assertAlmostEqual(one["step_us"] / other["step_us"], 1, delta=0.1)  # the operator is none of PyTorch's
        self.assertGreater(one["step_us_high"] / one["step_us"], other["step_us_high"] / other["step_us"])
        self.assertGreater(one["memory_high_bytes"], other["memory_high_bytes"])
        self.assertNotIn("fallback", [part["id"] for part in dry["sections"]])

    def test_values_that_choose_what_is_computed(self):
        told = self.priced(VALUES)
        self.assertEqual((self.runs(), self.batches(told)), (3, [2, 3, 16]))
        self.assertIn("stand-ins", value(told, "fallback", "because"))
        products = 64 * 128 + 128 * 64 + 64 * 10 + 10 * 64 + 64 * 10 + 64 * 128  # and one more forward, of what is chosen by
        self.assertEqual(value(told, "step", "flops"), 2 * 16 * products)

    def test_without_a_loader_its_own_batch_is_run(self):
        told = self.priced(WITHOUT_LOADER)
        self.assertEqual((self.runs(), self.batches(told)), (2, [None, None, None]))
        self.assertEqual(value(told, "step", "samples"), 16)
        self.assertEqual(value(told, "fallback", "step_error"), 0)

    # ---- not run again ----

    def test_a_script_that_dies_by_itself_is_run_once(self):
        for times, fault in enumerate(("torch.randn(3, 4) @ torch.randn(3, 4)", "raise ValueError(open('no_such_file'))"), 1):
            self.dies(PLAIN.replace("train(Model", f"{fault}\n    train(Model"))
            self.assertEqual(self.runs(), times, fault)

    def test_never(self):
        self.assertIn("no meta kernel", self.dies(OPERATOR, "--fallback", "never"))
        self.assertEqual(self.runs(), 1)
        self.assertIn("--fallback takes", self.price(self.script(OPERATOR), "--hw", "H100", "--fallback", "so", code=USAGE).err)

    def test_where_data_does_not_help_both_are_told(self):
        told = self.dies(OPERATOR.replace("lambda x: x * 2", "lambda x: x.no_such_name"))
        self.assertIn("UnsupportedOperatorException", told)
        self.assertIn("no_such_name", told)
        self.assertEqual(self.runs(), 3)  # dry, with two samples, with one: of the same error


if __name__ == "__main__":
    unittest.main()
