/* SPDX-License-Identifier: Apache-2.0 */
/* ST5xx: many transfers where one or none would do. */
#include "words.h"

const struct rule_words words_repeated_upload = {
    .brief = "the same data is uploaded again each step",
    .why =
        "The bytes are on the device since the first step. Each upload of a few bytes still waits, behind a pageable "
        "copy, for all work that is queued.",
    .bad = "def forward(self, x):\n"
           "    weight = torch.tensor([1.0, 2.0], device=x.device)\n",
    .good = "def __init__(self):\n"
            "    self.register_buffer('weight', torch.tensor([1.0, 2.0]), persistent=False)\n"
            "def forward(self, x):\n"
            "    weight = self.weight\n",
    .unsafe_when =
        "The host's copy changes between steps. A persistent buffer adds a key to the state_dict; model.half() "
        "casts buffers too, and it stays behind where nobody moves the module. Kept on the first forward, "
        "torch.jit.trace and torch.export see that call change the module, and from a first call under "
        "torch.inference_mode() a later backward raises.",
    .source = "PyTorch Lightning, speed up model training (register_buffer); PyTorch tuning guide",
};

const struct rule_words words_many_small_uploads = {
    .brief = "many small tensors are moved one by one",
    .why =
        "A blocking copy costs ten to twenty microseconds however small it is, and the host waits behind each. k tensors "
        "of a batch cost k times that; one packed copy, or k copies that do not block, cost it once.",
    .bad = "batch = {k: v.cuda() for k, v in batch.items()}\n",
    .good = "batch = {k: v.cuda(non_blocking=True) for k, v in batch.items()}  # from a loader with pin_memory=True\n",
    .unsafe_when =
        "The host writes to a tensor before its copy has ended. Views of a packed buffer keep all of it alive.",
    .source = "PyTorch tutorial, A guide on good usage of non_blocking and pin_memory",
};

const struct rule_words words_host_index = {
    .brief = "a device tensor is indexed by, or filled from, data of the host",
    .why =
        "The index has to be uploaded first: a small pageable copy that blocks until the queued work is done, each time, "
        "though no .to() is to be seen.",
    .bad = "last = hidden[torch.arange(n), lengths - 1]\n",
    .good = "last = hidden[torch.arange(n, device=hidden.device), lengths - 1]\n",
    .unsafe_when = "The index is random: the device's generator gives another sequence.",
    .source = "PyTorch ATen/TensorIndexing.h; pytorch pull requests 156384 and 186484",
};
