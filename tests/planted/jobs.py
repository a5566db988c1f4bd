# SPDX-License-Identifier: Apache-2.0
"""The catalogue: jobs with something planted, and the truth about each.

A row is a Job. What it says is the truth that a report is compared with (compare.py); the times that follow from it are
run, not written down: the same job without the plant, and with each resource faster (truth.py).

cause   a row of the table of causes of idle time:
        compilation runtime_compiler module_loading library_start library_search allocator_growth allocator_retry
        caching_off expandable_segments device_work gc checkpoint logging loading_single loading_workers host_collective
        synchronisation sleep waiting unknown graph_capture python
        or of a job: compute_slower sequence_lengths link stage_imbalance
kind    of a late rank: compute_slower sequence_lengths loader gc compilation allocator link stage_imbalance skewed_start
        other
bound   what a step waits for most: device host communication data copies stalls start_up late_rank balanced; none where the trace
        cannot say; of the steps without the first and the last, so what happens in the first alone is no bound
"""
from dataclasses import dataclass, field

from planted import faults
from planted.pipelines import gloo_messages, messages
from planted.training import pipeline, training

WHEN = {"each": lambda index: True, "once": lambda index: index == 3, "warm_up": lambda index: index < 2,
        "first": lambda index: index == 0, "every_third": lambda index: index % 3 == 1, "before_third": lambda index: index == 2,
        "twice": lambda index: index in (2, 3), "from_second": lambda index: index > 0}


@dataclass
class Job:
    name: str
    ranks: int
    bound: str
    cause: str = None
    plant: object = None  # of faults.py: (step, us)
    ms: float = 0  # each time
    place: str = None  # of a step
    when: str = "each"
    rank: int = 0  # that has it
    phase: str = None
    where: str = None  # a frame, range or operator that the report is to name
    kind: str = None  # of a late rank
    setup: dict = field(default_factory=dict)
    normal: dict = field(default_factory=dict)  # of the setup, where the plant is a setting: what it is without
    program: object = training
    frames: bool = False
    vendor: str = "cuda"
    untold: bool = False  # nothing in the files tells that what was planted is no work of the host
    also: tuple = ()  # other bounds that may be named as well
    doubts: tuple = ()  # what the report has to tell
    never: tuple = ()  # words that its advice must not have
    damage: str = None  # what happened to the files (truth.py)
    vendors: dict = field(default_factory=dict)  # of single ranks

    def __post_init__(self):
        if self.when == "every_third":
            self.setup = {"steps": 9, **self.setup}

    @property
    def planted(self):
        return self.plant is not None or bool(self.normal)


def idle(name, bound, cause, plant, ms, place, when="each", **more):
    """One rank, whose device has nothing to do for a time."""
    more = {"frames": True, "phase": place if place in ("forward", "backward", "optimizer", "loader") else None, **more}
    return Job(name, 1, bound, cause, plant, ms, place, when, **more)


def late(name, ranks, rank, cause, plant, ms, place, when="each", kind="other", **more):
    """One rank of several is late, for a cause of its own; the others wait for it in a collective."""
    more = {"phase": place if place in ("forward", "backward", "optimizer", "loader") else None, **more}
    return Job(name, ranks, "late_rank", cause, plant, ms, place, when, rank, kind=kind, **more)


IDLE = [
    idle("triton_twice", "host", "compilation", faults.triton, 178, "forward", "twice", where="kernel_2",
         never=("launch less", "fewer launches", "CUDA graphs")),
    idle("dynamo_again", "host", "compilation", faults.compilation, 120, "forward", "twice", frames=False,
         never=("torch.compile it", "launch less")),
    idle("run_time_compiler", "host", "runtime_compiler", faults.runtime_compiler, 90, "forward", "once",
         where="aten::special_gammainc", never=("vectorise",)),
    idle("module_500_ms", "start_up", "module_loading", faults.module_loading, 500, "forward", "once", frames=False,
         where="cutlass_80_tensorop", never=("CUDA graphs", "launch less")),
    idle("module_told", "balanced", "module_loading", faults.lazy_loading, 90, "forward", "first", frames=False,
         where="Lazy Function Loading", never=("launch less",)),
    idle("library_begins", "balanced", "library_start", faults.library_start, 600, "forward", "first", frames=False,
         never=("caching", "fragment")),
    idle("cudnn_searches", "start_up", "library_search", faults.library_search, 160, "forward", "warm_up", frames=False,
         where="aten::cudnn_convolution"),
    idle("inductor_autotunes", "balanced", "library_search", faults.autotune, 140, "forward", "first",
         where="benchmark_all_configs"),
    idle("allocator_grows", "host", "allocator_growth", faults.allocator_growth, 40, "forward", "warm_up", frames=False),
    idle("allocator_retries", "host", "allocator_retry", faults.allocator_retry, 80, "forward", frames=False,
         never=("keep shapes the same",)),
    idle("caching_off_cuda", "host", "caching_off", faults.caching_off, 0.4, "operator", frames=False,
         never=("keep shapes",)),
    idle("caching_off_hip", "host", "caching_off", faults.caching_off, 0.4, "operator", frames=False, vendor="hip",
         never=("keep shapes",)),
    idle("segments_expand", "host", "expandable_segments", faults.expandable_segments, 30, "forward", "warm_up", frames=False,
         never=("fragment",)),
    idle("free_that_waits", "device", "device_work", faults.free_that_waits, 60, "forward", frames=False,
         where="tensor_kernel_scan_innermost_dim", never=("allocator",)),
    idle("gc_every_third", "host", "gc", faults.gc, 150, "after", "every_third", where="collect"),
    idle("checkpoint_every_third", "stalls", "checkpoint", faults.checkpoint, 250, "after", "every_third",
         where="serialization", never=("bf16",)),
    idle("logging_each", "stalls", "logging", faults.logging, 30, "after", where="add_scalar"),
    idle("loader_single", "data", "loading_single", faults.loading, 60, "loader"),
    idle("loader_workers", "data", "loading_workers", faults.loading, 60, "loader", setup={"loader": "MultiProcessing"}),
    idle("read_back_each_operator", "host", "synchronisation", faults.read_back, 0, "operator", where="log_loss",
         setup={"kernel_us": 20}),
    idle("read_back_each_operator_hip", "host", "synchronisation", faults.read_back, 0, "operator", where="log_loss",
         setup={"kernel_us": 30, "layers": 5}, vendor="hip"),
    idle("read_back_each_operator_long", "host", "synchronisation", faults.read_back, 0, "operator", where="log_loss",
         setup={"kernel_us": 40, "op_us": 80}),
    idle("read_back_each_layer", "host", "synchronisation", faults.read_back, 0, "layer", where="log_loss",
         setup={"kernel_us": 25, "layers": 12}),
    idle("sleep_in_frame", "stalls", "sleep", faults.sleep, 100, "forward", where="wait_for_lock", never=("vectorise",)),
    idle("sleep_unseen", "stalls", "unknown", faults.nothing_recorded, 100, "forward", frames=False,
         where="# running sparse arch", never=("vectorise",)),
    idle("capture_once", "start_up", "graph_capture", faults.capture, 190, "forward", "once", frames=False,
         never=("use CUDA graphs",)),
    idle("capture_each", "host", "graph_capture", faults.capture_again, 90, "forward", frames=False, never=("use CUDA graphs",)),
    idle("hundred_gaps", "host", "python", faults.python_work, 1.6, "operator", where="route_tokens",
         never=("each piece a little",)),
    idle("single_gap", "host", "python", faults.evaluation, 220, "forward", "once", where="evaluate", never=("vectorise",)),
    idle("mtia_sleeps", "stalls", "unknown", faults.nothing_recorded, 60, "forward", frames=False, vendor="mtia",
         where="# running sparse arch", never=("CUDA", "cuda")),
]

# Written before the program was asked: two causes, another thread, ranges in ranges, short and many steps, no stacks, other vendors
OTHERS = [
    idle("loader_and_gc", "data", "loading_single", faults.loading, 60, "loader",
         setup={"beside": ((faults.gc, "after", 40),)}),
    idle("gc_on_backward_thread", "host", "gc", faults.gc, 50, "backward", where="collect"),
    idle("ranges_in_ranges", "host", "unknown", faults.nested_ranges, 30, "forward", frames=False, where="expert_router",
         never=("vectorise",)),
    idle("short_steps_log", "stalls", "logging", faults.logging, 0.3, "after", where="add_scalar",
         setup={"steps": 30, "layers": 1, "op_us": 4, "kernel_us": 3, "loader_us": 5, "upload": ("Pinned", 3, 1 << 12),
                "read_back": False}),
    idle("three_hundred_steps", "host", "allocator_retry", faults.allocator_retry, 8, "forward", "every_third", frames=False,
         setup={"steps": 300, "layers": 2}),
    idle("hole_without_stacks", "host", "unknown", faults.hole, 45, "after", frames=False, never=("vectorise",)),
    idle("hip_loads_module", "start_up", "module_loading", faults.hip_module, 120, "forward", "once", frames=False, vendor="hip",
         never=("CUDA_MODULE", "cuda")),
    idle("hip_searches_again", "host", "library_search", faults.search_again, 40, "forward", frames=False, vendor="hip",
         never=("leave the first steps out",)),
    idle("mtia_loader", "data", "loading_workers", faults.loading, 40, "loader", vendor="mtia",
         setup={"loader": "MultiProcessing"}, never=("CUDA", "cuda")),
    idle("mtia_gc", "host", "gc", faults.gc_in_range, 35, "forward", frames=False, vendor="mtia", never=("CUDA", "cuda")),
    idle("compiles_each_step", "host", "compilation", faults.compilation, 30, "forward", frames=False,
         never=("torch.compile it", "launch less")),
    idle("waits_for_a_lock", "stalls", "waiting", faults.lock, 70, "forward", where="take", never=("vectorise",)),
    idle("prints", "stalls", "logging", faults.printing, 20, "after", where="print"),
]

BOUNDS = [
    Job("bound_device", 1, "device", setup={"kernel_us": 220}),
    Job("bound_host", 1, "host", setup={"kernel_us": 4}),
    Job("bound_host_compiled", 1, "host", setup={"kernel_us": 4, "compiled": True}, never=("torch.compile",)),
    Job("bound_data", 1, "data", setup={"loader_us": 9000}),
    Job("bound_copies", 1, "copies", setup={"upload": ("Pageable", 9000, 1 << 26)}),
    Job("bound_balanced", 1, "balanced"),
    Job("bound_communication", 4, "communication", setup={"transfer_us": 4000}),
]

LATE = [
    late("late_forward_2", 2, 1, "sleep", faults.sleep, 200, "forward", frames=True, where="wait_for_lock"),
    late("late_forward_4", 4, 1, "unknown", faults.nothing_recorded, 200, "forward", where="# running sparse arch"),
    late("late_forward_8", 8, 5, "unknown", faults.nothing_recorded, 210, "forward", where="# running sparse arch"),
    late("late_backward_2", 2, 0, "unknown", faults.in_backward, 200, "backward", where="LateBackward", untold=True),
    late("late_backward_4", 4, 1, "unknown", faults.in_backward, 200, "backward", where="LateBackward", untold=True),
    late("late_backward_8", 8, 7, "unknown", faults.in_backward, 200, "backward", where="LateBackward", untold=True),
    late("late_loader_2", 2, 1, "loading_single", faults.loading, 150, "loader", kind="loader"),
    late("late_loader_8", 8, 3, "loading_workers", faults.loading, 80, "loader", kind="loader",
         setup={"loader": "MultiProcessing"}),
    late("late_gc_4", 4, 1, "gc", faults.gc, 150, "forward", "every_third", kind="gc", frames=True, where="collect"),
    late("late_gc_range_8", 8, 6, "gc", faults.gc_in_range, 120, "forward", kind="gc", where="gc"),
    late("late_compilation_4", 4, 2, "compilation", faults.compilation, 180, "forward", "twice", kind="compilation"),
    late("late_compilation_8", 8, 6, "compilation", faults.compilation, 300, "forward", "once", kind="compilation"),
    late("late_allocator_2", 2, 1, "allocator_retry", faults.allocator_retry, 100, "forward", kind="allocator"),
    late("late_allocator_4", 4, 3, "allocator_retry", faults.allocator_retry, 90, "backward", kind="allocator"),
    late("late_checkpoint_4", 4, 0, "checkpoint", faults.checkpoint, 250, "forward", "every_third", frames=True,
         where="serialization"),
    late("late_logging_8", 8, 0, "logging", faults.logging, 60, "forward", frames=True, where="add_scalar"),
    late("late_module_4", 4, 2, "module_loading", faults.module_loading, 500, "forward", "once", where="cutlass_80_tensorop"),
    late("late_search_2", 2, 1, "library_search", faults.library_search, 160, "forward", "warm_up",
         where="aten::cudnn_convolution"),
    late("late_caching_off_4", 4, 1, "caching_off", faults.caching_off, 2, "operator", kind="allocator", phase="forward"),
    late("skewed_start_8", 8, 2, "unknown", faults.nothing_recorded, 200, "before", "before_third", kind="skewed_start",
         untold=True),
    late("late_at_host_barrier_2", 2, 1, "unknown", faults.nothing_recorded, 80, "before", "from_second",
         where="# running sparse arch", setup={"barrier": True}),
]

SLOWER = [
    Job("slower_device_2", 2, "late_rank", "compute_slower", kind="compute_slower", rank=1, also=("device",),
        setup={"kernel_us": 200, "kernel_factor": lambda rank, step: 1.5 if rank == 1 else 1}, normal={"kernel_factor": None}),
    Job("slower_device_8", 8, "late_rank", "compute_slower", kind="compute_slower", rank=5, also=("device",),
        setup={"kernel_us": 300, "kernel_factor": lambda rank, step: 1.3 if rank == 5 else 1}, normal={"kernel_factor": None}),
    Job("longer_sequences_4", 4, "late_rank", "sequence_lengths", kind="sequence_lengths", rank=2,
        also=("device",),
        setup={"kernel_us": 200, "token_factor": lambda rank, step: 1.75 if rank == 2 else 1}, normal={"token_factor": None}),
    Job("longer_sequences_8", 8, "late_rank", "sequence_lengths", kind="sequence_lengths", rank=4, when="every_third",
        also=("device",),
        setup={"kernel_us": 200, "token_factor": lambda rank, step: 3 if rank == 4 and step % 3 == 1 else 1},
        normal={"token_factor": None}),
    Job("slow_link_between_nodes_8", 8, "communication", "link", kind="link", rank=None, where="1,5",
        setup={"nodes": 2, "buckets": 2, "transfer_of": lambda members, step: 40_000 if members == (1, 5) else 400},
        normal={"transfer_of": None}),
    Job("slow_link_in_node_8", 8, "communication", "link", kind="link", rank=None, where="4,5,6,7",
        setup={"nodes": 2, "buckets": 2, "transfer_of": lambda members, step: 25_000 if members == (4, 5, 6, 7) else 400},
        normal={"transfer_of": None}),
    Job("stage_imbalance_4", 4, "late_rank", "stage_imbalance", kind="stage_imbalance", rank=3, program=pipeline,
        also=("device",),
        setup={"kernel_us": 150, "layers": 4, "layers_of": lambda rank: 12 if rank == 3 else 4}, normal={"layers_of": None}),
    Job("stage_imbalance_8", 8, "late_rank", "stage_imbalance", kind="stage_imbalance", rank=0, program=pipeline,
        also=("device",),
        setup={"kernel_us": 150, "layers": 3, "layers_of": lambda rank: 9 if rank == 0 else 3}, normal={"layers_of": None}),
]



def stages(name, ranks, rank, slow, **more):
    """A pipeline of which one stage has more layers than the others."""
    setup = {"kernel_us": 150, "layers": 3, "layers_of": lambda at: slow if at == rank else 3, **more.pop("setup", {})}
    more = {"program": messages, **more}
    return Job(name, ranks, "late_rank", "stage_imbalance", kind="stage_imbalance", rank=rank, also=("device",), setup=setup,
               normal={"layers_of": None}, **more)


def ring(name, ranks, sender, us, **more):
    """What one rank sends to the next comes later: ends of a collective differ, and nobody is late by its own work."""
    receiver = (sender + 1) % ranks
    return Job(name, ranks, "communication", "link", kind="link", rank=None, where=f"rank {sender} to rank {receiver}",
               setup={"buckets": 2, "link_of": lambda members: (sender, us)}, normal={"link_of": None}, **more)


PIPELINES = [
    stages("stages_told_2", 2, 1, 6),
    stages("stages_told_4", 4, 2, 9),
    stages("stages_told_8", 8, 5, 8),
    stages("stages_unnumbered_4", 4, 1, 8, setup={"messages": "annotations"}),
    stages("stages_unnumbered_8", 8, 6, 9, setup={"messages": "annotations"}),
    stages("stages_coalesced_4", 4, 2, 8, setup={"messages": "coalesced"}),
    stages("stages_queued_before_4", 4, 1, 8, damage="queued_before"),
    Job("stages_balanced_4", 4, None, setup={"kernel_us": 150, "layers": 3}, program=messages),
    stages("stages_first_2", 2, 0, 7, program=pipeline),
    stages("stages_first_6", 6, 0, 8, program=pipeline),
    stages("stages_last_5", 5, 4, 7, program=pipeline),
    stages("stages_gloo_2", 2, 0, 6, program=gloo_messages),
    stages("stages_gloo_4", 4, 2, 8, program=gloo_messages),
    stages("stages_gloo_6", 6, 5, 6, program=gloo_messages, setup={"kernel_us": 400}),
    late("late_in_pipeline_4", 4, 1, "unknown", faults.nothing_recorded, 25, "forward", where="# running sparse arch",
         program=messages, setup={"layers": 3}),
    late("late_in_gloo_pipeline_4", 4, 1, "unknown", faults.nothing_recorded, 25, "forward", where="# running sparse arch",
         program=gloo_messages, setup={"layers": 3}),
    late("late_in_gloo_pipeline_3", 3, 2, "gc", faults.gc_in_range, 40, "forward", where="gc", kind="gc",
         program=gloo_messages, setup={"layers": 4, "kernel_us": 100}),
]

LINKS = [
    ring("link_in_ring_4", 4, 2, 3000),
    ring("link_in_ring_8", 8, 5, 2000),
    Job("link_between_nodes_4", 4, "communication", "link", kind="link", rank=None, where="1,3",
        setup={"nodes": 2, "buckets": 2, "transfer_of": lambda members, step: 30_000 if members == (1, 3) else 400},
        normal={"transfer_of": None}),
    Job("link_beside_compute_4", 4, "device", "link", kind="link", rank=None, where="1,3",
        setup={"nodes": 2, "buckets": 2, "kernel_us": 800,
               "transfer_of": lambda members, step: 9_000 if members == (1, 3) else 400},
        normal={"transfer_of": None}),
]

NONE = [
    Job("nobody_2", 2, "host", setup={"op_us": 60, "kernel_us": 10, "transfer_us": 60}),
    Job("nobody_4", 4, "device", setup={"kernel_us": 200}),
    Job("nobody_8", 8, "device", setup={"kernel_us": 200}),
]

DOUBTS = [
    Job("kernels_missing", 1, "none", setup={"kernel_us": 120}, damage="kernels_missing", doubts=("kernels_missing",)),
    Job("first_step_only", 1, "none", setup={"steps": 1, "first": 0}, doubts=("first_step", "one_step")),
    Job("one_step_only", 1, "balanced", setup={"steps": 1, "first": 7}, doubts=("one_step",)),
    Job("two_models_in_a_folder", 2, None, setup={"kernel_us": 120}, damage="two_models", doubts=("several_models",)),
    late("rank_missing_8", 8, 5, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="rank_missing", doubts=("ranks_missing",)),
    late("rank_cut_short_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="cut_short", doubts=("cut_short",)),
    late("rank_doubled_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="rank_doubled", doubts=("ranks_doubled",)),
    late("vendors_mixed_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         vendors={2: "hip", 3: "hip"}, doubts=("ranks_differ",)),
    late("device_clock_40_us_2", 2, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="device_clock", doubts=("clocks",)),
    Job("other_times_2", 2, None, setup={"kernel_us": 120, "steps": 8}, damage="other_times", doubts=("other_times",)),
    Job("barrier_seen_alone_2", 2, "communication", "host_collective", faults.nothing_recorded, 80, "before", "from_second", 1,
        also=("late_rank",), setup={"barrier": True}, damage="alone", doubts=("ranks_missing",), never=("compress", "bf16")),
    Job("collective_seen_alone_4", 4, "communication", None, faults.nothing_recorded, 100, "forward", rank=1,
        also=("late_rank",), damage="alone", doubts=("ranks_missing",), never=("bf16",)),
    late("steps_unmarked_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="unmarked", doubts=("steps_unmarked",)),
    late("every_third_unseen_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         setup={"recorded": lambda rank, step, collective: not (rank == 3 and (4 * step + collective) % 3 == 0)}),
    late("collectives_unseen_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         setup={"recorded": lambda rank, step, collective: not (rank == 2 and step == 0 and collective <= 2)}),
    late("every_third_gone_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="every_third_gone"),
    late("every_third_gone_2", 2, 0, "unknown", faults.nothing_recorded, 60, "forward", where="# running sparse arch",
         damage="every_third_gone"),
    late("every_third_gone_6", 6, 2, "unknown", faults.nothing_recorded, 150, "forward", where="# running sparse arch",
         damage="every_third_gone"),
    late("every_third_gone_gc_5", 5, 4, "gc", faults.gc_in_range, 80, "forward", kind="gc", where="gc",
         damage="every_third_gone"),
    late("queued_before_4", 4, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="queued_before"),
    late("late_rank_doubled_8", 8, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="rank_doubled", doubts=("ranks_doubled",)),
    late("rank_doubled_2", 2, 0, "unknown", faults.nothing_recorded, 60, "forward", where="# running sparse arch",
         damage="rank_doubled", doubts=("ranks_doubled",)),
    late("clocks_apart_4", 4, 3, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="clocks_apart", doubts=("clocks",)),
    late("clocks_years_apart_2", 2, 1, "unknown", faults.nothing_recorded, 100, "forward", where="# running sparse arch",
         damage="clocks_years_apart", doubts=("clocks",)),
    Job("recorder_slows", 1, "host", setup={"kernel_us": 4}, damage="recorder_slows", doubts=("recorder_cost",)),
]

JOBS = {job.name: job for job in IDLE + OTHERS + BOUNDS + LATE + SLOWER + PIPELINES + LINKS + NONE + DOUBTS}
