# SPDX-License-Identifier: Apache-2.0
"""steptime price: what loading data takes, timed behind the dry run with data, and what it makes of a step."""
import unittest

from price_case import Case, rows, value

SLEEP_MS = 20  # a sample
BATCH = 4

SCRIPT = """
    import time
    import torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset

    def sample(at):
        time.sleep(SLEEP_MS / 1000)
        return torch.tensor([float(at)] * 32)

    class Slow(Dataset):
        def __len__(self):
            return 64
        def __getitem__(self, at):
            return sample(at)

    class Stream(IterableDataset):
        def __iter__(self):
            return map(sample, range(64))

    class Kept(Slow):
        def __init__(self):
            self.samples = {"x": [torch.randn(32) for _ in range(64)]}
        def __getitem__(self, at):
            return self.samples["x"][at]

    class Ends(Slow):
        left = 3 * BATCH
        def __getitem__(self, at):
            self.left -= 1
            if self.left < 0:
                raise ValueError("no more of it")
            return torch.ones(32)

    class Dies(Ends):
        def __getitem__(self, at):
            self.left -= 1
            if self.left < 0:
                import ctypes
                ctypes.string_at(0)
            return torch.ones(32)

    net = torch.nn.Linear(32, 32).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in DataLoader(DATA, batch_size=BATCH):
        net(x.cuda()).sum().backward()
        optimizer.step()
"""


class Loading(Case):
    def of(self, data, *options, batch=str(BATCH)):
        return self.priced(SCRIPT.replace("batch_size=BATCH", f"batch_size={batch}").replace("BATCH", str(BATCH))
                           .replace("SLEEP_MS", str(SLEEP_MS)).replace("DATA", data), *options)

    def device(self, told):
        return rows(told, "price", "devices")[0]

    def test_the_training_thread_loads(self):
        told = self.of("Slow()", "--batch", f"{BATCH},{2 * BATCH}")
        of_batch = value(told, "loading", "load_batch_us")
        self.assertGreaterEqual(of_batch, 1000 * SLEEP_MS * BATCH)
        self.assertLess(value(told, "loading", "load_worked"), 0.5)  # it sleeps
        self.assertEqual(value(told, "loading", "load_own_us"), of_batch)
        device = self.device(told)
        self.assertEqual(device["bound"], "loading")
        self.assertAlmostEqual(device["step_us"], of_batch + device["without_loading_us"], delta=0.02 * of_batch)
        self.assertGreater(device["enough_workers"], 10)
        one, two = (row["step_us"] for row in rows(told, "sweep", "sweep"))
        self.assertEqual(one, device["step_us"])
        self.assertAlmostEqual(two, 2 * of_batch + device["without_loading_us"], delta=0.02 * of_batch)

    def test_workers_load(self):
        told = self.of("Stream()", batch=f"{BATCH}, num_workers=4")
        self.assertEqual(value(told, "loading", "load_workers"), 4)
        feed = value(told, "loading", "load_feed_us")
        self.assertAlmostEqual(4 * feed, value(told, "loading", "load_batch_us"), delta=1)
        device = self.device(told)
        self.assertAlmostEqual(device["step_us"], feed, delta=0.01 * feed)  # no shorter, and nothing else is as long
        self.assertLess(device["without_loading_us"], device["step_us"])
        self.assertEqual(device["bound"], "loading")

    def test_tensors_that_the_dataset_keeps(self):
        told = self.of("Subset(Kept(), range(32))")
        self.assertLess(value(told, "loading", "load_batch_us"), 1000 * SLEEP_MS)
        self.assertEqual(self.device(told)["bound"], "host")

    def test_what_cannot_be_timed(self):
        told = self.of("Ends()")
        self.assertIsNone(value(told, "loading", "load_batch_us"))
        words = value(told, "loading", "load_unknown")
        self.assertIn("ValueError: no more of it", words)
        self.assertIn(self.line_of("DataLoader(").rpartition("/")[2], words)

    def test_what_dies_with_data_takes_nothing_else_with_it(self):
        told = self.of("Dies()")
        self.assertEqual(value(told, "dry_run", "steps"), 3)
        self.assertIn("it died or hung with data", value(told, "loading", "load_unknown"))

    def test_left_out(self):
        told = self.of("Slow()", "--no-loading")
        self.assertNotIn("loading", [part["id"] for part in told["sections"]])
        self.assertLess(self.device(told)["step_us"], 1000 * SLEEP_MS)


if __name__ == "__main__":
    unittest.main()
