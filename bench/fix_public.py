#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the rewrites do to public code, as a maintainer would check them.

fix_public.py [--unsafe] [--notes] [--diffs FOLDER] REPOSITORY...

Each folder is copied and rewritten. Counted are: diffs that `git apply` refuses, changed files that do not compile, second
runs that change something, lines that a rewrite made and black would write otherwise (where it leaves the lines alone that
were there), files whose imports isort had no wish for before and has now, and names that pyflakes misses or finds unused
now. black, isort and pyflakes come from $STEPTIME_FORMATTERS, a folder of programs, or the path. --diffs keeps each
repository's diff.
"""
import argparse
import collections
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("STEPTIME") or os.path.join(TOP, "build", "src", "steptime")
FORMATTERS = os.environ.get("STEPTIME_FORMATTERS", "")
CHECKS = ("rewrites", "files", "refused", "broken", "again", "black", "isort", "pyflakes")


def run(*command, cwd=None, text=None):
    return subprocess.run(command, cwd=cwd, input=text, capture_output=True, check=False)


def formatter(name, *options, text):
    """What the tool makes of the text; None where it cannot read it."""
    path = os.path.join(FORMATTERS, name) if FORMATTERS else shutil.which(name)
    if not path or not os.path.exists(path):
        return None
    done = run(path, *options, "-", text=text)
    return done.stdout if done.returncode == 0 else None


def read(path):
    with open(path, "rb") as file:
        return file.read()


def touched(before, after):
    """Numbers of lines of `before` that differ in `after`; an insertion touches both its neighbours."""
    lines = set()
    for tag, begin, end, _, _ in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            lines |= set(range(begin, end)) if end > begin else {begin - 1, begin}
    return lines


def black_minds(before, after):
    """Lines that the rewrite made and black would change, though it left alone what stood there."""
    old, new = formatter("black", "-q", text=before), formatter("black", "-q", text=after)
    if old is None or new is None:
        return []
    lines, made = before.decode().splitlines(), after.decode().splitlines()
    minded_before = touched(lines, old.decode().splitlines())
    minded = touched(made, new.decode().splitlines())
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, lines, made, autojunk=False).get_opcodes():
        if tag != "equal" and not minded_before & set(range(a - 1, b + 1)):
            found += [made[i] for i in range(c, d) if i in minded]
    return found


def isort_minds(before, after):
    options = ("--profile", "black", "-q", "-d")
    clean = formatter("isort", *options, text=before) == b""
    return clean and formatter("isort", *options, text=after) not in (b"", None)


def flakes(text):
    path = os.path.join(FORMATTERS, "pyflakes") if FORMATTERS else shutil.which("pyflakes")
    if not path or not os.path.exists(path):
        return collections.Counter()
    lines = run(path, text=text).stdout.decode(errors="replace").splitlines()
    return collections.Counter(line.split(" ", 1)[1] for line in lines if " " in line)


def compiles(text, path):
    try:
        compile(text, path, "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError):
        return False


def check_file(path, before, after, counts, tell):
    if compiles(before, path) and not compiles(after, path):
        counts["broken"] += 1
        tell(f"does not compile: {path}")
    for line in black_minds(before, after):
        counts["black"] += 1
        tell(f"black: {path}: {line}")
    if isort_minds(before, after):
        counts["isort"] += 1
        tell(f"isort: {path}")
    for message, number in (flakes(after) - flakes(before)).items():
        counts["pyflakes"] += number
        tell(f"pyflakes: {path}: {message}")


def left_out(repository):
    """Of what is copied: not the history, and no link that leads out, where a rewrite would change what is there, or nowhere."""
    top = os.path.realpath(repository) + os.sep

    def leads_out(path):
        inside = not os.path.isabs(os.readlink(path)) and os.path.realpath(path).startswith(top)
        return not inside or not os.path.exists(path)

    def which(folder, names):
        paths = {name: os.path.join(folder, name) for name in names}
        return [name for name, path in paths.items() if name == ".git" or (os.path.islink(path) and leads_out(path))]
    return which


def check(repository, options, diffs, tell):
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(repository))
        shutil.copytree(repository, copy, symlinks=True, ignore=left_out(repository))
        diff = run(PROGRAM, "fix", *options, ".", cwd=copy).stdout
        if diffs:
            with open(os.path.join(diffs, os.path.basename(repository) + ".diff"), "wb") as file:
                file.write(diff)
        if diff and run("git", "apply", "--check", "-", cwd=copy, text=diff).returncode:
            counts["refused"] += 1
            tell(f"git apply refuses: {repository}")
        done = run(PROGRAM, "fix", "--write", *options, ".", cwd=copy)
        counts["rewrites"] += diff.count(b"\n# line ")
        again = run(PROGRAM, "fix", *options, ".", cwd=copy).stdout
        if again:
            counts["again"] += 1
            tell(f"a second run changes: {repository}\n{again.decode(errors='replace')}")
        if done.returncode:
            tell(f"{repository}: {done.stderr.decode(errors='replace')}")
        for path in changed_files(diff):
            counts["files"] += 1
            check_file(path, read(os.path.join(repository, path)), read(os.path.join(copy, path)), counts, tell)
    return counts


def changed_files(diff):
    return [line[6:].rstrip() for line in diff.decode(errors="replace").splitlines() if line.startswith("+++ b/")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--notes", action="store_true")
    parser.add_argument("--diffs")
    parser.add_argument("repository", nargs="+")
    asked = parser.parse_args()
    options = [f"--{name}" for name in ("unsafe", "notes") if getattr(asked, name)]
    total = collections.Counter()
    for repository in asked.repository:
        total += check(repository, options, asked.diffs, lambda line: print(line, file=sys.stderr))
    print(f"{len(asked.repository)} repositories: " + ", ".join(f"{name} {total[name]}" for name in CHECKS))
    return 1 if total["refused"] or total["broken"] or total["again"] else 0


if __name__ == "__main__":
    sys.exit(main())
