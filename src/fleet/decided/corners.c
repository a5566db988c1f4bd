/* SPDX-License-Identifier: Apache-2.0 */
#include "corners.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define NEAR 1e-9

enum { PLANES_MOST = CORNER_PARTS + CUTS_MOST + LEVELS_MOST };

struct points {
    double (*at)[CORNER_PARTS];
    uint64_t *above, *below; /* cuts that a point lies strictly above, and below */
    size_t count, room;
};

struct search {
    const struct corner_asked *asked;
    int parts[CORNER_PARTS], part_count; /* that there are */
    struct plane planes[PLANES_MOST];
    int plane_count;
    const struct plane *chosen[CORNER_PARTS];
    struct points points;
};

/* ---- where planes meet ---- */

static void swap_rows(double *a, double *b, int count)
{
    for (int i = 0; i < count; i++) {
        const double was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

/* Gauss's elimination of n rows of n + 1 numbers; false where they have no one solution. */
static bool solve(double rows[CORNER_PARTS][CORNER_PARTS + 1], int n)
{
    for (int column = 0; column < n; column++) {
        int largest = column;
        for (int row = column + 1; row < n; row++)
            if (fabs(rows[row][column]) > fabs(rows[largest][column]))
                largest = row;
        if (fabs(rows[largest][column]) < NEAR)
            return false;
        swap_rows(rows[column], rows[largest], n + 1);
        for (int row = 0; row < n; row++) {
            const double part = row == column ? 0 : rows[row][column] / rows[column][column];
            for (int i = column; part != 0 && i <= n; i++)
                rows[row][i] -= part * rows[column][i];
        }
    }
    for (int row = 0; row < n; row++)
        rows[row][n] /= rows[row][row];
    return true;
}

/* The point on the chosen planes whose shares sum to 1. */
static bool meet(const struct search *search, double share[CORNER_PARTS])
{
    double rows[CORNER_PARTS][CORNER_PARTS + 1];
    const int n = search->part_count;
    for (int i = 0; i <= n; i++)
        rows[0][i] = 1;
    for (int row = 1; row < n; row++) {
        for (int i = 0; i < n; i++)
            rows[row][i] = search->chosen[row - 1]->normal[search->parts[i]];
        rows[row][n] = search->chosen[row - 1]->bound;
    }
    if (!solve(rows, n))
        return false;
    memset(share, 0, CORNER_PARTS * sizeof *share);
    for (int i = 0; i < n; i++)
        share[search->parts[i]] = rows[i][n];
    return true;
}

/* ---- the points of a search ---- */

static bool is_step(double share[CORNER_PARTS])
{
    for (int i = 0; i < CORNER_PARTS; i++) {
        if (share[i] < -NEAR)
            return false;
        share[i] = fmax(0, share[i]);
    }
    return true;
}

static bool is_known(const struct points *points, const double share[CORNER_PARTS])
{
    for (size_t p = 0; p < points->count; p++) {
        double apart = 0;
        for (int i = 0; i < CORNER_PARTS; i++)
            apart = fmax(apart, fabs(points->at[p][i] - share[i]));
        if (apart < NEAR)
            return true;
    }
    return false;
}

static void grow(struct points *points)
{
    if (points->count < points->room)
        return;
    points->room = points->room ? 2 * points->room : 64;
    points->at = mem_resize(points->at, points->room * sizeof *points->at);
    points->above = mem_resize(points->above, points->room * sizeof *points->above);
    points->below = mem_resize(points->below, points->room * sizeof *points->below);
}

static void keep(struct search *search, const double share[CORNER_PARTS])
{
    struct points *const points = &search->points;
    uint64_t above = 0, below = 0;
    for (uint32_t cut = 0; cut < search->asked->cut_count; cut++) {
        const double side = plane_of(&search->asked->cuts[cut], share);
        above |= (uint64_t)(side > NEAR) << cut;
        below |= (uint64_t)(side < -NEAR) << cut;
    }
    grow(points);
    memcpy(points->at[points->count], share, sizeof *points->at);
    points->above[points->count] = above;
    points->below[points->count++] = below;
}

/* All choices of as many planes as make a point, the next of them from `from` on. */
static void choose(struct search *search, int chosen, int from)
{
    double share[CORNER_PARTS];
    if (chosen == search->part_count - 1) {
        if (meet(search, share) && is_step(share) && !is_known(&search->points, share))
            keep(search, share);
        return;
    }
    for (int i = from; i < search->plane_count; i++) {
        search->chosen[chosen] = &search->planes[i];
        choose(search, chosen + 1, i + 1);
    }
}

static void list_planes(struct search *search)
{
    for (int part = 0; part < CORNER_PARTS; part++) {
        if (!search->asked->has[part])
            continue;
        search->parts[search->part_count++] = part;
        search->planes[search->plane_count++].normal[part] = 1;
    }
    for (uint32_t i = 0; i < search->asked->cut_count; i++)
        search->planes[search->plane_count++] = search->asked->cuts[i];
    for (uint32_t i = 0; i < search->asked->level_count; i++)
        search->planes[search->plane_count++] = search->asked->levels[i];
}

/* ---- cells ---- */

/* A point touches the cell of these sides unless it lies strictly on the other side of a cut. */
static bool touches(const struct points *points, size_t p, uint64_t sides)
{
    return !(points->above[p] & ~sides) && !(points->below[p] & sides);
}

/*
 * Above is open and not above is closed, so a cell is one where for each cut that it lies above one of its points lies strictly
 * above: it may be as flat as a plane that nothing is below.
 */
static bool is_cell(const struct points *points, uint64_t sides)
{
    uint64_t above = 0, touched = 0;
    for (size_t p = 0; p < points->count; p++)
        if (touches(points, p, sides)) {
            above |= points->above[p];
            touched++;
        }
    return touched > 0 && (above & sides) == sides;
}

static void visit_cells(const struct search *search, corner_visit *visit, void *context)
{
    const struct points *const points = &search->points;
    const uint64_t cells = (uint64_t)1 << search->asked->cut_count;
    for (uint64_t sides = 0; sides < cells; sides++) {
        if (!is_cell(points, sides))
            continue;
        for (size_t p = 0; p < points->count; p++)
            if (touches(points, p, sides))
                visit(context, points->at[p], (uint32_t)sides);
    }
}

void corners_visit(const struct corner_asked *asked, corner_visit *visit, void *context)
{
    struct search search = {.asked = asked};
    list_planes(&search);
    choose(&search, 0, 0);
    visit_cells(&search, visit, context);
    mem_free(search.points.at);
    mem_free(search.points.above);
    mem_free(search.points.below);
}
