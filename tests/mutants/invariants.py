# SPDX-License-Identifier: Apache-2.0
"""What must hold of every trace, whatever is in it: between the commands, the formats and the ways in.

Each check takes a Subject and yields a line for every violation that it finds.
"""
import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import tempfile

import mutate

OK, JUDGED, USAGE, INPUT = 0, 1, 2, 3
COMMANDS = ["summary", "breakdown", "kernels", "ops", "critical-path", "ranks", "overheads", "predict", "info"]
REPORTS = re.compile(r"(AddressSanitizer|LeakSanitizer|UndefinedBehavior|runtime error|Assertion)[^\n]*")
LIMIT_S = 120           # a command may run, for a small trace
BYTES_A_SECOND = 10**5  # of a file, packed mostly, each of which gives it a second more

# Columns and values that may be negative: differences, and times before something else.
SIGNED = re.compile(r"offset|device_clock|error|residual|start_ns|begin_ns|first_ns|enter_ns|difference|saving|change|gain"
                    r"|delta|signed|longer|caused|late|slack|lead|delay|correlation|profiler_us|without_ns|rank$|^device$"
                    r"|^step$|pid|tid|seq|dim|bias")


class Broken(Exception):
    """The run itself is a violation, so there is nothing to look at."""


class Subject:
    """A trace as a file, what the program made of it, and each question asked once."""

    def __init__(self, program, path, folder):
        self.program, self.path, self.folder = program, path, folder
        self.limit_s = LIMIT_S + os.path.getsize(path) // BYTES_A_SECOND
        self.documents = {}

    def run(self, *words, stdin=None):
        try:
            done = subprocess.run([self.program, *words], stdin=stdin or subprocess.DEVNULL, capture_output=True,
                                  timeout=self.limit_s, check=False, env={**os.environ, "NO_COLOR": "1"})
        except subprocess.TimeoutExpired:
            raise Broken(f"{' '.join(words[:1])}: still running after {self.limit_s} s") from None
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        found = REPORTS.search(err)
        if found or done.returncode not in (OK, JUDGED, USAGE, INPUT):
            said = found[0] if found else err.strip()[-200:]
            raise Broken(f"{words[0]}: exit {done.returncode}: {said}")
        return done.returncode, out, err

    def document(self, command, path=None, *words, stdin=None):
        """The JSON of a command, None where it refuses the trace. Figures that are no numbers are violations."""
        path = path or self.path
        key = (command, path, words)
        if key in self.documents and not stdin:
            return self.documents[key]
        code, out, err = self.run(command, path, "--format", "json", *words, stdin=stdin)
        if code in (USAGE, INPUT):
            if out or not err.startswith("steptime: "):
                raise Broken(f"{command}: exit {code} with {len(out)} bytes of output and '{err[:80]}'")
            read = None
        else:
            try:
                read = json.loads(out, parse_constant=lambda word: float(word.replace("Infinity", "inf")))
            except ValueError as error:
                raise Broken(f"{command}: no JSON: {error}") from None
        if not stdin:
            self.documents[key] = read
        return read

    def beside(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path


def tables(document):
    """(id, column ids, units, rows) of every table."""
    for section in document["sections"]:
        for table in section["tables"]:
            yield (table["id"], [c["id"] for c in table["columns"]], [c["unit"] for c in table["columns"]], table["rows"])


def table(document, wanted):
    for name, columns, _, rows in tables(document):
        if name == wanted:
            return [dict(zip(columns, row)) for row in rows]
    return []


def values(document):
    return {v["id"]: v["value"] for section in document["sections"] for v in section["values"]}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def near(a, b, share=1e-9, rounding=0):
    return abs(a - b) <= rounding + share * max(1, abs(a), abs(b))


# ---- one document ----

def cells(document):
    """(where, unit, value) of every figure."""
    for section in document["sections"]:
        for value in section["values"]:
            yield value["id"], value["unit"], value["value"]
    for name, columns, units, rows in tables(document):
        for i, row in enumerate(rows):
            for column, unit, value in zip(columns, units, row):
                yield f"{name}[{i}].{column}", unit, value


def figures(subject):
    """No figure is infinite or no number; none is negative that is an amount."""
    for command in COMMANDS:
        document = subject.document(command)
        for where, unit, value in cells(document) if document else []:
            if not is_number(value):
                continue
            if not math.isfinite(value):
                yield f"{command}: {where} is {value}"
            elif value < 0 and unit in ("ns", "us", "bytes", "count", "ratio", "flop") and not SIGNED.search(
                    where.rpartition(".")[2]):
                yield f"{command}: {where} is {value}"


def steps_of(subject):
    document = subject.document("breakdown")
    return table(document, "steps") if document else []


NO_PARTS = {"rank", "device", "step", "start_ns", "wall_ns", "launched_compute_ns"}


def parts(subject):
    """The parts of each step sum to it, exactly; the parts of the mean step sum to the mean."""
    for row in steps_of(subject):
        found = [value for column, value in row.items() if column.endswith("_ns") and column not in NO_PARTS
                 and value is not None]
        if found and sum(found) != row["wall_ns"]:
            yield f"breakdown: step {row['step']}: parts sum to {sum(found)} of {row['wall_ns']} ns"
    document = subject.document("breakdown")
    if document:
        whole, rows = values(document).get("step_mean_ns"), table(document, "parts")
        if whole is not None and rows and not near(sum(row["mean_ns"] for row in rows), whole, 1e-6):
            yield f"breakdown: parts sum to {sum(row['mean_ns'] for row in rows)} of a mean step of {whole} ns"
    document = subject.document("summary")
    if document:
        whole, rows = values(document).get("step_mean"), table(document, "step_parts")
        if whole is not None and rows and not near(sum(row["per_step_ns"] for row in rows), whole, 1e-12, len(rows) + 1):
            yield f"summary: parts sum to {sum(row['per_step_ns'] for row in rows)} of a mean step of {whole} ns"


def busy(subject):
    """Busy and idle make up the span of the device; what is exposed is no more than what there is."""
    document = subject.document("breakdown")
    for row in table(document, "ranks") if document else []:
        if None in (row["span_ns"], row["busy_ns"], row["idle_ns"]):
            continue
        if row["busy_ns"] + row["idle_ns"] != row["span_ns"]:
            yield f"breakdown: rank {row['rank']}: busy {row['busy_ns']} + idle {row['idle_ns']} is not {row['span_ns']}"
        if row["exposed_communication_ns"] is not None and row["exposed_communication_ns"] > row["communication_ns"]:
            yield f"breakdown: rank {row['rank']}: more communication exposed than there is"


def path(subject):
    """The critical path of a step is as long as the step: no longer, and without holes."""
    document = subject.document("critical-path")
    if not document:
        return
    for row in table(document, "steps"):
        found = [value for column, value in row.items() if column.endswith("_ns") and column not in NO_PARTS]
        if sum(value or 0 for value in found) != row["wall_ns"]:
            yield f"critical-path: step {row['step']}: {sum(value or 0 for value in found)} of {row['wall_ns']} ns"
    whole = sum(row["wall_ns"] for row in table(document, "steps"))
    stretches = sum(row["time_ns"] for row in table(document, "path"))
    if table(document, "path") and stretches > whole:
        yield f"critical-path: the path takes {stretches} ns of {whole}"


def commands_agree(subject):
    """Every command counts the same steps and finds them equally long."""
    mine = {row["step"]: row["wall_ns"] for row in steps_of(subject)}
    for command in "critical-path", "info":
        document = subject.document(command)
        theirs = {row["step"]: row["wall_ns"] for row in table(document, "steps")} if document else None
        if theirs is not None and mine and theirs != mine:
            yield f"{command}: its steps are not those of breakdown: {sorted(theirs.items())[:3]}, {sorted(mine.items())[:3]}"
    both = ("predict", "info")  # they read execution traces too
    refused = [command for command in COMMANDS if command not in both and subject.document(command) is None]
    if refused and len(refused) < len(COMMANDS) - len(both):
        yield f"refused by {', '.join(refused)} only"


# ---- one result in several formats ----

def as_csv(value):
    return "" if value is None else {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value


def same_cell(text, value):
    if value is None:
        return text == ""
    if is_number(value):
        try:
            return float(text) == float(value) or near(float(text), float(value), 1e-12)
        except ValueError:
            return False
    return text.lstrip("'") == str(value) or not str(value).isprintable()


def csv_is_json(subject, command):
    document = subject.document(command)
    for name, columns, _, rows in tables(document) if document else []:
        _, out, _ = subject.run(command, subject.path, "--table", name, "--format", "csv")
        read = list(csv.reader(io.StringIO(out)))
        if not read or read[0] != columns or len(read) - 1 != len(rows):
            yield f"{command}: {name}: CSV has {len(read) - 1} rows, JSON {len(rows)}"
            continue
        for i, (texts, row) in enumerate(zip(read[1:], rows)):
            wrong = [c for c, text, value in zip(columns, texts, row) if not same_cell(text, value)]
            if wrong:
                yield f"{command}: {name}[{i}].{wrong[0]}: CSV and JSON differ"
                break


SCREEN_NUMBER = re.compile(r"(?<![\w.])[<-]?\d[\d,]*(?:\.\d+)?(?![\w.])")


def shown_as(value, texts):
    """Whether one of the texts is the figure, rounded, in one of the units of a screen."""
    for text in texts:
        if text.startswith("<"):  # "<0.01": more than nothing, and too little to be shown
            if 0 < value < float(text[1:].replace(",", "")) * 60e9:
                return True
            continue
        shown = float(text.replace(",", ""))
        half = 0.5 * 10 ** -len(text.partition(".")[2]) * 1.0001
        if any(abs(shown - value / unit) <= half for unit in (1, 1e3, 1e6, 1e9, 60e9)):
            return True
    return False


def screen_is_json(subject, command):
    """Each row of the screen shows the times of its row of the JSON."""
    document = subject.document(command)
    for name, columns, units, rows in tables(document) if document else []:
        if not rows or len(rows) > 200:
            continue
        _, out, _ = subject.run(command, subject.path, "--table", name, "--rows", "0", "--format", "term")
        lines = out.splitlines()
        rule = next((i for i, line in enumerate(lines) if re.fullmatch(r" *-{5,}", line)), None)
        shown = [line for line in lines[rule + 1:] if line.strip()] if rule is not None else []
        if len(shown) != len(rows):
            continue  # cells that break over lines; csv_is_json compares every row
        for i, (line, row) in enumerate(zip(shown, rows)):
            texts = SCREEN_NUMBER.findall(line)
            for column, unit, value in zip(columns, units, row):
                if unit == "ns" and value is not None and not shown_as(value, texts):
                    yield f"{command}: {name}[{i}].{column}: {value} is not on the screen: {line.strip()[:120]}"
                    break


# ---- one trace in several ways ----

def neutral(value, path, member=None):
    """The document without the words that name the file."""
    if isinstance(value, dict):
        return {key: neutral(item, path, key) for key, item in value.items()}
    if isinstance(value, list):
        return [neutral(item, path) for item in value]
    if value == path and (path != "-" or member == "path"):
        return "FILE"
    return value.replace(path, "FILE") if isinstance(value, str) and path != "-" else value


def unnamed(document, path):
    """neutral, for tables that have a column of files too."""
    if document is None:
        return None
    document = neutral(document, path)
    for section in document["sections"]:
        for found in section["tables"]:
            for at, column in enumerate(found["columns"]):
                if column["id"] == "file":
                    for row in found["rows"]:
                        row[at] = "FILE" if row[at] is not None else None
    return document


def first_difference(a, b, where=""):
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            found = first_difference(a[key], b[key], f"{where}.{key}" if key != "sections" else where)
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            name = x.get("id", i) if isinstance(x, dict) else i
            found = first_difference(x, y, f"{where}[{name}]")
            if found:
                return found
        return None
    if is_number(a) and is_number(b) and near(a, b, 1e-12):
        return None
    return None if a == b else f"{where}: {str(a)[:60]} and {str(b)[:60]}"


def raw_zstd(data):
    """A frame of stored blocks: RFC 8878, without a compressor."""
    blocks = [data[at:at + 2**17] for at in range(0, len(data), 2**17)] or [b""]
    head = b"\x28\xb5\x2f\xfd\x00\x38"  # a window of one block, so that a large file asks for no more memory than a small one
    return head + b"".join((int(i == len(blocks) - 1) | len(block) << 3).to_bytes(3, "little") + block
                           for i, block in enumerate(blocks))


def ways_in(subject, command, random_):
    """Threads, packing, standard input and the order of keys change nothing."""
    plain = mutate.read_bytes(subject.path)
    here = subject.document(command)
    def with_file(name, data):
        made = subject.beside(name, data)
        return made, subject.document(command, made)

    def from_stdin():
        made = subject.beside("stdin.json", plain)
        with open(made, "rb") as file:
            return "-", subject.document(command, "-", stdin=file)

    ways = {"one thread": lambda: (subject.path, subject.document(command, None, "--threads", "1")),
            "gzip": lambda: with_file("packed.json.gz", gzip.compress(plain, 1)),
            "zstd": lambda: with_file("packed.json.zst", raw_zstd(plain)),
            "plain": lambda: with_file("plain.json", plain),
            "standard input": from_stdin}
    for way, take in ways.items():
        made, there = take()
        wrong = first_difference(unnamed(here, subject.path), unnamed(there, made))
        if wrong:
            yield f"{command}: not the same by {way}: {wrong}"
    if len(plain) <= mutate.LARGEST:
        yield from order_of_keys(subject, command, here, random_)


def order_of_keys(subject, command, here, random_):
    try:
        document = mutate.load(subject.path)
    except mutate.NoTrace:
        return
    # Both are written by the same hand, so that only the order differs, and with it at which byte an event begins.
    one = subject.beside("ordered.json", json.dumps(document).encode())
    two = subject.beside("shuffled.json", json.dumps(mutate.other_order(document, random_)).encode())
    read = [unnamed(subject.document(command, made), made) for made in (one, two)]
    for document in read:
        for warning in document["warnings"] if document else []:
            warning["offset"] = None
    wrong = first_difference(*read)
    if wrong:
        yield f"{command}: not the same with the keys of events in another order: {wrong}"


# ---- what-ifs ----

def what_ifs(subject):
    """Nothing made faster makes the step longer, or shorter than nothing; a factor of 1 changes nothing."""
    for words in (["--cpu-speed", "1"], ["--cpu-speed", "2"], ["--scale", "*=1"], ["--scale", "*=0.5"], ["--no-sync"]):
        document = subject.document("predict", None, *words)
        rows = values(document) if document else {}
        before, after = rows.get("before_ns"), rows.get("after_ns")
        if not is_number(before) or not is_number(after):
            continue
        what = " ".join(words)
        if after < 0 or before < 0:
            yield f"predict {what}: from {before} to {after} ns"
        if after > before * (1 + 1e-6) + 2:
            yield f"predict {what}: longer, from {before} to {after} ns"
        if words[-1] in ("1", "*=1") and not near(before, after, 1e-6):
            yield f"predict {what}: changes {before} to {after} ns"


def violations(program, path, random_, every_command=False):
    """Lines, one a violation. Of the expensive checks one command is drawn, or all are taken."""
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(program, path, folder)
        drawn = COMMANDS if every_command else [random_.choice(COMMANDS)]
        checks = [figures, parts, busy, globals()["path"], commands_agree, what_ifs]
        checks += [lambda s, c=c, f=f: f(s, c) for c in drawn for f in (csv_is_json, screen_is_json)]
        checks += [lambda s, c=c: ways_in(s, c, random_) for c in drawn]
        for check in checks:
            try:
                yield from check(subject)
            except Broken as broken:
                yield str(broken)
