# SPDX-License-Identifier: Apache-2.0
"""A transformer as the rows of models/e2e.csv were measured: float32, attention written out, forward alone, or with a backward pass
that adds to gradients, and no loss: the tables of their operators list none. The optimizer of one number only ends the steps.

    measured_model.py MODEL inf|train LENGTH BATCH
"""
import sys

import torch
from transformers import (BertConfig, BertForPreTraining, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel,
                          OPTConfig, OPTForCausalLM)


def bert(mode):
    kind = BertForPreTraining if mode == "train" else BertForSequenceClassification
    return kind(BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096,
                           attn_implementation="eager"))


def gpt(width, layers, heads, length):
    return GPT2LMHeadModel(GPT2Config(n_embd=width, n_layer=layers, n_head=heads, n_positions=length, attn_implementation="eager",
                                      use_cache=False))


MODELS = {
    "bert_large": lambda length, mode: bert(mode),
    "gpt2_large": lambda length, _: gpt(1280, 36, 20, length),
    "gpt3_xl": lambda length, _: gpt(3072, 24, 24, length),
    "gpt3_27": lambda length, _: gpt(2560, 32, 32, length),
    "opt_13": lambda length, _: OPTForCausalLM(OPTConfig(
        hidden_size=2048, num_hidden_layers=24, num_attention_heads=32, ffn_dim=8192, word_embed_proj_dim=2048,
        max_position_embeddings=length, attn_implementation="eager", use_cache=False)),
}


def main():
    name, mode, length, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with torch.device("cuda"):
        model = MODELS[name](length, mode)
        words = torch.randint(0, 30000, (batch, length))
        number = torch.nn.Parameter(torch.zeros(1))
    ends_steps = torch.optim.SGD([number])
    model.train(mode == "train")
    for _ in range(9):
        if mode == "train":
            out = model(input_ids=words)
            scores = [one for one in out.values() if one.dim() > 1]
            sum(one.sum() for one in scores).backward()
        else:
            with torch.no_grad():
                model(input_ids=words)
        ends_steps.step()


if __name__ == "__main__":
    main()
