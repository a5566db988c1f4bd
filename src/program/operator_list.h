/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of operators as CSV, an operator a row, of one model or of several:
 *
 *     model, mode, seq, batch   which step the operator belongs to; other columns than these four may be absent or more
 *     node, name                which node of the model it is
 *     phase                     fwd, bwd, accumulate (gradients added up: part of backward)
 *     op, dims                  "linear", "1024x1024x4096"; several tensors, of a copy, stand between blanks
 *     repeat                    how often a step does it; 1 where absent
 *
 * Columns may stand in any order; further ones are passed over. Of each tensor
 * the list gives sizes; what they mean is for the operator's word to say.
 */
#ifndef PROGRAM_OPERATOR_LIST_H
#define PROGRAM_OPERATOR_LIST_H

#include "steptime/error.h"
#include "text/csv_reader.h"

enum { LIST_SIZES = 8, LIST_TENSORS = 8 };

enum list_phase { LIST_FORWARD, LIST_BACKWARD };

/* A row; texts live until the next row is asked for. */
struct list_row {
    str model, mode, seq, batch, node, name, op; /* as written; "" where absent */
    enum list_phase phase;
    int64_t size[LIST_SIZES]; /* of the first tensor */
    uint32_t sizes;
    int64_t elements[LIST_TENSORS]; /* of each tensor; the product fits */
    uint32_t tensors;
    int64_t repeat;
    const char *problem; /* NULL, or why the row makes no sense: "a size is 0" */
    uint32_t line;       /* of the file, from 1 */
    struct csv_row fields;
};

struct operator_list;

/* "-" is standard input. NULL with *err: unreadable, or a column is missing, which is named. */
struct operator_list *operator_list_open(const char *path, struct steptime_error *err);

const struct csv_row *operator_list_header(const struct operator_list *list);

bool operator_list_next(struct operator_list *list, struct list_row *row); /* false at the end */

/* Frees the list. False with *err where the file broke off. */
bool operator_list_close(struct operator_list *list, struct steptime_error *err);

#endif
