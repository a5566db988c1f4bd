/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/format.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/real.h"
#include "cli/program/call.h"
#include "program/operator_list.h"
#include "cli/program/hardware_option.h"
#include "io/writer.h"
#include "model/estimate/model.h"
#include "model/tables/table.h"
#include "cli/program/output.h"
#include "predict/plan/list_kernel.h"
#include "predict_rows.h"
#include "cli/program/user_models.h"
#include "cli/program/row_problems.h"
#include "text/csv_writer.h"

/* A step: what rows of the same model, mode, sequence and batch sum up to. */
struct timed_step {
    str name[4];                /* model, mode, seq, batch, as written */
    double us[2];               /* by enum list_phase */
    struct estimate_sum *doubt; /* of both */
    struct energy_sum *energy;
    enum estimate_basis basis; /* the least sure */
    bool broken;               /* a row of it could not be predicted */
};

static const double ms_in_hour = 3.6e6;

struct prediction {
    const struct call *call;
    const struct models *models;
    struct operator_list *list;
    struct writer *out;
    struct arena arena;
    struct hardware hardware;
    struct list_node node;
    struct intern *keys;      /* of steps */
    struct timed_step *steps; /* by the id of the key */
    size_t step_room;
    bool each; /* a row an operator, not a row a step */
    double us, guessed_us, level;
    double per_hour; /* NaN: not given */
    struct row_problems problems;
};

/* ---- operators ---- */

/* False where there is no prediction, which is said on stderr. What launches nothing takes no time, and that is sure. */
static bool estimate_row(struct prediction *p, const struct list_row *row, struct predicted_kernel *to)
{
    struct kernel kernel;
    const char *const problem = row->problem ? row->problem : kernel_of_list_row(&p->node, row, &kernel);
    struct steptime_error err;
    *to = (struct predicted_kernel){.time = {.basis = BASIS_MEASURED, .from = S("")}};
    if (problem) {
        row_problem(&p->problems, row->line, row->op, S(""), problem);
        return false;
    }
    if (kernel.form == FORMS)
        return true;
    if (!predict_one(p->models, &p->hardware, &kernel, p->level, to, &err)) {
        row_problem(&p->problems, row->line, row->op, S(""), err.message);
        return false;
    }
    p->us += to->time.us * (double)row->repeat;
    p->guessed_us += !op_word_known(row->op) && !str_eq(row->op, S("copy")) ? to->time.us * (double)row->repeat : 0;
    return true;
}

/* ---- steps ---- */

static str key_of(struct arena *arena, const struct list_row *row)
{
    return str_printf(arena, "%.*s\n%.*s\n%.*s\n%.*s", (int)row->model.len, row->model.at, (int)row->mode.len,
                      row->mode.at, (int)row->seq.len, row->seq.at, (int)row->batch.len, row->batch.at);
}

/* The id of the empty text is 0 and no key, so the first step is 1. */
static struct timed_step *step_of(struct prediction *p, const struct list_row *row)
{
    struct arena scratch = {0};
    const uint32_t known = intern_count(p->keys), id = intern_id(p->keys, key_of(&scratch, row));
    arena_free(&scratch);
    if (id < known)
        return &p->steps[id];
    p->steps = mem_grow(p->steps, &p->step_room, (size_t)id + 1, sizeof *p->steps);
    p->steps[id] = (struct timed_step){.name = {str_copy(&p->arena, row->model), str_copy(&p->arena, row->mode),
                                                str_copy(&p->arena, row->seq), str_copy(&p->arena, row->batch)},
                                       .doubt = arena_array(&p->arena, 1, sizeof(struct estimate_sum)),
                                       .energy = arena_array(&p->arena, 1, sizeof(struct energy_sum))};
    return &p->steps[id];
}

/* By which factor a step may be longer or shorter. */
static double factor_of(const struct prediction *p, const struct timed_step *step)
{
    double shared, own;
    estimate_sum_sd(step->doubt, &shared, &own);
    return exp(interval_half_width(hypot(shared, own), p->level));
}

static void put_reals(struct csv_writer *csv, const struct timed_step *step, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        csv_real(csv, step->broken ? NAN : values[i]);
}

/* Money goes with the time, and so does its doubt. */
static void put_cost(const struct prediction *p, const struct timed_step *step, double ms, double factor,
                     struct csv_writer *csv)
{
    const double cost = ms / ms_in_hour * p->per_hour;
    const double values[] = {cost, cost / factor, cost * factor};
    if (!isnan(p->per_hour))
        put_reals(csv, step, values, 3);
}

static void put_step(const struct prediction *p, const struct timed_step *step, struct csv_writer *csv)
{
    const double forward = step->us[LIST_FORWARD] / 1e3, backward = step->us[LIST_BACKWARD] / 1e3;
    const double factor = factor_of(p, step), ms = forward + backward;
    const double values[] = {ms, forward, backward, ms / factor, ms * factor};
    const struct joules joules =
        joules_of_board(energy_sum_joules(step->energy, p->level), &p->hardware, ms / factor * 1e3, ms * factor * 1e3);
    const bool known = !step->broken && !isnan(joules.joules);
    put_reals(csv, step, values, sizeof values / sizeof *values);
    csv_text(csv, step->broken ? S("") : estimate_basis_word(step->basis));
    put_reals(csv, step, (const double[]){joules.joules / ms * 1e3, joules.joules, joules.low, joules.high}, 4);
    csv_text(csv, known ? estimate_basis_word(step->energy->basis) : S(""));
    put_cost(p, step, ms, factor, csv);
}

static void put_steps(struct prediction *p)
{
    const str device = str_of(call_text(p->call, "hw"));
    struct csv_writer csv = {.out = p->out};
    writer_put(p->out, S("device,model,mode,seq,batch,predicted_ms,predicted_fwd_ms,predicted_bwd_ms,low_ms,high_ms,"
                         "basis,watts,joules,joules_low,joules_high,watts_basis"));
    writer_put(p->out, isnan(p->per_hour) ? S("\n") : S(",cost,cost_low,cost_high\n"));
    for (uint32_t id = 1; id < intern_count(p->keys); id++) {
        csv_text(&csv, device);
        for (int i = 0; i < 4; i++)
            csv_text(&csv, p->steps[id].name[i]);
        put_step(p, &p->steps[id], &csv);
        csv_end_line(&csv);
    }
}

/* ---- the list ---- */

static void put_row(struct prediction *p, const struct list_row *row, const struct predicted_kernel *predicted)
{
    struct buf text = {0};
    put_predicted(&text, &row->fields, operator_list_header(p->list)->count, predicted, p->level);
    writer_put(p->out, buf_str(&text));
    buf_free(&text);
}

static void take_row(struct prediction *p, const struct list_row *row)
{
    struct predicted_kernel predicted;
    const bool known = estimate_row(p, row, &predicted);
    p->problems.rows++;
    if (p->each) {
        put_row(p, row, known ? &predicted : NULL);
        return;
    }
    struct timed_step *step = step_of(p, row);
    const struct estimate *time = &predicted.time;
    const double us = known ? time->us * (double)row->repeat : 0;
    step->broken |= !known;
    step->us[row->phase] += us;
    step->basis = time->basis > step->basis ? time->basis : step->basis;
    if (row->phase == LIST_BACKWARD)
        step->doubt->whole = step->energy->by_time.whole = training_doubt;
    estimate_sum_add(step->doubt, time, us);
    if (known && predicted.has_watts)
        energy_sum_add(step->energy, time, &predicted.watts, us, 0);
}

static void say_guessed(const struct prediction *p)
{
    char share[REAL_ROOM];
    if (p->guessed_us <= 0)
        return;
    format_text(share, sizeof share, "%.1f", 100 * p->guessed_us / p->us);
    fprintf(stderr, "steptime: %s %% of the time is of operators without a model, estimated from their bytes\n", share);
}

static void predict_list(struct prediction *p)
{
    const str header = operator_list_header(p->list)->text;
    if (p->each)
        writer_printf(p->out, "%.*s,%s\n", (int)header.len, header.at, predicted_columns);
    struct list_row row;
    while (operator_list_next(p->list, &row))
        take_row(p, &row);
    if (!p->each)
        put_steps(p);
    row_problems_end(&p->problems);
    say_guessed(p);
}

/* ---- the command ---- */

static bool open_all(struct prediction *p, struct steptime_error *err)
{
    const char *const hw = call_text(p->call, "hw"), *const input = call_text(p->call, "input");
    if (!output_takes_text(p->call, err))
        return false;
    if (!input)
        return fail(err, STEPTIME_USAGE, "which list? --input FILE, or --input - for standard input");
    if (!hw)
        return fail(err, STEPTIME_USAGE, "on which device? --hw NAME ('steptime hw' lists them)");
    if (!hardware_of_words(p->call, str_of(hw), &p->arena, &p->hardware, err))
        return false;
    if (!predict_level(p->call, &p->level, err) || !predict_per_hour(p->call, &p->per_hour, err))
        return false;
    p->each = call_flag(p->call, "each");
    if (p->each && !isnan(p->per_hour))
        return fail(err, STEPTIME_USAGE, "--per-hour is of steps: --each tells of operators");
    hardware_say(p->call);
    return (p->models = models_of_call(p->call, &p->arena, err)) && (p->list = operator_list_open(input, err)) &&
           (p->out = writer_open(call_text(p->call, "output"), err));
}

static bool end(struct prediction *p, bool good, struct steptime_error *err)
{
    good = (!p->list || operator_list_close(p->list, good ? err : NULL)) && good;
    if (p->out && good)
        good = writer_close(p->out, err);
    else if (p->out)
        writer_abandon(p->out);
    intern_free(p->keys);
    mem_free(p->steps);
    arena_free(&p->arena);
    if (good && p->problems.rows && p->problems.count == p->problems.rows)
        return fail(err, STEPTIME_INPUT, "no operator could be predicted");
    return good;
}

enum steptime_code predict_graph(const struct call *call, struct steptime_error *err)
{
    struct prediction p = {.call = call, .keys = intern_new()};
    const bool good = open_all(&p, err);
    if (good)
        predict_list(&p);
    return end(&p, good, err) ? STEPTIME_OK : err->code;
}
