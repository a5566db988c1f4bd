# SPDX-License-Identifier: Apache-2.0
"""The planted jobs hold what they say: read back from the files, slowly and plainly, without the program.

What the program says of them is compared by tests/planted/run.py.
"""
import collections
import gzip
import json
import os
import statistics
import tempfile
import unittest

import support
from planted import compare, faults, real
from planted.jobs import BOUNDS, DOUBTS, IDLE, JOBS, LATE, LINKS, NONE, PIPELINES, SLOWER
from planted.truth import TIE_NS, simulate, truth, without_each, write

NEAR = 0.05
MS = 1e6
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "mtia_ccp_events")
BLOCKING = ("gloo:all_reduce", "gloo:barrier")


def events_of(path):
    with gzip.open(path) as file:
        rows = json.load(file)["traceEvents"]
    return [row for row in rows if row["ph"] == "X"]


def span(row):
    return round(row["ts"] * 1000), round((row["ts"] + row["dur"]) * 1000)


def steps_of(rows):
    return sorted(span(row) for row in rows if row["name"].startswith("ProfilerStep#"))


def wall_ns(rows):
    steps = steps_of(rows)
    return steps[-1][1] - steps[0][0]


def idle_ns(rows):
    """Of the device, from the first step to the end of the last."""
    steps = steps_of(rows)
    at, end, idle = steps[0][0], steps[-1][1], 0
    for begin, until in sorted(span(row) for row in rows if row.get("cat") in DEVICE):
        idle += max(0, min(begin, end) - at)
        at = max(at, until)
    return idle + max(0, end - at)


def collectives_of(rows):
    """{what names it: (entry, end)}: by members and sequence number, or the n-th of its kind."""
    found, counts = {}, collections.Counter()
    for row in sorted(rows, key=lambda row: row["ts"]):
        about = row["args"]
        if row.get("cat") == "kernel" and "Seq" in about:
            found[about["Process Group Ranks"], about["Seq"]] = span(row)
        elif row["name"] in BLOCKING:
            counts[row["name"]] += 1
            found[row["name"], counts[row["name"]]] = span(row)
    return found


def late_ns(ranks, aligned=False):
    """{rank: sum of its entries less the lower median}; aligned: once the ends agree in the middle."""
    seen = [collectives_of(rows) for rows in ranks]
    shared = [key for key in seen[0] if all(key in other for other in seen)]
    shift = [statistics.median_low([other[key][1] - seen[0][key][1] for key in shared]) if aligned else 0 for other in seen]
    late = [0] * len(seen)
    for key in shared:
        entries = [other[key][0] - by for other, by in zip(seen, shift)]
        middle = statistics.median_low(entries)
        for rank, entry in enumerate(entries):
            late[rank] += entry - middle if entry - middle > TIE_NS else 0
    return late


def transfers_ns(ranks):
    """{what names it: shortest stay of any rank}: nobody waits but for the bytes."""
    seen = [collectives_of(rows) for rows in ranks]
    return {key: min(end - begin for begin, end in (other[key] for other in seen if key in other))
            for key in set().union(*seen)}


@unittest.skipIf(support.SANITIZED, "runs no program")
class Written(unittest.TestCase):
    def traces(self, job, planted=True):
        with tempfile.TemporaryDirectory() as folder:
            return [events_of(path) for path in write(job, folder, planted)]

    def near(self, found, wanted, least=0):
        self.assertLessEqual(abs(found - wanted), max(NEAR * abs(wanted), least))

    def test_a_plant_lengthens_the_run_by_what_was_planted(self):
        for job in IDLE + SLOWER + PIPELINES + LINKS:  # of late ranks the next but one says more
            if not job.planted:
                continue
            with self.subTest(job.name):
                said = truth(job)
                longer = wall_ns(self.traces(job)[0]) - wall_ns(self.traces(job, planted=False)[0])
                self.near(longer / said["steps"], said["expected_ns"])

    def test_the_device_is_idle_for_it(self):
        for job in IDLE:
            if job.cause in ("device_work", "synchronisation"):  # the device works in part of the time
                continue
            with self.subTest(job.name):
                said = truth(job)
                longer = idle_ns(self.traces(job)[0]) - idle_ns(self.traces(job, planted=False)[0])
                self.near(longer / said["steps"], said["expected_ns"])

    def test_the_rank_is_late_by_it_and_nobody_else(self):
        damaged = [job for job in DOUBTS if job.damage in ("clocks_apart", "clocks_years_apart", "device_clock")]
        for job in LATE + damaged:
            with self.subTest(job.name):
                said = truth(job)
                late = late_ns(self.traces(job), aligned=job in damaged)
                for rank, sum_ns in enumerate(late):
                    self.near(sum_ns / said["steps"], said["expected_ns"] if rank == job.rank else 0, 0.1 * MS)

    def test_where_nothing_is_planted_nobody_is_late(self):
        for job in NONE:
            with self.subTest(job.name):
                self.assertLess(max(late_ns(self.traces(job))) / truth(job)["steps"], 0.1 * MS)

    def test_a_slow_link_is_one_of_its_communicator(self):
        for job in SLOWER:
            if job.cause != "link":
                continue
            with self.subTest(job.name):
                slow = {members for (members, _), ns in transfers_ns(self.traces(job)).items() if ns > 10 * MS}
                self.assertEqual({members.strip("[]").replace(" ", "") for members in slow}, {job.where})

    def test_a_slower_rank_comes_last_most_often(self):
        for job in SLOWER:
            if job.cause not in ("compute_slower", "sequence_lengths"):
                continue
            with self.subTest(job.name):
                late = late_ns(self.traces(job))
                self.assertEqual(late.index(max(late)), job.rank)

    def test_the_bound_is_what_saves_most(self):
        for job in IDLE + BOUNDS + NONE:
            with self.subTest(job.name):
                saved = without_each(job)
                simulate.cache_clear()
                best = max(saved, key=saved.get)
                self.assertEqual(job.bound, best if saved[best] >= 0.1 else "balanced")

    def test_a_late_rank_explains_most_of_its_job(self):
        for job in LATE:
            said = truth(job)
            simulate.cache_clear()
            self.assertGreater(said["saving_per_step_ns"], 0.5 * said["step_ns"], job.name)


class Catalogue(unittest.TestCase):
    def test_it_has_every_cause_and_size(self):
        self.assertGreaterEqual(len(JOBS), 40)
        self.assertGreaterEqual({job.ranks for job in JOBS.values()}, {1, 2, 4, 8})
        causes = {job.cause for job in JOBS.values()}
        for cause in ("compilation runtime_compiler module_loading library_start library_search allocator_growth allocator_retry "
                      "caching_off expandable_segments device_work gc checkpoint logging loading_single loading_workers "
                      "synchronisation sleep unknown graph_capture python compute_slower sequence_lengths link "
                      "stage_imbalance").split():
            self.assertIn(cause, causes)
        kinds = {job.kind for job in JOBS.values()}
        for kind in ("compute_slower", "sequence_lengths", "loader", "gc", "compilation", "allocator", "link", "stage_imbalance",
                     "skewed_start"):
            self.assertIn(kind, kinds)

    def test_every_cause_is_planted_somewhere(self):
        made = {function for name, function in vars(faults).items() if callable(function) and name not in
                ("Fault", "parts", "alone", "host_barrier")}
        self.assertEqual(made - {job.plant for job in JOBS.values()}, set())


class Recorded(unittest.TestCase):
    """Real jobs: the ranks' own clocks and the traces agree on what was planted."""

    def late(self, name):
        folder = os.path.join(real.FOLDER, name)
        return late_ns([events_of(os.path.join(folder, f"rank{rank}.json.gz")) for rank in range(4)])

    def test_the_rank_is_late_by_what_it_told(self):
        for said in real.truths():
            if said["rank"] is None or said["kind"] == "stage_imbalance":  # stages wait in messages
                continue
            with self.subTest(said["name"]):
                late = self.late(said["name"].removeprefix("real_"))
                self.assertEqual(late.index(max(late)), said["rank"])
                self.assertLess(abs(late[said["rank"]] / said["steps"] - said["expected_ns"]), NEAR * said["expected_ns"])

    def test_backward_makes_all_steps_equally_long(self):
        folder = os.path.join(real.FOLDER, "backward")
        walls = [wall_ns(events_of(os.path.join(folder, f"rank{rank}.json.gz"))) for rank in range(4)]
        self.assertLess(max(walls) - min(walls), 0.02 * max(walls))

    def test_nobody_is_late_for_nothing(self):
        self.assertLess(max(self.late("none")) / real.STEPS, 2 * MS)

    def test_a_slow_link_makes_transfers_long(self):
        folder = os.path.join(real.FOLDER, "slow_link")
        found = transfers_ns([events_of(os.path.join(folder, f"rank{rank}.json.gz")) for rank in range(4)])
        for (name, _), ns in found.items():
            if name == "gloo:all_reduce":
                self.assertGreater(ns, 100 * MS)


def report(section, tables, findings=(), **values):
    """A document as the commands write it."""
    table = lambda name, row: {"id": name, "columns": [{"id": key} for key in row], "rows": [list(row.values())]}
    return {"sections": [{"id": section, "values": [{"id": key, "value": value} for key, value in values.items()],
                          "tables": [table(name, row) for name, row in tables.items()]}],
            "findings": list(findings), "warnings": []}


class Comparing(unittest.TestCase):
    TRUTH = {"name": "x", "ranks": 4, "bound": "late_rank", "rank": 1, "phase": "backward", "cause": "gc", "kind": "gc",
             "where": "collect", "when": "each", "alone": False, "bounds": {"late_rank"}, "doubts": (),
             "never": ("bf16",), "expected_ns": 200 * MS,
             "proof": {"host": (0.1, 0.2)}}

    def summary(self, message="Rank 1 is late", **changed):
        cause = {"cause": "gc", "per_step_ns": 199 * MS, "when": "each", "where": "train.py: collect"}
        values = {"verdict_bound": "late_rank", "late_rank": 1, "late_phase": "backward", "late_kind": "gc"}
        tables = {"causes": {**cause, **{k: v for k, v in changed.items() if k in cause}},
                  "experiments": {"resource": "host", "saved": changed.get("saved", 0.12), "removed": 0.2}}
        return report("verdict", tables,
                      [{"message": message, "rule": "SM000", "per_step_saving_ns": None}],
                      **{**values, **{k: v for k, v in changed.items() if k in values}})

    def wrong(self, document):
        return {each.what for each in compare.check(self.TRUTH, {"summary": document}) if not each.right}

    def test_what_is_right_passes(self):
        self.assertEqual(self.wrong(self.summary()), set())

    def test_each_thing_can_be_wrong(self):
        for changed, what in (({"verdict_bound": "GPU-bound"}, "bound"), ({"late_rank": 2}, "rank"),
                              ({"late_phase": "forward"}, "phase"),
                              ({"late_kind": "loader"}, "kind"), ({"cause": "sleep"}, "cause"), ({"when": "once"}, "when"),
                              ({"per_step_ns": 189 * MS}, "ns"), ({"where": "elsewhere"}, "where"),
                              ({"message": "Send bf16"}, "never"), ({"saved": 0.2}, "proof of host")):
            self.assertEqual(self.wrong(self.summary(**changed)), {what})


if __name__ == "__main__":
    unittest.main()
