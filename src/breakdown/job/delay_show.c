/* SPDX-License-Identifier: Apache-2.0 */
/* Delay costs as a table. */
#include "delay_show.h"

#include "kind_words.h"

static const struct column_spec columns[] = {
    {"rank", "rank", UNIT_NONE, COLUMN_PLAIN, "the rank that the others waited for"},
    {"class", "class", UNIT_NONE, COLUMN_DETAIL,
     "what it did longer than those who waited: a class of `critical-path`, transfer"},
    {"cause", "cause", UNIT_NONE, COLUMN_DETAIL,
     "of the host, where one stands over its calls; see the causes of host time"},
    {"title", "what it did longer", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "the cause in words, else the class"},
    {"phase", "phase", UNIT_NONE, COLUMN_PLAIN, "forward, backward, optimizer; empty where it is not known"},
    {"name", "most in", UNIT_NONE, COLUMN_WIDE | COLUMN_ANSWER,
     "of pieces of 1 ms or more the event, or the range around them"},
    {"cost_ns", "others waited", UNIT_NS, COLUMN_SUM | COLUMN_ANSWER,
     "short_ns + long_ns: rank time, over all ranks that waited"},
    {"share", "of all waiting", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "cost_ns / all_waiting_ns"},
    {"short_ns", "in the next collective", UNIT_NS, COLUMN_DETAIL, "waiting for this rank itself"},
    {"long_ns", "further on", UNIT_NS, COLUMN_DETAIL, "waiting for ranks that had waited for it"},
    {0},
};

void delay_show(const struct job *job, struct report *report)
{
    if (!job->lined || !job->delays.waiting_ns)
        return;
    struct section *section = report_section(report, "delay_costs", "What the waiting is due to");
    section_value(section, "all_waiting_ns", "waiting, summed over all ranks", UNIT_NS,
                  cell_int(job->delays.waiting_ns));
    struct table *table = section_table(section, "delay_costs", "");
    table_columns(table, columns);
    for (uint32_t i = 0; i < job->delays.count; i++) {
        const struct delay_cost *cost = &job->delays.at[i];
        const struct line_kind *kind = &job->lines.kinds[cost->kind];
        const int64_t ns = cost->short_ns + cost->long_ns;
        table_row(table);
        table_int(table, job->ranks.at[cost->rank]->rank);
        kind_cells(kind, table);
        table_int(table, ns);
        table_real(table, (double)ns / (double)job->delays.waiting_ns);
        table_int(table, cost->short_ns);
        table_int(table, cost->long_ns);
    }
}
