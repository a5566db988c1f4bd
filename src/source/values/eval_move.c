/* SPDX-License-Identifier: Apache-2.0 */
/* What moves give, and what reading a tensor gives. */
#include "eval_known.h"

/* ---- moves ---- */

const struct value *eval_move_to(struct eval *e, const struct value *value, enum value_device device, uint8_t parameter)
{
    const uint16_t drop = VALUE_FRESH | VALUE_PINNED;
    if (value_is_number(value) || value->kind == VALUE_STR || value->kind == VALUE_NONE)
        return value;
    if (device == DEVICE_PARAMETER)
        return value_as_parameter(e->values, values_on(e->values, value, DEVICE_UNKNOWN, VALUE_UPLOADED, drop),
                                  parameter);
    if (device == DEVICE_GPU)
        return values_on(e->values, value, device, VALUE_UPLOADED, drop | VALUE_DOWNLOADED | VALUE_ASSUMED);
    if (device == DEVICE_CPU)
        return values_on(e->values, value, device,
                         eval_concrete(e, value, false)->device == DEVICE_GPU ? VALUE_DOWNLOADED : 0,
                         drop | VALUE_UPLOADED);
    return values_on(e->values, value, device, 0, drop);
}

/* A module that is moved takes its class along; a module nobody knows stands for all of the run. */
const struct value *known_moved(struct eval *e, const struct value *value, enum value_device device, uint8_t parameter)
{
    if (device == DEVICE_GPU) {
        const bool module = value->kind == VALUE_MODULE;
        if (module && value->detail != NONE)
            eval_class_on_gpu(e, value->detail);
        else if ((module && !value->name) || value->kind == VALUE_UNKNOWN)
            eval_fact(e, FACT_MODULE_MOVED, &value_unknown);
        eval_fact(e, FACT_DEVICE_USED, &value_unknown);
        if (e->in_module)
            eval_class_on_gpu(e, e->self_class);
    }
    return eval_move_to(e, value, device, parameter);
}

static const struct value *with_dtype(struct eval *e, const struct value *value, uint8_t dtype)
{
    if (!dtype || value->dtype == dtype)
        return value;
    struct value out = *value;
    out.dtype = dtype;
    return values_get(e->values, &out);
}

const struct value *known_to(const struct known_call *c)
{
    struct eval *e = c->e;
    const struct value *value = c->receiver ? c->receiver : &value_unknown;
    uint32_t node = syntax_argument(e->tree, c->call, 0, NULL);
    if (node == NONE)
        node = known_keyword(c, "device");
    uint32_t second = syntax_argument(e->tree, c->call, 1, "dtype");
    if (node == NONE)
        node = second;
    if (node == NONE && str_eq(syntax_tail(e->tree, syntax_first(e->tree, c->call)), S("type")))
        return eval_string(e, S("")); /* x.type(): "torch.FloatTensor" */
    if (node == NONE)
        return value;
    const struct device_named named = eval_device_named(e, node);
    if (second != NONE)
        value = with_dtype(e, value, eval_get(e, second)->dtype);
    value = with_dtype(e, value, named.dtype);
    if (named.named && named.device != DEVICE_UNKNOWN)
        return known_moved(e, value, named.device, named.parameter);
    return eval_get(e, node)->kind == VALUE_DTYPE ? value
                                                  : values_on(e->values, value, DEVICE_UNKNOWN, 0, VALUE_PINNED);
}

/* What a read gives: one number, a list, an array. It is a read-back where the tensor was on the GPU. */
const struct value *known_read_back(const struct known_call *c, enum value_kind kind)
{
    const struct value *from = eval_concrete(c->e, c->first, false);
    struct value out = {.kind = (uint8_t)kind, .detail = NONE};
    out.flags = from->flags & (VALUE_RANDOM | VALUE_DOWNLOADED | VALUE_FROM_LOADER);
    if (from->device == DEVICE_GPU)
        out.flags |= VALUE_DOWNLOADED;
    if (kind == VALUE_FLOAT && (from->dtype == DTYPE_INT64 || from->dtype == DTYPE_INT32 || from->dtype == DTYPE_UINT8))
        out.kind = VALUE_INT;
    if (kind == VALUE_FLOAT && from->dtype == DTYPE_BOOL)
        out.kind = VALUE_BOOL;
    if (kind == VALUE_ARRAY) {
        out.dtype = from->dtype;
        out.rank = from->rank;
    }
    return values_get(c->e->values, &out);
}
