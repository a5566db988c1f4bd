/* SPDX-License-Identifier: Apache-2.0 */
#include "batch_roles.h"

#include "base/map.h"
#include "base/mem.h"

/* ---- parameters ---- */

struct parameters {
    const struct program *program;
    struct map shapes;
    bool *accumulates; /* by operator: it adds to the gradient of a parameter, or is inside one that does */
};

static int64_t key_of(struct tensor_dims dims, bool turned)
{
    uint64_t key = 1469598103934665603u;
    for (uint32_t i = 0; i < dims.rank; i++)
        key = (key ^ (uint64_t)dims.at[turned ? dims.rank - 1 - i : i]) * 1099511628211u;
    return (int64_t)(key ^ dims.rank);
}

static void add(struct parameters *parameters, struct tensor_dims dims)
{
    if (!dims.rank)
        return;
    map_put(&parameters->shapes, key_of(dims, false), 1);
    if (dims.rank == 2)
        map_put(&parameters->shapes, key_of(dims, true), 1);
}

static bool parameters_have(const struct parameters *parameters, struct tensor_dims dims)
{
    return map_get(&parameters->shapes, key_of(dims, false)) != MAP_NONE;
}

/* Arguments from here on are parameters of the forward operator; UINT32_MAX: none are. */
static uint32_t first_parameter(const struct program_op *op)
{
    switch (op->family) {
    case FAMILY_CONVOLUTION:
    case FAMILY_NORM:
        return 1;
    default:
        return UINT32_MAX;
    }
}

static struct tensor_dims dims_at(const struct shape *shape, int argument)
{
    const bool has = argument >= 0 && (uint32_t)argument < shape->count && shape->arguments[argument].count == 1;
    return has ? shape->arguments[argument].tensors[0] : (struct tensor_dims){0};
}

/* Of a lookup that the catalogue does not know, the first argument. */
static int table_of(const struct operator_roles *roles)
{
    return roles->weight == NO_ARGUMENT ? 0 : roles->weight;
}

static void add_all(struct parameters *parameters, const struct shape *shape, uint32_t from)
{
    for (uint32_t i = from; i < shape->count; i++)
        for (uint32_t k = 0; k < shape->arguments[i].count; k++)
            add(parameters, shape->arguments[i].tensors[k]);
}

static void find_accumulation(struct parameters *parameters)
{
    const struct program *program = parameters->program;
    for (uint32_t i = 0; i < program->count; i++) { /* what is around comes first */
        const uint32_t parent = program->ops[i].parent;
        parameters->accumulates[i] =
            (parent < i && parameters->accumulates[parent]) || str_has(program->ops[i].name, S("AccumulateGrad"));
    }
}

static void add_of(struct parameters *parameters, uint32_t at, const struct shape *shape)
{
    const struct program_op *op = &parameters->program->ops[at];
    const struct operator_roles roles = operator_roles(op->name);
    if (op->phase == PHASE_OPTIMIZER || parameters->accumulates[at])
        add_all(parameters, shape, 0);
    else if (op->phase != PHASE_FORWARD)
        return;
    else if (op->family == FAMILY_EMBEDDING)
        add(parameters, dims_at(shape, table_of(&roles)));
    else if (roles.product && dims_at(shape, roles.weight).rank == 2) {
        add(parameters, dims_at(shape, roles.weight));
        add(parameters, dims_at(shape, roles.bias));
    } else if (first_parameter(op) != UINT32_MAX)
        add_all(parameters, shape, first_parameter(op));
}

struct parameters *parameters_of(const struct program *program)
{
    struct parameters *parameters = mem_zeroed(sizeof *parameters);
    parameters->program = program;
    parameters->accumulates = mem_zeroed(program->count + 1);
    find_accumulation(parameters);
    for (uint32_t i = 0; i < program->count; i++) {
        struct arena scratch = {0};
        struct shape shape;
        if (!program->ops[i].label && shape_parse(program->ops[i].arguments.dims, &scratch, &shape))
            add_of(parameters, i, &shape);
        arena_free(&scratch);
    }
    return parameters;
}

void parameters_free(struct parameters *parameters)
{
    if (!parameters)
        return;
    map_free(&parameters->shapes);
    mem_free(parameters->accumulates);
    mem_free(parameters);
}

/* ---- dimensions ---- */

/* Lists of offsets have an entry more. */
static bool holds(struct tensor_dims dims, uint32_t dimension, int64_t batch)
{
    if (dimension >= dims.rank || dims.at[dimension] < batch)
        return false;
    const int64_t rest = dims.at[dimension] % batch;
    return rest == 0 || (rest == 1 && dims.rank == 1);
}

/* Rows of the left operand, or what a gradient of a parameter is summed over. */
static uint32_t product_dimensions(const struct operator_roles *roles, const struct shape *shape, uint32_t argument,
                                   int64_t batch, const struct parameters *parameters, enum phase phase)
{
    const struct tensor_dims left = dims_at(shape, roles->input), right = dims_at(shape, roles->weight);
    const int64_t result[] = {left.rank == 2 ? left.at[0] : 0, right.rank == 2 ? right.at[1] : 0};
    const bool forth = holds(left, 0, batch) && parameters_have(parameters, right); /* times a weight */
    const bool gradient = phase == PHASE_BACKWARD && !forth && left.rank == 2 && right.rank == 2 &&
                          holds(left, 1, batch) && parameters_have(parameters, (struct tensor_dims){result, 2});
    if ((int)argument == roles->input)
        return gradient ? 2 : holds(left, 0, batch) ? 1 : 0;
    return gradient && (int)argument == roles->weight ? 1 : 0;
}

/* A copy between types may be of a weight, for products in less precision. */
static bool casts(const struct program_op *op)
{
    struct arena scratch = {0};
    struct text_list types;
    const bool one_type =
        text_list_parse(op->arguments.types, &scratch, &types) && types.count >= 2 && str_eq(types.at[0], types.at[1]);
    arena_free(&scratch);
    return !one_type;
}

static bool joins(str name)
{
    return str_has_nocase(name, S("cat")) || str_has_nocase(name, S("stack"));
}

/* Whether a tensor that has the shape of a parameter may be one here. */
static bool may_be_parameter(const struct program_op *op, struct operand operand)
{
    const bool backward = op->phase == PHASE_BACKWARD;
    switch (op->family) {
    case FAMILY_CONVOLUTION:
    case FAMILY_NORM:
        return operand.argument >= (backward ? 2 : 1);
    case FAMILY_EMBEDDING:
        return !backward && operand.argument == 0;
    case FAMILY_LAYOUT:
        return !joins(op->name);
    case FAMILY_COPY:
        return casts(op);
    case FAMILY_GEMM: /* its node of the autograd engine */
    case FAMILY_BMM:
    case FAMILY_ELEMENTWISE:
    case FAMILY_SOFTMAX:
    case FAMILY_REDUCTION:
    case FAMILY_POOLING:
    case FAMILY_LOSS:
    case FAMILY_RANDOM:
    case FAMILY_ATTENTION:
        return false;
    default:
        return true;
    }
}

static uint32_t matrix_dimensions(const struct parameters *parameters, const struct program_op *op,
                                  const struct operator_roles *roles, const struct shape *shape, uint32_t argument,
                                  struct tensor_dims dims, int64_t batch)
{
    if (dims_at(shape, roles->input).rank == 2)
        return product_dimensions(roles, shape, argument, batch, parameters, (enum phase)op->phase);
    return (int)argument != roles->input ? 0 : holds(dims, 0, batch) ? 1 : holds(dims, 1, batch) ? 2 : 0;
}

uint32_t batch_dimensions(const struct parameters *parameters, uint32_t at, const struct shape *shape,
                          struct operand operand, int64_t batch)
{
    const struct program_op *op = &parameters->program->ops[at];
    const struct tensor_dims dims = shape->arguments[operand.argument].tensors[operand.tensor];
    const struct operator_roles roles = operator_roles(op->name);
    if (op->phase == PHASE_OPTIMIZER || parameters->accumulates[at])
        return 0;
    if (roles.product && dims_at(shape, roles.weight).rank == 2)
        return matrix_dimensions(parameters, op, &roles, shape, operand.argument, dims, batch);
    if (op->family == FAMILY_EMBEDDING && op->phase == PHASE_FORWARD && (int)operand.argument == table_of(&roles))
        return 0;
    if (parameters_have(parameters, dims) && may_be_parameter(op, operand))
        return 0;
    return holds(dims, 0, batch) ? 1 : holds(dims, 1, batch) ? 2 : 0;
}
