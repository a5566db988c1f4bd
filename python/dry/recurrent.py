# SPDX-License-Identifier: Apache-2.0
"""For run.py: recurrent layers and cells as on the asked device. PyTorch chooses by the device, far below its Python.

It lies as steptime_dry_recurrent.py beside the sitecustomize.py that run.py is.

A layer of the device is one call of cuDNN (on AMD of MIOpen), a cell two products and a fused kernel. The rules are those of
PyTorch's RNN.cpp:

    cuDNN     float32, float64 and float16; bfloat16 from generation 8.0 on; not where it was switched off, nor of an empty input
    MIOpen    float32 and float16, no projection
    steps     all else, a product each, as the host does; their cells are not fused here

Weights are taken to lie in one piece of memory, as flatten_parameters() lays them: no copies of them are in a call. Without data
there is no telling how much memory cuDNN keeps for the gradient: what it needs is taken, by KEPT.
"""
from steptime_dry_packed import known_values, pack_without_data
from steptime_dry_plan import DEVICE_CAPABILITY, DEVICE_NAME, REAL
from steptime_dry_recurrent_real import stand_behind

MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
KEPT = {0: 1, 1: 1, 2: 6, 3: 5}  # numbers that the gradient needs of each unit and step: gates, state, output
ON_AMD = DEVICE_NAME.startswith("AMD ")
BFLOAT16_FROM = (8, 0)


class Layers:
    def __init__(self, torch, places):
        self.torch, self.places = torch, places
        self.kernels = None  # of a run with data

    def on_device(self, tensor):
        """A script may put nothing there: all of it is taken to lie there then."""
        return self.places.lies_there(tensor) or not self.places.storages.made

    def kinds(self):
        torch = self.torch
        if ON_AMD:
            return (torch.float32, torch.float16)
        later = (torch.bfloat16,) if DEVICE_CAPABILITY >= BFLOAT16_FROM else ()
        return (torch.float32, torch.float64, torch.float16) + later

    def takes(self, data, weights, hidden):
        """Whether the library of the device computes the layer as a whole."""
        projected = ON_AMD and len(hidden) > 1 and hidden[0].shape[-1] != hidden[1].shape[-1]
        return (self.on_device(data) and self.torch.backends.cudnn.enabled and data.numel() > 0 and not projected
                and data.dtype in self.kinds() and all(one.dtype == data.dtype for one in (*weights, *hidden)))

    def cast(self, data, weights, hidden):
        """As autocast does for a layer of the device: all of it to 16 bits."""
        torch = self.torch
        if not torch.is_autocast_enabled("cpu") or not self.on_device(data):
            return data, weights, hidden
        kind = torch.get_autocast_dtype("cpu")

        def to(one):
            return one.to(kind) if one.dtype == torch.float32 else one
        return to(data), [to(one) for one in weights], [to(one) for one in hidden]

    def run(self, name, given, data, sizes, hidden, weights, bias, layers, dropout, train, both_ways, batch_first):
        hidden = list(hidden) if name == "lstm" else [hidden]
        data, weights, hidden = self.cast(data, list(weights), hidden)
        if not self.takes(data, weights, hidden):
            return given()
        projected = name == "lstm" and hidden[0].shape[-1] != hidden[1].shape[-1]
        units, out = hidden[-1].shape[-1], hidden[0].shape[-1] if projected else 0
        stride = (4 if bias else 2) + projected
        cell = hidden[1] if name == "lstm" else None
        rest = (layers, batch_first, float(dropout), train, both_ways, sizes, None)
        aten = self.torch.ops.aten
        if ON_AMD:
            output, last, state, *_ = aten.miopen_rnn(data, weights, stride, hidden[0], cell, MODES[name], units, *rest)
        else:
            in_one = data.new_empty(0)  # all weights in one piece of memory: no further memory here
            output, last, state, *_ = aten._cudnn_rnn(data, weights, stride, in_one, hidden[0], cell, MODES[name], units, out, *rest)
        return (output, last, state) if name == "lstm" else (output, last)


def wrapped(layers, name, given):
    """Of both kinds of calls: a padded batch, and a packed one with the sizes of its steps."""
    def layer(*arguments, **named):
        def as_given():
            return given(*arguments, **named)
        if named or len(arguments) < 4:  # as no module of PyTorch calls it
            return as_given()
        packed = isinstance(arguments[3], (list, tuple))  # data, sizes, hidden, weights; else data, hidden, weights, bias
        if packed:
            data, sizes, hidden, weights, *rest = arguments
            return layers.run(name, as_given, data, steps_of(data, sizes), hidden, weights, *rest, False)
        data, hidden, weights, *rest = arguments
        return layers.run(name, as_given, data, [], hidden, weights, *rest)
    return layer


def steps_of(data, sizes):
    """Where nobody knows them, all steps have as many sequences."""
    if REAL:
        return sizes.tolist()
    return known_values(sizes) or [-(-data.shape[0] // sizes.numel())] * sizes.numel()


# ---- cells ----

def cells(layers, torch):
    aten = torch.ops.aten

    def fused(data):
        return layers.on_device(data) and data.dtype.is_floating_point and data.numel() > 0

    def gates(data, hidden, weight_in, weight_hidden):
        return torch.matmul(data, weight_in.t()), torch.matmul(hidden, weight_hidden.t())

    def lstm_cell(given):
        def cell(data, hidden, weight_in, weight_hidden, bias_in=None, bias_hidden=None):
            if not fused(data):
                return given(data, hidden, weight_in, weight_hidden, bias_in, bias_hidden)
            of_input, of_hidden = gates(data, hidden[0], weight_in, weight_hidden)
            output, state, _ = aten._thnn_fused_lstm_cell(of_input, of_hidden, hidden[1].to(of_input.dtype), bias_in, bias_hidden)
            return output, state
        return cell

    def gru_cell(given):
        def cell(data, hidden, weight_in, weight_hidden, bias_in=None, bias_hidden=None):
            if not fused(data):
                return given(data, hidden, weight_in, weight_hidden, bias_in, bias_hidden)
            of_input, of_hidden = gates(data, hidden, weight_in, weight_hidden)
            return aten._thnn_fused_gru_cell(of_input, of_hidden, hidden.to(of_input.dtype), bias_in, bias_hidden)[0]
        return cell
    return {"lstm_cell": lstm_cell, "gru_cell": gru_cell}


def by_place(make, given):
    """Arguments by name are none of PyTorch's modules'."""
    made = make(given)

    def cell(*arguments, **named):
        return given(*arguments, **named) if named else made(*arguments)
    return cell


# ---- results without data ----

def steps_first(data, sizes, batch_first):
    """Libraries have steps first in memory, whatever the order of dimensions."""
    return data.new_empty((sizes[1], sizes[0], sizes[2])).transpose_(0, 1) if batch_first and len(sizes) == 3 else data.new_empty(sizes)


def shapes_of(data, hidden, layers, both_ways, units, out):
    ways, wide = 2 if both_ways else 1, out or units
    batch = hidden.shape[1]
    output = [*data.shape[:-1], wide * ways]
    return output, [layers * ways, batch, wide], [layers * ways, batch, units]


def forward(torch, mode_of_cell, data, hidden, cell, units, out, layers, batch_first, train, both_ways, sizes):
    output, last, state = shapes_of(data, hidden, layers, both_ways, units, out)
    rows = output[0] if len(output) == 2 else output[0] * output[1]
    kept = rows * units * layers * (2 if both_ways else 1) * KEPT[mode_of_cell] * data.element_size() if train else 0
    return (steps_first(data, output, batch_first), data.new_empty(last), data.new_empty(state if cell is not None else [0]),
            data.new_empty(kept, dtype=torch.uint8))


def backward(data, weights, hidden, cell, wanted, batch_first):
    def like(one, is_wanted):
        return one.new_empty(one.shape) if is_wanted and one is not None else None
    return (steps_first(data, data.shape, batch_first) if wanted[0] else None, like(hidden, wanted[1]), like(cell, wanted[2]),
            [like(one, True) for one in weights] if wanted[3] else [])


def results(torch):
    """By operator: what comes out of it."""
    aten = torch.ops.aten

    def cudnn(data, weights, stride, in_one, hidden, cell, mode, units, out, layers, batch_first, dropout, train, both_ways, sizes,
              state):
        return (*forward(torch, mode, data, hidden, cell, units, out, layers, batch_first, train, both_ways, sizes), in_one)

    def miopen(data, weights, stride, hidden, cell, mode, units, layers, batch_first, dropout, train, both_ways, sizes, state):
        made = forward(torch, mode, data, hidden, cell, units, 0, layers, batch_first, train, both_ways, sizes)
        return (*made, data.new_empty(sum(one.numel() for one in weights)))

    def gradient(data, weights, stride, in_one, hidden, cell, *rest):
        return backward(data, weights, hidden, cell, rest[-1], rest[-8])

    def gru_cell(of_input, of_hidden, hidden, bias_in=None, bias_hidden=None):
        return hidden.new_empty(hidden.shape), of_input.new_empty(hidden.shape[0], 5 * hidden.shape[1])

    def gru_cell_gradient(gradient, kept, has_bias):
        wide = [gradient.shape[0], 3 * gradient.shape[1]]
        bias = [gradient.new_empty(wide[1]) if has_bias else None for _ in range(2)]
        return gradient.new_empty(wide), gradient.new_empty(wide), gradient.new_empty(gradient.shape), *bias
    return {aten._cudnn_rnn.default: cudnn, aten.miopen_rnn.default: miopen, aten._cudnn_rnn_backward.default: gradient,
            aten.miopen_rnn_backward.default: gradient, aten._thnn_fused_gru_cell.default: gru_cell,
            aten._thnn_fused_gru_cell_backward.default: gru_cell_gradient}


def give_results(torch, mode):
    dispatch, made = mode.dispatch, results(torch)

    def with_results(func, types, arguments=(), named=None):
        result = made.get(func)
        if result is None:
            return dispatch(func, types, arguments, named)
        with mode:
            return result(*arguments, **(named or {}))
    mode.dispatch = with_results


# ---- the way in ----

def recurrent_as_there(torch, places, mode):
    layers, functions, table = Layers(torch, places), torch._VF, torch.nn.modules.rnn._rnn_impls
    given = {name: getattr(functions, name) for name in MODES}
    if REAL:
        layers.kernels = stand_behind(torch, given, KEPT)
        if layers.kernels is None:
            return  # the host computes each step by itself
    else:
        give_results(torch, mode)
        pack_without_data(torch)
    for name in MODES:
        there = wrapped(layers, name, given[name])
        for module in (functions, torch):
            setattr(module, name, there)
        if name.upper() in table:
            table[name.upper()] = there
    for name, make in cells(layers, torch).items():
        there = by_place(make, getattr(functions, name))
        for module in (functions, torch):
            setattr(module, name, there)
