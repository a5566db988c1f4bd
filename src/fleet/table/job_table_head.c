/* SPDX-License-Identifier: Apache-2.0 */
#include "job_table_head.h"

#include "base/error.h"
#include "job_columns.h"
#include "job_format.h"
#include "text/json.h"

enum { MOST_COLUMNS = 4096 };

struct finding {
    const struct job_table_asked *asked;
    struct arena *arena;
    struct reading *reading;
    struct job_table_columns *columns;
    struct steptime_error *err;
};

/* The fields of one line, which is copied; quotes are taken off. */
static const char *split_line(str line, struct arena *arena, struct csv_row *row)
{
    struct lines_block block = {.text = arena_alloc(arena, line.len + 1 + LINES_PAD), .bytes = line.len + 1};
    memcpy(block.text, line.at, line.len);
    block.text[line.len] = '\n';
    struct field_cursor cursor = field_cursor(&block);
    str *const fields = arena_array(arena, MOST_COLUMNS, sizeof *fields);
    const char *problem;
    fields_of_csv(&cursor, fields, MOST_COLUMNS, row, &problem);
    return problem;
}

/* The keys of a line of JSON as a header. */
static const char *keys_of_line(str line, struct arena *arena, struct csv_row *row)
{
    struct json json = json_of(line, arena);
    str *const keys = arena_array(arena, MOST_COLUMNS, sizeof *keys);
    uint32_t count = 0;
    json_enter(&json);
    for (str key; count < MOST_COLUMNS && json_key(&json, &key); json_skip(&json))
        keys[count++] = key;
    *row = (struct csv_row){keys, count, line};
    return json.failed ? "it is no valid JSON" : count == MOST_COLUMNS ? "it has too many members" : NULL;
}

/* What a table that is separated by something else than commas, or whose lines end in CR alone, is told. */
static const char *other_kind_of_csv(str line, const struct csv_row *row)
{
    if (memchr(line.at, '\r', line.len) && !str_ends(str_trim(line), S("\r")) && str_has(str_trim(line), S("\r")))
        return "its lines end in CR alone: write them with LF or CR LF";
    if (row->count != 1)
        return NULL;
    static const struct {
        const char *mark, *problem;
    } marks[] = {
        {";", "its columns are separated by semicolons: write them with commas"},
        {"\t", "its columns are separated by tabs: write them with commas"},
        {"|", "its columns are separated by |: write them with commas"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (str_has(row->fields[0], str_of(marks[i].mark)))
            return marks[i].problem;
    return NULL;
}

static str lower_case(struct arena *arena, str text)
{
    char *const lower = arena_alloc(arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        lower[i] = (char)(text.at[i] >= 'A' && text.at[i] <= 'Z' ? text.at[i] + ('a' - 'A') : text.at[i]);
    return (str){lower, text.len};
}

/* "Architecture" means what "architecture" does; names that mean nothing here stay as they are. */
static void fold_case(struct arena *arena, struct csv_row *head)
{
    str *names, *const fields = arena_array(arena, head->count, sizeof *fields);
    const uint32_t known = job_column_names(arena, &names);
    for (uint32_t i = 0; i < head->count; i++) {
        const str lower = lower_case(arena, str_trim(head->fields[i]));
        fields[i] = head->fields[i];
        for (uint32_t k = 0; k < known; k++)
            if (str_eq(lower, names[k]) && csv_column(head, lower) == NO_COLUMN)
                fields[i] = lower;
    }
    head->fields = fields;
}

static bool head_of(const struct finding *finding, str first, struct csv_row *head)
{
    finding->reading->json = str_starts(str_trim(first), S("{"));
    const char *problem =
        finding->reading->json ? keys_of_line(first, finding->arena, head) : split_line(first, finding->arena, head);
    if (!finding->reading->json && !problem)
        problem = other_kind_of_csv(first, head);
    return !problem ||
           fail_at(finding->err, STEPTIME_INPUT, str_of(finding->asked->path), -1, "its first line: %s", problem);
}

/* Members of later lines may be others than those of the first: all names that mean something are columns. */
static void widen_keys(struct arena *arena, struct csv_row *head)
{
    str *names;
    const uint32_t known = job_column_names(arena, &names);
    str *const keys = arena_array(arena, (size_t)head->count + known, sizeof *keys);
    struct csv_row all = {keys, head->count, head->text};
    memcpy(keys, head->fields, head->count * sizeof *keys);
    for (uint32_t i = 0; i < known; i++)
        if (csv_column(head, names[i]) == NO_COLUMN)
            keys[all.count++] = names[i];
    *head = all;
}

static const struct job_format *public_format(const struct csv_row *head, const char *path)
{
    for (uint32_t i = 0; i < job_format_count; i++)
        if (job_formats[i]->fits(job_formats[i]->of, head, path))
            return job_formats[i];
    return NULL;
}

static bool prepare_own(const struct finding *finding, struct csv_row *head)
{
    const char *const path = finding->asked->path;
    fold_case(finding->arena, head);
    if (!job_columns_find(head, path, finding->arena, finding->err))
        return false;
    if (finding->reading->json)
        widen_keys(finding->arena, head);
    struct job_columns *const columns = job_columns_find(head, path, finding->arena, finding->err);
    job_columns_tell(columns, finding->columns);
    finding->columns->format = S("jobs");
    finding->reading->prepared = columns;
    finding->reading->row = job_columns_row;
    return true;
}

static void prepare_public(const struct finding *finding, const struct job_format *format, const struct csv_row *head)
{
    finding->columns->format = str_of(format->name);
    finding->reading->prepared = format->prepare(format->of, head, finding->asked->path, finding->arena);
    finding->reading->row = format->row;
}

static bool find_group(const struct finding *finding, const struct csv_row *head)
{
    finding->reading->group = NO_COLUMN;
    return !finding->asked->group_by.len ||
           job_column_of(head, finding->asked->group_by, finding->asked->path, &finding->reading->group, finding->err);
}

bool job_table_head(str first, const struct job_table_asked *asked, struct arena *arena, struct reading *reading,
                    struct job_table_columns *columns, bool *headed, struct steptime_error *err)
{
    const struct finding finding = {asked, arena, reading, columns, err};
    struct csv_row head;
    if (!head_of(&finding, first, &head))
        return false;
    const struct job_format *const format = public_format(&head, asked->path);
    if (format)
        prepare_public(&finding, format, &head);
    else if (!prepare_own(&finding, &head))
        return false;
    *headed = !reading->json && !(format && format->headless);
    reading->columns = head.count;
    reading->keys = key_columns_of(head.fields, head.count, arena);
    return find_group(&finding, &head);
}
