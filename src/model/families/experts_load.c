/* SPDX-License-Identifier: Apache-2.0 */
#include "experts_load.h"

#include <math.h>

/* ---- the law ---- */

/* x^-alpha between low and high: how many tokens an expert draws, before all draws are scaled to the pairs there are. */
struct law {
    double exponent; /* 1 - alpha */
    double low, high, mean, deviation;
    double at[EXPERT_SHARES]; /* in the middle of each share */
};

static double law_at(const struct law *law, double share)
{
    const double e = law->exponent;
    if (fabs(e) < 1e-6)
        return law->low * pow(law->high / law->low, share);
    return pow(pow(law->low, e) + share * (pow(law->high, e) - pow(law->low, e)), 1 / e);
}

/* As measured: from one token to eight tenths of them; where pairs are fewer than experts from nearly none to two. */
static struct law law_of(const struct expert_load *load, double alpha)
{
    const bool few = load->tokens * load->topk <= load->experts;
    struct law law = {.exponent = 1 - alpha, .low = few ? 0.01 : 1, .high = few ? 2 : fmax(0.8 * load->tokens, 1.0001)};
    double squares = 0;
    for (int i = 0; i < EXPERT_SHARES; i++) {
        const double x = law.at[i] = law_at(&law, (i + 0.5) / EXPERT_SHARES);
        law.mean += x / EXPERT_SHARES;
        squares += x * x / EXPERT_SHARES;
    }
    law.deviation = sqrt(fmax(squares - law.mean * law.mean, 0));
    return law;
}

/* Deviations above the mean that a share of a normal distribution lies beyond (Abramowitz and Stegun 26.2.23). */
static double normal_beyond(double share)
{
    const double t = sqrt(-2 * log(share));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/*
 * Tokens of the most loaded GPU over the mean. A sum of draws of the law goes as a gamma distribution, by the cube roots
 * of Wilson and Hilferty; of one expert a GPU it is the law itself. Held against draws: within a tenth, a quarter for two.
 */
static double most_loaded(const struct expert_load *load, const struct law *law)
{
    const double beyond = 0.56 / fmax(load->ranks, 1.2); /* the middle of the largest of so many */
    if (load->ranks <= 1)
        return 1;
    if (load->held < 1.5)
        return fmax(1, law_at(law, 1 - beyond) / law->mean);
    const double shape = load->held * pow(law->mean / fmax(law->deviation, 1e-3 * law->mean), 2);
    const double root = 1 - 1 / (9 * shape) + normal_beyond(beyond) / (3 * sqrt(shape));
    return fmax(1, fmin(pow(fmax(root, 0.3), 3), law->high / law->mean));
}

/* ---- who has how many ---- */

static void spread_alike(struct expert_load *load)
{
    for (int i = 0; i < EXPERT_SHARES; i++)
        load->each[i] = load->pairs / load->held;
    load->hit = fmin(load->held, load->pairs);
}

/* No expert has more than all tokens; what is cut off there goes to the others. */
static void spread_by(struct expert_load *load, const struct law *law)
{
    const double mean = load->pairs / load->held;
    double sum = 0;
    for (int i = 0; i < EXPERT_SHARES; i++) {
        load->each[i] = load->held < 1.5 ? mean : fmin(load->tokens, law->at[i] / law->mean * mean);
        sum += load->each[i] / EXPERT_SHARES;
    }
    for (int i = 0; i < EXPERT_SHARES; i++)
        load->each[i] = fmin(load->tokens, load->each[i] * mean / sum);
}

/* Of an expert with so many tokens in the mean: the share of draws with at least one. */
static double is_hit(double tokens)
{
    const double half = 0.5 / tokens;
    return 1 / (1 + half * half * half);
}

static void count_hit(struct expert_load *load)
{
    for (int i = 0; i < EXPERT_SHARES; i++)
        load->hit += is_hit(load->each[i]) * load->held / EXPERT_SHARES;
    load->hit = fmax(fmin(load->hit, load->pairs), fmin(1, load->held));
}

struct expert_load expert_load_of(const struct kernel *kernel)
{
    struct expert_load load = {
        .tokens = (double)kernel->experts.tokens,
        .topk = (double)kernel->experts.topk,
        .experts = (double)kernel->experts.experts,
        .ranks = (double)kernel->experts.expert_parallel,
    };
    load.held = fmax(1, load.experts / load.ranks);
    load.pairs = load.tokens * load.topk / load.ranks;
    if (!kernel->experts.skew) {
        spread_alike(&load);
        return load;
    }
    const struct law law = law_of(&load, (double)kernel->experts.skew / 1000);
    load.pairs = fmin(load.pairs * most_loaded(&load, &law), load.tokens * fmin(load.topk, load.held));
    spread_by(&load, &law);
    count_hit(&load);
    return load;
}

double expert_row_tiles(const struct expert_load *load, double rows_each, double tile)
{
    double tiles = 0;
    for (int i = 0; i < EXPERT_SHARES; i++) {
        const double rows = load->each[i] * rows_each;
        tiles += ceil(rows / tile) * is_hit(rows);
    }
    return fmax(tiles * load->held / EXPERT_SHARES, load->hit);
}
