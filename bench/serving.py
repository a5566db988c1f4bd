#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measured kernels of LLM serving as a table that `steptime model fit`, `model eval` and `predict kernel` read.

serving.py FAMILY FOLDER [OUTPUT] [--rows N] [--others]     FAMILY: products, quantize, experts, collectives, prefill,
                                                                    decode, encoder, latent; power (watts of all)

FOLDER holds the tables of ai-dynamo/aiconfigurator (gemm.csv.xz ...). Of each engine on a GPU the newest version is
taken, without rows that were timed with the host, without spikes and without caches that were read faster than memory allows.
--rows takes so many of a device, engine, format and types, by a hash of the shape, the same shapes on all devices; --others
takes the rows of that choice that were not taken.
"""
import argparse
import csv
import io
import lzma
import os
import sys
import zlib
from collections import defaultdict

FORMATS = {"bfloat16": "", "fp8": "w8a8_fp8", "fp8_block": "w8a8_fp8_block", "nvfp4": "w4a4_fp4", "sq": "w8a8_int8",
           "w4a16_mxfp4": "w4a16_mxfp4", "w4a8_mxfp4_mxfp8": "w4a8_mxfp4",
           "int8_wo": "w8a16_int8", "int4_wo": "w4a16_int4"}
SETTING = {"queued": "1"}
DEVICES = {"NVIDIA H100 80GB HBM3": "NVIDIA H100 SXM 80GB"}  # what the catalogue calls those of another name there


def product(row):
    return dict(op="linear", form="linear", dtype="bf16", format=FORMATS[row["dtype"]], b=1, m=row["m"], n=row["k"],
                k=row["n"])


def quantized(row):
    return dict(op="quantize", form="quantize", dtype="bf16", rows=row["m"], cols=row["k"])


def collective(row):
    return dict(op=row["collective"], dtype="", bytes=row["bytes"], ranks=row["ranks"], server_ranks=row["server_ranks"])


def odd_collective(row):
    """Timed with the host; or two GB200 by vLLM, which takes 2.5 to 3 times as long as the others."""
    return row["kernel"].endswith("_eager") or (
        row["framework"] == "vllm" and row["device"] == "NVIDIA GB200" and row["ranks"] == "2")


SKEWS = {"balanced": "0", "power_law_1.01": "1010", "power_law_1.2": "1200"}


def experts(row):
    """Which kernels ran is told: engines have several."""
    return dict(op="experts", form="experts", dtype="bf16", format=FORMATS[row["dtype"]],
                matrices="2" if "nongated" in row["kernel"] else "3", skew=SKEWS[row["distribution"]], kernel=row["kernel"],
                **{size: row[size] for size in ("tokens", "hidden", "intermediate", "experts", "topk", "tensor_parallel",
                                                "expert_parallel")})


TYPES = {"bfloat16": "bf16"}


def attention(row):
    query_len = row.get("query_len") or row["seq_len"]
    return dict(op="attention", form="attention", dtype=TYPES.get(row["dtype"], row["dtype"]),
                kv_dtype=TYPES.get(row.get("kv_dtype", row["dtype"]), row.get("kv_dtype")), batch=row["batch"],
                heads=row["heads"], queries=query_len, past_len=row.get("past_len", "0"), width=row.get("head_dim"),
                causal="1" if "past_len" in row else "0", kv_heads=row.get("kv_heads", ""),
                window=row.get("window", ""), value_width="", latent="0")


def latent_attention(row):
    """Prefill with keys of 192 and values of 128; decoding on the latent, which all heads share."""
    decodes = row["phase"] == "generation"
    return dict(attention(row), width="576" if decodes else "192", value_width="512" if decodes else "128",
                kv_heads="1" if decodes else "", latent="1" if decodes else "0")


# Of a family: its table, a row as the program reads it, and which rows are none (timed with the host; a difference).
FAMILIES = {
    "products": ("gemm", product, lambda row: row["framework"] == "vllm" and row["dtype"] == "fp8_block"),
    "quantize": ("quantize", quantized, lambda row: row["part"] != "scale_matrix"),
    "collectives": ("collective", collective, odd_collective),
    "experts": ("moe", experts, lambda row: False),
    "prefill": ("attention", attention, lambda row: row["phase"] != "context"),
    "decode": ("attention", attention, lambda row: row["phase"] != "generation"),
    "encoder": ("encoder_attention", attention, lambda row: False),
    "latent": ("mla", latent_attention, lambda row: False),
}


def version(text):
    """1.3.0rc20 stands behind 1.3.0rc15, and 1.3.0 behind both."""
    release, _, candidate = text.partition("rc")
    return [int(part) for part in release.split(".")], int(candidate) if candidate else 1 << 30


def engine(row):
    return row["device"], row["framework"], row.get("dtype"), row.get("phase")


def read(folder, family, wanted=lambda row: True):
    """Of the rows that are wanted those of the newest version of each engine on a GPU, with the table's own columns."""
    table, _, odd = FAMILIES[family]
    with lzma.open(os.path.join(folder, table + ".csv.xz"), "rt", newline="") as text:
        rows = [row for row in csv.DictReader(text) if not odd(row) and wanted(row)]
    newest = {}
    for row in rows:
        newest[engine(row)] = max(newest.get(engine(row), row["version"]), row["version"], key=version)
    return [row for row in rows if row["version"] == newest[engine(row)]]


def without_spikes(rows):
    """Rows but those above twice both neighbours: the next smaller and the next larger m, all else the same."""
    rows = list(rows)
    if rows and "m" not in rows[0]:
        yield from rows
        return
    series = defaultdict(list)
    for row in rows:
        series[tuple(value for key, value in row.items() if key not in ("m", "latency_us", "power_w", "power_limit_w"))].append(row)
    for group in series.values():
        group.sort(key=lambda row: int(row["m"]))
        us = [float(row["latency_us"]) for row in group]
        for i, row in enumerate(group):
            beside = us[max(0, i - 1):i] + us[i + 1:i + 2]
            if len(beside) < 2 or us[i] <= 2 * max(beside):
                yield row


def converted(folder, family):
    """The same as the program reads them."""
    figures = rates(folder)
    for row in without_spikes(read(folder, family)):
        kernel = dict(FAMILIES[family][1](row), device=row["device"], library=row["framework"],
                      latency_us=row["latency_us"], **SETTING)
        if not beyond_memory(kernel, figures):
            yield kernel


POWERED = ("products", "quantize", "experts", "prefill", "decode", "encoder")
# Shorter runs were over before the meter had seen them, but where it shows more than a third of the limit it has.
LEAST_POWERED_US = {"quantize": 20}
MOSTLY_LEAST_US = 300


def has_power(family):
    least = LEAST_POWERED_US.get(family, MOSTLY_LEAST_US)

    def seen(row):
        us, watts, limit = float(row["latency_us"]), float(row["power_w"] or 0), float(row["power_limit_w"] or 0)
        return watts and us >= least and (us >= MOSTLY_LEAST_US or watts > limit / 3)
    return seen


def powered(folder):
    """Kernels with the board's mean power, of all families that have it, with their time as told."""
    figures = rates(folder)
    for family in POWERED:
        for row in read(folder, family, has_power(family)):
            kernel = dict(FAMILIES[family][1](row), device=row["device"], library=row["framework"],
                          latency_us=row["latency_us"], **SETTING)
            if not beyond_memory(kernel, figures):
                yield dict(kernel, busy_us=kernel.pop("latency_us"), power_w=row["power_w"])


def rates(folder):
    """Bytes a microsecond and of L2 of each device. GB200's L2 is that of the chips of B200, which is laid out alike."""
    with open(os.path.join(folder, "devices.csv"), newline="") as text:
        return {row["device"]: (1e3 * float(row["memory_gb_per_s"]), 2 ** 20 * float(row["l2_mib"] or 126))
                for row in csv.DictReader(text)}


def decoded_bytes(row):
    """Of keys and values that one query of each sequence meets."""
    keys, window = int(row["past_len"]) + 1, int(row["window"] or 0)
    each = int(row["width"]) * (1 if row["latent"] == "1" else 2) * (1 if row["kv_dtype"] == "fp8" else 2)
    return int(row["batch"]) * int(row["kv_heads"]) * min(keys, window or keys) * each


def beyond_memory(row, figures):
    """Whether a cache was read faster than memory allows: long ones share pages in some versions."""
    rate, l2 = figures[row["device"]]
    return row.get("latent") and row["past_len"] != "0" and decoded_bytes(row) - l2 > rate * float(row["latency_us"])


def rank(row):
    """The same for a shape wherever it was measured."""
    skip = ("device", "library", "kernel", "latency_us", "busy_us", "power_w")
    return zlib.crc32(",".join(f"{key}={value}" for key, value in row.items() if key not in skip).encode())


def thinned(rows, most, others=False):
    """`most` of each device, library and format, in the order of the table; or the others."""
    groups = defaultdict(list)
    for row in rows:
        kind = row.get("form"), "busy_us" in row and row.get("past_len", "0") != "0"
        groups[row["device"], row["library"], row.get("format"), row["dtype"], row.get("kv_dtype"), kind].append(row)
    for group in groups.values():
        taken = {id(row) for row in sorted(group, key=rank)[:most]}
        yield from (row for row in group if (id(row) in taken) != others)


def write(rows, out):
    rows = list(rows)
    columns = list(dict.fromkeys(column for row in rows for column in row))  # of all, in the order of their coming
    table = csv.DictWriter(out, columns, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("family", choices=sorted((*FAMILIES, "power")))
    parser.add_argument("folder")
    parser.add_argument("output", nargs="?")
    parser.add_argument("--rows", type=int, default=1 << 30)
    parser.add_argument("--others", action="store_true")
    asked = parser.parse_args()
    text = io.StringIO()
    rows = powered(asked.folder) if asked.family == "power" else converted(asked.folder, asked.family)
    write(thinned(rows, asked.rows, asked.others), text)
    with open(asked.output, "w", newline="") if asked.output else sys.stdout as out:
        out.write(text.getvalue())


if __name__ == "__main__":
    main()
