/* SPDX-License-Identifier: Apache-2.0 */
#include "predict_rows.h"

#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/real.h"
#include "cli/program/call.h"
#include "text/csv_reader.h"

const char predicted_columns[] =
    "predicted_us,low_us,high_us,basis,from,watts,joules,joules_low,joules_high,watts_basis,launch_us";

bool predict_level(const struct call *call, double *level, struct steptime_error *err)
{
    const char *const word = call_text(call, "level");
    str text = str_of(word ? word : "0.9");
    const bool percent = str_ends(text, S("%"));
    text.len -= percent;
    if (!real_read(text, level) || !(*level > 0))
        return fail(err, STEPTIME_USAGE, "--level is a share above 0 and below 1, as 0.9 or 90%%");
    *level = percent || *level >= 1 ? *level / 100 : *level;
    const double most = 0.999;
    return *level <= most || fail(err, STEPTIME_USAGE, "--level is at most 0.999: no more is known of the tails");
}

bool predict_per_hour(const struct call *call, double *per_hour, struct steptime_error *err)
{
    const char *const word = call_text(call, "per-hour");
    *per_hour = NAN;
    return !word || (real_read(str_of(word), per_hour) && *per_hour >= 0) ||
           fail(err, STEPTIME_USAGE, "--per-hour is the price of a GPU for an hour, a number from 0 on, not '%s'",
                word);
}

/* ---- a row ---- */

static struct joules joules_of(const struct predicted_kernel *predicted, const struct hardware *hardware,
                               double busy_us, double level)
{
    const struct estimate told = {.us = busy_us};
    return kernel_joules(busy_us > 0 ? &told : &predicted->time, &predicted->watts, hardware, level);
}

bool predict_one(const struct models *models, const struct hardware *hardware, const struct kernel *kernel,
                 double level, struct predicted_kernel *to, struct steptime_error *err)
{
    struct kernel timed = *kernel;
    timed.busy_us = 0;
    *to = (struct predicted_kernel){.joules = joules_unknown()};
    if (!models_estimate(models, hardware, &timed, &to->time, err))
        return false;
    const double us = kernel->busy_us > 0 ? kernel->busy_us : to->time.us;
    to->has_watts = models_watts(models, hardware, &timed, us, &to->watts);
    if (to->has_watts)
        to->joules = joules_of(to, hardware, kernel->busy_us, level);
    return true;
}

static bool is_taken(const struct csv_row *header, str columns)
{
    for (str name; str_cut(&columns, ',', &name);)
        if (csv_column(header, name) != UINT32_MAX)
            return true;
    return false;
}

bool predict_columns_free(const struct csv_row *header, struct steptime_error *err)
{
    return !is_taken(header, str_of(predicted_columns)) ||
           fail(err, STEPTIME_INPUT, "the table has one of the columns %s already", predicted_columns);
}

/* By hand: a million rows are written, and printf takes longer for a number than the model for the kernel. */
static void put_fixed(struct buf *to, double value, int decimals)
{
    enum { MOST = 24 };
    static const double scales[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
    char text[MOST];
    if (!(value < 1e12)) {
        buf_printf(to, ",%.6g", value);
        return;
    }
    char *at = text + MOST;
    uint64_t units = (uint64_t)(value * scales[decimals] + 0.5);
    for (int digits = 0; digits <= decimals || units; digits++) {
        *--at = (char)('0' + units % 10);
        units /= 10;
        if (digits == decimals - 1)
            *--at = '.';
    }
    *--at = ',';
    buf_add(to, (str){at, (size_t)(text + MOST - at)});
}

static void put_range(struct buf *to, const struct estimate *estimate, double level)
{
    double low_us, high_us;
    estimate_interval(estimate, level, &low_us, &high_us);
    put_fixed(to, estimate->us, 3);
    put_fixed(to, low_us, 3);
    put_fixed(to, high_us, 3);
}

/* Microjoules are told to the last one: the shortest kernels take some hundreds. */
static void put_energy(struct buf *to, const struct predicted_kernel *predicted)
{
    const struct joules *joules = &predicted->joules;
    if (!predicted->has_watts) {
        buf_add(to, S(",,,,,"));
        return;
    }
    put_fixed(to, predicted->watts.us, 1);
    put_fixed(to, joules->joules, 6);
    put_fixed(to, joules->low, 6);
    put_fixed(to, joules->high, 6);
    buf_add(to, S(","));
    buf_add(to, estimate_basis_word(predicted->watts.basis));
}

/* Of lone calls alone. */
static void put_launch(struct buf *to, const struct estimate *time)
{
    if (time->launch_us > 0)
        put_fixed(to, time->launch_us, 3);
    else
        buf_add(to, S(","));
    buf_add(to, S("\n"));
}

/* No name of a device holds a comma or a quote. */
void put_predicted(struct buf *to, const struct csv_row *fields, uint32_t columns,
                   const struct predicted_kernel *predicted, double level)
{
    buf_add(to, fields->text);
    for (uint32_t i = fields->count; i < columns; i++)
        buf_add(to, S(","));
    if (!predicted) {
        buf_add(to, S(",,,,,,,,,,,\n"));
        return;
    }
    put_range(to, &predicted->time, level);
    buf_add(to, S(","));
    buf_add(to, estimate_basis_word(predicted->time.basis));
    buf_add(to, S(","));
    buf_add(to, predicted->time.from);
    put_energy(to, predicted);
    put_launch(to, &predicted->time);
}
