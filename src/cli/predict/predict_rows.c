/* SPDX-License-Identifier: Apache-2.0 */
#include "predict_rows.h"

#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/real.h"
#include "cli/program/call.h"
#include "text/csv_reader.h"

const char predicted_columns[] = "predicted_us,low_us,high_us,basis,from";

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
static void put_us(struct buf *to, double us)
{
    enum { MOST = 24 };
    char text[MOST];
    if (us >= 1e12) {
        buf_printf(to, ",%.6g", us);
        return;
    }
    char *at = text + MOST;
    uint64_t ns = (uint64_t)(us * 1000 + 0.5);
    for (int digits = 0; digits < 4 || ns; digits++) {
        *--at = (char)('0' + ns % 10);
        ns /= 10;
        if (digits == 2)
            *--at = '.';
    }
    *--at = ',';
    buf_add(to, (str){at, (size_t)(text + MOST - at)});
}

static void put_range(struct buf *to, const struct estimate *estimate, double level)
{
    double low_us, high_us;
    estimate_interval(estimate, level, &low_us, &high_us);
    put_us(to, estimate->us);
    put_us(to, low_us);
    put_us(to, high_us);
}

/* No name of a device holds a comma or a quote. */
void put_estimate(struct buf *to, const struct csv_row *fields, uint32_t columns, const struct estimate *estimate,
                  double level)
{
    buf_add(to, fields->text);
    for (uint32_t i = fields->count; i < columns; i++)
        buf_add(to, S(","));
    if (!estimate) {
        buf_add(to, S(",,,,,\n"));
        return;
    }
    put_range(to, estimate, level);
    buf_add(to, S(","));
    buf_add(to, estimate_basis_word(estimate->basis));
    buf_add(to, S(","));
    buf_add(to, estimate->from);
    buf_add(to, S("\n"));
}
