/* SPDX-License-Identifier: Apache-2.0 */
/* What a value says by itself: that it is there, that it holds, that it is that constant or of that type. */
#include "question.h"

#include "base/real.h"

bool answer_is_constant(enum syntax_kind kind)
{
    return kind == SYN_STRING || kind == SYN_INTEGER || kind == SYN_NONE || kind == SYN_TRUE || kind == SYN_FALSE;
}

bool answer_number(const struct syntax *tree, uint32_t node, double *number)
{
    const bool minus = syntax_is(tree, node, SYN_UNARY) && tree->op[node] == OP_SUB;
    const uint32_t digits = minus ? node + 1 : node;
    if ((!syntax_is(tree, digits, SYN_INTEGER) && !syntax_is(tree, digits, SYN_FLOAT)) ||
        !real_read(syntax_text(tree, digits), number))
        return false;
    *number = minus ? -*number : *number;
    return true;
}

static struct ways is_true(const struct syntax *tree, uint32_t node)
{
    switch (tree->kind[node]) {
    case SYN_NONE:
    case SYN_FALSE:
        return ways_hold_not;
    case SYN_TRUE:
    case SYN_LAMBDA:
        return ways_hold;
    case SYN_INTEGER:
    case SYN_FLOAT: {
        double number;
        return answer_number(tree, node, &number) ? ways_if(number != 0) : ways_either;
    }
    case SYN_STRING:
        return ways_if(syntax_text(tree, node).len > 2);
    case SYN_LIST:
    case SYN_TUPLE:
    case SYN_DICT:
    case SYN_SET:
        return ways_if(tree->size[node] > 1);
    default:
        return ways_either;
    }
}

static struct ways is_equal(const struct question *question, struct site value)
{
    const struct syntax *tree = project_tree(question->project, value.file);
    const struct syntax *there = project_tree(question->project, question->constant.file);
    if (!answer_is_constant(tree->kind[value.node]))
        return ways_unknown;
    const str a = syntax_text(tree, value.node), b = syntax_text(there, question->constant.node);
    if (tree->kind[value.node] == SYN_STRING && tree->kind[value.node] == there->kind[question->constant.node])
        return a.len > 2 && b.len > 2 ? ways_if(str_eq((str){a.at + 1, a.len - 2}, (str){b.at + 1, b.len - 2}))
                                      : ways_unknown;
    return ways_if(str_eq(a, b));
}

static struct ways is_in_order(const struct question *question, struct site value)
{
    const struct syntax *tree = project_tree(question->project, value.file);
    const struct syntax *there = project_tree(question->project, question->constant.file);
    double number, bound;
    if (!answer_number(tree, value.node, &number) || !answer_number(there, question->constant.node, &bound))
        return ways_unknown;
    switch (there->op[there->parent[question->constant.node]]) {
    case OP_LESS:
        return ways_if(number < bound);
    case OP_LESS_EQUAL:
        return ways_if(number <= bound);
    case OP_GREATER:
        return ways_if(number > bound);
    default:
        return ways_if(number >= bound);
    }
}

/* What can be told apart by isinstance. */
static const struct {
    const char *name;
    uint32_t kinds;
} types[] = {
    {"list", 1u << VALUE_LIST},
    {"tuple", 1u << VALUE_TUPLE | 1u << VALUE_SHAPE},
    {"dict", 1u << VALUE_DICT},
    {"set", 1u << VALUE_SET},
    {"str", 1u << VALUE_STR},
    {"int", 1u << VALUE_INT | 1u << VALUE_BOOL},
    {"float", 1u << VALUE_FLOAT},
    {"bool", 1u << VALUE_BOOL},
    {"torch.Tensor", 1u << VALUE_TENSOR},
    {"numpy.ndarray", 1u << VALUE_ARRAY},
};

static uint32_t all_types(void)
{
    uint32_t kinds = 1u << VALUE_NONE;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        kinds |= types[i].kinds;
    return kinds;
}

uint32_t answer_kinds(const struct project *project, struct site type)
{
    const struct syntax *tree = project_tree(project, type.file);
    uint32_t kinds = 0;
    if (tree->kind[type.node] == SYN_TUPLE) {
        for (uint32_t item = syntax_first(tree, type.node); item != NONE; item = syntax_next(tree, item)) {
            const uint32_t one = answer_kinds(project, (struct site){type.file, item});
            if (!one)
                return 0;
            kinds |= one;
        }
        return kinds;
    }
    const str name = name_of(project, type);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq(name, str_of(types[i].name)))
            kinds = types[i].kinds;
    return kinds;
}

static struct ways is_of_kind(const struct question *question, struct site value)
{
    const struct file *file = &question->project->files.at[value.file];
    const uint8_t kind = node_value(question->project, file, value.node)->kind;
    if (syntax_is(file->shown.tree, value.node, SYN_NONE))
        return ways_hold_not;
    return kind < 32 && all_types() >> kind & 1 ? ways_if(question->kinds >> kind & 1) : ways_unknown;
}

struct ways answer_of(const struct question *question, struct site value)
{
    const struct syntax *tree = project_tree(question->project, value.file);
    switch (question->asked) {
    case ASKS_TRUE:
        return is_true(tree, value.node);
    case ASKS_THERE:
        return ways_if(tree->kind[value.node] != SYN_NONE);
    case ASKS_ORDER:
        return is_in_order(question, value);
    case ASKS_EQUAL:
        return is_equal(question, value);
    default:
        return is_of_kind(question, value);
    }
}

struct ways answer_something(const struct question *question)
{
    return question->asked == ASKS_THERE ? ways_hold : question->asked == ASKS_TRUE ? ways_either : ways_unknown;
}
