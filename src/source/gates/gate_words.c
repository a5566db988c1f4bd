/* SPDX-License-Identifier: Apache-2.0 */
#include "gate_words.h"

#include "source/flow/none.h"
#include "source/known/known_words.h"

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

/* `if isnan(x).any()`, `if not isfinite(x)`, `if not torch.all(is_finite)`: what is not to happen. */
static bool asks_for_trouble(const struct syntax *tree, uint32_t test)
{
    const bool negated = tree->kind[test] == SYN_NOT;
    if (negated && mentions_word(tree, test, WORDS_WELL))
        return true;
    for (uint32_t n = test, last = syntax_last(tree, test); n < last; n++)
        if (tree->kind[n] == SYN_CALL &&
            known_word(negated ? WORDS_NO_TROUBLE : WORDS_TROUBLE, syntax_tail(tree, n + 1)))
            return tree->kind[test] != SYN_COMPARE;
    return false;
}

enum gate gate_of_words(const struct syntax *tree, uint32_t test)
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
