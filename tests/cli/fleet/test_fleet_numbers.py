# SPDX-License-Identifier: Apache-2.0
"""Every figure that `steptime fleet` tells of a population, against the same sums over its jobs in plain Python."""
import bisect
import csv
import functools
import io
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import OK, SOURCE, rows_of, steptime, values

JOBS, SEED = 2000, 7
FLOPS, MEMORY, PCIE, ETHERNET, NVLINK, SERVER = 11e12, 1e12, 10e9, 25e9 / 8, 50e9, 8  # of --hw paper
PARTS = ("input", "compute_bound", "memory_bound", "weight")
WEIGHTS = ("job", "gpu", "gpu_time")
QUANTILES = {"p05": 0.05, "p10": 0.1, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99}
HEADER = "job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes"


class Job:
    """A row of the table, by the equations of the paper."""

    def __init__(self, row):
        self.name, self.architecture, self.team = row["job"], row["architecture"], row["team"]
        self.cnodes = float(row["cnodes"])
        self.input, self.flops, self.memory, self.weight = (
            float(row[key]) for key in ("input_bytes", "flops", "memory_bytes", "weight_bytes"))
        self.weights = {"job": 1, "gpu": self.cnodes, "gpu_time": self.cnodes * float(row["duration_s"])}
        self.shares = [part / sum(self.parts()) for part in self.parts()]
        self.bottleneck = PARTS[self.shares.index(max(self.shares))]

    def parts(self, architecture=None, efficiency=0.7):
        seconds = {"1w1g": 0, "1wng": 1 / PCIE, "ps-worker": 1 / ETHERNET + 1 / PCIE, "allreduce-local": 1 / NVLINK}
        times = (self.input / PCIE, self.flops / FLOPS, self.memory / MEMORY,
                 self.weight * seconds[architecture or self.architecture])
        return [time / efficiency for time in times]

    def step(self, overlap=0, **more):
        d, c, m, w = self.parts(**more)
        return max(c + m, overlap * d, overlap * w) + (1 - overlap) * (d + w)

    @functools.cache
    def speedup(self, **there):
        """Of its throughput in one server of linked GPUs."""
        return min(self.cnodes, SERVER) / self.cnodes * self.step() / self.step(architecture="allreduce-local", **there)

    def cnode_speedup(self):
        return self.speedup() * self.cnodes / min(self.cnodes, SERVER)


def mean(jobs, by, value):
    return sum(job.weights[by] * value(job) for job in jobs) / sum(job.weights[by] for job in jobs)


def quantiles(jobs, by, value):
    """Of q: the least value at or below which so much of the weight lies."""
    ordered = sorted(jobs, key=value)
    below = list(itertools.accumulate(job.weights[by] for job in ordered))
    return lambda q: value(ordered[bisect.bisect_left(below, q * below[-1])])


def fleet(verb, table, *options):
    done = steptime("fleet", verb, "-", "--hw", "paper", *options, "--format", "json", stdin=table)
    assert done.code == OK, done.err
    return done.json


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        generate = os.path.join(SOURCE, "examples", "fleet", "generate.py")
        words = [sys.executable, generate, "--jobs", str(JOBS), "--seed", str(SEED)]
        cls.table = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
        cls.jobs = [Job(row) for row in csv.DictReader(io.StringIO(cls.table.decode()))]
        cls.report = fleet(cls.verb, cls.table, *cls.options)

    def near(self, found, expected, what=None):
        self.assertLessEqual(abs(found - expected), 1e-9 * max(1, abs(expected)), (found, expected, what))

    def of(self, group):
        return [job for job in self.jobs if group in ("all", job.architecture, job.team)]


class Breakdown(Case):
    verb, options = "breakdown", ("--group-by", "team")

    def check_means(self, table_id):
        for row in rows_of(self.report, table_id):
            of_group = self.of(row["group"])
            self.assertEqual(row["jobs"], len(of_group))
            for i, part in enumerate(PARTS):
                self.near(row[f"{part}_share"], mean(of_group, row["by"], lambda job, i=i: job.shares[i]), row)

    def test_shares_of_each_architecture_under_each_weight(self):
        self.check_means("shares")
        self.assertEqual(len(rows_of(self.report, "shares")), 4 * len(WEIGHTS))

    def test_shares_of_each_group_under_each_weight(self):
        self.check_means("groups")
        self.assertEqual(len(rows_of(self.report, "groups")), (1 + 39) * len(WEIGHTS))

    def test_what_groups_count_for(self):
        for table_id in ("architectures", "group_jobs"):
            for row in rows_of(self.report, table_id):
                of_group = self.of(row["group"])
                for by in WEIGHTS:
                    whole = sum(job.weights[by] for job in self.jobs)
                    self.near(row[f"{by}_share"], sum(job.weights[by] for job in of_group) / whole, row)
                self.near(row["mean_cnodes"], mean(of_group, "job", lambda job: job.cnodes))

    def test_the_mix_is_that_of_all(self):
        for i, row in enumerate(rows_of(self.report, "mix")):
            for by in WEIGHTS:
                self.near(row[by], mean(self.jobs, by, lambda job, i=i: job.shares[i]), row)

    def test_bottlenecks(self):
        for row in rows_of(self.report, "bottlenecks"):
            of_group = self.of(row["architecture"])
            for part in PARTS:
                longest = mean(of_group, row["by"], lambda job, part=part: job.bottleneck == part)
                self.near(row[f"{part}_share"], longest, row)

    def check_quantiles(self, table_id, groups):
        figures = {part: (lambda job, i=i: job.shares[i]) for i, part in enumerate(PARTS)}
        figures |= {"step_ms": lambda job: 1e3 * job.step(), "cnodes": lambda job: job.cnodes}
        checked = 0
        for row in rows_of(self.report, table_id):
            if row["value"] not in figures or row["group"] not in groups:
                continue
            of_group, value = self.of(row["group"]), figures[row["value"]]
            self.near(row["mean"], mean(of_group, row["by"], value), row)
            expected = quantiles(of_group, row["by"], value)
            for name, q in QUANTILES.items():
                self.near(row[name], expected(q), (name, row))
            checked += 1
        self.assertEqual(checked, len(figures) * len(groups) * len(WEIGHTS))

    def test_quantiles_are_those_of_the_sorted_jobs(self):
        self.check_quantiles("quantiles", ("all", "1w1g", "1wng", "ps-worker"))

    def test_quantiles_of_groups_too(self):
        self.check_quantiles("group_quantiles", ("t0", "t7", "t31"))

    def test_cumulative_curves(self):
        for by in WEIGHTS:
            rows = rows_of(self.report, f"curve_{by}")
            self.assertEqual(len(rows), 21)
            for row in rows:
                for i, part in enumerate(PARTS):
                    at_most = mean(self.jobs, by, lambda job, i=i, row=row: job.shares[i] <= row["share"])
                    self.near(row[part], at_most, (by, part, row["share"]))

    def test_each_job(self):
        for job, row in zip(self.jobs, rows_of(self.report, "jobs")):
            self.assertEqual((row["job"], row["bottleneck"]), (job.name, job.bottleneck))
            for part, seconds in zip(PARTS, job.parts()):
                self.near(row[f"{part}_ms"], 1e3 * seconds, job.name)

    def test_totals(self):
        told = values(self.report)
        self.assertEqual((told["jobs"], told["dropped"], told["quantile_error"]), (JOBS, 0, 0))
        self.assertEqual(told["cnodes"], sum(job.cnodes for job in self.jobs))
        self.near(told["step_ms"], 1e3 * quantiles(self.jobs, "job", Job.step)(0.5))


class Projection(Case):
    SWEEPS = {"overlap": ("0", "0.25", "0.5", "1"), "efficiency": ("35%", "50%", "90%")}
    verb = "project"
    options = ("--to", "allreduce-local", "--sweep", "overlap=0,0.25,0.5,1", "--sweep", "efficiency=35,50,90%")

    def sped_up(self, jobs, by="job", **there):
        return mean(jobs, by, lambda job: job.speedup(**there) > 1 + 1e-9)

    def test_the_share_sped_up_the_mean_and_the_median(self):
        told = values(self.report)
        self.assertEqual((told["jobs"], told["projected"]), (JOBS, JOBS))
        self.near(told["mean_speedup"], mean(self.jobs, "job", Job.speedup))
        self.near(told["median_speedup"], quantiles(self.jobs, "job", Job.speedup)(0.5))
        self.near(told["sped_up"], self.sped_up(self.jobs))

    def test_speedups_of_each_architecture_under_each_weight(self):
        rows = rows_of(self.report, "speedups")
        self.assertEqual(len(rows), 4 * len(WEIGHTS))
        for row in rows:
            of_group, by = self.of(row["group"]), row["by"]
            self.near(row["mean"], mean(of_group, by, Job.speedup), row)
            self.near(row["cnode_mean"], mean(of_group, by, Job.cnode_speedup), row)
            self.near(row["sped_up"], self.sped_up(of_group, by), row)
            expected = quantiles(of_group, by, Job.speedup)
            for name in ("p10", "p50", "p90"):
                self.near(row[name], expected(QUANTILES[name]), (name, row))

    def test_the_curve_of_speedups(self):
        rows = rows_of(self.report, "speedup_curve")
        ordered = sorted(job.speedup() for job in self.jobs)
        for row in rows:
            at = max(1, math.ceil(row["share"] * JOBS - 1e-6))
            self.near(row["speedup"], ordered[at - 1], row)
        self.assertEqual((rows[0]["share"], rows[-1]["share"]), (0, 1))

    def test_longest_parts_here_and_there(self):
        rows = rows_of(self.report, "bottlenecks")
        self.assertEqual(sum(row["jobs"] for row in rows), JOBS)
        for row in rows:
            count = 0
            for job in self.jobs:
                there = job.parts(architecture="allreduce-local")
                count += job.bottleneck == row["here"] and PARTS[there.index(max(there))] == row["there"]
            self.assertEqual(row["jobs"], count)
            self.near(row["share"], count / JOBS)

    def test_a_sweep_is_the_same_sums_at_each_value(self):
        for key, given in self.SWEEPS.items():
            rows = rows_of(self.report, f"sweep_{key}")
            self.assertEqual([row["given"] for row in rows], list(given))
            for row in rows:
                there = {key: float(row["given"].rstrip("%")) / (100 if "%" in row["given"] else 1)}
                for by, name in zip(WEIGHTS, ("mean", "mean_gpu", "mean_gpu_time")):
                    self.near(row[name], mean(self.jobs, by, lambda job, there=there: job.speedup(**there)), row)
                self.near(row["sped_up"], self.sped_up(self.jobs, **there), row)

    def test_a_sweep_takes_no_rounding_for_a_gain(self):
        same = fleet("project", self.table, "--to", "allreduce-local", "--sweep", "efficiency=70%")
        row, = rows_of(same, "sweep_efficiency")
        self.near(row["sped_up"], values(self.report)["sped_up"])

    def test_a_point_of_a_sweep_is_a_run_with_that_setting(self):
        for key, given in (("overlap", "0.25"), ("efficiency", "35%"), ("efficiency", "90%")):
            point = next(row for row in rows_of(self.report, f"sweep_{key}") if row["given"] == given)
            run = fleet("project", self.table, "--to", "allreduce-local", "--set", f"{key}={given}")
            told = {row["by"]: row for row in rows_of(run, "speedups") if row["group"] == "all"}
            for by, name in zip(WEIGHTS, ("mean", "mean_gpu", "mean_gpu_time")):
                self.near(point[name], told[by]["mean"], given)
            self.near(point["sped_up"], told["job"]["sped_up"], given)

    def test_each_job(self):
        for job, row in zip(self.jobs, rows_of(self.report, "jobs")):
            self.assertEqual((row["job"], row["projected_cnodes"]), (job.name, min(job.cnodes, SERVER)))
            self.near(row["speedup"], job.speedup(), job.name)
            self.near(row["projected_ms"], 1e3 * job.step(architecture="allreduce-local"), job.name)


class Outputs(Case):
    """One document, whatever it is written as."""
    verb, options = "breakdown", ("--group-by", "team")
    TABLES = ("architectures", "mix", "shares", "groups", "bottlenecks", "curve_job", "curve_gpu_time", "quantiles", "jobs")

    def test_csv_has_the_numbers_of_json(self):
        for table_id in self.TABLES:
            words = ("--hw", "paper", *self.options, "--table", table_id, "--format", "csv")
            done = steptime("fleet", "breakdown", "-", *words, stdin=self.table)
            self.assertEqual(done.code, OK, done.err)
            rows = list(csv.DictReader(io.StringIO(done.out)))
            expected = rows_of(self.report, table_id)
            self.assertEqual(len(rows), len(expected))
            for row, wanted in zip(rows, expected):
                self.assertEqual(list(row), list(wanted))
                for key, value in wanted.items():
                    self.assertEqual(row[key] if isinstance(value, str) else float(row[key]), value, (table_id, key))

    def page(self, verb, *options):
        done = steptime("fleet", verb, "-", "--hw", "paper", *options, "--format", "html", stdin=self.table)
        self.assertEqual(done.code, OK, done.err)
        return done.out

    @staticmethod
    def numbers(page, section):
        """Those of the first table of a section, row by row."""
        table = re.search(rf'<section id="section-{section}">.*?<tbody>(.*?)</tbody>', page, re.DOTALL).group(1)
        return [[float(number) for number in re.findall(r'data-v="([^"]*)"', row)] for row in table.strip().split("\n")]

    @staticmethod
    def dots(page, series):
        """(x, y) of each point of the curves called so, as their titles tell them, figure by figure."""
        figures = re.findall(r'<figure class="plot lines">.*?</figure>', page, re.DOTALL)
        points = [re.findall(rf"<title>{series} at ([-\d.]+) ?%?: ([-\d.]+) ?%?</title>", figure) for figure in figures]
        return [[(float(x), float(y)) for x, y in figure] for figure in points if figure]

    def test_the_page_has_the_numbers_of_json(self):
        page = self.page("breakdown", *self.options)
        for section in ("architectures", "mix", "shares", "groups", "bottlenecks"):
            rows = rows_of(self.report, section)
            expected = [[value for value in row.values() if not isinstance(value, str)] for row in rows]
            found = self.numbers(page, section)
            self.assertEqual(len(found), len(expected), section)
            for row, wanted in zip(found, expected):
                self.assertEqual(len(row), len(wanted), section)
                for number, value in zip(row, wanted):
                    self.near(number, value, section)

    def test_the_page_draws_the_distributions(self):
        curves = self.dots(self.page("breakdown", *self.options), "weights")
        self.assertGreaterEqual(len(curves), len(WEIGHTS))
        for by, curve in zip(WEIGHTS, curves):
            rows = rows_of(self.report, f"curve_{by}")
            self.assertEqual(len(curve), len(rows))
            for (x, y), row in zip(curve, rows):
                self.assertAlmostEqual(x, 100 * row["share"], delta=0.051)
                self.assertAlmostEqual(y, 100 * row["weight"], delta=0.051)

    def test_the_page_draws_the_sweeps(self):
        options = ("--to", "allreduce-local", "--sweep", "overlap=0..1")
        rows = rows_of(fleet("project", self.table, *options), "sweep_overlap")
        page = self.page("project", *options)
        section = re.search(r'<section id="section-sweep_overlap">.*?</section>', page, re.DOTALL).group(0)
        lines = re.findall(r"<svg.*?</svg>", section, re.DOTALL)
        self.assertGreaterEqual(len(lines), 1)
        ys = [float(y) for y in re.findall(r'<circle[^>]* cy="([\d.]+)"', lines[0])][:len(rows)]
        self.assertEqual(len(ys), len(rows))
        means = [row["mean"] for row in rows]
        self.assertEqual(means, sorted(means))
        scale = (ys[-1] - ys[0]) / (means[-1] - means[0])
        for y, value in zip(ys, means):
            self.assertAlmostEqual(y, ys[0] + scale * (value - means[0]), delta=0.11)


class Efficiency(unittest.TestCase):
    """Measured shares of a link's rate, by message and servers."""
    TABLE = "size,servers,share\n1e6,2,0.2\n1e9,2,0.8\n1e6,4,0.1\n1e9,4,0.4\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "shares.csv")

    def weight_ms(self, row, link="ethernet", table=TABLE):
        with open(self.path, "w", encoding="ascii") as out:
            out.write(table)
        report = fleet("breakdown", f"{HEADER}\n{row}\n".encode(), "--efficiency", f"{link}={self.path}")
        return rows_of(report, "jobs")[0]["weight_ms"]

    def ps_worker(self, message):
        return self.weight_ms(f"a,ps-worker,4,1,0,1e12,0,{2 * message}")

    @staticmethod
    def central_ms(message, share):
        return 1e3 * 2 * message * (1 / share / ETHERNET + 1 / 0.7 / PCIE)

    def test_a_measured_size_has_the_measured_share(self):
        self.assertAlmostEqual(self.ps_worker(1e9), self.central_ms(1e9, 0.8), places=6)
        self.assertAlmostEqual(self.ps_worker(1e6), self.central_ms(1e6, 0.2), places=6)

    def test_between_sizes_it_is_straight_in_the_logarithm(self):
        self.assertAlmostEqual(self.ps_worker(1e7), self.central_ms(1e7, 0.4), places=6)
        self.assertAlmostEqual(self.ps_worker(1e8), self.central_ms(1e8, 0.6), places=6)

    def test_beyond_the_largest_the_last_holds(self):
        self.assertAlmostEqual(self.ps_worker(5e9), self.central_ms(5e9, 0.8), places=6)

    def test_below_the_least_it_falls_on(self):
        slope = math.log(0.8 / 0.2) / math.log(1e9 / 1e6)
        self.assertAlmostEqual(self.ps_worker(1e5), self.central_ms(1e5, 0.2 * 0.1 ** slope), places=6)

    def test_more_servers_have_their_own_share(self):
        for cnodes, share in ((16, 0.8), (32, 0.4), (64, 0.4), (24, 0.8 - 0.4 * math.log(3 / 2) / math.log(2))):
            traffic = 1e9 * 4 * (cnodes - 1) / cnodes
            found = self.weight_ms(f"a,allreduce-cluster,{cnodes},1,0,1e12,0,{traffic}")
            self.assertAlmostEqual(found, 1e3 * traffic * (1 / share / ETHERNET + 1 / 0.7 / NVLINK), places=5, msg=cnodes)

    def test_a_table_of_one_link_leaves_the_others(self):
        self.assertAlmostEqual(self.weight_ms("a,allreduce-local,8,1,0,1e12,0,1e9"), 1e3 * 1e9 / 0.7 / NVLINK, places=6)
        nvlink = self.weight_ms("a,allreduce-local,8,1,0,1e12,0,3.5e9", "nvlink", "size,servers,share\n1,1,0.35\n")
        self.assertAlmostEqual(nvlink, 1e3 * 3.5e9 / 0.35 / NVLINK, places=6)

    def test_a_table_that_is_none_is_refused_with_its_line(self):
        for table, said in (("size,servers,share\n1e6,2,0.2\n1e9,2,1.5\n", "line 3"), ("a,b\n1,2\n", "size,servers,share"),
                            ("size,servers,share\n", "without a row")):
            with open(self.path, "w", encoding="ascii") as out:
                out.write(table)
            done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--efficiency", f"ethernet={self.path}",
                            stdin=f"{HEADER}\na,1w1g,1,1,0,1e12,0,0\n".encode())
            self.assertNotEqual(done.code, OK)
            self.assertIn(said, done.err)


class Goodput(unittest.TestCase):
    TABLE = HEADER + """,measured_ms,productive_s,duration_s,steps
a,1w1g,1,1,0,1.1e12,2e11,0,400,300,600,
b,1wng,4,1,0,2.2e12,1e11,0,500,,1000,1600
c,1w1g,1,1,0,2.2e12,1e11,0,,900,1000,
"""
    # by hand, at full rates: name -> (weight by GPU-time, MFU, roofline's ideal, productive)
    BY_HAND = {"a": (600, 0.1 / 0.4, 0.2 / 0.4, 0.5), "b": (4 * 1000, 0.2 / 0.5, 0.2 / 0.5, 0.8),
               "c": (1000, None, None, 0.9)}

    def mean(self, column):
        told = [(row[0], row[column]) for row in self.BY_HAND.values() if row[column] is not None]
        return sum(weight * value for weight, value in told) / sum(weight for weight, _ in told)

    def test_utilisation_roofline_and_productive_time(self):
        told = values(fleet("breakdown", self.TABLE.encode()))
        self.assertEqual(told["measured"], 2)
        for column, name in enumerate(("mfu", "program_goodput", "productive"), 1):
            self.assertAlmostEqual(told[name], self.mean(column), places=12, msg=name)

    def test_their_distributions(self):
        rows = {(row["value"], row["by"]): row for row in rows_of(fleet("breakdown", self.TABLE.encode()), "quantiles")
                if row["group"] == "all"}
        self.assertAlmostEqual(rows["mfu", "job"]["mean"], (0.25 + 0.4) / 2)
        self.assertAlmostEqual(rows["mfu", "gpu"]["p50"], 0.4)
        self.assertAlmostEqual(rows["program_goodput", "job"]["p95"], 0.5)
        self.assertAlmostEqual(rows["productive", "job"]["mean"], (0.5 + 0.8 + 0.9) / 3)
        self.assertAlmostEqual(rows["productive", "gpu_time"]["p10"], 0.5)

    def test_the_error_of_the_model(self):
        told = values(fleet("breakdown", self.TABLE.encode()))
        errors = [((0.1 + 0.2) / 0.7 - 0.4) / 0.4, ((0.2 + 0.1) / 0.7 - 0.5) / 0.5]
        self.assertAlmostEqual(told["bias"], sum(errors) / 2)
        self.assertAlmostEqual(told["error"], sum(map(abs, errors)) / 2)

    def test_more_productive_than_long_is_no_job(self):
        more = "d,1w1g,1,1,0,1e12,0,0,100,700,600,\ne,1w1g,1,1,0,1e12,0,0,1000,,100,200\n"
        report = fleet("breakdown", (self.TABLE + more).encode())
        self.assertEqual((values(report)["jobs"], values(report)["dropped"]), (3, 2))
        said = " ".join(warning["message"] for warning in report["warnings"])
        self.assertIn("line 5", said)
        self.assertIn("line 6", said)


if __name__ == "__main__":
    unittest.main()
