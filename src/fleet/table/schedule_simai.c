/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SimAI's workloads: a first line with the layout, a second with the number of layers, then a layer a line: its name, and
 * for the forward pass, the gradients of its input and those of its weights the time of computing (ns), a collective and
 * its bytes.
 */
#include <math.h>

#include "base/buf.h"
#include "import_stream.h"
#include "base/real.h"
#include "schedule.h"

static const str magic = S("HYBRID_TRANSFORMER");

bool schedule_is_simai(str begin)
{
    return str_starts(begin, magic);
}

/* The next word between blanks; false at the end. */
static bool next_word(str *rest, str *word)
{
    *rest = str_trim(*rest);
    size_t len = 0;
    while (len < rest->len && rest->at[len] != ' ' && rest->at[len] != '\t')
        len++;
    *word = (str){rest->at, len};
    *rest = str_from(*rest, len);
    return len > 0;
}

/* ---- the layout ---- */

struct layout_words {
    double tensor, expert, pipeline, micro_batches, ranks, passed_bytes;
};

static struct layout_words read_layout(str line)
{
    struct layout_words layout = {.tensor = 1, .expert = 1, .pipeline = 1, .micro_batches = 1};
    const struct {
        str word;
        double *to;
    } words[] = {{S("model_parallel_NPU_group:"), &layout.tensor},
                 {S("ep:"), &layout.expert},
                 {S("pp:"), &layout.pipeline},
                 {S("ga:"), &layout.micro_batches},
                 {S("all_gpus:"), &layout.ranks},
                 {S("pp_comm"), &layout.passed_bytes},
                 {S("pp_comm:"), &layout.passed_bytes}};
    str word, value;
    while (next_word(&line, &word))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (str_eq(word, words[i].word) && next_word(&line, &value) && real_read(value, words[i].to) &&
                *words[i].to < 0)
                *words[i].to = 0;
    return layout;
}

/* As told, else those of one replica: fewer the job cannot have. */
static double job_ranks(const struct layout_words *layout)
{
    if (layout->ranks > 0)
        return layout->ranks;
    return fmax(1, layout->tensor) * fmax(1, layout->pipeline) * fmax(1, layout->expert);
}

/* Of a job whose ranks are not told, how many replicas there are is not known either: 0. */
static double group_ranks(const struct layout_words *layout, enum schedule_group group)
{
    const double replicas = layout->ranks > 0 ? layout->ranks / fmax(1, layout->tensor * layout->pipeline) : 0;
    switch (group) {
    case GROUP_TENSOR:
        return layout->tensor;
    case GROUP_EXPERT:
        return layout->expert;
    case GROUP_DATA_OF_EXPERTS:
        return replicas / fmax(1, layout->expert);
    default:
        return replicas;
    }
}

/* ---- layers ---- */

/* Collectives of weights run among replicas, whichever pass they are listed under; others among the ranks of a layer. */
static enum schedule_group group_of(str layer, str collective, bool of_weights)
{
    if (str_ends(collective, S("_DP_EP")))
        return GROUP_DATA_OF_EXPERTS;
    if (str_ends(collective, S("_EP")))
        return GROUP_EXPERT;
    const bool weights = of_weights || str_has(layer, S("grad")) || str_has(layer, S("norm"));
    return weights ? GROUP_DATA : GROUP_TENSOR;
}

static bool next_number(str *line, double *value)
{
    str word;
    return next_word(line, &word) && real_read(word, value) && *value >= 0;
}

/* Time, collective and bytes of one pass. */
static bool add_pass(struct collective_schedule *schedule, const struct layout_words *layout, str layer, str *line,
                     int pass)
{
    double ns, bytes;
    str word;
    if (!next_number(line, &ns) || !next_word(line, &word) || !next_number(line, &bytes))
        return false;
    schedule->compute_ms += ns > 1 ? ns / 1e6 : 0; /* 1 stands for none */
    const enum message_pattern pattern = schedule_pattern(word);
    if (pattern == PATTERN_NONE || bytes <= 1)
        return true;
    const enum schedule_group group = group_of(layer, word, pass == 2);
    const bool alone = layout->tensor <= 1 && group == GROUP_TENSOR; /* then it can only be among replicas */
    const enum schedule_group among = alone ? GROUP_DATA : group;
    schedule->gathers_forward |= among == GROUP_DATA && pass < 2 && alone;
    schedule->scatters |= among == GROUP_DATA && str_starts(word, S("REDUCESCATTER"));
    schedule_add(schedule, among, pattern, group_ranks(layout, among), bytes, 1, NAN);
    return true;
}

static void add_layer(struct collective_schedule *schedule, const struct layout_words *layout, str line,
                      uint64_t number)
{
    str layer, dependency;
    bool good = next_word(&line, &layer) && next_word(&line, &dependency);
    for (int pass = 0; good && pass < 3; pass++)
        good = add_pass(schedule, layout, layer, &line, pass);
    if (!good)
        import_drop(&schedule->dropped, (struct import_drop){.line = number, .why = "no layer with three passes"});
}

static void read_layers(struct collective_schedule *schedule, str text)
{
    str line = S(""), count;
    str_cut(&text, '\n', &line);
    const struct layout_words layout = read_layout(line);
    schedule->ranks = job_ranks(&layout);
    schedule->micro_batches = fmax(1, layout.micro_batches);
    schedule->compute_ms = 0;
    str_cut(&text, '\n', &count);
    for (uint64_t number = 3; str_cut(&text, '\n', &line); number++)
        if (str_trim(line).len)
            add_layer(schedule, &layout, line, number);
    schedule->of[GROUP_TENSOR].ranks = layout.tensor;
    schedule->of[GROUP_EXPERT].ranks = layout.expert;
    schedule->of[GROUP_PIPELINE].ranks = layout.pipeline;
    if (layout.pipeline > 1) /* activations forward, their gradients back, each micro-batch */
        schedule_add(schedule, GROUP_PIPELINE, PATTERN_PASSED, layout.pipeline, layout.passed_bytes,
                     2 * schedule->micro_batches, NAN);
}

bool schedule_read_simai(const char *path, struct collective_schedule *schedule, struct steptime_error *err)
{
    struct buf text = {0};
    const bool good = import_read_all(path, &text, err);
    if (good)
        read_layers(schedule, buf_str(&text));
    buf_free(&text);
    return good;
}
