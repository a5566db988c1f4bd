#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lint finds in public code, against what people say of it.

lint_public.py [--code FOLDER] [--unjudged] [--misses] [--sample N]

The judgements lie in tests/data/judgements, whose README says how to get the code. --unjudged lists findings without
a verdict, --misses what was expected and not found, --sample N draws N findings of repositories never looked at.
"""
import argparse
import csv
import json
import os
import random
import subprocess
from collections import defaultdict
from dataclasses import dataclass

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JUDGEMENTS = os.path.join(TOP, "tests", "data", "judgements")
PROGRAM = os.environ.get("STEPTIME") or os.path.join(TOP, "build", "steptime")
CODE = os.environ.get("STEPTIME_PUBLIC_CODE", "")
LEVELS = ("note", "warning", "error")
# Parts kept aside: judged in a file each, and no bound is held to them.
ASIDE = ("fresh", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
         "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth")
SEED = 3


@dataclass(frozen=True, order=True)
class Finding:
    repo: str
    path: str
    line: int
    rule: str
    level: str = "warning"
    message: str = ""
    told: bool = False  # it is a place of a finding that is reported by default

    @property
    def place(self):
        return self.repo, self.path, self.line, self.rule

    @property
    def by_default(self):
        return LEVELS.index(self.level) >= LEVELS.index("warning")

    def __str__(self):
        return f"{self.repo} {self.path}:{self.line} {self.rule} {self.level}  {self.message}"


def table(name):
    """The rows of one file of judgements, numbers as numbers."""
    with open(os.path.join(JUDGEMENTS, name), newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        row.update({key: int(row[key]) for key in row if key in ("item", "line", "first_line", "last_line")})
    return rows


def folder_of(code, repo):
    return os.path.join(code, repo.split("/")[1])


def commit_of(folder):
    """The commit that a folder was unpacked from (a file .done says it) or stands at; "" where that is unknown."""
    note = os.path.join(folder, ".done")
    if os.path.exists(note):
        with open(note, encoding="ascii") as text:
            return text.read().strip()
    if not os.path.exists(os.path.join(folder, ".git")):
        return ""
    return subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()


def present(code, part=None):
    """The repositories of a part (none: all but those kept aside) that are here, a sentence about each that is not."""
    here, missing = [], []
    for row in table("repositories.csv"):
        if row["part"] != part if part else row["part"] in ASIDE:
            continue
        folder = folder_of(code, row["repo"])
        if not os.path.isdir(folder):
            missing.append(f"{row['repo']} is not in {code}")
        elif commit_of(folder) not in ("", row["commit"]):
            missing.append(f"{row['repo']} stands at {commit_of(folder)[:12]}, judged was {row['commit'][:12]}")
        else:
            here.append(row["repo"])
    return here, missing


def lint(code, repo):
    """All findings in a repository."""
    folder = folder_of(code, repo)
    done = subprocess.run([PROGRAM, "lint", "--format", "json", "."], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"lint {repo}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    found = [Finding(repo, os.path.normpath(f["file"]), place["line"], place["rule"], place["severity"], f["message"],
                     LEVELS.index(f["severity"]) >= LEVELS.index("warning"))
             for f in json.loads(done.stdout)["findings"] for place in f["places"] or [f]]
    return sorted(found)


def family(rule):
    return rule[:3]


def is_any(rule, rules, exact=False):
    """Whether a rule is of the families (or exactly one) of "ST201|ST602"."""
    return any(rule == wanted if exact else family(rule) == family(wanted) for wanted in rules.split("|"))


def covers(rules, rule):
    """Whether "ST1|ST404" names the rule, by its id or a beginning of it."""
    return any(rule.startswith(prefix) for prefix in rules.split("|"))


def is_found(finding, row, exact=False):
    """Whether it is of the family and begins within a line of the range."""
    return (finding.repo, finding.path) == (row["repo"], row["path"]) and is_any(finding.rule, row["rules"], exact) \
        and row["first_line"] - 1 <= finding.line <= row["last_line"] + 1


@dataclass
class Share:
    """So many of so many, and which not."""

    hit: int
    all: int
    rest: list

    @property
    def value(self):
        return self.hit / self.all if self.all else 1.0

    def __str__(self):
        return f"{self.hit} of {self.all} ({100 * self.value:.1f} %)"


def share(things, is_hit):
    rest = [thing for thing in things if not is_hit(thing)]
    return Share(len(things) - len(rest), len(things), rest)


def recall_listed(findings, repos, exact=False):
    """Listed places. Rows of one item are places of one antipattern."""
    items = defaultdict(list)
    for row in table("expected.csv"):
        if row["repo"] in repos:
            items[row["item"]].append(row)

    def found(rows):
        return any(is_found(f, row, exact) for f in findings for row in rows)

    return share(list(items.values()), found)


def recall_by_hand(findings, repos):
    """Everything that a reader of whole files found, listed or not, to be reported by default."""
    rows = [row for row in table("by_hand.csv") if row["repo"] in repos and row["need"] == "must"]

    def found(row):
        return any(is_found(f, row) for f in findings)

    return share(rows, found)


def recall_aside(code):
    """Of what was listed from repositories kept aside before lint was run on them; None where none of them is here."""
    listed = {row["repo"] for row in table("by_hand.csv")}
    here = [repo for part in ASIDE for repo in present(code, part)[0] if repo in listed]
    return recall_by_hand([f for repo in here for f in lint(code, repo) if f.told], here) if here else None


def verdicts(name="findings.csv"):
    return {(row["repo"], row["path"], row["line"], row["rule"]): row["verdict"] for row in table(name)}


def listed_files():
    return {(row["repo"], row["path"]) for row in table("expected.csv")}


def in_listed_files(findings):
    files = listed_files()
    return [f for f in findings if f.by_default and (f.repo, f.path) in files]


def precision(findings, name="findings.csv"):
    """Findings that were judged to be worth a change. A finding that nobody judged counts against it."""
    said = verdicts(name)
    return share(findings, lambda f: said.get(f.place) == "true")


def judged(findings, name="findings.csv"):
    said = verdicts(name)
    return [f for f in findings if f.place in said]


def precision_aside(code, part):
    """Of the judged places in a part kept aside that are still reported; None where none of its repositories is here."""
    here, _ = present(code, part)
    found = {f.place: f for repo in here for f in lint(code, repo) if f.by_default}
    return precision(judged(list(found.values()), f"{part}.csv"), f"{part}.csv") if here else None


def breaches(findings, repos):
    """Findings where there must be none: the traps, and the clean controls."""
    found = []
    for row in table("silent.csv"):
        found += [(f, row["why"]) for f in findings
                  if row["repo"] in repos and f.repo == row["repo"] and f.path == row["path"]
                  and row["first_line"] <= f.line <= row["last_line"] and covers(row["rules"], f.rule)
                  and LEVELS.index(f.level) >= LEVELS.index(row["level"])]
    return found


def sample(findings, count):
    """The same ones each time, of those that are reported by default."""
    pool = sorted(f for f in findings if f.by_default)
    return sorted(random.Random(SEED).sample(pool, min(count, len(pool))))


def say(title, things):
    print(f"\n{title}")
    for thing in things:
        print(f"  {thing}")


def expectation(row):
    return f"{row['repo']} {row['path']}:{row['first_line']} {row['rules']}  " \
           f"{row.get('why') or row['words']}"


def main(code, unjudged, misses, count):
    known, missing = present(code)
    strange, _ = present(code, "unseen")
    findings = [f for repo in known for f in lint(code, repo)]
    by_default = [f for f in findings if f.by_default]
    listed = in_listed_files(findings)
    unseen = [f for f in by_default if f.repo in strange]
    recall, exact = recall_listed(findings, known), recall_listed(findings, known, exact=True)
    hand = recall_by_hand([f for f in findings if f.told], known)
    print(f"findings                     {len(findings)}, {len(by_default)} by default")
    print(f"listed places found          {recall}, by the very rule {exact.hit}")
    print(f"found by a reader and here   {hand}")
    print(f"true in listed files         {precision(listed)}, judged {len(judged(listed))}")
    print(f"true in unseen repositories  {precision(judged(unseen))} of those judged, reported {len(unseen)}")
    for part in ASIDE:
        print(f"true in those kept aside, {part:7} {precision_aside(code, part) or 'not here'}")
    print(f"found of those kept aside    {recall_aside(code) or 'not here'}")
    silent = breaches(findings, known)
    say(f"where silence was due: {len(silent)}", [f"{f}  [{why}]" for f, why in silent])
    if misses:
        say("listed, not found", [expectation(rows[0]) for rows in recall.rest])
        say("seen by a reader, not found", [expectation(row) for row in hand.rest])
    if unjudged:
        said = verdicts()
        say("without a verdict", [f for f in listed if f.place not in said])
    if count:
        say(f"{count} of the unseen, seed {SEED}", sample(unseen, count))
    say("not here", missing)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--code", metavar="FOLDER", default=CODE)
    parser.add_argument("--unjudged", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--sample", metavar="N", type=int, default=0)
    arguments = parser.parse_args()
    main(arguments.code, arguments.unjudged, arguments.misses, arguments.sample)
