/* SPDX-License-Identifier: Apache-2.0 */
/* By columns, or loose (code.h) as it is kept: how many terms a row has, where each leads from, and then one experiment after another. */
#include "responses_sketch.h"

#include "base/error.h"
#include "words.h"

static const int64_t most_ns = (int64_t)1 << 60, most_units = (int64_t)1 << 50;

static void code_runs(struct code *code, struct responses *of)
{
    code_small(code, &of->run_count, RESPONSE_RUNS_MOST + 1);
    for (uint32_t run = 0; run < of->run_count; run++) {
        int resource = of->runs[run].resource;
        bool changes = resource != RESOURCE_NONE;
        code_bool(code, &changes);
        if (changes)
            code_word(code, &sketch_resources, &resource);
        of->runs[run].resource = (uint8_t)(changes ? resource : RESOURCE_NONE);
        code_bool(code, &of->runs[run].removed);
    }
}

static void code_rows_of(struct code *code, struct responses *of, struct response_table *table)
{
    uint64_t sum = 0;
    for (uint32_t row = 0; row < responses_rows(of); row++) {
        code_count(code, &table->terms[row]);
        sum += table->terms[row];
    }
    table->term_count = (uint32_t)sum;
    code_count(code, &table->term_count); /* so many there are, and no more than bytes are left */
    code->damaged |= table->term_count != sum;
}

/* Of the row before the term at the same place; where there is none the first of this row, so that this is no question. */
static uint32_t term_before(const struct response_table *table, uint32_t row, uint32_t place, uint32_t first)
{
    const uint32_t before = row ? table->terms[row - 1] : 0;
    return place < before ? first - before + place : first;
}

/* Mostly that of the row before at the same place, or else the exit just before. */
static void code_exit(struct code *code, const struct responses *of, uint32_t row, uint32_t expected, uint32_t *exit)
{
    uint32_t what = *exit == expected ? 0 : *exit == RESPONSE_START ? 1 : 2;
    int64_t index = *exit;
    code_small(code, &what, 3);
    if (what == 2)
        code_int(code, &index, (int64_t)row - 1, 0, (int64_t)of->count - 1);
    *exit = what == 0 ? expected : what == 1 ? RESPONSE_START : (uint32_t)index;
}

static void code_exits(struct code *code, struct responses *of, struct response_table *table)
{
    for (uint32_t row = 0, first = 0; row < responses_rows(of); first += table->terms[row++])
        for (uint32_t place = 0; place < table->terms[row]; place++) {
            const uint32_t before = term_before(table, row, place, first);
            code_exit(code, of, row, before < first ? table->exits[before] : RESPONSE_START,
                      &table->exits[first + place]);
        }
}

/*
 * What an experiment gains is mostly little, so what is expected is the first, in which nothing is changed; of a resource at
 * half its time the middle between that and what it saves at none. Where a term goes on from row to row, what that of the row
 * before had beyond that is expected, too.
 */
struct columns {
    struct responses *of;
    struct response_table *table;
    int64_t *beyond; /* by term, of the run */
};

static uint64_t *units_of(const struct columns *columns, uint32_t term)
{
    return &columns->table->units[(size_t)term * columns->of->run_count];
}

static bool is_half(const struct responses *of, uint32_t run)
{
    return run > 1 && of->runs[run - 1].resource == of->runs[run].resource && !of->runs[run].removed;
}

static int64_t units_expected(const struct columns *columns, uint32_t run, uint32_t term)
{
    const uint64_t *row = units_of(columns, term);
    if (!run)
        return 1;
    return (int64_t)(is_half(columns->of, run) && row[0] && row[run - 1] ? (row[0] + row[run - 1]) / 2 : row[0]);
}

static void code_term(struct code *code, struct columns *columns, uint32_t run, uint32_t term, uint32_t before)
{
    const struct response_table *table = columns->table;
    const bool goes_on = run && before < term && table->exits[before] == table->exits[term];
    const int64_t expected = units_expected(columns, run, term), beyond = goes_on ? columns->beyond[before] : 0;
    int64_t units = (int64_t)units_of(columns, term)[run];
    code_int(code, &units, expected + beyond, 0, most_units);
    units_of(columns, term)[run] = (uint64_t)units;
    columns->beyond[term] = units && units_of(columns, term)[0] ? units - expected : beyond;
}

static void code_columns(struct code *code, struct responses *of, struct response_table *table)
{
    struct arena scratch = {0};
    struct columns columns = {of, table, arena_array(&scratch, table->term_count, sizeof *columns.beyond)};
    for (uint32_t run = 0; run < of->run_count; run++)
        for (uint32_t row = 0, first = 0; row < responses_rows(of); first += table->terms[row++])
            for (uint32_t place = 0; place < table->terms[row]; place++)
                code_term(code, &columns, run, first + place, term_before(table, row, place, first));
    arena_free(&scratch);
}

static void code_table(struct code *code, struct responses *of)
{
    struct arena scratch = {0};
    const bool reads = code_reads(code);
    struct response_table table = reads ? (struct response_table){0} : responses_unpack(of, &scratch);
    if (reads)
        table.terms = arena_array(&scratch, responses_rows(of), sizeof *table.terms);
    code_rows_of(code, of, &table);
    if (reads && !code->damaged) {
        table.exits = arena_array(&scratch, table.term_count, sizeof *table.exits);
        table.units = arena_array(&scratch, (size_t)table.term_count * of->run_count, sizeof *table.units);
    }
    if (!code->damaged) {
        code_exits(code, of, &table);
        code_columns(code, of, &table);
    }
    if (reads && !code->damaged)
        responses_keep(of, &table, code->arena);
    arena_free(&scratch);
}

/* ---- as it is kept ---- */

static void check_row(struct code *rows, const struct responses *of, uint32_t row)
{
    uint64_t terms, exit, units;
    code_bits(rows, &terms);
    for (; terms && !rows->damaged; terms--) {
        code_bits(rows, &exit);
        rows->damaged |= exit && response_exit(row, exit) >= of->count;
        for (uint32_t run = 0; run < of->run_count; run++) {
            code_bits(rows, &units);
            rows->damaged |= units > (uint64_t)most_units;
        }
    }
}

static void take_rows(struct code *code, struct responses *of, str bytes)
{
    const str kept = str_copy(code->arena, bytes);
    struct code rows = code_reader(kept, code->arena);
    uint32_t *row_at = arena_array(code->arena, responses_rows(of), sizeof *row_at);
    for (uint32_t row = 0; row < responses_rows(of); row++) {
        row_at[row] = (uint32_t)(rows.at - kept.at);
        check_row(&rows, of, row);
    }
    code->damaged |= !code_whole(&rows);
    of->bytes = (const uint8_t *)kept.at;
    of->row_at = row_at;
}

static void code_loose(struct code *code, struct responses *of)
{
    str bytes = code_reads(code) ? S("") : responses_bytes(of);
    code_text(code, &bytes);
    if (code_reads(code))
        take_rows(code, of, bytes);
}

static void code_responses(struct code *code, struct responses *of)
{
    code_u32(code, &of->steps, 0);
    code_int(code, &of->from_ns, 0, -most_ns, most_ns);
    code_int(code, &of->end_ns, of->from_ns, of->from_ns, most_ns);
    code_int(code, &of->changes_ns, of->from_ns, -most_ns, of->from_ns);
    code_int(code, &of->unit_ns, 1, 1, most_ns);
    code_runs(code, of);
    code->damaged |= of->steps && !of->run_count;
    if (of->steps && !code->damaged)
        (code->loose ? code_loose : code_table)(code, of);
}

void responses_sketch_write(const struct responses *responses, struct arena *arena, struct sketch *sketch)
{
    struct buf bytes = {0};
    struct code code = sketch_writer(sketch, &bytes);
    struct responses copy = *responses;
    code_responses(&code, &copy);
    sketch->sections[SKETCH_RESPONSES] = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
}

bool responses_sketch_read(const struct sketch *sketch, uint32_t collectives, struct arena *arena,
                           struct responses *out, struct steptime_error *err)
{
    *out = (struct responses){.count = collectives};
    if (!sketch->sections[SKETCH_RESPONSES].len)
        return true;
    struct code code = sketch_section(sketch, SKETCH_RESPONSES, arena);
    code_responses(&code, out);
    return code_whole(&code) || fail(err, STEPTIME_INPUT, "is a damaged sketch");
}
