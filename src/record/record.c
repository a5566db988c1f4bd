/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "child/folder.h"
#include "extras.h"
#include "modules.h"
#include "notes.h"
#include "stacks.h"

enum { MOST_PROCESSES = 4096, MOST_SAID = 8 };

/* A script that runs. */
struct recording {
    const struct record_options *options;
    struct arena *arena;
    struct record_result *result;
    const char *folder;
    struct notes notes;
    uint32_t said; /* lines that the script's processes wanted people to know */
};

static void tell(const struct recording *recording, str what)
{
    if (recording->options->tell)
        recording->options->tell(what);
}

/* ---- what its processes say ---- */

static struct recorded *process_of(struct recording *recording, str base)
{
    struct record_result *const result = recording->result;
    for (uint32_t i = 0; i < result->count; i++)
        if (str_eq(result->at[i].base, base))
            return &result->at[i];
    if (result->count == MOST_PROCESSES)
        return NULL;
    struct recorded *const added = &result->at[result->count++];
    *added = (struct recorded){.base = base};
    added->path = str_printf(recording->arena, "%s/%.*s.json.gz", recording->options->to, (int)base.len, base.at);
    return added;
}

static int64_t number_at(str *rest)
{
    str word;
    int64_t number;
    return str_cut(rest, ' ', &word) && str_int(word, &number) ? number : 0;
}

static void take_saved(struct recorded *process, str rest)
{
    str kind;
    if (!str_cut(&rest, ' ', &kind))
        return;
    const bool window = str_eq(kind, S("window"));
    process->has_stacks |= window || str_eq(kind, S("stacks"));
    if (!window && !str_eq(kind, S("shapes")))
        return;
    process->steps = number_at(&rest);
    process->of = number_at(&rest);
}

/* People hear of the first process; the others do the same at the same time. */
static void tell_begun(const struct recording *recording, const struct recorded *process)
{
    const struct record_options *const options = recording->options;
    if (process == recording->result->at)
        tell(recording,
             str_printf(recording->arena, "%.*s makes steps: %lld bare, then %d x %lld to be recorded",
                        (int)process->base.len, process->base.at, (long long)options->wait,
                        1 + !options->no_stacks + options->memory + options->sync_lines + options->execution_trace,
                        (long long)options->steps));
}

static void tell_bare(const struct recording *recording, const struct recorded *process)
{
    if (process == recording->result->at)
        tell(recording, str_printf(recording->arena, "a bare step takes %.3g ms; recording", process->bare_ns / 1e6));
}

/* "90 s", "12 min" */
static str in_time(int64_t seconds, struct arena *arena)
{
    return seconds < 120 ? str_printf(arena, "%lld s", (long long)seconds)
                         : str_printf(arena, "%lld min", (long long)(seconds + 30) / 60);
}

static void tell_pace(const struct recording *recording, const struct recorded *process, str rest)
{
    const int64_t steps = number_at(&rest), of = number_at(&rest), left_s = number_at(&rest);
    if (process == recording->result->at)
        tell(recording, str_printf(recording->arena, "step %lld of %lld until all is recorded, about %s left",
                                   (long long)steps, (long long)of, in_time(left_s, recording->arena).at));
}

static void tell_said(struct recording *recording, const struct told *told)
{
    if (recording->said++ < MOST_SAID)
        tell(recording, str_printf(recording->arena, "%.*s: %.*s", (int)told->base.len, told->base.at,
                                   (int)told->rest.len, told->rest.at));
}

static void take(struct recording *recording, const struct told *told)
{
    struct record_result *const result = recording->result;
    struct recorded *const process =
        told->word >= NOTE_BEGUN && told->word <= NOTE_DONE ? process_of(recording, told->base) : NULL;
    str rest = told->rest;
    result->loaded |= told->word == NOTE_LOADED;
    if (told->word == NOTE_TORCH && !result->torch)
        tell(recording, S("PyTorch is loaded; waiting for the first step of an optimizer"));
    result->torch |= told->word == NOTE_TORCH;
    if (told->word == NOTE_SAID)
        tell_said(recording, told);
    if (told->word == NOTE_NONE)
        result->why_none = told->rest;
    if (!process)
        return;
    if (told->word == NOTE_BEGUN)
        tell_begun(recording, process);
    if (told->word == NOTE_BARE) {
        number_at(&rest);
        process->bare_ns = (double)number_at(&rest);
        tell_bare(recording, process);
    }
    if (told->word == NOTE_PACE)
        tell_pace(recording, process, rest);
    if (told->word == NOTE_SAVED)
        take_saved(process, rest);
    if (told->word == NOTE_FOUND && process->found_count < MOST_FOUND)
        process->found[process->found_count++] = told->rest;
    if (told->word == NOTE_DONE && process == result->at)
        tell(recording, S("recorded; the script runs on to its end"));
}

static void look(void *context)
{
    struct recording *const recording = context;
    for (struct told told; notes_next(&recording->notes, recording->arena, &told);)
        take(recording, &told);
}

/* ---- the run ---- */

/* PyTorch's recorder writes lines of its own to standard error, which nobody asked for. */
static const char *quiet_kineto(void)
{
    return getenv("KINETO_LOG_LEVEL") ? NULL : "KINETO_LOG_LEVEL=99";
}

/* In their order. The first gives the times. */
static const char *passes_of(const struct record_options *options, struct arena *arena)
{
    return str_printf(arena, "shapes%s%s%s%s", options->no_stacks ? "" : ",stacks", options->memory ? ",memory" : "",
                      options->sync_lines ? ",syncs" : "", options->execution_trace ? ",et" : "")
        .at;
}

static const char *const without_gpu[] = {"CUDA_VISIBLE_DEVICES=", "HIP_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES="};

static const char *const *environment_of(const struct recording *recording)
{
    const struct record_options *const options = recording->options;
    struct arena *const arena = recording->arena;
    const char *more[12] = {
        str_printf(arena, "STEPTIME_RECORD_TO=%s", options->to).at,
        str_printf(arena, "STEPTIME_RECORD_NOTES=%s", recording->folder).at,
        str_printf(arena, "STEPTIME_RECORD_NAME=%.*s", (int)options->name.len, options->name.at).at,
        str_printf(arena, "STEPTIME_RECORD_PLAN=%lld %lld %lld %s %g %g", (long long)options->wait,
                   (long long)options->warmup, (long long)options->steps, passes_of(options, arena), options->idle_s,
                   options->window_s)
            .at,
    };
    size_t count = 4;
    if (options->compile_log)
        more[count++] = str_printf(arena, "TORCH_TRACE=%s", extras_compile_log(options, arena)).at;
    for (size_t i = 0; options->on_cpu && i < sizeof without_gpu / sizeof *without_gpu; i++)
        more[count++] = without_gpu[i];
    if (options->stop || options->on_cpu)
        more[count++] = "STEPTIME_RECORD_STOP=1";
    more[count] = quiet_kineto();
    return folder_environment(recording->folder, more, arena);
}

/* ---- joining ---- */

static str stacks_path(const struct recording *recording, const struct recorded *process)
{
    return str_printf(recording->arena, "%s/%.*s.stacks.json.gz", recording->folder, (int)process->base.len,
                      process->base.at);
}

/* Without them the trace is still good: people are told, no more. */
static void join(const struct recording *recording, struct recorded *process)
{
    const str stacks = stacks_path(recording, process);
    struct stacks_joined joined;
    struct steptime_error why = {.offset = -1};
    if (access(stacks.at, R_OK) || access(process->path.at, R_OK))
        return;
    process->has_stacks = stacks_join(process->path.at, stacks.at, process->path.at, &joined, &why);
    process->paired = joined.operators ? (double)joined.paired / (double)joined.operators : 0;
    process->note_ns = joined.note_ns;
    if (!process->has_stacks) {
        const str line = error_line(recording->arena, &why);
        tell(recording,
             str_printf(recording->arena, "no stacks in %s: %.*s", process->path.at, (int)line.len, line.at));
    }
}

static void join_all(const struct recording *recording)
{
    struct record_result *const result = recording->result;
    bool told = false;
    for (uint32_t i = 0; i < result->count; i++)
        if (result->at[i].has_stacks) {
            if (!told)
                tell(recording, S("joining stacks with times"));
            told = true;
            join(recording, &result->at[i]);
        }
}

static void pack_executions(const struct recording *recording)
{
    for (uint32_t i = 0; i < recording->result->count; i++)
        extras_pack_execution(recording->options, recording->folder, recording->result->at[i].base, recording->arena);
}

/* A process that never wrote a trace has none. */
static void forget_empty(struct record_result *result)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->count; i++)
        if (!access(result->at[i].path.at, F_OK))
            result->at[kept++] = result->at[i];
    result->count = kept;
}

bool record_run(const struct record_options *options, struct arena *arena, struct record_result *result,
                struct steptime_error *err)
{
    *result = (struct record_result){.at = arena_array(arena, MOST_PROCESSES, sizeof *result->at)};
    struct recording recording = {.options = options, .arena = arena, .result = result};
    recording.folder = modules_folder(arena, err);
    if (!recording.folder)
        return false;
    recording.notes.path = str_printf(arena, "%s/notes", recording.folder).at;
    const struct foreground run = {.argv = options->argv,
                                   .environment = environment_of(&recording),
                                   .quiet = options->quiet,
                                   .look = look,
                                   .context = &recording};
    const bool done = foreground_run(&run, &result->end, err);
    if (done) {
        pack_executions(&recording);
        forget_empty(result);
        join_all(&recording);
        if (options->compile_log)
            extras_tell_compile_log(options, arena);
    }
    notes_close(&recording.notes);
    folder_remove(recording.folder);
    return done;
}
