/* SPDX-License-Identifier: Apache-2.0 */
#include "selected.h"

#include "base/error.h"
#include "text/suggest.h"

static bool unknown_rule(str pattern, const char *option, struct steptime_error *err)
{
    struct suggestion close = suggest(pattern);
    for (const struct rule *const *at = rules; *at; at++) {
        suggest_offer(&close, str_of((*at)->id));
        suggest_offer(&close, str_of((*at)->name));
    }
    if (suggest_found(&close))
        return fail(err, STEPTIME_USAGE, "%s: there is no rule '%.*s'; did you mean '%.*s'?", option, (int)pattern.len,
                    pattern.at, (int)close.best.len, close.best.at);
    return fail(err, STEPTIME_USAGE, "%s: there is no rule '%.*s'; 'steptime rules' lists them", option,
                (int)pattern.len, pattern.at);
}

static bool rules_named(const char *patterns, const char *option, uint64_t *mask, struct steptime_error *err)
{
    str rest = str_of(patterns), part;
    *mask = 0;
    while (str_cut(&rest, ',', &part)) {
        uint64_t found = 0;
        part = str_trim(part);
        for (uint32_t i = 0; rules[i]; i++)
            if (rule_matches(rules[i], part))
                found |= UINT64_C(1) << i;
        if (!found)
            return unknown_rule(part, option, err);
        *mask |= found;
    }
    return true;
}

bool selected_rules(const struct lint_options *options, uint64_t *mask, struct steptime_error *err)
{
    uint64_t ignored = 0;
    *mask = UINT64_MAX;
    if (options->select && !rules_named(options->select, "--select", mask, err))
        return false;
    if (options->ignore && !rules_named(options->ignore, "--ignore", &ignored, err))
        return false;
    *mask &= ~ignored;
    return true;
}

/* What the command line selects replaces what is configured; what it ignores is added. */
uint64_t selected_for(const struct lint_options *options, uint64_t selected, const struct config *config, str path)
{
    if (!options->select)
        return config_rules(config, path) & selected;
    struct config here = *config;
    here.select.count = 0;
    return config_rules(&here, path) & selected;
}
