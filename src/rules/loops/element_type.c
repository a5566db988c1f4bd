/* SPDX-License-Identifier: Apache-2.0 */
#include "element_type.h"

const char *element_type(const struct check *check, uint32_t call)
{
    static const struct {
        const char *name, *type;
    } rows[] = {
        {"torch.Tensor", "float32"},     {"torch.FloatTensor", "float32"}, {"torch.DoubleTensor", "float64"},
        {"torch.LongTensor", "int64"},   {"torch.IntTensor", "int32"},     {"torch.ShortTensor", "int16"},
        {"torch.HalfTensor", "float16"}, {"torch.ByteTensor", "uint8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ask_named(check, call, rows[i].name))
            return rows[i].type;
    return NULL;
}
