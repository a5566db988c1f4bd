/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include <math.h>

#include "base/error.h"
#include "hw/quantity.h"
#include "text/csv_stream.h"
#include "text/suggest.h"

/* ---- a field of a row ---- */

enum column { NAME, OF, BY, WHAT, ABOVE, VALUE, LEAST, MOST, TO, SET, SOURCE, COLUMNS };

static const char *const column_words[COLUMNS] = {"name",  "of",   "by", "what", "above", "value",
                                                  "least", "most", "to", "set",  "source"};

struct reading {
    str path;
    uint32_t line;
    uint32_t column[COLUMNS]; /* its place; UINT32_MAX: the file has none */
    const struct csv_row *row;
    const struct cluster *here;
    struct arena *arena;
    struct steptime_error *err;
};

static str field(const struct reading *r, enum column column)
{
    return r->column[column] == UINT32_MAX ? S("") : str_trim(csv_field(r->row, r->column[column]));
}

static bool wrong(const struct reading *r, enum column column, const char *what)
{
    const str text = field(r, column);
    return fail_at(r->err, STEPTIME_INPUT, r->path, -1, "line %u: %s '%.*s' %s", r->line, column_words[column],
                   (int)text.len, text.at, what);
}

/* `otherwise` where the field is empty. */
static bool number(const struct reading *r, enum column column, double otherwise, double *value)
{
    struct quantity quantity;
    *value = otherwise;
    if (!field(r, column).len)
        return true;
    const char *const what = quantity_read(field(r, column), &quantity);
    if (what)
        return wrong(r, column, what);
    *value = quantity.value;
    return quantity.dimension == DIMENSION_COUNT || quantity.dimension == DIMENSION_SHARE ||
           wrong(r, column, "is no number and no share");
}

/* ---- its words ---- */

static bool read_of(const struct reading *r, uint32_t *of)
{
    str rest = field(r, OF), word;
    if (str_eq(rest, S("all"))) {
        *of = (1u << ARCHITECTURES) - 1;
        return true;
    }
    while (str_cut(&rest, '+', &word)) {
        enum architecture architecture;
        if (!architecture_of_word(str_trim(word), &architecture))
            return wrong(r, OF, "is neither all nor architectures with + between them");
        *of |= 1u << architecture;
    }
    return true;
}

static bool read_by(const struct reading *r, enum weight *by)
{
    *by = str_eq(field(r, BY), S("gpu")) ? WEIGHT_GPU : WEIGHT_JOB;
    return *by == WEIGHT_GPU || str_eq(field(r, BY), S("job")) || wrong(r, BY, "is neither job nor gpu");
}

static bool read_what(const struct reading *r, struct figure *figure)
{
    static const struct {
        const char *word;
        enum figure_what kind;
        enum part part;
    } words[] = {
        {"jobs", FIGURE_JOBS, 0},
        {"cnodes", FIGURE_CNODES, 0},
        {"input", FIGURE_PART, PART_INPUT},
        {"compute_bound", FIGURE_PART, PART_COMPUTE_BOUND},
        {"memory_bound", FIGURE_PART, PART_MEMORY_BOUND},
        {"weight", FIGURE_PART, PART_WEIGHT},
        {"speedup", FIGURE_SPEEDUP, 0},
        {"cnode_speedup", FIGURE_CNODE_SPEEDUP, 0},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(field(r, WHAT), str_of(words[i].word))) {
            figure->kind = words[i].kind;
            figure->part = words[i].part;
            return true;
        }
    return wrong(r, WHAT,
                 "is none of jobs, cnodes, input, compute_bound, memory_bound, weight, speedup, cnode_speedup");
}

/* ---- a figure ---- */

static bool read_target(const struct reading *r, struct target *target)
{
    str rest = field(r, SET), word;
    struct steptime_error inner;
    *target = (struct target){.moves = field(r, TO).len > 0, .cluster = *r->here};
    if (target->moves && !architecture_of_word(field(r, TO), &target->architecture))
        return wrong(r, TO, "is no architecture");
    while (str_cut(&rest, ' ', &word))
        if (word.len && !cluster_set(&target->cluster, word, &inner))
            return fail_at(r->err, STEPTIME_INPUT, r->path, -1, "line %u: set: %s", r->line, inner.message);
    return true;
}

static bool is_projected(const struct figure *figure)
{
    return figure->kind == FIGURE_SPEEDUP || figure->kind == FIGURE_CNODE_SPEEDUP;
}

/* Only the published figure's own bounds are asked for: what the figure is a share of is at most all of it. */
static bool is_sound(const struct reading *r, const struct figure *figure)
{
    const bool share = figure->kind != FIGURE_CNODES || !isnan(figure->above);
    if (is_projected(figure) && isnan(figure->above))
        return wrong(r, ABOVE, "is missing: of speed-ups only shares above a bound are held");
    if (is_projected(figure) && !(figure->above > 0))
        return wrong(r, ABOVE, "is no speed-up");
    if (figure->kind == FIGURE_JOBS && !isnan(figure->above))
        return wrong(r, ABOVE, "is of no use for jobs: it is their part of all");
    if (!(figure->least <= figure->value && figure->value <= figure->most))
        return wrong(r, VALUE, "does not lie between least and most");
    return !share || figure->most <= 1 || wrong(r, VALUE, "is a share above 100 %");
}

static bool read_figure(const struct reading *r, struct figure *figure)
{
    *figure = (struct figure){.name = str_copy(r->arena, field(r, NAME))};
    if (!field(r, NAME).len || !field(r, VALUE).len)
        return wrong(r, field(r, NAME).len ? VALUE : NAME, "is missing");
    return read_of(r, &figure->of) && read_by(r, &figure->by) && read_what(r, figure) &&
           number(r, ABOVE, NAN, &figure->above) && number(r, VALUE, NAN, &figure->value) &&
           number(r, LEAST, figure->value, &figure->least) && number(r, MOST, figure->value, &figure->most) &&
           read_target(r, &figure->target) && is_sound(r, figure);
}

/* ---- the file ---- */

static bool find_columns(struct reading *r, const struct csv_row *header)
{
    for (int i = 0; i < COLUMNS; i++)
        r->column[i] = csv_column(header, str_of(column_words[i]));
    for (int i = NAME; i <= WHAT; i++)
        if (r->column[i] == UINT32_MAX)
            return fail_at(r->err, STEPTIME_INPUT, r->path, -1, "published figures need a column %s", column_words[i]);
    for (uint32_t at = 0; at < header->count; at++) {
        bool known = false;
        for (int i = 0; i < COLUMNS; i++)
            known = known || r->column[i] == at;
        const str word = csv_field(header, at);
        if (!known)
            return fail_at(r->err, STEPTIME_INPUT, r->path, -1, "published figures have no column '%.*s'",
                           (int)word.len, word.at);
    }
    return r->column[VALUE] != UINT32_MAX || fail_at(r->err, STEPTIME_INPUT, r->path, -1, "no column value");
}

static bool read_rows(struct reading *r, struct csv_stream *stream, struct figures *figures)
{
    struct csv_row row;
    if (!find_columns(r, csv_stream_header(stream)))
        return false;
    r->row = &row;
    while (csv_stream_next(stream, &row, &r->line)) {
        if (figures->count == FIGURES_MOST)
            return fail_at(r->err, STEPTIME_INPUT, r->path, -1, "more than %d figures", FIGURES_MOST);
        if (!read_figure(r, &figures->at[figures->count++]))
            return false;
    }
    return figures->count > 0 || fail_at(r->err, STEPTIME_INPUT, r->path, -1, "no published figure");
}

bool figures_read(const char *path, const struct cluster *here, struct arena *arena, struct figures *figures,
                  struct steptime_error *err)
{
    struct csv_stream *stream = csv_stream_open(path, err);
    if (!stream)
        return false;
    struct reading reading = {.path = str_of(path), .here = here, .arena = arena, .err = err};
    *figures = (struct figures){.count = 0};
    const bool good = read_rows(&reading, stream, figures);
    return csv_stream_close(stream, good ? err : NULL) && good;
}

/* ---- of a job ---- */

/* NaN where an obstacle keeps it. */
static double speedup(const struct figure *figure, const struct job *job, const struct job_step *before,
                      const struct cluster *here)
{
    const struct projected projected = job_project_from(job, before, here, &figure->target);
    return figure->kind == FIGURE_SPEEDUP ? projected.speedup : projected.cnode_speedup;
}

static double share_of(const struct job_step *before, enum part part)
{
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += before->ms[i];
    return before->ms[part] / sum;
}

static double amount(const struct figure *figure, const struct job *job, const struct job_step *before,
                     const struct cluster *here)
{
    switch (figure->kind) {
    case FIGURE_JOBS:
        return figure_is_of(figure, job->architecture);
    case FIGURE_CNODES:
        return job->field[JOB_CNODES];
    case FIGURE_PART:
        return share_of(before, figure->part);
    default:
        return speedup(figure, job, before, here);
    }
}

void figures_add(const struct figures *figures, const struct job *job, const struct job_step *before,
                 const struct cluster *here, double *sums)
{
    for (uint32_t f = 0; f < figures->count; f++) {
        const struct figure *const figure = &figures->at[f];
        if (!figure_counts(figure, job->architecture))
            continue;
        const double value = amount(figure, job, before, here);
        const double weight = figure->by == WEIGHT_GPU ? job->field[JOB_CNODES] : 1;
        if (isnan(value))
            continue;
        sums[2 * f] += weight;
        sums[2 * f + 1] += weight * (isnan(figure->above) ? value : value > figure->above);
    }
}
