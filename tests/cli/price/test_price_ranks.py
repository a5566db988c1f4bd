# SPDX-License-Identifier: Apache-2.0
"""steptime price --ranks: jobs of several ranks, of which the first is run dry."""
import unittest

from dry_real import nodes_of
from price_case import Case, rows, value
from support import INPUT, USAGE, steptime

START = """
    import os, torch, torch.distributed as dist
    from torch import nn
    dist.init_process_group("nccl")
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    assert dist.get_backend() == "nccl" and dist.get_rank() == 0
    world = dist.get_world_size()
"""
STEPS = """
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(4):
        loss = net(torch.randn(64, 1024, device="cuda")).square().mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
DDP = START + """
    net = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(10)]).cuda()
    net = nn.parallel.DistributedDataParallel(net, device_ids=[rank])
""" + STEPS
FSDP = START + """
    from torch.distributed.fsdp import fully_shard
    net = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)])
    for layer in net:
        fully_shard(layer)
    fully_shard(net)
""" + STEPS
TENSOR = START + """
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    mesh = init_device_mesh("cuda", (2, world // 2), mesh_dim_names=("data", "tensor"))
    net = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 1024)).cuda()
    parallelize_module(net, mesh["tensor"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
""" + STEPS
PIPELINE = START + """
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B
    device = torch.device("cuda", rank)
    net = nn.Sequential(*[nn.Linear(8192, 8192) for _ in range(2)]).to(device)
    schedule = Schedule1F1B(PipelineStage(net, rank, world, device), 8, loss_fn=lambda y, t: (y - t).square().mean())
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(4):
        schedule.step(torch.randn(65536, 8192, device=device))
        optimizer.step(); optimizer.zero_grad()
"""
LAYER = 4 * (1024 * 1024 + 1024)


class Ranks(Case):
    def job(self, text, ranks, *options):
        told = self.priced(text, "--ranks", ranks, *options)
        return told, rows(told, "ranks", "ranks")

    def collectives(self, told):
        return {(row["kind"], row["bytes"]): row for row in rows(told, "ranks", "collectives")}

    def kinds(self, told):
        return {row["kind"]: row["bytes"] for row in rows(told, "memory", "memory")}

    def test_data_parallel(self):
        told, jobs = self.job(DDP, "1,8,64")
        self.assertEqual([row["ranks"] for row in jobs], [1, 8, 64])
        self.assertEqual(jobs[0]["communication_us"], 0)
        self.assertLess(jobs[1]["communication_us"], jobs[2]["communication_us"])
        self.assertEqual(jobs[0]["efficiency"], 1)
        found = self.collectives(told)
        self.assertEqual({kind for kind, _ in found}, {"all_reduce"})
        self.assertEqual(sum(bytes_ * row["times"] for (_, bytes_), row in found.items()), 10 * LAYER)
        self.assertGreater(sum(row["times"] for row in found.values()), 1)  # buckets
        for row in found.values():
            self.assertEqual((row["group"], row["near"], row["basis"]), (64, 8, "analytic"))
        for row in jobs[1:]:
            self.assertLessEqual(row["exposed_us_low"], row["exposed_us"])
            self.assertLessEqual(row["exposed_us"], row["exposed_us_high"])
            self.assertLess(row["exposed_us"], row["communication_us"] + row["waiting_us"] + 1)
        kinds = self.kinds(told)
        self.assertLess(abs(kinds["communication"] - 10 * LAYER), 64 * 512)  # the buckets beside the gradients
        self.assertLess(abs(kinds["parameters"] - 10 * LAYER), 64 * 512)

    def test_a_slower_network_costs_more(self):
        _, fast = self.job(DDP, "64")
        _, slow = self.job(DDP, "64", "--network", "10Gbps")
        self.assertGreater(slow[0]["communication_us"], 5 * fast[0]["communication_us"])
        self.assertGreater(slow[0]["step_us"], 2 * fast[0]["step_us"])
        self.assertAlmostEqual(slow[0]["exposed_us"] / slow[0]["communication_us"], 1, delta=0.5)

    def test_shards(self):
        told, jobs = self.job(FSDP, "8,64")
        found = self.collectives(told)
        self.assertEqual(sorted((kind, bytes_, row["times"]) for (kind, bytes_), row in found.items()),
                         [("all_gather", LAYER, 8), ("reduce_scatter", LAYER, 4)])
        kinds = self.kinds(told)
        self.assertLess(abs(kinds["parameters"] - 4 * LAYER / 64), 8 * 512)
        self.assertLess(abs(kinds["optimizer"] - 2 * 4 * LAYER / 64), 16 * 512)
        self.assertGreater(kinds["communication"], LAYER)
        self.assertLess(jobs[1]["peak_bytes"], jobs[0]["peak_bytes"])

    def test_tensors(self):
        told, _ = self.job(TENSOR, "16")
        found = self.collectives(told)
        self.assertEqual([(kind, row["group"], row["near"]) for (kind, _), row in found.items()], [("all_reduce", 8, 8)])
        self.assertEqual({bytes_ for _, bytes_ in found}, {4 * 64 * 1024})

    def test_a_pipeline_waits_for_its_stages(self):
        told, jobs = self.job(PIPELINE, "2,8")
        found = self.collectives(told)
        self.assertEqual([(kind, row["group"], row["times"]) for (kind, _), row in found.items()],
                         [("point_to_point", 2, 16)])  # 8 pieces there and back
        self.assertGreater(jobs[0]["waiting_us"], 0)
        self.assertAlmostEqual(jobs[1]["waiting_us"] / jobs[0]["waiting_us"], 7, delta=0.01)
        self.assertGreater(jobs[1]["step_us"] - jobs[0]["step_us"], 0.5 * (jobs[1]["waiting_us"] - jobs[0]["waiting_us"]))

    def test_as_many_as_a_thousand(self):
        _, jobs = self.job(DDP, "1024")
        self.assertEqual((jobs[0]["ranks"], jobs[0]["fits"]), (1024, "yes"))

    def test_what_was_run_names_its_collectives(self):
        self.price(self.script(DDP), "--hw", "H100", "--ranks", "16", "--keep", self.path("dry.json"))
        marks = [node["name"] for node in nodes_of(self.path("dry.json")) if node["name"].startswith("steptime::comm")]
        self.assertTrue(all(" 0-15 " in mark for mark in marks))


    def test_it_fits_as_the_table_of_devices_says(self):
        """More than the tensors is taken of a device: the two tables say the same, whatever room there is."""
        script = self.script(DDP)
        held = value(self.price(script, "--hw", "H100", "--ranks", "8", "--format", "json").json, "memory", "peak_bytes")
        said = set()
        for room in (held - 4096, held + 4096, held + (700 << 20), 80 << 30):
            told = self.price(script, "--hw", "H100", "--ranks", "8", "--format", "json", "--set", f"memory_size={room}B").json
            word = rows(told, "price", "devices")[0]["fits"]
            self.assertEqual(rows(told, "ranks", "ranks")[0]["fits"], word, room)
            said.add(word)
        self.assertEqual(said, {"yes", "may not", "no"})

    def test_a_server_that_is_assumed_is_told(self):
        words = "How many GPUs a server of NVIDIA T4 has is not known: 8 are assumed"
        script = self.script(DDP)
        self.assertIn(words, " ".join(self.price(script, "--hw", "T4", "--ranks", "4").out.split()))
        self.assertNotIn("is not known", self.price(script, "--hw", "T4", "--ranks", "4", "--set", "gpus_per_server=4").out)


HIDDEN = START + """
    net = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(6)]).cuda()
    net = nn.parallel.DistributedDataParallel(net, device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        net(torch.randn(16384, 4096, device="cuda")).square().mean().backward()
        optimizer.step(); optimizer.zero_grad()
"""


class Ends(Case):
    """What is told of communication lies within its interval, and parts within the whole."""

    def check(self, row):
        for name in ("step_us", "exposed_us"):
            self.assertLessEqual(0, row[f"{name}_low"])
            self.assertLessEqual(row[f"{name}_low"], row[name], name)
            self.assertLessEqual(row[name], row[f"{name}_high"], name)
        for end in ("", "_low", "_high"):
            self.assertLessEqual(row[f"exposed_us{end}"], row[f"step_us{end}"])
        self.assertLessEqual(row["waiting_us"], row["exposed_us"])
        self.assertLessEqual(row["exposed_us"], row["communication_us"] + row["waiting_us"] + 1)

    def test_of_every_kind_of_job(self):
        for name, ranks, text in (("ddp", 16, DDP), ("hidden", 64, HIDDEN), ("fsdp", 16, FSDP), ("tensor", 16, TENSOR), ("pipeline", 8, PIPELINE)):
            with self.subTest(name):
                for row in rows(self.priced(text, "--ranks", str(ranks), "--network", "15Gbps"), "ranks", "ranks"):
                    self.check(row)
                    if name == "pipeline":  # its waiting is no message, and not as unsure as one
                        self.assertLess(row["exposed_us_high"] - row["exposed_us"], 4 * row["communication_us"])


class Ways(Case):
    """ZeRO is of the job that was run."""

    def ways(self, text, *options):
        told = self.priced(text, "--ranks", "8", "--ways", *options)
        return told, {row["way"]: row for row in rows(told, "ways", "ways")}

    def test_what_each_rank_holds_is_divided_over_those_of_the_job(self):
        told, ways = self.ways(DDP)
        as_is = ways["as it is"]
        names = [f"ZeRO {stage} over 8 ranks" for stage in (1, 2, 3)]
        self.assertEqual([name for name in ways if name.startswith("ZeRO")], names)
        one, two, three = (ways[name] for name in names)
        for way in (one, two):  # half of a sum, then parameters: as much is sent as by the sums that it has
            self.assertAlmostEqual(way["step_us"], as_is["step_us"])
        self.assertGreater(three["step_us"], as_is["step_us"])
        model = 10 * LAYER
        # of two of the optimizer, gradients and their copies in buckets a part is left, or nothing
        self.assertLess(two["memory_high_bytes"], as_is["memory_high_bytes"] - 0.8 * (2 + 1 + 1) * model)
        self.assertGreater(three["memory_high_bytes"], as_is["memory_high_bytes"] - 6 * model)
        for way in ways.values():
            if way["step_us"] is not None:
                self.assertLessEqual(way["step_us_low"], way["step_us"])
                self.assertLess(way["step_us"], way["step_us_high"])
        host = ways["the optimizer on the host"]
        self.assertGreater(host["step_us_high"] - host["step_us"], as_is["step_us_high"] - as_is["step_us"])
        self.assertEqual(as_is["step_us_high"], rows(told, "price", "devices")[0]["step_us_high"])

    def test_it_is_not_tried_where_ranks_hold_parts(self):
        for text in (FSDP, TENSOR):
            _, ways = self.ways(text)
            self.assertFalse([name for name in ways if name.startswith("ZeRO")])
            self.assertIn("the optimizer on the host", ways)


class Refusals(Case):
    def test_no_number_of_ranks(self):
        for word in ("0", "many", "4,", "-1"):
            self.assertIn("--ranks", self.price(self.script(DDP), "--hw", "H100", f"--ranks={word}", code=USAGE).err)

    def test_how_many_is_asked_for(self):
        self.assertIn("--ranks N", self.price(self.script(DDP), "--hw", "H100", code=INPUT).err)

    def test_launchers(self):
        for words in (("torchrun", "--nproc-per-node", "8", "train.py"), ("python3", "-m", "torch.distributed.run", "train.py")):
            done = steptime("price", "--hw", "H100", "--ranks", "8", "--", *words)
            self.assertEqual(done.code, USAGE)
            self.assertIn("name the script alone", done.err)

    def test_a_network_that_nobody_knows(self):
        told = self.price(self.script(DDP), "--hw", "T4", "--ranks", "64", "--format", "json").json
        self.assertIn("--network", rows(told, "ranks", "ranks")[0]["why"])


if __name__ == "__main__":
    unittest.main()
