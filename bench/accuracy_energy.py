# SPDX-License-Identifier: Apache-2.0
"""Watts and joules of kernels, on the two boards whose power was measured (B200, GB200): each left out of the fit, shapes
left out of the fit, and all from the models.

Watts are those of a kernel whose time is told (busy_us), against the board's mean power in the public rows. Joules are
watts times time, both predicted, against measured power times measured time. Intervals are judged as those of times
(held.py), by the end on the side where the truth lies. No board of another generation has power in the tables: what is
carried there is not tested by anything here.

accuracy_energy.py [--program FILE] [--detail]
"""
import argparse
import os
import sys
import tempfile
from collections import defaultdict

import serving
from accuracy_data import PROGRAM, Errors, Program, csv_text, figure, path
from held import LEVELS, Held, heading

DEVICES = {"B200": "NVIDIA B200", "GB200": "NVIDIA GB200"}
FITTED, SCORED = 700, 700  # rows of a GPU, engine, format, types and kind
KINDS = ("products", "prefill", "encoder", "decode", "experts", "memory")
MEASURED = ("busy_us", "power_w")


def kind(row):
    if row["form"] == "attention":
        return "decode" if row["past_len"] != "0" else "prefill" if row["causal"] == "1" else "encoder"
    return {"linear": "products", "quantize": "memory"}.get(row["form"], row["form"])


def asked(program, table, *words, told=True):
    """The rows with what is predicted of them; by level the ends of the joules."""
    rows = [{key: value for key, value in row.items() if told or key not in MEASURED} for row in table]
    text, answers = csv_text([dict.fromkeys(columns(rows), "")] + rows), None
    for level in LEVELS:
        now = program.table("predict", "kernel", *words, "--level", str(level), "--input", "-", text=text)[1:]
        answers = answers or [dict(row, true=of) for row, of in zip(now, table)]
        for answer, row in zip(answers, now):
            answer[f"ends_{level}"] = row["joules_low"], row["joules_high"]
    return answers


def columns(rows):
    return dict.fromkeys(column for row in rows for column in row)


def scored(answers, errors, held):
    """By kind: the error of watts where the time was told, of joules where it was not; and how the joules' intervals hold."""
    for answer in answers:
        of, us = kind(answer["true"]), float(answer["true"]["busy_us"])
        true = float(answer["true"]["power_w"]) * us / 1e6
        errors[of].add(answer["joules"], true)
        if not answer["joules"]:
            continue
        joules = float(answer["joules"])
        ends = [[float(end) for end in answer[f"ends_{level}"]] for level in LEVELS]
        held[of].put(true, joules, [high if true > joules else joules * joules / low for low, high in ends])


def fitted(program, rows, folder, *words):
    model, table = os.path.join(folder, "model.txt"), os.path.join(folder, "fit.csv")
    with open(table, "w", newline="") as out:
        serving.write(rows, out)
    program.run("model", "fit", table, "--family", "power", "-o", model, *words)
    return model


def left_out(program, rows):
    """By board: what a fit without it makes of its rows."""
    for name, device in DEVICES.items():
        with tempfile.TemporaryDirectory() as folder:
            model = fitted(program, serving.thinned(rows, FITTED), folder, "--without", device)
            mine = [row for row in serving.thinned(rows, SCORED) if row["device"] == device]
            yield name, asked(program, mine, "--models", model)


def other_shapes(program, rows):
    """By board: what a fit on one half of the shapes makes of the other."""
    seen = [row for row in rows if serving.rank(row) % 2]
    with tempfile.TemporaryDirectory() as folder:
        model = fitted(program, serving.thinned(seen, FITTED), folder)
        tested = list(serving.thinned([row for row in rows if not serving.rank(row) % 2], SCORED))
        for name, device in DEVICES.items():
            yield name, asked(program, [row for row in tested if row["device"] == device], "--models", model)


def from_models(program, rows):
    """By board: time and power as the program has them."""
    for name, device in DEVICES.items():
        mine = [row for row in serving.thinned(rows, SCORED) if row["device"] == device]
        yield name, asked(program, mine, told=False)


WAYS = (("watts, board left out", left_out), ("watts, shapes left out", other_shapes), ("joules, all predicted", from_models))


def energy(program):
    rows = list(serving.powered(path("serving")))
    for word, way in WAYS:
        errors, held = defaultdict(lambda: defaultdict(Errors)), defaultdict(dict)
        for board, answers in way(program, rows):
            of_board = defaultdict(Errors)
            held_board = {of: Held(f"{word}: {of}, {board}", note="not judged") for of in KINDS}
            scored(answers, of_board, held_board)
            for of in KINDS:
                errors[of][board], held[of][board] = of_board[of], held_board[of]
        together = Held(f"{word}: all", pooled=way is left_out)
        for of in KINDS:
            pooled = Errors([value for part in errors[of].values() for value in part.signed],
                            sum(part.unpredicted for part in errors[of].values()))
            yield figure(f"{word}: {of}", "mean", "-", None, pooled, errors[of])
            for part in held[of].values():
                if part.at:
                    yield part
                    together.join(part)
        yield together


def main():
    import accuracy
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--detail", action="store_true")
    told = parser.parse_args()
    print(accuracy.heading() + "\n" + heading())
    kept = True
    for shown in energy(Program(told.program)):
        kept &= shown.met is not False
        print("\n".join(accuracy.shown(shown, told.detail)), flush=True)
    sys.exit(not kept)


if __name__ == "__main__":
    main()
