/* SPDX-License-Identifier: Apache-2.0 */
#include "format.h"

static const struct {
    const char *word;
    double weight_bytes, converted_bytes;
    enum precision precision; /* where activations are converted */
} formats[FORMATS] = {
    [FORMAT_PLAIN] = {.word = ""},
    [FORMAT_W8A8_FP8] = {"w8a8_fp8", 1, 1, PRECISION_FP8},
    [FORMAT_W8A8_BLOCK] = {"w8a8_fp8_block", 1, 1 + 4.0 / 128, PRECISION_FP8},
    [FORMAT_W4A4_FP4] = {"w4a4_fp4", 0.5 + 1.0 / 16, 0.5 + 1.0 / 16, PRECISION_FP4},
    [FORMAT_W8A8_INT8] = {"w8a8_int8", 1, 1, PRECISION_INT8},
    [FORMAT_W8A16_INT8] = {.word = "w8a16_int8", .weight_bytes = 1},
    [FORMAT_W4A16_INT4] = {.word = "w4a16_int4", .weight_bytes = 0.5 + 2.0 / 128},
    [FORMAT_W4A16_FP4] = {.word = "w4a16_mxfp4", .weight_bytes = 0.5 + 1.0 / 32},
    [FORMAT_W4A8_FP4] = {"w4a8_mxfp4", 0.5 + 1.0 / 32, 1 + 1.0 / 32, PRECISION_FP8},
    [FORMAT_TF32] = {.word = "tf32", .weight_bytes = 4, .precision = PRECISION_TF32},
};

bool format_of_word(str word, enum format *format)
{
    for (int i = 0; i < FORMATS; i++) {
        if (!str_eq(word, str_of(formats[i].word)))
            continue;
        *format = (enum format)i;
        return true;
    }
    return false;
}

str format_word(enum format format)
{
    return (unsigned)format < FORMATS ? str_of(formats[format].word) : S("");
}

double format_weight_bytes(enum format format)
{
    return (unsigned)format < FORMATS ? formats[format].weight_bytes : 0;
}

double format_converted_bytes(enum format format)
{
    return (unsigned)format < FORMATS ? formats[format].converted_bytes : 0;
}

bool format_precision(enum format format, enum precision *precision)
{
    *precision = formats[format].precision;
    return format_converted_bytes(format) > 0 || format == FORMAT_TF32;
}
