/* SPDX-License-Identifier: Apache-2.0 */
/* How much an operator was given, from the raw texts of "Input Dims" and "Input type". */
#ifndef OPS_MESSAGE_H
#define OPS_MESSAGE_H

#include "base/str.h"

struct message {
    int64_t elements;      /* -1: not known */
    uint8_t element_bytes; /* 0: not known */
};

enum { ALL_ARGUMENTS = -1 };

/* The tensor or list of tensors in one argument, or in all. Without dimensions it is a tensor only where its type says so. */
struct message message_of_shapes(str dims, str types, int argument);

/* Bytes of an element by the name that PyTorch gives a scalar type: "Float", "BFloat16", "Long"; 0 where not known. */
uint8_t scalar_type_bytes(str type);

#endif
