/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row: how many terms, and of each the exit (0: none; else by how many meetings it stands before this one, zigzag) and of
 * each run by how many units it is earlier than recorded, above one; 0: it never decides.
 */
#include "responses.h"

#include "base/order.h"

/*
 * A step has so many units, and where its collectives are many as many fewer. What is rounded is half a unit at most and does
 * not add up: 0.1 % of a step, or with a thousand collectives 0.8 %.
 */
enum { PARTS_MOST = 512, PARTS_LEAST = 64, PARTS_BY_COLLECTIVES = 64 * 1024 };

/* ---- packing ---- */

/* Of each experiment the terms of the rows. */
struct packing {
    const struct responses *of;
    const struct response_row *const *batches;
    const struct response_times *times;
    int64_t *error_ns; /* by meeting and run: by how much later than it should be its entry comes out */
};

static uint64_t zigzag(int64_t value)
{
    return value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1;
}

static int64_t unzigzag(uint64_t value)
{
    return value & 1 ? ~(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* The exits of any batch, each once. */
static uint32_t exits_of(const struct packing *p, uint32_t row, uint32_t *exits)
{
    uint32_t count = 0;
    for (uint32_t batch = 0; batch * ABREAST < p->of->run_count; batch++) {
        const struct response_row *of = &p->batches[batch][row];
        for (uint32_t i = 0; i < of->count; i++) {
            uint32_t k = 0;
            while (k < count && exits[k] != of->terms[i].exit)
                k++;
            if (k == count)
                exits[count++] = of->terms[i].exit;
        }
    }
    return count;
}

static const struct response_term *term_of(const struct response_row *row, uint32_t exit)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->terms[i].exit == exit)
            return &row->terms[i];
    return NULL;
}

static int64_t *error_of(const struct packing *p, uint32_t row, uint32_t run)
{
    return &p->error_ns[(size_t)row * p->of->run_count + run];
}

/* What was rounded before goes on, so that it does not add up along a way. */
static uint64_t units(const struct packing *p, uint32_t row, uint32_t exit, uint32_t run, int64_t *error_ns)
{
    const struct response_term *term = term_of(&p->batches[run / ABREAST][row], exit);
    const int64_t left = exit == RESPONSE_START ? 0 : p->times->leave_ns[exit];
    const int64_t before_ns = exit == RESPONSE_START ? 0 : *error_of(p, exit, run);
    if (!term || term->at[run % ABREAST] == INT64_MIN)
        return 0;
    const int64_t earlier = time_sum(p->times->enter_ns[row], -time_sum(left, term->at[run % ABREAST]));
    const int64_t wanted = larger_of(time_sum(earlier, before_ns), 0);
    const int64_t whole = wanted / p->of->unit_ns + (wanted % p->of->unit_ns > p->of->unit_ns / 2);
    *error_ns = earlier + before_ns - whole * p->of->unit_ns;
    return (uint64_t)whole + 1;
}

static uint32_t most_terms(const struct packing *p, uint32_t row)
{
    uint32_t terms = 0;
    for (uint32_t batch = 0; batch * ABREAST < p->of->run_count; batch++)
        terms += p->batches[batch][row].count;
    return terms;
}

static void add_row(const struct packing *p, uint32_t row, struct response_table *table)
{
    const uint32_t runs = p->of->run_count;
    table->terms[row] = exits_of(p, row, table->exits + table->term_count);
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t latest = UINT64_MAX;
        for (uint32_t term = table->term_count; term < table->term_count + table->terms[row]; term++) {
            int64_t error_ns = 0;
            const uint64_t found = units(p, row, table->exits[term], run, &error_ns);
            table->units[(size_t)term * runs + run] = found;
            if (found && found < latest)
                *error_of(p, row, run) = error_ns;
            latest = found && found < latest ? found : latest;
        }
    }
    table->term_count += table->terms[row];
}

static struct response_table table_of(const struct responses *of, size_t terms, struct arena *arena)
{
    return (struct response_table){.terms = arena_array(arena, responses_rows(of), sizeof(uint32_t)),
                                   .exits = arena_array(arena, terms, sizeof(uint32_t)),
                                   .units = arena_array(arena, terms * of->run_count, sizeof(uint64_t))};
}

void responses_keep(struct responses *out, const struct response_table *table, struct arena *arena)
{
    struct buf bytes = {0};
    uint32_t *row_at = arena_array(arena, responses_rows(out), sizeof *row_at);
    for (uint32_t row = 0, term = 0; row < responses_rows(out); row++) {
        row_at[row] = (uint32_t)bytes.len;
        varint_put(&bytes, table->terms[row]);
        for (uint32_t i = 0; i < table->terms[row]; i++, term++) {
            const uint32_t exit = table->exits[term];
            varint_put(&bytes, exit == RESPONSE_START ? 0 : 1 + zigzag((int64_t)row - exit));
            for (uint32_t run = 0; run < out->run_count; run++)
                varint_put(&bytes, table->units[(size_t)term * out->run_count + run]);
        }
    }
    out->row_at = row_at;
    out->bytes = (const uint8_t *)str_copy(arena, buf_str(&bytes)).at;
    buf_free(&bytes);
}

static int64_t parts_of_step(const struct responses *of)
{
    const int64_t collectives = (int64_t)of->count / of->steps;
    return collectives ? smaller_of(larger_of(PARTS_BY_COLLECTIVES / collectives, PARTS_LEAST), PARTS_MOST)
                       : PARTS_MOST;
}

void responses_pack(struct responses *out, const struct response_row *const *batches,
                    const struct response_times *times, struct arena *arena)
{
    struct arena scratch = {0};
    const struct packing p = {out, batches, times,
                              arena_array(&scratch, (size_t)responses_rows(out) * out->run_count, sizeof(int64_t))};
    size_t most = 0;
    for (uint32_t row = 0; row < responses_rows(out); row++)
        most += most_terms(&p, row);
    out->unit_ns = larger_of((out->end_ns - out->from_ns) / out->steps / parts_of_step(out), 1);
    struct response_table table = table_of(out, most, &scratch);
    for (uint32_t row = 0; row < responses_rows(out); row++)
        add_row(&p, row, &table);
    responses_keep(out, &table, arena);
    arena_free(&scratch);
}

/* ---- reading ---- */

uint32_t response_exit(uint32_t row, uint64_t packed)
{
    return packed ? (uint32_t)(row - unzigzag(packed - 1)) : RESPONSE_START;
}

/* Of a term that only one of both has the nearer one says. */
double response_blended(const struct response_blend *blend, uint64_t own, uint64_t other)
{
    if (!blend->part)
        return (double)own;
    if (own && other)
        return (double)own + ((double)other - (double)own) * blend->part;
    return (double)(blend->part < 0.5 ? own : other);
}

/* Of a row, from its beginning. */
static const uint8_t *pass_row(const struct responses *responses, const uint8_t *at)
{
    for (uint64_t terms = varint_get(&at); terms; terms--)
        for (uint32_t number = 0; number < 1 + responses->run_count; number++)
            varint_get(&at);
    return at;
}

str responses_bytes(const struct responses *responses)
{
    const uint8_t *end = pass_row(responses, responses->bytes + responses->row_at[responses_end_row(responses)]);
    return (str){(const char *)responses->bytes, (size_t)(end - responses->bytes)};
}

static size_t terms_of(const struct responses *responses)
{
    size_t terms = 0;
    for (uint32_t row = 0; row < responses_rows(responses); row++) {
        const uint8_t *at = responses->bytes + responses->row_at[row];
        terms += varint_get(&at);
    }
    return terms;
}

struct response_table responses_unpack(const struct responses *responses, struct arena *arena)
{
    struct response_table table = table_of(responses, terms_of(responses), arena);
    for (uint32_t row = 0; row < responses_rows(responses); row++) {
        const uint8_t *at = responses->bytes + responses->row_at[row];
        table.terms[row] = (uint32_t)varint_get(&at);
        for (uint32_t i = 0; i < table.terms[row]; i++, table.term_count++) {
            const uint64_t exit = varint_get(&at);
            table.exits[table.term_count] = response_exit(row, exit);
            for (uint32_t run = 0; run < responses->run_count; run++)
                table.units[(size_t)table.term_count * responses->run_count + run] = varint_get(&at);
        }
    }
    return table;
}
