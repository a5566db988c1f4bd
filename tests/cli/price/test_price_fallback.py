# SPDX-License-Identifier: Apache-2.0
"""steptime price: scripts that cannot go on without data are run with some, with few samples, and scaled; others die once."""
import os
import unittest

from price_case import Case, rows, value
from support import INPUT, USAGE

# Each run of the script leaves a line beside it: in the folder of temporary files what is its own may be written.
COUNTED = """
    import os, tempfile
    with os.fdopen(os.open(os.environ["RUNS"], os.O_WRONLY | os.O_APPEND), "a") as out:
        out.write("run\\n")
"""

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
            sums = h.detach().cpu().numpy().sum(0)
            return self.out(torch.cat([h[:, [i]] for i in numpy.flatnonzero(sums < numpy.sort(sums)[64])], 1))
    train(Chosen(), 64)
"""

WITHOUT_LOADER = OPERATOR.replace("DataLoader(data, batch_size=batch, shuffle=True)", "[data[:batch]] * 9")


class Fallback(Case):
    def real(self, text, *options):
        return self.priced(text, *options)

    def peak(self, told):
        return value(told, "memory", "peak_bytes")

    def device(self, told):
        return rows(told, "price", "devices")[0]

    def test_an_operator_without_meta_kernel_is_run_with_data_and_scaled(self):
        real, dry = self.real(OPERATOR), self.priced(PLAIN)
        self.assertEqual([value(real, "fallback", key) for key in ("ran_batch", "most_batch", "batch")], [2, 3, 16])
        self.assertIn("UnsupportedOperatorException", value(real, "fallback", "error"))
        self.assertEqual(value(real, "fallback", "place"), self.line_of_operator(OPERATOR))
        self.assertEqual(value(real, "step", "samples"), 16)
        self.assertEqual(value(real, "step", "flops"), value(dry, "step", "flops"))
        self.assertEqual(self.peak(real), self.peak(dry))
        self.assertNotIn("fallback", [part["id"] for part in dry["sections"]])

    def line_of_operator(self, text):
        self.script(text)
        return self.line_of("return torch.ops.fallback_test")

    def test_what_may_be_off_is_wider_than_dry(self):
        def reach(told):
            row = self.device(told)
            return row["step_us_high"] / row["step_us"]
        dry, real = self.priced(PLAIN), self.priced(PLAIN, "--fallback", "always")
        self.assertAlmostEqual(self.device(real)["step_us"] / self.device(dry)["step_us"], 1, delta=0.01)
        self.assertGreater(reach(real), reach(dry))
        self.assertGreater(self.device(real)["memory_high_bytes"], self.device(dry)["memory_high_bytes"])

    def test_values_that_choose_shapes_and_a_normalisation_that_needs_two(self):
        told = self.real(VALUES)
        self.assertEqual([value(told, "fallback", key) for key in ("ran_batch", "most_batch", "batch")], [2, 3, 16])
        self.assertIn("stand-ins", value(told, "fallback", "because"))
        self.assertEqual(value(told, "step", "samples"), 16)
        # the same layers where what is chosen is known
        plain = self.priced(VALUES.replace("numpy.flatnonzero(sums < numpy.sort(sums)[64])", "range(64)"))
        self.assertEqual(value(told, "step", "flops"), value(plain, "step", "flops"))

    def test_another_batch_is_scaled_too_and_nothing_runs_for_it(self):
        told = self.counted(OPERATOR, "--batch", "16,64")
        self.assertEqual(self.runs(), 3)
        few, many = rows(told, "sweep", "sweep")
        self.assertEqual((few["batch"], many["batch"], few["step_us"]), (16, 64, self.device(told)["step_us"]))
        self.assertGreater(many["samples_per_s"], 2 * few["samples_per_s"])

    def test_without_a_loader_its_own_batch_is_run(self):
        told = self.counted(WITHOUT_LOADER)
        self.assertEqual(self.runs(), 2)
        self.assertIsNone(value(told, "fallback", "batch"))
        self.assertEqual(value(told, "step", "samples"), 16)

    # ---- not run again ----

    def counted(self, text, *options, code=0):
        open(self.path("runs"), "w", encoding="utf-8").close()
        os.environ["RUNS"] = self.path("runs")
        self.addCleanup(os.environ.pop, "RUNS", None)
        done = self.price(self.script(COUNTED + text), "--hw", "H100", "--format", "json", *options, code=code)
        return done.json if not code else done.err

    def runs(self):
        with open(self.path("runs"), encoding="utf-8") as lines:
            return len(lines.readlines())

    def test_a_script_that_dies_by_itself_is_run_once(self):
        for fault in ("torch.randn(3, 4) @ torch.randn(3, 4)", "raise ValueError('mine')", "import no_such_module", "open('no_such_file')",
                      "torch.zeros(3).no_such_name"):
            self.counted(PLAIN.replace("train(Model", f"{fault}\n    train(Model"), code=INPUT)
            self.assertEqual(self.runs(), 1, fault)

    def test_never(self):
        self.assertIn("no meta kernel", self.counted(OPERATOR, "--fallback", "never", code=INPUT))
        self.assertEqual(self.runs(), 1)
        self.assertIn("--fallback takes", self.price(self.script(OPERATOR), "--hw", "H100", "--fallback", "so", code=USAGE).err)

    def test_where_data_does_not_help_both_are_told(self):
        told = self.counted(OPERATOR.replace("lambda x: x * 2", "lambda x: x.no_such_name"), code=INPUT)
        self.assertIn("without data", told)
        self.assertIn("no_such_name", told)
        self.assertEqual(self.runs(), 3)  # dry, two samples, one: of the same error


if __name__ == "__main__":
    unittest.main()
