/* SPDX-License-Identifier: Apache-2.0 */
/* The families there are, each with its built-in coefficients. */
#ifndef MODEL_FAMILIES_H
#define MODEL_FAMILIES_H

#include "family.h"

struct family_row {
    const struct family *family;
    const char *text; /* data/models/NAME.txt, built in */
    const size_t *text_bytes;
};

extern const struct family_row family_rows[];
extern const uint32_t family_count;

const struct family *kernel_family_of_name(str name); /* NULL where there is none */

#endif
