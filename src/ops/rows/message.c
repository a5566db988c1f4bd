/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include "base/sum.h"
#include "ops/words/dtype.h"
#include "ops/words/shape.h"

uint8_t scalar_type_bytes(str type)
{
    static const struct {
        const char *name;
        uint8_t bytes;
    } types[] = {
        {"Float", 4},  {"BFloat16", 2},    {"Half", 2},         {"Double", 8},         {"Long", 8},   {"Int", 4},
        {"Short", 2},  {"Char", 1},        {"Byte", 1},         {"Bool", 1},           {"UInt16", 2}, {"UInt32", 4},
        {"UInt64", 8}, {"ComplexHalf", 4}, {"ComplexFloat", 8}, {"ComplexDouble", 16},
    };
    if (str_starts(type, S("Float8_")))
        return 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq(type, str_of(types[i].name)))
            return types[i].bytes;
    return 0;
}

static bool is_tensor(struct tensor_dims dims, enum dtype dtype)
{
    return dims.rank > 0 || (dtype != DTYPE_NONE && dtype != DTYPE_UNKNOWN);
}

struct total {
    int64_t elements; /* -1: too many to count */
    bool any;
    uint8_t element_bytes;
};

static void add_argument(const struct shape_argument *argument, enum dtype dtype, struct total *total)
{
    for (uint32_t i = 0; i < argument->count; i++)
        if (argument->list || is_tensor(argument->tensors[i], dtype)) {
            total->elements = sum_known(total->elements, dims_elements(argument->tensors[i]));
            total->any = true;
        }
    if (!total->element_bytes)
        total->element_bytes = (uint8_t)dtype_bytes(dtype);
}

struct message message_of_shapes(str dims, str types, int argument)
{
    struct arena scratch = {0};
    struct total total = {0};
    struct shape shape;
    struct text_list words;
    if (shape_parse(dims, &scratch, &shape)) {
        text_list_parse(types, &scratch, &words);
        for (uint32_t i = 0; i < shape.count; i++)
            if (argument == ALL_ARGUMENTS || i == (uint32_t)argument)
                add_argument(&shape.arguments[i], dtype_of_word(text_list_at(&words, i)), &total);
    }
    arena_free(&scratch);
    return (struct message){total.any ? total.elements : -1, total.element_bytes};
}
