/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded arguments of an operator, from the texts that profilers write:
 *
 *     Input Dims       [[64, 3, 7, 7], [], [[2], [2, 5]]]
 *     Input type       ["float", "Scalar", "TensorList"]
 *     Concrete Inputs  ["", "1", ""]
 *
 * An argument is one tensor (its sizes; [] is a scalar, or no tensor at all) or
 * a list of tensors. Whoever parses does so once per distinct text.
 */
#ifndef OPS_SHAPE_H
#define OPS_SHAPE_H

#include "base/arena.h"
#include "base/str.h"

struct tensor_dims {
    const int64_t *at; /* each >= 0 */
    uint32_t rank;
};

struct shape_argument {
    const struct tensor_dims *tensors;
    uint32_t count;
    bool list;
};

struct shape {
    const struct shape_argument *arguments;
    uint32_t count;
};

/* False where the text is no such list; the shape then has no arguments. Lives in the arena. */
bool shape_parse(str text, struct arena *arena, struct shape *shape);

/* Elements of a tensor; -1 where the product does not fit. */
int64_t dims_elements(struct tensor_dims dims);

/*
 * Whether each tensor could lie in a memory: no size above 2^40, no more than 2^46 elements. Sums and products of a few
 * such sizes stay within 64 bits.
 */
bool dims_fit(struct tensor_dims dims);
bool shape_fits(const struct shape *shape);

/* A JSON list of texts; elements of another kind are given as they stand. False where the text is no list. */
struct text_list {
    const str *at;
    uint32_t count;
};
bool text_list_parse(str text, struct arena *arena, struct text_list *list);

/* The element, "" where the list is shorter. */
str text_list_at(const struct text_list *list, uint32_t i);

/* "[16, 16]" as integers, as many as fit in `room`; 0 where the text is no such list. */
uint32_t integers_parse(str text, int64_t *into, uint32_t room);

#endif
