/* SPDX-License-Identifier: Apache-2.0 */
/* Where the values come from that a test asks for, each looked at from where it is used. */
#include "question.h"

#include "source/contexts/choices.h"
#include "gate_words.h"

enum { LARGEST_CALLED = 20000 };

/* Of the ifs around a statement in its function, but not around the place that asks. */
static enum gate gate_around(const struct project *project, struct site statement, uint32_t asking)
{
    const struct syntax *tree = project_tree(project, statement.file);
    enum gate gate = GATE_NONE;
    for (uint32_t at = statement.node, up = tree->parent[at]; at && tree->kind[up] != SYN_FUNCTION;
         at = syntax_if_head(tree, up), up = tree->parent[at])
        if (tree->kind[up] == SYN_IF && at == syntax_child(tree, up, 1) &&
            (asking == NONE || !syntax_inside(tree, asking, up)))
            gate = gate_stronger(gate, gate_of_words(tree, up + 1));
    return gate;
}

static struct ways cut_short(struct question *question, const struct ways *ways)
{
    question->stopped = true;
    return (struct ways){.yes = ways->yes, .no = ways->no, .unknown = true};
}

/* A parameter of a function: what calls give for it. */
struct taken {
    uint32_t function, k;
    struct site otherwise; /* its default */
    bool off;              /* that is False: who wants it says so by its name */
};

static struct ways ways_of_argument(struct question *question, const struct taken *taken, struct site call,
                                    uint32_t given, int depth)
{
    const struct syntax *tree = project_tree(question->project, call.file);
    struct ways ways = {0};
    const struct site site = given == NONE ? taken->otherwise : (struct site){call.file, given};
    const enum gate around = gate_around(question->project, call, NONE);
    const struct ways more = ways_behind(question, site, depth + 1, around);
    ways_add(&ways, &more, around);
    ways.unknown |= given == NONE && !taken->off && syntax_arguments_hidden(tree, call.node);
    return ways;
}

/* The call of a network that is not known, which gives it the keyword; site_none. */
static struct site open_forward(const struct project *project, struct site keyword)
{
    const struct syntax *tree = project_tree(project, keyword.file);
    const struct site call = {keyword.file, tree->parent[tree->parent[keyword.node]]};
    const bool open = tree->kind[call.node] == SYN_CALL && !call_at(project, call) &&
                      !node_value(project, &project->files.at[call.file], call.node + 1)->name;
    return open ? call : site_none;
}

/*
 * What calls give of which nobody knows what they reach: of a method those by its name, of a forward() those that give
 * a keyword of this name to a network.
 */
static struct ways ways_of_open_calls(struct question *question, const struct taken *taken, str parameter, int depth)
{
    const struct project *project = question->project;
    const struct function *method = project_function(project, taken->function);
    const uint32_t program = project->files.at[method->file].program;
    const bool forward = str_eq(method->name, S("forward"));
    struct ways ways = {0};
    for (uint32_t i = choices_first(project, program, forward ? parameter : method->name); i != NONE;
         i = project->contexts->choices.at[i].next) {
        const struct choice_given *given = &project->contexts->choices.at[i];
        if (given->kind != (forward ? CHOICE_KEYWORD : CHOICE_CALL) || project->files.at[given->at.file].is_test)
            continue;
        const struct site call = forward ? open_forward(project, given->at) : given->at;
        if (site_is_none(call))
            continue;
        if (!ways_spend(question, false))
            return ways_unknown;
        const uint32_t argument = forward
                                      ? given->value.node
                                      : name_argument_to(project, call, taken->function, !method->is_static, taken->k);
        const struct ways more = ways_of_argument(question, taken, call, argument, depth);
        ways_add(&ways, &more, GATE_NONE);
        if (ways_settled(question, &ways))
            break;
    }
    return ways;
}

/* What callers give for a parameter; where one gives nothing its default holds. */
static struct ways ways_of_parameter(struct question *question, struct site name, const struct definition *definition,
                                     int depth)
{
    const struct project *project = question->project;
    const struct syntax *tree = project_tree(project, name.file);
    const uint32_t parameter = tree->parent[definition->name];
    struct taken taken = {project_function_at(project, name),
                          0,
                          {name.file, definition->value},
                          syntax_is(tree, definition->value, SYN_FALSE)};
    uint32_t count;
    while (project_parameter(project, taken.function, taken.k) != parameter && taken.k < SUMMARY_PARAMETERS)
        taken.k++;
    const struct site *callers = name_callers(project, taken.function, &count);
    if (!count && taken.off)
        return ways_of_value(question, taken.otherwise, depth + 1);
    if (!count || taken.k == SUMMARY_PARAMETERS || tree->op[parameter])
        return ways_unknown;
    struct ways ways = {0};
    for (uint32_t i = 0; i < count && question->values && !ways_settled(question, &ways); i++) {
        const uint32_t given = name_argument(project, callers[i], taken.k);
        const struct ways more = ways_of_argument(question, &taken, callers[i], given, depth);
        ways_add(&ways, &more, GATE_NONE);
    }
    const struct function *function = project_function(project, taken.function);
    const bool by_class = str_eq(function->name, S("__init__"));
    if (function->class_id != NONE && !by_class && !ways_settled(question, &ways)) {
        const struct ways more = ways_of_open_calls(question, &taken, syntax_text(tree, definition->name), depth);
        ways_add(&ways, &more, GATE_NONE);
    }
    return question->values ? ways : cut_short(question, &ways);
}

static struct ways ways_of_definition(struct question *question, struct site name, const struct definition *definition,
                                      int depth, enum gate around)
{
    const bool beside = question->beside;
    struct ways ways;
    question->beside |= around != GATE_NONE;
    if (definition->kind == DEFINED_PARAMETER)
        ways = ways_of_parameter(question, name, definition, depth);
    else if (definition->kind == DEFINED_OUTSIDE)
        ways = ways_unknown;
    else if (definition->kind == DEFINED_ASSIGN && !definition->unpacked && definition->value != NONE)
        ways = ways_of_value(question, (struct site){name.file, definition->value}, depth + 1);
    else
        ways = answer_something(question);
    question->beside = beside;
    return ways;
}

static struct ways ways_of_name(struct question *question, struct site name, int depth)
{
    struct ways ways = {0};
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(question->project, name, found, FLOW_MOST_DEFINITIONS);
    ways.unknown = !count || count > FLOW_MOST_DEFINITIONS;
    for (uint32_t i = 0; i < count && count <= FLOW_MOST_DEFINITIONS && !ways_settled(question, &ways); i++) {
        const enum gate around =
            gate_around(question->project, (struct site){name.file, found[i]->statement}, name.node);
        const struct ways more = ways_of_definition(question, name, found[i], depth, around);
        ways_add(&ways, &more, around);
    }
    return ways;
}

/* Whether a class and another are one, or one inherits from the other. */
static bool are_related(const struct project *project, uint32_t a, uint32_t b)
{
    return a != NONE && b != NONE && (class_inherits(&project->cells, a, b) || class_inherits(&project->cells, b, a));
}

static uint32_t class_at(const struct project *project, struct site site)
{
    uint32_t f = project_function_at(project, site);
    while (f != NONE && project->files.functions[f].class_id == NONE && project->files.functions[f].outer != NONE) {
        const struct function *function = &project->files.functions[f];
        const uint32_t id = map_get(&project->files.class_by_node, (int64_t)function->file << 32 | function->node);
        if (id != MAP_NONE)
            return id;
        f = function->outer;
    }
    return f == NONE ? NONE : project->files.functions[f].class_id;
}

/* Whether what is bound there may be the attribute of self: by its own class, or through another name. */
static bool may_be_own(const struct project *project, const struct choice_given *given, uint32_t class_id)
{
    const struct syntax *tree = project_tree(project, given->at.file);
    const bool by_self =
        tree->kind[given->at.node] != SYN_ATTRIBUTE || str_eq(syntax_text(tree, given->at.node + 1), S("self"));
    return !by_self || are_related(project, class_at(project, given->at), class_id);
}

/* `if self.x is None: self.x = ...`: it is bound where the test holds, so something else let it hold. */
static bool is_bound_by_test(const struct question *question, struct site at)
{
    const struct syntax *tree = project_tree(question->project, at.file);
    if (at.file != question->test.file)
        return false;
    uint32_t around = question->test.node;
    while (around && tree->kind[around] != SYN_IF && !syntax_is_statement((enum syntax_kind)tree->kind[around]))
        around = tree->parent[around];
    return syntax_inside(tree, at.node, around);
}

/* `self.x`: what is bound to it anywhere in the program. */
static struct ways ways_of_attribute(struct question *question, struct site attribute, int depth)
{
    const struct project *project = question->project;
    const struct syntax *tree = project_tree(project, attribute.file);
    const uint32_t class_id = class_at(project, attribute), program = project->files.at[attribute.file].program;
    const str name = syntax_tail(tree, attribute.node);
    if (!syntax_is(tree, attribute.node + 1, SYN_NAME) || !str_eq(syntax_text(tree, attribute.node + 1), S("self")))
        return ways_of_declared(question, attribute, depth);
    if (class_id == NONE || project_method(project, class_id, name) != NONE)
        return ways_unknown;
    struct ways ways = {0};
    for (uint32_t i = choices_first(project, program, name); i != NONE; i = project->contexts->choices.at[i].next) {
        const struct choice_given *given = &project->contexts->choices.at[i];
        if (!ways_spend(question, false))
            return ways_unknown;
        if (given->kind != CHOICE_ATTRIBUTE || !may_be_own(project, given, class_id) ||
            is_bound_by_test(question, given->at))
            continue;
        const struct ways more =
            site_is_none(given->value) ? ways_unknown : ways_of_value(question, given->value, depth + 1);
        ways_add(&ways, &more, GATE_NONE);
        if (ways_settled(question, &ways))
            break;
    }
    return ways_may_hold(&ways) || ways.no ? ways : ways_unknown;
}

/* ---- options behind ** ---- */

/* The key of `kwargs.get("key")` and `kwargs.pop("key", None)`, kwargs being the ** of the function; "". */
static str option_taken(const struct project *project, struct site call)
{
    enum { STARS_OF_NAMED = 2 }; /* `**` */
    const struct syntax *tree = project_tree(project, call.file);
    const uint32_t key = syntax_argument(tree, call.node, 0, NULL);
    if ((!syntax_calls(tree, call.node, S("get")) && !syntax_calls(tree, call.node, S("pop"))) ||
        !syntax_is(tree, call.node + 2, SYN_NAME) || !syntax_is(tree, key, SYN_STRING))
        return S("");
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count =
        flow_definitions(project, (struct site){call.file, call.node + 2}, found, FLOW_MOST_DEFINITIONS);
    bool named = false;
    for (uint32_t i = 0; i < count && count <= FLOW_MOST_DEFINITIONS; i++) {
        const bool parameter = found[i]->kind == DEFINED_PARAMETER;
        if (!parameter && found[i]->kind != DEFINED_CHANGE)
            return S("");
        named |= parameter && tree->op[tree->parent[found[i]->name]] == STARS_OF_NAMED;
    }
    const str text = syntax_text(tree, key);
    return named && text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* Whether the call gives the keyword to a parameter of that name, so that it is in no `**`. */
static bool has_parameter_for(const struct project *project, struct site keyword)
{
    const struct syntax *tree = project_tree(project, keyword.file);
    const struct call *call = call_at(project, (struct site){keyword.file, tree->parent[tree->parent[keyword.node]]});
    return call && call_parameter_of(&project->files, call->target, tree, keyword.node, 0, call->self) <
                       project->files.functions[call->target].parameters;
}

/* Who gives anything by that name to whatever takes it, where callers are not known or hand on what they got. */
static struct ways ways_of_mentions(struct question *question, struct site call, str key, int depth)
{
    const struct project *project = question->project;
    const uint32_t program = project->files.at[call.file].program;
    struct ways ways = {0};
    for (uint32_t i = choices_first(project, program, key); i != NONE; i = project->contexts->choices.at[i].next) {
        const struct choice_given *given = &project->contexts->choices.at[i];
        if (!ways_spend(question, false))
            return ways_unknown;
        if (given->kind == CHOICE_ATTRIBUTE || given->kind == CHOICE_OPTION || given->kind == CHOICE_SPELLED ||
            project->files.at[given->at.file].is_test ||
            (given->kind == CHOICE_KEYWORD && has_parameter_for(project, given->at)))
            continue;
        const enum gate around = gate_around(project, given->at, NONE);
        const struct ways more =
            given->kind == CHOICE_KEYWORD ? ways_behind(question, given->value, depth + 1, around) : ways_unknown;
        ways_add(&ways, &more, around);
        if (ways_settled(question, &ways))
            break;
    }
    return ways;
}

/* What callers give for an option that is not named among the parameters. */
static struct ways ways_of_option(struct question *question, struct site call, str key, int depth)
{
    const struct project *project = question->project;
    const struct syntax *here = project_tree(project, call.file);
    const uint32_t written = syntax_argument(here, call.node, 1, NULL);
    const struct ways otherwise = written == NONE
                                      ? ways_if(question->asked == ASKS_KIND && question->kinds & 1u << VALUE_NONE)
                                      : ways_behind(question, (struct site){call.file, written}, depth + 1,
                                                    GATE_FLAG); /* what stands around callers that give nothing */
    struct ways ways = {0};
    uint32_t count;
    const struct site *callers = name_callers(project, project_function_at(project, call), &count);
    bool hidden = !count;
    for (uint32_t i = 0; i < count && question->values; i++) {
        const struct syntax *tree = project_tree(project, callers[i].file);
        uint32_t given = NONE;
        const uint32_t arguments = syntax_child(tree, callers[i].node, 1);
        for (uint32_t a = syntax_first(tree, arguments); a != NONE; a = syntax_next(tree, a))
            if (tree->kind[a] == SYN_KEYWORD && str_eq(syntax_text(tree, a + 1), key))
                given = syntax_child(tree, a, 1);
        const enum gate around = gate_around(project, callers[i], NONE);
        const struct ways more =
            given == NONE ? otherwise : ways_behind(question, (struct site){callers[i].file, given}, depth + 1, around);
        ways_add(&ways, &more, around);
        hidden |= given == NONE && syntax_arguments_hidden(tree, callers[i].node);
    }
    if (hidden) {
        const struct ways more = ways_of_mentions(question, call, key, depth);
        ways_add(&ways, &more, GATE_NONE);
        ways_add(&ways, &otherwise, GATE_NONE);
    }
    return question->values ? ways : cut_short(question, &ways);
}

static struct ways ways_of_call(struct question *question, struct site call, int depth)
{
    const struct project *project = question->project;
    struct ways ways = {0};
    const str option = option_taken(project, call);
    if (option.len)
        return ways_of_option(question, call, option, depth);
    const struct ways unset = ways_of_unset(question, call, depth);
    if (!unset.unknown)
        return unset;
    const uint32_t target = name_target(project, call);
    if (target == NONE || str_eq(project->files.functions[target].name, S("__init__")) ||
        project->files.functions[target].is_generator)
        return answer_something(question);
    const struct function *function = project_function(project, target);
    const struct syntax *tree = project_tree(project, function->file);
    if (!ways_spend(question, tree->size[function->node] > LARGEST_CALLED))
        return ways_unknown;
    for (uint32_t node = function->node; node < syntax_last(tree, function->node); node++) {
        const struct site value = {function->file, node + 1};
        if (tree->kind[node] != SYN_RETURN || project_function_at(project, value) != target)
            continue;
        const enum gate around = gate_around(project, (struct site){function->file, node}, NONE);
        const struct ways more = ways_behind(question, value, depth + 1, around);
        ways_add(&ways, &more, around);
        if (ways_settled(question, &ways))
            break;
    }
    return ways_may_hold(&ways) || ways.no ? ways : answer_something(question);
}

/* ---- values ---- */

static struct ways ways_of_conditional(struct question *question, struct site value, int depth)
{
    struct ways ways = {0};
    const struct syntax *tree = project_tree(question->project, value.file);
    const enum gate gate = gate_of_words(tree, syntax_child(tree, value.node, 1));
    const struct ways then = ways_behind(question, (struct site){value.file, value.node + 1}, depth + 1, gate);
    const struct ways other =
        ways_of_value(question, (struct site){value.file, syntax_child(tree, value.node, 2)}, depth + 1);
    ways_add(&ways, &then, gate);
    ways_add(&ways, &other, GATE_NONE);
    return ways;
}

struct ways ways_of_value(struct question *question, struct site value, int depth)
{
    if (value.node == NONE || !ways_spend(question, depth >= WAYS_DEEPEST))
        return ways_unknown;
    const struct syntax *tree = project_tree(question->project, value.file);
    const struct ways typed = question->asked == ASKS_KIND ? answer_of(question, value) : ways_unknown;
    if (!typed.unknown)
        return typed;
    switch (tree->kind[value.node]) {
    case SYN_ABSENT:
        return tree->kind[tree->parent[value.node]] == SYN_RETURN ? ways_hold_not : ways_unknown;
    case SYN_NAME:
        return ways_of_name(question, value, depth);
    case SYN_ATTRIBUTE:
        return ways_of_attribute(question, value, depth);
    case SYN_CALL:
        return ways_of_call(question, value, depth);
    case SYN_CONDITIONAL:
        return ways_of_conditional(question, value, depth);
    case SYN_SUBSCRIPT:
    case SYN_AWAIT:
    case SYN_NAMED:
        return ways_unknown;
    case SYN_COMPARE:
    case SYN_BOOL:
    case SYN_NOT: {
        struct ways ways =
            question->asked == ASKS_TRUE ? ways_of_condition(question, value, depth) : answer_something(question);
        if (ways.unknown)
            ways = ways_either; /* it is True now and then */
        if (ways.no)
            ways.gate = gate_stronger(ways.gate, gate_of_words(tree, value.node));
        return ways;
    }
    default:
        return answer_of(question, value);
    }
}
