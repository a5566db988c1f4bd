# SPDX-License-Identifier: Apache-2.0
"""Small programs of several files, written as one text, with what lint must say of them beside the lines.

    program(self, '''
    === train.py
    from meter import read
    ...
    === meter.py
    def read(loss):
        return loss.item()  # expect
    ''')

A line with `# expect` holds a read-back (ST4) that only the whole program tells; all other lines hold none.
"""
import os
import tempfile
import textwrap

from support import JUDGED, OK, steptime

# A training loop that gives its loss to `read`, whatever that is; the loss lies on the GPU.
TRAIN = """
import torch


def train(model, loader, opt, name="x"):
    model.cuda()
    total = 0.0
    for x, y in loader:
        loss = model(x.cuda(non_blocking=True)).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += {read}
    return total
"""

# What a loss is given to, with its read-back.
METER = """
def read(loss):
    return loss.item()  # expect
""".strip()


def files(**texts):
    """name=text; `__` in a name without a slash is one."""
    return "".join(f"=== {name if '/' in name else name.replace('__', '/')}.py\n{text.strip()}\n" for name, text in texts.items())


def train(read="read(loss)"):
    return TRAIN.format(read=read).strip()


def write(folder, text):
    """Writes the files of a text; gives (file, line) of what is expected."""
    expected = set()
    for part in textwrap.dedent(text).split("=== ")[1:]:
        name, _, body = part.partition("\n")
        path = os.path.join(folder, name.strip())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(body)
        expected |= {(name.strip(), i) for i, line in enumerate(body.split("\n"), 1) if "# expect" in line}
    return expected


def lint(folder, *arguments):
    run = steptime("lint", "--format", "json", *(arguments or ["."]), cwd=folder)
    assert run.code in (OK, JUDGED), run.err
    return run.json


def program(case, text, told=()):
    """Lints the program; what is found must be what is expected. `told`: limits that must be told, no others."""
    with tempfile.TemporaryDirectory() as folder:
        expected = write(folder, text)
        result = lint(folder)
        found = {(f["file"], f["line"]) for f in result["findings"] if f["rule"].startswith("ST4")}
        case.assertEqual(found, expected)
        case.assertEqual({limit for limit in limits(result)}, set(told))


def limits(result):
    for section in result["sections"]:
        for table in section["tables"]:
            if table["id"] == "limits":
                at = [column["id"] for column in table["columns"]].index("limit")
                yield from (row[at] for row in table["rows"])
