# SPDX-License-Identifier: Apache-2.0
"""--explain verdict: which events are behind the figure of each experiment."""
import os

from support import OK, USAGE, Folder, recorded, rows_of, shared_trace, span, steptime, write_trace


def steps():
    """10 ms each: 20 launches of 30 us, of which one kernel takes 7 ms and the others 20 us; the device decides the end."""
    events = []
    for step in range(6):
        at = 10_000 * step
        events.append(span(f"ProfilerStep#{step + 2}", at, 10_000, cat="user_annotation"))
        for k in range(20):
            id, begin = 1 + 20 * step + k, at + 50 + 30 * k
            large = k == 19
            events += [span("aten::mm" if large else "aten::add", begin, 25, **{"External id": id}),
                       span("cudaLaunchKernel", begin + 10, 10, cat="cuda_runtime", correlation=id),
                       span("large_gemm" if large else "small_add", begin + 22, 7000 if large else 20, cat="kernel", pid=0, tid=7,
                            correlation=id, device=0, stream=7)]
        events.append(span("cudaDeviceSynchronize", at + 700, 7_000, cat="cuda_runtime", correlation=9000 + step))
    return events


class Behind(Folder):
    def explained(self, command, word, path):
        done = steptime(command, path, "--explain", word, "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        return done.json

    def planted(self):
        return write_trace(os.path.join(self.folder, "a.json"), steps())

    def test_what_carries_an_experiment_stands_first(self):
        for command in ("summary", "critical-path"):
            rows = rows_of(self.explained(command, "verdict", self.planted()), "behind")
            first = {}
            for row in rows:
                first.setdefault(row["resource"], row)
            self.assertEqual((first["device"]["name"], first["device"]["times"]), ("large_gemm", 1))
            self.assertAlmostEqual(first["device"]["path_ns"] / 1e6, 7, delta=0.1)
            self.assertEqual(first["device"]["time_ns"], 7_000_000)
            self.assertGreater(first["device"]["path_share"], 0.9)

    def test_an_event_can_be_looked_up(self):
        path = self.planted()
        row = rows_of(self.explained("summary", "behind", path), "behind")[0]
        self.assertEqual(steps()[row["event"]]["name"], row["name"])

    def check_bounds(self, path):
        """Without a resource the steps are shorter by no more than its time on the path, which is no more than its time."""
        document = self.explained("summary", "verdict", path)
        rows, checked = rows_of(document, "behind"), 0
        for row in rows:
            self.assertLessEqual(row["path_ns"], row["time_ns"] + 1, row)
        for experiment in rows_of(document, "experiments"):
            own = [row for row in rows if row["resource"] == experiment["resource"] and row["path_share"]]
            if own:
                most_ns = own[0]["path_ns"] / own[0]["path_share"]
                self.assertLessEqual(experiment["removed_ns"], most_ns * 1.001 + 1000, experiment)
                checked += 1
        return checked

    def test_the_saving_of_an_experiment_is_no_more_than_the_path_has_of_it(self):
        self.assertGreater(self.check_bounds(self.planted()), 0)
        self.assertGreater(self.check_bounds(recorded("dlrm-cpu.json.gz")), 0)

    def test_shared_traces(self):
        for name in ("kineto/kineto_resnet50_train_workers0_torch19", "kineto/tl_h100_owlv2_pyfunc", "kineto/torchbench_copies_pageable",
                     "kineto/hta_gpu_user_annotation"):
            self.assertGreater(self.check_bounds(shared_trace(name + ".json.gz")), 0, name)

    def test_for_people(self):
        done = steptime("summary", self.planted(), "--explain", "verdict", env={"COLUMNS": "160"})
        for words in ("experiments.removed_ns (ns): the same where the resource takes no time at all", "behind.path_ns (ns): ",
                      "What is behind the experiments", "large_gemm"):
            self.assertIn(words, done.out)

    def test_it_is_not_taken_unasked(self):
        self.assertNotIn('"id": "behind"', steptime("summary", self.planted(), "--format", "json").out)

    def test_a_word_that_nothing_goes_by(self):
        self.assertEqual(steptime("summary", self.planted(), "--explain", "nothing").code, USAGE)
