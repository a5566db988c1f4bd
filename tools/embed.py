#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C file that holds other files' bytes, so that the program needs no data file when it runs.

embed.py OUT.c NAME FILE...   defines `const char NAME[]`, `const size_t NAME_bytes`, and `const char NAME_sha256[]`: the digest
                              in base64, as content security policies take it. Several files are one, in their order
embed.py --besides OUT.c NAME FILE...   defines `const struct folder_file NAME[]` (child/folder.h), ended by one without a name: files of
                              python/, of which dry/plan.py is steptime_dry_plan.py there

Scripts and styles of a page lose what a browser does not need: scripts their indents and lines that are comments alone, styles all comments and
the blanks beside what parts them.
"""
import base64
import hashlib
import re
import sys

ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?"}


def literal(line):
    return '"' + "".join(ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in line) + '"'


def slim_script(data):
    lines = (line.lstrip() for line in data.splitlines(keepends=True))
    return b"".join(line for line in lines if line and not line.startswith(b"//"))


def slim_style(data):
    """A blank before '{' or ':' may belong to a selector, those behind them part nothing."""
    data = re.sub(rb"\s+", b" ", re.sub(rb"/\*.*?\*/", b"", data, flags=re.DOTALL))
    data = re.sub(rb" ?([{};]) ?", rb"\1", data)
    return re.sub(rb": (?=[^{}]*[;}])", b":", data).replace(b";}", b"}").strip() + b"\n"


def content(source):
    with open(source, "rb") as file:
        data = file.read()
    slim = {"js": slim_script, "css": slim_style}.get(source.split(".")[-1])
    return slim(data) if slim else data


def text_of(data):
    return "\n".join(literal(line) for line in data.splitlines(keepends=True) or [b""])


def beside(source):
    """The name of a file of python/ where it lies beside other people's modules."""
    return "steptime_" + source.split("python/")[-1].replace("/", "_")


def tell_files(out, name, sources):
    with open(out, "w", encoding="ascii") as file:
        file.write('#include "child/folder.h"\n\n')
        file.write(f"extern const struct folder_file {name}[];\nconst struct folder_file {name}[] = {{\n")
        for source in sources:
            data = content(source)
            file.write(f'    {{"{beside(source)}", {{\n{text_of(data)}, {len(data)}}}}},\n')
        file.write("    {0}};\n")


def embed(out, name, sources):
    data = b"".join(map(content, sources))
    with open(out, "w", encoding="ascii") as file:
        file.write(f"/* Generated from {', '.join(source.split('/')[-1] for source in sources)}. */\n#include <stddef.h>\n\n")
        file.write(f"extern const char {name}[], {name}_sha256[];\nextern const size_t {name}_bytes;\n\n")
        file.write(f"const char {name}[] =\n")
        file.write(text_of(data))
        file.write(f";\nconst size_t {name}_bytes = {len(data)};\n")
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        file.write(f'const char {name}_sha256[] = "{digest}";\n')


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if sys.argv[1] == "--besides":
        tell_files(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        embed(sys.argv[1], sys.argv[2], sys.argv[3:])
