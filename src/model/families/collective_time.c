/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives by the size of the message and the number of ranks.
 *
 * A message m keeps the busiest link busy with m x the bus factor (collective.h).
 * Small messages take a latency, more of it for more ranks; the rate grows with
 * the message along a curve of the shape of a sigmoid over ln m, up to a share of
 * what the link can do:
 *
 *     us = latency + step x log2(ranks) + m x factor / (rate x efficiency) x (1 + (half / m)^steepness)
 *
 * The link is the one between the GPUs of a server, where they have one, else
 * that to the host. Ranks of several servers meet on the network too; the slower
 * of the two decides. (The published form, arXiv:2404.12674, fits a sigmoid of
 * log10 of the rate, with a least and a most message; eight numbers for each
 * collective, number of ranks and machine. Here all numbers of ranks share theirs.)
 *
 * Groups: `ring` is fitted on all-reduce and does for what else runs along rings,
 * `pairs` on send and receive, for what goes between pairs.
 */
#include <math.h>

#include "family.h"
#include "links.h"

enum coefficient {
    LATENCY_US,
    STEP_US,
    EFFICIENCY,
    HALF_MIB,
    STEEPNESS,
    RANKS,
    HALF_RANKS,
    NETWORK,
    NETWORK_US,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [LATENCY_US] = {"latency_us", 6, 1, 100, 0.4, "of the smallest message between two ranks, us", false},
    [STEP_US] = {"step_us", 5, 0.05, 50, 0.4, "more of it for each doubling of the ranks, us", false},
    [EFFICIENCY] = {"efficiency", 0.8, 0.1, 1.5, 0.2, "of the link, by large messages among eight ranks", false},
    [HALF_MIB] = {"half_mib", 2, 0.001, 100, 0.5, "message that reaches half of it, MiB", false},
    [STEEPNESS] = {"steepness", 0.7, 0.4, 2, 0.2, "of the curve at its half", false},
    [RANKS] = {"ranks", 0, -1, 0.5, 0.2, "power of ranks / 8 in the efficiency", false},
    [HALF_RANKS] = {"half_ranks", 0, -1.5, 1.5, 0.2, "power of ranks / 8 in the half", false},
    [NETWORK] = {"network", 0.8, 0.8, 0.8, 0.2, "of the network, by large messages: assumed", false},
    [NETWORK_US] = {"network_us", 5, 5, 5, 0.3, "latency of the network where it is not known, us: assumed", false},
};

static const double mib = 1048576;
static const double least_us = 0.001;

/* Shares of a link that nothing exceeds. Switches that reduce by themselves, which only all-reduce uses, add a fifth. */
static const double most_of_a_link = 0.9, most_by_switches = 1.1;

/* Beyond the ranks of the largest server measured nothing is known to change. */
static const double most_ranks = 8;

static bool in_pairs(enum collective_kind kind)
{
    return kind == COLLECTIVE_POINT_TO_POINT || kind == COLLECTIVE_ALL_TO_ALL;
}

static double efficiency_of(const struct exchange *exchange, const double *c)
{
    const double efficiency = c[EFFICIENCY] * pow(fmin(exchange->local, most_ranks) / most_ranks, c[RANKS]);
    return fmin(efficiency, exchange->kind == COLLECTIVE_ALL_REDUCE ? most_by_switches : most_of_a_link);
}

/* How much longer than at the full rate. */
static double slowness(const struct exchange *exchange, const double *c)
{
    const double half = c[HALF_MIB] * mib * pow(fmin(exchange->local, most_ranks) / most_ranks, c[HALF_RANKS]);
    return 1 + pow(half / exchange->bytes, c[STEEPNESS]);
}

/* Over the links of a server, us. */
static double local_us(const struct exchange *exchange, const double *c)
{
    if (exchange->local < 2)
        return 0;
    const double bytes = exchange->bytes * exchange_factor(exchange, exchange->local);
    return bytes / (exchange_link_rate(exchange->hardware) * efficiency_of(exchange, c)) * slowness(exchange, c);
}

static double moving_us(const struct exchange *exchange, const double *c)
{
    return fmax(local_us(exchange, c), exchange_network_us(exchange) / c[NETWORK] * slowness(exchange, c));
}

static double latency_us(const struct exchange *exchange, const double *c)
{
    return c[LATENCY_US] + c[STEP_US] * fmax(0, log2(exchange->local) - 1) + exchange_hops_us(exchange, c[NETWORK_US]);
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct exchange exchange = exchange_of(kernel, hardware);
    return latency_us(&exchange, c) + moving_us(&exchange, c);
}

enum feature { LN_BYTES, LN_RANKS, LN_MOVING, LN_SLOWNESS, FEATURES };

static const char *const feature_names[FEATURES] = {"ln(bytes on the link)", "ln(ranks of a server)",
                                                    "ln(moving / latency)", "ln(slowness)"};

static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    const struct exchange exchange = exchange_of(kernel, hardware);
    to[LN_BYTES] = log(exchange.bytes * exchange_factor(&exchange, exchange.local));
    to[LN_RANKS] = log(exchange.local);
    to[LN_MOVING] = log(fmax(least_us, moving_us(&exchange, c)) / latency_us(&exchange, c));
    to[LN_SLOWNESS] = log(slowness(&exchange, c));
}

/* What was measured: all-reduce and send-receive within a server. */
static bool like_measured(const struct kernel *kernel)
{
    const int64_t kind = kernel->collective.kind - 1;
    return kernel->collective.ranks <= kernel->collective.server_ranks && kernel->collective.ranks <= most_ranks &&
           (kind == COLLECTIVE_ALL_REDUCE || kind == COLLECTIVE_POINT_TO_POINT);
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    const int64_t kind = kernel->collective.kind - 1;
    return kind < COLLECTIVE_KINDS && in_pairs((enum collective_kind)kind) ? "pairs" : "ring";
}

const struct family family_collective = {
    .name = "collective",
    .forms = 1u << FORM_COLLECTIVE,
    .about = "A latency by ranks, and the bytes on the busiest link over a rate that grows with the message.",
    .also_needs = exchange_needs,
    .group = group,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .describe = describe,
    .like_measured = like_measured,
    .features = feature_names,
    .feature_count = FEATURES,
    .trees = 60,
    .leaves = 12,
};
