/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expression that made what an expression holds: through names that are bound once, parts of a tuple, and what a function of
 * the run returns.
 */
#ifndef RULES_ORIGIN_H
#define RULES_ORIGIN_H

#include "rules/ask/ask.h"

/* The last one that is known, itself where nothing is. */
struct site origin_of(const struct project *project, struct site expression);

/* The one expression that a function returns; site_none where it returns several times, or nothing. */
struct site origin_returned(const struct project *project, uint32_t function);

/* Which part of a tuple of targets the name is; -1: it is no part of one. */
int64_t origin_part(const struct syntax *tree, uint32_t name);

#endif
