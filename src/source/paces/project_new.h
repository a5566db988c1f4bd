/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in, everything known about them out.
 *
 *     struct project *project = project_new(sources, count, &options);
 *     ... name.h, value_at.h, flow.h, context.h and summary.h answer questions about any node ...
 *     project_free(project);
 */
#ifndef SOURCE_PROJECT_NEW_H
#define SOURCE_PROJECT_NEW_H

#include "source/files/given.h"
#include "source/ask/project.h"

struct project *project_new(const struct project_source *sources, uint32_t count,
                            const struct project_options *options /* may be NULL */);
void project_free(struct project *project);

#endif
