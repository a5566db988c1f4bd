/* SPDX-License-Identifier: Apache-2.0 */
#include "question.h"

static const struct limit far_gate = {
    "gate",
    "what a test asks for comes by more than 512 values, through more than 12 of them, or from a function of more "
    "than 20,000 nodes; when it holds is not known"};

bool ways_spend(struct question *question, bool too_far)
{
    question->stopped |= too_far || !question->values;
    if (too_far || !question->values)
        return false;
    question->values--;
    return true;
}

static enum gate weaker(enum gate a, enum gate b)
{
    return gate_stronger(a, b) == a ? b : a;
}

void ways_add(struct ways *ways, const struct ways *more, enum gate around)
{
    const enum gate gate = gate_stronger(around, more->gate);
    if (ways_may_hold(more))
        ways->gate = ways_may_hold(ways) ? weaker(ways->gate, gate) : gate;
    ways->yes |= more->yes;
    ways->no |= more->no;
    ways->unknown |= more->unknown;
    if (more->by_default)
        ways->option = more->option;
    ways->by_default |= more->by_default;
}

struct ways ways_behind(struct question *question, struct site value, int depth, enum gate around)
{
    const bool beside = question->beside;
    question->beside |= around != GATE_NONE;
    const struct ways ways = ways_of_value(question, value, depth);
    question->beside = beside;
    return ways;
}

static struct ways turned(const struct ways *ways)
{
    return (struct ways){.yes = ways->no,
                         .no = ways->yes,
                         .unknown = ways->unknown,
                         .by_default = ways->by_default,
                         .option = ways->option};
}

static struct ways ways_of_question(struct question *question, enum asked asked, struct site value, int depth)
{
    struct question other = *question;
    other.asked = asked;
    const struct ways ways = ways_of_value(&other, value, depth + 1);
    question->values = other.values;
    question->stopped |= other.stopped;
    return ways;
}

/* `type(x)` of `type(x) == list`, as x; NONE. */
static uint32_t type_asked_of(const struct syntax *tree, uint32_t node)
{
    return syntax_calls(tree, node, S("type")) && tree->kind[node + 1] == SYN_NAME
               ? syntax_argument(tree, node, 0, NULL)
               : NONE;
}

static struct ways ways_of_type(struct question *question, struct site value, struct site type, int depth)
{
    question->kinds = answer_kinds(question->project, type);
    return question->kinds ? ways_of_question(question, ASKS_KIND, value, depth) : ways_unknown;
}

static bool is_order(enum syntax_op op)
{
    return op == OP_LESS || op == OP_LESS_EQUAL || op == OP_GREATER || op == OP_GREATER_EQUAL;
}

/* `x > 0`: of numbers that are all known and of which one is an option's default; else it is now so, now so. */
static struct ways ways_of_order(struct question *question, struct site left, struct site right, int depth)
{
    const struct syntax *tree = project_tree(question->project, right.file);
    double bound;
    if (!answer_number(tree, right.node, &bound))
        return ways_either;
    question->constant = right;
    const struct ways ways = ways_of_question(question, ASKS_ORDER, left, depth);
    return ways.by_default && (ways_never(&ways) || ways_always(&ways)) ? ways : ways_either;
}

static struct ways ways_of_compare(struct question *question, struct site test, int depth)
{
    const struct syntax *tree = project_tree(question->project, test.file);
    const enum syntax_op op = (enum syntax_op)tree->op[test.node];
    const bool same = op == OP_IS || op == OP_EQUAL, other = op == OP_IS_NOT || op == OP_NOT_EQUAL;
    const struct site left = {test.file, test.node + 1}, right = {test.file, syntax_child(tree, test.node, 1)};
    const bool pair = syntax_child_count(tree, test.node) == 2;
    if (pair && is_order(op))
        return ways_of_order(question, left, right, depth);
    if ((!same && !other) || !pair)
        return ways_either;
    const uint32_t typed = type_asked_of(tree, left.node);
    struct ways ways;
    if (typed != NONE) {
        ways = ways_of_type(question, (struct site){test.file, typed}, right, depth);
    } else if (syntax_is(tree, right.node, SYN_NONE)) {
        ways = ways_of_question(question, ASKS_THERE, left, depth);
        return other ? ways : turned(&ways);
    } else if (syntax_is(tree, right.node, SYN_TRUE)) {
        ways = ways_of_question(question, ASKS_TRUE, left, depth);
    } else if (answer_is_constant(tree->kind[right.node])) {
        question->constant = right;
        ways = ways_of_question(question, ASKS_EQUAL, left, depth);
    } else {
        return ways_either;
    }
    return same ? ways : turned(&ways);
}

static struct ways ways_of_bool(struct question *question, struct site test, int depth)
{
    const struct syntax *tree = project_tree(question->project, test.file);
    const bool beside = question->beside;
    question->beside = true;
    const struct ways left = ways_of_condition(question, (struct site){test.file, test.node + 1}, depth + 1);
    const struct ways right =
        ways_of_condition(question, (struct site){test.file, syntax_child(tree, test.node, 1)}, depth + 1);
    struct ways ways = {0};
    question->beside = beside;
    if (tree->op[test.node] == OP_AND) {
        if (ways_never(&left) || ways_never(&right))
            return ways_never(&right) && !right.by_default ? right : ways_never(&left) ? left : right;
        ways_add(&ways, &left, GATE_NONE);
        ways_add(&ways, &right, GATE_NONE);
        ways.yes = left.yes && right.yes;
        ways.gate = gate_stronger(left.gate, right.gate);
        return ways;
    }
    if (ways_always(&left) || ways_always(&right))
        return ways_always(&right) && !right.by_default ? right : ways_always(&left) ? left : right;
    ways_add(&ways, &left, GATE_NONE);
    ways_add(&ways, &right, GATE_NONE);
    return ways;
}

struct ways ways_of_condition(struct question *question, struct site test, int depth)
{
    const struct syntax *tree = project_tree(question->project, test.file);
    if (!ways_spend(question, depth >= WAYS_DEEPEST))
        return ways_unknown;
    switch (tree->kind[test.node]) {
    case SYN_NOT: {
        const struct ways ways = ways_of_condition(question, (struct site){test.file, test.node + 1}, depth + 1);
        return turned(&ways);
    }
    case SYN_BOOL:
        return ways_of_bool(question, test, depth);
    case SYN_COMPARE:
        return ways_of_compare(question, test, depth);
    case SYN_CALL:
        if (syntax_calls(tree, test.node, S("isinstance")) && tree->kind[test.node + 1] == SYN_NAME &&
            syntax_argument(tree, test.node, 1, NULL) != NONE)
            return ways_of_type(question, (struct site){test.file, syntax_argument(tree, test.node, 0, NULL)},
                                (struct site){test.file, syntax_argument(tree, test.node, 1, NULL)}, depth);
        return ways_of_question(question, ASKS_TRUE, test, depth);
    default:
        return ways_of_question(question, ASKS_TRUE, test, depth);
    }
}

struct ways ways_of_test(const struct project *project, struct site test)
{
    struct question question = {.project = project, .asked = ASKS_TRUE, .test = test, .values = WAYS_VALUES};
    const struct ways ways = ways_of_condition(&question, test, 0);
    if (question.stopped && !ways_never(&ways) && !ways_always(&ways))
        project_limit(project, &far_gate, test);
    return ways;
}
