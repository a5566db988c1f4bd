/* SPDX-License-Identifier: Apache-2.0 */
#include "efficiency_table.h"

#include <math.h>

#include "base/error.h"
#include "hw/quantity.h"
#include "text/csv_stream.h"

/* ---- cells, in any order, of either form ---- */

enum { CELLS = EFFICIENCY_SIZES * EFFICIENCY_SERVERS };

struct cell {
    double log_size, log_servers, share;
};

struct reading {
    str path;
    struct cell *cells;
    int count;
    uint32_t line;
    struct steptime_error *err;
};

static bool wrong(const struct reading *r, str text, const char *what)
{
    return fail_at(r->err, STEPTIME_INPUT, r->path, -1, "line %u: '%.*s' %s", r->line, (int)text.len, text.at, what);
}

static bool number(const struct reading *r, str text, double least, double most, double *value)
{
    struct quantity quantity;
    const char *const what = quantity_read(text, &quantity);
    if (what)
        return wrong(r, text, what);
    *value = quantity.value;
    return (quantity.value >= least && quantity.value <= most) || wrong(r, text, "is out of range");
}

static bool add(struct reading *r, double size, double servers, str text)
{
    double share = 0;
    if (!number(r, text, 1e-9, 1, &share))
        return false;
    if (r->count == CELLS)
        return wrong(r, text, "is one cell too many");
    r->cells[r->count++] = (struct cell){log(size), log(servers), share};
    return true;
}

/* "2Node-16GPU(NIC )" and "1 Node(NVLinkx)" are 2 and 1; 0: another column. */
static double servers_of_column(str name)
{
    double servers = 0;
    size_t at = 0;
    for (; at < name.len && name.at[at] >= '0' && name.at[at] <= '9' && servers < 1e6; at++)
        servers = servers * 10 + (name.at[at] - '0');
    return str_starts_nocase(str_trim(str_from(name, at)), S("node")) ? servers : 0;
}

/* A row of SimAI's tables: a size, and a share for each number of servers; empty where it was not measured. */
static bool wide_row(struct reading *r, const struct csv_row *header, const struct csv_row *row)
{
    double size;
    if (!number(r, csv_field(row, 0), 1, 1e18, &size))
        return false;
    for (uint32_t i = 1; i < header->count && i < row->count; i++) {
        const double servers = servers_of_column(csv_field(header, i));
        const str text = str_trim(csv_field(row, i));
        if (servers > 0 && text.len && !add(r, size, servers, text))
            return false;
    }
    return true;
}

static bool long_row(struct reading *r, const struct csv_row *header, const struct csv_row *row)
{
    double size, servers;
    return number(r, csv_field(row, csv_column(header, S("size"))), 1, 1e18, &size) &&
           number(r, csv_field(row, csv_column(header, S("servers"))), 1, 1e9, &servers) &&
           add(r, size, servers, csv_field(row, csv_column(header, S("share"))));
}

static bool is_long(const struct csv_row *header)
{
    return csv_column(header, S("size")) != UINT32_MAX && csv_column(header, S("servers")) != UINT32_MAX &&
           csv_column(header, S("share")) != UINT32_MAX;
}

static bool is_wide(const struct csv_row *header)
{
    bool servers = false;
    for (uint32_t i = 1; i < header->count; i++)
        servers = servers || servers_of_column(csv_field(header, i)) > 0;
    return servers && str_starts_nocase(csv_field(header, 0), S("size"));
}

static bool read_rows(struct reading *r, struct csv_stream *stream)
{
    const struct csv_row *header = csv_stream_header(stream);
    const bool long_form = is_long(header);
    if (!long_form && !is_wide(header))
        return fail_at(r->err, STEPTIME_INPUT, r->path, -1,
                       "no table of efficiency: its columns are size,servers,share, or Size and numbers of nodes");
    struct csv_row row;
    while (csv_stream_next(stream, &row, &r->line))
        if (!(long_form ? long_row(r, header, &row) : wide_row(r, header, &row)))
            return false;
    return r->count > 0 || fail_at(r->err, STEPTIME_INPUT, r->path, -1, "a table of efficiency without a row");
}

/* ---- the grid ---- */

/* The place of a value in rising order, put there if it is new; -1: no room. */
static int place(double *values, int *count, int room, double value)
{
    int at = 0;
    while (at < *count && values[at] < value)
        at++;
    if (at < *count && values[at] <= value)
        return at;
    if (*count == room)
        return -1;
    memmove(values + at + 1, values + at, (size_t)(*count - at) * sizeof *values);
    values[at] = value;
    ++*count;
    return at;
}

/* The nearest known cell of the row. */
static double nearest(const struct efficiency_table *table, int size, int column)
{
    double best = 0, least = INFINITY;
    for (int i = 0; i < table->counts; i++) {
        const double far = fabs(table->log_servers[i] - table->log_servers[column]);
        if (table->share[size][i] > 0 && far < least) {
            least = far;
            best = table->share[size][i];
        }
    }
    return best;
}

static void fill_gaps(struct efficiency_table *table)
{
    double whole[EFFICIENCY_SERVERS];
    for (int size = 0; size < table->sizes; size++) {
        for (int i = 0; i < table->counts; i++)
            whole[i] = nearest(table, size, i);
        memcpy(table->share[size], whole, sizeof whole);
    }
}

static bool build(const struct reading *r, struct efficiency_table *table)
{
    for (int i = 0; i < r->count; i++)
        if (place(table->log_size, &table->sizes, EFFICIENCY_SIZES, r->cells[i].log_size) < 0 ||
            place(table->log_servers, &table->counts, EFFICIENCY_SERVERS, r->cells[i].log_servers) < 0)
            return fail_at(r->err, STEPTIME_INPUT, r->path, -1, "more than %d sizes or %d numbers of servers",
                           EFFICIENCY_SIZES, EFFICIENCY_SERVERS);
    for (int i = 0; i < r->count; i++) {
        const struct cell *cell = &r->cells[i];
        const int size = place(table->log_size, &table->sizes, EFFICIENCY_SIZES, cell->log_size);
        const int servers = place(table->log_servers, &table->counts, EFFICIENCY_SERVERS, cell->log_servers);
        table->share[size][servers] = cell->share;
    }
    fill_gaps(table);
    return true;
}

bool efficiency_table_read(const char *path, struct arena *arena, const struct efficiency_table **table,
                           struct steptime_error *err)
{
    struct csv_stream *stream = csv_stream_open(path, err);
    if (!stream)
        return false;
    struct arena scratch = {0};
    struct reading r = {.path = str_of(path), .cells = arena_array(&scratch, CELLS, sizeof *r.cells), .err = err};
    struct efficiency_table *built = arena_alloc(arena, sizeof *built);
    bool good = read_rows(&r, stream);
    good = csv_stream_close(stream, good ? err : NULL) && good && build(&r, built);
    arena_free(&scratch);
    *table = good ? built : *table;
    return good;
}

/* ---- look-up ---- */

/* The first of two neighbours around the value, and how far the value is from it to the next; not beyond the ends. */
static int between(const double *values, int count, double value, double *part)
{
    int at = 0;
    while (at + 2 < count && values[at + 1] <= value)
        at++;
    *part = count < 2 ? 0 : fmin(1, fmax(0, (value - values[at]) / (values[at + 1] - values[at])));
    return at;
}

static double at_size(const struct efficiency_table *table, int size, int column, double part)
{
    const double *share = table->share[size];
    return part <= 0 ? share[column] : share[column] + part * (share[column + 1] - share[column]);
}

/* The share falls on as it did between the two least sizes, if it did; no faster than the size itself. */
static double below(const struct efficiency_table *table, double log_size, double least, double second)
{
    const double slope = log(second / least) / (table->log_size[1] - table->log_size[0]);
    return least * exp(fmin(1, fmax(0, slope)) * (log_size - table->log_size[0]));
}

double efficiency_table_at(const struct efficiency_table *table, double message_bytes, double servers)
{
    const double log_size = log(fmax(1, message_bytes));
    double of_servers, of_size;
    const int column = between(table->log_servers, table->counts, log(fmax(1, servers)), &of_servers);
    const int size = between(table->log_size, table->sizes, log_size, &of_size);
    const double here = at_size(table, size, column, of_servers);
    if (table->sizes < 2)
        return here;
    const double next = at_size(table, size + 1, column, of_servers);
    return log_size < table->log_size[0] ? below(table, log_size, here, next) : here + of_size * (next - here);
}
