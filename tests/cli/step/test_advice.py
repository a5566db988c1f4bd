# SPDX-License-Identifier: Apache-2.0
"""What findings recommend: nothing that the trace shows is used already, and no time is promised twice."""
import os

from support import OK, Folder, span, steptime, write_trace


def device_bound(kernel, **operator):
    """Steps of 10 ms whose device is busy throughout; the host is far ahead."""
    events = []
    for step in range(4):
        at = 10_000 * step
        events.append(span(f"ProfilerStep#{step + 3}", at, 10_000, cat="user_annotation"))
        for k in range(24):
            id = 1 + 24 * step + k
            begin = at + 40 + 30 * k
            events += [span("aten::mm", begin, 20, **{"External id": id, **operator}),
                       span("cudaLaunchKernel", begin + 5, 10, cat="cuda_runtime", correlation=id),
                       span(kernel, at + 100 + 400 * k, 400, cat="kernel", pid=0, tid=7, correlation=id, device=0, stream=7)]
        events.append(span("cudaDeviceSynchronize", at + 900, 8_850, cat="cuda_runtime", correlation=9000 + step))
    return events


def host_bound(optimizer):
    """Steps of small kernels that the host launches slowly."""
    events = []
    for step in range(4):
        at = 4_000 * step
        events.append(span(f"ProfilerStep#{step + 3}", at, 4_000, cat="user_annotation"))
        for k in range(30):
            id, begin = 1 + 30 * step + k, at + 20 + 130 * k
            if optimizer and k == 20:
                events.append(span("Optimizer.step#SGD.step", begin, 1300, cat="user_annotation"))
            events += [span("aten::add_", begin, 120, **{"External id": id}),
                       span("cudaLaunchKernel", begin + 100, 10, cat="cuda_runtime", correlation=id),
                       span("vectorized_elementwise_kernel", begin + 115, 3, cat="kernel", pid=0, tid=7, correlation=id, device=0,
                            stream=7)]
    return events


class Advice(Folder):
    def findings(self, events):
        path = write_trace(os.path.join(self.folder, "a.json"), events)
        done = steptime("summary", path, "--findings", "20", "--format", "json")
        self.assertEqual(done.code, OK, done.err)
        return done.json["findings"]

    def said(self, rule, events):
        return " ".join(found["message"] for found in self.findings(events) if found["rule"] == rule)

    def test_lower_precision_is_no_advice_for_who_has_it(self):
        for kernel, told in (("ampere_sgemm_128x64_tn", True), ("gemm_kernel", True), ("ampere_bf16_s16816gemm_bf16_128x128", False),
                             ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_MT256x128x64", False), ("sm90_xmma_gemm_e4m3bf16_e4m3f32", False),
                             ("flash_fwd_kernel", False)):
            with self.subTest(kernel=kernel):
                words = self.said("SM203", device_bound(kernel))
                self.assertIn("The step waits for it", words)
                self.assertEqual("lower precision" in words, told)

    def test_precision_by_the_types_of_the_trace(self):
        """A kernel whose name says nothing, under operators on bfloat16; one of fp32 in the same trace can still be lowered."""
        types = {"Input type": ["c10::BFloat16", "c10::BFloat16"], "Input Dims": [[64, 64], [64, 64]]}
        self.assertNotIn("lower precision", self.said("SM203", device_bound("gemm_kernel", **types)))
        self.assertIn("lower precision", self.said("SM203", device_bound("ampere_sgemm_128x64_tn", **types)))

    def test_a_fused_optimizer_is_no_advice_where_nothing_is_optimized(self):
        for optimizer in (False, True):
            words = self.said("SM103", host_bound(optimizer))
            self.assertIn("Launch less: torch.compile, CUDA graphs, ", words)
            self.assertEqual("fused optimizers" in words, optimizer)

    def test_long_operators_of_the_cpu_are_the_work(self):
        events = []
        for step in range(4):
            events += [span(f"ProfilerStep#{step + 3}", 20_000 * step, 20_000, cat="user_annotation")]
            events += [span("aten::mm", 20_000 * step + 100 + 6000 * k, 5_900) for k in range(3)]
        words = self.said("SM118", events)
        self.assertNotIn("before you record", words)

    def test_a_pause_of_python_is_told_once(self):
        events = []
        for step in range(4):
            at = 20_000 * step
            events += [span(f"ProfilerStep#{step + 3}", at, 20_000, cat="user_annotation"), span("aten::mm", at + 100, 5_900),
                       span("aten::add", at + 14_000 + 500 * step, 4_000)]
        told = sum(found["per_step_saving_ns"] for found in self.findings(events) if "Python" in found["message"])
        self.assertLessEqual(told, 11_000_000)

    def test_no_piece_and_one_piece(self):
        path = write_trace(os.path.join(self.folder, "a.json"),
                           [event for event in device_bound("sgemm") if event["cat"] != "kernel" or event["args"]["correlation"] == 1])
        self.assertNotIn("only 1 pieces", steptime("summary", path).out)

    def test_what_to_change_first_stands_behind_the_bound(self):
        """In the head of one trace, as the largest finding says it; not where nothing is worth a warning."""
        path = write_trace(os.path.join(self.folder, "a.json"), host_bound(False))
        screen = " ".join(steptime("summary", path, env={"COLUMNS": "1000"}).out.split())
        found = steptime("summary", path, "--format", "json").json["findings"][0]
        self.assertEqual(screen.count("To change first"), 1, screen)
        self.assertIn(f"To change first ({found['rule']}): {found['message'].partition(',')[0]}", screen)
        self.assertLess(screen.index("the replay explains"), screen.index("To change first"))
        self.assertLess(screen.index("To change first"), screen.index("step, mean"))
