/* SPDX-License-Identifier: Apache-2.0 */
/* A population as bytes, and from them: nothing is believed of bytes that came from elsewhere. */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "fleet/step/bytes.h"
#include "parallel/crew.h"
#include "population_parts.h"

enum { MARK = 0x31504F50, MOST_VALUES = 1024 }; /* "POP1" */

struct head {
    uint32_t mark, values, names, rows;
    uint8_t exact, folded, zero[6];
};

/* ---- writing ---- */

static void write_names(const struct population *population, struct buf *bytes)
{
    for (uint32_t id = 0; id < intern_count(population->names); id++) {
        const str name = intern_text(population->names, id);
        const uint32_t len = (uint32_t)name.len;
        bytes_put(bytes, &len, sizeof len);
        buf_add(bytes, name);
    }
}

static void write_rows(const struct rows *rows, struct buf *bytes)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        const uint32_t group = rows_group(rows, row);
        bytes_put(bytes, &group, sizeof group);
        for (uint32_t column = 0; column < rows->values + WEIGHTS; column++) {
            const double figure = rows_figure(rows, row, column);
            bytes_put(bytes, &figure, sizeof figure);
        }
    }
}

static void write_summaries(const struct population *population, struct buf *bytes)
{
    bytes_put(bytes, population->row_count, sizeof population->row_count);
    for (uint32_t id = 0; id < GROUP_IDS; id++)
        for (uint32_t value = 0; population->of[id] && value < population->values; value++) {
            bytes_put(bytes, &population->of[id][value].totals, sizeof(struct totals));
            histogram_write(&population->of[id][value].histogram, bytes);
        }
}

void population_write(const struct population *population, struct buf *bytes)
{
    const struct head head = {MARK,
                              population->values,
                              intern_count(population->names),
                              population->rows.count,
                              population->exact,
                              population->folded,
                              {0}};
    bytes_put(bytes, &head, sizeof head);
    write_names(population, bytes);
    if (population->exact)
        write_rows(&population->rows, bytes);
    else
        write_summaries(population, bytes);
}

/* ---- reading ---- */

/* Names are distinct, so that ids are as they were; the first is empty. */
static bool read_names(struct population *population, uint32_t count, str *bytes)
{
    for (uint32_t id = 0; id < count; id++) {
        uint32_t len;
        if (!bytes_take(bytes, &len, sizeof len) || len > POPULATION_NAME || len > bytes->len)
            return false;
        if (intern_id(population->names, (str){bytes->at, len}) != id)
            return false;
        *bytes = str_from(*bytes, len);
    }
    return true;
}

static bool is_amount(double figure)
{
    return figure >= 0 && isfinite(figure);
}

static bool are_figures(const double *figures, uint32_t values)
{
    for (uint32_t i = 0; i < values; i++)
        if (!is_amount(figures[i]) && !isnan(figures[i]))
            return false;
    for (uint32_t i = values; i < values + WEIGHTS; i++)
        if (!is_amount(figures[i]))
            return false;
    return true;
}

static bool read_rows(struct population *population, uint32_t count, str *bytes)
{
    const uint32_t values = population->values, ids = intern_count(population->names);
    const size_t size = sizeof(uint32_t) + (values + WEIGHTS) * sizeof(double);
    double figures[MOST_VALUES + WEIGHTS];
    uint32_t group = 0;
    if (count > POPULATION_EXACT || bytes->len < count * size)
        return false;
    for (uint32_t row = 0; row < count; row++) {
        bytes_take(bytes, &group, sizeof group);
        bytes_take(bytes, figures, (values + WEIGHTS) * sizeof(double));
        if (group >= ids || !are_figures(figures, values))
            return false;
        rows_add(&population->rows, group, figures + values, figures);
    }
    return true;
}

static bool are_totals(const struct totals *totals)
{
    bool good = is_amount(totals->least) && is_amount(totals->most);
    for (int by = 0; by < WEIGHTS; by++)
        good = good && is_amount(totals->weight[by]) && is_amount(totals->sum[by]);
    return good;
}

static bool read_group(struct population *population, uint32_t id, str *bytes)
{
    for (uint32_t value = 0; value < population->values; value++) {
        struct totals totals;
        if (!bytes_take(bytes, &totals, sizeof totals) || !are_totals(&totals))
            return false;
        struct summary *const summary = &population_of_group(population, id)[value];
        summary->totals = totals;
        if (!histogram_read(&summary->histogram, bytes))
            return false;
    }
    return true;
}

static bool read_summaries(struct population *population, str *bytes)
{
    const uint32_t ids = intern_count(population->names);
    if (!bytes_take(bytes, population->row_count, sizeof population->row_count))
        return false;
    for (uint32_t id = 0; id < GROUP_IDS; id++)
        if (population->row_count[id] && ((id >= ids && id != GROUP_OTHER) || !read_group(population, id, bytes)))
            return false;
    return true;
}

static bool is_head(const struct head *head)
{
    return head->mark == MARK && head->values && head->values <= MOST_VALUES && head->names && head->exact <= 1 &&
           head->folded <= 1 && (head->exact || (head->names <= GROUP_OTHER && !head->rows));
}

struct population *population_read(str *bytes)
{
    struct head head;
    str rest = *bytes;
    if (!bytes_take(&rest, &head, sizeof head) || !is_head(&head))
        return NULL;
    struct population *const population = population_new(head.values);
    population->exact = head.exact;
    population->folded = head.folded;
    if (!read_names(population, head.names, &rest) ||
        !(head.exact ? read_rows(population, head.rows, &rest) : read_summaries(population, &rest))) {
        population_free(population);
        return NULL;
    }
    *bytes = rest;
    return population;
}

/* ---- between processes ---- */

static bool merge_bytes(struct population *into, str bytes)
{
    struct population *const part = population_read(&bytes);
    const bool good = part && part->values == into->values;
    if (good)
        population_merge(into, part);
    population_free(part);
    return good;
}

static bool gather_bytes(struct population *population, struct steptime_error *err)
{
    const struct crew *const crew = crew_ours();
    struct arena arena = {0};
    struct buf mine = {0};
    str *const parts = arena_array(&arena, crew->count, sizeof *parts);
    if (crew->rank)
        population_write(population, &mine);
    bool good = crew->gather(buf_str(&mine), &arena, parts, err);
    for (unsigned rank = 1; good && !crew->rank && rank < crew->count; rank++)
        good = merge_bytes(population, parts[rank]) ||
               fail(err, STEPTIME_INPUT, "process %u sent what is no population", rank);
    buf_free(&mine);
    arena_free(&arena);
    return good;
}

bool population_gather(struct population *population, struct steptime_error *err)
{
    const struct crew *const crew = crew_ours();
    uint64_t all;
    if (crew->count == 1)
        return true;
    if (!crew->total(population->rows.count, &all, err))
        return false;
    if (all > POPULATION_EXACT)
        population_summarise(population);
    if (!gather_bytes(population, err))
        return false;
    if (crew->rank)
        population_clear(population);
    return true;
}
