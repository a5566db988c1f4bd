/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds in their order: files.h, cells.h, summaries, contexts.h. */
#include "project_new.h"

#include "base/mem.h"
#include "source/contexts/contexts.h"
#include "source/ask/attributes.h"

struct project *project_new(const struct project_source *sources, uint32_t count, const struct project_options *options)
{
    struct project *project = mem_zeroed(sizeof *project);
    files_read(&project->files, sources, count, options);
    cells_settle(&project->cells, &project->files, options);
    summary_build(project);
    project->attributes = attributes_new();
    project->contexts = mem_zeroed(sizeof *project->contexts);
    context_build(project);
    return project;
}

void project_free(struct project *project)
{
    if (!project)
        return;
    contexts_free(project);
    mem_free(project->contexts);
    attributes_free(project->attributes);
    summaries_free(&project->summaries);
    cells_free(&project->cells);
    files_free(&project->files);
    mem_free(project);
}
