/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of one file against the cells of the last round: what its parts know of each other. */
#ifndef SOURCE_EVAL_H
#define SOURCE_EVAL_H

#include "source/known/known.h"
#include "cells.h"

/* A method of one of few classes: FUNCTION without detail, by such a name. */
#define FEW_METHODS_PREFIX "?"
enum { FEW_METHODS = 4 };

enum { NAMES_KEPT = 1024 };

/* Names that were looked up last: the table of the project costs a lock. */
struct kept_name {
    const void *base;
    str part;
    const struct name *name;
};

struct eval {
    struct cells *cells;
    const struct files *files;
    struct file *file;
    struct evaluated *own; /* what is found of the file */
    uint32_t file_id;
    const struct syntax *tree;
    struct flow *flow;
    struct values *values;
    struct names *names;
    uint32_t function;   /* in the file */
    uint32_t self_class; /* of the method (or a function in it); NONE */
    uint32_t cursor;     /* the next definition to be evaluated */
    bool changed;        /* a definition has another value than in the pass before */
    bool proved;         /* something was proven of a definition that stands before */
    bool in_module;      /* self_class is an nn.Module */
    struct kept_name *kept;
};

static inline const struct value *eval_get(const struct eval *e, uint32_t node)
{
    return node == NONE ? &value_unknown : values_by_id(e->values, e->own->value_of[node]);
}
static inline void eval_set(struct eval *e, uint32_t node, const struct value *value)
{
    e->own->value_of[node] = value->id;
}
static inline const struct value *eval_def(const struct eval *e, uint32_t def)
{
    return values_by_id(e->values, e->own->value_of_def[flow_resolve(e->flow, def)]);
}
static inline uint32_t eval_function_id(const struct eval *e)
{
    return e->file->shown.first_function + e->function;
}

/* names_get and names_dot (base: NULL for the former). The text must be one of a file of the run, or a literal. */
const struct name *eval_name(struct eval *e, const struct name *base, str part);

void eval_tell_long_name(const struct eval *e, str part);

/* ---- facts: what this file contributes to cells ---- */
void eval_fact(struct eval *e, int64_t key, const struct value *value);
void eval_read(struct eval *e, int64_t key); /* remembers what the file depends on: a cell, or read_key_class */
const struct value *eval_cell(struct eval *e, uint32_t cell);
/* A device that is "same as parameter k" here, told to others as what the callers pass. `keep_self`: but not self's. */
const struct value *eval_concrete(struct eval *e, const struct value *value, bool keep_self);
void eval_class_on_gpu(struct eval *e, uint32_t class_id);
void eval_class_made(struct eval *e, uint32_t class_id); /* an object of it */
void eval_attribute_fact(struct eval *e, uint32_t class_id, str name, const struct value *value);
void eval_decorators(struct eval *e, uint32_t decorated); /* what decorators are given */
/* An object of a class without __init__ is made: what it is given are its fields, as of a dataclass. */
void eval_fields(struct eval *e, uint32_t call, uint32_t class_id);
/* What functions give that take a thing by its name, or make another: import_module, getattr, instantiate; NULL. */
const struct value *eval_made_by_name(struct eval *e, uint32_t call, str name);
const struct value *eval_getattr(struct eval *e, uint32_t call); /* NULL */

void eval_settle(struct eval *e, uint32_t def);

/* ---- expressions ---- */
void eval_expression(struct eval *e, uint32_t node);
const struct value *eval_call(struct eval *e, uint32_t call);
const struct value *eval_attribute(struct eval *e, uint32_t node);
/* What a known function gives. `receiver`: of a method; NULL. */
const struct value *eval_known(struct eval *e, uint32_t call, const struct known *known, const struct value *receiver);
const struct value *eval_binary(struct eval *e, const struct value *a, const struct value *b, enum syntax_op op);
const struct value *eval_iterate(struct eval *e, const struct value *value); /* an item of it */
const struct value *eval_move_to(struct eval *e, const struct value *value, enum value_device device,
                                 uint8_t parameter);
/* The device an argument names: x.to(here). DEVICE_UNKNOWN where it names none. */
struct device_named {
    enum value_device device;
    uint8_t parameter;
    bool named;    /* it is about a device at all */
    uint8_t dtype; /* or about this dtype */
};
struct device_named eval_device_named(struct eval *e, uint32_t node);
void eval_prove_tensor(struct eval *e, uint32_t node);
bool eval_call_fits(const struct eval *e, uint32_t call, uint32_t function);
str eval_last_part(str dotted);
const struct value *eval_string(struct eval *e, str text);
const struct value *eval_module_of(struct eval *e, uint32_t class_id, enum value_device device);

/* Facts about the parameters of the function that is evaluated, where a framework calls it. */
void eval_given_by_framework(struct eval *e);
/* What super() is where a framework owns the base of the class; NULL. */
const struct value *eval_framework_base(struct eval *e);
/* An attribute that a class has from its framework; NULL. */
const struct value *eval_held_by_framework(struct eval *e, uint32_t class_id, str member);
/* An attribute, not called, of an object of a framework; NULL where the table has nothing of it. */
const struct value *eval_framework_attribute(struct eval *e, const struct value *object, str member);
/* An object of a class of that framework is made: what it is given is put on the device. `framework` may be NULL. */
struct framework;
void eval_hand_to_framework(struct eval *e, uint32_t call, const struct framework *framework);

/* A method by super(); value_nothing where `node` is none, or none of the run has it. */
const struct value *eval_super_attribute(struct eval *e, uint32_t node, str member);
/* An attribute of an object (or of one of several) of the run; `node` is the expression. */
const struct value *eval_attribute_of_class(struct eval *e, uint32_t node, const struct value *object, str member);
const struct value *eval_starred(struct eval *e, uint32_t file, str member);
const struct value *eval_import(struct eval *e, uint32_t file); /* a file of the run as a module */
const struct value *eval_member(struct eval *e, const struct value *import, str name); /* of a module of Python */

/* A result, or an attribute, seen from outside: what is same as parameter k is same as given[k]; NULL: not known. */
const struct value *value_substitute(struct eval *e, const struct value *value, const struct value *const *given,
                                     uint32_t count);

/* ---- shared among the files of evaluation ---- */
/* Tells that the value of the node is not followed to its end. */
static inline void eval_limit(const struct eval *e, const struct limit *limit, uint32_t node)
{
    files_limit(e->files, limit, e->file_id, node);
}

enum { EVAL_WIDEST = 64 }; /* targets of one assignment that are told apart */
const struct value *eval_by_convention(struct eval *e, str word, const struct value *value); /* devices, loaders */
const struct value *eval_name_value(struct eval *e, uint32_t node);
const struct value *eval_kind_of(struct eval *e, enum value_kind kind, uint16_t flags);
enum value_device eval_device_of_parameter(struct eval *e, uint32_t k);
/* Where the name stands in `a, (b, c) = value`: takes the parts on the way down from `top`. */
const struct value *eval_unpack(struct eval *e, const struct value *value, uint32_t name, uint32_t top);

#endif
