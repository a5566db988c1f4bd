/* SPDX-License-Identifier: Apache-2.0 */
#include "handlers.h"

#include "source/known/frameworks.h"
#include "source/known/known.h"
#include "source/known/known_words.h"

static str event_named(const struct syntax *tree, uint32_t node)
{
    const str text = tree->kind[node] == SYN_STRING ? syntax_text(tree, node) : S("");
    if (text.len > 2)
        return (str){text.at + 1, text.len - 2};
    return tree->kind[node] == SYN_ATTRIBUTE ? syntax_tail(tree, node) : S("");
}

/* `Events.X`, `Events.X(every=100)`, `Events.X | Events.Y`: the most frequent of them counts. */
static struct context pace_of_event(const struct project *project, struct site event, const struct framework *framework)
{
    const struct syntax *tree = project_tree(project, event.file);
    struct context c = {0};
    for (uint32_t node = event.node; node < syntax_last(tree, event.node); node++) {
        const struct contract *contract = frameworks_contract(framework, event_named(tree, node));
        if (!contract || contract->pace < c.pace)
            continue;
        const uint32_t call = syntax_is(tree, tree->parent[node], SYN_CALL) ? tree->parent[node] : NONE;
        const bool filtered = call != NONE && (syntax_argument(tree, call, NONE, "every") != NONE ||
                                               syntax_argument(tree, call, 0, "event_filter") != NONE);
        const bool single = call != NONE && syntax_argument(tree, call, NONE, "once") != NONE;
        c.pace = single && c.pace < PACE_ONCE ? PACE_ONCE : single ? c.pace : contract->pace;
        c.gate = filtered ? GATE_INTERVAL : GATE_NONE;
        c.gate_at = event;
    }
    return c;
}

/* That of the object; an engine whose own function does not train evaluates. */
static const struct framework *framework_of(const struct project *project, const struct value *object)
{
    const bool trains = object->detail == NONE || project->contexts->trains[object->detail] & 1;
    return frameworks_find(trains ? object->name->text : S("ignite.engine.create_supervised_evaluator"));
}

void handlers_begin(struct project *project)
{
    struct contexts *contexts = project->contexts;
    const uint32_t functions = project->files.function_count;
    contexts->behind = arena_array(&contexts->arena, functions, sizeof *contexts->behind);
    contexts->steps_engine = arena_array(&contexts->arena, functions, sizeof *contexts->steps_engine);
    contexts->engine_shown = arena_array(&contexts->arena, project->files.count, sizeof *contexts->engine_shown);
    for (uint32_t f = 0; f < functions; f++)
        contexts->behind[f] = NONE;
}

/* Engine(step), ProgressBar(): whose step runs, and whether something shows what steps give. */
static void remember(struct project *project, struct site call, const struct name *name)
{
    const struct file *file = &project->files.at[call.file];
    const struct value *made = node_value(project, file, call.node);
    if (known_word(WORDS_SHOW_OUTPUT, name->text))
        project->contexts->engine_shown[file->program] = true;
    if (name->known && name->known->special == SPECIAL_TRAINER && made->detail != NONE)
        project->contexts->steps_engine[made->detail] = true;
}

struct handler handler_of(struct project *project, struct site call)
{
    const struct file *file = &project->files.at[call.file];
    const struct syntax *tree = file->shown.tree;
    struct handler handler = {.function = NONE};
    const struct name *name = tree->kind[call.node] == SYN_CALL ? node_value(project, file, call.node + 1)->name : NULL;
    if (!name)
        return handler;
    remember(project, call, name);
    if (!name->known || name->known->special != SPECIAL_HANDLER || tree->kind[call.node + 1] != SYN_ATTRIBUTE)
        return handler;
    const uint32_t argument = syntax_argument(tree, call.node, 1, "handler");
    const struct value *given = argument == NONE ? &value_unknown : node_value(project, file, argument);
    const uint32_t f = call_registered(&project->files, call.file, call.node, given);
    const uint32_t event = syntax_argument(tree, call.node, 0, "event_name");
    const struct value *object = node_value(project, file, call.node + 2);
    if (f == NONE || event == NONE || !object->name)
        return handler;
    project->contexts->behind[f] = object->detail;
    handler.function = f;
    handler.context = pace_of_event(project, (struct site){call.file, event}, framework_of(project, object));
    return handler;
}

uint32_t context_runs_behind(const struct project *project, uint32_t function)
{
    return project->contexts->behind[function];
}

bool context_engine_shows(const struct project *project, uint32_t function)
{
    return project->contexts->steps_engine[function] &&
           project->contexts->engine_shown[project->files.at[project->files.functions[function].file].program];
}
