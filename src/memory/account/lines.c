/* SPDX-License-Identifier: Apache-2.0 */
/* What lived at the peak, by line and category. */
#include "account.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/sum.h"

static bool same_line(const struct memory_log *log, uint32_t a, uint32_t b)
{
    const struct memory_context *x = &log->contexts[a], *y = &log->contexts[b];
    if (x->recorded != y->recorded || x->node != y->node || x->of_forward != y->of_forward)
        return false;
    const uint32_t frames[2][2] = {{x->user, y->user}, {x->inner, y->inner}};
    for (int i = 0; i < 2; i++) {
        const uint32_t f = frames[i][0], g = frames[i][1];
        if (f == g)
            continue;
        if (f == MEMORY_NONE || g == MEMORY_NONE || log->frames[f].file != log->frames[g].file ||
            log->frames[f].line != log->frames[g].line)
            return false;
    }
    return true;
}

static uint64_t hash_of_frame(const struct memory_log *log, uint64_t hash, uint32_t frame)
{
    return frame == MEMORY_NONE ? hash_add(hash, 1)
                                : hash_add(hash_add(hash, log->frames[frame].file), (uint64_t)log->frames[frame].line);
}

uint32_t *account_groups(const struct memory_log *log, uint32_t *count)
{
    uint32_t *groups = mem_alloc(log->context_count * sizeof *groups),
             *firsts = mem_alloc(log->context_count * sizeof *firsts);
    struct map known = {0};
    *count = 0;
    for (uint32_t i = 0; i < log->context_count; i++) {
        const struct memory_context *context = &log->contexts[i];
        uint64_t hash = hash_add(context->node, context->recorded);
        hash = hash_of_frame(log, hash_of_frame(log, hash, context->user), context->inner);
        uint32_t group;
        for (; (group = map_get(&known, (int64_t)hash)) != MAP_NONE && !same_line(log, firsts[group], i); hash++)
            ;
        if (group == MAP_NONE) {
            group = (*count)++;
            firsts[group] = i;
            map_put(&known, (int64_t)hash, group);
        }
        groups[i] = group;
    }
    map_free(&known);
    mem_free(firsts);
    return groups;
}

static int most_bytes_first(const void *a, const void *b)
{
    const struct memory_line *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->context != y->context ? (x->context > y->context) - (x->context < y->context)
                                    : (x->category > y->category) - (x->category < y->category);
}

static void add_share(struct memory_share *share, const struct memory_life *life)
{
    sum_to(&share->bytes, life->bytes);
    sum_to(&share->certain_bytes, life->told >= TOLD_BY_STACK ? life->bytes : 0);
    share->pieces++;
}

static void add_to(struct memory_line *line, const struct memory_life *life)
{
    if (!line->pieces++)
        *line = (struct memory_line){
            .context = life->context, .category = life->category, .told = life->told, .pieces = 1, .largest = -1};
    sum_to(&line->bytes, life->bytes);
    if (life->bytes > line->largest) {
        line->largest = life->bytes;
        line->name = life->name;
    }
    line->told = life->told < line->told ? life->told : line->told;
    line->before |= life->born == LIFE_BEFORE && !life->context;
}

/* Pieces that live at the peak, those of a line and category side by side. */
static size_t pieces_at_peak(const struct memory_lives *lives, const uint32_t *group_of, struct memory_account *out,
                             struct keyed **pieces)
{
    size_t count = 0, room = 0;
    *pieces = NULL;
    for (size_t i = 0; i < lives->count; i++) {
        const struct memory_life *life = &lives->at[i];
        if (!life_at(life, out->peak_row))
            continue;
        *pieces = mem_grow(*pieces, &room, count + 1, sizeof **pieces);
        (*pieces)[count++] =
            (struct keyed){(int64_t)group_of[life->context] * CATEGORIES + life->category, (uint32_t)i};
        add_share(&out->categories[life->category], life);
    }
    if (count)
        sort_keyed(*pieces, count);
    return count;
}

void account_lines(const struct memory_lives *lives, struct memory_account *out, struct arena *arena)
{
    uint32_t groups;
    struct keyed *pieces;
    uint32_t *group_of = account_groups(lives->log, &groups);
    const size_t count = pieces_at_peak(lives, group_of, out, &pieces);
    for (size_t i = 0; i < count; i++) {
        if (!i || pieces[i].key != pieces[i - 1].key) {
            out->lines = arena_one_more(arena, out->lines, out->line_count, sizeof *out->lines);
            out->lines[out->line_count++] = (struct memory_line){0};
        }
        add_to(&out->lines[out->line_count - 1], &lives->at[pieces[i].row]);
    }
    if (out->line_count)
        qsort(out->lines, out->line_count, sizeof *out->lines, most_bytes_first);
    mem_free(pieces);
    mem_free(group_of);
}
