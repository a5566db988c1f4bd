/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "corners.h"
#include "programme.h"

_Static_assert(CORNER_PARTS == (int)PART_BUBBLE, "a share for each part but the bubble, which none of the paper's has");

enum { LEVELS = 16 };
_Static_assert(2 * FIGURES_MOST + 1 <= PROGRAMME_ROWS, "two rows of a figure, and that of the group");

/* What a target makes of the parts: the step there is the sum of factor x part, of jobs of one architecture and size. */
struct change {
    double factor[CORNER_PARTS];
    double cnodes; /* there over here */
    bool goes, proportional;
};

/* The jobs of one architecture and number of cNodes. */
struct kind {
    const struct decided_asked *asked;
    struct kinds *kinds;
    uint32_t left_out;
    enum architecture architecture;
    double cnodes;
    struct change there;
    bool of_group;
    int cut_of_figure[FIGURES_MOST], cut_of_speedup, cut_of_cnode; /* -1: none */
    struct corner_asked corners;
};

/* ---- what a target makes of a job ---- */

static struct job job_of(const struct kind *kind, const double amount[CORNER_PARTS])
{
    struct job job = {.architecture = kind->architecture};
    for (int i = 0; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    job.field[JOB_CNODES] = kind->cnodes;
    job.field[JOB_BATCH] = 1;
    job.field[JOB_INPUT_BYTES] = amount[PART_INPUT];
    job.field[JOB_FLOPS] = amount[PART_COMPUTE_BOUND];
    job.field[JOB_MEMORY_BYTES] = amount[PART_MEMORY_BOUND];
    job.field[JOB_WEIGHT_BYTES] = amount[PART_WEIGHT];
    return job;
}

static double step_here(const struct kind *kind, const double amount[CORNER_PARTS])
{
    const struct job job = job_of(kind, amount);
    return job_step(&job, kind->asked->here).step_ms;
}

/* The amount of a part that takes a millisecond here; 0 where this architecture has no such part. */
static double amount_of(const struct kind *kind, int part)
{
    double amount[CORNER_PARTS] = {0};
    amount[part] = 1e9;
    const double step_ms = step_here(kind, amount);
    return step_ms > 0 ? 1e9 / step_ms : 0;
}

static double over(const struct kind *kind, const struct target *target, const double amount[CORNER_PARTS],
                   struct change *change)
{
    const struct job job = job_of(kind, amount);
    const struct projected projected = job_project(&job, kind->asked->here, target);
    change->goes = change->goes && projected.obstacle == OBSTACLE_NONE;
    change->cnodes = projected.cnodes / kind->cnodes;
    return 1 / projected.cnode_speedup;
}

static struct change change_of(const struct kind *kind, const struct target *target)
{
    struct change change = {.goes = true};
    double all[CORNER_PARTS] = {0}, sum = 0, parts = 0;
    for (int part = 0; part < CORNER_PARTS; part++) {
        double amount[CORNER_PARTS] = {0};
        all[part] = amount[part] = amount_of(kind, part);
        change.factor[part] = amount[part] > 0 ? over(kind, target, amount, &change) : 0;
        sum += change.factor[part];
        parts += amount[part] > 0;
    }
    const double mixed = over(kind, target, all, &change) * step_here(kind, all);
    change.proportional = fabs(mixed - sum) < 1e-9 * sum && fabs(step_here(kind, all) - parts) < 1e-9 * parts;
    return change;
}

/* ---- cuts ---- */

/* The speed-up is above `bound` where the step there is below so much of that here. */
static struct plane plane_of_speedup(const struct change *change, double cnodes, double bound)
{
    struct plane plane = {.bound = -cnodes / bound};
    for (int part = 0; part < CORNER_PARTS; part++)
        plane.normal[part] = -change->factor[part];
    return plane;
}

static bool same_plane(const struct plane *a, const struct plane *b)
{
    double apart = fabs(a->bound - b->bound);
    for (int part = 0; part < CORNER_PARTS; part++)
        apart = fmax(apart, fabs(a->normal[part] - b->normal[part]));
    return apart < 1e-12;
}

static int cut_at(struct kind *kind, struct plane plane)
{
    struct corner_asked *const corners = &kind->corners;
    for (uint32_t i = 0; i < corners->cut_count; i++)
        if (same_plane(&corners->cuts[i], &plane))
            return (int)i;
    if (corners->cut_count == CUTS_MOST) {
        kind->kinds->crowded = true;
        return -1;
    }
    corners->cuts[corners->cut_count] = plane;
    return (int)corners->cut_count++;
}

static int cut_of_figure(struct kind *kind, const struct figure *figure)
{
    struct plane plane = {.bound = figure->above};
    if (figure->kind == FIGURE_JOBS || figure->kind == FIGURE_CNODES || isnan(figure->above) ||
        !figure_is_of(figure, kind->architecture))
        return -1;
    if (figure->kind == FIGURE_PART) {
        plane.normal[figure->part] = 1;
        return cut_at(kind, plane);
    }
    const struct change change = change_of(kind, &figure->target);
    kind->kinds->proportional = kind->kinds->proportional && change.goes && change.proportional;
    return cut_at(kind, plane_of_speedup(&change, figure->kind == FIGURE_SPEEDUP ? change.cnodes : 1, figure->above));
}

static void find_cuts(struct kind *kind)
{
    for (uint32_t f = 0; f < kind->asked->figures->count; f++)
        kind->cut_of_figure[f] = f == kind->left_out ? -1 : cut_of_figure(kind, &kind->asked->figures->at[f]);
    if (!kind->of_group)
        return;
    kind->there = change_of(kind, kind->asked->target);
    kind->kinds->met = kind->kinds->met && kind->there.goes;
    kind->kinds->proportional = kind->kinds->proportional && kind->there.proportional;
    kind->cut_of_speedup = cut_at(kind, plane_of_speedup(&kind->there, kind->there.cnodes, 1));
    kind->cut_of_cnode = cut_at(kind, plane_of_speedup(&kind->there, 1, 1));
}

/*
 * The mean speed-up is convex in the shares, so its most lies at corners, and its least between them: between planes of equal
 * speed-up a 16th of the whole range apart, by ratio.
 */
static void add_levels(struct kind *kind)
{
    double least = INFINITY, most = 0;
    for (int part = 0; part < CORNER_PARTS; part++)
        if (kind->corners.has[part]) {
            least = fmin(least, kind->there.factor[part]);
            most = fmax(most, kind->there.factor[part]);
        }
    for (int i = 1; i < LEVELS && most > least * 1.001; i++) {
        const double at = least * pow(most / least, (double)i / LEVELS);
        struct plane *const level = &kind->corners.levels[kind->corners.level_count++];
        *level = plane_of_speedup(&kind->there, 1, 1 / at);
    }
}

/* ---- columns ---- */

static bool is_above(int cut, uint32_t above)
{
    return cut >= 0 && above >> cut & 1;
}

static double figure_value(const struct kind *kind, uint32_t f, const double share[CORNER_PARTS], uint32_t above)
{
    const struct figure *const figure = &kind->asked->figures->at[f];
    if (figure->kind == FIGURE_JOBS)
        return figure_is_of(figure, kind->architecture);
    if (figure->kind == FIGURE_CNODES)
        return isnan(figure->above) ? kind->cnodes : kind->cnodes > figure->above;
    return kind->cut_of_figure[f] >= 0 ? is_above(kind->cut_of_figure[f], above) : share[figure->part];
}

static void put_rows(const struct kind *kind, const double share[CORNER_PARTS], uint32_t above, double *row)
{
    for (uint32_t f = 0; f < kind->asked->figures->count; f++) {
        const struct figure *const figure = &kind->asked->figures->at[f];
        const double weight = figure->by == WEIGHT_GPU ? kind->cnodes : 1;
        if (f == kind->left_out)
            continue;
        const bool counts = figure_counts(figure, kind->architecture);
        const double value = counts ? figure_value(kind, f, share, above) : 0;
        *row++ = counts ? weight * (value - figure->least) : 0;
        if (figure->least < figure->most)
            *row++ = counts ? weight * (value - figure->most) : 0;
    }
    *row = kind->of_group;
}

static size_t add_column(struct kinds *kinds)
{
    if (kinds->count == kinds->room) {
        kinds->room = kinds->room ? 2 * kinds->room : 4096;
        kinds->coefficients = mem_resize(kinds->coefficients, kinds->room * kinds->rows * sizeof(double));
        for (int i = 0; i < ANSWERS; i++)
            kinds->gain[i] = mem_resize(kinds->gain[i], kinds->room * sizeof(double));
    }
    memset(&kinds->coefficients[kinds->count * kinds->rows], 0, kinds->rows * sizeof(double));
    for (int i = 0; i < ANSWERS; i++)
        kinds->gain[i][kinds->count] = 0;
    return kinds->count++;
}

static void put_corner(void *context, const double share[CORNER_PARTS], uint32_t above)
{
    struct kind *const kind = context;
    struct kinds *const kinds = kind->kinds;
    const size_t column = add_column(kinds);
    put_rows(kind, share, above, &kinds->coefficients[column * kinds->rows]);
    if (!kind->of_group)
        return;
    double step = 0;
    for (int part = 0; part < CORNER_PARTS; part++)
        step += kind->there.factor[part] * share[part];
    kinds->gain[ANSWER_SPED_UP][column] = is_above(kind->cut_of_speedup, above);
    kinds->gain[ANSWER_CNODE_SPED_UP][column] = is_above(kind->cut_of_cnode, above);
    kinds->gain[ANSWER_MEAN][column] = kind->there.cnodes / step;
}

static void add_kind(const struct kind *of, double cnodes, bool levels)
{
    struct kind kind = *of;
    kind.cnodes = cnodes;
    for (int part = 0; part < CORNER_PARTS; part++)
        kind.corners.has[part] = amount_of(&kind, part) > 0;
    find_cuts(&kind);
    if (levels && kind.of_group)
        add_levels(&kind);
    corners_visit(&kind.corners, put_corner, &kind);
}

/* ---- all of them ---- */

/* What the architecture has room for, as a projection onto it says: the paper's own jobs keep to it. */
static double most_cnodes(enum architecture architecture, const struct cluster *here)
{
    switch (architecture) {
    case ARCHITECTURE_1W1G:
        return 1;
    case ARCHITECTURE_1WNG:
    case ARCHITECTURE_ALLREDUCE_LOCAL:
    case ARCHITECTURE_PEARL:
        return here->gpus_per_server;
    default:
        return DECIDED_CNODES;
    }
}

/* The next number: each up to 64, then steps of a 64th, but none beyond a bound that a figure counts from. */
static double next_cnodes(const struct figures *figures, double cnodes)
{
    double next = cnodes + fmax(1, floor(cnodes / 64));
    for (uint32_t f = 0; f < figures->count; f++) {
        const double above = figures->at[f].above;
        if (figures->at[f].kind == FIGURE_CNODES && cnodes <= above && next > floor(above))
            next = fmin(next, cnodes < floor(above) ? floor(above) : floor(above) + 1);
    }
    return next;
}

/* An architecture of which no figure tells how many jobs there are is left out: of it nothing is published. */
static bool is_published(const struct figures *figures, enum architecture architecture)
{
    const uint32_t all = (1u << ARCHITECTURES) - 1;
    for (uint32_t f = 0; f < figures->count; f++)
        if (figures->at[f].of != all && figure_is_of(&figures->at[f], architecture))
            return true;
    return false;
}

static uint32_t rows_of(const struct figures *figures, uint32_t left_out)
{
    uint32_t rows = 1;
    for (uint32_t f = 0; f < figures->count; f++)
        rows += f == left_out ? 0 : figures->at[f].least < figures->at[f].most ? 2 : 1;
    return rows;
}

/* What a figure is above its least, and below its most. */
static void add_slacks(const struct figures *figures, uint32_t left_out, struct kinds *kinds)
{
    uint32_t row = 0;
    for (uint32_t f = 0; f < figures->count; f++) {
        if (f == left_out)
            continue;
        if (figures->at[f].least < figures->at[f].most) {
            const size_t least = add_column(kinds), most = add_column(kinds);
            kinds->coefficients[least * kinds->rows + row++] = -1;
            kinds->coefficients[most * kinds->rows + row] = 1;
        }
        row++;
    }
}

void kinds_of(const struct decided_asked *asked, uint32_t left_out, bool levels, struct kinds *kinds)
{
    *kinds = (struct kinds){.rows = rows_of(asked->figures, left_out),
                            .proportional = true,
                            .met = true,
                            .told = is_published(asked->figures, asked->group)};
    for (int i = 0; i < ARCHITECTURES; i++) {
        const enum architecture architecture = (enum architecture)i;
        const struct kind kind = {.asked = asked,
                                  .kinds = kinds,
                                  .left_out = left_out,
                                  .architecture = architecture,
                                  .of_group = architecture == asked->group,
                                  .cut_of_speedup = -1,
                                  .cut_of_cnode = -1};
        const double most = most_cnodes(architecture, asked->here);
        for (double n = 1; is_published(asked->figures, architecture) && n <= most; n = next_cnodes(asked->figures, n))
            add_kind(&kind, n, levels);
    }
    add_slacks(asked->figures, left_out, kinds);
}

void kinds_free(struct kinds *kinds)
{
    mem_free(kinds->coefficients);
    for (int i = 0; i < ANSWERS; i++)
        mem_free(kinds->gain[i]);
}
