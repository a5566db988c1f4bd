/* SPDX-License-Identifier: Apache-2.0 */
#include "operations.h"

static const struct {
    str type;
    enum operation_role role;
} named[] = {
    {S("forward-compute"), ROLE_FORWARD},
    {S("backward-compute"), ROLE_BACKWARD},
    {S("gc"), ROLE_COLLECT},
    {S("optimizer"), ROLE_OPTIMIZER},
    {S("forward-send"), ROLE_FORWARD_SEND},
    {S("forward-recv"), ROLE_FORWARD_RECEIVE},
    {S("backward-send"), ROLE_BACKWARD_SEND},
    {S("backward-recv"), ROLE_BACKWARD_RECEIVE},
    {S("params-all-gather"), ROLE_GATHER_WEIGHTS},
    {S("grads-reduce-scatter"), ROLE_SCATTER_GRADIENTS},
    {S("separate-grads-all-reduce"), ROLE_REDUCE_APART},
    {S("layernorm-grads-all-reduce"), ROLE_REDUCE_NORMS},
    {S("embedding-grads-all-reduce"), ROLE_REDUCE_EMBEDDING},
    {S("optimizer-clip-main-grad"), ROLE_CLIP},
};

static const str exchanges[] = {S("reduce"), S("gather"), S("all-to-all"), S("alltoall"), S("broadcast"), S("barrier")};

enum operation_role operation_role_of(str type)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (str_eq(type, named[i].type))
            return named[i].role;
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++)
        if (str_has_nocase(type, exchanges[i]))
            return ROLE_EXCHANGE;
    return ROLE_WORK;
}

bool operation_role_has_outliers(enum operation_role role)
{
    return role >= ROLE_FORWARD_SEND || role == ROLE_HOST;
}
