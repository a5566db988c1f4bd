/* SPDX-License-Identifier: Apache-2.0 */
#include "job_columns.h"

#include "base/error.h"
#include "text/suggest.h"
#include "base/real.h"

enum { NO_COLUMN = UINT32_MAX };

struct job_columns {
    uint32_t name, architecture, gpu, network; /* NO_COLUMN: the table has none */
    uint32_t fields;
    struct bound {
        uint32_t column;
        enum job_field field;
    } field[JOB_FIELDS];
    str words[ARCHITECTURES];
};

static bool lacks(const struct csv_row *header, str name, const char *path, struct steptime_error *err)
{
    struct suggestion near = suggest(name);
    for (uint32_t i = 0; i < header->count; i++)
        suggest_offer(&near, str_trim(header->fields[i]));
    if (suggest_found(&near))
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "has no column '%.*s'; the nearest is '%.*s'",
                       (int)name.len, name.at, (int)near.best.len, near.best.at);
    return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "has no column '%.*s'", (int)name.len, name.at);
}

bool job_column_of(const struct csv_row *header, str name, const char *path, uint32_t *column,
                   struct steptime_error *err)
{
    *column = csv_column(header, name);
    return *column != NO_COLUMN || lacks(header, name, path, err);
}

/* What no table can do without. Traffic follows from stored weights, where a table has those. */
static bool has_needed(const struct csv_row *header, const char *path, struct steptime_error *err)
{
    static const enum job_field needed[] = {JOB_CNODES, JOB_INPUT_BYTES, JOB_FLOPS, JOB_MEMORY_BYTES};
    uint32_t column;
    if (!job_column_of(header, S("architecture"), path, &column, err))
        return false;
    const bool measured_alone = csv_column(header, job_field_word(JOB_ALONE_MS)) != NO_COLUMN;
    for (size_t i = 0; i < (measured_alone ? 1 : sizeof needed / sizeof *needed); i++)
        if (!job_column_of(header, job_field_word(needed[i]), path, &column, err))
            return false;
    return csv_column(header, job_field_word(JOB_DENSE_WEIGHT_BYTES)) != NO_COLUMN ||
           job_column_of(header, job_field_word(JOB_WEIGHT_BYTES), path, &column, err);
}

struct job_columns *job_columns_find(const struct csv_row *header, const char *path, struct arena *arena,
                                     struct steptime_error *err)
{
    if (!has_needed(header, path, err))
        return NULL;
    struct job_columns *const columns = arena_alloc(arena, sizeof *columns);
    columns->name = csv_column(header, S("job"));
    columns->architecture = csv_column(header, S("architecture"));
    columns->gpu = csv_column(header, S("gpu"));
    columns->network = csv_column(header, S("network"));
    for (int field = 0; field < JOB_FIELDS; field++) {
        const uint32_t column = csv_column(header, job_field_word((enum job_field)field));
        if (column != NO_COLUMN)
            columns->field[columns->fields++] = (struct bound){column, (enum job_field)field};
    }
    for (int i = 0; i < ARCHITECTURES; i++)
        columns->words[i] = architecture_word((enum architecture)i);
    return columns;
}

void job_columns_tell(const struct job_columns *columns, struct job_table_columns *told)
{
    for (uint32_t i = 0; i < columns->fields; i++)
        told->has[columns->field[i].field] = true;
}

uint32_t job_column_names(struct arena *arena, str **names)
{
    const str texts[] = {S("job"), S("architecture"), S("gpu"), S("network")};
    enum { TEXTS = sizeof texts / sizeof *texts };
    *names = arena_array(arena, TEXTS + JOB_FIELDS, sizeof **names);
    memcpy(*names, texts, sizeof texts);
    for (int field = 0; field < JOB_FIELDS; field++)
        (*names)[TEXTS + field] = job_field_word((enum job_field)field);
    return TEXTS + JOB_FIELDS;
}

/* The usual spelling is told by comparing alone. */
static bool architecture_of(const struct job_columns *columns, str word, enum architecture *architecture)
{
    for (int i = 0; i < ARCHITECTURES; i++)
        if (str_eq(word, columns->words[i])) {
            *architecture = (enum architecture)i;
            return true;
        }
    return architecture_of_word(word, architecture);
}

/* The beginning of a text that may be long, for a message. */
static int shown(str text)
{
    return text.len < 40 ? (int)text.len : 40;
}

static const char *no_architecture(str word, struct arena *block)
{
    if (!word.len)
        return "architecture is missing";
    struct suggestion near = suggest(word);
    for (int i = 0; i < ARCHITECTURES; i++)
        suggest_offer(&near, architecture_word((enum architecture)i));
    if (suggest_found(&near))
        return str_printf(block, "architecture '%.*s' is unknown; the nearest is '%.*s'", shown(word), word.at,
                          (int)near.best.len, near.best.at)
            .at;
    return str_printf(block, "architecture '%.*s' is unknown", shown(word), word.at).at;
}

/* A figure that is not there, as spreadsheets, data frames and JSON say it. */
static bool is_absent(str text)
{
    return !text.len || str_eq(text, S("NaN")) || str_eq(text, S("nan")) || str_eq(text, S("NA"));
}

static bool take_field(const struct bound *bound, const struct csv_row *row, struct job *job)
{
    const str text = row->fields[bound->column];
    return real_read(text, &job->field[bound->field]) || is_absent(str_trim(text));
}

static const char *no_number(const struct bound *bound, const struct csv_row *row, struct arena *block)
{
    const str word = job_field_word(bound->field), text = row->fields[bound->column];
    return str_printf(block, "%.*s is no number: '%.*s'", (int)word.len, word.at, shown(text), text.at).at;
}

static str text_of(const struct csv_row *row, uint32_t column)
{
    return column == NO_COLUMN ? S("") : str_trim(row->fields[column]);
}

const char *job_columns_row(const void *context, const struct csv_row *row, struct job *job, struct arena *block)
{
    const struct job_columns *const columns = context;
    const str word = text_of(row, columns->architecture);
    if (!architecture_of(columns, word, &job->architecture))
        return no_architecture(word, block);
    for (uint32_t i = 0; i < columns->fields; i++)
        if (!take_field(&columns->field[i], row, job))
            return no_number(&columns->field[i], row, block);
    job->name = text_of(row, columns->name);
    job->gpu = text_of(row, columns->gpu);
    job->network = text_of(row, columns->network);
    return NULL;
}
