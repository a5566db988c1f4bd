# SPDX-License-Identifier: Apache-2.0
"""steptime price: real training scripts, run dry."""
import os
import textwrap
import unittest

from price_case import MLP, Case, rows, section, value
from support import INPUT, USAGE, steptime
from torch_python import debian_python

CUDA = """
    import torch
    from torch import nn
    import torch.nn.functional as F
    from torch.utils.data import DataLoader, TensorDataset
    assert torch.cuda.is_available()
    assert torch.cuda.get_device_properties(0).total_memory == 80 << 30
    assert "H100" in torch.cuda.get_device_name()
    device = torch.device("cuda")
    model = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 64, 10)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    data = TensorDataset(torch.randn(256, 3, 8, 8), torch.randint(0, 10, (256,)))
    loader = DataLoader(data, 64, shuffle=True, num_workers=2, pin_memory=True)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for epoch in range(9):
        for x, y in loader:
            assert not x.is_cuda and x.device.type == "cpu"
            x, y = x.cuda(non_blocking=True), y.to(device)
            assert x.is_cuda and x.device == torch.device("cuda:0") and next(model.parameters()).is_cuda
            start.record()
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            end.record()
            torch.cuda.synchronize()
            if torch.isnan(loss):
                raise RuntimeError("diverged")
            if loss.item() * 2 > 5:
                print("far off", start.elapsed_time(end))
    torch.save(model.state_dict(), "model.pt")
"""

SHAPES = """
    import torch
    model = torch.nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        x = torch.randn(16, 8)
        loss = model(x[x[:, 0] > 0]).sum() + x.masked_select(x > 1).sum()
        counts = (x > 0).sum(1).numpy()
        assert counts.shape == (16,) and len(counts.tolist()) == 16
        loss.backward()
        optimizer.step()
"""

HUGE = """
    import torch
    model = torch.nn.Linear(200000, 200000, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        model(torch.ones(8, 200000, device="cuda")).sum().backward()
        optimizer.step()
"""


ATTENTION = """
    import torch
    import torch.nn.functional as F
    weight = torch.nn.Parameter(torch.randn(4, 8, 2048, 64, device="cuda", dtype=torch.bfloat16))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(4):
        F.scaled_dot_product_attention(weight, weight, weight, dropout_p=0.1, is_causal=True).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


class Answers(Case):
    def test_an_unmodified_script_on_several_devices(self):
        told = self.price(self.script(MLP), "--hw", "H100,T4", "--per-hour", "2.5", "--format", "json").json
        devices = rows(told, "price", "devices")
        self.assertEqual(sorted(row["device"] for row in devices), ["NVIDIA H100 SXM 80GB", "NVIDIA T4"])
        for row in devices:
            self.assertLess(row["step_us_low"], row["step_us"])
            self.assertLess(row["step_us"], row["step_us_high"])
            self.assertAlmostEqual(row["device_share"], row["device_us"] / row["step_us"])
            self.assertAlmostEqual(row["cost"], 2.5 / 3600e6 * row["step_us"])
            self.assertEqual((row["fits"], row["bound"]), ("yes", "host"))
            self.assertLess(row["without_host_us"], row["without_device_us"])
        self.assertLess(devices[0]["device_us"], devices[1]["device_us"])
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertEqual(rows(told, "dry_run", "stand_ins"),
                         [{"kind": "value", "place": self.line_of("loss.item()"), "call": ".item()", "times": 2}])

    def test_every_device_of_the_catalogue(self):
        told = self.price(self.script(MLP), "--hw", "all", "--format", "json").json
        devices = rows(told, "price", "devices")
        self.assertGreater(len(devices), 20)
        times = [row["step_us"] for row in devices if row["step_us"] is not None]
        self.assertEqual(times, sorted(times))
        self.assertGreater(len(times), 20)

    def test_a_script_that_needs_cuda(self):
        told = self.priced(CUDA)
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        found = {(row["kind"], row["place"]) for row in rows(told, "dry_run", "stand_ins")}
        self.assertIn(("branch", self.line_of("isnan")), found)
        self.assertIn(("branch", self.line_of("* 2 > 5")), found)
        kinds = {row["kind"]: row["bytes"] for row in rows(told, "memory", "memory")}
        parameters = 4 * (32 * 27 + 32 + 64 + 10 * 2048 + 10)
        self.assertLess(abs(kinds["parameters"] - parameters), 6 * 512)
        self.assertLess(abs(kinds["optimizer"] - 2 * parameters), 12 * 512)

    def test_shapes_that_depend_on_values(self):
        told = self.priced(SHAPES)
        shapes = [row["place"] for row in rows(told, "dry_run", "stand_ins") if row["kind"] == "shape"]
        self.assertEqual(sorted(set(shapes)), [self.line_of("masked_select")])

    def test_what_no_interval_holds_stands_beside_the_prices(self):
        """A way that a stand-in chose, a sparse tensor; and a dot in double precision takes no step's time with it."""
        shown = " ".join(self.price(self.script("""
            import torch
            held = torch.sparse.FloatTensor(torch.randint(0, 50, (2, 10)), torch.randn(10), torch.Size((50, 50))).cuda()
            model = torch.nn.Linear(50, 8).cuda()
            assert isinstance(torch.sparse.FloatTensor, type)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            wide = torch.ones(500, dtype=torch.float64, device="cuda")
            for _ in range(4):
                while (torch.rand(5, device="cuda") > 0.1).any():
                    pass
                loss = model(torch.sparse.mm(held, torch.randn(50, 50, device="cuda"))).sum() + torch.dot(wide, wide)
                loss.backward()
                optimizer.step()
        """), "--hw", "H100").out.split())
        self.assertIn(f"Not in the intervals: a real run may go another way where stand-ins chose the script's (at {self.line_of('.any()')}, ", shown)
        self.assertIn(f"sparse tensors count as full ones (at {self.line_of('FloatTensor(')}, 1 time in all)", shown)
        self.assertIn("bounds the step. It takes", shown)

    def test_what_is_known_is_no_stand_in(self):
        told = self.priced("""
            import copy, torch
            model = torch.nn.Linear(8, 4)
            twin = copy.deepcopy(model)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            lengths = torch.tensor([3, 1, 2])
            mask = torch.zeros(3, 8, dtype=torch.bool)
            for row, length in enumerate(lengths.tolist()):
                mask[row, :length] = True
            torch.save({"a": mask}, "kept.pt")
            assert torch.load("kept.pt")["a"].sum().item() == 6 and not isinstance(mask, torch._subclasses.FakeTensor)
            for _ in range(4):
                x = torch.randn(3, 8)
                assert x[mask].shape == (6,) and mask.nonzero().shape == (6, 2) and mask.any(1).all()
                torch.distributions.Categorical(logits=model(x))
                loss = model(x).sum() + twin(x).sum()
                loss.backward()
                optimizer.step()
        """)
        self.assertEqual([row for row in rows(told, "dry_run", "stand_ins") if row["kind"] == "shape"], [])
        self.assertEqual(value(told, "dry_run", "steps"), 3)

    def test_what_is_copied_of_known_values_is_known(self):
        told = self.priced("""
            import torch
            model = torch.nn.Linear(8, 4)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(4):
                counts = torch.tensor([3, 1, 2]).cuda()
                here = torch.empty(3, dtype=torch.int64)
                here.copy_(counts, non_blocking=True)
                assert here.tolist() == [3, 1, 2] and torch.tensor([n + 1 for n in here]).tolist() == [4, 2, 3]
                assert torch.tensor([count for count in counts], dtype=torch.float32).tolist() == [3, 1, 2]
                part = torch.zeros(4, dtype=torch.int64)
                part[:3].copy_(counts)
                here.copy_(torch.randint(0, 9, (3,)) + model.weight.argmax())
                loss = sum(part.sum() for part in model(torch.randn(6, 8)).split(counts.tolist()))
                loss.backward()
                optimizer.step()
        """)
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertNotIn("stand_ins", [table["id"] for table in section(told, "dry_run")["tables"]])

    def test_the_last_step_is_priced_however_small(self):
        told = self.priced("""
            import torch
            model = torch.nn.Linear(8, 4)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for step in range(4):
                for _ in range(200 if step < 2 else 1):
                    loss = model(torch.randn(3, 8)).sum()
                loss.backward()
                optimizer.step()
        """)
        self.assertLess(rows(told, "price", "devices")[0]["step_us"], 2000)

    def test_what_is_not_done_is_told_and_arguments_by_place_hold(self):
        told = self.priced("""
            import torch
            net = torch.compile(torch.nn.Linear(8, 8).cuda())
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            def collate(items):
                return torch.stack(items)[:, :8]
            data = [torch.randn(9) for _ in range(64)]
            for x in torch.utils.data.DataLoader(data, 4, False, None, None, 2, collate):
                loss = net(x.cuda()).mean()
                optimizer.zero_grad(); loss.backward(); optimizer.step()
        """)
        self.assertIn(("skipped", self.line_of("torch.compile"), "torch.compile"),
                      [(row["kind"], row["place"], row["call"]) for row in rows(told, "dry_run", "stand_ins")])

    def test_attention_does_not_hold_its_matrix(self):
        told = self.priced(ATTENTION)
        tensor, matrix = 2 * 4 * 8 * 2048 * 64, 2 * 4 * 8 * 2048 ** 2
        self.assertLess(value(told, "memory", "peak_bytes"), matrix / 2)
        self.assertGreater(value(told, "memory", "peak_bytes"), 4 * tensor)

    def test_what_does_not_fit_and_where(self):
        done = self.price(self.script(HUGE), "--hw", "H100", "--format", "json")
        row = rows(done.json, "price", "devices")[0]
        held = value(done.json, "memory", "peak_bytes")
        self.assertEqual(row["fits"], "no")
        self.assertEqual(row["spare_bytes"], (80 << 30) - row["memory_high_bytes"])
        self.assertGreater(row["memory_high_bytes"], held)
        self.assertGreater(held, 2 * 4 * 200000 ** 2)
        shown = self.price(self.script(HUGE), "--hw", "H100").out
        self.assertIn("It does not fit on NVIDIA H100 SXM 80GB, by", " ".join(shown.split()))
        self.assertEqual(value(done.json, "memory", "peak_place"), self.line_of(".backward()"))

    def test_a_script_that_uses_no_device_is_told(self):
        self.assertIn("puts nothing on the device", " ".join(self.price(self.script(MLP), "--hw", "H100").out.split()))

    def test_nothing_is_written(self):
        self.script(CUDA.replace("range(9)", "range(1)"))
        before = os.listdir(self.folder)
        done = steptime("price", "--hw", "H100", "--dry-steps", "9", "--python", self.python, "train.py", cwd=self.folder)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(os.listdir(self.folder), before)
        self.assertIn("torch.save", done.out)


    def test_what_it_writes_it_finds_again_and_nobody_else(self):
        self.script("precious\n", "kept.txt")
        self.script(MLP.replace("print(step, loss.item())", """
            os.makedirs("out/deep", exist_ok=True)
            open(f"out/deep/{step}", "w").write(f"{loss:.2f} {loss}")
            assert os.path.exists(f"out/deep/{step}") and os.listdir("out/deep")[0] == "0"
            assert open(f"out/deep/{step}").read().startswith("1.00")
            open("kept.txt", "a").write("spoilt")
            assert open("kept.txt").read().startswith("precious")
            os.remove("train.py")
        """.replace("\n            ", "\n        ").strip()).replace("import torch\n", "import os, torch\n", 1))
        done = steptime("price", "--hw", "H100", "--python", self.python, "train.py", cwd=self.folder)
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("os.remove train.py", done.out)
        self.assertNotIn("no more steps", done.out)
        self.assertEqual(sorted(os.listdir(self.folder)), ["kept.txt", "train.py"])
        with open(self.path("kept.txt"), encoding="utf-8") as text:
            self.assertEqual(text.read(), "precious\n")

    def test_a_script_that_stops_early_is_priced_and_told(self):
        shown = " ".join(self.price(self.script(MLP + "        assert step < 1\n"), "--hw", "H100").out.split())
        self.assertIn("The script made no more steps: it stopped at", shown)
        self.assertIn("AssertionError", shown)


class Refusals(Case):
    def refused(self, text, *parts):
        done = self.price(self.script(text), "--hw", "H100", "--fallback", "never", code=INPUT)
        for part in parts:
            self.assertIn(part, done.err)

    def test_no_device(self):
        self.assertIn("--hw", self.price(self.script(MLP), code=USAGE).err)

    def test_a_device_that_the_catalogue_lacks(self):
        self.assertIn("H1000", self.price(self.script(MLP), "--hw", "H1000", code=USAGE).err)

    def test_no_torch(self):
        self.refused("print('hello')\n", "without importing PyTorch")
        self.refused("import nothing_of_that_name\n", "train.py:1", "nothing_of_that_name", "install that package")

    def test_a_torch_that_is_too_old(self):
        done = steptime("price", "--hw", "H100", "--python", debian_python(), self.script(MLP))
        self.assertEqual(done.code, INPUT)
        self.assertIn("needs a newer one", done.err)

    def test_no_such_program(self):
        done = steptime("price", "--hw", "H100", "--", self.path("nothing"))
        self.assertEqual(done.code, INPUT)
        self.assertIn("No such file", done.err)

    def test_no_step(self):
        self.refused("import torch\n", "without a step")

    def test_what_follows_the_last_step_is_no_step(self):
        ended = self.priced(textwrap.dedent(MLP).replace("range(12)", "range(2)") + "torch.randn(3, 5).sort()\n")
        stopped = self.priced(MLP)
        self.assertEqual(rows(ended, "price", "devices")[0]["step_us"], rows(stopped, "price", "devices")[0]["step_us"])

    def test_an_error_is_told_with_the_line_of_the_script(self):
        self.refused("import torch\nx = torch.ones(3)\ny = x @ torch.ones(4)\n", self.path("train.py") + ":3", "RuntimeError")

    def test_jobs_are_told_to_be_beyond_it(self):
        self.refused("import torch\nimport torch.distributed as dist\ndist.init_process_group('gloo')\n", "train.py:3", "several ranks")

    def test_data_that_is_not_there(self):
        self.refused("import torch\nopen('no-such-data.bin')\n", "train.py:2", "data that is not there")

    def test_an_operator_without_meta_kernel(self):
        self.refused("""
            import torch
            @torch.library.custom_op("ours::double", mutates_args=())
            def double(x: torch.Tensor) -> torch.Tensor:
                return x * 2
            model = torch.nn.Linear(3, 3)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            loss = double(model(torch.ones(2, 3))).sum()
            optimizer.step()
        """, "train.py:8", "ours::double")

    def test_a_script_that_takes_too_long(self):
        script = self.script("import torch, time\ntime.sleep(60)\n")
        done = self.price(script, "--hw", "H100", "--limit", "8", code=INPUT)
        self.assertIn("--limit", done.err)


if __name__ == "__main__":
    unittest.main()
