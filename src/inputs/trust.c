/* SPDX-License-Identifier: Apache-2.0 */
#include "trust.h"

#include <math.h>

#include "base/buf.h"
#include "base/order.h"
#include "base/sum.h"

/* ---- one trace ---- */

static bool only_the_first(const struct trace *trace, uint32_t selected)
{
    return trace->step_source == STEPS_ANNOTATED && trace->step_count == 1 && selected == 1 && !trace->steps[0].number;
}

struct trace_trust trace_trust_of(const struct trace *trace, const struct selection *steps, struct arena *arena)
{
    const uint32_t selected = steps ? selection_steps(trace, steps).count : trace->step_count;
    return (struct trace_trust){
        .odd = trace_oddities(trace),
        .device_work = trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET],
        .repaired = trace->repaired,
        .dropped = trace->dropped,
        .steps = selected,
        .source = trace->step_source,
        .first = only_the_first(trace, selected),
        .cut = trace->info.cut,
        .times = step_times_beside(trace->info.path, arena),
    };
}

/* ---- all traces ---- */

/* Single contradictions are slips of the recorder, or waits for another stream. */
static void add_clocks(struct trust *trust, const struct trace_oddities *odd)
{
    const bool work = 100 * odd->early_work > odd->device_work;
    const bool syncs = odd->early_syncs > 1 && 2 * odd->early_syncs > odd->syncs;
    if (!work && !syncs)
        return;
    trust->clocks++;
    trust->early_work += odd->early_work;
    trust->early_syncs += odd->early_syncs;
    trust->most_early_ns = odd->most_early_ns > trust->most_early_ns ? odd->most_early_ns : trust->most_early_ns;
}

/* A recording of the host alone has no launches. Where it has, the device was not recorded, or not kept. */
static void add_device(struct trust *trust, const struct trace_trust *trace)
{
    const struct trace_oddities *odd = &trace->odd;
    trust->launches += odd->launches;
    trust->launches_lost += odd->launches_without_kernel;
    trust->device_work += trace->device_work;
    trust->unlaunched += odd->kernels_without_launch;
    add_clocks(trust, odd);
}

static void add_rounded(struct rounded_times *all, const struct rounded_times *one)
{
    sum_to(&all->collectives, one->collectives);
    sum_to(&all->rounded, one->rounded);
    all->entry_ns = larger_of(all->entry_ns, one->entry_ns);
    all->spent_ns = larger_of(all->spent_ns, one->spent_ns);
}

void trust_add(struct trust *trust, const struct trace_trust *trace)
{
    const double factor = step_times_factor(&trace->times);
    trust->fewest = !trust->traces || trace->steps < trust->fewest ? trace->steps : trust->fewest;
    trust->most = trace->steps > trust->most ? trace->steps : trust->most;
    trust->source = !trust->unmarked ? trace->source : trust->source; /* of the first that has none marked */
    trust->unmarked += trace->source != STEPS_ANNOTATED;
    trust->first += trace->first;
    trust->cut += trace->cut;
    trust->timed += factor > 0;
    trust->factor = factor > trust->factor ? factor : trust->factor;
    trust->repaired += trace->repaired;
    trust->dropped += trace->dropped;
    trust->groups = trace->odd.unnamed_groups > trust->groups ? trace->odd.unnamed_groups : trust->groups;
    trust->traces++;
    add_device(trust, trace);
    add_rounded(&trust->rounded, &trace->rounded);
}

/* ---- doubts ---- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

static void doubt(struct doubts *doubts, const char *id, uint64_t number, uint64_t of, str what)
{
    if (number)
        doubts_add(doubts, (struct doubt){id, what, (int64_t)number, share(number, of), false});
}

/* "2.3 % of launches (7 of 300)" */
static str of_all(struct arena *arena, uint64_t part, uint64_t whole, const char *what)
{
    const double percent = 100 * share(part, whole);
    const str shown = percent < 0.1 ? S("<0.1") : str_printf(arena, "%.*f", percent < 10 ? 1 : 0, percent);
    return str_printf(arena, "%.*s %% of %s (%llu of %llu)", (int)shown.len, shown.at, what, (unsigned long long)part,
                      (unsigned long long)whole);
}

static const char *unmarked_words(const struct trust *trust)
{
    return trust->source == STEPS_NONE ? "no steps are marked: all counts as one" : "steps are found, not marked";
}

static void doubt_steps(const struct trust *trust, struct doubts *doubts)
{
    const uint32_t marked = trust->traces - trust->unmarked;
    if (trust->fewest == 1 && marked)
        doubt(doubts, "one_step", 1, 0, S("one step only"));
    doubt(doubts, "first_step", trust->first, trust->traces, S("it is the first step of the run"));
    doubt(doubts, "steps_unmarked", trust->unmarked, trust->traces, str_of(unmarked_words(trust)));
}

static void doubt_files(const struct trust *trust, struct doubts *doubts)
{
    doubt(doubts, "cut_short", trust->cut, trust->traces,
          trust->traces == 1 ? S("the file breaks off")
                             : str_printf(doubts->arena, "%u of %u files break off", trust->cut, trust->traces));
}

/* Work whose launch came before the recording is usual at its start, so it is told but from a hundredth on a doubt. */
static void doubt_device(const struct trust *trust, struct doubts *doubts)
{
    struct arena *arena = doubts->arena;
    const str lost = of_all(arena, trust->launches_lost, trust->launches, "launches");
    const str unlaunched = of_all(arena, trust->unlaunched, trust->device_work, "device work");
    doubt(doubts, "kernels_missing", trust->launches_lost, trust->launches,
          str_printf(arena, "%.*s have no device work", (int)lost.len, lost.at));
    doubt(doubts, "launches_missing", trust->unlaunched, trust->device_work,
          str_printf(arena, "%.*s has no launch", (int)unlaunched.len, unlaunched.at));
}

static void doubt_clocks(const struct trust *trust, struct doubts *doubts)
{
    struct arena *arena = doubts->arena;
    const str where =
        trust->traces > 1 ? str_printf(arena, " in %u of %u traces", trust->clocks, trust->traces) : S("");
    const bool syncs = trust->early_syncs > trust->early_work;
    doubt(doubts, "clocks", trust->clocks, trust->traces,
          str_printf(arena, "clocks of host and device differ%.*s: %s up to %.0f us early", (int)where.len, where.at,
                     syncs ? "waits for device work end" : "device work begins before its launch,",
                     (double)trust->most_early_ns / 1e3));
}

static void doubt_groups(const struct trust *trust, struct doubts *doubts)
{
    if (trust->traces > 1)
        doubt(doubts, "groups_unnamed", trust->groups, 0,
              str_printf(
                  doubts->arena,
                  "a rank is in %llu process group%s of some ranks only, and gloo names none at its collectives: who "
                  "meets whom is told by order and time, and may be wrong",
                  (unsigned long long)trust->groups, trust->groups == 1 ? "" : "s"));
}

static void doubt_recording(const struct trust *trust, struct doubts *doubts)
{
    struct arena *arena = doubts->arena;
    if (trust->factor > STEP_TIMES_SLOW)
        doubts_add(doubts,
                   (struct doubt){"recorder_cost",
                                  str_printf(arena,
                                             "the recorder made a step %.2f times as long, and is in all times and "
                                             "savings that do not say that they leave it out",
                                             trust->factor),
                                  trust->timed, 1 - 1 / trust->factor, false});
    doubt(doubts, "repaired", trust->repaired, 0,
          str_printf(arena, "%llu event%s repaired", (unsigned long long)trust->repaired,
                     trust->repaired == 1 ? "" : "s"));
    doubt(doubts, "dropped", trust->dropped, 0,
          str_printf(arena, "%llu event%s set aside", (unsigned long long)trust->dropped,
                     trust->dropped == 1 ? "" : "s"));
}

/* Larger units than these are asked for, and then nothing is promised. */
enum { CAREFUL_ENTRY_NS = 64, CAREFUL_SPENT_NS = 1024 };

static void doubt_rounded(const struct trust *trust, struct doubts *doubts)
{
    struct arena *arena = doubts->arena;
    const struct rounded_times *rounded = &trust->rounded;
    if (!rounded->entry_ns && !rounded->spent_ns)
        return;
    const bool careful = rounded->entry_ns <= CAREFUL_ENTRY_NS && rounded->spent_ns <= CAREFUL_SPENT_NS;
    const str entries =
        rounded->rounded
            ? str_printf(arena, "entries and exits of %lld of %lld collectives are told to %.3g us or less, ",
                         (long long)rounded->rounded, (long long)rounded->collectives, (double)rounded->entry_ns / 1e3)
            : S("");
    doubts_add(doubts, (struct doubt){
                           "times_rounded",
                           str_printf(arena, "sketches are rounded: %.*swhat was done between collectives to %.3g us%s",
                                      (int)entries.len, entries.at, (double)rounded->spent_ns / 1e3,
                                      careful ? "" : ", which is more than waits and lateness within 1 % allow"),
                           rounded->rounded, share((uint64_t)rounded->rounded, (uint64_t)rounded->collectives), false});
}

/* In the order of the line, behind those of the steps, with which it begins. */
static void doubt_rest(const struct trust *trust, struct doubts *doubts)
{
    doubt_files(trust, doubts);
    doubt_device(trust, doubts);
    doubt_clocks(trust, doubts);
    doubt_groups(trust, doubts);
    doubt_recording(trust, doubts);
    doubt_rounded(trust, doubts);
    for (uint32_t i = 0; i < trust->job.count; i++)
        doubts_add(doubts, trust->job.at[i]);
}

/* ---- the line ---- */

static void add_words(struct buf *line, str words)
{
    if (!words.len)
        return;
    buf_add(line, line->len ? S("; ") : S("Trust: "));
    buf_add(line, words);
}

/* "6 steps", "8 traces of 5 to 6 steps", "one step only, the first of the run" */
static str steps_words(const struct trust *trust, struct arena *arena)
{
    const str each = trust->traces > 1 ? str_printf(arena, "%u traces of ", trust->traces) : S("");
    const str range = trust->fewest == trust->most ? str_printf(arena, "%u", trust->most)
                                                   : str_printf(arena, "%u to %u", trust->fewest, trust->most);
    if (trust->most == 1)
        return str_printf(arena, "%.*sone step only%s", (int)each.len, each.at,
                          trust->first ? ", the first of the run" : "");
    return str_printf(arena, "%.*s%.*s steps", (int)each.len, each.at, (int)range.len, range.at);
}

static void add_steps(struct buf *line, const struct trust *trust, struct arena *arena)
{
    if (trust->source != STEPS_NONE || trust->traces > 1)
        add_words(line, steps_words(trust, arena));
    if (trust->unmarked)
        add_words(line, str_of(unmarked_words(trust)));
}

/* Where it is a doubt it stands among them. */
static str recorder_words(const struct trust *trust, struct arena *arena)
{
    if (!(trust->factor > 0))
        return S("recorder cost unknown");
    if (trust->factor > STEP_TIMES_SLOW)
        return S("");
    return str_printf(arena, "the recorder made a step %.2f times as long", trust->factor);
}

static str line_of(const struct trust *trust, const struct doubts *rest, struct arena *arena)
{
    struct buf line = {0};
    add_steps(&line, trust, arena);
    add_words(&line, recorder_words(trust, arena));
    for (uint32_t i = 0; i < rest->count; i++)
        add_words(&line, rest->at[i].what);
    buf_add(&line, S("."));
    const str copy = str_copy(arena, buf_str(&line));
    buf_free(&line);
    return copy;
}

/* ---- the section ---- */

static const struct column_spec columns[] = {
    {"doubt", "doubt", UNIT_NONE, COLUMN_PLAIN, "what there is to doubt, by its id"},
    {"what", "what", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "the same in words"},
    {"number", "number", UNIT_COUNT, COLUMN_PLAIN,
     "of launches, kernels, events, steps, ranks or files; null where none is meant"},
    {"share", "share", UNIT_RATIO, COLUMN_PLAIN,
     "number / all of them; of `recorder_cost` the part of a step that is the recorder's"},
    {0},
};

static struct table *open_doubts(struct section *section)
{
    struct table *table = section_table(section, "doubts", "Doubts");
    table_columns(table, columns);
    table_json_only(table);
    return table;
}

static void put_doubts(const struct doubts *doubts, struct table *table)
{
    for (uint32_t i = 0; i < doubts->count; i++) {
        const struct doubt *at = &doubts->at[i];
        table_row(table);
        table_text(table, str_of(at->id));
        table_text(table, at->what);
        table_cell(table, cell_int_or_null(at->number));
        table_real(table, at->share);
    }
}

static const char *source_word(enum step_source source)
{
    return source == STEPS_ANNOTATED ? "annotated" : source == STEPS_NONE ? "none" : "found";
}

static void put_count(struct section *section, const char *id, const char *title, uint64_t count)
{
    section_detail(section, id, title, UNIT_COUNT, cell_int((int64_t)count));
}

static void put_values(const struct trust *trust, struct section *section)
{
    put_count(section, "trust_traces", "traces", trust->traces);
    put_count(section, "trust_steps", "steps, of the trace that has fewest", trust->fewest);
    section_detail(section, "trust_steps_from", "how steps are told", UNIT_NONE,
                   cell_text(str_of(source_word(trust->source))));
    section_detail(section, "trust_recorder", "how many times as long the recorder made a step", UNIT_RATIO,
                   trust->factor > 0 ? cell_real(trust->factor) : cell_null());
    put_count(section, "trust_launches", "launches", trust->launches);
    put_count(section, "trust_launches_lost", "launches without device work", trust->launches_lost);
    put_count(section, "trust_device_work", "pieces of device work", trust->device_work);
    put_count(section, "trust_unlaunched", "device work without a launch", trust->unlaunched);
    put_count(section, "trust_early_work", "device work before its launch", trust->early_work);
    put_count(section, "trust_early_syncs", "synchronisations that end before the work", trust->early_syncs);
    put_count(section, "trust_repaired", "events repaired", trust->repaired);
    put_count(section, "trust_dropped", "events set aside", trust->dropped);
}

void trust_show(const struct trust *trust, struct report *report)
{
    struct arena *arena = report_arena(report);
    if (!trust->traces)
        return;
    struct doubts of_steps = {.arena = arena}, rest = {.arena = arena};
    doubt_steps(trust, &of_steps);
    doubt_rest(trust, &rest);
    struct section *section = report_section(report, "trust", "Trust");
    section_in_head(section);
    section_text(section, line_of(trust, &rest, arena));
    put_values(trust, section);
    struct table *table = open_doubts(section);
    put_doubts(&of_steps, table);
    put_doubts(&rest, table);
}
