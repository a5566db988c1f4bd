/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a value, and values made of others. */
#include "source/eval.h"

static uint32_t item_slots(const struct value *value)
{
    return !value->items ? 0 : value->item_count ? value->item_count : 1;
}

bool value_is_number(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_FLOAT || value->kind == VALUE_BOOL;
}

bool value_is_container(const struct value *value)
{
    return value->kind >= VALUE_LIST && value->kind <= VALUE_ITERATOR;
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
    for (uint32_t i = 0; i < item_slots(value); i++)
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
    for (uint32_t i = 0; i < item_slots(value); i++)
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

/* ---- where parameters are ---- */

static bool is_method(const struct function *f)
{
    return f->class_id != NONE && !f->is_static && !f->is_classmethod;
}

enum value_device resolve_parameter(const struct project *project, uint32_t function, uint32_t k, uint16_t *flags)
{
    const struct function *f = &project->functions[function];
    const bool in_module = f->class_id != NONE && project->classes[f->class_id].is_module;
    *flags = 0;
    if (k == 0 && is_method(f))
        return in_module && project->class_data[f->class_id].on_gpu ? DEVICE_GPU : DEVICE_UNKNOWN;
    if (k >= f->parameters || k >= SUMMARY_PARAMETERS)
        return DEVICE_UNKNOWN;
    const struct value *given = project->cells[cell_of_parameter(project, function, k)].value;
    if (given->device == DEVICE_GPU || given->device == DEVICE_CPU)
        return given->device;
    if ((given->kind == VALUE_NOTHING || given->kind == VALUE_UNKNOWN) && in_module && is_method(f) &&
        project->calls_forward[function] && project->class_data[f->class_id].on_gpu) {
        *flags = VALUE_ASSUMED;
        return DEVICE_GPU;
    }
    return DEVICE_UNKNOWN;
}
