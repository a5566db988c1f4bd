# SPDX-License-Identifier: Apache-2.0
"""A speech model: wav2vec 2.0 with CTC through the Trainer of transformers; its masks over time are drawn by NumPy. With
SMALL in the environment of two layers, narrower, and all of a length: which items come together is drawn."""
import os

import torch
from transformers import Trainer, TrainingArguments, Wav2Vec2Config, Wav2Vec2ForCTC


class Speech(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        seconds = 1 if os.environ.get("SMALL") else 1 + index % 2
        return {"input_values": torch.randn(16000 * seconds), "labels": torch.tensor([1 + (index + place) % 31 for place in range(8 * seconds)])}


def collate(items):
    def padded(name, value):
        return torch.nn.utils.rnn.pad_sequence([item[name] for item in items], batch_first=True, padding_value=value)
    return {"input_values": padded("input_values", 0.0), "labels": padded("labels", -100)}


def main():
    small = {"num_hidden_layers": 2, "hidden_size": 192, "intermediate_size": 768, "conv_dim": (128,) * 7} if os.environ.get("SMALL") else {}
    model = Wav2Vec2ForCTC(Wav2Vec2Config(ctc_loss_reduction="mean", **small))
    model.freeze_feature_encoder()
    arguments = TrainingArguments("out", per_device_train_batch_size=2, max_steps=12, report_to=[], save_strategy="no",
                                  logging_steps=2)
    Trainer(model=model, args=arguments, train_dataset=Speech(), data_collator=collate).train()


if __name__ == "__main__":
    main()
