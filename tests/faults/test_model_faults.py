# SPDX-License-Identifier: Apache-2.0
"""Tables and coefficients that cannot be: rows faster than their device, too few rows, a set of another version."""
import os
import tempfile
import unittest

from support import INPUT, OK, steptime

HEAD = "op,device,b,m,n,k,latency_us\n"


def product(size, us):
    return f"bmm,Tesla V100-PCIE-32GB,2,{size},{size},{size},{us:.4f}\n"


def rows(count):
    """Products at half of the peak, 14 TFLOP/s."""
    return "".join(product(512 + 16 * i, 30 + 4 * (512 + 16 * i) ** 3 / 7e6) for i in range(count))


class Faults(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def fit(self, text, *words):
        return steptime("model", "fit", self.write("rows.csv", text), "--family", "gemm", *words)

    def test_rows_faster_than_their_device_are_named_counted_and_left_out(self):
        plain = self.fit(HEAD + rows(60))
        self.assertEqual(plain.code, OK, plain.err)
        done = self.fit(HEAD + rows(60) + product(4096, 1000) + product(8192, 2))
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("2 rows are faster than their device", done.err)
        self.assertIn("a bmm in 1000 us", done.err)
        self.assertEqual(done.out.splitlines()[3:], plain.out.splitlines()[3:])

    def test_a_table_of_nothing_else_is_refused(self):
        done = self.fit(HEAD + product(8192, 2) * 60)
        self.assertEqual(done.code, INPUT)

    def test_fewer_rows_than_coefficients_are_no_fit(self):
        done = self.fit(HEAD + rows(5))
        self.assertEqual(done.code, INPUT)
        self.assertIn("too few", done.err)

    def test_a_device_with_too_few_rows_is_left_out_and_named(self):
        done = self.fit(HEAD + rows(60) + "bmm,T4,2,512,512,512,90\n")
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("NVIDIA T4 left out: 1 rows", done.out)
        self.assertNotIn("\nset NVIDIA T4", done.out)

    def test_coefficients_of_another_version_are_refused(self):
        text = self.fit(HEAD + rows(60)).out
        self.assertIn("\nversion 1\n", text)
        asked = self.write("asked.csv", "op,device,b,m,n,k\nbmm,T4,1,512,512,512\n")
        for version in ("2", "0", "x"):
            model = self.write("model.txt", text.replace("version 1", "version " + version))
            done = steptime("predict", "kernel", "--models", model, "--input", asked)
            self.assertEqual(done.code, INPUT)
            self.assertIn("version", done.err)

    def test_coefficients_without_a_version_or_a_spread_are_read(self):
        text = "\n".join(line for line in self.fit(HEAD + rows(60)).out.split("\n")
                         if line.split(" ")[0] not in ("version", "shared", "spread"))
        asked = self.write("asked.csv", "op,device,b,m,n,k\nbmm,V100-PCIE-32GB,2,512,512,512\n")
        done = steptime("predict", "kernel", "--models", self.write("model.txt", text), "--input", asked)
        self.assertEqual(done.code, OK, done.err)
        self.assertIn(",measured,NVIDIA Tesla V100 PCIe", done.out)


if __name__ == "__main__":
    unittest.main()
