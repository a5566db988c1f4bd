#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation says what the program does.

docs.py BUILD [--update]

- every console block of the README shows what the program prints today (--update rewrites them);
- every command stands in the README and has a man page that names each of its options;
- every link in a Markdown file leads to a file, and every #anchor to a heading;
- every value in the program's JSON is defined in doc/numbers by its id;
- doc/numbers/columns.md has the definitions that the program prints (--update writes it).
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
COMPILED = os.path.join("tests", "data", "compiled", "trace.json.gz")
NAIVE, FIXED = (os.path.join("bench", "gpu", "measured", "h200", name + ".json.gz") for name in ("naive", "fixed"))
OTHERS = [["fleet", "breakdown", JOBS, "--hw", "paper", "--group-by", "architecture"],
          ["fleet", "project", JOBS, "--hw", "paper", "--to", "allreduce-local", "--sweep", "ethernet=25,100Gbps"],
          ["fleet", "project", JOBS, "--hw", "paper", "--to", "allreduce-local", "--published",
           os.path.join("examples", "fleet", "published.csv")],
          ["fleet", "features", os.path.join("tests", "data", "recorded", "dlrm-cpu.json.gz")],
          ["fleet", "stragglers", os.path.join("tests", "data", "recorded", "ddp-gloo-rank0.json.gz"),
           os.path.join("tests", "data", "recorded", "ddp-gloo-rank1.json.gz")],
          ["summary", COMPILED, "--compile-log", os.path.dirname(COMPILED)],
          ["memory", os.path.join("tests", "fuzz", "corpus", "snapshot", "steps")],
          ["memory", os.path.join("tests", "fuzz", "corpus", "snapshot", "out")],
          ["diff", NAIVE, FIXED],
          ["lint", "--fail-on", "never", "--trace", NAIVE, os.path.join("examples", "antipatterns", "session_gnn")],
          *([command, NAIVE] for command in ("summary", "breakdown", "kernels", "ops", "critical-path")),
          ["hw"], ["hw", "V100"], ["model", "show"], ["rules"], ["rules", "frameworks"]]
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
    """(id, where) of every value of a document; columns carry their definitions themselves."""
    for section in document["sections"]:
        for value in section["values"]:
            yield value["id"], f"value of {section['id']}"


def documents(build):
    """(command, its JSON) for every command over the samples."""
    for command in commands(build):
        told = program(build, command, "--help")
        usage = told.partition("Usage:")[2].partition("\n")[0]
        if not re.search(r"TRACE\|(SKETCH\|)?DIR", usage) or "--format term" not in told:
            continue
        for sample in SAMPLES:
            files = [os.path.join(TOP, "tests", "data", "recorded", name) for name in sample]
            yield command, json.loads(program(build, command, "--format", "json", *files))
    for words in OTHERS:
        words = [os.path.join(TOP, word) if os.sep in word else word for word in words]
        named = [word for word in words[:2] if re.fullmatch(r"[a-z-]+", word) and not word.startswith("--")]
        yield " ".join(named), json.loads(program(build, *words, "--format", "json"))


def check_ids(found):
    files = sorted(glob.glob(os.path.join(TOP, "doc", "numbers*.md")) + glob.glob(os.path.join(TOP, "doc", "numbers", "*.md")))
    text = "".join(read(file) for file in files if os.path.basename(file) != "columns.md")
    defined = set(re.findall(r"`(?:[a-z0-9_]+\.)?([a-z0-9_<>]+)`", text)) | set(re.findall(r"^#+ ([a-z0-9_]+)$", text, re.MULTILINE))
    seen = {}
    for command, document in found:
        for word, where in ids(document):
            seen.setdefault(re.sub("^sweep_.*", "sweep_<key>", word), f"{command}: {where}")
    for word in sorted(seen.keys() - defined):
        complain("doc/numbers", f"`{word}` ({seen[word]}) is not defined")


HEAD = """# Every column of every table

What the program itself says of its columns: `steptime COMMAND --explain list`, the `definition` of each column in JSON. This
page is written by `tools/docs.py BUILD --update`, and a test holds it to the program. What the tables are about stands in
the pages beside it.
"""


def columns_page(found):
    """Commands, their tables and columns in the order in which they first appear."""
    pages = {}
    for command, document in found:
        for section in document["sections"]:
            for table in section["tables"]:
                rows = pages.setdefault(command, {}).setdefault(re.sub("^sweep_.*", "sweep_<key>", table["id"]), {})
                for column in table["columns"]:
                    rows.setdefault(column["id"], (column.get("unit", ""), column["definition"].replace("|", "\\|")))
    text = HEAD
    for command, tables in pages.items():
        text += f"\n## steptime {command}\n"
        for table, rows in tables.items():
            text += f"\n### {command}: `{table}`\n\n| column | unit | definition |\n|---|---|---|\n"
            text += "".join(f"| `{column}` | {unit or ''} | {words} |\n" for column, (unit, words) in rows.items())
    return text


def check_columns(found, update):
    path = os.path.join(TOP, "doc", "numbers", "columns.md")
    text = columns_page(found)
    if update:
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
    elif not os.path.exists(path) or read(path) != text:
        complain("doc/numbers/columns.md", f"is not what the program says (run: {sys.argv[0]} {sys.argv[1]} --update)")


def main(build, update):
    check_screens(build, update)
    check_commands(build)
    check_links()
    found = list(documents(build))
    check_ids(found)
    check_columns(found, update)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    if sys.argv[2:] not in ([], ["--update"]) or len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], bool(sys.argv[2:])))
