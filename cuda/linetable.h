/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which line an instruction is of, by the table that CPython keeps beside a function's instructions. The table has had three
 * forms: pairs of CPython 3.9, pairs of 3.10 with a mark for "no line", and entries of one byte and more since 3.11.
 */
#ifndef CUDA_LINETABLE_H
#define CUDA_LINETABLE_H

#include <stddef.h>
#include <stdint.h>

enum linetable { LINETABLE_39, LINETABLE_310, LINETABLE_311 };

/* Byte `at` of the instructions; negative: before the first. 0: it has no line, or the table ends before it. */
uint32_t linetable_line(enum linetable form, const unsigned char *table, size_t bytes, uint32_t first_line, int64_t at);

#endif
