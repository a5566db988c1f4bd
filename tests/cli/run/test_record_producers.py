# SPDX-License-Identifier: Apache-2.0
"""steptime record on programs that are awkward to record, with the PyTorch of the other tests; test_record_debian.py asks the same
of Debian's 1.13: recorded, with the exit code and the output of the script. doc/recording.md has the table."""
import functools
import os
import subprocess
import unittest

from support import OK, steptime
from test_record import Case as Recording, ENVIRONMENT, events_of
from torch_python import torch_python

WAIT, WARMUP, STEPS = 6, 1, 3
SHORT = ("--wait", WAIT, "--warmup", WARMUP, "--steps", STEPS)
BATCH = "def batch(net=net):\n    return net(prepare()).pow(2).mean()\n"


@functools.lru_cache
def facts(python):
    """Of an interpreter: its PyTorch, whether traces hold stacks and categories, its own version."""
    program = "import sys, torch; print(torch.__version__, torch.profiler.kineto_available(), *sys.version_info[:2])"
    version, kineto, *own = subprocess.run([python, "-c", program], env={**os.environ, **ENVIRONMENT}, check=True,
                                           capture_output=True, text=True).stdout.split()
    return version, kineto == "True", tuple(map(int, own))


class Rows:
    """What both interpreters are asked. has_kineto: traces hold stacks and categories."""

    def setUp(self):
        super().setUp()
        self.python = self.interpreter()
        self.version, self.has_kineto, self.python_version = facts(self.python)

    def run_it(self, text, *, name="train.py", options=("--no-stacks",), words=(), environment=None):
        path = self.script(text, name)
        return self.record(self.python, *words, path, options=(*SHORT, *options), environment=environment)

    def check(self, done, out="end\n", steps=STEPS):
        """Recorded as many steps as were asked for, counted once each; nothing of ours in its output."""
        self.assertEqual((done.code, done.out), (OK, out), done.err)
        self.assertNotIn("recording failed", done.err)
        self.assertEqual(self.traces(), ["train.json.gz"], done.err)
        events = events_of(os.path.join(self.out, "train.json.gz"))
        first = WAIT + WARMUP if self.has_kineto else WAIT + WARMUP - 1  # 1.13 counts from one less
        marked = [event for event in events if event["name"].startswith("ProfilerStep#")]
        numbers = sorted(int(event["name"].partition("#")[2]) for event in marked)
        self.assertEqual(len(numbers), steps)
        self.assertIn(numbers[0], (first, first + 1))
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + steps)))
        return events, marked

    # ---- nothing awkward but a sitecustomize: all cases that ask no more share one recording ----

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.seen = None

    def plain(self):
        """Events and steps of it."""
        if not type(self).seen:
            self.script("import builtins; builtins.mark = 41", "site/sitecustomize.py", train=False)
            done = self.run_it("for _ in range(20): step()\nprint(mark + 1)",
                               environment={"PYTHONPATH": os.path.join(self.folder, "site")})
            type(self).seen = self.check(done, out="42\n")
        return self.seen

    def test_the_users_own_sitecustomize_runs(self):
        self.plain()

    # ---- optimizers ----

    def test_optimizer_ranges_lie_inside_of_steps(self):
        """A hook within step() would end the step inside of the range that PyTorch puts around it."""
        events, steps = self.plain()
        own = [event for event in events if event["name"].startswith("Optimizer.step#")]
        self.assertEqual(len(own), STEPS)
        for event in own:
            inside = [step for step in steps if step["ts"] <= event["ts"] + 0.002 and
                      event["ts"] + event["dur"] <= step["ts"] + step["dur"] + 0.002]
            self.assertEqual(len(inside), 1, event)

    def test_a_subclass_that_calls_the_step_above_it(self):
        self.check(self.run_it("""
            class Middle(torch.optim.SGD):
                def step(self, closure=None):
                    return super().step(closure)
            class Mine(Middle):
                def step(self, closure=None):
                    return super().step(closure)
            mine = Mine(net.parameters(), lr=0.1)
            for _ in range(20): step(mine)
            print('end')
        """))

    def test_an_optimizer_that_is_the_users_own(self):
        self.check(self.run_it("""
            class Own(torch.optim.Optimizer):
                def __init__(self, parameters):
                    super().__init__(parameters, {})
                def step(self, closure=None):
                    with torch.no_grad():
                        for group in self.param_groups:
                            for parameter in group["params"]: parameter -= 0.01 * parameter.grad
            own = Own(net.parameters())
            for _ in range(20): step(own)
            print('end')
        """))

    def test_an_optimizer_that_was_copied_and_one_from_a_pickle(self):
        for how in ("copy.deepcopy(optimizer)", "pickle.loads(pickle.dumps(optimizer))"):
            with self.subTest(how):
                self.check(self.run_it(f"import copy, pickle\noptimizer = {how}\nfor _ in range(20): step(optimizer)\n"
                                       "print('end')"))

    def test_several_optimizers_a_step(self):
        events, _ = self.check(self.run_it("""
            other = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(20): step(); step(other)
            print('end')
        """))
        own = [event["name"] for event in events if event["name"].startswith("Optimizer.step#")]
        self.assertEqual((own.count("Optimizer.step#Adam.step"), own.count("Optimizer.step#SGD.step")), (STEPS, STEPS))

    def test_a_closure(self):
        self.check(self.run_it(BATCH + """
lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=2)
def closure():
    lbfgs.zero_grad(); loss = batch(); loss.backward()
    return loss
for _ in range(20): lbfgs.step(closure)
print('end')
"""))

    def test_a_schedule_of_learning_rates_with_warnings_as_errors(self):
        """PyTorch warns where the step that it wrapped is no longer the one that is called."""
        self.check(self.run_it("""
            import warnings
            warnings.simplefilter("error", UserWarning)
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            for _ in range(20): step(); schedule.step()
            print('end')
        """))

    def test_accumulation_is_one_step(self):
        events, _ = self.check(self.run_it(BATCH + """
for i in range(60):
    batch().backward()
    if i % 3 == 2: optimizer.step(); optimizer.zero_grad()
print('end')
"""))
        layers = 2  # of the network: each batch goes through both, and backward through none
        self.assertEqual(sum(event["name"] == "aten::linear" for event in events), 3 * STEPS * layers)

    def test_a_scaler_of_gradients(self):
        """A step that overflowed is left out by the scaler, so it is none."""
        kind = "torch.amp.GradScaler('cpu'" if not self.version.startswith("1.") else "torch.cuda.amp.GradScaler(enabled=False"
        self.check(self.run_it(BATCH + f"""
scaler = {kind}, init_scale=4.0)
steps = 0
for i in range(20):
    optimizer.zero_grad()
    loss = batch() * (float("inf") if i == 2 and scaler.is_enabled() else 1)
    scaler.scale(loss).backward()
    scaler.step(optimizer); scaler.update()
print('end')
"""))

    # ---- models and programs ----

    def test_scripted_and_traced_models(self):
        for how in ("torch.jit.script(net)", "torch.jit.trace(net, prepare())"):
            with self.subTest(how):
                self.check(self.run_it(f"net = {how}\nfor _ in range(20): step()\nprint('end')",
                                       environment={"PYTHONWARNINGS": "ignore"}))

    def test_compiled_models_and_compiled_steps(self):
        if self.version.startswith("1."):
            self.skipTest("this PyTorch compiles nothing")
        for how in ("net = torch.compile(net, backend='eager')", "step = torch.compile(step, backend='eager')"):
            with self.subTest(how):
                self.check(self.run_it(f"{how}\nfor _ in range(20): step()\nprint('end')"))

    def test_workers_of_a_loader_by_fork_and_by_spawn(self):
        """They begin before, and again within, the steps that are recorded."""
        for how, workers in (("fork", 2), ("spawn", 1)):  # one that is spawned imports PyTorch again
            with self.subTest(how):
                self.check(self.run_it(f"""
                    if __name__ == "__main__":
                        for _ in range(2):
                            data = torch.utils.data.DataLoader(torch.ones(16, 32), batch_size=2, num_workers={workers},
                                                               multiprocessing_context="{how}")
                            for batch in data:
                                loss = net(batch).mean(); loss.backward(); optimizer.step()
                        print('end')
                """))

    def test_a_child_that_is_forked_in_the_window(self):
        self.check(self.run_it(f"""
            import os
            for i in range(20):
                step()
                if i == {WAIT + WARMUP}:
                    child = os.fork()
                    if child == 0:
                        for _ in range(3): step()
                        os._exit(9)
                    assert os.waitpid(child, 0)[1] >> 8 == 9
            print('end')
        """))

    def test_a_thread_that_ends_in_the_window(self):
        """The profiler must be stopped by the thread that started it: the last that runs there does."""
        done = self.run_it(f"""
            import threading
            def train():
                for _ in range({WAIT + WARMUP + 1}): step()
            thread = threading.Thread(target=train)
            thread.start(); thread.join()
            print('end')
        """)
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        self.assertEqual(self.traces(), ["train.json.gz"], done.err)

    def test_a_program_under_cprofile(self):
        """Its own profile is whole; before Python 3.12 ours has no stacks for that, which is said."""
        done = self.run_it("""
            import cProfile, pstats
            own = cProfile.Profile()
            own.enable()
            for _ in range(30): step()
            own.disable()
            print(next(value[0] for key, value in pstats.Stats(own).stats.items() if key[2] == "prepare"))
        """, options=())
        self.check(done, out="30\n")
        if self.python_version < (3, 12):
            self.assertIn("without stacks", done.err)

    def test_a_profiler_of_its_own_in_the_window(self):
        own = os.path.join(self.folder, "own.json")
        done = self.run_it(f"""
            for _ in range({WAIT + WARMUP + 1}): step()
            with torch.autograd.profiler.profile() as p:
                step(); step()
            p.export_chrome_trace({own!r})
            for _ in range(10): step()
            print('end')
        """)
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        self.assertIn("the script profiles itself", done.err)
        self.assertGreater(os.path.getsize(own), 100)

    def test_a_profiler_that_the_script_never_stops(self):
        done = self.run_it("from torch.profiler import profile\np = profile(); p.start()\nfor _ in range(20): step()\n"
                           "print('end'); p.stop()")
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        self.assertEqual(self.traces(), [])
        self.assertIn("profiles itself", done.err)

    def test_an_interpreter_that_takes_no_environment(self):
        path = self.script("print('end')", train=False)
        done = self.record(self.python, "-E", path)
        self.assertEqual((done.code, done.out), (OK, "end\n"), done.err)
        self.assertIn("no python heeded PYTHONPATH", done.err)

    def test_a_step_that_comes_while_a_window_is_recorded(self):
        """A slow start: the window had waited for it in vain."""
        done = self.run_it("import time\nuntil = time.monotonic() + 3\n"
                           "while time.monotonic() < until: net(prepare()); time.sleep(0.02)\n"
                           "for _ in range(20): step()\nprint('end')", options=("--window", "0.5:60"))
        self.check(done)
        self.assertIn("an optimizer makes steps after all", done.err)

    def test_a_window_that_would_end_while_a_trace_is_written(self):
        """Once a step was made in time there is no window to end: ending it in the middle took the script with it."""
        self.check(self.run_it("""
            import time
            export = torch.profiler.profile.export_chrome_trace
            def slow(self, path):
                until = time.monotonic() + 2.5
                while time.monotonic() < until: time.sleep(0.01)
                return export(self, path)
            torch.profiler.profile.export_chrome_trace = slow
            for _ in range(30): step()
            print('end')
        """, options=("--window", "30:0.5")))

    # ---- ranks ----

    def torchrun(self):
        """1.13's own fails on Python 3.11 where it pipes no output: it is told to write files."""
        words = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
        if self.version.startswith("1."):
            return (*words, "-r", "1", "-t", "2", "--log_dir", os.path.join(self.folder, "logs"))
        return words

    def test_two_ranks_under_torchrun(self):
        done = self.run_it("""
            import torch.distributed as dist
            from torch.distributed.optim import ZeroRedundancyOptimizer
            dist.init_process_group("gloo")
            net = torch.nn.parallel.DistributedDataParallel(net)
            optimizer = ZeroRedundancyOptimizer(net.parameters(), torch.optim.SGD, lr=0.1)
            for _ in range(20): step(optimizer)
            dist.destroy_process_group()
            # A thread of gloo that lets go of a tensor while Python ends ends the process (seen of PyTorch 2.13).
            import time; time.sleep(1)
        """, options=(), words=self.torchrun(), environment={"GLOO_SOCKET_IFNAME": "lo"})
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.traces(), ["train-rank0.json.gz", "train-rank1.json.gz"], done.err)
        self.assertNotIn("nothing was recorded", done.err)  # by the one that starts them
        for rank in range(2):
            names = [event["name"] for event in events_of(os.path.join(self.out, f"train-rank{rank}.json.gz"))]
            self.assertEqual(sum(name.startswith("ProfilerStep#") for name in names), STEPS)
            self.assertTrue(os.path.exists(os.path.join(self.out, f"train-rank{rank}.steps.json")))
        shown = steptime("ranks", self.out)
        self.assertEqual(shown.code, OK, shown.err)


class Usual(Rows, Recording):
    interpreter = staticmethod(torch_python)

    def test_the_trace_says_what_kineto_does(self):
        if not self.has_kineto:
            self.skipTest(f"PyTorch {self.version} was built without Kineto")
        events, _ = self.plain()
        self.assertIn("cpu_op", {event.get("cat") for event in events})


del Recording  # its cases run in their own file

if __name__ == "__main__":
    unittest.main()
