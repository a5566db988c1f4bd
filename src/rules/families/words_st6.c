/* SPDX-License-Identifier: Apache-2.0 */
/* ST6xx: a transfer that blocks, is larger than it need be, or does not overlap. */
#include "words.h"

const struct rule_words words_create_then_move = {
    .brief = "a tensor is made on the CPU and moved at once",
    .why = "The host fills the memory, then a pageable copy blocks. The device could have filled it itself. "
           "torch.tensor of a number copies it too, and waits, also with device=.",
    .bad = "h0 = torch.zeros(layers, batch, hidden).to(device)\n"
           "total = torch.tensor(0.0, device=device)\n",
    .good = "h0 = torch.zeros(layers, batch, hidden, device=device)\n"
            "total = torch.full((), 0.0, device=device)\n",
    .unsafe_when = "The values are random: the device has a generator of its own, so a seed gives other numbers.",
    .source = "PyTorch tuning guide, Create tensors directly on the target device",
};

const struct rule_words words_blocking_copy = {
    .brief = "a batch is copied from pageable memory, or the copy blocks",
    .why =
        "A copy from pageable memory is staged by the host and waits for the device; a blocking copy from pinned memory "
        "waits too. Only both together, pinned and non_blocking, let the copy run beside the computation.",
    .bad = "loader = DataLoader(data, num_workers=4)\n"
           "for x, y in loader:\n"
           "    x, y = x.to(device), y.to(device)\n",
    .good = "loader = DataLoader(data, num_workers=4, pin_memory=True)\n"
            "for x, y in loader:\n"
            "    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)\n",
    .unsafe_when =
        "The host writes to the buffer before the copy has ended, pinned memory is limited, or the batch is of a "
        "type that has no pin_memory(). Never for copies to the host, unless a synchronisation follows.",
    .source = "PyTorch tutorial, A guide on good usage of non_blocking and pin_memory",
};

const struct rule_words words_oversized_upload = {
    .brief = "more bytes are uploaded than are used",
    .why = "float64 that is narrowed on the device crosses the bus at twice the size, and costs a kernel on top.",
    .bad = "adjacency = torch.from_numpy(matrix).cuda().float()\n",
    .good = "adjacency = torch.from_numpy(matrix).float().cuda()\n",
    .unsafe_when = "Narrow integers overflow, or the wide values are used as well.",
    .source = "pytorch aten/src/ATen/native/cuda/Copy.cu",
};

const struct rule_words words_synchronous_loader = {
    .brief = "the loader has no workers: batches are made on the training thread",
    .why = "With num_workers=0 every batch is fetched and collated between two steps, while the device waits.",
    .bad = "loader = DataLoader(data, batch_size=64, shuffle=True)\n",
    .good = "loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)\n",
    .unsafe_when =
        "The data lies on the device already or is sampled there, an iterable dataset does not shard itself, "
        "what the dataset holds does not pickle, or the set is so small that workers cost more.",
    .source = "PyTorch tuning guide, Enable asynchronous data loading and augmentation",
};

const struct rule_words words_no_overlap = {
    .brief = "the copy of the next batch does not overlap with the computation",
    .why = "A copy on the stream that computes, issued right before its use, delays the step by its whole length.",
    .bad = "for x in loader:\n"
           "    y = model(x.to(device))\n",
    .good = "for x in prefetched(loader, device):  # copies on a side stream, one batch ahead\n"
            "    y = model(x)\n",
    .unsafe_when =
        "Without wait_stream and record_stream the step reads bytes that have not arrived. One more batch lies "
        "in the device's memory.",
    .source = "PyTorch Geometric PrefetchLoader; TorchRec train pipeline",
};

const struct rule_words words_explicit_sync = {
    .brief = "the step waits for the device, or empties the allocator's cache, on purpose",
    .why =
        "torch.cuda.synchronize() stops the host until the device is idle; empty_cache() also frees memory that the next "
        "step must get back from the driver; anomaly detection checks every backward function.",
    .bad = "for x in loader:\n"
           "    torch.cuda.synchronize()\n"
           "    start = time.time()\n",
    .good = "for x in loader:\n"
            "    start.record()  # torch.cuda.Event(enable_timing=True), read once at the end\n",
    .unsafe_when = "A timer needs it, or another process needs the memory.",
    .source = "PyTorch tuning guide; Lightning, speed up model training (empty_cache)",
};
