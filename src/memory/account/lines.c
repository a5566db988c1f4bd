/* SPDX-License-Identifier: Apache-2.0 */
/* What lived at the peak, by line and category. */
#include "account.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/sum.h"

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

void account_lines(const struct memory_lives *lives, const uint32_t *group_of, struct memory_account *out,
                   struct arena *arena)
{
    struct keyed *pieces;
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
}
