/* SPDX-License-Identifier: Apache-2.0 */
#include "trained.h"

#include "base/mem.h"
#include "mentions.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"
#include "unmade.h"

/* Units in the order in which they are come to, and the mentions of each from one side. */
struct search {
    const struct mentions *mentions;
    uint32_t *first, *of; /* of[first[unit]] up to first[unit + 1]: mentions */
    bool *seen;           /* per unit */
    uint32_t *via;        /* per unit: the mention by which it was come to; NONE */
    uint32_t *queue;
    uint32_t count;
    bool backward;
};

static uint32_t here(const struct search *search, const struct mention *mention)
{
    return search->backward ? mention->to : mention->from;
}

static uint32_t there(const struct search *search, const struct mention *mention)
{
    return search->backward ? mention->from : mention->to;
}

static void search_new(struct search *search, const struct mentions *mentions, bool backward)
{
    const size_t units = mentions->units;
    *search = (struct search){.mentions = mentions, .backward = backward};
    search->first = mem_zeroed((units + 2) * sizeof *search->first);
    search->of = mem_alloc((mentions->count + 1) * sizeof *search->of);
    search->seen = mem_zeroed(units + 1);
    search->via = mem_alloc((units + 1) * sizeof *search->via);
    search->queue = mem_alloc((units + 1) * sizeof *search->queue);
    for (size_t i = 0; i < mentions->count; i++)
        search->first[here(search, &mentions->at[i]) + 2]++;
    for (size_t u = 2; u < units + 2; u++)
        search->first[u] += search->first[u - 1];
    for (size_t i = 0; i < mentions->count; i++)
        search->of[search->first[here(search, &mentions->at[i]) + 1]++] = (uint32_t)i;
}

static void search_free(struct search *search)
{
    mem_free(search->first);
    mem_free(search->of);
    mem_free(search->seen);
    mem_free(search->via);
    mem_free(search->queue);
}

static void come_to(struct search *search, uint32_t unit, uint32_t via)
{
    if (search->seen[unit])
        return;
    search->seen[unit] = true;
    search->via[unit] = via;
    search->queue[search->count++] = unit;
}

/* Over strict mentions alone, or over all: from all that was come to. */
static void search_on(struct search *search, bool strict)
{
    for (uint32_t at = 0; at < search->count; at++)
        for (uint32_t i = search->first[search->queue[at]]; i < search->first[search->queue[at] + 1]; i++) {
            const struct mention *mention = &search->mentions->at[search->of[i]];
            if (mention->strict || !strict)
                come_to(search, there(search, mention), search->of[i]);
        }
}

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

static void begin_at(const struct project *project, struct search *search, struct site *trains, struct site site)
{
    const uint32_t unit = mentions_unit(project, search->mentions, site);
    if (!search->seen[unit])
        trains[unit] = site;
    come_to(search, unit, NONE);
}

/* `def backward(ctx, grad)` of a function of autograd computes a part of what another call trains with. */
static bool is_in_backward(const struct project *project, struct site site)
{
    return str_eq(project->files.functions[project_function_at(project, site)].name, S("backward"));
}

static void begin(const struct project *project, struct search *search, struct site *trains)
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
            come_to(search, f, NONE);
        }
}

/* ---- from what runs it forward ---- */

/* The places from each unit to what trains, kept one behind the other. */
static void keep(struct project *project, const struct search *forward, const struct search *backward,
                 const struct site *trains)
{
    struct trained *trained = &project->contexts->trained;
    const struct mention *mentions = forward->mentions->at;
    const uint32_t units = forward->mentions->units;
    trained->steps = arena_array(&project->contexts->arena, units, sizeof *trained->steps);
    for (uint32_t u = 0; u < units; u++) {
        const uint32_t up = backward->seen[u] ? backward->via[u] : NONE;
        const uint32_t down = forward->seen[u] ? forward->via[u] : NONE;
        struct trained_step step = {site_none, NONE, TRAINED_NOT};
        if (up != NONE) /* before `down`: a name on the way up is come to again from above */
            step = (struct trained_step){mentions[up].at, mentions[up].to, TRAINED_BY_NAME};
        else if (backward->seen[u])
            step = (struct trained_step){trains[u], NONE, TRAINED_ITSELF};
        else if (down != NONE)
            step = (struct trained_step){mentions[down].at, mentions[down].from, TRAINED_BY_NAME};
        else if (forward->seen[u])
            step.kind = TRAINED_OPEN;
        trained->steps[u] = step;
    }
}

/* What trains and all that runs it, with what they name; what a setting may make for them; what they may name at last. */
static void search_forward(const struct project *project, struct search *forward, const struct search *backward)
{
    for (uint32_t u = 0; u < forward->mentions->modules; u++) /* a name that leads to what trains leads elsewhere too */
        if (backward->seen[u])
            come_to(forward, u, NONE);
    search_on(forward, true);
    for (uint32_t c = 0; project->cells.options.mentioned && c < project->files.class_count; c++)
        if (unmade_is_open(project, c))
            come_to(forward, forward->mentions->classes + c, NONE);
    search_on(forward, true);
    search_on(forward, false);
}

void trained_build(struct project *project)
{
    struct trained *trained = &project->contexts->trained;
    const uint32_t classes = project->files.class_count;
    struct mentions mentions = {0};
    struct search backward, forward;
    mentions_find(project, &mentions);
    trained->classes = mentions.classes;
    trained->named_by_setting = arena_array(&project->contexts->arena, classes, sizeof *trained->named_by_setting);
    for (uint32_t c = 0; c < classes; c++)
        trained->named_by_setting[c] = mentions_in_setting(project, &mentions, c);
    struct site *trains = mem_alloc((mentions.units + (size_t)1) * sizeof *trains);
    search_new(&backward, &mentions, true);
    begin(project, &backward, trains);
    search_on(&backward, true);
    search_new(&forward, &mentions, false);
    search_forward(project, &forward, &backward);
    keep(project, &forward, &backward, trains);
    trained->any = backward.count > 0;
    trained->everything = forward.seen[mentions.everything];
    search_free(&backward);
    search_free(&forward);
    mem_free(trains);
    mentions_free(&mentions);
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
