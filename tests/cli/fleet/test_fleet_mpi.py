# SPDX-License-Identifier: Apache-2.0
"""A table of jobs shared among processes: the same result as of one, and an end with a message where one dies."""
import gzip
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import BUILD, INPUT, OK, SANITIZED, USAGE, steptime

PROGRAM = os.path.join(BUILD, "src", "mpi", "steptime-mpi")
HEADER = "job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes,duration_s,team\n"
KINDS = (("1w1g", 1), ("1wng", 4), ("ps-worker", 7), ("ps-worker", 90), ("allreduce-local", 8))
LIMIT_S = 100


def row(i):
    architecture, cnodes = KINDS[i * i % len(KINDS)]
    return (f"job {i},{architecture},{cnodes},{32 + i % 7},{1e5 * (1 + i * 7919 % 997)},{1e9 * (1 + i * 104729 % 1009)},"
            f"{1e8 * (1 + i * 1299709 % 1013)},{1e6 * (1 + i * 15485863 % 1019)},{60 + i % 86400},team {i % 11}\n")


def rows(count):
    return "".join(row(i) for i in range(count))


def mpirun(processes, *arguments):
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes), PROGRAM, *arguments]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "NO_COLOR": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                                 # mpirun 4.1.4 can crash while it gathers equal words of processes that fail at once.
                                 "OMPI_MCA_orte_base_help_aggregate": "0"})


def steptime_mpi(processes, *arguments):
    with mpirun(processes, *arguments) as child:
        out, err = child.communicate(timeout=LIMIT_S)
    return child.returncode, out, err


def differences(one, other, where="report"):
    """Where two documents differ by more than rounding of sums."""
    if isinstance(one, dict) and isinstance(other, dict):
        if set(one) != set(other):
            yield f"{where}: {sorted(set(one) ^ set(other))}"
        for key in set(one) & set(other):
            yield from differences(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{where}: {len(one)} and {len(other)} items"
        for i, (left, right) in enumerate(zip(one, other)):
            yield from differences(left, right, f"{where}[{i}]")
    elif isinstance(one, float) or isinstance(other, float):
        if one is None or other is None or not math.isclose(one, other, rel_tol=1e-9):
            yield f"{where}: {one} and {other}"
    elif one != other:
        yield f"{where}: {one} and {other}"


def without_rows(report):
    """The table of single jobs stays with the processes that read them."""
    return {**report, "sections": [section for section in report["sections"] if section["id"] != "jobs"]}


@unittest.skipIf(SANITIZED, "the sanitizers count what MPI itself leaves behind")
@unittest.skipUnless(os.path.exists(PROGRAM) and shutil.which("mpirun"), "Open MPI is not installed")
class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def table(self, name, text):
        path = os.path.join(self.folder.name, name)
        with (gzip.open(path, "wb", 1) if name.endswith(".gz") else open(path, "wb")) as out:
            out.write(text.encode())
        return path

    def assert_same(self, processes, *arguments):
        one = steptime("fleet", *arguments, "--format", "json")
        self.assertEqual(OK, one.code, one)
        code, out, err = steptime_mpi(processes, "fleet", *arguments, "--format", "json")
        self.assertEqual(OK, code, err)
        self.assertEqual([], list(differences(without_rows(one.json), without_rows(json.loads(out)))))

    def test_several_processes_say_what_one_says(self):
        path = self.table("jobs.csv", HEADER + rows(30_000))
        for processes in (1, 2, 3):
            self.assert_same(processes, "breakdown", path, "--hw", "paper", "--group-by", "team")
            self.assert_same(processes, "project", path, "--hw", "paper", "--to", "allreduce-local")

    def test_blocks_of_a_packed_table_are_shared(self):
        self.assert_same(2, "breakdown", self.table("jobs.csv.gz", HEADER + rows(30_000)), "--hw", "paper")

    def test_populations_of_more_than_a_million_rows_travel_as_histograms(self):
        path = self.table("million.csv", HEADER + 35 * rows(30_000))
        self.assert_same(2, "breakdown", path, "--hw", "paper")
        os.remove(path)

    def test_more_processes_than_rows(self):
        self.assert_same(3, "breakdown", self.table("one.csv", HEADER + rows(1)), "--hw", "paper")

    def test_dropped_rows_are_told_with_their_lines_in_the_file(self):
        bad = "x,ps-worker,4,32,1,?,1,1,1,t\n"
        text = HEADER + rows(9_000) + bad + rows(9_000) + bad + rows(50) + bad
        self.assert_same(3, "breakdown", self.table("bad.csv", text), "--hw", "paper")
        self.assert_same(2, "breakdown", self.table("bad.csv.gz", text), "--hw", "paper")
        code, _, err = steptime_mpi(2, "fleet", "breakdown", self.table("bad.csv", text), "--hw", "paper", "--strict")
        self.assertEqual(INPUT, code)
        self.assertIn("flops is no number: '?'", err)

    def test_what_cannot_be_shared_is_refused(self):
        for arguments in (("fleet", "breakdown", "-"), ("kernels", "x.json"), ("fleet", "features", "x.json")):
            code, out, err = steptime_mpi(2, *arguments)
            self.assertEqual((USAGE, ""), (code, out), err)
            self.assertIn("steptime", err)

    def test_stragglers_are_refused_by_name(self):
        """Their operations are in no sketch, so there is nothing that processes could pass on."""
        code, out, err = steptime_mpi(2, "fleet", "stragglers", "job")
        self.assertEqual((USAGE, ""), (code, out))
        self.assertIn("fleet stragglers is for one process: run it with steptime", err)

    def test_a_process_that_dies_ends_the_job_with_a_message(self):
        # Many members of gzip are a long table in a short file.
        path = os.path.join(self.folder.name, "long.csv.gz")
        with open(path, "wb") as out:
            out.write(gzip.compress(HEADER.encode(), 1) + gzip.compress((rows(20) * 1_000).encode()) * 3_000)
        with mpirun(2, "fleet", "breakdown", path, "--hw", "paper") as child:
            os.kill(wait_for_rank(child.pid, "1"), signal.SIGKILL)
            out, err = child.communicate(timeout=LIMIT_S)
        self.assertNotEqual(0, child.returncode)
        self.assertEqual("", out)
        self.assertIn("signal 9", err)


def wait_for_rank(mpirun_pid, rank):
    """
    The process below mpirun that is of the rank, once it has worked for a second: mpirun does not say by which signal one
    died that was still joining the others.
    """
    ticks, until = os.sysconf("SC_CLK_TCK"), time.monotonic() + 60
    while time.monotonic() < until:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                    fields = stat.read().rpartition(")")[2].split()
                parent, worked = int(fields[1]), int(fields[11]) + int(fields[12])
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    its_rank = dict(pair.partition(b"=")[::2] for pair in environ.read().split(b"\0"))
            except (OSError, ValueError):
                continue
            if parent == mpirun_pid and its_rank.get(b"OMPI_COMM_WORLD_RANK") == rank.encode() and worked >= ticks:
                return int(pid)
        time.sleep(0.05)
    raise AssertionError("mpirun started no such process")


if __name__ == "__main__":
    unittest.main()
