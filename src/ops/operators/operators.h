/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of operators: what a call computes, and what it launches, both from one reading of its recorded
 * arguments. A row of the catalogue (table.c) has names, a reader, and where the arguments stand that it reads. From it
 * follow
 *
 *   operator_family     what it is for
 *   operator_cost       the arithmetic, the least traffic and the type of its operands (precision follows from that)
 *   operator_launches   the kernels of the call, for models of their time
 *   operator_roles      which arguments are the parameters of a layer
 *
 * Conventions of costs:
 *
 *   flops   a multiplication and an addition are two; products of matrices count 2 m n k, without the addition of a bias
 *   bytes   the least traffic that the operation needs: every input read once, every output written once
 *
 * What does not follow from the recording is -1, never 0.
 *
 * ---- Adding an operator: an example ----
 *
 * Suppose PyTorch gets aten::mish2(self, other), which does four operations an element of two tensors. It is like its
 * neighbours, so it is one row of table.c:
 *
 *     {"^aten::mish2$", KERNELS, read_elementwise, .operands = 2, .each = 4, .flops = "4 an element", OPERANDS},
 *
 * That is all: `ops` counts it, `predict` times it. doc/numbers/ops.md lists the formulas, and a test names the line that
 * it lacks. An operator that nothing here is like needs a reader too, in the file of its family: it takes the sizes from
 * the arguments, adds the kernels (reading_add) and says the least work (reading->least). A test in
 * tests/unit/ops/operator_agree_test.c then holds both against each other: row, reader, test are three places.
 */
#ifndef OPS_OPERATORS_OPERATORS_H
#define OPS_OPERATORS_OPERATORS_H

#include "base/arena.h"
#include "ops/words/dtype.h"
#include "ops/words/family.h"
#include "kernel.h"
#include "launched.h"
#include "ops/rows/phase.h"
#include "ops/rows/work.h"

/* The arguments of a call; texts that the trace lacks are "". */
struct op_arguments {
    str dims, types, values, strides; /* Input Dims, Input type, Concrete Inputs, Input Strides */
};

/* What it is for: by its name, else by how the catalogue reads it (a row needs no pattern of words/family.c). */
enum family operator_family(str name);

/* ---- what a call computes ---- */

struct op_cost {
    int64_t flops, bytes; /* -1: unknown */
    enum dtype dtype;     /* of the operands of the arithmetic */
    bool matrix;          /* done by matrix units: the peak of their precision applies */
};

static inline struct op_cost no_cost(void)
{
    return (struct op_cost){-1, -1, DTYPE_UNKNOWN, false};
}

/* Whether there is a formula for the name at all. */
bool operator_has_cost(str name);

/* Both figures are -1 where there is no formula or its arguments were not recorded. */
struct op_cost operator_cost(str name, const struct op_arguments *arguments);

/* Every formula, for the manual and the tests: pattern of the names, formula and source in words. */
struct op_formula {
    str names, flops, bytes, source;
};
uint32_t op_formula_count(void);
struct op_formula op_formula_at(uint32_t i);

/* ---- what a call launches, as eager PyTorch does ---- */

/*
 * Operators nest, and a recording may hold the calls inside or not. So an answer says not only which kernels, but whether
 * the calls inside are the ones that launch them:
 *
 *     aten::addmm         LOWERED_TO_KERNELS   launches itself
 *     aten::linear        LOWERED_TO_CALLS     its calls do; the kernels are those of all of them together, for
 *                                              recordings that lack them
 *     aten::view          LOWERED_TO_NOTHING   and known to launch nothing
 *     nccl:all_reduce     LOWERED_TO_COLLECTIVE   see the collectives of the program
 *     my::operator        LOWERED_TO_BYTES     no form: one FORM_BYTES over its recorded tensors
 *     aten::mm, no shapes LOWERED_NOT          `why` says what is missing
 *
 * Who lowers a whole program takes, from the top: an operator that answers LOWERED_TO_CALLS and has calls inside that
 * are not LOWERED_TO_NOTHING launches nothing itself; one that answers LOWERED_TO_KERNELS has launched what its calls
 * inside would too (aten::zero_ calls aten::fill_ in some versions: the outermost counts, never both).
 */
enum lowering_way {
    LOWERED_TO_KERNELS,
    LOWERED_TO_CALLS,
    LOWERED_TO_NOTHING,
    LOWERED_TO_COLLECTIVE,
    LOWERED_TO_BYTES,
    LOWERED_NOT,
    LOWERING_WAYS,
};

str lowering_way_word(enum lowering_way way); /* "kernels", "calls", "nothing", "collective", "bytes", "not" */

struct operator_call {
    str name;
    const struct op_arguments *arguments;
    enum phase phase;
    /* Of an autograd node, which was recorded without shapes: the call whose gradient it computes. */
    str forward;                                  /* its name; "" */
    const struct op_arguments *forward_arguments; /* NULL: not known */
    enum copy_direction direction;                /* of a copy, where its launch says so; COPY_UNKNOWN: on the device */
    enum host_memory memory;
    struct launched launched; /* what the names of its recorded kernels tell */
    /* Of the calls that come next on the host, nearest first: one of them reads the output that is not recorded. */
    const struct op_arguments *const *after;
    uint32_t after_count;
};

struct lowering {
    enum lowering_way way;
    const struct kernel *kernels; /* every one passes kernel_check */
    uint32_t count;
    const char *why; /* of LOWERED_NOT and LOWERED_TO_BYTES, in words: "its shapes were not recorded" */
};

/*
 * Its calls fill its output, and nothing else is known of it: who knows the output and not the calls asks with the output in
 * the place of the arguments.
 */
bool operator_fills(str name);

/* Kernels live in the arena, their variants are constant text. Equal calls give equal answers: remember them by text. */
struct lowering operator_launches(const struct operator_call *call, struct arena *arena);

/* ---- which arguments are parameters ---- */

enum { NO_ARGUMENT = -1 };

/* Of a layer forward: what comes in, and its parameters. NO_ARGUMENT where there is none. */
struct operator_roles {
    bool product; /* of two matrices, of which the right one may be a parameter */
    int input, weight, bias;
};

/* All are NO_ARGUMENT where the operator is no layer. */
struct operator_roles operator_roles(str name);

#endif
