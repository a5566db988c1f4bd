#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lint says of public scripts from their source alone, and with a dry run of them, against what people judged.

lint_dry.py --code FOLDER --out FOLDER [--python PATH] [--score] [--list] [NAME...]

Each row of bench/dry/runs.csv is a script, the folder it runs in and its words. FOLDER holds the repositories at the commits of
tests/data/judgements/repositories.csv, with the data that doc/dry-waits.md names. Both documents of a run go to --out; --score compares
those that are there. Only files count that a run came to, since a program of another entry point says nothing of them.
"""
import argparse
import csv
import glob
import json
import os
import subprocess
import sys
from collections import Counter

from lint_public import JUDGEMENTS, PROGRAM, TOP, is_any

AWAY = ("do not come to it", "no loader is made here", "do not go over this loader")
HERE = os.path.join(TOP, "bench", "dry")


def runs(names):
    with open(os.path.join(HERE, "runs.csv"), newline="", encoding="utf-8") as lines:
        return [row for row in csv.DictReader(lines) if not names or row["name"] in names]


def folders(code, row):
    root = os.path.join(code, row["repo"].split("/")[1])
    return root, os.path.normpath(os.path.join(root, row["folder"]))


def lint(arguments, row):
    """Both documents of a run; why there is none of the dry run."""
    root, folder = folders(arguments.code, row)
    words = [arguments.python, os.path.join(HERE, row["driver"]), *row["words"].split()]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.path.join(HERE, "site-packages")}
    for kind, first, last in (("static", [], []), ("dry", ["--dry", "--limit", "240"], ["--", *words])):
        done = subprocess.run([PROGRAM, "lint", "--format", "json", *first, os.path.relpath(root, folder), *last], cwd=folder, env=env,
                              capture_output=True, text=True)
        if done.returncode not in (0, 1):
            return done.stderr.strip()[-300:]
        with open(os.path.join(arguments.out, f"{row['name']}.{kind}.json"), "w", encoding="utf-8") as out:
            out.write(done.stdout)
    return ""


# ---- against judgements ----

def verdicts():
    known = {}
    for path in glob.glob(os.path.join(JUDGEMENTS, "*.csv")):
        with open(path, newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                if row.get("verdict") in ("true", "harmless", "false") and row.get("line"):
                    known[row["repo"], row["path"], int(row["line"]), row["rule"]] = row["verdict"]
    return known


def expected(repo):
    """Places that a reader found, once each."""
    places = set()
    for name in ("by_hand.csv", "aside_by_hand.csv", "expected.csv"):
        with open(os.path.join(JUDGEMENTS, name), newline="", encoding="utf-8") as lines:
            places |= {(row["path"], int(row["first_line"]), int(row["last_line"]), row["rules"]) for row in csv.DictReader(lines)
                       if row["repo"] == repo and row.get("need", "must") == "must"}
    return places


def places_of(document, root, folder):
    for finding in document["findings"]:
        path = os.path.relpath(os.path.join(folder, finding["file"]), root)
        for place in finding["places"] or [finding]:
            yield path, place["line"], place["rule"], finding["severity"] == "warning", finding["tier"], place["line"] == finding["line"]


def part(document, name):
    return next((one for one in document["sections"] if one["id"] == name), None)


def come_to(document, root, folder):
    """Files in which the steps wait or a finding was come to."""
    files = {row[0] for table in part(document, "dry_run")["tables"] if table["id"] == "waits" for row in table["rows"]}
    files |= {one["file"] for one in document["findings"]
              if "n a dry run" in one["message"] and not any(words in one["message"] for words in AWAY)}
    return {os.path.relpath(os.path.join(folder, file), root) for file in files}


def score(arguments, row, known, total):
    documents = []
    for kind in ("static", "dry"):
        path = os.path.join(arguments.out, f"{row['name']}.{kind}.json")
        if not os.path.exists(path):
            return f"{row['name']}: no answer"
        with open(path, encoding="utf-8") as text:
            documents.append(json.load(text))
    if not part(documents[1], "dry_run"):
        return f"{row['name']}: puts nothing on the device"
    root, folder = folders(arguments.code, row)
    files = come_to(documents[1], root, folder)
    musts = {must for must in expected(row["repo"]) if must[0] in files}
    line = [f"{row['name']}: {len(musts)} places read beforehand"]
    total["places"] += len(musts)
    for kind, document in zip(("static", "dry"), documents):
        told = [place for place in places_of(document, root, folder) if place[3] and place[0] in files]
        found = sum(any(path == must[0] and is_any(rule, must[3]) and must[1] - 1 <= at <= must[2] + 1
                        for path, at, rule, *_ in told) for must in musts)
        judged = Counter()
        for path, at, rule, _, tier, own in told:
            if own:
                word = known.get((row["repo"], path, at, rule), "unjudged")
                judged[word if tier != "dry" or word != "unjudged" else "dry alone"] += 1
                if arguments.list:
                    print("   ", kind, word, tier, f"{path}:{at}", rule)
        for word, count in judged.items():
            total[kind, word] += count
        total[kind, "found"] += found
        line.append(f"{kind}: found {found}, warnings {dict(judged)}")
    return "; ".join(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--code", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--score", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    known, total = verdicts(), Counter()
    for row in runs(arguments.names):
        if not arguments.score:
            print(row["name"], lint(arguments, row) or "ran", flush=True)
        print(score(arguments, row, known, total), flush=True)
    for key, count in sorted(total.items(), key=str):
        print(key, count)


if __name__ == "__main__":
    main()
