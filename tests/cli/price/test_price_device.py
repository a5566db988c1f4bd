# SPDX-License-Identifier: Apache-2.0
"""steptime price: what the program of a dry run has is what the device would run: optimizers, attention, checkpointing, gradients
that are gathered over several batches, compiled code."""
import collections
import os
import textwrap
import unittest

from dry_real import MODE, nodes_of
from price_case import MLP, Case, rows, value

MODELING = """
    import torch
    class Configuration:
        @classmethod
        def from_pretrained(cls, name):
            if name != "there":
                raise OSError(name + " has no configuration")
            return cls()
        def to_dict(self):
            return {}
    class PreTrainedModel(torch.nn.Module):
        config_class = Configuration
        def __init__(self, rows):
            super().__init__()
            self.weight = torch.nn.Parameter(rows)
        @classmethod
        def from_pretrained(cls, name, *arguments, config=None, **named):
            raise OSError(name + " has no weights")
        @classmethod
        def _from_config(cls, config, dtype=torch.float32):
            return cls(torch.zeros(8, 4, dtype=dtype))
"""

WEIGHTS = """
    import torch
    from transformers.modeling_utils import PreTrainedModel
    read = PreTrainedModel(torch.frombuffer(bytearray(128), dtype=torch.float32))
    read.weight.data = torch.zeros(16, 4)
    made = PreTrainedModel.from_pretrained("there", dtype=torch.float16).cuda()
    assert made.weight.dtype is torch.float16 and not made.training
    try:
        PreTrainedModel.from_pretrained("nowhere")
    except OSError as problem:
        assert str(problem) == "nowhere has no weights"
    else:
        raise SystemExit("a model of nothing")
    read.cuda()
    optimizer = torch.optim.SGD([read.weight, made.weight], lr=0.1)
    for _ in range(4):
        (torch.randn(4, 16, device="cuda") @ read.weight).sum().add(made.weight.sum()).backward()
        optimizer.step()
"""

LAYERS = """
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint
    class Net(nn.Module):
        def __init__(self, blocks=3):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(256), nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256))
                                        for _ in range(blocks))
        def forward(self, x):
            for block in self.blocks:
                x = x + ({call})
            return x
    net = Net().cuda()
    {more}
    optimizer = torch.optim.AdamW(net.parameters(), {how})
    for step in range(4):
        optimizer.zero_grad()
        for _ in range({batches}):
            net(torch.randn({rows}, 256, device="cuda")).square().mean().backward()
        optimizer.step()
"""
PARAMETERS = 3 * 6

ATTENTION = """
    import torch
    q, k, v = (torch.nn.Parameter(torch.randn(2, 8, 512, {width}, device="cuda", dtype=torch.{dtype})) for _ in range(3))
    optimizer = torch.optim.SGD([q, k, v], lr=0.1)
    for _ in range(4):
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p={dropout}).sum().backward()
        optimizer.step(); optimizer.zero_grad()
"""

CAPABILITY = """
    import torch
    assert torch.cuda.get_device_capability() == {capability}, torch.cuda.get_device_capability()
    assert torch.cuda.is_bf16_supported() == {bf16}
    net = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        net(torch.randn(4, 8, device="cuda")).sum().backward()
        optimizer.step()
"""


def text(call="block(x)", more="", how="lr=1e-3", batches=1, rows_=64):
    return LAYERS.format(call=call, more=more, how=how, batches=batches, rows=rows_)


def on_device(script):
    """MLP with all that it makes on the device."""
    return script.replace("nn.Linear(512, 10))", "nn.Linear(512, 10)).cuda()").replace(
        "torch.randn(64, 256), torch.randint(0, 10, (64,))",
        "torch.randn(64, 256, device='cuda'), torch.randint(0, 10, (64,), device='cuda')")


class Device(Case):
    def operators(self, script, device="H100"):
        """By name, those of the last step that the mode stood in for: each is one of the device's."""
        self.price(self.script(script), "--hw", device, "--keep", self.path("dry.json"))
        nodes = sorted(nodes_of(self.path("dry.json")), key=lambda node: node["id"])
        step = [node["id"] for node in nodes if node["name"].startswith("ProfilerStep#")][-1]
        over = {node["ctrl_deps"] for node in nodes if node["name"] == MODE}
        below = set()  # all within what the mode stood in for
        found = collections.Counter()
        for node in nodes:
            if node["ctrl_deps"] in below or node["ctrl_deps"] in over:
                below.add(node["id"])
            elif node["id"] in over and node["id"] > step:
                found[node["name"]] += 1
        return found

    def test_optimizers(self):
        fused = self.operators(text(how="fused=True"))
        self.assertEqual(fused["aten::_fused_adamw_"], 1)
        self.assertEqual(fused["aten::_foreach_addcdiv_"], 0)
        lists = self.operators(text())
        self.assertEqual((lists["aten::_foreach_addcdiv_"], lists["aten::_foreach_lerp_"], lists["aten::addcdiv_"]), (1, 1, 0))
        single = self.operators(text(how="foreach=False"))
        self.assertEqual((single["aten::addcdiv_"], single["aten::_foreach_addcdiv_"]), (PARAMETERS, 0))

    def test_attention_is_one_kernel_each_way(self):
        for dropout in (0.0, 0.1):
            found = self.operators(ATTENTION.format(dropout=dropout, dtype="bfloat16", width=64))
            attention = {name: times for name, times in found.items() if "scaled_dot_product" in name}
            self.assertEqual(sum(attention.values()), 2, attention)
            self.assertFalse({"aten::bmm", "aten::matmul", "aten::_softmax", "aten::native_dropout"} & set(found), found)

    def test_attention_multiplies_matrices_where_the_device_has_no_kernel_for_it(self):
        """A T4 has none of bfloat16, none has float64, and float32 of 66 columns is not aligned on an H100."""
        for device, dtype, width, fused in (("T4", "bfloat16", 64, False), ("T4", "float16", 64, True), ("H100", "float64", 64, False),
                                            ("H100", "float32", 66, False), ("V100", "float32", 66, True)):
            with self.subTest(device=device, dtype=dtype, width=width):
                found = self.operators(ATTENTION.format(dropout=0.0, dtype=dtype, width=width), device)
                kernels = [name for name in found if "scaled_dot_product" in name and not name.endswith("_math")]
                self.assertEqual((bool(kernels), bool({"aten::bmm", "aten::matmul"} & set(found))), (fused, not fused), found)

    def test_checkpoints_are_run_again(self):
        plain = self.operators(text())
        again = self.operators(text(call="checkpoint(block, x, use_reentrant=False)"))
        self.assertEqual((plain["aten::addmm"], plain["aten::gelu"]), (6, 3))
        self.assertEqual((again["aten::gelu"], again["aten::native_layer_norm"]), (6, 6))
        self.assertEqual(again["aten::mm"], plain["aten::mm"])
        self.assertEqual(again["aten::gelu_backward"], plain["aten::gelu_backward"])

    def test_checkpoints_hold_less(self):
        held = [value(self.priced(text(call=call, rows_=65536)), "memory", "peak_bytes")
                for call in ("block(x)", "checkpoint(block, x, use_reentrant=False)")]
        self.assertLess(held[1], 0.7 * held[0])

    def test_devices_that_nobody_names_with_each_tensor(self):
        told = self.priced("""
            import torch
            torch.set_default_device("cuda")
            model = torch.nn.Linear(8, 4)
            assert model.weight.is_cuda and torch.zeros(2, device="cpu").device.type == "cpu"
            assert torch.device(0) == torch.device("cuda", 0) and torch.empty(2, device=torch.device(0)).is_cuda
            torch.set_default_device(None)
            with torch.device("cuda"):
                assert torch.nn.Linear(4, 4).weight.is_cuda
            torch.set_default_tensor_type(torch.cuda.HalfTensor)
            assert torch.empty(2).is_cuda and torch.empty(2).dtype is torch.float16
            torch.set_default_tensor_type("torch.FloatTensor")
            assert not torch.empty(2).is_cuda and torch.empty(2).dtype is torch.float32
            assert not model.weight.is_pinned()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(4):
                model(torch.randn(6, 8, device="cuda")).sum().backward()
                optimizer.step()
        """)
        self.assertEqual(value(told, "dry_run", "steps"), 3)

    def test_weights_that_a_file_or_a_library_brings(self):
        os.mkdir(self.path("transformers"))
        for name, text in (("__init__.py", ""), ("modeling_utils.py", MODELING)):
            with open(self.path(os.path.join("transformers", name)), "w", encoding="utf-8") as out:
                out.write(textwrap.dedent(text))
        told = self.priced(WEIGHTS)
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertIn("weights of there: there are none, the model is made of its configuration",
                      [row["call"] for row in rows(told, "dry_run", "stand_ins")])

    def test_gradients_over_several_batches(self):
        once, thrice = self.operators(text(how="fused=True")), self.operators(text(how="fused=True", batches=3))
        self.assertEqual(thrice["aten::addmm"], 3 * once["aten::addmm"])
        self.assertEqual(thrice["aten::mm"], 3 * once["aten::mm"])
        self.assertEqual(thrice["aten::_fused_adamw_"], 1)
        added = sum(thrice[name] - 3 * once[name] for name in ("aten::add", "aten::add_"))
        self.assertEqual(added, 2 * PARAMETERS)

    def test_its_generation(self):
        for device, capability, bf16 in (("L4", (8, 9), True), ("T4", (7, 5), False), ("A100 40GB", (8, 0), True), ("B200", (10, 0), True)):
            self.price(self.script(CAPABILITY.format(capability=capability, bf16=bf16)), "--hw", device, "--format", "json")


class Nowhere(Case):
    """A script that names no device is priced as if all of it lay there: as the same script that puts all of it there."""

    def test_it_is_as_one_that_names_it(self):
        plain = self.priced(MLP)
        named = self.priced(on_device(MLP))
        self.assertGreater(value(named, "step", "flops"), 1e8)
        self.assertEqual(value(plain, "step", "flops"), value(named, "step", "flops"))
        self.assertEqual(rows(plain, "step", "operators"), rows(named, "step", "operators"))
        one, other = (rows(told, "price", "devices")[0] for told in (plain, named))
        for key in ("step_us", "device_us", "without_host_us"):
            self.assertAlmostEqual(one[key] / other[key], 1, delta=0.03, msg=key)


class Compiled(Case):
    def step(self, *more):
        told = self.priced(text(more="".join(more), rows_=65536))
        return told, rows(told, "price", "devices")[0]

    def test_what_is_compiled_is_fused(self):
        plain_told, plain = self.step()
        told, compiled = self.step("net = torch.compile(net)")
        self.assertFalse([part for part in plain_told["sections"] if part["id"] == "compiled"])
        operators, kernels = (value(told, "compiled", name) for name in ("operators", "kernels"))
        self.assertGreaterEqual(operators, 3 * 5)
        # forward: two products a block, and one kernel before, between and behind them, as the sum goes with the next norm
        self.assertLess(kernels, operators - 6)
        self.assertGreaterEqual(kernels, 3 * (2 + 4) + 2 * 3)
        self.assertLess(compiled["device_us"], plain["device_us"])
        self.assertGreater(compiled["device_us"], 0.3 * plain["device_us"])
        self.assertEqual(value(told, "compiled", "basis"), "analytic")

    def test_the_host_has_less_to_do(self):
        small = [rows(self.priced(text(more=more)), "price", "devices")[0] for more in ("", "net.compile()")]
        self.assertLess(small[1]["without_device_us"], 0.95 * small[0]["without_device_us"])

    def test_a_function_alone(self):
        told = self.priced("""
            import torch
            @torch.compile(dynamic=True)
            def loss_of(y):
                return ((y * 2 + 1).tanh() * y).sigmoid().mean()
            net = torch.nn.Linear(1024, 1024).cuda()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(4):
                loss = loss_of(net(torch.randn(4096, 1024, device="cuda")))
                optimizer.zero_grad(); loss.backward(); optimizer.step()
        """)
        self.assertEqual(value(told, "compiled", "kernels"), 2)  # one forth, one back
        self.assertGreaterEqual(value(told, "compiled", "operators"), 12)


if __name__ == "__main__":
    unittest.main()
