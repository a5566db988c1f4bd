/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What if: everything that can be asked of a step, each part a flag of
 * `steptime predict`. A question is put to a plan: it changes numbers, takes
 * entries out, joins some; the walk then says when everything happens, or the
 * difference of the plans is replayed on what was recorded (predict/question/replay.h).
 *
 * Parts are applied in a fixed order, so that the order of the flags does not
 * matter:
 *
 *     batch, ranks, amp        what is computed and sent
 *     fuse, remove, without    which entries there are
 *     pinned, no-sync, graph   how the host drives the device
 *     cpu-speed                how fast the host is
 *     scale, overlap           how long work takes, last of all
 *     reorder                  in which order
 *
 * doc/numbers/what-if.md has the formula of each, and what it leaves out.
 */
#ifndef PREDICT_QUESTION_H
#define PREDICT_QUESTION_H

#include "predict/plan/plan.h"

/* Names with '*' for any characters; of an operator, of one inside it that launches, or of a kernel. */
struct question_scale {
    str name;
    double factor;
};

struct question {
    str hw; /* "": as recorded. hw and sets are for who makes the plan: question_hardware */
    const str *sets;
    uint32_t set_count;
    int64_t batch;  /* 0: as recorded */
    int64_t ranks;  /* 0: as recorded */
    enum dtype amp; /* DTYPE_F16, DTYPE_BF16; DTYPE_UNKNOWN: as recorded */
    const str *fuse;
    uint32_t fuse_count;
    const str *remove;
    uint32_t remove_count;
    const int64_t *without; /* ids of operators, launches and calls as the program has them */
    uint32_t without_count;
    bool pinned, no_sync, cuda_graph;
    double cpu_speed; /* 2: the host twice as fast; 0 or 1: as recorded */
    const struct question_scale *scale;
    uint32_t scale_count;
    double overlap; /* the share of each collective that other work hides; 0: as recorded */
    bool reorder;
};

bool question_is_empty(const struct question *question);

/* Whether everything asked can be told by replaying what was recorded; a new order of operators cannot. */
bool question_can_replay(const struct question *question);

/* "aten::mm=0.5". False with STEPTIME_USAGE. */
bool question_read_scale(str text, struct question_scale *scale, struct steptime_error *err);

/* "bf16", "fp16". */
bool question_read_amp(str text, enum dtype *dtype, struct steptime_error *err);

/*
 * The hardware asked for: hw with its sets; only sets: `recorded`, the device of the trace, with them. *asked is false
 * where neither was given. False with STEPTIME_USAGE: unknown names, or sets for a trace whose device is not known.
 */
bool question_hardware(const struct question *question, str recorded, struct arena *arena, struct hardware *hardware,
                       bool *asked, struct steptime_error *err);

/* What the changes are made with. */
struct question_context {
    const struct models *models;     /* NULL: bytes over bandwidth, or as recorded */
    const struct hardware *hardware; /* of the plan; NULL: not known */
    const struct plan_options *options;
    const struct trace *trace; /* whose rows `without` may name too; NULL */
    double kept;   /* of the host's time what no faster host shortens (sleep, a loader, a network); a share, mostly 0 */
    uint64_t *met; /* question_names() counts of what each name fitted, over all plans; NULL: it must fit */
};

/* Names and ids that must fit something: of remove, scale, fuse and without. A step or a rank may lack them, not all. */
uint32_t question_names(const struct question *question);
bool question_check_met(const struct question *question, const uint64_t *met, struct steptime_error *err);

/* What a part changed, for people: "--no-sync: 12 waits". */
struct question_told {
    str *lines;
    uint32_t count;
};

/*
 * Edits the plan, which is the caller's own (its lists too: plan_copy). Sums are made again. False with
 * STEPTIME_USAGE where a name or id fits nothing, or a part needs what the program lacks.
 */
bool question_apply(const struct question *question, const struct question_context *context, struct plan *plan,
                    struct arena *arena, struct question_told *told, struct steptime_error *err);

/* A plan of its own, with lists that may be changed. */
struct plan plan_copy(const struct plan *plan, struct arena *arena);

#endif
