/* SPDX-License-Identifier: Apache-2.0 */
#include "estimator.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stat.h"

bool estimator_counts(const struct trial *trial)
{
    const struct prediction *const predicted = &trial->rewrite.predicted;
    return trial->pace.paired > 0 && trial->step_ns > 0 && predicted->step_ns > 0 && !isnan(predicted->ns);
}

static bool is_told(const struct trial *trial)
{
    return trial->pace.low > 1 || (trial->pace.high > 0 && trial->pace.high < 1);
}

/* Parts of the step that was timed. */
struct parts {
    double predicted, measured;
};

static struct parts parts_of(const struct trial *trial)
{
    return (struct parts){trial_predicted(trial).ns / trial->step_ns, 1 - 1 / trial->pace.paired};
}

static bool is_covered(const struct trial *trial)
{
    const struct prediction predicted = trial_predicted(trial);
    return predicted.low_ns <= trial_saved_ns(trial, trial->pace.high) &&
           predicted.high_ns >= trial_saved_ns(trial, trial->pace.low);
}

struct estimator_error estimator_error_of(const struct trial *const *trials, uint32_t count, str rule)
{
    struct estimator_error out = {.rule = rule};
    double *const errors = mem_alloc((count + (size_t)1) * sizeof *errors);
    double *const ratios = mem_alloc((count + (size_t)1) * sizeof *ratios);
    double *const relatives = mem_alloc((count + (size_t)1) * sizeof *relatives);
    for (uint32_t i = 0; i < count; i++) {
        const struct trial *const trial = trials[i];
        if (!estimator_counts(trial) || (rule.len && !str_eq(rule, trial->id)))
            continue;
        const struct parts parts = parts_of(trial);
        const double off = parts.predicted - parts.measured;
        errors[out.count++] = fabs(off);
        out.mean += (fabs(off) - out.mean) / out.count;
        out.bias += (off - out.bias) / out.count;
        if (is_told(trial)) {
            ratios[out.told] = parts.predicted / parts.measured;
            relatives[out.told++] = fabs(off / parts.measured);
            out.signs += (parts.predicted > 0) == (parts.measured > 0);
        }
        if (!isnan(trial->rewrite.predicted.low_ns) && trial->pace.high > 0) {
            out.intervals++;
            out.covered += is_covered(trial);
        }
    }
    out.median = stat_median(errors, out.count);
    out.ratio = stat_median(ratios, out.told);
    out.relative = stat_median(relatives, out.told);
    mem_free(errors);
    mem_free(ratios);
    mem_free(relatives);
    return out;
}

static int by_rule(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

struct estimator_error *estimator_errors(const struct trial *const *trials, uint32_t count, struct arena *arena,
                                         uint32_t *rows)
{
    str *const rules = arena_array(arena, count, sizeof *rules);
    uint32_t named = 0;
    for (uint32_t i = 0; i < count; i++)
        if (estimator_counts(trials[i]))
            rules[named++] = trials[i]->id;
    qsort(rules, named, sizeof *rules, by_rule);
    struct estimator_error *const errors = arena_array(arena, named + (size_t)1, sizeof *errors);
    *rows = 0;
    for (uint32_t i = 0; i < named; i++)
        if (i == 0 || !str_eq(rules[i], rules[i - 1]))
            errors[(*rows)++] = estimator_error_of(trials, count, rules[i]);
    if (named)
        errors[(*rows)++] = estimator_error_of(trials, count, S(""));
    return errors;
}
