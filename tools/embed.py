#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C file that holds another file's bytes, so that the program needs no data file when it runs.

embed.py FILE OUT.c NAME    defines `const char NAME[]`, `const size_t NAME_bytes`, and `const char NAME_sha256[]`: the
                            digest in base64, as content security policies take it

Scripts and styles of a page lose what a browser does not need: indents, and lines that are comments alone.
"""
import base64
import hashlib
import sys

ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?"}


def literal(line):
    return '"' + "".join(ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in line) + '"'


def slim(data):
    lines = (line.lstrip() for line in data.splitlines(keepends=True))
    return b"".join(line for line in lines if line and not line.startswith(b"//"))


def embed(source, out, name):
    with open(source, "rb") as file:
        data = file.read()
    if source.endswith((".js", ".css")):
        data = slim(data)
    with open(out, "w", encoding="ascii") as file:
        file.write(f"/* Generated from {source.split('/')[-1]}. */\n#include <stddef.h>\n\n")
        file.write(f"extern const char {name}[], {name}_sha256[];\nextern const size_t {name}_bytes;\n\n")
        file.write(f"const char {name}[] =\n")
        for line in data.splitlines(keepends=True) or [b""]:
            file.write(literal(line) + "\n")
        file.write(f";\nconst size_t {name}_bytes = {len(data)};\n")
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        file.write(f'const char {name}_sha256[] = "{digest}";\n')


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    embed(*sys.argv[1:])
