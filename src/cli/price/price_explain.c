/* SPDX-License-Identifier: Apache-2.0 */
#include "price_explain.h"

#include "base/error.h"
#include "predict/answer/explain.h"
#include "price_dry_show.h"
#include "report/explain.h"

/* A number by its id. */
struct explained {
    const char *id, *formula; /* formula NULL: a column, which has its own */
    const char *shows;        /* the table with what it is made of; NULL */
    const char *number;       /* of `predict`, whose events are behind it; NULL */
};

static const struct explained explained[] = {
    {"step_us", NULL, NULL, "step_ns"},
    {"device_us", NULL, NULL, "active_ns"},
    {"device_share", NULL, NULL, "active_ns"},
    {"without_device_us", NULL, NULL, "host_ns"},
    {"without_host_us", NULL, NULL, "active_ns"},
    {"without_loading_us", NULL, NULL, "step_ns"},
    {"enough_workers", NULL, NULL, NULL},
    {"load_batch_us",
     "a batch of the slowest loader on this machine, one process, with data, by the clock less what it waited for a processor: the "
     "middle one of at most six behind the last step and one more, which is left out",
     NULL, NULL},
    {"load_worked", "the share of load_batch_us that its thread was at work; else it waited, as for files", NULL, NULL},
    {"load_workers", "num_workers of that loader, as the script asks for it", NULL, NULL},
    {"load_place", "the line that asks for batches", NULL, NULL},
    {"load_unknown", "the line that asks for batches of which that is not known, and why; null: none", NULL, NULL},
    {"load_own_us",
     "batches of a step of loaders without workers x what one takes; the training thread does nothing else meanwhile",
     NULL, NULL},
    {"load_feed_us",
     "of loaders with workers the largest of batches of a step x what one takes / workers; no step is shorter", NULL,
     NULL},
    {"guessed_share", NULL, NULL, "guessed_share"},
    {"utilisation", NULL, "operators", NULL},
    {"memory_high_bytes", NULL, "held", NULL},
    {"memory_low_bytes", NULL, "held", NULL},
    {"spare_bytes", NULL, "held", NULL},
    {"fits", NULL, "held", NULL},
    {"peak_bytes", "largest sum of the storages that live on the device together, each rounded up to 512 bytes", "held",
     NULL},
    {"allocated_bytes",
     "peak_bytes and two workspaces of cuBLAS, of the script's thread and autograd's, as torch.cuda.max_memory_allocated() "
     "counts: seen in two trainings on an H200, PyTorch 2.11; not told where NVIDIA's generation of the device is not known",
     "held", NULL},
    {"peak_place", "the line that made the storage with which peak_bytes is reached", "held", NULL},
    {"peak_step", "the step in which peak_bytes is reached, from 1 on", "held", NULL},
    {"reserved_bytes",
     "most that PyTorch's caching allocator takes from a device without bound, by replaying the lives of the storages",
     "held", NULL},
    {"fragmentation", "(reserved_bytes - peak_bytes) / reserved_bytes", "held", NULL},
    {"context_low_bytes", "a context whose kernels are loaded as they are called, as PyTorch measured it", NULL, NULL},
    {"context_high_bytes", "a context with all kernels loaded", NULL, NULL},
    {"workspaces_low_bytes", "one workspace of cuBLAS", NULL, NULL},
    {"workspaces_high_bytes", "two workspaces of cuBLAS, of the script's thread and autograd's, and two of cuBLASLt",
     NULL, NULL},
    {"samples",
     "leading dimension of what a DataLoader hands out in a step, else of the outermost module's first tensor", NULL,
     NULL},
    {"tokens", "elements of input_ids, or of such a tensor where it is a matrix of integers", NULL, NULL},
    {"flops", "of products, convolutions and attention on the device, each counted at the innermost operator",
     "operators", NULL},
    {"flops_unknown", "such operators whose sizes do not say their FLOPs", "operators", NULL},
    {"values", "how often a stand-in was given for a value that nobody knows", "stand_ins", NULL},
    {"branches", "how often the script chose its way by a stand-in", "stand_ins", NULL},
    {"shapes", "how often a stand-in was given for a shape that depends on values", "stand_ins", NULL},
    {"ran_batch", "samples that a loader handed out at once in the smaller of the runs with data, or the only one",
     NULL, NULL},
    {"most_batch", "the same of the larger one, of which the step and its memory are", NULL, NULL},
    {"batch", "what a loader hands out by itself, or --batch: sizes that went with the batch go with it", NULL, NULL},
    {"by_both", "operators of which every size is the same in both runs, or goes with the batch", NULL, NULL},
    {"by_one",
     "operators of one run alone, scaled as predict --batch scales them, and those with sizes that do neither", NULL,
     NULL},
    {"step_error", "mean absolute error that is added to what the step may be off, as it was scaled", NULL, NULL},
    {"memory_error", "the same of memory: both of its ends reach out by twice as much", NULL, NULL},
};

enum { EXPLAINED = sizeof explained / sizeof *explained };

static const struct explained *find(str word)
{
    for (size_t i = 0; i < EXPLAINED; i++)
        if (str_eq(word, str_of(explained[i].id)))
            return &explained[i];
    return NULL;
}

static const struct column_spec meaning_columns[] = {
    {"number", "number", UNIT_NONE, 0, "the number asked for"},
    {"definition", "definition", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "what it is, or how it is computed"},
    {0},
};

/* People read them as lines, programs as a table. */
static struct table *meanings(struct section *section)
{
    struct table *const table = section_table(section, "meanings", "");
    table_json_only(table);
    table_columns(table, meaning_columns);
    return table;
}

static void put_formulas(const struct explained *from, size_t count, struct report *answer)
{
    struct section *const section = report_section(answer, "meaning", "What the number is");
    struct table *const table = meanings(section);
    for (size_t i = 0; i < count; i++) {
        if (!from[i].formula)
            continue;
        section_text(section, str_printf(report_arena(answer), "%s: %s", from[i].id, from[i].formula));
        table_row(table);
        table_text(table, str_of(from[i].id));
        table_text(table, str_of(from[i].formula));
    }
}

/* The step walked again, with somebody who looks. */
static void put_events(const struct explained *one, const struct price_asked *asked, const struct price_run *run,
                       const struct price *price, struct report *answer)
{
    struct steptime_error err = {.offset = -1};
    struct arena *const arena = report_arena(answer);
    struct prediction *const step = arena_alloc(arena, sizeof *step);
    struct predict_explain *const explain = predict_explain_new(str_of(one->number), arena);
    struct predict_asked on = asked->predict;
    on.plan.hardware = &price->hardware;
    on.seen = predict_explain_see;
    on.seen_context = explain;
    if (!predict(&run->source, &on, arena, step, &err))
        return;
    struct section *const section = report_section(answer, "prediction", "Of the step");
    section_text(section, str_printf(arena, "On %.*s:", (int)price->hardware.name.len, price->hardware.name.at));
    section_value(section, "step_ns", "a step", UNIT_NS, cell_rounded(step->walked.step_us * 1e3));
    section_value(section, "active_ns", "device active", UNIT_NS, cell_rounded(step->walked.active_us * 1e3));
    section_value(section, "host_ns", "host", UNIT_NS, cell_rounded(step->walked.host_us * 1e3));
    section_value(section, "guessed_share", "guessed", UNIT_RATIO,
                  cell_ratio(step->guessed_us, step->guessed_us + step->modelled_us + step->recorded_us));
    predict_explain_show(explain, step, answer);
}

static bool is_told(str word, const struct explained *one, bool told, struct steptime_error *err)
{
    if (!one && !told)
        return fail(err, STEPTIME_USAGE, "no number here is called '%.*s'; '--explain list' shows their names",
                    (int)word.len, word.at);
    if (!told && !one->formula)
        return fail(err, STEPTIME_USAGE, "'%.*s' is told of devices, and none was asked for: --hw NAME", (int)word.len,
                    word.at);
    return true;
}

struct report *price_explain(str word, const struct price_asked *asked, const struct price_run *run,
                             const struct prices *prices, struct report *whole, struct steptime_error *err)
{
    struct report *const answer = report_new(report_arena(whole), S("price"));
    const struct explained *const one = find(word);
    if (one && one->formula)
        put_formulas(one, 1, answer);
    const bool told = (!one || !one->formula) && report_explain(whole, word, answer);
    if (!is_told(word, one, told, err))
        return NULL;
    if (str_eq(word, S("list")))
        put_formulas(explained, EXPLAINED, answer);
    if (one && one->number && prices->count && !prices->at[0].why.len)
        put_events(one, asked, run, &prices->at[0], answer);
    if (one && one->shows)
        report_explain(whole, str_of(one->shows), answer);
    return answer;
}

void price_explain_list(struct report *answer)
{
    struct report *const whole = report_new(report_arena(answer), S("price"));
    price_show(&(struct prices){.priced = true}, whole);
    price_show_step(&(struct price_step){.samples_from = S("")}, whole);
    price_show_memory(&(struct dry_memory){0}, NULL, whole);
    report_explain(whole, S("list"), answer);
    put_formulas(explained, EXPLAINED, answer);
}
