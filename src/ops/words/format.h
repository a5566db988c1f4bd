/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the operands of a product lie in memory and what multiplies them, where that is not one type for all: quantised
 * weights, and activations that the kernel turns into a narrow type itself. The words say the bits of weights and of
 * activations as serving engines do: w8a8_fp8. C has the type of the activations as they come, mostly 16 bits.
 */
#ifndef OPS_FORMAT_H
#define OPS_FORMAT_H

#include "dtype.h"

enum format {
    FORMAT_PLAIN,      /* all operands are of the kernel's type, and so is the arithmetic */
    FORMAT_W8A8_FP8,   /* a scale a tensor or a token */
    FORMAT_W8A8_BLOCK, /* a scale for 128 x 128 weights and for 128 elements of a token */
    FORMAT_W4A4_FP4,   /* a scale for 16 elements */
    FORMAT_W8A8_INT8,
    FORMAT_W8A16_INT8, /* weights alone are narrow; arithmetic is that of the activations' type */
    FORMAT_W4A16_INT4,
    FORMAT_W4A16_FP4, /* the same, a scale for 32 weights */
    FORMAT_W4A8_FP4,  /* such weights, activations of 8 bits; arithmetic is that of FP8 */
    FORMAT_TF32,      /* operands of 32 bits, of which matrix units take 19 */
    FORMATS,
};

bool format_of_word(str word, enum format *format); /* "w8a8_fp8"; "" is plain */
str format_word(enum format format);

/* Bytes of a weight with its share of scales; 0 where the kernel's type says it. */
double format_weight_bytes(enum format format);

/* Bytes of an activation as it is multiplied, which the kernel converts it to; 0 where it converts none. */
double format_converted_bytes(enum format format);

/* The peak that the product is held against; false where the kernel's type says it. */
bool format_precision(enum format format, enum precision *precision);

#endif
