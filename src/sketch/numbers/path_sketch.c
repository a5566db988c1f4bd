/* SPDX-License-Identifier: Apache-2.0 */
#include "path_sketch.h"

#include <stddef.h>

#include "base/error.h"
#include "base/sum.h"
#include "job_sketch.h"
#include "words.h"

static const int64_t most_ns = (int64_t)1 << 60;

/* ---- steps ---- */

/* What all of them add up to is not written. */
static void sum_up(struct critical_path *path)
{
    path->wall_ns = 0;
    path->sums = (struct path_sums){{0}};
    for (uint32_t i = 0; i < path->step_count; i++) {
        sum_to(&path->wall_ns, path->steps[i].wall_ns);
        for (int c = 0; c < PATH_CLASSES; c++)
            sum_to(&path->sums.ns[c], path->steps[i].sums.ns[c]);
    }
}

static void code_steps(struct code *code, struct critical_path *path)
{
    code_count(code, &path->step_count);
    if (code_reads(code))
        path->steps = arena_array(code->arena, path->step_count, sizeof *path->steps);
    struct path_step *const steps = path->steps;
    for (uint32_t i = 0; i < path->step_count; i++) {
        const struct path_step before = i ? steps[i - 1] : (struct path_step){0};
        code_int(code, &steps[i].number, (int64_t)((uint64_t)before.number + 1), INT64_MIN, INT64_MAX);
        code_int(code, &steps[i].start_ns, before.start_ns + before.wall_ns, -most_ns, most_ns);
        code_int(code, &steps[i].wall_ns, before.wall_ns, 0, most_ns);
    }
    code_rows(code, &sketch_path_classes,
              &(struct code_rows){steps, sizeof *steps, offsetof(struct path_step, sums),
                                  offsetof(struct path_step, wall_ns), path->step_count});
    sum_up(path);
}

static void code_most(struct code *code, struct path_most *most)
{
    int class = most->class, cause = most->cause;
    code_word(code, &sketch_path_classes, &class);
    code_word(code, &sketch_causes, &cause);
    code_ns(code, &most->ns, 0);
    *most = (struct path_most){(enum path_class) class, (uint8_t)cause, most->ns};
}

/* ---- names ---- */

static void code_top(struct code *code, struct path_top *top)
{
    int class = top->class;
    bool other = !str_eq(top->title, top->name);
    code_word(code, &sketch_path_classes, &class);
    code_kept(code, &top->name);
    code_bool(code, &other);
    if (other)
        code_kept(code, &top->title);
    else
        top->title = top->name;
    code_kept(code, &top->operator);
    code_bits(code, &top->count);
    code_ns(code, &top->ns, 0);
    top->class = (enum path_class) class;
}

static void code_tops(struct code *code, struct critical_path *path)
{
    code_count(code, &path->top_count);
    struct path_top *const tops =
        code_reads(code) ? arena_array(code->arena, path->top_count, sizeof *tops) : path->tops;
    for (uint32_t i = 0; i < path->top_count; i++) {
        struct path_top top = tops[i];
        code_top(code, &top);
        if (code_reads(code))
            tops[i] = top;
    }
    path->tops = tops;
}

/* ---- the stretches ---- */

static uint32_t names_in(const struct critical_path *path)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < path->stretch_count; i++)
        count = path->stretches[i].name >= count ? path->stretches[i].name + 1 : count;
    return count;
}

static uint32_t code_names(struct code *code, struct critical_path *path)
{
    uint32_t count = code_reads(code) ? 0 : names_in(path);
    code_count(code, &count);
    str *const names = code_reads(code) ? arena_array(code->arena, count, sizeof *names) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        str name = names ? S("") : path->names[i];
        code_kept(code, &name);
        if (names)
            names[i] = name;
    }
    if (names)
        path->names = names;
    return count;
}

static void code_lanes(struct code *code, struct critical_path *path)
{
    code_count(code, &path->lane_count);
    struct path_lane *const lanes = code_reads(code) ? arena_array(code->arena, path->lane_count, sizeof *lanes) : NULL;
    for (uint32_t i = 0; i < path->lane_count; i++) {
        struct path_lane lane = lanes ? (struct path_lane){0} : path->lanes[i];
        code_bool(code, &lane.device);
        code_int(code, &lane.process, 0, INT64_MIN, INT64_MAX);
        code_int(code, &lane.id, 0, INT64_MIN, INT64_MAX);
        code_kept(code, &lane.process_text);
        code_kept(code, &lane.id_text);
        if (lanes)
            lanes[i] = lane;
    }
    if (lanes)
        path->lanes = lanes;
}

/* LANE_NONE and ROW_NONE lie beyond all numbers: 0 stands for them. */
static void code_or_none(struct code *code, uint32_t *value, uint32_t none, uint32_t limit)
{
    int64_t up = *value == none ? 0 : (int64_t)*value + 1;
    code_int(code, &up, 0, 0, limit);
    *value = up ? (uint32_t)(up - 1) : none;
}

/* Of every stretch one byte: they may be many. */
static void code_class(struct code *code, enum path_class *class, const struct code_set *classes)
{
    uint32_t at = 0;
    while (!code_reads(code) && classes->at[at] != (int)*class)
        at++;
    code_small(code, &at, classes->count);
    *class = classes->count ? (enum path_class)classes->at[at] : PATH_UNKNOWN;
}

static void code_stretch(struct code *code, struct path_stretch *stretch, int64_t before_ns, uint32_t lanes,
                         uint32_t names, const struct code_set *classes)
{
    code_int(code, &stretch->start_ns, before_ns, -most_ns, most_ns);
    code_int(code, &stretch->end_ns, stretch->start_ns, -most_ns, most_ns);
    code_or_none(code, &stretch->row, ROW_NONE, UINT32_MAX);
    code_or_none(code, &stretch->lane, LANE_NONE, lanes);
    code_small(code, &stretch->name, names);
    code_class(code, &stretch->class, classes);
}

static void code_classes(struct code *code, const struct critical_path *path, struct code_set *set)
{
    bool used[PATH_CLASSES] = {false};
    for (uint32_t i = 0; i < path->stretch_count; i++)
        used[path->stretches[i].class] = true;
    code_set(code, &sketch_path_classes, used, set);
}

static void code_stretches(struct code *code, struct critical_path *path)
{
    struct code_set classes = {0};
    const uint32_t names = code_names(code, path);
    code_lanes(code, path);
    code_ns(code, &path->listed_ns, 0);
    code_classes(code, path, &classes);
    code_count(code, &path->stretch_count);
    if (code_reads(code))
        path->stretches = arena_array(code->arena, path->stretch_count, sizeof *path->stretches);
    for (uint32_t i = 0; i < path->stretch_count; i++)
        code_stretch(code, &path->stretches[i], i ? path->stretches[i - 1].end_ns : 0, path->lane_count, names,
                     &classes);
}

/* ---- the section ---- */

static void code_head(struct code *code, struct critical_path *path)
{
    int source = path->step_source;
    code_word(code, &sketch_step_sources, &source);
    path->step_source = (enum step_source)source;
    code_int(code, &path->origin_ns, 0, INT64_MIN, INT64_MAX);
    code_bool(code, &path->device);
    code_u32(code, &path->nodes, 0);
    code_u32(code, &path->edges, 0);
    code_bits(code, &path->inferred);
    code_bits(code, &path->inconsistent);
    code_bits(code, &path->stretches_found);
}

static void code_path(struct code *code, struct critical_path *path)
{
    code_bool(code, &path->sketched);
    code_head(code, path);
    code_steps(code, path);
    code_most(code, &path->most);
    code_tops(code, path);
    code_stretches(code, path);
}

str path_sketch_write(const struct critical_path *path, bool whole, struct arena *arena)
{
    struct critical_path kept = *path;
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    if (!whole) {
        kept.sketched = true;
        kept.stretch_count = kept.lane_count = 0;
        kept.listed_ns = 0;
    }
    code_path(&code, &kept);
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return section;
}

/* What critical_path_run leaves out of ranks that have nothing to compare. */
static void take_job(const struct job_numbers *job, struct critical_path *out)
{
    out->numbers = job->numbers;
    out->verdict = job->verdict;
    out->strip = job->strip;
    out->responses = job->responses;
    if (job->numbers.collective_count)
        out->holdups = job->holdups;
}

bool path_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct critical_path *out,
                      struct steptime_error *err)
{
    const str section = sketch->sections[SKETCH_PATH];
    struct code code = sketch_section(sketch, SKETCH_PATH, arena);
    struct job_numbers job;
    if (!job_sketch_read(sketch, rank, arena, &job, err))
        return false;
    *out = (struct critical_path){.rank = rank, .path = job.numbers.path};
    code_path(&code, out);
    take_job(&job, out);
    return code_whole(&code) ||
           fail(err, STEPTIME_INPUT, section.len ? "is a damaged sketch" : "is a sketch without a critical path");
}
