/* SPDX-License-Identifier: Apache-2.0 */
/* The element type of a tensor, from the word that the profiler writes. */
#ifndef OPS_DTYPE_H
#define OPS_DTYPE_H

#include "base/str.h"
#include "hw/catalogue.h"

/* Of two types of one list below, the one further up is what the other is promoted to. */
enum dtype {
    DTYPE_UNKNOWN, /* a tensor of a type that is not recorded */
    DTYPE_NONE,    /* no tensor: a number, a flag, an absent argument */
    DTYPE_C128,
    DTYPE_C64,
    DTYPE_F64,
    DTYPE_F32,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_F8,
    DTYPE_I64,
    DTYPE_I32,
    DTYPE_I16,
    DTYPE_I8, /* bool too */
    DTYPES,
};

enum dtype dtype_of_word(str word); /* "float", "c10::BFloat16", "long int", "Tensor(float)", "Scalar", "" */
str dtype_word(enum dtype dtype);
int64_t dtype_bytes(enum dtype dtype); /* an element; 0 for DTYPE_UNKNOWN and DTYPE_NONE */

/* The peak that arithmetic of this type is held against; false where the catalogue has none for it. */
bool dtype_precision(enum dtype dtype, bool matrix, enum precision *precision);

#endif
