# SPDX-License-Identifier: Apache-2.0
"""Traces made from traces: a stretch of a recorded one, with changes that keep it a trace.

Bytes that are wrong are the fuzzers' work. Here the text is always JSON and the events are always events; what changes
is what they say: their times, threads, streams, correlations, flows, names, sizes, steps. Every mutant is the same in
every run: it follows from the name of its trace and a number.
"""
import copy
import gzip
import json
import os
import random
import subprocess

WINDOW = 500  # events of a mutant, about
LARGEST = 40_000_000  # unpacked bytes that Python makes a document of, which takes ten times as much memory


class NoTrace(Exception):
    """Not a document of trace events that Python's JSON reads."""


def read_bytes(path):
    if path.endswith(".gz"):
        with gzip.open(path) as file:
            return file.read()
    if path.endswith(".zst"):
        with open(path, "rb") as file:  # by its standard input: zstd passes over a path that is a link
            done = subprocess.run(["zstd", "-dcq"], stdin=file, capture_output=True, check=False)
        if done.returncode:
            raise OSError(f"zstd -dcq < {path}: exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}")
        return done.stdout
    with open(path, "rb") as file:
        return file.read()


def load(path):
    """The document, its events as a list of dicts."""
    try:
        document = json.loads(read_bytes(path))
    except (ValueError, OSError, EOFError, RecursionError) as error:
        raise NoTrace(str(error)) from error
    if isinstance(document, list):
        document = {"traceEvents": document}
    events = document.get("traceEvents") if isinstance(document, dict) else None
    if not isinstance(events, list):
        raise NoTrace("no list of events")
    document["traceEvents"] = [event for event in events if isinstance(event, dict)]
    return document


def number(value):
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def stretch(document, random_):
    """About WINDOW events of the document, from a step's begin where it has steps, in a document of their own."""
    events = document["traceEvents"]
    timed = [event for event in events if number(event.get("ts")) is not None]
    marks = [event["ts"] for event in timed if str(event.get("name", "")).startswith("ProfilerStep")]
    times = sorted(event["ts"] for event in timed)
    kept = [event for event in events if number(event.get("ts")) is None]
    if times:
        begin = random_.choice(marks or times)
        at = next(i for i, ts in enumerate(times) if ts >= begin)
        end = times[min(len(times) - 1, at + random_.randint(WINDOW // 10, WINDOW))]
        kept += [event for event in timed if begin <= event["ts"] <= end]
    return {**document, "traceEvents": copy.deepcopy(kept)}


# ---- changes: each takes the events and a source of chance ----

def timed(events):
    return [event for event in events if number(event.get("dur")) is not None and number(event.get("ts")) is not None]


def some(events, random_, most=0.2):
    """A few events, or up to a fifth of them."""
    count = min(len(events), random_.choice([1, 2, 5, max(1, int(len(events) * random_.random() * most))]))
    return random_.sample(events, count) if events else []


def with_args(events, *keys):
    return [event for event in events if isinstance(event.get("args"), dict) and any(key in event["args"] for key in keys)]


def drop(events, random_):
    gone = {id(event) for event in some(events, random_, 0.5)}
    events[:] = [event for event in events if id(event) not in gone]


def drop_a_category(events, random_):
    categories = sorted({str(event.get("cat")) for event in events})
    if categories:
        gone = random_.choice(categories)
        events[:] = [event for event in events if str(event.get("cat")) != gone]


def double(events, random_):
    events.extend(copy.deepcopy(some(events, random_)))


def shuffle(events, random_):
    random_.shuffle(events)


def shift(events, random_):
    for event in some(timed(events), random_):
        event["ts"] += random_.choice([-1, 1]) * random_.choice([0.001, 0.5, 1, 10, 1000, 1e6])


def shift_a_lane(events, random_):
    found = timed(events)
    if found:
        of = random_.choice(found)
        by = random_.choice([-1, 1]) * random_.choice([1, 100, 1e4, 1e7])
        for event in found:
            if (event.get("pid"), event.get("tid")) == (of.get("pid"), of.get("tid")):
                event["ts"] += by


def lengthen(events, random_):
    for event in some(timed(events), random_):
        event["dur"] *= random_.choice([0, 0.5, 0.999, 1.001, 2, 10, 1000])


def no_length(events, random_):
    for event in some(timed(events), random_):
        event["dur"] = random_.choice([0, -1, 0.0004, 1e9])


def one_far_away(events, random_):
    for event in some(timed(events), random_)[:1]:
        event["ts"] = random_.choice([0, -1e15, 1e12, 1e18])


def stretch_time(events, random_):
    by = random_.choice([0.001, 0.1, 3, 1000])
    for event in timed(events):
        event["ts"] *= by
        event["dur"] *= by


def move_to_another_lane(events, random_):
    found = timed(events)
    for event in some(found, random_):
        to = random_.choice(found)
        event["pid"], event["tid"] = to.get("pid"), to.get("tid")


def one_lane(events, random_):
    for event in timed(events):
        event["tid"] = 1


def another_stream(events, random_):
    for event in some(with_args(events, "stream"), random_, 0.9):
        event["args"]["stream"] = event["tid"] = random_.choice([0, 7, 13, 20, -1, 4294967295])


def another_device(events, random_):
    for event in some(with_args(events, "device"), random_, 0.9):
        event["args"]["device"] = event["pid"] = random_.choice([0, 1, 7, -1, 1000])


def another_correlation(events, random_):
    found = with_args(events, "correlation")
    for event in some(found, random_):
        event["args"]["correlation"] = random_.choice([random_.choice(found)["args"]["correlation"], 0, -1, 2**40])


def no_correlation(events, random_):
    for event in some(with_args(events, "correlation"), random_, 0.9):
        del event["args"]["correlation"]


def flows_cross(events, random_):
    found = [event for event in events if event.get("ph") in ("s", "f", "t")]
    for event in some(found, random_):
        event["id"] = random_.choice(found).get("id")


def another_name(events, random_):
    found = timed(events)
    for event in some(found, random_):
        other = random_.choice(found)
        event["name"] = random_.choice([other.get("name"), other.get("name"), "", "\u202e\u0007x", "nccl:all_reduce",
                                        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "aten::item",
                                        "cudaStreamSynchronize", "cudaDeviceSynchronize", "Memcpy DtoH (Device -> Pageable)"])


def another_category(events, random_):
    found = timed(events)
    for event in some(found, random_):
        event["cat"] = random_.choice([random_.choice(found).get("cat"), "kernel", "cuda_runtime", "Kernel", "", "cpu_op"])


def other_sizes(events, random_):
    for event in some(with_args(events, "Input Dims"), random_, 0.9):
        event["args"]["Input Dims"] = random_.choice(
            [[], [[]], [[0, 0], [0, 0]], [[1], [1]], [[2**31, 2**31], [2**31, 2**31]], [[-1, 4], [4, -1]], [[[1, 2]], []],
             [[7, 3, 5, 5], [2, 3, 3, 3], [], []]])


def other_bytes(events, random_):
    for event in some(with_args(events, "bytes", "Bytes"), random_, 0.9):
        event["args"]["bytes"] = random_.choice([0, 1, -5, 2**62, 1.5, "12"])


def other_sequence(events, random_):
    for event in some(with_args(events, "Sequence number", "Fwd thread id"), random_, 0.9):
        event["args"]["Sequence number"] = random_.choice([0, -1, 3, 10**12])
        event["args"]["Fwd thread id"] = random_.choice([0, 1, 2])


def other_kind(events, random_):
    for event in some(with_args(events), random_) or some(events, random_):
        if isinstance(event.get("args"), dict) and event["args"]:
            key = random_.choice(sorted(event["args"]))
            event["args"][key] = random_.choice([None, "", "x", [], {}, -1, 1e300, True, [[[]]], str(event["args"][key])])


def steps_overlap(events, random_):
    for event in events:
        if str(event.get("name", "")).startswith("ProfilerStep") and number(event.get("dur")) is not None:
            event["dur"] *= random_.choice([0.3, 1, 1.7])
            event["ts"] -= random_.choice([0, 10, 1000])


def steps_again(events, random_):
    found = [event for event in events if str(event.get("name", "")).startswith("ProfilerStep")]
    for event in some(found, random_):
        event["name"] = random_.choice(["ProfilerStep#0", "ProfilerStep#99999999999", "ProfilerStep#", "ProfilerStep#-2"])


def an_own_step(events, random_):
    found = timed(events)
    if found:
        begin, end = min(e["ts"] for e in found), max(e["ts"] + e["dur"] for e in found)
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": found[0].get("pid"),
                       "tid": found[0].get("tid"), "ts": begin, "dur": random_.choice([1, 0.5, 0.9]) * (end - begin)})


def nest_deep(events, random_):
    found = timed(events)
    for event in some(found, random_)[:1]:
        for depth in range(random_.choice([3, 70])):
            events.append({**copy.deepcopy(event), "name": f"depth{depth}"})


CHANGES = [drop, drop_a_category, double, shuffle, shift, shift_a_lane, lengthen, no_length, one_far_away, stretch_time,
           move_to_another_lane, one_lane, another_stream, another_device, another_correlation, no_correlation, flows_cross,
           another_name, another_category, other_sizes, other_bytes, other_sequence, other_kind, steps_overlap, steps_again,
           an_own_step, nest_deep]


def mutant(document, name, number_):
    """The document of a mutant, and what was done to it."""
    random_ = random.Random(f"{name}/{number_}")
    document = stretch(document, random_)
    changes = random_.choices(CHANGES, k=random_.choice([1, 1, 2, 3, 6]))
    for change in changes:
        change(document["traceEvents"], random_)
    return document, [change.__name__ for change in changes]


def other_order(value, random_):
    """The same with the keys of every object in another order; the list of events stays last, as producers write it."""
    if isinstance(value, list):
        return [other_order(item, random_) for item in value]
    if not isinstance(value, dict):
        return value
    keys = sorted(value, key=lambda key: (key == "traceEvents", random_.random()))
    return {key: other_order(value[key], random_) for key in keys}


def name_of(path):
    return os.path.basename(path)
