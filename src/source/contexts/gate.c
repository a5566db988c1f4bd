/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"
#include "source/known/known_words.h"

/* How far a value is followed, through names, calls and their returns; and how many values are looked at in all. */
enum { DEEPEST_VALUE = 12, MOST_VALUES = 512, LARGEST_CALLED = 20000 };

static const struct limit far_gate = {
    "gate",
    "what a test asks for comes by more than 512 values, through more than 12 of them, or from a function of more "
    "than 20,000 nodes; when it holds is not known"};

/* What is left to look at for one test. */
struct budget {
    uint32_t values;
    bool stopped;
};

/* Whether one more value may be looked at. */
static bool spend(struct budget *budget, bool too_far)
{
    budget->stopped |= too_far || !budget->values;
    if (too_far || !budget->values)
        return false;
    budget->values--;
    return true;
}

enum gate gate_stronger(enum gate a, enum gate b)
{
    static const int order[] = {
        [GATE_NONE] = 0, [GATE_RANK] = 1, [GATE_FLAG] = 2, [GATE_INTERVAL] = 3, [GATE_FIRST] = 4};
    return order[a] >= order[b] ? a : b;
}

static enum gate weaker(enum gate a, enum gate b)
{
    return gate_stronger(a, b) == a ? b : a;
}

/* ---- tests by their words ---- */

static bool has_operator(const struct syntax *tree, uint32_t test, enum syntax_op op)
{
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++)
        if (tree->kind[n] == SYN_BINARY && tree->op[n] == op)
            return true;
    return false;
}

static bool mentions(const struct syntax *tree, uint32_t test, enum words words)
{
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++)
        if (tree->kind[n] == SYN_NAME && known_word(words, syntax_text(tree, n)))
            return true;
    return false;
}

/* A whole word of a name: `opt.eval_boxes`, not `retrieval`. */
static bool mentions_word(const struct syntax *tree, uint32_t test, enum words words)
{
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++) {
        if (tree->kind[n] != SYN_NAME)
            continue;
        for (str rest = syntax_text(tree, n), word; str_cut(&rest, '_', &word);)
            if (known_word(words, word))
                return true;
    }
    return false;
}

/* `i == 0`, `i == len(loader) - 1`: the count of the loop against one value. */
static bool compares_count(const struct syntax *tree, uint32_t test)
{
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++) {
        if (tree->kind[n] != SYN_COMPARE || tree->op[n] != OP_EQUAL)
            continue;
        const uint32_t left = n + 1, right = syntax_child(tree, n, 1);
        if (syntax_is(tree, right, SYN_STRING) || syntax_is(tree, right, SYN_NONE))
            continue; /* a mode, not a count */
        const bool short_name = tree->kind[left] == SYN_NAME && syntax_text(tree, left).len <= 2;
        if (short_name || mentions(tree, left, WORDS_COUNT))
            return true;
    }
    return false;
}

/* `step == 0`, and nothing else that is asked: the first round of the loop. */
static bool asks_for_first(const struct syntax *tree, uint32_t test)
{
    return tree->kind[test] == SYN_COMPARE && tree->op[test] == OP_EQUAL && tree->kind[test + 1] == SYN_NAME &&
           str_eq(syntax_text(tree, syntax_child(tree, test, 1)), S("0")) && compares_count(tree, test);
}

/* `step < warmup`: the first steps. */
static bool asks_for_warm_up(const struct syntax *tree, uint32_t test)
{
    if (tree->kind[test] != SYN_COMPARE || (tree->op[test] != OP_LESS && tree->op[test] != OP_LESS_EQUAL))
        return false;
    const uint32_t bound = syntax_child(tree, test, 1);
    const str name = syntax_tail(tree, bound);
    return (str_has_nocase(name, S("warmup")) || str_has_nocase(name, S("warm_up"))) &&
           (mentions(tree, test + 1, WORDS_COUNT) ||
            (tree->kind[test + 1] == SYN_NAME && syntax_text(tree, test + 1).len <= 2));
}

/* `os.environ.get("DEBUG")`, `os.getenv("TORCH_LOGS")`: by the words of the variable. */
static bool asks_environment(const struct syntax *tree, uint32_t test)
{
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++) {
        const bool reads = tree->kind[n] == SYN_CALL &&
                           (syntax_calls(tree, n, S("getenv")) || str_has(syntax_text(tree, n + 1), S("environ")));
        const uint32_t key = reads ? syntax_argument(tree, n, 0, "key") : NONE;
        if (syntax_is(tree, key, SYN_STRING) && known_word(WORDS_FLAG, syntax_text(tree, key)))
            return true;
    }
    return false;
}

/* `meter.should_report()`, `self.every_n_steps(10)`, `trainer.is_log_step()`: methods that say when it is time. */
static bool asks_whether_it_is_time(const struct syntax *tree, uint32_t test)
{
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++) {
        const str name = tree->kind[n] == SYN_CALL ? syntax_tail(tree, n + 1) : S("");
        if (known_word(WORDS_TIME_TO, name))
            return true;
    }
    return false;
}

/* `if isnan(x).any()`, `if not isfinite(x)`: what is not to happen. */
static bool asks_for_trouble(const struct syntax *tree, uint32_t test)
{
    const bool negated = tree->kind[test] == SYN_NOT;
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++)
        if (tree->kind[n] == SYN_CALL &&
            known_word(negated ? WORDS_NO_TROUBLE : WORDS_TROUBLE, syntax_tail(tree, n + 1)))
            return tree->kind[test] != SYN_COMPARE;
    return false;
}

static enum gate gate_of_words(const struct syntax *tree, uint32_t test)
{
    const bool plain = tree->kind[test] == SYN_NAME || tree->kind[test] == SYN_ATTRIBUTE;
    if (asks_for_first(tree, test))
        return GATE_FIRST;
    if (has_operator(tree, test, OP_MOD) || asks_whether_it_is_time(tree, test) || compares_count(tree, test) ||
        asks_for_trouble(tree, test) || asks_for_warm_up(tree, test))
        return GATE_INTERVAL;
    if (mentions(tree, test, WORDS_RANK))
        return GATE_RANK;
    return mentions(tree, test, WORDS_FLAG) || asks_environment(tree, test) ||
                   (plain && mentions_word(tree, test, WORDS_ASIDE))
               ? GATE_FLAG
               : GATE_NONE;
}

/* ---- values that are there now and then ---- */

/* The ways by which a value comes about: what gates those on which it is something. */
struct ways {
    bool absent;    /* on some it is None or False */
    bool unknown;   /* on some nobody knows which */
    uint32_t there; /* ways on which it is something */
    enum gate gate; /* the weakest of these */
};

static struct ways ways_of(const struct project *project, struct site value, struct budget *left, int depth);

static void add_way(struct ways *ways, enum gate gate)
{
    ways->gate = ways->there++ ? weaker(ways->gate, gate) : gate;
}

static void add_ways(struct ways *ways, const struct ways *more, enum gate around)
{
    ways->absent |= more->absent;
    ways->unknown |= more->unknown;
    if (more->there)
        add_way(ways, gate_stronger(around, more->gate));
}

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

/* What callers give for a parameter; where one gives nothing its default holds. */
static struct ways ways_of_parameter(const struct project *project, struct site name,
                                     const struct definition *definition, struct budget *left, int depth)
{
    struct ways ways = {0};
    const struct syntax *tree = project_tree(project, name.file);
    const uint32_t function = project_function_at(project, name), parameter = tree->parent[definition->name];
    uint32_t k = 0, count;
    while (project_parameter(project, function, k) != parameter && k < SUMMARY_PARAMETERS)
        k++;
    const struct site *callers = name_callers(project, function, &count);
    const bool off = syntax_is(tree, definition->value, SYN_FALSE); /* who wants it says so by its name */
    if (!count && off)
        return (struct ways){.absent = true};
    if (!count || k == SUMMARY_PARAMETERS)
        return (struct ways){.unknown = true};
    for (uint32_t i = 0; i < count && left->values; i++) {
        const uint32_t given = name_argument(project, callers[i], k);
        const struct site site =
            given == NONE ? (struct site){name.file, definition->value} : (struct site){callers[i].file, given};
        const struct ways more = ways_of(project, site, left, depth + 1);
        add_ways(&ways, &more, gate_around(project, callers[i], NONE));
        ways.unknown |=
            given == NONE && !off && syntax_arguments_hidden(project_tree(project, callers[i].file), callers[i].node);
    }
    return left->values ? ways : (struct ways){.absent = ways.absent, .unknown = true, .there = 1};
}

static struct ways ways_of_name(const struct project *project, struct site name, struct budget *left, int depth)
{
    struct ways ways = {0};
    const struct definition *found[FLOW_MOST_DEFINITIONS];
    const uint32_t count = flow_definitions(project, name, found, FLOW_MOST_DEFINITIONS);
    ways.unknown = !count || count > FLOW_MOST_DEFINITIONS;
    for (uint32_t i = 0; i < count && count <= FLOW_MOST_DEFINITIONS; i++) {
        const bool plain = found[i]->kind == DEFINED_ASSIGN && !found[i]->unpacked;
        const struct ways more = found[i]->kind == DEFINED_PARAMETER
                                     ? ways_of_parameter(project, name, found[i], left, depth)
                                 : plain ? ways_of(project, (struct site){name.file, found[i]->value}, left, depth + 1)
                                         : (struct ways){.there = 1};
        add_ways(&ways, &more, gate_around(project, (struct site){name.file, found[i]->statement}, name.node));
    }
    return ways;
}

/* The key of `kwargs.get("key")` and `kwargs.get("key", None)`, kwargs being the ** of the function; "". */
static str option_taken(const struct project *project, struct site call)
{
    enum { STARS_OF_NAMED = 2 };
    const struct syntax *tree = project_tree(project, call.file);
    const uint32_t key = syntax_argument(tree, call.node, 0, NULL),
                   otherwise = syntax_argument(tree, call.node, 1, NULL);
    if (!syntax_calls(tree, call.node, S("get")) || !syntax_is(tree, call.node + 2, SYN_NAME) ||
        !syntax_is(tree, key, SYN_STRING) || (otherwise != NONE && !syntax_is(tree, otherwise, SYN_NONE)))
        return S("");
    const struct definition *bound = flow_definition(project, (struct site){call.file, call.node + 2});
    if (!bound || bound->kind != DEFINED_PARAMETER || tree->op[tree->parent[bound->name]] != STARS_OF_NAMED)
        return S("");
    const str text = syntax_text(tree, key);
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* What callers give for an option that is not named among the parameters. */
static struct ways ways_of_option(const struct project *project, struct site call, str key, struct budget *left,
                                  int depth)
{
    struct ways ways = {0};
    uint32_t count;
    const struct site *callers = name_callers(project, project_function_at(project, call), &count);
    if (!count)
        return (struct ways){.there = 1, .unknown = true};
    for (uint32_t i = 0; i < count && left->values; i++) {
        const struct syntax *tree = project_tree(project, callers[i].file);
        uint32_t given = NONE;
        const uint32_t arguments = syntax_child(tree, callers[i].node, 1);
        for (uint32_t a = syntax_first(tree, arguments); a != NONE; a = syntax_next(tree, a))
            if (tree->kind[a] == SYN_KEYWORD && str_eq(syntax_text(tree, a + 1), key))
                given = syntax_child(tree, a, 1);
        const struct ways more = given == NONE
                                     ? (struct ways){.absent = true}
                                     : ways_of(project, (struct site){callers[i].file, given}, left, depth + 1);
        add_ways(&ways, &more, gate_around(project, callers[i], NONE));
        ways.unknown |= given == NONE && syntax_arguments_hidden(tree, callers[i].node);
    }
    return left->values ? ways : (struct ways){.absent = ways.absent, .unknown = true, .there = 1};
}

static struct ways ways_of_call(const struct project *project, struct site call, struct budget *left, int depth)
{
    struct ways ways = {0};
    const str option = option_taken(project, call);
    if (option.len)
        return ways_of_option(project, call, option, left, depth);
    const uint32_t target = name_target(project, call);
    if (target == NONE)
        return (struct ways){.there = 1};
    const struct function *function = project_function(project, target);
    const struct syntax *tree = project_tree(project, function->file);
    if (!spend(left, tree->size[function->node] > LARGEST_CALLED))
        return (struct ways){.there = 1, .unknown = true};
    for (uint32_t node = function->node; node < syntax_last(tree, function->node); node++) {
        const struct site value = {function->file, node + 1};
        if (tree->kind[node] != SYN_RETURN || project_function_at(project, value) != target)
            continue;
        const struct ways more = ways_of(project, value, left, depth + 1);
        add_ways(&ways, &more, gate_around(project, (struct site){function->file, node}, NONE));
    }
    return ways;
}

static struct ways ways_of(const struct project *project, struct site value, struct budget *left, int depth)
{
    struct ways ways = {0};
    const struct syntax *tree = project_tree(project, value.file);
    if (syntax_is(tree, value.node, SYN_NONE) || syntax_is(tree, value.node, SYN_FALSE) ||
        syntax_is(tree, value.node, SYN_ABSENT))
        return (struct ways){.absent = true};
    if (value.node == NONE || !spend(left, depth == DEEPEST_VALUE))
        return (struct ways){.there = 1, .unknown = true};
    switch (tree->kind[value.node]) {
    case SYN_NAME:
        return ways_of_name(project, value, left, depth);
    case SYN_CALL:
        return ways_of_call(project, value, left, depth);
    case SYN_COMPARE:
    case SYN_BOOL:
    case SYN_NOT: /* it is True now and then */
        return (struct ways){.absent = true, .there = 1, .gate = gate_of_words(tree, value.node)};
    case SYN_CONDITIONAL: {
        const enum gate gate = gate_of_words(tree, syntax_child(tree, value.node, 1));
        const struct ways then = ways_of(project, (struct site){value.file, value.node + 1}, left, depth + 1);
        const struct ways other =
            ways_of(project, (struct site){value.file, syntax_child(tree, value.node, 2)}, left, depth + 1);
        add_ways(&ways, &then, gate);
        add_ways(&ways, &other, GATE_NONE);
        return ways;
    }
    case SYN_ATTRIBUTE: /* an option, say */
    case SYN_SUBSCRIPT:
        return (struct ways){.there = 1, .unknown = true};
    default:
        return (struct ways){.there = 1};
    }
}

static bool is_parameter(const struct project *project, struct site name)
{
    const struct definition *definition = flow_definition(project, name);
    return definition && definition->kind == DEFINED_PARAMETER;
}

/* The x of `if x`, `if x is not None`, and of `if x is None`, `if not x` (*to_be_absent); SYNTAX_NONE. */
static uint32_t asked_for(const struct syntax *tree, uint32_t test, bool *to_be_absent)
{
    if (tree->kind[test] == SYN_NAME)
        return test;
    const bool compares = tree->kind[test] == SYN_COMPARE;
    if (compares && syntax_is(tree, syntax_child(tree, test, 1), SYN_TRUE) && tree->kind[test + 1] == SYN_NAME &&
        (tree->op[test] == OP_IS || tree->op[test] == OP_EQUAL))
        return test + 1;
    const bool to_none = compares && syntax_is(tree, syntax_child(tree, test, 1), SYN_NONE);
    *to_be_absent = tree->kind[test] == SYN_NOT || (to_none && tree->op[test] == OP_IS);
    const bool asks = *to_be_absent || (to_none && tree->op[test] == OP_IS_NOT);
    return asks && tree->kind[test + 1] == SYN_NAME ? test + 1 : NONE;
}

/*
 * Where it is there on all ways that are known, nothing asks for its absence; where it is there on none, no call in
 * the run asks for the branch: an option that is for others.
 */
static enum gate gate_of_ways(const struct project *project, struct site asked, bool to_be_absent,
                              const struct ways *ways)
{
    if (to_be_absent)
        return !ways->unknown && ways->there && !ways->absent && is_parameter(project, asked) ? GATE_FLAG : GATE_NONE;
    if (ways->absent && !ways->there)
        return ways->unknown ? GATE_NONE : GATE_FLAG;
    return ways->absent ? ways->gate : GATE_NONE;
}

enum gate gate_of_test(const struct project *project, struct site test)
{
    const struct syntax *tree = project_tree(project, test.file);
    bool to_be_absent = false;
    enum gate gate = gate_of_words(tree, test.node);
    const uint32_t asked = gate == GATE_NONE ? asked_for(tree, test.node, &to_be_absent) : NONE;
    if (asked == NONE)
        return gate;
    struct budget left = {.values = MOST_VALUES};
    const struct ways ways = ways_of_name(project, (struct site){test.file, asked}, &left, 0);
    gate = gate_of_ways(project, (struct site){test.file, asked}, to_be_absent, &ways);
    if (gate == GATE_NONE && left.stopped)
        project_limit(project, &far_gate, test);
    return gate;
}
