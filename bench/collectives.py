#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measured collectives of zksainx/pipeweave as a table that `steptime model fit` reads.

collectives.py ARCHIVE [OUTPUT]

The archive holds a folder a machine and a file a collective; the median of several runs is taken, milliseconds there,
microseconds here. Which GPU of a name is meant follows from the number of GPUs and of links in its machine.
"""
import argparse
import csv
import io
import os
import sys
import tarfile

COLUMNS = ("op", "device", "bytes", "ranks", "server_ranks", "latency_us")
DEVICES = {
    "A100": "NVIDIA A100-SXM4-80GB",
    "H100": "NVIDIA H100 SXM 80GB",
    "H20": "NVIDIA H20",
    "H800": "NVIDIA H800 SXM 80GB",
    "RTX 6000 Ada": "NVIDIA RTX 6000 Ada Generation",
    "RTX PRO 6000 S": "NVIDIA RTX PRO 6000 Blackwell Server Edition",
}


def row_of(device, row):
    op = row["collective"]
    us = 1000 * float(row[f"time_stats.{op}.median"])
    return dict(zip(COLUMNS, (op, device, row["size"], row["num_workers"], row["devices_per_node"], f"{us:.3f}")))


def collectives(archive):
    """The rows of all machines that the catalogue knows, in the order of the archive's names."""
    with tarfile.open(archive) as tar:
        for member in sorted(tar.getmembers(), key=lambda member: member.name):
            device = DEVICES.get(os.path.basename(os.path.dirname(member.name)))
            if not device or not member.name.endswith(".csv"):
                continue
            for row in csv.DictReader(io.TextIOWrapper(tar.extractfile(member), newline="")):
                yield row_of(device, row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archive")
    parser.add_argument("output", nargs="?")
    asked = parser.parse_args()
    out = open(asked.output, "w", newline="") if asked.output else sys.stdout
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(collectives(asked.archive))
    out.close()


if __name__ == "__main__":
    main()
