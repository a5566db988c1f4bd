/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function of the linted files a Python frame of a trace ran. Files are
 * told by the longest end that their paths have in common: a trace names
 * "/root/job/train.py" or, below a folder of sys.path, "models/bert.py".
 * Functions are told by their name and the line they begin in (of a decorated
 * one that of its first decorator, as the interpreter has it). Where the line
 * has moved since, the name decides, if it is the only one in a file that the
 * trace is otherwise known to have run.
 */
#ifndef JOIN_FUNCTION_H
#define JOIN_FUNCTION_H

#include "lint/lint.h"
#include "ops/rows/frame.h"
#include "trace/trace.h"

/* A function of a linted file. */
struct located {
    uint32_t file; /* LOCATED_NONE: of none of them */
    uint32_t node; /* SYN_FUNCTION; 0: the module itself */
};

enum { LOCATED_NONE = UINT32_MAX };

struct locator;

/* The frames of the trace say which files it ran. */
struct locator *locator_new(const struct lint *lint, const struct trace *trace);
void locator_free(struct locator *locator);

struct located locate(const struct locator *locator, const struct frame *frame);

/* Whether a frame of the trace is of that function. */
bool locate_ran(const struct locator *locator, struct located function);

/* The function that holds the node as its own: comprehensions and lambdas count for the function around them. */
uint32_t locate_node(const struct syntax *tree, uint32_t node);

/* How many functions of the trace there are, and how many of them lie in linted files. */
struct located_sum {
    uint32_t functions, found, moved; /* moved: found by name alone */
};
struct located_sum locator_sum(const struct locator *locator);

str last_part(str path); /* the name of a file without its folders, of either kind of slash */

#endif
