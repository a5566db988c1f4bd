/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call is parsed, its row found, and the row's reader says kernels and least
 * work. What comes out is checked once more, so that nobody meets a kernel without
 * sizes.
 */
#include "operators.h"

#include <pthread.h>
#include <stdlib.h>

#include "reading.h"
#include "ops/words/rules.h"

/* ---- finding a row: nearly all patterns are whole names, which are found by bisection ---- */

enum { ENTRIES_MOST = 1024, NO_ROW = UINT16_MAX };

struct entry {
    str text;       /* a whole name; or a pattern */
    uint64_t pairs; /* of a pattern: those that a name must have to fit */
    uint16_t row;
};

static struct entry whole[ENTRIES_MOST], patterns[ENTRIES_MOST]; /* sorted by text, then row; in the table's order */
static size_t whole_count, pattern_count;
static pthread_once_t entries_made = PTHREAD_ONCE_INIT;

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = str_cmp(x->text, y->text);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/*
 * Which pairs of neighbouring letters a text has, a bit for each, several pairs to a bit. What a pattern has between its
 * signs, a name that fits it has too; nearly all that do not fit show it here.
 */
static uint64_t pairs_of(str text)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i + 1 < text.len; i++) {
        const unsigned char one = (unsigned char)text.at[i], other = (unsigned char)text.at[i + 1];
        pairs |= UINT64_C(1) << ((one * 5u + other) % 64);
    }
    return pairs;
}

/* Pairs with a sign are none of the name's. */
static uint64_t pairs_of_pattern(str pattern)
{
    uint64_t pairs = 0;
    str rest = {pattern.at + str_starts(pattern, S("^")), 0}, part;
    rest.len = (size_t)(pattern.at + pattern.len - rest.at) - str_ends(pattern, S("$"));
    while (str_cut(&rest, '*', &part))
        pairs |= pairs_of(part);
    return pairs;
}

static void enter(str pattern, uint16_t row)
{
    const bool exact = str_starts(pattern, S("^")) && str_ends(pattern, S("$")) && !str_has(pattern, S("*"));
    if (exact && whole_count < ENTRIES_MOST)
        whole[whole_count++] = (struct entry){{pattern.at + 1, pattern.len - 2}, 0, row};
    else if (pattern_count < ENTRIES_MOST)
        patterns[pattern_count++] = (struct entry){pattern, pairs_of_pattern(pattern), row};
}

static void make_entries(void)
{
    for (uint16_t i = 0; i < operator_row_count; i++) {
        str rest = str_of(operator_rows[i].names), pattern;
        while (str_cut(&rest, '|', &pattern))
            enter(pattern, i);
    }
    qsort(whole, whole_count, sizeof *whole, by_text);
}

/* The first row that has it as a whole name; NO_ROW. */
static uint16_t row_named(str lowered)
{
    size_t low = 0, high = whole_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (str_cmp(whole[middle].text, lowered) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < whole_count && str_eq(whole[low].text, lowered) ? whole[low].row : NO_ROW;
}

const struct operator_row *operator_row_of(str name)
{
    char room[128];
    if (name.len > sizeof room)
        return NULL; /* no operator of the table is that long */
    pthread_once(&entries_made, make_entries);
    const str lowered = name_lowered(name, room, sizeof room);
    const uint16_t named = row_named(lowered);
    const uint64_t pairs = pairs_of(lowered);
    for (size_t i = 0; i < pattern_count && patterns[i].row < named; i++)
        if (!(patterns[i].pairs & ~pairs) && name_fits(lowered, patterns[i].text))
            return &operator_rows[patterns[i].row];
    return named == NO_ROW ? NULL : &operator_rows[named];
}

/* ---- families ---- */

enum family operator_family(str name)
{
    static const struct {
        read_fn *read;
        enum family family;
    } readers[] = {
        {read_mm, FAMILY_GEMM},
        {read_linear, FAMILY_GEMM},
        {read_matmul, FAMILY_GEMM},
        {read_bmm, FAMILY_BMM},
        {read_convolution, FAMILY_CONVOLUTION},
        {read_convolution_gradients, FAMILY_CONVOLUTION},
        {read_attention, FAMILY_ATTENTION},
        {read_recurrent, FAMILY_GEMM},
        {read_cell, FAMILY_ELEMENTWISE},
        {read_elementwise, FAMILY_ELEMENTWISE},
        {read_dropout, FAMILY_RANDOM},
        {read_loss, FAMILY_LOSS},
        {read_loss_gradients, FAMILY_LOSS},
        {read_nll, FAMILY_LOSS},
        {read_softmax, FAMILY_SOFTMAX},
        {read_layer_norm, FAMILY_NORM},
        {read_group_norm, FAMILY_NORM},
        {read_batch_norm, FAMILY_NORM},
        {read_reduction, FAMILY_REDUCTION},
        {read_dot, FAMILY_REDUCTION},
        {read_sum, FAMILY_REDUCTION},
        {read_pool, FAMILY_POOLING},
        {read_adaptive_pool, FAMILY_POOLING},
        {read_pool_gradients, FAMILY_POOLING},
        {read_resize, FAMILY_POOLING},
        {read_fill, FAMILY_MEMORY},
        {read_copy, FAMILY_COPY},
        {read_cast, FAMILY_COPY},
        {read_cat, FAMILY_LAYOUT},
        {read_triangle, FAMILY_LAYOUT},
        {read_gather, FAMILY_INDEX},
        {read_index, FAMILY_INDEX},
        {read_select, FAMILY_INDEX},
        {read_index_put, FAMILY_INDEX},
        {read_scan, FAMILY_INDEX},
        {read_embedding, FAMILY_EMBEDDING},
        {read_bag, FAMILY_EMBEDDING},
        {read_embedding_gradients, FAMILY_EMBEDDING},
        {read_lookup, FAMILY_EMBEDDING},
        {read_lists, FAMILY_OPTIMIZER},
        {read_optimizer, FAMILY_OPTIMIZER},
    };
    const enum family named = family_of_name(name);
    const struct operator_row *row = named == FAMILY_OTHER ? operator_row_of(name) : NULL;
    for (size_t i = 0; row && i < sizeof readers / sizeof *readers; i++)
        if (readers[i].read == row->read)
            return readers[i].family;
    return named;
}

/* ---- reading a call ---- */

static void parse(const struct op_arguments *arguments, str name, struct arena *scratch, struct op_call *call)
{
    *call = (struct op_call){.in_place = str_ends(name, S("_"))};
    if (!shape_parse(arguments->dims, scratch, &call->shape))
        return;
    text_list_parse(arguments->types, scratch, &call->types);
    text_list_parse(arguments->values, scratch, &call->values);
    shape_parse(arguments->strides, scratch, &call->strides);
}

static struct reading reading_of(const struct operator_call *call, struct arena *scratch, struct arena *arena)
{
    struct reading reading = {.row = operator_row_of(call->name), .asked = call, .arena = arena, .least = no_cost()};
    parse(call->arguments, call->name, scratch, &reading.call);
    if (call->forward_arguments)
        parse(call->forward_arguments, call->forward, scratch, &reading.forward);
    return reading;
}

/* ---- costs ---- */

static bool has_formula(const struct operator_row *row)
{
    return row && row->flops;
}

bool operator_has_cost(str name)
{
    return has_formula(operator_row_of(name));
}

struct op_cost operator_cost(str name, const struct op_arguments *arguments)
{
    struct arena scratch = {0};
    const struct operator_call call = {.name = name, .arguments = arguments, .direction = COPY_UNKNOWN};
    if (!operator_has_cost(name))
        return no_cost();
    struct reading reading = reading_of(&call, &scratch, &scratch);
    if (shape_fits(&reading.call.shape))
        reading.row->read(&reading);
    const struct op_cost cost = reading.least;
    arena_free(&scratch);
    return cost;
}

uint32_t op_formula_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < operator_row_count; i++)
        count += has_formula(&operator_rows[i]);
    return count;
}

struct op_formula op_formula_at(uint32_t at)
{
    for (uint32_t i = 0; i < operator_row_count; i++) {
        const struct operator_row *row = &operator_rows[i];
        if (has_formula(row) && at-- == 0)
            return (struct op_formula){str_of(row->names), str_of(row->flops), str_of(row->bytes), str_of(row->source)};
    }
    return (struct op_formula){S(""), S(""), S(""), S("")};
}

/* ---- launches ---- */

str lowering_way_word(enum lowering_way way)
{
    static const char *const words[LOWERING_WAYS] = {
        [LOWERED_TO_KERNELS] = "kernels",       [LOWERED_TO_CALLS] = "calls", [LOWERED_TO_NOTHING] = "nothing",
        [LOWERED_TO_COLLECTIVE] = "collective", [LOWERED_TO_BYTES] = "bytes", [LOWERED_NOT] = "not",
    };
    return (unsigned)way < LOWERING_WAYS ? str_of(words[way]) : S("");
}

static struct lowering by_bytes(struct reading *reading, const char *why)
{
    reading->count = 0;
    if (!read_unknown(reading))
        return (struct lowering){.way = LOWERED_NOT, .why = reading->why};
    return (struct lowering){LOWERED_TO_BYTES, reading->kernels, reading->count, why};
}

static struct lowering by_row(struct reading *reading)
{
    const struct operator_row *row = reading->row;
    struct lowering lowering = {.way = row->way};
    if (!row->read)
        return lowering;
    if (!row->read(reading)) {
        if (row->way == LOWERED_TO_CALLS)
            return lowering; /* the calls inside know more */
        return by_bytes(reading, reading->why);
    }
    if (row->way == LOWERED_TO_KERNELS)
        reading_take_launched(reading);
    lowering.kernels = reading->kernels;
    lowering.count = reading->count;
    if (row->way == LOWERED_TO_KERNELS && !reading->count)
        lowering.way = LOWERED_TO_NOTHING;
    return lowering;
}

struct lowering operator_launches(const struct operator_call *call, struct arena *arena)
{
    struct arena scratch = {0};
    struct reading reading = reading_of(call, &scratch, arena);
    struct lowering lowering = {.way = LOWERED_NOT, .why = "a size of it is too large to be one"};
    if (shape_fits(&reading.call.shape) && shape_fits(&reading.forward.shape))
        lowering = reading.row ? by_row(&reading) : by_bytes(&reading, "no form of this operator");
    arena_free(&scratch);
    return lowering;
}

bool operator_fills(str name)
{
    const struct operator_row *row = operator_row_of(name);
    return row && row->read == read_fill && row->way == LOWERED_TO_CALLS;
}

/* ---- roles ---- */

struct operator_roles operator_roles(str name)
{
    const struct operator_roles none = {false, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT};
    const struct operator_row *row = operator_row_of(name);
    if (!row || row->backward || row->of_forward)
        return none;
    if (row->read == read_linear || row->read == read_matmul)
        return (struct operator_roles){true, 0, 1, row->read == read_linear ? 2 : NO_ARGUMENT};
    if (row->read == read_mm)
        return (struct operator_roles){true, row->tensor, row->with, row->tensor ? 0 : NO_ARGUMENT};
    if (row->read == read_embedding || row->read == read_bag)
        return (struct operator_roles){false, row->with, row->tensor, NO_ARGUMENT};
    return none;
}
