# SPDX-License-Identifier: Apache-2.0
"""A pass of run.py: the lines at which the host waits for the device, as PyTorch itself warns of them.

It lies as steptime_record_syncs.py beside the sitecustomize.py that run.py is. While torch.cuda.set_sync_debug_mode("warn") holds,
each call that waits gives a warning where it was made. These are counted here by place and go no further; all others go
where they went. No profiler runs, and the steps of this pass count for no time.
"""
import os
import sys
from _thread import get_ident

from steptime_inside import HERE
from steptime_record_pass import Steps
from steptime_record_plan import STEPS, write_json

VERSION = 1
WARNS = "called a synchronizing CUDA operation"
PROTOTYPE = "Synchronization debug mode is a prototype feature"
WARN_MODE = 1
MOST_PLACES = 10000
MOST_VIA = 3  # frames of libraries that are told of a place, from its own call inward


def library_folders():
    import sysconfig
    paths = sysconfig.get_paths()
    return tuple(paths[name] + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib") if paths.get(name))


class Frames:
    """Whose a frame is: the user's own, or of something that was installed."""

    def __init__(self):
        self.folders = library_folders() + (HERE + os.sep,)
        self.known = {}

    def is_library(self, path):
        known = self.known.get(path)
        if known is None:
            parts = path.replace("\\", "/").split("/")
            known = path.startswith(("<frozen", "<string>")) or path.startswith(self.folders) or \
                "site-packages" in parts or "dist-packages" in parts
            self.known[path] = known
        return known

    def place(self, frame):
        """The innermost of the user's own; where there is none, the innermost. With how it came from there to the call."""
        inner, way = frame, []
        while frame and self.is_library(frame.f_code.co_filename):
            way.append(f"{frame.f_code.co_filename}({frame.f_lineno}): {frame.f_code.co_name}")
            frame = frame.f_back
        if frame is None:
            frame, way = inner, []
        code = frame.f_code
        return (code.co_filename, frame.f_lineno, code.co_name, code.co_firstlineno, tuple(way[::-1][:MOST_VIA]))


class Places:
    """How often each was seen, and in how many steps."""

    def __init__(self):
        self.counts = {}

    def take(self, place, step):
        if place in self.counts or len(self.counts) < MOST_PLACES:
            seen = self.counts.setdefault(place, [0, 0, -1])
            seen[0] += 1
            if seen[2] != step:
                seen[1:] = seen[1] + 1, step

    def listed(self):
        def as_member(place, seen):
            file, line, function, first_line, way = place
            return {"file": file, "line": line, "function": function, "first_line": first_line,
                    "count": seen[0], "steps": seen[1], "via": list(way)}
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1][0], item[0]))
        return [as_member(place, seen) for place, seen in ordered]


class SyncPass(Steps):
    """So many steps in which PyTorch warns of what waits."""

    def __init__(self, recorder, kind, at_step):
        super().__init__(recorder, kind, at_step)
        self.frames, self.places = Frames(), Places()
        self.mode_before = self.show_before = None
        self.off = False

    def begin(self):
        import warnings
        cuda = self.recorder.torch.cuda
        self.mode_before = cuda.get_sync_debug_mode()
        self.show_before, warnings.showwarning = warnings.showwarning, self.show
        self.listen()
        cuda.set_sync_debug_mode(WARN_MODE)

    @staticmethod
    def listen():
        """Before whatever the script filters, in each step anew: it may have added filters since."""
        import warnings
        for words in (WARNS, PROTOTYPE):
            warnings.filterwarnings("always", message=words)

    def show(self, message, category, filename, lineno, file=None, line=None):
        text = str(message)
        if text.startswith(PROTOTYPE):
            return
        if not text.startswith(WARNS):
            self.show_before(message, category, filename, lineno, file, line)
        elif not self.off and get_ident() not in self.recorder.entered:
            frame = sys._getframe(1)
            while frame.f_back and frame.f_code.co_filename.endswith("warnings.py"):
                frame = frame.f_back
            self.places.take(self.frames.place(frame), self.steps)

    def step(self, now):
        """True: it was the last one."""
        self.steps += 1
        self.listen()
        if self.steps < STEPS:
            return False
        self.end()
        return True

    def stop(self):
        import warnings
        if self.off:
            return
        self.off = True
        self.recorder.torch.cuda.set_sync_debug_mode(self.mode_before)
        if warnings.showwarning == self.show:
            warnings.showwarning = self.show_before
        warnings.filters[:] = [it for it in warnings.filters if not self.is_ours(it)]

    @staticmethod
    def is_ours(entry):
        pattern = getattr(entry[1], "pattern", entry[1])
        return entry[0] == "always" and pattern in (WARNS, PROTOTYPE)

    def end(self):
        if self.off:
            return
        self.stop()
        if not self.steps:
            return
        recorder = self.recorder
        listed = self.places.listed()
        write_json(f"{recorder.base}.syncs.json",
                   {"version": VERSION, "first_step": self.first, "steps": self.steps, "lines": listed,
                    "recorder": {"torch": recorder.torch.__version__, "python": sys.version.split()[0]}})
        recorder.note("saved", f"{self.kind} {self.steps} {STEPS}")
        recorder.note("found", self.words(listed))

    def words(self, listed):
        if not listed:
            return f"no line waits for the device in {self.steps} steps, as far as PyTorch warns of it"
        each = sum(one["count"] for one in listed) / max(1, self.steps)
        first = listed[0]
        return (f"{len(listed)} {'line waits' if len(listed) == 1 else 'lines wait'} for the device, {each:.3g} times a step;"
                f" most often {os.path.basename(first['file'])}:{first['line']}")

    def drop(self):
        self.stop()

    def abandon(self):
        self.stop()


def why_no_syncs(torch):
    """Where they cannot be heard; "": they can."""
    if not torch.cuda.is_initialized():  # to ask for more would initialise it
        return "no lines of synchronisations: the script uses no CUDA device"
    if not hasattr(torch.cuda, "set_sync_debug_mode"):
        return f"no lines of synchronisations: PyTorch {torch.__version__} does not tell them"
    if torch.cuda.get_sync_debug_mode():
        return "no lines of synchronisations: the script has set torch.cuda.set_sync_debug_mode itself"
    return ""
