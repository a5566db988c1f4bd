# SPDX-License-Identifier: Apache-2.0
"""A vision model: ViT-B/16 through the Trainer of transformers, with an evaluation that is never reached."""
import torch
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification


class Images(torch.utils.data.Dataset):
    def __init__(self, count):
        self.pixels = torch.randn(count, 3, 224, 224)
        self.labels = torch.randint(0, 10, (count,))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {"pixel_values": self.pixels[index], "labels": int(self.labels[index])}


def accuracy(prediction):
    return {"accuracy": (prediction.predictions.argmax(-1) == prediction.label_ids).mean()}


def main():
    model = ViTForImageClassification(ViTConfig(num_labels=10))
    arguments = TrainingArguments("out", per_device_train_batch_size=4, num_train_epochs=1, learning_rate=3e-4,
                                  eval_strategy="epoch", save_strategy="no", report_to=[], gradient_accumulation_steps=2)
    Trainer(model=model, args=arguments, train_dataset=Images(64), eval_dataset=Images(8), compute_metrics=accuracy).train()


if __name__ == "__main__":
    main()
