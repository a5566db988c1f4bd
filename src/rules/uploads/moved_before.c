/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch may be a TensorDict, a BatchEncoding or an object of the run that holds tensors: values say nothing of such a
 * thing. But its `.to(device)` moves all that it holds, its parts lie where it lies, and a second move of them copies
 * nothing. So this goes from what is moved backward, through parts, names, loops and parameters, and holds where each
 * way ends at a move: every definition that reaches a use, and every caller of the run. A way that comes back to where it
 * was says neither yes nor no.
 */
#include "moved_before.h"

#include "source/flow/asks.h"

enum answer { NOWHERE, BACK_AGAIN, MOVED };
enum { MOST_STEPS = 256, MOST_CALLERS = 64, DEEPEST = 64, LARGEST = 20000 };

/* A place that was passed, and what was found behind it; BACK_AGAIN as long as nobody knows. */
struct passed {
    struct site site;
    enum answer found;
};

struct backward {
    const struct check *check;
    struct passed seen[MOST_STEPS];
    uint32_t seen_count;
    int depth;
    bool cut;
};

static enum answer behind(struct backward *back, struct site site);

static const struct syntax *tree_of(const struct backward *back, struct site site)
{
    return project_tree(back->check->project, site.file);
}

static struct check check_of(const struct backward *back, uint32_t file)
{
    return (struct check){back->check->project, file, project_tree(back->check->project, file), back->check->arena};
}

/* Each way has to end at a move; one that leads back says nothing. */
static enum answer both(enum answer a, enum answer b)
{
    if (a == NOWHERE || b == NOWHERE)
        return NOWHERE;
    return a == MOVED ? a : b;
}

static enum answer cut(struct backward *back)
{
    back->cut = true;
    return NOWHERE;
}

/* ---- calls ---- */

/* x.to(device), x.cuda(), to_device(x): what it gives lies there. */
static bool moves_it(const struct backward *back, struct site call)
{
    const struct value *gives = value_at(back->check->project, call);
    if (!value_on_gpu(gives) || gives->kind == VALUE_MODULE || gives->kind == VALUE_LOSS)
        return false;
    return calls_one_of(tree_of(back, call), call.node, WORDS_MOVE_TO_DEVICE) ||
           value_move(back->check->project, call).move == MOVE_UPLOAD;
}

/* x.cpu(), x.to("cpu"), x.numpy(), of which not only numbers are read: x.cpu().item(). */
static bool gives_on_host(const struct backward *back, struct site call)
{
    const struct syntax *tree = tree_of(back, call);
    const uint32_t asked = tree->parent[tree->parent[call.node]];
    const bool moved = calls_one_of(tree, call.node, WORDS_MOVE_TO_HOST) &&
                       (syntax_calls(tree, call.node, S("cpu")) || value_on_cpu(value_at(back->check->project, call)));
    return (moved || syntax_calls(tree, call.node, S("numpy"))) && !calls_one_of(tree, asked, WORDS_READ_ITEMS);
}

/* A function that takes a tensor to the host may give that. */
static bool takes_to_host(const struct backward *back, uint32_t function)
{
    const struct function *f = project_function(back->check->project, function);
    const struct syntax *tree = project_tree(back->check->project, f->file);
    if (tree->size[f->node] > LARGEST)
        return true;
    for (uint32_t node = f->node; node < syntax_last(tree, f->node); node++)
        if (tree->kind[node] == SYN_CALL && gives_on_host(back, (struct site){f->file, node}))
            return true;
    return false;
}

/* f(batch) of a function of the run: what it makes of what lies there lies there, unless it takes something to the host. */
static enum answer behind_function(struct backward *back, struct site call)
{
    const struct syntax *tree = tree_of(back, call);
    const uint32_t target = name_target(back->check->project, call);
    if (target == SYNTAX_NONE || value_on_cpu(value_at(back->check->project, call)) || takes_to_host(back, target))
        return NOWHERE;
    const uint32_t list = syntax_child(tree, call.node, 1);
    for (uint32_t a = syntax_first(tree, list); a != SYNTAX_NONE; a = syntax_next(tree, a)) {
        const uint32_t given = tree->kind[a] == SYN_KEYWORD ? syntax_child(tree, a, 1) : a;
        const enum syntax_kind kind = tree->kind[given];
        const enum answer found = kind == SYN_NAME || kind == SYN_SUBSCRIPT || kind == SYN_CALL
                                      ? behind(back, (struct site){call.file, given})
                                      : NOWHERE;
        if (found != NOWHERE)
            return found;
    }
    return NOWHERE;
}

static enum answer behind_call(struct backward *back, struct site call)
{
    const struct check check = check_of(back, call.file);
    const uint32_t receiver = ask_receiver(&check, call.node);
    if (moves_it(back, call))
        return MOVED;
    if (receiver != SYNTAX_NONE && calls_one_of(check.tree, call.node, WORDS_GIVE_PARTS)) {
        const enum answer found = behind(back, (struct site){call.file, receiver});
        if (found != NOWHERE)
            return found;
    }
    return behind_function(back, call);
}

/* ---- names ---- */

/* A method that was found by its name alone says little: who is known to call it counts more. */
static bool is_guess(const struct backward *back, struct site call)
{
    const struct value *callee = value_at(back->check->project, (struct site){call.file, call.node + 1});
    return callee->kind == VALUE_FUNCTION && callee->detail == SYNTAX_NONE && !callee->items;
}

/* What each caller gives; tests are none. */
static enum answer behind_callers(struct backward *back, uint32_t function, uint32_t k, bool guesses)
{
    const struct project *project = back->check->project;
    uint32_t count;
    const struct site *callers = name_callers(project, function, &count);
    enum answer all = BACK_AGAIN;
    if (count > MOST_CALLERS)
        return cut(back);
    for (uint32_t i = 0; i < count && all != NOWHERE; i++) {
        if (context_of(project, callers[i]).in_test || is_guess(back, callers[i]) != guesses)
            continue;
        const uint32_t given = name_argument(project, callers[i], k);
        all = both(all, given == SYNTAX_NONE ? NOWHERE : behind(back, (struct site){callers[i].file, given}));
    }
    return all;
}

static enum answer behind_parameter(struct backward *back, struct site name)
{
    const struct project *project = back->check->project;
    const uint32_t function = project_function_at(project, name), parameter = tree_of(back, name)->parent[name.node];
    uint32_t k = 0;
    while (k < SUMMARY_PARAMETERS && project_parameter(project, function, k) != parameter)
        k++;
    if (function == SYNTAX_NONE || k == SUMMARY_PARAMETERS)
        return NOWHERE;
    const enum answer known = behind_callers(back, function, k, false);
    const enum answer found = known == BACK_AGAIN ? behind_callers(back, function, k, true) : known;
    return found == MOVED ? MOVED : NOWHERE;
}

/* for x in xs, enumerate(xs): an item of what lies there. */
static enum answer behind_loop(struct backward *back, struct site source)
{
    const struct syntax *tree = tree_of(back, source);
    if (syntax_calls(tree, source.node, S("enumerate")))
        source.node = syntax_argument(tree, source.node, 0, NULL);
    return source.node == SYNTAX_NONE ? NOWHERE : behind(back, source);
}

static enum answer behind_definition(struct backward *back, uint32_t file, const struct definition *definition)
{
    const struct site value = {file, definition->value}, name = {file, definition->name};
    switch ((enum definition_kind)definition->kind) {
    case DEFINED_PARAMETER:
        return behind_parameter(back, name);
    case DEFINED_CHANGE: /* batch.pop("x"): the rest is where it was */
        return behind(back, name);
    case DEFINED_FOR:
        return behind_loop(back, value);
    case DEFINED_ASSIGN:
        return value.node == SYNTAX_NONE ? NOWHERE : behind(back, value);
    default:
        return NOWHERE;
    }
}

static enum answer behind_name(struct backward *back, struct site use)
{
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(back->check->project, use, found, FLOW_MOST_DEFINITIONS);
    enum answer all = count ? BACK_AGAIN : NOWHERE;
    if (count > FLOW_MOST_DEFINITIONS)
        return cut(back);
    for (uint32_t i = 0; i < count && all != NOWHERE; i++)
        all = both(all, behind_definition(back, use.file, found[i]));
    return all;
}

/* ---- the way ---- */

static enum answer step(struct backward *back, struct site site)
{
    const struct syntax *tree = tree_of(back, site);
    switch (tree->kind[site.node]) {
    case SYN_NAME:
        return behind_name(back, site);
    case SYN_CALL:
        return behind_call(back, site);
    case SYN_SUBSCRIPT: /* batch["x"], x[:, 1:] */
    case SYN_ATTRIBUTE: /* data.batch */
        return ask_own_attribute(tree, site.node) ? NOWHERE : behind(back, (struct site){site.file, site.node + 1});
    default:
        return NOWHERE;
    }
}

static enum answer behind(struct backward *back, struct site site)
{
    for (uint32_t i = 0; i < back->seen_count; i++)
        if (back->seen[i].site.file == site.file && back->seen[i].site.node == site.node)
            return back->seen[i].found;
    if (back->seen_count == MOST_STEPS || back->depth == DEEPEST)
        return cut(back);
    struct passed *passed = &back->seen[back->seen_count++];
    *passed = (struct passed){site, BACK_AGAIN};
    back->depth++;
    passed->found = step(back, site);
    back->depth--;
    return passed->found;
}

bool moved_before(const struct check *check, uint32_t what)
{
    static const struct limit far = {"moved-before",
                                     "what is moved to the device comes through more than 256 places, 64 in one "
                                     "another, or 64 callers; whether it lies there already is not known"};
    struct backward back = {.check = check};
    const enum answer found = behind(&back, check_site(check, what));
    if (back.cut && found != MOVED)
        check_limit(check, &far, what);
    return found == MOVED;
}
