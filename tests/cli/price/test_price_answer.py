# SPDX-License-Identifier: Apache-2.0
"""steptime price: the answer. Samples, FLOPs, money, what fits and what would, sweeps, and a first real trace."""
import json
import os
import subprocess
import unittest

from price_case import Case, rows, section, value
from support import INPUT, OK, SHARED, USAGE, span, steptime, write_trace

BLOCKS = """
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint
    from torch.utils.data import DataLoader
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.into, self.out = nn.Linear(512, 2048), nn.Linear(2048, 512)
        def forward(self, x):
            return x + self.out(torch.relu(self.into(x)))
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(Block() for _ in range(6))
        def forward(self, x):
            for block in self.blocks:
                x = CALL
            return x
    model = Model().to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = [torch.zeros(1024, 512) for _ in range(32)]
    for x in DataLoader(data, 8):
        x = x.to(DEVICE)
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
"""


def blocks(call="block(x)", device='"cuda"'):
    return BLOCKS.replace("CALL", call).replace("DEVICE", device)


class Steps(Case):
    def test_samples_flops_and_utilisation(self):
        told = self.priced(blocks(), "--set", "fp32_matrix=100TFLOPS")
        self.assertEqual(value(told, "step", "samples"), 8)
        row = rows(told, "price", "devices")[0]
        flops = value(told, "step", "flops")
        counted = subprocess.run([self.python, "-c", COUNT, self.script(blocks(device='"cpu"'), "counted.py")],
                                 capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(flops, int(counted.stdout.split()[-1]))
        self.assertEqual(flops, sum(one["flops"] for one in rows(told, "step", "operators")))
        on_host = self.price(self.script(blocks(device='"cpu"')), "--keep", self.path("kept.json"), "--format", "json").json
        self.assertEqual(value(on_host, "step", "flops"), flops)
        self.assertAlmostEqual(row["utilisation"], flops / 100e12 / (row["step_us"] / 1e6), places=9)
        self.assertAlmostEqual(row["samples_per_s"], 8 / (row["step_us"] / 1e6), places=3)
        self.assertIsNone(row["tokens_per_s"])

    def test_tokens_of_a_module_without_a_loader(self):
        told = self.priced("""
            import torch
            class Words(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.table = torch.nn.Embedding(100, 16)
                def forward(self, labels=None, input_ids=None):
                    return self.table(input_ids).sum() + labels.sum()
            model = Words().cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(4):
                for _ in range(2):  # accumulated
                    words = torch.zeros(4, 32, dtype=torch.int64, device="cuda")
                    model(labels=words.float(), input_ids=words).backward()
                optimizer.step()
        """)
        self.assertEqual((value(told, "step", "samples"), value(told, "step", "tokens")), (8, 256))
        row = rows(told, "price", "devices")[0]
        self.assertAlmostEqual(row["tokens_per_s"] / row["samples_per_s"], 32)

    def test_a_recurrent_call_goes_on_with_the_same_samples(self):
        script = """
            import torch
            cell = torch.nn.RNNCell(8, 16).cuda()
            optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
            for _ in range(4):
                for piece in range({pieces}):
                    state = torch.zeros(4, 16, device="cuda")
                    for word in range(6):
                        state = cell(torch.randn(4, 8, device="cuda"), state)
                    state.sum().backward()
                optimizer.step()
        """
        for pieces in (1, 3):
            told = self.priced(script.format(pieces=pieces))
            row = rows(told, "price", "devices")[0]
            self.assertAlmostEqual(row["samples_per_s"] * row["step_us"] / 1e6, 4 * pieces)

    def test_samples_that_nobody_tells_are_unknown(self):
        shown = self.price(self.script("""
            import torch
            weight = torch.nn.Parameter(torch.zeros(8, 8, device="cuda"))
            optimizer = torch.optim.SGD([weight], lr=0.1)
            for _ in range(4):
                (weight @ weight).sum().backward()
                optimizer.step()
        """), "--hw", "H100").out
        self.assertIn("How many samples a step takes is unknown", " ".join(shown.split()))


COUNT = """
import sys, torch
from torch.utils.flop_counter import FlopCounterMode
counter = FlopCounterMode(display=False)
step = torch.optim.SGD.step
def stop(optimizer, *arguments):
    print(counter.get_total_flops())
    sys.exit(0)
torch.optim.SGD.step = stop
with counter:
    exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"))
"""


class Money(Case):
    def prices(self, text):
        with open(self.path("prices.csv"), "w", encoding="utf-8") as out:
            out.write(text)
        return self.path("prices.csv")

    def test_a_list_of_prices_sorts_by_cost(self):
        path = self.prices("device,per_hour,note\nNVIDIA T4,0.1,\nH100,1000,too much\n")
        told = self.priced(blocks(), "--hw", "H100,T4,L4", "--prices", path)
        devices = rows(told, "price", "devices")
        self.assertEqual([row["device"] for row in devices], ["NVIDIA T4", "NVIDIA H100 SXM 80GB", "NVIDIA L4"])
        self.assertEqual([row["per_hour"] for row in devices], [0.1, 1000, None])
        for row in devices[:2]:
            self.assertAlmostEqual(row["thousand_cost"], row["per_hour"] * row["step_us"] / 3.6e9 * 1e3)
        self.assertIsNone(devices[2]["thousand_cost"])

    def test_lists_that_are_none(self):
        script = self.script(blocks())
        for text, words in (("gpu,price\nT4,1\n", "lacks the columns"), ("device,per_hour\nT4,cheap\n", "line 2"),
                            ("device,per_hour\nT4,1\nNVIDIA T4,2\n", "a price already"), ("device,per_hour\n,1\n", "names no device"),
                            ("device,per_hour\n", "has no prices"), ("", "lacks the columns"), ("device,per_hour\nT4,-1\n", "from 0 on")):
            with self.subTest(text=text):
                done = self.price(script, "--hw", "H100", "--prices", self.prices(text), code=INPUT)
                self.assertIn(words, done.err)
        self.price(script, "--hw", "H100", "--prices", self.path("absent.csv"), code=INPUT)


class Fits(Case):
    def row(self, script, memory):
        done = self.price(script, "--hw", "H100", "--format", "json", "--set", f"memory_size={memory}")
        return done.json, rows(done.json, "price", "devices")[0]

    def test_between_the_ends_it_may_not_fit(self):
        script = self.script(blocks())
        told, as_is = self.row(script, "80GiB")
        self.assertEqual(as_is["fits"], "yes")
        held = value(told, "memory", "peak_bytes")
        self.assertEqual(as_is["memory_low_bytes"],
                         held + value(told, "memory", "context_low_bytes") + value(told, "memory", "workspaces_low_bytes"))
        self.assertEqual(value(told, "memory", "allocated_bytes"), held + 2 * (32 << 20))
        self.assertGreaterEqual(value(told, "memory", "reserved_bytes"), held)
        self.assertEqual(sum(row["bytes"] for row in rows(told, "memory", "held")), held)
        between = (as_is["memory_low_bytes"] + as_is["memory_high_bytes"]) // 2
        told, row = self.row(script, f"{between}B")
        self.assertEqual(row["fits"], "may not")
        self.assertIn(self.path("train.py"), row["no_room_at"])
        self.assertIn("ways", [part["id"] for part in told["sections"]])
        self.assertEqual(self.row(script, f"{as_is['memory_low_bytes'] - 4096}B")[1]["fits"], "no")

    def test_what_would_make_it_fit_comes_true(self):
        """Checkpointing and half the batch, against scripts that do that."""
        told = self.priced(blocks(), "--hw", "T4", "--ways")
        ways = {row["way"]: row for row in rows(told, "ways", "ways")}
        real = self.priced(blocks("checkpoint(block, x, use_reentrant=False)"), "--hw", "T4")
        tried = ways["checkpoint 6 calls of Block"]
        really = rows(real, "price", "devices")[0]
        self.assertLess(tried["memory_high_bytes"], ways["as it is"]["memory_high_bytes"])
        self.assertAlmostEqual(tried["memory_high_bytes"] / really["memory_high_bytes"], 1, delta=0.1)
        self.assertAlmostEqual(tried["step_us"] / really["step_us"], 1, delta=0.15)
        half = rows(self.priced(blocks().replace("DataLoader(data, 8)", "DataLoader(data, 4)"), "--hw", "T4"), "price", "devices")[0]
        for key in ("memory_high_bytes", "step_us"):
            self.assertAlmostEqual(ways["half the batch"][key] / half[key], 1, places=6)
        self.assertGreater(ways["ZeRO 3 over 2 ranks"]["step_us"], ways["as it is"]["step_us"])


class Sweeps(Case):
    def test_a_batch_is_what_the_script_would_do_with_it(self):
        script = self.script(blocks())
        told = self.price(script, "--hw", "H100", "--batch", "4,8", "--precision", "as-is,bf16", "--per-hour", "3", "--format", "json").json
        swept = {(row["batch"], row["precision"]): row for row in rows(told, "sweep", "sweep")}
        self.assertEqual(len(swept), 4)
        as_is = rows(told, "price", "devices")[0]
        self.assertAlmostEqual(swept[8, "as-is"]["step_us"], as_is["step_us"])
        self.assertLess(swept[4, "as-is"]["step_us"], as_is["step_us"])
        self.assertLess(swept[8, "bf16"]["step_us"], as_is["step_us"])
        self.assertEqual({row["basis"] for row in swept.values()}, {"run dry"})
        self.assertAlmostEqual(swept[8, "as-is"]["million_samples_cost"], as_is["thousand_cost"] * 1e3 / 8)

    def test_without_a_loader_sizes_are_scaled_and_that_is_told(self):
        told = self.priced("""
            import torch
            model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512)).cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(4):
                model(torch.zeros(4096, 512, device="cuda")).sum().backward()
                optimizer.step()
        """, "--hw", "T4", "--batch", "4096,8192", "--network", "100Gbps")
        one, two = rows(told, "sweep", "sweep")
        self.assertEqual((one["basis"], two["basis"]), ("run dry", "scaled"))
        self.assertGreater(two["step_us"], 1.3 * one["step_us"])
        self.assertEqual(two["network"], "100Gbps")

    def test_values_that_are_none(self):
        script = self.script(blocks())
        for option, text in (("--batch", "0"), ("--batch", "8,x"), ("--precision", "int4"), ("--network", "fast")):
            self.price(script, "--hw", "H100", option, text, code=USAGE)

    def test_a_page_has_curves(self):
        page = self.price(self.script(blocks()), "--hw", "H100", "--batch", "4,8", "--format", "html").out
        self.assertGreaterEqual(page.count("<svg"), 3)


ABSENT = """
    import torch
    from torch.utils.data import DataLoader, Dataset
    class Images(Dataset):
        def __init__(self):
            self.names = open("/no/where/list.txt").read().split()
        def __len__(self):
            return len(self.names)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 64, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Images(), 4, shuffle=True)
    for epoch in range(3):
        assert len(loader) > 0
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
"""


class Absent(Case):
    def test_batches_of_the_shapes_that_are_given(self):
        script = self.script(ABSENT)
        done = self.price(script, "--hw", "H100", code=INPUT)
        self.assertIn("train.py:6", done.err)
        self.assertIn("--batch-shape", done.err)
        told = self.priced(ABSENT, "--batch-shape", "16x3x8x8:float32,16:int64", "--batch", "32")
        self.assertEqual(value(told, "step", "samples"), 16)
        self.assertIn("data of Images: FileNotFoundError", {row["call"] for row in rows(told, "dry_run", "stand_ins")})
        self.assertEqual(rows(told, "sweep", "sweep")[0]["samples_per_s"],
                         32 / rows(told, "sweep", "sweep")[0]["step_us"] * 1e6)

    def test_shapes_that_are_none(self):
        for text in ("", "4x", "4xa", "4:complex", "a=4,4", "=4", "0x4"):
            with self.subTest(text=text):
                self.price(self.script(ABSENT), "--hw", "H100", "--batch-shape", text, code=USAGE)


PRODUCTS = """
    import torch
    weight = torch.nn.Parameter(torch.zeros(8, device="cuda"))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    a, b = (torch.zeros(64, 64, device="cuda") for _ in range(2))
    for _ in range(4):
        with torch.no_grad():
            for _ in range(3):
                torch.mm(a, b)
        weight.grad = torch.zeros_like(weight)
        optimizer.step()
"""


class Checks(Case):
    def trace(self, kernels=3, cat="kernel"):
        """Steps of some products, each a kernel of 100 us."""
        events = []
        for step in range(3):
            at = 1000 * step
            events.append(span(f"ProfilerStep#{step}", at, 1000, cat="user_annotation"))
            for i in range(kernels):
                begin, link = at + 10 + 200 * i, 1 + step * kernels + i
                events.append(span("aten::mm", begin, 50, **{"Input Dims": [[64, 64], [64, 64]], "External id": link}))
                events.append(span("cudaLaunchKernel", begin + 10, 10, cat="cuda_runtime", correlation=link))
                events.append(span("sgemm", begin + 60, 100, cat=cat, pid=0, tid=7, correlation=link, device=0, stream=7))
        return write_trace(self.path("trace.json"), events, deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}])

    def checked(self, trace, *options):
        return self.price(self.script(PRODUCTS), "--check", trace, "--format", "json", *options).json

    def test_operator_by_operator(self):
        told = self.checked(self.trace(), "--kernels", self.path("kernels.csv"))
        self.assertEqual(rows(told, "price", "devices")[0]["device"], "NVIDIA A100-SXM4-80GB")
        found = {row["operator"]: row for row in rows(told, "check", "check")}
        self.assertEqual((found["aten::mm"]["said_calls"], found["aten::mm"]["real_calls"]), (3, 3))
        self.assertAlmostEqual(found["aten::mm"]["real_device_us"], 300)
        self.assertAlmostEqual(found["aten::mm"]["real_host_us"], 150)
        self.assertEqual(rows(told, "check", "check")[0]["operator"], "aten::mm")
        self.assertEqual(value(told, "check", "kernels"), 1)
        self.assertAlmostEqual(value(told, "check", "real_step_us"), 1000)
        calibrated = steptime("calibrate", "--rows", self.path("kernels.csv"), "--hw", "NVIDIA A100-SXM4-80GB", "--into", self.path("sets"))
        self.assertEqual(calibrated.code, OK, calibrated.err)

    def test_other_calls_are_told(self):
        found = {row["operator"]: row for row in rows(self.checked(self.trace(kernels=2), "--hw", "A100"), "check", "check")}
        self.assertEqual((found["aten::mm"]["wrong"], found["aten::mm"]["real_calls"]), ("calls", 2))

    def test_traces_that_say_nothing(self):
        script = self.script(PRODUCTS)
        done = self.price(script, "--check", self.trace(cat="cpu_op"), "--hw", "A100", code=INPUT)
        self.assertIn("no work of a device", done.err)
        self.price(script, "--check", self.path("absent.json"), "--hw", "A100", code=INPUT)
        self.price(script, "--kernels", self.path("k.csv"), "--hw", "A100", code=USAGE)

    def test_resnet_as_it_was_recorded(self):
        """A trace of somebody else's ResNet-50 on a V100, in an older PyTorch."""
        trace = os.path.join(SHARED, "data", "traces", "kineto", "kineto_resnet50_train_workers0_torch19.json.gz")
        if not os.path.exists(trace):
            self.skipTest("no shared data")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "resnet50.py")
        told = self.price(script, "--check", trace, "--format", "json").json
        said, real = value(told, "check", "said_active_us"), value(told, "check", "real_active_us")
        self.assertAlmostEqual(said / real, 1, delta=0.15)
        found = {row["operator"]: row for row in rows(told, "check", "check")}
        self.assertEqual((found["aten::conv2d"]["said_calls"], found["aten::conv2d"]["real_calls"]), (53, 53))
        self.assertGreater(value(told, "check", "kernels"), 20)


class Explains(Case):
    def test_what_numbers_are_made_of(self):
        script = self.script(blocks())
        for word, table in (("peak_bytes", "held"), ("step_us", "explained_names"), ("flops", "operators"), ("device_us", "events")):
            with self.subTest(word=word):
                told = self.price(script, "--hw", "H100", "--explain", word, "--format", "json").json
                tables = [one["id"] for part in told["sections"] for one in part["tables"]]
                self.assertIn(table, tables)
        shown = self.price(script, "--hw", "H100", "--explain", "samples").out
        self.assertIn("leading dimension", shown)
        self.assertIn("list", self.price(script, "--hw", "H100", "--explain", "nothing", code=USAGE).err)


if __name__ == "__main__":
    unittest.main()
