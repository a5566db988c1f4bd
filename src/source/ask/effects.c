/* SPDX-License-Identifier: Apache-2.0 */
#include "effects.h"

#include "flow.h"
#include "name.h"
#include "rounds.h"
#include "source/known/known_words.h"
#include "value_at.h"

/* torch.X and the like make a result of what they are given; loaders and writers of torch.utils do other things too. */
static bool is_of_computing(str name)
{
    return known_word(WORDS_COMPUTING_LIBRARIES, name) && !str_starts(name, S("torch.utils."));
}

enum use effects_use(const struct project *project, struct site call)
{
    const struct syntax *tree = project_tree(project, call.file);
    const uint32_t callee = syntax_first(tree, call.node);
    const str name = name_of(project, call);
    const bool method = syntax_is(tree, callee, SYN_ATTRIBUTE);
    if (method && value_at(project, (struct site){call.file, callee + 1})->kind == VALUE_WRITER)
        return USE_SHOWN;
    const enum use by_name = known_use_of_function(name);
    if (by_name != USE_UNKNOWN)
        return by_name;
    if (method && !is_of_computing(name)) {
        const enum use by_method = known_use_of_method(syntax_tail(tree, callee));
        if (by_method != USE_UNKNOWN)
            return by_method;
    }
    return str_starts(name, S("torch.")) && is_of_computing(name) && flow_only_computes(project, call) ? USE_RESULT
                                                                                                       : USE_UNKNOWN;
}
