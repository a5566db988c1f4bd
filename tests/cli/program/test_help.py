# SPDX-License-Identifier: Apache-2.0
"""Help, manual pages and completion: they come from one table, so they must agree, and be well formed."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from support import OTHER_COMMANDS, OK, PROGRAM, USAGE, recorded, steptime, trace_commands

COMMANDS = [*trace_commands(), *OTHER_COMMANDS]


def options_of(command):
    return sorted(re.findall(r"^  (?:-\w, |    )--([a-z-]+)", steptime(command, "--help").out, re.M))


class Help(unittest.TestCase):
    def test_of_the_program(self):
        expected = steptime("--help")
        self.assertEqual(expected.code, OK)
        for arguments in (["-h"], ["help"]):
            self.assertEqual(steptime(*arguments).out, expected.out)
        self.assertRegex(steptime("--version").out, r"^steptime \d+\.\d+\.\d+\n$")

    def test_of_each_command(self):
        for command in COMMANDS:
            with self.subTest(command):
                run = steptime(command, "--help")
                self.assertEqual((run.code, run.err), (OK, ""))
                self.assertEqual(steptime("help", command).out, run.out)
                self.assertEqual(steptime(command, "-h").out, run.out)
                self.assertIn(f"Usage: steptime {command} ", run.out)
                self.assertIn("Examples:", run.out)
                self.assertIn("help", options_of(command))

    def test_every_trace_command_has_the_shared_options(self):
        for command in trace_commands():
            self.assertLessEqual({"format", "output", "table", "color", "rows", "steps", "skip-warmup", "rank"},
                                 set(options_of(command)), command)

    def test_commands_that_look_at_all_steps_offer_no_choice(self):
        for command in ("query", "export"):
            self.assertLessEqual({"rank", "threads"}, set(options_of(command)))
            self.assertFalse({"steps", "skip-warmup"} & set(options_of(command)), command)
            self.assertEqual(steptime(command, "trace.json", "--steps", "1").code, USAGE)

    def test_commands_without_findings_offer_no_format_of_findings(self):
        trace = recorded("dlrm-cpu.json.gz")
        for command, words in (("diff", (trace, trace)), ("query", (trace, "SELECT 1"))):
            self.assertNotIn("sarif", steptime(command, "--help").out)
            for form in ("sarif", "github"):
                run = steptime(command, "--format", form, *words)
                self.assertEqual((run.code, run.out), (USAGE, ""))
                self.assertIn("markdown", run.err)

    def test_briefs_fit_on_a_line(self):
        for line in steptime("--help", env={"COLUMNS": "100"}).out.partition("Commands:\n")[2].split("\n\n")[0].splitlines():
            self.assertRegex(line, r"^  [a-z]", "a brief is too long")

    def test_examples_name_their_command(self):
        for command in COMMANDS:
            for line in steptime(command, "--help").out.partition("Examples:\n")[2].splitlines():
                if line.startswith("  ") and not line.startswith("   "):
                    self.assertIn(f"steptime {command}", line)


@unittest.skipUnless(shutil.which("scdoc"), "scdoc is not installed")
class Manual(unittest.TestCase):
    def page(self, *command):
        source = steptime("help", "--man", *command)
        self.assertEqual(source.code, OK, source.err)
        return subprocess.run(["scdoc"], input=source.out, capture_output=True, text=True, check=True).stdout

    def test_has_what_the_help_has(self):
        for command in COMMANDS:
            with self.subTest(command):
                page = self.page(command).replace("\\-", "-").replace("\\", "")
                for name in options_of(command):
                    self.assertIn(f"--{name}", page)
                self.assertIn(f"steptime-{command}", page)

    def test_of_the_program_names_all(self):
        page = self.page().replace("\\", "")
        for command in COMMANDS:
            self.assertIn(f"steptime-{command}", page)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_is_well_formed(self):
        for command in [[], *([name] for name in COMMANDS)]:
            found = subprocess.run(["mandoc", "-T", "lint", "-W", "error"], input=self.page(*command), capture_output=True,
                                   text=True, check=False)
            self.assertEqual((found.returncode, found.stdout), (0, ""), command)


class Completion(unittest.TestCase):
    def script(self, shell):
        run = steptime("completion", shell)
        self.assertEqual(run.code, OK, run.err)
        file = tempfile.NamedTemporaryFile("w", suffix=shell)
        self.addCleanup(file.close)
        file.write(run.out)
        file.flush()
        return file.name

    def bash(self, *words):
        """What bash offers for the last of the words."""
        ask = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _steptime; printf "%s\\n" "${COMPREPLY[@]}"')
        run = subprocess.run(["bash", "-c", ask, "bash", self.script("bash"), *words], capture_output=True, text=True, check=True)
        return run.stdout.split()

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash_offers_commands_options_and_values(self):
        self.assertEqual(sorted(self.bash("steptime", "")), sorted([*COMMANDS, "--help", "--version"]))
        self.assertEqual(self.bash("steptime", "inf"), ["info"])
        self.assertEqual(self.bash("steptime", "info", "--form"), ["--format"])
        self.assertEqual(self.bash("steptime", "info", "--format", ""), ["term", "json", "csv", "html", "markdown", "sarif", "github"])
        self.assertEqual(self.bash("steptime", "info", "--format", "j"), ["json"])
        self.assertEqual(self.bash("steptime", "completion", "z"), ["zsh"])
        self.assertEqual(sorted(self.bash("steptime", "help", "")), sorted(COMMANDS))
        for command in COMMANDS:
            offered = {word[2:] for word in self.bash("steptime", command, "--")}
            self.assertEqual(offered, set(options_of(command)), command)

    def test_every_option_is_in_every_script(self):
        texts = {shell: steptime("completion", shell).out for shell in ("bash", "zsh", "fish")}
        for command in COMMANDS:
            for name in options_of(command):
                self.assertIn(f"--{name}", texts["bash"])
                self.assertIn(f"--{name}", texts["zsh"])
                self.assertIn(f"__fish_seen_subcommand_from {command}' -l {name}", texts["fish"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_its_script(self):
        subprocess.run(["zsh", "-n", self.script("zsh")], check=True)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_reads_its_script(self):
        subprocess.run(["fish", "-n", self.script("fish")], check=True)


class Installed(unittest.TestCase):
    def test_the_program_needs_nothing_of_the_place_it_was_built_in(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(PROGRAM, os.path.join(folder, "steptime"))
            run = subprocess.run([copy, "--version"], capture_output=True, text=True, cwd=folder, check=False)
            self.assertEqual(run.returncode, OK, run.stderr)


if __name__ == "__main__":
    unittest.main()
