/* SPDX-License-Identifier: Apache-2.0 */
/* ST1xx: a Python loop touches a device tensor element by element. */
#include "words.h"

const struct rule_words words_element_access = {
    .brief = "a Python loop indexes or iterates a device tensor",
    .why =
        "Each access launches a kernel of microseconds for a few bytes, and one that needs the value (a comparison, an "
        "index, .item()) also makes the host wait for all queued work. A loop over n elements costs n times that, "
        "while one indexing operation would do all of them.",
    .bad = "for i in range(idx.numel()):\n"
           "    out[b, idx[i]] = val[b, idx[i]]\n",
    .good = "out[b, idx] = val[b, idx]\n",
    .unsafe_when =
        "Indices repeat (the last write wins in the loop, any may win at once), a round reads what an earlier "
        "one wrote, or autograd adds up the parts in another order. Where Python logic is needed, one "
        ".tolist() before the loop is the rewrite.",
    .source = "PyTorch Profiler, torch/profiler/_pattern_matcher.py, ForLoopIndexingPattern",
};

const struct rule_words words_per_sample_stack = {
    .brief = "rows of a batch are computed one by one and stacked",
    .why = "Every row launches its own few kernels, and in the backward pass every row's select allocates and fills a "
           "gradient as large as the whole batch: the bytes moved grow with the square of the batch.",
    .bad = "seq = torch.stack([hidden[i][alias[i]] for i in range(len(alias))])\n",
    .good = "rows = torch.arange(len(alias), device=hidden.device)[:, None]\n"
            "seq = hidden[rows, alias]\n",
    .unsafe_when = "Rows differ in length. The backward pass of one index adds up gradients in another order than the "
                   "loop, so results agree within rounding only.",
    .source = "PyTorch tuning guide; derivatives of select and stack in tools/autograd/derivatives.yaml",
};

const struct rule_words words_growing_cat = {
    .brief = "a tensor grows by torch.cat in a loop",
    .why =
        "Each round copies all that was gathered before: n rounds move in the order of n squared bytes on the device, "
        "and allocate again each time.",
    .bad = "out = torch.empty(0, device=device)\n"
           "for part in parts:\n"
           "    out = torch.cat([out, model(part)])\n",
    .good = "outs = []\n"
            "for part in parts:\n"
            "    outs.append(model(part))\n"
            "out = torch.cat(outs)\n",
    .unsafe_when = "The loop reads the growing tensor itself (decoding token by token).",
    .source = "PyTorch documentation of torch.cat; CUDA caching allocator notes",
};

const struct rule_words words_one_sample_evaluation = {
    .brief = "the model runs on one sample at a time",
    .why =
        "A forward pass of one sample leaves the device nearly idle: launches cost more than the arithmetic, and each "
        "result that is read back makes the host wait. A batch costs about the same time as one sample.",
    .bad = "for user in users:\n"
           "    score = model(user.unsqueeze(0).to(device))\n"
           "    scores.append(score.item())\n",
    .good = "for batch in users.split(256):\n"
            "    scores.extend(model(batch.to(device)).tolist())\n",
    .unsafe_when = "Batch norm runs in training mode, or samples have candidate sets of different sizes.",
    .source =
        "Cao et al., Understanding performance problems in deep learning systems, ESEC/FSE 2022 (not using batch API)",
};
