# SPDX-License-Identifier: Apache-2.0
"""The TensorBoard plug-in as README.md defines it: metric to value for one trace document."""

import sys
from collections import defaultdict

from intervals import intersect, length, subtract

TB_TYPES = {
    "trace": "trace", "cpu_op": "op", "operator": "op", "runtime": "runtime", "kernel": "kernel",
    "memcpy": "memcpy", "gpu_memcpy": "memcpy", "memset": "memset", "gpu_memset": "memset", "python": "python",
    "user_annotation": "annotation", "gpu_user_annotation": "annotation",
}  # fmt: skip
TB_COLLECTIVES = {
    f"{library}:{name}" for library in ("nccl", "gloo")
    for name in ("broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter")
}  # fmt: skip
TB_ROLES = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CpuOp")
TB_HUGE = sys.maxsize


class TbEvent:
    def __init__(self, event, kind):
        args = event.get("args", {})
        self.kind, self.name = kind, event["name"]
        self.start, self.end = event["ts"], event["ts"] + event["dur"]
        external = args.get("external id")
        self.external = args.get("External id") if external is None else external
        self.correlation = args.get("correlation")


def tb_events(document):
    kept = []
    for event in document["traceEvents"]:
        if event.get("ph") != "X":
            continue
        kind, name = TB_TYPES.get(event["cat"].lower()), event.get("name")
        if kind in ("annotation", "op") and name.startswith("ProfilerStep#"):
            kind = "step"
        if kind == "annotation" and name not in TB_COLLECTIVES:
            continue
        if kind:
            kept.append(TbEvent(event, kind))
    return sorted(kept, key=lambda e: e.start)


def tb_role(event, collective_ids):
    if event.kind == "kernel":
        return "Communication" if event.external in collective_ids else "Kernel"
    if event.kind in ("memcpy", "memset", "runtime"):
        return event.kind.capitalize()
    loader = event.name.startswith("enumerate(DataLoader)#") and event.name.endswith(".__next__")
    if event.kind == "op" and (loader or event.name.startswith("enumerate(DataPipe)#")):
        return "DataLoader"
    if event.kind in ("op", "python", "annotation"):
        return "Communication" if event.name in TB_COLLECTIVES else "CpuOp"
    return None


def tb_merge(ranges):
    """Their merge: a range that ends no later than the one before is dropped."""
    merged = []
    for start, end in sorted(ranges, key=lambda r: r[0]):
        if not merged:
            merged.append((start, end))
        elif end > merged[-1][1]:
            if start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
            else:
                merged.append((start, end))
    return merged


def tb_launched(events):
    """Runtime events in start order, each with the device events of its correlation id."""
    waiting, runtime_of, launched = defaultdict(list), {}, []
    device = [e for e in events if e.kind in ("kernel", "memcpy", "memset")]
    for event in events:
        if event.kind == "runtime":
            pair = (event, waiting.pop(event.correlation, []))
            runtime_of[event.correlation] = pair
            launched.append(pair)
        elif event.kind in ("kernel", "memcpy", "memset"):
            pair = runtime_of.get(event.correlation)
            (pair[1] if pair else waiting[event.correlation]).append(event)
    return launched, device


def tb_device_spans(steps, launched):
    """Per step: first start, last end and number of the device events of the runtime events wholly inside it."""
    spans = [[TB_HUGE, -TB_HUGE - 1, 0] for _ in steps]
    matched, step = set(), 0
    for runtime, device in launched:
        while (
            step < len(steps)
            and runtime.start >= steps[step][0]
            and runtime.start >= steps[step][1]
            and runtime.end > steps[step][1]
        ):
            step += 1
        if step == len(steps):
            break
        if runtime.start < steps[step][0] or runtime.end > steps[step][1]:
            continue
        for event in device:
            span = spans[step]
            spans[step] = [min(span[0], event.start), max(span[1], event.end), span[2] + 1]
            matched.add(id(event))
    return spans, matched


def tb_move_steps(steps, names, events):
    launched, device = tb_launched(events)
    spans, matched = tb_device_spans(steps, launched)
    if not matched:
        return steps, names
    previous = steps[0][0]
    if spans[0][2]:
        early = [e.end for e in device if id(e) not in matched and e.end < spans[0][0]]
        previous = max([previous, *early])
    moved = []
    for (start, end), span in zip(steps, spans):
        start = max(previous, start)
        end = max(end, start) if not span[2] else max(end, span[1], start)
        moved.append((start, end))
        previous = end
    last = max(i for i, span in enumerate(spans) if span[2])
    keep = last + 1
    if last > 0 and spans[last - 1][2] * 0.8 > spans[last][2]:
        keep = last
    return (moved[:keep], names[:keep]) if len(steps) > 1 else (moved, names)


def tb_costs(steps, roles):
    """Time that falls to each role in priority order; what is left of the steps is Other."""
    ranges, slots = [], []
    for role in TB_ROLES:
        if slots:
            part = intersect(slots, roles[role])
        else:  # also where earlier roles used the steps up: their defect, kept
            part, slots = roles[role], tb_merge(steps)
        ranges.append(part)
        slots = subtract(slots, part)
    ranges.append(slots)
    return [[length(intersect([step], part)) for part in ranges] + [step[1] - step[0]] for step in steps]


def tb_overlaps(steps, roles):
    """Communication against computation, each in full and not by priority."""
    compute = roles["Kernel"] or roles["CpuOp"]
    both = intersect(compute, roles["Communication"])
    for step in steps:
        times = {
            "computation": length(intersect([step], compute)),
            "communication": length(intersect([step], roles["Communication"])),
            "overlap": length(intersect([step], both)),
        }
        other = step[1] - step[0] + times["overlap"] - times["computation"] - times["communication"]
        yield times | {"other": other}


def tb_unique(names):
    return [n if names.index(n) == i else f"{n}#{names[: i + 1].count(n)}" for i, n in enumerate(names)]


def tensorboard(document):
    events = tb_events(document)
    collective_ids = {
        e.external for e in events if e.kind in ("op", "python", "annotation") and e.name in TB_COLLECTIVES
    }
    roles = {role: [] for role in TB_ROLES}
    for event in events:
        role = tb_role(event, collective_ids)
        if role:
            roles[role].append((event.start, event.end))
    roles = {role: tb_merge(ranges) for role, ranges in roles.items()}
    steps = [(e.start, e.end) for e in events if e.kind == "step"]
    names = [str(int(e.name.split("#")[1])) for e in events if e.kind == "step"]
    if not steps:
        host = [e for e in events if e.kind in ("op", "python")]
        steps, names = [
            (min((e.start for e in host), default=TB_HUGE), max((e.end for e in host), default=-TB_HUGE - 1))
        ], ["0"]
    steps, names = tb_move_steps(steps, names, events)
    costs = tb_costs(steps, roles)
    overlaps = tb_overlaps(steps, roles)
    labels = (*TB_ROLES, "Other", "Total")
    found = {"steps": len(steps)}
    for i, label in enumerate(labels):
        found[f"average.{label}"] = sum(c[i] for c in costs) / len(costs)
    for name, cost, overlap in zip(tb_unique(names), costs, overlaps):
        found.update({f"step{name}.{label}": value for label, value in zip(labels, cost)})
        if roles["Communication"]:
            found.update({f"step{name}.comm_{part}": value for part, value in overlap.items()})
    return found
