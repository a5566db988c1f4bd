/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks' strips side by side, on one clock, and what came of each collective:
 * what delay costs, the path across ranks and replays all start from.
 *
 * Times are those of the first rank's trace. Kinds of time are numbered over all
 * ranks, with a name and without.
 */
#ifndef BREAKDOWN_LINES_H
#define BREAKDOWN_LINES_H

#include "breakdown/strip/strip_pieces.h"

struct job_rank;

enum {
    KIND_TRANSFER = PATH_CLASSES, /* in place of an enum path_class: inside a collective after the last had come */
    NO_MEETING = UINT32_MAX,
    NO_RANK = UINT32_MAX,
};

/* A kind of time. `plain`: the number of the same without a name; its own where it has none. */
struct line_kind {
    uint8_t class, cause, phase;
    str name;
    uint32_t plain;
};

enum { KIND_OF_NOTHING, KIND_OF_TRANSFER, KIND_OF_COMMUNICATION, KINDS_FIXED }; /* numbers of kinds that always are */

/* A rank. */
struct line {
    const struct strip *strip;
    const struct rank_numbers *numbers;
    const uint32_t *kind; /* by kind of the strip */
    uint32_t *meeting;    /* by collective: which meeting it was; NO_MEETING */
    uint32_t *member;     /* and the index of its member; */
    uint32_t *lead;       /* by collective: of those that one kernel carries out the one whose last member came last */
};

/*
 * When the last member of a meeting came; of members that came at once the lowest. A blocking one, or a message between
 * two devices, lets nobody go before.
 */
struct line_meeting {
    int64_t last_ns, next_ns;       /* and the last but one */
    uint32_t last_rank, last_index; /* and which of that rank's collectives it is */
    bool blocking;
};

struct lines {
    const struct ranks *ranks;
    struct line *at;
    uint32_t count;
    int64_t start_ns;              /* of the job: the first start of a rank */
    struct line_meeting *meetings; /* beside ranks->meetings */
    struct line_kind *kinds;
    uint32_t kind_count;
};

/* False where a rank has no strip. In the arena. */
bool lines_of(const struct job_rank *ranks, uint32_t count, const struct ranks *merged, struct arena *arena,
              struct lines *out);

static inline int64_t line_time_ns(const struct lines *lines, uint32_t rank, int64_t time_ns)
{
    return ranks_true_ns(lines->ranks, rank, time_ns);
}

int64_t line_entry_ns(const struct lines *lines, uint32_t rank, uint32_t collective);
int64_t line_exit_ns(const struct lines *lines, uint32_t rank,
                     uint32_t collective); /* its entry where no end was recorded */

/* NULL where it was not matched, or where those who take part need not wait for each other. */
const struct line_meeting *line_blocking(const struct lines *lines, uint32_t rank, uint32_t collective);

/* Whole numbers in proportion to the weights that sum to the amount: largest remainders first, the first of equal ones. */
void line_share(int64_t amount, const int64_t *weights, uint32_t count, int64_t *shares);

#endif
