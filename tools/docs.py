#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation says what the program does.

docs.py BUILD [--update]

- every console block of the README shows what the program prints today (--update rewrites them);
- every command stands in the README and has a man page that names each of its options;
- every link in a Markdown file leads to a file, and every #anchor to a heading;
- every id in the program's JSON (values, tables, columns) is defined in doc/numbers.
"""
import glob
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES = [["dlrm-cpu.json.gz"], ["session-gnn-cpu-stack.json.gz"], ["dlrm-legacy-113.json.gz"],
           ["ddp-gloo-rank0.json.gz", "ddp-gloo-rank1.json.gz"]]
JOBS = os.path.join("examples", "fleet", "case_studies.csv")
TABLES = [["fleet", "breakdown", JOBS, "--hw", "paper", "--group-by", "architecture"],
          ["fleet", "project", JOBS, "--hw", "paper", "--to", "allreduce-local", "--sweep", "ethernet=25,100Gbps"],
          ["fleet", "features", os.path.join("tests", "data", "recorded", "dlrm-cpu.json.gz")]]
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
SCREEN = re.compile(r"```console\n\$ ([^\n]+)\n.*?```\n", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)

complaints = []


def complain(where, what):
    complaints.append(f"{where}: {what}")


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def program(build, *words):
    return subprocess.run([os.path.join(build, "src", "steptime"), *words], stdin=subprocess.DEVNULL, check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def commands(build):
    listed = program(build, "--help").partition("Commands:")[2].strip("\n").partition("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def options(build, command):
    return sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", program(build, command, "--help").partition("Examples")[0])))


def check_commands(build):
    readme = read(os.path.join(TOP, "README.md"))
    for command in commands(build):
        if f"steptime {command}" not in readme and f"`{command}`" not in readme:
            complain("README.md", f"the command {command} is not mentioned")
        page = os.path.join(build, "doc", f"steptime-{command}.1")
        if not os.path.exists(page):
            complain(page, "no man page")
            continue
        text = read(page).replace("\\-", "-")
        for option in options(build, command):
            if option not in text:
                complain(page, f"{option} is missing")


def screen(build, line):
    words = line.split()
    run = subprocess.run([os.path.join(build, "src", words[0]), *words[1:]], cwd=TOP, stdin=subprocess.DEVNULL, check=False,
                         stdout=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "100"})
    if run.returncode not in (0, 1):  # 1: asked to judge, and found something
        run.check_returncode()
    return run.stdout.rstrip("\n")


def check_screens(build, update):
    path = os.path.join(TOP, "README.md")
    before = read(path)
    build = os.path.abspath(build)
    after = SCREEN.sub(lambda m: f"```console\n$ {m[1]}\n{screen(build, m[1])}\n```\n", before)
    if after != before and update:
        with open(path, "w", encoding="utf-8") as out:
            out.write(after)
    elif after != before:
        complain("README.md", f"a screen is not what the program prints (run: {sys.argv[0]} {sys.argv[1]} --update)")


def anchors(text):
    """The names that a forge gives to headings."""
    headings = re.findall(r"^#+\s+(.*)$", CODE.sub(lambda m: m[0].strip("`") if "\n" not in m[0] else "", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_link(page, target):
    path, _, anchor = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(file):
        complain(os.path.relpath(page, TOP), f"{target} leads nowhere")
    elif anchor and file.endswith(".md") and anchor not in anchors(read(file)):
        complain(os.path.relpath(page, TOP), f"{target}: no such heading")


def pages():
    tracked = subprocess.run(["git", "-C", TOP, "ls-files", "*.md"], stdout=subprocess.PIPE, text=True, check=False)
    found = tracked.stdout.split() or [os.path.relpath(p, TOP) for p in glob.glob(f"{TOP}/**/*.md", recursive=True)]
    return [os.path.join(TOP, path) for path in found if not path.startswith("build")]


def check_links():
    for page in pages():
        for target in LINK.findall(CODE.sub("", read(page))):
            if not re.match(r"[a-z]+:", target):
                check_link(page, target)


def ids(document):
    """(id, where) of everything in a document that scripts may ask for by name."""
    for section in document["sections"]:
        for value in section["values"]:
            yield value["id"], f"value of {section['id']}"
        for table in section["tables"]:
            yield table["id"], "table"
            for column in table["columns"]:
                yield column["id"], f"column of {table['id']}"


def check_ids(build):
    files = sorted(glob.glob(os.path.join(TOP, "doc", "numbers*.md")) + glob.glob(os.path.join(TOP, "doc", "numbers", "*.md")))
    text = "".join(map(read, files))
    defined = set(re.findall(r"`(?:[a-z0-9_]+\.)?([a-z0-9_<>]+)`", text)) | set(re.findall(r"^#+ ([a-z0-9_]+)$", text, re.MULTILINE))
    seen = {}
    for command in commands(build):
        if "TRACE|DIR" not in program(build, command, "--help").partition("Usage:")[2].partition("\n")[0]:
            continue
        for sample in SAMPLES:
            files = [os.path.join(TOP, "tests", "data", "recorded", name) for name in sample]
            for word, where in ids(json.loads(program(build, command, "--format", "json", *files))):
                seen.setdefault(word, f"{command}: {where}")
    for words in TABLES:
        words = [os.path.join(TOP, word) if os.sep in word else word for word in words]
        for word, where in ids(json.loads(program(build, *words, "--format", "json"))):
            seen.setdefault(re.sub("^sweep_.*", "sweep_<key>", word), f"{words[0]} {words[1]}: {where}")
    for word in sorted(seen.keys() - defined):
        complain("doc/numbers", f"`{word}` ({seen[word]}) is not defined")


def main(build, update):
    check_screens(build, update)
    check_commands(build)
    check_links()
    check_ids(build)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    if sys.argv[2:] not in ([], ["--update"]) or len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], bool(sys.argv[2:])))
