# SPDX-License-Identifier: Apache-2.0
"""steptime price: processes that a script starts itself. The first of those that train is run in the script's own; others are left alone."""
import unittest

from price_case import Case, rows, section, value
from support import INPUT

NET = """
    import os, time, torch, torch.multiprocessing as mp
    from torch import nn
    def step(net, optimizer):
        optimizer.zero_grad()
        net(torch.randn(8, 64)).sum().backward()
        optimizer.step()
"""
# One that waits is started first, so the one that trains is not the first of all; a fresh interpreter would get no tensors without data.
SHARED = NET + """
    def watch(net):
        while True:
            time.sleep(0.1)
    def train(rank, net):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        while True:
            step(net, optimizer)
    if __name__ == "__main__":
        mp.set_start_method("spawn")
        net = nn.Linear(64, 64)
        net.share_memory()
        started = [mp.Process(target=watch, args=(net,))] + [mp.Process(target=train, args=(rank, net)) for rank in range(3)]
        for process in started:
            process.start()
        for process in started:
            process.join()
"""
# The script waits for a word of its workers, and the optimizer is its own.
WORKERS = NET + """
    class Worker(mp.Process):
        def __init__(self, net, optimizer, words):
            super().__init__()
            self.net, self.optimizer, self.words = net, optimizer, words
        def run(self):
            for _ in range(9):
                step(self.net, self.optimizer)
                self.words.put(torch.ones(2))
            self.words.put(None)
    if __name__ == "__main__":
        net = nn.Linear(64, 64)
        optimizer, words = torch.optim.Adam(net.parameters()), mp.Queue()
        workers = [Worker(net, optimizer, words) for _ in range(2)]
        for worker in workers:
            worker.start()
        while words.get() is not None:
            pass
"""
JOB = NET + """
    def main(rank, size):
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29500")
        torch.distributed.init_process_group("gloo", rank=rank, world_size=size)
        net = nn.parallel.DistributedDataParallel(nn.Linear(64, 64))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            step(net, optimizer)
    if __name__ == "__main__":
        started = [mp.Process(target=main, args=(rank, 2)) for rank in range(2)]
        for process in started:
            process.start()
        for process in started:
            process.join()
"""
# What it starts computes for it: that goes on, and its word comes.
HELPER = NET + """
    def answer(questions, answers):
        answers.put(questions.get() + 1)
    if __name__ == "__main__":
        questions, answers = mp.Queue(), mp.Queue()
        mp.Process(target=answer, args=(questions, answers)).start()
        questions.put(torch.arange(3))
        assert answers.get().tolist() == [1, 2, 3]
        net = nn.Linear(64, 64)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        while True:
            step(net, optimizer)
"""
SAID = "processes that train: the first of them is run here"


class Processes(Case):
    def said(self, told):
        found = rows(told, "dry_run", "stand_ins") if section(told, "dry_run")["tables"] else []
        return [row["call"] for row in found if "processes" in row["call"]]

    def test_the_first_that_trains_is_run_here(self):
        for text in (SHARED, WORKERS):
            told = self.priced(text)
            self.assertEqual(value(told, "dry_run", "steps"), 3)
            self.assertEqual(self.said(told), [SAID])

    def test_ranks(self):
        told = self.priced(JOB, "--ranks", "2")
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        done = self.price(self.script(JOB), "--hw", "H100", code=INPUT)
        self.assertIn(self.line_of("init_process_group"), done.err)
        self.assertIn("--ranks 2", done.err)

    def test_a_helper_is_left_alone(self):
        told = self.priced(HELPER)
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertEqual(self.said(told), [])


if __name__ == "__main__":
    unittest.main()
