# SPDX-License-Identifier: Apache-2.0
"""What a terminal gets: colours, characters and widths that it has; and nothing of the kind anywhere else."""
import fcntl
import os
import pty
import re
import struct
import tempfile
import termios
import threading
import time
import unittest

from support import OK, PROGRAM, steptime, training_steps, write_trace

BLOCKS = re.compile("[█▏▎▍▌▋▊▉─…]")


def on_terminal(*arguments, columns=80, env=None, feed=None):
    """Runs the program with a terminal for its standard output and error. feed: chunks for standard input."""
    surroundings = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE")}
    surroundings.update({"TERM": "xterm", "LANG": "C.UTF-8", **(env or {})})
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            for target, source in enumerate((read, slave, slave)):
                os.dup2(source, target)
            os.closerange(3, 256)
            os.execve(PROGRAM, [PROGRAM, *map(str, arguments)], surroundings)
        finally:
            os._exit(127)  # never back into the tests
    os.close(slave)
    os.close(read)

    def give():
        for chunk in feed or []:
            if isinstance(chunk, bytes):
                os.write(write, chunk)
            else:
                time.sleep(chunk)
        os.close(write)

    giver = threading.Thread(target=give)
    giver.start()
    out = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    giver.join()
    os.close(master)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), out.decode("utf-8", "replace").replace("\r\n", "\n")


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", text)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = write_trace(os.path.join(folder.name, "trace.json"), training_steps(count=40))

    def screen(self, *arguments, **more):
        code, text = on_terminal("info", self.trace, *arguments, **more)
        self.assertEqual(code, OK, text)
        return text


class Colour(Case):
    def test_on_a_terminal_that_has_it(self):
        text = self.screen()
        self.assertIn("\x1b[1m", text)
        self.assertRegex(text, BLOCKS)

    def test_not_where_it_is_not_wanted(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}):
            self.assertNotIn("\x1b[", self.screen(env=env), env)
        self.assertNotIn("\x1b[", self.screen("--color=never"))

    def test_always_wins(self):
        self.assertIn("\x1b[1m", self.screen("--color=always", env={"NO_COLOR": "1"}))
        self.assertIn("\x1b[1m", steptime("info", "--color=always", self.trace).out)

    def test_never_elsewhere(self):
        run = steptime("info", self.trace, env={"NO_COLOR": "", "LANG": "C.UTF-8"})
        self.assertNotIn("\x1b[", run.out)
        self.assertTrue(run.out.isascii())

    def test_an_empty_no_color_is_none(self):
        self.assertIn("\x1b[1m", self.screen(env={"NO_COLOR": ""}))

    def test_json_and_csv_have_none(self):
        for form in (["--format=json"], ["--format=csv", "--table=steps"]):
            self.assertNotIn("\x1b[", self.screen("--color=always", *form))


class Characters(Case):
    def test_ascii_where_the_locale_is_not_utf8(self):
        for env in ({"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LC_CTYPE": "C"}):
            self.assertTrue(self.screen(env=env).isascii(), env)

    def test_the_strongest_locale_decides(self):
        self.assertFalse(self.screen(env={"LANG": "C", "LC_ALL": "en_US.utf8"}).isascii())
        self.assertFalse(self.screen(env={"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}).isascii())


class Width(Case):
    def test_no_line_is_longer_than_the_terminal(self):
        for columns in (40, 60, 80, 100, 120, 200):
            for line in plain(self.screen(columns=columns)).splitlines():
                self.assertLessEqual(len(line), columns, line)

    def test_columns_counts_where_there_is_no_terminal(self):
        for columns in (50, 80, 120):
            run = steptime("info", self.trace, env={"COLUMNS": str(columns)})
            longest = max(map(len, run.out.splitlines()))
            self.assertLessEqual(longest, columns)
            self.assertGreaterEqual(longest, min(columns, 100) - 1)

    def test_no_line_ends_in_blanks(self):
        for line in plain(self.screen()).splitlines():
            self.assertEqual(line, line.rstrip())

    def test_help_fits_too(self):
        for columns in (60, 80, 100):
            code, text = on_terminal("info", "--help", columns=columns)
            self.assertEqual(code, OK)
            for line in text.splitlines():
                if "steptime info" not in line:  # examples are not broken
                    self.assertLessEqual(len(line), columns, line)

    def test_rows(self):
        self.assertIn("20 more rows; --rows 0 shows all", self.screen())
        self.assertIn("37 more rows", self.screen("--rows=3"))
        self.assertNotIn("more rows", self.screen("--rows=0"))
        self.assertNotIn("more rows", self.screen("--table=steps"))


class Progress(Case):
    def feed(self, seconds):
        with open(self.trace, "rb") as text:
            whole = text.read()
        half = len(whole) // 2
        return [whole[:half], seconds, whole[half:]]

    def test_only_for_work_over_a_second(self):
        code, text = on_terminal("info", "-", feed=self.feed(0.1))
        self.assertEqual(code, OK)
        self.assertNotIn("reading", text)

    def test_a_line_that_is_gone_at_the_end(self):
        code, text = on_terminal("info", "-", feed=self.feed(1.8))
        self.assertEqual(code, OK)
        self.assertIn("\r\x1b[Kreading", text)
        before, _, after = text.rpartition("\r\x1b[K")
        self.assertTrue(after.startswith("\x1b[1msteptime info"), after[:80])
        self.assertIn("reading", before)

    def test_not_where_nobody_looks(self):
        def slowly():
            for chunk in self.feed(1.5):
                if isinstance(chunk, bytes):
                    yield chunk
                else:
                    time.sleep(chunk)

        run = steptime("info", "-", stdin=slowly())
        self.assertEqual((run.code, run.err), (OK, ""))


if __name__ == "__main__":
    unittest.main()
