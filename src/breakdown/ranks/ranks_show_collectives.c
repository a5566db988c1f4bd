/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of collectives: summed up by kind and size, and one by one with the largest skew first. */
#include "base/sort.h"
#include "ranks_show.h"

static void show_counts(const struct ranks *ranks, struct section *section)
{
    uint64_t members = 0;
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        members += ranks->meetings[i].count;
    section_value(section, "collectives", "collectives found on several ranks", UNIT_COUNT,
                  cell_int(ranks->meeting_count));
    section_value(section, "matched", "of all ranks, matched", UNIT_COUNT, cell_int((int64_t)members));
    section_value(section, "unmatched", "without their like on the others", UNIT_COUNT, cell_int(ranks->unmatched));
    section_value(section, "disjoint", "matched, but apart in time", UNIT_COUNT, cell_int(ranks->disjoint));
    section_value(section, "point_to_point", "between two of many ranks", UNIT_COUNT, cell_int(ranks->not_matchable));
}

static str place_of(bool on_host)
{
    return on_host ? S("host") : S("device");
}

/* ---- by kind ---- */

static const struct column_spec collective_kinds_columns[] = {
    {"kind", "kind", UNIT_NONE, COLUMN_PLAIN, "kind of the collective"},
    {"place", "place", UNIT_NONE, COLUMN_DETAIL, "device or host"},
    {"ranks", "ranks", UNIT_COUNT, COLUMN_PLAIN, "ranks of the group"},
    {"size_bytes", "size", UNIT_BYTES, COLUMN_PLAIN, "the full message; null where not recorded"},
    {"count", "count", UNIT_COUNT, COLUMN_PLAIN, "matches of this kind, size and place"},
    {"timed", "with a time", UNIT_COUNT, COLUMN_DETAIL, "of them with a transfer time"},
    {"skew_mean_ns", "skew", UNIT_NS, COLUMN_PLAIN, "mean of last entry - first entry"},
    {"transfer_total_ns", "transfer in all", UNIT_NS, COLUMN_PLAIN, "sum of the transfer times"},
    {"transfer_p50_ns", "median", UNIT_NS, COLUMN_PLAIN, "median of the transfer times"},
    {"algorithm_bytes_per_s", "algorithm", UNIT_BYTES_PER_S, COLUMN_PLAIN, "size_bytes / transfer time"},
    {"bus_bytes_per_s", "bus", UNIT_BYTES_PER_S, COLUMN_PLAIN,
     "algorithm bandwidth times what the kind sends over a link: 2 (n - 1) / n of an all-reduce, (n - 1) / n of gathers and scatters, 1 of others"},
    {0},
};

static struct table *kinds_table(struct section *section)
{
    struct table *t = section_table(section, "collective_kinds", "By kind and size");
    table_columns(t, collective_kinds_columns);
    return t;
}

static void kind_row(const struct meeting_kind *kind, struct table *t)
{
    table_row(t);
    table_text(t, collective_kind_word(kind->kind));
    table_text(t, place_of(kind->on_host));
    table_int(t, kind->ranks);
    table_cell(t, cell_int_or_null(kind->bytes));
    table_int(t, kind->count);
    table_int(t, kind->timed);
    table_real(t, (double)kind->skew_ns / kind->count);
    table_cell(t, kind->timed ? cell_int(kind->transfer_ns) : cell_null());
    table_cell(t, kind->timed ? cell_real(kind->transfer_p50_ns) : cell_null());
    table_real(t, kind->algorithm_bandwidth);
    table_real(t, kind->bus_bandwidth);
}

/* ---- one by one ---- */

static const struct column_spec collectives_columns[] = {
    {"kind", "kind", UNIT_NONE, COLUMN_PLAIN, "kind of the collective"},
    {"place", "place", UNIT_NONE, COLUMN_DETAIL, "device or host"},
    {"group", "group", UNIT_NONE, COLUMN_DETAIL, "name of the process group"},
    {"step", "step", UNIT_NONE, COLUMN_PLAIN, "step of the first rank that takes part; null outside of steps"},
    {"seq", "number in the group", UNIT_NONE, COLUMN_DETAIL, "number within the group; null where not recorded"},
    {"ranks", "ranks", UNIT_COUNT, COLUMN_PLAIN, "ranks of the group"},
    {"size_bytes", "size", UNIT_BYTES, COLUMN_PLAIN, "the full message; null where not recorded"},
    {"enter_ns", "entered at", UNIT_NS, COLUMN_PLAIN,
     "entry of the middle rank, by the clock of the first, from the start of its trace"},
    {"skew_ns", "skew", UNIT_NS, COLUMN_PLAIN, "last entry - first entry"},
    {"first_rank", "first", UNIT_NONE, COLUMN_PLAIN, "the rank that entered first; null where the skew is a tie"},
    {"last_rank", "last", UNIT_NONE, COLUMN_PLAIN, "the rank that entered last; null where the skew is a tie"},
    {"transfer_ns", "transfer", UNIT_NS, COLUMN_PLAIN,
     "duration on the rank whose work began last: nothing could move before"},
    {"algorithm_bytes_per_s", "algorithm", UNIT_BYTES_PER_S, COLUMN_PLAIN, "size_bytes / transfer time"},
    {"bus_bytes_per_s", "bus", UNIT_BYTES_PER_S, COLUMN_PLAIN,
     "algorithm bandwidth times what the kind sends over a link: 2 (n - 1) / n of an all-reduce, (n - 1) / n of gathers and scatters, 1 of others"},
    {"event", "event", UNIT_NONE, COLUMN_DETAIL, "row number of the event on the first rank that takes part"},
    {0},
};

static struct table *collectives_table(struct section *section)
{
    struct table *t = section_table(section, "collectives", "One by one, the largest skew first");
    table_columns(t, collectives_columns);
    return t;
}

static struct cell rank_cell(const struct ranks *ranks, uint32_t r)
{
    return r == RANK_NONE_LATE ? cell_null() : cell_int(ranks->at[r]->rank);
}

static void meeting_row(const struct ranks *ranks, const struct meeting *meeting, struct table *t)
{
    const struct rank_collective *sample = meeting->sample;
    const bool in_step = sample->step != STEP_BEFORE_ALL && sample->step != STEP_AFTER_ALL;
    table_row(t);
    table_text(t, collective_kind_word(sample->of.kind));
    table_text(t, place_of(sample->of.on_host));
    table_cell(t, cell_text_or_null(meeting->group->name));
    table_cell(t, in_step ? cell_int(sample->step) : cell_null());
    table_cell(t, cell_int_or_null(sample->of.seq));
    table_int(t, meeting->ranks);
    table_cell(t, cell_int_or_null(meeting->bytes));
    table_int(t, meeting->enter_ns);
    table_int(t, meeting->skew_ns);
    table_cell(t, rank_cell(ranks, meeting->first_rank));
    table_cell(t, rank_cell(ranks, meeting->last_rank));
    table_cell(t, cell_int_or_null(meeting->transfer_ns));
    table_real(t, meeting_algorithm_bandwidth(meeting));
    table_real(t, meeting_bus_bandwidth(meeting));
    table_int(t, sample->of.row);
}

static void show_meetings(const struct ranks *ranks, struct section *section)
{
    struct arena scratch = {0};
    struct table *t = collectives_table(section);
    struct keyed *order = arena_array(&scratch, ranks->meeting_count, sizeof *order);
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        order[i] = (struct keyed){-ranks->meetings[i].skew_ns, i};
    sort_keyed(order, ranks->meeting_count);
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        meeting_row(ranks, &ranks->meetings[order[i].row], t);
    arena_free(&scratch);
}

void ranks_show_collectives(const struct ranks *ranks, struct report *report)
{
    struct section *section = report_section(report, "collectives", "Collectives");
    section_text(
        section,
        S("skew: from the first rank's entry to the last one's. transfer: of the rank that began last, to its end. "
          "Bandwidths are the full message over the transfer, and that times the bus factor of nccl-tests."));
    show_counts(ranks, section);
    struct table *kinds = kinds_table(section);
    for (uint32_t i = 0; i < ranks->kind_count; i++)
        kind_row(&ranks->kinds[i], kinds);
    show_meetings(ranks, section);
}
