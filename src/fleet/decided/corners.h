/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of jobs that stand for all kinds. A job of one architecture and number of
 * cNodes is a point: the shares of its step that the parts take. Whether a figure
 * counts it, and whether it is sped up, changes across a plane (a cut), and beside
 * that figures are linear in the shares; so between the cuts any mixture of jobs
 * has the figures of a mixture of the corners there. A corner belongs to each of the
 * cells that it touches, once for each.
 */
#ifndef FLEET_CORNERS_H
#define FLEET_CORNERS_H

#include <stdbool.h>
#include <stdint.h>

enum { CORNER_PARTS = 4, CUTS_MOST = 10, LEVELS_MOST = 24 };

/* normal x shares > bound is above it. */
struct plane {
    double normal[CORNER_PARTS];
    double bound;
};

struct corner_asked {
    bool has[CORNER_PARTS]; /* parts that jobs of this architecture have */
    struct plane cuts[CUTS_MOST];
    uint32_t cut_count;
    struct plane levels[LEVELS_MOST]; /* more planes whose corners are wanted, which separate nothing */
    uint32_t level_count;
};

/* `above`: a bit a cut. */
typedef void corner_visit(void *context, const double share[CORNER_PARTS], uint32_t above);

void corners_visit(const struct corner_asked *asked, corner_visit *visit, void *context);

static inline double plane_of(const struct plane *plane, const double share[CORNER_PARTS])
{
    double sum = -plane->bound;
    for (int i = 0; i < CORNER_PARTS; i++)
        sum += plane->normal[i] * share[i];
    return sum;
}

#endif
