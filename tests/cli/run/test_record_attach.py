# SPDX-License-Identifier: Apache-2.0
"""steptime record --attach: a job that runs already, asked by Kineto's own socket. One case runs PyTorch; the others run a
stub of what Kineto does there, in plain Python."""
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

from support import INPUT, OK, PROGRAM, USAGE, steptime
from test_record import ENVIRONMENT, TRAIN
from torch_python import torch_python

# A stub of Kineto: registers, asks four times a second, and writes what it was told to, in two pieces.
STUB = """
    import json, os, re, socket, struct, sys, time
    folder, mode = os.environ["KINETO_IPC_SOCKET_DIR"], sys.argv[1]
    job = int(os.environ.get("SLURM_JOB_ID", 0))
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.bind(os.path.join(folder, f"client{os.getpid()}"))
    ours.settimeout(0.25)
    print(os.getpid(), flush=True)

    def ask(kind, body):
        try:
            ours.sendto(struct.pack("Q32s", len(body), kind) + body, os.path.join(folder, "dynolog"))
            return ours.recv(1 << 16)[40:]
        except OSError:
            return b""

    def write(path):
        events = [dict(ph="X", cat="cpu_op", name=name, pid=1, tid=1, ts=1000.0 * step + at, dur=dur)
                  for step in range(6) for name, at, dur in (("aten::linear", 10, 100), ("aten::mul", 200, 50))]
        events += [dict(ph="X", cat="user_annotation", name="Optimizer.step#SGD.step", pid=1, tid=1, ts=1000.0 * step + 500,
                        dur=100.0) for step in range(6)]
        if "stacks" in path:
            events += [dict(ph="X", cat="python_function", name="train.py(3): step", pid=1, tid=1, ts=1000.0 * step + 1, dur=700)
                       for step in range(6)]
        text = json.dumps({"schemaVersion": 1, "traceEvents": events})
        with open(re.sub(r"[.]json$", f"_{os.getpid()}.json", path), "w") as out:
            out.write(text[:100]); out.flush(); time.sleep(0.5)
            if mode == "dies": os._exit(9)
            out.write(text[100:])

    ask(b"ctxt", struct.pack("iiq", 0, os.getpid(), job))
    until = time.monotonic() + 30
    while time.monotonic() < until:
        told = ask(b"req", struct.pack("iiqii", 3, 2, job, os.getpid(), os.getppid())).decode()
        if told:
            print(json.dumps(told), flush=True)
            try:
                write(re.search("ACTIVITIES_LOG_FILE=(.*)", told)[1])
            except FileNotFoundError:
                pass  # Kineto says so and goes on
        time.sleep(0.1)
"""


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.out = os.path.join(self.folder, "out")

    def start(self, python, text, *words, **environment):
        path = os.path.join(self.folder, "train.py")
        with open(path, "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))
        running = subprocess.Popen([python, path, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   env={**os.environ, **ENVIRONMENT, "KINETO_IPC_SOCKET_DIR": self.folder,
                                        "KINETO_ONDEMAND_TRACE_DIR": self.folder, **environment})
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        running.stdout.readline()
        return running

    def stub(self, mode="", **environment):
        return self.start(sys.executable, STUB, mode, KINETO_USE_DAEMON="1", **environment)

    def attach(self, number, *options):
        return steptime("record", "--attach", str(number), "-o", self.out, *options,
                        env={"KINETO_IPC_SOCKET_DIR": self.folder}, limit_s=60)

    def left(self):
        """Folders that nobody removed."""
        return [name for name in os.listdir(self.folder) if name.startswith("steptime-")]


class Stub(Case):
    def test_it_is_told_twice_and_both_are_joined(self):
        running = self.stub()
        done = self.attach(running.pid, "--steps", "5", "--warmup", "3")
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("train.json.gz: 5 steps, with stacks", done.err)
        first, second = (json.loads(running.stdout.readline()) for _ in range(2))
        self.assertIn("ACTIVITIES_ITERATIONS=6\n", first)
        self.assertIn("ACTIVITIES_WARMUP_ITERATIONS=3\n", first)
        self.assertIn("PROFILE_REPORT_INPUT_SHAPES=true\nPROFILE_WITH_STACK=false\n", first)
        self.assertIn("PROFILE_WITH_STACK=true\n", second)
        with gzip.open(os.path.join(self.out, "train.json.gz"), "rt") as text:
            names = [event["name"] for event in json.load(text)["traceEvents"]]
        self.assertIn("train.py(3): step", names)
        self.assertEqual(names.count("aten::linear"), 6)
        self.assertEqual(self.left(), [])
        self.assertIsNone(running.poll())

    def test_without_stacks_it_is_told_once(self):
        running = self.stub()
        done = self.attach(running.pid, "--no-stacks")
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("5 steps, without stacks", done.err)
        self.assertEqual(self.left(), [])

    def test_a_job_is_recorded_with_all_its_processes(self):
        ranks = [self.stub(SLURM_JOB_ID="2000000111", RANK=str(rank), WORLD_SIZE="2") for rank in range(2)]
        self.stub(SLURM_JOB_ID="2000000112")
        done = self.attach(2000000111, "--no-stacks")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(sorted(os.listdir(self.out)), ["train-rank0.json.gz", "train-rank1.json.gz"])
        self.assertEqual([rank.poll() for rank in ranks], [None, None])

    def test_a_process_that_dies_while_it_writes(self):
        done = self.attach(self.stub("dies").pid)
        self.assertIn("the process ended before it had recorded all", done.err)
        self.assertFalse(os.path.exists(self.out))
        self.assertEqual(self.left(), [])

    def test_an_interrupt_leaves_the_job_as_it_is(self):
        running = self.stub("")
        with subprocess.Popen([PROGRAM, "record", "--attach", str(running.pid), "-o", self.out, "--steps", "7"],
                              stderr=subprocess.PIPE, text=True, env={**os.environ}) as ours:
            while "told to record" not in ours.stderr.readline():
                pass
            ours.send_signal(signal.SIGINT)
            ours.stderr.read()
            self.assertEqual(ours.wait(30), -signal.SIGINT)
        self.assertEqual(self.left(), [])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "dynolog")))
        time.sleep(0.2)
        self.assertIsNone(running.poll())

    def test_who_cannot_be_recorded(self):
        deaf = self.start(sys.executable, "import time; print(1, flush=True); time.sleep(60)")
        done = self.attach(deaf.pid)
        self.assertEqual(done.code, INPUT)  # remote execution is the subject of test_record_remote.py
        if sys.version_info < (3, 14):
            self.assertIn("was not started with KINETO_USE_DAEMON=1", done.err)
        done = self.attach(deaf.pid, "--", "train.py")
        self.assertEqual(done.code, USAGE)
        self.assertIn("it takes no command", done.err)
        self.assertEqual(self.attach("soon").code, USAGE)
        for option in ("--memory", "--et", "--sync-lines", "--compile-log", "--also-cpu"):
            done = self.attach(deaf.pid, option)
            self.assertEqual(done.code, USAGE)
            self.assertIn(f"--attach cannot have {option}", done.err)


class Real(Case):
    def test_a_script_of_pytorch(self):
        running = self.start(torch_python(), textwrap.dedent(TRAIN) + textwrap.dedent("""
            import time
            print(torch.__version__, flush=True)
            until = time.monotonic() + 60
            while time.monotonic() < until:
                step(); time.sleep(0.002)
        """), KINETO_USE_DAEMON="1", KINETO_LOG_LEVEL="99")
        done = self.attach(running.pid)
        if "asked for work" in done.err:
            self.skipTest("this PyTorch has no client of Kineto's socket: " + done.err)
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("train.json.gz: 5 steps, with stacks", done.err)
        self.assertIsNone(running.poll())
        shown = steptime("info", self.out, "--format", "json")
        self.assertEqual(shown.code, OK, shown.err)
        with gzip.open(os.path.join(self.out, "train.json.gz"), "rt") as text:
            names = {event["name"] for event in json.load(text)["traceEvents"]}
        self.assertTrue(any(name.endswith(": prepare") for name in names))
        self.assertIn("aten::linear", names)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
