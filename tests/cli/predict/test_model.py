# SPDX-License-Identifier: Apache-2.0
"""steptime model: fitting on a small table, reading what was fitted, and the public measurements where they are."""
import csv
import io
import os
import tempfile
import unittest

from support import INPUT, OK, SHARED, SOURCE, USAGE, steptime

KERNELS = os.path.join(SHARED, "data", "prediction", "kernels")
DEVICES = {"Tesla V100-PCIE-32GB": (14.0, 900), "Tesla P100-PCIE-16GB": (9.3, 732)}


def planted_us(device, b, m, n, k):
    """A plain roofline with a launch: not the form of the program, which must come near it nevertheless."""
    tflops, gbps = DEVICES[device]
    tiles = b * -(-m // 64) * -(-k // 64) * 64 * 64
    return 25 + max(2e-6 * tiles * n / tflops / 0.8, 4e-3 * b * (m * n + n * k + m * k) / gbps / 0.8)


def planted_table(devices=DEVICES, rows=150, seed=7):
    lines, state = ["op,device,b,m,n,k,latency_us"], seed
    for device in devices:
        for _ in range(rows):
            sizes = []
            for most in (200, 900, 900, 900):
                state = (state * 1103515245 + 12345) % 2**31
                sizes.append(1 + (state >> 8) % most)
            us = planted_us(device, *sizes)
            lines.append(f"bmm,{device},{','.join(map(str, sizes))},{us:.3f}")
    return "\n".join(lines) + "\n"


def scores(*arguments):
    done = steptime("model", "eval", "--format", "csv", *arguments)
    assert done.code == OK, done.err
    return {(row["op"], row["device"]): row for row in csv.DictReader(io.StringIO(done.out))}


class Small(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def fit(self, *arguments):
        path = os.path.join(self.folder.name, "models.txt")
        done = steptime("model", "fit", *arguments, "-o", path)
        self.assertEqual(done.code, OK, done.err)
        with open(path, encoding="utf-8") as file:
            return path, file.read()

    def test_fits_the_same_twice_and_predicts_its_rows(self):
        table = self.write("t.csv", planted_table())
        path, text = self.fit(table)
        self.assertEqual(text, self.fit(table)[1])
        self.assertIn("source t.csv: 300 rows", text)
        for row in scores("--models", path, table).values():
            self.assertEqual(row["basis"], "measured")
            self.assertLess(float(row["mean"]), 0.12)

    def test_a_device_left_out_is_carried(self):
        table = self.write("t.csv", planted_table())
        path, text = self.fit(table, "--without", "P100-PCIE-16GB")
        self.assertNotIn("P100", text)
        carried = scores("--models", path, table)["bmm", "NVIDIA Tesla P100 PCIe 16GB"]
        self.assertEqual(carried["basis"], "carried")

    def test_ten_rows_make_a_device_known(self):
        known = self.write("known.csv", planted_table(["Tesla V100-PCIE-32GB"]))
        path = self.fit(known)[0]
        ten = self.write("ten.csv", planted_table(["Tesla P100-PCIE-16GB"], rows=10, seed=3))
        rest = self.write("rest.csv", planted_table(["Tesla P100-PCIE-16GB"], rows=200, seed=11))
        name = "bmm", "NVIDIA Tesla P100 PCIe 16GB"
        before = float(scores("--models", path, rest)[name]["mean"])
        adapted = os.path.join(self.folder.name, "adapted.txt")
        done = steptime("model", "fit", "--adapt", "--models", path, ten, "-o", adapted)
        self.assertEqual(done.code, OK, done.err)
        self.assertLess(float(scores("--models", adapted, rest)[name]["mean"]), max(before * 2 / 3, 0.05))
        done = steptime("model", "fit", "--adapt", ten)
        self.assertEqual([line for line in done.out.split("\n") if line.startswith("family ")], ["family gemm"])

    def test_rows_that_cannot_be_used_are_named_by_line(self):
        for row, why in (("bmm,Tesla T4,1,2,3,0,5", "line 2: k is 0"),
                         ("bmm,Tesla T4,1,2,3,4,", "line 2: its time"),
                         ("bmm,Abacus 9,1,2,3,4,5", "line 2: the device 'Abacus 9'")):
            path = self.write("bad.csv", f"op,device,b,m,n,k,latency_us\n{row}\n")
            done = steptime("model", "fit", path)
            self.assertEqual(done.code, INPUT)
            self.assertIn(why, done.err)

    def test_rows_of_any_form_are_read(self):
        head = "op,device,form,dtype,backward,rows,cols,bytes,pinned,latency_us\n"
        lines = [f"gelu_bf16,H100,elementwise,bf16,0,{rows},4096,,,{10 + rows / 64}" for rows in (512, 2048, 8192)] * 12
        lines += ["softmax_backward,H100,softmax,fp32,1,4096,1024,,,40"] * 36
        lines += ["to_device,H100,host_copy,fp32,0,,,1000000,0,90"] * 36
        fine = head.replace("cols,", "cols,accesses,") + "\n".join(
            line.replace("4096,,", "4096,2,,").replace("1024,,", "1024,,,").replace("0,,,1", "0,,,,1") for line in lines)
        table = self.write("forms.csv", fine + "\n")
        done = steptime("predict", "kernel", "--input", table)
        self.assertEqual((done.code, done.err), (OK, ""))
        self.assertTrue(all(float(row["predicted_us"]) > 0 for row in csv.DictReader(io.StringIO(done.out))))
        text = self.fit(table)[1]
        for group in ("group gelu\n", "group softmax\n", "group host_copy\n"):
            self.assertIn(group, text)
        for form, dtype, why in (("blob", "fp32", "no such form"), ("softmax", "fp99", "no such element type"),
                                 ("copy", "fp32", "a size is not a whole number"), ("concat", "fp32", "lacks a size")):
            path = self.write("bad.csv", f"{head}x,H100,{form},{dtype},0,4,4,,,5\n")
            done = steptime("model", "fit", path)
            self.assertEqual(done.code, INPUT)
            self.assertIn(why, done.err)

    def test_usage(self):
        for arguments in ((), ("guess",), ("fit",), ("eval",), ("show", "nothing"), ("show", "gemm", "gemm")):
            self.assertEqual(steptime("model", *arguments).code, USAGE)
        self.assertEqual(steptime("model", "show", "--models", self.write("x.txt", "hello\n")).code, INPUT)
        self.assertEqual(steptime("model", "eval", self.write("x.csv", "a,b\n1,2\n")).code, INPUT)


class Show(unittest.TestCase):
    def test_every_family_says_what_was_tried(self):
        document = steptime("model", "show", "gemm", "--format", "json").json
        tables = {table["id"]: table for section in document["sections"] for table in section.get("tables", [])}
        self.assertIn("candidates", tables)
        self.assertIn("coefficients", tables)


@unittest.skipUnless(os.path.isdir(KERNELS), "the public measurements are not here")
class Public(unittest.TestCase):
    """Held-out rows of the public tables: what is shipped must not get worse unnoticed."""

    def test_products_on_devices_seen_and_unseen(self):
        found = scores(os.path.join(KERNELS, "test_gemm.csv.gz"))
        for op, device, most in (("bmm", "NVIDIA Tesla P100 PCIe 16GB", 0.05), ("bmm", "NVIDIA A100-PCIE-40GB", 0.07),
                                 ("linear", "NVIDIA Tesla V100 PCIe", 0.09), ("linear", "NVIDIA A100-PCIE-40GB", 0.07),
                                 ("bmm", "NVIDIA A100 80GB PCIe", 0.05), ("linear", "NVIDIA A100 80GB PCIe", 0.09)):
            self.assertLess(float(found[op, device]["mean"]), most, (op, device))

    @unittest.skipUnless(os.environ.get("STEPTIME_REFIT"), "takes minutes: set STEPTIME_REFIT=1, or 'make models'")
    def test_fitting_again_gives_what_is_shipped(self):
        done = steptime("model", "fit", "--family", "gemm", os.path.join(KERNELS, "train_gemm.csv.gz"), limit_s=900)
        with open(os.path.join(SOURCE, "data", "models", "gemm.txt"), encoding="utf-8") as file:
            self.assertEqual(done.out, file.read())


if __name__ == "__main__":
    unittest.main()
