# SPDX-License-Identifier: Apache-2.0
"""How far off steps of recurrent layers are on GPUs that were left out of the fit:

    python3 bench/recurrent/judge.py [PROGRAM]

fit.csv and held_back.csv have the published times of DeepBench (README.md beside). Each GPU of fit.csv is predicted by a fit
without it and without the other boards with its chip; those of held_back.csv, which the catalogue lacks, by a fit to all of fit.csv.
"""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CHIPS = (("NVIDIA TITAN Xp", "NVIDIA GeForce GTX 1080 Ti"),)
# From the product pages: TFLOP/s of fp32, GB/s, GiB, multiprocessors, MHz, L2 in MiB, W.
ABSENT = {"NVIDIA TITAN X (Pascal)": (10.97, 480, 12, 28, 1531, 3, 250), "NVIDIA Tesla M40": (6.84, 288, 12, 24, 1114, 3, 250),
          "NVIDIA GeForce GTX TITAN X": (6.61, 336.5, 12, 24, 1075, 3, 250)}
FIGURES = "kind,name,fp32_tflop_per_s,memory_gb_per_s,memory_gib,sm_count,clock_mhz,l2_mib,power_w,lanes_per_sm,threads_per_sm,shared_kib_per_sm"


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def hardware(folder, device):
    if device not in ABSENT:
        return device
    path = os.path.join(folder, "device.csv")
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"{FIGURES}\ngpu,{device},{','.join(map(str, ABSENT[device]))},128,2048,96\n")
    return path


def predicted(program, folder, fitted, rows):
    write(f"{folder}/fit.csv", fitted)
    write(f"{folder}/rows.csv", [{name: value for name, value in row.items() if name != "device"} for row in rows])
    run(program, "model", "fit", "--family", "recurrent", f"{folder}/fit.csv", "--output", f"{folder}/models.txt")
    said = run(program, "predict", "kernel", "--input", f"{folder}/rows.csv", "--models", f"{folder}/models.txt",
               "--hw", hardware(folder, rows[0]["device"]))
    return list(csv.DictReader(said.splitlines()))


def show(title, rows):
    errors = [float(row["predicted_us"]) / float(row["latency_us"]) - 1 for row in rows]
    held = sum(float(row["low_us"]) <= float(row["latency_us"]) <= float(row["high_us"]) for row in rows)
    print(f"| {title} | {len(rows)} | {100 * statistics.mean(map(abs, errors)):.1f} | {100 * statistics.median(map(abs, errors)):.1f} "
          f"| {100 * statistics.mean(errors):+.1f} | {held}, {100 * held / len(rows):.0f} % |")


def main(program):
    known, absent = read("fit.csv"), read("held_back.csv")
    every = []
    print("| GPU | rows | mean | median | bias | held |")
    for device in dict.fromkeys(row["device"] for row in known + absent):
        out = next((chip for chip in CHIPS if device in chip), (device,))
        fitted = [row for row in known if row["device"] not in out]
        rows = [row for row in known + absent if row["device"] == device]
        with tempfile.TemporaryDirectory() as folder:
            said = predicted(program, folder, fitted, rows)
        for way, backward in (("forward", "0"), ("backward", "1")):
            show(f"{device}, {way}", [row for row in said if row["backward"] == backward])
        every += said
    show("all", every)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build", "steptime")))
