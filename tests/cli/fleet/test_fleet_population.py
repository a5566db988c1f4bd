# SPDX-License-Identifier: Apache-2.0
"""The population of examples/fleet: fitted to what was published of where time goes, asked what it would gain elsewhere."""
import os
import subprocess
import sys
import unittest

from support import OK, SOURCE, steptime

GENERATE = os.path.join(SOURCE, "examples", "fleet", "generate.py")
JOBS = 60000


def generate(*options):
    run = subprocess.run([sys.executable, GENERATE, *options], stdout=subprocess.PIPE, check=True)
    return run.stdout


def row(report, table_id, **wanted):
    for section in report["sections"]:
        for table in section["tables"]:
            ids = [column["id"] for column in table["columns"]]
            for cells in table["rows"] if table["id"] == table_id else []:
                found = dict(zip(ids, cells))
                if all(found[key] == value for key, value in wanted.items()):
                    return found
    raise KeyError((table_id, wanted))


class Population(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = generate("--jobs", str(JOBS), "--seed", "5")

    def project(self, *options):
        done = steptime("fleet", "project", "-", "--hw", "paper", *options, "--format", "json", stdin=self.table)
        self.assertEqual(done.code, OK, done.err)
        return row(done.json, "speedups", group="ps-worker", by="job")

    def test_shares_are_those_it_was_fitted_to(self):
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--format", "json", stdin=self.table)
        self.assertEqual(done.code, OK, done.err)
        by_gpu = row(done.json, "shares", group="all", by="gpu")
        self.assertAlmostEqual(by_gpu["weight_share"], 0.62, delta=0.015)
        self.assertAlmostEqual(by_gpu["memory_bound_share"] / by_gpu["compute_bound_share"], 22 / 13, delta=0.06)
        self.assertAlmostEqual(row(done.json, "shares", group="1w1g", by="job")["input_share"], 0.10, delta=0.006)
        self.assertAlmostEqual(row(done.json, "shares", group="ps-worker", by="gpu")["input_share"], 0.03, delta=0.003)

    def test_a_faster_network_gives_what_was_published(self):
        self.assertAlmostEqual(self.project("--set", "ethernet=100Gbps")["mean"], 1.7, delta=0.05)

    def test_one_server_gives_what_was_published(self):
        local = self.project("--to", "allreduce-local", "--set", "pcie_share=server")
        self.assertAlmostEqual(1 - local["cnode_sped_up"], 0.226, delta=0.01)
        self.assertAlmostEqual(local["sped_up"], 0.60, delta=0.04)

    def test_servers_of_linked_gpus_give_what_was_published(self):
        cluster = self.project("--to", "allreduce-cluster", "--set", "pcie_share=server")
        self.assertAlmostEqual(cluster["sped_up"], 0.679, delta=0.02)

    def test_the_same_seed_gives_the_same_table(self):
        self.assertEqual(generate("--jobs", "300", "--seed", "5"), generate("--jobs", "300", "--seed", "5"))
        self.assertNotEqual(generate("--jobs", "300", "--seed", "5"), generate("--jobs", "300", "--seed", "6"))

    def test_every_row_is_a_job(self):
        done = steptime("fleet", "breakdown", "-", "--hw", "paper", "--strict", "--format", "json", stdin=self.table)
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.table.count(b"\n"), JOBS + 1)

    def test_figures_can_be_let(self):
        fit = generate("--fit", "--let", "WEIGHT_SHARE=0.5").decode()
        self.assertIn("beta of mean 0.5540", fit)


if __name__ == "__main__":
    unittest.main()
