# SPDX-License-Identifier: Apache-2.0
"""steptime record: a script as it is, with some steps recorded. Most cases run PyTorch and skip where there is none."""
import glob
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

from support import INPUT, OK, OUTPUT, PROGRAM, USAGE, steptime
from torch_python import torch_python

SLOW_S = 300
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}
TRAIN = """
    import torch
    net = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters())

    def prepare():
        return torch.tensor([float(i) for i in range(512)]).view(16, 32)

    def step(optimizer=optimizer):
        loss = net(prepare()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()
"""


def events_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as text:
        whole = json.load(text)
    return whole if isinstance(whole, list) else whole["traceEvents"]  # without Kineto it is a bare list


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.out = os.path.join(self.folder, "out")

    def script(self, text, name="train.py", train=True):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write((textwrap.dedent(TRAIN) if train else "") + textwrap.dedent(text))
        return path

    def record(self, *command, options=(), environment=None):
        return steptime("record", "-o", self.out, *options, "--", *command, env={**ENVIRONMENT, **(environment or {})},
                        limit_s=SLOW_S)

    def traces(self):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.out, "*.json.gz")))


class Plain(Case):
    """Without PyTorch."""

    def test_output_and_exit_code_are_the_scripts(self):
        path = self.script("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)", train=False)
        done = self.record(sys.executable, path)
        self.assertEqual((done.code, done.out), (7, "out\n"))
        self.assertIn("err\n", done.err)
        self.assertIn("ended without importing PyTorch", done.err)
        self.assertFalse(os.path.exists(self.out))

    def test_arguments_and_input_reach_it(self):
        path = self.script("import sys; print(sys.argv[1:], sys.stdin.read())", train=False)
        done = steptime("record", "-o", self.out, "--", sys.executable, path, "--steps", "a b\nc", stdin=b"given")
        self.assertEqual(done.out, "['--steps', 'a b\\nc'] given\n")

    def test_a_pytorch_that_lacks_what_is_watched_ends_no_script(self):
        path = self.script("import torch; print('on')", train=False)
        self.script("", name="torch/__init__.py", train=False)
        done = self.record(sys.executable, path)
        self.assertEqual((done.code, done.out), (OK, "on\n"))
        self.assertIn("recording failed: AttributeError", done.err)

    def test_a_command_that_is_not_there(self):
        done = self.record("no-such-python", "train.py")
        self.assertEqual(done.code, INPUT)
        self.assertIn("'no-such-python' does not start", done.err)
        self.assertFalse(os.path.exists(self.out))

    def test_an_interpreter_that_heeds_no_environment(self):
        done = self.record(sys.executable, "-I", "-c", "print(1)")
        self.assertEqual((done.code, done.out), (OK, "1\n"))
        self.assertIn("no python heeded PYTHONPATH", done.err)

    def test_a_folder_that_cannot_be_made(self):
        path = self.script("print('ran')", train=False)
        done = steptime("record", "-o", os.path.join(path, "below"), "--", sys.executable, path)
        self.assertEqual((done.code, done.out), (OUTPUT, ""))
        self.assertIn("cannot be made", done.err)

    def test_wrong_words(self):
        for words, said in ((("--window", "soon", "--", "x.py"), "--window takes"), (("--",), "which command?"),
                            (("--steps", "0", "--", "x.py"), "--steps")):
            done = steptime("record", *words)
            self.assertEqual(done.code, USAGE)
            self.assertIn(said, done.err)

    def test_no_recording_within_a_recording(self):
        done = self.record(PROGRAM, "record", "--", "train.py")
        self.assertEqual(done.code, USAGE)
        self.assertIn("is being recorded already", done.err)

    def test_folders_have_numbers_where_they_are_taken(self):
        os.mkdir(os.path.join(self.folder, "steptime-train"))
        path = self.script("import os; print(os.environ['STEPTIME_RECORD_TO'])", train=False)
        done = steptime("record", "--", sys.executable, path, cwd=self.folder)
        self.assertEqual(os.path.basename(done.out.strip()), "steptime-train-2")

    def test_signals_reach_it_and_its_end_is_ours(self):
        path = self.script("""
            import os, signal, sys, time
            print(os.getpid(), flush=True)
            time.sleep(60)
        """, train=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen([PROGRAM, "record", "-o", self.out, "--", sys.executable, path],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
                child = int(running.stdout.readline())
                os.kill(child if number == signal.SIGKILL else running.pid, number)
                self.assertEqual(running.wait(30), -number)


class Usual(Case):
    """A script with nothing awkward in it: all cases look at one recording."""

    @classmethod
    def setUpClass(cls):
        cls.python = torch_python()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder, cls.out = holder.name, os.path.join(holder.name, "out")
        cls.path = cls.script(cls, "import torch\ntorch.manual_seed(3)\n" + textwrap.dedent(TRAIN) +
                              "print([step() for _ in range(40)])", train=False)
        cls.done = cls.record(cls, cls.python, cls.path)

    def setUp(self):
        """No folder of its own."""

    def look_at_waits(self):
        """As many as ends of steps, where the system tells them; they never fall, and are never more than the time itself."""
        with open(os.path.join(self.out, "train.steps.json"), encoding="ascii") as file:
            said = json.load(file)
        for which in ("bare", "recorded"):
            ends, waited = said[f"{which}_step_end_ns"], said.get(f"{which}_step_end_waited_ns")
            self.assertEqual(waited is not None, os.path.exists("/proc/self/schedstat"))
            if waited is not None:
                self.assertEqual(len(waited), len(ends))
                self.assertEqual(waited, sorted(waited))
                self.assertLess(waited[-1] - waited[0], ends[-1] - ends[0])

    def test_files_and_steps(self):
        self.assertEqual(self.done.code, OK, self.done.err)
        self.assertEqual(sorted(os.listdir(self.out)), ["train.json.gz", "train.steps.json"])
        shown = steptime("summary", "--format", "json", self.out)
        self.assertEqual(shown.code, OK, shown.err)
        self.assertIn("the recorder made a step", steptime("summary", self.out).out)
        names = {event["name"] for event in events_of(os.path.join(self.out, "train.json.gz"))}
        steps = sorted(name for name in names if name.startswith("ProfilerStep#"))
        self.look_at_waits()
        self.assertEqual(steps, [f"ProfilerStep#{n}" for n in range(12, 17)])

    def test_losses_are_the_same_recorded_or_not(self):
        alone = subprocess.run([self.python, self.path], env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True,
                               timeout=SLOW_S, check=True)
        self.assertEqual(self.done.out, alone.stdout)

    def joined(self):
        """The events, where there are stacks among them."""
        if "no stacks" in self.done.err:
            self.skipTest(self.done.err)
        return events_of(os.path.join(self.out, "train.json.gz"))

    def test_frames_lie_around_what_they_call(self):
        events = [event for event in self.joined() if event.get("ph") == "X"]
        frames = [event for event in events if event["cat"] == "python_function"]
        prepared = [event for event in frames if event["name"].endswith(": prepare")]
        made = [event for event in events if event["name"] == "aten::lift_fresh"]
        self.assertEqual(len(prepared), 5)
        self.assertEqual(len(made), 5)

        def inside(inner, outer):
            return outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 0.002
        for outer in prepared:
            self.assertEqual(sum(inside(inner, outer) for inner in made), 1)

    def test_stacks_leave_the_times_alone(self):
        joined, without = self.joined(), os.path.join(self.folder, "without")
        self.assertTrue(any(event.get("cat") == "python_function" for event in joined))
        steptime("record", "-o", without, "--no-stacks", "--", self.python, self.path, env=ENVIRONMENT, limit_s=SLOW_S)
        plain = events_of(os.path.join(without, "train.json.gz"))
        self.assertFalse(any(event.get("cat") == "python_function" for event in plain))

        def calls(events):
            return [event["name"] for event in events if event.get("cat") == "cpu_op"]
        self.assertEqual(calls(joined), calls(plain))


class Recorded(Case):
    def setUp(self):
        super().setUp()
        self.python = torch_python()

    def test_ends_that_come_too_soon(self):
        early = "for i in range(14): step()\n"
        for last, code in (("raise ValueError('mine')", 1), ("import sys; sys.exit(5)", 5), ("import os; os._exit(3)", 3),
                           ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
                           ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT)):
            self.out = os.path.join(self.folder, f"out{abs(code)}{len(last)}")
            with self.subTest(last):
                done = self.record(self.python, self.script(early + last))
                self.assertEqual(done.code, code, done.err)
                self.assertEqual(self.traces(), ["train.json.gz"], done.err)
                self.assertIn("the script ended before the 5th", done.err)

    def test_slow_steps_are_told_while_they_run(self):
        path = self.script("import time\nfor _ in range(6): step(); time.sleep(1.3)")
        done = self.record(self.python, path)
        self.assertEqual(done.code, OK, done.err)
        self.assertRegex(done.err, r"step 5 of 24 until all is recorded, about 2[4-9] s left")

    def test_too_few_steps(self):
        done = self.record(self.python, self.script("for _ in range(6): step()"))
        self.assertEqual(done.code, OK)
        self.assertIn("the script ended after 6 steps, before recording began", done.err)

    def test_a_script_that_profiles_itself(self):
        first = """
            from torch.profiler import profile, schedule
            with profile(schedule=schedule(wait=1, warmup=1, active=2)) as own:
                for _ in range({before}): step()
                for _ in range(4):
                    step(); own.step()
            own.export_chrome_trace('{own}')
            for _ in range(20): step()
        """
        for before in (0, 12):
            own = os.path.join(self.folder, f"own{before}.json")
            with self.subTest(before):
                done = self.record(self.python, self.script(first.format(before=before, own=own)))
                self.assertEqual(done.code, OK, done.err)
                self.assertIn("the script profiles itself", done.err)
                self.assertTrue(os.path.exists(own))
                self.assertEqual(self.traces(), [])

    def test_another_thread(self):
        done = self.record(self.python, self.script("import threading\n"
                                                    "t = threading.Thread(target=lambda: [step() for _ in range(30)])\n"
                                                    "t.start(); t.join()"), options=("--no-stacks",))
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.traces(), ["train.json.gz"], done.err)
        steps = [e["name"] for e in events_of(os.path.join(self.out, "train.json.gz"))
                 if e["name"].startswith("ProfilerStep#") and e.get("cat") != "gpu_user_annotation"]
        self.assertEqual(len(steps), 5)

    def test_nothing_that_steps(self):
        path = self.script("import time\nuntil = time.monotonic() + 3\n"
                           "while time.monotonic() < until: net(prepare()); time.sleep(0.02)")
        done = self.record(self.python, path, options=("--window", "0.5:0.5"))
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("no optimizer made a step in 0.5 s", done.err)
        self.assertEqual(self.traces(), ["train.json.gz"], done.err)

    def test_names_with_blanks_and_a_module(self):
        self.script("for _ in range(30): step()", "a folder/shop/train me.py")
        done = self.record(self.python, os.path.join(self.folder, "a folder/shop/train me.py"), options=("--no-stacks",))
        self.assertEqual((done.code, self.traces()), (OK, ["train_me.json.gz"]), done.err)
        self.out = os.path.join(self.folder, "module")
        self.script("for _ in range(30): step()", "shop/train.py")
        done = self.record(self.python, "-m", "shop.train", options=("--no-stacks",),
                           environment={"PYTHONPATH": self.folder})
        self.assertEqual((done.code, self.traces()), (OK, ["train.json.gz"]), done.err)

    def test_a_file_that_cannot_be_written(self):
        path = self.script("import sys\nfor _ in range(30): step()\nprint('end')")
        os.mkdir(self.out)
        os.mkdir(os.path.join(self.out, ".train.part.json.gz"))  # nothing can be written there
        done = self.record(self.python, path)
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        self.assertIn("recording failed", done.err)


STUB = """
    # A stub of what PyTorch does on a GPU, for machines without one: its calls that wait warn, as PyTorch's own do.
    import functools, warnings
    import torch
    mode = [0]
    torch.cuda.is_initialized = lambda: True
    torch.cuda.get_sync_debug_mode = lambda: mode[0]
    torch.cuda.set_sync_debug_mode = lambda to: mode.__setitem__(0, int(to))
    quiet = lambda *_, **__: None
    warn = functools.partial(warnings.warn, "called a synchronizing CUDA operation")
    def waits():
        return warn if mode[0] else quiet
"""


class SyncLines(Case):
    """The lines that wait; PyTorch's warnings are those of a stub where there is no GPU."""

    def setUp(self):
        super().setUp()
        self.python = torch_python()
        self.script(STUB, "site-packages/stub.py", train=False)
        self.places = {"PYTHONPATH": os.path.join(self.folder, "site-packages")}

    def recorded(self, text, options=("--no-stacks", "--sync-lines")):
        path = self.script("import stub\n" + textwrap.dedent(text))
        done = self.record(self.python, path, options=options, environment=self.places)
        return done, path

    def lines(self):
        with open(os.path.join(self.out, "train.syncs.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_the_line_and_how_often(self):
        done, path = self.recorded("""
            def metrics():
                stub.waits()()
                stub.waits()()
            for i in range(40):
                step(); metrics()
                if i % 2: stub.waits()()
            print(stub.mode)
        """)
        self.assertEqual((done.code, done.out), (OK, "[0]\n"), done.err)
        self.assertIn("3 lines wait for the device", done.err)
        told = self.lines()
        self.assertEqual((told["version"], told["steps"]), (1, 5))
        with open(path, encoding="utf-8") as text:
            at = [number for number, line in enumerate(text, 1) if "stub.waits()()" in line]
        seen = {line["line"]: (line["function"], line["count"]) for line in told["lines"]}
        self.assertEqual(seen[at[0]], ("metrics", 5))
        self.assertEqual(seen[at[1]], ("metrics", 5))
        self.assertIn(seen[at[2]], (("<module>", 2), ("<module>", 3)))
        self.assertNotIn("synchronizing", done.err)

    def test_a_wait_in_a_library_is_told_where_it_was_called(self):
        self.script("import stub\ndef clip():\n    stub.waits()()\n", "site-packages/lib.py", train=False)
        done, path = self.recorded("import lib\ndef body():\n    lib.clip()\nfor _ in range(40):\n    step(); body()\n")
        self.assertEqual(done.code, OK, done.err)
        (line,) = self.lines()["lines"]
        self.assertEqual((line["file"], line["function"], line["count"], line["steps"]), (path, "body", 5, 5))
        self.assertRegex(line["via"][-1], r"lib\.py\(3\): clip")

    def test_other_warnings_go_where_they_went(self):
        done, _ = self.recorded("""
            import warnings
            for i in range(40):
                step()
                stub.waits()()
                if 17 <= i < 19: warnings.warn(f"mine {i}")
        """)
        self.assertIn("mine 17", done.err)
        self.assertIn("mine 18", done.err)
        self.assertEqual(len(self.lines()["lines"]), 1)

    def test_as_errors_they_would_end_the_script(self):
        done, _ = self.recorded("import warnings; warnings.simplefilter('error')\n"
                                "for _ in range(40):\n    step(); stub.waits()()\n")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.lines()["lines"][0]["count"], 5)

    def test_a_script_that_ends_in_the_pass(self):
        done, _ = self.recorded("for _ in range(19):\n    step(); stub.waits()()\nraise SystemExit(3)")
        self.assertEqual(done.code, 3)
        self.assertEqual(self.lines()["steps"], 2)

    def test_without_a_gpu(self):
        done = self.record(self.python, self.script("for _ in range(40): step()"), options=("--sync-lines", "--no-stacks"))
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("the script uses no CUDA device", done.err)
        self.assertEqual(sorted(os.listdir(self.out)), ["train.json.gz", "train.steps.json"])

    def test_a_script_that_asks_for_the_mode_itself(self):
        done, _ = self.recorded("stub.mode[0] = 1\nimport warnings; warnings.simplefilter('ignore')\n"
                                "for _ in range(40): step()\nprint(stub.mode)")
        self.assertEqual(done.out, "[1]\n")
        self.assertIn("has set torch.cuda.set_sync_debug_mode itself", done.err)


class Extras(Case):
    """What may be asked for beside the trace."""

    def setUp(self):
        super().setUp()
        self.python = torch_python()

    def test_an_execution_trace(self):
        done = self.record(self.python, self.script("for _ in range(40): step()\nprint('end')"),
                           options=("--no-stacks", "--et"))
        if "has no observer of that kind" in done.err:
            self.skipTest(done.err)
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        self.assertEqual(sorted(os.listdir(self.out)), ["train.et.json.gz", "train.json.gz", "train.steps.json"])
        self.assertIn("train.et.json.gz: an execution trace", done.err)
        shown = steptime("info", "--format", "json", os.path.join(self.out, "train.et.json.gz"))
        self.assertEqual(shown.json["inputs"][0]["format"], "execution trace")
        self.assertEqual(steptime("summary", "--format", "json", self.out).json["warnings"], [])
        predicted = steptime("predict", "--mode", "model", "--hw", "A100", "--format", "json", self.out)
        self.assertEqual(predicted.code, OK, predicted.err)
        (said,) = [warning["message"] for warning in predicted.json["warnings"]
                   if "operators match" in warning["message"]]
        matched, of = (int(word) for word in re.search(r"(\d+) of its (\d+) operators", said).groups())
        self.assertGreaterEqual(matched, 0.95 * of)

    def test_an_execution_trace_of_a_script_that_ends_in_it(self):
        done = self.record(self.python, self.script("for _ in range(18): step()\nraise SystemExit(4)"),
                           options=("--no-stacks", "--et"))
        if "has no observer of that kind" in done.err:
            self.skipTest(done.err)
        self.assertEqual(done.code, 4, done.err)
        self.assertIn("train.et.json.gz", self.traces(), done.err)

    def test_the_log_of_the_compiler(self):
        path = self.script("""
            def forward(x):
                y = net(x)
                print(end="")
                return y.pow(2).mean()
            compiled = torch.compile(forward, backend="eager")
            for i in range(40):
                loss = compiled(torch.ones(4 + i % 2, 32))
                optimizer.zero_grad(); loss.backward(); optimizer.step()
        """)
        if "False" in subprocess.run([self.python, "-c", "import torch; print(hasattr(torch, 'compile'))"],
                                     capture_output=True, text=True, check=True).stdout:
            self.skipTest("this PyTorch compiles nothing")
        done = self.record(self.python, path, options=("--no-stacks", "--compile-log"), environment={"TORCH_TRACE": ""})
        self.assertEqual(done.code, OK, done.err)
        self.assertRegex(done.err, r"compiled [1-9]\d* times, [1-9]\d* of them again, with [1-9]\d* graph breaks")
        shown = steptime("summary", self.out, "--compile-log", os.path.join(self.out, "compile-log"), "--format", "json")
        self.assertEqual(shown.code, OK, shown.err)

    def test_where_nothing_was_compiled(self):
        done = self.record(self.python, self.script("for _ in range(20): step()"), options=("--no-stacks", "--compile-log"),
                           environment={"TORCH_TRACE": ""})
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("nothing was compiled", done.err)
        self.assertEqual(sorted(os.listdir(self.out)), ["train.json.gz", "train.steps.json"])

    def test_the_same_on_the_cpu(self):
        """The script takes the part of one that runs on a GPU where it sees one."""
        path = self.script("""
            import os, time
            def on_device():
                if os.environ.get("CUDA_VISIBLE_DEVICES") != "": time.sleep(0.004)
            for i in range(40):
                step(); on_device()
            print("end")
            open(os.path.join(os.path.dirname(__file__), "ended"), "a").write("x")
        """)
        done = self.record(self.python, path, options=("--also-cpu",), environment={"CUDA_VISIBLE_DEVICES": "0"})
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        with open(os.path.join(self.folder, "ended"), encoding="ascii") as text:
            self.assertEqual(text.read(), "x")  # the second run ends with its recording
        self.assertEqual(sorted(os.listdir(self.out)), ["cpu", "train.json.gz", "train.steps.json"])
        on_cpu = os.path.join(self.out, "cpu", "train.json.gz")
        if "without stacks" in done.err:
            return
        compared = steptime("lint", "--trace", os.path.join(self.out, "train.json.gz"), "--trace-cpu", on_cpu, path,
                            "--format", "json")
        sections = {section["id"]: section for section in compared.json["sections"]}
        rows = sections["device_against_cpu"]["tables"][0]["rows"]
        self.assertTrue(any("on_device" in str(row) and "slower" in str(row) for row in rows), rows[:3])

    def test_a_script_that_needs_a_gpu_has_none_of_the_cpu(self):
        path = self.script("""
            import os
            if os.environ.get("CUDA_VISIBLE_DEVICES") == "": raise SystemExit(3)
            for i in range(20): step()
        """)
        done = self.record(self.python, path, options=("--also-cpu", "--no-stacks"), environment={"CUDA_VISIBLE_DEVICES": "0"})
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("no profile of the CPU: the script ended with 3; does it need a GPU?", done.err)
        self.assertEqual(sorted(os.listdir(self.out)), ["train.json.gz", "train.steps.json"])
