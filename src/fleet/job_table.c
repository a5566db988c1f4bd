/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread at a time takes a block of lines from the file; the same thread
 * makes its rows jobs and shows them to the visitor; blocks are joined in order.
 */
#include "fleet/job_table.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/stages.h"
#include "fleet/job_columns.h"
#include "fleet/job_fields.h"
#include "fleet/job_format.h"
#include "text/json.h"

const char *const JOB_NONE = "no job";

enum { MOST_COLUMNS = 4096, NO_COLUMN = UINT32_MAX };

/* How rows of this table become jobs. */
struct reading {
    bool json;
    struct key_columns keys; /* of JSON lines */
    uint32_t columns;
    uint32_t group; /* column of --group-by; NO_COLUMN */
    const void *prepared;
    const char *(*row)(const void *prepared, const struct csv_row *row, struct job *job, struct arena *block);
};

/* A block under way. */
struct block {
    struct lines_block lines;
    struct arena arena; /* of its texts: reasons, decoded fields */
    str *fields;
    void *sums; /* the visitor's */
    bool begun;
    uint64_t rows, taken;
    struct job_table_dropped dropped;
};

struct table {
    const struct job_table_asked *asked;
    const struct job_visitor *visitor;
    struct arena *arena;
    struct job_table_result *result;
    struct steptime_error *err;
    struct job_lines *lines;
    struct reading reading;
    struct block *blocks;
    size_t room;
    bool failed;
};

/* ---- the head of the table ---- */

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
    return json.failed ? "is no valid JSON" : count == MOST_COLUMNS ? "has too many members" : NULL;
}

static bool head_of(struct table *table, struct csv_row *head)
{
    const str first = job_lines_first(table->lines);
    table->reading.json = str_starts(str_trim(first), S("{"));
    const char *const problem =
        table->reading.json ? keys_of_line(first, table->arena, head) : split_line(first, table->arena, head);
    return !problem ||
           fail_at(table->err, STEPTIME_INPUT, str_of(table->asked->path), -1, "its first line: %s", problem);
}

/* Members of later lines may be others than those of the first: all names that mean something are columns. */
static void widen_keys(struct table *table, struct csv_row *head)
{
    str *names;
    const uint32_t known = job_column_names(table->arena, &names);
    str *const keys = arena_array(table->arena, (size_t)head->count + known + 1, sizeof *keys);
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

static bool prepare_own(struct table *table, struct csv_row *head)
{
    const char *const path = table->asked->path;
    if (!job_columns_find(head, path, table->arena, table->err))
        return false;
    if (table->reading.json)
        widen_keys(table, head);
    struct job_columns *const columns = job_columns_find(head, path, table->arena, table->err);
    job_columns_tell(columns, &table->result->columns);
    table->result->columns.format = S("jobs");
    table->reading.prepared = columns;
    table->reading.row = job_columns_row;
    return true;
}

static void prepare_public(struct table *table, const struct job_format *format, const struct csv_row *head)
{
    table->result->columns.format = str_of(format->name);
    table->reading.prepared = format->prepare(format->of, head, table->asked->path, table->arena);
    table->reading.row = format->row;
}

static bool prepare(struct table *table, bool *headed)
{
    struct csv_row head;
    if (!head_of(table, &head))
        return false;
    const struct job_format *const format = public_format(&head, table->asked->path);
    if (format)
        prepare_public(table, format, &head);
    else if (!prepare_own(table, &head))
        return false;
    struct reading *const reading = &table->reading;
    *headed = !reading->json && !(format && format->headless);
    reading->columns = head.count;
    reading->keys = (struct key_columns){head.fields, head.count};
    reading->group = NO_COLUMN;
    return !table->asked->group_by.len ||
           job_column_of(&head, table->asked->group_by, table->asked->path, &reading->group, table->err);
}

/* ---- rows ---- */

static void drop(struct block *block, uint64_t line, const char *why)
{
    if (block->dropped.count < DROPPED_TOLD)
        block->dropped.told[block->dropped.count] = (struct dropped_row){line, str_copy(&block->arena, str_of(why))};
    block->dropped.count++;
}

static struct job no_job(void)
{
    struct job job = {.name = S(""), .gpu = S(""), .network = S(""), .group = S("")};
    for (int i = 0; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    return job;
}

/* NULL: taken by the visitor. */
static const char *take_row(const struct table *table, struct block *block, const struct csv_row *row, uint64_t line)
{
    const struct reading *const reading = &table->reading;
    if (row->count < reading->columns)
        return str_printf(&block->arena, "it has %u fields, the header %u", row->count, reading->columns).at;
    struct job job = no_job();
    const char *why = reading->row(reading->prepared, row, &job, &block->arena);
    if (!why && reading->group != NO_COLUMN)
        job.group = str_trim(row->fields[reading->group]);
    if (!why)
        why = job_problem(&job);
    return why ? why : table->visitor->row(table->visitor->context, block->sums, &job, line);
}

static bool next_row(const struct table *table, struct block *block, struct field_cursor *cursor, struct csv_row *row,
                     const char **problem)
{
    const struct reading *const reading = &table->reading;
    return reading->json ? fields_of_json(cursor, &reading->keys, &block->arena, block->fields, row, problem)
                         : fields_of_csv(cursor, block->fields, reading->columns, row, problem);
}

static void visit_rows(const struct table *table, struct block *block)
{
    struct field_cursor cursor = field_cursor(&block->lines);
    struct csv_row row;
    const char *problem;
    for (uint64_t line = block->lines.line; next_row(table, block, &cursor, &row, &problem); line++) {
        if (!row.count && !problem)
            continue;
        const char *const why = problem ? problem : take_row(table, block, &row, line);
        block->rows++;
        block->taken += !why;
        if (why && why != JOB_NONE)
            drop(block, line, why);
    }
}

/* ---- stages ---- */

static struct block *block_of(const struct table *table, size_t item)
{
    return &table->blocks[item % table->room];
}

static bool make(void *context, size_t item)
{
    struct table *const table = context;
    struct block *const block = block_of(table, item);
    block->rows = block->taken = block->dropped.count = 0;
    block->begun = false;
    return job_lines_next(table->lines, &block->lines);
}

static void work(void *context, unsigned thread, size_t item)
{
    const struct table *const table = context;
    struct block *const block = block_of(table, item);
    block->sums = table->visitor->begin(table->visitor->context, thread);
    block->begun = true;
    if (block->lines.bytes) {
        visit_rows(table, block);
    } else {
        block->rows = 1;
        drop(block, block->lines.line, "a line of more than 512 KiB");
    }
}

/* The first dropped rows of the table; their texts move to its arena. */
static void tell_dropped(struct table *table, const struct block *block)
{
    struct job_table_dropped *const all = &table->result->dropped;
    for (uint64_t i = 0; i < block->dropped.count && i < DROPPED_TOLD && all->count + i < DROPPED_TOLD; i++) {
        all->told[all->count + i] = block->dropped.told[i];
        all->told[all->count + i].why = str_copy(table->arena, block->dropped.told[i].why);
    }
    all->count += block->dropped.count;
}

static bool strictly(struct table *table, const struct block *block)
{
    if (!table->asked->strict || !block->dropped.count)
        return true;
    const struct dropped_row *const first = &block->dropped.told[0];
    return fail_at(table->err, STEPTIME_INPUT, str_of(table->asked->path), -1, "line %llu: %.*s",
                   (unsigned long long)first->line, (int)first->why.len, first->why.at);
}

static bool join(void *context, size_t item)
{
    struct table *const table = context;
    struct block *const block = block_of(table, item);
    if (!strictly(table, block)) {
        table->failed = true;
        return false;
    }
    table->result->rows += block->rows;
    table->result->taken += block->taken;
    tell_dropped(table, block);
    block->begun = false;
    table->failed = !table->visitor->join(table->visitor->context, block->sums, table->err);
    arena_free(&block->arena);
    return !table->failed;
}

/* ---- all of it ---- */

static void open_blocks(struct table *table, unsigned threads)
{
    table->room = 2 * (size_t)threads + 1;
    table->blocks = mem_zeroed(table->room * sizeof *table->blocks);
    for (size_t i = 0; i < table->room; i++) {
        table->blocks[i].lines.text = mem_alloc(LINES_BLOCK + 1 + LINES_PAD);
        table->blocks[i].fields = mem_zeroed(((size_t)table->reading.columns + 1) * sizeof(str));
    }
}

static void close_blocks(struct table *table)
{
    for (size_t i = 0; i < table->room; i++) {
        struct block *const block = &table->blocks[i];
        if (block->begun && table->visitor->drop)
            table->visitor->drop(table->visitor->context, block->sums);
        arena_free(&block->arena);
        mem_free(block->fields);
        mem_free(block->lines.text);
    }
    mem_free(table->blocks);
}

static bool tell_end(struct table *table)
{
    const char *const damage = job_lines_damage(table->lines);
    table->result->damage = str_copy(table->arena, str_of(damage));
    table->result->lines = job_lines_count(table->lines);
    table->result->lines_of_share = job_lines_count_from_share(table->lines);
    if (damage && table->asked->strict)
        return fail_at(table->err, STEPTIME_INPUT, str_of(table->asked->path), -1, "%s", damage);
    return true;
}

static bool read_lines(struct table *table)
{
    static const struct stages stages = {make, work, join};
    const struct job_table_asked *const asked = table->asked;
    bool headed;
    if (!prepare(table, &headed) || !job_lines_start(table->lines, headed, asked->share, asked->shares, table->err))
        return false;
    if (table->visitor->columns)
        table->visitor->columns(table->visitor->context, &table->result->columns);
    const unsigned threads = asked->threads ? asked->threads : par_cores();
    open_blocks(table, threads);
    stages_run(&stages, threads, table->room, table);
    close_blocks(table);
    return !table->failed && tell_end(table);
}

bool job_table_read(const struct job_table_asked *asked, const struct job_visitor *visitor, struct arena *arena,
                    struct job_table_result *result, struct steptime_error *err)
{
    *result = (struct job_table_result){.damage = S("")};
    struct table table = {.asked = asked, .visitor = visitor, .arena = arena, .result = result, .err = err};
    table.lines = job_lines_open(asked->path, err);
    if (!table.lines)
        return false;
    const bool read = read_lines(&table);
    job_lines_close(table.lines);
    return read;
}
