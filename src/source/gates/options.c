/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "base/hash.h"
#include "question.h"

/* ---- what declares and what gives ---- */

static str unquoted(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_is(tree, node, SYN_STRING) ? syntax_text(tree, node) : S("");
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* `some-name` as `some_name`, under which it is asked for. */
static str as_attribute(struct project *project, str option)
{
    char *copy = arena_array(&project->contexts->arena, option.len + 1, sizeof *copy);
    for (size_t i = 0; i < option.len; i++)
        copy[i] = option.at[i];
    for (size_t i = 0; i < option.len; i++)
        if (copy[i] == '-')
            copy[i] = '_';
    return (str){copy, option.len};
}

static bool begins_long(str text)
{
    return text.len > 2 && text.at[0] == '-' && text.at[1] == '-';
}

/* The name under which add_argument() keeps it: `dest=`, else its first long option; "" of what is always given. */
static str kept_under(struct project *project, const struct syntax *tree, uint32_t call)
{
    const uint32_t dest = syntax_argument(tree, call, NONE, "dest");
    if (dest != NONE)
        return unquoted(tree, dest);
    const uint32_t arguments = syntax_child(tree, call, 1);
    for (uint32_t a = syntax_first(tree, arguments); a != NONE; a = syntax_next(tree, a)) {
        const str text = unquoted(tree, a);
        if (begins_long(text))
            return as_attribute(project, (str){text.at + 2, text.len - 2});
    }
    return S("");
}

void options_of_call(struct project *project, struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    const str called = tree->kind[call.node + 1] == SYN_ATTRIBUTE ? syntax_tail(tree, call.node + 1) : S("");
    str name = S("");
    uint32_t value = NONE;
    if (str_eq(called, S("add_argument"))) {
        name = kept_under(project, tree, call.node);
        value = syntax_argument(tree, call.node, NONE, "default");
    } else if (str_starts(called, S("DEFINE_"))) {
        name = unquoted(tree, syntax_argument(tree, call.node, 0, "name"));
        value = syntax_argument(tree, call.node, 1, "default");
    }
    if (name.len)
        choices_add(project, CHOICE_OPTION, name, call, value == NONE ? site_none : (struct site){call.file, value});
}

static bool is_of_option(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* What stands in a declaration or a docstring gives nothing. */
static bool may_be_command(const struct syntax *tree, uint32_t string)
{
    const uint32_t up = tree->parent[string];
    if (tree->kind[up] == SYN_EXPR || (tree->kind[up] == SYN_KEYWORD && str_eq(syntax_text(tree, up + 1), S("help"))))
        return false;
    return tree->kind[up] != SYN_ARGUMENTS || !syntax_calls(tree, tree->parent[up], S("add_argument"));
}

/* "--name" of a list, and all of "python train.py --name 2". */
void options_of_string(struct project *project, struct site string)
{
    const struct syntax *tree = project_tree(project, string.file);
    const str text = unquoted(tree, string.node);
    if ((!begins_long(text) && !str_has(text, S(".py"))) || !may_be_command(tree, string.node))
        return;
    for (size_t at = 0; at + 2 < text.len; at++) {
        if (text.at[at] != '-' || text.at[at + 1] != '-')
            continue;
        size_t to = at += 2;
        while (to < text.len && is_of_option(text.at[to]))
            to++;
        if (to > at)
            choices_add(project, CHOICE_SPELLED, as_attribute(project, (str){text.at + at, to - at}), string,
                        site_none);
        at = to - 1;
    }
}

uint32_t options_of_field(const struct syntax *tree, uint32_t value)
{
    if (syntax_is(tree, value, SYN_ABSENT))
        return NONE;
    if (!syntax_is(tree, value, SYN_CALL) || !str_is_among("field Field", syntax_tail(tree, value + 1)))
        return value;
    const uint32_t by_name = syntax_argument(tree, value, NONE, "default");
    return by_name != NONE ? by_name : syntax_argument(tree, value, NONE, "default_factory") != NONE ? value : NONE;
}

/* ---- asking ---- */

static bool is_mentioned(const struct project *project, str name)
{
    const struct map *mentioned = project->cells.options.mentioned;
    return !mentioned || map_get(mentioned, (int64_t)hash_bytes(name.at, name.len)) != MAP_NONE;
}

/* `store_true` leaves False, `store_false` True, any other None. */
static struct ways ways_of_action(const struct question *question, struct site call)
{
    const struct syntax *tree = project_tree(question->project, call.file);
    if (tree->kind[call.node] != SYN_CALL || !syntax_calls(tree, call.node, S("add_argument")) ||
        syntax_is(tree, syntax_argument(tree, call.node, NONE, "required"), SYN_TRUE))
        return ways_unknown;
    const str action = unquoted(tree, syntax_argument(tree, call.node, NONE, "action"));
    const bool sets = str_eq(action, S("store_true")), clears = str_eq(action, S("store_false"));
    if (question->asked == ASKS_TRUE)
        return ways_if(clears);
    if (question->asked == ASKS_THERE)
        return ways_if(sets || clears);
    return question->asked == ASKS_EQUAL && !sets && !clears ? ways_hold_not : ways_unknown;
}

/* `cut = name`, `cut = args.name`, of a name for itself: it hands on what is asked for. */
static bool hands_on(const struct project *project, const struct choice_given *given, str name)
{
    if (site_is_none(given->value))
        return false;
    const struct syntax *tree = project_tree(project, given->value.file);
    const uint32_t node = given->value.node;
    if (tree->kind[node] == SYN_NAME)
        return str_eq(syntax_text(tree, node), name);
    return tree->kind[node] == SYN_ATTRIBUTE && str_eq(syntax_tail(tree, node), name);
}

/* `name: bool = False` in the body of a class: its default stands beside it, as an option. */
static bool is_field(const struct project *project, const struct choice_given *given)
{
    const struct syntax *tree = project_tree(project, given->at.file);
    return given->kind == CHOICE_ATTRIBUTE && tree->kind[given->at.node] == SYN_NAME &&
           tree->kind[tree->parent[given->at.node]] == SYN_ANN_ASSIGN;
}

static bool may_be_declared(const struct project *project, struct site attribute)
{
    const struct value *object = node_value(project, &project->files.at[attribute.file], attribute.node + 1);
    return object->kind != VALUE_TENSOR && object->kind != VALUE_MODULE && object->kind != VALUE_ARRAY &&
           object->kind != VALUE_IMPORT;
}

struct ways ways_of_declared(struct question *question, struct site attribute, int depth)
{
    const struct project *project = question->project;
    const str name = syntax_tail(project_tree(project, attribute.file), attribute.node);
    const uint32_t program = project->files.at[attribute.file].program;
    if (!may_be_declared(project, attribute) || is_mentioned(project, name))
        return ways_unknown;
    struct ways ways = {0};
    struct site declared = site_none;
    for (uint32_t i = choices_first(project, program, name); i != NONE; i = project->contexts->choices.at[i].next) {
        const struct choice_given *given = &project->contexts->choices.at[i];
        const struct file *file = &project->files.at[given->at.file];
        if (!ways_spend(question, false))
            return ways_unknown;
        if (file->is_test || given->kind == CHOICE_CALL || is_field(project, given) || hands_on(project, given, name))
            continue;
        if (given->kind == CHOICE_OPTION)
            declared = given->at;
        const struct ways more = !site_is_none(given->value)    ? ways_of_value(question, given->value, depth + 1)
                                 : given->kind == CHOICE_OPTION ? ways_of_action(question, given->at)
                                                                : ways_unknown;
        ways_add(&ways, &more, GATE_NONE);
        if (ways.unknown || (ways.yes && ways.no))
            return ways_unknown;
    }
    if (site_is_none(declared))
        return ways_unknown;
    ways.by_default = true;
    ways.option = declared;
    return ways;
}

/* ---- what nobody sets ---- */

/* What holds the settings of a run: of a network or a module of Python `hasattr` asks something else. */
static bool holds_settings(const struct syntax *tree, uint32_t object)
{
    static const char names[] = "args cfg conf config configs flags FLAGS hparams hps hyp opt options opts settings";
    const enum syntax_kind kind = (enum syntax_kind)tree->kind[object];
    return kind == SYN_NAME        ? str_is_among(names, syntax_text(tree, object))
           : kind == SYN_ATTRIBUTE ? str_is_among(names, syntax_tail(tree, object))
                                   : false;
}

/* Whether anything in the program, or in files beside it, has the name of the setting, other than to ask for it. */
static bool is_given(const struct project *project, uint32_t program, str name)
{
    return choices_first(project, program, name) != NONE || is_mentioned(project, name) ||
           map_get(&project->files.methods_by_name, names_get(project->files.names, name)->id) != MAP_NONE;
}

struct ways ways_of_unset(struct question *question, struct site call, int depth)
{
    const struct project *project = question->project;
    const struct syntax *tree = project_tree(project, call.file);
    const bool has = syntax_calls(tree, call.node, S("hasattr")), gets = syntax_calls(tree, call.node, S("getattr"));
    const uint32_t object = syntax_argument(tree, call.node, 0, NULL);
    const str name = unquoted(tree, syntax_argument(tree, call.node, 1, NULL));
    const uint32_t otherwise = syntax_argument(tree, call.node, 2, NULL);
    if ((!has && !gets) || tree->kind[call.node + 1] != SYN_NAME || object == NONE || !name.len ||
        (gets && otherwise == NONE) || !holds_settings(tree, object) ||
        is_given(project, project->files.at[call.file].program, name))
        return ways_unknown;
    struct ways ways = gets ? ways_of_value(question, (struct site){call.file, otherwise}, depth + 1) : ways_hold_not;
    ways.by_default = true;
    ways.option = call;
    return ways;
}
