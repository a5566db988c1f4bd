/* SPDX-License-Identifier: Apache-2.0 */
#include "span.h"

#include "mem.h"
#include "sort.h"
#include "order.h"

void spans_add(struct spans *list, int64_t start_ns, int64_t end_ns)
{
    if (end_ns <= start_ns)
        return;
    list->at = mem_grow(list->at, &list->room, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct span){start_ns, end_ns};
}

static bool sorted(const struct spans *list)
{
    for (size_t i = 1; i < list->count; i++)
        if (list->at[i].start_ns < list->at[i - 1].start_ns)
            return false;
    return true;
}

static void sort_spans(struct spans *list)
{
    struct keyed *order = mem_alloc(list->count * sizeof *order);
    for (size_t i = 0; i < list->count; i++)
        order[i] = (struct keyed){list->at[i].start_ns, (uint32_t)i};
    sort_keyed(order, list->count);
    struct span *sorted = mem_alloc(list->count * sizeof *sorted);
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = list->at[order[i].row];
    mem_free(order);
    mem_free(list->at);
    list->at = sorted;
    list->room = list->count;
}

void spans_tidy(struct spans *list)
{
    if (!sorted(list))
        sort_spans(list);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct span s = list->at[i];
        if (kept && s.start_ns <= list->at[kept - 1].end_ns) {
            if (s.end_ns > list->at[kept - 1].end_ns)
                list->at[kept - 1].end_ns = s.end_ns;
        } else {
            list->at[kept++] = s;
        }
    }
    list->count = kept;
}

void spans_clear(struct spans *list)
{
    list->count = 0;
}

void spans_free(struct spans *list)
{
    mem_free(list->at);
    *list = (struct spans){0};
}

int64_t spans_length(const struct spans *set)
{
    int64_t sum = 0;
    for (size_t i = 0; i < set->count; i++)
        sum += set->at[i].end_ns - set->at[i].start_ns;
    return sum;
}

int64_t spans_length_within(const struct spans *set, int64_t start_ns, int64_t end_ns)
{
    int64_t sum = 0;
    for (size_t i = spans_find(set, start_ns); i < set->count && set->at[i].start_ns < end_ns; i++)
        sum += smaller_of(set->at[i].end_ns, end_ns) - larger_of(set->at[i].start_ns, start_ns);
    return sum > 0 ? sum : 0;
}

void spans_union(const struct spans *a, const struct spans *b, struct spans *out)
{
    spans_clear(out);
    for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
        const bool from_a = j == b->count || (i < a->count && a->at[i].start_ns <= b->at[j].start_ns);
        const struct span s = from_a ? a->at[i++] : b->at[j++];
        spans_add(out, s.start_ns, s.end_ns);
    }
    spans_tidy(out);
}

void spans_minus(const struct spans *a, const struct spans *b, struct spans *out)
{
    spans_clear(out);
    for (size_t i = 0, j = 0; i < a->count; i++) {
        int64_t start = a->at[i].start_ns;
        const int64_t end = a->at[i].end_ns;
        while (j < b->count && b->at[j].end_ns <= start)
            j++;
        for (size_t k = j; k < b->count && b->at[k].start_ns < end; k++) {
            spans_add(out, start, b->at[k].start_ns);
            start = larger_of(start, b->at[k].end_ns);
        }
        spans_add(out, start, end);
    }
}

void spans_and(const struct spans *a, const struct spans *b, struct spans *out)
{
    spans_clear(out);
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct span x = a->at[i], y = b->at[j];
        spans_add(out, larger_of(x.start_ns, y.start_ns), smaller_of(x.end_ns, y.end_ns));
        if (x.end_ns < y.end_ns)
            i++;
        else
            j++;
    }
}

size_t spans_find(const struct spans *set, int64_t time_ns)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (set->at[middle].end_ns > time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
