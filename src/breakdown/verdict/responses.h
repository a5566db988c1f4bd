/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank would have done in each experiment, had the others let it go at other times (time/response.h): all that a job
 * has to know of its graph. With these a job is replayed without any graph (breakdown/job), of thousands of ranks.
 *
 * Times are kept as by how much earlier than recorded a way would have led to a meeting, in units of a part of a step. So
 * the way that came last is 0 where nothing changes, and gives back the recording. Packed: of each experiment a number.
 */
#ifndef BREAKDOWN_RESPONSES_H
#define BREAKDOWN_RESPONSES_H

#include "base/varint.h"
#include "charge.h"
#include "time/response.h"

/* An experiment. The first changes nothing. */
struct response_run {
    uint8_t resource; /* enum resource; RESOURCE_NONE: nothing is changed */
    bool removed;     /* it takes no time; else as in the table of experiments */
};

enum { RESPONSE_RUNS_MOST = 2 * RESOURCES };

struct responses {
    uint32_t steps;          /* that are judged; 0: there are none */
    int64_t from_ns, end_ns; /* of them, as recorded */
    int64_t changes_ns;      /* when the experiments begin: with the first step that is selected */
    struct response_run runs[RESPONSE_RUNS_MOST];
    uint32_t run_count;
    int64_t unit_ns;        /* of the numbers */
    uint32_t count;         /* meetings: collectives of the rank; behind them rows for from_ns and end_ns */
    const uint32_t *row_at; /* by row: where it begins */
    const uint8_t *bytes;
};

static inline uint32_t responses_from_row(const struct responses *responses)
{
    return responses->count;
}

static inline uint32_t responses_end_row(const struct responses *responses)
{
    return responses->count + 1;
}

static inline uint32_t responses_rows(const struct responses *responses)
{
    return responses->count + 2;
}

/* When the rank came to its meetings (and, by row, to what is behind them) and left them, as recorded. */
struct response_times {
    const int64_t *enter_ns, *leave_ns;
};

/* Batches of ABREAST runs each, by row. In the arena. */
void responses_pack(struct responses *out, const struct response_row *const *batches,
                    const struct response_times *times, struct arena *arena);

/*
 * A run, or what lies between two: by so much of the way from the one to the other, term by term. A term is a way through the
 * net, and what it takes is a line where no other outdoes it.
 */
struct response_blend {
    uint32_t run, other;
    double part; /* 0: the run alone; above 1 it is carried on */
};

/* Of a term one above by how many units it is earlier; 0: it never decides. */
double response_blended(const struct response_blend *blend, uint64_t own, uint64_t other);

/* The packed rows one behind the other, and the exit of a term as it stands there. */
str responses_bytes(const struct responses *responses);
uint32_t response_exit(uint32_t row, uint64_t packed);

/* The same unpacked, for files. */
struct response_table {
    uint32_t *terms; /* by row: how many */
    uint32_t term_count;
    uint32_t *exits; /* by term */
    uint64_t *units; /* by term and run: how much earlier, and one more; 0: it never decides */
};
struct response_table responses_unpack(const struct responses *responses, struct arena *arena);
/* Fills the packed part; the rest of it, the unit too, says what the table is of. In the arena. */
void responses_keep(struct responses *out, const struct response_table *table, struct arena *arena);

#endif
