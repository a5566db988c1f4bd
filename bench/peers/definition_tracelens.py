# SPDX-License-Identifier: Apache-2.0
"""TraceLens as README.md defines it: metric to value for one trace document."""

import re
from collections import defaultdict

from intervals import length, subtract, union

LEGACY_COPY = re.compile(
    r"(MEMORY_COPY_(HOST_TO_DEVICE|DEVICE_TO_HOST|DEVICE_TO_DEVICE)"
    r"|__amd_rocclr_copyBuffer(Rect)?(Aligned)?)(\.kd)?$"
)
LEGACY_FILL = re.compile(r"__amd_rocclr_fillBuffer(Aligned)?(\.kd)?$")
COLLECTIVE = re.compile("rccl|nccl|cross_device_reduce", re.IGNORECASE)


def tracelens_class(event):
    category, name = event["cat"], event.get("name") or ""
    if category == "gpu_memcpy" or (category == "kernel" and LEGACY_COPY.match(name)):
        return "memcpy"
    if category == "kernel" and LEGACY_FILL.match(name):
        return "computation"
    return "communication" if COLLECTIVE.search(name) else "computation"


def tracelens_timeline(prefix, device):
    spans = defaultdict(list)
    for event in device:
        span = (event["ts"], event["ts"] + event["dur"])
        spans[tracelens_class(event)].append(span)
        spans["all"].append(span)
    merged = {k: union(spans[k]) for k in ("all", "computation", "communication", "memcpy")}
    total = merged["all"][-1][1] - merged["all"][0][0]
    times = {
        "computation_time": length(merged["computation"]),
        "exposed_comm_time": length(subtract(merged["communication"], merged["computation"])),
        "exposed_memcpy_time": length(
            subtract(subtract(merged["memcpy"], merged["computation"]), merged["communication"])
        ),
        "busy_time": length(merged["all"]),
        "idle_time": total - length(merged["all"]),
        "total_time": total,
        "total_comm_time": length(merged["communication"]),
        "total_memcpy_time": length(merged["memcpy"]),
    }
    return {f"{prefix}.{k}": v / 1e3 for k, v in times.items()}


def tracelens_linked(events):
    """Ids (positions) of the events that a launch leads to."""
    runtime = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
    first = next((e for e in runtime if "launch" in e.get("name", "").lower()), None)
    key = "correlation" if first and "correlation" in first["args"] else "External id"
    starts, ends, at, by_id = set(), {}, {}, defaultdict(list)
    for position, event in enumerate(events):
        if event.get("cat") == "ac2g":
            if event["ph"] == "s":
                starts.add(event["id"])
            elif event["ph"] == "f":
                ends[event["id"]] = (event.get("pid"), event.get("tid"), event["id"])
            continue
        link = (event.get("args") or {}).get(key)
        if link is not None and None not in (event.get("pid"), event.get("tid")):
            at[(event["pid"], event["tid"], link)] = position
        if link is not None and event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            by_id[link].append(position)
    linked = set()
    for event in runtime:
        link = event.get("args", {}).get(key)
        if event["name"] in ("cudaGraphLaunch", "hipGraphLaunch"):
            linked.update(by_id.get(link, ()))
        elif link in starts and link in ends:
            linked.add(at.get(ends[link]))
    return linked


def tracelens(document):
    events = document["traceEvents"]
    kinds = ("kernel", "gpu_memcpy", "gpu_memset")
    device = [(i, e) for i, e in enumerate(events) if e.get("cat") in kinds]
    found = tracelens_timeline("all", [e for _, e in device]) if device else {}
    linked = tracelens_linked(events)
    reached = [e for i, e in device if i in linked]
    return found | (tracelens_timeline("linked", reached) if reached else {})
