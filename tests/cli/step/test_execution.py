# SPDX-License-Identifier: Apache-2.0
"""Execution traces on the command line: what info says of them, and what the commands that need times say instead."""
import json
import os
import tempfile
import unittest

from support import INPUT, OK, shared_trace, steptime, write_trace


def node(ident, name, parent, tid=1, scope=0, **more):
    return {"id": ident, "name": name, "parent": parent, "tid": tid, "scope": scope, "rf_id": ident, **more}


def execution(*nodes):
    return json.dumps({"schema": "1.0.1", "pid": 1, "time": "2026-01-02 03:04:05", "start_ts": 10, "nodes": nodes, "finish_ts": 40})


STEP = execution(
    node(1, "[pytorch|profiler|execution_trace|process]", 1, 0, 7),
    node(2, "## forward ##", 1, 1, 7),
    node(3, "aten::mm", 2, inputs=[[20, 21, 0, 12, 4, "cuda:0"], [22, 23, 0, 20, 4, "cuda:0"]], input_shapes=[[3, 4], [4, 5]],
         input_types=["Tensor(float)", "Tensor(float)"], seq_id=4),
    node(4, "MmBackward0", 1, 2, 1, seq_id=4, fw_parent=2, fw_tid=1),
    node(5, "Optimizer.step#SGD.step", 1, 1, 7),
    node(6, "aten::add_", 5, inputs=[[30, 31, 0, 4, 4, "cpu"]], input_shapes=[[4]], input_types=["Tensor(float)"]))


class Info(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="graph.json"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def values(self, report, section):
        return {v["id"]: v["value"] for s in report["sections"] if s["id"] == section for v in s["values"]}

    def test_says_what_the_step_holds(self):
        run = steptime("info", "--format", "json", self.file(STEP))
        self.assertEqual(run.code, OK, run.err)
        file = self.values(run.json, "file")
        self.assertEqual((file["format"], file["events"], file["span_ns"]), ("execution trace of PyTorch, schema 1.0.1", 6, 30_000_000))
        step = self.values(run.json, "execution")
        self.assertEqual({key: step[key] for key in ("nodes", "operators", "labels", "threads", "forward", "backward", "linked", "optimizer",
                                                     "on_host", "recorded")},
                         {"nodes": 6, "operators": 3, "labels": 2, "threads": 2, "forward": 1, "backward": 1, "linked": 1, "optimizer": 1,
                          "on_host": 1, "recorded": "2026-01-02 03:04:05"})

    def test_what_was_mended_is_a_warning_that_names_the_node(self):
        run = steptime("info", "--format", "json", self.file(execution(node(2, "a", 3), node(3, "b", 2), node(3, "c", 2))))
        self.assertEqual(run.code, OK, run.err)
        said = " ".join(w["message"] for w in run.json["warnings"])
        self.assertIn("node 2 (a) names as its parent node 3, which began after it (a cycle?)", said)
        self.assertIn("node 3 (c) comes twice", said)

    def test_lies_beside_the_trace_of_its_rank(self):
        trace = os.path.join(self.folder.name, "rank0.json")
        write_trace(trace)
        run = steptime("info", "--format", "json", trace, self.file(STEP, "graph_rank0.json"))
        self.assertEqual(run.code, OK, run.err)
        self.assertEqual(run.json["warnings"], [])
        self.assertEqual([i["format"] for i in run.json["inputs"]].count("execution trace"), 1)

    def test_predict_joins_it_with_the_trace_of_its_rank(self):
        trace = os.path.join(self.folder.name, "rank0.json")
        write_trace(trace)  # two steps of three operators with the ids 1 to 6
        products = [node(10 + i, "aten::mm", 10 + i, rf_id=i, inputs=[[20, 21, 0, 4096, 4], [22, 23, 0, 4096, 4]],
                         input_shapes=[[64, 64], [64, 64]], input_types=["Tensor(float)", "Tensor(float)"]) for i in (4, 5, 6)]
        graph = self.file(execution(*products), "graph_rank0.json")
        for order in ((trace, graph), (graph, trace)):
            run = steptime("predict", "--format", "json", *order)
            self.assertEqual(run.code, OK, run.err)
            said = " ".join(w["message"] for w in run.json["warnings"])
            self.assertIn("joined with step 1 of", said)
            self.assertIn("by ids: 3 of its 3 operators match", said)

    def test_commands_that_need_times_name_it(self):
        run = steptime("summary", self.file(STEP))
        self.assertEqual(run.code, INPUT)
        self.assertIn("is not a trace but an execution trace of PyTorch", run.err)

    def test_a_node_of_impossible_sizes_costs_no_other(self):
        device = [0, 64 * 64, 4, "cuda:0"]
        types = ["Tensor(float)", "Tensor(float)"]

        def product(ident, *shapes):
            return node(ident, "aten::mm", ident, inputs=[[20, 21, *device], [22, 23, *device]], input_shapes=shapes, input_types=types)

        def predicted(*nodes):
            run = steptime("predict", "--hw", "A100-SXM4-40GB", "--format", "json", self.file(execution(*nodes)))
            self.assertEqual(run.code, OK, run.err)
            return {v["id"]: v["value"] for s in run.json["sections"] for v in s.get("values", [])}

        sound = [product(i, [64, 64], [64, 64]) for i in (4, 5, 6)]
        alone = predicted(*sound)
        self.assertEqual(alone["unusable_sizes"], 0)
        for size in (1 << 45, (1 << 63) - 1, -3):
            mixed = predicted(*sound, product(7, [size, 64], [64, 64]))
            self.assertEqual(mixed["active_ns"], alone["active_ns"])
            self.assertEqual(mixed["unusable_sizes"], 1)
        run = steptime("predict", "--hw", "A100-SXM4-40GB", "--explain", "unusable_sizes", self.file(
            execution(*sound, product(7, [1 << 45, 64], [64, 64]))))
        self.assertIn("aten::mm", run.out)
        alone = steptime("predict", "--hw", "A100-SXM4-40GB", self.file(execution(product(7, [1 << 45, 64], [64, 64]))))
        self.assertEqual(alone.code, INPUT)
        self.assertIn("aten::mm (7): the sizes of argument 0", alone.err)

    def test_a_batch_that_nothing_holds_is_refused(self):
        step = self.file(execution(node(3, "aten::mm", 3, inputs=[[20, 21, 0, 4096, 4, "cuda:0"], [22, 23, 0, 4096, 4, "cuda:0"]],
                                        input_shapes=[[64, 32], [32, 64]], input_types=["Tensor(float)", "Tensor(float)"])))
        self.assertEqual(steptime("predict", "--hw", "A100-SXM4-40GB", "--batch", "128", step).code, OK)
        run = steptime("predict", "--hw", "A100-SXM4-40GB", "--batch", str(1 << 50), step)
        self.assertNotEqual(run.code, OK)
        self.assertIn("--batch", run.err)

    def test_a_real_one(self):
        run = steptime("info", "--format", "json", shared_trace("multirank/param_dlrm_v100_w8/et_rank3.json.gz"))
        self.assertEqual(run.code, OK, run.err)
        step = self.values(run.json, "execution")
        self.assertEqual((step["nodes"], step["threads"], step["collectives"]), (1675, 2, 8))
        self.assertEqual(self.values(run.json, "file")["rank"], 3)


if __name__ == "__main__":
    unittest.main()
