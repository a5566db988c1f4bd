/* SPDX-License-Identifier: Apache-2.0 */
/* [tool.steptime] of pyproject.toml. Whatever another tool keeps there is left alone. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "text/suggest.h"
#include "read_file.h"
#include "rules/families/rules.h"
#include "text/toml.h"

/* A configuration that says nothing. */
static struct config config_default(void)
{
    return (struct config){.fail_on = FAIL_ON_WARNING};
}

/* ---- values ---- */

static const char *const fail_words[] = {"note", "warning", "error", "never"};

bool fail_on_of(str word, enum fail_on *fail_on)
{
    for (int i = FAIL_ON_NOTE; i <= FAIL_ON_NEVER; i++)
        if (str_eq(word, str_of(fail_words[i]))) {
            *fail_on = (enum fail_on)i;
            return true;
        }
    return false;
}

/* The item being read, and where to complain. */
struct entry {
    const struct toml_item *item;
    struct config *config;
    struct arena *arena;
    struct steptime_error *err;
};

static bool refuse(const struct entry *entry, const char *format, str a, str b)
{
    const str said = str_printf(entry->arena, format, (int)a.len, a.at, (int)b.len, b.at);
    return fail_at(entry->err, STEPTIME_INPUT, entry->config->path, -1, "line %u: %.*s", entry->item->line,
                   (int)said.len, said.at);
}

static str key_text(const struct entry *entry)
{
    return entry->item->key.names[entry->item->key.count - 1];
}

static bool read_texts(const struct entry *entry, struct texts *texts)
{
    const struct toml_item *item = entry->item;
    if (item->kind == TOML_TEXT) {
        texts->at = arena_array(entry->arena, 1, sizeof *texts->at);
        texts->at[0] = item->text;
        texts->count = 1;
        return true;
    }
    if (item->kind != TOML_TEXTS)
        return refuse(entry, "%.*s takes a list of texts%.*s", key_text(entry), S(""));
    texts->at = arena_array(entry->arena, item->text_count, sizeof *texts->at);
    texts->count = item->text_count;
    for (uint32_t i = 0; i < texts->count; i++)
        texts->at[i] = item->texts[i];
    return true;
}

static bool names_a_rule(str pattern)
{
    for (const struct rule *const *at = rules; *at; at++)
        if (rule_matches(*at, pattern))
            return true;
    return false;
}

static bool unknown_rule(const struct entry *entry, str pattern)
{
    struct suggestion close = suggest(pattern);
    for (const struct rule *const *at = rules; *at; at++) {
        suggest_offer(&close, str_of((*at)->id));
        suggest_offer(&close, str_of((*at)->name));
    }
    if (suggest_found(&close))
        return refuse(entry, "there is no rule '%.*s'; did you mean '%.*s'?", pattern, close.best);
    return refuse(entry, "there is no rule '%.*s'%.*s", pattern, S(""));
}

static bool read_rules(const struct entry *entry, struct texts *texts)
{
    if (!read_texts(entry, texts))
        return false;
    for (uint32_t i = 0; i < texts->count; i++)
        if (!names_a_rule(texts->at[i]))
            return unknown_rule(entry, texts->at[i]);
    return true;
}

/* ---- keys ---- */

static bool read_select(const struct entry *entry)
{
    return read_rules(entry, &entry->config->select);
}

static bool read_ignore(const struct entry *entry)
{
    return read_rules(entry, &entry->config->ignore);
}

static bool read_exclude(const struct entry *entry)
{
    return read_texts(entry, &entry->config->exclude);
}

static bool read_upload(const struct entry *entry)
{
    return read_texts(entry, &entry->config->upload);
}

static bool read_read_back(const struct entry *entry)
{
    return read_texts(entry, &entry->config->read_back);
}

static bool read_fail_on(const struct entry *entry)
{
    if (entry->item->kind == TOML_TEXT && fail_on_of(entry->item->text, &entry->config->fail_on))
        return true;
    return refuse(entry, "fail-on is \"note\", \"warning\", \"error\" or \"never\"%.*s%.*s", S(""), S(""));
}

static const struct {
    const char *name;
    bool (*read)(const struct entry *entry);
} keys[] = {
    {"select", read_select}, {"ignore", read_ignore},       {"exclude", read_exclude},
    {"upload", read_upload}, {"read-back", read_read_back}, {"fail-on", read_fail_on},
};
static const char per_file[] = "per-file-ignores";

static bool unknown_key(const struct entry *entry, str name)
{
    struct suggestion close = suggest(name);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        suggest_offer(&close, str_of(keys[i].name));
    suggest_offer(&close, str_of(per_file));
    if (suggest_found(&close))
        return refuse(entry, "[tool.steptime] has no '%.*s'; did you mean '%.*s'?", name, close.best);
    return refuse(entry, "[tool.steptime] has no '%.*s'%.*s", name, S(""));
}

static bool read_path_ignores(const struct entry *entry)
{
    struct config *config = entry->config;
    struct path_ignores *more = arena_array(entry->arena, (size_t)config->per_file_count + 1, sizeof *more);
    if (config->per_file_count)
        memcpy(more, config->per_file, config->per_file_count * sizeof *more);
    config->per_file = more;
    struct path_ignores *last = &more[config->per_file_count++];
    last->pattern = key_text(entry);
    return read_rules(entry, &last->rules);
}

static bool read_key(const struct entry *entry)
{
    const struct toml_key *key = &entry->item->key;
    const str name = key->names[2];
    if (key->count == 4 && str_eq(name, str_of(per_file)))
        return read_path_ignores(entry);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (key->count == 3 && str_eq(name, str_of(keys[i].name)))
            return keys[i].read(entry);
    return unknown_key(entry, name);
}

static bool is_ours(const struct toml_key *key)
{
    return key->count > 2 && str_eq(key->names[0], S("tool")) && str_eq(key->names[1], S("steptime"));
}

/* ---- files ---- */

/* Sets *ours where the text has a [tool.steptime] with something in it. */
static bool read_items(struct arena *arena, str text, struct config *config, bool *ours, struct steptime_error *err)
{
    struct toml_reader reader = toml_reader(config->path, text);
    struct toml_item item;
    while (toml_next(&reader, arena, &item, err)) {
        const struct entry entry = {&item, config, arena, err};
        if (!is_ours(&item.key))
            continue;
        *ours = true;
        if (!read_key(&entry))
            return false;
    }
    return !reader.broken;
}

static str folder_of(str path)
{
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    return slash ? (str){path.at, (size_t)(slash - path.at)} : S("");
}

bool config_read(struct arena *arena, str path, str text, struct config *config, struct steptime_error *err)
{
    bool ours = false;
    *config = config_default();
    config->path = path;
    config->folder = folder_of(path);
    return read_items(arena, text, config, &ours, err);
}

/* Of the file at that path, if it is there and speaks to us. */
static bool try_file(struct arena *arena, str path, struct config *config, bool *ours, struct steptime_error *err)
{
    str text;
    if (access(path.at, F_OK) != 0)
        return true;
    if (!read_file(arena, path.at, CONFIG_BYTES, &text, err))
        return false;
    *config = config_default();
    config->path = path;
    config->folder = folder_of(path);
    if (!str_has(text, S("steptime"))) /* what else may be wrong with it concerns other tools */
        return true;
    return read_items(arena, text, config, ours, err);
}

bool config_find(struct arena *arena, const char *path, struct config *config, struct steptime_error *err)
{
    char *real = realpath(path, NULL);
    *config = config_default();
    if (!real)
        return true; /* who reads the path says that it is not there */
    str folder = str_copy(arena, str_of(real));
    free(real);
    for (bool ours = false; !ours;) {
        const str file = str_printf(arena, "%.*s/pyproject.toml", (int)folder.len, folder.at);
        if (!try_file(arena, file, config, &ours, err))
            return false;
        if (!ours)
            *config = config_default();
        if (!folder.len)
            break;
        folder = folder_of(folder);
    }
    return true;
}

/* ---- what holds for a file ---- */

/* The path as the configuration's folder sees it, in the arena. */
static str seen_from(const struct config *config, str path, struct arena *arena)
{
    char *real = realpath(str_z(arena, path), NULL);
    if (!real)
        return path;
    const str whole = str_copy(arena, str_of(real));
    free(real);
    const str rest = str_from(whole, config->folder.len);
    return str_starts(whole, config->folder) && str_starts(rest, S("/")) ? str_from(rest, 1) : path;
}

bool config_excludes(const struct config *config, str path)
{
    if (!config->exclude.count)
        return false;
    struct arena scratch = {0};
    const str seen = seen_from(config, path, &scratch);
    bool excluded = false;
    for (uint32_t i = 0; i < config->exclude.count && !excluded; i++)
        excluded = path_matches(seen, config->exclude.at[i]);
    arena_free(&scratch);
    return excluded;
}

static bool any_matches(const struct rule *rule, const struct texts *patterns)
{
    for (uint32_t i = 0; i < patterns->count; i++)
        if (rule_matches(rule, patterns->at[i]))
            return true;
    return false;
}

static bool ignored_here(const struct config *config, const struct rule *rule, str seen)
{
    for (uint32_t i = 0; i < config->per_file_count; i++)
        if (any_matches(rule, &config->per_file[i].rules) && path_matches(seen, config->per_file[i].pattern))
            return true;
    return false;
}

uint64_t config_rules(const struct config *config, str path)
{
    struct arena scratch = {0};
    const str seen = config->per_file_count ? seen_from(config, path, &scratch) : path;
    uint64_t mask = 0;
    for (uint32_t i = 0; rules[i]; i++) {
        const bool chosen = !config->select.count || any_matches(rules[i], &config->select);
        if (chosen && !any_matches(rules[i], &config->ignore) && !ignored_here(config, rules[i], seen))
            mask |= UINT64_C(1) << i;
    }
    arena_free(&scratch);
    return mask;
}
