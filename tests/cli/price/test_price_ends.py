# SPDX-License-Identifier: Apache-2.0
"""steptime price: scripts that start their ranks themselves, make steps without an optimizer, or end without one."""
import json
import os
import shlex
import unittest

from again import interpreter
from dry_real import nodes_of
from price_case import Case, rows, value
from support import INPUT, OK, steptime

SPAWNED = """
    import os, torch, torch.multiprocessing as mp
    from torch.distributed import init_process_group, get_world_size
    from torch.nn.parallel import DistributedDataParallel
    def main(rank, world, width):
        assert torch.distributed.is_nccl_available()
        init_process_group("nccl", rank=rank, world_size=world)
        assert get_world_size() == world
        net = DistributedDataParallel(torch.nn.Linear(width, width).to(rank), device_ids=[rank])
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            net(torch.randn(8, width).to(rank)).sum().backward()
            optimizer.step()
    if __name__ == "__main__":
        world = WORLD
        mp.spawn(main, args=(world, 64), nprocs=world, join=True)
"""

BY_HAND = """
    import torch
    weight = torch.randn(64, 32, requires_grad=True, device="cuda")
    for _ in range(9):
        loss = (torch.randn(16, 64, device="cuda") @ weight).square().sum()
        loss.backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
            weight.grad = None
"""


STEPS = """
            import torch
            def make(count):
                p = torch.ones(3, requires_grad=True)
                optimizer = torch.optim.SGD([p], lr=1.0)
                for _ in range(count):
                    p.sum().backward()
                    optimizer.step()
"""

NO_OPTIMIZER = "step() of an optimizer: there is none, steps end with backward()"


def stand_ins(told):
    return {(row["place"], row["call"]) for row in rows(told, "dry_run", "stand_ins")}


FEW = """
    import torch
    norm = torch.nn.BatchNorm1d(64)
    optimizer = torch.optim.SGD(norm.parameters(), lr=0.1)
    for step in range(COUNT):
        norm(torch.randn(8, 64)).sum().backward()
        optimizer.step()
        if step:
            torch.zeros(7, 13)
"""


class Observed(Case):
    """The first step and the last; where fewer are made than were asked for, the last of those."""
    def steps_of(self, count, end=""):
        told = self.priced(FEW.replace("COUNT", str(count)) + end, "--keep", self.path("dry.json"))
        nodes = nodes_of(self.path("dry.json"))
        steps = {node["id"]: node["name"] for node in nodes if node["name"].startswith("ProfilerStep")}
        return told, {steps[node["ctrl_deps"]] for node in nodes if node["ctrl_deps"] in steps and node["name"].startswith("Optimizer.step")}

    def test_the_last_of_all(self):
        told, whole = self.steps_of(9)
        self.assertEqual((value(told, "dry_run", "steps"), whole), (3, {"ProfilerStep#2"}))
        kinds = {row["kind"]: row["bytes"] for row in rows(told, "memory", "memory")}
        self.assertEqual((kinds["parameters"], kinds["buffers"]), (2 * 512, 3 * 512))  # of the script's first module

    def test_gradients_die_when_they_are_dropped(self):
        """Behind a step all objects are looked through, which holds none of them."""
        wide = FEW.replace("COUNT", "9").replace("torch.nn.BatchNorm1d(64)", "torch.nn.Linear(1024, 1024)").replace("(8, 64)", "(4096, 1024)")
        told = self.priced(wide.replace("optimizer.step()", "optimizer.step()\n        optimizer.zero_grad()"))
        held = {row["kind"]: row["bytes"] for row in rows(told, "memory", "memory")}
        self.assertLess(held.get("gradients", 0), 4 << 20)

    def test_the_last_of_those_that_are_made(self):
        for count, step in ((1, "ProfilerStep#0"), (2, "ProfilerStep#1")):
            told, whole = self.steps_of(count)
            self.assertEqual((value(told, "dry_run", "steps"), whole), (count, {step}))

    def test_the_last_before_an_error(self):
        end = "    raise ValueError('over')\n"
        told, whole = self.steps_of(2, end)
        self.assertEqual((value(told, "dry_run", "steps"), whole), (2, {"ProfilerStep#1"}))
        self.assertIn("ValueError: over", self.price(self.path("train.py"), "--hw", "H100").out)

    def test_streams_are_those_that_were_chosen_before(self):
        chosen = FEW.replace("optimizer =", "torch.cuda.set_stream(torch.cuda.Stream())\n    optimizer =").replace("COUNT", "9")
        self.priced(chosen, "--keep", self.path("dry.json"))
        self.assertIn("steptime::stream 1", {node["name"] for node in nodes_of(self.path("dry.json"))})


class Starting(Case):
    def spawned(self, world):
        return SPAWNED.replace("WORLD", world)

    def test_the_first_of_those_that_it_starts_is_run(self):
        told = self.priced(self.spawned("torch.cuda.device_count()"), "--ranks", "2")
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertIn((self.line_of("mp.spawn"), "spawn of 2: the first is run here, as rank 0 of 2"), stand_ins(told))
        self.assertEqual({row["group"] for row in rows(told, "ranks", "collectives")}, {2})

    def test_one_is_a_job_of_one(self):
        told = self.priced(self.spawned("torch.cuda.device_count()"))
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertIn((self.line_of("init_process_group("), "other ranks: it is run as a job of one; see --ranks"), stand_ins(told))

    def test_of_several_it_is_asked_how_many(self):
        done = self.price(self.script(self.spawned("4")), "--hw", "H100", code=INPUT)
        self.assertIn(self.line_of("mp.spawn"), done.err)
        self.assertIn("--ranks 4", done.err)

    def test_ranks_that_call_each_other(self):
        script = self.script("""
            import torch.multiprocessing as mp
            import torch.distributed.rpc as rpc
            def main(rank):
                rpc.init_rpc("worker", rank=rank, world_size=2)
            if __name__ == "__main__":
                mp.spawn(main, nprocs=2)
        """)
        for options in ((), ("--ranks", "2")):
            done = self.price(script, "--hw", "H100", *options, code=INPUT)
            self.assertIn("RPC", done.err)
            self.assertIn(self.line_of("mp.spawn"), done.err)

    def test_who_asks_for_what_only_a_job_has(self):
        done = self.price(self.script("""
            import os, torch
            rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID")))
        """), "--hw", "H100", code=INPUT)
        self.assertIn(self.line_of("SLURM"), done.err)
        self.assertIn("it asks for RANK, which a job has", done.err)

    def test_an_error_beside_such_a_line_is_its_own(self):
        done = self.price(self.script("""
            import os, torch
            world = int(os.environ.get("WORLD_SIZE", 1))
            known = {}
            try:
                known["width"]
            except KeyError:
                raise RuntimeError("x" * 90 + " the end")
        """), "--hw", "H100", code=INPUT)
        self.assertIn("x the end", done.err)
        self.assertNotIn("--ranks", done.err)

    def test_a_name_that_is_missing_is_told_once(self):
        done = self.price(self.script("""
            import os, torch
            world = int(os.environ["WORLD_SIZE"])
        """), "--hw", "H100", code=INPUT)
        self.assertIn("it asks for WORLD_SIZE, which a job has", done.err)
        self.assertEqual(done.err.count("--ranks"), 1)

    def test_another_name_that_is_missing_is_none_of_a_job(self):
        done = self.price(self.script("""
            import os, torch
            world = int(os.environ.get("WORLD_SIZE", 1))
            width = {}["width"]
        """), "--hw", "H100", code=INPUT)
        self.assertIn("KeyError: 'width'", done.err)
        self.assertNotIn("--ranks", done.err)

    def test_what_it_did_not_ask_itself_is_no_reason(self):
        """init_process_group() without a size: how large the job is was looked up for it."""
        done = self.price(self.script("""
            import torch
            torch.distributed.init_process_group("gloo")
        """), "--hw", "H100", code=INPUT)
        self.assertIn("this is a job of several ranks", done.err)
        self.assertNotIn("it asks for", done.err)
        self.assertEqual(done.err.count("say how many"), 1)


class ByHand(Case):
    def test_steps_end_with_backward(self):
        self.python = interpreter(self.folder, self.python)
        told = self.priced(BY_HAND)
        shown = " ".join(self.price(self.path("train.py"), "--hw", "H100").out.split())
        self.assertIn("Steps end with backward() at", shown)
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertIn((self.line_of("loss.backward"), NO_OPTIMIZER), stand_ins(told))
        self.assertEqual(value(told, "step", "flops"), 2 * 2 * 16 * 64 * 32)
        kinds = {row["kind"]: row["bytes"] for row in rows(told, "memory", "memory")}
        self.assertEqual(kinds["parameters"], 4 * 64 * 32)

    def test_an_optimizer_that_comes_later_makes_the_steps(self):
        told = self.priced("""
            import torch
            net = torch.nn.Linear(64, 32)
            net(torch.randn(16, 64)).sum().backward()
            net(torch.randn(16, 64)).sum().backward()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(4):
                for _ in range(2):
                    net(torch.randn(16, 64)).sum().backward()
                optimizer.step()
        """)
        self.assertNotIn(NO_OPTIMIZER, json.dumps(told))
        self.assertEqual(value(told, "step", "flops"), 2 * 2 * 2 * 16 * 64 * 32)

    def test_set_up_by_hand_is_no_step(self):
        """Two of these would be steps of other samples, and the third of the training would be left out."""
        told = self.priced("""
            import torch
            net = torch.nn.Linear(64, 32)
            for _ in range(3):
                net(torch.randn(512, 64)).sum().backward()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(3):
                optimizer.zero_grad()
                net(torch.randn(16, 64)).sum().backward()
                optimizer.step()
        """)
        self.assertNotIn(NO_OPTIMIZER, json.dumps(told))
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertEqual(value(told, "step", "samples"), 16)
        self.assertEqual(value(told, "step", "flops"), 2 * 2 * 16 * 64 * 32)

    def test_an_optimizer_that_makes_no_step_behind_set_up_by_hand(self):
        done = self.price(self.script("""
            import torch
            net = torch.nn.Linear(64, 32)
            for _ in range(2):
                net(torch.randn(16, 64)).sum().backward()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        """), "--hw", "H100", code=INPUT)
        self.assertIn("no step() of its optimizer", done.err)


class Ending(Case):
    def why(self, text, *options):
        return self.price(self.script(text), "--hw", "H100", *options, code=INPUT).err

    def test_where_it_left_and_what_it_said(self):
        told = self.why("""
            import sys, torch
            if torch.cuda.device_count() < 2:
                print("this needs two")
                sys.exit()
        """)
        for part in ("without a step", f"it left at {self.line_of('sys.exit')}", "it printed last 'this needs two'", "--ranks N"):
            self.assertIn(part, told)

    def test_quit_with_a_reason(self):
        told = self.why("import torch\nquit('no such library')\n")
        self.assertIn("train.py:2 by exit(no such library)", told)

    def test_an_optimizer_that_makes_no_step(self):
        told = self.why("import torch\np = torch.ones(3, requires_grad=True)\no = torch.optim.SGD([p], lr=1.0)\np.sum().backward()\n")
        self.assertIn("it came to its end", told)
        self.assertIn(f"no step() of its optimizer ({self.path('train.py')}:3)", told)
        self.assertIn(":4", told)

    def test_where_it_is_when_the_time_is_up(self):
        """The time is that of all, also of what starts the interpreter; importing may take all that is left."""
        slow = self.script(f'''
            #!/bin/sh
            sleep 2
            exec {shlex.quote(self.python)} "$@"
        '''.lstrip(), "slow")
        os.chmod(slow, 0o755)
        self.python = slow
        self.assertIn("it is at " + self.path("train.py") + ":2",
                      self.why("import time\nimport torch; time.sleep(60)\n", "--limit", "8"))

    def test_a_download(self):
        told = self.why("import torch, urllib.request\nurllib.request.urlopen('http://nowhere.invalid/x')\n")
        self.assertIn("train.py:2", told)
        self.assertIn("--batch-shape", told)

    def test_a_module_beside_the_script_in_the_place_of_a_package(self):
        self.script("", "json_lines.py")
        told = self.why("import torch\nfrom json_lines import load\n")
        self.assertIn("json_lines.py goes before a package of that name (where another is meant, rename it)", told)

    def test_known_values_are_numbers_of_numpy_too(self):
        self.priced("""
            import torch
            assert torch.arange(5).numpy().tolist() == [0, 1, 2, 3, 4] and torch.tensor([3, 4]).detach().cpu().numpy()[1] == 4
            torch.arange(5).share_memory_()
            p = torch.ones(3, requires_grad=True)
            optimizer = torch.optim.SGD([p], lr=1.0)
            for _ in range(3):
                p.sum().backward()
                optimizer.step()
        """)

    def test_files_of_a_library_that_opens_them_itself_are_of_its_class(self):
        """pyarrow's: a stand-in, of which the files go elsewhere and scripts may derive."""
        self.script('''
            class OSFile:
                def __new__(cls, path, mode="r"):
                    one = super().__new__(cls)
                    one.path = path
                    return one

            def memory_map(path, mode="r"):
                return path
        ''', "pyarrow.py")
        self.priced(STEPS + '''
            import os, pyarrow
            class Own(pyarrow.OSFile):
                pass
            for kind in pyarrow.OSFile, Own:
                one = kind("table", "wb")
                assert isinstance(one, kind) and isinstance(one, pyarrow.OSFile)
                assert os.path.realpath(one.path) != os.path.realpath("table")
            assert issubclass(Own, pyarrow.OSFile) and not isinstance(pyarrow.OSFile("table", "wb"), Own)
            assert pyarrow.OSFile.__name__ == "OSFile" and pyarrow.memory_map("nowhere") == "nowhere"
            make(3)
        ''')

    def test_nothing_is_written_beside_data_in_the_temporary_folder(self):
        """The script lies in a folder of its own, the data in another that was there."""
        os.makedirs(self.path("data"))
        os.makedirs(self.path("scripts"))
        script = self.script("""
            import os, torch
            open(os.path.join(os.path.dirname(__file__), "..", "data", "cache"), "w").write("made")
            p = torch.ones(3, requires_grad=True)
            optimizer = torch.optim.SGD([p], lr=1.0)
            for _ in range(3):
                p.sum().backward()
                optimizer.step()
        """, os.path.join("scripts", "train.py"))
        done = steptime("price", "--hw", "H100", "--python", self.python, script, cwd=self.path("scripts"))
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(os.listdir(self.path("data")), [])


if __name__ == "__main__":
    unittest.main()
