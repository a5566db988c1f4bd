/* SPDX-License-Identifier: Apache-2.0 */
/* What a frame says by its name and file: whose it is, and in which part of a training step it stands. */
#include "log.h"

#include "base/mem.h"

/* Recorders keep the ends of long paths, so that a file may lie in "pt/torch/..." */
static bool of_python(str file)
{
    return str_ends(file, S(".py")) || str_starts(file, S("<frozen ")) || str_starts(file, S("<string>")) ||
           str_starts(file, S("<stdin>")) || str_starts(file, S("<ipython"));
}

static bool of_package(str file)
{
    return str_has(file, S("site-packages/")) || str_has(file, S("dist-packages/")) ||
           str_has(file, S("/lib/python3")) || str_starts(file, S("<frozen ")) || str_starts(file, S("torch/"));
}

static bool of_torch(str file)
{
    return str_starts(file, S("torch/")) || str_has(file, S("-packages/torch/")) ||
           str_has(file, S("/torch/nn/modules/")) || str_has(file, S("/torch/autograd/")) ||
           str_has(file, S("/torch/optim/")) || str_has(file, S("/torch/utils/")) ||
           str_ends(file, S("/torch/_tensor.py"));
}

static unsigned part_of_python(str name, str file)
{
    if (str_has(file, S("torch/optim/")) || (str_has(file, S("optim")) && str_eq(name, S("step"))))
        return FRAME_IN_OPTIMIZER;
    if (str_ends(file, S("torch/_tensor.py")) || str_has(file, S("torch/autograd/")))
        return str_is_among("backward grad apply _engine_run_backward", name) ? FRAME_IN_BACKWARD : 0;
    if (str_ends(file, S("torch/nn/modules/module.py"))) {
        if (str_is_among("_apply convert to cuda half bfloat16 float to_empty", name))
            return FRAME_MOVES_MODULE;
        if (str_is_among("_call_impl _wrapped_call_impl __call__", name))
            return FRAME_IN_FORWARD;
    }
    if (str_has(file, S("torch/nn/")) && str_is_among("__init__ reset_parameters", name))
        return FRAME_MOVES_MODULE;
    return str_eq(name, S("forward")) ? FRAME_IN_FORWARD : 0;
}

/* "MmBackward0" of "torch::autograd::generated::MmBackward0::apply(...)"; "" of what is no node. */
static str node_of(str name)
{
    const str made = S("torch::autograd::generated::"), grad = S("torch::autograd::AccumulateGrad::");
    if (str_starts(name, grad))
        return S("AccumulateGrad");
    if (!str_starts(name, made))
        return S("");
    const str rest = str_from(name, made.len);
    size_t end = 0;
    while (end < rest.len && rest.at[end] != ':' && rest.at[end] != '(' && rest.at[end] != '_')
        end++;
    const str node = {rest.at, end};
    return str_has(node, S("Backward")) ? node : S(""); /* what computes for one is no node */
}

uint32_t memory_log_frame(struct memory_log *log, uint32_t name, uint32_t file, int64_t line)
{
    const str name_text = intern_text(log->names, name), file_text = intern_text(log->names, file);
    struct memory_frame frame = {.name = name, .file = file, .line = line};
    if (of_python(file_text)) {
        frame.flags = FRAME_OF_PYTHON | part_of_python(name_text, file_text);
        frame.flags |= of_package(file_text) ? 0 : FRAME_OF_USER;
        frame.flags |= of_torch(file_text) ? FRAME_OF_TORCH : 0;
    } else {
        const str node = node_of(name_text);
        frame.node = node.len ? intern_id(log->names, node) : 0;
        frame.flags = (node.len ? FRAME_OF_NODE : 0) |
                      (str_starts(name_text, S("torch::autograd::Engine::")) ? FRAME_IN_BACKWARD : 0);
    }
    log->frames = mem_grow(log->frames, &log->frame_room, log->frame_count + 1, sizeof *log->frames);
    log->frames[log->frame_count] = frame;
    return (uint32_t)log->frame_count++;
}
