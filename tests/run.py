#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one file of unittest cases and speaks TAP, so that the build counts every case.

run.py FILE

What a case prints goes to stderr; only TAP goes to stdout. Each case says what it cost in processor time, with the
programs that it ran.
"""
import importlib.util
import os
import resource
import sys
import unittest


def cpu_s():
    """Processor time of this process and of the programs that it waited for."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class Tap(unittest.TestResult):
    """One line a case. A case whose subtests fail is one failure; each subtest tells its own."""

    def __init__(self, out):
        super().__init__()
        self.out = out
        self.count = 0
        self.bad_cases = 0
        self.troubles = []
        self.told_s = 0

    def say(self, word, test, note=""):
        self.count += 1
        self.bad_cases += word == "not ok"
        print(f"{word} {self.count} - {self.name(test)}{note}", file=self.out, flush=True)
        for trouble in self.troubles:
            for line in trouble.splitlines():
                print(f"# {line}", file=self.out)
        self.troubles = []
        used_s = cpu_s()
        print(f"# case {used_s - self.told_s:.2f} s", file=self.out, flush=True)
        self.told_s = used_s

    @staticmethod
    def name(test):
        """Class.method, without the "#" that would be read as a directive."""
        whole = isinstance(test, unittest.TestCase)
        return (test.id().partition(".")[2] if whole else str(test)).replace("#", "")

    def addSuccess(self, test):
        self.say("not ok" if self.troubles else "ok", test)

    def addSkip(self, test, reason):
        self.say("ok", test, " # SKIP " + " ".join(reason.split()))

    def addFailure(self, test, err):
        self.troubles.append(self._exc_info_to_string(err, test))
        self.say("not ok", test)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.troubles.append(f"{subtest._subDescription()}\n" + self._exc_info_to_string(err, test))

    def stopTest(self, test):
        if self.troubles:  # only subtests failed: unittest calls neither addSuccess nor addFailure
            self.say("not ok", test)
        super().stopTest(test)

    def addExpectedFailure(self, test, err):
        self.say("ok", test, " # SKIP expected to fail")

    def addUnexpectedSuccess(self, test):
        self.say("not ok", test)


def load(path):
    folder, name = os.path.split(os.path.abspath(path))
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name.removesuffix(".py"), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def main(path):
    sys.dont_write_bytecode = True
    out, sys.stdout = sys.stdout, sys.stderr
    result = Tap(out)
    load(path).run(result)
    print(f"1..{result.count}\n# cpu {cpu_s():.2f} s", file=out)
    return 1 if result.bad_cases else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
