# SPDX-License-Identifier: Apache-2.0
"""HolisticTraceAnalysis as README.md defines it: metric to value for one trace document."""

import math
import re
from collections import defaultdict

from intervals import length


class HtaRow:
    """One event that HTA keeps; times are doubles in microseconds, whole after rounding."""

    def __init__(self, index, event, rounds):
        args = event.get("args")
        args = args if isinstance(args, dict) else {}
        self.index, self.name, self.category = index, event["name"], event["cat"]
        self.start, self.duration = event["ts"], event["dur"]
        if rounds:
            end = math.floor(float(event["ts"]) + float(event["dur"]))
            self.start = math.ceil(float(event["ts"]))
            self.duration = end - self.start
        self.stream = hta_stream(args.get("stream", -1))
        self.correlation = args.get("correlation", -1)
        self.link = min(self.correlation, 0)

    @property
    def end(self):
        return self.start + self.duration

    @property
    def is_device(self):
        has_ids = self.stream >= 0 and self.correlation >= 0
        return has_ids or self.name in ("Event Sync", "Context Sync")


def hta_stream(value):
    try:
        return int(value)
    except ValueError:
        return -1


def hta_rows(events):
    rounds = any(isinstance(e.get("ts"), float) or e.get("ts") is None for e in events)
    kept = []
    for index, event in enumerate(events):
        timed = event.get("dur") is not None and event.get("cat") is not None
        timed = timed and not (rounds and event.get("ts") is None)
        if timed and event["cat"] != "Trace":
            kept.append(HtaRow(index, event, rounds))
    return rounds, kept


def hta_link(rows):
    """Each row points to the last row, in file order, of the other side with its correlation id."""
    device, host = defaultdict(list), defaultdict(list)
    for row in rows:
        if row.correlation != -1:
            (device if row.is_device else host)[row.correlation].append(row)
    for correlation in device.keys() & host.keys():
        for row in device[correlation]:
            row.link = host[correlation][-1].index
        for row in host[correlation]:
            row.link = device[correlation][-1].index


def hta_drop_last_step(rows, step_names):
    if len(step_names) < 2:
        return rows
    host = [r for r in rows if not r.is_device]
    last = max((r.start for r in host if r.name in step_names), default=-math.inf)
    host = [r for r in host if r.start < last]
    launches = defaultdict(int)
    for row in host:
        launches[row.correlation] += 1
    return [r for r in rows if r.is_device for _ in range(launches[r.correlation])] + host


def hta_union(rows):
    """As HTA groups rows: a row opens a group if it starts after every earlier row, in start order, has ended."""
    groups, latest = [], None
    for row in sorted(rows, key=lambda r: r.start):
        if latest is None or row.start > latest:
            groups.append([row.start, row.end])
        else:
            groups[-1] = [min(groups[-1][0], row.start), max(groups[-1][1], row.end)]
        latest = row.end if latest is None else max(latest, row.end)
    return groups


def hta_type(name):
    if re.match(r"nccl.*Kernel", name):
        return "COMMUNICATION"
    if re.match(r"Memcpy|Memset|dma", name):
        return "MEMORY"
    return "OTHER" if re.match(r".*Memcpy|Memset|.*Sync", name) else "COMPUTATION"


def hta_temporal(device):
    groups = hta_union(device)
    kernel = groups[-1][1] - groups[0][0]
    idle = kernel - length(groups)
    compute = length(hta_union([r for r in device if hta_type(r.name) == "COMPUTATION"]))
    other = kernel - compute - idle
    if idle > kernel or compute > kernel or other < 0:
        return {}
    times = dict(idle_time=idle, compute_time=compute, non_compute_time=other, kernel_time=kernel)
    shares = {f"{k}_pctg": round(100 * v / kernel, 2) if kernel else math.nan for k, v in times.items()}
    shares.pop("kernel_time_pctg")
    return {f"temporal.{k}": v for k, v in (times | shares).items()}


def hta_idle(rows):
    cats = {"kernel", "Kernel", "gpu_memset", "Memset", "gpu_memcpy", "Memcpy", "mtia_ccp_events"}
    start_of = defaultdict(list)
    for row in rows:
        start_of[row.index].append(row.start)
    streams = defaultdict(list)
    for row in rows:
        if row.stream != -1 and row.category in cats:
            streams[row.stream] += [(row, launch) for launch in start_of[row.link] or [None]]
    sums = defaultdict(float)
    for stream, pairs in streams.items():
        previous_end = None
        for row, launch in sorted(pairs, key=lambda p: p[0].start):
            cause, gap = "other", 0
            if previous_end is not None:
                gap = row.start - previous_end
                if launch is not None and launch > previous_end:
                    cause = "host_wait"
                elif gap < 30:
                    cause = "kernel_wait"
            sums[f"idle.stream{stream}.{cause}"] += gap
            previous_end = row.end
    return {k: round(v, 2) for k, v in sums.items()}


def sweep(classes):
    """(running bits, duration) between consecutive end points of the class intervals."""
    points = []
    for bit, intervals in classes:
        points += [(start, bit) for start, _ in intervals] + [(end, -bit) for _, end in intervals]
    points.sort(key=lambda p: p[0])
    running = 0
    for (time, change), (next_time, _) in zip(points, points[1:]):
        running += change
        yield running, next_time - time


def hta_kernel_types(device):
    kinds = ("COMPUTATION", "COMMUNICATION", "MEMORY")
    classes = [(1 << i, hta_union([r for r in device if hta_type(r.name) == k])) for i, k in enumerate(kinds)]
    sums = defaultdict(int)
    for running, duration in sweep(classes):
        if running > 0:
            name = "+".join(k for i, k in enumerate(kinds) if running >> i & 1)
            sums[f"kernel_type.{name}"] += int(duration)
    return sums


def hta_overlap(device):
    communication = hta_union([r for r in device if hta_type(r.name) == "COMMUNICATION"])
    compute = hta_union([r for r in device if hta_type(r.name) == "COMPUTATION"])
    both = sum(duration for running, duration in sweep([(1, communication), (2, compute)]) if running == 3)
    total = length(communication)
    return {"overlap.comp_comm_pctg": round(100 * both / total, 2) if total else math.nan}


def hta(document):
    rounds, rows = hta_rows(document["traceEvents"])
    hta_link(rows)
    step_names = {r.name for r in rows if "ProfilerStep" in r.name}
    rows = hta_drop_last_step(rows, step_names)
    device = [r for r in rows if r.stream != -1]
    found = {"times_rounded": int(rounds), "profiler_step_names": len(step_names)}
    found.update({"last_step_dropped": int(len(step_names) > 1), "rows": len(rows), "device_rows": len(device)})
    if device:
        found.update(hta_temporal(device) | hta_idle(rows) | hta_kernel_types(device))
    found.update(hta_overlap(device))
    return found
