/* SPDX-License-Identifier: Apache-2.0 */
/* Types by their names: dtypes of torch, and the type that begins the name of a method of a value. */
#include "known.h"

static const struct {
    const char *name;
    uint8_t dtype;
} dtypes[] = {
    {"float", DTYPE_FLOAT32}, {"float32", DTYPE_FLOAT32}, {"float64", DTYPE_FLOAT64},  {"double", DTYPE_FLOAT64},
    {"half", DTYPE_FLOAT16},  {"float16", DTYPE_FLOAT16}, {"bfloat16", DTYPE_FLOAT16}, {"long", DTYPE_INT64},
    {"int64", DTYPE_INT64},   {"int", DTYPE_INT32},       {"int32", DTYPE_INT32},      {"short", DTYPE_INT32},
    {"int16", DTYPE_INT32},   {"uint8", DTYPE_UINT8},     {"int8", DTYPE_UINT8},       {"bool", DTYPE_BOOL}};

/* The type that begins the name of a method of such a value: "torch.Tensor" of `x.item`. */
static const char *const types[VALUE_KINDS] = {
    [VALUE_TENSOR] = "torch.Tensor",
    [VALUE_BATCH] = "torch.Tensor",
    [VALUE_MODULE] = "torch.nn.Module",
    [VALUE_LOSS] = "torch.nn.Module",
    [VALUE_ARRAY] = "numpy.ndarray",
    [VALUE_STR] = "str",
    [VALUE_LIST] = "list",
    [VALUE_TUPLE] = "tuple",
    [VALUE_SET] = "set",
    [VALUE_DICT] = "dict",
    [VALUE_OPTIMIZER] = "torch.optim.Optimizer",
    [VALUE_SCHEDULER] = "torch.optim.lr_scheduler.LRScheduler",
    [VALUE_SCALER] = "torch.cuda.amp.GradScaler",
    [VALUE_DATASET] = "torch.utils.data.Dataset",
    [VALUE_LOADER] = "torch.utils.data.DataLoader",
    [VALUE_WRITER] = "logging.Logger",
    [VALUE_FRAME] = "pandas.DataFrame",
    [VALUE_SPARSE] = "scipy.sparse.matrix",
};

const char *const known_common_types[] = {"torch.Tensor", "torch.nn.Module", "list", "dict", "str", "set", NULL};

uint8_t known_dtype_of(const struct known *known)
{
    static const uint8_t said[] = {
        [OF_DEFAULT] = DTYPE_FLOAT32, [OF_BOOL] = DTYPE_BOOL,      [OF_UINT8] = DTYPE_UINT8,
        [OF_INT32] = DTYPE_INT32,     [OF_INT64] = DTYPE_INT64,    [OF_FLOAT16] = DTYPE_FLOAT16,
        [OF_FLOAT32] = DTYPE_FLOAT32, [OF_FLOAT64] = DTYPE_FLOAT64};
    return said[known->dtype];
}

uint8_t known_dtype_named(str last)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (str_eq(last, str_of(dtypes[i].name)))
            return dtypes[i].dtype;
    return DTYPE_UNKNOWN;
}

const char *known_type(uint8_t kind)
{
    return kind < VALUE_KINDS ? types[kind] : NULL;
}
