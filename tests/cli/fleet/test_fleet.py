# SPDX-License-Identifier: Apache-2.0
"""The cluster framework as users see it: the paper's case studies, populations, projections, broken tables."""
import csv
import gzip
import io
import json
import os
import tempfile
import unittest

from support import INPUT, OK, USAGE, rows_of, shared_trace, steptime, training_steps, values, write_trace

# Wang et al., IISWC 2019, Tables IV and V: per step of one cNode.
CASES = """job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes
ResNet50,allreduce-local,8,64,38e6,1.56e12,31.9e9,357e6
NMT,allreduce-local,8,6144,22e3,2.5e12,101.6e9,1.33e9
BERT,allreduce-local,8,12,46e3,2.1e12,107.3e9,1.5e9
Speech,1w1g,1,32,804e6,7.9e12,20.4e9,728e6
Multi-Interests,ps-worker,16,2048,261e6,105.8e9,100.4e9,122e6
GCN,pearl,8,512,1.2e6,330.7e9,25.79e9,3e9
"""
# What the equations give for them, with 70 % of everything: input, compute-bound, memory-bound, weights, step (ms).
EXPECTED = {
    "ResNet50": (5.43, 202.60, 45.57, 10.20, 263.80),
    "NMT": (0.00, 324.68, 145.14, 38.00, 507.82),
    "BERT": (0.01, 272.73, 153.29, 42.86, 468.88),
    "Speech": (114.86, 1025.97, 29.14, 0, 1169.97),
    "Multi-Interests": (37.29, 13.74, 143.43, 73.20, 267.65),
    "GCN": (0.17, 42.95, 36.84, 85.71, 165.68),
}
HEADER = CASES.splitlines()[0]


def fleet(verb, table, *options, code=OK):
    """What `fleet VERB -` says of the table, as JSON."""
    done = steptime("fleet", verb, "-", *options, "--format", "json", stdin=table.encode())
    assert done.code == code, done
    return done.json if code == OK else done.err


def ps_worker(cnodes=4, input_bytes=0, flops=0, memory_bytes=0, weight_bytes=1e9, name="a"):
    return f"{name},ps-worker,{cnodes},1,{input_bytes},{flops},{memory_bytes},{weight_bytes}\n"


class CaseStudies(unittest.TestCase):
    def test_each_part_of_the_papers_six_jobs(self):
        jobs = {row["job"]: row for row in rows_of(fleet("breakdown", CASES, "--hw", "paper"), "jobs")}
        for name, expected in EXPECTED.items():
            found = [jobs[name][part] for part in ("input_ms", "compute_bound_ms", "memory_bound_ms", "weight_ms", "step_ms")]
            for ours, theirs in zip(found, expected):
                self.assertAlmostEqual(ours, theirs, delta=0.0051, msg=name)

    def test_the_bottleneck_is_the_longest_part(self):
        found = {row["job"]: row["bottleneck"] for row in rows_of(fleet("breakdown", CASES, "--hw", "paper"), "jobs")}
        self.assertEqual(found, {"ResNet50": "compute_bound", "NMT": "compute_bound", "BERT": "compute_bound",
                                 "Speech": "compute_bound", "Multi-Interests": "memory_bound", "GCN": "weight"})

    def test_ideal_overlap_leaves_the_longest_of_input_compute_and_weights(self):
        jobs = {row["job"]: row["step_ms"] for row in rows_of(fleet("breakdown", CASES, "--hw", "paper", "--overlap", "ideal"), "jobs")}
        for name, step_ms in (("Multi-Interests", 157.2), ("ResNet50", 248.2), ("NMT", 469.8), ("BERT", 426.0),
                              ("Speech", 1055.1), ("GCN", 85.7)):
            self.assertAlmostEqual(jobs[name], step_ms, delta=0.06, msg=name)

    def test_another_efficiency_of_all_scales_all(self):
        whole = rows_of(fleet("breakdown", CASES, "--hw", "paper", "--set", "efficiency=35%"), "jobs")
        for row in whole:
            self.assertAlmostEqual(row["step_ms"], 2 * EXPECTED[row["job"]][-1], delta=0.02)


class Ceilings(unittest.TestCase):
    """A job that only communicates shows what the links allow (the paper's 21x and 1.2x)."""

    def speedup(self, *options):
        report = fleet("project", HEADER + "\n" + ps_worker(), "--hw", "paper", *options)
        return rows_of(report, "jobs")[0]["speedup"]

    def test_from_parameter_servers_to_nvlink(self):
        self.assertAlmostEqual(self.speedup("--to", "allreduce-local"), 21.0, places=9)

    def test_from_parameter_servers_to_nvlink_servers_in_a_network(self):
        self.assertAlmostEqual(self.speedup("--to", "allreduce-cluster"), 0.42 / 0.34, places=9)

    def test_a_network_four_times_as_fast(self):
        self.assertAlmostEqual(self.speedup("--set", "ethernet=100Gbps"), 0.42 / 0.18, places=9)


class Populations(unittest.TestCase):
    def test_shares_by_job_and_by_gpu_differ(self):
        table = HEADER + "\n" + "".join(f"s{i},1w1g,1,1,0,11e12,0,0\n" for i in range(9)) + ps_worker(cnodes=91)
        report = fleet("breakdown", table, "--hw", "paper")
        by = {row["by"]: row for row in rows_of(report, "shares") if row["group"] == "all"}
        self.assertAlmostEqual(by["job"]["weight_share"], 0.1)
        self.assertAlmostEqual(by["gpu"]["weight_share"], 0.91)
        self.assertEqual(values(report)["jobs"], 10)

    def test_gpu_time_weighs_by_the_duration_where_there_is_one(self):
        table = HEADER + ",duration_s\n" + "a,1w1g,1,1,0,11e12,0,0,300\n" + ps_worker(cnodes=1).strip() + ",100\n"
        by = {row["by"]: row for row in rows_of(fleet("breakdown", table, "--hw", "paper"), "shares") if row["group"] == "all"}
        self.assertAlmostEqual(by["gpu_time"]["weight_share"], 0.25)

    def test_groups_of_any_column(self):
        table = HEADER + ",team\n" + "a,1w1g,1,1,0,1e12,0,0,red\nb,1w1g,1,1,0,1e12,0,0,blue\nc,1w1g,1,1,0,1e12,0,0,red\n"
        groups = {row["group"]: row["jobs"] for row in rows_of(fleet("breakdown", table, "--hw", "paper", "--group-by", "team"), "groups")}
        self.assertEqual(groups, {"all": 3, "blue": 1, "red": 2})

    def test_columns_come_in_any_order(self):
        read = list(csv.DictReader(io.StringIO(CASES)))
        order = sorted(read[0], reverse=True)
        out = io.StringIO()
        writer = csv.DictWriter(out, order)
        writer.writeheader()
        writer.writerows(read)
        self.assertEqual(rows_of(fleet("breakdown", out.getvalue(), "--hw", "paper"), "jobs"),
                         rows_of(fleet("breakdown", CASES, "--hw", "paper"), "jobs"))

    def test_json_lines_and_packed_tables_say_the_same(self):
        expected = rows_of(fleet("breakdown", CASES, "--hw", "paper"), "jobs")
        lines = "".join(json.dumps({key: text if key in ("job", "architecture") else float(text)
                                    for key, text in row.items()}) + "\n" for row in csv.DictReader(io.StringIO(CASES)))
        self.assertEqual(rows_of(fleet("breakdown", lines, "--hw", "paper"), "jobs"), expected)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "jobs.csv.gz")
            with gzip.open(path, "wt") as packed:
                packed.write(CASES)
            done = steptime("fleet", "breakdown", path, "--hw", "paper", "--format", "json")
            self.assertEqual(rows_of(done.json, "jobs"), expected)

    def test_rows_are_told_up_to_a_hundred_thousand_and_beyond_when_asked(self):
        table = HEADER + "\n" + "".join(f"j{i},1w1g,1,1,0,1e12,0,0\n" for i in range(100_001))
        with self.assertRaises(KeyError):
            rows_of(fleet("breakdown", table, "--hw", "paper"), "jobs")
        self.assertEqual(len(rows_of(fleet("breakdown", table, "--hw", "paper", "--jobs"), "jobs")), 100_001)

    def test_each_job_may_name_its_own_gpu(self):
        table = HEADER + ",gpu\n" + "a,1w1g,1,1,0,1e12,0,0,V100\nb,1w1g,1,1,0,1e12,0,0,H100\n"
        old, new = (row["step_ms"] for row in rows_of(fleet("breakdown", table), "jobs"))
        self.assertGreater(old, 2 * new)

    def test_a_page_holds_the_curves(self):
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--format", "html", stdin=CASES.encode())
        self.assertEqual(done.code, OK)
        self.assertIn("<svg", done.out)


class Projections(unittest.TestCase):
    def test_a_server_has_room_for_eight(self):
        report = fleet("project", HEADER + "\n" + ps_worker(cnodes=32), "--hw", "paper", "--to", "allreduce-local")
        row = rows_of(report, "jobs")[0]
        self.assertEqual(row["projected_cnodes"], 8)
        self.assertAlmostEqual(row["speedup"], 21.0 / 4)
        self.assertAlmostEqual(row["cnode_speedup"], 21.0)

    def test_replicas_that_share_pcie_wait_for_input(self):
        table = HEADER + "\n" + ps_worker(cnodes=8, input_bytes=1e9, weight_bytes=0)
        alone = rows_of(fleet("project", table, "--hw", "paper", "--to", "allreduce-local"), "jobs")[0]["speedup"]
        shared = rows_of(fleet("project", table, "--hw", "paper", "--to", "allreduce-local", "--pcie-share"), "jobs")[0]["speedup"]
        self.assertAlmostEqual(alone, 1)
        self.assertAlmostEqual(shared, 1 / 8)

    def test_a_sweep_has_a_row_a_value(self):
        report = fleet("project", HEADER + "\n" + ps_worker(), "--hw", "paper", "--sweep", "ethernet=25,50,100Gbps")
        means = [row["mean"] for row in rows_of(report, "sweep_ethernet")]
        self.assertEqual(len(means), 3)
        self.assertAlmostEqual(means[0], 1)
        self.assertAlmostEqual(means[2], 0.42 / 0.18)

    def test_more_values_than_a_sweep_takes_are_refused(self):
        many = "ethernet=" + ",".join(map(str, range(1, 258))) + "Gbps"
        said = fleet("project", HEADER + "\n" + ps_worker(), "--hw", "paper", "--sweep", many, code=USAGE)
        self.assertIn("--sweep: more than 256 values", said)

    def test_a_sweep_reaches_the_end_that_was_asked_for(self):
        report = fleet("project", HEADER + "\n" + ps_worker(), "--hw", "paper", "--sweep", "ethernet=10..400Gbps")
        self.assertEqual([row["given"] for row in rows_of(report, "sweep_ethernet")],
                         ["10Gbps", "20Gbps", "40Gbps", "80Gbps", "160Gbps", "320Gbps", "400Gbps"])

    def test_a_trace_that_cannot_be_read_is_told_once(self):
        with tempfile.TemporaryDirectory() as folder:
            good, bad = write_trace(os.path.join(folder, "good.json")), os.path.join(folder, "bad.json")
            with open(bad, "w", encoding="ascii") as text:
                text.write("no trace")
            report = steptime("fleet", "features", bad, good, "--format", "json").json
        self.assertEqual(len([warning for warning in report["warnings"] if warning["path"] == bad]), 1)

    def test_two_sweeps_of_one_figure_are_refused(self):
        done = steptime("fleet", "project", "-", "--hw", "paper", "--sweep", "ethernet=1,2Gbps", "--sweep", "ethernet=4Gbps",
                        stdin=CASES.encode())
        self.assertEqual(done.code, USAGE)

    def test_where_jobs_run_is_where_they_stay_unless_said(self):
        report = fleet("project", HEADER + "\n" + ps_worker(), "--at", "paper", "--to", "allreduce-local")
        self.assertAlmostEqual(rows_of(report, "jobs")[0]["speedup"], 21.0)

    def test_the_most_sensitive_resource_of_each_architecture(self):
        table = HEADER + "\n" + ps_worker() + "b,1w1g,1,1,0,1e9,1e12,0\nc,1wng,2,1,0,1e9,1e9,1e10\n"
        most = {row["architecture"]: row["most"] for row in rows_of(fleet("project", table, "--hw", "paper", "--to", "allreduce-local"), "sensitivity")}
        self.assertEqual(most, {"ps-worker": "ethernet", "1w1g": "memory", "1wng": "pcie"})

    def test_tables_that_fit_no_gpu_stay_where_they_are(self):
        table = HEADER + ",dense_weight_bytes,embedding_weight_bytes,gpu\na,ps-worker,8,1,0,1e12,0,1e8,1e9,5e12,A100-SXM4-80GB\n"
        report = fleet("project", table, "--to", "allreduce-local")
        self.assertEqual(rows_of(report, "jobs")[0]["obstacle"], "memory")


class Unnamed(unittest.TestCase):
    def test_jobs_that_name_no_gpu_run_on_that_of_hw_before_it_is_changed(self):
        table = HEADER + "\n" + ps_worker(flops=1e15, weight_bytes=0)
        report = fleet("project", table, "--hw", "H100", "--set", "flops=200%", "--jobs")
        self.assertAlmostEqual(rows_of(report, "jobs")[0]["speedup"], 2, places=9)
        self.assertEqual(rows_of(report, "sensitivity")[0]["most"], "flops")


class Measured(unittest.TestCase):
    """Jobs whose measured step is that of other efficiencies than 70 %: 50 % of arithmetic, 35 % of memory."""

    TABLE = HEADER + ",measured_ms\n" + "".join(
        f"j{i},1w1g,1,1,0,{flops}e12,{memory}e9,0,{1e3 * (flops / 11 / 0.5 + memory / 1e3 / 0.35)}\n"
        for i, (flops, memory) in enumerate((1 + i % 5, 100 * (1 + i % 7)) for i in range(70)))

    def fitted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "jobs.csv")
            with open(path, "w", encoding="ascii") as table:
                table.write(self.TABLE)
            done = steptime("fleet", "breakdown", path, "--hw", "paper", "--measured", "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        return done.json

    def test_efficiencies_are_found_again(self):
        found = {row["resource"]: row["fitted"] for row in rows_of(self.fitted(), "efficiencies")}
        self.assertAlmostEqual(found["flops"], 0.5, delta=0.005)
        self.assertAlmostEqual(found["memory"], 0.35, delta=0.005)
        self.assertIsNone(found["ethernet"])

    def test_the_error_on_jobs_held_out_is_told_beside_that_of_what_was_given(self):
        told = values(self.fitted())
        self.assertLess(told["held_out_error"], 0.01)
        self.assertGreater(told["given_error"], 0.25)
        self.assertAlmostEqual(told["error"], 0, delta=0.01)

    def test_a_projection_starts_from_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "jobs.csv")
            with open(path, "w", encoding="ascii") as table:
                table.write(self.TABLE)
            done = steptime("fleet", "project", path, "--hw", "paper", "--measured", "--set", "memory=200%", "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        first = rows_of(done.json, "jobs")[0]
        self.assertAlmostEqual(first["step_ms"], 1e3 * (1 / 11 / 0.5 + 0.1 / 0.35), delta=3)
        self.assertAlmostEqual(first["projected_ms"], 1e3 * (1 / 11 / 0.5 + 0.05 / 0.35), delta=3)

    def test_steps_faster_than_the_peak_are_told_and_in_no_mean(self):
        table = HEADER + ",measured_ms\na,1w1g,1,1,0,11e12,0,0,2000\nb,1w1g,1,1,0,11e12,0,0,2\n"
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", stdin=table.encode())
        self.assertIn("1 measured steps are shorter", done.out)
        self.assertAlmostEqual(values(fleet("breakdown", table, "--hw", "paper"))["mfu"], 0.5)

    def test_standard_input_cannot_be_read_twice(self):
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--measured", stdin=self.TABLE.encode())
        self.assertEqual(done.code, USAGE)


class ScaleOut(unittest.TestCase):
    """Steps of four models at one to 32 workers that wait for the slowest of them, and for 8 % of the network."""

    ALONE = {"a": (100, 2e7), "b": (300, 4e8), "c": (60, 1e8), "d": (500, 1e9)}
    LARGEST = {2: 0.5895, 4: 1.0502, 8: 1.4342, 16: 1.7688, 32: 2.0694}  # of n normal values, after Blom

    def table(self, models="abcd"):
        lines = ["job,model,architecture,cnodes,gpus_per_server,weight_bytes,alone_ms,measured_ms"]
        for model in models:
            alone, weights = self.ALONE[model]
            for n, largest in self.LARGEST.items():
                own, servers = alone * (1 + 0.06 * largest), -(-n // 4)
                network = 1e3 * 4 * weights * (1 - 1 / servers) / (0.08 * 12.5e9)
                local = 1e3 * 4 * weights * (1 - 1 / min(n, 4)) / (0.5 * 50e9)
                step = own + max(0, network + local - 2 / 3 * own)
                lines.append(f"{model}{n},{model},data-parallel,{n},4,{4 * weights * (1 - 1 / n)},{alone},{step}")
        return "\n".join(lines) + "\n"

    def fit(self, text, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "jobs.csv")
            with open(path, "w", encoding="ascii") as table:
                table.write(text)
            return steptime("fleet", "fit", path, *words, "--format", "json")

    def fitted(self, text):
        done = self.fit(text, "--measured", "--hw", "paper", "--set", "ethernet=100Gbps")
        self.assertEqual(done.code, OK, done.err)
        return done.json

    def test_planted_growth_is_found_again(self):
        found = {row["constant"]: row["fitted"] for row in rows_of(self.fitted(self.table()), "constants")}
        self.assertAlmostEqual(found["spread"], 0.06, delta=0.004)
        self.assertAlmostEqual(found["efficiency.ethernet"], 0.08, delta=0.02)  # shared with what varies
        self.assertIsNone(found["efficiency.pcie"])

    def test_models_held_out_are_told_by_number_of_workers(self):
        report = self.fitted(self.table())
        self.assertLess(values(report)["held_out_error"], 0.02)
        workers = rows_of(report, "workers")
        self.assertEqual([(row["cnodes"], row["steps"]) for row in workers], [(n, 4) for n in self.LARGEST])
        self.assertTrue(all(row["covered"] == 1 for row in workers))

    def test_other_commands_have_the_same_steps_with_its_settings(self):
        words = values(self.fitted(self.table()))["settings"].split()
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--set", "ethernet=100Gbps", *words, "--jobs", "--format", "json",
                        stdin=self.table().encode())
        self.assertEqual(done.code, OK, done.err)
        self.assertLess(values(done.json)["error"], 0.01)

    def test_the_error_on_other_models_is_unknown_where_there_is_but_one(self):
        report = self.fitted(self.table("b"))
        self.assertIsNone(values(report)["held_out_error"])
        self.assertFalse([t for s in report["sections"] for t in s.get("tables", []) if t["id"] == "workers"])

    def test_what_it_needs_is_said(self):
        self.assertIn("--measured", self.fit(self.table(), "--hw", "paper").err)
        self.assertIn("--hw", self.fit(self.table(), "--measured").err)
        self.assertIn("'model'", self.fit(self.table().replace("model", "modal"), "--measured", "--hw", "paper").err)
        alone = ("job,model,architecture,cnodes,alone_ms,weight_bytes,measured_ms\nx,a,data-parallel,1,100,0,100\n")
        self.assertIn("several cNodes", self.fit(alone, "--measured", "--hw", "paper").err)


class BrokenTables(unittest.TestCase):
    def test_a_row_that_cannot_be_is_dropped_with_its_line(self):
        table = HEADER + "\na,1w1g,1,1,0,1e12,0,0\nb,1w1g,0,1,0,1e12,0,0\nc,1w1g,1,1,0,-5,0,0\nd,1w1g,1,1,0,nan,0,0\n"
        report = fleet("breakdown", table, "--hw", "paper")
        self.assertEqual((values(report)["jobs"], values(report)["dropped"]), (1, 3))
        said = " ".join(warning["message"] for warning in report["warnings"])
        for line in ("line 3", "line 4", "line 5"):
            self.assertIn(line, said)

    def test_dropped_rows_are_told_where_the_output_has_no_place_for_them(self):
        table = HEADER + "\na,1w1g,1,1,0,1e12,0,0\nb,1w1g,0,1,0,1e12,0,0\n"
        for words in (("--table", "jobs"), ("--table", "jobs", "--format", "csv")):
            done = steptime("fleet", "breakdown", "-", "--hw", "paper", *words, stdin=table.encode())
            self.assertEqual(done.code, OK)
            self.assertIn("line 3", done.err)
        self.assertEqual(steptime("fleet", "breakdown", "-", "--hw", "paper", stdin=table.encode()).err, "")

    def test_a_job_that_does_nothing_takes_no_mean_with_it(self):
        table = HEADER + "\n" + ps_worker() + "z,1w1g,1,64,0,0,0,0\n"
        report = fleet("project", table, "--hw", "paper", "--to", "allreduce-local", "--sweep", "pcie=10,20GB/s")
        self.assertEqual((values(report)["projected"], values(report)["dropped"]), (1, 1))
        for row in rows_of(report, "sweep_pcie") + rows_of(report, "sensitivity"):
            self.assertNotIn(None, row.values())

    def test_a_step_of_nothing_elsewhere_is_no_endless_speedup(self):
        report = fleet("project", HEADER + "\n" + ps_worker() + ps_worker(flops=1e12, name="b"), "--hw", "paper", "--to", "1w1g")
        self.assertEqual([row["obstacle"] for row in rows_of(report, "jobs")], ["field", None])

    def test_groups_without_a_name_or_called_all_are_told_apart(self):
        table = HEADER + ",team\na,1w1g,1,1,0,1e12,0,0,all\nb,1w1g,1,1,0,1e12,0,0,\n"
        report = fleet("breakdown", table, "--hw", "paper", "--group-by", "team")
        self.assertEqual({row["group"] for row in rows_of(report, "groups")}, {"all", "'all'", "(none)"})

    def test_strict_stops_at_it(self):
        table = HEADER + "\na,1w1g,1,1,0,1e12,0,0\nb,1w1g,0,1,0,1e12,0,0\n"
        self.assertIn("3", fleet("breakdown", table, "--hw", "paper", "--strict", code=INPUT))

    def test_a_missing_column_is_named_with_the_nearest(self):
        said = fleet("breakdown", CASES.replace("input_bytes", "input_byte"), "--hw", "paper", code=INPUT)
        self.assertIn("input_bytes", said)
        self.assertIn("input_byte'", said)

    def test_hardware_that_nobody_knows_drops_the_row(self):
        table = HEADER + ",gpu\n" + "a,1w1g,1,1,0,1e12,0,0,V100\nb,1w1g,1,1,0,1e12,0,0,Q9000\n"
        report = fleet("breakdown", table)
        self.assertEqual((values(report)["jobs"], values(report)["dropped"]), (1, 1))
        self.assertIn("line 3", report["warnings"][0]["message"])

    def test_an_option_of_another_verb_is_refused_not_passed_over(self):
        for words in (("breakdown", "--to", "pearl"), ("breakdown", "--sweep", "ethernet=1..2Gbps"), ("features", "--hw", "V100"),
                      ("stragglers", "--group-by", "team")):
            done = steptime("fleet", words[0], "-", *words[1:], stdin=CASES.encode())
            self.assertEqual(done.code, USAGE, words)
            self.assertIn(words[1], done.err)

    def test_threads_are_a_number_that_can_be(self):
        for threads in ("0", "-1", "many", "3000"):
            done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--threads", threads, stdin=CASES.encode())
            self.assertEqual(done.code, USAGE, threads)

    def test_only_links_have_tables_of_efficiency(self):
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--efficiency", "flops=x.csv", stdin=CASES.encode())
        self.assertEqual(done.code, USAGE)

    def test_a_row_opens_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            report = fleet("breakdown", HEADER + f",gpu\na,1w1g,1,1,0,1e12,0,0,{pipe}\nb,1w1g,1,1,0,1e12,0,0,V100\n")
        self.assertEqual((values(report)["jobs"], values(report)["dropped"]), (1, 1))

    def test_a_table_without_one_usable_row_is_refused(self):
        said = fleet("breakdown", HEADER + "\na,1w1g,1,1,0,1e12,0,0\n", code=INPUT)
        self.assertIn("--hw", said)
        self.assertIn("line 2", said)

    def test_settings_that_cannot_be_are_refused(self):
        for words in (("--set", "ethernet=4gb/s"), ("--set", "ethernt=4GB/s"), ("--sweep", "ethernet"), ("--to", "ring")):
            done = steptime("fleet", "project", "-", "--hw", "paper", *words, stdin=CASES.encode())
            self.assertEqual(done.code, USAGE, words)

    def test_no_table_no_answer(self):
        self.assertEqual(steptime("fleet", "breakdown", "-", "--hw", "paper", stdin=b"").code, INPUT)
        self.assertEqual(steptime("fleet").code, USAGE)


class Features(unittest.TestCase):
    def test_traces_become_a_table_that_is_read_again(self):
        done = steptime("fleet", "features", shared_trace("multirank/param_dlrm_v100_w8"), "--format", "csv")
        self.assertEqual(done.code, OK, done.err)
        job, = csv.DictReader(io.StringIO(done.out))
        self.assertEqual((job["cnodes"], job["architecture"]), ("8", "pearl"))
        again = fleet("breakdown", done.out, "--hw", "V100")
        self.assertGreater(rows_of(again, "jobs")[0]["step_ms"], 0)

    def test_what_no_shape_tells_is_empty_not_zero(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write_trace(os.path.join(folder, "rank0.json"),
                               [event for event in training_steps() if event["args"].pop("Input Dims", True)])
            job, = csv.DictReader(io.StringIO(steptime("fleet", "features", folder, "--format", "csv").out))
        self.assertEqual((job["flops"], job["memory_bytes"], job["cnodes"]), ("", "", "1"))
        self.assertAlmostEqual(float(job["measured_ms"]), 1.0)

    def test_arithmetic_follows_from_shapes(self):
        with tempfile.TemporaryDirectory() as folder:
            write_trace(os.path.join(folder, "rank0.json"), training_steps(count=2, kernels=3))
            job, = csv.DictReader(io.StringIO(steptime("fleet", "features", folder, "--format", "csv").out))
        self.assertEqual(float(job["flops"]), 3 * 2 * 64**3)


if __name__ == "__main__":
    unittest.main()
