/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the whole project: equal ones at one address. */
#ifndef SOURCE_VALUES_H
#define SOURCE_VALUES_H

#include "source/known/names.h"
#include "source/flow/none.h"
#include "value.h"

struct values;
enum { VALUE_NOTHING = VALUE_KINDS }; /* no way leads here yet: the least value, unknown to who asks from outside */
extern const struct value value_nothing;
enum { VALUE_ITEMS = 32 }; /* of a container that are told apart */

struct values *values_new(void);
void values_free(struct values *values);
/* The one value that is equal. Safe from any thread. Items are copied. */
const struct value *values_get(struct values *values, const struct value *value);
/* No more can be told apart: those beyond are unknown. */
bool values_full(const struct values *values);
const struct value *values_by_id(const struct values *values, uint32_t id);
const struct value *values_of_kind(struct values *values, enum value_kind kind);

enum join {
    JOIN_WAYS, /* of the ways through a function: what is moved on one way is moved; None and a number to begin with give way */
    JOIN_CALLERS, /* of unrelated places: what differs is unknown */
};
const struct value *values_join(struct values *values, const struct value *a, const struct value *b, enum join join);
const struct value *values_container(struct values *values, enum value_kind kind, const struct value *item);
const struct value *values_tuple(struct values *values, enum value_kind kind, const struct value *const *items,
                                 uint32_t count);
const struct value *values_without(struct values *values, const struct value *value, uint16_t flags);
const struct value *values_on(struct values *values, const struct value *value, enum value_device device, uint16_t add,
                              uint16_t drop);

/* ---- what can be asked of one (values_more.c) ---- */
bool value_tensor_like(const struct value *value);    /* TENSOR, or unknown on a known device */
bool value_symbolic(const struct value *value);       /* DEVICE_PARAMETER somewhere in it */
bool value_device_matters(const struct value *value); /* it may be on one: tensors, containers of them, modules */
/*
 * One of several functions, classes or instances of the run: detail is NONE, items are these. Where they are more than
 * VALUE_ITEMS nobody knows which.
 */
bool value_of_run(const struct value *value); /* one or several of such */
bool value_is_one_of_too_many(const struct value *value);
const struct value *values_several(struct values *values, const struct value *a, const struct value *b);
/* The same, its device that of parameter k. */
const struct value *value_as_parameter(struct values *values, const struct value *value, uint8_t k);
/* What an nn.Module does to what is assigned to it: parameters and modules are where it is (parameter 0: self). */
const struct value *value_owned(struct values *values, const struct value *value);
const struct value *value_join_items(struct values *values, const struct value *container);

#endif
