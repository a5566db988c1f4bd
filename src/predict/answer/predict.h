/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a training step would take, from the recorded steps: a plan of each, with
 * the overheads of all of them, walked. How far off that is, is tested where it
 * can be: a step is predicted from the one beside it alone, and a rank from what
 * the others cost the host. doc/numbers/prediction.md has the definitions.
 */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "predict/plan/plan_energy.h"
#include "predict/plan/walk.h"
#include "source.h"

enum { PREDICTED_TOP = 10, PREDICTED_ROWS = 10 };

/* A step as it was walked for what is printed: alone, or then once more with the other ranks. */
struct predict_seen {
    int64_t rank;
    uint32_t steps; /* of the rank */
    bool together;
    const struct plan *plan;
    const struct walked *walked;
};

/* What is asked, the same for all inputs. */
struct predict_asked {
    struct plan_options plan; /* overheads NULL: those of the steps themselves */
    /* What is to be different; NULL: nothing. */
    bool (*change)(const void *context, struct plan *plan, struct arena *arena, struct steptime_error *err);
    const void *context;
    double level;    /* of the intervals: 0.9; 0: none are asked for */
    double per_hour; /* the price of a GPU; 0: not given */
    bool only_steps; /* what steps take and how far off that is, nothing else of a prediction */
    bool energy;     /* but their joules, too */
    void (*seen)(void *context, const struct predict_seen *seen); /* NULL: nobody looks */
    void *seen_context;
};

/* Between which a time lies at the level asked for; -1: not asked. */
struct predicted_range {
    double low_us, high_us;
};

struct predicted_step {
    int64_t number;
    double step_us, active_us;
    struct predicted_range range;           /* of step_us, by what models, guesses and the host's means may be off */
    double measured_us, measured_active_us; /* -1: not recorded */
    double held_us;     /* of measured_us, standing still for something that is not recorded: no prediction has that */
    double finished_us; /* measured as predicted: from where all before it was done until all of it was, less held_us */
    double from_beside_us; /* predicted from the step before it (the first: from the one after) alone; -1: none */
};

/* All calls of operators at the top of one name. */
struct predicted_operator {
    str name;
    uint64_t calls, launches;
    double host_us, device_us; /* a step */
    struct predicted_range device;
    enum estimate_basis basis; /* the least sure one of their device work that is not recorded */
    str from, model;           /* of the longest of that; "": all is recorded */
    double without_us;         /* by so much a step is shorter without them */
};

/* A kernel that adds to the doubt of a step. */
struct predicted_row {
    struct kernel kernel;
    double us; /* of a call */
    double doubt_us;
    double narrows_us; /* what measuring it takes off the doubt of all, as the root of the variance; 0: not known */
    uint64_t calls;
};

struct prediction {
    int64_t rank;
    str path, device;
    enum program_source source;
    uint64_t operators, launches, guessed; /* a step */
    uint64_t without_shapes;
    uint64_t unusable_sizes; /* operators whose sizes cannot be: without recorded times they are left out */
    struct predicted_step *steps;
    uint32_t step_count;
    struct walked
        walked; /* means over the steps, but a sum of what contradicts; times by launch and operator are NULL */
    double
        unprofiled_us; /* the step without the profiler's cost, by host_share where that is known; step_us where there is none */
    double profiler_us; /* of an event */
    double
        host_share; /* of the host's time, without the recorder (host_share.h); 0: not known, or the recorder cost little */
    double slowed; /* how many times as long the recorder made a step, where it did too much; 0 */
    double measured_us, measured_active_us;      /* means; -1: not recorded */
    double held_us, finished_us;                 /* means; finished_us -1: not recorded */
    double recorded_us, modelled_us, guessed_us; /* device work of a step, by basis */
    double model_error;   /* of modelled work, as its models did in cross-validation, weighed by time; NaN: unknown */
    double unmeasured_us; /* of modelled work, that of models that were never measured */
    struct predicted_range range;     /* of the step, at `level`; with steps_error */
    struct predicted_range estimates; /* of the walked step: by what models, guesses and the host's means may be off */
    double level;
    double
        steps_error; /* mean absolute, a share: of steps predicted from the step beside them, or of the mean of replayed steps */
    double
        untested_error; /* the same where no step is beside it: what is usual, or what the lone step is off if that is more */
    double shared, own; /* standard deviations of ln(true / predicted) of all device work that is not recorded */
    double host_doubt;  /* the same of what operators cost the host: 0 where it was recorded here */
    double error, bias; /* of steps predicted from the step beside them: mean absolute and signed */
    uint32_t tests;     /* how many of them; 0: error and bias are not known */
    double rank_error;  /* of the step predicted with the overheads of the other ranks, signed; NaN: not tested */
    bool together;      /* walked with the other ranks of its job */
    /*
     * The recording was replayed with the question: `walked` then holds the replay's figures and `measured_us` those of
     * the replayed steps; wait_us is -1, and of steps that were not replayed step_us and active_us are.
     */
    bool replayed;
    double replay_explains; /* of the recorded time, by its dependencies; a share */
    double walk_step_us;    /* what the walk makes of the step */
    double alone_us;        /* then what the step takes with the waiting for the others as recorded; -1: not together */
    str apart;              /* of the first rank: why ranks that meet were walked each alone; "": they were not */
    struct step_energy energy; /* of a step, in the mean */
    struct predicted_operator top[PREDICTED_TOP];
    uint32_t top_count;
    struct predicted_row rows[PREDICTED_ROWS]; /* worth measuring, of the step in the middle */
    uint32_t row_count;
};

/* One rank alone. */
bool predict(const struct predict_source *source, const struct predict_asked *asked, struct arena *arena,
             struct prediction *prediction, struct steptime_error *err);

/*
 * Each rank, and each with the overheads of the others; ranks of one job whose collectives match together. What is told
 * of operators is of the rank alone.
 */
bool predict_all(const struct predict_source *sources, uint32_t count, const struct predict_asked *asked,
                 struct arena *arena, struct prediction *predictions, struct steptime_error *err);

/* A range goes with its time. */
void range_moved(struct predicted_range *range, double from_us, double to_us);

/* Whether steps are off each other by so much (mean absolute, a share) that no interval is told of them. */
bool range_too_unlike(double steps_error);

/* The range, with an error (the same) that has nothing to do with what makes it so wide; none of steps that are too unlike. */
struct predicted_range range_with_error(struct predicted_range range, double us, double error, double level);

/* What the mean of so many steps may be off (mean absolute, a share) from that of others like them: more where they differ more. */
double range_error_of_mean(const double *step_us, uint32_t count);

/*
 * How far off predictions are is known of the steps as they are alone: what is asked takes it from there, and its range is
 * widened by it.
 */
void predict_take_errors(struct prediction *predictions, const struct prediction *as_is, uint32_t count);

/* One program through plan, change and walk. */
bool predict_program(const struct program *program, const struct predict_asked *asked,
                     const struct overheads *overheads, struct arena *arena, struct plan *plan, struct walked *walked,
                     struct steptime_error *err);

#endif
