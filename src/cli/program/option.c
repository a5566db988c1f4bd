/* SPDX-License-Identifier: Apache-2.0 */
/* The parser: words of the command line against the option table of the command. */
#include <assert.h>

#include "base/error.h"
#include "inputs/range.h"
#include "call.h"
#include "commands.h"
#include "text/suggest.h"

/* ---- what the user meant ---- */

static bool unknown_option(const struct command *command, str name, struct steptime_error *err)
{
    struct option_group groups[OPTION_GROUPS];
    const uint32_t count = command_groups(command, groups);
    struct suggestion close = suggest(name);
    for (uint32_t i = 0; i < count; i++)
        for (const struct option *option = groups[i].options; option->name; option++)
            suggest_offer(&close, str_of(option->name));
    if (!suggest_found(&close))
        return fail(err, STEPTIME_USAGE, "there is no option --%.*s", (int)name.len, name.at);
    return fail(err, STEPTIME_USAGE, "there is no option --%.*s; did you mean --%.*s?", (int)name.len, name.at,
                (int)close.best.len, close.best.at);
}

/* "term, json or csv" */
static void spell_words(const char *words, char *line, size_t room)
{
    struct arena scratch = {0};
    str rest = str_of(words), spelt = S("");
    for (str word; str_cut(&rest, '|', &word);) {
        const char *glue = !spelt.len ? "" : rest.at ? ", " : " or ";
        spelt = str_printf(&scratch, "%s%s%.*s", spelt.at, glue, (int)word.len, word.at);
    }
    const size_t len = spelt.len < room ? spelt.len : room - 1;
    memcpy(line, spelt.at, len);
    line[len] = 0;
    arena_free(&scratch);
}

static bool is_one_of(str words, str value)
{
    for (str word; str_cut(&words, '|', &word);)
        if (str_eq(word, value))
            return true;
    return false;
}

static bool check_words(const struct option *option, const char *value, struct steptime_error *err)
{
    if (!option->words || is_one_of(str_of(option->words), str_of(value)))
        return true;
    char line[160];
    spell_words(option->words, line, sizeof line);
    return fail(err, STEPTIME_USAGE, "--%s is %s, not '%s'", option->name, line, value);
}

/* ---- words ---- */

/* The words that are left. */
struct words {
    int count;
    char **at;
};

static bool keep(struct call *call, const struct option *option, const char *value, struct steptime_error *err)
{
    call->given[call->given_count++] = (struct given){option, value};
    return !value || check_words(option, value, err);
}

/* The value of an option is joined to it, or the next word; of one that may do without it is joined. */
static bool take_value(struct call *call, const struct option *option, const char *joined, struct words *words,
                       struct steptime_error *err)
{
    if (!option->value || (!joined && option_takes_joined(option))) {
        if (joined)
            return fail(err, STEPTIME_USAGE, "--%s takes no value", option->name);
        return keep(call, option, NULL, err);
    }
    if (!joined && !words->count)
        return fail(err, STEPTIME_USAGE, "--%s needs a value: --%s %s", option->name, option->name, option->value);
    if (joined)
        return keep(call, option, joined, err);
    words->count--;
    return keep(call, option, *words->at++, err);
}

static bool take_long(struct call *call, const char *word, struct words *words, struct steptime_error *err)
{
    const char *equals = strchr(word, '=');
    const str name = {word + 2, equals ? (size_t)(equals - word - 2) : strlen(word + 2)};
    const struct option *option = command_option(call->command, name);
    if (!option)
        return unknown_option(call->command, name, err);
    return take_value(call, option, equals ? equals + 1 : NULL, words, err);
}

static bool take_letter(struct call *call, const char *word, struct words *words, struct steptime_error *err)
{
    const struct option *option = command_letter(call->command, word[1]);
    if (!option && word[2]) /* -format is a slip of --format */
        return unknown_option(call->command, str_of(word + 1), err);
    if (!option)
        return fail(err, STEPTIME_USAGE, "there is no option -%c", word[1]);
    return take_value(call, option, word[2] ? word + 2 : NULL, words, err);
}

static bool take_words(struct call *call, struct words words, struct steptime_error *err)
{
    bool only_arguments = false; /* after "--" */
    call->behind = UINT32_MAX;
    while (words.count) {
        const char *word = *words.at++;
        words.count--;
        bool good = true;
        if (only_arguments || word[0] != '-' || !word[1])
            call->arguments[call->argument_count++] = word;
        else if (!strcmp(word, "--"))
            only_arguments = true, call->behind = call->argument_count;
        else
            good = word[1] == '-' ? take_long(call, word, &words, err) : take_letter(call, word, &words, err);
        if (!good)
            return false;
    }
    call->behind = only_arguments ? call->behind : call->argument_count;
    return true;
}

/* ---- values ---- */

static bool has_own(const struct command *command, const char *name)
{
    for (const struct option *option = command->options; option && option->name; option++)
        if (!strcmp(option->name, name))
            return true;
    return false;
}

static bool select_steps(struct call *call, struct steptime_error *err)
{
    if (!(call->command->shared & SHARED_TRACE) && !has_own(call->command, "skip-warmup"))
        return true;
    struct selection *selection = &call->selection;
    const char *steps = call_text(call, "steps");
    selection->skip_warmup = call_flag(call, "skip-warmup");
    selection->limited = steps != NULL;
    if (steps && !range_read(str_of(steps), &selection->first, &selection->last))
        return fail(err, STEPTIME_USAGE, "--steps is a range like 2..5, 2.., ..5 or 3, not '%s'", steps);
    return true;
}

bool call_count(const struct call *call, const char *option, int64_t least, int64_t most, int64_t otherwise,
                int64_t *value, struct steptime_error *err)
{
    const char *text = call_text(call, option);
    *value = otherwise;
    if (!text)
        return true;
    if (!str_int(str_of(text), value) || *value < least || *value > most)
        return fail(err, STEPTIME_USAGE, "--%s is a number from %lld to %lld, not '%s'", option, (long long)least,
                    (long long)most, text);
    return true;
}

bool call_parse(struct call *call, const struct command *command, int argc, char **argv, struct arena *arena,
                struct steptime_error *err)
{
    *call = (struct call){.command = command};
    call->given = arena_array(arena, (size_t)argc, sizeof *call->given);
    call->arguments = arena_array(arena, (size_t)argc, sizeof *call->arguments);
    return take_words(call, (struct words){argc, argv}, err) && select_steps(call, err);
}

/* ---- accessors ---- */

static const struct given *find(const struct call *call, const char *name)
{
    assert(command_option(call->command, str_of(name))); /* a command asks only for options it has */
    for (uint32_t i = call->given_count; i--;)
        if (!strcmp(call->given[i].option->name, name))
            return &call->given[i];
    return NULL;
}

const char *call_text(const struct call *call, const char *option)
{
    const struct given *given = find(call, option);
    return given ? given->value : NULL;
}

str call_str(const struct call *call, const char *option, const char *otherwise)
{
    const char *text = call_text(call, option);
    return str_of(text ? text : otherwise);
}

bool call_flag(const struct call *call, const char *option)
{
    return find(call, option) != NULL;
}

const struct selection *call_selection(const struct call *call)
{
    return &call->selection;
}

uint32_t call_argument_count(const struct call *call)
{
    return call->argument_count;
}

const char *call_argument(const struct call *call, uint32_t i)
{
    assert(i < call->argument_count);
    return call->arguments[i];
}
