/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <math.h>

#include "drift.h"
#include "fit_width.h"
#include "fit_work.h"

enum {
    OWN_ROWS = 1600, /* of a device, for its own coefficients */
    OWN_STEPS = 30,
    FOLDS = 4,
    DRIFT_TURNS = 3,
};

static const double least_left = 0.2; /* of a measured time, whatever drifts */

static const struct trees_options residual_options = {
    .trees = 100, .leaves = 16, .least_rows = 25, .rate = 0.12, .knee = 0.05};

/* A residual is learned where there is enough to learn from, and used only where it gains this much of the error. */
static const uint32_t residual_rows = 400;
static const double least_gain = 0.05;

/* ---- errors ---- */

static double relative_error(const struct work *work, const struct coefficient_set *set, bool residual,
                             const struct measurement *row)
{
    const double us = set_us(work->family, set, &work->devices[row->device], &row->kernel, residual);
    return fabs(us / row->us - 1);
}

double mean_error(const struct work *work, const struct coefficient_set *set, bool residual, struct rows rows)
{
    double sum = 0;
    for (uint32_t i = 0; i < rows.count; i++)
        sum += relative_error(work, set, residual, rows.at[i]);
    return rows.count ? sum / rows.count : 0;
}

/* ---- coefficients ---- */

static void fit_part(const struct work *work, uint32_t part, const double *expected, bool held,
                     struct coefficient_set *set)
{
    struct arena scratch = {0};
    const struct fitting fitting = {.family = work->family,
                                    .devices = work->devices,
                                    .rows = rows_thinned(work->parts[part], OWN_ROWS, &scratch),
                                    .expected = expected,
                                    .held = held,
                                    .steps = OWN_STEPS};
    fit_coefficients(&fitting, set->value);
    set->rows = work->parts[part].count;
    set->hardware = work->devices[work->device[part]];
    set->device = set->hardware.name;
    arena_free(&scratch);
}

static void fit_own(struct work *work, const double *expected)
{
    work->own = arena_array(work->arena, work->part_count, sizeof *work->own);
    for (uint32_t i = 0; i < work->part_count; i++) {
        fit_part(work, i, expected, false, &work->own[i]);
        host_to_the_middle(work, work->parts[i], &work->own[i]);
    }
}

/* As they are carried. Launch figures of hosts are carried by vendor instead. */
static void fit_held(struct work *work)
{
    if (work->family->held <= 0 || has_host(work->family) || work->part_count < 2)
        return;
    work->held = arena_array(work->arena, work->part_count, sizeof *work->held);
    for (uint32_t i = 0; i < work->part_count; i++)
        fit_part(work, i, NULL, true, &work->held[i]);
}

/* ---- drift ---- */

/* Copies of the rows of a part, as measured, without the drift that its own coefficients leave over. */
static struct rows without_drift(const struct work *work, const struct coefficient_set *set, struct rows measured)
{
    struct arena scratch = {0};
    double *us = arena_array(&scratch, measured.count, sizeof *us);
    double *predicted = arena_array(&scratch, measured.count, sizeof *predicted);
    double *drift = arena_array(&scratch, measured.count, sizeof *drift);
    for (uint32_t i = 0; i < measured.count; i++) {
        const struct measurement *row = measured.at[i];
        us[i] = row->us;
        predicted[i] = set_us(work->family, set, &work->devices[row->device], &row->kernel, false);
    }
    drift_of(us, predicted, measured.count, drift);
    struct measurement *copies = arena_array(work->arena, measured.count, sizeof *copies);
    struct rows rows = {arena_array(work->arena, measured.count, sizeof *rows.at), measured.count};
    for (uint32_t i = 0; i < measured.count; i++) {
        copies[i] = *measured.at[i];
        copies[i].us = fmax(us[i] - drift[i], us[i] * least_left);
        rows.at[i] = &copies[i];
    }
    arena_free(&scratch);
    return rows;
}

/* Drift hides what the coefficients are, and they what drifts: so in turns. */
static void fit_drifting(struct work *work)
{
    struct rows measured[MOST_DEVICES];
    memcpy(measured, work->parts, sizeof measured);
    for (int turn = 0; turn < DRIFT_TURNS; turn++) {
        for (uint32_t i = 0; i < work->part_count; i++)
            work->parts[i] = without_drift(work, &work->own[i], measured[i]);
        fit_own(work, NULL);
    }
}

/* ---- residuals ---- */

static struct trees_options options_of(const struct family *family, uint32_t rows)
{
    struct trees_options options = residual_options;
    options.trees = family->trees ? family->trees : options.trees;
    options.leaves = family->leaves ? family->leaves : options.leaves;
    options.least_rows = family->least_rows ? family->least_rows : options.least_rows;
    options.rate = family->rate > 0 ? family->rate : options.rate;
    if (family->rows_a_leaf) {
        const uint32_t most = rows / (family->rows_a_leaf * options.leaves);
        options.trees = most < options.trees ? most + 1 : options.trees;
    }
    return options;
}

/* What the coefficients leave over of the rows, learned. */
struct trees *learn_residual(const struct work *work, const struct coefficient_set *set, struct rows rows,
                             struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t width = work->family->feature_count;
    const double most_residual = family_most_residual(work->family);
    double *features = arena_array(&scratch, (size_t)rows.count * width, sizeof *features);
    double *target = arena_array(&scratch, rows.count, sizeof *target);
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct measurement *row = rows.at[i];
        const struct hardware *device = &work->devices[row->device];
        const double us = set_us(work->family, set, device, &row->kernel, false);
        work->family->describe(&row->kernel, device, set->value, features + (size_t)i * width);
        target[i] = fmin(most_residual, fmax(-most_residual, log(row->us / us)));
    }
    const struct trees_problem problem = {
        .features = features, .target = target, .rows = rows.count, .feature_count = width};
    const struct trees_options options = options_of(work->family, rows.count);
    struct trees *trees = trees_fit(&problem, &options, arena);
    arena_free(&scratch);
    return trees;
}

/*
 * The rows of one fold, or all others. Rows that follow each other in a table are alike, so a fold is made of stretches of
 * them: of 16 rows, and where there are few, of fewer, so that a fold has 16 of them.
 */
static struct rows fold_rows(struct rows rows, uint32_t fold, bool inside, struct arena *arena)
{
    enum { MOST_STRETCH = 16, STRETCHES = 16 };
    const uint32_t even = rows.count / (FOLDS * STRETCHES) + 1, stretch = even < MOST_STRETCH ? even : MOST_STRETCH;
    struct rows some = {arena_array(arena, rows.count, sizeof *some.at), 0};
    for (uint32_t i = 0; i < rows.count; i++)
        if ((i / stretch % FOLDS == fold) == inside)
            some.at[some.count++] = rows.at[i];
    return some;
}

/*
 * The error is of rows without their drift, the doubt of them as they were measured: who measures a lone call has it in the
 * time, and the next one will.
 */
static double judged(const struct work *work, const struct coefficient_set *set, bool residual, struct rows rows,
                     struct rows measured, struct tally *tally)
{
    const double error = tally_add(tally, work, set, residual, measured);
    return work->family->drifts ? mean_error(work, set, residual, rows) : error;
}

static double fold_error(const struct work *work, uint32_t part, uint32_t fold, struct tally *tally)
{
    struct arena scratch = {0};
    struct coefficient_set trial = work->own[part];
    const struct rows rows = work->parts[part];
    const struct rows inside = fold_rows(rows, fold, true, &scratch),
                      measured = fold_rows(work->measured[part], fold, true, &scratch);
    trial.residual = learn_residual(work, &work->own[part], fold_rows(rows, fold, false, &scratch), &scratch);
    const double error = judged(work, &trial, true, inside, measured, tally);
    arena_free(&scratch);
    return error;
}

static double own_trees_error(const struct work *work, uint32_t part, struct tally *tally)
{
    double sum = 0;
    for (uint32_t fold = 0; fold < FOLDS; fold++)
        sum += fold_error(work, part, fold, tally);
    return sum / FOLDS;
}

static uint32_t rows_to_learn(const struct family *family)
{
    return family->learn_rows ? family->learn_rows : residual_rows;
}

/* A device of which there are too few rows learns nothing, and takes nothing from the others. */
static bool part_learns(const struct work *work, uint32_t part)
{
    return work->family->feature_count > 0 && work->parts[part].count >= rows_to_learn(work->family);
}

bool can_learn(const struct work *work)
{
    for (uint32_t i = 0; i < work->part_count; i++)
        if (part_learns(work, i))
            return true;
    return false;
}

/* ---- choosing ---- */

static bool steady(const struct work *work, uint32_t part)
{
    return !work->family->steady || work->family->steady(&work->own[part].hardware);
}

/* The error and the doubt of a part by its coefficients, and by these with a residual. */
static void tally_part(const struct work *work, uint32_t part, bool learn, struct coefficient_set *plain,
                       struct coefficient_set *learned)
{
    struct arena scratch = {0};
    const struct rows rows = work->parts[part];
    struct tally bare = tally_new(rows.count, &scratch), corrected = bare;
    corrected.at = arena_array(&scratch, rows.count, sizeof *corrected.at);
    plain->error = judged(work, &work->own[part], false, rows, work->measured[part], &bare);
    tally_own(&bare, plain);
    *learned = *plain;
    if (learn && steady(work, part)) {
        learned->error = own_trees_error(work, part, &corrected);
        tally_own(&corrected, learned);
    }
    arena_free(&scratch);
}

static void take_doubt(struct coefficient_set *set, const struct coefficient_set *from)
{
    set->error = from->error;
    set->shared = from->shared;
    set->spread = from->spread;
}

void judge_own(struct work *work, uint32_t part)
{
    struct coefficient_set bare, corrected, *own = &work->own[part];
    const bool learn = part_learns(work, part);
    tally_part(work, part, learn, &bare, &corrected);
    const bool gains = learn && steady(work, part) && corrected.error < bare.error * (1 - least_gain);
    take_doubt(own, gains ? &corrected : &bare);
    own->residual = gains ? learn_residual(work, own, work->parts[part], work->arena) : NULL;
}

static void choose_residual(struct work *work, struct group_model *group)
{
    const bool learn = can_learn(work);
    double plain = 0, learned = 0;
    struct coefficient_set *bare = arena_array(work->arena, work->part_count, sizeof *bare);
    struct coefficient_set *corrected = arena_array(work->arena, work->part_count, sizeof *corrected);
    for (uint32_t i = 0; i < work->part_count; i++) {
        tally_part(work, i, part_learns(work, i), &bare[i], &corrected[i]);
        take_doubt(&work->own[i], &bare[i]);
        plain += bare[i].error / work->part_count;
        learned += corrected[i].error / work->part_count;
    }
    add_candidate(group, "own", plain);
    if (!learn)
        return;
    add_candidate(group, "own+trees", learned);
    group->residual = learned < plain * (1 - least_gain) ? RESIDUAL_OWN : RESIDUAL_NONE;
    for (uint32_t i = 0; group->residual == RESIDUAL_OWN && i < work->part_count; i++) {
        take_doubt(&work->own[i], &corrected[i]);
        if (steady(work, i) && part_learns(work, i))
            work->own[i].residual = learn_residual(work, &work->own[i], work->parts[i], work->arena);
    }
}

/* ---- widths ---- */

static void width_of_part(const struct work *work, uint32_t part, struct coefficient_set *set)
{
    struct arena scratch = {0};
    const struct fitting fitting = {
        .family = work->family, .devices = work->devices, .rows = rows_thinned(work->parts[part], OWN_ROWS, &scratch)};
    width_of_rows(&fitting, set);
    arena_free(&scratch);
}

/* Around what was fitted to all devices, or to those of a vendor. */
static void width_of_parts(const struct work *work, str vendor, struct coefficient_set *together)
{
    const struct coefficient_set *sets[MOST_DEVICES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->part_count; i++)
        if (!vendor.len || str_eq(vendor_of(work->own[i].device), vendor))
            sets[count++] = &work->own[i];
    width_of_sets(work->family, sets, count, together);
}

static void add_widths(const struct work *work, struct group_model *group)
{
    for (uint32_t i = 0; i < work->part_count; i++)
        width_of_part(work, i, &work->own[i]);
    for (uint32_t i = 0; i < group->held_count; i++)
        width_of_part(work, i, &group->held[i]);
    width_of_parts(work, S(""), &group->sets[0]);
    for (uint32_t i = 0; i < group->vendor_count; i++)
        width_of_parts(work, group->vendors[i].device, &group->vendors[i]);
}

/* ---- groups ---- */

static void fit_group(struct work *work, struct group_model *group)
{
    group->sets = arena_array(work->arena, work->part_count + 1, sizeof *group->sets);
    if (work->family->generations)
        fit_all(work, &group->sets[0]);
    fit_own(work, work->family->near_all ? group->sets[0].value : NULL);
    if (work->family->drifts)
        fit_drifting(work);
    keep_healthy(work, group);
    fit_held(work);
    group->set_count = work->part_count + 1;
    if (!work->family->generations)
        fit_carried(work, group);
    choose_residual(work, group);
    if (work->family->generations)
        fit_generations(work, group);
    add_widths(work, group);
    memcpy(group->sets + 1, work->own, work->part_count * sizeof *work->own);
}

bool measurements_of_family(const struct measurements *measurements, uint32_t row, const struct family *family)
{
    const struct measurement *at = &measurements->rows[row];
    return family_of_kernel(&at->kernel, &measurements->devices[at->device]) == family;
}

static str row_group(const struct measurements *measurements, uint32_t row, const struct family *family)
{
    const struct measurement *at = &measurements->rows[row];
    return family_group(family, &at->kernel, &measurements->devices[at->device]);
}

/* Of the group's rows on the device those that tell of it; all, where none is better than the others. */
static struct rows rows_of(const struct family *family, str group, const struct measurements *measurements,
                           uint32_t device, struct arena *arena)
{
    struct rows rows = {arena_array(arena, measurements->count, sizeof *rows.at), 0}, telling = rows;
    telling.at = arena_array(arena, measurements->count, sizeof *telling.at);
    for (uint32_t i = 0; i < measurements->count; i++) {
        const struct measurement *row = &measurements->rows[i];
        if (row->device != device || !measurements_of_family(measurements, i, family) ||
            !str_eq(row_group(measurements, i, family), group))
            continue;
        rows.at[rows.count++] = row;
        if (family->tells && family->tells(&row->kernel))
            telling.at[telling.count++] = row;
    }
    return telling.count ? telling : rows;
}

/* Keeps parts in the order of their devices' names, so that other tables beside change nothing. */
static void add_part(struct work *work, uint32_t device, struct rows rows)
{
    uint32_t at = work->part_count++;
    for (; at > 0 && str_cmp(work->devices[device].name, work->devices[work->device[at - 1]].name) < 0; at--) {
        work->device[at] = work->device[at - 1];
        work->parts[at] = work->parts[at - 1];
    }
    work->device[at] = device;
    work->parts[at] = rows;
}

struct work work_of(const struct family *family, str group, const struct measurements *measurements,
                    struct arena *arena)
{
    struct work work = {.family = family, .devices = measurements->devices, .arena = arena};
    for (uint32_t device = 0; device < measurements->device_count; device++) {
        const struct rows rows = rows_of(family, group, measurements, device, arena);
        if (rows.count)
            add_part(&work, device, rows);
    }
    memcpy(work.measured, work.parts, sizeof work.measured);
    return work;
}

/* The tables that hold rows of the family: "train_gemm.csv.gz: 119847 rows". */
static void add_sources(const struct measurements *measurements, struct arena *arena, struct family_model *model)
{
    uint32_t rows[MOST_TABLES] = {0};
    for (uint32_t i = 0; i < measurements->count; i++)
        if (measurements_of_family(measurements, i, model->family))
            rows[measurements->rows[i].table]++;
    model->sources = arena_array(arena, measurements->table_count, sizeof *model->sources);
    for (uint32_t i = 0; i < measurements->table_count; i++)
        if (rows[i])
            model->sources[model->source_count++] = str_printf(arena, "%.*s: %u rows", (int)measurements->tables[i].len,
                                                               measurements->tables[i].at, rows[i]);
}

uint32_t measured_groups(const struct family *family, const struct measurements *measurements, str *groups)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < measurements->count; i++) {
        if (!measurements_of_family(measurements, i, family))
            continue;
        const str group = row_group(measurements, i, family);
        uint32_t at = 0;
        while (at < count && !str_eq(groups[at], group))
            at++;
        if (at == count && count < MOST_GROUPS)
            groups[count++] = group;
    }
    return count;
}

void fit_family(const struct family *family, const struct measurements *measurements, fit_progress progress,
                struct arena *arena, struct family_model *model)
{
    str groups[MOST_GROUPS];
    *model = (struct family_model){.family = family};
    const uint32_t found = measured_groups(family, measurements, groups);
    model->groups = arena_array(arena, found, sizeof *model->groups);
    add_sources(measurements, arena, model);
    for (uint32_t i = 0; i < found; i++) {
        struct arena scratch = {0};
        struct group_model *group = &model->groups[model->group_count];
        struct work work = work_of(family, groups[i], measurements, &scratch);
        work.arena = arena;
        *group = (struct group_model){.group = groups[i]};
        keep_determined(&work, group);
        if (work.part_count) {
            if (progress)
                progress(family->name, groups[i]);
            fit_group(&work, group);
            model->group_count++;
        }
        arena_free(&scratch);
    }
    coefficients_settle(model);
}
