/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_attended.h"

struct attendance attendance_of(const struct ranks *ranks, struct arena *arena)
{
    struct attendance a = {.first = arena_array(arena, ranks->count, sizeof *a.first)};
    size_t total = 0;
    for (uint32_t r = 0; r < ranks->count; r++) {
        a.first[r] = total;
        total += ranks->at[r]->collective_count;
    }
    a.at = arena_array(arena, total, sizeof *a.at);
    for (uint32_t i = 0; i < ranks->meeting_count; i++)
        for (uint32_t k = 0; k < ranks->meetings[i].count; k++) {
            const struct meeting_member *member = &ranks->members[ranks->meetings[i].first + k];
            a.at[a.first[member->rank] + member->index] = (struct attended){&ranks->meetings[i], member};
        }
    return a;
}
