/* SPDX-License-Identifier: Apache-2.0 */
#include "trained.h"

#include "base/mem.h"
#include "mention_search.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"
#include "unmade.h"

/* ---- what trains ---- */

/* A class of which a framework calls a method each training step. */
static bool is_trained_by_framework(const struct project *project, uint32_t f)
{
    const struct function *function = &project->files.functions[f];
    if (function->class_id == NONE)
        return false;
    const struct framework *framework = project->files.classes[function->class_id].framework;
    const struct contract *contract = frameworks_contract(framework, function->name);
    return contract && contract->pace == PACE_STEP && !str_eq(function->name, frameworks_forward(framework));
}

static void begin_at(const struct project *project, struct mention_search *search, struct site *trains,
                     struct site site)
{
    const uint32_t unit = mentions_unit(project, search->mentions, site);
    if (!search->seen[unit])
        trains[unit] = site;
    mention_search_begin(search, unit, NONE);
}

/* `def backward(ctx, grad)` of a function of autograd computes a part of what another call trains with. */
static bool is_in_backward(const struct project *project, struct site site)
{
    return str_eq(project->files.functions[project_function_at(project, site)].name, S("backward"));
}

static void begin(const struct project *project, struct mention_search *search, struct site *trains)
{
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct file *file = &project->files.at[i];
        const struct nodes *training = &project->contexts->of_file[i].training;
        for (size_t n = 0; n < training->count && !file->is_test; n++) {
            const struct site site = {i, training->at[n]};
            if (!call_at(project, site) && !is_in_backward(project, site)) /* a call of what trains names that */
                begin_at(project, search, trains, site);
        }
        for (uint32_t node = 0; node < file->shown.tree->count && !file->is_test; node++)
            if (file->shown.tree->kind[node] == SYN_CALL &&
                known_word(WORDS_TRAINERS, name_of(project, (struct site){i, node})))
                begin_at(project, search, trains, (struct site){i, node});
    }
    for (uint32_t f = 0; f < project->files.function_count; f++)
        if (is_trained_by_framework(project, f) && !project->files.at[project->files.functions[f].file].is_test) {
            const struct site site = {project->files.functions[f].file, project->files.functions[f].node};
            if (!search->seen[f])
                trains[f] = site;
            mention_search_begin(search, f, NONE);
        }
}

/* ---- from what runs it forward ---- */

/* The places from each unit to what trains, kept one behind the other. */
static void keep(struct project *project, const struct mention_search *forward, const struct mention_search *backward,
                 const struct site *trains, const bool *sure)
{
    struct trained *trained = &project->contexts->trained;
    const struct mention *mentions = forward->mentions->at;
    const uint32_t units = forward->mentions->units;
    trained->steps = arena_array(&project->contexts->arena, units, sizeof *trained->steps);
    for (uint32_t u = 0; u < units; u++) {
        const uint32_t up = backward->seen[u] ? backward->via[u] : NONE;
        const uint32_t down = forward->seen[u] ? forward->via[u] : NONE;
        struct trained_step step = {site_none, NONE, TRAINED_NOT, false};
        if (up != NONE) /* before `down`: a name on the way up is come to again from above */
            step = (struct trained_step){mentions[up].at, mentions[up].to, TRAINED_BY_NAME, true};
        else if (backward->seen[u])
            step = (struct trained_step){trains[u], NONE, TRAINED_ITSELF, true};
        else if (down != NONE)
            step = (struct trained_step){mentions[down].at, mentions[down].from, TRAINED_BY_NAME, false};
        else if (forward->seen[u])
            step.kind = TRAINED_OPEN;
        step.sure = backward->seen[u] || (forward->seen[u] && sure[u]);
        trained->steps[u] = step;
    }
}

/* What trains and all that runs it, with what they name; what a setting may make for them; what they may name at last. */
static void search_forward(const struct project *project, struct mention_search *forward,
                           const struct mention_search *backward)
{
    for (uint32_t u = 0; u < forward->mentions->modules; u++) /* a name that leads to what trains leads elsewhere too */
        if (backward->seen[u])
            mention_search_begin(forward, u, NONE);
    mention_search_on(forward, true);
    for (uint32_t c = 0; project->cells.options.mentioned && c < project->files.class_count; c++)
        if (unmade_is_open(project, c))
            mention_search_begin(forward, forward->mentions->classes + c, NONE);
    mention_search_on(forward, true);
    mention_search_on(forward, false);
}

/* Units to which names lead that mean nothing else, in the order in which they were come to. */
static void find_sure(const struct mention_search *forward, bool *sure)
{
    for (uint32_t i = 0; i < forward->count; i++) {
        const uint32_t unit = forward->queue[i];
        const struct mention *via = forward->via[unit] == NONE ? NULL : &forward->mentions->at[forward->via[unit]];
        sure[unit] = !via || (sure[via->from] && (via->strict || via->asked));
    }
}

void trained_build(struct project *project, const struct mentions *mentions)
{
    struct trained *trained = &project->contexts->trained;
    const uint32_t classes = project->files.class_count;
    struct mention_search backward, forward;
    trained->classes = mentions->classes;
    trained->named_by_setting = arena_array(&project->contexts->arena, classes, sizeof *trained->named_by_setting);
    for (uint32_t c = 0; c < classes; c++)
        trained->named_by_setting[c] = mentions_in_setting(project, mentions, c);
    struct site *trains = mem_alloc((mentions->units + (size_t)1) * sizeof *trains);
    mention_search_new(&backward, mentions, true);
    begin(project, &backward, trains);
    mention_search_on(&backward, true);
    mention_search_new(&forward, mentions, false);
    bool *sure = mem_zeroed(mentions->units + (size_t)1);
    search_forward(project, &forward, &backward);
    find_sure(&forward, sure);
    keep(project, &forward, &backward, trains, sure);
    mem_free(sure);
    trained->any = backward.count > 0;
    trained->everything = forward.seen[mentions->everything];
    mention_search_free(&backward);
    mention_search_free(&forward);
    mem_free(trains);
}

struct trained_step context_trained(const struct project *project, uint32_t unit)
{
    return project->contexts->trained.steps[unit];
}

uint32_t context_class_unit(const struct project *project, uint32_t class_id)
{
    return project->contexts->trained.classes + class_id;
}

bool context_trains_anything(const struct project *project)
{
    return project->contexts->trained.any;
}
