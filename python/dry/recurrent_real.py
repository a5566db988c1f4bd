# SPDX-License-Identifier: Apache-2.0
"""For recurrent.py: a run with data. The operators of the device's library have the host's PyTorch behind them, of which nothing
is noted, so that the run has the operators that a dry run has.

It lies as steptime_dry_recurrent_real.py beside the sitecustomize.py that run.py is.
"""
import contextlib

NAMES = ("rnn_relu", "rnn_tanh", "lstm", "gru")


class Host:
    """given: the host's functions by name."""

    def __init__(self, torch, given, kept):
        self.torch, self.given, self.kept = torch, given, kept

    @contextlib.contextmanager
    def unnoticed(self):
        self.torch.autograd._enable_record_function(False)
        try:
            yield
        finally:
            self.torch.autograd._enable_record_function(True)

    @contextlib.contextmanager
    def with_gradients(self):
        """A kernel lies below them."""
        guard = self.torch._C._SetExcludeDispatchKeyGuard
        keys = [getattr(self.torch._C.DispatchKey, name) for name in ("AutogradFunctionality", "AutogradOther", "ADInplaceOrView")]
        with contextlib.ExitStack() as stack:
            for key in keys:
                stack.enter_context(guard(key, False))
            stack.enter_context(self.torch.enable_grad())
            yield

    def layer(self, mode, data, weights, stride, hidden, cell, layers, batch_first, dropout, train, both_ways, sizes):
        """Output, state and that of the cell; None where it has none."""
        state = [hidden, cell] if mode == 2 else hidden
        rest = (list(weights), stride >= 4, layers, dropout, train, both_ways)
        made = self.given[NAMES[mode]](*((data, self.torch.tensor(sizes, dtype=self.torch.int64), state, *rest) if sizes
                                         else (data, state, *rest, batch_first)))
        return (*made, None) if len(made) == 2 else made

    def forward(self, mode, data, weights, stride, hidden, cell, units, layers, batch_first, dropout, train, both_ways, sizes):
        with self.unnoticed():
            output, last, state = self.layer(mode, data, weights, stride, hidden, cell, layers, batch_first, dropout, train, both_ways,
                                             sizes)
            rows = output.numel() // output.shape[-1]
            kept = rows * units * layers * (2 if both_ways else 1) * self.kept[mode] * data.element_size() if train else 0
            state = data.new_empty(0) if state is None else state
            return output, last, state, data.new_empty(kept, dtype=self.torch.uint8)

    def backward(self, mode, data, weights, stride, hidden, cell, gradients, wanted, *rest):
        """Of all that a gradient is asked for, nothing where none comes back."""
        torch = self.torch
        with self.unnoticed(), self.with_gradients():
            of = [data, hidden] + ([cell] if cell is not None else []) + list(weights)
            of = [one.detach().requires_grad_() for one in of]
            first = 2 + (cell is not None)
            made = self.layer(mode, of[0], of[first:], stride, of[1], of[2] if first > 2 else None, *rest)
            pairs = [(one, gradient) for one, gradient in zip(made, gradients) if one is not None and gradient is not None]
            found = torch.autograd.grad([one for one, _ in pairs], of, [gradient for _, gradient in pairs], allow_unused=True)
        found = [torch.zeros_like(one) if gradient is None else gradient for one, gradient in zip(of, found)]
        state = found[2] if first > 2 else data.new_empty(0)
        return found[0], found[1], state, found[first:] if wanted[3] else []


def cell_kernels(torch):
    """A fused cell, by the operators that it stands for. What it keeps for its gradient is what comes out of its gates."""

    def gates_of(of_input, of_hidden, bias_in, bias_hidden):
        of_input = of_input if bias_in is None else of_input + bias_in
        of_hidden = of_hidden if bias_hidden is None else of_hidden + bias_hidden
        return of_input, of_hidden

    def lstm(of_input, of_hidden, cell, bias_in=None, bias_hidden=None):
        one, other = gates_of(of_input, of_hidden, bias_in, bias_hidden)
        take, keep, new, give = (one + other).chunk(4, 1)
        take, keep, new, give = take.sigmoid(), keep.sigmoid(), new.tanh(), give.sigmoid()
        state = keep * cell + take * new
        return give * state.tanh(), state, torch.cat([take, keep, new, give], 1)

    def lstm_gradient(of_output, of_state, cell, state, kept, has_bias):
        take, keep, new, give = kept.chunk(4, 1)
        through = state.tanh()
        of_output = torch.zeros_like(state) if of_output is None else of_output
        inner = of_output * give * (1 - through * through)
        inner = inner if of_state is None else inner + of_state
        gates = torch.cat([inner * new * take * (1 - take), inner * cell * keep * (1 - keep), inner * take * (1 - new * new),
                           of_output * through * give * (1 - give)], 1)
        return gates, inner * keep, gates.sum(0) if has_bias else gates.new_empty(0)

    def gru(of_input, of_hidden, hidden, bias_in=None, bias_hidden=None):
        one, other = gates_of(of_input, of_hidden, bias_in, bias_hidden)
        (reset_in, keep_in, new_in), (reset, keep, new) = one.chunk(3, 1), other.chunk(3, 1)
        reset, keep = (reset_in + reset).sigmoid(), (keep_in + keep).sigmoid()
        made = (new_in + reset * new).tanh()
        return made + keep * (hidden - made), torch.cat([reset, keep, made, hidden, new], 1)

    def gru_gradient(gradient, kept, has_bias):
        reset, keep, made, hidden, new = kept.chunk(5, 1)
        of_new = gradient * (1 - keep) * (1 - made * made)
        of_reset = of_new * new * reset * (1 - reset)
        of_keep = gradient * (hidden - made) * keep * (1 - keep)
        of_input, of_hidden = torch.cat([of_reset, of_keep, of_new], 1), torch.cat([of_reset, of_keep, of_new * reset], 1)
        bias = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (gradient.new_empty(0), gradient.new_empty(0))
        return of_input, of_hidden, gradient * keep, *bias
    return {"_thnn_fused_lstm_cell": lstm, "_thnn_fused_lstm_cell_backward_impl": lstm_gradient, "_thnn_fused_gru_cell": gru,
            "_thnn_fused_gru_cell_backward": gru_gradient}


def layer_kernels(host):
    def cudnn(data, weights, stride, in_one, hidden, cell, mode, units, out, layers, *rest):
        made = host.forward(mode, data, weights, stride, hidden, cell, units, layers, *rest[:-1])
        return (*made, data.new_empty(0))

    def miopen(data, weights, stride, hidden, cell, mode, units, layers, *rest):
        made = host.forward(mode, data, weights, stride, hidden, cell, units, layers, *rest[:-1])
        return (*made, data.new_empty(sum(one.numel() for one in weights)))

    def cudnn_gradient(data, weights, stride, in_one, hidden, cell, output, one, two, three, mode, units, out, *rest):
        return host.backward(mode, data, weights, stride, hidden, cell, (one, two, three), rest[-1], *rest[:-3])

    def miopen_gradient(data, weights, stride, in_one, hidden, cell, output, one, two, three, mode, units, *rest):
        return host.backward(mode, data, weights, stride, hidden, cell, (one, two, three), rest[-1], *rest[:-3])
    return {"_cudnn_rnn": cudnn, "miopen_rnn": miopen, "_cudnn_rnn_backward": cudnn_gradient, "miopen_rnn_backward": miopen_gradient}


def unnoticed(host, kernel):
    def quiet(*arguments):
        with host.unnoticed():
            return kernel(*arguments)
    return quiet


def stand_behind(torch, given, kept):
    """The library, which is to be kept: what it registered ends with it. None: this PyTorch is too old for that."""
    if not hasattr(torch._C, "_SetExcludeDispatchKeyGuard") or not hasattr(torch.autograd, "_enable_record_function"):
        return None
    library, host = torch.library.Library("aten", "IMPL"), Host(torch, given, kept)
    for name, kernel in layer_kernels(host).items():
        library.impl(name, kernel, "CPU")
    for name, kernel in cell_kernels(torch).items():
        library.impl(name, unnoticed(host, kernel), "CPU")
    return library
