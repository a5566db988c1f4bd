/* SPDX-License-Identifier: Apache-2.0 */
/* The line that filled most. Rows of memory_lines are finer than what people call a line: they are added up here. */
#include <stdlib.h>

#include "base/sum.h"
#include "parts.h"

/* What the words for a line are made of. */
struct seen {
    uint32_t file, node;
    int64_t number;
    bool of_forward;
    uint32_t row; /* of account->lines */
};

static bool is_seen(const struct memory_log *log, const struct memory_line *line, uint32_t row, struct seen *seen)
{
    const struct memory_context *of = &log->contexts[line->context];
    const uint32_t frame = told_frame(log, line->context);
    *seen = (struct seen){.row = row, .number = -1};
    if (frame != MEMORY_NONE) {
        seen->file = log->frames[frame].file;
        seen->number = log->frames[frame].line;
        seen->of_forward = of->of_forward;
        return true;
    }
    seen->node = of->node;
    return of->node;
}

static int by_words(const struct seen *x, const struct seen *y)
{
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->node != y->node ? (x->node < y->node ? -1 : 1) : x->of_forward - y->of_forward;
}

/* Those of one line side by side, the fullest row first, as account->lines has them. */
static int in_order(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    const int order = by_words(x, y);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool same_place(const struct memory_log *log, uint32_t a, uint32_t b)
{
    if (a == b || a == MEMORY_NONE || b == MEMORY_NONE)
        return a == b;
    return log->frames[a].file == log->frames[b].file && log->frames[a].line == log->frames[b].line;
}

static struct filled_most add_up(const struct memory_account *a, const struct seen *seen, size_t count)
{
    const struct memory_line *first = &a->lines[seen->row];
    struct filled_most sum = {.context = first->context, .alone = true, .inner_alone = true};
    int64_t of[CATEGORIES] = {0};
    const uint32_t inner = a->log->contexts[first->context].inner;
    for (size_t i = 0; i < count; i++) {
        const struct memory_line *line = &a->lines[seen[i].row];
        sum_to(&sum.bytes, line->bytes);
        sum.pieces += line->pieces;
        sum_to(&of[line->category], line->bytes);
        sum.alone &= line->category == first->category;
        sum.inner_alone &= same_place(a->log, a->log->contexts[line->context].inner, inner);
    }
    for (uint8_t i = 0; i < CATEGORIES; i++)
        if (of[i] > of[sum.category])
            sum.category = i;
    sum.mostly = of[sum.category] > sum.bytes / 2;
    return sum;
}

bool memory_filled_most(const struct memory_account *a, struct filled_most *most)
{
    struct arena scratch = {0};
    struct seen *seen = arena_array(&scratch, a->line_count, sizeof *seen);
    size_t count = 0;
    int64_t of_lines = 0;
    *most = (struct filled_most){.bytes = -1};
    for (uint32_t i = 0; i < a->line_count; i++)
        if (is_seen(a->log, &a->lines[i], i, &seen[count])) {
            count++;
            sum_to(&of_lines, a->lines[i].bytes);
        }
    if (count)
        qsort(seen, count, sizeof *seen, in_order);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !by_words(&seen[i], &seen[next]); next++)
            ;
        const struct filled_most sum = add_up(a, seen + i, next - i);
        if (sum.bytes > most->bytes)
            *most = sum;
    }
    most->of_lines = of_lines;
    arena_free(&scratch);
    return count;
}
