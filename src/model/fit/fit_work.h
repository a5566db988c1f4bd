/* SPDX-License-Identifier: Apache-2.0 */
/* A group while it is fitted: for the files that fit it. */
#ifndef MODEL_FIT_WORK_H
#define MODEL_FIT_WORK_H

#include "model/estimate/coefficients.h"
#include "fit_coefficients.h"

/* The rows of a group by device, and what was fitted so far. */
struct work {
    const struct family *family;
    const struct hardware *devices;
    struct arena *arena;
    uint32_t device[MOST_DEVICES]; /* of each part */
    struct rows parts[MOST_DEVICES];
    struct rows measured[MOST_DEVICES]; /* the same rows as they were measured, where parts are without a drift */
    uint32_t part_count;
    struct coefficient_set *own;  /* of each part */
    struct coefficient_set *held; /* of each part, held to what is usual; NULL: the family's are never */
};

/* The rows of a group, a part a device. */
struct work work_of(const struct family *family, str group, const struct measurements *measurements,
                    struct arena *arena);

/* Whether the family has that row. */
bool measurements_of_family(const struct measurements *measurements, uint32_t row, const struct family *family);

/* The groups of a family that have rows, by first appearance; at most MOST_GROUPS. */
enum { MOST_GROUPS = 64 };
uint32_t measured_groups(const struct family *family, const struct measurements *measurements, str *groups);

/* Mean absolute relative error of the rows. */
double mean_error(const struct work *work, const struct coefficient_set *set, bool residual, struct rows rows);

/* ---- doubt (fit_doubt.c): what is left of rows that the coefficients did not see ---- */

/* ln(measured / predicted) of rows over the doubt of their sort, one device after the other or one alone. */
struct tally {
    double *at;
    uint32_t count, room;
    double error; /* mean absolute relative error */
};

struct tally tally_new(uint32_t room, struct arena *arena);

/* Adds the rows; their mean absolute relative error. */
double tally_add(struct tally *tally, const struct work *work, const struct coefficient_set *set, bool residual,
                 struct rows rows);

/* The doubt of a measured device: what its rows leave over is its own. */
void tally_own(const struct tally *tally, struct coefficient_set *set);

/* What devices showed that were left out, each by itself. */
struct left_out {
    double error;         /* mean over the devices */
    double shift_squares; /* of what all rows of a device were off, ln */
    double width;         /* sum of the half-widths about that which nine of ten rows lie in */
    uint32_t devices;
};

/*
 * A device with its rows, predicted by a set that knows nothing of it. Where there is another that is about as good, the
 * distance of the two says part of the width (ensemble_width), and only what that leaves is told.
 */
void left_out_add(struct left_out *left_out, const struct work *work, const struct coefficient_set *set,
                  const struct coefficient_set *other, bool residual, uint32_t part);

/* The same, predicted by the devices of the nearest generation but the part's own. */
void left_out_add_generation(struct left_out *left_out, const struct work *work, const struct coefficient_set *other,
                             uint32_t part);

/* The root mean square of the shifts, and the mean spread; estimate.c widens what few devices show. */
void left_out_doubt(const struct left_out *left_out, struct coefficient_set *set);

/* Whether there is enough to learn a residual from; and what the coefficients leave over of the rows, learned. */
bool can_learn(const struct work *work);
struct trees *learn_residual(const struct work *work, const struct coefficient_set *set, struct rows rows,
                             struct arena *arena);

void add_candidate(struct group_model *group, const char *name, double error);

/* The error and the doubt of work->own of a part, with a residual where one can be learned and gains. */
void judge_own(struct work *work, uint32_t part);

/* What is carried to devices that were not measured: the set of all, those of vendors, and the choice (fit_carry.c). */
void fit_carried(const struct work *work, struct group_model *group);

/* The same where generations are told apart (fit_generations.c): residuals must be learned before. */
void fit_generations(const struct work *work, struct group_model *group);

/* One set of coefficients for all parts. */
void fit_all(const struct work *work, struct coefficient_set *set);

/* ---- the host that launches lone calls (fit_host.c) ---- */

bool has_host(const struct family *family);

/* Host figures in the middle of those of the parts that are taken. */
void host_in_the_middle(const struct work *work, const bool *taken, struct coefficient_set *set);

/* How much they differ from the middle of the vendor's, as logarithms: the root mean square. */
double host_spread(const struct work *work);

/* Host figures from measured rows: each so that the smallest row that shows it comes out as it was measured. */
void host_of_rows(const struct work *work, struct rows rows, struct coefficient_set *set);

/* Launch figures of a measured host such that its launches are in the middle of those of the rows. */
void host_to_the_middle(const struct work *work, struct rows rows, struct coefficient_set *set);

/* Takes out the devices with too few rows to fit, and says so in the group's note (fit_healthy.c). */
void keep_determined(struct work *work, struct group_model *group);

/* Takes out the devices of which something else was measured, and says so in the group's note (fit_healthy.c). */
void keep_healthy(struct work *work, struct group_model *group);

#endif
