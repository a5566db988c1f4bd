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

static void put_head(struct buf *bytes, int64_t length_ns, uint32_t count)
{
    varint_put(bytes, (uint64_t)length_ns);
    varint_put(bytes, count);
}

void strip_pack(struct strip_packing *packing, const struct strip_piece *pieces, uint32_t count,
                struct strip_stretch *stretch)
{
    int64_t length_ns = 0;
    for (uint32_t i = 0; i < count; i++)
        length_ns += pieces[i].ns;
    stretch->pieces_at = (uint32_t)packing->bytes.len;
    packing->pieces += count;
    put_head(&packing->bytes, length_ns, count);
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

static int64_t sum_of(const int64_t *ns, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += ns[i];
    return sum;
}

void strip_pack_known(struct strip *strip, const struct strip_known *known, struct arena *arena)
{
    struct buf bytes = {0};
    for (uint32_t i = 0, piece = 0; i < strip->stretch_count; i++) {
        const uint32_t count = known->counts[i];
        strip->stretches[i].pieces_at = (uint32_t)bytes.len;
        put_head(&bytes, sum_of(known->ns + piece, count), count);
        for (uint32_t k = 0; k < count; k++, piece++)
            put(&bytes, known->kind[piece], known->ns[piece]);
    }
    keep_bytes(strip, &bytes, arena);
}
