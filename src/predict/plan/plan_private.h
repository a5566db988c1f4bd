/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in the making, for the files that make it. */
#ifndef PREDICT_PLAN_PRIVATE_H
#define PREDICT_PLAN_PRIVATE_H

#include "predict/host/host_line.h"
#include "plan.h"
#include "fusions.h"
#include "plan_streams.h"
#include "units.h"

struct planning {
    const struct program *program;
    const struct plan_options *options;
    const struct overheads *overheads;
    struct arena *arena;
    struct plan *plan;
    struct host_line line;
    uint32_t *launch_of; /* by launch of the program: that of the plan */
    uint32_t launch_room;
    struct plan_place *places; /* by wait of the program */
    struct units units;        /* where models are asked */
    struct fusions fusions;    /* of what is compiled */
    uint32_t *unit_of;         /* by operator of the program; PLAN_NONE */
    uint32_t event_at;         /* the call of the program up to which events were counted */
    struct plan_streams *put;  /* on which streams what is supposed goes; NULL: the usual ones */
    bool supposes;             /* the program was not recorded: what its units launch is supposed */
};

/* The mean of the name, else of the kind, else the built-in one. */
double planned_us(const struct planning *p, enum overhead_kind kind, str name);

/* Without what so many events cost, in a table that has it in. */
double less_events(const struct planning *p, double us, uint32_t events);

/* One more launch of the plan, which moves them all. */
struct plan_launch *room_for_launch(struct planning *p);

/* The kernels of an operator together on that device. False with STEPTIME_INPUT, naming the operator. */
bool estimate_unit(const struct planning *p, const struct hardware *hardware, const struct unit *unit,
                   struct estimate *sum, struct steptime_error *err);

/* Adds the launches that the unit makes. */
bool suppose_unit(struct planning *p, struct plan_op *op, const struct unit *unit, struct steptime_error *err);

/* Adds what the stages of a pipeline wait for each other. */
void plan_pipeline(struct plan *plan);

/* Fills us, basis and estimate of launches that the program records. */
bool time_launches(const struct planning *p, struct steptime_error *err);

#endif
