/* SPDX-License-Identifier: Apache-2.0 */
#include "strip_parts.h"

#include "base/mem.h"
#include "base/order.h"
#include "base/search.h"

/* No more pieces of a stretch than this have names: the shortest lose theirs. Kinds without names are few. */
enum { NAMED_MOST = 8 };

/* ---- growing ---- */

static uint32_t ends_by(const struct strip_parts *parts, int64_t time_ns)
{
    return (uint32_t)search_after(parts->ends, parts->end_count, sizeof *parts->ends, 0, time_ns);
}

uint32_t strip_open(struct strip_parts *parts, int64_t end_ns)
{
    parts->at = mem_grow(parts->at, &parts->room, parts->count + 1, sizeof *parts->at);
    parts->at[parts->count] = (struct open_stretch){
        .end_ns = end_ns, .start_ns = end_ns, .pieces = PIECE_NONE, .ends = ends_by(parts, end_ns)};
    return (uint32_t)parts->count++;
}

static bool same_kind(const struct strip_kind *a, const struct strip_kind *b)
{
    return a->class == b->class && a->cause == b->cause && a->phase == b->phase && a->name == b->name;
}

static void add(struct strip_parts *parts, uint32_t stretch, int64_t start_ns, const struct strip_kind *kind)
{
    struct open_stretch *to = &parts->at[stretch];
    const int64_t ns = to->start_ns - start_ns;
    to->start_ns = start_ns;
    for (uint32_t i = to->pieces; i != PIECE_NONE; i = parts->pieces[i].next)
        if (same_kind(&parts->pieces[i].of.kind, kind)) {
            parts->pieces[i].of.ns += ns;
            return;
        }
    parts->pieces = mem_grow(parts->pieces, &parts->piece_room, parts->piece_count + 1, sizeof *parts->pieces);
    struct listed_piece *new = &parts->pieces[parts->piece_count];
    *new = (struct listed_piece){{ns, *kind}, to->pieces};
    to->pieces = (uint32_t)parts->piece_count++;
}

/* The last end of a collective at which a stretch that goes on has to be cut; INT64_MIN: none. */
static int64_t next_cut(const struct strip_parts *parts, struct open_stretch *stretch)
{
    const bool empty = stretch->start_ns == stretch->end_ns;
    while (stretch->ends && parts->ends[stretch->ends - 1] + empty > stretch->start_ns)
        stretch->ends--;
    return stretch->ends ? parts->ends[stretch->ends - 1] : INT64_MIN;
}

uint32_t strip_extend(struct strip_parts *parts, uint32_t stretch, int64_t start_ns, const struct strip_kind *kind)
{
    for (int64_t cut; (cut = next_cut(parts, &parts->at[stretch])) > start_ns;) {
        if (cut < parts->at[stretch].start_ns)
            add(parts, stretch, cut, kind);
        const uint32_t more = strip_open(parts, cut);
        strip_close(parts, stretch, (struct strip_link){STRIP_STRETCH, more});
        stretch = more;
    }
    add(parts, stretch, start_ns, kind);
    return stretch;
}

void strip_close(struct strip_parts *parts, uint32_t stretch, struct strip_link before)
{
    parts->at[stretch].before = before;
}

/* ---- finishing ---- */

static bool is_empty(const struct open_stretch *stretch)
{
    return stretch->start_ns == stretch->end_ns;
}

/* Past what is empty, in final numbers. */
static struct strip_link resolved(const struct strip_parts *parts, const uint32_t *number, struct strip_link link)
{
    while (link.from == STRIP_STRETCH && is_empty(&parts->at[link.index]))
        link = parts->at[link.index].before;
    if (link.from == STRIP_STRETCH)
        link.index = number[link.index];
    return link;
}

/* PIECE_NONE where there are not too many. */
static uint32_t shortest_of_too_many(const struct strip_piece *pieces, uint32_t count)
{
    uint32_t found = PIECE_NONE, named = 0;
    for (uint32_t i = 0; i < count; i++)
        if (pieces[i].kind.name) {
            named++;
            if (found == PIECE_NONE || pieces[i].ns < pieces[found].ns)
                found = i;
        }
    return named > NAMED_MOST ? found : PIECE_NONE;
}

/* Takes the name of a piece, which may make it one with another. Returns how many are left. */
static uint32_t unname(struct strip_piece *pieces, uint32_t count, uint32_t at)
{
    pieces[at].kind.name = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i != at && same_kind(&pieces[i].kind, &pieces[at].kind)) {
            pieces[i].ns += pieces[at].ns;
            pieces[at] = pieces[count - 1];
            return count - 1;
        }
    return count;
}

/* room: for all pieces that there are. */
static void put_pieces(const struct strip_parts *parts, uint32_t list, struct strip_piece *room,
                       struct strip_packing *packing, struct strip_stretch *stretch)
{
    uint32_t count = 0;
    for (uint32_t i = list; i != PIECE_NONE; i = parts->pieces[i].next)
        room[count++] = parts->pieces[i].of;
    for (uint32_t named; (named = shortest_of_too_many(room, count)) != PIECE_NONE;)
        count = unname(room, count, named);
    strip_pack(packing, room, count, stretch);
}

void strip_finish(struct strip_parts *parts, struct strip *out, struct arena *arena)
{
    struct arena scratch = {0};
    uint32_t *number = arena_array(&scratch, parts->count, sizeof *number);
    for (size_t i = parts->count; i-- > 0;)
        if (!is_empty(&parts->at[i]))
            number[i] = out->stretch_count++;
    out->stretches = arena_array(arena, out->stretch_count, sizeof *out->stretches);
    struct strip_piece *room = arena_array(&scratch, parts->piece_count, sizeof *room);
    struct strip_packing packing = {0};
    for (size_t i = parts->count, n = 0; i-- > 0;) {
        const struct open_stretch *from = &parts->at[i];
        if (is_empty(from))
            continue;
        struct strip_stretch *to = &out->stretches[n++];
        *to = (struct strip_stretch){from->end_ns, resolved(parts, number, from->before), 0};
        put_pieces(parts, from->pieces, room, &packing, to);
    }
    strip_packed(&packing, arena, out);
    for (uint32_t i = 0; i < out->way_count; i++)
        out->ways[i] = resolved(parts, number, out->ways[i]);
    mem_free(parts->at);
    mem_free(parts->pieces);
    arena_free(&scratch);
}

/* ---- checking ---- */

static bool is_link(const struct strip *strip, struct strip_link link, uint32_t below)
{
    switch (link.from) {
    case STRIP_START:
        return true;
    case STRIP_STRETCH:
        return link.index < below;
    case STRIP_COLLECTIVE:
        return link.index + 1U < strip->way_count;
    default:
        return false;
    }
}

static bool is_kind(const struct strip *strip, const struct strip_kind *kind)
{
    return kind->name < strip->name_count && kind->class < PATH_CLASSES && kind->cause < CAUSES;
}

static bool is_stretch(const struct strip *strip, uint32_t index)
{
    const struct strip_stretch *stretch = &strip->stretches[index];
    const int64_t ns = strip_length_ns(strip, stretch);
    int64_t sum = 0;
    if (!is_link(strip, stretch->before, index))
        return false;
    for (struct strip_walk walk = strip_walk(strip, stretch); strip_next(&walk);) {
        if (walk.ns <= 0 || walk.ns > ns - sum || walk.kind >= strip->kind_count)
            return false;
        sum += walk.ns;
    }
    const bool joined =
        stretch->before.from != STRIP_STRETCH || strip->stretches[stretch->before.index].end_ns == stretch->end_ns - ns;
    return joined && ns > 0 && sum == ns;
}

bool strip_check(const struct strip *strip)
{
    for (uint32_t i = 0; i < strip->kind_count; i++)
        if (!is_kind(strip, &strip->kinds[i]))
            return false;
    for (uint32_t i = 0; i < strip->stretch_count; i++)
        if (!is_stretch(strip, i))
            return false;
    for (uint32_t i = 0; i < strip->way_count; i++)
        if (!is_link(strip, strip->ways[i], strip->stretch_count))
            return false;
    return true;
}
