/* SPDX-License-Identifier: Apache-2.0 */
/* Where networks are put on the device: their class, what they are a part of, who says so for them. */
#include "walk.h"

#include "source/known/frameworks.h"

enum { LARGEST = 20000, DEEPEST_PART = 6, MOST_MADE = 16 };

/* The first call in a range that puts anything on the device. */
static struct site moves_in(struct walk *walk, struct site within)
{
    const struct syntax *tree = walk_tree(walk, within);
    uint32_t last = syntax_last(tree, within.node);
    if (last - within.node > LARGEST)
        last = within.node + LARGEST;
    for (uint32_t node = within.node; node < last; node++) {
        const struct site call = {within.file, node};
        if (tree->kind[node] == SYN_CALL &&
            (value_move(walk->chain->check->project, call).move == MOVE_UPLOAD ||
             (syntax_argument(tree, node, SYNTAX_NONE, "device") != SYNTAX_NONE && walk_names_device(walk, call))))
            return call;
    }
    if (last < syntax_last(tree, within.node))
        walk_cut(walk);
    return walk_nowhere;
}

static bool ends_at(struct walk *walk, struct site moved)
{
    return !site_is_none(moved) &&
           walk_end(walk, moved, walk_quoted(walk, moved, "%.*s puts the network on the device"));
}

/* Where it trains networks of the class are moved, or a framework moves them. */
static bool is_moved(struct walk *walk, uint32_t class_id, struct site use)
{
    const struct project *project = walk->chain->check->project;
    const struct class_info *about = project_class(project, class_id);
    if (ends_at(walk, context_class_moved(project, class_id, use.file, true)))
        return true;
    struct site made;
    return about->framework && about->framework->on_device && context_driven(project, class_id, &made) != DRIVEN_NOT &&
           walk_end(walk, (struct site){about->file, about->node},
                    str_printf(walk->chain->check->arena, "`%.*s` is of a framework that puts it on the device",
                               (int)about->name.len, about->name.at));
}

typedef struct site calls_of(const struct project *project, uint32_t class_id, uint32_t *at);

static bool is_part(struct walk *walk, uint32_t class_id, struct site use, int depth);

/* The network of the class `whole` has it. */
static bool is_part_of(struct walk *walk, struct site made, uint32_t whole, struct site use, int depth)
{
    static const struct part part_of = {.item = SYNTAX_NONE - 1};
    const uint32_t count = walk->chain->count;
    if (!walk_pass(walk, made, part_of))
        return false;
    const str name = project_class(walk->chain->check->project, whole)->name, text = chain_text(walk->chain, made);
    chain_add(walk->chain, made,
              str_printf(walk->chain->check->arena, "%.*s is a part of a `%.*s`", (int)text.len, text.at, (int)name.len,
                         name.at));
    if (is_moved(walk, whole, use) || is_part(walk, whole, use, depth + 1))
        return true;
    walk->chain->count = count;
    return false;
}

/* self.head = Head(...), WithLoss(net): it goes where the network goes that it is a part of. */
static bool is_part(struct walk *walk, uint32_t class_id, struct site use, int depth)
{
    const struct project *project = walk->chain->check->project;
    static calls_of *const ways[] = {context_made, context_wrapped};
    for (int way = 0; way < 2; way++) {
        uint32_t at = SYNTAX_NONE;
        for (int i = 0;; i++) {
            const struct site made = ways[way](project, class_id, &at);
            if (site_is_none(made))
                break;
            if (i == MOST_MADE || depth == DEEPEST_PART)
                return walk_cut(walk);
            if (context_of(project, made).in_test)
                continue;
            const uint32_t whole = way ? value_at(project, (struct site){made.file, made.node + 1})->detail
                                       : walk_class_around(walk, made);
            if (whole != SYNTAX_NONE && whole != class_id && project_class(project, whole)->is_module &&
                is_part_of(walk, made, whole, use, depth))
                return true;
        }
    }
    return false;
}

bool walk_network_itself(struct walk *walk, uint32_t class_id, struct site use)
{
    return class_id != SYNTAX_NONE && (is_moved(walk, class_id, use) || is_part(walk, class_id, use, 0));
}

bool walk_network(struct walk *walk, uint32_t class_id, struct site use)
{
    const struct project *project = walk->chain->check->project;
    if (walk_network_itself(walk, class_id, use))
        return true;
    if (ends_at(walk, context_network_moved(project, use.file)) ||
        ends_at(walk, context_class_moved(project, class_id, use.file, false)))
        return true;
    const struct class_info *about = class_id == SYNTAX_NONE ? NULL : project_class(project, class_id);
    const struct site within = about ? (struct site){about->file, about->node} : walk_nowhere;
    const bool anew = about && walk_pass(walk, within, part_whole); /* a class is read once */
    const struct site moved = anew ? moves_in(walk, within) : walk_nowhere;
    return !site_is_none(moved) &&
           walk_end(walk, moved, walk_quoted(walk, moved, "%.*s: the network itself puts data on the device"));
}

bool walk_trained(struct walk *walk, struct site use)
{
    const struct project *project = walk->chain->check->project;
    if (!flow_trains(project, use))
        return false;
    const uint32_t count = walk->chain->count;
    chain_add(walk->chain, use, walk_quoted(walk, use, "backward() starts from what %.*s goes into"));
    if (ends_at(walk, context_trained_moved(project, use.file)))
        return true;
    walk->chain->count = count;
    return false;
}
