/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mean step of a job is made of, in the few figures that a verdict and
 * advice need. Sums over ranks and steps are divided by the steps, so every
 * figure is "a step of a rank"; ns are doubles because they are means.
 */
#ifndef BREAKDOWN_FACTS_H
#define BREAKDOWN_FACTS_H

#include "breakdown.h"
#include "report/report.h"

/* What bounds a step: the answer of experiments (breakdown/verdict). The first five are groups of parts, too. */
enum bound {
    BOUND_COMPUTE,       /* compute kernels */
    BOUND_COMMUNICATION, /* exposed communication, and waiting for it */
    BOUND_COPIES,        /* exposed copies and memsets */
    BOUND_INPUT,         /* data loading */
    BOUND_HOST,          /* everything else the device waits for: launches, operators, Python, synchronisation */
    BOUND_UNKNOWN,
    BOUND_STALL,    /* sleep, checkpoints: repair that, it is no resource */
    BOUND_START,    /* what comes once: first use of libraries and kernels */
    BOUND_LATE,     /* one of several ranks holds up the others */
    BOUND_BALANCED, /* nothing by itself shortens the step by much */
    BOUNDS,
};

/* The events behind a part, largest first, and the line of Python that the largest comes from. */
struct part_place {
    const uint32_t *rows;
    uint32_t count;
    str line; /* "train.py(54): step" or "train.py:54"; "" where not recorded */
};

/* What a log of the compiler says is compiled again: CL101 tells of it. */
struct again_told {
    double ns; /* of a mean step; NAN: there is no log */
    str said;  /* of the function that takes most */
};

struct facts {
    bool device;    /* device activity was recorded */
    bool operators; /* operators were recorded */
    bool stacks;    /* Python frames were recorded */
    bool graphs;    /* work was launched as CUDA or HIP graphs */
    bool compiled;  /* torch.compile's code ran */
    bool cuda;      /* the runtime is CUDA's or HIP's, so that their advice fits */
    bool calls;     /* calls of a device's runtime were recorded */
    bool reduced;   /* something is computed in 16 bits or fewer */
    bool hip;       /* it is HIP's */
    bool held;      /* launched work waits for what was not recorded: the verdict doubts itself for it */
    enum step_source steps_from;
    uint32_t ranks, steps;                    /* steps over all ranks */
    double wall_ns, p50_ns, p95_ns, first_ns; /* first_ns: mean of the ranks' first steps */
    double part_ns[PARTS];
    double longest_ns[PARTS];       /* of idle parts: the longest stretch without a break */
    struct part_place place[PARTS]; /* of a single rank; events of several have no common ids */
    double bound_ns[BOUNDS];
    double waited_ns; /* of several ranks: in collectives for those who came later. Communication takes what is left */
    double late_ns;   /* what a step gains where the late rank comes with the last but one; 0: nobody is late */
    str late;         /* who is, in a sentence */
    bool unmet;       /* of several ranks, some or all cannot be compared: one may be late */
    enum bound bound; /* the caller's to fill */

    struct compilations compilations; /* of all ranks */
    struct again_told again;          /* the caller's to fill */

    /* the largest single reason for PART_BLOCKED */
    str blocked_call, blocked_operator, blocked_frame;
    double blocked_ns;

    /* device work; 0 where none was recorded */
    double kernels, kernel_ns; /* compute kernels a step, and their summed time */
    double optimizer_ns, optimizer_kernels;
    double class_ns[KERNEL_CLASSES];

    /* Of a single trace without a device, the caller's to fill. */
    double copying_ns; /* operators that copy, a step */
    str own_operator;  /* that with most time of its own; "" */
    double own_operator_ns;
};

void compilations_add(struct compilations *sums, const struct compilations *more);

/* The three counts of compilation, for people only where there were any. */
void compilations_show(const struct compilations *compilations, struct section *section);

/* Which group of a verdict a part belongs to. */
enum bound bound_of_part(enum part part, bool device);
str bound_word(enum bound bound, bool device); /* "GPU-bound"; without a device "compute-bound" */

/*
 * Sums the breakdowns of the ranks one by one: each may go once it was added. Kernels and optimizer figures are left at 0.
 * Texts go to the arena.
 */
struct facts_adding;
struct facts_adding *facts_open(struct arena *arena);
void facts_add(struct facts_adding *adding, const struct breakdown *rank);
struct facts facts_close(struct facts_adding *adding);

#endif
