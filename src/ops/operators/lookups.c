/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups in tables of embeddings. Arithmetic only where rows are summed. */
#include "reading.h"

static const char no_indices[] = "the shapes of its table and indices were not recorded";

static void add_lookup(struct reading *reading, enum dtype dtype, int64_t bags, int64_t rows, int64_t bag,
                       int64_t width, bool backward)
{
    reading_add(reading, (struct kernel){.form = FORM_EMBEDDING,
                                         .backward = backward,
                                         .dtype = dtype,
                                         .lookup = {bags, 1, rows, bag, width}});
}

/* weight [E, D]: each index fetches a row of D and writes it. */
bool read_embedding(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int weight = reading->row->tensor, indices = reading->row->with;
    const struct tensor_dims table = call_dims(call, weight);
    const int64_t picks = call_elements(call, indices);
    if (table.rank != 2 || picks < 0)
        return reading_miss(reading, no_indices);
    const enum dtype dtype = call_dtype(call, weight);
    const int64_t moved = figure_product(2, figure_product(picks, figure_bytes(table.at[1], dtype)));
    reading->least = (struct op_cost){0, sum_known(moved, call_bytes(call, indices)), dtype, false};
    add_lookup(reading, call_kernel_dtype(call, weight), picks, table.at[0], 1, table.at[1], false);
    return true;
}

/* Rows of a bag are added: D a row. Read are the rows, indices and offsets, written a row a bag. */
bool read_bag(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int weight = reading->row->tensor, indices = reading->row->with, offsets = reading->row->place;
    const struct tensor_dims table = call_dims(call, weight);
    const int64_t picks = call_elements(call, indices);
    int64_t bags = call_elements(call, offsets);
    if (table.rank != 2 || picks < 0 || bags < 0)
        return reading_miss(reading, no_indices);
    bool last_offset = false; /* the offsets have an entry more than there are bags */
    call_boolean(call, 7, &last_offset);
    bags -= last_offset && bags > 0;

    const enum dtype dtype = call_dtype(call, weight);
    const int64_t rows = figure_product(sum_known(picks, bags), figure_bytes(table.at[1], dtype));
    const int64_t places = sum_known(call_bytes(call, indices), call_bytes(call, offsets));
    reading->least = (struct op_cost){figure_product(picks, table.at[1]), sum_known(rows, places), dtype, false};
    if (bags == 0 || picks == 0) {
        reading->empty = true;
        return true;
    }
    add_lookup(reading, call_kernel_dtype(call, weight), bags, table.at[0], (picks + bags - 1) / bags, table.at[1],
               false);
    return true;
}

/*
 * A dense gradient [E, D] is written whole: filled with zeros, then each row of the incoming gradient is added where it
 * belongs. Without a recorded number of rows, as many as there are indices.
 */
bool read_embedding_gradients(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    const int incoming = reading->row->tensor, indices = reading->row->with;
    const struct tensor_dims gradient = call_dims(call, incoming);
    const int64_t picks = call_elements(call, indices), width = dims_cols(gradient);
    int64_t rows = 0;
    if (gradient.rank < 2 || picks < 0)
        return reading_miss(reading, no_indices);
    const bool known = call_integer(call, reading->row->place, &rows) && rows > 0 && rows <= (int64_t)1 << 40;
    const int64_t written = known ? rows : -1;
    rows = known ? rows : picks;

    const int64_t moved = figure_product(sum_known(picks, written), figure_bytes(width, call_dtype(call, incoming)));
    reading->least = (struct op_cost){figure_product(picks, width), sum_known(moved, call_bytes(call, indices)),
                                      call_dtype(call, incoming), false};
    const enum dtype dtype = call_kernel_dtype(call, incoming);
    const int64_t bytes = figure_bytes(figure_product(rows, width), dtype), bags = dims_rows(gradient);
    if (bags < 1 || picks < 1) {
        reading->empty = true;
        return true;
    }
    reading_add(reading, (struct kernel){.form = FORM_FILL, .dtype = dtype, .moved = {.bytes = bytes}});
    add_lookup(reading, dtype, bags, rows, (picks + bags - 1) / bags, width, true);
    return true;
}

/* ---- several tables in one lookup ---- */

/* What the arguments of a batched lookup say together; see batched_lookup. */
struct lookup {
    int64_t weights; /* elements of all tables together */
    int64_t tables, indices, bags, width;
};

/*
 * Batched lookups come with other arguments from release to release, but always with one large flat or two-dimensional
 * weight, then vectors: one entry a table first (its places, widths), at the end the indices and, one more than there
 * are bags, the offsets. So: the largest argument is the weights; of the vectors behind it the last two are indices and
 * offsets, and the shortest has as many entries as there are tables.
 */
static bool batched_lookup(const struct op_call *call, struct lookup *lookup)
{
    int64_t indices = 0, offsets = 0, tables = INT64_MAX;
    uint32_t weights = 0;
    for (uint32_t i = 0; i < call->shape.count; i++)
        if (call_dims(call, (int)i).rank > 0 &&
            dims_elements(call_dims(call, (int)i)) > dims_elements(call_dims(call, (int)weights)))
            weights = i;
    for (uint32_t i = weights + 1; i < call->shape.count; i++) {
        const struct tensor_dims dims = call_dims(call, (int)i);
        const int64_t elements = dims.rank == 1 ? dims.at[0] : 0;
        if (elements < 2)
            continue;
        tables = elements < tables ? elements : tables;
        indices = offsets;
        offsets = elements;
    }
    if (indices < 1 || offsets < 2)
        return false;
    *lookup = (struct lookup){dims_elements(call_dims(call, (int)weights)), tables, indices, offsets - 1, 0};
    if (call_dims(call, (int)weights).rank == 2)
        lookup->width = call_dims(call, (int)weights).at[1];
    return lookup->weights > 0;
}

/* The width where the table is flat: the gradient or the output [batch, tables x width] says it; 64 where neither is. */
static int64_t lookup_width(const struct reading *reading, const struct lookup *lookup)
{
    const struct tensor_dims gradient = call_dims(&reading->call, 0);
    if (lookup->width > 0)
        return lookup->width;
    if (gradient.rank == 2 && lookup->tables > 0 && gradient.at[1] >= lookup->tables)
        return gradient.at[1] / lookup->tables;
    return 64;
}

bool read_lookup(struct reading *reading)
{
    struct lookup lookup;
    if (!batched_lookup(reading->row->of_forward ? &reading->forward : &reading->call, &lookup))
        return reading_miss(reading, no_indices);
    const int64_t width = lookup_width(reading, &lookup), tables = lookup.tables;
    const int64_t bag = lookup.bags > 0 ? (lookup.indices + lookup.bags - 1) / lookup.bags : 0;
    reading_add(reading, (struct kernel){
                             .form = FORM_EMBEDDING,
                             .backward = reading->row->backward,
                             .dtype = DTYPE_F32,
                             .lookup = {lookup.bags / tables, tables, lookup.weights / tables / width, bag, width},
                         });
    return reading->count > 0 || reading_miss(reading, no_indices);
}
