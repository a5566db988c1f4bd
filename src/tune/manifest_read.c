/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "io/source.h"
#include "manifest.h"
#include "manifest_fields.h"
#include "rules/families/rules.h"

enum { MOST_BYTES = 256 << 20 };

/* ---- lists ---- */

/* Ended by NULL. */
static const char *const *read_command(struct json *json)
{
    const char **words = NULL;
    uint32_t count = 0;
    json_enter(json);
    for (str word; json_item(json) && json_string(json, &word);) {
        words = arena_one_more(json->arena, words, count, sizeof *words);
        words[count++] = str_z(json->arena, word);
    }
    words = arena_one_more(json->arena, words, count, sizeof *words);
    words[count] = NULL;
    return words;
}

static struct surroundings read_surroundings(struct json *json)
{
    struct surroundings all = {0};
    json_enter(json);
    for (str name, value; json_key(json, &name) && json_string(json, &value);) {
        all.at = arena_one_more(json->arena, all.at, all.count, sizeof *all.at);
        all.at[all.count++] = (struct variable){str_copy(json->arena, name), str_copy(json->arena, value)};
    }
    return all;
}

static struct sources read_sources(struct json *json)
{
    struct sources all = {0};
    json_enter(json);
    while (json_item(json)) {
        struct source_file file = {S(""), S(""), false};
        fields_read(json, manifest_source_fields, &file);
        all.at = arena_one_more(json->arena, all.at, all.count, sizeof *all.at);
        all.at[all.count++] = file;
    }
    return all;
}

/* ---- trials ---- */

static const struct rule *rule_named(str id)
{
    for (const struct rule *const *rule = rules; *rule; rule++)
        if (str_eq(str_of((*rule)->id), id))
            return *rule;
    return NULL;
}

static struct trial read_trial(struct json *json)
{
    struct trial trial = {
        .id = S(""), .why = S(""), .setting = S(""), .outcome = TRIED_NOT, .rewrite.predicted = {NAN, NAN, NAN, NAN}};
    json_enter(json);
    for (str key; json_key(json, &key);)
        if (str_eq(key, S("after")))
            trial.after = read_sources(json);
        else if (!field_read(json, key, manifest_trial_fields, &trial))
            json_skip(json);
    trial.rewrite.rule = rule_named(trial.id);
    return trial;
}

static void read_trials(struct json *json, struct tune_result *result)
{
    json_enter(json);
    while (json_item(json) && result->count < TUNE_MOST_TRIALS) {
        result->trials = arena_one_more(json->arena, result->trials, result->count, sizeof *result->trials);
        result->trials[result->count++] = read_trial(json);
        const struct trial *const trial = &result->trials[result->count - 1];
        result->kept += !trial->setting.len && trial->outcome == TRIED_KEPT;
        result->settings_kept += trial->setting.len && trial->outcome == TRIED_KEPT;
    }
}

static void make_absolute(struct manifest *manifest, struct arena *arena)
{
    for (uint32_t i = 0; i < manifest->result.count; i++) {
        str *const path = &manifest->result.trials[i].rewrite.path;
        *path = str_printf(arena, "%.*s/%.*s", (int)manifest->root.len, manifest->root.at, (int)path->len, path->at);
    }
}

/* ---- the file ---- */

struct about {
    str format;
    int64_t version;
};

static const struct field about_fields[] = {
    {"format", FIELD_TEXT, offsetof(struct about, format), NULL},
    {"version", FIELD_INT, offsetof(struct about, version), NULL},
    {0},
};

static void read_member(struct json *json, str key, struct manifest *manifest)
{
    str here;
    if (str_eq(key, S("command")))
        manifest->options.argv = read_command(json);
    else if (str_eq(key, S("folder")) && json_string(json, &here))
        manifest->options.here = str_z(json->arena, here);
    else if (str_eq(key, S("options")))
        fields_read(json, manifest_option_fields, &manifest->options);
    else if (str_eq(key, S("environment")))
        manifest->surroundings = read_surroundings(json);
    else if (str_eq(key, S("sources")))
        manifest->sources = read_sources(json);
    else if (str_eq(key, S("trials")))
        read_trials(json, &manifest->result);
    else if (str_eq(key, S("whole")))
        fields_read(json, manifest_whole_fields, &manifest->result);
    else if (!field_read(json, key, manifest_fields, manifest))
        json_skip(json);
}

static bool read_all(struct json *json, struct about *about, struct manifest *manifest)
{
    if (json_peek(json) != '{')
        return false;
    json_enter(json);
    for (str key; json_key(json, &key);)
        if (!field_read(json, key, about_fields, about))
            read_member(json, key, manifest);
    return !json->failed && str_eq(about->format, S(MANIFEST_FORMAT)) && manifest->options.argv &&
           manifest->options.argv[0] && manifest->options.here;
}

static bool read_text(str path, struct buf *text, struct steptime_error *err)
{
    struct source *const source = source_open(path.at, err);
    char part[1 << 14];
    if (!source)
        return false;
    for (size_t n; text->len < MOST_BYTES && (n = source_read(source, part, sizeof part));)
        buf_add(text, (str){part, n});
    source_close(source);
    return true;
}

bool manifest_read(const char *folder, struct arena *arena, struct manifest *manifest, struct steptime_error *err)
{
    const str path = str_printf(arena, "%s/manifest.json", folder);
    struct buf text = {0};
    struct about about = {.format = S("")};
    *manifest = (struct manifest){0};
    if (!read_text(path, &text, err))
        return false;
    struct json json = json_of(buf_str(&text), arena);
    buf_free(&text);
    if (!read_all(&json, &about, manifest))
        return fail_at(err, STEPTIME_INPUT, path, -1, "is no manifest of steptime tune");
    if (about.version != MANIFEST_VERSION)
        return fail_at(err, STEPTIME_INPUT, path, -1, "is of version %lld of manifests, and version %d is understood",
                       (long long)about.version, MANIFEST_VERSION);
    manifest->options.folder = str_z(arena, str_of(folder));
    make_absolute(manifest, arena);
    return true;
}
