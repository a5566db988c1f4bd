/* SPDX-License-Identifier: Apache-2.0 */
/* ST4xx: the host needs a value of the device, so it waits for all queued work. */
#include "words.h"

const struct rule_words words_scalar_read_back = {
    .brief = "a scalar is read back from the device each step",
    .why = "The host stops until the device has done all that is queued, and the device then rests until the host has "
           "launched the next work. For one number.",
    .bad = "for x, y in loader:\n"
           "    loss = criterion(model(x), y)\n"
           "    loss.backward()\n"
           "    optimizer.step()\n"
           "    total += loss.item()\n",
    .good = "total = torch.zeros((), dtype=torch.float64, device=device)\n"
            "for x, y in loader:\n"
            "    loss = criterion(model(x), y)\n"
            "    loss.backward()\n"
            "    optimizer.step()\n"
            "    total += loss.detach().double()\n"
            "total = total.item()\n",
    .unsafe_when =
        "The value steers what happens next (early stopping, a learning rate, a guard against NaN). Adding up "
        "without .detach() keeps every step's graph alive; in half precision it loses digits.",
    .source = "PyTorch tuning guide, Avoid unnecessary CPU-GPU synchronization",
};

const struct rule_words words_data_dependent_branch = {
    .brief = "Python decides by a value on the device",
    .why =
        "if, while, assert, and, or, max() and in on a device tensor call bool() on it: one byte is read back, behind "
        "all queued work.",
    .bad = "if torch.isnan(loss):\n"
           "    raise RuntimeError('loss is NaN')\n",
    .good = "if step % 100 == 0 and torch.isnan(loss):\n"
            "    raise RuntimeError('loss is NaN')\n",
    .unsafe_when = "The branch has effects that cannot wait. torch.where evaluates both sides: a NaN on the other side "
                   "reaches the gradient.",
    .source = "PyTorch tuning guide; pytorch issue 60691 (clip_grad_norm_)",
};

const struct rule_words words_print_device_tensor = {
    .brief = "a device tensor is printed, formatted or logged each step",
    .why =
        "Formatting needs the value: the host waits. Printing a whole tensor also runs several kernels to choose the "
        "format.",
    .bad = "bar.set_postfix(loss=f'{loss:.3f}')\n",
    .good = "if step % 50 == 0:\n"
            "    bar.set_postfix(loss=f'{loss:.3f}')\n",
    .unsafe_when = "Someone watches every step.",
    .source = "PyTorch tuning guide; Lightning issue 21232",
};

const struct rule_words words_whole_tensor_read_back = {
    .brief = "a whole tensor is read back each iteration",
    .why =
        "The copy waits for the device, and what the host then does with it, row by row, leaves the device without work.",
    .bad = "for x, y in loader:\n"
           "    top = model(x).topk(20).indices.cpu().numpy()\n"
           "    hits += sum(t in row for t, row in zip(y.numpy(), top))\n",
    .good = "hits = torch.zeros((), dtype=torch.int64, device=device)\n"
            "for x, y in loader:\n"
            "    top = model(x).topk(20).indices\n"
            "    hits += (top == y.to(device)[:, None]).any(1).sum()\n"
            "hits = hits.item()\n",
    .unsafe_when = "Kept predictions fill the device's memory. Ties and rounding may differ from a metric in NumPy.",
    .source = "PyTorch tuning guide; TorchTraceAP, arXiv 2512.14141",
};

const struct rule_words words_dead_read_back = {
    .brief = "what is read back is never used",
    .why = "A copy and a wait for nothing.",
    .bad = "rating = rating.cpu().numpy()\n"
           "del rating\n",
    .good = "del rating\n",
    .unsafe_when = "The wait was the purpose: a timer stops behind it.",
    .source = "PyTorch tuning guide",
};

const struct rule_words words_dynamic_shape = {
    .brief = "the shape of a result depends on values on the device",
    .why =
        "A boolean mask, nonzero, unique, or repeat_interleave without output_size must count first, and the host must "
        "know the count to allocate: it waits.",
    .bad = "loss = per_token[mask].sum()\n",
    .good = "loss = (per_token * mask).sum()\n",
    .unsafe_when =
        "Masked-out places hold NaN or infinity (their product with zero is NaN), or the reduction is a mean, "
        "whose divisor changes.",
    .source = "pytorch issue 12461; PyTorch documentation of torch.repeat_interleave (output_size)",
};

const struct rule_words words_device_scalar_as_size = {
    .brief = "a device scalar is used as a Python index, bound or size",
    .why = "Slices, range() and shapes are Python numbers: the scalar is read back to make one.",
    .bad = "longest = lengths.max()  # lengths are on the device\n"
           "out = hidden[:, :longest]\n",
    .good = "longest = max(lengths_on_host)  # known before the upload\n"
            "out = hidden[:, :longest]\n",
    .unsafe_when = "The number on the host differs from that of the device.",
    .source = "PyTorch ATen/TensorIndexing.h; NVIDIA, Writing sync-free code",
};

const struct rule_words words_echo_read_back = {
    .brief = "what was just uploaded is read back",
    .why = "The host had the value before the upload: the read waits for the device to hear it again.",
    .bad = "item = item.cuda()\n"
           "score = model(user, item)\n"
           "target = item[0].item()\n",
    .good = "target = item[0].item()\n"
            "item = item.cuda()\n"
            "score = model(user, item)\n",
    .unsafe_when = "The device changes the value in between.",
    .source = "PyTorch documentation of pack_padded_sequence (lengths on the CPU)",
};

const struct rule_words words_scattered_read_backs = {
    .brief = "several values are read back one by one in a step",
    .why =
        "Each read waits for the device again. One between forward and backward also keeps the backward pass from being "
        "launched while the device still works.",
    .bad = "d_x = out_real.mean().item()\n"
           "loss_d.backward()\n"
           "d_g = out_fake.mean().item()\n",
    .good = "d_x = out_real.mean()\n"
            "loss_d.backward()\n"
            "d_g = out_fake.mean()\n"
            "...\n"
            "d_x, d_g = torch.stack([d_x, d_g]).tolist()  # behind optimizer.step()\n",
    .unsafe_when = "A value decides what the step does. Stacking values of different types converts them.",
    .source = "PyTorch tuning guide",
};

const struct rule_words words_framework_sync = {
    .brief = "a call of a library waits for the device inside, each step",
    .why = "Checks and conveniences of libraries read a scalar back: clip_grad_norm_(error_if_nonfinite=True), "
           "GradScaler.get_scale(), progress bars of trainers, the checks of torch.distributions and torch.linalg, "
           "one_hot without num_classes.",
    .bad = "scale = scaler.get_scale()\n"
           "scaler.step(optimizer)\n"
           "scaler.update()\n"
           "if scaler.get_scale() >= scale:\n"
           "    scheduler.step()\n",
    .good = "scaler.step(optimizer)\n"
            "scaler.update()\n"
            "scheduler.step()\n",
    .unsafe_when = "The check guards against NaN, or the schedule must not advance on skipped steps.",
    .source = "pytorch issue 60691; accelerate issue 1714; transformers issue 33693",
};
