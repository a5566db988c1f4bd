# SPDX-License-Identifier: Apache-2.0
"""What transformers' Trainer runs each step, and what it runs now and then."""
import torch
from transformers import Trainer, TrainerCallback


class Mixed(Trainer):
    def scale_of(self, loss):
        return loss.item()  # expect ST4

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        out = model(**inputs)
        loss = out.loss * self.scale_of(out.loss)
        if self.state.global_step % self.args.logging_steps == 0:
            self.seen = loss.item()  # note (every logging_steps)
        if self.args.debug:
            self.checked = out.logits.max().item()  # note (debug)
        return loss

    def evaluation_loop(self, *args, **kwargs):
        return super().evaluation_loop(*args, **kwargs)

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        out = model(**inputs)
        return out.loss.detach(), out.logits.argmax(-1).cpu(), inputs["labels"]  # note (evaluation)


class Watch(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, **kwargs):
        if control.should_log:
            self.norm = model.weight.norm().item()  # note (should_log)
        self.largest = float(model.weight.abs().max())  # expect ST4

    def on_train_end(self, args, state, control, model=None, **kwargs):
        self.final = model.weight.norm().item()  # silent


Mixed(model=torch.nn.Linear(4, 4), callbacks=[Watch()]).train()
