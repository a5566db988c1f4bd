#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The walls between the rooms of src/.

walls.py link DIR ROOM=SRC...   makes DIR, a folder of links to the rooms that one room may include
walls.py check SRC DIR          checks every #include below SRC against the links below DIR

A room is compiled with its link folder as its only include path into src/, so an include that climbs a floor does not
compile. `check` says the same in words, and catches the ways around it ("../trace/trace.h").
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def link(folder, rooms):
    os.makedirs(folder, exist_ok=True)
    wanted = dict(room.split("=", 1) for room in rooms)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if wanted.get(name) != (os.readlink(path) if os.path.islink(path) else None):
            os.unlink(path)
    for name, target in wanted.items():
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            os.symlink(target, path)


def offence(include, room, allowed):
    """Why the include breaks the walls, or None."""
    if include.startswith("steptime/"):
        return None
    if ".." in include.split("/") or include.startswith("/"):
        return "goes around the walls"
    head, slash, _ = include.partition("/")
    if not slash or head in allowed:
        return None
    return f"{room} may not know {head}"


def check(src, walls):
    bad = 0
    for room in sorted(os.listdir(walls)):
        allowed = set(os.listdir(os.path.join(walls, room)))
        folder = os.path.join(src, room)
        for name in sorted(os.listdir(folder)):
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    match = INCLUDE.match(line)
                    why = match and offence(match[1], room, allowed)
                    if why:
                        print(f"{path}:{number}: {match[1]}: {why}")
                        bad += 1
    return bad


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "link":
        link(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) == 4 and sys.argv[1] == "check":
        sys.exit(1 if check(sys.argv[2], sys.argv[3]) else 0)
    else:
        sys.exit(__doc__)
