# SPDX-License-Identifier: Apache-2.0
"""transformers' Trainer: what runs each step, and what its methods are given."""
import torch
from transformers import Seq2SeqTrainer, Trainer, TrainingArguments
from transformers.trainer_pt_utils import nested_detach, nested_numpify


class Counted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        self.args.device  # silent
        mask = inputs["attention_mask"].to(self.args.device)  # silent (the loader has moved it)
        longest = int(mask.sum(-1).max())  # expect ST4
        outputs = model(**inputs)
        loss = outputs.loss * longest
        kept = nested_detach(outputs.logits)  # silent (it stays on the device)
        self.shape = kept.shape  # silent
        return loss / int(num_items_in_batch)  # expect ST4

    def get_batch_samples(self, epoch_iterator, num_batches, device):
        samples, count = super().get_batch_samples(epoch_iterator, num_batches, device)
        self.counts.append(count.item())  # expect ST4
        return samples, count


class Arrays(Seq2SeqTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        self.arrays = nested_numpify(outputs.logits)  # expect ST4
        return outputs.loss


class Twice(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        start = inputs["labels"].max().item()  # expect ST4
        loss = super().training_step(model, inputs, num_items_in_batch)
        self.shown = f"{loss:.3f} {start}"  # note (the filter reads the same loss next)
        return loss

    def evaluate(self, *args, **kwargs):
        metrics = super().evaluate(*args, **kwargs)
        self.model.weight.norm().item()  # silent (once an evaluation)
        return metrics

    def save_model(self, *args, **kwargs):
        print(self.model.weight.sum().item())  # silent (at a checkpoint)
        super().save_model(*args, **kwargs)


class Lists(Trainer):
    def _prepare_inputs(self, inputs):
        prepared = super()._prepare_inputs(inputs)
        self.rows = prepared["labels"].shape[0]  # silent
        return prepared

    def create_optimizer(self):
        total = sum(p.norm().item() for p in self.model.parameters())  # silent (once)
        return super().create_optimizer()


def main(model, data):
    args = TrainingArguments("out", max_steps=100)
    for kind in (Counted, Arrays, Twice, Lists):
        kind(model=model, args=args, train_dataset=data).train()
