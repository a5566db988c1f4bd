/* SPDX-License-Identifier: Apache-2.0 */
#include "summary_top.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sum.h"
#include "breakdown/kernels/kernels.h"
#include "breakdown/kernels/operators.h"

enum { MOST_ROWS = 5 };

/* ---- one rank ---- */

static struct top top_new(str name, str title, str kind, struct arena *arena)
{
    return (struct top){.name = str_copy(arena, name), .title = str_copy(arena, title), .kind = str_copy(arena, kind)};
}

struct tops tops_of_operators(const struct operators *operators, struct arena *arena)
{
    struct tops tops = {.device_ns = operators->busy_ns, .host_ns = operators->host_self_ns};
    tops.at = arena_array(arena, operators->count, sizeof *tops.at);
    for (uint32_t i = 0; i < operators->count; i++) {
        const struct operator_group *group = &operators->groups[i];
        struct top *top = &tops.at[tops.count++];
        *top = top_new(group->name, group->title, group->family, arena);
        top->device_ns = group->device_self_ns;
        top->host_ns = group->host_self_ns;
        top->times = group->dur_ns.count;
    }
    return tops;
}

struct tops tops_of_kernels(const struct kernels *kernels, struct arena *arena)
{
    struct tops tops = {.device_ns = kernels->busy_ns};
    tops.at = arena_array(arena, kernels->groups.count, sizeof *tops.at);
    for (uint32_t i = 0; i < kernels->groups.count; i++) {
        const struct kernel_group *group = &kernels->groups.at[i];
        struct top *top = &tops.at[tops.count++];
        *top = top_new(group->name, group->title, group->class, arena);
        top->device_ns = group->total_ns;
        top->times = group->dur_ns.count;
    }
    return tops;
}

/* ---- all ranks ---- */

struct sum {
    struct top of;                  /* the names of the last */
    int64_t ns, device_ns, host_ns; /* ns: the one that is shown */
    uint64_t times;
};

static void add(struct top_sums *sums, const struct top *top)
{
    const uint32_t id = intern_id(sums->names, top->name), count = intern_count(sums->names);
    const size_t before = sums->room;
    sums->at = mem_grow(sums->at, &sums->room, count, sizeof *sums->at);
    if (sums->room > before)
        memset(sums->at + before, 0, (sums->room - before) * sizeof *sums->at);
    struct sum *sum = &sums->at[id];
    sum->of = *top;
    sum_to(&sum->device_ns, top->device_ns);
    sum_to(&sum->host_ns, top->host_ns);
    sum->times += top->times;
}

static int longest_first(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return x->ns ? str_cmp(x->of.name, y->of.name) : 0;
}

static const struct column_spec put_columns[] = {
    {"per_step", "times a step", UNIT_NONE, COLUMN_PLAIN, "calls of the operator, or pieces of device work, a step"},
    {"per_step_ns", "a step", UNIT_NS, COLUMN_PLAIN,
     "of an operator the device work launched by itself (without a device its own host time), of a kernel its time; a step"},
    {0},
};

static void put(struct top_sums *sums, bool device, struct section *section, const char *id, const char *what,
                const char *kind, const char *share_of, uint32_t steps)
{
    struct table *table = section_table(section, id, "");
    table_column(table,
                 (struct column_spec){"title", what, UNIT_NONE, COLUMN_WIDE, "the name as a person would say it"});
    table_column(table,
                 (struct column_spec){"name", "recorded name", UNIT_NONE, COLUMN_DETAIL, "the name as recorded"});
    table_column(table, (struct column_spec){"kind", kind, UNIT_NONE, COLUMN_PLAIN,
                                             "of an operator its family, of a kernel its class"});
    table_columns(table, put_columns);
    table_column(
        table,
        (struct column_spec){
            "share", share_of, UNIT_RATIO, COLUMN_BAR,
            "of the busy time of the device (`kernels.busy_ns`); of operators without a device of all their own host time"});
    const uint32_t names = intern_count(sums->names), count = names < sums->room ? names : (uint32_t)sums->room;
    const int64_t whole_ns = device ? sums->device_ns : sums->host_ns;
    for (uint32_t i = 0; i < count; i++)
        sums->at[i].ns = device ? sums->at[i].device_ns : sums->at[i].host_ns;
    if (count)
        qsort(sums->at, count, sizeof *sums->at, longest_first);
    for (uint32_t i = 0; i < MOST_ROWS && i < count && sums->at[i].ns > 0; i++) {
        const struct sum *sum = &sums->at[i];
        table_row(table);
        table_text(table, sum->of.title);
        table_text(table, sum->of.name);
        table_text(table, sum->of.kind);
        table_real(table, (double)sum->times / steps);
        table_int(table, llround((double)sum->ns / steps));
        table_real(table, (double)sum->ns / (double)whole_ns);
    }
}

static void add_all(struct top_sums *sums, const struct tops *tops)
{
    for (uint32_t i = 0; i < tops->count; i++)
        add(sums, &tops->at[i]);
    sum_to(&sums->device_ns, tops->device_ns);
    sum_to(&sums->host_ns, tops->host_ns);
}

struct tops_adding tops_open(void)
{
    return (struct tops_adding){{.names = intern_new()}, {.names = intern_new()}};
}

void tops_add(struct tops_adding *adding, const struct tops *operators, const struct tops *kernels)
{
    add_all(&adding->operators, operators);
    add_all(&adding->kernels, kernels);
}

static void sums_free(struct top_sums *sums)
{
    intern_free(sums->names);
    mem_free(sums->at);
}

void tops_show(struct tops_adding *adding, uint32_t steps, bool device, struct report *report)
{
    if (steps) {
        adding->operators.device_ns = adding->kernels.device_ns; /* of all device work */
        put(&adding->operators, device,
            report_section(report, "top_operators",
                           device ? "Operators by GPU time" : "Operators by time of their own"),
            "top_operators", "operator", "family", device ? "of busy" : "of all", steps);
    }
    if (steps && device)
        put(&adding->kernels, true, report_section(report, "top_kernels", "Kernels by GPU time"), "top_kernels",
            "kernel", "class", "of busy", steps);
    sums_free(&adding->operators);
    sums_free(&adding->kernels);
}
