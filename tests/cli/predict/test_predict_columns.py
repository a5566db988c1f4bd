# SPDX-License-Identifier: Apache-2.0
"""Columns of tables of kernels that say how a row was timed, whose kernel it is and how its operands lie."""
import csv
import io
import os
import sys
import tempfile
import unittest

from support import INPUT, OK, SHARED, SOURCE, steptime

ADDED = 11  # columns
HEADER = "op,device,form,dtype,b,m,n,k"
ROW = "linear,H100,linear,bf16,1,64,4096,4096"
ATTENTION = "op,device,form,dtype,batch,heads,queries,width,causal"
DECODE = "attention,H100,attention,bf16,8,32,1,128,1"


def predicted(header, *rows):
    text = "\n".join((header, *rows)) + "\n"
    done = steptime("predict", "kernel", "--input", "-", stdin=text.encode())
    return [row["predicted_us"] and float(row["predicted_us"]) for row in csv.DictReader(io.StringIO(done.out))], done


class Columns(unittest.TestCase):
    def test_a_queued_kernel_has_no_launch_in_its_time(self):
        (lone, untold, queued), _ = predicted(HEADER + ",queued", ROW + ",0", ROW + ",", ROW + ",1")
        self.assertEqual(lone, untold)
        self.assertLess(queued, lone)
        (older, queued), _ = predicted("op,device,b,m,n,k,queued", "linear,T4,1,64,64,64,", "linear,T4,1,64,64,64,1")
        self.assertLess(queued, older)

    def test_a_word_that_is_none_is_named(self):
        for column, value, said in (("queued", "yes", "queued is neither 0 nor 1"),
                                    ("format", "w3a3", "no such format")):
            (us,), done = predicted(f"{HEADER},{column}", f"{ROW},{value}")
            self.assertEqual((us, done.code), ("", INPUT))
            self.assertIn(said, done.err)

    def test_libraries_differ_and_an_unknown_one_is_as_none(self):
        (vllm, trtllm, none, other), done = predicted(
            HEADER + ",format,library", *(f"{ROW},w8a8_fp8,{word}" for word in ("vllm", "trtllm", "", "mine")))
        self.assertEqual(done.code, OK, done.err)
        self.assertNotEqual(vllm, trtllm)
        self.assertEqual(none, other)

    def test_a_format_that_the_device_has_no_units_for_is_refused(self):
        (us,), done = predicted(HEADER + ",format", ROW + ",w4a4_fp4")
        self.assertEqual(us, "")
        self.assertIn("lacks the figure fp4", done.err)

    def test_a_column_that_two_forms_read_is_no_word_of_the_other(self):
        header = "op,device,form,dtype,channels,positions_in,positions_out,window,batch,positions"
        (pooled, refused), done = predicted(header, "max_pool,H100,pooling,fp32,64,3136,784,4,,",
                                            "batch_norm,H100,batch_norm,fp32,64,,,4,8,3136")
        self.assertGreater(pooled, 0)
        self.assertEqual(refused, "")
        self.assertIn("window", done.err)

    def test_the_time_on_the_gpu_is_no_mistaken_column(self):
        (us,), done = predicted(HEADER + ",kernel_us", ROW + ",12.5")
        self.assertGreater(us, 0)
        self.assertEqual((done.code, done.err), (OK, ""))

    def test_keys_may_be_told_by_those_before(self):
        (past,), _ = predicted(ATTENTION + ",past_len", DECODE + ",4095")
        (keys,), _ = predicted(ATTENTION + ",keys", DECODE + ",4096")
        self.assertEqual(past, keys)
        (us,), done = predicted(ATTENTION + ",past_len", DECODE + ",-1")
        self.assertEqual(us, "")
        self.assertIn("past_len is no count of keys", done.err)

    def test_rows_come_in_order_each_as_it_is_alone(self):
        """Rows are predicted in blocks on several threads; those that cannot be are named by their line."""
        rows = [f"linear,{'H100' if i % 7 else 'Abacus'},linear,bf16,1,{i % 900},{64 + i % 512},4096" for i in range(2000)]
        text = "\n".join((HEADER, *rows)) + "\n"
        done = steptime("predict", "kernel", "--input", "-", stdin=text.encode())
        lines = done.out.splitlines()[1:]
        self.assertEqual([line.rsplit(",", ADDED)[0] for line in lines], rows)
        unknown = {i for i in range(2000) if i % 7 == 0 or i % 900 == 0}
        self.assertEqual({i for i, line in enumerate(lines) if line.endswith(ADDED * ",")}, unknown)
        self.assertIn(f"{len(unknown)} of 2000 rows could not be predicted", done.err)
        self.assertEqual([line.split(": ")[1] for line in done.err.splitlines()[:5]],
                         [f"line {i + 2}" for i in sorted(unknown)[:5]])
        for i in (1, 255, 256, 257, 1999):
            alone = steptime("predict", "kernel", "--input", "-", stdin=f"{HEADER}\n{rows[i]}\n".encode())
            self.assertEqual(alone.out.splitlines()[1], lines[i])

    def test_heads_of_keys_have_either_name(self):
        (one,), _ = predicted(ATTENTION + ",keys,kv_heads,window,kv_dtype", DECODE + ",4096,8,0,fp8")
        (other,), _ = predicted(ATTENTION + ",keys,key_heads,window,kv_dtype", DECODE + ",4096,8,0,fp8")
        self.assertEqual(one, other)
        (us,), done = predicted(ATTENTION + ",keys,kv_heads", DECODE + ",4096,-1")
        self.assertEqual(us, "")
        self.assertIn("the heads of keys are fewer than 0", done.err)

    def test_without_a_library_an_interval_is_wider(self):
        def ends(library, row=DECODE):
            text = f"{ATTENTION},keys,kv_heads,queued,library\n{row},4096,8,1,{library}\n"
            done = steptime("predict", "kernel", "--input", "-", stdin=text.encode())
            (answer,) = csv.DictReader(io.StringIO(done.out))
            return float(answer["high_us"]) / float(answer["low_us"])
        for row in (DECODE, DECODE.replace(",1,128", ",4096,128")):
            told = max(ends(library, row) for library in ("vllm", "sglang", "trtllm"))
            self.assertGreater(ends("", row), told)
            self.assertEqual(ends("mine", row), ends("", row))

    def test_another_version_than_was_fitted_widens_the_interval_and_moves_nothing(self):
        def answer(device, version):
            row = DECODE.replace("H100", device)
            text = f"{ATTENTION},keys,kv_heads,queued,library,library_version\n{row},4096,8,1,vllm,{version}\n"
            done = steptime("predict", "kernel", "--input", "-", stdin=text.encode())
            (answer,) = csv.DictReader(io.StringIO(done.out))
            return answer["predicted_us"], float(answer["high_us"] or 0)
        for device, fitted, other in (("H100", "0.24.0", "0.14.0"), ("A100-SXM4-80GB", "0.14.0", "0.24.0")):
            self.assertEqual(answer(device, fitted), answer(device, ""))
            self.assertEqual(answer(device, other)[0], answer(device, "")[0])
            self.assertGreater(answer(device, other)[1], 1.1 * answer(device, "")[1])

    def test_a_version_is_one_and_has_a_library(self):
        for library, version, said in (("vllm", "newest", "library_version is no version"),
                                       ("", "0.24.0", "library_version is read only beside a library")):
            (us,), done = predicted(f"{HEADER},library,library_version", f"{ROW},{library},{version}")
            self.assertEqual(us, "")
            self.assertIn(said, done.err)

    def test_a_column_that_nearly_has_a_name_is_refused(self):
        for column, meant in (("kvheads", "kv_heads"), ("windov", "window"), ("que", "queued"), ("libary", "library"),
                              ("library_versions", "library_version")):
            _, done = predicted(f"{ATTENTION},keys,{column}", DECODE + ",4096,1")
            self.assertEqual(done.code, INPUT)
            self.assertIn(f"no column is called '{column}'; is '{meant}' meant?", done.err)
        (us,), done = predicted(f"{ATTENTION},keys,note,power_w", DECODE + ",4096,1,300")
        self.assertEqual((done.code, done.err), (OK, ""))

    def test_what_is_read_of_attention_alone_is_refused_elsewhere(self):
        for column, value in (("kv_heads", 8), ("kv_dtype", "fp8"), ("window", 128), ("past_len", 7)):
            (us,), done = predicted(f"{HEADER},{column}", f"{ROW},{value}")
            self.assertEqual(us, "")
            self.assertIn("are read of attention alone", done.err)
            (us,), _ = predicted(f"{HEADER},{column}", f"{ROW},")
            self.assertGreater(us, 0)

    def test_heads_of_keys_divide_the_heads(self):
        (us,), done = predicted(ATTENTION + ",keys,kv_heads", DECODE + ",4096,7")
        self.assertEqual(us, "")
        self.assertIn("heads of keys do not divide the heads", done.err)


LAYER = "op,device,form,dtype,tokens,hidden,intermediate,experts,topk"
SIZES = "experts,NVIDIA B200,experts,bf16,64,4096,1536,128,8"


class Experts(unittest.TestCase):
    def test_kernels_differ_and_a_name_tells_which(self):
        (triton, named, fused, none, other), done = predicted(
            LAYER + ",library,kernel", *(f"{SIZES},vllm,{word}" for word in (
                "triton", "vllm_fused_moe", "fused", "", "mine")))
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(triton, named)
        self.assertNotEqual(triton, fused)
        self.assertEqual((none, other), (fused, fused))

    def test_a_skew_loads_one_gpu_of_many(self):
        (alike, skewed), done = predicted(LAYER + ",expert_parallel,skew", *(
            f"{SIZES.replace(',64,', ',8192,')},16,{skew}" for skew in (0, 1200)))
        self.assertEqual(done.code, OK, done.err)
        self.assertGreater(skewed, 1.2 * alike)

    def test_sizes_that_cannot_be_are_named(self):
        for column, value, said in (("topk", "129", "a token meets more experts than there are"),
                                    ("tokens", "0", "there are no tokens"),
                                    ("tokens", "99999999999999999999", "a size is not a whole number"),
                                    ("expert_parallel", "256", "more ranks than there are experts"),
                                    ("tensor_parallel", "2048", "more ranks than an expert is wide"),
                                    ("matrices", "4", "an expert has 3 matrices"),
                                    ("skew", "9000", "the skew is above 5000")):
            row = dict(zip(LAYER.split(","), SIZES.split(",")), **{column: value})
            (us,), done = predicted(",".join(row), ",".join(row.values()))
            self.assertEqual((us, done.code), ("", INPUT))
            self.assertIn(said, done.err)


SERVING = os.path.join(SHARED, "data", "prediction", "serving")


@unittest.skipUnless(os.path.isdir(SERVING), "the shared measurements are not here")
class Serving(unittest.TestCase):
    def test_the_published_tables_are_read_and_every_row_is_one(self):
        sys.path.insert(0, os.path.join(SOURCE, "bench"))
        import serving
        rows = list(serving.thinned(serving.converted(SERVING, "quantize"), 20))
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "table.csv")
            with open(table, "w") as out:
                serving.write(rows, out)
            done = steptime("model", "eval", table, "--format", "csv")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(sum(int(row["rows"]) for row in csv.DictReader(io.StringIO(done.out))), len(rows))


if __name__ == "__main__":
    unittest.main()
