# SPDX-License-Identifier: Apache-2.0
"""A loop of its own with Accelerate: BERT, sentences of unlike lengths, gradients accumulated."""
import torch
from accelerate import Accelerator
from transformers import BertConfig, BertForSequenceClassification, get_linear_schedule_with_warmup


def collate(lengths):
    longest = max(lengths)
    mask = torch.zeros(len(lengths), longest, dtype=torch.long)
    for row, length in enumerate(lengths):
        mask[row, :length] = 1
    return {"input_ids": torch.randint(0, 30522, (len(lengths), longest)), "attention_mask": mask,
            "labels": torch.randint(0, 2, (len(lengths),))}


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    model = BertForSequenceClassification(BertConfig(num_labels=2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = torch.utils.data.DataLoader([96, 128, 64, 128] * 16, batch_size=4, collate_fn=collate, shuffle=False)
    schedule = get_linear_schedule_with_warmup(optimizer, 10, 100)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    model.train()
    total = 0.0
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            total += loss.detach().float()
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        accelerator.print(accelerator.gather(loss).mean().item())


if __name__ == "__main__":
    main()
