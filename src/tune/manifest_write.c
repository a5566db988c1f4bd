/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>

#include "io/writer.h"
#include "manifest.h"
#include "manifest_fields.h"

static int64_t processors_of_ours(void)
{
    cpu_set_t ours;
    CPU_ZERO(&ours);
    return sched_getaffinity(0, sizeof ours, &ours) ? 0 : CPU_COUNT(&ours);
}

struct manifest manifest_new(const struct tune_options *options, struct arena *arena)
{
    return (struct manifest){
        .options = *options,
        .steptime = S(STEPTIME_VERSION),
        .surroundings = surroundings_now(arena),
        .processors = processors_of_ours(),
        .root = tree_root(options->script, arena),
        .result.trials = arena_array(arena, TUNE_MOST_TRIALS, sizeof(struct trial)),
    };
}

/* ---- parts ---- */

static void write_command(struct json_writer *json, const struct tune_options *options)
{
    json_write_member(json, S("folder"), str_of(options->here));
    json_write_key(json, S("command"));
    json_write_array(json, JSON_FLAT);
    for (const char *const *word = options->argv; *word; word++)
        json_write_text(json, str_of(*word));
    json_write_end(json);
}

static void write_options(struct json_writer *json, const struct tune_options *options)
{
    json_write_key(json, S("options"));
    json_write_object(json, JSON_LINES);
    fields_write(json, manifest_option_fields, options);
    json_write_end(json);
}

static void write_surroundings(struct json_writer *json, const struct surroundings *surroundings)
{
    json_write_key(json, S("environment"));
    json_write_object(json, JSON_LINES);
    for (uint32_t i = 0; i < surroundings->count; i++)
        json_write_member(json, surroundings->at[i].name, surroundings->at[i].value);
    json_write_end(json);
}

static void write_sources(struct json_writer *json, str key, const struct sources *sources)
{
    json_write_list(json, key);
    for (uint32_t i = 0; i < sources->count; i++) {
        json_write_object(json, JSON_FLAT);
        fields_write(json, manifest_source_fields, &sources->at[i]);
        json_write_end(json);
    }
    json_write_end(json);
}

static void write_trials(struct json_writer *json, const struct manifest *manifest)
{
    json_write_list(json, S("trials"));
    for (uint32_t i = 0; i < manifest->result.count; i++) {
        struct trial trial = manifest->result.trials[i];
        if (str_starts(trial.rewrite.path, manifest->root))
            trial.rewrite.path = str_from(trial.rewrite.path, manifest->root.len + 1);
        json_write_object(json, JSON_LINES);
        fields_write(json, manifest_trial_fields, &trial);
        write_sources(json, S("after"), &trial.after);
        json_write_end(json);
    }
    json_write_end(json);
}

static void write_whole(struct json_writer *json, const struct tune_result *result)
{
    json_write_key(json, S("whole"));
    json_write_object(json, JSON_LINES);
    fields_write(json, manifest_whole_fields, result);
    json_write_end(json);
}

bool manifest_write(const struct manifest *manifest, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct writer *const out = writer_open(str_printf(&scratch, "%s/manifest.json", manifest->options.folder).at, err);
    arena_free(&scratch);
    if (!out)
        return false;
    struct json_writer json = json_write_begin(out);
    json_write_object(&json, JSON_LINES);
    json_write_member(&json, S("format"), S(MANIFEST_FORMAT));
    json_write_key(&json, S("version"));
    json_write_int(&json, MANIFEST_VERSION);
    fields_write(&json, manifest_fields, manifest);
    write_command(&json, &manifest->options);
    write_options(&json, &manifest->options);
    write_surroundings(&json, &manifest->surroundings);
    write_sources(&json, S("sources"), &manifest->sources);
    write_trials(&json, manifest);
    write_whole(&json, &manifest->result);
    json_write_end(&json);
    json_write_finish(&json);
    return writer_close(out, err);
}
