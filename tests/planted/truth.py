# SPDX-License-Identifier: Apache-2.0
"""Runs jobs of the catalogue: writes their traces, and says what is true of them.

The truth comes from runs, not from traces: with the plant and without, and with each resource at a half and at nothing.
"""
import functools
import json
import os
from dataclasses import dataclass, replace

from planted.faults import Fault, host_barrier
from planted.jobs import WHEN
from planted.machine import Machine, run
from planted.pipelines import gloo_messages
from planted.training import Setup

RESOURCES = ("device", "host", "communication", "data", "copies", "stalls", "start_up")
HOUR_NS, YEAR_NS = 3600 * 10**9, 365 * 86400 * 10**9
TIE_NS = 20_000


@dataclass
class Ran:
    machines: list
    fault: Fault

    @property
    def wall_ns(self):
        return max(m.steps[-1][1] for m in self.machines) - min(m.steps[0][0] for m in self.machines)

    @property
    def kept_ns(self):
        """Of the steps that a verdict replays: without the first and the last, where four remain."""
        kept = slice(1, -1) if self.steps >= 6 else slice(None)
        return max(m.steps[kept][-1][1] for m in self.machines) - min(m.steps[kept][0][0] for m in self.machines)

    @property
    def steps(self):
        return len(self.machines[0].steps)

    def late_ns(self):
        """{rank: sum over collectives of its entry less the lower median of all}, as the reference for jobs counts."""
        came, late = {}, {machine.rank: 0 for machine in self.machines}
        for machine in self.machines:
            for key, start, _ in machine.came:
                came.setdefault(key, {})[machine.rank] = start
        for starts in came.values():
            middle = sorted(starts.values())[(len(starts) - 1) // 2]
            for rank, start in starts.items():
                late[rank] += start - middle if start - middle > TIE_NS else 0
        return late


def clock(damage, rank):
    shift, drift = {"clocks_apart": (-37_000_000 * rank, 100 / 1e6), "clocks_years_apart": (3 * YEAR_NS * rank, 0)}.get(
        damage, (0, 0))
    return (lambda ns: ns + shift + round(ns * drift)) if rank else lambda ns: ns


def settings(job, planted):
    chosen = {**job.setup, **({} if planted else job.normal)}
    barrier, beside = chosen.pop("barrier", False), chosen.pop("beside", ())
    setup = Setup(**chosen)
    fault = Fault(job.plant, job.place, job.ms * 1000, job.rank, WHEN[job.when]) if job.plant and planted else None
    setup.faults = [fault] if fault else []
    setup.faults += [Fault(cause, place, ms * 1000) for cause, place, ms in beside]
    if barrier:
        setup.faults.append(Fault(host_barrier, "before", 100, None))
    return setup, fault


@functools.lru_cache(maxsize=None)
def simulate(name, planted=True, resource=None, factor=1.0):
    """`resource`: one, or several as a tuple."""
    from planted.jobs import JOBS
    job, resources = JOBS[name], (resource,) if isinstance(resource, (str, type(None))) else resource
    setup, fault = settings(job, planted)
    machines = [Machine(rank, job.ranks, seed=name, scale=dict.fromkeys(resources, factor), frames=job.frames,
                        vendor=job.vendors.get(rank, job.vendor), clock=clock(job.damage, rank)) for rank in range(job.ranks)]
    if job.damage == "two_models":
        machines = [Machine(0, 1, seed=f"{name} {i}", clock=lambda ns, i=i: ns + i * HOUR_NS) for i in range(job.ranks)]
        for machine, layers in zip(machines, (8, 5)):
            run([job.program(machine, replace(setup, layers=layers))])
        return Ran(machines, fault)
    run([job.program(machine, setup) for machine in machines])
    return Ran(machines, fault)


def truth(job):
    """What is so, in nanoseconds a step over the recorded steps."""
    ran, steps = simulate(job.name), simulate(job.name).steps
    without = simulate(job.name, planted=False) if job.planted else ran
    told = {step: round(us * 1000) for step, us in ran.fault.told.items()} if ran.fault else {}
    planted = sum(told.values()) / steps
    saving = (ran.wall_ns - without.wall_ns) / steps
    late, before = ran.late_ns(), without.late_ns()
    return {"name": job.name, "ranks": job.ranks, "bound": job.bound, "rank": job.rank if job.planted else None,
            "phase": job.phase, "cause": job.cause, "kind": job.kind,
            "bounds": {job.bound, *job.also}, "alone": job.damage == "alone", "where": job.where, "when": job.when,
            "steps": steps, "planted_ns": told, "doubts": job.doubts, "never": job.never,
            "step_ns": ran.wall_ns / steps, "planted_per_step_ns": planted, "saving_per_step_ns": saving,
            "expected_ns": (planted if job.ms else saving) if job.planted else None,
            "late_per_step_ns": {rank: (late[rank] - before[rank]) / steps for rank in late}}


def saves(job, **change):
    """The part of the replayed steps that a change saves."""
    return 1 - simulate(job.name, **change).kept_ns / simulate(job.name).kept_ns


def without_each(job):
    """What each resource saves at nothing."""
    return {resource: saves(job, resource=resource, factor=0.0) for resource in RESOURCES}


def as_recorded(job):
    """{resource as a reader of the files can tell it: those of the simulation that look like it}.

    Without a device in the files what would be its work is operators of the host. And what a function of the user's does is
    told by nothing where no stack was recorded: whether it works or waits cannot be known, so it is the host's
    (doc/numbers/verdict.md, `unknown`). The same holds for a pause that comes once: only those that come back by the clock
    are known to be none.
    """
    host = ["host"]
    if job.program is gloo_messages:
        host.append("device")
    if job.untold:
        host.append("stalls")
    return {"host": tuple(host), **{name: (name,) for name in RESOURCES if name not in host}}


def proof(job):
    """{resource: (what it saves at a half, at nothing)}: the experiments behind a verdict. Of jobs whose files are whole."""
    if job.damage:
        return {}
    return {resource: (saves(job, resource=of, factor=0.5), saves(job, resource=of, factor=0.0))
            for resource, of in as_recorded(job).items()}


# Files


def keep(machine, wanted):
    machine.plant.events = [event for event in machine.plant.events if wanted(event)]


def until(machine, ns):
    """Nothing after it was recorded."""
    keep(machine, lambda event: event["ts"] + event.get("dur", 0) < machine.clock(ns) / 1000)


def lose_kernels(machine):
    kernels = [event for event in machine.plant.events if event.get("cat") == "kernel"]
    lost = {id(event) for event in kernels[::2]}
    keep(machine, lambda event: id(event) not in lost)


def see_other_half(machine):
    """Rank 0 recorded the first steps, the others the last."""
    middle = machine.steps[len(machine.steps) // 2][0]
    if machine.rank == 0:
        until(machine, middle)
    else:
        keep(machine, lambda event: event["ts"] >= machine.clock(middle) / 1000)


def shift_device(machine):
    for event in machine.plant.events if machine.rank == 1 else ():
        if event.get("cat") in ("kernel", "gpu_memcpy"):
            event["ts"] = round(event["ts"] + 40, 3)


def unmark(machine):
    keep(machine, lambda event: not event["name"].startswith("ProfilerStep#"))


def cut_short(machine):
    if machine.rank == 2:
        until(machine, machine.steps[len(machine.steps) // 2][1])


def lose_every_third(machine):
    kept = ("kernel", "cpu_op", "cuda_runtime")
    rows = [event for event in machine.plant.events if event.get("cat") in kept]
    lost = {id(event) for event in rows[machine.rank % 3::3]}
    keep(machine, lambda event: id(event) not in lost)


def queue_before(machine):
    """Rank 2: of its first two communication kernels the launch was before the recording, so that nothing is known of them."""
    kernels = [event for event in machine.plant.events if event.get("cat") == "kernel" and "nccl" in event["name"]]
    if machine.rank != 2:
        return
    for kernel in kernels[:2]:
        correlation = kernel["args"]["correlation"]
        launch = next(event for event in machine.plant.events if event.get("cat") == "cuda_runtime"
                      and event["args"].get("correlation") == correlation)
        begin, end = launch["ts"], launch["ts"] + launch["dur"]
        around = {id(event) for event in machine.plant.events if event.get("cat") in ("cpu_op", "user_annotation")
                  and event["ts"] <= begin and end <= event["ts"] + event["dur"]
                  and event["name"].startswith(("c10d::", "record_param_comms", "nccl:"))}
        kernel["args"] = {key: value for key, value in kernel["args"].items() if key in ("device", "stream", "correlation")}
        keep(machine, lambda event: id(event) not in around and event is not launch)


DAMAGES = {"every_third_gone": lose_every_third, "queued_before": queue_before, "kernels_missing": lose_kernels, "other_times": see_other_half, "device_clock": shift_device, "unmarked": unmark,
           "cut_short": cut_short}


def hosts_of(job, rank):
    if job.damage in ("clocks_apart", "clocks_years_apart"):
        return f"node{rank}"
    return f"node{rank * job.setup['nodes'] // job.ranks}" if "nodes" in job.setup else "node0"


def written_ranks(job, planted):
    """(machine, name of its file)"""
    machines = simulate(job.name, planted=planted).machines
    absent = {"rank_missing": {3}, "alone": set(range(1, job.ranks))}.get(job.damage, ())
    found = [(machine, f"rank{number}") for number, machine in enumerate(machines) if machine.rank not in absent]
    return found + ([(machines[1], "rank1-again")] if job.damage == "rank_doubled" else [])


def write(job, folder, planted=True):
    """The traces of a job; their paths in order of rank."""
    simulate.cache_clear()  # what is written is spent
    paths = []
    for machine, name in written_ranks(job, planted):
        DAMAGES.get(job.damage, lambda machine: None)(machine)
        paths.append(machine.write(os.path.join(folder, f"{name}.json.gz"), host_name=hosts_of(job, machine.rank)))
        if job.damage == "recorder_slows":
            write_step_times(os.path.join(folder, f"{name}.steps.json"), machine, 1.6)
    simulate.cache_clear()
    return paths


def write_step_times(path, machine, slower):
    """What a recorder notes beside a trace: ends of steps nobody recorded, and of those that were."""
    recorded = [end for _, end in machine.steps]
    length = (recorded[-1] - recorded[0]) / (len(recorded) - 1) / slower
    bare = [round(recorded[0] - length * (len(recorded) - i)) for i in range(len(recorded))]
    with open(path, "w", encoding="ascii") as file:
        json.dump({"version": 1, "clock": "monotonic", "bare_step_end_ns": bare, "recorded_step_end_ns": recorded,
                   "recorder": {"record_shapes": True, "with_stack": False}}, file)
