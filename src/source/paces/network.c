/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include "loops.h"

static const struct limit far = {
    "network-steps", "a network is called through more than 16 functions, or made through more than 64; whether "
                     "a training step runs it is not known"};

/* Whether what runs the call is a training step that is seen: a loop, a function that trains, what a framework promises. */
static bool is_in_step(const struct project *project, struct site call)
{
    enum { FARTHEST = 16 };
    const struct context context = context_of(project, call);
    if (context.pace != PACE_STEP || context.gate != GATE_NONE || context.on_error || context.in_test)
        return false;
    struct way_in way = context_way_in(project, call);
    for (int i = 0; i < FARTHEST && (way.kind == WAY_CALL || way.kind == WAY_LEARNER || way.kind == WAY_ROUNDS); i++)
        way = context_way_in(project, way.at);
    if (way.kind == WAY_CALL || way.kind == WAY_ROUNDS)
        project_limit(project, &far, call);
    return way.kind == WAY_LOOP || way.kind == WAY_TRAINS || way.kind == WAY_CONTRACT || way.kind == WAY_HANDLER;
}

/* `model(x)` of a network of which the class is not known; NONE. */
static uint32_t runs_unknown(const struct project *project, uint32_t id)
{
    const struct file *file = &project->files.at[id];
    const struct syntax *tree = file->shown.tree;
    for (uint32_t node = 0; node < tree->count && !file->is_test; node++) {
        const struct site call = {id, node};
        if (tree->kind[node] != SYN_CALL || !loops_runs_network(project, file, node) || call_at(project, call))
            continue;
        const struct value *callee = node_value(project, file, node + 1);
        const bool open = !callee->name && (callee->kind != VALUE_MODULE || callee->detail == NONE);
        if (open && is_in_step(project, call))
            return node;
    }
    return NONE;
}

void network_build(struct project *project)
{
    for (uint32_t i = 0; i < project->files.count; i++)
        project->contexts->of_file[i].runs_network = runs_unknown(project, i);
}

/* ---- who makes a network ---- */

enum { MOST_MAKERS = 64 };

/* Functions and classes that make it, or make what makes it: those that are looked at in turn. */
struct makers {
    uint32_t functions[MOST_MAKERS];
    uint32_t count;
    bool more;
};

static void add_maker(struct makers *makers, uint32_t function)
{
    for (uint32_t i = 0; i < makers->count; i++)
        if (makers->functions[i] == function)
            return;
    makers->more |= function != NONE && makers->count == MOST_MAKERS;
    if (function != NONE && makers->count < MOST_MAKERS)
        makers->functions[makers->count++] = function;
}

/* A call in the function makes it: so does who calls that, or makes an object of its class. */
static void add_around(const struct project *project, struct makers *makers, struct site call)
{
    const uint32_t f = project_function_at(project, call), class_id = project->files.functions[f].class_id;
    add_maker(makers, f);
    if (class_id != NONE)
        add_maker(makers, project_method(project, class_id, S("__init__")));
}

/* The step of a file, where the class or a function that makes it is called there. */
static struct site step_of_makers(const struct project *project, struct makers *makers)
{
    for (uint32_t i = 0; i < makers->count; i++) {
        uint32_t count;
        const struct site *callers = name_callers(project, makers->functions[i], &count);
        for (uint32_t c = 0; c < count; c++) {
            const uint32_t run = project->contexts->of_file[callers[c].file].runs_network;
            if (run != NONE)
                return (struct site){callers[c].file, run};
            add_around(project, makers, callers[c]);
        }
    }
    return site_none;
}

/* The step of a file of the program that names the class. */
static struct site step_of_named(const struct project *project, uint32_t file, str name)
{
    for (uint32_t i = 0; i < project->files.count; i++) {
        const uint32_t run = project->contexts->of_file[i].runs_network;
        const struct syntax *tree = project_tree(project, i);
        if (run != NONE && project->files.at[i].program == project->files.at[file].program &&
            syntax_name_from(tree, name, 0, tree->count) != NONE)
            return (struct site){i, run};
    }
    return site_none;
}

struct site context_network_runs(const struct project *project, uint32_t class_id)
{
    const struct class_info *about = &project->files.classes[class_id];
    const uint32_t own = project->contexts->of_file[about->file].runs_network;
    if (own != NONE)
        return (struct site){about->file, own};
    struct makers makers = {.count = 0};
    add_maker(&makers, project_method(project, class_id, S("__init__")));
    const struct site made = step_of_makers(project, &makers);
    if (site_is_none(made) && makers.more)
        project_limit(project, &far, (struct site){about->file, about->node});
    const bool is_told = context_trained(project, context_class_unit(project, class_id)).kind != TRAINED_NOT;
    return site_is_none(made) && !is_told ? step_of_named(project, about->file, about->name) : made;
}
