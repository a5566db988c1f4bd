# SPDX-License-Identifier: Apache-2.0
"""`steptime-mpi ranks`, `summary`, `critical-path`: the files spread over processes, and every byte of the answer that of one process."""
import os
import unittest

from support import HAS_MPI, INPUT, OK, USAGE, recorded, shared_trace, steptime, steptime_mpi, training_steps, write_trace
from test_ranks import LATE_US, Case

COMMANDS = ("summary", "critical-path", "ranks")


def own_lines(err):
    """What the program itself says: mpirun adds its own words where it fails."""
    return [line for line in err.splitlines() if line.startswith("steptime: ")]


@unittest.skipUnless(HAS_MPI, "Open MPI is not installed, or the build has sanitizers")
class Spread(Case):
    def assert_same(self, processes, *arguments, code=OK, commands=("ranks",)):
        for command in commands:
            one = steptime(command, "--format", "json", *arguments)
            got, out, err = steptime_mpi(processes, command, "--format", "json", *arguments)
            self.assertEqual((one.code, got), (code, code), err)
            self.assertEqual(out, one.out)
            self.assertEqual(own_lines(err), own_lines(one.err))

    def test_a_planted_straggler(self):
        base = 1_711_964_646_000_000_000
        self.plant([0, 0, LATE_US, 0], shift_us=[0, -2_500_000, 7, 0], hosts=list("abcd"),
                   bases=[base, base + 2_500_000_000, base - 7_000, base])
        self.assert_same(2, self.folder, commands=COMMANDS)
        self.assert_same(6, self.folder)
        self.assert_same(2, "--steps", "1..2", self.folder)
        self.assert_same(2, "--rank", "0,2", self.folder)

    def test_what_is_wrong_with_files_is_told_the_same(self):
        self.plant([0, LATE_US])
        write_trace(os.path.join(self.folder, "worker9.json"), training_steps(3))
        with open(os.path.join(self.folder, "worker2.json"), "w", encoding="utf-8") as file:
            file.write("no trace")
        with open(os.path.join(self.folder, "worker1.json"), "rb+") as file:
            file.truncate(os.path.getsize(file.name) - 30)
        self.assert_same(3, self.folder)
        self.assert_same(2, "--steps", "3", self.folder)
        self.assert_same(2, os.path.join(self.folder, "nowhere.json"), self.folder, code=INPUT)
        self.assert_same(2, "--steps", "77", self.folder, code=INPUT)

    def test_sketches(self):
        sketches = os.path.join(self.folder, "sketches")
        steptime("summary", "--save", sketches, self.plant([0, LATE_US, 0]))
        self.assert_same(2, sketches, commands=COMMANDS)

    def test_real_jobs(self):
        for name in ("torchrec_a2a_v100_w4", "param_dlrm_v100_w8"):
            with self.subTest(name):
                self.assert_same(2, shared_trace(f"multirank/{name}"), commands=COMMANDS)

    def test_one_trace_of_which_all_is_shown(self):
        """Events behind findings, and each stretch of the path."""
        self.assert_same(2, recorded("ddp-gloo-rank1.json.gz"), commands=COMMANDS)
        self.assert_same(2, "--findings", "20", shared_trace("kineto/hta_df_index_resolver_w2r1.json.gz"), commands=("summary",))

    def test_options_for_one_process(self):
        trace = os.path.join(self.plant([0]), "worker0.json")
        for command, option in (("summary", "--save"), ("summary", "--compile-log"), ("critical-path", "--overlay")):
            code, _, err = steptime_mpi(2, command, option, os.path.join(self.folder, "there"), trace)
            self.assertEqual(code, USAGE)
            self.assertIn(f"{option} is for one process", err)
        code, _, err = steptime_mpi(2, "summary", "--explain", "verdict", trace)
        self.assertEqual(code, USAGE)
        self.assertIn("--explain verdict is for one process", err)

    def test_standard_input(self):
        code, _, err = steptime_mpi(2, "ranks", "-")
        self.assertEqual(code, USAGE)
        self.assertIn("several processes cannot share standard input", err)


if __name__ == "__main__":
    unittest.main()
