# SPDX-License-Identifier: Apache-2.0
"""Runs a script as it is, for real, on the CPU, and says what PyTorch's own tools count of it: the peak of MemTracker, or
the FLOPs of a step by FlopCounterMode.

    price_watch.py memory|flops STEPS SCRIPT

From the first optimizer on. After so many steps, each ended by the step() of that optimizer, the answer goes to the standard
output as a line of JSON behind "watched ".
"""
import gc
import json
import os
import runpy
import sys

import torch


def attention_of_the_host():
    """The counter does not know it and would count what it is composed of, which no device runs. By PyTorch's formulas of the same
    operator of CUDA, of a causal one half of that (doc/numbers/ops.md)."""
    from torch.utils.flop_counter import sdpa_backward_flop_count, sdpa_flop_count
    aten = torch.ops.aten

    def forward(query, key, value, dropout_p=0.0, is_causal=False, **_):
        return sdpa_flop_count(query, key, value) // (1 + is_causal)

    def backward(grad_out, query, key, value, out, logsumexp, dropout_p=0.0, is_causal=False, **_):
        return sdpa_backward_flop_count(grad_out, query, key, value) // (1 + is_causal)
    return {aten._scaled_dot_product_flash_attention_for_cpu: forward,
            aten._scaled_dot_product_flash_attention_for_cpu_backward: backward}


class Watch:
    def __init__(self, kind, steps):
        self.kind, self.steps, self.made = kind, steps, 0
        self.first = self.mode = None
        make, step = torch.optim.Optimizer.__init__, self.end_step

        def wrapper(optimizer, *arguments, **named):
            make(optimizer, *arguments, **named)
            if self.first is None:
                self.first = optimizer
                self.enter(optimizer)
                optimizer.register_step_post_hook(lambda *_: step())
        torch.optim.Optimizer.__init__ = wrapper

    def enter(self, optimizer):
        if self.kind == "flops":
            self.count()
            return
        from torch.distributed._tools import mem_tracker
        info = mem_tracker._WeakRefInfo  # pylint: disable=protected-access
        info._calculate_mem_consumed = lambda of: -(-of.size * of.element_size // 512) * 512  # as it does for GPUs

        class Tracker(mem_tracker.MemTracker):
            """Of a module that is called twice it would have figures of its own for each, which are not asked for."""

            def _pre_fw_hook(self, module, inputs):
                if not self._mod_tracker.is_bw:
                    self.memory_tracking.pop(module, None)
                super()._pre_fw_hook(module, inputs)

            def _track_module_params_and_buffers(self, module, install_grad_hooks=True):
                """It would ask frozen parameters for their gradients."""
                learns = all(parameter.requires_grad for parameter in module.parameters())
                return super()._track_module_params_and_buffers(module, install_grad_hooks and learns)
        self.mode = Tracker()
        held = gc.get_objects()
        modules = [one for one in held if issubclass(type(one), torch.nn.Module)]
        tensors = [one for one in held if issubclass(type(one), torch.Tensor)]
        inner = {id(child) for module in modules for child in module.children()}
        self.mode.track_external(*[module for module in modules if id(module) not in inner], optimizer, *tensors)
        self.mode.__enter__()

    def count(self):
        from torch.utils.flop_counter import FlopCounterMode
        self.mode = FlopCounterMode(display=False, custom_mapping=attention_of_the_host())
        self.mode.__enter__()

    def end_step(self):
        self.made += 1
        if self.made == self.steps:
            print("watched " + json.dumps(getattr(self, self.kind)()), flush=True)
            os._exit(0)
        if self.kind == "flops":
            self.mode.__exit__(None, None, None)
            self.count()
        else:
            self.mode.reset_mod_stats()

    def memory(self):
        peaks = self.mode.get_tracker_snapshot("peak")
        return {"peak_bytes": sum(of["Total"] for of in peaks.values())}

    def flops(self):
        counts = self.mode.get_flop_counts().get("Global", {})
        return {"flops": sum(counts.values()), "by": {str(name): count for name, count in counts.items()}}


def main():
    kind, steps, script = sys.argv[1:4]
    sys.argv = sys.argv[3:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    Watch(kind, int(steps))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
