#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The walls between the rooms of src/.

walls.py open SRC DIR ROOM [KNOWN...]   makes DIR, a folder of links to what one room may include, and prints its sources
walls.py check SRC DIR                  checks every #include below SRC against the links below DIR
walls.py tests SRC DIR NAME...          prints of each test program below DIR the rooms that it includes

A room is a folder below SRC that holds files ("base", "fleet/step"); a folder that holds rooms is no room itself, and
its name stands for all of them. A room is compiled with its link folder as its only include path into SRC, so an
include that climbs a floor does not compile. `check` says the same in words, and catches the ways around it
("../trace/trace.h"). Sources are found, not listed; a main.c belongs to a program, not to the room.

A test is linked with the rooms that it includes, itself or by headers beside it or below DIR, and with what those may
know: a room that reaches further than its row does not link.
"""
import os
import re
import shutil
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def open_room(src, folder, room, known):
    """The links of one room. Written again only where they differ: their age means nothing to the build."""
    wanted = {name: os.path.join(src, name) for name in [room, *known]}
    if links_of(folder) != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        for name, target in wanted.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(target, path)
    for name in sorted(os.listdir(os.path.join(src, room))):
        if name.endswith(".c") and name != "main.c":
            print(os.path.join(room, name))


def links_of(folder):
    """The links below a folder: what a room may include, by name."""
    found = {}
    for here, below, _ in os.walk(folder):
        for name in below:
            path = os.path.join(here, name)
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = os.readlink(path)
    return found


def offence(include, room, allowed):
    """Why the include breaks the walls, or None."""
    if include.startswith("steptime/"):
        return None
    if ".." in include.split("/") or include.startswith("/"):
        return "goes around the walls"
    folder = os.path.dirname(include)
    if not folder or any((folder + "/").startswith(name + "/") for name in allowed):
        return None
    return f"{room} may not know {folder}"


def check_file(path, room, allowed):
    bad = 0
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            why = match and offence(match[1], room, allowed)
            if why:
                print(f"{path}:{number}: {match[1]}: {why}")
                bad += 1
    return bad


def check(src, walls):
    """Every source of src/ lies in a room, and no room includes what it may not know."""
    bad = 0
    for here, _, names in os.walk(src):
        room = os.path.relpath(here, src)
        sources = [name for name in sorted(names) if name.endswith((".c", ".h"))]
        allowed = links_of(os.path.join(walls, room.replace("/", ".")))
        if sources and not allowed and not room.startswith("syntax/grammar"):  # headers of a library
            print(f"{here}: holds sources, but is no room of src/meson.build")
            bad += 1
        if not allowed:
            continue
        bad += sum(check_file(os.path.join(here, name), room, allowed) for name in sources)
    return bad


def included(path):
    with open(path, encoding="utf-8") as lines:
        return [match[1] for match in map(INCLUDE.match, lines) if match]


def rooms_of_test(src, tests, path, seen):
    rooms = set()
    for include in included(path):
        shared = [os.path.normpath(os.path.join(folder, include)) for folder in (os.path.dirname(path), tests)]
        beside = next((file for file in shared if os.path.isfile(file)), None)
        if beside and beside not in seen:
            seen.add(beside)
            rooms |= rooms_of_test(src, tests, beside, seen)
        elif not beside and os.path.isfile(os.path.join(src, include)):
            rooms.add(os.path.dirname(include))
    return rooms


def print_tests(src, folder, names):
    for name in names:
        print(name, *sorted(rooms_of_test(src, folder, os.path.join(folder, name), set())))


if __name__ == "__main__":
    if len(sys.argv) >= 5 and sys.argv[1] == "open":
        open_room(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
    elif len(sys.argv) == 4 and sys.argv[1] == "check":
        sys.exit(1 if check(sys.argv[2], sys.argv[3]) else 0)
    elif len(sys.argv) >= 4 and sys.argv[1] == "tests":
        print_tests(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        sys.exit(__doc__)
