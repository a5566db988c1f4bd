/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread at a time takes a block of lines from the file; the same thread
 * makes its rows jobs and shows them to the visitor; blocks are joined in order.
 */
#include "job_table.h"

#include "base/error.h"
#include "base/mem.h"
#include "parallel/par.h"
#include "parallel/stages.h"
#include "job_copies.h"
#include "import_stream.h"
#include "job_format.h"
#include "job_table_head.h"

const char *const JOB_NONE = "no job";

/* A block under way. */
struct block {
    struct lines_block lines;
    struct job_copies copies; /* in place of lines, where an importer gives jobs */
    struct arena arena;       /* of its texts: reasons, decoded fields */
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
    struct job_lines *lines; /* NULL: jobs come from the feed */
    struct reading reading;
    struct job_feed feed;
    uint64_t copied; /* jobs of the feed so far */
    struct block *blocks;
    size_t room;
    bool failed;
};

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

static const char *show_job(const struct table *table, struct block *block, const struct job *job, uint64_t line)
{
    const char *const why = job_problem(job);
    return why ? why : table->visitor->row(table->visitor->context, block->sums, job, line);
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
    return why ? why : show_job(table, block, &job, line);
}

static bool next_row(const struct table *table, struct block *block, struct field_cursor *cursor, struct csv_row *row,
                     const char **problem)
{
    const struct reading *const reading = &table->reading;
    return reading->json ? fields_of_json(cursor, &reading->keys, &block->arena, block->fields, row, problem)
                         : fields_of_csv(cursor, block->fields, reading->columns, row, problem);
}

static void count_row(struct block *block, uint64_t line, const char *why)
{
    block->rows++;
    block->taken += !why;
    if (why && why != JOB_NONE)
        drop(block, line, why);
}

static void visit_rows(const struct table *table, struct block *block)
{
    struct field_cursor cursor = field_cursor(&block->lines);
    struct csv_row row;
    const char *problem;
    for (uint64_t line = block->lines.line; next_row(table, block, &cursor, &row, &problem); line++) {
        if (row.count || problem)
            count_row(block, line, problem ? problem : take_row(table, block, &row, line));
    }
}

static void visit_copies(const struct table *table, struct block *block)
{
    for (uint32_t i = 0; i < block->copies.count; i++) {
        const uint64_t number = block->copies.first + i;
        count_row(block, number, show_job(table, block, &block->copies.jobs[i], number));
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
    if (table->lines) {
        const bool some = job_lines_next(table->lines, &block->lines);
        if (table->asked->read_bytes)
            *table->asked->read_bytes = job_lines_read_bytes(table->lines);
        return some;
    }
    block->copies.first = table->copied + 1;
    block->copies.count = 0;
    const bool some = job_copies_next(&table->feed, &block->copies, &block->arena);
    table->copied += block->copies.count;
    return some;
}

static void work(void *context, unsigned thread, size_t item)
{
    const struct table *const table = context;
    struct block *const block = block_of(table, item);
    block->sums = table->visitor->begin(table->visitor->context, thread);
    block->begun = true;
    if (!table->lines)
        visit_copies(table, block);
    else if (block->lines.bytes)
        visit_rows(table, block);
    else
        count_row(block, block->lines.line, "a line of more than 512 KiB");
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
        struct block *const block = &table->blocks[i];
        if (table->lines) {
            block->lines.text = mem_alloc(LINES_BLOCK + 1 + LINES_PAD);
            block->fields = mem_zeroed(((size_t)table->reading.columns + 1) * sizeof *block->fields);
        } else {
            block->copies.jobs = mem_alloc(JOB_COPIES * sizeof *block->copies.jobs);
        }
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
        mem_free(block->copies.jobs);
    }
    mem_free(table->blocks);
}

/* False where a block stopped the reading. */
static bool pass_blocks(struct table *table)
{
    static const struct stages stages = {make, work, join};
    const unsigned threads = table->asked->threads ? table->asked->threads : par_cores();
    if (table->visitor->columns)
        table->visitor->columns(table->visitor->context, &table->result->columns);
    open_blocks(table, threads);
    stages_run(&stages, threads, table->room, table);
    close_blocks(table);
    return !table->failed;
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

static bool read_head(struct table *table, bool *headed)
{
    const str first = job_lines_first(table->lines);
    if (import_is_parquet(first))
        return import_refuse_parquet(table->asked->path, table->err);
    return job_table_head(first, table->asked, table->arena, &table->reading, &table->result->columns, headed,
                          table->err);
}

static bool read_lines(struct table *table)
{
    const struct job_table_asked *const asked = table->asked;
    table->lines = job_lines_open(asked->path, table->err);
    if (!table->lines)
        return false;
    bool headed;
    bool read = read_head(table, &headed);
    if (read) {
        job_lines_start(table->lines, headed, asked->share, asked->shares);
        read = pass_blocks(table) && tell_end(table);
    }
    job_lines_close(table->lines);
    return read;
}

static struct dropped_row row_of(const struct import_drop *drop, struct arena *arena)
{
    const str why = str_of(drop->why);
    if (!drop->table)
        return (struct dropped_row){drop->line, why};
    return (struct dropped_row){drop->line, str_printf(arena, "in %s: %.*s", drop->table, (int)why.len, why.at)};
}

/* Rows that the importer passed over. */
static bool tell_passed(struct table *table, const struct import_drops *passed)
{
    struct job_table_dropped *const dropped = &table->result->dropped;
    for (uint64_t i = 0; i < passed->count && i < IMPORT_TOLD && dropped->count + i < DROPPED_TOLD; i++)
        dropped->told[dropped->count + i] = row_of(&passed->told[i], table->arena);
    dropped->count += passed->count;
    table->result->rows += passed->count;
    if (!passed->count || !table->asked->strict)
        return true;
    const struct dropped_row first = row_of(&passed->told[0], table->arena);
    return fail_at(table->err, STEPTIME_INPUT, str_of(table->asked->path), -1, "line %llu: %.*s",
                   (unsigned long long)first.line, (int)first.why.len, first.why.at);
}

/* Each process meets all rows that are passed over: the first one tells them. */
static bool read_import(struct table *table)
{
    const struct job_table_asked *const asked = table->asked;
    table->feed = (struct job_feed){.share = asked->share, .shares = asked->shares};
    table->feed.import = import_open(asked->path, asked->group_by, asked->threads, table->err);
    if (!table->feed.import)
        return false;
    table->result->columns.format = str_copy(table->arena, import_name(table->feed.import));
    bool good = pass_blocks(table);
    if (good && asked->share == 0)
        good = tell_passed(table, import_dropped(table->feed.import));
    return import_close(table->feed.import, good ? table->err : NULL) && good;
}

bool job_table_read(const struct job_table_asked *asked, const struct job_visitor *visitor, struct arena *arena,
                    struct job_table_result *result, struct steptime_error *err)
{
    *result = (struct job_table_result){.damage = S("")};
    struct table table = {.asked = asked, .visitor = visitor, .arena = arena, .result = result, .err = err};
    const bool standard = strcmp(asked->path, "-") == 0;
    if (standard && asked->shares > 1)
        return fail(err, STEPTIME_USAGE, "standard input cannot be shared among processes: name a file");
    return !standard && import_fits(asked->path) ? read_import(&table) : read_lines(&table);
}
