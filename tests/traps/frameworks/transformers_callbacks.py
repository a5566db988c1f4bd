# SPDX-License-Identifier: Apache-2.0
"""Hooks of a TrainerCallback and functions that Trainer calls in evaluation."""
import torch
from transformers import Trainer, TrainerCallback, TrainingArguments


class Norms(TrainerCallback):
    def on_train_begin(self, args, state, control, model=None, **kwargs):
        self.first = model.weight.norm().item()  # silent (once)

    def on_step_begin(self, args, state, control, model=None, **kwargs):
        self.begin = model.weight.sum().item()  # expect ST4

    def on_pre_optimizer_step(self, args, state, control, model=None, **kwargs):
        self.grads = model.weight.grad.norm().item()  # expect ST4

    def on_optimizer_step(self, args, state, control, model=None, **kwargs):
        if state.global_step % 100 == 0:
            self.after = model.weight.norm().item()  # note (gate)

    def on_substep_end(self, args, state, control, model=None, **kwargs):
        self.part = float(model.weight.grad.max())  # expect ST4

    def on_log(self, args, state, control, logs=None, **kwargs):
        self.loss = float(logs["loss"])  # silent (a float)

    def on_evaluate(self, args, state, control, model=None, metrics=None, **kwargs):
        self.weight = model.weight.sum().item()  # silent (once an evaluation)

    def on_save(self, args, state, control, model=None, **kwargs):
        self.saved = model.weight.cpu()  # silent (at a checkpoint)

    def on_prediction_step(self, args, state, control, model=None, **kwargs):
        self.seen = model.weight.sum().item()  # note (evaluation)


def choose(logits, labels):
    return logits.argmax(-1).cpu()  # note (evaluation)


def main(model, data):
    args = TrainingArguments("out")
    trainer = Trainer(model=model, args=args, train_dataset=data, eval_dataset=data, callbacks=[Norms()],
                      preprocess_logits_for_metrics=choose)
    trainer.train()
