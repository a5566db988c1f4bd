#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a rule's record tells which of its warnings are worth a change.

lint_record.py [--improbable P]

A rule of which it is improbable that half of its judged warnings are worth a change would tell notes alone: the record of
the other sets is asked for each set that was drawn by chance, then the record of all of them for the code of
findings.csv, in which the same rules were looked for. tests/data/judgements/causes.md says what came of it.
"""
import argparse
from collections import defaultdict
from math import comb

from lint_public import table

SETS = ("ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
        "eighteenth")


def verdicts(name):
    """(rule, whether it was worth a change) of each judged finding."""
    return [(row["rule"], row["verdict"] == "true") for row in table(f"{name}.csv")]


def at_least_half(judged, worth):
    """P(share >= 1/2) after so many verdicts, where any share was as likely before."""
    return sum(comb(judged + 1, heads) for heads in range(worth + 1)) / 2 ** (judged + 1)


def poor(rows, improbable):
    """The rules of a poor record."""
    counts = defaultdict(lambda: [0, 0])
    for rule, worth in rows:
        counts[rule][0] += 1
        counts[rule][1] += worth
    return {rule for rule, (judged, worth) in counts.items() if at_least_half(judged, worth) < improbable}


def share(rows):
    return f"{sum(worth for _, worth in rows):3} of {len(rows):3}"


def said(name, rows, rules):
    kept = [row for row in rows if row[0] not in rules]
    lost = [row for row in rows if row[0] in rules]
    print(f"{name:11} {share(rows)}   without {share(kept)}   notes {share(lost)}   {' '.join(sorted(rules))}")


def main(improbable):
    judged = {name: verdicts(name) for name in SETS}
    print("worth a change, of all judged; of those that stay warnings; of those that become notes; by the record of")
    for name in SETS:
        others = [row for other in SETS if other != name for row in judged[other]]
        said(name, judged[name], poor(others, improbable))
    said("findings", verdicts("findings"), poor([row for rows in judged.values() for row in rows], improbable))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--improbable", metavar="P", type=float, default=0.05)
    main(parser.parse_args().improbable)
