/* SPDX-License-Identifier: Apache-2.0 */
#include "dtype.h"

static const struct {
    const char *word;
    int64_t bytes;
} types[DTYPES] = {
    [DTYPE_UNKNOWN] = {"unknown", 0}, [DTYPE_NONE] = {"none", 0}, [DTYPE_C128] = {"complex128", 16},
    [DTYPE_C64] = {"complex64", 8},   [DTYPE_F64] = {"fp64", 8},  [DTYPE_F32] = {"fp32", 4},
    [DTYPE_F16] = {"fp16", 2},        [DTYPE_BF16] = {"bf16", 2}, [DTYPE_F8] = {"fp8", 1},
    [DTYPE_I64] = {"int64", 8},       [DTYPE_I32] = {"int32", 4}, [DTYPE_I16] = {"int16", 2},
    [DTYPE_I8] = {"int8", 1},
};

/* C++ type names as Kineto writes them; execution traces put them into Tensor(...). */
static const struct {
    const char *word;
    enum dtype dtype;
} words[] = {
    {"float", DTYPE_F32},
    {"double", DTYPE_F64},
    {"c10::Half", DTYPE_F16},
    {"c10::BFloat16", DTYPE_BF16},
    {"c10::Float8_e4m3fn", DTYPE_F8},
    {"c10::Float8_e5m2", DTYPE_F8},
    {"c10::Float8_e4m3fnuz", DTYPE_F8},
    {"c10::Float8_e5m2fnuz", DTYPE_F8},
    {"long int", DTYPE_I64},
    {"long", DTYPE_I64},
    {"long long", DTYPE_I64},
    {"int", DTYPE_I32},
    {"unsigned int", DTYPE_I32},
    {"short", DTYPE_I16},
    {"short int", DTYPE_I16},
    {"unsigned short", DTYPE_I16},
    {"signed char", DTYPE_I8},
    {"unsigned char", DTYPE_I8},
    {"char", DTYPE_I8},
    {"bool", DTYPE_I8},
    {"c10::complex<float>", DTYPE_C64},
    {"c10::complex<double>", DTYPE_C128},
    {"Scalar", DTYPE_NONE},
    {"ScalarList", DTYPE_NONE},
    {"Int", DTYPE_NONE},
    {"Double", DTYPE_NONE},
    {"Bool", DTYPE_NONE},
    {"None", DTYPE_NONE},
    {"Device", DTYPE_NONE},
    {"String", DTYPE_NONE},
    {"", DTYPE_NONE},
};

enum dtype dtype_of_word(str word)
{
    if (str_starts(word, S("Tensor(")) && str_ends(word, S(")")))
        word = (str){word.at + 7, word.len - 8};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(word, str_of(words[i].word)))
            return words[i].dtype;
    return DTYPE_UNKNOWN;
}

str dtype_word(enum dtype dtype)
{
    return (unsigned)dtype < DTYPES ? str_of(types[dtype].word) : S("");
}

int64_t dtype_bytes(enum dtype dtype)
{
    return (unsigned)dtype < DTYPES ? types[dtype].bytes : 0;
}

bool dtype_precision(enum dtype dtype, bool matrix, enum precision *precision)
{
    switch (dtype) {
    case DTYPE_F32:
        *precision = matrix ? PRECISION_FP32_MATRIX : PRECISION_FP32;
        return true;
    case DTYPE_F16:
        *precision = PRECISION_FP16;
        return matrix;
    case DTYPE_BF16:
        *precision = PRECISION_BF16;
        return matrix;
    case DTYPE_F8:
        *precision = PRECISION_FP8;
        return matrix;
    default:
        return false;
    }
}
