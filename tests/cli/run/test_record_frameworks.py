# SPDX-License-Identifier: Apache-2.0
"""steptime record on loops that are not the user's own: Accelerate, Lightning, transformers, a notebook that nbconvert runs.
Each case skips where its package is absent; STEPTIME_FRAMEWORKS_PYTHON names an interpreter that has them."""
import functools
import json
import os
import subprocess
import textwrap
import unittest

from support import OK
from test_record import Case as Recording, events_of
from torch_python import torch_python

QUIET = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false", "WANDB_MODE": "disabled"}


@functools.lru_cache
def python_with(*packages):
    python = os.environ.get("STEPTIME_FRAMEWORKS_PYTHON") or torch_python()
    tried = subprocess.run([python, "-c", "\n".join(f"import {package}" for package in packages)], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, check=False)
    if tried.returncode:
        raise unittest.SkipTest(f"no {' or '.join(packages)}: {tried.stderr.strip().splitlines()[-1]}")
    return python


class Frameworks(Recording):
    def check(self, done, name="train", steps=range(12, 17)):
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.traces(), [f"{name}.json.gz"], done.err)
        self.assertIn(f"{name}.json.gz: 5 steps, with stacks", done.err)
        self.assertTrue(os.path.exists(os.path.join(self.out, f"{name}.steps.json")))
        events = events_of(os.path.join(self.out, f"{name}.json.gz"))
        marked = sorted({event["name"] for event in events if event["name"].startswith("ProfilerStep#")})
        self.assertEqual(marked, [f"ProfilerStep#{n}" for n in steps])
        return events

    def frames(self, events):
        return {event["name"].split(": ")[-1] for event in events if event.get("cat") == "python_function"}

    def test_accelerate_with_accumulation(self):
        """A step of the wrapped optimizer that only gathers gradients is none."""
        python = python_with("torch", "accelerate")
        path = self.script("""
            import torch, accelerate
            help = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2)
            net = torch.nn.Linear(16, 1)
            data = torch.utils.data.DataLoader(torch.ones(240, 16), batch_size=4)
            net, optimizer, data = help.prepare(net, torch.optim.AdamW(net.parameters()), data)
            steps = 0
            def loss_of(batch):
                return net(batch).pow(2).mean()
            for batch in data:
                with help.accumulate(net):
                    help.backward(loss_of(batch))
                    optimizer.step()
                    optimizer.zero_grad()
                    steps += help.sync_gradients
            print("steps", steps)
        """, train=False)
        done = self.record(python, path, environment=QUIET)
        self.assertEqual(done.out, "steps 30\n", done.err)
        events = self.check(done)
        self.assertIn("loss_of", self.frames(events))
        self.assertEqual(sum(event["name"] == "aten::linear" for event in events), 10)  # two batches a step

    def test_lightning(self):
        python = python_with("torch", "lightning")
        path = self.script("""
            import torch, lightning
            class Net(lightning.LightningModule):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(16, 1)
                def training_step(self, batch, index):
                    return self.layer(batch).pow(2).mean()
                def configure_optimizers(self):
                    return torch.optim.Adam(self.parameters())
            data = torch.utils.data.DataLoader(torch.ones(160, 16), batch_size=4)
            trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
                                        enable_progress_bar=False, enable_model_summary=False)
            trainer.fit(Net(), data)
            print("steps", trainer.global_step)
        """, train=False)
        done = self.record(python, path, environment=QUIET)
        self.assertEqual(done.out.strip().splitlines()[-1], "steps 40", done.err)
        self.assertIn("training_step", self.frames(self.check(done)))

    def test_the_trainer_of_transformers(self):
        python = python_with("torch", "transformers", "accelerate")
        path = self.script("""
            import os, torch, transformers
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(16, 1)
                def forward(self, x, labels=None):
                    return {"loss": (self.layer(x) - labels).pow(2).mean()}
            data = [{"x": torch.ones(16), "labels": torch.ones(1)} for _ in range(160)]
            options = transformers.TrainingArguments(os.path.join(os.path.dirname(__file__), "to"), max_steps=40,
                per_device_train_batch_size=4, use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True)
            trainer = transformers.Trainer(Net(), options, train_dataset=data)
            trainer.train()
            print("steps", trainer.state.global_step)
        """, train=False)
        done = self.record(python, path, environment=QUIET)
        self.assertEqual(done.out.strip().splitlines()[-1], "steps 40", done.err)
        self.assertIn("training_step", self.frames(self.check(done)))

    def test_a_notebook(self):
        python = python_with("torch", "nbconvert", "ipykernel")
        cells = ["import torch\nnet = torch.nn.Linear(16, 1)\noptimizer = torch.optim.Adam(net.parameters())",
                 "def body():\n    loss = net(torch.ones(4, 16)).pow(2).mean()\n    optimizer.zero_grad(); loss.backward();"
                 " optimizer.step()",
                 "for _ in range(40): body()"]
        book = {"nbformat": 4, "nbformat_minor": 5,
                "metadata": {"kernelspec": {"name": "python3", "display_name": "python3", "language": "python"}},
                "cells": [{"id": f"c{i}", "cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                           "source": textwrap.dedent(text)} for i, text in enumerate(cells)]}
        path = os.path.join(self.folder, "train.ipynb")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(book, out)
        done = self.record(python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output",
                           os.path.join(self.folder, "done.ipynb"), path,
                           environment={**QUIET, "HOME": self.folder, "JUPYTER_PATH": self.folder})
        self.assertTrue(os.path.exists(os.path.join(self.folder, "done.ipynb")), done.err)
        self.assertIn("body", self.frames(self.check(done)))


del Recording  # its cases run in their own file

if __name__ == "__main__":
    unittest.main()
