/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing boosted trees: each on what those before it leave over. Features are
 * cut into at most BINS bins once; a leaf holds the sums of its rows by feature
 * and bin, the best cut is read off them, and of the two new leaves only the
 * smaller is summed, the other is the difference. The leaf with the largest gain
 * is cut next.
 */
#include <math.h>

#include "base/sort.h"
#include "base/real.h"
#include "trees_private.h"

enum { BINS = 128, LEAVES = (TREE_NODES + 1) / 2 };

/* Rows' worth of nothing in each leaf: small leaves say less than their mean. */
static const double reluctance = 1.0;

struct bin {
    double sum, weight; /* of weight x residual, and of weights */
    uint32_t rows;
};

struct cut {
    double gain; /* 0: none */
    uint16_t feature;
    uint8_t bin; /* rows of bins up to this one are on the yes side */
};

/* A leaf while the tree grows; rows [from, to) of growth.order. */
struct leaf {
    uint32_t from, to;
    struct bin *bins; /* feature_count x BINS */
    struct cut cut;
    uint32_t node; /* in growth.nodes */
};

/* A node while the tree grows. Those below may come anywhere after it. */
struct grown_node {
    double value;
    uint32_t yes, no; /* 0: a leaf */
    uint16_t feature;
};

struct growth {
    const struct trees_problem *problem;
    const struct trees_options *options;
    double *thresholds; /* feature_count x BINS: between bin b and b + 1 */
    uint32_t *bin_count;
    uint8_t *bin_of; /* rows x feature_count */
    double *residual, *weight;
    uint32_t *order, *spare;
    struct leaf leaves[LEAVES];
    struct grown_node nodes[TREE_NODES];
    uint32_t leaf_count, node_count;
};

/* ---- bins ---- */

/* Integers in the order of the doubles. */
static int64_t key_of(double value)
{
    int64_t bits;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

/* The shortest decimal t with low < t <= high. */
static double shortest_between(double low, double high)
{
    for (int digits = 1; digits < 17; digits++) {
        const double value = real_rounded(low + (high - low) / 2, digits);
        if (value > low && value <= high)
            return value;
    }
    return high;
}

static double feature_of(const struct growth *growth, uint32_t row, uint32_t feature)
{
    return growth->problem->features[(size_t)row * growth->problem->feature_count + feature];
}

/* Cuts where values differ, about the same number of rows to each bin. */
static void cut_feature(struct growth *growth, uint32_t feature, struct keyed *sorted)
{
    const uint32_t rows = growth->problem->rows;
    for (uint32_t i = 0; i < rows; i++)
        sorted[i] = (struct keyed){key_of(feature_of(growth, i, feature)), i};
    sort_keyed(sorted, rows);
    double *thresholds = growth->thresholds + (size_t)feature * BINS;
    uint32_t count = 0, since = 0;
    for (uint32_t i = 1; i < rows && count < BINS - 1; i++) {
        const uint32_t fair = (rows - since) / (BINS - count);
        if (sorted[i].key == sorted[i - 1].key || i - since < (fair ? fair : 1))
            continue;
        thresholds[count++] = shortest_between(feature_of(growth, sorted[i - 1].row, feature),
                                               feature_of(growth, sorted[i].row, feature));
        since = i;
    }
    growth->bin_count[feature] = count + 1;
}

static uint8_t bin_of(const double *thresholds, uint32_t bins, double value)
{
    uint32_t low = 0, high = bins - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (value < thresholds[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint8_t)low;
}

static void cut_features(struct growth *growth)
{
    const uint32_t features = growth->problem->feature_count;
    struct arena scratch = {0};
    struct keyed *sorted = arena_array(&scratch, growth->problem->rows, sizeof *sorted);
    for (uint32_t f = 0; f < features; f++) {
        cut_feature(growth, f, sorted);
        for (uint32_t row = 0; row < growth->problem->rows; row++)
            growth->bin_of[(size_t)row * features + f] =
                bin_of(growth->thresholds + (size_t)f * BINS, growth->bin_count[f], feature_of(growth, row, f));
    }
    arena_free(&scratch);
}

/* ---- a leaf ---- */

static void sum_leaf(const struct growth *growth, struct leaf *leaf)
{
    const uint32_t features = growth->problem->feature_count;
    memset(leaf->bins, 0, (size_t)features * BINS * sizeof *leaf->bins);
    for (uint32_t i = leaf->from; i < leaf->to; i++) {
        const uint32_t row = growth->order[i];
        const double weight = growth->weight[row], sum = weight * growth->residual[row];
        const uint8_t *bins = growth->bin_of + (size_t)row * features;
        for (uint32_t f = 0; f < features; f++) {
            struct bin *bin = &leaf->bins[f * BINS + bins[f]];
            bin->sum += sum;
            bin->weight += weight;
            bin->rows++;
        }
    }
}

/* What is left of the whole without a part of it. */
static void subtract(struct bin *whole, const struct bin *part, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        whole[i].sum -= part[i].sum;
        whole[i].weight -= part[i].weight;
        whole[i].rows -= part[i].rows;
    }
}

static struct bin leaf_total(const struct growth *growth, const struct leaf *leaf)
{
    struct bin total = {0};
    for (uint32_t b = 0; b < growth->bin_count[0]; b++) {
        total.sum += leaf->bins[b].sum;
        total.weight += leaf->bins[b].weight;
        total.rows += leaf->bins[b].rows;
    }
    return total;
}

/* By how much a mean of its own makes the sum of squares smaller. */
static double worth(double sum, double weight)
{
    return sum * sum / (weight + reluctance);
}

static void try_feature(const struct growth *growth, struct leaf *leaf, uint32_t feature, struct bin total)
{
    const struct bin *bins = leaf->bins + (size_t)feature * BINS;
    const uint32_t least = growth->options->least_rows;
    const double whole = worth(total.sum, total.weight);
    struct bin yes = {0};
    for (uint32_t b = 0; b + 1 < growth->bin_count[feature]; b++) {
        yes.sum += bins[b].sum;
        yes.weight += bins[b].weight;
        yes.rows += bins[b].rows;
        if (yes.rows < least || !bins[b].rows)
            continue;
        if (total.rows - yes.rows < least)
            return;
        const double gain = worth(yes.sum, yes.weight) + worth(total.sum - yes.sum, total.weight - yes.weight) - whole;
        if (gain > leaf->cut.gain)
            leaf->cut = (struct cut){gain, (uint16_t)feature, (uint8_t)b};
    }
}

static void find_cut(const struct growth *growth, struct leaf *leaf)
{
    const struct bin total = leaf_total(growth, leaf);
    leaf->cut = (struct cut){1e-12, 0, 0};
    for (uint32_t f = 0; f < growth->problem->feature_count; f++)
        try_feature(growth, leaf, f, total);
    if (leaf->cut.gain <= 1e-12)
        leaf->cut.gain = 0;
}

/* Rows of the yes side first, each side in its order; where the other begins. */
static uint32_t part_rows(struct growth *growth, const struct leaf *leaf)
{
    const uint32_t features = growth->problem->feature_count;
    uint32_t yes = leaf->from, no = 0;
    for (uint32_t i = leaf->from; i < leaf->to; i++) {
        const uint32_t row = growth->order[i];
        if (growth->bin_of[(size_t)row * features + leaf->cut.feature] <= leaf->cut.bin)
            growth->order[yes++] = row;
        else
            growth->spare[no++] = row;
    }
    memcpy(growth->order + yes, growth->spare, no * sizeof *growth->order);
    return yes;
}

/* The leaf becomes its yes side; a new leaf is the other. */
static void cut_leaf(struct growth *growth, struct leaf *leaf)
{
    const size_t bins = (size_t)growth->problem->feature_count * BINS;
    struct grown_node *node = &growth->nodes[leaf->node];
    node->feature = leaf->cut.feature;
    node->value = growth->thresholds[(size_t)leaf->cut.feature * BINS + leaf->cut.bin];
    node->yes = growth->node_count++;
    node->no = growth->node_count++;

    struct leaf *other = &growth->leaves[growth->leaf_count++];
    const uint32_t middle = part_rows(growth, leaf);
    *other = (struct leaf){.from = middle, .to = leaf->to, .bins = other->bins, .node = node->no};
    leaf->to = middle;
    leaf->node = node->yes;
    const bool smaller_is_other = other->to - other->from < leaf->to - leaf->from;
    struct bin *whole = leaf->bins;
    if (!smaller_is_other) {
        leaf->bins = other->bins;
        other->bins = whole;
    }
    struct leaf *smaller = smaller_is_other ? other : leaf;
    sum_leaf(growth, smaller);
    subtract(whole, smaller->bins, bins);
    find_cut(growth, leaf);
    find_cut(growth, other);
}

/* ---- a tree ---- */

static struct leaf *most_gain(struct growth *growth)
{
    struct leaf *best = &growth->leaves[0];
    for (uint32_t i = 1; i < growth->leaf_count; i++)
        if (growth->leaves[i].cut.gain > best->cut.gain)
            best = &growth->leaves[i];
    return best;
}

/* Far residuals weigh by their size only: the weight that makes a square of it. */
static void weigh_rows(struct growth *growth)
{
    const struct trees_problem *problem = growth->problem;
    const double knee = growth->options->knee;
    for (uint32_t i = 0; i < problem->rows; i++) {
        const double far = knee > 0 ? growth->residual[i] / knee : 0;
        growth->weight[i] = (problem->weight ? problem->weight[i] : 1) / sqrt(1 + far * far);
        growth->order[i] = i;
    }
}

/* Three digits are enough: the next tree learns what the rounding left. */
static double rounded(double value)
{
    return real_rounded(value, 3);
}

static void settle_leaf(struct growth *growth, const struct leaf *leaf)
{
    double sum = 0, weight = 0;
    for (uint32_t i = leaf->from; i < leaf->to; i++) {
        sum += growth->weight[growth->order[i]] * growth->residual[growth->order[i]];
        weight += growth->weight[growth->order[i]];
    }
    const double value = rounded(growth->options->rate * sum / (weight + reluctance));
    growth->nodes[leaf->node].value = value;
    for (uint32_t i = leaf->from; i < leaf->to; i++)
        growth->residual[growth->order[i]] -= value;
}

/* False where no cut gains anything. */
static bool grow_tree(struct growth *growth)
{
    uint32_t most = growth->options->leaves;
    most = most < LEAVES ? most : LEAVES;
    memset(growth->nodes, 0, sizeof growth->nodes);
    weigh_rows(growth);
    struct leaf *root = &growth->leaves[0];
    *root = (struct leaf){.to = growth->problem->rows, .bins = root->bins};
    growth->leaf_count = growth->node_count = 1;
    sum_leaf(growth, root);
    find_cut(growth, root);
    while (growth->leaf_count < most) {
        struct leaf *best = most_gain(growth);
        if (best->cut.gain <= 0)
            break;
        cut_leaf(growth, best);
    }
    for (uint32_t i = 0; i < growth->leaf_count; i++)
        settle_leaf(growth, &growth->leaves[i]);
    return growth->leaf_count > 1;
}

/* The nodes in the order of the text: each before those below it, yes first. A node whose no side comes waits. */
static void append_tree(const struct growth *growth, struct trees *trees, struct arena *arena)
{
    struct tree_node out[TREE_NODES];
    struct {
        uint32_t node, parent;
    } open[TREE_NODES] = {{0, UINT32_MAX}};
    uint32_t count = 0, waiting = 1;
    while (waiting) {
        waiting--;
        const uint32_t parent = open[waiting].parent;
        const struct grown_node *node = &growth->nodes[open[waiting].node];
        if (parent != UINT32_MAX)
            out[parent].no = (uint16_t)(count - parent);
        out[count] = (struct tree_node){node->value, node->feature, 0};
        if (node->no) {
            open[waiting].node = node->no;
            open[waiting++].parent = count;
            open[waiting].node = node->yes;
            open[waiting++].parent = UINT32_MAX;
        }
        count++;
    }
    trees_append(trees, out, count, arena);
}

/* ---- all ---- */

static void prepare(struct growth *growth, struct arena *arena)
{
    const uint32_t rows = growth->problem->rows, features = growth->problem->feature_count;
    growth->thresholds = arena_array(arena, (size_t)features * BINS, sizeof *growth->thresholds);
    growth->bin_count = arena_array(arena, features, sizeof *growth->bin_count);
    growth->bin_of = arena_array(arena, rows, features);
    growth->residual = arena_array(arena, rows, sizeof *growth->residual);
    growth->weight = arena_array(arena, rows, sizeof *growth->weight);
    growth->order = arena_array(arena, rows, sizeof *growth->order);
    growth->spare = arena_array(arena, rows, sizeof *growth->spare);
    memcpy(growth->residual, growth->problem->target, rows * sizeof *growth->residual);
    const uint32_t most = growth->options->leaves < LEAVES ? growth->options->leaves : LEAVES;
    for (uint32_t i = 0; i < (most ? most : 1); i++)
        growth->leaves[i].bins = arena_array(arena, (size_t)features * BINS, sizeof(struct bin));
}

struct trees *trees_fit(const struct trees_problem *problem, const struct trees_options *options, struct arena *arena)
{
    struct trees *trees = trees_new(problem->feature_count, arena);
    if (!problem->rows || !problem->feature_count)
        return trees;
    struct arena scratch = {0};
    struct growth *growth = arena_alloc(&scratch, sizeof *growth);
    growth->problem = problem;
    growth->options = options;
    prepare(growth, &scratch);
    cut_features(growth);
    for (uint32_t i = 0; i < options->trees && grow_tree(growth); i++)
        append_tree(growth, trees, arena);
    arena_free(&scratch);
    return trees;
}
