/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of expressions, and what calls move.
 *
 *     const struct value *value = value_at(project, site);
 *     if (value_is_tensor(value) && value_on_gpu(value)) ...
 */
#ifndef SOURCE_VALUE_AT_H
#define SOURCE_VALUE_AT_H

#include "project.h"
#include "source/values/value.h"

/* Never NULL. Nodes that are no expression have value_unknown. */
const struct value *value_at(const struct project *project, struct site expression);

/*
 * Moves: what a call does to its receiver or argument. MOVE_NONE for everything else, also for .to(dtype), for
 * .cpu() of what is on the CPU, for dict.to and tokenizer.to, and for what is on the GPU already.
 */
enum move {
    MOVE_NONE,
    MOVE_UPLOAD,   /* .to(gpu), .cuda(), torch.tensor(list, device=gpu), type_as, new_tensor, wrappers */
    MOVE_DOWNLOAD, /* .cpu(), .to("cpu"), .item(), .tolist(), .numpy() behind .cpu(), float(t), int(t), bool(t) */
    MOVE_UNKNOWN,  /* it moves, but from where is not known: .to(device) of something unknown */
};
struct move_info {
    enum move move;
    uint32_t what;            /* node of the expression that is moved; SYNTAX_NONE where hidden in a callee */
    bool explicit_;           /* .to .cuda .cpu ..., not float(t) or an index that moves */
    bool wrapper;             /* inside a function of the run */
    bool library;             /* inside one of a library, which takes whatever holds tensors */
    bool is_module;           /* model.to(device) */
    bool non_blocking;        /* non_blocking=True is written */
    bool non_blocking_hidden; /* non_blocking=<something else>, or **kwargs */
};
struct move_info value_move(const struct project *project, struct site call);

#endif
