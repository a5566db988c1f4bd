# SPDX-License-Identifier: Apache-2.0
"""What cannot be is refused and named: a column that is not read, a format without a model or a peak, a size beyond reason."""
import csv
import io
import unittest

from support import INPUT, OK, steptime

PRODUCT = "op,form,device,dtype,b,m,n,k\n"
ATTENTION = "op,form,device,dtype,backward,batch,heads,queries,keys,width,causal\n"
FINE = "x,linear,H100,bf16,1,4096,4096,4096\n"


def kernels(text, *words):
    return steptime("predict", "kernel", "--input", "-", *words, stdin=text.encode())


def times(done):
    return [row["predicted_us"] for row in csv.DictReader(io.StringIO(done.out))]


class Refusals(unittest.TestCase):
    def refused(self, text, *parts):
        """The first row has no prediction, and why is said."""
        done = kernels(text)
        self.assertEqual(times(done)[0], "", done.out)
        for part in parts:
            self.assertIn(part, done.err)

    def test_a_type_without_a_form_is_not_read_and_not_passed_over(self):
        self.refused("op,device,b,m,n,k,dtype\nbmm,H100,1,4096,4096,4096,bf16\n", "line 2", "dtype", "form")
        self.refused(PRODUCT + "bmm,,H100,bf16,1,4096,4096,4096\n" + FINE, "line 2", "dtype", "form")

    def test_single_precision_is_what_rows_without_a_form_have(self):
        done = kernels("op,device,b,m,n,k,dtype\nbmm,H100,1,4096,4096,4096,fp32\nbmm,H100,1,4096,4096,4096,\n")
        self.assertEqual(done.code, OK, done.err)
        self.assertTrue(all(times(done)))

    def test_going_back_without_a_form_is_not_passed_over(self):
        self.refused("op,device,rows,cols,backward\nln,H100,4096,4096,1\n", "backward", "form")

    def test_a_format_that_has_no_model(self):
        for dtype in ("fp6", "fp4", "fp64", "int32", "complex64"):
            self.refused(PRODUCT + f"x,linear,H100,{dtype},1,4096,4096,4096\n" + FINE, "line 2")

    def test_a_format_without_a_peak_on_the_device(self):
        for device, dtype in (("V100-PCIE-32GB", "bf16"), ("A100-SXM4-80GB", "fp8"), ("T4", "bf16"), ("P4", "fp16")):
            self.refused(PRODUCT + f"x,linear,{device},{dtype},1,4096,4096,4096\n" + FINE, "line 2", dtype)

    def test_attention_asks_for_the_same(self):
        self.refused(ATTENTION + "x,attention,A100-SXM4-80GB,fp8,0,1,16,1024,1024,128,1\n", "fp8")

    def test_what_memory_alone_decides_may_have_any_type(self):
        done = kernels("op,form,device,dtype,rows,cols\nx,softmax,V100-PCIE-32GB,bf16,4096,4096\n")
        self.assertEqual(done.code, OK, done.err)

    def test_sizes_of_nothing_or_beyond_64_bits(self):
        head = "op,device,rows,cols\n"
        self.refused(head + "add,T4,0,4\nadd,T4,4,4\n", "rows is 0")
        self.refused(head + "add,T4,99999999999999999999999,4\nadd,T4,4,4\n", "64 bits")

    def test_a_question_for_a_device_that_lacks_the_format_ends(self):
        text = "op,form,device,dtype,b,m,n,k\nx,linear,H100,bf16,1,4096,4096,4096\n"
        done = kernels(text, "--hw", "V100-PCIE-32GB")
        self.assertEqual(done.code, INPUT)
        self.assertIn("bf16", done.err)


class Contradictions(unittest.TestCase):
    ROW = "op,device,rows,cols\nadd,,4096,4096\n"

    def test_figures_that_contradict_each_other_are_named_and_counted(self):
        done = kernels(self.ROW, "--hw", "H100", "--set", "fp8=100TFLOP/s")
        self.assertEqual(done.code, OK, done.err)
        self.assertIn("2 figures of NVIDIA H100 SXM 80GB contradict each other: fp8 is below fp16", done.err)
        self.assertIn("fp32 is more than its lanes", kernels(self.ROW, "--hw", "T4", "--set", "clock=100MHz").err)

    def test_those_of_the_catalogue_do_not(self):
        names = {row["name"] for row in csv.DictReader(io.StringIO(steptime("hw", "--format", "csv", "--table", "gpus").out))}
        self.assertGreater(len(names), 40)
        for name in names:
            self.assertNotIn("contradict", kernels(self.ROW, "--hw", name).err, name)


class Levels(unittest.TestCase):
    ROW = "op,device,rows,cols\nadd,T4,4096,4096\n"

    def width(self, *words):
        row = next(csv.DictReader(io.StringIO(kernels(self.ROW, *words).out)))
        self.assertLess(float(row["low_us"]), float(row["predicted_us"]))
        return float(row["high_us"]) / float(row["low_us"])

    def test_a_higher_level_is_wider(self):
        self.assertLess(self.width("--level", "0.5"), self.width())
        self.assertEqual(self.width("--level", "90%"), self.width())
        self.assertLess(self.width(), self.width("--level", "0.99"))

    def test_a_level_that_is_none_is_refused(self):
        for level in ("0", "-1", "100%", "1e9", "soon", ""):
            self.assertNotEqual(kernels(self.ROW, "--level", level).code, OK, level)


if __name__ == "__main__":
    unittest.main()
