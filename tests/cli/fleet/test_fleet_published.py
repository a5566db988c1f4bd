# SPDX-License-Identifier: Apache-2.0
"""fleet project --published: what figures decide of an answer, against a programme of scipy's over a grid of joints."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    from scipy.optimize import linprog
except ImportError:
    linprog = None

from support import INPUT, OK, SOURCE, USAGE, steptime

EXAMPLES = os.path.join(SOURCE, "examples", "fleet")
PUBLISHED = os.path.join(EXAMPLES, "published.csv")
TARGETS = {"local": ("--to", "allreduce-local", "--set", "pcie_share=server"),
           "cluster": ("--to", "allreduce-cluster", "--set", "pcie_share=server"),
           "network": ("--set", "ethernet=100Gbps")}
# The least and most of ps-worker jobs as scipy 1.17.1 (HiGHS) found them with the programme of grid_bounds, shares being
# multiples of 1/25: a grid is within what the corners give, and near it. First those without the figure of single cNodes.
GRID = {("local", False): {"sped_up": (0, 1), "cnode_sped_up": (0.0047, 1), "mean_speedup": (0.4665, 19.565)},
        ("local", True): {"sped_up": (0.2235, 0.7745), "cnode_sped_up": (0.7735, 0.7745),
                          "mean_speedup": (0.5278, 15.923)},
        ("cluster", True): {"sped_up": (0, 0.7745), "cnode_sped_up": (0, 0.7745), "mean_speedup": (0.6147, 1.1822)},
        ("network", True): {"sped_up": (0.7735, 1), "cnode_sped_up": (0.7735, 1), "mean_speedup": (1.378, 2.2588)}}


def rows_of(report, wanted):
    for section in report["sections"]:
        for table in section["tables"]:
            if table["id"] == wanted:
                ids = [column["id"] for column in table["columns"]]
                return [dict(zip(ids, cells)) for cells in table["rows"]]
    raise KeyError(wanted)


def share(text):
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


# ---- the same programme over a grid, by scipy ----

PS, LOCAL, NVLINK = 8 / 25e9 + 1 / 10e9, 1 / 10e9, 1 / 50e9  # seconds a byte of weights takes, before efficiencies
CNODES = {"1w1g": [1], "1wng": range(1, 9),
          "ps-worker": [*range(1, 17), 20, 30, 40, 60, 90, 128, 129, 140, 150, 168, 200, 300, 512, 1024]}


def grid_kinds(steps):
    """Architecture, cNodes, and the shares of weights, input, memory-bound and compute-bound work, as columns."""
    kinds = [(name, n, w / steps, d / steps, m) for name, cnodes in CNODES.items() for n in cnodes
             for w in range(steps + 1 if name != "1w1g" else 1) for d in range(steps + 1 - w)
             for m in {0, 1 - (w + d) / steps}]
    names, n, w, d, m = (numpy.array(column) for column in zip(*kinds))
    return names, n, {"weight": w, "input": d, "memory_bound": m, "compute_bound": 1 - w - d - m}


def to_local(names, n, shares):
    """Steps there over steps here on allreduce-local whose server's PCIe is shared, and cNodes there over those here."""
    there = NVLINK / numpy.where(names == "ps-worker", PS, LOCAL)
    return (numpy.minimum(n, 8) - 1) * shares["input"] + 1 - shares["weight"] * (1 - there), numpy.minimum(n, 8) / n


def grid_row(figure, names, n, shares):
    """Weight, and value less each bound, of all kinds."""
    counts = numpy.ones(len(n), bool) if figure["of"] == "all" else numpy.isin(names, figure["of"].split("+"))
    weight = n if figure["by"] == "gpu" else numpy.ones(len(n))
    if figure["what"] == "jobs":
        counts, value = numpy.ones(len(n), bool), 1.0 * counts
    elif figure["what"] == "cnode_speedup":
        value = 1.0 * (to_local(names, n, shares)[0] < 1 - 1e-9)
    else:
        value = {"cnodes": n, **shares}[figure["what"]]
        value = 1.0 * (value > share(figure["above"]) + 1e-9) if figure["above"] else value
    row = counts * weight
    return [row * (share(figure["least"]) - value), row * (value - share(figure["most"]))]


def grid_bounds(figures, steps):
    """The least and the most of ps-worker jobs sped up on allreduce-local."""
    names, n, shares = grid_kinds(steps)
    rows = numpy.array([row for figure in figures for row in grid_row(figure, names, n, shares)])
    rows /= numpy.abs(rows).max(1)[:, None]
    of_group = 1.0 * (names == "ps-worker")
    step, cnodes = to_local(names, n, shares)
    sped_up = of_group * (step < cnodes * (1 - 1e-9))
    found = [linprog(sign * sped_up, A_ub=rows, b_ub=numpy.zeros(len(rows)), A_eq=of_group[None], b_eq=[1])
             for sign in (1, -1)]
    return found[0].fun, -found[1].fun


class Published(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.jobs = os.path.join(cls.folder.name, "jobs.csv")
        with open(cls.jobs, "wb") as out:
            subprocess.run([sys.executable, os.path.join(EXAMPLES, "generate.py"), "--jobs", "40000", "--seed", "7"],
                           stdout=out, check=True)
        with open(PUBLISHED, newline="") as table:
            cls.figures = list(csv.DictReader(table))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file_of(self, figures):
        path = os.path.join(self.folder.name, "figures.csv")
        with open(path, "w", newline="") as out:
            writer = csv.DictWriter(out, list(self.figures[0]))
            writer.writeheader()
            writer.writerows(figures)
        return path

    def project(self, target, figures=PUBLISHED, *more):
        done = steptime("fleet", "project", self.jobs, "--hw", "paper", *TARGETS[target], "--published", figures, *more,
                        "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        return done.json

    def decided(self, *asked):
        return {row["answer"]: row for row in rows_of(self.project(*asked), "decided") if row["group"] == "ps-worker"}

    def test_the_population_holds_what_it_was_fitted_to(self):
        for row in rows_of(self.project("local"), "published"):
            self.assertLessEqual(abs(row["off"]), 0.012, row)
        held = {row["figure"]: row["here"] for row in rows_of(self.project("local"), "published")}
        self.assertAlmostEqual(held["weights in the time of all"], 0.62, delta=0.01)
        self.assertAlmostEqual(held["ps-worker with gain of a single cNode on allreduce-local"], 1 - 0.226, delta=0.012)

    def test_what_was_published_of_elsewhere_is_predicted(self):
        self.assertAlmostEqual(self.decided("local")["sped_up"]["here"], 0.60, delta=0.04)
        self.assertAlmostEqual(self.decided("cluster")["sped_up"]["here"], 0.679, delta=0.02)
        self.assertAlmostEqual(self.decided("network")["mean_speedup"]["here"], 1.7, delta=0.05)

    def test_bounds_enclose_those_over_a_grid_and_are_near(self):
        marginals = self.file_of([row for row in self.figures if row["what"] != "cnode_speedup"])
        for (target, all_figures), answers in GRID.items():
            decided = self.decided(target, PUBLISHED if all_figures else marginals)
            for answer, (least, most) in answers.items():
                found = decided[answer]
                self.assertLessEqual(found["least"], least + 1e-4, (target, answer))
                self.assertGreaterEqual(found["most"], most - 1e-3, (target, answer))
                self.assertAlmostEqual(found["least"], least, delta=0.045, msg=(target, answer))
                self.assertAlmostEqual(found["most"], most, delta=0.01, msg=(target, answer))
                self.assertLessEqual(found["least"] - 0.01, found["here"])
                self.assertLessEqual(found["here"], found["most"] + 0.01)

    @unittest.skipUnless(linprog, "no scipy")
    def test_bounds_are_those_of_another_solver(self):
        for figures in (self.figures, self.figures[:7] + self.figures[8:]):
            least, most = grid_bounds(figures, 20)
            found = self.decided("local", self.file_of(figures))["sped_up"]
            self.assertLessEqual(found["least"], least + 1e-4)
            self.assertGreaterEqual(found["most"], most - 1e-4)
            self.assertAlmostEqual(found["least"], least, delta=0.03)
            self.assertAlmostEqual(found["most"], most, delta=0.03)

    def test_figures_that_contradict_each_other_are_named(self):
        wrong = {**self.figures[0], "name": "most are large", "of": "ps-worker", "what": "cnodes", "above": "8",
                 "value": "80%", "least": "", "most": ""}
        row = self.decided("local", self.file_of(self.figures + [wrong]))["sped_up"]
        self.assertIsNone(row["least"])
        self.assertIn("contradict each other: without any one of of them with more than 8 cNodes, most are large",
                      row["why"])

    def test_a_table_that_does_not_hold_them_is_said_to(self):
        other = [{**row, "value": "30%", "least": "", "most": ""} if row["what"] == "weight" and row["of"] == "all"
                 else row for row in self.figures]
        done = steptime("fleet", "project", self.jobs, "--hw", "paper", *TARGETS["local"], "--published",
                        self.file_of(other))
        self.assertIn("1 of the 15 published figures do not hold in this table", done.out)

    def test_where_parts_do_not_add_up_nothing_is_claimed(self):
        row = self.decided("local", PUBLISHED, "--overlap", "50%")["sped_up"]
        self.assertIsNone(row["least"])
        self.assertIn("overlap", row["why"])

    def test_what_makes_no_sense_is_named_with_its_line(self):
        for change, message in (({"of": "ps-wrkr"}, "line 2: of 'ps-wrkr'"), ({"by": "hour"}, "line 2: by 'hour'"),
                                ({"what": "time"}, "line 2: what 'time'"), ({"value": "x"}, "line 2: value 'x'"),
                                ({"value": "99%"}, "does not lie between least and most"),
                                ({"value": "120%", "least": "", "most": ""}, "is a share above 100 %"),
                                ({"what": "speedup"}, "line 2: above '' is missing"),
                                ({"what": "speedup", "above": "0"}, "line 2: above '0' is no speed-up"),
                                ({"what": "jobs", "above": "8"}, "line 2: above '8' is of no use for jobs"),
                                ({"set": "pcie=fast"}, "line 2: set: pcie: 'fast' is no number with a unit"),
                                ({"to": "nowhere"}, "line 2: to 'nowhere' is no architecture")):
            path = self.file_of([{**self.figures[0], **change}])
            done = steptime("fleet", "project", self.jobs, "--hw", "paper", *TARGETS["local"], "--published", path)
            self.assertEqual(done.code, INPUT, (change, done.err))
            self.assertIn(message, done.err)

    def test_too_many_bounds_are_said_to_be(self):
        more = [{**self.figures[0], "name": f"weight above {i}", "of": "ps-worker", "what": "weight", "above": f"{5 * i}%",
                 "value": "50%", "least": "0", "most": "100%"} for i in range(1, 10)]
        self.assertEqual(self.decided("local", self.file_of(more + self.figures[2:3]))["sped_up"]["why"],
                         "too many bounds part the jobs of one kind")

    def test_a_column_of_another_name_is_refused(self):
        path = os.path.join(self.folder.name, "other.csv")
        with open(path, "w") as out:
            out.write("name,of,by,what,value,weight\na,all,gpu,weight,62%,1\n")
        done = steptime("fleet", "project", self.jobs, "--hw", "paper", *TARGETS["local"], "--published", path)
        self.assertEqual(done.code, INPUT)
        self.assertIn("published figures have no column 'weight'", done.err)

    def test_it_needs_to_know_what_jobs_run_on(self):
        done = steptime("fleet", "project", self.jobs, "--to", "allreduce-local", "--published", PUBLISHED)
        self.assertEqual(done.code, USAGE)
        self.assertIn("--published is of jobs on one kind of hardware", done.err)


if __name__ == "__main__":
    unittest.main()
