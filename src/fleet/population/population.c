/* SPDX-License-Identifier: Apache-2.0 */
#include "population_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/mem.h"
#include "base/sort.h"

struct population *population_new(uint32_t values)
{
    struct population *population = mem_zeroed(sizeof *population);
    population->values = values;
    population->names = intern_new();
    population->exact = true;
    population->rows.values = values;
    population->view = mem_zeroed(sizeof *population->view);
    return population;
}

static void free_summaries(struct population *population)
{
    for (uint32_t id = 0; id < GROUP_IDS; id++) {
        for (uint32_t value = 0; population->of[id] && value < population->values; value++)
            histogram_free(&population->of[id][value].histogram);
        mem_free(population->of[id]);
    }
}

void population_free(struct population *population)
{
    if (!population)
        return;
    population_forget_view(population);
    rows_free(&population->rows);
    free_summaries(population);
    intern_free(population->names);
    mem_free(population->view);
    mem_free(population);
}

void population_clear(struct population *population)
{
    struct population *const empty = population_new(population->values), was = *population;
    *population = *empty;
    *empty = was;
    population_free(empty);
}

bool population_is_exact(const struct population *population)
{
    return population->exact;
}

/* ---- totals ---- */

void totals_add(struct totals *totals, double value, const double weight[WEIGHTS])
{
    totals->least = totals->count ? fmin(totals->least, value) : value;
    totals->most = totals->count ? fmax(totals->most, value) : value;
    totals->count++;
    for (int by = 0; by < WEIGHTS; by++) {
        totals->weight[by] += weight[by];
        totals->sum[by] += weight[by] * value;
    }
}

void totals_merge(struct totals *into, const struct totals *from)
{
    if (!from->count)
        return;
    into->least = into->count ? fmin(into->least, from->least) : from->least;
    into->most = into->count ? fmax(into->most, from->most) : from->most;
    into->count += from->count;
    for (int by = 0; by < WEIGHTS; by++) {
        into->weight[by] += from->weight[by];
        into->sum[by] += from->sum[by];
    }
}

/* ---- which groups are told ---- */

struct named_group {
    str name;
    uint32_t id;
    uint64_t rows;
};

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct named_group *)a)->name, ((const struct named_group *)b)->name);
}

static int by_rows(const void *a, const void *b)
{
    const struct named_group *const left = a, *const right = b;
    if (left->rows != right->rows)
        return left->rows < right->rows ? 1 : -1;
    return by_name(a, b);
}

static uint64_t *rows_of_ids(const struct population *population, uint32_t ids, struct arena *arena)
{
    uint64_t *const rows = arena_array(arena, ids, sizeof *rows);
    for (uint32_t row = 0; row < population->rows.count; row++)
        rows[rows_group(&population->rows, row)]++;
    for (uint32_t id = 0; !population->exact && id < ids; id++)
        rows[id] = population->row_count[id];
    return rows;
}

struct told_groups population_told_groups(const struct population *population, struct arena *arena)
{
    const uint32_t ids = intern_count(population->names);
    const uint64_t *const rows = rows_of_ids(population, ids, arena);
    struct named_group *const named = arena_array(arena, ids, sizeof *named);
    struct told_groups told = {0};
    for (uint32_t id = 0; id < ids; id++)
        if (rows[id])
            named[told.count++] = (struct named_group){intern_text(population->names, id), id, rows[id]};
    if (population->exact && told.count > POPULATION_GROUPS) {
        qsort(named, told.count, sizeof *named, by_rows);
        told.folded = true;
        told.count = POPULATION_GROUPS;
    }
    qsort(named, told.count, sizeof *named, by_name);
    told.ids = arena_array(arena, told.count, sizeof *told.ids);
    for (uint32_t i = 0; i < told.count; i++)
        told.ids[i] = named[i].id;
    return told;
}

/* ---- rows ---- */

struct summary *population_of_group(struct population *population, uint32_t id)
{
    if (!population->of[id])
        population->of[id] = mem_zeroed(population->values * sizeof *population->of[id]);
    return population->of[id];
}

static void add_summary(struct population *population, uint32_t id, const double weight[WEIGHTS], const double *values)
{
    struct summary *const of = population_of_group(population, id);
    population->row_count[id]++;
    for (uint32_t value = 0; value < population->values; value++)
        if (isfinite(values[value])) {
            totals_add(&of[value].totals, values[value], weight);
            histogram_add(&of[value].histogram, values[value], weight);
        }
}

/* Where a group of that name is told in a population of summaries. */
static uint32_t place_of(struct population *population, str name)
{
    uint32_t id;
    if (intern_find(population->names, name, &id))
        return id;
    if (!population->folded && intern_count(population->names) <= POPULATION_GROUPS)
        return intern_id(population->names, name);
    population->folded = true;
    return GROUP_OTHER;
}

/* Adds rows of another population; place[id] is where its groups are told here. */
static void add_rows(struct population *population, const struct rows *rows, const uint32_t *place)
{
    double weight[WEIGHTS], *const values = mem_alloc(population->values * sizeof *values);
    for (uint32_t row = 0; row < rows->count; row++) {
        for (uint32_t value = 0; value < rows->values; value++)
            values[value] = rows_figure(rows, row, value);
        rows_weights(rows, row, weight);
        add_summary(population, place[rows_group(rows, row)], weight, values);
    }
    mem_free(values);
}

void population_summarise(struct population *population)
{
    if (!population->exact)
        return;
    struct arena scratch = {0};
    const struct told_groups told = population_told_groups(population, &scratch);
    struct intern *const all = population->names;
    const uint32_t ids = intern_count(all);
    uint32_t *const place = arena_array(&scratch, ids, sizeof *place);
    for (uint32_t id = 0; id < ids; id++)
        place[id] = GROUP_OTHER;
    population->names = intern_new();
    for (uint32_t i = 0; i < told.count; i++)
        place[told.ids[i]] = intern_id(population->names, intern_text(all, told.ids[i]));
    place[0] = 0; /* rows without a name are told in any case, since that name is always found */
    population->exact = false;
    population->folded = told.folded;
    add_rows(population, &population->rows, place);
    rows_free(&population->rows);
    intern_free(all);
    arena_free(&scratch);
}

/* Of the text alone: the same in every process. FNV-1a. */
static uint64_t mark_of(str text)
{
    uint64_t mark = 0xCBF29CE484222325;
    for (size_t i = 0; i < text.len; i++)
        mark = (mark ^ (unsigned char)text.at[i]) * 0x100000001B3;
    return mark;
}

/* What is too long is cut where a character begins, and told from others that begin alike: "long-name...3f2a...". */
static str name_short(str name, char room[POPULATION_NAME + 1])
{
    if (name.len <= POPULATION_NAME)
        return name;
    size_t len = POPULATION_NAME - strlen("...0123456789abcdef");
    while (len && ((unsigned char)name.at[len] & 0xC0) == 0x80)
        len--;
    memcpy(room, name.at, len);
    format_text(room + len, POPULATION_NAME + 1 - len, "...%016llx", (unsigned long long)mark_of(name));
    return str_of(room);
}

void population_add(struct population *population, str group, const double weight[WEIGHTS], const double *values)
{
    char room[POPULATION_NAME + 1];
    const str name = name_short(group, room);
    population_forget_view(population);
    if (population->exact && population->rows.count >= POPULATION_EXACT)
        population_summarise(population);
    if (population->exact)
        rows_add(&population->rows, intern_id(population->names, name), weight, values);
    else
        add_summary(population, place_of(population, name), weight, values);
}

/* ---- merging ---- */

/* Where the groups of another are told here. */
static uint32_t *places_of(struct population *into, const struct intern *names, struct arena *scratch)
{
    const uint32_t ids = intern_count(names);
    uint32_t *const place = arena_array(scratch, ids > GROUP_IDS ? ids : GROUP_IDS, sizeof *place);
    for (uint32_t id = 0; id < ids; id++) {
        const str name = intern_text(names, id);
        place[id] = into->exact ? intern_id(into->names, name) : place_of(into, name);
    }
    return place;
}

static void merge_group(struct population *into, uint32_t id, const struct summary *from, uint64_t rows)
{
    struct summary *const to = population_of_group(into, id);
    into->row_count[id] += rows;
    for (uint32_t value = 0; value < into->values; value++) {
        totals_merge(&to[value].totals, &from[value].totals);
        histogram_merge(&to[value].histogram, &from[value].histogram);
    }
}

/* Moves a group to (other). */
static void fold_group(struct population *population, uint32_t id)
{
    struct summary *const of = population->of[id];
    const uint64_t rows = population->row_count[id];
    population->of[id] = NULL;
    population->row_count[id] = 0;
    merge_group(population, GROUP_OTHER, of, rows);
    for (uint32_t value = 0; value < population->values; value++)
        histogram_free(&of[value].histogram);
    mem_free(of);
}

/* Tells apart only groups that are known to another population too; their ids are given again. */
static void fold_unknown(struct population *population, const struct intern *known)
{
    struct intern *const names = population->names;
    struct summary *of[GROUP_IDS] = {0};
    uint64_t rows[GROUP_IDS] = {0};
    population->names = intern_new();
    for (uint32_t old = 0, id; old < intern_count(names); old++) {
        if (population->of[old] && !intern_find(known, intern_text(names, old), &id))
            fold_group(population, old);
        if (!population->of[old])
            continue;
        id = intern_id(population->names, intern_text(names, old));
        of[id] = population->of[old];
        rows[id] = population->row_count[old];
    }
    of[GROUP_OTHER] = population->of[GROUP_OTHER];
    rows[GROUP_OTHER] = population->row_count[GROUP_OTHER];
    memcpy(population->of, of, sizeof of);
    memcpy(population->row_count, rows, sizeof rows);
    intern_free(names);
}

/* A group that the other does not tell apart may have rows in its (other): it is told apart no more. */
static void merge_summaries(struct population *into, const struct population *from)
{
    struct arena scratch = {0};
    if (from->folded)
        fold_unknown(into, from->names);
    const uint32_t *const place = places_of(into, from->names, &scratch);
    into->folded |= from->folded;
    for (uint32_t id = 0; id < GROUP_IDS; id++)
        if (from->of[id])
            merge_group(into, id == GROUP_OTHER ? GROUP_OTHER : place[id], from->of[id], from->row_count[id]);
    arena_free(&scratch);
}

static void merge_rows(struct population *into, const struct population *from)
{
    struct arena scratch = {0};
    const uint32_t *const place = places_of(into, from->names, &scratch);
    if (into->exact)
        rows_append(&into->rows, &from->rows, place);
    else
        add_rows(into, &from->rows, place);
    arena_free(&scratch);
}

void population_merge(struct population *into, const struct population *from)
{
    population_forget_view(into);
    if (!from->exact || (uint64_t)into->rows.count + from->rows.count > POPULATION_EXACT)
        population_summarise(into);
    if (from->exact)
        merge_rows(into, from);
    else
        merge_summaries(into, from);
}
