# SPDX-License-Identifier: Apache-2.0
"""steptime verify: two scripts, their losses and their times.

These cases need a script that misbehaves, not a framework: they run with a stand-in for PyTorch of a few lines, which
has the places where verify listens. test_verify_torch.py runs the real one, where there is one.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from support import INPUT, JUDGED, OK, PROGRAM, SOURCE, USAGE, steptime
from torch_stand_in import STAND_IN

TRAIN = '''
import torch
optimizer = torch.optim.SGD()
for step in range({steps}):
    torch.Tensor({loss}).backward()
    optimizer.step()
'''


class Bench(unittest.TestCase):
    """A folder with the stand-in and scripts that use it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="verify test ")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)
        self.write("torch.py", STAND_IN)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)
        return self.path(name)

    def script(self, name, loss="1 / (1 + step)", steps=8):
        return self.write(name, TRAIN.format(loss=loss, steps=steps))

    def environment(self, **more):
        return {"TMPDIR": self.temporary, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": self.folder, **more}

    def verify(self, *words, env=None, **more):
        words = ["verify", "--python", sys.executable, "--format", "json", *words]
        outcome = steptime(*words, env=self.environment(**(env or {})), **more)
        self.assertEqual(self.left_behind(), [])
        return outcome

    def left_behind(self):
        return [name for name in os.listdir(self.temporary) if name.startswith("steptime")]

    def losses_of(self, outcome):
        return [dict(zip([c["id"] for c in table["columns"]], row))
                for section in outcome.json["sections"] for table in section["tables"] if table["id"] == "losses"
                for row in table["rows"]]

    def values_of(self, outcome, section):
        return {v["id"]: v["value"] for s in outcome.json["sections"] if s["id"] == section for v in s["values"]}

    def rules_of(self, outcome):
        return [finding["rule"] for finding in outcome.json["findings"]]


class Losses(Bench):
    def test_equal_losses_are_fine(self):
        outcome = self.verify(self.script("a.py"), self.script("b.py"), "--repeat", "0")
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertEqual(self.values_of(outcome, "same"), {
            "verdict": "equal", "losses": 8, "equal_losses": 8, "seeds": 1, "torch": "0.0-stand-in", "device": "cpu"})
        self.assertEqual(self.rules_of(outcome), [])

    def test_the_first_difference_is_named_with_both_values(self):
        after = self.script("b.py", "1 / (1 + step) + (step == 2) * 1e-4")
        outcome = self.verify(self.script("a.py"), after, "--repeat", "0")
        self.assertEqual(outcome.code, JUDGED)
        row, = self.losses_of(outcome)
        self.assertEqual((row["first_step"], row["before"], row["after"]), (3, 1 / 3, 1 / 3 + 1e-4))
        self.assertAlmostEqual(row["relative"], 1e-4 / (1 / 3 + 1e-4), 12)
        finding, = outcome.json["findings"]
        self.assertEqual((finding["rule"], finding["file"]), ("VF101", after))
        self.assertIn("loss 3 is 0.333333333 before and 0.333433333 after", finding["message"])

    def test_one_bit_is_a_difference(self):
        outcome = self.verify(self.script("a.py"), self.script("b.py", "1 / (1 + step) * (1 + (step == 7) * 2 ** -52)"),
                              "--repeat", "0")
        self.assertEqual((outcome.code, self.losses_of(outcome)[0]["first_step"]), (JUDGED, 8))

    def test_a_tolerance_is_relative_to_the_loss_before(self):
        pair = [self.script("a.py"), self.script("b.py", "(1 + 1e-6) / (1 + step)"), "--repeat", "0"]
        near, far = self.verify(*pair, "--rtol", "1.1e-6"), self.verify(*pair, "--rtol", "0.9e-6")
        self.assertEqual((near.code, self.values_of(near, "same")["verdict"]), (OK, "close"))
        self.assertEqual((far.code, self.values_of(far, "same")["verdict"]), (JUDGED, "different"))
        self.assertEqual(self.verify(*pair, "--atol", "1e-5").code, OK)

    def test_nan_is_equal_to_nan_alone(self):
        a, b = self.script("a.py", "float('nan')"), self.script("b.py", "float('nan')")
        self.assertEqual(self.verify(a, b, "--repeat", "0").code, OK)
        self.assertEqual(self.verify(a, self.script("c.py"), "--repeat", "0", "--rtol", "10").code, JUDGED)

    def test_fewer_losses_are_a_difference(self):
        outcome = self.verify(self.script("a.py"), self.script("b.py", steps=6), "--repeat", "0")
        self.assertEqual((outcome.code, self.rules_of(outcome)), (JUDGED, ["VF102"]))
        self.assertIn("8 losses before and 6 after", outcome.json["findings"][0]["message"])

    def test_a_script_that_differs_from_itself_is_told(self):
        chance = self.script("a.py", "int.from_bytes(__import__('os').urandom(6), 'big')")
        outcome = self.verify(chance, chance, "--repeat", "0")
        self.assertEqual(outcome.code, JUDGED)
        self.assertIn("differs from itself", outcome.json["findings"][0]["message"])

    def test_a_script_without_losses_is_told(self):
        silent = self.write("silent.py", "import torch\nfor i in range(3): torch.optim.SGD().step()\n")
        vector = self.script("vector.py", "1, 2")
        nothing = self.write("nothing.py", "print('hello')\n")
        for path, words in ((silent, "never calls backward()"), (vector, "backward() on no scalar"),
                            (nothing, "never calls backward(), nor the step of an optimizer")):
            with self.subTest(path):
                outcome = self.verify(self.script("a.py"), path)
                self.assertEqual(outcome.code, INPUT)
                self.assertIn(words, outcome.err)
                self.assertIn(path, outcome.err)

    def test_an_interpreter_that_drops_what_records_is_told(self):
        wrapper = self.write("wrapper", f'#!/bin/sh\nexec "{sys.executable}" -E "$@"\n')
        os.chmod(wrapper, 0o755)
        nothing = self.write("nothing.py", "print('hello')\n")
        outcome = steptime("verify", "--python", wrapper, nothing, nothing, env=self.environment())
        self.assertEqual(outcome.code, INPUT)
        self.assertIn("heeds no PYTHONPATH", outcome.err)
        self.assertIn("--python", outcome.err)
        self.assertNotIn("heeds", self.verify(nothing, nothing).err)

    def test_backward_is_taken_once_where_calls_nest(self):
        self.write("nest.py", TRAIN.format(loss="step", steps=3).replace("import torch", "import torch\n"
                   "plain = torch.autograd.backward\n"
                   "torch.autograd.backward = lambda tensors: plain(tensors)\n"))
        outcome = self.verify(self.path("nest.py"), self.path("nest.py"), "--repeat", "0")
        self.assertEqual(self.losses_of(outcome)[0]["before_losses"], 3)

    def test_steps_are_those_of_one_optimizer_and_count_once(self):
        text = TRAIN.format(loss="step", steps=40).replace("optimizer.step()", "optimizer.step(); other.step()")
        text = text.replace("SGD()", "Twice(); other = torch.optim.SGD()", 1)
        outcome = self.verify(self.write("a.py", text), self.path("a.py"), "--repeat", "0", "--steps", "10")
        self.assertEqual(self.losses_of(outcome)[0]["before_losses"], 10)

    def test_a_step_still_returns_what_it_returned(self):
        text = TRAIN.format(loss="optimizer.step() if step % 2 else 7", steps=4)
        self.assertEqual(self.verify(self.write("a.py", text), self.script("b.py", "7", 4), "--repeat", "0").code, OK)


class Seeds(Bench):
    def test_the_script_is_seeded_before_its_own_code(self):
        a = self.script("a.py", "__import__('random').random()")
        outcome = self.verify(a, a, "--repeat", "0", "--seeds", "0,1,2")
        self.assertEqual(outcome.code, OK, outcome.out)
        self.assertEqual([row["seed"] for row in self.losses_of(outcome)], [0, 1, 2])
        self.assertEqual(outcome.json["warnings"], [])

    def test_hashes_of_texts_follow_the_seed(self):
        a = self.script("a.py", "hash('word')")
        self.assertEqual(self.verify(a, a, "--repeat", "0").code, OK)

    def test_seeds_without_effect_are_told(self):
        outcome = self.verify(self.script("a.py"), self.script("b.py"), "--repeat", "0", "--seeds", "0,1")
        self.assertIn("seeds itself", outcome.json["warnings"][0]["message"])

    def test_arguments_reach_the_script_with_the_seed_in_its_place(self):
        text = "import sys\nassert sys.argv[1:3] == ['--name', 'two words'], sys.argv\n"
        a = self.write("a.py", text + TRAIN.format(loss="int(sys.argv[3]) + step", steps=3))
        outcome = self.verify(a, a, "--repeat", "0", "--seeds", "5,9", "--", "--name", "two words", "{seed}")
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertEqual(outcome.json["warnings"], [])


class Times(Bench):
    def sleeper(self, name, seconds, first=0.0):
        return self.write(name, TRAIN.format(loss="step", steps=12).replace(
            "    optimizer", f"    __import__('time').sleep({seconds} if step > 2 else {first})\n    optimizer"))

    def pace(self, outcome):
        return self.values_of(outcome, "pace")

    def shown(self, *words):
        return " ".join(steptime("verify", "--python", sys.executable, *words, env=self.environment()).out.split())

    def test_the_ratio_is_that_of_the_steps(self):
        outcome = self.verify(self.sleeper("a.py", 0.04), self.sleeper("b.py", 0.01), "--repeat", "2", "--warmup", "4")
        self.assertEqual(outcome.code, OK, outcome.err)
        pace = self.pace(outcome)
        self.assertTrue(2 < pace["ratio"] < 6, pace)
        self.assertTrue(pace["ratio_p10"] <= pace["ratio"] <= pace["ratio_p90"], pace)

    def worker(self, name, sleeps):
        """Steps that work for 10 ms and then wait."""
        work = "    until = time.process_time() + 0.01\n    while time.process_time() < until: pass\n"
        return self.write(name, "import time\n" + TRAIN.format(loss="step", steps=12).replace(
            "    optimizer", f"{work}    time.sleep({sleeps})\n    optimizer"))

    def test_processor_time_is_blind_to_waits(self):
        words = (self.worker("a.py", 0.2), self.worker("b.py", 0), "--repeat", "2", "--warmup", "2")
        by_clock = self.pace(self.verify(*words))
        outcome = self.verify(*words, "--processor-time")
        by_processor = self.pace(outcome)
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertEqual((by_clock["clock"], by_processor["clock"]), ("the clock", "processor time"))
        self.assertGreater(by_clock["ratio"], 2)
        self.assertTrue(0.5 < by_processor["ratio"] < 2, by_processor)

    def test_the_warm_up_does_not_count(self):
        outcome = self.verify(self.sleeper("a.py", 0.01, first=0.3), self.sleeper("b.py", 0.01), "--repeat", "1",
                              "--warmup", "4")
        self.assertLess(self.pace(outcome)["ratio_of_means"], 3)
        rows = next(t["rows"] for s in outcome.json["sections"] for t in s["tables"] if t["id"] == "scripts")
        self.assertEqual([row[3] for row in rows], [8, 8])

    def test_without_an_optimizer_a_step_ends_with_backward(self):
        text = "import torch, time\nfor i in range(9): time.sleep(0.01); torch.Tensor(i).backward()\n"
        outcome = self.verify(self.write("a.py", text), self.path("a.py"), "--repeat", "1")
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertTrue(0.3 < self.pace(outcome)["ratio"] < 3)

    def test_slower_is_said(self):
        outcome = self.verify(self.sleeper("a.py", 0.005), self.sleeper("b.py", 0.05), "--repeat", "3")
        self.assertEqual((outcome.code, self.rules_of(outcome)), (OK, ["VF201"]))
        pace = self.pace(outcome)
        self.assertEqual(pace["pace_verdict"], "slower")
        self.assertTrue(0 < pace["paired_low"] <= pace["paired"] <= pace["paired_high"] < 1, pace)

    def test_one_repetition_does_not_show_how_runs_vary(self):
        outcome = self.verify(self.sleeper("a.py", 0.001), self.sleeper("b.py", 0.01), "--repeat", "1")
        pace = self.pace(outcome)
        self.assertEqual((pace["pace_verdict"], pace["paired_low"], self.rules_of(outcome)), ("unknown", None, []))
        self.assertIn("see --repeat", self.shown(self.path("a.py"), self.path("b.py"), "--repeat", "1"))

    def test_noise_is_no_verdict(self):
        """A script against itself, whose runs take 1 to 20 ms a step by chance: it is neither faster nor slower."""
        text = TRAIN.format(loss="step", steps=12).replace(
            "    optimizer", "    __import__('time').sleep(pause)\n    optimizer")
        a = self.write("a.py", "import os\npause = 0.001 + 0.019 * os.urandom(1)[0] / 255\n" + text)
        told = 0
        for _ in range(4):
            outcome = self.verify(a, a, "--repeat", "3", "--warmup", "2")
            pace = self.pace(outcome)
            if pace["pace_verdict"] == "too noisy":
                told += 1
                self.assertTrue(pace["paired_low"] < 1 < pace["paired_high"], pace)
        self.assertGreaterEqual(told, 3)  # 95 % of the time it is

    def test_too_few_steps_for_the_warm_up_is_said(self):
        outcome = self.verify(self.script("a.py", steps=4), self.script("b.py", steps=4), "--warmup", "4")
        self.assertEqual(outcome.code, INPUT)
        self.assertIn("makes 4 steps, which the warm-up of 4 takes up", outcome.err)

    def test_a_device_tells_when_its_steps_ended_and_none_is_waited_for(self):
        text = TRAIN.format(loss="step", steps=8).replace("import torch", "import torch; torch.cuda.available = True\n"
                            "waits = torch.cuda.synchronize\nimport atexit\n"
                            "torch.cuda.synchronize = torch.refuse\n"
                            "atexit.register(lambda: setattr(torch.cuda, 'synchronize', waits))")
        outcome = self.verify(self.write("a.py", text), self.path("a.py"), "--repeat", "1")
        self.assertEqual(outcome.code, OK, outcome.err)
        rows = next(t["rows"] for s in outcome.json["sections"] for t in s["tables"] if t["id"] == "scripts")
        self.assertEqual(rows[0][3:], [3, 3e6, 3e6, 3e6, 3e6])  # its clock ticks 3 ms a step
        self.assertEqual(self.values_of(outcome, "same")["device"], "stand-in device")


class Ends(Bench):
    def test_a_run_ends_at_its_last_step_as_by_exit(self):
        text = "import torch\noptimizer = torch.optim.SGD()\ntry:\n  while True:\n    torch.Tensor(1).backward()\n" \
               "    optimizer.step()\nfinally:\n  open(__file__ + '.end', 'w').close()\n"
        outcome = self.verify(self.write("a.py", text), self.path("a.py"), "--repeat", "0", "--steps", "12")
        self.assertEqual((outcome.code, self.losses_of(outcome)[0]["before_losses"]), (OK, 12))
        self.assertTrue(os.path.exists(self.path("a.py.end")))

    def test_a_script_that_goes_on_regardless_ends_at_its_next_step(self):
        text = "import torch\noptimizer = torch.optim.SGD()\nwhile True:\n  try:\n    torch.Tensor(1).backward()\n" \
               "    optimizer.step()\n  except BaseException: pass\n"
        outcome = self.verify(self.write("a.py", text), self.path("a.py"), "--repeat", "0", "--steps", "5")
        self.assertEqual(outcome.code, OK, outcome.err)

    def test_a_script_that_fails_shows_its_last_words(self):
        bad = self.write("bad.py", TRAIN.format(loss="1 / (3 - step)", steps=9))
        outcome = self.verify(self.script("a.py"), bad)
        self.assertEqual((outcome.code, outcome.out), (INPUT, ""))
        self.assertIn("ZeroDivisionError", outcome.err)
        self.assertIn(f"{bad}: ended with exit code 1", outcome.err)

    def test_an_exit_code_and_a_signal_are_told(self):
        for line, words in (("raise SystemExit(5)", "ended with exit code 5"),
                            ("import os; os.kill(os.getpid(), 11)", "was ended by signal 11")):
            with self.subTest(line):
                outcome = self.verify(self.write("bad.py", line + "\n"), self.script("a.py"))
                self.assertEqual(outcome.code, INPUT)
                self.assertIn(words, outcome.err)

    def test_a_script_that_hangs_ends_with_all_it_started(self):
        text = "import subprocess, sys, time\n" \
               "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n" \
               "open(__file__ + '.pid', 'w').write(str(p.pid))\ntime.sleep(100)\n"
        begin = time.monotonic()
        outcome = self.verify(self.write("hang.py", text), self.script("a.py"), "--timeout", "3")
        self.assertEqual(outcome.code, INPUT)
        self.assertIn("was still running after 3 s", outcome.err)
        self.assertLess(time.monotonic() - begin, 20)
        with open(self.path("hang.py.pid"), encoding="ascii") as number:
            self.assertTrue(goes(int(number.read())))

    def test_what_a_script_leaves_running_ends_with_it(self):
        text = TRAIN.format(loss="step", steps=3) + \
            "import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n" \
            "open(__file__ + '.pid', 'w').write(str(p.pid))\n"
        self.assertEqual(self.verify(self.write("a.py", text), self.path("a.py"), "--repeat", "0").code, OK)
        with open(self.path("a.py.pid"), encoding="ascii") as number:
            self.assertTrue(goes(int(number.read())))

    def test_much_output_costs_nothing(self):
        loud = self.write("loud.py", "import sys\nfor i in range(20000): print('x' * 1000); "
                          "print('y' * 400, file=sys.stderr)\n" + TRAIN.format(loss="step", steps=3))
        outcome = self.verify(loud, loud, "--repeat", "0")
        self.assertEqual((outcome.code, outcome.err), (OK, ""))
        self.assertLess(outcome.peak_bytes, 200 << 20)

    def test_complaints_cannot_control_the_terminal(self):
        bad = self.write("bad.py", "import sys; sys.exit('\\x1b[2J\\x07 gone')\n")
        outcome = self.verify(bad, self.script("a.py"))
        self.assertNotIn("\x1b", outcome.err)
        self.assertIn("gone", outcome.err)

    @unittest.skipUnless(sys.platform.startswith("linux"), "only Linux hands orphans on")
    def test_a_process_that_left_the_session_is_ended(self):
        pid = self.path("pid")
        text = (f"import os, time\nif not os.fork():\n    os.setsid()\n    open({pid!r} + '.new', 'w').write(str(os.getpid()))\n"
                f"    os.rename({pid!r} + '.new', {pid!r})\n    os.closerange(0, 3)\n    time.sleep(300)\n    os._exit(0)\n"
                f"while not os.path.exists({pid!r}):\n    time.sleep(0.01)\n") + TRAIN.format(loss="step", steps=3)
        path = self.write("leaves.py", text)
        outcome = self.verify(path, self.script("b.py", "step", 3), "--repeat", "0")
        self.assertEqual(outcome.code, OK, outcome.err)
        with open(pid, encoding="ascii") as left:
            self.assertRaises(ProcessLookupError, os.kill, int(left.read()), 0)

    def test_an_interrupt_ends_the_script_and_tidies_up(self):
        text = "import time\nopen(__file__ + '.on', 'w').close()\ntime.sleep(100)\n"
        path = self.write("hang.py", text)
        run = subprocess.Popen([PROGRAM, "verify", "--python", sys.executable, path, path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**os.environ, **self.environment()})
        until = time.monotonic() + 30
        while not os.path.exists(path + ".on") and time.monotonic() < until:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(30), -signal.SIGINT)
        self.assertEqual(self.left_behind(), [])


class Surroundings(Bench):
    def test_forked_children_are_left_out(self):
        text = TRAIN.format(loss="step", steps=4).replace("    optimizer.step", "    import os\n    child = os.fork()\n"
            "    if not child:\n        torch.Tensor(99).backward(); optimizer.step(); os._exit(0)\n"
            "    os.waitpid(child, 0)\n    optimizer.step")
        outcome = self.verify(self.write("a.py", text), self.script("b.py", "step", 4), "--repeat", "0")
        self.assertEqual(outcome.code, OK, outcome.out)

    def test_a_child_that_trains_before_its_parent_is_left_out(self):
        text = "import os, torch\nif not os.fork():\n    torch.Tensor(99).backward(); os._exit(0)\nos.wait()\n"
        outcome = self.verify(self.write("a.py", text + TRAIN.format(loss="step", steps=4)),
                              self.script("b.py", "step", 4), "--repeat", "0")
        self.assertEqual(outcome.code, OK, outcome.out)

    def test_other_ranks_are_left_out(self):
        self.write("train.py", "import os\nrank = int(os.environ['RANK'])\n" + TRAIN.format(loss="rank + step", steps=4))
        text = "import os, subprocess, sys\nfor rank in (2, 1, 0): subprocess.run([sys.executable, 'train.py'], " \
               "env={**os.environ, 'RANK': str(rank)}, check=True)\n"
        outcome = self.verify(self.write("launch.py", text), self.script("b.py", "step", 4), "--repeat", "0",
                              cwd=self.folder)
        self.assertEqual(outcome.code, OK, outcome.out + outcome.err)

    def test_the_startup_module_of_the_user_still_runs(self):
        os.mkdir(self.path("site"))
        self.write("site/sitecustomize.py", "import builtins; builtins.mark = 41\n")
        a = self.script("a.py", "mark + step")
        path = self.path("site") + ":" + self.folder
        outcome = self.verify(a, a, "--repeat", "0", env={"PYTHONPATH": path})
        self.assertEqual(outcome.code, OK, outcome.err)

    def test_commands_are_cut_into_words_without_a_shell(self):
        self.script("a b.py", "step", 3)
        command = f"'{sys.executable}' \"a b.py\""
        outcome = self.verify("--before", command, "--after", f"'{sys.executable}' a\\ b.py", "--repeat", "0",
                              cwd=self.folder, env={"PATH": ""})
        self.assertEqual(outcome.code, OK, outcome.err)

    def test_commands_that_need_a_shell_get_one(self):
        self.script("a.py", "int(__import__('os').environ['BASE']) + step", 3)
        command = f"BASE=4 '{sys.executable}' a.py && true"
        outcome = self.verify("--before", command, "--after", command, "--repeat", "0", cwd=self.folder)
        self.assertEqual(outcome.code, OK, outcome.err)

    def test_a_command_that_does_not_exist_is_told(self):
        outcome = self.verify("--before", "no-such-program", "--after", "no-such-program")
        self.assertEqual(outcome.code, INPUT)
        self.assertIn("'no-such-program' does not start", outcome.err)


class Saved(Bench):
    def saver(self, name, value):
        return self.write(name, TRAIN.format(loss="step", steps=3) +
                          f"torch.save({{'model': {{'w': torch.Tensor(1, {value}), 'name': 'x'}}, 'epoch': 3}}, "
                          "__file__ + '.pt')\n")

    def test_what_is_saved_is_compared_on_request(self):
        a, b = self.saver("a.py", "2"), self.saver("b.py", "2.5")
        self.assertEqual(self.verify(a, b, "--repeat", "0").code, OK)
        self.assertEqual(self.verify(a, a, "--repeat", "0", "--saved").code, OK)
        outcome = self.verify(a, b, "--repeat", "0", "--saved")
        self.assertEqual((outcome.code, self.rules_of(outcome)), (JUDGED, ["VF103"]))
        self.assertIn("saved.model.w differs: off by 0.2", outcome.json["findings"][0]["message"])
        self.assertEqual(self.verify(a, b, "--repeat", "0", "--saved", "--rtol", "0.3").code, OK)


class Words(Bench):
    def test_wrong_words_are_told(self):
        a = self.script("a.py")
        for words, said in (((a,), "which two scripts"), (("--before", "x"), "go together"),
                            ((a, a, "--seeds", "1,x"), "--seeds takes numbers"), ((a, a, "--rtol", "-1"), "--rtol"),
                            ((a, a, "--steps", "5", "--warmup", "5"), "leaves none")):
            with self.subTest(words):
                outcome = self.verify(*words)
                self.assertEqual(outcome.code, USAGE)
                self.assertIn(said, outcome.err)

    def test_every_id_is_defined_in_the_manual(self):
        with open(os.path.join(SOURCE, "doc", "numbers", "verify.md"), encoding="utf-8") as manual:
            text = manual.read()
        document = self.verify(self.script("a.py"), self.script("b.py"), "--repeat", "1", "--saved").json
        ids = {value["id"] for section in document["sections"] for value in section["values"]}
        for table in (table for section in document["sections"] for table in section["tables"]):
            ids |= {table["id"], *(column["id"] for column in table["columns"])}
        self.assertEqual([name for name in sorted(ids) if f"`{name}`" not in text], [])

    def test_a_missing_script_is_told(self):
        outcome = self.verify(self.script("a.py"), self.path("none.py"))
        self.assertEqual(outcome.code, INPUT)
        self.assertIn("none.py: No such file", outcome.err)

    def test_the_screen_and_csv(self):
        a = self.script("a.py")
        screen = steptime("verify", "--python", sys.executable, a, a, "--repeat", "0", env=self.environment())
        self.assertIn("The same: 8 losses with 1 seed are equal to the last bit.", screen.out)
        rows = steptime("verify", "--python", sys.executable, a, a, "--repeat", "0", "--format", "csv", "--table", "losses",
                        env=self.environment()).out.splitlines()
        self.assertEqual(rows, ["seed,before_losses,after_losses,equal_losses,worst_relative,first_step,before,after,relative",
                                "0,8,8,8,0.0,,,,"])


def running(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def goes(process):
    """Whether it is gone, or goes soon: whoever was killed needs a moment to die."""
    until = time.monotonic() + 10
    while running(process) and time.monotonic() < until:
        time.sleep(0.02)
    return not running(process)


if __name__ == "__main__":
    unittest.main()
