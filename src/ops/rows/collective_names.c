/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a collective says, and what follows from its kind. */
#include "collective.h"

#include "ops/words/rules.h"

/*
 * One table for all that name collectives: c10d::_allgather_base_, nccl:all_reduce, all_to_allv,
 * ncclDevKernel_ReduceScatter_Sum_f32_RING_LL, void cross_device_reduce_1stage<...>, multimem_all_reduce_kernel.
 */
static const struct name_rule kind_rules[] = {
    {"all*to*all", COLLECTIVE_ALL_TO_ALL},
    {"reduce*scatter", COLLECTIVE_REDUCE_SCATTER},
    {"all*reduce", COLLECTIVE_ALL_REDUCE},
    {"cross_device_reduce", COLLECTIVE_ALL_REDUCE},
    {"all*gather", COLLECTIVE_ALL_GATHER},
    {"broadcast", COLLECTIVE_BROADCAST},
    {"barrier", COLLECTIVE_BARRIER},
    {"deep_ep*dispatch", COLLECTIVE_ALL_TO_ALL},
    {"deep_ep*combine", COLLECTIVE_ALL_TO_ALL},
    {"ep::int*dispatch", COLLECTIVE_ALL_TO_ALL},
    {"ep::int*combine", COLLECTIVE_ALL_TO_ALL},
    {"send", COLLECTIVE_POINT_TO_POINT},
    {"recv", COLLECTIVE_POINT_TO_POINT},
    {"gather", COLLECTIVE_GATHER},
    {"scatter", COLLECTIVE_SCATTER},
    {"nccl*kernel_reduce", COLLECTIVE_REDUCE},
    {"^nccl:reduce", COLLECTIVE_REDUCE},
    {"^gloo:reduce", COLLECTIVE_REDUCE},
    {"c10d*::reduce", COLLECTIVE_REDUCE},
    {"^reduce", COLLECTIVE_REDUCE},
    {"^_reduce", COLLECTIVE_REDUCE},
};

enum collective_kind collective_kind_of_name(str name)
{
    return (enum collective_kind)name_judged(name, kind_rules, sizeof kind_rules / sizeof *kind_rules,
                                             COLLECTIVE_OTHER);
}

str collective_kind_word(enum collective_kind kind)
{
    static const char *const words[COLLECTIVE_KINDS] = {
        [COLLECTIVE_ALL_REDUCE] = "all_reduce",
        [COLLECTIVE_ALL_GATHER] = "all_gather",
        [COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
        [COLLECTIVE_ALL_TO_ALL] = "all_to_all",
        [COLLECTIVE_BROADCAST] = "broadcast",
        [COLLECTIVE_REDUCE] = "reduce",
        [COLLECTIVE_GATHER] = "gather",
        [COLLECTIVE_SCATTER] = "scatter",
        [COLLECTIVE_BARRIER] = "barrier",
        [COLLECTIVE_POINT_TO_POINT] = "point_to_point",
        [COLLECTIVE_OTHER] = "other",
    };
    return (unsigned)kind < COLLECTIVE_KINDS ? str_of(words[kind]) : S("");
}

bool collective_is_blocking(enum collective_kind kind)
{
    switch (kind) {
    case COLLECTIVE_ALL_REDUCE:
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_TO_ALL:
    case COLLECTIVE_BARRIER:
        return true;
    default:
        return false;
    }
}

bool collective_is_even(enum collective_kind kind)
{
    switch (kind) {
    case COLLECTIVE_ALL_REDUCE:
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_BROADCAST:
    case COLLECTIVE_REDUCE:
        return true;
    default:
        return false;
    }
}

double collective_bus_factor(enum collective_kind kind, int64_t ranks)
{
    if (ranks < 1)
        return 1;
    const double others = (double)(ranks - 1) / (double)ranks;
    switch (kind) {
    case COLLECTIVE_ALL_REDUCE:
        return 2 * others;
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALL_TO_ALL:
        return others;
    default:
        return 1;
    }
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return a < 0 || b <= 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

/* Each rank puts out all of the gathered message, and puts in its own part. */
static int64_t gathered(const struct collective *collective, int64_t ranks)
{
    return collective->out_elements >= 0 ? collective->out_elements : times(collective->in_elements, ranks);
}

/* Each rank puts in all of the message, and gets its own part. */
static int64_t given(const struct collective *collective, int64_t ranks)
{
    if (collective->in_elements >= 0)
        return collective->in_elements;
    return collective->kind == COLLECTIVE_REDUCE_SCATTER ? times(collective->out_elements, ranks)
                                                         : collective->out_elements;
}

int64_t collective_elements(const struct collective *collective, int64_t ranks)
{
    return collective->kind == COLLECTIVE_ALL_GATHER ? gathered(collective, ranks) : given(collective, ranks);
}

int64_t collective_bytes(const struct collective *collective, int64_t ranks)
{
    return times(collective_elements(collective, ranks), collective->element_bytes);
}
