/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_show.h"

#include "report/measure.h"

/* "arithmetic, bf16"; of the paper plain "arithmetic". */
static str title_of(const struct cluster *cluster, enum resource resource, struct arena *arena)
{
    static const char *const titles[RESOURCES] = {"arithmetic", "GPU memory", "PCIe", "GPU links", "network"};
    if (resource != RESOURCE_FLOPS || cluster->peak[cluster->precision] <= 0)
        return str_of(titles[resource]);
    const str precision = hw_key_word((enum hw_key)(HW_FP32 + (int)cluster->precision));
    return str_printf(arena, "arithmetic, %.*s", (int)precision.len, precision.at);
}

static str rate_text(const struct cluster *cluster, enum resource resource, struct arena *arena)
{
    const enum unit unit = resource == RESOURCE_FLOPS ? UNIT_FLOP_PER_S : UNIT_BYTES_PER_S;
    return cluster->rate[resource] > 0 ? measure_whole_text(arena, unit, cluster->rate[resource], false) : S("none");
}

static void put_resource(struct table *table, const struct cluster *cluster, enum resource resource,
                         struct arena *arena)
{
    table_row(table);
    table_text(table, resource_word(resource));
    table_text(table, title_of(cluster, resource, arena));
    table_text(table, rate_text(cluster, resource, arena));
    table_real(table, cluster->rate[resource]);
    table_real(table, cluster->efficiency[resource]);
    table_text(table, cluster->source[resource]);
    table_text(table, cluster->assumed[resource] ? S("not known: the paper's") : S(""));
}

static const struct column_spec cluster_show_columns[] = {
    {"resource", "resource", UNIT_NONE, COLUMN_DETAIL, "resource of the cluster"},
    {"what", "of", UNIT_NONE, 0, "the resource in words"},
    {"rate", "rate", UNIT_NONE, 0, "its rate as people say it"},
    {"rate_per_s", "rate a second", UNIT_NONE, COLUMN_DETAIL, "its rate in units a second"},
    {"efficiency", "efficiency", UNIT_RATIO, 0, "share of the rate that jobs get"},
    {"source", "efficiency from", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "where the efficiency comes from"},
    {"assumed", "rate assumed", UNIT_NONE, 0, "yes where the rate is assumed and not given"},
    {0},
};

void cluster_show(const struct cluster *cluster, const char *id, const char *title, struct report *report)
{
    struct section *section = report_section(report, id, title);
    struct table *table = section_table(section, id, "");
    table_columns(table, cluster_show_columns);
    for (int i = 0; i < RESOURCES; i++)
        put_resource(table, cluster, (enum resource)i, report_arena(report));
}
