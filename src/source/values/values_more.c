/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a value, and values made of others. */
#include "values.h"

bool value_is_number(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_FLOAT || value->kind == VALUE_BOOL;
}

bool value_is_container(const struct value *value)
{
    return value->kind >= VALUE_LIST && value->kind <= VALUE_ITERATOR;
}

static bool holds_gpu(const struct value *value, int depth)
{
    if (value->device == DEVICE_GPU)
        return true;
    for (uint32_t i = 0; depth && i < value_item_slots(value); i++)
        if (holds_gpu(value->items[i], depth - 1))
            return true;
    return false;
}

bool value_holds_gpu(const struct value *value)
{
    return holds_gpu(value, VALUE_DEEPEST);
}

bool value_tensor_like(const struct value *value)
{
    return value->kind == VALUE_TENSOR || value->kind == VALUE_BATCH ||
           (value->kind == VALUE_UNKNOWN && value->device == DEVICE_GPU && !(value->flags & VALUE_ASSUMED));
}

const struct value *value_item(const struct value *value)
{
    if (!value->items)
        return &value_unknown;
    for (uint32_t i = 1; i < value->item_count; i++)
        if (value->items[i] != value->items[0])
            return &value_unknown;
    return value->items[0]->kind == VALUE_NOTHING ? &value_unknown : value->items[0];
}

const struct value *value_item_at(const struct value *value, uint32_t i)
{
    if (value->items && i < value->item_count)
        return value->items[i]->kind == VALUE_NOTHING ? &value_unknown : value->items[i];
    return value_item(value);
}

bool value_symbolic(const struct value *value)
{
    if (value->device == DEVICE_PARAMETER || (value->kind == VALUE_NOTHING && value->device != DEVICE_UNKNOWN))
        return true;
    for (uint32_t i = 0; i < value_item_slots(value); i++)
        if (value_symbolic(value->items[i]))
            return true;
    return false;
}

bool value_device_matters(const struct value *value)
{
    switch (value->kind) {
    case VALUE_UNKNOWN:
    case VALUE_NOTHING:
    case VALUE_TENSOR:
    case VALUE_MODULE:
    case VALUE_LOSS:
    case VALUE_BATCH:
    case VALUE_DEVICE:
        return true;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
    case VALUE_ITERATOR:
        return value->device != DEVICE_UNKNOWN;
    default:
        return false;
    }
}

const struct value *value_as_parameter(struct values *values, const struct value *value, uint8_t k)
{
    struct value out = *value;
    const struct value *room[64];
    out.device = DEVICE_PARAMETER;
    out.parameter = k;
    for (uint32_t i = 0; i < value_item_slots(value); i++)
        room[i] =
            value_device_matters(value->items[i]) ? value_as_parameter(values, value->items[i], k) : value->items[i];
    out.items = value->items ? room : NULL;
    return values_get(values, &out);
}

const struct value *value_owned(struct values *values, const struct value *value)
{
    const bool own = value->kind == VALUE_MODULE || value->kind == VALUE_LOSS || value->flags & VALUE_PARAMETER;
    if (!own || value->device == DEVICE_GPU)
        return value;
    return value_as_parameter(values, value, 0);
}

const struct value *value_join_items(struct values *values, const struct value *container)
{
    const struct value *item = container->items ? container->items[0] : &value_unknown;
    for (uint32_t i = 1; i < container->item_count; i++)
        item = values_join(values, item, container->items[i], JOIN_WAYS);
    return item;
}

/* ---- one of several ---- */

bool value_of_run(const struct value *value)
{
    const bool kind = value->kind == VALUE_FUNCTION || value->kind == VALUE_CLASS || value->kind == VALUE_INSTANCE;
    return kind && (value->detail != NONE || value->item_count);
}

bool value_is_one_of_too_many(const struct value *value)
{
    return value_of_run(value) && value->item_count > VALUE_ITEMS;
}

static const struct value *one_of(const struct value *value, uint32_t i)
{
    return value->items && value->detail == NONE ? value->items[i] : value;
}

static uint32_t how_many(const struct value *value)
{
    return value->items && value->detail == NONE ? value->item_count : 1;
}

const struct value *values_several(struct values *values, const struct value *a, const struct value *b)
{
    const struct value *room[2 * VALUE_ITEMS];
    if (value_is_one_of_too_many(a) || value_is_one_of_too_many(b))
        return value_is_one_of_too_many(a) ? a : b;
    const uint32_t of_a = how_many(a), of_b = how_many(b);
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < of_a || k < of_b;) { /* by what they are: joined in any order they are one value */
        const struct value *x = i < of_a ? one_of(a, i) : NULL, *y = k < of_b ? one_of(b, k) : NULL;
        const bool first = x && (!y || x->detail <= y->detail);
        i += first;
        k += !first || (y && x->detail == y->detail);
        room[count++] = first ? x : y;
    }
    struct value out = {.kind = a->kind, .detail = NONE, .item_count = UINT8_MAX};
    if (count <= VALUE_ITEMS) {
        out.items = room;
        out.item_count = (uint8_t)count;
    }
    return count == 1 ? room[0] : values_get(values, &out);
}
