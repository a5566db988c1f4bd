/* SPDX-License-Identifier: Apache-2.0 */
#include "trees_private.h"

#include <math.h>

#include "model/estimate/late.h"
#include "base/real.h"
#include "io/writer.h"

/* No model of ours comes near; beyond it a file is none. */
enum { MOST_TREES = 4096 };

struct trees *trees_new(uint32_t feature_count, struct arena *arena)
{
    struct trees *trees = arena_alloc(arena, sizeof *trees);
    trees->feature_count = feature_count;
    return trees;
}

/* ---- growing ---- */

static void *grown(struct arena *arena, const void *old, uint32_t count, uint32_t *room, uint32_t least, size_t size)
{
    *room = *room * 2 > least ? *room * 2 : least;
    void *wider = arena_array(arena, *room, size);
    if (count)
        memcpy(wider, old, count * size);
    return wider;
}

void trees_append(struct trees *trees, const struct tree_node *nodes, uint32_t count, struct arena *arena)
{
    if (trees->tree_count == trees->tree_room)
        trees->roots = grown(arena, trees->roots, trees->tree_count, &trees->tree_room, 64, sizeof *trees->roots);
    if (trees->node_count + count > trees->node_room)
        trees->nodes = grown(arena, trees->nodes, trees->node_count, &trees->node_room, trees->node_count + 1024,
                             sizeof *trees->nodes);
    trees->roots[trees->tree_count++] = trees->node_count;
    memcpy(trees->nodes + trees->node_count, nodes, count * sizeof *nodes);
    trees->node_count += count;
}

/* ---- reading ---- */

/* A tree as it is read: the nodes whose no side is still to come are on the stack. */
struct tree_reading {
    struct tree_node nodes[TREE_NODES];
    uint32_t count;
    uint16_t open[TREE_NODES];
    uint32_t open_count;
    bool whole;
};

static bool read_question(str feature, uint32_t feature_count, struct tree_node *node)
{
    int64_t index;
    if (!str_int(feature, &index) || index < 0 || index >= feature_count)
        return false;
    node->feature = (uint16_t)index;
    return true;
}

/* After a leaf: what comes next is the no side of the innermost node that still lacks one. */
static void close_leaf(struct tree_reading *reading)
{
    if (!reading->open_count) {
        reading->whole = true;
        return;
    }
    const uint16_t parent = reading->open[--reading->open_count];
    reading->nodes[parent].no = (uint16_t)(reading->count - parent);
}

static const char *read_node(struct tree_reading *reading, str token, uint32_t feature_count)
{
    if (reading->whole || reading->count == TREE_NODES)
        return "has too many nodes";
    struct tree_node *node = &reading->nodes[reading->count];
    str feature = token;
    const bool asks = memchr(token.at, '<', token.len);
    if (asks) {
        str_cut(&token, '<', &feature);
        if (!read_question(feature, feature_count, node))
            return "asks of a feature that there is none of";
    }
    if (!real_read(token, &node->value))
        return "holds something that is no number";
    if (asks)
        reading->open[reading->open_count++] = (uint16_t)reading->count;
    reading->count++;
    if (!asks)
        close_leaf(reading);
    return NULL;
}

bool trees_add_line(struct trees *trees, str nodes, struct arena *arena, const char **problem)
{
    struct tree_reading reading = {.count = 0};
    *problem = trees->tree_count == MOST_TREES ? "comes too often" : NULL;
    for (str token; !*problem && str_cut(&nodes, ' ', &token);)
        *problem = read_node(&reading, token, trees->feature_count);
    if (!*problem && !reading.whole)
        *problem = "breaks off";
    if (!*problem)
        trees_append(trees, reading.nodes, reading.count, arena);
    return !*problem;
}

/* ---- reading when asked ---- */

struct late_trees {
    uint32_t feature_count;
    str text; /* the lines, the first without its word */
    struct late trees;
};

void trees_add_late(struct trees *trees, str nodes, struct arena *arena)
{
    if (!trees->late) {
        trees->late = arena_alloc(arena, sizeof *trees->late);
        *trees->late = (struct late_trees){.feature_count = trees->feature_count, .text = nodes};
    }
    trees->late->text.len = (size_t)(nodes.at + nodes.len - trees->late->text.at);
}

static void *read_late(const void *context, struct arena *arena)
{
    const struct late_trees *late = context;
    const str word = S("tree ");
    const char *problem;
    struct trees *trees = trees_new(late->feature_count, arena);
    for (str line, text = late->text; str_cut(&text, '\n', &line);)
        trees_add_line(trees, str_trim(str_starts(line, word) ? str_from(line, word.len) : line), arena, &problem);
    return trees;
}

/* The same with all trees read. */
static const struct trees *present(const struct trees *trees)
{
    return trees->late ? late_value(&trees->late->trees, read_late, trees->late) : trees;
}

uint32_t trees_count(const struct trees *trees)
{
    return present(trees)->tree_count;
}

/* ---- evaluating ---- */

static double tree_eval(const struct tree_node *node, const double *features)
{
    while (node->no)
        node += features[node->feature] < node->value ? 1 : node->no;
    return node->value;
}

double trees_eval(const struct trees *trees, const double *features)
{
    double sum = 0;
    trees = present(trees);
    for (uint32_t i = 0; i < trees->tree_count; i++)
        sum += tree_eval(trees->nodes + trees->roots[i], features);
    return sum;
}

/* ---- writing ---- */

static void write_node(const struct tree_node *node, struct writer *out)
{
    if (node->no)
        writer_printf(out, " %u<%.9g", node->feature, node->value);
    else
        writer_printf(out, " %.9g", node->value);
}

void trees_write(const struct trees *trees, struct writer *out)
{
    trees = present(trees);
    for (uint32_t i = 0; i < trees->tree_count; i++) {
        const uint32_t end = i + 1 < trees->tree_count ? trees->roots[i + 1] : trees->node_count;
        writer_put(out, S("tree"));
        for (uint32_t at = trees->roots[i]; at < end; at++)
            write_node(&trees->nodes[at], out);
        writer_put(out, S("\n"));
    }
}
