/* SPDX-License-Identifier: Apache-2.0 */
#include "table_show.h"

#include "base/error.h"

bool job_table_any(const struct job_table_result *result, const char *path, struct steptime_error *err)
{
    const struct dropped_row *first = &result->dropped.told[0];
    return result->taken || !result->dropped.count ||
           fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no row can be used; line %llu %.*s",
                   (unsigned long long)first->line, (int)first->why.len, first->why.at);
}

void table_show_dropped(const char *path, const struct job_table_result *result, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct job_table_dropped *dropped = &result->dropped;
    report_input(report, (struct report_input){.path = str_of(path),
                                               .format = result->columns.format,
                                               .events = -1,
                                               .bytes = -1,
                                               .repaired = 0,
                                               .dropped = (int64_t)dropped->count});
    for (uint64_t i = 0; i < dropped->count && i < DROPPED_TOLD; i++)
        report_warning(report, str_of(path), -1,
                       str_printf(arena, "line %llu: %.*s; the row is dropped",
                                  (unsigned long long)dropped->told[i].line, (int)dropped->told[i].why.len,
                                  dropped->told[i].why.at));
    if (dropped->count > DROPPED_TOLD)
        report_warning(
            report, str_of(path), -1,
            str_printf(arena, "%llu more rows are dropped", (unsigned long long)(dropped->count - DROPPED_TOLD)));
    if (result->damage.len)
        report_warning(report, str_of(path), -1, result->damage);
}
