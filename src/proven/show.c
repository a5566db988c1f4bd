/* SPDX-License-Identifier: Apache-2.0 */
#include "proven.h"
#include "report/report.h"
#include "sites.h"

static const struct column_spec columns[] = {
    {"file", "file", UNIT_NONE, COLUMN_WIDE, "of the line"},
    {"line", "line", UNIT_COUNT, 0, "of the script's own code that comes to the wait"},
    {"kind", "kind", UNIT_NONE, 0,
     "item, number, index, bool, print, tolist, numpy, cpu: read back; shape: a size that depends on values; library: an operator "
     "that looks itself; upload, built, host-index: copied to the device; sync: on purpose"},
    {"call", "call", UNIT_NONE, 0, "what was called there"},
    {"waits", "waits", UNIT_COUNT, 0, "for the device, a step"},
    {"busy", "with work", UNIT_COUNT, 0, "of these, with more than next to nothing queued; a step"},
    {"queued", "queued", UNIT_COUNT, 0, "operators launched since the wait before, where it had work; mean"},
    {"bytes", "bytes", UNIT_BYTES, COLUMN_DETAIL, "that are copied; mean of a wait"},
    {"rule", "rule", UNIT_NONE, 0, "of a finding there; empty: none names this wait"},
    {"via", "via", UNIT_NONE, COLUMN_DETAIL, "the line within a package that waits, where it is one"},
    {0},
};

static void put_row(struct table *table, const struct wait_sites *sites, const struct wait_site *site)
{
    const double rounds = (double)sites->rounds;
    table_row(table);
    table_text(table, site->path);
    table_int(table, site->line);
    table_text(table, str_of(dry_wait_word(site->kind)));
    table_text(table, site->call);
    table_real(table, (double)site->count / rounds);
    table_real(table, (double)site->busy / rounds);
    table_cell(table, cell_ratio((double)site->queued, (double)site->busy));
    table_int(table, site->bytes / site->count);
    table_text(table, str_of(site->rule ? site->rule : ""));
    table_text(table, site->via);
}

static uint32_t count_unnamed(const struct wait_sites *sites)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sites->count; i++)
        count += sites->at[i].count && !sites->at[i].rule;
    return count;
}

static void put_table(struct section *section, const struct wait_sites *sites, const char *id, const char *title,
                      bool all)
{
    struct table *const table = section_table(section, id, title);
    table_columns(table, columns);
    if (all)
        table_json_only(table);
    for (uint32_t i = 0; i < sites->count; i++)
        if (sites->at[i].count && (all || !sites->at[i].rule))
            put_row(table, sites, &sites->at[i]);
}

static void put_values(struct section *section, const struct proven *proven)
{
    static const struct {
        enum verdict verdict;
        const char *id, *title;
    } rows[] = {
        {VERDICT_SEEN, "proven", "findings proven"},
        {VERDICT_EMPTIED, "emptied", "that wait for an empty device"},
        {VERDICT_FOLLOWED, "followed", "right before a wait that stays"},
        {VERDICT_RARE, "rare", "in few of the steps"},
        {VERDICT_WITHOUT, "without", "that ran and waited for nothing"},
        {VERDICT_UNREACHED, "unreached", "to which the steps do not come"},
        {VERDICT_DOUBTFUL, "doubtful", "the same, where a stand-in chose the way"},
    };
    section_value(section, "steps", "steps made without data", UNIT_COUNT, cell_int(proven->steps));
    section_value(section, "rounds", "rounds from step to step", UNIT_COUNT, cell_int(proven->rounds));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        section_value(section, rows[i].id, rows[i].title, UNIT_COUNT, cell_int(proven->verdicts[rows[i].verdict]));
    section_value(section, "from_dry", "that no rule finds in the source", UNIT_COUNT, cell_int(proven->from_dry));
    section_value(section, "foreign_waits", "waiting lines in files that are not linted", UNIT_COUNT,
                  cell_int(proven->foreign_waits));
    section_value(section, "branches", "branches on stand-ins", UNIT_COUNT, cell_int((int64_t)proven->branches));
}

void proven_show(const struct proven *proven, struct report *report)
{
    if (!proven->is_used) {
        report_warning(report, proven->command, -1, proven->why_not);
        return;
    }
    struct section *const section = report_section(report, "dry_run", "A dry run");
    put_values(section, proven);
    put_table(section, proven->sites, "waits", "Waits of a step", true);
    if (proven->untold)
        report_warning(report, proven->command, -1,
                       str_printf(report_arena(report), "%u more waits that no rule finds are told in the table alone",
                                  proven->untold));
    if (proven->sites->waits->dropped)
        report_warning(report, proven->command, -1,
                       str_printf(report_arena(report),
                                  "%lld waits more were not noted: the last steps are counted short",
                                  (long long)proven->sites->waits->dropped));
    if (proven->sites->waits->lines_short)
        report_warning(report, proven->command, -1,
                       S("more lines ran than are noted: that steps do not come to a line is not sure"));
    if (count_unnamed(proven->sites)) {
        struct section *const more = report_section(report, "unnamed_waits", "Waits that no finding names");
        section_text(more,
                     S("Lines at which the host waits for the device in the steps: it may need the value there, or a "
                       "package does it; those with nothing queued cost nothing."));
        put_table(more, proven->sites, "unnamed_waits", "", false);
    }
}
