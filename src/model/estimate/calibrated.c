/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrated.h"

#include <math.h>

#include "base/hash.h"
#include "base/real.h"
#include "io/writer.h"

/* ---- places ---- */

static uint64_t hash_text(uint64_t hash, str text)
{
    return hash_add(hash, hash_stable(text.at, text.len));
}

static uint32_t kind_of(const struct kernel *kernel)
{
    uint64_t hash = hash_text(0, kernel_form_word(kernel->form));
    hash = hash_text(hash, dtype_word(kernel->dtype == DTYPE_UNKNOWN ? DTYPE_F32 : kernel->dtype));
    hash = hash_text(hash, format_word(kernel->format));
    hash = hash_text(hash, library_word(kernel->library));
    return (uint32_t)hash_add(hash, kernel->backward);
}

struct spot spot_of(const struct kernel *kernel, double us)
{
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    struct spot spot = {.kind = kind_of(kernel)};
    for (uint32_t i = 0; i < sizes.count; i++)
        spot.at[spot.count++] = log(fmax(1, (double)kernel_size(kernel, &sizes.at[i])));
    spot.at[spot.count++] = log(us);
    return spot;
}

/* What two kinds of one group have in common. */
static const double other_kind = 0.5;

double spot_correlation(const struct spot *a, const struct spot *b, double reach)
{
    double squares = 0;
    if (a->count != b->count)
        return 0;
    for (uint32_t i = 0; i < a->count; i++)
        squares += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
    return exp(-0.5 * squares / (reach * reach)) * (a->kind == b->kind ? 1 : other_kind);
}

/* ---- triangles ---- */

static const double least_pivot = 1e-12;

void triangle_of(double *matrix, uint32_t n)
{
    for (uint32_t p = 0; p < n; p++) {
        double *row = matrix + (size_t)p * n;
        for (uint32_t q = 0; q <= p; q++) {
            const double *other = matrix + (size_t)q * n;
            double sum = row[q];
            for (uint32_t k = 0; k < q; k++)
                sum -= row[k] * other[k];
            row[q] = p == q ? sqrt(fmax(sum, least_pivot)) : sum / other[q];
        }
    }
}

void triangle_forward(const double *lower, uint32_t n, double *b)
{
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t k = 0; k < p; k++)
            b[p] -= lower[(size_t)p * n + k] * b[k];
        b[p] /= lower[(size_t)p * n + p];
    }
}

void triangle_solve(const double *lower, uint32_t n, double *b)
{
    triangle_forward(lower, n, b);
    for (uint32_t p = n; p-- > 0;) {
        for (uint32_t k = p + 1; k < n; k++)
            b[p] -= lower[(size_t)k * n + p] * b[k];
        b[p] /= lower[(size_t)p * n + p];
    }
}

/* ---- what the points say ---- */

struct calibrated *calibrated_new(struct arena *arena)
{
    struct calibrated *calibrated = arena_alloc(arena, sizeof *calibrated);
    *calibrated = (struct calibrated){.made = S(""), .reach = 1, .noise = 0.05};
    calibrated->points = arena_array(arena, CALIBRATED_POINTS, sizeof *calibrated->points);
    calibrated->weights = arena_array(arena, CALIBRATED_POINTS, sizeof *calibrated->weights);
    return calibrated;
}

static double covariance(const struct calibrated *calibrated, const struct spot *a, const struct spot *b)
{
    return calibrated->amplitude * calibrated->amplitude * spot_correlation(a, b, calibrated->reach);
}

void calibrated_close(struct calibrated *calibrated, struct arena *arena)
{
    const uint32_t n = calibrated->point_count;
    calibrated->lower = arena_array(arena, (size_t)n * n, sizeof *calibrated->lower);
    for (uint32_t p = 0; p < n; p++) {
        double *row = calibrated->lower + (size_t)p * n;
        for (uint32_t q = 0; q <= p; q++)
            row[q] = covariance(calibrated, &calibrated->points[p], &calibrated->points[q]);
        row[p] += calibrated->noise * calibrated->noise;
    }
    triangle_of(calibrated->lower, n);
}

double calibrated_log(const struct calibrated *calibrated, const struct spot *spot)
{
    double sum = 0;
    for (uint32_t i = 0; i < calibrated->point_count; i++)
        sum += calibrated->weights[i] * covariance(calibrated, &calibrated->points[i], spot);
    return sum;
}

double calibrated_own(const struct calibrated *calibrated, const struct spot *spot)
{
    double known[CALIBRATED_POINTS], explained = 0;
    const uint32_t n = calibrated->point_count;
    for (uint32_t i = 0; i < n; i++)
        known[i] = covariance(calibrated, &calibrated->points[i], spot);
    triangle_forward(calibrated->lower, n, known);
    for (uint32_t i = 0; i < n; i++)
        explained += known[i] * known[i];
    const double left = calibrated->amplitude * calibrated->amplitude - explained;
    return sqrt(fmax(0, left) + calibrated->noise * calibrated->noise);
}

/* ---- text ---- */

/* Numbers between blanks: how many, or -1 where one is none or there are more than `most`. */
static int read_numbers(str text, double *numbers, int most)
{
    int count = 0;
    for (str word; str_cut(&text, ' ', &word);) {
        if (!word.len)
            continue;
        if (count == most || !real_read(word, &numbers[count++]))
            return -1;
    }
    return count;
}

bool calibrated_read_near(struct calibrated *calibrated, str value, const char **problem)
{
    enum { NUMBERS = 3 };
    double numbers[NUMBERS];
    *problem = "is a reach, an amplitude and a noise";
    if (read_numbers(value, numbers, NUMBERS) != NUMBERS)
        return false;
    calibrated->reach = numbers[0];
    calibrated->amplitude = numbers[1];
    calibrated->noise = numbers[2];
    const double most = 10;
    return numbers[0] > 0 && numbers[1] >= 0 && numbers[1] < most && numbers[2] > 0 && numbers[2] < most;
}

static bool read_kind(str text, uint32_t *kind)
{
    *kind = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.at[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *kind = *kind << 4 | (uint32_t)digit;
    }
    return text.len > 0 && text.len <= 8;
}

bool calibrated_read_point(struct calibrated *calibrated, str value, const char **problem)
{
    str weight, kind;
    struct spot spot = {0};
    *problem = "is a weight, a kind and logarithms of sizes";
    if (calibrated->point_count == CALIBRATED_POINTS || !str_cut(&value, ' ', &weight) || !str_cut(&value, ' ', &kind))
        return false;
    const int count = read_numbers(value, spot.at, SPOT_SIZES);
    if (count < 1 || !read_kind(kind, &spot.kind) || !real_read(weight, &calibrated->weights[calibrated->point_count]))
        return false;
    spot.count = (uint32_t)count;
    calibrated->points[calibrated->point_count++] = spot;
    return true;
}

bool calibrated_read_direction(struct calibrated *calibrated, const struct family *family, str value,
                               const char **problem)
{
    *problem = "is a number for each coefficient of the family and one more";
    if (calibrated->direction_count == CALIBRATED_DIRECTIONS)
        return false;
    double *direction = calibrated->directions[calibrated->direction_count];
    if (read_numbers(value, direction, FAMILY_PARAMETERS + 1) != (int)family->parameter_count + 1)
        return false;
    calibrated->direction_count++;
    return true;
}

void calibrated_write(const struct calibrated *calibrated, const struct family *family, struct writer *out)
{
    if (calibrated->made.len)
        writer_printf(out, "made %.*s\n", (int)calibrated->made.len, calibrated->made.at);
    writer_printf(out, "near %.6g %.6g %.6g\n", calibrated->reach, calibrated->amplitude, calibrated->noise);
    for (uint32_t i = 0; i < calibrated->direction_count; i++) {
        writer_printf(out, "direction");
        for (uint32_t k = 0; k <= family->parameter_count; k++)
            writer_printf(out, " %.4g", calibrated->directions[i][k]);
        writer_printf(out, "\n");
    }
    for (uint32_t i = 0; i < calibrated->point_count; i++) {
        const struct spot *spot = &calibrated->points[i];
        writer_printf(out, "point %.6g %08x", calibrated->weights[i], spot->kind);
        for (uint32_t k = 0; k < spot->count; k++)
            writer_printf(out, " %.5g", spot->at[k]);
        writer_printf(out, "\n");
    }
}
