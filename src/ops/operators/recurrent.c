/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent layers as a library computes them in one call. The list of weights has of each layer and direction, one behind the
 * other,
 *
 *     input      [gates units, inputs]    X W^T of all steps at once
 *     state      [gates units, width]     of what the step before handed on: a product a step
 *     projection [width, units]           where a step hands on less than its units; a product a step
 *
 * and vectors, which cost no product. A row of the input is what one sequence has at one step: each row meets each matrix
 * once, so forward is 2 rows sum(elements of matrices), whatever the kind of cell. A gradient needs that for what is handed
 * back, and again for the weights, which is one product of all steps for each matrix.
 *
 * Libraries want steps first. What lies with sequences first is copied: the input, of a gradient that of the output, too,
 * and for weights the input once more.
 */
#include "reading.h"

enum { GRADIENT_OF_OUTPUT = 7 }; /* its place in both libraries' gradients */

static const char no_layer[] = "its input and weights were not recorded";

/* One direction of a layer. */
struct pass {
    struct tensor_dims input, state, projection; /* projection: rank 0 where there is none */
};

/* What all of them share. */
struct layers {
    const struct shape_argument *weights;
    enum dtype dtype;
    int64_t rows, steps, batch;
    bool packed, of_weights; /* of_weights: their gradient is wanted, too */
};

/* ---- the list of weights ---- */

static struct tensor_dims matrix_from(const struct shape_argument *weights, uint32_t *at)
{
    while (*at < weights->count && weights->tensors[*at].rank != 2)
        (*at)++;
    return *at < weights->count ? weights->tensors[(*at)++] : (struct tensor_dims){NULL, 0};
}

/* A projection has as many columns as its cell has units, and as many rows as it hands on. */
static bool is_projection(struct tensor_dims next, struct tensor_dims state)
{
    return next.rank == 2 && next.at[0] == state.at[1] && next.at[1] > 0 && state.at[0] == 4 * next.at[1];
}

static bool next_pass(const struct shape_argument *weights, uint32_t *at, struct pass *pass)
{
    *pass = (struct pass){.input = matrix_from(weights, at)};
    pass->state = matrix_from(weights, at);
    if (pass->input.rank != 2 || pass->state.rank != 2 || pass->input.at[0] != pass->state.at[0] ||
        pass->state.at[1] <= 0)
        return false;
    uint32_t behind = *at;
    const struct tensor_dims next = matrix_from(weights, &behind);
    if (is_projection(next, pass->state)) {
        pass->projection = next;
        *at = behind;
    }
    return true;
}

/* ---- kernels ---- */

static int64_t units_of(const struct pass *pass)
{
    return pass->projection.rank ? pass->projection.at[1] : pass->state.at[1];
}

static void add_product(struct reading *reading, const struct layers *all, int64_t m, int64_t reduced, int64_t n)
{
    reading_add(reading, (struct kernel){.form = FORM_LINEAR,
                                         .backward = reading->row->backward,
                                         .dtype = all->dtype,
                                         .variant = S(""),
                                         .product = {1, m, reduced, n}});
}

static void add_steps(struct reading *reading, const struct layers *all, const struct pass *pass)
{
    const int64_t units = units_of(pass);
    reading_add(reading, (struct kernel){.form = FORM_RECURRENT,
                                         .backward = reading->row->backward,
                                         .dtype = all->dtype,
                                         .variant = S(""),
                                         .recurrent = {.batch = all->batch,
                                                       .steps = all->steps,
                                                       .units = units,
                                                       .gates = units > 0 ? pass->state.at[0] / units : 0,
                                                       .width = pass->state.at[1],
                                                       .packed = all->packed}});
}

/* Whether an argument has sequences first, in memory as well where strides were recorded. */
static bool lies_sequences_first(const struct op_call *call, int i)
{
    const struct tensor_dims strides = call_dims(&(struct op_call){.shape = call->strides}, i);
    return call_dims(call, i).rank == 3 && (strides.rank != 3 || strides.at[0] >= strides.at[1]);
}

static void add_turned(struct reading *reading, const struct layers *all, int i)
{
    const struct op_call *call = &reading->call;
    bool sequences_first = false;
    call_boolean(call, reading->row->place - 4, &sequences_first);
    if (sequences_first && lies_sequences_first(call, i))
        reading_add(reading,
                    (struct kernel){.form = FORM_COPY,
                                    .dtype = all->dtype,
                                    .variant = S(""),
                                    .moved = {.bytes = call_kernel_bytes(call, i), .scattered = SCATTERED_ROWS}});
}

/* dW = dY^T X of all steps. */
static void add_weight_gradient(struct reading *reading, const struct layers *all, struct tensor_dims weight)
{
    if (all->of_weights && weight.rank == 2)
        add_product(reading, all, weight.at[0], all->rows, weight.at[1]);
}

static void add_pass(struct reading *reading, const struct layers *all, const struct pass *pass)
{
    if (!reading->row->backward) {
        add_product(reading, all, all->rows, pass->input.at[1], pass->input.at[0]);
        add_steps(reading, all, pass);
        return;
    }
    add_steps(reading, all, pass);
    add_product(reading, all, all->rows, pass->input.at[0], pass->input.at[1]);
    add_weight_gradient(reading, all, pass->input);
    add_weight_gradient(reading, all, pass->state);
    add_weight_gradient(reading, all, pass->projection);
}

/* ---- the call ---- */

/* Packed sequences are a matrix of rows, with the number of sequences that each step still has. */
static bool layers_of(const struct reading *reading, struct layers *all)
{
    const struct op_call *call = &reading->call;
    const struct tensor_dims input = call_dims(call, 0), state = call_dims(call, reading->row->tensor);
    const struct shape_argument *sizes = call_list(call, reading->row->place);
    *all = (struct layers){.weights = call_list(call, 1),
                           .dtype = call_kernel_dtype(call, 0),
                           .packed = input.rank == 2,
                           .of_weights = reading->row->backward};
    if (!all->weights || input.rank < 2 || input.rank > 3 || state.rank != 3 || state.at[1] <= 0)
        return false;
    all->rows = dims_rows(input);
    all->steps = all->packed && sizes && sizes->count ? (int64_t)sizes->count : all->rows / state.at[1];
    all->batch = all->steps > 0 ? (all->rows + all->steps - 1) / all->steps : 0;
    return true;
}

/* "[true, false, false, true]", the last argument: of input, state, the cell's state, weights. Not recorded: wanted. */
static bool wants_weights(const struct op_call *call)
{
    enum { OF_WEIGHTS = 3 };
    str mask = call_value(call, (int)call->values.count - 1), flag;
    for (uint32_t i = 0; str_cut(&mask, ',', &flag); i++)
        if (i == OF_WEIGHTS)
            return !str_has(flag, S("alse"));
    return true;
}

static int64_t matrix_elements(const struct shape_argument *weights)
{
    int64_t elements = 0;
    for (uint32_t i = 0; i < weights->count; i++)
        if (weights->tensors[i].rank == 2)
            elements = sum_known(elements, dims_elements(weights->tensors[i]));
    return elements;
}

/* What is read and made: the input, all weights, and what the last layer hands on in each direction. */
static int64_t touched_elements(const struct reading *reading, const struct layers *all)
{
    const struct op_call *call = &reading->call;
    bool both_ways = false;
    call_boolean(call, reading->row->place - 1, &both_ways);
    const int64_t width = call_dims(call, reading->row->tensor).at[2];
    const int64_t made = figure_product(all->rows, figure_product(both_ways ? 2 : 1, width));
    return sum_known(sum_known(call_elements(call, 0), call_elements(call, 1)), made);
}

static void say_least(struct reading *reading, const struct layers *all)
{
    const enum dtype dtype = call_dtype(&reading->call, 0);
    const int64_t products = figure_product(all->rows, matrix_elements(all->weights));
    reading->least = (struct op_cost){
        .flops = figure_product(all->of_weights ? 4 : 2, products),
        .bytes = figure_product(reading->row->backward ? 2 : 1, figure_bytes(touched_elements(reading, all), dtype)),
        .dtype = dtype,
        .matrix = true,
    };
}

bool read_recurrent(struct reading *reading)
{
    struct layers all;
    struct pass pass;
    uint32_t at = 0, passes = 0;
    if (!layers_of(reading, &all))
        return reading_miss(reading, no_layer);
    if (reading->row->backward)
        all.of_weights = wants_weights(&reading->call);
    if (reading->row->backward)
        add_turned(reading, &all, GRADIENT_OF_OUTPUT);
    add_turned(reading, &all, 0);
    if (reading->row->backward && all.of_weights)
        add_turned(reading, &all, 0);
    for (; next_pass(all.weights, &at, &pass); passes++)
        add_pass(reading, &all, &pass);
    if (!passes)
        return reading_miss(reading, no_layer);
    say_least(reading, &all);
    return true;
}

/* One kernel over the gates of all units. */
bool read_cell(struct reading *reading)
{
    const struct tensor_dims gates = call_dims(&reading->call, reading->row->tensor);
    if (gates.rank != 2)
        return reading_miss(reading, "its gates were not recorded");
    reading_add(reading, (struct kernel){
                             .form = FORM_ELEMENTWISE,
                             .dtype = call_kernel_dtype(&reading->call, reading->row->tensor),
                             .elements = {.rows = gates.at[0], .cols = gates.at[1], .accesses = reading->row->operands},
                         });
    return true;
}
