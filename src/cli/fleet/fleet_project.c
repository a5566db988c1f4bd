/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "text/suggest.h"
#include "cli/program/call.h"
#include "parallel/crew.h"
#include "fleet/decided/decided_show.h"
#include "fleet/project/projection.h"
#include "fleet_command.h"
#include "hw/values.h"
#include "cli/program/output.h"

enum { POINTS_MOST = 1024, SWEEPS_MOST = 16 };

/*
 * All that is asked. `here` is what jobs run on: --at, else what their rows name, else --hw as it is. `there` is --hw, else
 * what their rows name, and then what the other options change.
 */
struct question {
    const struct call *call;
    struct arena *arena;
    struct cluster here, there;
    bool same_here, same_there; /* one for all jobs */
    struct fleet_changes here_changes, *changes;
    struct machine_changes here_machine_changes, *machine_changes;
    struct cluster *clusters;
    struct projection_point *points;
    uint32_t point_count;
    struct projection_sweep sweeps[SWEEPS_MOST];
    struct projection_words words;
    struct measured measured;
    bool fitted;                /* to the measured jobs of the table */
    struct published published; /* figures.count 0: none are given */
};

/* ---- hardware ---- */

static bool read_hardware(struct question *question, struct steptime_error *err)
{
    const char *hw = call_text(question->call, "hw"), *at = call_text(question->call, "at");
    question->here_changes = (struct fleet_changes){question->call, false, S(""), -1};
    question->here_machine_changes = (struct machine_changes){fleet_change, &question->here_changes};
    question->same_there = hw || at;
    if (question->same_there && !fleet_cluster(str_of(hw ? hw : at), question->arena, &question->there, err))
        return false;
    question->same_here = at || (hw && !strcmp(hw, "paper"));
    if (!at && hw)
        question->here = question->there;
    if (at && !fleet_cluster(str_of(at), question->arena, &question->here, err))
        return false;
    return (!hw && !at) || fleet_change(&question->here_changes, &question->here, question->arena, err);
}

/* The efficiencies that jobs have here hold there too where it is the same kind of hardware. */
static bool fit_measured(struct question *question, const struct job_table_asked *table, struct steptime_error *err)
{
    const bool same = !call_text(question->call, "at") || !call_text(question->call, "hw");
    if (!fleet_measured(question->call, table, &question->here, question->same_here, question->arena,
                        &question->measured, &question->fitted, err))
        return false;
    for (int i = 0; question->fitted && same && i < RESOURCES; i++)
        question->there.efficiency[i] = question->here.efficiency[i];
    return true;
}

/* One point more: what is asked, with one setting changed or a resource made faster. */
static bool add_point(struct question *question, str setting, int resource, struct steptime_error *err)
{
    if (question->point_count == POINTS_MOST)
        return fail(err, STEPTIME_USAGE, "--sweep: more than %d values in all", POINTS_MOST - 1);
    const uint32_t i = question->point_count++;
    struct fleet_changes *changes = &question->changes[i];
    *changes = (struct fleet_changes){question->call, resource < 0, setting, resource};
    question->machine_changes[i] = (struct machine_changes){fleet_change, changes};
    struct projection_point *point = &question->points[i];
    *point = (struct projection_point){.changes = &question->machine_changes[i], .stays = resource >= 0};
    const bool same = resource < 0 ? question->same_there : question->same_here;
    if (!same && (resource < 0 || !question->same_there))
        return true;
    question->clusters[i] = resource < 0 ? question->there : question->here;
    *(same ? &point->cluster : &point->otherwise) = &question->clusters[i];
    if (resource >= 0) { /* the rest of the changes is in `here` already */
        question->clusters[i].rate[resource] *= 2;
        return true;
    }
    return fleet_change(changes, &question->clusters[i], question->arena, err);
}

/* ---- sweeps ---- */

static bool read_sweep(struct question *question, str text, struct steptime_error *err)
{
    struct projection_sweep *sweep = &question->sweeps[question->words.sweep_count];
    struct values values = {0};
    str given = text;
    if (question->words.sweep_count == SWEEPS_MOST)
        return fail(err, STEPTIME_USAGE, "more than %d sweeps", SWEEPS_MOST);
    if (!str_cut(&given, '=', &sweep->key) || !values_read(given, false, question->arena, &values)) {
        if (values.too_many)
            return fail(err, STEPTIME_USAGE, "--sweep: more than %d values", VALUES_MOST);
        return fail(err, STEPTIME_USAGE,
                    "--sweep is like ethernet=10..400Gbps, overlap=0..1 or flops=8,16,32TFLOPS, not '%.*s'",
                    (int)text.len, text.at);
    }
    for (uint32_t i = 0; i < question->words.sweep_count; i++)
        if (str_eq(question->sweeps[i].key, sweep->key))
            return fail(err, STEPTIME_USAGE, "--sweep %.*s comes twice: put its values into one list",
                        (int)sweep->key.len, sweep->key.at);
    sweep->texts = values.texts;
    sweep->values = values.numbers;
    sweep->first = question->point_count;
    sweep->count = values.count;
    question->words.sweep_count++;
    for (uint32_t i = 0; i < values.count; i++) {
        const str setting = str_printf(question->arena, "%.*s=%.*s", (int)sweep->key.len, sweep->key.at,
                                       (int)values.texts[i].len, values.texts[i].at);
        struct cluster tried = cluster_paper();
        if (!cluster_set(&tried, setting, err) || !add_point(question, setting, -1, err))
            return false;
    }
    return true;
}

static bool read_points(struct question *question, struct steptime_error *err)
{
    struct arena *arena = question->arena;
    question->changes = arena_array(arena, POINTS_MOST, sizeof *question->changes);
    question->machine_changes = arena_array(arena, POINTS_MOST, sizeof *question->machine_changes);
    question->clusters = arena_array(arena, POINTS_MOST, sizeof *question->clusters);
    question->points = arena_array(arena, POINTS_MOST, sizeof *question->points);
    if (!add_point(question, S(""), -1, err))
        return false;
    for (uint32_t i = 0; i < question->call->given_count; i++)
        if (!strcmp(question->call->given[i].option->name, "sweep") &&
            !read_sweep(question, str_of(question->call->given[i].value), err))
            return false;
    question->words.sweeps = question->sweeps;
    question->words.resources = question->point_count;
    for (int i = 0; i < RESOURCES; i++)
        if (!add_point(question, S(""), i, err))
            return false;
    return true;
}

/* ---- where to ---- */

static bool no_architecture(const char *word, struct steptime_error *err)
{
    struct suggestion near = suggest(str_of(word));
    for (int i = 0; i < ARCHITECTURES; i++)
        suggest_offer(&near, architecture_word((enum architecture)i));
    if (suggest_found(&near))
        return fail(err, STEPTIME_USAGE, "--to: there is no architecture '%s'; did you mean '%.*s'?", word,
                    (int)near.best.len, near.best.at);
    return fail(err, STEPTIME_USAGE, "--to: there is no architecture '%s'; 'steptime fleet --help' lists them", word);
}

static bool read_target(struct question *question, struct projection_asked *asked, struct steptime_error *err)
{
    const char *to = call_text(question->call, "to"), *hw = call_text(question->call, "hw");
    if (!to && !hw && !call_text(question->call, "set") && !question->words.sweep_count)
        return fail(err, STEPTIME_USAGE,
                    "project to what? --to ARCHITECTURE, --hw NAME, --set ethernet=100Gbps, or --sweep");
    asked->moves = to != NULL;
    const char *traffic = call_text(question->call, "traffic");
    asked->traffic_of_weights = traffic ? !strcmp(traffic, "weights") : !hw || strcmp(hw, "paper");
    if (to && !architecture_of_word(str_of(to), &asked->architecture))
        return no_architecture(to, err);
    struct arena *arena = question->arena;
    str words = to ? architecture_word(asked->architecture) : S("the same architecture");
    if (question->same_there)
        words = str_printf(arena, "%.*s on %.*s", (int)words.len, words.at, (int)question->there.name.len,
                           question->there.name.at);
    for (uint32_t i = 0; i < question->call->given_count; i++)
        if (!strcmp(question->call->given[i].option->name, "set"))
            words = str_printf(arena, "%.*s, %s", (int)words.len, words.at, question->call->given[i].value);
    question->words.target = words;
    return true;
}

/* ---- published figures ---- */

static bool read_published(struct question *question, struct projection_asked *asked, struct steptime_error *err)
{
    const char *path = call_text(question->call, "published");
    if (!path)
        return true;
    if (!question->same_here || !question->same_there)
        return fail(err, STEPTIME_USAGE,
                    "--published is of jobs on one kind of hardware: say which with --hw paper, or --at and --hw");
    question->published.here = question->here;
    if (!figures_read(path, &question->here, question->arena, &question->published.figures, err))
        return false;
    asked->also = published_sums(&question->published);
    return true;
}

static void show_published(const struct question *question, const struct projection_asked *asked,
                           struct projection *projection, struct report *report)
{
    if (!question->published.figures.count)
        return;
    const struct target target = {.moves = asked->moves,
                                  .architecture = asked->architecture,
                                  .traffic_of_weights = asked->traffic_of_weights,
                                  .cluster = *asked->points[0].cluster};
    decided_show(&question->published, &target, projection, report);
}

static bool show(const struct question *question, struct projection *projection, const struct projection_asked *asked,
                 const struct job_table_result *told, struct steptime_error *err)
{
    if (crew_ours()->rank != 0)
        return true;
    if (!job_table_any(told, asked->table.path, err))
        return false;
    struct report *report = report_new(question->arena, S("fleet project"));
    projection_show(projection, asked, &question->words, told, report);
    show_published(question, asked, projection, report);
    if (question->fitted)
        measured_show(&question->measured, report);
    return output_report(question->call, report, err);
}

static bool run(struct question *question, struct steptime_error *err)
{
    struct projection_asked asked = {.every_row = call_flag(question->call, "jobs")};
    struct projection projection = {0};
    struct job_table_result told = {0};
    if (!fleet_table(question->call, &asked.table, err) || !read_hardware(question, err) ||
        !fit_measured(question, &asked.table, err) || !read_points(question, err) ||
        !read_target(question, &asked, err) || !read_published(question, &asked, err))
        return false;
    asked.here = (struct projection_point){.cluster = question->same_here ? &question->here : NULL,
                                           .otherwise = question->same_there ? &question->here : NULL,
                                           .changes = &question->here_machine_changes};
    asked.points = question->points;
    asked.point_count = question->point_count;
    struct progress progress;
    fleet_progress(&asked.table, &progress, question->arena);
    const bool read = projection_of_table(&asked, question->arena, &projection, &told, err);
    progress_end(&progress);
    const bool good = read && projection_gather(&projection, &told, question->arena, err) &&
                      show(question, &projection, &asked, &told, err);
    projection_free(&projection);
    return good;
}

bool fleet_project(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct question question = {.call = call, .arena = &arena};
    const bool good = run(&question, err);
    arena_free(&arena);
    return good;
}
