# SPDX-License-Identifier: Apache-2.0
"""A stand-in for PyTorch of a few lines, for tests that need a script that misbehaves, not a framework: it has the places
where verify, tune and record listen. Tensors made of lists of lists take SLOW_S each; so do arrays made of other lists."""

SLOW_S = 0.012

STAND_IN = f'SLOW_S = {SLOW_S}' + '''
import random, sys, time, types
__version__ = "0.0-stand-in"
float64 = "float64"
def manual_seed(seed): random.seed(1000 + seed)
class Tensor:
    def __init__(self, *values):
        if values and isinstance(values[0], list) and isinstance(values[0][0], list): time.sleep(SLOW_S)
        self.values = [1.0] if values and isinstance(values[0], (list, tuple)) else [float(v) for v in values]
    def float(self): return self
    def to(self, where): return self
    def numel(self): return len(self.values)
    def is_complex(self): return False
    def detach(self): return self
    def double(self): return self
    def cpu(self): return self
    def reshape(self, size): return self
    def __len__(self): return len(self.values)
    def numpy(self): raise RuntimeError("NumPy is not available")
    def tolist(self): return self.values
    def item(self): return self.values[0]
    def backward(self): autograd.backward(self)
device = str
def tensor(value, dtype=None): return Tensor(value)
def save(obj, path): open(path, "w").close()
def backward(tensors, grad_tensors=None): pass
autograd = types.SimpleNamespace(backward=backward)
class profile:
    def __init__(self, *_, **__): raise RuntimeError("a stand-in has no profiler")
    def _prepare_trace(self): pass
autograd.profiler = types.SimpleNamespace(profile=profile)
autograd._profiler_enabled = lambda: False
profiler = types.SimpleNamespace(profile=profile, kineto_available=lambda: False)
distributed = types.SimpleNamespace(is_available=lambda: False)
class Optimizer:
    def __init__(self, parameters=()): pass
    def __setstate__(self, state): pass
class SGD(Optimizer):
    def step(self, closure=None): return 7
class Twice(SGD):
    def step(self, closure=None): return super().step(closure)
optim = types.SimpleNamespace(Optimizer=Optimizer, SGD=SGD, Twice=Twice)
nn = types.SimpleNamespace(Module=type("Module", (), {}))
class Event:
    clock = 0
    def __init__(self, enable_timing): pass
    def record(self): Event.clock += 3; self.at = Event.clock
    def elapsed_time(self, other): return float(other.at - self.at)
def refuse(): raise AssertionError("a step was synchronised")
cuda = types.SimpleNamespace(available=False, is_available=lambda: cuda.available, is_initialized=lambda: cuda.available,
                             Event=Event, synchronize=lambda: None, get_device_name=lambda: "stand-in device")
'''

NUMPY = f'SLOW_S = {SLOW_S}' + '''
import time, types
float32 = "float32"
def asarray(rows, dtype=None):
    if not isinstance(rows[0], list): time.sleep(SLOW_S)
    return tuple(rows)
random = types.SimpleNamespace(seed=lambda seed: None)
'''
