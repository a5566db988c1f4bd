/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include "source/known/known_words.h"

const struct limit ask_many_bindings = {"attribute-bindings",
                                        "an attribute is bound in more than 256 places; they are not looked at"};

enum { TEXT_MAX = 48 };

str ask_tail(const struct check *check, uint32_t call)
{
    return syntax_is(check->tree, call, SYN_CALL) ? syntax_tail(check->tree, syntax_first(check->tree, call)) : S("");
}

uint32_t ask_receiver(const struct check *check, uint32_t call)
{
    if (!syntax_is(check->tree, call, SYN_CALL))
        return SYNTAX_NONE;
    const uint32_t callee = syntax_first(check->tree, call);
    return syntax_is(check->tree, callee, SYN_ATTRIBUTE) ? syntax_first(check->tree, callee) : SYNTAX_NONE;
}

bool ask_own_attribute(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_ATTRIBUTE) && syntax_is(tree, syntax_first(tree, node), SYN_NAME) &&
           str_eq(syntax_text(tree, syntax_first(tree, node)), S("self"));
}

uint32_t ask_step(const struct check *check, uint32_t node)
{
    if (syntax_is(check->tree, node, SYN_SUBSCRIPT))
        return syntax_first(check->tree, node);
    if (syntax_calls(check->tree, node, S("Variable")) && ask_named(check, node, "torch.Variable"))
        return syntax_argument(check->tree, node, 0, NULL);
    const uint32_t receiver = ask_receiver(check, node);
    const bool keeps = receiver != SYNTAX_NONE &&
                       known_word(WORDS_KEEP_DATA, syntax_tail(check->tree, syntax_first(check->tree, node)));
    return keeps ? receiver : node;
}

uint32_t ask_root(const struct check *check, uint32_t node)
{
    for (uint32_t next = ask_step(check, node); next != node; next = ask_step(check, node))
        node = next;
    return node;
}

const struct summary *ask_summary_around(const struct check *check, uint32_t node)
{
    const uint32_t function = project_function_at(check->project, check_site(check, node));
    return function == SYNTAX_NONE ? NULL : summary_of(check->project, function);
}

str ask_text(const struct check *check, uint32_t node)
{
    str text = syntax_text(check->tree, node);
    bool cut = text.len > TEXT_MAX;
    if (cut)
        text.len = TEXT_MAX;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '\n' || text.at[i] == '\r') {
            text = str_trim((str){text.at, i});
            cut = true;
        }
    while (cut && text.len && ((unsigned char)text.at[text.len - 1] & 0x80))
        text.len--; /* no half character */
    const str shown = str_printable(check->arena, text);
    return cut ? str_printf(check->arena, "%.*s...", (int)shown.len, shown.at) : shown;
}

const char *ask_often(const struct check *check, uint32_t node)
{
    const struct context context = context_of(check->project, check_site(check, node));
    if (context.inner)
        return context.pace == PACE_EVALUATION ? "for each element of an evaluation step"
                                               : "for each element of a step";
    switch (context.pace) {
    case PACE_STEP:
        return context.gate == GATE_INTERVAL ? "at every gated step" : "each training step";
    case PACE_EVALUATION:
        return "each evaluation step";
    case PACE_EPOCH:
        return "each epoch";
    default:
        return "each time";
    }
}

bool ask_matters(const struct check *check, uint32_t node)
{
    const struct context context = context_of(check->project, check_site(check, node));
    return context.pace != PACE_ONCE && (context.pace != PACE_EPOCH || context.inner);
}

bool ask_is_test_file(const struct check *check)
{
    return context_of(check->project, check_site(check, 0)).in_test;
}

static bool calls_eval(const struct check *check, uint32_t function)
{
    uint32_t from = function, call;
    while ((call = syntax_call_from(check->tree, S("eval"), &from, syntax_last(check->tree, function))) != SYNTAX_NONE)
        if (ask_receiver(check, call) != SYNTAX_NONE)
            return true;
    return false;
}

bool ask_evaluates(const struct check *check, uint32_t node)
{
    const uint32_t function = syntax_function(check->tree, node);
    const struct summary *summary = ask_summary_around(check, node);
    return function != SYNTAX_NONE && summary && !(summary->effects & (EFFECT_BACKWARD | EFFECT_STEP)) &&
           calls_eval(check, function);
}

bool ask_answers_host(const struct check *check, uint32_t node)
{
    const struct summary *summary = ask_summary_around(check, node);
    return summary && summary->effects & EFFECT_UPLOAD && summary->effects & EFFECT_DOWNLOAD &&
           !(summary->effects & (EFFECT_BACKWARD | EFFECT_STEP)) &&
           !context_of(check->project, check_site(check, node)).in_forward;
}

bool ask_changed(const struct check *check, const struct definition *definition, uint32_t after, uint32_t before)
{
    uint32_t uses[FLOW_MOST_USES];
    const uint32_t count = flow_uses(check->project, check->file, definition, uses, FLOW_MOST_USES);
    for (uint32_t i = 0; i < count && i < FLOW_MOST_USES; i++)
        if (uses[i] > after && uses[i] < before && flow_use_changes(check->project, check_site(check, uses[i])))
            return true;
    return count > FLOW_MOST_USES;
}

bool ask_few_numbers(const struct check *check, uint32_t what)
{
    enum { SHORT = 4 };
    const enum syntax_kind kind = check->tree->kind[what];
    if ((kind != SYN_LIST && kind != SYN_TUPLE) || syntax_child_count(check->tree, what) > SHORT)
        return false;
    for (uint32_t at = syntax_first(check->tree, what); at != SYNTAX_NONE; at = syntax_next(check->tree, at)) {
        const struct value *value = ask_value(check, at);
        if (value->kind == VALUE_ARRAY && !value_has(value, VALUE_SCALAR_NUMPY))
            return false;
        if (value_is_container(value) || value_is_tensor(value) || syntax_is(check->tree, at, SYN_STARRED))
            return false;
    }
    return true;
}

bool ask_any(const struct check *check, uint32_t node, bool (*test)(const struct check *check, uint32_t node))
{
    for (uint32_t at = node; at < syntax_last(check->tree, node); at++)
        if (test(check, at))
            return true;
    return false;
}
