/* SPDX-License-Identifier: Apache-2.0 */
#include "tools.h"

#include "base/error.h"
#include "cli/program/commands.h"

/* ---- which ---- */

static bool is_tool(const struct command *command)
{
    static const char no_tools[] = "record tune verify price lsp mcp help completion model calibrate shard export";
    return !str_is_among(no_tools, str_of(command->name));
}

/* What writes files, or is said otherwise here. */
static bool is_taken(const struct option *option)
{
    static const char left_out[] = "output color help write save sketch-bytes stdin-filename";
    return !str_is_among(left_out, str_of(option->name));
}

const struct command *tools_find(str name)
{
    for (const struct command *const *at = commands; *at; at++)
        if (str_eq(str_of((*at)->name), name) && is_tool(*at))
            return *at;
    return NULL;
}

/* ---- what they take ---- */

static void put_words(struct json_writer *json, const char *words)
{
    str rest = str_of(words);
    json_write_key(json, S("enum"));
    json_write_array(json, JSON_FLAT);
    for (str word; str_cut(&rest, '|', &word);)
        json_write_text(json, word);
    json_write_end(json);
}

static void put_option(struct json_writer *json, const struct option *option)
{
    json_write_key(json, str_of(option->name));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("type"), option->value ? S("string") : S("boolean"));
    json_write_member(json, S("description"), str_of(option->help));
    if (option->value && option->words)
        put_words(json, option->words);
    json_write_end(json);
}

static void put_inputs(struct json_writer *json, const struct command *command)
{
    json_write_key(json, S("inputs"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("type"), S("array"));
    json_write_key(json, S("items"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("type"), S("string"));
    json_write_end(json);
    json_write_member(json, S("description"), str_of(command->arguments));
    json_write_end(json);
}

static void put_page(struct json_writer *json)
{
    json_write_key(json, S("page"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("type"), S("integer"));
    json_write_member(json, S("description"),
                      S("Of a long answer the page, from 1. The answer says how many there are."));
    json_write_end(json);
}

static void put_properties(struct json_writer *json, const struct command *command)
{
    struct option_group groups[OPTION_GROUPS];
    const uint32_t count = command_groups(command, groups);
    json_write_object(json, JSON_FLAT);
    put_inputs(json, command);
    for (uint32_t i = 0; i < count; i++)
        for (const struct option *option = groups[i].options; option->name; option++)
            if (is_taken(option))
                put_option(json, option);
    put_page(json);
    json_write_end(json);
}

static void put_tool(struct json_writer *json, const struct command *command)
{
    struct arena scratch = {0};
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("name"), str_of(command->name));
    json_write_member(json, S("title"), str_of(command->brief));
    json_write_member(json, S("description"),
                      str_printf(&scratch, "%s: %s\n\n%s", command->name, command->brief, command->about));
    json_write_key(json, S("inputSchema"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("type"), S("object"));
    json_write_key(json, S("properties"));
    put_properties(json, command);
    json_write_key(json, S("additionalProperties"));
    json_write_bool(json, false);
    json_write_end(json);
    json_write_key(json, S("annotations"));
    json_write_object(json, JSON_FLAT);
    json_write_key(json, S("readOnlyHint"));
    json_write_bool(json, true);
    json_write_key(json, S("openWorldHint"));
    json_write_bool(json, false);
    json_write_end(json);
    json_write_end(json);
    arena_free(&scratch);
}

void tools_list(struct json_writer *json)
{
    json_write_array(json, JSON_FLAT);
    for (const struct command *const *at = commands; *at; at++)
        if (is_tool(*at))
            put_tool(json, *at);
    json_write_end(json);
}

/* ---- from arguments to words ---- */

struct collecting {
    const struct command *command;
    struct arena *arena;
    const char **words;
    uint32_t count;
    struct steptime_error *err;
};

static void add(struct collecting *c, str word)
{
    c->words = arena_one_more(c->arena, c->words, c->count, sizeof *c->words);
    c->words[c->count++] = str_z(c->arena, word);
}

/* A text, or a number as it is written. */
static bool value_of(struct json *json, str *value)
{
    return json_peek(json) == '"' ? json_string(json, value) : json_raw(json, value);
}

static bool of_protocol(struct steptime_error *err)
{
    return fail(err, STEPTIME_USAGE, "standard input is the protocol's here: name a file instead of '-'");
}

static bool add_option(struct collecting *c, str name, struct json *json)
{
    const struct option *option = command_option(c->command, name);
    str value = S("");
    if (!option || !is_taken(option))
        return fail(c->err, STEPTIME_USAGE, "%s takes no '%.*s'", c->command->name, (int)name.len, name.at);
    if (!value_of(json, &value))
        return fail(c->err, STEPTIME_USAGE, "'%.*s' has no value", (int)name.len, name.at);
    if (str_eq(value, S("-")))
        return of_protocol(c->err);
    if (!option->value && str_eq(value, S("false")))
        return true;
    if (!option->value && !str_eq(value, S("true")))
        return fail(c->err, STEPTIME_USAGE, "'%.*s' is true or false", (int)name.len, name.at);
    add(c, str_printf(c->arena, "--%.*s%s%.*s", (int)name.len, name.at, option->value ? "=" : "",
                      option->value ? (int)value.len : 0, value.at));
    return true;
}

static bool add_inputs(struct collecting *c, struct json *json)
{
    if (json_peek(json) != '[' || !json_enter(json))
        return fail(c->err, STEPTIME_USAGE, "'inputs' is a list of texts");
    while (json_item(json)) {
        str path;
        if (json_peek(json) != '"' || !json_string(json, &path))
            return fail(c->err, STEPTIME_USAGE, "'inputs' is a list of texts");
        if (str_eq(path, S("-")))
            return of_protocol(c->err);
        add(c, path);
    }
    return !json->failed;
}

static bool add_members(struct collecting *c, str arguments, bool inputs, int64_t *page)
{
    struct json json = json_at(arguments.at, c->arena);
    if (!arguments.len)
        return true;
    if (json_peek(&json) != '{' || !json_enter(&json))
        return fail(c->err, STEPTIME_USAGE, "the arguments are no object");
    for (str key; json_key(&json, &key);) {
        const bool of_inputs = str_eq(key, S("inputs")), of_page = str_eq(key, S("page"));
        bool good = true;
        if (of_page)
            good = (json_peek(&json) != '"' && json_int(&json, page)) ||
                   fail(c->err, STEPTIME_USAGE, "'page' is a number from 1 on");
        else if (of_inputs == inputs)
            good = inputs ? add_inputs(c, &json) : add_option(c, key, &json);
        else
            good = json_skip(&json);
        if (!good)
            return c->err->message[0] ? false : fail(c->err, STEPTIME_USAGE, "the arguments make no sense");
    }
    return true;
}

const char *const *tools_words(const struct command *command, str arguments, struct arena *arena, int *count,
                               int64_t *page, struct steptime_error *err)
{
    struct collecting c = {command, arena, NULL, 0, err};
    *page = 1;
    if (command_option(command, S("format")))
        add(&c, command_option(command, S("diff")) ? S("--format=diff") : S("--format=markdown"));
    if (!add_members(&c, arguments, false, page))
        return NULL;
    add(&c, S("--"));
    if (!add_members(&c, arguments, true, page))
        return NULL;
    *count = (int)c.count;
    return c.words;
}
