/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of one rank, packed: looked at one at a time, in an arena of whoever
 * looks, so that memory holds only the programs of the steps that are looked at.
 */
#ifndef PREDICT_SOURCE_H
#define PREDICT_SOURCE_H

#include "program/pack.h"

/* What is known of a step without its program. */
struct source_step {
    struct packed_program packed;
    int64_t number;     /* -1 */
    int64_t wall_ns;    /* as recorded; -1 */
    double finished_us; /* as recorded, see struct predicted_step; -1 */
    int64_t fewest_met; /* how many ranks come to a collective of it, where the fewest do; INT32_MAX: no collective */
};

/* The steps of one rank, or a program that is no recording. */
struct predict_source {
    struct source_step *steps;
    uint32_t count;
    const struct program_texts *texts;
    int64_t rank;
    str path;
    bool timed; /* its steps are recorded: they tell what operators cost the host */
    double
        slowed; /* how many times as long the recorder made a step, where that is too much; 0: it is not, or not known */
};

/* Packs the program as step i; the arena and the texts must live as long as the source. */
void predict_source_set(struct predict_source *source, uint32_t i, const struct program *program,
                        struct program_texts *texts, struct arena *arena);

/* Step i, in the arena. */
struct program predict_source_step(const struct predict_source *source, uint32_t i, struct arena *arena);

#endif
