#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C file that holds another file's bytes, so that the program needs no data file when it runs.

embed.py FILE OUT.c NAME    defines `const char NAME[]` and `const size_t NAME_bytes`
"""
import sys

ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?"}


def literal(line):
    return '"' + "".join(ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in line) + '"'


def embed(source, out, name):
    with open(source, "rb") as file:
        data = file.read()
    with open(out, "w", encoding="ascii") as file:
        file.write(f"/* Generated from {source.split('/')[-1]}. */\n#include <stddef.h>\n\n")
        file.write(f"extern const char {name}[];\nextern const size_t {name}_bytes;\n\nconst char {name}[] =\n")
        for line in data.splitlines(keepends=True) or [b""]:
            file.write(literal(line) + "\n")
        file.write(f";\nconst size_t {name}_bytes = {len(data)};\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    embed(*sys.argv[1:])
