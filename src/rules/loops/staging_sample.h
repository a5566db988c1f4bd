/* SPDX-License-Identifier: Apache-2.0 */
/* What gives the same each time a sample comes by: names, expressions, targets and statements of a staging. */
#ifndef RULES_STAGING_SAMPLE_H
#define RULES_STAGING_SAMPLE_H

#include "staging.h"

struct staging_scope {
    const struct check *check;
    const struct staging *staging;
    uint32_t from, to; /* nodes that are taken to be of the sample while they are looked at */
};

bool staging_expression(const struct staging_scope *scope, uint32_t node);
bool staging_target(const struct staging_scope *scope, uint32_t target);
bool staging_statement(const struct staging_scope *scope, uint32_t statement);

/* The names of attributes and keywords are no variables. */
bool staging_is_variable(const struct syntax *tree, uint32_t node);

#endif
