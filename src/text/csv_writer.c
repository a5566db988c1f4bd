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
        if (text.at[i] && strchr(",\"\r\n", text.at[i]))
            return true;
    return !text.len || text.at[0] == ' ' || text.at[text.len - 1] == ' ';
}

/* Controls that have no place in a table (RFC 4180 allows CR and LF; tabs are kept). */
static bool is_control(unsigned char c)
{
    return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

static void put_character(struct writer *out, str text, size_t length)
{
    if (!length)
        writer_put(out, S("\xEF\xBF\xBD"));
    else if (text.at[0] == '"')
        writer_put(out, S("\"\""));
    else if (is_control((unsigned char)text.at[0]))
        writer_printf(out, "\\x%02x", (unsigned char)text.at[0]);
    else
        writer_put(out, (str){text.at, length});
}

/* Cells that spreadsheets run as formulas. Numbers are written by csv_int and csv_real, and never come here. */
static bool looks_like_formula(str text)
{
    return text.len && strchr("=+-@\t\r", text.at[0]) && text.at[0];
}

void csv_text(struct csv_writer *csv, str value)
{
    separate(csv);
    const str quote = needs_quotes(value) ? S("\"") : S("");
    writer_put(csv->out, quote);
    if (looks_like_formula(value))
        writer_put(csv->out, S("'"));
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
