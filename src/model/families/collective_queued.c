/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives over the links of GPUs that wait in a queue, as in a model: NCCL's, and the all-reduce kernels that serving
 * engines have of their own. (Lone calls, and boards without such links, are collective_time.c.)
 *
 * A message m keeps the busiest link busy with x = m x bus factor / (rate x efficiency). It is cut into pieces that
 * follow each other through the ranks, of a size that grows with its root: so beside x stands the mean of x and a time.
 * All of it lies behind a latency by ranks, in clocks, as far as that is the longer one:
 *
 *     latency = (pair + rank x (ranks - 2)) / clock           pair, rank: by library
 *     moving = x + sqrt(piece x x)
 *     us = (latency^knee + moving^knee)^(1/knee)
 *
 * Given so, latency carries between generations better than in microseconds. Engines read the memory of the others at
 * once for small messages, in a step or two, where NCCL goes round: they add less for each rank. Where no library is told,
 * it is the mean, of logarithms, of all. Among several servers the slower of the links and the network decides.
 */
#include <math.h>

#include "family.h"
#include "links.h"

enum coefficient {
    PAIR,
    RANK,
    EFFICIENCY,
    RANKS,
    PIECE_US,
    PIECE_RANKS,
    KNEE,
    VLLM,
    SGLANG,
    TRTLLM,
    ENGINE_RANK,
    ENGINE_PIECE,
    NETWORK,
    NETWORK_US,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [PAIR] = {"pair", 14000, 1000, 100000, 0.3, "latency between two ranks, clocks", false},
    [RANK] = {"rank", 2500, 50, 20000, 0.3, "more of it for each further rank, clocks", false},
    [EFFICIENCY] = {"efficiency", 0.75, 0.2, 1.3, 0.15, "of the link, by endless messages among eight ranks", false},
    [RANKS] = {"ranks", 0, -0.5, 0.5, 0.1, "power of ranks / 8 in the efficiency", false},
    [PIECE_US] = {"piece_us", 20, 0.05, 200, 0.4, "of which the root of a message makes pieces, us", false},
    [PIECE_RANKS] = {"piece_ranks", 0, -1, 1.5, 0.2, "power of ranks / 8 in that", false},
    [KNEE] = {"knee", 1.4, 1, 8, 0.2, "power with which latency and moving overlap", false},
    [VLLM] = {"vllm", 0.5, 0.1, 2, 0.2, "latency of vLLM's kernels over NCCL's", false},
    [SGLANG] = {"sglang", 0.5, 0.1, 2, 0.2, "the same of sglang's", false},
    [TRTLLM] = {"trtllm", 0.5, 0.1, 2, 0.2, "the same of TensorRT-LLM's", false},
    [ENGINE_RANK] = {"engine_rank", 0.1, 0.01, 2, 0.4, "each further rank by engines' kernels, over NCCL's", false},
    [ENGINE_PIECE] = {"engine_piece", 0.4, 0.02, 3, 0.3, "pieces of engines' kernels, over NCCL's", false},
    [NETWORK] = {"network", 0.8, 0.8, 0.8, 0.2, "of the network, by large messages: assumed", false},
    [NETWORK_US] = {"network_us", 5, 5, 5, 0.3, "latency of the network where it is not known, us: assumed", false},
};

static const double usual_clock = 1.5e9, least_us = 0.001;

/* Beyond the ranks of the largest server measured nothing but the latency is known to change. */
static const double most_ranks = 8;

/* Those whose kernels were measured. */
static const uint32_t all_libraries =
    1u << LIBRARY_NCCL | 1u << LIBRARY_SGLANG | 1u << LIBRARY_TRTLLM | 1u << LIBRARY_VLLM;

static double share_of_ranks(const struct exchange *exchange)
{
    return fmin(exchange->local, most_ranks) / most_ranks;
}

/* ---- one library ---- */

static double over_nccl(enum library library, const double *c)
{
    switch (library) {
    case LIBRARY_VLLM:
        return c[VLLM];
    case LIBRARY_SGLANG:
        return c[SGLANG];
    case LIBRARY_TRTLLM:
        return c[TRTLLM];
    default:
        return 1;
    }
}

static bool of_engine(enum library library)
{
    return library == LIBRARY_VLLM || library == LIBRARY_SGLANG || library == LIBRARY_TRTLLM;
}

static double latency_us(const struct exchange *exchange, enum library library, const double *c)
{
    const double hertz = exchange->hardware->figure[HW_CLOCK], rank = of_engine(library) ? c[ENGINE_RANK] : 1;
    const double clocks = c[PAIR] * over_nccl(library, c) + c[RANK] * rank * fmax(0, exchange->local - 2);
    return clocks / ((hertz > 0 ? hertz : usual_clock) / 1e6) + exchange_hops_us(exchange, c[NETWORK_US]);
}

/* With the pieces that the message is cut into; `us` of it at the full rate. */
static double in_pieces(const struct exchange *exchange, enum library library, const double *c, double us)
{
    const double piece_us = c[PIECE_US] * pow(share_of_ranks(exchange), c[PIECE_RANKS]);
    return us + sqrt(us * piece_us * (of_engine(library) ? c[ENGINE_PIECE] : 1));
}

static double full_rate_us(const struct exchange *exchange, const double *c)
{
    if (exchange->local < 2)
        return 0;
    const double efficiency = c[EFFICIENCY] * pow(share_of_ranks(exchange), c[RANKS]);
    return exchange->bytes * exchange_factor(exchange, exchange->local) /
           (exchange_link_rate(exchange->hardware) * efficiency);
}

static double moving_us(const struct exchange *exchange, enum library library, const double *c)
{
    const double us = fmax(full_rate_us(exchange, c), exchange_network_us(exchange) / c[NETWORK]);
    return in_pieces(exchange, library, c, us);
}

static double us_of(const struct exchange *exchange, enum library library, const double *c)
{
    return soft_max(latency_us(exchange, library, c), moving_us(exchange, library, c), c[KNEE]);
}

/* ---- all of them ---- */

/* Engines have an all-reduce of their own; all else they leave to NCCL. */
static uint32_t libraries(const struct kernel *kernel)
{
    return kernel->collective.kind == COLLECTIVE_ALL_REDUCE + 1 ? all_libraries : 1u << LIBRARY_NCCL;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct exchange exchange = exchange_of(kernel, hardware);
    const uint32_t known = libraries(kernel);
    double sum = 0, count = 0;
    if (known >> kernel->library & 1)
        return us_of(&exchange, kernel->library, c);
    for (int i = 0; i < LIBRARIES; i++) {
        if (!(known >> i & 1))
            continue;
        sum += log(us_of(&exchange, (enum library)i, c));
        count++;
    }
    return exp(sum / count);
}

enum feature { VLLMS, SGLANGS, TRTLLMS, LN_BYTES, LN_RANKS, LN_MOVING, LN_PIECES, FEATURES };

static const char *const feature_names[FEATURES] = {"by vLLM",
                                                    "by sglang",
                                                    "by TensorRT-LLM",
                                                    "ln(bytes)",
                                                    "ln(ranks of a server)",
                                                    "ln(moving / latency)",
                                                    "ln(moving / at the full rate)"};

static void describe(const struct kernel *kernel, const struct hardware *hardware, const double *c, double *to)
{
    const struct exchange exchange = exchange_of(kernel, hardware);
    const double moving = fmax(least_us, moving_us(&exchange, kernel->library, c));
    to[VLLMS] = kernel->library == LIBRARY_VLLM;
    to[SGLANGS] = kernel->library == LIBRARY_SGLANG;
    to[TRTLLMS] = kernel->library == LIBRARY_TRTLLM;
    to[LN_BYTES] = log(exchange.bytes);
    to[LN_RANKS] = log(exchange.local);
    to[LN_MOVING] = log(moving / latency_us(&exchange, kernel->library, c));
    to[LN_PIECES] = log(moving / fmax(least_us, full_rate_us(&exchange, c)));
}

/* ---- which collectives ---- */

static bool takes(const struct kernel *kernel)
{
    const int64_t kind = kernel->collective.kind - 1;
    return !kernel->alone && (kind == COLLECTIVE_ALL_REDUCE || kind == COLLECTIVE_ALL_GATHER ||
                              kind == COLLECTIVE_REDUCE_SCATTER || kind == COLLECTIVE_ALL_TO_ALL);
}

static bool has_device(const struct hardware *hardware)
{
    return hardware->figure[HW_GPU_LINK] > 0;
}

/* Learned by library within a server; where none is told there is nothing to go by. */
static bool like_measured(const struct kernel *kernel)
{
    return kernel->collective.ranks <= kernel->collective.server_ranks && kernel->collective.ranks <= most_ranks &&
           libraries(kernel) >> kernel->library & 1;
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    return collective_kind_word((enum collective_kind)(kernel->collective.kind - 1)).at;
}

/* Root mean squares of ln(one version / another): NCCL on three GPUs, engines' all-reduce on one. */
static double versions(const struct kernel *kernel)
{
    return of_engine(kernel->library) ? 0.22 : 0.08;
}

const struct family family_collective_queued = {
    .name = "collective_queued",
    .forms = 1u << FORM_COLLECTIVE,
    .about = "A latency by ranks and library, in clocks, and the bytes on the busiest link in pieces.",
    .also_needs = exchange_needs,
    .takes = takes,
    .has_device = has_device,
    .group = group,
    .libraries = libraries,
    .versions = versions,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .describe = describe,
    .like_measured = like_measured,
    .features = feature_names,
    .feature_count = FEATURES,
    .generations = true,
    .learn_rows = 60,
    .least_rows = 6,
    .trees = 40,
    .leaves = 12,
};
