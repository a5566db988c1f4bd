# SPDX-License-Identifier: Apache-2.0
"""A speech model: wav2vec 2.0 with CTC through the Trainer of transformers; its masks over time are drawn by NumPy."""
import torch
from transformers import Trainer, TrainingArguments, Wav2Vec2Config, Wav2Vec2ForCTC


class Speech(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        seconds = 1 + index % 2
        return {"input_values": torch.randn(16000 * seconds), "labels": torch.tensor([1 + (index + place) % 31 for place in range(8 * seconds)])}


def collate(items):
    def padded(name, value):
        return torch.nn.utils.rnn.pad_sequence([item[name] for item in items], batch_first=True, padding_value=value)
    return {"input_values": padded("input_values", 0.0), "labels": padded("labels", -100)}


def main():
    model = Wav2Vec2ForCTC(Wav2Vec2Config(ctc_loss_reduction="mean"))
    model.freeze_feature_encoder()
    arguments = TrainingArguments("out", per_device_train_batch_size=2, max_steps=12, report_to=[], save_strategy="no",
                                  logging_steps=2)
    Trainer(model=model, args=arguments, train_dataset=Speech(), data_collator=collate).train()


if __name__ == "__main__":
    main()
