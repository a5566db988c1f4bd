# SPDX-License-Identifier: Apache-2.0
"""Tables of kernels and lists of operators: a column more, rows as they came, what cannot be predicted named."""
import csv
import gzip
import io
import os
import tempfile
import unittest

from support import INPUT, OK, SANITIZED, USAGE, steptime

HEADER = "op,device,b,m,n,k,latency_us,kernel\n"
ROW = 'bmm,Tesla V100-PCIE-32GB,16,512,64,512,80.1,"void sgemm<float, ""x"">(int, int)"\n'
LIST = "model,mode,seq,batch,node,name,phase,op,dims,repeat\n"


def kernels(text, *words):
    return steptime("predict", "kernel", "--input", "-", *words, stdin=text.encode())


def graph(text, *words):
    return steptime("predict", "graph", "--input", "-", *words, stdin=text.encode())


def rows(done):
    return list(csv.DictReader(io.StringIO(done.out)))


class Kernels(unittest.TestCase):
    def test_rows_come_back_byte_for_byte_with_a_column_more(self):
        done = kernels(HEADER + ROW)
        self.assertEqual(done.code, OK, done.err)
        head, row = done.out.splitlines()
        self.assertEqual(head, HEADER.strip() + ",predicted_us,low_us,high_us,basis,from,"
                         "watts,joules,joules_low,joules_high,watts_basis,launch_us")
        self.assertTrue(row.startswith(ROW.strip() + ","))
        self.assertGreater(float(rows(done)[0]["predicted_us"]), 1)

    def test_columns_may_stand_in_any_order_and_more_or_fewer_be_there(self):
        one = rows(kernels(HEADER + ROW))[0]["predicted_us"]
        other = kernels("k,note,n,m,b,device,op\n512,\"a, b\",64,512,16,Tesla V100-PCIE-32GB,bmm\n")
        self.assertEqual(rows(other)[0]["predicted_us"], one)
        self.assertEqual(rows(other)[0]["note"], "a, b")

    def test_a_measured_time_that_is_absent_or_nonsense_does_not_matter(self):
        for us in ("", "nan", "-3", "soon"):
            done = kernels(HEADER + f"bmm,T4,16,512,64,512,{us},\n")
            self.assertEqual(done.code, OK, done.err)
            self.assertTrue(rows(done)[0]["predicted_us"])

    def test_tables_of_several_kinds_may_be_one(self):
        done = kernels("op,device,b,m,n,k,rows,cols\nbmm,T4,16,512,64,512,,\nsoftmax,T4,,,,,4096.0,1024\n")
        self.assertEqual(done.code, OK, done.err)
        self.assertTrue(all(row["predicted_us"] for row in rows(done)))

    def test_what_cannot_be_predicted_is_empty_and_named_with_its_line(self):
        bad = ("bmm,T4,16,512,0,512,,\nbmm,T4,16,512,nan,512,,\nbmm,T4,9000000000000,9000000000000,9000000000000,9,,\n"
               "bmm,Wonder 9000,16,512,64,512,,\nmatmol,T4,16,512,64,512,,\nbmm,T4,16,-1,64,512,,\nbmm,T4,16,512\n"
               "bmm,,1,2,3,4,,\n")
        done = kernels(HEADER + bad + ROW)
        self.assertEqual(done.code, OK)
        self.assertEqual([bool(row["predicted_us"]) for row in rows(done)], [False] * 8 + [True])
        for part in ("line 2", "n is 0", "line 3", "line 4", "Wonder 9000", "matmol", "8 of 9 rows"):
            self.assertIn(part, done.err)
        self.assertEqual(done.err.count("line "), 5)

    def test_where_none_can_be_the_run_fails(self):
        self.assertEqual(kernels(HEADER + "bmm,T4,0,0,0,0,,\n").code, INPUT)
        self.assertEqual(kernels(HEADER).code, OK)
        self.assertEqual(kernels("").code, INPUT)
        self.assertEqual(kernels("a,b\n1,2\n").code, INPUT)
        self.assertEqual(kernels(HEADER + ROW, "--hw", "MI300").code, USAGE)
        self.assertEqual(kernels(HEADER + ROW, "--set", "memory=4").code, USAGE)
        self.assertEqual(steptime("predict", "kernel").code, USAGE)

    def test_a_device_that_nobody_measured(self):
        for device in ("B200", "MI300X", "NVIDIA H100 80GB HBM3", "NVIDIA L4", "RTX 4090"):
            done = kernels(HEADER + ROW, "--hw", device)
            self.assertTrue(rows(done)[0]["predicted_us"], done.err)

    def test_settings_change_what_they_say(self):
        table = "op,device,rows,cols\nadd,V100-PCIE-32GB,65536,4096\n"
        plain, fast = (float(rows(kernels(table, *words))[0]["predicted_us"]) for words in ((), ("--set", "memory=2TB/s")))
        self.assertLess(fast, 0.7 * plain)

    def test_files_packed_or_not_and_an_output_that_is_whole_or_untouched(self):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "t.csv.gz"), os.path.join(folder, "out.csv")
            with gzip.open(path, "wt") as table:
                table.write(HEADER + ROW * 3)
            self.assertEqual(steptime("predict", "kernel", "--input", path, "-o", out).code, OK)
            with open(out) as written:
                self.assertEqual(len(written.readlines()), 4)
            with open(path, "r+b") as damaged:
                damaged.truncate(os.path.getsize(path) - 6)
            os.remove(out)
            self.assertEqual(steptime("predict", "kernel", "--input", path, "-o", out).code, INPUT)
            self.assertFalse(os.path.exists(out))

    def test_memory_stays_the_same_however_long_the_table(self):
        def chunks(count):
            yield HEADER.encode()
            for _ in range(count):
                yield ROW.encode() * 1000

        small, large = (steptime("predict", "kernel", "--input", "-", stdin=chunks(count)) for count in (5, 60))
        self.assertEqual(large.out.count("\n"), 60001)
        if not SANITIZED:
            self.assertLess(large.peak_bytes, small.peak_bytes + (8 << 20))


class Energy(unittest.TestCase):
    FORMS = "op,device,form,dtype,b,m,n,k,queued,library"
    PRODUCT = "linear,{},linear,bf16,1,8192,8192,8192,1,vllm"

    def answer(self, device, *words, head=FORMS, row=PRODUCT, more=""):
        (answer,) = rows(kernels(head + "\n" + row.format(device) + more + "\n", *words))
        return answer

    def test_joules_are_watts_times_the_time_within_their_interval(self):
        for device in ("NVIDIA B200", "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "MI300X"):
            answer = self.answer(device)
            joules = float(answer["watts"]) * float(answer["predicted_us"]) / 1e6
            self.assertAlmostEqual(float(answer["joules"]) / joules, 1, delta=1e-3)
            self.assertLess(float(answer["joules_low"]), joules)
            self.assertGreater(float(answer["joules_high"]), joules)

    def test_measured_on_the_device_carried_or_never_measured(self):
        def width(answer):
            return float(answer["joules_high"]) / float(answer["joules_low"])
        own, far = self.answer("NVIDIA B200"), self.answer("NVIDIA A100-SXM4-80GB")
        self.assertEqual((own["watts_basis"], far["watts_basis"]), ("measured", "carried"))
        self.assertLess(width(own), width(far))
        (single,) = rows(kernels("op,device,b,m,n,k\nlinear,NVIDIA B200,1,8192,8192,8192\n"))
        self.assertEqual(single["watts_basis"], "analytic")
        self.assertLessEqual(float(single["watts"]), 1000)

    def test_a_device_of_unknown_power_has_no_watts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.csv")
            with open(path, "w") as out:
                out.write("name,fp32_tflop_per_s,memory_gb_per_s,sm_count,threads_per_sm,l2_mib,clock_mhz\n"
                          "Mine,40,1200,100,2048,40,1500\n")
            done = kernels("op,device,rows,cols\nadd,T4,4096,4096\n", "--hw", path)
            (answer,) = rows(done)
            self.assertTrue(answer["predicted_us"], done.err)
            self.assertEqual([answer[name] for name in ("watts", "joules", "joules_low", "joules_high", "watts_basis")],
                             [""] * 5)

    def test_the_longer_a_kernel_is_busy_the_less_it_draws(self):
        watts = [float(self.answer("NVIDIA B200", head=self.FORMS + ",busy_us", more=f",{us}")["watts"])
                 for us in (500, 1000, 4000, 1e6)]
        self.assertEqual(watts, sorted(watts, reverse=True))
        self.assertLess(watts[-1], 400)
        told = self.answer("NVIDIA B200", head=self.FORMS + ",busy_us", more=",4000")
        self.assertAlmostEqual(float(told["joules"]), watts[2] * 4e-3, delta=1e-3)
        self.assertLess(float(told["predicted_us"]), 2000)
        done = kernels(self.FORMS + ",busy_us\n" + self.PRODUCT.format("NVIDIA B200") + ",-1\n")
        self.assertIn("busy_us is not a number above 0", done.err)

    def test_a_step_in_joules_and_money(self):
        text = LIST + "m,inf,512,2,1,fc,fwd,linear,1024x1024x1024,24\n"
        (plain,), (priced,) = rows(graph(text, "--hw", "A100")), rows(graph(text, "--hw", "A100", "--per-hour", "3.6"))
        self.assertNotIn("cost", plain)
        self.assertAlmostEqual(float(priced["cost"]), float(priced["predicted_ms"]) * 1e-6, delta=1e-12)
        self.assertLess(float(priced["cost_low"]), float(priced["cost"]))
        self.assertAlmostEqual(float(plain["joules"]), float(plain["watts"]) * float(plain["predicted_ms"]) / 1e3, places=6)
        self.assertLess(float(plain["joules_low"]), float(plain["joules"]))
        self.assertEqual(graph(text, "--hw", "A100", "--per-hour", "much").code, USAGE)


class Graphs(unittest.TestCase):
    def test_a_row_a_step_and_what_it_sums(self):
        text = LIST + ("m,train,512,2,1,fc,fwd,linear,1024x1024x1024,24\nm,train,512,2,1,fc,bwd,linear,1024x1024x1024,24\n"
                       "m,train,512,2,1,fc,accumulate,add,1x1048576,24\nm,inf,512,2,1,fc,fwd,linear,1024x1024x1024,1\n")
        done = graph(text, "--hw", "V100-PCIE-32GB")
        train, inference = rows(done)
        self.assertEqual(train["device"], "V100-PCIE-32GB")
        one = float(inference["predicted_ms"])
        self.assertAlmostEqual(float(train["predicted_fwd_ms"]), 24 * one, delta=0.01 * one)
        self.assertGreater(float(train["predicted_bwd_ms"]), 24 * one)
        self.assertAlmostEqual(float(train["predicted_ms"]),
                               float(train["predicted_fwd_ms"]) + float(train["predicted_bwd_ms"]), places=6)
        self.assertEqual(float(inference["predicted_bwd_ms"]), 0)

    def test_a_step_of_training_is_less_sure_than_its_kernels(self):
        """It does what no operator of the list is."""
        row = "m,{},512,2,1,fc,{},linear,1024x1024x1024,24\n"
        text = LIST + row.format("inf", "fwd") + row.format("train", "fwd") + row.format("train", "bwd")
        inference, train = rows(graph(text, "--hw", "V100-PCIE-32GB", "--per-hour", "1"))
        for word in ("{}_ms", "joules_{}", "cost_{}"):
            width = [float(step[word.format("high")]) / float(step[word.format("low")]) for step in (inference, train)]
            self.assertGreater(width[1], (1 if word == "joules_{}" else 1.25) * width[0])

    def test_a_lone_call_costs_more_than_one_inside_a_model(self):
        inside = rows(graph(LIST + "m,inf,1,1,1,a,fwd,add,64x64,1\n", "--hw", "T4"))[0]["predicted_ms"]
        alone = rows(kernels("op,device,rows,cols\nadd,T4,64,64\n"))[0]["predicted_us"]
        self.assertLess(float(inside) * 1000, float(alone) / 2)

    def test_gradients_that_are_handed_on_and_views_cost_nothing(self):
        text = LIST + ("m,train,1,1,1,add_7,fwd,add,65536x512,1\nm,train,1,1,1,add_7,bwd,copy,65536x512,1\n"
                       "m,train,1,1,2,getitem_3,fwd,copy,8x512x1024 8x1024,1\nm,train,1,1,3,x,fwd,copy,1 1,1\n")
        each = [float(row["predicted_us"]) for row in rows(graph(text, "--each", "--hw", "T4"))]
        self.assertGreater(each[0], 0)
        self.assertEqual(each[1:], [0, 0, 0])

    def test_an_operator_of_no_known_word_is_estimated_from_its_bytes_and_said(self):
        done = graph(LIST + "m,inf,1,1,1,a,fwd,swiglu,4096x4096 4096x4096,1\n", "--hw", "H100")
        self.assertGreater(float(rows(done)[0]["predicted_ms"]), 0.03)
        self.assertIn("100.0 % of the time is of operators without a model", done.err)

    def test_a_step_with_a_row_that_makes_no_sense_has_no_prediction(self):
        for dims in ("0x4", "4x", "-3x3", "99999999999x99999999999x4", "", "x"):
            done = graph(LIST + f"m,inf,1,1,1,a,fwd,add,{dims},1\nn,inf,1,1,1,a,fwd,add,64x64,1\n", "--hw", "H100")
            self.assertEqual(done.code, OK, done.err)
            self.assertEqual([bool(row["predicted_ms"]) for row in rows(done)], [False, True])
            self.assertIn("line 2", done.err)

    def test_what_is_missing_is_named(self):
        self.assertIn("--hw", graph(LIST, ).err)
        self.assertIn("'dims'", graph("model,mode,seq,batch,phase,op\n", "--hw", "H100").err)


if __name__ == "__main__":
    unittest.main()
