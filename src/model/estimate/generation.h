/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices of a generation run the same kernels of a library: what was learned of one holds for another. Between generations
 * kernels differ, and only the form carries: there every measured generation has one voice, and their mean, of logarithms,
 * answers. (carry generations; families with `generations` set.)
 */
#ifndef MODEL_GENERATION_H
#define MODEL_GENERATION_H

#include "coefficients.h"

bool hardware_same_generation(const struct hardware *a, const struct hardware *b);

/* The most similar measured device of the generation but `left_out` (NULL: none); NULL where none was measured. */
const struct coefficient_set *generation_sibling(const struct coefficient_set *sets, uint32_t count,
                                                 const struct hardware *hardware,
                                                 const struct coefficient_set *left_out);

/* How many of the measured devices are of the set's generation, itself included. */
uint32_t generation_siblings(const struct coefficient_set *sets, uint32_t count, const struct coefficient_set *set);

/* The mean of what the generations say, microseconds; `but`: one generation that is not asked, NULL: all. 0: none. */
double generations_us(const struct family *family, const struct coefficient_set *sets, uint32_t count,
                      const struct hardware *hardware, const struct kernel *kernel, const struct hardware *but);

/*
 * The mean, of logarithms, of what the devices say whose generation (hardware_generation) is nearest, microseconds; `but`:
 * one that is not asked, by its name, "": all are. 0: none. (carry nearest_generation.)
 */
double nearest_generation_us(const struct family *family, const struct coefficient_set *sets, uint32_t count,
                             const struct hardware *hardware, const struct kernel *kernel, str but);

#endif
