# SPDX-License-Identifier: Apache-2.0
"""Kernels of LLM serving on GPUs that were left out of the fit: near, where another GPU of the generation was fitted (B200
or GB200 left out), and far, where none was (A100 or H100 left out).

Each GPU is predicted by a fit of this program that never saw a row of it. Errors are the mean of |predicted / measured - 1|
over rows of the newest version of each engine there, the engine told, then the mean over the GPUs. Not scored: rows timed
with the host, and rows that took more than twice as long as both neighbours in m (spikes, of which the tables' remarks tell), and caches that
were read faster than memory allows.
Beside the errors stands how many truths lie within the intervals (held.py), of each GPU and of all that were left
out, near and far for themselves: these are wide by another measure.

accuracy_serving.py [--program FILE] [--detail] [--keep FOLDER] [TABLE...]     alone, of the tables named (all: about ten minutes)
"""
import argparse
import os
import statistics
import sys
import tempfile
from collections import defaultdict

import fits
import serving
from accuracy_data import PROGRAM, Errors, Program, figure, path
from held import TIME, Held, answered, heading, held_of

NEAR = {"B200": "NVIDIA B200", "GB200": "NVIDIA GB200"}
FAR = {"H100": "NVIDIA H100 SXM 80GB", "A100": "NVIDIA A100-SXM4-80GB"}
ALL = "*"  # formats together
FITTED, SCORED = 700, 2500  # rows of a GPU, engine, format and types
MANY = {"prefill": 2500}  # fitted, where kernels of a few shapes are to be learned
# A table of serving.py: the family that answers; by format what it is called, and what is promised near and far.
TABLES = {
    "products": ("gemm_matrix", {"": ("products, bf16", 8, 14), "w8a8_fp8": ("products, fp8", 8, 20),
                                 "w8a8_fp8_block": ("products, fp8_block", None, None)}),
    "prefill": ("attention", {"": ("attention, prefill", 8, 22)}),
    "encoder": ("attention", {"": ("attention, encoder", 8, 19)}),
    "decode": ("attention_decode", {"": ("attention, decode", 10, 23)}),
    "collectives": ("collective_queued", {"": ("collectives", 8, 25)}),
    "experts": ("experts", {ALL: ("experts", 11, 30)}),
    "quantize": ("quantize", {ALL: ("quantise", None, None)}),
    "latent": ("attention,attention_decode", {"": ("attention, latent", None, None)}),
}


def saved(rows, folder, name):
    full = os.path.join(folder, name)
    with open(full, "w", newline="") as out:
        serving.write(rows, out)
    return full


def fitted_without(program, table, rows, device):
    """A file of the families that answer for a table, fitted on these rows without the device's."""
    def make(model):
        with tempfile.TemporaryDirectory() as folder, open(model, "w", encoding="utf-8") as all_families:
            source = saved(serving.thinned(rows, MANY.get(table, FITTED)), folder, "fit.csv")
            for family in TABLES[table][0].split(","):
                part = os.path.join(folder, family)
                program.run("model", "fit", source, "--family", family, "--without", device, "-o", part)
                with open(part, encoding="utf-8") as text:
                    all_families.write(text.read())
    return fits.once(f"{table}, {device}.txt", make)


def left_out(program, table, rows, device):
    """Some rows of the device, of each engine and format, with what a fit without it makes of them; and how many had no answer."""
    model = fitted_without(program, table, rows, device)
    tested = list(serving.thinned([row for row in rows if of_device(row, device)], SCORED))
    answers = answered(program, tested, "--models", model, skip=())  # experts: `kernel` says which an engine launched
    return answers, len(tested) - len(answers)


def of_device(row, device):
    return serving.DEVICES.get(row["device"], row["device"]) == device


def measured(table):
    """The rows of a table, of the formats that are judged."""
    formats = TABLES[table][1]
    return [row for row in serving.converted(path("serving"), table) if ALL in formats or row.get("format", "") in formats]


def scored(program, table, devices):
    """By format: errors and coverage of each device that has rows."""
    formats, rows = TABLES[table][1], measured(table)
    errors, held = defaultdict(dict), defaultdict(dict)
    for name, device in devices.items():
        if not any(of_device(row, device) for row in rows):
            continue
        answers, missing = left_out(program, table, rows, device)
        for of in [ALL] if ALL in formats else sorted({answer.get("format", "") for answer in answers}):
            mine = [answer for answer in answers if of in (ALL, answer.get("format", ""))]
            errors[of][name] = Errors(unpredicted=missing)
            for answer in mine:
                errors[of][name].add(answer["predicted_us"], answer[TIME])
            held[of][name] = held_of(f"{formats[of][0]}, {name}", mine)
    return errors, held


def joined(name, target, parts):
    """The mean over devices; what else is said of errors is of all rows together."""
    together = Errors([value for part in parts.values() for value in part.signed])
    shown = figure(name, "mean", "-", target, together, parts)
    shown.stats["mean"] = statistics.fmean(part.summary()["mean"] for part in parts.values())
    return shown


def serving_kernels(program, tables=TABLES):
    """Errors of each table, then how its intervals hold."""
    for table in tables:
        _, formats = TABLES[table]
        for how, devices in (("near", NEAR), ("far", FAR)):
            errors, held = scored(program, table, devices)
            for of, (name, *targets) in formats.items():
                if of not in errors:
                    continue
                pooled = Held(f"{name}, all left out, {how}", pooled=len(held[of]) > 1)
                yield joined(f"{name}, {how}: {'/'.join(errors[of])} left out", targets[how == "far"], errors[of])
                for part in held[of].values():
                    yield part
                    pooled.join(part)
                yield pooled


def main():
    import accuracy
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--detail", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER", help="where fits stay and are taken from")
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], default=[], metavar="TABLE")
    asked = parser.parse_args()
    if asked.keep:
        fits.keep(asked.keep)
    print(accuracy.heading() + "\n" + heading())
    kept = True
    for shown in serving_kernels(Program(asked.program), asked.tables or TABLES):
        kept &= shown.met is not False
        print("\n".join(accuracy.shown(shown, asked.detail)), flush=True)
    sys.exit(not kept)


if __name__ == "__main__":
    main()
