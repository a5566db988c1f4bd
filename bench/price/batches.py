# SPDX-License-Identifier: Apache-2.0
"""Small trainings with loaders, for bench/price_fallback.py: `batches.py NAME BATCH [whole]`. They put all on the GPU that they are told
of. whole: batches come whole, so that no other batch can be had."""
import sys

import torch
from torch import nn
from torch.nn import functional as F

STEPS = 4
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Items(torch.utils.data.Dataset):
    def __init__(self, make):
        self.make = make

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        return self.make(torch.Generator().manual_seed(index), index)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                                  nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.short = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        return (self.body(x) + self.short(x)).relu()


def image(generator, index):
    return torch.randn(3, 64, 64, generator=generator), index % 100


def words(length, most):
    def item(generator, _):
        return torch.randint(0, most, (length,), generator=generator)
    return item


def perceptron():
    model = nn.Sequential(nn.Linear(784, 2048), nn.ReLU(), nn.Dropout(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 10))
    return model, lambda g, i: (torch.randn(784, generator=g), i % 10), lambda m, x, y: F.cross_entropy(m(x), y), None


def residual():
    model = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Block(64, 64, 1),
                          Block(64, 128, 2), Block(128, 256, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100))
    return model, image, lambda m, x, y: F.cross_entropy(m(x), y), None


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(8000, 512), nn.Embedding(256, 512)
        layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.1)
        self.layers, self.out = nn.TransformerEncoder(layer, 4), nn.Linear(512, 8000)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device)
        x = self.words(x) + self.places(torch.arange(x.shape[1], device=x.device))
        return self.out(self.layers(x, mask=mask, is_causal=True))


def encoder():
    def loss(model, x):
        with torch.autocast(DEVICE, torch.bfloat16):
            return F.cross_entropy(model(x)[:, :-1].flatten(0, 1), x[:, 1:].flatten())
    return Encoder(), words(128, 8000), loss, None


def language():
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=512, n_head=8, vocab_size=8000))
    return model, words(256, 8000), lambda m, x: m(input_ids=x, labels=x).loss, None


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.body, self.out = nn.Embedding(5000, 256), nn.LSTM(256, 512, 2, batch_first=True), nn.Linear(512, 5000)

    def forward(self, x):
        return self.out(self.body(self.words(x))[0])


def recurrent():
    return Recurrent(), words(35, 5000), lambda m, x: F.cross_entropy(m(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()), None


class Tables(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, 64, mode="sum") for rows in (20000, 5000, 1000))
        self.bottom, self.top = nn.Sequential(nn.Linear(13, 256), nn.ReLU(), nn.Linear(256, 64)), nn.Sequential(
            nn.Linear(70, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, dense, rows, offsets):
        x = self.bottom(dense)
        all_ = torch.stack([x] + [table(row, offsets) for table, row in zip(self.tables, rows)], 1)
        products = torch.bmm(all_, all_.transpose(1, 2))
        i, j = torch.tril_indices(4, 4, -1)
        return self.top(torch.cat([x, products[:, i, j]], 1))


def tables():
    def item(generator, index):
        return torch.randn(13, generator=generator), [torch.randint(0, n, (5,), generator=generator) for n in (20000, 5000, 1000)], float(index % 2)

    def collate(items):
        dense, rows, labels = zip(*items)
        return (torch.stack(dense), [torch.cat(one) for one in zip(*rows)], torch.arange(0, 5 * len(items), 5),
                torch.tensor(labels)[:, None])
    return Tables(), item, lambda m, d, r, o, y: F.binary_cross_entropy_with_logits(m(d, r, o), y), collate


def padded():
    """Items of several lengths: how long a batch is goes by its longest."""
    from transformers import BertConfig, BertForSequenceClassification

    def item(generator, index):
        return torch.randint(0, 8000, ((96, 128, 64, 128)[index % 4],), generator=generator), index % 2

    def collate(items):
        texts, labels = zip(*items)
        return nn.utils.rnn.pad_sequence(texts, batch_first=True), torch.tensor(labels)
    model = BertForSequenceClassification(BertConfig(num_hidden_layers=4, hidden_size=256, num_attention_heads=4, intermediate_size=1024, vocab_size=8000))
    return model, item, lambda m, x, y: m(input_ids=x, attention_mask=(x > 0).long(), labels=y).loss, collate


def patches():
    from transformers import ViTConfig, ViTForImageClassification
    model = ViTForImageClassification(ViTConfig(num_hidden_layers=4, hidden_size=384, num_attention_heads=6, intermediate_size=1536,
                                                image_size=64, patch_size=8, num_labels=100))
    return model, image, lambda m, x, y: m(pixel_values=x, labels=y).loss, None


def unet():
    from diffusers import UNet2DModel
    model = UNet2DModel(sample_size=32, in_channels=3, out_channels=3, block_out_channels=(32, 64), layers_per_block=1,
                        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), norm_num_groups=8)

    def loss(m, x):
        noise, when = torch.randn_like(x), torch.randint(0, 1000, (x.shape[0],), device=x.device)
        return F.mse_loss(m(x + noise, when).sample, noise)
    return model, lambda g, _: torch.randn(3, 32, 32, generator=g), loss, None


class Routed(nn.Module):
    """Each place goes through one of four layers, chosen by its values."""

    def __init__(self):
        super().__init__()
        self.words, self.gate, self.out = nn.Embedding(4000, 256), nn.Linear(256, 4), nn.Linear(256, 4000)
        self.ways = nn.ModuleList(nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)) for _ in range(4))

    def forward(self, x):
        h = self.words(x).flatten(0, 1)
        chosen, made = self.gate(h).argmax(1), torch.zeros_like(h)
        for i, way in enumerate(self.ways):
            places = (chosen == i).nonzero()[:, 0]
            made = made.index_add(0, places, way(h[places]))
        return self.out(made)


def routed():
    return Routed(), words(64, 4000), lambda m, x: F.cross_entropy(m(x), x.flatten()), None


MODELS = {one.__name__: one for one in (perceptron, residual, encoder, language, recurrent, tables, padded, patches, unet, routed)}


def to_device(value):
    return [one.to(DEVICE) for one in value] if isinstance(value, (list, tuple)) else value.to(DEVICE)


def main():
    model, item, loss_of, collate = MODELS[sys.argv[1]]()
    model.to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    items, size = Items(item), int(sys.argv[2])
    if sys.argv[3:] == ["whole"]:
        together = collate or torch.utils.data.default_collate
        loader = [together([items[at + i] for i in range(size)]) for at in range(0, STEPS * size, size)]
    else:
        loader = torch.utils.data.DataLoader(items, batch_size=size, collate_fn=collate, num_workers=2)
    for step, batch in enumerate(loader):
        if step == STEPS:
            break
        loss = loss_of(model, *(map(to_device, batch) if isinstance(batch, (list, tuple)) else [batch.to(DEVICE)]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
