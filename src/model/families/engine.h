/* SPDX-License-Identifier: Apache-2.0 */
/* What families of serving kernels share: figures by engine, clocks, peaks of matrix units, powers that do not take long. */
#ifndef MODEL_ENGINE_H
#define MODEL_ENGINE_H

#include "hw/hardware.h"
#include "ops/operators/kernel.h"

/* Of a figure that is given as that of vLLM and what the others' are over it; untold: the mean of the three. */
double of_library(enum library library, double sglang, double trtllm);

/* The three, as bits: whose kernels the tables tell apart. */
uint32_t serving_libraries(const struct kernel *kernel);

/* Clocks in a microsecond. */
double clocks_in_us(const struct hardware *hardware);

/* The share of its peak that a board is known to reach, over the usual one; 1 where it is not known. */
double matrix_reach(const double *figure);

/* FLOP/s of a type's products; a device without units for it computes in the next wider one. */
double matrix_peak(enum dtype dtype, const double *figure);

/* The same of a format of products, else of the kernel's type. */
double product_peak(const struct kernel *kernel, const double *figure);

/*
 * Four that overlap: the longest of them, longer by the others the nearer they come to it. Powers take long: where the
 * longest is enough_us already, it is the answer.
 */
double overlap_of_four(const double *us, double knee, double enough_us);

double first_above_0(double a, double b, double c);

/* Two multiprocessors work on one tile where there is arithmetic of 4 bits and room for operands. */
bool has_pairs(const struct hardware *hardware);

/* Seven digits are more than any model has, and take a third of the time. */
double quick_power(double base, double exponent);

/* The share of so many bytes that lies in L2: all of few, nothing of many; half where they are seven tenths of it. */
double share_in_l2(const struct hardware *hardware, double bytes);

#endif
