# SPDX-License-Identifier: Apache-2.0
"""Sketches of steps of very many collectives: how large they are, what is said of that, and that they answer exactly."""
import os
import random
import tempfile
import unittest

from support import OK, Folder, rows_of, span, steptime, values, write_trace

RANKS, STEPS, LATE = 4, 3, 2
LATE_EVERY, LATE_NS = 100, 1_500_000
ONCE = 1 << 10  # a rank: names, operators, kernels, operators by path
NAME = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def us(ns):
    return ns / 1000


class Rank:
    """One rank's events, as its device and its host go on."""

    def __init__(self, rank):
        self.events, self.rank, self.random = [], rank, random.Random(rank)
        self.free_ns, self.host_ns, self.ids = 5000, 0, 0

    def launch(self, name, stream, start_ns, dur_ns, **args):
        self.ids += 1
        self.events += [span("cudaLaunchKernel", us(self.host_ns), 2, cat="cuda_runtime", correlation=self.ids),
                        span(name, us(start_ns), us(dur_ns), cat="kernel", pid=0, tid=stream, device=0, stream=stream,
                             correlation=self.ids, **args)]

    def compute(self, number):
        """A layer: two operators, each with a kernel; returned: when it is done."""
        for operator, kernel, ns in (("aten::mm", "ampere_sgemm_128x64_tn", 40000), ("aten::add", "elementwise_kernel", 9000)):
            slow = LATE_NS if self.rank == LATE and operator == "aten::mm" and number % LATE_EVERY == 7 else 0
            dur_ns = int(ns * self.random.uniform(0.9, 1.1)) + slow
            self.events.append(span(operator, us(self.host_ns), 6, cat="cpu_op"))
            self.host_ns += 1500
            self.launch(kernel, 7, self.free_ns, dur_ns)
            self.free_ns += dur_ns + self.random.randrange(800, 1900)
            self.host_ns += 8000 + self.random.randrange(4000)
        return self.free_ns

    def reduce(self, entry_ns, end_ns, number):
        self.launch(NAME, 20, entry_ns, end_ns - entry_ns, **{
            "Collective name": "allreduce", "In msg nelems": 1 << 18, "Out msg nelems": 1 << 18, "dtype": "BFloat16",
            "Process Group Name": "0", "Process Group Ranks": str(list(range(RANKS))), "Group size": RANKS, "Seq": number})
        self.free_ns = end_ns + self.random.randrange(800, 1900)
        self.host_ns += 3000

    def end_step(self, step, start_ns):
        """The host, which is far ahead, waits for the device."""
        end_ns = self.free_ns + 20000
        self.events += [span("cudaDeviceSynchronize", us(self.host_ns), us(end_ns - 10000 - self.host_ns), cat="cuda_runtime"),
                        span(f"ProfilerStep#{step}", us(start_ns), us(end_ns - start_ns), cat="user_annotation")]
        self.host_ns, self.free_ns = end_ns, end_ns + 30000


def job(collectives):
    ranks, number = [Rank(rank) for rank in range(RANKS)], 0
    for step in range(STEPS):
        starts = [rank.host_ns for rank in ranks]
        for _ in range(collectives):
            entries = [rank.compute(number) for rank in ranks]
            end_ns = max(entries) + 22000 + ranks[0].random.randrange(4000)
            for rank, entry_ns in zip(ranks, entries):
                rank.reduce(entry_ns, end_ns + rank.random.randrange(600), number)
            number += 1
        for rank, start_ns in zip(ranks, starts):
            rank.end_step(step, start_ns)
    return ranks


def sums(rows, keys, value):
    out = {}
    for row in rows:
        key = tuple(row[name] for name in keys)
        out[key] = out.get(key, 0) + row[value]
    return out


class Job(Folder):
    """Sketches of a job of steps of so many collectives."""
    collectives, options = 0, ()

    @classmethod
    def setUpClass(cls):
        if not cls.collectives:
            raise unittest.SkipTest("what the others share")
        cls.held = tempfile.TemporaryDirectory()
        cls.traces, cls.sketches = os.path.join(cls.held.name, "traces"), os.path.join(cls.held.name, "sketches")
        os.mkdir(cls.traces)
        for rank in job(cls.collectives):
            write_trace(os.path.join(cls.traces, f"rank{rank.rank}.json"), rank.events,
                        distributedInfo={"backend": "nccl", "rank": rank.rank, "world_size": RANKS})
        cls.saved = steptime("summary", "--save", cls.sketches, *cls.options, "--format", "json", cls.traces).json

    @classmethod
    def tearDownClass(cls):
        if cls.collectives:
            cls.held.cleanup()

    def both(self, command):
        outcomes = [steptime(command, "--format", "json", "--rows", "0", inputs) for inputs in (self.traces, self.sketches)]
        self.assertEqual([outcome.code for outcome in outcomes], [OK, OK])
        return [outcome.json for outcome in outcomes]

    def step_bytes(self):
        """Of the largest sketch, but for what is told once a rank."""
        return max(os.path.getsize(os.path.join(self.sketches, name)) - ONCE for name in os.listdir(self.sketches)) / STEPS

    def too_large(self):
        return [warning["message"] for warning in self.saved["warnings"] if "sketches take more than" in warning["message"]]

    def rounded(self, command):
        """What the line of trust says of it."""
        return [row["what"] for row in rows_of(steptime(command, "--format", "json", self.sketches).json, "doubts")
                if row["doubt"] == "times_rounded"]

    def check_exact(self):
        for command, tables in (("summary", ("step_parts", "top_kernels", "top_operators")),
                                ("ranks", ("ranks", "causes", "delay_costs", "ideal")), ("critical-path", ("across",))):
            exact, sketched = self.both(command)
            self.assertEqual(values(sketched), values(exact), command)
            self.assertEqual(self.rounded(command), [], command)
            for table in tables:
                self.assertEqual(rows_of(sketched, table), rows_of(exact, table), (command, table))

    def within(self, got, true, whole, what):
        self.assertLessEqual(abs(got - true), whole / 100, what)

    def check_ranks(self):
        exact, sketched = self.both("ranks")
        for value in ("late_per_step_ns", "saving_per_step_ns", "all_waiting_ns"):
            self.within(values(sketched)[value], values(exact)[value], values(exact)[value], value)
        for got, true in zip(rows_of(sketched, "ranks"), rows_of(exact, "ranks")):
            for column in ("waited_ns", "late_ns", "caused_ns", "saving_ns"):
                self.within(got[column], true[column], true[column], column)
            for column in ("compute_per_step_ns", "communication_per_step_ns", "step_mean_ns", "idle_per_step_ns"):
                self.assertEqual(got[column], true[column], column)
        for got, true in zip(rows_of(sketched, "causes"), rows_of(exact, "causes")):
            self.assertEqual(got["cause"], true["cause"])
            self.within(got["per_step_ns"], true["per_step_ns"], true["per_step_ns"], true["cause"])
        self.check_sums(exact, sketched, "delay_costs", "cost_ns")

    def check_sums(self, exact, sketched, table, value):
        """By rank and what it spent, to a hundredth of all."""
        got, true = (sums(rows_of(document, table), ("rank", "class"), value) for document in (sketched, exact))
        for key in got.keys() | true.keys():
            self.within(got.get(key, 0), true.get(key, 0), sum(true.values()), key)


class Fits(Job):
    """4 KB hold about that many: 500 without what a rank answers when others let it go earlier."""
    collectives = 400

    def test_at_most_4_KB_a_step(self):
        self.assertLess(self.step_bytes(), 4096)
        self.assertEqual(self.too_large(), [])

    def test_answers_are_exact(self):
        self.check_exact()


class Rounded(Job):
    """Times are rounded as far as answers stay within a hundredth, and that is said."""
    collectives = 700

    def test_at_most_4_KB_a_step(self):
        self.assertLess(self.step_bytes(), 4096)
        self.assertEqual(self.too_large(), [])

    def test_every_screen_says_it_in_its_line_of_trust(self):
        for command in ("summary", "ranks", "critical-path"):
            said, = self.rounded(command)
            self.assertRegex(said, r"sketches are rounded: .*what was done between collectives to \S+ us$")
            self.assertIn(said, " ".join(steptime(command, self.sketches).out.split()))

    def test_waits_lateness_and_delay_costs_are_within_a_hundredth(self):
        self.check_ranks()

    def test_the_path_is_within_a_hundredth(self):
        self.check_sums(*self.both("critical-path"), "across", "time_ns")

    def test_parts_are_exact(self):
        exact, sketched = self.both("summary")
        for table in ("step_parts", "top_kernels", "top_operators"):
            self.assertEqual(rows_of(sketched, table), rows_of(exact, table), table)


class Large(Rounded):
    """They are larger then, and that is said."""
    collectives = 1500

    def test_at_most_4_KB_a_step(self):
        said, = self.too_large()
        self.assertRegex(said, r"4 of 4 sketches take more than 4096 bytes a step, 6\d\d\d at most: .* --sketch-bytes 4096 does")
        self.assertLess(self.step_bytes(), 6600)

    def test_every_screen_says_it_in_its_line_of_trust(self):
        super().test_every_screen_says_it_in_its_line_of_trust()
        self.assertRegex(self.rounded("ranks")[0], r"entries and exits of \d+ of 18000 collectives are told to 0.0\d+ us or less")


class Asked(Job):
    """A size that is asked for is kept, and what that does is said."""
    collectives, options = 1500, ("--sketch-bytes", "4096")

    def test_at_most_that(self):
        self.assertLess(self.step_bytes(), 4096)
        self.assertEqual(self.too_large(), [])

    def test_every_screen_says_that_answers_are_off(self):
        for command in ("summary", "ranks", "critical-path"):
            self.assertRegex(self.rounded(command)[0], "more than waits and lateness within 1 % allow$")


class Any(Job):
    collectives, options = 1500, ("--sketch-bytes", "any")

    def test_answers_are_exact(self):
        self.assertEqual(self.too_large(), [])
        self.check_exact()


if __name__ == "__main__":
    unittest.main()
