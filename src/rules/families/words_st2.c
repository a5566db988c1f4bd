/* SPDX-License-Identifier: Apache-2.0 */
/* ST2xx: a device tensor is made of Python objects each step. */
#include "words.h"

const struct rule_words words_tensor_from_list = {
    .brief = "a device tensor is built from Python lists each step",
    .why =
        "The constructor walks the list object by object on the training thread while the device waits, and a list of "
        "NumPy arrays is slower still. torch.Tensor and torch.FloatTensor of integers also go through float32, which "
        "rounds ids above 16,777,216. The upload that follows is pageable, so it blocks as well.",
    .bad = "for batch in batches:\n"
           "    ids = torch.LongTensor([s[-1] for s in batch]).to(device)\n",
    .good = "def collate(batch):  # in the loader's workers\n"
            "    return torch.from_numpy(np.array([s[-1] for s in batch]))\n"
            "...\n"
            "for ids in DataLoader(data, collate_fn=collate, num_workers=4, pin_memory=True):\n"
            "    ids = ids.to(device, non_blocking=True)\n",
    .unsafe_when =
        "Lists are ragged (np.array refuses them). torch.from_numpy shares the array's memory. Where ids above "
        "16,777,216 went through float32, the rewrite changes results: it repairs them.",
    .source = "PyTorch torch/csrc/utils/tensor_new.cpp (\"extremely slow\" warning); PyTorch tuning guide",
};

const struct rule_words words_lists_from_workers = {
    .brief = "workers hand lists over, of which the training thread makes tensors",
    .why =
        "What a worker returns is pickled, and of a list each number by itself; the training thread reads them one by one, and "
        "walks them again to make a tensor. An array crosses as one block.",
    .bad = "def collate(rows):\n"
           "    ids = [row.ids for row in rows]\n"
           "    return ids\n"
           "for ids in DataLoader(data, collate_fn=collate, num_workers=2):\n"
           "    ids = torch.LongTensor(ids).to(device)\n",
    .good = "def collate(rows):\n"
            "    ids = [row.ids for row in rows]\n"
            "    return np.asarray(ids, dtype=np.int64)\n",
    .unsafe_when =
        "Something else takes the list as a list, or its rows are of several lengths (np.asarray refuses them).",
    .source = "PyTorch torch/utils/data/_utils/worker.py and torch/csrc/utils/tensor_new.cpp",
};

const struct rule_words words_padded_to_all = {
    .brief = "each batch is padded to the longest row of all data",
    .why =
        "Preparation, the copy, and every layer up to the one that masks go over columns in which there is nothing. Lengths have "
        "long tails: the longest row of a hundred is often half as long as the longest of all.",
    .bad = "rows = self.rows[batch]\n"
           "mask = self.mask[batch]  # of the ones first, and as wide as the longest row of all\n",
    .good = "rows = self.rows[batch]\n"
            "mask = self.mask[batch]\n"
            "longest = mask.sum(1).max()\n"
            "rows, mask = rows[:, :longest], mask[:, :longest]\n",
    .unsafe_when =
        "Something in the network goes by the width (positions from the end, a layer over all columns, a compiled shape), or "
        "takes padding for data where the mask does not take it out. Shapes change from batch to batch.",
    .source = "Transformers documentation, Padding and truncation (padding to the longest sequence in the batch)",
};
