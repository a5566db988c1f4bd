/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of one job against each other. Of each rank only its numbers and its
 * collectives are kept (rank_run), and the trace is dropped; then all are put
 * together (ranks_merge):
 *
 *   match     the same collective on each rank (ranks_match.h)
 *   align     the ranks' clocks, by the ends of blocking collectives (clocks.h)
 *   compare   who entered each collective when; who waited, who was waited for
 *
 * A rank is late in a collective by the time from the middle rank's entry (the
 * lower median, so of two ranks the first) to its own, if that is more than
 * `tie_ns`; so a tie blames nobody. Late and waited time of a rank is a union, so
 * collectives that go on at once count once. What a late rank did since the last
 * collective, or since the step began, is set against the ranks that were in time:
 * so a slow link is told from ranks that are late by their own work.
 *
 * doc/numbers/ranks.md defines each number.
 */
#ifndef BREAKDOWN_RANKS_H
#define BREAKDOWN_RANKS_H

#include "base/arena.h"
#include "clocks.h"
#include "ops/rows/collective_match.h"
#include "ranks_before.h"
#include "trace/select.h"

/* ---- one rank ---- */

struct rank_collective {
    struct collective of;
    int64_t step;   /* number of the step it was called in; see below */
    uint64_t key;   /* filled by ranks_match: the same for the same collective on every rank; 0: cannot be matched */
    uint32_t after; /* index of the collective of SINCE_COLLECTIVE; RANK_FIRST */
    uint8_t bits;   /* its times are rounded to 2^bits ns (struct rank_rounding) */
};

enum { RANK_FIRST = UINT32_MAX };

/* In place of a step's number. */
#define STEP_BEFORE_ALL INT64_MIN
#define STEP_AFTER_ALL  INT64_MAX

/* To what times of a sketch are rounded, as powers of two of ns; 0: not at all. Of entries and exits each collective says. */
struct rank_rounding {
    int64_t grain_ns;    /* the step of the clock that recorded them; 0: not known, as of a trace */
    uint32_t spent_bits; /* of what was done between collectives, but for */
    enum rank_time rest; /* this, which is what the others leave */
    uint32_t rounded;    /* collectives whose times are */
    uint32_t entry_bits; /* the most of any */
};

struct rank_numbers {
    int64_t rank, world_size; /* world_size -1: not recorded */
    str path, host;
    bool device;     /* device activity was recorded */
    uint32_t steps;  /* selected ones */
    int64_t step_ns; /* their sum */
    double step_p50_ns;
    int64_t time_ns[RANK_TIMES]; /* within the steps; sums to step_ns */
    double elements;             /* of the tensors that operators in the steps were given; 0: not recorded */
    int64_t communication_ns;    /* union of communication within the steps, on the device or (host-only) on the host */
    int64_t origin_ns;           /* epoch of the trace's time 0 */
    int64_t device_low_ns, device_high_ns; /* its device's clock against its host's (struct trace_oddities) */
    bool dated;                            /* false: the file's base was out of range and is left out */
    struct rank_collective *collectives;   /* by call */
    uint32_t collective_count;
    struct rank_befores befores; /* what it did before the call of each */
    struct collective_group *groups;
    uint32_t unknown_kinds; /* collectives of no known kind */
    str unknown_kind;       /* the name of the first */
    struct rank_rounding rounding;
};

/* As a graph of the rank's trace asks for them. */
static inline struct collective_rows rank_collectives(const struct rank_numbers *numbers)
{
    return (struct collective_rows){numbers->collectives, sizeof *numbers->collectives, numbers->collective_count};
}

void rank_run(const struct trace *trace, const struct selection *selection, struct arena *arena,
              struct rank_numbers *out);

/* The same where classes and phases of the rows are known; phases (ops/rows/phase.h) may be NULL. */
void rank_run_judged(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                     const struct selection *selection, struct arena *arena, struct rank_numbers *out);

/* ---- all ranks ---- */

enum { RANK_NONE_LATE = UINT32_MAX };

/* A collective that was found on every rank of its group that is here. */
struct meeting {
    uint32_t first, count;                /* its members: ranks_members[first ...] */
    const struct rank_collective *sample; /* its entry on the first rank */
    const struct collective_group *group;
    int64_t ranks;                  /* that take part: the group's size where recorded, else count */
    int64_t bytes;                  /* full message; -1: not recorded */
    int64_t enter_ns;               /* when the middle rank entered, by the first rank's clock */
    int64_t skew_ns;                /* from the first to the last entry */
    int64_t saving_ns;              /* from the last but one to the last */
    int64_t transfer_ns;            /* of the rank that entered last: from its entry to its end; -1: not recorded */
    uint32_t first_rank, last_rank; /* indices of ranks; RANK_NONE_LATE where the skew is a tie */
    enum rank_since since;          /* the last collective, if that is the same one on all ranks */
    double in_time_before_ns[RANK_TIMES]; /* mean over the ranks in time: what they did before */
    double in_time_since_ns;              /* and when they began to, by the first rank's clock */
};

struct meeting_member {
    uint32_t rank, index; /* of the collective among the rank's own */
    int64_t wait_ns;      /* inside, until the last had come */
    int64_t late_ns;      /* behind the middle rank; 0 within tie_ns */
};

struct rank_account {
    int64_t offset_ns; /* of its clock */
    uint32_t matched, unmatched;
    bool comparable;   /* at least half of its collectives were found on the others */
    uint32_t compared; /* of its steps, but those with collectives of which none was matched (ranks_compared.h) */
    int64_t *partial;  /* numbers of steps that are left out, for a kind of collective is missing there */
    uint32_t partial_count;
    int64_t waited_ns; /* inside collectives until the last rank had come; union */
    int64_t
        waiting_ns;  /* the same of blocking collectives by the times of their work, summed: two at once count twice */
    int64_t late_ns; /* others, in the middle, were inside and it was not; union */
    int64_t caused_ns;   /* what the others waited for it, summed: a wait is shared by the ranks that are missing */
    int64_t saving_ns;   /* less waiting for all, had it come with the last but one; union */
    uint32_t late, last; /* collectives it was late in; in which it was last beyond a tie */
    uint32_t late_steps; /* in which it was late by a tenth of its latest or more */
    uint32_t late_every; /* they come every so many steps, above 1; 0: otherwise */
    double excess_ns[RANK_TIMES]; /* of late_ns: what it did more of than the ranks in time */
    double began_ns;              /* of late_ns: it began later already */
    int64_t inside_ns;            /* of late_ns: it was in collectives before, whatever it computed beside */
};

/* Meetings of one kind, size and number of ranks. */
struct meeting_kind {
    enum collective_kind kind;
    bool on_host;
    int64_t ranks, bytes;
    uint32_t count, timed;        /* timed: with a transfer time */
    int64_t skew_ns, transfer_ns; /* sums */
    double transfer_p50_ns;
    double algorithm_bandwidth, bus_bandwidth; /* bytes/s at transfer_p50_ns; NaN where not known */
};

/* The stages of a pipeline (ranks_stages.h). */
struct rank_stages {
    const uint32_t *of_rank;   /* by rank */
    uint32_t count;            /* 0: it is none */
    uint32_t longest, rank;    /* the stage and its rank with most time */
    double mean_ns, middle_ns; /* a step of a stage: the mean of all; the lower median of those beside the longest */
    double longer_ns;          /* of the longest, than that */
    double saving_ns;          /* what is gained where the work of all is spread evenly */
    bool stands_out;           /* its rank is then late by longer_ns in each step */
};

/* A slow link (ranks_link.h). */
struct rank_link {
    bool found;
    uint32_t from, to; /* indices of ranks, in a ring; else RANK_NONE_LATE: it is among the members of a group */
    const struct meeting *sample; /* a collective over it */
    int64_t excess_ns;            /* what collectives take longer over it, summed */
    double per_step_ns;           /* the same, a step */
    const int64_t *usual_ns; /* by meeting: its transfer without the slow link; INT64_MAX: it does not go over that */
};

struct ranks {
    const struct rank_numbers *const *at;
    uint32_t count;
    struct rank_account *accounts;
    struct meeting *meetings; /* by time */
    uint32_t meeting_count;
    struct meeting_member *members;
    struct meeting_kind *kinds; /* most time first */
    uint32_t kind_count;
    struct clock_solution clocks;
    const int64_t
        *shift_ns; /* by rank: its time plus this, less what its clock has drifted, is the first rank's time */
    const struct clock_drift *drift; /* by rank: of its clock, in the time of its trace */
    bool one_host;                   /* all ranks record the same host: their clock is one */
    int64_t tie_ns;
    uint32_t unmatched;     /* collectives, over all ranks */
    uint32_t disjoint;      /* matched, but not all inside at once: left out */
    uint32_t not_matchable; /* between two of many ranks: left out */
    struct match_doubt doubt;
    struct rank_stages stages;
    struct rank_link link;
};

void ranks_merge(const struct rank_numbers *const *at, uint32_t count, struct arena *arena, struct ranks *out);

/* A time of the rank's trace as the first rank's. */
static inline int64_t ranks_true_ns(const struct ranks *ranks, uint32_t rank, int64_t time_ns)
{
    return clock_true_ns(time_ns, -ranks->shift_ns[rank], ranks->drift[rank]);
}

/* When a rank came to a collective and left it, in the first rank's time; its entry where no end was recorded. */
int64_t ranks_entry_ns(const struct ranks *ranks, uint32_t rank, uint32_t collective);
int64_t ranks_exit_ns(const struct ranks *ranks, uint32_t rank, uint32_t collective);

/* When the last of all came, in the first rank's time. */
int64_t meeting_last_ns(const struct ranks *ranks, const struct meeting *meeting);

/*
 * Nobody leaves it before the last has come: a blocking collective, and a message between two devices. On the host what is
 * sent may lie until it is fetched: whether both were inside at once tells.
 */
bool meeting_lets_nobody_go(const struct ranks *ranks, const struct meeting *meeting);

/* Of a time of its account the part of a step in which it could be compared; 0 where there is none. */
double rank_per_compared(const struct ranks *ranks, uint32_t r, int64_t ns);

/* Whether the step of that number is left out of what the account tells. */
bool rank_step_is_partial(const struct rank_account *account, int64_t step);

/* Late by a hundredth of its steps at least, in what was found on the others. */
bool rank_seems_late(const struct ranks *ranks, uint32_t r);

/* The same, and comparable. */
bool rank_is_late(const struct ranks *ranks, uint32_t r);

/*
 * Collectives were compared, but more lateness may be unseen than was seen: in those of no known kind, or of ranks of which
 * too little was matched.
 */
bool ranks_are_undecided(const struct ranks *ranks);

/*
 * The rank that is late most, if it stands out: why it is, breakdown/job says, and so the sentence. Else RANK_NONE_LATE and a
 * sentence.
 */
uint32_t ranks_verdict(const struct ranks *ranks, struct arena *arena, str *sentence);

/* Bytes a second; NaN where bytes or time are not known. */
double meeting_algorithm_bandwidth(const struct meeting *meeting);
double meeting_bus_bandwidth(const struct meeting *meeting);

#endif
