/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/batch_roles.h"

#include "base/map.h"
#include "base/mem.h"

/* ---- parameters ---- */

struct parameters {
    struct map shapes;
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

bool parameters_have(const struct parameters *parameters, struct tensor_dims dims)
{
    return map_get(&parameters->shapes, key_of(dims, false)) != MAP_NONE;
}

/* The product of two matrices: where its operands stand. */
struct product {
    bool is;
    uint32_t left, right, bias; /* arguments; bias: UINT32_MAX */
};

static struct product product_of(str name)
{
    if (str_eq(name, S("aten::mm")) || str_eq(name, S("aten::matmul")))
        return (struct product){true, 0, 1, UINT32_MAX};
    if (str_eq(name, S("aten::addmm")) || str_eq(name, S("aten::addmm_")))
        return (struct product){true, 1, 2, 0};
    if (str_eq(name, S("aten::linear")) || str_eq(name, S("aten::_addmm_activation")))
        return (struct product){true, 0, 1, 2};
    return (struct product){0};
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

static struct tensor_dims dims_at(const struct shape *shape, uint32_t argument)
{
    const bool has = argument < shape->count && shape->arguments[argument].count == 1;
    return has ? shape->arguments[argument].tensors[0] : (struct tensor_dims){0};
}

static void add_all(struct parameters *parameters, const struct shape *shape, uint32_t from)
{
    for (uint32_t i = from; i < shape->count; i++)
        for (uint32_t k = 0; k < shape->arguments[i].count; k++)
            add(parameters, shape->arguments[i].tensors[k]);
}

static bool accumulates(str name)
{
    return str_has(name, S("AccumulateGrad"));
}

static void add_of(struct parameters *parameters, const struct program_op *op, const struct shape *shape)
{
    const struct product product = product_of(op->name);
    if (op->phase == PHASE_OPTIMIZER || accumulates(op->name))
        add_all(parameters, shape, 0);
    else if (op->phase != PHASE_FORWARD)
        return;
    else if (op->family == FAMILY_EMBEDDING)
        add(parameters, dims_at(shape, 0));
    else if (product.is && dims_at(shape, product.right).rank == 2) {
        add(parameters, dims_at(shape, product.right));
        add(parameters, dims_at(shape, product.bias));
    } else if (first_parameter(op) != UINT32_MAX)
        add_all(parameters, shape, first_parameter(op));
}

struct parameters *parameters_of(const struct program *program)
{
    struct parameters *parameters = mem_zeroed(sizeof *parameters);
    for (uint32_t i = 0; i < program->count; i++) {
        struct arena scratch = {0};
        struct shape shape;
        if (!program->ops[i].label && shape_parse(program->ops[i].arguments.dims, &scratch, &shape))
            add_of(parameters, &program->ops[i], &shape);
        arena_free(&scratch);
    }
    return parameters;
}

void parameters_free(struct parameters *parameters)
{
    if (!parameters)
        return;
    map_free(&parameters->shapes);
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
static uint32_t product_dimensions(const struct product *product, const struct shape *shape, uint32_t argument,
                                   int64_t batch, const struct parameters *parameters, enum phase phase)
{
    const struct tensor_dims left = dims_at(shape, product->left), right = dims_at(shape, product->right);
    const int64_t result[] = {left.rank == 2 ? left.at[0] : 0, right.rank == 2 ? right.at[1] : 0};
    const bool gradient = phase == PHASE_BACKWARD && left.rank == 2 && right.rank == 2 && holds(left, 1, batch) &&
                          parameters_have(parameters, (struct tensor_dims){result, 2});
    if (argument == product->left)
        return gradient ? 2 : holds(left, 0, batch) ? 1 : 0;
    return gradient && argument == product->right ? 1 : 0;
}

/* The first argument of these is what flows, whatever parameter has the same shape. */
static bool flows(const struct program_op *op, struct operand operand)
{
    switch (op->family) {
    case FAMILY_ELEMENTWISE:
    case FAMILY_NORM:
    case FAMILY_SOFTMAX:
    case FAMILY_REDUCTION:
    case FAMILY_POOLING:
    case FAMILY_LOSS:
    case FAMILY_RANDOM:
    case FAMILY_CONVOLUTION:
        return operand.argument == 0 && op->phase == PHASE_FORWARD;
    default:
        return false;
    }
}

uint32_t batch_dimensions(const struct program_op *op, const struct shape *shape, struct operand operand, int64_t batch,
                          const struct parameters *parameters)
{
    const struct tensor_dims dims = shape->arguments[operand.argument].tensors[operand.tensor];
    const struct product product = product_of(op->name);
    const bool matrices = product.is && dims_at(shape, product.right).rank == 2;
    if (op->phase == PHASE_OPTIMIZER || accumulates(op->name))
        return 0;
    if (matrices && dims_at(shape, product.left).rank == 2)
        return product_dimensions(&product, shape, operand.argument, batch, parameters, (enum phase)op->phase);
    if (matrices && operand.argument != product.left)
        return 0;
    if (op->family == FAMILY_EMBEDDING && op->phase == PHASE_FORWARD && operand.argument == 0)
        return 0;
    if (!matrices && !flows(op, operand) && parameters_have(parameters, dims))
        return 0;
    return holds(dims, 0, batch) ? 1 : holds(dims, 1, batch) ? 2 : 0;
}
