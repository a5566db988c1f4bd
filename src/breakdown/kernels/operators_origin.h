/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in the user's program a row comes from: the nn.Module around it, and the
 * line of Python that is the user's own. Frames of torch and of builtins are
 * passed over, up to the caller that is not. What runs on autograd's thread has
 * no frames of its own: it belongs to where its forward operator was called.
 */
#ifndef BREAKDOWN_OPERATORS_ORIGIN_H
#define BREAKDOWN_OPERATORS_ORIGIN_H

#include "trace/trace.h"

struct origins;

/* Lives in the arena; each row's answer is found once. */
struct origins *origins_new(const struct trace *trace, struct arena *arena);

/* Text ids; 0 where nothing is recorded. The row is a host row, or device work, which stands for its cause. */
uint32_t origin_module(struct origins *origins, uint32_t row);
uint32_t origin_line(struct origins *origins, uint32_t row);

/* A line without the folders of its file: "transformers/models/bert.py(41): forward" is bert.py(41): forward. */
str line_title(str line);

#endif
