/* SPDX-License-Identifier: Apache-2.0 */
#include "what_if_sweep.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "hw/figures.h"
#include "hw/values.h"

static bool is_count(str key)
{
    return str_eq(key, S("batch")) || str_eq(key, S("ranks"));
}

static bool is_share(str key)
{
    return str_eq(key, S("cpu-speed")) || str_eq(key, S("overlap"));
}

static bool is_device(str key)
{
    return str_eq(key, S("hw"));
}

static bool is_key(str key)
{
    enum hw_key figure;
    return is_count(key) || is_share(key) || is_device(key) || hw_key_of_word(key, &figure);
}

/* ---- reading ---- */

static bool fail_sweep(str text, struct steptime_error *err)
{
    return fail(err, STEPTIME_USAGE,
                "--sweep is like batch=512..8192, cpu-speed=1..4:5 or network=25,100,400Gbps, not '%.*s'",
                (int)text.len, text.at);
}

static bool read_names(struct sweep *sweep, str list, struct arena *arena)
{
    str *texts = arena_array(arena, VALUES_MOST, sizeof *texts);
    sweep->texts = texts;
    for (str item; str_cut(&list, ',', &item);)
        if (str_trim(item).len && sweep->count++ < VALUES_MOST)
            texts[sweep->count - 1] = str_trim(item);
    return sweep->count > 0 && sweep->count <= VALUES_MOST;
}

static bool read_numbers(struct sweep *sweep, str text, struct arena *arena)
{
    struct values values;
    const bool good = values_read(text, is_count(sweep->key), arena, &values);
    sweep->count = values.count + values.too_many;
    if (!good)
        return false;
    sweep->values = values.numbers;
    sweep->texts = values.texts;
    return values.numbers[0] > 0 || str_eq(sweep->key, S("overlap"));
}

bool sweep_read(str text, struct arena *arena, struct sweep *sweep, struct steptime_error *err)
{
    str values = text;
    *sweep = (struct sweep){0};
    if (!str_cut(&values, '=', &sweep->key) || !values.len)
        return fail_sweep(text, err);
    if (!is_key(sweep->key))
        return fail(err, STEPTIME_USAGE,
                    "--sweep: '%.*s' is none of batch, ranks, cpu-speed, overlap, hw or a key of --set",
                    (int)sweep->key.len, sweep->key.at);
    sweep->numbers = !is_device(sweep->key);
    const bool good = sweep->numbers ? read_numbers(sweep, values, arena) : read_names(sweep, values, arena);
    if (sweep->count > VALUES_MOST)
        return fail(err, STEPTIME_USAGE, "--sweep: more than %d values", VALUES_MOST);
    return good || fail_sweep(text, err);
}

/* ---- asking ---- */

static void add_set(const struct sweep *sweep, uint32_t i, const struct question *base, struct arena *arena,
                    struct question *question)
{
    str *sets = arena_array(arena, base->set_count + 1, sizeof *sets);
    if (base->set_count)
        memcpy(sets, base->sets, base->set_count * sizeof *sets);
    sets[base->set_count] = str_printf(arena, "%.*s=%.*s", (int)sweep->key.len, sweep->key.at, (int)sweep->texts[i].len,
                                       sweep->texts[i].at);
    question->sets = sets;
    question->set_count = base->set_count + 1;
}

/* The question with the i-th value. */
static bool sweep_question(const struct sweep *sweep, uint32_t i, const struct question *base, struct arena *arena,
                           struct question *question, struct steptime_error *err)
{
    *question = *base;
    if (is_device(sweep->key))
        question->hw = sweep->texts[i];
    else if (str_eq(sweep->key, S("batch")))
        question->batch = (int64_t)sweep->values[i];
    else if (str_eq(sweep->key, S("ranks")))
        question->ranks = (int64_t)sweep->values[i];
    else if (str_eq(sweep->key, S("cpu-speed")))
        question->cpu_speed = sweep->values[i];
    else if (str_eq(sweep->key, S("overlap")))
        question->overlap = sweep->values[i];
    else
        add_set(sweep, i, base, arena, question);
    return question->overlap <= 1 || fail(err, STEPTIME_USAGE, "--sweep: overlap is a share from 0 to 1");
}

bool sweep_run(const struct sweep *sweep, const struct question *base, predict_fn *predict, void *context,
               struct predicted_point *points, struct steptime_error *err)
{
    for (uint32_t i = 0; i < sweep->count; i++) {
        struct arena scratch = {0};
        struct question question;
        points[i] = (struct predicted_point){.step_us = -1,
                                             .host_us = -1,
                                             .active_us = -1,
                                             .idle_us = -1,
                                             .exposed_us = -1,
                                             .low_us = -1,
                                             .high_us = -1};
        const bool good =
            sweep_question(sweep, i, base, &scratch, &question, err) && predict(context, &question, &points[i], err);
        arena_free(&scratch);
        if (!good)
            return false;
    }
    return true;
}

/* ---- telling ---- */

void sweep_tell_interval(bool any, bool unlike, struct section *section)
{
    const str words =
        any ? S("Intervals are of the step, and hold what its parts (device at work, host, communication) may be off: "
                "these have none of their own.")
        : unlike
            ? S("No interval: the recorded steps are too unlike.")
            : S("No interval: the recording is replayed, and what a question gives itself is taken as given; nothing of "
                "it is an estimate.");
    section_text(section, words);
    section_detail(section, "interval", "interval", UNIT_NONE, cell_text(words));
}

static const struct column_spec sweep_columns[] = {
    {"step_us", "step", UNIT_US, 0, "predicted step"},
    {"step_low_us", "at least", UNIT_US, 0, "lower end of the interval of step_us; null: nothing of it is an estimate"},
    {"step_high_us", "at most", UNIT_US, 0, "upper end of it"},
    {"of_first", "of the first", UNIT_RATIO, 0, "step_us / that of the first value"},
    {"active_us", "device at work", UNIT_US, 0, "time with any work on the device"},
    {"idle_us", "device idle", UNIT_US, 0, "step less active_us"},
    {"host_us", "host", UNIT_US, 0, "time of the host"},
    {"exposed_us", "exposed communication", UNIT_US, 0, "communication without other work beside it"},
    {0},
};

static const struct column_spec batch_columns[] = {
    {"samples_per_s", "samples a second", UNIT_COUNT, 0, "batch / step"},
    {"samples_low_per_s", "at least", UNIT_COUNT, COLUMN_DETAIL, "batch / step_high_us"},
    {"samples_high_per_s", "at most", UNIT_COUNT, COLUMN_DETAIL, "batch / step_low_us"},
    {0},
};

static struct column_spec value_column(const struct sweep *sweep, struct arena *arena)
{
    return (struct column_spec){"value", str_z(arena, sweep->key), is_count(sweep->key) ? UNIT_COUNT : UNIT_NONE, 0,
                                "value of the sweep"};
}

static struct table *sweep_table(const struct sweep *sweep, struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, "sweep", "");
    table_column(table, value_column(sweep, arena));
    table_columns(table, sweep_columns);
    if (str_eq(sweep->key, S("batch")))
        table_columns(table, batch_columns);
    return table;
}

static void tell_intervals(const struct sweep *sweep, const struct predicted_point *points, double level,
                           struct section *section)
{
    bool any = false, unlike = false;
    for (uint32_t i = 0; i < sweep->count; i++) {
        any |= points[i].high_us >= 0;
        unlike |= points[i].unlike;
    }
    sweep_tell_interval(any, unlike, section);
    if (any)
        section_text(section, S("Ratios of values have none: what is estimated is off alike in them."));
    if (any)
        section_value(section, "level", "of true times in their intervals", UNIT_RATIO, cell_real(level));
}

static void put_us(struct table *table, double us)
{
    if (us < 0)
        table_null(table);
    else
        table_real(table, us);
}

static void put_value(struct table *table, const struct sweep *sweep, uint32_t i)
{
    if (is_count(sweep->key))
        table_int(table, (int64_t)sweep->values[i]);
    else if (is_share(sweep->key))
        table_real(table, sweep->values[i]);
    else
        table_text(table, sweep->texts[i]);
}

static void put_samples(struct table *table, double batch, double us)
{
    if (us > 0)
        table_real(table, batch / us * 1e6);
    else
        table_null(table);
}

/* Reasons that follow each other are told once. */
static void tell_unknown(const struct sweep *sweep, const struct predicted_point *points, struct section *section,
                         struct arena *arena)
{
    str told = S("");
    for (uint32_t i = 0; i < sweep->count; i++) {
        const str why = step_energy_why(&points[i].energy, arena);
        if (why.len && !str_eq(why, told))
            energy_tell_unknown(section, &points[i].energy, arena);
        told = why;
    }
}

static void show_energy(const struct sweep *sweep, const struct predicted_point *points,
                        const struct energy_asked *asked, struct section *section, struct arena *arena)
{
    struct table *table = section_table(section, "sweep_energy", "Energy of a step on a GPU");
    table_column(table, value_column(sweep, arena));
    energy_columns(table, asked);
    tell_unknown(sweep, points, section, arena);
    for (uint32_t i = 0; i < sweep->count; i++) {
        const struct predicted_point *point = &points[i];
        table_row(table);
        put_value(table, sweep, i);
        energy_put(table, &point->energy, step_time_of(point->step_us, point->low_us, point->high_us, point->unlike),
                   asked);
    }
}

void sweep_show(const struct sweep *sweep, const struct predicted_point *points, const struct energy_asked *asked,
                struct report *report)
{
    const str title = str_printf(report_arena(report), "What if: %.*s", (int)sweep->key.len, sweep->key.at);
    struct section *section = report_section(report, "sweep", title.at);
    tell_intervals(sweep, points, asked->level, section);
    struct table *table = sweep_table(sweep, section, report_arena(report));
    for (uint32_t i = 0; i < sweep->count; i++) {
        const struct predicted_point *point = &points[i];
        table_row(table);
        put_value(table, sweep, i);
        put_us(table, point->step_us);
        put_us(table, point->low_us);
        put_us(table, point->high_us);
        table_real(table, points[0].step_us > 0 ? point->step_us / points[0].step_us : NAN);
        put_us(table, point->active_us);
        put_us(table, point->idle_us);
        put_us(table, point->host_us);
        put_us(table, point->exposed_us);
        if (!str_eq(sweep->key, S("batch")))
            continue;
        put_samples(table, sweep->values[i], point->step_us);
        put_samples(table, sweep->values[i], point->high_us);
        put_samples(table, sweep->values[i], point->low_us);
    }
    show_energy(sweep, points, asked, section, report_arena(report));
    section_figure(section, "sweep_step", FIGURE_LINE, "sweep", "value", "step_us");
    section_figure(section, "sweep_active", FIGURE_LINE, "sweep", "value", "active_us");
    section_figure(section, "sweep_host", FIGURE_LINE, "sweep", "value", "host_us");
}
