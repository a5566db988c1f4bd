# SPDX-License-Identifier: Apache-2.0
"""Reference numbers of HolisticTraceAnalysis, each file loaded alone as rank 0 with HTA's own defaults."""

import importlib.metadata
import logging
import warnings

import common

KERNEL_DELAY_US = 30  # HTA's default consecutive_kernel_delay


def load(path):
    from hta.common import trace_parser
    from hta.trace_analysis import TraceAnalysis

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    seen = {}
    round_as_hta = trace_parser.round_down_time_stamps

    def round_and_note(frame):
        seen["decimal"] = str(frame["ts"].dtype) == "float64"
        round_as_hta(frame)

    trace_parser.round_down_time_stamps = round_and_note
    analysis = TraceAnalysis(trace_files={0: path})
    analysis.times_rounded = int(seen["decimal"])
    return analysis


def step_names(analysis):
    return sum("ProfilerStep" in name for name in analysis.t.symbol_table.get_sym_table())


def filter_rows(analysis):
    """How HTA treated the file: whether it cut the last step, and how many rows then count as device rows."""
    frame = analysis.t.get_trace(0)
    steps = step_names(analysis)
    return [
        ("times_rounded", analysis.times_rounded, "bool"),
        ("profiler_step_names", steps, "count"),
        ("last_step_dropped", int(steps > 1), "bool"),
        ("rows", len(frame), "count"),
        ("device_rows", int(frame["stream"].ne(-1).sum()), "count"),
    ]


def temporal_rows(analysis):
    row = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    times = ("idle_time", "compute_time", "non_compute_time", "kernel_time")
    shares = ("idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg")
    return [(f"temporal.{m}", row[f"{m}(us)"], "us") for m in times] + [
        (f"temporal.{m}", row[m], "percent") for m in shares
    ]


def idle_rows(analysis):
    table, _ = analysis.get_idle_time_breakdown(
        ranks=[0], visualize=False, consecutive_kernel_delay=KERNEL_DELAY_US
    )
    return [
        (f"idle.stream{row.stream}.{row.idle_category}", row.idle_time, "us")
        for row in table.sort_values(["stream", "idle_category"]).itertuples()
    ]


def overlap_rows(analysis):
    table = analysis.get_comm_comp_overlap(visualize=False)
    return [("overlap.comp_comm_pctg", table.iloc[0]["comp_comm_overlap_pctg"], "percent")]


def kernel_type_rows(analysis):
    table, _ = analysis.get_gpu_kernel_breakdown(visualize=False)
    return [
        (f"kernel_type.{kind.replace(' overlapping ', '+')}", total_us, "us")
        for kind, total_us in sorted(zip(table["kernel_type"], table["sum"]))
    ]


def measure(path):
    rows = []
    with common.as_json(path) as plain:
        try:
            analysis = load(plain)
        except BaseException as error:
            return [("error", f"load: {common.short_error(error)}", "")]
        for part in (filter_rows, temporal_rows, idle_rows, overlap_rows, kernel_type_rows):
            common.attempt(rows, part.__name__.removesuffix("_rows"), lambda: part(analysis))
    return rows


if __name__ == "__main__":
    names = ("HolisticTraceAnalysis", "pandas", "numpy")
    common.main(__doc__, [(f"version.{n}", importlib.metadata.version(n), "") for n in names], measure)
