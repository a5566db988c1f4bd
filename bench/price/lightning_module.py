# SPDX-License-Identifier: Apache-2.0
"""A module of Lightning: a small Llama of transformers, with a validation before the first step."""
import lightning
import torch
from transformers import LlamaConfig, LlamaForCausalLM

CONFIG = {"hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 8, "num_attention_heads": 12,
          "num_key_value_heads": 4, "vocab_size": 32000}


class Language(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = LlamaForCausalLM(LlamaConfig(**CONFIG))

    def training_step(self, batch, _):
        words, = batch
        loss = self.model(input_ids=words, labels=words).loss
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        words, = batch
        self.log("val_loss", self.model(input_ids=words, labels=words).loss)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=3e-4, weight_decay=0.1)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)}


def loader(count):
    words = torch.utils.data.TensorDataset(torch.randint(0, CONFIG["vocab_size"], (count, 128)))
    return torch.utils.data.DataLoader(words, batch_size=2, num_workers=1)


def main():
    trainer = lightning.Trainer(max_steps=12, logger=False, gradient_clip_val=1.0, log_every_n_steps=1)
    trainer.fit(Language(), loader(32), loader(4))


if __name__ == "__main__":
    main()
