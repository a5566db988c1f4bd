/* SPDX-License-Identifier: Apache-2.0 */
#include "csv_writer.h"

#include <math.h>

#include "base/real.h"
#include "base/utf8.h"
#include "io/writer.h"
#include "json_writer.h"

static void separate(struct csv_writer *csv)
{
    if (csv->begun)
        writer_put(csv->out, S(","));
    csv->begun = true;
}

void csv_null(struct csv_writer *csv)
{
    separate(csv);
}

void csv_int(struct csv_writer *csv, int64_t value)
{
    separate(csv);
    writer_printf(csv->out, "%lld", (long long)value);
}

void csv_real(struct csv_writer *csv, double value)
{
    char room[REAL_ROOM];
    separate(csv);
    if (isfinite(value))
        writer_put(csv->out, real_text(value, room));
}

static bool needs_quotes(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr(",\"\r\n", text.at[i]))
            return true;
    return !text.len || text.at[0] == ' ' || text.at[text.len - 1] == ' ';
}

static void put_character(struct writer *out, str text, size_t length)
{
    if (!length)
        writer_put(out, S("\xEF\xBF\xBD"));
    else if (text.at[0] == '"')
        writer_put(out, S("\"\""));
    else
        writer_put(out, (str){text.at, length});
}

void csv_text(struct csv_writer *csv, str value)
{
    separate(csv);
    const str quote = needs_quotes(value) ? S("\"") : S("");
    writer_put(csv->out, quote);
    while (value.len) {
        const size_t length = utf8_length(value.at, value.len);
        put_character(csv->out, value, length);
        value = str_from(value, length ? length : 1);
    }
    writer_put(csv->out, quote);
}

void csv_end_line(struct csv_writer *csv)
{
    writer_put(csv->out, S("\n"));
    csv->begun = false;
}
