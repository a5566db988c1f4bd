/* SPDX-License-Identifier: Apache-2.0 */
#include "strip_pieces.h"

#include "base/mem.h"

static int64_t key_of(const struct strip_kind *kind)
{
    const uint64_t small = (uint64_t)kind->class << 16 | (uint64_t)kind->cause << 8 | kind->phase;
    return (int64_t)((uint64_t)kind->name << 24 | small);
}

static uint32_t number_of(struct strip_packing *p, const struct strip_kind *kind)
{
    const uint32_t known = map_get(&p->known, key_of(kind));
    if (known != MAP_NONE)
        return known;
    p->kinds = mem_grow(p->kinds, &p->kind_room, p->kind_count + 1, sizeof *p->kinds);
    p->kinds[p->kind_count] = *kind;
    map_put(&p->known, key_of(kind), (uint32_t)p->kind_count);
    return (uint32_t)p->kind_count++;
}

static void put(struct buf *bytes, uint32_t kind, int64_t ns)
{
    varint_put(bytes, kind);
    varint_put(bytes, (uint64_t)ns);
}

void strip_pack(struct strip_packing *packing, const struct strip_piece *pieces, uint32_t count,
                struct strip_stretch *stretch)
{
    stretch->pieces_at = (uint32_t)packing->bytes.len;
    stretch->piece_count = count;
    packing->pieces += count;
    for (uint32_t i = 0; i < count; i++)
        put(&packing->bytes, number_of(packing, &pieces[i].kind), pieces[i].ns);
}

static void keep_bytes(struct strip *strip, struct buf *bytes, struct arena *arena)
{
    strip->pieces = (const uint8_t *)str_copy(arena, buf_str(bytes)).at;
    buf_free(bytes);
}

void strip_packed(struct strip_packing *packing, struct arena *arena, struct strip *strip)
{
    strip->piece_count = packing->pieces;
    strip->kind_count = (uint32_t)packing->kind_count;
    strip->kinds = arena_move(arena, packing->kinds, packing->kind_count * sizeof *packing->kinds);
    keep_bytes(strip, &packing->bytes, arena);
    map_free(&packing->known);
}

void strip_pack_known(struct strip *strip, const uint32_t *kind, const int64_t *ns, struct arena *arena)
{
    struct buf bytes = {0};
    for (uint32_t i = 0, piece = 0; i < strip->stretch_count; i++) {
        strip->stretches[i].pieces_at = (uint32_t)bytes.len;
        for (uint32_t k = 0; k < strip->stretches[i].piece_count; k++, piece++)
            put(&bytes, kind[piece], ns[piece]);
    }
    keep_bytes(strip, &bytes, arena);
}
