/* SPDX-License-Identifier: Apache-2.0 */
#include "summary_top.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sum.h"

enum { MOST_ROWS = 5 };

struct top {
    str name, title, kind; /* kind: family of an operator, class of a kernel */
    int64_t ns;
    uint64_t times;
};

struct tops {
    struct intern *names;
    struct top *at; /* by name */
    size_t room;
    int64_t whole_ns; /* what shares are of */
};

static void add(struct tops *tops, struct top part)
{
    const uint32_t id = intern_id(tops->names, part.name), count = intern_count(tops->names);
    const size_t before = tops->room;
    tops->at = mem_grow(tops->at, &tops->room, count, sizeof *tops->at);
    if (tops->room > before)
        memset(tops->at + before, 0, (tops->room - before) * sizeof *tops->at);
    struct top *top = &tops->at[id];
    top->name = part.name;
    top->title = part.title;
    top->kind = part.kind;
    sum_to(&top->ns, part.ns);
    top->times += part.times;
}

static int longest_first(const void *a, const void *b)
{
    const struct top *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return str_cmp(x->name, y->name);
}

static const struct column_spec put_columns[] = {
    {"per_step", "times a step", UNIT_NONE, COLUMN_PLAIN, "calls of the operator, or pieces of device work, a step"},
    {"per_step_ns", "a step", UNIT_NS, COLUMN_PLAIN,
     "of an operator the device work launched by itself (without a device its own host time), of a kernel its time; a step"},
    {0},
};

static void put(struct tops *tops, struct section *section, const char *id, const char *what, const char *kind,
                const char *share_of, uint32_t steps)
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
    const uint32_t names = intern_count(tops->names), count = names < tops->room ? names : (uint32_t)tops->room;
    if (count)
        qsort(tops->at, count, sizeof *tops->at, longest_first);
    for (uint32_t i = 0; i < MOST_ROWS && i < count && tops->at[i].ns > 0; i++) {
        const struct top *top = &tops->at[i];
        table_row(table);
        table_text(table, top->title);
        table_text(table, top->name);
        table_text(table, top->kind);
        table_real(table, (double)top->times / steps);
        table_int(table, llround((double)top->ns / steps));
        table_real(table, (double)top->ns / (double)tops->whole_ns);
    }
}

static struct tops tops_new(void)
{
    return (struct tops){.names = intern_new()};
}

static void tops_free(struct tops *tops)
{
    intern_free(tops->names);
    mem_free(tops->at);
}

static void show_operators(const struct summary *const *ranks, uint32_t count, uint32_t steps, bool device,
                           struct report *report)
{
    struct tops tops = tops_new();
    for (uint32_t r = 0; r < count; r++) {
        sum_to(&tops.whole_ns, device ? ranks[r]->kernels.busy_ns : ranks[r]->operators.host_self_ns);
        for (uint32_t i = 0; i < ranks[r]->operators.count; i++) {
            const struct operator_group *group = &ranks[r]->operators.groups[i];
            const int64_t ns = device ? group->device_self_ns : group->host_self_ns;
            add(&tops, (struct top){group->name, group->title, group->family, ns, group->dur_ns.count});
        }
    }
    put(&tops,
        report_section(report, "top_operators", device ? "Operators by GPU time" : "Operators by time of their own"),
        "top_operators", "operator", "family", device ? "of busy" : "of all", steps);
    tops_free(&tops);
}

static void show_kernels(const struct summary *const *ranks, uint32_t count, uint32_t steps, struct report *report)
{
    struct tops tops = tops_new();
    for (uint32_t r = 0; r < count; r++) {
        sum_to(&tops.whole_ns, ranks[r]->kernels.busy_ns);
        for (uint32_t i = 0; i < ranks[r]->kernels.groups.count; i++) {
            const struct kernel_group *group = &ranks[r]->kernels.groups.at[i];
            add(&tops, (struct top){group->name, group->title, group->class, group->total_ns, group->dur_ns.count});
        }
    }
    put(&tops, report_section(report, "top_kernels", "Kernels by GPU time"), "top_kernels", "kernel", "class",
        "of busy", steps);
    tops_free(&tops);
}

void summary_top_show(const struct summary *const *ranks, uint32_t count, uint32_t steps, bool device,
                      struct report *report)
{
    if (!steps)
        return;
    show_operators(ranks, count, steps, device, report);
    if (device)
        show_kernels(ranks, count, steps, report);
}
