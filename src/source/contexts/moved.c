/* SPDX-License-Identifier: Apache-2.0 */
/* The places that a proof names: where modules are put on the device, and what trains in a loop. */
#include "base/mem.h"
#include "base/search.h"
#include "contexts.h"
#include "source/files/runs.h"
#include "source/known/known.h"
#include "source/known/known_words.h"

/* Trainer(model), Net(Module): what an object of a framework is given is put on the device. */
static bool hands_over(const struct project *project, const struct value *callee)
{
    return callee->kind == VALUE_CLASS && callee->detail != NONE && project->files.classes[callee->detail].framework;
}

static bool makes_network(const struct project *project, const struct value *callee)
{
    return callee->kind == VALUE_CLASS && callee->detail != NONE && project->files.classes[callee->detail].is_module;
}

static bool moves(const struct value *callee)
{
    switch (callee->name && callee->name->known ? callee->name->known->special : SPECIAL_NONE) {
    case SPECIAL_TO:
    case SPECIAL_CUDA:
    case SPECIAL_PREPARE:
    case SPECIAL_ENGINE:
        return true;
    default:
        return false;
    }
}

/* ---- calls by class ---- */

static void note_of_class(struct calls_of_class *calls, uint32_t class_id, struct site call)
{
    calls->at = mem_grow(calls->at, &calls->room, calls->count + 1, sizeof *calls->at);
    calls->at[calls->count] = (struct call_of_class){call, calls->last[class_id]};
    calls->last[class_id] = (uint32_t)calls->count++;
}

/* The one before the last that was given, in *at. */
static struct site next_of_class(const struct calls_of_class *calls, uint32_t class_id, uint32_t *at)
{
    *at = *at == NONE ? calls->last[class_id] : calls->at[*at].before;
    return *at == NONE ? site_none : calls->at[*at].call;
}

struct site context_made(const struct project *project, uint32_t class_id, uint32_t *at)
{
    return next_of_class(&project->contexts->made, class_id, at);
}

struct site context_wrapped(const struct project *project, uint32_t class_id, uint32_t *at)
{
    return next_of_class(&project->contexts->wrapped, class_id, at);
}

/* ---- what calls do ---- */

/* accelerator.prepare(model, loader), deepspeed.initialize(model=model) */
static bool prepares(const struct value *callee)
{
    const uint8_t special = callee->name && callee->name->known ? callee->name->known->special : SPECIAL_NONE;
    return special == SPECIAL_PREPARE || special == SPECIAL_ENGINE;
}

/* set_default_device("cpu"), set_default_tensor_type(torch.DoubleTensor): a type that is not below torch.cuda. */
static bool is_of_host(const struct value *where)
{
    const struct known *type = where->name ? where->name->known : NULL;
    return where->device == DEVICE_CPU || (type && type->special == SPECIAL_TENSOR && type->device != ON_GPU);
}

/* torch.set_default_device("cuda"), in a function of which it is known that it sets one. */
static bool sets_default(const struct project *project, const struct value *callee, struct site call)
{
    if (!callee->name || !callee->name->known || callee->name->known->special != SPECIAL_DEFAULT ||
        !project->cells.defaults.set_by[project_function_at(project, call)])
        return false;
    const uint32_t where = syntax_argument(project_tree(project, call.file), call.node, 0, NULL);
    return where == NONE || !is_of_host(value_at(project, (struct site){call.file, where}));
}

static void note(struct site *where, struct site site)
{
    if (site_is_none(*where))
        *where = site;
}

static int64_t class_and_file(uint32_t class_id, uint32_t file)
{
    return (int64_t)class_id << 32 | file;
}

static void note_moved(struct project *project, uint32_t class_id, struct site call)
{
    struct moves_of_class *moved = &project->contexts->moved;
    const struct file *of = &project->files.at[call.file];
    if (map_get(&moved->in_file, class_and_file(class_id, call.file)) == MAP_NONE)
        map_put(&moved->in_file, class_and_file(class_id, call.file), call.node);
    note(&(of->is_test                              ? moved->test
           : placed_in(project, of)->training.count ? moved->trains
                                                    : moved->untold)[class_id],
         call);
}

/* Of what nothing is known: it is a network where it is called so, `self.net` or `model_ema`. */
static bool is_network(const struct project *project, const struct value *module, struct site object)
{
    if (module->kind != VALUE_UNKNOWN)
        return module->kind == VALUE_MODULE && module->detail == NONE && !module->name;
    return known_word(WORDS_CALLED_MODEL, syntax_tail(project_tree(project, object.file), object.node));
}

static void note_module(struct project *project, struct site object, struct site call)
{
    const struct value *module = value_at(project, object);
    const bool known = (module->kind == VALUE_MODULE || module->kind == VALUE_CLASS) && module->detail != NONE;
    if (known)
        note_moved(project, module->detail, call);
    else if (is_network(project, module, object))
        note(&project->contexts->network_moved.of_file[call.file], call);
    else
        return;
    note(&project->contexts->trained_moved.of_file[call.file], call);
}

/* WithLoss(net): net is a part of what is made. */
static void note_wrapped(struct project *project, struct site call, uint32_t made)
{
    const struct syntax *tree = project_tree(project, call.file);
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != NONE; a = syntax_next(tree, a)) {
        const uint32_t argument = tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a;
        const struct value *value = value_at(project, (struct site){call.file, argument});
        if (value->kind == VALUE_MODULE && value->detail != NONE && value->detail != made)
            note_of_class(&project->contexts->wrapped, value->detail, call);
    }
}

/* model.to(torch.float16), self.to(self.weight.device): it is told no device. */
static bool is_told_where(const struct project *project, struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    const uint32_t first = syntax_argument(tree, call.node, 0, NULL);
    const struct site where = {call.file, first != NONE ? first : syntax_argument(tree, call.node, NONE, "device")};
    if (!syntax_calls(tree, call.node, S("to")) || where.node == NONE)
        return !syntax_arguments_hidden(tree, call.node);
    const struct value *value = value_at(project, where);
    const bool of_tensor = tree->kind[where.node] == SYN_ATTRIBUTE &&
                           value_at(project, (struct site){call.file, where.node + 1})->kind == VALUE_TENSOR;
    return value->kind != VALUE_DTYPE && value->kind != VALUE_TENSOR && !of_tensor;
}

static void note_call(struct project *project, struct site call)
{
    const struct file *file = &project->files.at[call.file];
    const struct syntax *tree = file->shown.tree;
    const struct value *callee = node_value(project, file, call.node + 1);
    if (callee->name && callee->name->known && value_on_gpu(node_value(project, file, call.node)))
        note(&project->contexts->device_used.of_file[call.file], call);
    if (sets_default(project, callee, call))
        note(&project->contexts->default_set.of_file[call.file], call);
    if (hands_over(project, callee) || makes_network(project, callee))
        note_of_class(&project->contexts->made, callee->detail, call);
    if (makes_network(project, callee))
        note_wrapped(project, call, callee->detail);
    if (!hands_over(project, callee) && !moves(callee))
        return;
    const bool method = tree->kind[call.node + 1] == SYN_ATTRIBUTE;
    if (method && value_on_gpu(value_at(project, call)) && is_told_where(project, call))
        note_module(project, (struct site){call.file, call.node + 2}, call);
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != NONE; a = syntax_next(tree, a)) {
        const uint32_t argument = tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a;
        const struct value *value = value_at(project, (struct site){call.file, argument});
        const bool prepared = value->kind == VALUE_UNKNOWN && prepares(callee);
        if (value->kind == VALUE_MODULE || prepared || (value->kind == VALUE_CLASS && !moves(callee)))
            note_module(project, (struct site){call.file, argument}, call);
    }
}

/* ---- near to a file ---- */

static void near_begin(struct project *project, struct near_site *near)
{
    near->of_file = arena_array(&project->contexts->arena, project->files.count, sizeof *near->of_file);
    near->nearest = arena_array(&project->contexts->arena, project->files.count, sizeof *near->nearest);
    for (uint32_t i = 0; i < project->files.count; i++)
        near->of_file[i] = site_none;
}

/* Scripts that train come first: what a script for showing or testing does is no proof of a training. */
static void near_find(struct project *project, struct near_site *near)
{
    const uint32_t count = project->files.count;
    bool *given = mem_zeroed(count + 1);
    uint32_t *training = mem_alloc((count + (size_t)1) * sizeof *training);
    for (uint32_t i = 0; i < count; i++)
        given[i] = !site_is_none(near->of_file[i]) && !project->files.at[i].is_test &&
                   project->contexts->of_file[i].training.count;
    runs_nearest(&project->files, given, training);
    for (uint32_t i = 0; i < count; i++)
        given[i] = !site_is_none(near->of_file[i]) && !project->files.at[i].is_test;
    runs_nearest(&project->files, given, near->nearest);
    for (uint32_t i = 0; i < count; i++)
        if (training[i] != NONE && near->nearest[i] != i)
            near->nearest[i] = training[i];
    mem_free(training);
    mem_free(given);
}

static struct site nearest(const struct near_site *near, uint32_t file)
{
    return near->nearest[file] == NONE ? site_none : near->of_file[near->nearest[file]];
}

void moved_build(struct project *project)
{
    struct contexts *contexts = project->contexts;
    struct site **const moved[] = {&contexts->moved.untold, &contexts->moved.trains, &contexts->moved.test};
    for (size_t k = 0; k < sizeof moved / sizeof *moved; k++) {
        *moved[k] = arena_array(&contexts->arena, project->files.class_count, sizeof **moved[k]);
        for (uint32_t i = 0; i < project->files.class_count; i++)
            (*moved[k])[i] = site_none;
    }
    contexts->made.last = arena_array(&contexts->arena, project->files.class_count, sizeof *contexts->made.last);
    contexts->wrapped.last = arena_array(&contexts->arena, project->files.class_count, sizeof *contexts->wrapped.last);
    for (uint32_t i = 0; i < project->files.class_count; i++)
        contexts->made.last[i] = contexts->wrapped.last[i] = NONE;
    struct near_site *const all[] = {&contexts->network_moved, &contexts->trained_moved, &contexts->device_used,
                                     &contexts->default_set};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        near_begin(project, all[i]);
    for (uint32_t i = 0; i < project->files.count; i++) {
        const struct syntax *tree = project_tree(project, i);
        for (uint32_t node = 0; tree && node < tree->count; node++)
            if (tree->kind[node] == SYN_CALL)
                note_call(project, (struct site){i, node});
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        near_find(project, all[i]);
}

/* The nearest call: in the file that asks, in one that trains, in any; of a run that trains in no evaluation. */
static struct site nearest_move(const struct moves_of_class *moved, uint32_t class_id, uint32_t file, int least)
{
    const uint32_t own = map_get(&moved->in_file, class_and_file(class_id, file));
    if (own != MAP_NONE)
        return (struct site){file, own};
    if (!site_is_none(moved->trains[class_id]))
        return moved->trains[class_id];
    if (least <= 1 && !site_is_none(moved->untold[class_id]))
        return moved->untold[class_id];
    return least == 0 ? moved->test[class_id] : site_none;
}

/* Also by what moves a class above it: `self.to(device)` in a method that it inherits. */
struct site context_class_moved(const struct project *project, uint32_t class_id, uint32_t file, bool training)
{
    const int least = training ? 2 : !project->files.at[file].is_test;
    struct site best = site_none;
    const struct classes order = class_id == NONE ? (struct classes){0} : class_order(&project->cells, class_id);
    for (uint32_t i = 0; i < order.count && site_is_none(best); i++)
        best = nearest_move(&project->contexts->moved, order.at[i], file, least);
    return best;
}

struct site context_network_moved(const struct project *project, uint32_t file)
{
    return nearest(&project->contexts->network_moved, file);
}

struct site context_trained_moved(const struct project *project, uint32_t file)
{
    return nearest(&project->contexts->trained_moved, file);
}

struct site context_device_used(const struct project *project, uint32_t file)
{
    return nearest(&project->contexts->device_used, file);
}

struct site context_default_set(const struct project *project, uint32_t file)
{
    return nearest(&project->contexts->default_set, file);
}

bool context_evaluates(const struct project *project, uint32_t function)
{
    return project->contexts->evaluates[function];
}

uint32_t context_trains_in(const struct project *project, struct site within)
{
    const struct syntax *tree = project_tree(project, within.file);
    const struct nodes *all = &placed_in(project, &project->files.at[within.file])->training;
    const size_t first = search_from(all->at, all->count, sizeof *all->at, 0, within.node);
    return first < all->count && all->at[first] < syntax_last(tree, within.node) ? all->at[first] : NONE;
}
