/* SPDX-License-Identifier: Apache-2.0 */
/* Why the device was idle: causes over all ranks, and the calls that blocked the host. */
#include <stdlib.h>

#include "base/sum.h"
#include "breakdown_show.h"
#include "definitions.h"

/* ---- causes ---- */

struct cause {
    uint64_t stretches;
    const struct breakdown_idle *longest;
    int64_t longest_rank;
};

static struct cause cause_of(const struct shown *shown, int part)
{
    struct cause cause = {0};
    for (uint32_t i = 0; i < shown->count; i++) {
        const struct breakdown_idle *idle = &shown->rows[i].device->idle[part];
        cause.stretches += idle->stretches;
        if (idle->stretches && (!cause.longest || idle->longest_ns > cause.longest->longest_ns)) {
            cause.longest = idle;
            cause.longest_rank = shown->rows[i].rank->rank;
        }
    }
    return cause;
}

static void cause_row(const struct shown *shown, struct table *table, enum part part, int64_t idle_ns)
{
    const struct cause cause = cause_of(shown, (int)part);
    if (!cause.longest)
        return;
    const bool event = cause.longest->longest_row != ROW_NONE;
    table_row(table);
    table_text(table, str_of(part_id(part)));
    table_text(table, str_of(part_title(part)));
    table_int(table, (int64_t)cause.stretches);
    table_int(table, shown->part_ns[part]);
    table_real(table, (double)shown->part_ns[part] / shown->step_rows);
    table_cell(table, cell_ratio((double)shown->part_ns[part], (double)idle_ns));
    table_int(table, cause.longest->longest_ns);
    table_int(table, cause.longest_rank);
    table_cell(table, event ? cell_int(cause.longest->longest_row) : cell_null());
    table_text(table, cause.longest->longest_title);
    table_text(table, cause.longest->longest_name);
}

static void show_causes(const struct shown *shown, struct section *section)
{
    struct table *table = definitions_table(shown->report, section, "idle", "", NULL);
    int64_t idle = 0;
    for (int part = PART_BLOCKED; part <= PART_UNKNOWN; part++)
        idle += shown->part_ns[part];
    for (int part = PART_BLOCKED; part <= PART_UNKNOWN; part++)
        cause_row(shown, table, (enum part)part, idle);
}

/* ---- calls that blocked ---- */

struct blocker {
    struct breakdown_blocking sum;
    int64_t longest_rank;
};

static void add(struct blocker *to, const struct breakdown_blocking *from, int64_t rank)
{
    if (from->longest_ns > to->sum.longest_ns) {
        to->sum.longest_ns = from->longest_ns;
        to->sum.longest_row = from->longest_row;
        to->longest_rank = rank;
    }
    to->sum.stretches += from->stretches;
    sum_to(&to->sum.total_ns, from->total_ns);
}

static int by_texts(const void *a, const void *b)
{
    const struct breakdown_blocking *x = &((const struct blocker *)a)->sum, *y = &((const struct blocker *)b)->sum;
    const int call = str_cmp(x->call, y->call), op = str_cmp(x->op, y->op);
    return call ? call : op ? op : str_cmp(x->frame, y->frame);
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = ((const struct blocker *)a)->sum.total_ns, y = ((const struct blocker *)b)->sum.total_ns;
    return x != y ? (x < y) - (x > y) : by_texts(a, b);
}

/* The sums of all ranks, those of one kind joined, largest first. */
static struct blocker *blockers_of(const struct shown *shown, uint32_t *count)
{
    uint32_t all = 0, kept = 0;
    for (uint32_t i = 0; i < shown->count; i++)
        all += shown->rows[i].device->blocking_count;
    struct blocker *list = arena_array(report_arena(shown->report), all, sizeof *list);
    all = 0;
    for (uint32_t i = 0; i < shown->count; i++)
        for (uint32_t k = 0; k < shown->rows[i].device->blocking_count; k++)
            list[all++] = (struct blocker){shown->rows[i].device->blocking[k], shown->rows[i].rank->rank};
    qsort(list, all, sizeof *list, by_texts);
    for (uint32_t i = 0; i < all; i++) {
        if (kept && blocking_alike(&list[kept - 1].sum, &list[i].sum))
            add(&list[kept - 1], &list[i].sum, list[i].longest_rank);
        else
            list[kept++] = list[i];
    }
    qsort(list, kept, sizeof *list, by_time);
    *count = kept;
    return list;
}

static void show_blocked(const struct shown *shown, struct section *section)
{
    uint32_t count;
    const struct blocker *list = blockers_of(shown, &count);
    struct table *table = definitions_table(shown->report, section, "blocked", "What the host was blocked in", NULL);
    for (uint32_t i = 0; i < count; i++) {
        table_row(table);
        table_text(table, list[i].sum.call);
        table_text(table, list[i].sum.op);
        table_text(table, list[i].sum.frame);
        table_int(table, (int64_t)list[i].sum.stretches);
        table_int(table, list[i].sum.total_ns);
        table_real(table, (double)list[i].sum.total_ns / shown->step_rows);
        table_int(table, list[i].sum.longest_ns);
        table_int(table, list[i].longest_rank);
        table_int(table, list[i].sum.longest_row);
    }
}

void show_idle(const struct shown *shown)
{
    if (!shown->device)
        return;
    struct section *section = report_section(shown->report, "idle", "Why the device was idle");
    show_causes(shown, section);
    show_blocked(shown, section);
}
