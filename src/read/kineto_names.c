/* SPDX-License-Identifier: Apache-2.0 */
/* Names of processes and threads. They come before or after the events they name, so they are kept to the end. */
#include "base/hash.h"
#include "kineto.h"

static int64_t place_key(int64_t seed, struct place place)
{
    return (int64_t)hash_mix((uint64_t)seed ^
                             hash_mix(place.text ? (uint64_t)place.text << 32 : (uint64_t)place.number));
}

static int64_t thread_key(struct place process, struct place thread)
{
    return place_key(place_key(1, process), thread);
}

void kineto_name(struct kineto *k)
{
    const struct record *r = &k->record;
    if (!r->label.len || !record_has(r, TAKE_PROCESS))
        return;
    const str name = intern_text(k->names, r->event.name);
    const uint32_t label = intern_id(k->names, str_trim(r->label));
    if (str_eq(name, S("process_name")))
        map_put(&k->process_names, place_key(1, r->process), label);
    else if (str_eq(name, S("thread_name")) && record_has(r, TAKE_THREAD))
        map_put(&k->thread_names, thread_key(r->process, r->thread), label);
}

static uint32_t found(uint32_t name)
{
    return name == MAP_NONE ? 0 : name;
}

void kineto_apply_names(struct kineto *k)
{
    for (uint32_t i = 0; i < k->trace->lane_count; i++) {
        const struct lane lane = k->trace->lanes[i];
        const struct place process = {lane.process, lane.process_text}, thread = {lane.id, lane.id_text};
        trace_name_lane(k->trace, lane, found(map_get(&k->process_names, place_key(1, process))),
                        found(map_get(&k->thread_names, thread_key(process, thread))));
    }
    map_free(&k->process_names);
    map_free(&k->thread_names);
}
