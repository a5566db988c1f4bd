/* SPDX-License-Identifier: Apache-2.0 */
#include "purpose.h"

/* ---- words ---- */

static bool is_same_word(str a, str b)
{
    return a.len == b.len && str_starts_nocase(a, b);
}

static bool is_any(str word, const char *const *words)
{
    for (; *words; words++)
        if (is_same_word(word, str_of(*words)))
            return true;
    return false;
}

/* A word of a name: "test" of test_loader; "valset" too. */
static bool says_evaluation(str word)
{
    static const char *const whole[] = {"val",        "dev",        "eval",    "test", "valid",
                                        "validation", "evaluation", "testing", NULL};
    static const char *const begins[] = {"val", "dev", "eval", "test", "valid", NULL};
    static const char *const ends[] = {"loader", "set", "data", "dataset", "dataloader", "iter", "dl", "ds", NULL};
    if (is_any(word, whole))
        return true;
    for (const char *const *begin = begins; *begin; begin++) {
        const size_t length = str_of(*begin).len;
        if (word.len > length && str_starts_nocase(word, str_of(*begin)) &&
            is_any((str){word.at + length, word.len - length}, ends))
            return true;
    }
    return false;
}

static bool name_says_evaluation(str name)
{
    for (size_t from = 0, at = 0; at <= name.len; at++)
        if (at == name.len || name.at[at] == '_') {
            if (says_evaluation((str){name.at + from, at - from}))
                return true;
            from = at + 1;
        }
    return false;
}

/* ---- where they stand ---- */

/* What the call is bound to: a name, an attribute, the key of a dict, a keyword, or the function that returns it. */
static str bound_name(const struct check *check, uint32_t call)
{
    const struct syntax *tree = check->tree;
    const uint32_t parent = tree->parent[call];
    if (tree->kind[parent] == SYN_RETURN) {
        const uint32_t function = project_function_at(check->project, check_site(check, call));
        return function == SYNTAX_NONE ? S("") : project_function(check->project, function)->name;
    }
    uint32_t target = SYNTAX_NONE;
    if (tree->kind[parent] == SYN_ASSIGN && syntax_last_child(tree, parent) == call)
        target = syntax_first(tree, parent);
    else if (tree->kind[parent] == SYN_KEYWORD || tree->kind[parent] == SYN_PAIR)
        target = syntax_first(tree, parent);
    if (syntax_is(tree, target, SYN_SUBSCRIPT)) /* loaders["test"], test_loaders[name] */
        target = syntax_child(tree, target, syntax_is(tree, syntax_child(tree, target, 1), SYN_STRING) ? 1 : 0);
    if (!syntax_is(tree, target, SYN_STRING))
        return target == SYNTAX_NONE ? S("") : syntax_tail(tree, target);
    const str text = syntax_text(tree, target);
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* `train=False`, `split="test"` of the call that makes the data set. */
static bool made_to_evaluate(const struct check *check, uint32_t dataset)
{
    static const char *const parts[] = {"split", "mode", "phase", "image_set"};
    if (syntax_is(check->tree, dataset, SYN_NAME)) {
        const struct definition *definition = flow_definition(check->project, check_site(check, dataset));
        dataset = definition && definition->kind == DEFINED_ASSIGN ? definition->value : SYNTAX_NONE;
    }
    if (!syntax_is(check->tree, dataset, SYN_CALL))
        return false;
    if (syntax_is(check->tree, syntax_argument(check->tree, dataset, UINT32_MAX, "train"), SYN_FALSE))
        return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint32_t part = syntax_argument(check->tree, dataset, UINT32_MAX, parts[i]);
        const str text = syntax_is(check->tree, part, SYN_STRING) ? syntax_text(check->tree, part) : S("");
        if (text.len > 2 && says_evaluation((str){text.at + 1, text.len - 2}))
            return true;
    }
    return false;
}

bool purpose_is_evaluation(const struct check *check, uint32_t call, uint32_t dataset, uint32_t size)
{
    return name_says_evaluation(bound_name(check, call)) ||
           (size != SYNTAX_NONE && name_says_evaluation(syntax_tail(check->tree, size))) ||
           (dataset != SYNTAX_NONE &&
            (name_says_evaluation(syntax_tail(check->tree, dataset)) || made_to_evaluate(check, dataset)));
}
