# SPDX-License-Identifier: Apache-2.0
"""A language model: GPT-2 through the Trainer of transformers."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        words = torch.randint(0, 50257, (128,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": words, "labels": words}


def main():
    model = GPT2LMHeadModel(GPT2Config())
    arguments = TrainingArguments("out", per_device_train_batch_size=4, max_steps=12, logging_steps=1, report_to=[],
                                  save_strategy="no", warmup_steps=2)
    Trainer(model=model, args=arguments, train_dataset=Words()).train()


if __name__ == "__main__":
    main()
