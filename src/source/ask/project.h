/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All Python files of one run, parsed and understood together.
 *
 * project_new.h makes one; name.h, value_at.h, flow.h, context.h and summary.h answer questions about any node.
 *
 * Files, functions and classes are numbered; a node of a file is a `struct site`.
 * After project_new nothing changes, so any number of threads may ask: walk the
 * nodes of a file in order and ask about each, file by file, in parallel.
 *
 * What a run knows is what its files say. Where that leaves a doubt the answer is
 * "unknown", and whoever asks stays silent.
 */
#ifndef SOURCE_PROJECT_H
#define SOURCE_PROJECT_H

#include "base/limits.h"
#include "source/flow/site.h"

struct project;

uint32_t project_files(const struct project *project);
const struct project_file *project_file(const struct project *project, uint32_t file);
const struct syntax *project_tree(const struct project *project, uint32_t file);

uint32_t project_functions(const struct project *project);
const struct function *project_function(const struct project *project, uint32_t function);
const struct class_info *project_class(const struct project *project, uint32_t class_id);

/* The function whose code the node is; of a def statement itself the function around it. */
uint32_t project_function_at(const struct project *project, struct site site);
/* The method of a class by name, its bases in the run too; SYNTAX_NONE. */
uint32_t project_method(const struct project *project, uint32_t class_id, str name);
/* Where parameter k of a function stands (SYN_PARAMETER); SYNTAX_NONE. */
uint32_t project_parameter(const struct project *project, uint32_t function, uint32_t k);

/*
 * Whether anything is put on a device in the program of the file: the files that
 * import each other. Where not, there is no device that could wait.
 */
bool project_uses_device(const struct project *project, uint32_t file);

/* Whether the two files are of one program: they import each other, at any remove. */
bool project_is_one_program(const struct project *project, uint32_t a, uint32_t b);

/* Whether any file sets what torch.Tensor and floats mean where no type is given, by torch.set_default_dtype() or the like. */
bool project_sets_default_type(const struct project *project);

/* What a round passes along calls did not come to an end; told at a call of the last pass that still changed something. */
extern const struct limit limit_call_rounds;
/* Tells that what was asked about the node is not followed to its end. */
void project_limit(const struct project *project, const struct limit *limit, struct site site);
/* All that was told of, by id, file and byte: limits are met while the project is made and while it is asked. */
const struct limit_met *project_limits(const struct project *project, struct arena *arena, uint32_t *count);

#endif
