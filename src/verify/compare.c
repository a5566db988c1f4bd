/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* |a - b| / max(|a|, |b|); 0 of the same bits, infinite where one is not finite. */
static double relative_difference(double a, double b)
{
    if (same_bits(a, b))
        return 0;
    if (!isfinite(a) || !isfinite(b))
        return INFINITY;
    const double larger = fmax(fabs(a), fabs(b));
    return larger > 0 ? fabs(a - b) / larger : 0;
}

static bool agrees(double before, double after, struct tolerance tolerance)
{
    if (same_bits(before, after))
        return true;
    return isfinite(before) && isfinite(after) && (tolerance.relative > 0 || tolerance.absolute > 0) &&
           fabs(before - after) <= tolerance.absolute + tolerance.relative * fabs(before);
}

/* ---- losses ---- */

static void compare_pair(struct loss_comparison *result, uint32_t i, double before, double after,
                         struct tolerance tolerance)
{
    const double relative = relative_difference(before, after);
    result->equal += same_bits(before, after);
    result->worst = fmax(result->worst, relative);
    if (agrees(before, after, tolerance) || result->first != COMPARE_NONE)
        return;
    result->first = i;
    result->before = before;
    result->after = after;
    result->relative = relative;
}

struct loss_comparison compare_losses(const struct record *before, const struct record *after,
                                      struct tolerance tolerance)
{
    struct loss_comparison result = {
        .before_count = before->loss_count, .after_count = after->loss_count, .first = COMPARE_NONE};
    for (uint32_t i = 0; i < before->loss_count && i < after->loss_count; i++)
        compare_pair(&result, i, before->losses[i], after->losses[i], tolerance);
    result.agree = result.first == COMPARE_NONE && before->loss_count == after->loss_count;
    return result;
}

/* ---- what was saved ---- */

/* The values of a tensor, from a file that holds those of all. */
struct values {
    FILE *file;
    int64_t left;
};

static struct values values_of(const struct record *record, const struct saved *saved)
{
    struct values values = {.file = saved->offset < 0 ? NULL : fopen(record->values_path, "re"), .left = saved->count};
    if (values.file && fseeko(values.file, (off_t)(saved->offset * (int64_t)sizeof(double)), SEEK_SET)) {
        fclose(values.file);
        values.file = NULL;
    }
    return values;
}

static bool next_value(struct values *values, double *value)
{
    return values->left-- > 0 && fread(value, sizeof *value, 1, values->file) == 1;
}

/* Value by value; false where one does not agree. */
static bool values_agree(struct values *before, struct values *after, struct tolerance tolerance, double *worst)
{
    bool all = true;
    for (double a, b; next_value(before, &a) && next_value(after, &b);) {
        *worst = fmax(*worst, relative_difference(a, b));
        all = all && agrees(a, b, tolerance);
    }
    return all;
}

static bool tensors_agree(const struct record *before, const struct saved *a, const struct record *after,
                          const struct saved *b, struct tolerance tolerance, double *worst)
{
    if (!str_eq(a->key, b->key) || a->count != b->count) {
        *worst = INFINITY;
        return false;
    }
    struct values of_a = values_of(before, a), of_b = values_of(after, b);
    const bool readable = of_a.file && of_b.file;
    if (!readable)
        *worst = INFINITY;
    const bool agree = readable && values_agree(&of_a, &of_b, tolerance, worst);
    if (of_a.file)
        fclose(of_a.file);
    if (of_b.file)
        fclose(of_b.file);
    return agree;
}

struct saved_comparison compare_saved(const struct record *before, const struct record *after,
                                      struct tolerance tolerance)
{
    struct saved_comparison result = {.before_count = before->saved_count, .after_count = after->saved_count};
    for (uint32_t i = 0; i < before->saved_count && i < after->saved_count; i++) {
        const struct saved *a = &before->saved[i], *b = &after->saved[i];
        const bool same = str_eq(a->key, b->key) && a->count == b->count && str_eq(a->hash, b->hash);
        result.equal += same;
        if (!same && !tensors_agree(before, a, after, b, tolerance, &result.worst) && !result.first.len)
            result.first = a->key;
    }
    result.agree = !result.first.len && before->saved_count == after->saved_count;
    return result;
}
