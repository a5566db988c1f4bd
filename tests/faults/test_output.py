# SPDX-License-Identifier: Apache-2.0
"""Output that cannot be written: exit code 4, a clear line, and an output file that is whole or untouched."""
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest

from support import INPUT, OK, OUTPUT, PROGRAM, recorded, span, steptime, training_steps, write_trace

BEFORE = "as it was"


class Output(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # As many threads make the result larger than any buffer on its way.
        threads = [span("aten::add", 1, 1, tid=tid) for tid in range(3000)]
        self.trace = write_trace(self.path("trace.json"), training_steps(50) + threads)

    def path(self, name):
        return os.path.join(self.folder, name)

    def existing(self, name="result.json"):
        with open(self.path(name), "w", encoding="ascii") as out:
            out.write(BEFORE)
        return self.path(name)

    def content(self, path):
        with open(path, encoding="utf-8") as text:
            return text.read()

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_full_disk_behind_standard_output(self):
        for form in ("term", "json", "csv"):
            with self.subTest(form=form), open("/dev/full", "wb") as full:
                table = ["--table", "lanes"] if form == "csv" else []
                outcome = steptime("info", self.trace, "--format", form, *table, stdout=full)
                self.assertEqual(outcome.code, OUTPUT, outcome.err)
                self.assertIn("no space left", outcome.err.lower())

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_full_disk_swallows_help_and_version_too(self):
        for word in ("--help", "--version"):
            with self.subTest(word=word), open("/dev/full", "wb") as full:
                self.assertEqual(steptime(word, stdout=full).code, OUTPUT)

    def test_closed_pipe(self):
        """As in `steptime ... | head -1`: no result got through whole, so it is said by the exit code, not by a signal."""
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as pipe:
            outcome = steptime("info", self.trace, "--format", "json", stdout=pipe)
        self.assertEqual(outcome.code, OUTPUT, outcome.err)

    def test_closed_standard_output(self):
        child = subprocess.run(["/bin/sh", "-c", 'exec "$0" info "$1" >&-', PROGRAM, self.trace],
                               stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual(child.returncode, OUTPUT, child.stderr)

    def test_folder_that_is_not_there(self):
        outcome = steptime("info", self.trace, "-o", self.path("nowhere/result.json"))
        self.assertEqual(outcome.code, OUTPUT, outcome.err)
        self.assertIn("nowhere", outcome.err)

    def test_output_is_a_folder(self):
        os.mkdir(self.path("there"))
        outcome = steptime("info", self.trace, "-o", self.path("there"))
        self.assertEqual(outcome.code, OUTPUT, outcome.err)

    def test_bad_input_leaves_the_file_alone(self):
        result = self.existing()
        outcome = steptime("info", self.path("nowhere.json"), "-o", result)
        self.assertEqual(outcome.code, INPUT)
        self.assertEqual(self.content(result), BEFORE)

    def test_output_replaces_the_whole_file(self):
        result = self.existing()
        outcome = steptime("info", self.trace, "--format", "json", "-o", result)
        self.assertEqual((outcome.code, outcome.out), (OK, ""), outcome.err)
        self.assertEqual(json.loads(self.content(result))["command"], "info")
        self.assertEqual(sorted(os.listdir(self.folder)), ["result.json", "trace.json"])

    def test_file_size_limit(self):
        """A quota that is reached halfway through the file."""
        result = self.existing()
        child = subprocess.run(["/bin/sh", "-c", 'ulimit -f 1; exec "$0" info "$1" --format json -o "$2"',
                                PROGRAM, self.trace, result], stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual(child.returncode, OUTPUT, child.stderr)
        self.assertEqual(self.content(result), BEFORE)
        self.assertEqual(sorted(os.listdir(self.folder)), ["result.json", "trace.json"])

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a tiny disk")
    def test_full_disk_behind_the_file(self):
        disk = self.path("disk")
        os.mkdir(disk)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], check=False,
                              stderr=subprocess.DEVNULL)
        if made.returncode:
            self.skipTest("mounting is not allowed here")
        try:
            result = os.path.join(disk, "result.json")
            with open(result, "w", encoding="ascii") as out:
                out.write(BEFORE)
            outcome = steptime("info", self.trace, "--format", "json", "-o", result)
            self.assertEqual(outcome.code, OUTPUT, outcome.err)
            self.assertIn("no space left", outcome.err.lower())
            self.assertEqual(self.content(result), BEFORE)
            self.assertEqual(os.listdir(disk), ["result.json"])
        finally:
            subprocess.run(["umount", disk], check=False)

    def test_killed_at_any_moment(self):
        result = self.existing()
        command = [PROGRAM, "info", recorded("dlrm-cpu.json.gz"), "--format", "json", "-o", result]
        begin = time.monotonic()
        self.assertEqual(subprocess.run(command, check=False, timeout=60).returncode, OK)
        whole_s, whole = time.monotonic() - begin, self.content(result)
        chance = random.Random(1)
        for _ in range(60):
            self.existing()
            child = subprocess.Popen(command)
            time.sleep(chance.uniform(0, whole_s * 1.2))
            child.send_signal(signal.SIGKILL)
            child.wait()
            self.assertTrue(self.content(result) in (BEFORE, whole), "half-written")
