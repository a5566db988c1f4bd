/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Family 4: the host waits for the device without anybody having asked it to.
 * Each of these empties the queue of the device: what follows starts late.
 */
#include "rules/rewrite/fix.h"
#include "rules/waits/needed.h"
#include "rules/waits/read_back.h"
#include "rules/waits/tell.h"
#include "source/known/known_words.h"
#include "words.h"

/* ---- A1, A4, A5, A8, D4: reads ---- */

/* return loss / count.item(): what is given back is made with it. */
static bool is_operand(const struct check *check, uint32_t call, uint32_t statement)
{
    for (uint32_t at = check->tree->parent[call]; at > statement; at = check->tree->parent[at])
        if (check->tree->kind[at] == SYN_BINARY && !value_is_number(ask_value(check, at)))
            return true;
    return false;
}

/* return actor(to_gpu(state)).cpu(): host data in, host data out. An environment, say, needs the answer to go on. */
static bool answers_the_host(const struct check *check, uint32_t call)
{
    const struct summary *summary = ask_summary_around(check, call);
    const uint32_t statement = syntax_statement(check->tree, call);
    return check->tree->kind[statement] == SYN_RETURN && !is_operand(check, call, statement) && summary &&
           summary->effects & EFFECT_UPLOAD && !(summary->effects & (EFFECT_BACKWARD | EFFECT_STEP)) &&
           !context_of(check->project, check_site(check, call)).in_forward;
}

static bool tell_read(const struct check *check, uint32_t call, struct match *match, const char *advice)
{
    const str text = ask_text(check, call);
    match->captures[match->capture_count++] = read_back_what(check, call);
    const struct site site = check_site(check, call);
    if (answers_the_host(check, call))
        match_break(match, LINK_GAIN, "its function takes data of the host and hands the answer back to it", site);
    if (ask_evaluates(check, call))
        match_break(match, LINK_PACE, "its function evaluates: it trains nothing", site);
    if (needed_by_host(check, call))
        match_break(match, LINK_GAIN, "the host needs the value to go on", site);
    return tell(check, call, match,
                str_printf(check->arena, "`%.*s` makes the host wait for the device %s; %s", (int)text.len, text.at,
                           ask_often(check, call), advice));
}

static bool check_scalar_read_back(const struct check *check, uint32_t call, struct match *match)
{
    return read_back_of(check, call) == READ_SCALAR &&
           tell_read(check, call, match, "keep it on the device and read it once, where it is shown");
}

static bool check_whole_read_back(const struct check *check, uint32_t call, struct match *match)
{
    return read_back_of(check, call) == READ_WHOLE &&
           tell_read(check, call, match, "compute on the device and read the result once");
}

static bool check_dead_read_back(const struct check *check, uint32_t call, struct match *match)
{
    return read_back_of(check, call) == READ_DEAD &&
           tell_read(check, call, match, "nobody uses what it reads: delete it");
}

static bool check_echo(const struct check *check, uint32_t call, struct match *match)
{
    return read_back_of(check, call) == READ_ECHO &&
           tell_read(check, call, match, "the value was on the host before it was uploaded: read it there");
}

static bool check_scattered(const struct check *check, uint32_t call, struct match *match)
{
    return read_back_of(check, call) == READ_SCATTERED &&
           tell_read(check, call, match, "read all values of a step at once, after the step was launched");
}

const struct rule rule_scalar_read_back = {
    .id = "ST401",
    .name = "scalar-read-back",
    .entry = "A1",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}, .tails = {"item", "tolist", "float", "int", "bool", "cpu", "to"}},
    .check = check_scalar_read_back,
    .fix = fix_scalar_read_back,
    .fix_kind = FIX_SAFE,
    .words = &words_scalar_read_back,
};

/* No tails: a helper that reads back may have any name. */
const struct rule rule_whole_tensor_read_back = {
    .id = "ST404",
    .name = "whole-tensor-read-back",
    .entry = "A4",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_whole_read_back,
    .words = &words_whole_tensor_read_back,
};

const struct rule rule_dead_read_back = {
    .id = "ST405",
    .name = "dead-read-back",
    .entry = "A5",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_dead_read_back,
    .fix = fix_dead_read_back,
    .fix_kind = FIX_SAFE,
    .words = &words_dead_read_back,
};

const struct rule rule_echo_read_back = {
    .id = "ST408",
    .name = "echo-read-back",
    .entry = "A9",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}},
    .check = check_echo,
    .fix = fix_echo_read_back,
    .fix_kind = FIX_SAFE,
    .words = &words_echo_read_back,
};

const struct rule rule_scattered_read_backs = {
    .id = "ST409",
    .name = "scattered-read-backs",
    .entry = "D4",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_CALL}, .tails = {"item", "float", "int", "bool"}},
    .check = check_scattered,
    .fix = fix_scattered_read_backs,
    .fix_kind = FIX_SAFE,
    .words = &words_scattered_read_backs,
};

/* ---- A2: Python asks a tensor which way to go ---- */

/* The operand that Python asks for its truth; SYNTAX_NONE. Of `a and not b` a and b are asked. */
static uint32_t asked_for_truth(const struct check *check, uint32_t node)
{
    for (uint32_t at = node; at < syntax_last(check->tree, node);) {
        const enum syntax_kind kind = check->tree->kind[at];
        if (kind == SYN_BOOL || kind == SYN_NOT) {
            at++;
            continue;
        }
        if (ask_gpu_tensor(check, at))
            return at;
        at = syntax_last(check->tree, at);
    }
    return SYNTAX_NONE;
}

static bool is_comparing_call(const struct check *check, uint32_t node)
{
    return ask_named(check, node, "torch.equal") || ask_named(check, node, "torch.allclose") ||
           ask_named(check, node, "torch.Tensor.equal") || ask_named(check, node, "torch.Tensor.allclose");
}

/* torch.equal(a, b) waits wherever it stands: its result is a Python bool. */
static bool compares_tensors(const struct check *check, uint32_t node)
{
    if (!is_comparing_call(check, node))
        return false;
    return ask_gpu_tensor(check, ask_receiver(check, node)) ||
           ask_gpu_tensor(check, syntax_argument(check->tree, node, 0, NULL)) ||
           ask_gpu_tensor(check, syntax_argument(check->tree, node, 1, NULL));
}

/* max, min, sorted, any, all and sum of Python over the elements of a tensor: a comparison each, a wait each. */
static bool compares_elements(const struct check *check, uint32_t node)
{
    const uint32_t first = syntax_argument(check->tree, node, 0, NULL);
    return known_word(WORDS_COMPARE_ELEMENTS, name_of(check->project, check_site(check, node))) &&
           (ask_gpu_tensor(check, first) || ask_gpu_tensor(check, syntax_argument(check->tree, node, 1, NULL)) ||
            value_gpu_tensor(value_item(ask_value(check, first))));
}

static bool tell_branch(const struct check *check, uint32_t node, uint32_t what, struct match *match)
{
    const str text = ask_text(check, what);
    match->node = what;
    match->captures[match->capture_count++] = node;
    if (needed_to_go_on(check, what))
        match_break(match, LINK_GAIN, "the run needs the answer to go on", check_site(check, what));
    return tell(check, what, match,
                str_printf(check->arena,
                           "Python needs the value of `%.*s` to go on: the host waits for the device %s; use "
                           "torch.where or a mask, or ask every few steps",
                           (int)text.len, text.at, ask_often(check, what)));
}

static uint32_t test_of(const struct check *check, uint32_t node)
{
    const enum syntax_kind kind = check->tree->kind[node];
    return syntax_child(check->tree, node, kind == SYN_CONDITIONAL ? 1 : 0);
}

/* `x in tensor` compares with each element and asks for the truth of the result. */
static bool looks_into_tensor(const struct check *check, uint32_t node)
{
    const enum syntax_op op = check->tree->op[node];
    return (op == OP_IN || op == OP_NOT_IN) && ask_gpu_tensor(check, syntax_last_child(check->tree, node));
}

static bool check_branch(const struct check *check, uint32_t node, struct match *match)
{
    switch (check->tree->kind[node]) {
    case SYN_CALL:
        return (compares_tensors(check, node) || compares_elements(check, node)) &&
               tell_branch(check, node, node, match);
    case SYN_COMPARE:
        return looks_into_tensor(check, node) && tell_branch(check, node, node, match);
    case SYN_BOOL: /* outside of a test: the left side is asked, the right one handed on */
        if (syntax_is(check->tree, check->tree->parent[node], SYN_BOOL) ||
            syntax_is(check->tree, check->tree->parent[node], SYN_NOT))
            return false;
        break;
    default:
        break;
    }
    const uint32_t what = asked_for_truth(check, test_of(check, node));
    return what != SYNTAX_NONE && tell_branch(check, node, what, match);
}

const struct rule rule_data_dependent_branch = {
    .id = "ST402",
    .name = "data-dependent-branch",
    .entry = "A2",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_IF, SYN_WHILE, SYN_ASSERT, SYN_CONDITIONAL, SYN_BOOL, SYN_COMP_IF, SYN_COMPARE, SYN_CALL},
              .tails = {"equal", "allclose", "max", "min", "sorted", "any", "all"}},
    .check = check_branch,
    .words = &words_data_dependent_branch,
};

/* ---- A3: a tensor is shown ---- */

/* "%.3f" % loss: a match of its own, wherever the text goes. */
static bool is_formatting(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_BINARY) && check->tree->op[node] == OP_MOD &&
           ask_value(check, syntax_first(check->tree, node))->kind == VALUE_STR;
}

/* The tensor in what is shown: itself, or an item of a literal dict, list or tuple. */
static uint32_t shown_tensor(const struct check *check, uint32_t node)
{
    const uint32_t last = syntax_last(check->tree, node);
    for (uint32_t at = node; at < last;) {
        switch (check->tree->kind[at]) {
        case SYN_ARGUMENTS:
        case SYN_KEYWORD:
        case SYN_DICT:
        case SYN_PAIR:
        case SYN_LIST:
        case SYN_TUPLE:
            at++;
            continue;
        default:
            if (ask_gpu_tensor(check, at) && !is_formatting(check, at))
                return at;
            at = syntax_last(check->tree, at);
        }
    }
    return SYNTAX_NONE;
}

/* add_histogram and add_image take whole tensors: reading them is what they are for, but it waits all the same. */
static bool shows_its_arguments(const struct check *check, uint32_t call)
{
    const uint32_t receiver = ask_receiver(check, call);
    if (receiver == SYNTAX_NONE || ask_value(check, call) == NULL)
        return ask_named(check, call, "print") || ask_named(check, call, "str") || ask_named(check, call, "repr") ||
               ask_named(check, call, "format");
    if (ask_value(check, receiver)->kind == VALUE_WRITER || ask_value(check, receiver)->kind == VALUE_STR)
        return true;
    const struct site site = check_site(check, call);
    return name_under(check->project, site, "logging.") || name_under(check->project, site, "wandb.") ||
           name_under(check->project, site, "mlflow.");
}

static uint32_t shown_in(const struct check *check, uint32_t node)
{
    switch (check->tree->kind[node]) {
    case SYN_INTERPOLATION:
        return shown_tensor(check, syntax_first(check->tree, node));
    case SYN_BINARY: /* "%.3f" % loss */
        return is_formatting(check, node) ? shown_tensor(check, syntax_child(check->tree, node, 1)) : SYNTAX_NONE;
    default:
        return shows_its_arguments(check, node) ? shown_tensor(check, syntax_child(check->tree, node, 1)) : SYNTAX_NONE;
    }
}

static bool check_show(const struct check *check, uint32_t node, struct match *match)
{
    const uint32_t what = shown_in(check, node);
    if (what == SYNTAX_NONE)
        return false;
    const str text = ask_text(check, what);
    match->captures[match->capture_count++] = what;
    return tell(check, node, match,
                str_printf(check->arena,
                           "showing the device tensor `%.*s` reads it back %s; show it every few steps, or read all "
                           "numbers at once",
                           (int)text.len, text.at, ask_often(check, node)));
}

const struct rule rule_print_device_tensor = {
    .id = "ST403",
    .name = "print-device-tensor",
    .entry = "A3",
    .level = LEVEL_WARNING,
    .query = {.kinds = {SYN_INTERPOLATION, SYN_BINARY, SYN_CALL},
              .tails = {"print",      "debug",       "info",       "warning",     "error",           "log",
                        "write",      "set_postfix", "add_scalar", "add_scalars", "add_histogram",   "log_metrics",
                        "log_metric", "format",      "str",        "repr",        "set_description", "set_postfix_str",
                        "exception",  "critical",    "warn",       "add_text",    "add_image"}},
    .check = check_show,
    .words = &words_print_device_tensor,
};
