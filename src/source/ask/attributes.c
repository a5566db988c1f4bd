/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the attributes of a class are bound and called. A method that uses one attribute a thousand times is asked a
 * thousand times for the same places: they are looked for once.
 */
#include "attributes.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "flow.h"
#include "rounds.h"

enum { KEPT = 256 }; /* places of one attribute; who asks for more has them looked for again */

/* What was found of one attribute. */
struct places {
    uint32_t class_id;
    bool calls;
    str name;
    struct site *at;
    uint32_t count; /* of all; at most KEPT of them are at hand */
};

struct attributes {
    pthread_mutex_t lock;
    struct arena arena;
    struct map by_key; /* -> found */
    struct places *found;
    size_t count, room;
};

struct attributes *attributes_new(void)
{
    struct attributes *attributes = mem_zeroed(sizeof *attributes);
    pthread_mutex_init(&attributes->lock, NULL);
    return attributes;
}

void attributes_free(struct attributes *attributes)
{
    if (!attributes)
        return;
    map_free(&attributes->by_key);
    mem_free(attributes->found);
    arena_free(&attributes->arena);
    pthread_mutex_destroy(&attributes->lock);
    mem_free(attributes);
}

/* ---- looking ---- */

/* Classes that share attributes with one: those above it, itself, and those that inherit from it. */
static bool shares(const struct project *project, uint32_t class_id, uint32_t other)
{
    const struct class_data *data = &project->cells.classes[class_id], *of = &project->cells.classes[other];
    if (class_inherits(&project->cells, class_id, other))
        return true;
    if (data->inherited && class_inherits(&project->cells, other, class_id))
        return true;
    if (data->order_cut || (data->inherited && of->order_cut))
        class_tell_order(&project->cells, data->order_cut ? class_id : other);
    return false;
}

/* The next that may share, by number: of a class that nothing inherits from only those above it. */
static uint32_t next_sharing(const struct project *project, uint32_t class_id, uint32_t from)
{
    const struct classes order = class_order(&project->cells, class_id);
    uint32_t next = project->files.class_count;
    if (project->cells.classes[class_id].inherited)
        return from;
    for (uint32_t i = 0; i < order.count; i++)
        if (order.at[i] >= from && order.at[i] < next)
            next = order.at[i];
    return next;
}

static bool is_own(const struct syntax *tree, uint32_t name)
{
    const uint32_t node = tree->parent[name];
    return tree->kind[node] == SYN_ATTRIBUTE && name != node + 1 && syntax_is(tree, node + 1, SYN_NAME) &&
           str_eq(syntax_text(tree, node + 1), S("self"));
}

/* self.name as a target, where the name stands at this node: that attribute; NONE. */
static uint32_t binding_of(const struct syntax *tree, uint32_t name)
{
    return is_own(tree, name) && changes_is_target(tree, tree->parent[name]) ? tree->parent[name] : NONE;
}

/* self.name.method(...), where the name stands at this node: the call; NONE. */
static uint32_t call_of(const struct syntax *tree, uint32_t name)
{
    const uint32_t method = tree->parent[tree->parent[name]], call = tree->parent[method];
    const bool called = tree->kind[method] == SYN_ATTRIBUTE && syntax_is(tree, call, SYN_CALL) && method == call + 1;
    return called && is_own(tree, name) ? call : NONE;
}

typedef uint32_t of_attribute(const struct syntax *tree, uint32_t name);

static uint32_t look_for(const struct project *project, uint32_t class_id, str name, of_attribute *place,
                         struct site *found, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t c = next_sharing(project, class_id, 0); c < project->files.class_count;
         c = next_sharing(project, class_id, c + 1)) {
        if (!shares(project, class_id, c))
            continue;
        const uint32_t file = project->files.classes[c].file;
        const struct syntax *tree = project_tree(project, file);
        const uint32_t at = project->files.classes[c].node, last = syntax_last(tree, at);
        for (uint32_t n = syntax_name_from(tree, name, at, last); n != NONE;
             n = syntax_name_from(tree, name, n + 1, last)) {
            const uint32_t at_name = place(tree, n);
            if (at_name == NONE)
                continue;
            if (count < room)
                found[count] = (struct site){file, at_name};
            count++;
        }
    }
    return count;
}

/* ---- what was found before ---- */

static int64_t key_of(uint32_t class_id, str name, bool calls)
{
    return (int64_t)hash_add(hash_stable(name.at, name.len), (uint64_t)class_id << 1 | calls);
}

/* False: nobody asked for it yet, or another attribute has the same key. */
static bool recall(struct attributes *attributes, const struct places *asked, struct places *known)
{
    pthread_mutex_lock(&attributes->lock);
    const uint32_t at = map_get(&attributes->by_key, key_of(asked->class_id, asked->name, asked->calls));
    if (at != MAP_NONE)
        *known = attributes->found[at];
    pthread_mutex_unlock(&attributes->lock);
    return at != MAP_NONE && known->class_id == asked->class_id && known->calls == asked->calls &&
           str_eq(known->name, asked->name);
}

static void keep(struct attributes *attributes, struct places places, const struct site *at)
{
    const uint32_t kept = places.count < KEPT ? places.count : KEPT;
    pthread_mutex_lock(&attributes->lock);
    places.at = arena_array(&attributes->arena, kept, sizeof *places.at);
    if (kept)
        memcpy(places.at, at, kept * sizeof *at);
    attributes->found = mem_grow(attributes->found, &attributes->room, attributes->count + 1, sizeof places);
    attributes->found[attributes->count] = places;
    map_put(&attributes->by_key, key_of(places.class_id, places.name, places.calls), (uint32_t)attributes->count++);
    pthread_mutex_unlock(&attributes->lock);
}

static uint32_t places_of(const struct project *project, uint32_t class_id, str name, bool calls, struct site *found,
                          uint32_t room)
{
    struct places places = {.class_id = class_id, .calls = calls, .name = name}, known;
    of_attribute *const place = calls ? call_of : binding_of;
    struct site at[KEPT];
    if (room > KEPT)
        return look_for(project, class_id, name, place, found, room);
    if (!recall(project->attributes, &places, &known)) {
        places.count = look_for(project, class_id, name, place, at, KEPT);
        keep(project->attributes, places, at);
        known = places;
        known.at = at;
    }
    const uint32_t given = known.count < room ? known.count : room;
    if (given)
        memcpy(found, known.at, given * sizeof *found);
    return known.count;
}

uint32_t attribute_bindings(const struct project *project, uint32_t class_id, str name, struct site *found,
                            uint32_t room)
{
    return places_of(project, class_id, name, false, found, room);
}

uint32_t attribute_calls(const struct project *project, uint32_t class_id, str name, struct site *found, uint32_t room)
{
    return places_of(project, class_id, name, true, found, room);
}
