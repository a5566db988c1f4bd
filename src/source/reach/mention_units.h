/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to be named, as units (mentions.h), and what a name may mean where it stands. */
#ifndef SOURCE_MENTION_UNITS_H
#define SOURCE_MENTION_UNITS_H

#include "mentions.h"

/* Functions, classes, modules, names of classes and of variables; with mentions from names to what is called so. */
void mention_units_list(const struct project *project, struct mentions *mentions);
/* One more mention, unless a unit would name itself. */
void mention_add(struct mentions *mentions, uint32_t from, uint32_t to, struct site at, bool strict);

int64_t mention_key(str name);
/* What modules of the program of the file call so; what those of others do it may be only where this leads nowhere. */
uint32_t mention_unit_near(const struct project *project, struct mentions *mentions, uint32_t file, str name);
/* What a file may mean by a name, and whether it is of its own program; MAP_NONE: nothing of the run. */
uint32_t mention_unit_meant(const struct project *project, const struct mentions *mentions, uint32_t file, str name,
                            bool *near);
/* What the module of a file binds itself is no variable of another that has the same name; MAP_NONE. */
uint32_t mention_own_variable(const struct mentions *mentions, uint32_t file, str name);
/* The variable of a module that a statement binds, changes, or is said of: `x = ...`, `x["a"] = ...`, `x.add(...)`. */
uint32_t mention_bound_by(const struct syntax *tree, uint32_t statement);
/* Whether a node stands in a module, and in no function or class of it. */
bool mention_in_module(const struct project *project, struct site site);

#endif
