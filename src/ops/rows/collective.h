/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collectives of one rank as a small table: every communication kernel of a
 * device, and every collective that runs on the host (gloo), with its kind, its
 * message and its process group.
 *
 * What is known of one comes from, in this order: the attributes of the kernel,
 * those of the operators around its launch (record_param_comms carries them), the
 * annotation around the launch (nccl:all_reduce) with its input shapes, the name
 * of an operator around it, the name of the kernel.
 *
 * On the host the call (c10d::allreduce_) is made on one thread and the work
 * (gloo:all_reduce) done on another, and only some of the threads that work are
 * recorded. So a row of the table is a call, with its work where that was
 * recorded: calls are complete on every rank, work is not.
 *
 * A kernel that carries out several calls (ncclGroupEnd, "nccl:coalesced") has a
 * row for each of them, all with the times of the kernel.
 */
#ifndef OPS_COLLECTIVE_H
#define OPS_COLLECTIVE_H

#include "work.h"

enum collective_kind {
    COLLECTIVE_ALL_REDUCE,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_TO_ALL,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_REDUCE,
    COLLECTIVE_GATHER,
    COLLECTIVE_SCATTER,
    COLLECTIVE_BARRIER,
    COLLECTIVE_POINT_TO_POINT, /* a send, a receive, or a kernel that does both for reasons unknown */
    COLLECTIVE_OTHER,          /* communication of no known kind */
    COLLECTIVE_KINDS,
};

str collective_kind_word(enum collective_kind kind); /* "all_reduce" */

/* COLLECTIVE_OTHER where the name says nothing. Knows the names of operators, annotations, attributes and kernels. */
enum collective_kind collective_kind_of_name(str name);

/* No rank can leave before all have entered. */
bool collective_is_blocking(enum collective_kind kind);

/* All ranks must come with messages of one size. */
bool collective_is_even(enum collective_kind kind);

/*
 * Bus bandwidth over algorithm bandwidth among n ranks: 2(n-1)/n for an
 * all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for the
 * others (doc/PERFORMANCE.md of nccl-tests). The algorithm bandwidth is the full
 * message, collective_bytes, over the time.
 */
double collective_bus_factor(enum collective_kind kind, int64_t ranks);

struct collective_group {
    str name;          /* "" where not recorded */
    int64_t size;      /* ranks in it; 0: not recorded */
    uint64_t identity; /* the same on every rank of the group, told by name and members; 0 where nothing is recorded */
    str members;       /* of a dry run, as its marks tell them: "0-15"; "" */
};

struct collective {
    int64_t call_ns;  /* when the rank came to it: of a kernel its start, on the host that of the call */
    int64_t start_ns; /* of the work; the call's where no work was recorded */
    int64_t dur_ns;   /* of the work; -1 where none was recorded */
    int64_t seq;      /* number within the group, the same on every rank; -1: not recorded */
    int64_t work;     /* of a dry run: by which it is waited for; 0 */
    int64_t in_elements, out_elements; /* of this rank's buffers; -1: not recorded */
    int32_t source, destination; /* of a message between two: ranks of the job, else of the group; -1: not known */
    uint32_t row;                /* the kernel, else the work, else the call */
    uint32_t call;               /* that on the host; ROW_NONE of a kernel and where none was recorded */
    uint32_t step;               /* index of the step it was called in; STEP_NONE */
    uint32_t group;              /* index into groups */
    uint32_t of_graph;     /* it is the so manieth communication kernel of one replay of a graph, from 1; 0: none */
    uint8_t element_bytes; /* 0: not recorded */
    uint8_t kind;          /* enum collective_kind */
    bool sends;            /* of a message between two */
    bool on_host;
    bool apart;         /* of a dry run: on a stream of its own, the caller's goes on beside it */
    bool queued_before; /* launched before the recording began: of no step */
};

/* Those of a trace, by call, in structs of so many bytes that begin with them. */
struct collective_rows {
    const void *first;
    size_t size;
    uint32_t count;
};

static inline const struct collective *collective_row(const struct collective_rows *rows, uint32_t i)
{
    return (const struct collective *)((const char *)rows->first + rows->size * i);
}

struct collectives {
    struct collective *at; /* by call_ns */
    uint32_t count;
    struct collective_group *groups; /* [0] stands for: not recorded */
    uint32_t group_count;
};

/* Lives in the arena, the names of groups too, and outlives the trace. */
struct collectives collectives_of(const struct trace *trace, const struct work_classes *classes, struct arena *arena);

/* Ranks of a list such as "0-15", "0-56:8" or "0-3,8-11"; those of the server of its first, with so many a server. */
int64_t collective_members(str members);
int64_t collective_members_near(str members, int64_t server);

/* Elements of the full message: the output of an all-gather, the input of the others; -1 where not recorded. */
int64_t collective_elements(const struct collective *collective, int64_t ranks);

/* The full message in bytes; -1 where not recorded. */
int64_t collective_bytes(const struct collective *collective, int64_t ranks);

#endif
