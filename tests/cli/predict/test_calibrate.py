# SPDX-License-Identifier: Apache-2.0
"""steptime calibrate: a few measured rows make a device known, from then on; rows that cannot be are left out, by name."""
import csv
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from support import INPUT, OK, PROGRAM, USAGE, steptime

HEAD = "op,device,b,m,n,k,latency_us"
DEVICE = "NVIDIA L4"  # no table of measurements has it


def shapes(rows, seed):
    drawn, state = [], seed
    for _ in range(rows):
        sizes = []
        for most in (60, 900, 900, 900):
            state = (state * 1103515245 + 12345) % 2**31
            sizes.append(2 + (state >> 8) % most)
        drawn.append(sizes)
    return drawn


def planted(rows, seed, device=DEVICE):
    """As the models carry it there, but half as long again, and longer where sums are long."""
    drawn = shapes(rows, seed)
    text = "\n".join([HEAD, *(f"bmm,{device},{','.join(map(str, sizes))}," for sizes in drawn)]) + "\n"
    done = steptime("predict", "kernel", "--input", "-", stdin=text.encode())
    assert done.code == OK, done.err
    times = [float(row["predicted_us"]) for row in csv.DictReader(io.StringIO(done.out))]
    return [f"bmm,{device},{','.join(map(str, sizes))},{us * 1.5 * (sizes[2] / 300) ** 0.06:.3f}"
            for sizes, us in zip(drawn, times)]


class Calibrate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.env = {"STEPTIME_MODELS": os.path.join(self.folder.name, "kept")}

    def write(self, name, lines, head=HEAD):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([head, *lines]) + "\n")
        return path

    def calibrate(self, *arguments, code=OK):
        done = steptime("calibrate", "--format", "json", *arguments, env=self.env)
        self.assertEqual(done.code, code, done.err)
        return done

    def table(self, done, name):
        for section in done.json["sections"]:
            for table in section.get("tables", []):
                if table["id"] == name:
                    ids = [column["id"] for column in table["columns"]]
                    return [dict(zip(ids, row)) for row in table["rows"]]
        return []

    def predicted(self, path, *arguments):
        done = steptime("predict", "kernel", "--input", path, *arguments, env=self.env)
        self.assertEqual(done.code, OK, done.err)
        return list(csv.DictReader(io.StringIO(done.out)))

    def error(self, rows):
        return sum(abs(float(row["predicted_us"]) / float(row["latency_us"]) - 1) for row in rows) / len(rows)

    def width(self, rows):
        return sorted(float(row["high_us"]) / float(row["predicted_us"]) for row in rows)[len(rows) // 2]


class Rows(Calibrate):
    def test_ten_rows_halve_the_error_and_are_used_from_then_on(self):
        rest = self.write("rest.csv", planted(150, seed=11))
        before = self.predicted(rest)
        self.calibrate("--rows", self.write("ten.csv", planted(10, seed=3)))
        after = self.predicted(rest)
        self.assertEqual({row["basis"] for row in before}, {"carried"})
        self.assertEqual({row["basis"] for row in after}, {"calibrated"})
        self.assertRegex(after[0]["from"], r"^NVIDIA L4 of \d{4}-\d\d-\d\d: 10 rows by steptime \d")
        self.assertLess(self.error(after), self.error(before) / 2)
        self.assertLess(self.width(after), self.width(before))
        within = sum(float(row["low_us"]) <= float(row["latency_us"]) <= float(row["high_us"]) for row in after)
        self.assertGreater(within, 0.8 * len(after))

    def test_one_row_helps_and_many_are_a_fit(self):
        rest = self.write("rest.csv", planted(150, seed=11))
        errors = [self.error(self.predicted(rest))]
        for rows in (1, 10, 300):
            self.calibrate("--anew", "--rows", self.write("rows.csv", planted(rows, seed=5)))
            errors.append(self.error(self.predicted(rest)))
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertLess(errors[-1], 0.1)

    def test_other_devices_and_models_of_a_file_are_as_before(self):
        t4 = self.write("t4.csv", planted(20, seed=2, device="NVIDIA L40S"))
        l4 = self.write("l4.csv", planted(20, seed=2))
        models = os.path.join(self.folder.name, "models.txt")
        trained = self.write("train.csv", planted(60, seed=8, device="Tesla T4"))
        self.assertEqual(steptime("model", "fit", trained, "-o", models).code, OK)
        before = self.predicted(t4), self.predicted(l4, "--models", models)
        self.calibrate("--rows", self.write("ten.csv", planted(10, seed=3)))
        self.assertEqual(before, (self.predicted(t4), self.predicted(l4, "--models", models)))

    def test_rows_are_added_and_measured_again(self):
        first, second = planted(12, seed=3), planted(8, seed=4)
        self.calibrate("--rows", self.write("first.csv", first[:6]))
        done = self.calibrate("--rows", self.write("second.csv", second))
        self.assertEqual(self.table(done, "groups")[0]["rows"], 14)
        done = self.calibrate("--rows", self.write("again.csv", first))
        self.assertEqual(self.table(done, "groups")[0]["rows"], 20)
        self.calibrate("--rows", self.write("anew.csv", second), "--anew")
        with open(os.path.join(self.env["STEPTIME_MODELS"], "NVIDIA_L4.csv"), encoding="utf-8") as kept:
            self.assertEqual(len(kept.readlines()), 9)

    def test_forgotten_is_as_before(self):
        rest = self.write("rest.csv", planted(5, seed=11))
        before = self.predicted(rest)
        self.calibrate("--rows", self.write("ten.csv", planted(10, seed=3)))
        forgotten = steptime("calibrate", "--forget", "--hw", "L4", env=self.env)
        self.assertEqual(forgotten.code, OK)
        self.assertIn(DEVICE, forgotten.out)
        self.assertIn(self.env["STEPTIME_MODELS"], forgotten.out)
        self.assertEqual(self.predicted(rest), before)
        self.assertEqual(steptime("calibrate", "--forget", "--hw", "L4", env=self.env).code, INPUT)

    def test_types_and_operators_of_one_table(self):
        head = "op,device,form,dtype,backward,b,m,n,k,rows,cols,accesses,latency_us"
        lines = [f"linear_bf16,{DEVICE},linear,bf16,0,1,{m},4096,4096,,,,{20 + m}" for m in (64, 256, 1024, 4096)]
        lines += [f"gelu,{DEVICE},elementwise,bf16,0,,,,,{rows},4096,2,{9 + rows * 4096 * 4 / 250e3}" for rows in (512, 2048, 8192)]
        lines += [f"softmax,{DEVICE},softmax,fp32,0,,,,,{rows},1024,,{9 + rows * 1024 * 8 / 250e3}" for rows in (512, 8192)]
        path = self.write("many.csv", lines, head)
        done = self.calibrate("--rows", path)
        self.assertEqual({row["group"]: row["rows"] for row in self.table(done, "groups")},
                         {"half": 4, "gelu": 3, "rows": 2})
        self.assertEqual({row["basis"] for row in self.predicted(path)}, {"calibrated"})
        kept = os.path.join(self.env["STEPTIME_MODELS"], "NVIDIA_L4.csv")
        again = self.calibrate("--anew", "--rows", kept)
        for first, second in zip(self.table(done, "groups"), self.table(again, "groups"), strict=True):
            self.assertEqual(first["rows"], second["rows"])
            self.assertAlmostEqual(first["error_after"], second["error_after"], 3)

    def test_what_to_measure_next_can_be_read(self):
        done = self.calibrate("--rows", self.write("ten.csv", planted(10, seed=3)))
        values = {value["id"]: value["value"] for section in done.json["sections"] for value in section.get("values", [])}
        rows = [row["row"] for row in self.table(done, "next")]
        self.assertEqual(len(rows), 10)
        path = self.write("next.csv", [row + "50000" for row in rows], values["next_columns"])
        self.assertEqual(len(self.predicted(path)), 10)


STUB = """
import sys, time
print("device NVIDIA L4\\nwith nothing 1\\nstub\\nready", flush=True)
for asked, line in enumerate(sys.stdin):
    time.sleep(SLEEP)
    form, operator, dtype, *sizes = line.split()
    times = 1
    for size in sizes:
        times *= int(size.partition("=")[2])
    cost = 1.5e-7 if form in ("linear", "bmm") else 4e-5
    print("cannot so much" if asked % 5 == 4 else f"us {12 + times * cost}", flush=True)
"""


class Gpu(Calibrate):
    """Without a GPU: a program that stands for the one that measures."""

    def recorder(self, sleep=0.0):
        path = os.path.join(self.folder.name, "stub.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(STUB.replace("SLEEP", str(sleep)))
        return f"{sys.executable} {path}"

    def test_a_stub_is_measured_and_called_one(self):
        done = self.calibrate("--seconds", "2", "--recorder", self.recorder())
        self.assertIn("of 2 s", done.err)
        self.assertTrue(any("stub" in warning["message"] for warning in done.json["warnings"]))
        groups = {row["group"]: row for row in self.table(done, "groups")}
        self.assertGreater(sum(row["rows"] for row in groups.values()), 3)
        text = self.write("rows.csv", [f"bmm,{DEVICE},4,512,512,512,100"])
        if "bmm" in groups:
            self.assertIn("a stub and steptime", self.predicted(text)[0]["from"])

    def test_an_interrupt_keeps_what_was_measured(self):
        child = subprocess.Popen([PROGRAM, "calibrate", "--seconds", "60", "--recorder", self.recorder(0.05)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, **self.env})
        self.assertRegex(child.stderr.readline(), r"12 rows|\d+ rows")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, OK, err)
        self.assertIn("interrupted", err)
        self.assertIn("NVIDIA L4", out)
        self.assertTrue(os.path.exists(os.path.join(self.env["STEPTIME_MODELS"], "NVIDIA_L4.csv")))

    def test_what_cannot_measure_says_so(self):
        for command, why in (("echo cannot no GPU", "no GPU"), ("true", "ended before"), ("echo ready", "no device"),
                             ("printf 'device Abacus 9\\nready\\n'", "--hw FILE")):
            done = steptime("calibrate", "--recorder", command, env=self.env)
            self.assertEqual(done.code, INPUT, done.err)
            self.assertIn(why, done.err)
        done = steptime("calibrate", "--hw", "T4", "--recorder", self.recorder(), env=self.env)
        self.assertEqual(done.code, USAGE)

    def test_what_to_measure_is_chosen_among_kernels(self):
        among = self.write("among.csv", [line.rpartition(",")[0] + "," for line in planted(40, seed=6)])
        done = self.calibrate("--among", among, "--hw", "L4", "--next", "4")
        rows = [row["row"] for row in self.table(done, "next")]
        self.assertEqual(len(set(rows)), 4)
        self.assertEqual(done.json["warnings"], [])
        self.assertEqual(steptime("calibrate", "--among", among, env=self.env).code, USAGE)

    def warned(self, among):
        warning, = self.calibrate("--among", among, "--hw", "L4").json["warnings"]
        return warning["message"]

    def test_kernels_that_were_not_looked_at_are_counted(self):
        lines = [line.rpartition(",")[0] + "," for line in planted(1003, seed=6)]
        among = self.write("among.csv", [*lines, f"bmm,{DEVICE},0,4,4,4,"])
        self.assertRegex(self.warned(among), r"behind the first thousand kernels \(4\)")
        mixed = self.write("mixed.csv", [*lines[:20], f"bmm,{DEVICE},0,4,4,4,"])
        self.assertRegex(self.warned(mixed), r"name no kernel .* \(1\)")


class Faults(Calibrate):
    def faults(self, lines, *arguments, head=HEAD):
        done = self.calibrate("--rows", self.write("rows.csv", [*planted(3, seed=9), *lines], head), *arguments)
        return {row["fault"]: row["rows"] for row in self.table(done, "left_out")}, done

    def test_rows_that_cannot_be_are_named_and_counted(self):
        fine, _ = self.faults([])
        self.assertEqual(fine, {})
        found, done = self.faults([
            f"bmm,{DEVICE},0,4,4,4,20", f"bmm,{DEVICE},1,99999999999999999999,4,4,20", f"bmm,{DEVICE},1,4,4,4,",
            f"bmm,{DEVICE},1,4,4,4,-3", f"bmm,{DEVICE},8,4096,4096,4096,20", "bmm,Abacus 9,1,4,4,4,20",
            f"bmm,{DEVICE},7,77,77,77,20", f"bmm,{DEVICE},7,77,77,77,90"])
        self.assertEqual(found, {"no_kernel": 2, "no_time": 2, "too_fast": 1, "unknown_device": 1, "contradicts": 2})
        first = {row["fault"]: row["first"] for row in self.table(done, "left_out")}
        self.assertIn("line 5", first["no_kernel"])
        self.assertEqual(self.table(done, "groups")[0]["rows"], 3)

    def test_rows_of_another_device_than_named(self):
        found, done = self.faults(["bmm,Tesla T4,1,64,64,64,30"], "--hw", "L4")
        self.assertEqual(found, {"other_device": 1})
        self.assertEqual([row["device"] for row in self.table(done, "groups")], [DEVICE])

    def test_a_device_that_the_catalogue_lacks(self):
        rows = self.write("rows.csv", [line.replace(DEVICE, "Abacus 9") for line in planted(5, seed=9)])
        done = steptime("calibrate", "--rows", rows, env=self.env)
        self.assertEqual(done.code, INPUT)
        self.assertIn("none of 5 rows can be used: 5 unknown_device;", done.err)
        self.assertIn("--hw FILE", done.err)
        hw = self.write("abacus.csv", ["gpu,Abacus 9,30,300,24,60,128,1536,2000,48,100,72"],
                        "kind,name,fp32_tflop_per_s,memory_gb_per_s,memory_gib,sm_count,lanes_per_sm,threads_per_sm,"
                        "clock_mhz,l2_mib,shared_kib_per_sm,power_w")
        done = self.calibrate("--rows", rows, "--hw", hw)
        self.assertEqual(self.table(done, "groups")[0]["rows"], 5)
        self.assertEqual({row["basis"] for row in self.predicted(rows, "--hw", hw)}, {"calibrated"})

    def test_tables_without_a_row_that_can_be_used(self):
        both = self.write("both.csv", [f"bmm,{DEVICE},0,4,4,4,20", f"bmm,{DEVICE},1,4,4,4,"])
        done = steptime("calibrate", "--rows", both, env=self.env)
        self.assertEqual(done.code, INPUT)
        self.assertIn("none of 2 rows can be used: 1 no_kernel, 1 no_time;", done.err)
        power = self.write("power.csv", [f"bmm,{DEVICE},8,512,512,512,300,200"], "op,device,b,m,n,k,busy_us,power_w")
        done = steptime("calibrate", "--rows", power, env=self.env)
        self.assertIn("it is about power (busy_us)", done.err)
        done = steptime("calibrate", "--rows", self.write("empty.csv", []), env=self.env)
        self.assertEqual(done.code, INPUT)
        self.assertIn("empty.csv: has no rows", done.err)

    def test_a_set_of_another_version_is_left_out_by_name(self):
        rest = self.write("rest.csv", planted(5, seed=11))
        before = self.predicted(rest)
        self.calibrate("--rows", self.write("ten.csv", planted(10, seed=3)))
        path = os.path.join(self.env["STEPTIME_MODELS"], "NVIDIA_L4.txt")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for damage in (text.replace("version 1", "version 2"), text[:len(text) // 2], text.replace("point", "pint")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(damage)
            done = steptime("predict", "kernel", "--input", rest, env=self.env)
            self.assertEqual((done.code, list(csv.DictReader(io.StringIO(done.out)))), (OK, before))
            self.assertIn("NVIDIA_L4.txt", done.err)

    def test_usage(self):
        for arguments in (("--forget",), ("--rows", "nowhere.csv", "--hw", "Abacus 9")):
            self.assertEqual(steptime("calibrate", *arguments, env=self.env).code, USAGE)
        self.assertEqual(steptime("calibrate", "--rows", "nowhere.csv", env=self.env).code, INPUT)
        rows = self.write("rows.csv", [f"bmm,{DEVICE},0,4,4,4,20"])
        done = steptime("calibrate", "--rows", rows, env=self.env)
        self.assertEqual(done.code, INPUT)
        self.assertIn("line 2", done.err)


if __name__ == "__main__":
    unittest.main()
