/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/duration.h"
#include "check.h"

enum { NAMED = 3 }; /* differences in words */

static const struct column_spec columns[] = {
    {"operator", "operator", UNIT_NONE, COLUMN_WIDE, "operators at the top of one name"},
    {"wrong", "wrong", UNIT_NONE, 0,
     "calls: how many there are; device or host: whose time differs more; null where nothing does"},
    {"said_calls", "said", UNIT_COUNT, 0, "calls of the dry run"},
    {"real_calls", "real", UNIT_COUNT, 0, "calls of the recorded step"},
    {"said_device_us", "device said", UNIT_US, 0, "their device work as predicted"},
    {"real_device_us", "real", UNIT_US, 0, "their device work as recorded"},
    {"device_off_us", "off", UNIT_US, 0, "said_device_us - real_device_us"},
    {"said_host_us", "host said", UNIT_US, 0, "their time on the host as predicted, waits included"},
    {"real_host_us", "real", UNIT_US, 0, "the same as recorded, with what the recorder takes"},
    {"host_off_us", "off", UNIT_US, 0, "said_host_us - real_host_us"},
    {0},
};

static str wrong(const struct check_row *row)
{
    const double device = fabs(row->said_device_us - row->real_device_us);
    const double host = fabs(row->said_host_us - row->real_host_us);
    if (row->said_calls != row->real_calls)
        return S("calls");
    return device == 0 && host == 0 ? S("") : device >= host ? S("device") : S("host");
}

static void put(struct table *table, const struct check_row *row)
{
    table_row(table);
    table_text(table, row->name);
    table_cell(table, cell_text_or_null(wrong(row)));
    table_int(table, (int64_t)row->said_calls);
    table_int(table, (int64_t)row->real_calls);
    table_real(table, row->said_device_us);
    table_real(table, row->real_device_us);
    table_real(table, row->said_device_us - row->real_device_us);
    table_real(table, row->said_host_us);
    table_real(table, row->real_host_us);
    table_real(table, row->said_host_us - row->real_host_us);
}

/* "aten::mm: 12 calls said, 14 recorded; the device 1.2 ms said, 1.4 ms recorded; the host ..." */
static str in_words(const struct check_row *row, struct arena *arena)
{
    const str said = duration_words(arena, row->said_device_us * 1e3),
              real = duration_words(arena, row->real_device_us * 1e3);
    const str host = duration_words(arena, row->said_host_us * 1e3),
              was = duration_words(arena, row->real_host_us * 1e3);
    return str_printf(arena,
                      "%.*s: %llu calls said, %llu recorded; on the device %.*s said, %.*s recorded; on the host %.*s "
                      "said, %.*s recorded.",
                      (int)row->name.len, row->name.at, (unsigned long long)row->said_calls,
                      (unsigned long long)row->real_calls, (int)said.len, said.at, (int)real.len, real.at,
                      (int)host.len, host.at, (int)was.len, was.at);
}

static void tell_calibrate(const struct check_shown *shown, struct section *section, struct arena *arena)
{
    const str device = shown->device;
    if (!shown->kernels)
        section_text(
            section,
            S("No kernel of the trace is known by its sizes: there is nothing that 'calibrate' could take in."));
    else if (shown->rows)
        section_text(section,
                     str_printf(arena,
                                "'steptime calibrate --rows %s --hw \"%.*s\"' takes in the %llu kernels that were "
                                "measured: predictions on this device go by them from then on.",
                                shown->rows, (int)device.len, device.at, (unsigned long long)shown->kernels));
    else
        section_text(section,
                     str_printf(arena,
                                "%llu kernels of the trace can be taken in: with --kernels FILE they are written for "
                                "'steptime calibrate --rows FILE --hw \"%.*s\"'.",
                                (unsigned long long)shown->kernels, (int)device.len, device.at));
}

static void put_pair(struct section *section, const char *said_id, const char *real_id, const char *said,
                     const char *real, double said_us, double real_us)
{
    section_value(section, said_id, said, UNIT_US, cell_real(said_us));
    section_value(section, real_id, real, UNIT_US, real_us > 0 ? cell_real(real_us) : cell_null());
}

static void put_steps(const struct check_shown *shown, struct section *section)
{
    const struct check_side *const said = shown->said, *const real = shown->real;
    const bool known = shown->range.low_us >= 0 && real->step_us > 0;
    const bool within = real->step_us >= shown->range.low_us && real->step_us <= shown->range.high_us;
    put_pair(section, "said_step_us", "real_step_us", "a step, said", "recorded", said->step_us, real->step_us);
    section_value(section, "within", "within its interval", UNIT_NONE,
                  known ? cell_text(within ? S("yes") : S("no")) : cell_null());
    put_pair(section, "said_active_us", "real_active_us", "device active, said", "recorded", said->active_us,
             real->active_us);
    put_pair(section, "said_host_us", "real_host_us", "operators on the host, said", "recorded", said->host_us,
             real->host_us);
    section_value(section, "step", "step of the trace", UNIT_COUNT, cell_int_or_null(shown->step));
    section_value(section, "kernels", "kernels for calibrate", UNIT_COUNT, cell_int((int64_t)shown->kernels));
}

void check_show(const struct check_shown *shown, const struct check_row *rows, uint32_t count, struct report *report)
{
    struct section *const section = report_section(report, "check", "What was said against what was recorded");
    struct arena *const arena = report_arena(report);
    put_steps(shown, section);
    for (uint32_t i = 0; i < count && i < NAMED; i++)
        if (wrong(&rows[i]).len)
            section_text(section, in_words(&rows[i], arena));
    tell_calibrate(shown, section, arena);
    struct table *const table = section_table(section, "check", "Operators, what differs most first");
    table_columns(table, columns);
    for (uint32_t i = 0; i < count; i++)
        put(table, &rows[i]);
}
