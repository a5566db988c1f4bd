/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move data: copies, concatenation, indexing, lookups in tables. */
#include "lower_work.h"

static const char no_tensor[] = "the shape of its tensor was not recorded";
static const char no_indices[] = "the shapes of its table and indices were not recorded";

/* ---- copies ---- */

static void add_host_copy(struct lower_work *work, int64_t bytes)
{
    const bool pinned = work->asked->memory == HOST_PINNED;
    lower_add(work, FORM_HOST_COPY, DTYPE_UNKNOWN, (const int64_t[]){bytes, pinned});
}

static bool crosses(enum copy_direction direction)
{
    return direction == COPY_H2D || direction == COPY_D2H;
}

/* The recorded strides are those of a tensor whose last dimension does not lie side by side. */
static bool is_transposed(const struct op_call *call, uint32_t i)
{
    const struct tensor_dims dims = call_dims(call, i),
                             strides = call_dims(&(struct op_call){.shape = call->strides}, i);
    return dims.rank > 1 && strides.rank == dims.rank && strides.at[dims.rank - 1] != 1 && dims.at[dims.rank - 1] > 1;
}

static void add_moved(struct lower_work *work, uint32_t source, uint32_t destination)
{
    const struct op_call *call = &work->call;
    const struct tensor_dims to = call_dims(call, destination);
    const int64_t read = lower_bytes(call, source), written = lower_bytes(call, destination);
    if (is_transposed(call, source) != is_transposed(call, destination))
        lower_add(work, FORM_TRANSPOSE, lower_dtype(call, destination),
                  (const int64_t[]){1, dims_rows(to), dims_cols(to)});
    else if (read == written)
        lower_add(work, FORM_COPY, lower_dtype(call, destination), &written);
    else
        lower_add(work, FORM_ELEMENTWISE, DTYPE_I8, (const int64_t[]){1, figure_sum(read, written), 1});
}

bool lower_copy(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    const uint32_t to = (uint32_t)v->a, from = (uint32_t)v->b;
    const int64_t bytes = lower_bytes(call, to);
    if (bytes < 0)
        return lower_miss(work, no_tensor);
    if (crosses(work->asked->direction))
        add_host_copy(work, bytes);
    else
        add_moved(work, call_has(call, from) ? from : to, to);
    return true;
}

bool lower_cast(struct lower_work *work, const struct lower_variant *v)
{
    const int64_t bytes = lower_bytes(&work->call, (uint32_t)v->a);
    if (bytes < 0)
        return lower_miss(work, no_tensor);
    if (crosses(work->asked->direction))
        add_host_copy(work, bytes);
    else
        lower_add(work, FORM_COPY, lower_dtype(&work->call, (uint32_t)v->a), &bytes);
    return true;
}

bool lower_cat(struct lower_work *work, const struct lower_variant *v)
{
    const uint32_t i = (uint32_t)v->a;
    const int64_t bytes = lower_bytes(&work->call, i);
    if (bytes < 0 || !work->call.shape.arguments[i].list)
        return lower_miss(work, "the shapes of its list were not recorded");
    lower_add(work, FORM_CONCAT, lower_dtype(&work->call, i),
              (const int64_t[]){bytes, work->call.shape.arguments[i].count});
    return true;
}

/* ---- indexing ---- */

/* Elements of the largest index of an argument, one tensor or a list; -1 where there is none. */
static int64_t index_elements(const struct op_call *call, uint32_t i)
{
    if (i >= call->shape.count)
        return -1;
    int64_t most = -1;
    for (uint32_t k = 0; k < call->shape.arguments[i].count; k++) {
        const struct tensor_dims dims = call->shape.arguments[i].tensors[k];
        const int64_t elements = dims.rank ? dims_elements(dims) : -1;
        most = elements > most ? elements : most;
    }
    return most;
}

/* Indices of a list that are there: as many dimensions of the tensor are picked from. */
static uint32_t indices_of(const struct op_call *call, uint32_t i)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < call->shape.arguments[i].count; k++)
        count += call->shape.arguments[i].tensors[k].rank > 0;
    return count ? count : 1;
}

/*
 * Elements that one index fetches: the tensor without the dimensions that are picked from. Which those are is not
 * recorded of a list whose absent entries are left out; the places of the absent ones are the leading dimensions.
 */
static int64_t fetched_each(const struct op_call *call, uint32_t tensor, uint32_t index)
{
    const struct tensor_dims dims = call_dims(call, tensor);
    const struct shape_argument *list = &call->shape.arguments[index];
    int64_t elements = 1;
    const uint32_t picked = indices_of(call, index);
    for (uint32_t d = 0; d < dims.rank; d++) {
        const bool slot = d < list->count ? list->tensors[d].rank > 0 : list->count <= 1 && d < picked;
        elements = figure_product(elements, slot ? 1 : dims.at[d]);
    }
    return elements;
}

/* Of index_select the dimension is argument 1 and the index argument 2. */
static int64_t select_each(const struct op_call *call, uint32_t tensor)
{
    const struct tensor_dims dims = call_dims(call, tensor);
    const uint32_t axis = call_axis(call, 1, dims.rank, 0);
    const int64_t size = dims.rank ? dims.at[axis] : 1;
    return size > 0 ? dims_elements(dims) / size : 0;
}

bool lower_index(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    const uint32_t tensor = (uint32_t)v->a, index = (uint32_t)v->b;
    const int64_t picks = index_elements(call, index);
    if (!call_has(call, tensor) || picks < 0)
        return lower_miss(work, "the shapes of its tensor and index were not recorded");
    const int64_t each = v->c == 0 ? 1 : v->c == 1 ? fetched_each(call, tensor, index) : select_each(call, tensor);
    const enum dtype dtype = lower_dtype(call, tensor);
    const int64_t moved = figure_bytes(figure_product(picks, each), dtype);
    lower_add(work, FORM_INDEX, dtype, (const int64_t[]){figure_sum(moved, figure_product(picks, 8)), moved});
    work->empty |= moved == 0;
    if (v->c == 2 && work->count)
        lower_last(work)->variant = S("select");
    return true;
}

/* Whether places before the first index are left out: then elements that are fetched one after the other lie apart. */
static bool apart(const struct op_call *call, uint32_t index)
{
    if (index >= call->shape.count || !call->shape.arguments[index].list)
        return false;
    const struct shape_argument *list = &call->shape.arguments[index];
    return list->count > 1 && list->tensors[0].rank == 0;
}

/*
 * Values are read, and read, added and written where they go; where those places lie apart, a sector of memory of each
 * of the three. Indices are sorted first, so that equal ones meet.
 */
bool lower_index_put(struct lower_work *work, const struct lower_variant *v)
{
    enum { SECTOR = 32, SORT_BYTES = 64 };
    const struct op_call *call = &work->call;
    const int64_t elements = call_elements(call, (uint32_t)v->b), values = lower_bytes(call, (uint32_t)v->b);
    if (values < 0)
        return lower_miss(work, "the shape of its values was not recorded");
    const int64_t each = apart(call, 1) ? figure_product(elements, SECTOR) : values;
    const int64_t picks = index_elements(call, 1);
    if (v->c && picks > 0)
        lower_add(work, FORM_BYTES, DTYPE_I64, (const int64_t[]){picks * SORT_BYTES, 1});
    lower_add(work, FORM_INDEX, lower_dtype(call, (uint32_t)v->a), (const int64_t[]){figure_product(2, each), each});
    for (uint32_t i = 0; i < work->count; i++)
        work->kernels[i].backward = true;
    return true;
}

bool lower_triangle(struct lower_work *work, const struct lower_variant *v)
{
    const int64_t bytes = lower_bytes(&work->call, (uint32_t)v->a);
    if (bytes < 0)
        return lower_miss(work, no_tensor);
    lower_add(work, FORM_INDEX, lower_dtype(&work->call, (uint32_t)v->a), (const int64_t[]){bytes, bytes});
    return true;
}

/* Each pass reads and writes the whole: a radix sort of 8-byte keys with their places makes eight. */
bool lower_scan(struct lower_work *work, const struct lower_variant *v)
{
    if (!lower_triangle(work, v))
        return false;
    if (work->count && v->b > 1)
        lower_repeat(work, (uint32_t)v->b);
    return true;
}

/* ---- tables ---- */

static void add_lookup(struct lower_work *work, enum dtype dtype, const int64_t *sizes, bool backward)
{
    lower_add(work, FORM_EMBEDDING, dtype, sizes);
    if (work->count)
        lower_last(work)->backward = backward;
}

bool lower_embedding(struct lower_work *work, const struct lower_variant *v)
{
    const struct tensor_dims table = call_dims(&work->call, (uint32_t)v->a);
    const int64_t picks = call_elements(&work->call, (uint32_t)v->b);
    if (table.rank != 2 || picks < 0)
        return lower_miss(work, no_indices);
    add_lookup(work, lower_dtype(&work->call, (uint32_t)v->a), (const int64_t[]){picks, 1, table.at[0], 1, table.at[1]},
               false);
    return true;
}

/* A dense gradient: the table is filled with zeros, then the rows of the incoming one are added where they belong. */
static bool dense_gradient(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    const struct tensor_dims gradient = call_dims(call, (uint32_t)v->a);
    const int64_t picks = call_elements(call, (uint32_t)v->b), width = dims_cols(gradient);
    int64_t rows = 0;
    if (gradient.rank < 2 || picks < 0)
        return lower_miss(work, no_indices);
    if (!call_integer(call, (uint32_t)v->c, &rows) || rows < 1 || rows > (int64_t)1 << 40)
        rows = picks;
    const enum dtype dtype = lower_dtype(call, (uint32_t)v->a);
    const int64_t bytes = figure_bytes(figure_product(rows, width), dtype), bags = dims_rows(gradient);
    if (bags < 1 || picks < 1) {
        work->empty = true;
        return true;
    }
    lower_add(work, FORM_FILL, dtype, &bytes);
    add_lookup(work, dtype, (const int64_t[]){bags, 1, rows, (picks + bags - 1) / bags, width}, true);
    return true;
}

bool lower_embedding_back(struct lower_work *work, const struct lower_variant *v)
{
    return dense_gradient(work, v);
}

bool lower_bag_back(struct lower_work *work, const struct lower_variant *v)
{
    return dense_gradient(work, v);
}

bool lower_bag(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = &work->call;
    const struct tensor_dims table = call_dims(call, (uint32_t)v->a);
    const int64_t picks = call_elements(call, (uint32_t)v->b), bags = call_elements(call, (uint32_t)v->c);
    if (table.rank != 2 || picks < 0 || bags < 0)
        return lower_miss(work, no_indices);
    if (bags == 0 || picks == 0) {
        work->empty = true;
        return true;
    }
    add_lookup(work, lower_dtype(call, (uint32_t)v->a),
               (const int64_t[]){bags, 1, table.at[0], (picks + bags - 1) / bags, table.at[1]}, false);
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
        if (call_dims(call, i).rank > 0 && dims_elements(call_dims(call, i)) > dims_elements(call_dims(call, weights)))
            weights = i;
    for (uint32_t i = weights + 1; i < call->shape.count; i++) {
        const struct tensor_dims dims = call_dims(call, i);
        const int64_t elements = dims.rank == 1 ? dims.at[0] : 0;
        if (elements < 2)
            continue;
        tables = elements < tables ? elements : tables;
        indices = offsets;
        offsets = elements;
    }
    if (indices < 1 || offsets < 2)
        return false;
    *lookup = (struct lookup){dims_elements(call_dims(call, weights)), tables, indices, offsets - 1, 0};
    if (call_dims(call, weights).rank == 2)
        lookup->width = call_dims(call, weights).at[1];
    return lookup->weights > 0;
}

/* The width where the table is flat: the gradient or the output [batch, tables x width] says it; 64 where neither is. */
static int64_t lookup_width(const struct lower_work *work, const struct lookup *lookup)
{
    const struct tensor_dims gradient = call_dims(&work->call, 0);
    if (lookup->width > 0)
        return lookup->width;
    if (gradient.rank == 2 && lookup->tables > 0 && gradient.at[1] >= lookup->tables)
        return gradient.at[1] / lookup->tables;
    return 64;
}

bool lower_lookup(struct lower_work *work, const struct lower_variant *v)
{
    const struct op_call *call = v->c ? &work->forward : &work->call;
    struct lookup lookup;
    if (!batched_lookup(call, &lookup))
        return lower_miss(work, no_indices);
    const int64_t width = lookup_width(work, &lookup), tables = lookup.tables;
    const int64_t rows = lookup.weights / tables / width, batch = lookup.bags / tables;
    const int64_t bag = lookup.bags > 0 ? (lookup.indices + lookup.bags - 1) / lookup.bags : 0;
    add_lookup(work, DTYPE_F32, (const int64_t[]){batch, tables, rows, bag, width}, v->c != 0);
    return work->count > 0 || lower_miss(work, no_indices);
}
