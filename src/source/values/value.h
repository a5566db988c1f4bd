/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression evaluates to, as far as the run's files tell; see value_at.h.
 *
 * Every expression has a value; where nothing is known it is value_unknown. A
 * value is about the point of the text where it stands: `x = x.cuda()` has a
 * value on the right and another one after.
 *
 * The device is settled for the run: what is "same as parameter k" inside a
 * function is, for who asks here, what its callers in the run pass; unknown where
 * they differ. summary.h keeps the symbolic form.
 *
 * Conventions, chosen so that doubt is unknown:
 * - A tensor from a constructor without device= is on the CPU, as is a batch of a
 *   DataLoader, and what from_numpy makes. An index by a DataLoader's batch keeps that.
 * - A device expression (self.device, args.device, config["device"],
 *   torch.device("cuda" if ... else "cpu"), x.device of a tensor on the GPU) is the GPU; "cpu" the CPU.
 * - A module is on the GPU when it is moved there anywhere in the run, or, linted
 *   without its trainer, when its own code puts something there. Its parameters and
 *   buffers, and what it returns for tensors, are where the module is.
 * - Tensors that come into forward() of such a module are on the GPU unless callers in the run say otherwise.
 * - A program (files that import each other) in which nothing is put on a device has nothing on it; what one program
 *   of a folder moves says nothing of another.
 * - A default device holds in the script that sets it and in what that imports, unless scripts that set none import it too.
 * - A method called on something unknown is that of the few classes of the program that have one of this name.
 * - Something assumed on the device stays of unknown kind until a use proves a tensor (.backward(), .item() ...).
 * - x.numpy() proves that x is on the CPU, from there on and before it.
 */
#ifndef SOURCE_VALUE_H
#define SOURCE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "source/known/kinds.h"

struct name;

struct value {
    uint8_t kind;            /* enum value_kind */
    uint8_t device;          /* enum value_device; of containers: of the tensors in it, where they agree */
    uint8_t dtype;           /* enum value_dtype */
    uint8_t rank;            /* enum value_rank */
    uint8_t parameter;       /* of DEVICE_PARAMETER */
    uint8_t item_count;      /* of a TUPLE, LIST of known length: items has so many; 0: items is one, for all alike */
    uint8_t depth;           /* of items in items */
    uint16_t flags;          /* enum value_flag */
    uint32_t detail;         /* class or function of the run, else SYNTAX_NONE */
    uint32_t id;             /* equal values are one, at one address */
    const struct name *name; /* of functions, classes and things imported: see name_of */
    const struct value *const *items; /* of containers; NULL where nothing is known */
};

enum { VALUE_DEEPEST = 4 }; /* containers in one another; where more are written it is told (container-depth) */

static inline uint32_t value_item_slots(const struct value *value)
{
    return !value->items ? 0 : value->item_count ? value->item_count : 1;
}

extern const struct value value_unknown;

static inline bool value_has(const struct value *value, enum value_flag flag)
{
    return value->flags & flag;
}

static inline bool value_is_tensor(const struct value *value)
{
    return value->kind == VALUE_TENSOR;
}

static inline bool value_on_gpu(const struct value *value)
{
    return value->device == DEVICE_GPU;
}

static inline bool value_on_cpu(const struct value *value)
{
    return value->device == DEVICE_CPU;
}

/* A tensor that is surely on the GPU: what most rules ask first. */
static inline bool value_gpu_tensor(const struct value *value)
{
    return value->kind == VALUE_TENSOR && value->device == DEVICE_GPU;
}

bool value_holds_gpu(const struct value *value);    /* it lies on the GPU, or something in it does */
bool value_is_number(const struct value *value);    /* INT, FLOAT, BOOL */
bool value_is_container(const struct value *value); /* LIST, TUPLE, SET, DICT, ITERATOR */
/* What iterating over it, or an index that is not known, gives; &value_unknown. */
const struct value *value_item(const struct value *value);
/* Item i of a TUPLE or LIST of known length, else value_item. */
const struct value *value_item_at(const struct value *value, uint32_t i);

#endif
