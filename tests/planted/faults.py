# SPDX-License-Identifier: Apache-2.0
"""What can go wrong at one place of a step: each cause leaves the rows that PyTorch and CUDA leave of it.

A cause is a function of (step, microseconds): it keeps the host of one rank busy so long, to a few microseconds; what it took
to the nanosecond is in Fault.told.
"""
import inspect


class Fault:
    """`cause` acts at `place` of the steps for which `when` (of the step's index among the recorded) says so."""

    def __init__(self, cause, place, us, rank=0, when=lambda index: True):
        self.cause, self.place, self.us, self.rank, self.when = cause, place, us, rank, when
        self.told = {}  # index of the step: microseconds planted

    def __call__(self, step, place):
        if place == self.place and self.rank in (step.machine.rank, None) and self.when(step.index):
            begin = step.machine.now
            done = self.cause(step, self.us)
            if inspect.isgenerator(done):
                yield from done
            self.told[step.index] = self.told.get(step.index, 0) + (step.machine.now - begin) / 1000


def parts(machine, us, *calls, resource="host", cat=None):
    """Calls one after the other that share the time: (name, share)..."""
    for name, share in calls:
        if cat:
            with machine.row(name, cat=cat):
                machine.spend(us * share, resource, exact=True)
        else:
            machine.call(name, us * share, resource, exact=True)


def alone(machine, us, resource="host"):
    machine.spend(us, resource, exact=True)


# Compilation


def compilation(step, us):
    """torch.compile as 2.13 records it: timed phases, and an annotation with the compile id."""
    machine = step.machine
    machine.counts["compilation"] += 1
    about = f"entire_frame_compile_data: fn_name=_compile.compile_inner, compile_id=0/{machine.counts['compilation']}"
    with machine.row("entire_frame_compile"), machine.row("_compile.compile_inner (dynamo_timed)"):
        with machine.range(about):
            alone(machine, 1)
        with machine.row("bytecode_tracing (dynamo_timed)"):
            alone(machine, 0.3 * us)
        with machine.row("backend_compile"), machine.row("OutputGraph.call_user_compiler (dynamo_timed)"), \
                machine.row("compile_fx_inner (dynamo_timed)"):
            alone(machine, 0.2 * us)
            with machine.row("async_compile.wait (dynamo_timed)"):
                alone(machine, 0.5 * us - 1)


def triton(step, us):
    machine = step.machine
    with machine.row("## Call CompiledFxGraph fq3xk7pwm2 ##"):
        with machine.frame("triton/runtime/jit.py(594): run", "triton/compiler/compiler.py(226): compile",
                           "triton/backends/nvidia/compiler.py(402): make_cubin"):
            alone(machine, us)
        machine.launch(f"kernel_{step.index}", 20, call="cuLaunchKernel")


def runtime_compiler(step, us):
    """nvrtc: a hole in one operator before its first launch."""
    with step.machine.row("aten::special_gammainc", **{"Input Dims": [[step.tokens, 1024]]}):
        alone(step.machine, us)
        step.machine.launch("jiterated_gammainc_kernel", 20)


def autotune(step, us):
    with step.machine.frame("torch/_inductor/runtime/triton_heuristics.py(1012): run",
                            "torch/_inductor/runtime/triton_heuristics.py(870): autotune_to_one_config",
                            "torch/_inductor/runtime/triton_heuristics.py(820): benchmark_all_configs"):
        alone(step.machine, us, "start_up")
        step.machine.launch("triton_per_fused_native_layer_norm_3", 20, call="cuLaunchKernel")


# Libraries


def module_loading(step, us):
    """The first launch of a kernel loads its module: one call that takes very long."""
    with step.machine.row("aten::bmm"):
        step.machine.launch("cutlass_80_tensorop_bf16_s16816gemm_256x128", 20, call_us=us, exact=True,
                            call_resource="start_up")


def lazy_loading(step, us):
    """The same where the recorder knows: a row of overhead beside it, on no thread."""
    machine, begin = step.machine, step.machine.now
    module_loading(step, us)
    machine.plant.overhead(machine.clock(begin) / 1000, us, "Lazy Function Loading")


def library_start(step, us):
    with step.machine.row("aten::cudnn_convolution"):
        parts(step.machine, us, ("cudaFree", 0.5), ("cudaDeviceGetStreamPriorityRange", 0.1),
              ("cudaStreamCreateWithFlags", 0.3), ("cudaHostAlloc", 0.1), resource="start_up")
        step.machine.launch("cudnn::ops::nchwToNhwcKernel<float>", 30)


def library_search(step, us):
    """cuDNN tries algorithms: workspaces come and go, each has its kernel."""
    machine, tries = step.machine, 8
    with machine.row("aten::cudnn_convolution", **{"Input Dims": [[64, 3, 224, 224], [64, 3, 7, 7]]}):
        for number in range(tries):
            parts(machine, us / tries, ("cudaMalloc", 0.2), resource="start_up")
            alone(machine, us / tries * 0.6 - 3, "start_up")
            machine.launch(f"sm80_xmma_fprop_implicit_gemm_algo{number}", 40, exact=True)
            parts(machine, us / tries, ("cudaFree", 0.2), resource="start_up")


# Memory


def allocator_growth(step, us):
    with step.machine.row("aten::empty", **{"Input Dims": []}):
        parts(step.machine, us, ("cudaMalloc", 0.5), ("cudaMalloc", 0.3), ("cudaMalloc", 0.2))


def allocator_retry(step, us):
    """Memory is full: what is cached is given back, then it is tried again."""
    with step.machine.row("aten::empty"):
        parts(step.machine, us, ("cudaMalloc", 0.05), *[("cudaFree", 0.1)] * 8, ("cudaMalloc", 0.15))


def caching_off(step, us):
    with step.machine.row("aten::empty"):
        parts(step.machine, us, ("cudaMalloc", 0.5))
    parts(step.machine, us, ("cudaFree", 0.5))


def expandable_segments(step, us):
    with step.machine.row("aten::empty"):
        parts(step.machine, us, ("cuMemCreate", 0.4), ("cuMemMap", 0.2), ("cuMemSetAccess", 0.4), cat="cuda_driver")


def free_that_waits(step, us):
    """One long kernel, then a cudaFree that ends with it: the time is the kernel's."""
    machine = step.machine
    with machine.row("aten::cumsum"):
        end = machine.launch("void at::native::tensor_kernel_scan_innermost_dim<float>", us)
    with machine.row("aten::empty"):
        machine.wait(end, "cudaFree")


# Python, files, sleep


def gc(step, us):
    with step.machine.frame("train.py(75): collect", "<built-in function collect>"):
        alone(step.machine, us)


def gc_in_range(step, us):
    with step.machine.range("gc"):
        alone(step.machine, us)


def checkpoint(step, us):
    machine = step.machine
    with machine.range("save_checkpoint"), machine.frame("torch/serialization.py(943): save",
                                                         "torch/serialization.py(1190): _save"):
        for _ in range(8):
            with machine.row("aten::copy_"):
                machine.wait(machine.copy("DtoH", "Pageable", us * 0.001, 1 << 22))
        alone(machine, us * 0.99, "stalls")  # the disk


def logging(step, us):
    with step.machine.frame("torch/utils/tensorboard/writer.py(340): add_scalar", "logging/__init__.py(1100): emit",
                            "<method 'write' of '_io.TextIOWrapper' objects>"):
        alone(step.machine, us, "stalls")


def loading(step, us):
    alone(step.machine, us, "data")


def sleep(step, us):
    with step.machine.frame("train.py(70): wait_for_lock", "<built-in function sleep>"):
        alone(step.machine, us, "stalls")


def nothing_recorded(step, us):
    """A hole in a range: neither operator nor call."""
    with step.machine.range("# running sparse arch"):
        alone(step.machine, us, "stalls")


def in_backward(step, us):
    """Inside a custom autograd function."""
    with step.machine.row("autograd::engine::evaluate_function: LateBackward"), step.machine.row("LateBackward"):
        alone(step.machine, us, "stalls")


def python_work(step, us):
    with step.machine.frame("model.py(88): route_tokens", "<built-in method tolist of Tensor object>"):
        alone(step.machine, us)


def evaluation(step, us):
    with step.machine.range("evaluate"), step.machine.frame("train.py(120): evaluate", "metrics.py(14): accuracy"):
        alone(step.machine, us)


# Waiting


def read_back(step, us):
    """Reads a number back: the host waits for the device, which then has nothing to do."""
    step.read_back()
    alone(step.machine, us)


def host_barrier(step, us):
    yield from step.machine.gloo("barrier", 1, us, "c10d::barrier")


def capture(step, us, resource="start_up"):
    """A CUDA graph is captured, instantiated and launched."""
    machine = step.machine
    with machine.row("CUDAGraph capture", cat="user_annotation"):
        machine.call("cudaStreamBeginCapture", 0.01 * us, resource, exact=True)
        alone(machine, 0.59 * us, resource)
        machine.call("cudaStreamEndCapture", 0.1 * us, resource, exact=True)
        machine.call("cudaGraphInstantiateWithFlags", 0.3 * us, resource, exact=True)
    machine.launch("ampere_sgemm_128x64_nn", 30, call="cudaGraphLaunch")


def capture_again(step, us):
    """In each step: no start-up, but what the host does."""
    capture(step, us, "host")


# Kinds that came later


def nested_ranges(step, us):
    """Work of the user's deep inside ranges, never of one length."""
    with step.machine.range("model"), step.machine.range("layers.3"), step.machine.range("expert_router"):
        alone(step.machine, us * (1 + 0.07 * step.index))


def hole(step, us):
    """Nothing at all is recorded of it, and it is never of one length."""
    alone(step.machine, us * (1 + 0.07 * step.index))


def lock(step, us):
    """Another thread holds what this one wants."""
    with step.machine.frame("prefetch.py(31): take", "threading.py(355): wait",
                            "<method 'acquire' of '_thread.lock' objects>"):
        alone(step.machine, us * (1 + 0.07 * step.index), "stalls")


def hip_module(step, us):
    with step.machine.row("aten::bmm"):
        parts(step.machine, us, ("hipModuleLoadData", 1.0), resource="start_up")
        step.machine.launch("Cijk_Ailk_Bljk_BBS_BH_MT128x128x32", 20)


def search_again(step, us):
    """Shapes change in each step, so algorithms are tried in each."""
    machine, tries = step.machine, 6
    with machine.row("aten::miopen_convolution", **{"Input Dims": [[64 + step.index, 3, 224, 224], [64, 3, 7, 7]]}):
        for number in range(tries):
            parts(machine, us / tries, ("cudaMalloc", 0.2))
            alone(machine, us / tries * 0.6 - 3)
            machine.launch(f"miopenSp3AsmConv_v21_1_2_gfx9_fp32_f{number}", 40, exact=True)
            parts(machine, us / tries, ("cudaFree", 0.2))


def printing(step, us):
    with step.machine.frame("train.py(93): report", "<built-in function print>"):
        alone(step.machine, us, "stalls")
