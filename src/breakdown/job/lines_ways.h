/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strips of all ranks as a replay needs them: for each collective in its turn, and for each rank's end, from what the way to
 * it starts and what would be changed of its pieces. In which order stretches are run, and what they start from, is the same in
 * each replay; so it is found out once, and of most pieces nothing is left.
 */
#ifndef BREAKDOWN_LINES_WAYS_H
#define BREAKDOWN_LINES_WAYS_H

#include "lines_turns.h"

/* By how much longer a piece takes where it is changed. kind: of the lines. */
struct way_changes {
    int64_t (*longer)(const void *of, uint32_t rank, uint32_t stretch, uint32_t kind, int64_t ns);
    const void *of;
};

struct ways {
    const uint8_t *bytes; /* of the acts, one behind the other, and then of the ranks */
    uint32_t slots;       /* ends of stretches that several ways share */
};

struct ways ways_of(const struct turns *turns, const struct way_changes *changes, struct arena *arena);

/* What is known in a replay by act, by how much later than recorded; and the slots. */
struct way_times {
    int64_t *entry_ns, *exit_ns, *slot_ns;
};

/* Whether the pieces of a kind, one without a name, are changed. */
typedef bool way_wants(const void *of, uint32_t rank, uint32_t kind);

/* By how much later the next way leads there than recorded. act: its number; of the end of a rank that behind all acts. */
struct way_reader {
    const uint8_t *at;
    const struct way_times *times;
    way_wants *wants; /* NULL: none is */
    const void *of;
};
int64_t way_next(struct way_reader *reader, uint32_t act, uint32_t rank);

#endif
