# SPDX-License-Identifier: Apache-2.0
"""The CUDA recorder against a stub of CUPTI (stub_cupti.c): there is no GPU here."""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

from cuda.cudafile import CALLS, LINES_OFF, Recording
from support import BUILD, OK, USAGE, steptime

RECORDER = os.path.join(BUILD, "cuda", "libsteptime_cuda.so")
STUB = os.path.join(BUILD, "tests", "cuda", "libstub_cupti.so")
CUDA_PROGRAM = os.path.join(BUILD, "tests", "cuda", "cuda_program")
TRAIN = """
    import ctypes, os, sys
    stub = ctypes.PyDLL(os.environ["STEPTIME_CUPTI"])
    injected = os.environ.get("CUDA_INJECTION64_PATH")
    if injected:
        assert ctypes.CDLL(injected).InitializeInjection() == 1
    us = lambda n: ctypes.c_uint64(n * 1000)

    def upload():
        stub.stub_copy(1, 0, ctypes.c_uint64(1 << 20), us(200))

    def loss():
        stub.stub_copy(0, 0, ctypes.c_uint64(4), us(2))
        stub.stub_wait()

    def step(i):
        stub.stub_range(b"step %d" % i, i + 1, 0)
        stub.stub_host(us(50))
        upload()
        for _ in range(3):
            stub.stub_kernel(b"_Z10add_kernelPfS_", us(100))
        stub.stub_kernel(b"ampere_sgemm_128x64_nn", us(300))
        loss()
        stub.stub_range(None, i + 1, 1)

    stub.stub_device()
    for i in range(5):
        step(i)
    print("trained")
"""


@unittest.skipUnless(os.path.exists(RECORDER), "the CUDA recorder is built on Linux only")
class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.base = os.path.join(self.folder, "run")
        self.file = self.base + ".cuda"

    def run_program(self, *arguments, program=(CUDA_PROGRAM,), recorded=True, limits=None, **settings):
        """Exit code, output and errors of a program that is recorded."""
        environment = {**os.environ, "STEPTIME_CUPTI": STUB, "STEPTIME_CUDA_TO": self.base,
                       **{name: str(value) for name, value in settings.items()}}
        environment.pop("CUDA_INJECTION64_PATH", None)
        if recorded:
            environment["CUDA_INJECTION64_PATH"] = RECORDER
        done = subprocess.run([*program, *map(str, arguments)], env=environment, cwd=self.folder, capture_output=True, text=True,
                              timeout=200, check=False, preexec_fn=limits)
        return done.returncode, done.stdout, done.stderr

    def info(self, path=None):
        done = steptime("info", "--format", "json", path or self.file)
        self.assertEqual(done.code, OK, done.err)
        return done.json

    def events(self, path=None):
        return self.info(path)["inputs"][0]["events"]

    def messages(self, path=None):
        return " ".join(warning["message"] for warning in self.info(path)["warnings"])


class Records(Case):
    def test_a_million_from_four_threads_and_none_is_lost(self):
        code, out, err = self.run_program(4, 250000, STUB_PATIENT=1)
        self.assertEqual((code, out), (0, "given 1000000 dropped 0\n"))
        self.assertIn("1000000 records, 0 dropped", err)
        self.assertEqual(self.events(), 1000000)
        self.assertNotIn("dropped", self.messages())

    def test_what_cupti_drops_is_counted_exactly(self):
        code, out, err = self.run_program(3, 30000, STUB_DROP=70)
        dropped = int(out.split()[3])
        self.assertGreater(dropped, 1000)
        self.assertIn(f"{90000 - dropped} records, {dropped} dropped by CUPTI", err)
        self.assertEqual((code, self.events()), (0, 90000 - dropped))
        self.assertIn(f"{dropped} records were dropped by CUPTI", self.messages())
        trust = steptime("summary", self.file).out.partition("Trust:")[2].partition("--")[0]
        self.assertIn(f"{dropped}", trust.replace(",", "").replace("\n  ", " "))

    def test_without_room_records_are_dropped_and_counted(self):
        """More comes than the recorder's memory holds until it is read, and the program does not wait."""
        _, out, err = self.run_program(4, 500000, STUB_SLOW_MS=20)
        given, dropped = int(out.split()[1]), int(out.split()[3])
        self.assertGreater(dropped, 0)
        self.assertEqual(self.events(), given - dropped)
        self.assertIn(f"{dropped} dropped by CUPTI", err)

    def test_buffers_in_another_order_and_late_give_the_same(self):
        self.run_program(2, 40000, STUB_PATIENT=1, STUB_HOLD=7, STUB_DELAY_MS=1)
        self.assertEqual(self.events(), 80000)
        kernels = steptime("kernels", "--format", "json", self.file).out
        self.assertIn('["softmax", 13332, 13332000', kernels)
        self.assertIn('["cudaLaunchKernel", 40000, 120000000', kernels)

    def test_records_of_every_known_version(self):
        for version in (18, 22, 28, 130001, 130101, 130202, 130301, 130401, 130500):
            with self.subTest(version=version):
                self.base = os.path.join(self.folder, f"v{version}")
                self.run_program(1, 1000, STUB_VERSION=version)
                self.assertEqual(self.events(self.base + ".cuda"), 1000)
                self.assertNotIn("another size", self.messages(self.base + ".cuda"))

    def test_sizes_that_the_version_does_not_have_are_told(self):
        _, _, err = self.run_program(1, 1000, STUB_ODD=1)
        self.assertIn("have another size than is known", err)
        self.assertIn("have another size", self.messages())

    def test_a_version_that_is_not_known_yet_is_told(self):
        _, _, err = self.run_program(1, 100, STUB_VERSION=140000)
        self.assertIn("version 140000 is newer", err)

    def test_a_version_that_is_too_old_is_refused(self):
        code, out, err = self.run_program(1, 100, STUB_VERSION=12)
        self.assertEqual(code, 0)
        self.assertIn("older than CUDA 11.8", err)
        self.assertFalse(os.path.exists(self.file))


class Ends(Case):
    """Whatever happens, the program's own end is as it would be, and the file can be read."""

    def test_exit_in_the_middle(self):
        code, _, _ = self.run_program(1, 1000, "exit3")
        self.assertEqual((code, self.events()), (3, 1000))

    def test_exit_without_handlers(self):
        code, _, _ = self.run_program(1, 200000, "_exit", STUB_PATIENT=1)
        self.assertEqual(code, 4)
        self.assertIn("did not come to its end", self.messages())

    def test_kill(self):
        code, _, _ = self.run_program(2, 100000, "kill", STUB_PATIENT=1)
        self.assertEqual(code, -signal.SIGKILL)
        self.assertEqual(self.events(), 200000)  # two seconds later all was written
        self.assertIn("did not come to its end", self.messages())

    def test_a_fork_leaves_the_file_alone(self):
        code, _, err = self.run_program(1, 1000, "fork")
        self.assertEqual((code, self.events()), (0, 1000))
        self.assertEqual(err.count("records, 0 dropped"), 1)

    def test_a_full_disk(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        code, out, err = self.run_program(2, 100000, limits=small_files, STUB_PATIENT=1)
        self.assertEqual((code, out), (0, "given 200000 dropped 0\n"))
        self.assertRegex(err, r"cannot be written: .*; it ends before the program does, and \d+ records are not in it")
        lost = int(err.partition(" records are not in it")[0].split()[-1])
        self.assertGreaterEqual(self.events() + lost, 200000)  # the section that was cut is counted as lost
        self.assertLess(self.events() + lost, 200000 + 30000)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_place_that_cannot_be_written(self):
        code, out, err = self.run_program(1, 1000, STEPTIME_CUDA_TO=os.path.join(self.folder, "absent", "run"))
        self.assertEqual((code, out), (0, "given 1000 dropped 1000\n"))
        self.assertRegex(err, "nothing is recorded: .*No such file")

    def test_a_file_that_is_there_is_left_alone(self):
        with open(self.file, "w", encoding="utf-8") as out:
            out.write("mine")
        self.run_program(1, 1000)
        with open(self.file, encoding="utf-8") as text:
            self.assertEqual(text.read(), "mine")
        self.assertEqual(len(os.listdir(self.folder)), 2)

    def test_a_file_cut_anywhere_is_read_up_to_there(self):
        self.run_program(1, 3000)
        with open(self.file, "rb") as whole:
            data = whole.read()
        cut = os.path.join(self.folder, "cut.cuda")
        seen = []
        for keep in [*range(20, 400, 37), len(data) // 3, len(data) // 2, len(data) - 1]:
            with open(cut, "wb") as out:
                out.write(data[:keep])
            done = steptime("info", "--format", "json", cut)
            self.assertIn(done.code, (0, 3), done.err)
            seen.append(done.json["inputs"][0]["events"] if done.code == OK else 0)
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(seen[-2], 1000)


class Ranges(Case):
    def test_the_question_of_nvtx_is_handed_on_to_cupti(self):
        ask = f"import ctypes; print(ctypes.CDLL({RECORDER!r}).InitializeInjectionNvtx2(None))"
        code, out, _ = self.run_program("-c", ask, program=(sys.executable,))
        self.assertEqual((code, out), (0, "43\n"))  # the stub's answer


class Fails(Case):
    def check(self, message, **settings):
        code, out, err = self.run_program(1, 100, "exit3", **settings)
        self.assertEqual((code, out), (3, "given 100 dropped 100\n"))
        self.assertIn(message, err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertFalse(os.path.exists(self.file))

    def test_calls_that_fail(self):
        self.check("cuptiSubscribe gives 999 (CUPTI_ERROR_UNKNOWN)", STUB_FAIL="cuptiSubscribe:999")
        self.check("another profiler is at work", STUB_FAIL="cuptiSubscribe:39")
        self.check("cuptiGetVersion gives 999 (CUPTI_ERROR_UNKNOWN)", STUB_FAIL="cuptiGetVersion:999")

    def test_kinds_that_cannot_be_recorded(self):
        code, out, err = self.run_program(1, 100, STUB_FAIL="cuptiActivityEnable:999")
        self.assertEqual(code, 0)
        self.assertIn("nothing is recorded, no kernels", err)
        self.assertFalse(os.path.exists(self.file))

    def test_no_cupti(self):
        code, out, err = self.run_program(1, 100, "exit3", STEPTIME_CUPTI="/absent/libcupti.so")
        self.assertEqual((code, out), (0, "no stub\n"))
        self.assertIn("no libcupti.so that can be opened", err)

    def test_the_real_library_without_a_driver(self):
        library = next((path for path in os.environ.get("STEPTIME_REAL_CUPTI", "").split(":") if os.path.exists(path)), None)
        library = library or "/usr/local/cuda/lib64/libcupti.so"
        if not os.path.exists(library):
            self.skipTest("no libcupti.so of NVIDIA's here; STEPTIME_REAL_CUPTI names one")
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there is a GPU, and its driver")
        code, out, err = self.run_program(1, 100, STEPTIME_CUPTI=library)  # not a stub: it only begins
        self.assertEqual((code, out), (0, "no stub\n"))
        self.assertRegex(err, r"nothing is recorded: cupti\w+ gives \d+ \(CUPTI_ERROR_\w+\)")


class Command(Case):
    """steptime record --cuda"""

    def record(self, text=TRAIN, **environment):
        self.script = os.path.join(self.folder, "train.py")
        with open(self.script, "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))
        self.out = os.path.join(self.folder, "out")
        self.file = os.path.join(self.out, "train.cuda")
        return steptime("record", "--cuda", "-o", self.out, "--", sys.executable, self.script,
                        env={"STEPTIME_CUPTI": STUB, "STEPTIME_CUDA_LIBRARY": RECORDER, **environment})

    def test_what_was_recorded_is_said(self):
        done = self.record()
        self.assertEqual((done.code, done.out), (0, "trained\n"), done.err)
        self.assertIn("train.cuda: 20 kernels, 10 copies, 35 calls, 5 waits, 5 ranges; 15 calls with their line of Python; "
                      "0 records lost", done.err)
        self.assertIn("next: steptime " + self.out, done.err)

    def test_the_library_is_found_beside_the_program(self):
        self.assertEqual(self.record(STEPTIME_CUDA_LIBRARY="").code, 0)
        self.assertEqual(self.events(), 145 - 10)

    def test_lines_reach_the_findings(self):
        self.record()
        found = steptime("lint", "--trace", self.file, self.script, "--format", "json").out
        line = 1 + textwrap.dedent(TRAIN).splitlines().index("    stub.stub_copy(0, 0, ctypes.c_uint64(4), us(2))")
        self.assertIn(f'"line": {line}', found)

    def test_steps_come_from_ranges_and_names_are_plain(self):
        self.record()
        summary = steptime("summary", self.file).out
        self.assertIn("NVIDIA A100-SXM4-40GB", summary)
        self.assertIn('"add_kernel(float*, float*)"', steptime("kernels", "--format", "json", self.file).out)
        about = self.info()["inputs"][0]
        self.assertEqual((about["step_source"], about["step_regularity"]["steps"]), ("ranges", 5))

    def test_every_command_reads_it(self):
        self.record()
        for command in ("info", "summary", "breakdown", "kernels", "critical-path", "overheads", "ops"):
            with self.subTest(command=command):
                done = steptime(command, self.file)
                self.assertEqual(done.code, OK, done.err)

    def test_exit_code_and_a_program_without_cuda(self):
        done = self.record("import sys; sys.exit(7)")
        self.assertEqual(done.code, 7)
        self.assertIn("did not come to CUDA", done.err)
        self.assertFalse(os.path.exists(self.out))

    def test_another_profiler(self):
        done = self.record(CUDA_INJECTION64_PATH="/opt/other.so")
        self.assertEqual(done.code, USAGE)
        self.assertIn("another profiler", done.err)

    def test_options_about_steps(self):
        done = steptime("record", "--cuda", "--steps", "3", "--", "true")
        self.assertEqual(done.code, USAGE)
        self.assertIn("--steps has no place", done.err)

    def test_ranks_have_files_of_their_own(self):
        self.record(RANK="3", WORLD_SIZE="8")
        self.assertEqual(os.listdir(self.out), ["train-rank3.cuda"])
        self.assertEqual(self.info(os.path.join(self.out, "train-rank3.cuda"))["inputs"][0]["events"], 135)

    def test_calls_without_the_interpreter_lock_have_their_lines(self):
        done = self.record(TRAIN.replace("ctypes.PyDLL", "ctypes.CDLL"))
        self.assertIn("15 calls with their line", done.err)
        self.assertNotIn("no line of code", done.err)

    def test_calls_of_threads_without_python_have_no_line_and_that_is_told(self):
        done = self.record(TRAIN.replace("stub.stub_wait()", "stub.stub_wait_elsewhere()"))
        self.assertIn("10 calls with their line", done.err)
        self.assertIn("5 copies and waits have no line of code: their thread ran no Python", done.err)

    def test_calls_that_only_ask_are_left_out_and_that_is_told(self):
        asking = TRAIN.replace("    upload()\n", "    stub.stub_ask()\n        upload()\n", 1)
        done = self.record(asking)
        self.assertIn(" 35 calls,", done.err)
        self.assertIn("calls that were recorded: those that put work on a device", done.err)

    def test_kinds_can_be_left_out(self):
        asking = TRAIN.replace("    upload()\n", "    stub.stub_ask()\n        upload()\n", 1)
        for without, said in (("choice", " 50 calls,"), ("choice,driver", " 40 calls,"), ("waits", " 0 waits,"),
                              ("ranges,lines", " 0 ranges; 0 calls with their line")):
            with self.subTest(without=without):
                done = self.record(asking, STEPTIME_CUDA_WITHOUT=without)
                self.assertEqual(done.code, 0, done.err)
                self.assertIn(said, done.err)
                os.remove(self.file)

    def told_of_calls(self, **settings):
        self.base = os.path.join(self.folder, "-".join(map(str, settings.values())))
        self.run_program(1, 100, **settings)
        return Recording(self.base + ".cuda").infos[CALLS]

    def test_what_is_told_of_calls_is_what_was_done(self):
        wanted = "those that put work on a device, wait, take memory or load code"
        for told, settings in (
                (wanted, {"STUB_DROP": 0}),
                ("all", {"STEPTIME_CUDA_WITHOUT": "choice"}),
                (f"of the runtime all; of the driver {wanted}", {"STUB_FAIL": "cuptiActivityEnableRuntimeApi:1"}),
                (f"of the runtime {wanted}; of the driver all", {"STUB_FAIL": "cuptiActivityEnableDriverApi:1"}),
                ("all: this version of CUPTI cannot leave out any", {"STUB_FAIL": "cuptiActivityEnableRuntimeApi:1,cuptiActivityEnableDriverApi:1"}),
                (f"of the runtime {wanted}, and others that CUPTI refuses to leave out; of the driver {wanted}", {"STUB_KEEP": 17}),
                (f"none of the runtime; of the driver {wanted}", {"STEPTIME_CUDA_WITHOUT": "runtime"}),
                (f"of the runtime {wanted}; none of the driver", {"STEPTIME_CUDA_WITHOUT": "driver"}),
                ("of the runtime all; none of the driver", {"STEPTIME_CUDA_WITHOUT": "choice,driver"}),
                ("none", {"STEPTIME_CUDA_WITHOUT": "runtime,driver"})):
            with self.subTest(**settings):
                self.assertEqual(self.told_of_calls(**settings), told)

    def test_a_program_without_python_has_no_reason_why_python_is_not_read(self):
        self.run_program(1, 100)
        self.assertNotIn(LINES_OFF, Recording(self.file).infos)

    def test_ranges_of_cudas_own_library_are_left_out_and_that_is_told(self):
        done = self.record(TRAIN.replace("    upload()\n", "    stub.stub_library_range(99)\n        upload()\n", 1))
        self.assertIn(" 5 ranges;", done.err)
        self.assertIn("10 NVTX ranges and ends of CUDA's own C++ library (CCCL) are left out", done.err)


if __name__ == "__main__":
    unittest.main()
