/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a value on the device backward to the call that put it there: through names, attributes, parameters, results of
 * functions and operands (walk.h). What a class of networks gives lies where its modules were moved to.
 */
#include "rules/loaders/loader.h"
#include "rules/loaders/loader_use.h"
#include "walk.h"

#include "base/hash.h"

/* Where it stands among those that were passed, or would. */
static uint16_t *place_of(struct walk *walk, struct site site, struct part part)
{
    const uint64_t key = (uint64_t)site.file << 32 | site.node;
    for (uint64_t at = hash_mix(key ^ (uint64_t)part.item << 7 ^ part.field.len);; at++) {
        uint16_t *const place = &walk->place[at % WALK_ROOM];
        const struct passed *const seen = *place ? &walk->seen[*place - 1] : NULL;
        if (!seen || (seen->site.file == site.file && seen->site.node == site.node && seen->part.item == part.item &&
                      str_eq(seen->part.field, part.field)))
            return place;
    }
}

bool walk_may_lie(struct walk *walk, struct site site, struct part part)
{
    if (site.node == SYNTAX_NONE || *place_of(walk, site, part))
        return false;
    const struct value *value = value_at(walk->chain->check->project, site);
    if (part.item != SYNTAX_NONE && !part.each && part.item < value->item_count)
        return value_holds_gpu(value_item_at(value, part.item));
    const bool object = part.field.len && (value->kind == VALUE_INSTANCE || value->kind == VALUE_DICT);
    return object || value_holds_gpu(value);
}

const struct syntax *walk_tree(const struct walk *walk, struct site site)
{
    return project_tree(walk->chain->check->project, site.file);
}

str walk_quoted(const struct walk *walk, struct site site, const char *format)
{
    const str text = chain_text(walk->chain, site);
    return str_printf(walk->chain->check->arena, format, (int)text.len, text.at);
}

uint32_t walk_class_around(const struct walk *walk, struct site site)
{
    const struct project *project = walk->chain->check->project;
    uint32_t f = project_function_at(project, site);
    while (f != SYNTAX_NONE && project_function(project, f)->class_id == SYNTAX_NONE)
        f = project_function(project, f)->outer;
    return f == SYNTAX_NONE ? SYNTAX_NONE : project_function(project, f)->class_id;
}

/* ---- the walk ---- */

bool walk_end(struct walk *walk, struct site place, str what)
{
    chain_end(walk->chain, place, what);
    return true;
}

bool walk_by(struct walk *walk, struct site place, str what, struct site next, struct part part)
{
    const uint32_t count = walk->chain->count;
    if (!walk_may_lie(walk, next, part))
        return false;
    chain_add(walk->chain, place, what);
    if (walk_from(walk, next, part))
        return true;
    walk->chain->count = count;
    return false;
}

bool walk_apart(struct walk *walk, struct site place, str what, struct site next, struct part part)
{
    const uint32_t depth = walk->depth;
    walk->depth = 0;
    const bool found = walk_by(walk, place, what, next, part);
    walk->depth = depth;
    return found;
}

bool walk_children(struct walk *walk, struct site site)
{
    const struct syntax *tree = walk_tree(walk, site);
    for (uint32_t child = syntax_first(tree, site.node); child != SYNTAX_NONE; child = syntax_next(tree, child)) {
        const struct site next = {site.file, child};
        if (walk_may_lie(walk, next, part_whole) && walk_from(walk, next, part_whole))
            return true;
    }
    return false;
}

static bool from_child(struct walk *walk, struct site site, uint32_t i, struct part part)
{
    const struct site next = {site.file, syntax_child(walk_tree(walk, site), site.node, i)};
    return walk_may_lie(walk, next, part) && walk_from(walk, next, part);
}

/* (a, b), [a, b]: the item that is meant, or any. */
static bool from_items(struct walk *walk, struct site site, struct part part)
{
    const struct syntax *tree = walk_tree(walk, site);
    if (part.item != SYNTAX_NONE && !part.each && part.item < syntax_child_count(tree, site.node))
        return from_child(walk, site, part.item, part_whole);
    part.each = false;
    for (uint32_t i = 0; !part_is_whole(part) && i < syntax_child_count(tree, site.node); i++)
        if (from_child(walk, site, i, part))
            return true;
    return walk_children(walk, site);
}

static str unquoted(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_is(tree, node, SYN_STRING) ? syntax_text(tree, node) : S("");
    return text.len > 2 ? (str){text.at + 1, text.len - 2} : S("");
}

/* {"loss": loss}: the value under the key that is meant, or any. */
static bool from_dict(struct walk *walk, struct site site, struct part part)
{
    const struct syntax *tree = walk_tree(walk, site);
    for (uint32_t pair = syntax_first(tree, site.node); pair != SYNTAX_NONE; pair = syntax_next(tree, pair)) {
        const bool meant = !part.field.len || tree->kind[pair] != SYN_PAIR ||
                           str_eq(unquoted(tree, syntax_first(tree, pair)), part.field);
        const struct site next = {site.file, tree->kind[pair] == SYN_PAIR ? syntax_child(tree, pair, 1) : pair + 1};
        const struct part rest = tree->kind[pair] == SYN_PAIR ? part_whole : part;
        if (meant && walk_may_lie(walk, next, rest) && walk_from(walk, next, rest))
            return true;
    }
    return false;
}

/* x[0], x["loss"] of what holds several; any other index takes a part of the tensor itself. */
static bool from_subscript(struct walk *walk, struct site site)
{
    const struct syntax *tree = walk_tree(walk, site);
    const uint32_t index = syntax_child(tree, site.node, 1);
    int64_t i;
    struct part part = part_field(unquoted(tree, index));
    if (syntax_is(tree, index, SYN_INTEGER) && str_int(syntax_text(tree, index), &i) && i >= 0 && i < 64)
        part = part_item((uint32_t)i);
    return from_child(walk, site, 0, part);
}

static bool from_comprehension(struct walk *walk, struct site site, struct part part)
{
    const struct syntax *tree = walk_tree(walk, site);
    part.each = false;
    if (tree->kind[site.node] == SYN_DICT_COMP && syntax_is(tree, site.node + 1, SYN_PAIR))
        return from_child(walk, (struct site){site.file, site.node + 1}, 1, part_whole);
    return from_child(walk, site, 0, part);
}

bool walk_pass(struct walk *walk, struct site site, struct part part)
{
    uint16_t *const place = place_of(walk, site, part);
    if (*place)
        return false;
    if (walk->seen_count == WALK_STEPS)
        return walk_cut(walk);
    walk->seen[walk->seen_count++] = (struct passed){site, part};
    *place = (uint16_t)walk->seen_count;
    return true;
}

bool walk_from(struct walk *walk, struct site site, struct part part)
{
    if (!walk_pass(walk, site, part))
        return false;
    switch (walk_tree(walk, site)->kind[site.node]) {
    case SYN_NAME:
        return walk_name(walk, site, part);
    case SYN_ATTRIBUTE:
        return walk_attribute(walk, site, part);
    case SYN_CALL:
        return walk_call(walk, site, part);
    case SYN_TUPLE:
    case SYN_LIST:
    case SYN_SET:
        return from_items(walk, site, part);
    case SYN_DICT:
        return from_dict(walk, site, part);
    case SYN_SUBSCRIPT:
        return from_subscript(walk, site);
    case SYN_LIST_COMP:
    case SYN_SET_COMP:
    case SYN_DICT_COMP:
    case SYN_GENERATOR:
        return from_comprehension(walk, site, part);
    case SYN_CONDITIONAL:
        return from_child(walk, site, 0, part) || from_child(walk, site, 2, part);
    case SYN_BOOL:
        return from_child(walk, site, 0, part) || from_child(walk, site, 1, part);
    case SYN_NAMED:
        return from_child(walk, site, 1, part);
    default:
        return walk_children(walk, site);
    }
}

/* ---- from a finding ---- */

/* What was passed in vain from one expression of a finding leads nowhere from another either. */
static bool follow(struct walk *walk, struct site site)
{
    walk->chain->count = walk->depth = 0;
    return walk_from(walk, site, part_whole);
}

static bool lies_there(const struct chain *chain, struct site site)
{
    return value_holds_gpu(value_at(chain->check->project, site));
}

/* What the rule names first, then what lies there in what is underlined, from the outermost on. Whether anything does. */
static bool follow_claimed(struct walk *walk, const struct match *match)
{
    enum { MOST = 32 };
    struct chain *chain = walk->chain;
    const struct syntax *tree = chain->check->tree;
    bool any = false;
    for (uint32_t i = 0; i <= match->capture_count; i++) {
        const struct site site = {match->file, i ? match->captures[i - 1] : match->upload};
        const bool named = site.node && site.node != SYNTAX_NONE &&
                           (!i || syntax_inside(tree, site.node, match->node)) && lies_there(chain, site);
        any |= named;
        if (named && follow(walk, site))
            return true;
    }
    int tried = 0;
    for (uint32_t node = match->node; node < syntax_last(tree, match->node); node++) {
        const struct site site = {match->file, node};
        if (!lies_there(chain, site))
            continue;
        any = true;
        if (tried++ == MOST) {
            walk_cut(walk);
            break;
        }
        if (follow(walk, site))
            return true;
    }
    return any;
}

/* Of a loader: who copies its batches there. */
static struct site copy_of_batches(const struct chain *chain, const struct match *match)
{
    const struct check there = chain_check(chain, match->file);
    const uint32_t call = match->runs_at;
    return match->of_run && loader_is(&there, call) ? loader_use_with_copies(&there, call).copied_at : site_none;
}

void chain_device(struct chain *chain, const struct match *match)
{
    static const struct limit far = {
        "origin", "a value comes through more than 600 places, 16 functions in one another, 1,024 callers, 256 places "
                  "of a name, 16 of an attribute or of a class, 6 networks in one another, or a function of 20,000 "
                  "nodes; what puts it on the device is not known"};
    struct passed seen[WALK_STEPS];
    struct walk walk = {.chain = chain, .seen = seen};
    if (follow_claimed(&walk, match)) {
        if (!chain->origin && walk.cut)
            check_limit(chain->check, &far, match->node);
        return;
    }
    if (str_eq(str_of(match->rule->id), S("ST606"))) { /* it names the device itself */
        chain_end(chain, (struct site){match->file, match->node}, S("it speaks of the device itself"));
        return;
    }
    struct site site = copy_of_batches(chain, match);
    if (!site_is_none(site)) {
        chain_end(chain, site, walk_quoted(&walk, site, "%.*s copies its batches to the device"));
        return;
    }
    /* it speaks of the program: that there is a device at all */
    site = context_network_moved(chain->check->project, match->file);
    if (site_is_none(site))
        site = context_device_used(chain->check->project, match->file);
    if (!site_is_none(site))
        chain_end(chain, site, walk_quoted(&walk, site, "%.*s: the program uses a device"));
}
