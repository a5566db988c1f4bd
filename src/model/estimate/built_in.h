/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coefficients that are built in, read by family when one is first asked for (model/estimate/late.h), their residuals when first
 * evaluated: a prediction reads what it uses of a MiB of text. Thread-safe; lives as long as the program.
 */
#ifndef MODEL_BUILT_IN_H
#define MODEL_BUILT_IN_H

#include "coefficients.h"

/* Of a family by its number in family_rows. What is built in was checked by a test; damaged, it stands as never fitted. */
const struct family_model *built_in_family(uint32_t number);

#endif
