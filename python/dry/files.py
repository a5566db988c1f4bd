# SPDX-License-Identifier: Apache-2.0
"""For run.py: files that a script writes. They go to a private folder, where the script finds them again; its own stay as
they are, and nothing of it stays.

It lies as steptime_dry_files.py beside the sitecustomize.py that run.py is. Programs that the script starts, and libraries
that write by themselves, are not held back.
"""
import builtins
import functools
import io
import os
import sys
import tempfile

from steptime_dry_plan import TO, count
from steptime_inside import Waiting

SHADOW = os.path.join(TO or "", "written")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Files:
    def __init__(self):
        self.made_folder = os.mkdir
        self.stat = os.stat
        script = os.path.dirname(os.path.abspath(sys.argv[0])) if getattr(sys, "argv", None) and sys.argv[0] else os.getcwd()
        self.kept = (os.getcwd() + os.sep, script + os.sep)  # even where they lie in the temporary folder
        self.free = (TO + os.sep, "/dev/", "/proc/")
        self.temporary = os.path.realpath(tempfile.gettempdir()) + os.sep
        self.there = set(os.listdir(self.temporary))  # what others made

    def absolute(self, path):
        """"": no path, or one that may be written."""
        if isinstance(path, int) or not isinstance(path, (str, bytes, os.PathLike)):
            return ""
        path = os.path.abspath(os.fsdecode(path))
        return "" if self.may_be_written(path + os.sep) else path

    def may_be_written(self, path):
        """Beneath the folder of temporary files what this process made."""
        if path.startswith(TO + os.sep) or path.startswith(self.kept):
            return path.startswith(TO + os.sep)
        if path.startswith(self.temporary):
            return path[len(self.temporary):].partition(os.sep)[0] not in self.there
        return path.startswith(self.free)

    def exists(self, path):
        try:
            self.stat(path)
            return True
        except OSError:
            return False

    def shadow(self, path):
        return SHADOW + path

    def to_write(self, path):
        """Where it goes instead; what is there already is copied first."""
        real = self.absolute(path)
        if not real:
            return path
        count("skipped", f"writing {os.path.basename(real)}")
        instead = self.shadow(real)
        self.make_folders(os.path.dirname(instead))
        if not self.exists(instead) and os.path.isfile(real):
            import shutil
            shutil.copyfile(real, instead)
        return instead

    def to_read(self, path):
        real = self.absolute(path)
        return self.shadow(real) if real and self.exists(self.shadow(real)) else path

    def make_folders(self, path):
        if not self.exists(path):
            self.make_folders(os.path.dirname(path))
            self.made_folder(path)


def hold_back():
    files = Files()
    opened, opened_low = builtins.open, os.open

    def open_elsewhere(file, mode="r", *arguments, **named):
        where = files.to_write(file) if isinstance(mode, str) and set(mode) & set("wax+") else files.to_read(file)
        return opened(where, mode, *arguments, **named)
    builtins.open = io.open = functools.wraps(opened)(open_elsewhere)

    def open_low(path, flags, *arguments, **named):
        return opened_low(files.to_write(path) if flags & WRITES else files.to_read(path), flags, *arguments, **named)
    os.open = open_low

    def make_folder(path, mode=0o777, **named):
        real = files.absolute(path)
        if real and not files.exists(real):
            files.make_folders(os.path.dirname(files.shadow(real)))
            path = files.shadow(real)
        return files.made_folder(path, mode, **named)
    os.mkdir = make_folder
    for name in ("stat", "lstat", "listdir", "scandir", "access", "statvfs", "readlink"):
        read_elsewhere(files, name)
    for name in ("remove", "unlink", "rmdir", "rename", "replace", "link", "symlink", "truncate", "utime", "chmod"):
        change_elsewhere(files, name)
    sys.meta_path.insert(0, Waiting({"pyarrow": lambda arrow: tables_elsewhere(files, arrow)}))


def tables_elsewhere(files, arrow):
    """pyarrow opens files by itself."""
    def instead(path, mode):
        return files.to_write(path) if set(mode) & set("wax+") else files.to_read(path)

    mapped = arrow.memory_map

    @functools.wraps(mapped)
    def memory_map(path, mode="r", *arguments, **named):
        return mapped(instead(path, mode), mode, *arguments, **named)
    arrow.memory_map = memory_map
    arrow.OSFile = class_elsewhere(instead, arrow.OSFile)


def class_elsewhere(instead, given):
    """A class as before: pyarrow's own files are of it, and scripts may derive from it."""
    class Kind(type(given)):
        def __instancecheck__(cls, one):
            return isinstance(one, given) if cls is Elsewhere else super().__instancecheck__(one)

        def __subclasscheck__(cls, kind):
            return issubclass(kind, given) if cls is Elsewhere else super().__subclasscheck__(kind)

    class Elsewhere(given, metaclass=Kind):
        def __new__(cls, path, mode="r", *arguments, **named):
            return super().__new__(cls, instead(path, mode), mode, *arguments, **named)
    Elsewhere.__name__, Elsewhere.__qualname__, Elsewhere.__module__ = given.__name__, given.__qualname__, given.__module__
    Elsewhere.__doc__ = given.__doc__
    return Elsewhere


def read_elsewhere(files, name):
    given = getattr(os, name)

    @functools.wraps(given)
    def wrapper(path=".", *arguments, **named):
        if named.get("dir_fd") is not None:
            return given(path, *arguments, **named)
        return given(files.to_read(path), *arguments, **named)
    setattr(os, name, wrapper)


def change_elsewhere(files, name):
    """Of what it wrote itself; the files that were there stay, and it is told that this was done."""
    given = getattr(os, name)
    two = name in ("rename", "replace", "link", "symlink")

    @functools.wraps(given)
    def wrapper(path, *arguments, **named):
        real = files.absolute(path)
        if not real and not (two and files.absolute(arguments[0])):
            return given(path, *arguments, **named)
        if real and not files.exists(files.shadow(real)):
            count("skipped", f"os.{name} {os.path.basename(real)}")
            return None
        if two:
            arguments = (files.to_write(arguments[0]), *arguments[1:])
        return given(files.shadow(real) if real else path, *arguments, **named)
    setattr(os, name, wrapper)
