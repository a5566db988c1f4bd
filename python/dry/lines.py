# SPDX-License-Identifier: Apache-2.0
"""For waits.py: which lines of the script's own code ran in the whole rounds, and in how many of them.

It lies as steptime_dry_lines.py beside the sitecustomize.py that run.py is. A round goes from the end of one step to the end of
the next. Python tells each line that it comes to (sys.settrace), of the script's own files alone.
"""
import os
import sys
import threading

from steptime_dry_plan import BEGAN_IN, is_installed, is_ours

MOST_LINES = 200000  # in how many lines of how many files: more is no training script


real_paths = {}


def real_path(path):
    real = real_paths.get(path)
    if real is None:
        real = real_paths[path] = os.path.realpath(os.path.join(BEGAN_IN, path))
    return real


class Lines:
    def __init__(self):
        self.round = 0
        self.known = {}  # path: whether it is the script's own
        self.steps = {}  # path: {line: [rounds, the last one]}
        self.count = 0
        self.full = False

    def is_own(self, path):
        known = self.known.get(path)
        if known is None:
            known = self.known[path] = not (is_ours(path) or is_installed(path))
        return known

    def begin_round(self):
        self.round += 1
        if self.round == 1:
            self.start()

    def begin_anew(self):
        if self.round:
            self.stop()
        self.round = self.count = 0
        self.steps = {}
        self.full = False

    def start(self):
        frame = sys._getframe(1)
        while frame:  # those that run already: the loop of steps is one of them
            if self.is_own(frame.f_code.co_filename):
                frame.f_trace = self.line
            frame = frame.f_back
        threading.settrace(self.call)
        sys.settrace(self.call)

    def stop(self):
        threading.settrace(None)
        sys.settrace(None)

    def call(self, frame, event, argument):
        if not self.is_own(frame.f_code.co_filename):
            return None
        return self.line(frame, event, argument)

    def line(self, frame, event, _):
        if event == "line" or event == "call":
            self.take(frame.f_code.co_filename, frame.f_lineno)
        return self.line

    def take(self, path, line):
        lines = self.steps.setdefault(path, {})
        seen = lines.get(line)
        if seen is None:
            if self.count >= MOST_LINES:
                self.full = True
                return
            self.count += 1
            seen = lines[line] = [0, 0]
        if seen[1] != self.round:
            seen[0] += 1
            seen[1] = self.round

    def rows(self):
        """r <path> <line>:<rounds>,..."""
        for path, lines in sorted(self.steps.items()):
            ran = ",".join(f"{line}:{seen[0]}" for line, seen in sorted(lines.items()))
            yield ("r", real_path(path), ran)
