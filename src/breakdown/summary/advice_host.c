/* SPDX-License-Identifier: Apache-2.0 */
#include "advice_host.h"

#include "breakdown/verdict/charge.h"
#include "span_text.h"

static double percent(const struct facts *f, double ns)
{
    return f->wall_ns > 0 ? 100 * ns / f->wall_ns : 0;
}

double host_python_ns(const struct facts *f)
{
    return f->device ? 0 : f->part_ns[PART_PYTHON];
}

str say_host_python(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "Python outside of operators takes %s a step (%.0f %%). Vectorise loops over samples, build arrays "
        "once, move preparation into the DataLoader's workers.",
        span_text(arena, ns), percent(f, ns));
}

double host_optimizer_ns(const struct facts *f)
{
    return f->device ? 0 : f->part_ns[PART_OPTIMIZER];
}

str say_host_optimizer(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(arena,
                      "The optimizer takes %s a step (%.0f %%). foreach=True or fused=True does it in fewer operators.",
                      span_text(arena, ns), percent(f, ns));
}

double host_operators_ns(const struct facts *f)
{
    const double ns = f->part_ns[PART_FORWARD] + f->part_ns[PART_BACKWARD] - f->copying_ns;
    return f->device || ns < 0 ? 0 : ns;
}

static str most_in(const struct facts *f, struct arena *arena)
{
    if (!f->own_operator.len)
        return S("");
    return str_printf(arena, ", most in %.*s (%s)", (int)f->own_operator.len, f->own_operator.at,
                      span_text(arena, f->own_operator_ns));
}

str say_host_operators(const struct facts *f, double ns, struct arena *arena)
{
    const str most = most_in(f, arena);
    return str_printf(
        arena, "Forward and backward operators take %s a step (%.0f %%)%.*s. Try larger calls, more threads%s%s.",
        span_text(arena, ns), percent(f, ns), (int)most.len, most.at, f->reduced ? "" : ", bfloat16",
        f->compiled ? "" : ", torch.compile");
}

double host_copies_ns(const struct facts *f)
{
    return f->device ? 0 : f->copying_ns;
}

str say_host_copies(const struct facts *f, double ns, struct arena *arena)
{
    return str_printf(
        arena,
        "Operators that copy or convert take %s a step (%.0f %%). Keep the types and the layout of tensors "
        "from one operator to the next, and write results in place.",
        span_text(arena, ns), percent(f, ns));
}

/* ---- what they are about ---- */

static enum bound bound_of_cause(const struct holdup *holdup)
{
    switch (resource_of(CHARGE_HOST + holdup->cause)) {
    case RESOURCE_HOST:
        return holdup->cause == CAUSE_OPERATOR ? BOUND_COMPUTE : BOUND_HOST;
    case RESOURCE_COMMUNICATION:
        return BOUND_COMMUNICATION;
    case RESOURCE_DATA:
        return BOUND_INPUT;
    case RESOURCE_STALLS:
        return BOUND_STALL;
    case RESOURCE_START:
        return BOUND_START;
    default:
        return BOUND_UNKNOWN;
    }
}

enum bound host_bound_of(const char *rule, const struct holdup *holdup)
{
    static const struct {
        const char *rule;
        enum bound bound;
    } rules[] = {
        {"SM301", BOUND_HOST},    {"SM302", BOUND_COMMUNICATION}, {"SM303", BOUND_COMPUTE},
        {"SM304", BOUND_COMPUTE}, {"SM305", BOUND_COPIES},
    };
    if (holdup)
        return bound_of_cause(holdup);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (str_eq(str_of(rule), str_of(rules[i].rule)))
            return rules[i].bound;
    return BOUND_UNKNOWN;
}
