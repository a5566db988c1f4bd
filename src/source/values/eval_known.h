/* SPDX-License-Identifier: Apache-2.0 */
/* A call of a function of the table, for the files that say what comes of it. */
#ifndef SOURCE_EVAL_KNOWN_H
#define SOURCE_EVAL_KNOWN_H

#include "eval.h"

struct known_call {
    struct eval *e;
    uint32_t call;
    const struct known *known;
    const struct value *receiver; /* of a method of a value; NULL */
    const struct value *first;    /* the receiver, or argument 0; value_unknown */
    uint32_t first_node;          /* NONE */
};

const struct value *known_argument(const struct known_call *c, uint32_t i, const char *name);
bool known_has_argument(const struct known_call *c, uint32_t i, const char *name);
uint32_t known_keyword(const struct known_call *c, const char *name);

/* ---- moves (eval_move.c) ---- */

/* A module that is moved takes its class along; a module nobody knows stands for all of the program. */
const struct value *known_moved(struct eval *e, const struct value *value, enum value_device device, uint8_t parameter);
const struct value *known_to(const struct known_call *c); /* .to(device), .to(dtype), .to(other) ... */
/* What a read gives: one number, a list, an array. It is a read-back where the tensor was on the GPU. */
const struct value *known_read_back(const struct known_call *c, enum value_kind kind);

/* ---- frameworks (eval_framework.c) ---- */

const struct value *known_object(const struct known_call *c);
const struct value *known_prepared(const struct known_call *c);
const struct value *known_engine(const struct known_call *c);
const struct value *known_trainer(const struct known_call *c);
const struct value *known_handler(const struct known_call *c);

/* ---- tensors that are made (eval_make.c) ---- */

const struct value *known_plain(const struct known_call *c);     /* as the row says */
const struct value *known_from_data(const struct known_call *c); /* torch.tensor(data) and its kin */

#endif
