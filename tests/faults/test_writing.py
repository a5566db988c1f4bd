# SPDX-License-Identifier: Apache-2.0
"""What is written takes nothing away: no input is written over, and a file keeps its links, its owner and its rights."""
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from support import BUILD, OK, OUTPUT, SANITIZED, USAGE, steptime, training_steps, write_trace

STRANGER = 65534
RECORDER = os.path.join(BUILD, "tests", "librecord_calls.so")
PYTHON = b"""import torch


def train(model, data, optimizer):
    for x, y in torch.utils.data.DataLoader(data, num_workers=4, pin_memory=True):
        loss = model(x.cuda(), y.cuda()).mean()
        loss.backward()
        optimizer.step()
"""


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.trace = write_trace(self.path("rank0.json"), training_steps(3))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(text)
        return self.path(name)

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()


class InputsAreSpared(Folder):
    def refused(self, *words, kept):
        before = self.read(kept)
        outcome = steptime(*words, cwd=self.folder)
        self.assertEqual(outcome.code, USAGE, f"{words}: {outcome.err}")
        self.assertIn("would write over an input", outcome.err)
        self.assertEqual(self.read(kept), before)

    def test_a_trace_by_any_of_its_names(self):
        os.symlink("rank0.json", self.path("symbolic.json"))
        os.link(self.trace, self.path("hard.json"))
        for name in "rank0.json", "./rank0.json", self.trace, "symbolic.json", "hard.json":
            for command in "summary", "predict", "info":
                with self.subTest(name=name, command=command):
                    self.refused(command, "rank0.json", "--format", "json", "-o", name, kept=self.trace)
            self.refused("critical-path", "rank0.json", "--overlay", name, kept=self.trace)

    def test_before_anything_is_read(self):
        self.refused("summary", "-o", "rank0.json", "rank0.json", "nowhere.json", kept=self.trace)

    def test_a_trace_in_a_folder(self):
        os.mkdir(self.path("job"))
        kept = write_trace(self.path("job", "rank1.json"), training_steps(2))
        for command in ["summary"], ["predict"], ["fleet", "features"], ["fleet", "stragglers"]:
            with self.subTest(command=command):
                self.refused(*command, "job", "-o", "job/rank1.json", kept=kept)

    def test_a_report_beside_the_traces_is_replaced(self):
        os.mkdir(self.path("job"))
        write_trace(self.path("job", "rank1.json"), training_steps(2))
        for _ in range(2):
            outcome = steptime("summary", "job", "--format", "json", "-o", "job/summary.json", cwd=self.folder)
            self.assertEqual(outcome.code, OK, outcome.err)

    def test_python_files(self):
        kept = self.write("src/train.py", PYTHON)
        self.refused("lint", "src/train.py", "-o", "src/train.py", kept=kept)
        self.refused("lint", "src", "-o", "src/train.py", kept=kept)
        self.refused("lint", "src", "--trace", "rank0.json", "-o", "rank0.json", kept=self.trace)

    def test_tables(self):
        kept = self.write("jobs.csv", b"job,flops\na,1\n")
        self.refused("fleet", "breakdown", "jobs.csv", "-o", "jobs.csv", kept=kept)
        self.refused("predict", "kernel", "--input", "jobs.csv", "--hw", "V100", "-o", "jobs.csv", kept=kept)
        self.refused("predict", "list:jobs.csv@a,b", "--hw", "V100", "-o", "jobs.csv", kept=kept)
        self.refused("predict", "rank0.json", "--overheads", "jobs.csv", "-o", "jobs.csv", kept=kept)

    def test_a_script_that_is_run(self):
        kept = self.write("run/train.py", PYTHON)
        for option in "--keep", "-o":
            for words in ["run/train.py"], ["--", "python3", "./run/train.py"], ["--", "python3", "-m", "run.train"]:
                with self.subTest(option=option, words=words):
                    self.refused("price", "--hw", "H100", option, "run/train.py", *words, kept=kept)
        self.refused("price", "--check", "rank0.json", "--kernels", "run/train.py", "run/train.py", kept=kept)

    def test_what_a_script_is_given(self):
        kept = self.write("settings.json", b"{}")
        for words in ["settings.json"], ["--config=settings.json"]:
            self.refused("price", "--hw", "H100", "--keep", "settings.json", "--", "python3", "train.py", *words, kept=kept)

    def test_what_options_name(self):
        kept = self.write("own.txt", b"base = H100\n")
        self.refused("price", "--check", "rank0.json", "--kernels", "rank0.json", "train.py", kept=self.trace)
        self.refused("price", "--check", "rank0.json", "--keep", "rank0.json", "train.py", kept=self.trace)
        self.refused("price", "--hw", "H100,own.txt", "--keep", "own.txt", "train.py", kept=kept)
        self.refused("price", "--hw", "H100", "--python", "own.txt", "--keep", "own.txt", "train.py", kept=kept)
        self.refused("price", "--hw", "H100", "--prices", "own.txt", "-o", "own.txt", "train.py", kept=kept)
        self.refused("predict", "rank0.json", "--hw", "own.txt", "-o", "own.txt", kept=kept)
        self.refused("predict", "rank0.json", "--sweep", "hw=H100,own.txt", "-o", "own.txt", kept=kept)

    def test_a_baseline(self):
        kept = self.write("src/train.py", PYTHON)
        self.refused("lint", "src/train.py", "--write-baseline", "src/train.py", kept=kept)
        self.refused("lint", "src", "--write-baseline", "src/train.py", kept=kept)
        self.refused("lint", "src", "--trace", "rank0.json", "--write-baseline", "rank0.json", kept=self.trace)
        for _ in range(2):
            self.assertEqual(steptime("lint", "src", "--baseline", "known", "--write-baseline", "known",
                                      cwd=self.folder).code, OK)

    def test_two_results_in_one_file(self):
        outcome = steptime("price", "--hw", "H100", "--keep", "both", "-o", "both", "train.py", cwd=self.folder)
        self.assertEqual(outcome.code, USAGE)
        self.assertIn("-o", outcome.err.replace("--output", "-o"))
        self.assertFalse(os.path.exists(self.path("both")))


class FilesKeepWhatTheyHad(Folder):
    def summary_to(self, path, **more):
        outcome = steptime("summary", self.trace, "--format", "json", "-o", path, **more)
        self.assertEqual(outcome.code, OK, outcome.err)

    def assert_written(self, path):
        self.assertTrue(self.read(path).startswith(b"{"), path)

    def test_hard_links(self):
        first = self.write("first.json", b"a" * 100000)
        os.link(first, self.path("second.json"))
        self.summary_to(first)
        self.assertEqual(os.stat(first).st_nlink, 2)
        self.assertEqual(self.read(first), self.read(self.path("second.json")))
        self.assert_written(first)
        self.assertEqual(sorted(os.listdir(self.folder)), ["first.json", "rank0.json", "second.json"])

    def test_hard_links_of_source(self):
        first = self.write("first.py", PYTHON)
        os.link(first, self.path("second.py"))
        self.assertEqual(steptime("fix", "--write", "first.py", cwd=self.folder).code, OK)
        self.assertNotEqual(self.read(first), PYTHON)
        self.assertEqual(self.read(first), self.read(self.path("second.py")))

    def test_a_link_to_what_is_not_there_yet(self):
        os.mkdir(self.path("elsewhere"))
        os.symlink("elsewhere/real.json", self.path("link.json"))
        self.summary_to(self.path("link.json"))
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assert_written(self.path("elsewhere", "real.json"))

    def test_a_new_file_has_the_usual_rights(self):
        old = os.umask(0o027)
        try:
            self.summary_to(self.path("new.json"))
        finally:
            os.umask(old)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new.json")).st_mode), 0o640)

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_the_owner_of_a_file_that_root_writes(self):
        path = self.write("train.py", PYTHON)
        os.chmod(path, 0o640)
        os.chown(path, STRANGER, STRANGER)
        self.assertEqual(steptime("fix", "--write", path).code, OK)
        self.assertNotEqual(self.read(path), PYTHON)
        about = os.stat(path)
        self.assertEqual((about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)), (STRANGER, STRANGER, 0o640))

    @unittest.skipUnless(os.geteuid() == 0, "only root runs as somebody else")
    def test_the_owner_of_a_file_that_another_writes(self):
        path = self.write("job/train.py", PYTHON)
        os.chmod(path, 0o666)
        for folder in self.folder, self.path("job"):
            os.chmod(folder, 0o777)
        outcome = steptime("fix", "--write", path, user=STRANGER)
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertNotEqual(self.read(path), PYTHON)
        self.assertEqual(os.stat(path).st_uid, 0)
        self.assertEqual(os.listdir(self.path("job")), ["train.py"])

    def test_attributes(self):
        path = self.write("train.py", PYTHON)
        try:
            os.setxattr(path, "user.note", b"mine")
        except OSError:
            self.skipTest("no attributes on this file system")
        self.assertEqual(steptime("fix", "--write", path).code, OK)
        self.assertNotEqual(self.read(path), PYTHON)
        self.assertEqual(os.getxattr(path, "user.note"), b"mine")

    def test_a_quota_leaves_a_file_with_links_as_it_was(self):
        path = self.write("first.json", b"as it was")
        os.link(path, self.path("second.json"))
        threads = [event for tid in range(2000) for event in
                   [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": tid, "ts": 1, "dur": 1}]]
        trace = write_trace(self.path("many.json"), threads)
        child = subprocess.run(["/bin/sh", "-c", 'ulimit -f 8; exec "$0" info "$1" --format json -o "$2"',
                                os.environ["STEPTIME"], trace, path], stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual(child.returncode, OUTPUT, child.stderr)
        self.assertEqual(self.read(path), b"as it was")
        self.assertEqual(sorted(os.listdir(self.folder)), ["first.json", "many.json", "rank0.json", "second.json"])


@unittest.skipIf(SANITIZED or not os.path.exists(RECORDER), "calls are not recorded in this build")
class OrderOfCalls(Folder):
    def calls(self, *words, **more):
        log = self.path("calls")
        outcome = steptime(*words, cwd=self.folder, env={"LD_PRELOAD": RECORDER, "RECORD_CALLS": log, **more})
        with open(log, encoding="utf-8") as lines:
            return outcome, [line.split() for line in lines]

    def test_the_file_is_synced_before_it_is_renamed_and_the_folder_after(self):
        outcome, calls = self.calls("summary", self.trace, "-o", self.path("result"))
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertEqual([call[0] for call in calls], ["fsync", "rename", "fsync"])
        temporary = calls[0][1]
        self.assertEqual(calls[1][1:], [temporary, self.path("result")])
        self.assertEqual(calls[2][1], self.folder)

    def test_a_file_with_links_is_synced_after_its_copy(self):
        path = self.write("first.py", PYTHON)
        os.link(path, self.path("second.py"))
        outcome, calls = self.calls("fix", "--write", path)
        self.assertEqual(outcome.code, OK, outcome.err)
        self.assertEqual([call[0] for call in calls], ["fsync", "fsync"])
        self.assertNotEqual(calls[0][1], path)
        self.assertEqual(calls[1][1], path)

    def test_where_writing_over_breaks_off_the_new_text_is_kept_and_named(self):
        path = self.write("first.py", PYTHON)
        os.link(path, self.path("second.py"))
        outcome, _ = self.calls("fix", "--write", path, FAIL_WRITE=path)
        self.assertEqual(outcome.code, OUTPUT, outcome.err)
        kept = outcome.err.partition("the new text is whole in ")[2].split("\n")[0]
        self.assertIn(b"import torch", self.read(kept))
        self.assertNotEqual(self.read(kept), PYTHON)


if __name__ == "__main__":
    unittest.main()
