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
