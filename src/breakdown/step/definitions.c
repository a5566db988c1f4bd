/* SPDX-License-Identifier: Apache-2.0 */
#include "definitions.h"

#include "report/explain.h"

enum { IDLE_CAUSES = PART_UNKNOWN - PART_BLOCKED + 1 };

/* A row without a column stands for the parts of a step; their definitions are made from part.h. */
static const struct definition rows[] = {
    {"parts", "part", "part", UNIT_NONE, COLUMN_DETAIL, 0, 0,
     "a cause that time of a step is given to; each nanosecond has exactly one"},
    {"parts", "title", "what", UNIT_NONE, 0, 0, 0, "the part in words"},
    {"parts", "mean_ns", "a step", UNIT_NS, COLUMN_SUM, 0, 0,
     "sum of the part over the steps of all rows of `steps` / number of these rows"},
    {"parts", "share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, 0, 0, "mean_ns / mean of wall_ns"},
    {"parts", "min_ns", "least", UNIT_NS, COLUMN_DETAIL, 0, 0, "least of the part in a row of `steps`"},
    {"parts", "max_ns", "most", UNIT_NS, COLUMN_DETAIL, 0, 0, "most of the part in a row of `steps`"},

    {"ranks", "rank", "rank", UNIT_NONE, 0, 0, 0, "as recorded, else from the file's name, else by order"},
    {"ranks", "device", "device", UNIT_NONE, 0, 0, 0,
     "index of the device; null where no device activity was recorded"},
    {"ranks", "file", "file", UNIT_NONE, COLUMN_DETAIL, 0, 0, "path of the trace"},
    {"ranks", "steps", "steps", UNIT_COUNT, 0, 0, 0, "steps selected"},
    {"ranks", "device_events", "device work", UNIT_COUNT, COLUMN_DETAIL, 0, 0,
     "kernels, copies and memsets of the device"},
    {"ranks", "span_ns", "span", UNIT_NS, 0, ACCOUNT_SPAN, 1,
     "end of the last - start of the first kernel, copy or memset of the device"},
    {"ranks", "busy_ns", "busy", UNIT_NS, 0, ACCOUNT_BUSY, 1,
     "length of the union of kernels, copies and memsets over all streams"},
    {"ranks", "busy_share", "busy", UNIT_RATIO, COLUMN_DETAIL, 0, 0, "busy_ns / span_ns"},
    {"ranks", "idle_ns", "idle", UNIT_NS, COLUMN_DETAIL, ACCOUNT_IDLE, 1, "span_ns - busy_ns"},
    {"ranks", "compute_ns", "compute", UNIT_NS, 0, ACCOUNT_COMPUTE, 1, "length of the union of compute kernels"},
    {"ranks", "communication_ns", "communication", UNIT_NS, 0, ACCOUNT_COMMUNICATION, 1,
     "length of the union of communication kernels"},
    {"ranks", "memory_ns", "memory", UNIT_NS, 0, ACCOUNT_MEMORY, 1, "length of the union of copies and memsets"},
    {"ranks", "exposed_communication_ns", "exposed communication", UNIT_NS, 0, ACCOUNT_EXPOSED_COMMUNICATION, 1,
     "length of the union of communication kernels less the union of compute kernels"},
    {"ranks", "host_wait_ns", "host wait", UNIT_NS, 0, ACCOUNT_HOST_WAIT, 1,
     "idle time in gaps where the launch call of the next device work began after the device went idle"},
    {"ranks", "kernel_wait_ns", "kernel wait", UNIT_NS, 0, ACCOUNT_KERNEL_WAIT, 1,
     "idle time in gaps below 30000 ns where the launch call of the next device work had begun"},
    {"ranks", "other_idle_ns", "other idle", UNIT_NS, 0, ACCOUNT_OTHER_IDLE, 1,
     "idle_ns - host_wait_ns - kernel_wait_ns"},
    {"ranks", "kernel_sum_ns", "kernels summed", UNIT_NS, COLUMN_DETAIL, ACCOUNT_KERNEL_SUM, 1,
     "sum of the durations of all kernels; exceeds the span where streams overlap, so no wall time"},

    {"steps", "rank", "rank", UNIT_NONE, 0, 0, 0, "as in `ranks`"},
    {"steps", "device", "device", UNIT_NONE, 0, 0, 0, "as in `ranks`"},
    {"steps", "step", "step", UNIT_NONE, 0, 0, 0, "N of ProfilerStep#N; without such annotations counted from 0"},
    {"steps", "start_ns", "start", UNIT_NS, COLUMN_DETAIL, 0, 0,
     "start of the step on the host, from the trace's start"},
    {"steps", "wall_ns", "step time", UNIT_NS, 0, ACCOUNT_PART, PARTS,
     "start of the next step - start of this one; the last ends with its annotation or the last device work launched "
     "in it"},
    {.table = "steps"},
    {"steps", "launched_compute_ns", "compute launched", UNIT_NS, 0, ACCOUNT_LAUNCHED_COMPUTE, 1,
     "length of the union of compute kernels whose launch call began in the step, wherever they ran"},

    {"idle", "cause", "cause", UNIT_NONE, COLUMN_DETAIL, 0, 0, "an idle part of the step"},
    {"idle", "title", "why", UNIT_NONE, 0, 0, 0, "the cause in words"},
    {"idle", "stretches", "times", UNIT_COUNT, COLUMN_SUM, 0, 0,
     "number of stretches: idle time of the cause without a break"},
    {"idle", "total_ns", "in all", UNIT_NS, COLUMN_SUM, PART_BLOCKED, IDLE_CAUSES,
     "sum of the part over the steps of all ranks"},
    {"idle", "mean_ns", "a step", UNIT_NS, COLUMN_SUM, 0, 0, "total_ns / rows of `steps`"},
    {"idle", "share", "share of idle", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, 0, 0,
     "total_ns / sum of total_ns over the causes"},
    {"idle", "longest_ns", "longest", UNIT_NS, 0, 0, 0, "length of the longest stretch"},
    {"idle", "longest_rank", "on rank", UNIT_NONE, COLUMN_DETAIL, 0, 0, "rank of the longest stretch"},
    {"idle", "longest_event", "event", UNIT_NONE, COLUMN_DETAIL, 0, 0,
     "id of the host event that it began in, else of the device work that was waited for"},
    {"idle", "longest_title", "in", UNIT_NONE, COLUMN_WIDE, 0, 0,
     "name of that event; of a kernel the part that tells it from others"},
    {"idle", "longest_in", "in", UNIT_NONE, COLUMN_DETAIL, 0, 0, "name of that event as recorded"},

    {"blocked", "call", "blocked in", UNIT_NONE, COLUMN_WIDE, 0, 0, "the synchronisation or blocking copy"},
    {"blocked", "operator", "operator", UNIT_NONE, COLUMN_WIDE, 0, 0, "the innermost operator around it"},
    {"blocked", "python", "called from", UNIT_NONE, COLUMN_WIDE | COLUMN_ANSWER, 0, 0,
     "the innermost Python frame around it, or the line where recorded"},
    {"blocked", "stretches", "times", UNIT_COUNT, COLUMN_SUM, 0, 0, "number of pieces of idle time inside such calls"},
    {"blocked", "total_ns", "in all", UNIT_NS, COLUMN_PART, PART_BLOCKED, 1, "idle time inside such calls"},
    {"blocked", "mean_ns", "a step", UNIT_NS, COLUMN_ANSWER | COLUMN_SUM, 0, 0, "total_ns / rows of `steps`"},
    {"blocked", "longest_ns", "longest", UNIT_NS, 0, 0, 0, "the longest of the pieces"},
    {"blocked", "longest_rank", "on rank", UNIT_NONE, COLUMN_DETAIL, 0, 0, "its rank"},
    {"blocked", "longest_event", "event", UNIT_NONE, COLUMN_DETAIL, 0, 0, "id of its call"},

    {"overlap", "rank", "rank", UNIT_NONE, 0, 0, 0, "as in `ranks`"},
    {"overlap", "device", "device", UNIT_NONE, 0, 0, 0, "as in `ranks`"},
    {"overlap", "work", "this", UNIT_NONE, 0, 0, 0, "the class that may be hidden"},
    {"overlap", "under", "under this", UNIT_NONE, 0, 0, 0, "the class that hides it"},
    {"overlap", "total_ns", "in all", UNIT_NS, 0, ACCOUNT_COPY, 1,
     "length of the union of the first class over the whole trace or selection"},
    {"overlap", "overlapped_ns", "overlapped", UNIT_NS, 0, ACCOUNT_COMMUNICATION_UNDER_COMPUTE, 3,
     "length of the intersection of both unions"},
    {"overlap", "ratio", "ratio", UNIT_RATIO, COLUMN_BAR, 0, 0, "overlapped_ns / total_ns; null if total_ns is 0"},

    {"copies", "direction", "direction", UNIT_NONE, 0, 0, 0,
     "H2D to the device, D2H from it, D2D within it, P2P between two, H2H on the host"},
    {"copies", "memory", "host memory", UNIT_NONE, 0, 0, 0, "pinned, pageable or unknown; of the host's side"},
    {"copies", "count", "copies", UNIT_COUNT, 0, 0, 0,
     "copies that start in the whole trace or selection, over all ranks"},
    {"copies", "bytes", "bytes", UNIT_BYTES, 0, ACCOUNT_COPY_BYTES, COPY_PARTS, "sum of their bytes"},
    {"copies", "time_ns", "time", UNIT_NS, 0, ACCOUNT_COPY_TIME, COPY_PARTS, "sum of their durations"},
    {"copies", "measured_ns", "measured", UNIT_NS, COLUMN_DETAIL, ACCOUNT_COPY_MEASURED, COPY_PARTS,
     "sum of the durations of those copies whose bytes are recorded"},
    {"copies", "bytes_per_s", "bandwidth", UNIT_BYTES_PER_S, 0, 0, 0,
     "bytes / measured_ns; null if no bytes are recorded"},
    {"copies", "exposed_ns", "exposed", UNIT_NS, 0, PART_FIRST_COPY, COPY_PARTS,
     "sum of the part exposed_copy_... over the steps of all ranks"},

    {"phases", "phase", "phase", UNIT_NONE, 0, 0, 0,
     "forward, backward, optimizer; none: in no operator, or launched in none"},
    {"phases", "device_ns", "device a step", UNIT_NS, 0, ACCOUNT_PHASE_DEVICE, PHASES,
     "device busy with work launched in the phase, within the steps (forward before backward before optimizer) / rows "
     "of `steps`"},
    {"phases", "device_share", "share", UNIT_RATIO, COLUMN_BAR, 0, 0, "device_ns / sum of device_ns over the phases"},
    {"phases", "host_ns", "host a step", UNIT_NS, 0, ACCOUNT_PHASE_HOST, PHASES,
     "time of the steps in which the training loop's thread (or the backward thread while that is in no event) is in "
     "an operator of the phase / rows of `steps`"},
    {"phases", "host_share", "share", UNIT_RATIO, COLUMN_BAR, 0, 0, "host_ns / mean of wall_ns"},

    {"four_parts", "part", "part", UNIT_NONE, COLUMN_DETAIL, 0, 0,
     "a part of the cluster framework: T = T_input + T_compute + T_memory + T_weights, without overlap"},
    {"four_parts", "title", "what", UNIT_NONE, 0, 0, 0, "the part in words"},
    {"four_parts", "mean_ns", "a step", UNIT_NS, 0, ACCOUNT_INPUT_COPY, 4,
     "length of the union of the part's device work within the steps / rows of `steps`"},
    {"four_parts", "share", "share", UNIT_RATIO, COLUMN_BAR, 0, 0, "mean_ns / sum of mean_ns over the four parts"},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* Quotients, means and counts: the numbers with accounts that they are made of. */
static const struct {
    const char *id, *parts; /* ids with a blank between them */
} made[] = {
    {"parts.mean_ns", "steps.wall_ns"},
    {"parts.share", "steps.wall_ns"},
    {"parts.min_ns", "steps.wall_ns"},
    {"parts.max_ns", "steps.wall_ns"},
    {"ranks.device_events", "ranks.kernel_sum_ns ranks.memory_ns"},
    {"ranks.busy_share", "ranks.busy_ns ranks.span_ns"},
    {"idle.stretches", "idle.total_ns"},
    {"idle.mean_ns", "idle.total_ns"},
    {"idle.share", "idle.total_ns"},
    {"idle.longest_ns", "idle.total_ns"},
    {"blocked.stretches", "blocked.total_ns"},
    {"blocked.mean_ns", "blocked.total_ns"},
    {"blocked.longest_ns", "blocked.total_ns"},
    {"overlap.total_ns", "ranks.communication_ns"},
    {"overlap.ratio", "overlap.overlapped_ns overlap.total_ns ranks.communication_ns"},
    {"copies.count", "copies.time_ns"},
    {"copies.bytes_per_s", "copies.bytes copies.measured_ns"},
    {"phases.device_share", "phases.device_ns"},
    {"phases.host_share", "phases.host_ns steps.wall_ns"},
    {"four_parts.share", "four_parts.mean_ns"},
};

static struct definition of_part(struct arena *arena, enum part part)
{
    const char *column = str_z(arena, str_printf(arena, "%s_ns", part_id(part)));
    const char *formula = str_z(arena, str_printf(arena, "time of the step in which %s", part_meaning(part)));
    return (struct definition){"steps", column, part_title(part), UNIT_NS, 0, ACCOUNT_PART + (int)part, 1, formula};
}

const struct definition *definitions_all(struct arena *arena, uint32_t *count)
{
    struct definition *all = arena_array(arena, ROWS + PARTS, sizeof *all);
    uint32_t n = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        if (rows[i].column)
            all[n++] = rows[i];
        for (int part = 0; part < PARTS && !rows[i].column; part++)
            all[n++] = of_part(arena, (enum part)part);
    }
    *count = n;
    return all;
}

str definition_id(const struct definition *definition, struct arena *arena)
{
    return str_printf(arena, "%s.%s", definition->table, definition->column);
}

bool definition_made_of(const struct definition *definition, str id)
{
    struct arena scratch = {0};
    const str whole = definition_id(definition, &scratch);
    bool found = false;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        str rest = str_eq(whole, str_of(made[i].id)) ? str_of(made[i].parts) : S("");
        for (str part; str_cut(&rest, ' ', &part);)
            found |= str_eq(part, id);
    }
    arena_free(&scratch);
    return found;
}

bool definition_matches(const struct definition *definition, str word)
{
    return explain_means(str_of(definition->table), str_of(definition->column), word);
}

static unsigned flags_of(const struct definition *definition, const bool *shown)
{
    const bool part =
        definition->accounts == 1 && definition->account < PARTS && str_eq(str_of(definition->table), S("steps"));
    return part && shown && !shown[definition->account] ? COLUMN_DETAIL : definition->flags;
}

struct table *definitions_table(struct report *report, struct section *section, const char *id, const char *title,
                                const bool *shown)
{
    uint32_t count;
    const struct definition *all = definitions_all(report_arena(report), &count);
    struct table *table = section_table(section, id, title);
    for (uint32_t i = 0; i < count; i++)
        if (str_eq(str_of(all[i].table), str_of(id)))
            table_column(table, (struct column_spec){all[i].column, all[i].title, all[i].unit, flags_of(&all[i], shown),
                                                     all[i].formula});
    return table;
}
