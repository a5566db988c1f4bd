# SPDX-License-Identifier: Apache-2.0
"""steptime price: recurrent layers are the calls of the device's library that PyTorch makes there, and not a product a step."""
import os
import subprocess

from dry_real import MODE, nodes_of
from price_case import Case, rows, section

# A layer of each kind; none of their inputs needs a gradient.
LAYERS = """
import torch
from torch import nn
def layers():
    return {
        "stacked": nn.LSTM(24, 32, 2, dropout=0.1, batch_first=True),
        "both_ways": nn.GRU(24, 40, 2, bidirectional=True),
        "projected": nn.LSTM(24, 48, 2, proj_size=16, bidirectional=True),
        "plain": nn.RNN(24, 32, nonlinearity="relu"),
        "without_bias": nn.GRU(24, 32, bias=False),
    }
PACKED = nn.LSTM(24, 32)
LENGTHS = [9, 7, 7, 4, 1]
def outputs(made, where="cpu"):
    for name, layer in made.items():
        layer = layer.to(where)
        yield name, layer(torch.randn(9, 5, 24, device=where))[0]
def packed(where="cpu", ordered=True):
    lengths = torch.tensor(LENGTHS if ordered else LENGTHS[::-1])
    given = nn.utils.rnn.pack_padded_sequence(torch.randn(9, 5, 24, device=where), lengths, enforce_sorted=ordered)
    return nn.utils.rnn.pad_packed_sequence(PACKED.to(where)(given)[0])[0]
"""

TRAIN = LAYERS + """
made = layers()
optimizer = torch.optim.SGD([weight for layer in (*made.values(), PACKED) for weight in layer.parameters()], lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    loss = sum(output.sum() for _, output in outputs(made, "cuda")) + packed("cuda", False).sum()
    loss.backward()
    optimizer.step()
"""

COUNT = LAYERS + """
from torch.utils.flop_counter import FlopCounterMode
with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
    dict(outputs(layers()))
    packed()
print(counter.get_total_flops())
"""

SEVERAL = """
import torch
layers = [getattr(torch.nn, name)(16, 16, **more).to({where!r}, getattr(torch, kind)) for name, kind, more in {layers!r}]
optimizer = torch.optim.SGD([weight for layer in layers for weight in layer.parameters()], lr=0.1)
{more}
for _ in range(4):
    for layer in layers:
        like = next(layer.parameters())
        sizes = (6, 16) if "Cell" in type(layer).__name__ else (7, 6, 16)
        made = layer(torch.randn(sizes, device={where!r}, dtype=like.dtype))
        (made[0] if isinstance(made, tuple) else made).sum().backward()
    optimizer.step()
"""


class Recurrent(Case):
    def operators(self, document):
        return {row["operator"]: row for row in rows(document, "step", "operators")}

    def nodes(self, layers, *options, where="cuda", more=""):
        """The execution trace of a training of these layers: (name, type, further arguments)."""
        self.price(self.script(SEVERAL.format(layers=layers, where=where, more=more)), "--fallback", "never",
                   "--keep", self.path("kept.json"), *options)
        nodes = nodes_of(self.path("kept.json"))
        modes = {node["id"] for node in nodes if node["name"] == MODE}
        return [node for node in nodes if node["id"] not in modes and node["ctrl_deps"] not in modes]

    def calls(self, *arguments, **named):
        """Of the libraries, in the step that is kept."""
        names = [node["name"] for node in self.nodes(*arguments, **named)]
        forward, backward = ([names.count(f"aten::{library}{word}") for library in ("_cudnn_rnn", "miopen_rnn")]
                             for word in ("", "_backward"))
        self.assertEqual(forward, backward)
        return forward

    def counted(self):
        done = subprocess.run([self.python, self.script(COUNT, "count.py")], check=True, capture_output=True, text=True,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})
        return int(done.stdout)

    def test_flops_are_those_of_a_product_a_step(self):
        """What FlopCounterMode counts of the same layers on the host; backward twice of it. With data the same."""
        dry, real = (self.priced(TRAIN, "--fallback", way) for way in ("never", "always"))
        told = self.operators(dry)
        forward, backward = told["aten::_cudnn_rnn"], told["aten::_cudnn_rnn_backward"]
        self.assertEqual((forward["calls"], backward["calls"]), (6, 6))
        self.assertEqual(forward["flops"], self.counted())
        self.assertEqual(backward["flops"], 2 * forward["flops"])
        self.assertFalse({"aten::mm", "aten::addmm"} & set(told))
        self.assertEqual(told, self.operators(real))
        self.assertTrue(section(real, "fallback"))

    def test_the_library_is_taken_where_pytorch_takes_it(self):
        half, wide, brain = ("LSTM", "float16", {}), ("RNN", "float64", {}), ("GRU", "bfloat16", {})
        single, projected = ("LSTM", "float32", {}), ("LSTM", "float32", {"proj_size": 8})
        self.assertEqual(self.calls([half, wide, brain], "--hw", "T4"), [2, 0])
        self.assertEqual(self.calls([half, wide, brain, projected], "--hw", "A100-SXM4-80GB"), [4, 0])
        self.assertEqual(self.calls([half, wide, single, projected], "--hw", "MI300X"), [0, 2])
        self.assertEqual(self.calls([half, single], "--hw", "H100", more="torch.backends.cudnn.enabled = False"), [0, 0])

    def test_a_host_computes_each_step(self):
        self.assertEqual(self.calls([("GRU", "float32", {})], where="cpu"), [0, 0])

    def test_autocast_casts_a_layer_as_a_whole_and_cells_are_fused(self):
        nodes = self.nodes([(name, "float32", {}) for name in ("LSTM", "LSTMCell", "GRUCell")], "--hw", "H100",
                           more="torch.autocast('cuda', torch.float16).__enter__()")
        call = next(node for node in nodes if node["name"] == "aten::_cudnn_rnn")
        self.assertEqual(call["inputs"]["types"][0], "Tensor(c10::Half)")
        self.assertEqual(set(call["inputs"]["types"][1].split("[")[1].rstrip("]").split(",")), {"Tensor(c10::Half)"})
        names = {node["name"] for node in nodes}
        self.assertTrue({"aten::_thnn_fused_lstm_cell", "aten::_thnn_fused_lstm_cell_backward_impl", "aten::_thnn_fused_gru_cell",
                         "aten::_thnn_fused_gru_cell_backward"} <= names)
        self.assertFalse({"aten::sigmoid", "aten::tanh"} & names)
