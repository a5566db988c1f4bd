/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_show.h"

#include <math.h>

#include "base/sort.h"

/* A mean a step: of ns over steps; null of no steps. */
static struct cell ranks_per_step(double ns, uint32_t steps)
{
    return steps ? cell_real(ns / steps) : cell_null();
}

static bool any_device(const struct ranks *ranks)
{
    for (uint32_t r = 0; r < ranks->count; r++)
        if (ranks->at[r]->device)
            return true;
    return false;
}

/* ---- doubts ---- */

static void warn(const struct ranks *ranks, uint32_t r, struct report *report, str message)
{
    report_warning(report, ranks->at[r]->path, -1, message);
}

static void warn_of_rank(const struct ranks *ranks, uint32_t r, struct report *report)
{
    const struct rank_numbers *rank = ranks->at[r];
    const struct rank_account *account = &ranks->accounts[r];
    struct arena *arena = report_arena(report);
    if (!rank->dated)
        warn(ranks, r, report, S("the base of its times is out of range and left out"));
    if (rank->steps != ranks->at[0]->steps)
        warn(ranks, r, report,
             str_printf(arena, "has %u steps, rank %lld has %u", rank->steps, (long long)ranks->at[0]->rank,
                        ranks->at[0]->steps));
    if (rank->unknown_kinds)
        warn(ranks, r, report,
             str_printf(arena, "%u of its collectives are of no known kind, as '%.*s': told as 'other'",
                        rank->unknown_kinds, (int)rank->unknown_kind.len, rank->unknown_kind.at));
    if (rank->collective_count && !account->comparable && ranks->meeting_count)
        warn(ranks, r, report,
             str_printf(arena, "runs other collectives than the others (%u of %u found there): not comparable",
                        account->matched, account->matched + account->unmatched));
}

static void warn_of_doubt(const struct ranks *ranks, struct report *report)
{
    const str words = match_doubt_words(&ranks->doubt, report_arena(report));
    if (words.len)
        warn(ranks, ranks->doubt.rank, report, words);
}

void ranks_show_doubts(const struct ranks *ranks, struct report *report)
{
    for (uint32_t r = 0; r < ranks->count && ranks->count > 1; r++)
        warn_of_rank(ranks, r, report);
    warn_of_doubt(ranks, report);
    if (ranks->disjoint)
        report_warning(report, S(""), -1,
                       str_printf(report_arena(report),
                                  "%u collectives were matched by order but do not overlap in time: left out",
                                  ranks->disjoint));
}

/* ---- the verdict ---- */

void ranks_show_late(const struct ranks *ranks, uint32_t late, str sentence, struct report *report)
{
    struct section *section = report_section(report, "ranks", "Ranks of the job");
    const bool found = late != RANK_NONE_LATE;
    const struct rank_account *account = found ? &ranks->accounts[late] : NULL;
    const uint32_t steps = found ? account->compared : 0;
    section_text(section, sentence);
    section_value(section, "ranks", "ranks", UNIT_COUNT, cell_int(ranks->count));
    section_value(section, "late_rank", "late rank", UNIT_NONE, found ? cell_int(ranks->at[late]->rank) : cell_null());
    section_value(section, "late_per_step_ns", "late, a step", UNIT_NS,
                  found ? ranks_per_step((double)account->late_ns, steps) : cell_null());
    section_value(section, "saving_per_step_ns", "saved if it came with the last but one, a step", UNIT_NS,
                  found ? ranks_per_step((double)account->saving_ns, steps) : cell_null());
}

/* ---- spread of compute ---- */

struct spread {
    uint32_t count;
    double mean, max, deviation; /* of a step's compute; deviation over all ranks, not a sample */
};

static double compute_of(const struct rank_numbers *rank)
{
    return (double)rank->time_ns[TIME_COMPUTE] / rank->steps;
}

static struct spread spread_of(const struct ranks *ranks, bool device)
{
    struct spread spread = {0};
    double squares = 0;
    for (uint32_t r = 0; r < ranks->count; r++)
        if (ranks->at[r]->steps && ranks->at[r]->device == device) {
            const double compute = compute_of(ranks->at[r]);
            spread.mean += compute;
            spread.max = compute > spread.max ? compute : spread.max;
            spread.count++;
        }
    spread.mean /= spread.count ? spread.count : 1;
    for (uint32_t r = 0; r < ranks->count; r++)
        if (ranks->at[r]->steps && ranks->at[r]->device == device)
            squares += (compute_of(ranks->at[r]) - spread.mean) * (compute_of(ranks->at[r]) - spread.mean);
    spread.deviation = spread.count ? sqrt(squares / spread.count) : 0;
    return spread;
}

static void show_spread(const struct ranks *ranks, struct section *section)
{
    const bool device = any_device(ranks);
    const struct spread spread = spread_of(ranks, device);
    const bool known = spread.count > 0;
    section_value(section, "compute_mean_ns",
                  device ? "compute a step, mean of the ranks" : "operators a step, mean of the ranks", UNIT_NS,
                  known ? cell_real(spread.mean) : cell_null());
    section_value(section, "compute_max_over_mean", "most over mean", UNIT_NONE,
                  known && spread.mean > 0 ? cell_real(spread.max / spread.mean) : cell_null());
    section_value(section, "compute_deviation_ns", "standard deviation", UNIT_NS,
                  known ? cell_real(spread.deviation) : cell_null());
}

/* ---- the ranks ---- */

static const struct column_spec ranks_columns[] = {
    {"rank", "rank", UNIT_NONE, COLUMN_PLAIN, "as recorded, else from the file's name, else by order"},
    {"file", "file", UNIT_NONE, COLUMN_DETAIL, "path of the file"},
    {"host", "host", UNIT_NONE, COLUMN_DETAIL, "name of the machine; null where not recorded"},
    {"steps", "steps", UNIT_COUNT, COLUMN_PLAIN, "steps selected"},
    {"step_mean_ns", "step", UNIT_NS, COLUMN_PLAIN, "mean time of the steps"},
    {"step_p50_ns", "median", UNIT_NS, COLUMN_PLAIN, "median of the same"},
    {0},
};

static const struct column_spec exchange_columns[] = {
    {"communication_per_step_ns", "comm.", UNIT_NS, COLUMN_PLAIN, "union of the collectives in the steps / steps"},
    {"exposed_communication_per_step_ns", "exposed", UNIT_NS, COLUMN_PLAIN,
     "union of the collectives less the union of compute / steps"},
    {"data_loading_per_step_ns", "loading", UNIT_NS, COLUMN_PLAIN, "time of the host in the data loader / steps"},
    {0},
};

static const struct column_spec lateness_columns[] = {
    {"waited_per_step_ns", "waited", UNIT_NS, COLUMN_PLAIN, "waited_ns / compared_steps"},
    {"late_per_step_ns", "late", UNIT_NS, COLUMN_PLAIN, "late_ns / compared_steps"},
    {"caused_per_step_ns", "others waited", UNIT_NS, COLUMN_PLAIN,
     "caused_ns / compared_steps; not known where steps are left out in part"},
    {0},
};

static const struct column_spec count_columns[] = {
    {"late", "times late", UNIT_COUNT, COLUMN_PLAIN, "collectives that it was late in"},
    {"last", "times last", UNIT_COUNT, COLUMN_PLAIN, "collectives in which it was last, beyond a tie"},
    {"matched", "matched", UNIT_COUNT, COLUMN_PLAIN, "its collectives that have their like on other ranks"},
    {"unmatched", "unmatched", UNIT_COUNT, COLUMN_DETAIL, "its collectives without their like on the others"},
    {"comparable", "comparable", UNIT_NONE, COLUMN_DETAIL,
     "yes where its collectives can be compared in time with those of the others"},
    {"compared_steps", "compared", UNIT_COUNT, COLUMN_DETAIL,
     "its steps, but those with collectives of which none of its own has its like on the others"},
    {0},
};

static const struct column_spec total_columns[] = {
    {"device_clock_low_ns", "device's clock, at least", UNIT_NS, COLUMN_DETAIL,
     "its device's clock is ahead of its host's by this at least, as work ends no later than the wait for it"},
    {"device_clock_high_ns", "device's clock, at most", UNIT_NS, COLUMN_DETAIL,
     "and by this at most, as work begins no earlier than its launch; null where nothing says so"},
    {"waited_ns", "waited in all", UNIT_NS, COLUMN_DETAIL, "union of its waits"},
    {"waiting_ns", "waits summed", UNIT_NS, COLUMN_DETAIL,
     "sum of its waits in blocking collectives by the times of their work: two at once count twice"},
    {"late_ns", "late in all", UNIT_NS, COLUMN_DETAIL,
     "union of its late times: the typical rank was inside a collective and this one was not"},
    {"caused_ns", "others waited in all", UNIT_NS, COLUMN_DETAIL,
     "what the others waited for it: each missing rank has an equal share of the time that the others wait"},
    {"saving_ns", "saved if on time, in all", UNIT_NS, COLUMN_DETAIL,
     "union of its savings: less waiting for all, had this rank come with the last but one, all else unchanged"},
    {0},
};

static struct table *ranks_table(const struct ranks *ranks, struct section *section)
{
    const bool device = any_device(ranks);
    const unsigned on_device = device ? COLUMN_PLAIN : COLUMN_DETAIL, on_host = device ? COLUMN_DETAIL : COLUMN_PLAIN;
    struct table *t = section_table(section, "ranks", "");
    table_columns(t, ranks_columns);
    table_columns(t, lateness_columns); /* what the screen is about, also where it is narrow */
    table_column(t, (struct column_spec){"compute_per_step_ns", "compute", UNIT_NS, on_device,
                                         "union of compute kernels in the steps / steps"});
    table_column(t, (struct column_spec){"operators_per_step_ns", "operators", UNIT_NS, on_host,
                                         "time of the training thread in operators / steps"});
    table_columns(t, exchange_columns);
    table_column(t, (struct column_spec){"idle_per_step_ns", "idle", UNIT_NS, on_device,
                                         "time of the steps without device work / steps"});
    table_columns(t, count_columns);
    table_column(t, (struct column_spec){"clock_offset_ns", "clock", UNIT_NS,
                                         ranks->clocks.corrected ? COLUMN_PLAIN : COLUMN_DETAIL,
                                         "its clock against that of the first rank; taken from its times"});
    table_columns(t, total_columns);
    return t;
}

static struct cell *time_cells(const struct rank_numbers *rank, struct cell *cells)
{
    const int64_t *time = rank->time_ns;
    const struct cell compute = ranks_per_step((double)time[TIME_COMPUTE], rank->steps);
    const struct cell idle = ranks_per_step((double)(time[TIME_LOADING] + time[TIME_HOST]), rank->steps);
    *cells++ = rank->device ? compute : cell_null();
    *cells++ = rank->device ? cell_null() : compute;
    *cells++ = ranks_per_step((double)rank->communication_ns, rank->steps);
    *cells++ = ranks_per_step((double)time[TIME_COMMUNICATION], rank->steps);
    *cells++ = ranks_per_step((double)time[TIME_LOADING], rank->steps);
    *cells++ = rank->device ? idle : cell_null();
    return cells;
}

static struct cell *lateness_cells(const struct rank_account *account, struct cell *cells)
{
    *cells++ = ranks_per_step((double)account->waited_ns, account->compared);
    *cells++ = ranks_per_step((double)account->late_ns, account->compared);
    *cells++ = ranks_per_step((double)account->caused_ns, account->partial_count ? 0 : account->compared);
    return cells;
}

static struct cell *account_cells(const struct rank_numbers *rank, const struct rank_account *account,
                                  struct cell *cells)
{
    *cells++ = cell_int(account->late);
    *cells++ = cell_int(account->last);
    *cells++ = cell_int(account->matched);
    *cells++ = cell_int(account->unmatched);
    *cells++ = cell_text(account->comparable ? S("yes") : S("no"));
    *cells++ = cell_int(account->compared);
    *cells++ = cell_int(account->offset_ns);
    *cells++ = rank->device && rank->device_low_ns != INT64_MIN ? cell_int(rank->device_low_ns) : cell_null();
    *cells++ = rank->device && rank->device_high_ns != INT64_MAX ? cell_int(rank->device_high_ns) : cell_null();
    *cells++ = cell_int(account->waited_ns);
    *cells++ = cell_int(account->waiting_ns);
    *cells++ = cell_int(account->late_ns);
    *cells++ = cell_int(account->caused_ns);
    *cells++ = cell_int(account->saving_ns);
    return cells;
}

/* The ranks, and in which order they stand. */
struct shown {
    struct ranks ranks;
    const uint32_t *order;
};

enum { ALL_SEEN = 20 }; /* ranks that a screen shows without being asked for more */

/* By rank; where they are too many for a screen, the latest first. */
static const uint32_t *order_of(const struct ranks *ranks, struct arena *arena)
{
    struct arena scratch = {0};
    struct keyed *pairs = arena_array(&scratch, ranks->count, sizeof *pairs);
    uint32_t *order = arena_array(arena, ranks->count, sizeof *order);
    for (uint32_t r = 0; r < ranks->count; r++)
        pairs[r] = (struct keyed){ranks->count > ALL_SEEN ? -ranks->accounts[r].late_ns : r, r};
    sort_keyed(pairs, ranks->count);
    for (uint32_t r = 0; r < ranks->count; r++)
        order[r] = pairs[r].row;
    arena_free(&scratch);
    return order;
}

static void fill_rank(const void *context, uint32_t row, struct cell *cells)
{
    const struct shown *shown = context;
    const struct ranks *ranks = &shown->ranks;
    const uint32_t r = shown->order[row];
    const struct rank_numbers *rank = ranks->at[r];
    *cells++ = cell_int(rank->rank);
    *cells++ = cell_text(rank->path);
    *cells++ = cell_text_or_null(rank->host);
    *cells++ = cell_int(rank->steps);
    *cells++ = ranks_per_step((double)rank->step_ns, rank->steps);
    *cells++ = rank->steps ? cell_real(rank->step_p50_ns) : cell_null();
    cells = lateness_cells(&ranks->accounts[r], cells);
    cells = time_cells(rank, cells);
    account_cells(rank, &ranks->accounts[r], cells);
}

/* Rows are made when they are written: of thousands of ranks they would be a good part of the memory. */
static void show_table(const struct ranks *ranks, struct section *section, struct arena *arena)
{
    struct shown *shown = arena_alloc(arena, sizeof *shown);
    *shown = (struct shown){*ranks, order_of(ranks, arena)};
    table_drawn(ranks_table(ranks, section), ranks->count, fill_rank, shown);
}

/* ---- clocks ---- */

static int64_t largest_offset(const struct ranks *ranks)
{
    int64_t most = 0;
    for (uint32_t r = 0; r < ranks->count; r++) {
        const int64_t offset = ranks->accounts[r].offset_ns;
        most = (offset < 0 ? -offset : offset) > (most < 0 ? -most : most) ? offset : most;
    }
    return most;
}

static str clock_sentence(const struct ranks *ranks, struct arena *arena)
{
    if (!ranks->clocks.events)
        return S("No collective says whether the ranks' clocks agree.");
    if (ranks->one_host && !ranks->clocks.corrected)
        return S("All ranks ran on one host, so their clock is one.");
    if (ranks->one_host)
        return str_printf(
            arena,
            "All ranks ran on one host, but its devices have clocks of their own: launches, waits and collectives "
            "prove that %u differ%s from the first, which is corrected.",
            ranks->clocks.corrected, ranks->clocks.corrected == 1 ? "s" : "");
    if (!ranks->clocks.corrected)
        return S("The clocks agree: as recorded, nobody leaves a collective before all have come.");
    const str drift = ranks->clocks.drifting ? str_printf(arena, " %u of them drift, and their drift is taken out.",
                                                          ranks->clocks.drifting)
                                             : S("");
    return str_printf(
        arena,
        "%u clocks are corrected by %u collectives: as recorded, ranks would have left some before all had "
        "come.%.*s",
        ranks->clocks.corrected, ranks->clocks.events, (int)drift.len, drift.at);
}

/* A device whose clock is not that of its host, as launches and waits prove. */
static void show_device_clock(const struct rank_numbers *rank, struct section *section, struct arena *arena)
{
    const bool ahead = rank->device_low_ns != INT64_MIN && rank->device_low_ns > TRACE_CLOCK_DOUBT_NS;
    if (!ahead && rank->device_high_ns >= -TRACE_CLOCK_DOUBT_NS)
        return;
    section_text(section,
                 str_printf(arena, "The clock of rank %lld's device is %.1f us or more %s its host's: %s.",
                            (long long)rank->rank, (double)(ahead ? rank->device_low_ns : -rank->device_high_ns) / 1e3,
                            ahead ? "ahead of" : "behind",
                            ahead ? "waits end before the work that they wait for" : "work begins before its launch"));
}

static void show_clocks(const struct ranks *ranks, struct report *report)
{
    const struct clock_solution *clocks = &ranks->clocks;
    struct section *section = report_section(report, "clocks", "Clocks");
    section_text(section, clock_sentence(ranks, report_arena(report)));
    for (uint32_t r = 0; r < ranks->count; r++)
        show_device_clock(ranks->at[r], section, report_arena(report));
    if (clocks->events && clocks->islands > 1)
        section_text(section, S("Ranks without a collective in common keep their own clocks."));
    section_value(section, "events", "collectives looked at", UNIT_COUNT, cell_int(clocks->events));
    section_value(section, "corrected", "clocks corrected", UNIT_COUNT, cell_int(clocks->corrected));
    section_value(section, "drifting", "of them drifting", UNIT_COUNT, cell_int(clocks->drifting));
    section_value(section, "contradicted", "clocks that no constant offset fits", UNIT_COUNT,
                  cell_int(clocks->contradicted));
    section_value(section, "largest_offset_ns", "largest correction", UNIT_NS, cell_int(largest_offset(ranks)));
    section_value(section, "residual_p50_ns", "ends of a collective apart, median", UNIT_NS,
                  clocks->events ? cell_int(clocks->residual_p50_ns) : cell_null());
    section_value(section, "residual_p95_ns", "ends of a collective apart, 95 %", UNIT_NS,
                  clocks->events ? cell_int(clocks->residual_p95_ns) : cell_null());
    section_value(section, "tie_ns", "entries closer than this are a tie", UNIT_NS, cell_int(ranks->tie_ns));
}

void ranks_show(const struct ranks *ranks, struct report *report)
{
    struct section *section = report_section(report, "ranks", "Ranks of the job");
    ranks_show_doubts(ranks, report);
    show_spread(ranks, section);
    section_text(section,
                 S("Times are means a step. waited: inside a collective until the last rank had come. late: behind the "
                   "middle rank. others waited: rank time, shared among the ranks that were missing."));
    if (ranks->count > ALL_SEEN)
        section_text(section, S("The ranks that are latest come first."));
    show_table(ranks, section, report_arena(report));
    show_clocks(ranks, report);
    ranks_show_collectives(ranks, report);
}
