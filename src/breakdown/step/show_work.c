/* SPDX-License-Identifier: Apache-2.0 */
/* What the device did: overlaps, copies, phases of training, the four parts of the cluster framework. */
#include "breakdown_show.h"
#include "definitions.h"

/* ---- overlaps ---- */

static const struct {
    const char *work, *under;
    enum account total, overlapped;
} overlaps[] = {
    {"communication", "compute", ACCOUNT_COMMUNICATION, ACCOUNT_COMMUNICATION_UNDER_COMPUTE},
    {"copies", "compute", ACCOUNT_COPY, ACCOUNT_COPY_UNDER_COMPUTE},
    {"copies", "communication", ACCOUNT_COPY, ACCOUNT_COPY_UNDER_COMMUNICATION},
};

static void overlap_rows(const struct shown_device *row, struct table *table)
{
    const int64_t *total = row->device->total;
    for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps && row->device->recorded; i++) {
        table_row(table);
        table_int(table, row->rank->rank);
        table_int(table, row->device->device);
        table_text(table, str_of(overlaps[i].work));
        table_text(table, str_of(overlaps[i].under));
        table_int(table, total[overlaps[i].total]);
        table_int(table, total[overlaps[i].overlapped]);
        table_cell(table, cell_ratio((double)total[overlaps[i].overlapped], (double)total[overlaps[i].total]));
    }
}

static void show_overlap(const struct shown *shown)
{
    struct section *section = report_section(shown->report, "overlap", "What runs at the same time");
    struct table *table = definitions_table(shown->report, section, "overlap", "", NULL);
    for (uint32_t i = 0; i < shown->count; i++)
        overlap_rows(&shown->rows[i], table);
}

/* ---- copies ---- */

struct copy_kind {
    enum copy_direction direction;
    enum host_memory memory;
};

static struct copy_kind copy_kind(enum part part)
{
    for (int direction = 0; direction < COPY_DIRECTIONS; direction++)
        for (int memory = 0; memory < HOST_MEMORIES; memory++)
            if (part_of_copy((enum copy_direction)direction, (enum host_memory)memory) == part)
                return (struct copy_kind){(enum copy_direction)direction,
                                          direction <= COPY_D2H ? (enum host_memory)memory : HOST_UNKNOWN};
    return (struct copy_kind){COPY_UNKNOWN, HOST_UNKNOWN};
}

static void copy_row(const struct shown *shown, struct table *table, int kind)
{
    const struct copy_kind words = copy_kind(PART_FIRST_COPY + (enum part)kind);
    const double bytes = (double)shown_total(shown, ACCOUNT_COPY_BYTES + kind);
    const int64_t measured_ns = shown_total(shown, ACCOUNT_COPY_MEASURED + kind);
    uint64_t count = 0;
    for (uint32_t i = 0; i < shown->count; i++)
        count += shown->rows[i].device->copies[kind];
    if (!count)
        return;
    table_row(table);
    table_text(table, copy_direction_word(words.direction));
    table_text(table, host_memory_word(words.memory));
    table_int(table, (int64_t)count);
    table_int(table, (int64_t)bytes);
    table_int(table, shown_total(shown, ACCOUNT_COPY_TIME + kind));
    table_int(table, measured_ns);
    table_cell(table, cell_ratio(bytes * 1e9, (double)measured_ns));
    table_int(table, shown_total(shown, PART_FIRST_COPY + kind));
}

static void show_copies(const struct shown *shown)
{
    struct section *section = report_section(shown->report, "copies", "Copies");
    struct table *table = definitions_table(shown->report, section, "copies", "", NULL);
    for (int kind = 0; kind < COPY_PARTS; kind++)
        copy_row(shown, table, kind);
}

/* ---- phases ---- */

static void show_phases(const struct shown *shown)
{
    struct section *section = report_section(shown->report, "phases", "Forward, backward, optimizer");
    struct table *table = definitions_table(shown->report, section, "phases", "", NULL);
    int64_t device = 0;
    for (int phase = 0; phase < PHASES; phase++)
        device += shown_total(shown, ACCOUNT_PHASE_DEVICE + phase);
    for (int phase = 0; phase < PHASES && shown->step_rows; phase++) {
        const double busy = (double)shown_total(shown, ACCOUNT_PHASE_DEVICE + phase);
        const double host = (double)shown_total(shown, ACCOUNT_PHASE_HOST + phase);
        table_row(table);
        table_text(table, phase_word((enum phase)phase));
        table_cell(table, shown->device ? cell_real(busy / shown->step_rows) : cell_null());
        table_cell(table, cell_ratio(busy, (double)device));
        table_real(table, host / shown->step_rows);
        table_cell(table, cell_ratio(host, (double)shown->wall_ns));
    }
}

/* ---- the cluster framework ---- */

static const struct {
    const char *part, *title;
} four_parts[] = {
    {"input_copy", "input: copies from host to device"},
    {"compute_bound", "compute-bound: matrix products, convolutions, attention"},
    {"memory_bound", "memory-bound: all other kernels, copies on the device, memsets"},
    {"weight_communication", "weights: communication kernels, copies between devices"},
};

static void show_four_parts(const struct shown *shown)
{
    struct section *section = report_section(shown->report, "four_parts", "The four parts of the cluster framework");
    struct table *table = definitions_table(shown->report, section, "four_parts", "", NULL);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)shown_total(shown, ACCOUNT_INPUT_COPY + i);
    for (int i = 0; i < 4 && shown->step_rows; i++) {
        const double ns = (double)shown_total(shown, ACCOUNT_INPUT_COPY + i);
        table_row(table);
        table_text(table, str_of(four_parts[i].part));
        table_text(table, str_of(four_parts[i].title));
        table_real(table, ns / shown->step_rows);
        table_cell(table, cell_ratio(ns, sum));
    }
}

void show_work(const struct shown *shown)
{
    show_phases(shown);
    if (!shown->device)
        return;
    show_overlap(shown);
    show_copies(shown);
    show_four_parts(shown);
}
