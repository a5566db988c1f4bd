/* SPDX-License-Identifier: Apache-2.0 */
#include "asked.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/real.h"
#include "cli/program/call.h"
#include "findings_file.h"

const struct option question_options[] = {
    {"hw", 0, "NAME|FILE", NULL,
     "On this device: a name of 'steptime hw' in any usual spelling, or a file of your own."},
    {"set", 0, "KEY=VALUE", NULL,
     "With this figure of the device or its links: network=100Gbps, memory=4TB/s, memory=120%. May come several times."},
    {"batch", 0, "N", NULL,
     "With a batch of N: sizes are scaled along the batch dimension, which is found from the shapes."},
    {"ranks", 0, "N", NULL, "On N ranks, with as much work each: collectives of all ranks take the time of N."},
    {"amp", 0, "TYPE", "bf16|fp16", "In automatic mixed precision: products and what follows them in 16 bits."},
    {"fuse", 0, "EXPR", NULL,
     "With several operators as one: embeddings (all lookups as one), elementwise (chains), or NAME+NAME... for those "
     "that follow each other. May come several times."},
    {"remove", 0, "OP", NULL,
     "Without the operators or kernels of this name ('*' for any characters). May come several times."},
    {"without", 0, "EVENTS", NULL,
     "Without these events: their ids, as findings and 'critical-path' name them, separated by commas, or ids of findings "
     "of the report named by --findings. May come several times."},
    {"findings", 0, "FILE", NULL,
     "The report whose findings --without may name: what 'lint --trace' or 'summary' wrote with --format json."},
    {"pinned", 0, NULL, NULL, "With batches in pinned memory: copies to the device no longer keep the host."},
    {"no-sync", 0, NULL, NULL, "Without synchronisations: the host waits for nothing."},
    {"cuda-graph", 0, NULL, NULL, "With all that lies between two waits of the host launched at once."},
    {"cpu-speed", 0, "X", NULL, "With a host X times as fast."},
    {"scale", 0, "OP=X", NULL,
     "With X times (0 to 1000000) the device time in the operators or kernels of this name. May come several times."},
    {"overlap", 0, "SHARE", NULL, "With this share of each collective hidden behind other work: 0.5."},
    {"reorder", 0, NULL, NULL,
     "With work that needs no collective before work that does (where what depends on what is recorded)."},
    {"sweep", 0, "KEY=VALUES", NULL,
     "One prediction a value: batch=512..8192 (doubling), cpu-speed=1..4:5 (five values), network=25,100,400Gbps, "
     "hw=V100,A100,H100."},
    {0},
};

/* ---- lists ---- */

static uint32_t times_given(const struct call *call, const char *option)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < call->given_count; i++)
        times += !strcmp(call->given[i].option->name, option);
    return times;
}

/* Every value of an option that may come several times, in the order of the command line. */
static const str *texts_given(const struct call *call, const char *option, struct arena *arena, uint32_t *count)
{
    str *texts = arena_array(arena, times_given(call, option), sizeof *texts);
    *count = 0;
    for (uint32_t i = 0; i < call->given_count; i++)
        if (!strcmp(call->given[i].option->name, option))
            texts[(*count)++] = str_of(call->given[i].value);
    return texts;
}

static bool read_scales(const struct call *call, struct arena *arena, struct question *question,
                        struct steptime_error *err)
{
    const str *texts = texts_given(call, "scale", arena, &question->scale_count);
    struct question_scale *scales = arena_array(arena, question->scale_count, sizeof *scales);
    question->scale = scales;
    for (uint32_t i = 0; i < question->scale_count; i++)
        if (!question_read_scale(texts[i], &scales[i], err))
            return false;
    return true;
}

/* Ids of events, growing. */
struct ids {
    int64_t *at;
    size_t count, room;
};

static void add_id(struct ids *ids, int64_t id)
{
    ids->at = mem_grow(ids->at, &ids->room, ids->count + 1, sizeof *ids->at);
    ids->at[ids->count++] = id;
}

static bool no_such_id(str id, const char *file, struct steptime_error *err)
{
    if (file)
        return fail(err, STEPTIME_USAGE, "--without: no finding of %s with events is '%.*s'", file, (int)id.len, id.at);
    return fail(
        err, STEPTIME_USAGE,
        "--without: '%.*s' is no id of an event; of a finding, --findings FILE names the report: 'steptime lint "
        "--trace TRACE --format json -o FILE SOURCE'",
        (int)id.len, id.at);
}

/* An event, a finding by its id, or all findings of a rule. */
static bool add_named(const struct findings_file *findings, const char *file, str id, struct ids *ids,
                      struct steptime_error *err)
{
    int64_t event;
    bool any = str_int(id, &event);
    if (any)
        add_id(ids, event);
    for (uint32_t i = 0; !any && i < findings->count; i++) {
        const struct found *found = &findings->at[i];
        if (!str_eq(found->id, id) && !str_eq(found->rule, id))
            continue;
        for (uint32_t k = 0; k < found->count; k++)
            add_id(ids, found->events[k]);
    }
    return ids->count || any || no_such_id(id, file, err);
}

static bool read_ids(const struct call *call, const struct findings_file *findings, struct arena *arena,
                     struct ids *ids, struct steptime_error *err)
{
    uint32_t count;
    const str *texts = texts_given(call, "without", arena, &count);
    for (uint32_t i = 0; i < count; i++) {
        str rest = texts[i];
        for (str part; str_cut(&rest, ',', &part);) {
            struct ids named = {0};
            const bool good = add_named(findings, call_text(call, "findings"), str_trim(part), &named, err);
            for (size_t k = 0; good && k < named.count; k++)
                add_id(ids, named.at[k]);
            mem_free(named.at);
            if (!good)
                return false;
        }
    }
    return true;
}

static bool read_without(const struct call *call, struct arena *arena, struct question *question,
                         struct steptime_error *err)
{
    const char *file = call_text(call, "findings");
    struct findings_file findings = {0};
    struct ids ids = {0};
    const bool good =
        (!file || findings_read(file, arena, &findings, err)) && read_ids(call, &findings, arena, &ids, err);
    if (good) {
        int64_t *kept = arena_array(arena, ids.count, sizeof *kept);
        if (ids.count)
            memcpy(kept, ids.at, ids.count * sizeof *kept);
        question->without = kept;
        question->without_count = (uint32_t)ids.count;
    }
    mem_free(ids.at);
    return good;
}

/* ---- numbers ---- */

static bool read_number(const struct call *call, const char *option, double least, double most, double *number,
                        struct steptime_error *err)
{
    const char *text = call_text(call, option);
    if (!text)
        return true;
    if (!real_read(str_of(text), number) || !(*number >= least && *number <= most))
        return fail(err, STEPTIME_USAGE, "--%s is a number from %g to %g, not '%s'", option, least, most, text);
    return true;
}

static bool read_numbers(const struct call *call, struct question *question, struct steptime_error *err)
{
    enum { MOST = 1 << 30 };
    return call_count(call, "batch", 1, MOST, 0, &question->batch, err) &&
           call_count(call, "ranks", 1, MOST, 0, &question->ranks, err) &&
           read_number(call, "cpu-speed", 1e-3, 1e6, &question->cpu_speed, err) &&
           read_number(call, "overlap", 0, 1, &question->overlap, err);
}

bool asked_question(const struct call *call, struct arena *arena, struct question *question, struct steptime_error *err)
{
    const char *hw = call_text(call, "hw"), *amp = call_text(call, "amp");
    *question = (struct question){
        .hw = str_of(hw ? hw : ""),
        .pinned = call_flag(call, "pinned"),
        .no_sync = call_flag(call, "no-sync"),
        .cuda_graph = call_flag(call, "cuda-graph"),
        .reorder = call_flag(call, "reorder"),
    };
    question->sets = texts_given(call, "set", arena, &question->set_count);
    question->fuse = texts_given(call, "fuse", arena, &question->fuse_count);
    question->remove = texts_given(call, "remove", arena, &question->remove_count);
    return read_numbers(call, question, err) && read_scales(call, arena, question, err) &&
           read_without(call, arena, question, err) && (!amp || question_read_amp(str_of(amp), &question->amp, err));
}

bool asked_sweep(const struct call *call, struct arena *arena, struct sweep *sweep, bool *given,
                 struct steptime_error *err)
{
    const char *text = call_text(call, "sweep");
    *given = text != NULL;
    return !text || sweep_read(str_of(text), arena, sweep, err);
}
