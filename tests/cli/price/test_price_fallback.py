# SPDX-License-Identifier: Apache-2.0
"""steptime price: scripts that cannot go on without data are run with some, with few samples, and scaled; others die once."""
import os
import time
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

READING = LAYERS.replace("import numpy, torch", "import ctypes, os, signal, time, numpy, torch") + """
    class Model(nn.Sequential):
        def forward(self, x):
            WAY
            return super().forward(x)
    train(Model(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)), 64)
"""
WILD = READING.replace("WAY", "ctypes.memmove(ctypes.create_string_buffer(8), x.data_ptr(), 8)")
BUS = READING.replace("WAY", "x.data_ptr() or os.kill(os.getpid(), signal.SIGBUS)")
KILLED = READING.replace("WAY", "os.kill(os.getpid(), signal.SIGKILL)")

# Each piece alone is less than the machine has.
GREEDY = OPERATOR.replace("lambda x: x * 2", "hold").replace("    library = ", """
    with open("/proc/meminfo") as lines:
        piece = int(lines.readline().split()[1]) << 8
    def hold(x):
        held = [torch.empty(piece, dtype=torch.uint8) for _ in range(6)]
        return x * 2
    library = """)

# It comes late to its first batch, and with three samples to no end.
SLOW = OPERATOR.replace("lambda x: x * 2", "wait").replace("    library = ", """
    import time
    def wait(x):
        time.sleep(1 if len(x) == 2 else 1000)
        return x * 2
    library = """)

JOB = """
    import os, torch.distributed as dist
    dist.init_process_group("nccl")
""" + PLAIN.replace("model.to(\"cuda\")", "model = nn.parallel.DistributedDataParallel(model.to(\"cuda\"))")

WITHOUT_LOADER = OPERATOR.replace("DataLoader(data, batch_size=batch, shuffle=True)", "[data[:batch]] * 9")


class Fallback(Case):
    def setUp(self):
        super().setUp()
        self.interpreter = self.python
        self.python = self.path("python")  # each run leaves a line
        with open(self.python, "w", encoding="utf-8") as out:
            out.write(f'#!/bin/sh\ndate +%s.%N >> "{self.path("runs")}"\nexec "{self.interpreter}" "$@"\n')
        os.chmod(self.python, 0o755)

    def began(self):
        with open(self.path("runs"), encoding="utf-8") as lines:
            return [float(line) for line in lines]

    def runs(self):
        return len(self.began())

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

    def test_a_job_is_run_with_data_as_its_first_rank(self):
        """Collectives, memory and FLOPs are those of the dry run."""
        dry = self.priced(JOB, "--ranks", "4")
        self.assertNotIn("fallback", [part["id"] for part in dry["sections"]])
        told = self.priced(JOB.replace("return x * 2", "return torch.ops.fallback_test.twice(x)"), "--ranks", "4")
        self.assertEqual(self.batches(told), [2, 3, 16])
        self.assertEqual(rows(told, "ranks", "collectives"), rows(dry, "ranks", "collectives"))
        self.assertEqual([row["kind"] for row in rows(told, "ranks", "collectives")], ["all_reduce"])
        self.same_as_dry(told, dry)

    # ---- killed by a signal ----

    def test_an_extension_that_reads_memory_that_is_not_there(self):
        told = self.price(self.script(WILD), "--hw", "H100").out
        at = self.line_of("ctypes.memmove")
        self.assertIn(f"{at} it read memory that is not there, of tensors without data, it seems (SIGSEGV)", " ".join(told.split()))
        self.assertIn("batches of 2 and 3", told)
        shown = told[told.index("With data"):told.index("-- Price")].splitlines()
        self.assertEqual([line for line in shown if line.rstrip().endswith(" -")], [])  # what there is nothing to say of

    def test_signals(self):
        told = self.dies(BUS, "--fallback", "never")
        self.assertIn(f"dies at {self.line_of('x.data_ptr()')} when it is run without data, of SIGBUS", told)
        self.assertEqual(self.batches(self.priced(BUS)), [2, 3, 16])
        runs = self.runs()
        self.assertIn("of SIGKILL, as a system kills what takes too much memory", self.dies(KILLED))
        self.assertEqual(self.runs(), runs + 1)

    # ---- bounds ----

    def test_no_more_memory_than_there_is(self):
        told = self.dies(GREEDY)
        self.assertIn("UnsupportedOperatorException", told)
        self.assertIn(f"{self.line_of('held = ')}: that is more memory than the machine has free", told)

    def test_all_runs_with_data_share_the_limit(self):
        """The second has what the first left of it: that slept for two seconds."""
        limit = 15
        told = self.priced(SLOW, "--limit", str(limit))
        spent = time.time() - self.began()[-1]
        self.assertEqual(self.runs(), 3)
        self.assertLess(spent, limit - 1)
        self.assertEqual(value(told, "fallback", "most_batch"), 2)
        self.assertIn("see --limit", value(told, "fallback", "only_one"))

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
