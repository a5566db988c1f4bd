# SPDX-License-Identifier: Apache-2.0
"""For run.py: torch.cuda, as it would answer on the asked device.

It lies as steptime_dry_device.py beside the sitecustomize.py that run.py is.
"""
import types

from steptime_dry_attention import attention_as_there
from steptime_dry_end import end
from steptime_dry_plan import DEVICE_BYTES, DEVICE_CAPABILITY, DEVICE_NAME, DEVICE_SMS, RANKS, SERVER, count, place
from steptime_dry_streams import Event, Stream, entered, go_on, state, usual
from steptime_dry_words import autocast_on_host, defaults_there, generators_on_host, modules_stay, stay_in_words, tensors_say_so, words_mode

NOTHING = ("init", "_lazy_init", "set_device", "synchronize", "empty_cache", "ipc_collect", "reset_peak_memory_stats",
           "reset_max_memory_allocated", "reset_max_memory_cached", "reset_accumulated_memory_stats", "manual_seed",
           "manual_seed_all", "seed", "seed_all", "set_per_process_memory_fraction", "set_sync_debug_mode",
           "_sleep", "set_rng_state", "set_rng_state_all", "reset_memory_stats")
FIGURES = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_cached",
           "max_memory_cached")


class Place:
    """with torch.cuda.device(0)"""

    def __init__(self, *_, **__):
        self.idx = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def properties():
    return types.SimpleNamespace(
        name=DEVICE_NAME, major=DEVICE_CAPABILITY[0], minor=DEVICE_CAPABILITY[1], total_memory=DEVICE_BYTES,
        multi_processor_count=DEVICE_SMS, is_integrated=0, is_multi_gpu_board=0, warp_size=32, gcnArchName="",
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536, shared_memory_per_block=49152,
        shared_memory_per_block_optin=101376, L2_cache_size=50 << 20, uuid="dry")


def how_many():
    end.counted = place()
    return max(1, min(RANKS, SERVER))


def answers(torch):
    return {
        "is_available": lambda: True, "is_initialized": lambda: True, "device_count": how_many,
        "current_device": lambda: 0, "get_device_name": lambda *_: DEVICE_NAME,
        "get_device_capability": lambda *_: DEVICE_CAPABILITY, "get_device_properties": lambda *_: properties(),
        "mem_get_info": lambda *_: (DEVICE_BYTES, DEVICE_BYTES), "memory_stats": lambda *_: {},
        "memory_summary": lambda *_, **__: "", "is_bf16_supported": lambda *_, **__: DEVICE_CAPABILITY >= (8, 0),
        "get_arch_list": lambda: [f"sm_{DEVICE_CAPABILITY[0]}{DEVICE_CAPABILITY[1]}"],
        "get_rng_state": lambda *_: torch.get_rng_state(), "get_rng_state_all": lambda: [torch.get_rng_state()],
        "Stream": Stream, "Event": Event, "ExternalStream": Stream, "device": Place, "device_of": Place,
        "stream": entered, "StreamContext": entered, "set_stream": go_on,
        "current_stream": lambda *_: state.current, "default_stream": lambda *_: usual, "initial_seed": lambda: 0,
        "can_device_access_peer": lambda *_: True, "get_sync_debug_mode": lambda: 0, "utilization": lambda *_: 0,
        "is_current_stream_capturing": lambda: False, "get_device_index": lambda *_, **__: 0,
    }


def answer_cuda(torch):
    cuda = torch.cuda
    for name, value in answers(torch).items():
        setattr(cuda, name, value)
    for name in NOTHING:
        setattr(cuda, name, lambda *_, **__: None)
    for name in FIGURES:
        setattr(cuda, name, lambda *_, name=name, **__: count("value", f"torch.cuda.{name}()") or 0)
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, lambda *_: 0)
    for module in (cuda.memory, cuda.random, cuda.streams):
        for name in dir(module):
            if name in vars(cuda) and callable(getattr(module, name)) and not name.startswith("_"):
                setattr(module, name, getattr(cuda, name))
    cuda.amp.common.amp_definitely_not_available = lambda: False
    torch.version.cuda = torch.version.cuda or "12.8"
    torch.backends.cuda.is_built = lambda: True
    torch.backends.cudnn.is_available = lambda: True
    torch.backends.cudnn.version = lambda: 91000


def answer_accelerator(torch):
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    accelerator.is_available = lambda: True
    accelerator.device_count = torch.cuda.device_count
    accelerator.current_accelerator = lambda *_, **__: torch.device("cuda")
    accelerator.current_device_index = lambda: 0
    accelerator.current_stream = lambda *_: state.current
    accelerator.set_stream = go_on
    accelerator.synchronize = accelerator.set_device_index = lambda *_: None


def optimizers_as_there(torch):
    """On a device they take all tensors at once, unless told otherwise."""
    from torch.optim import optimizer
    from torch.utils import _foreach_utils
    for module in (optimizer, _foreach_utils):
        if hasattr(module, "_get_foreach_kernels_supported_devices"):
            module._get_foreach_kernels_supported_devices = lambda: ["cuda", "cpu"]


TYPES = ("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "LongTensor", "IntTensor", "ShortTensor", "CharTensor",
         "ByteTensor", "BoolTensor")


def types_of_old(torch):
    """torch.cuda.FloatTensor(...), from before tensors had devices."""
    for name in TYPES:
        kind = getattr(torch, name)

        class Type:
            host = kind

            def __new__(cls, *arguments):
                made = cls.host(*arguments)
                sizes = all(isinstance(one, (int, torch.Size)) for one in arguments)
                return torch.empty(made.shape, dtype=made.dtype, device="cuda") if sizes else made.to("cuda")
        Type.__name__ = name
        setattr(torch.cuda, name, Type)


def one_replica(torch):
    """DataParallel over one device is the module itself, behind a copy of what lies on the host."""
    def there(value):
        return value.to("cuda", non_blocking=True) if isinstance(value, torch.Tensor) else value

    def forward(parallel, *inputs, **named):
        return parallel.module(*map(there, inputs), **{name: there(value) for name, value in named.items()})
    torch.nn.DataParallel.forward = forward


def answer(torch, places):
    one_replica(torch)
    types_of_old(torch)
    state.torch = torch
    answer_cuda(torch)
    answer_accelerator(torch)
    optimizers_as_there(torch)
    attention_as_there(torch)
    generators_on_host(torch)
    defaults_there(torch, places)
    autocast_on_host(torch)
    tensors_say_so(torch, places)
    modules_stay(torch, places)
    mode = words_mode(torch, places)
    mode.__enter__()
    stay_in_words(torch, mode)
