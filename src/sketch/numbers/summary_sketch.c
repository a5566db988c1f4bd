/* SPDX-License-Identifier: Apache-2.0 */
#include "summary_sketch.h"

#include <stddef.h>

#include "base/error.h"
#include "base/sort.h"
#include "words.h"

static const int64_t most_ns = (int64_t)1 << 60;

/* ---- what the steps are made of ---- */

static void code_steps(struct code *code, struct breakdown_device *device)
{
    code_count(code, &device->step_count);
    if (code_reads(code))
        device->steps = arena_array(code->arena, device->step_count, sizeof *device->steps);
    struct breakdown_step *const steps = device->steps;
    for (uint32_t i = 0; i < device->step_count; i++) {
        const struct breakdown_step before = i ? steps[i - 1] : (struct breakdown_step){0};
        code_int(code, &steps[i].number, (int64_t)((uint64_t)before.number + 1), INT64_MIN, INT64_MAX);
        code_int(code, &steps[i].start_ns, before.start_ns + before.wall_ns, -most_ns, most_ns);
        code_int(code, &steps[i].wall_ns, before.wall_ns, 0, most_ns);
    }
    code_rows(code, &sketch_parts,
              &(struct code_rows){steps, sizeof *steps, offsetof(struct breakdown_step, part_ns),
                                  offsetof(struct breakdown_step, wall_ns), device->step_count});
}

static void code_idle(struct code *code, struct breakdown_device *device)
{
    bool used[PARTS];
    struct code_set set = {0};
    for (int part = 0; part < PARTS; part++)
        used[part] = device->idle[part].longest_ns != 0;
    code_set(code, &sketch_parts, used, &set);
    for (uint32_t i = 0; i < set.count; i++)
        code_ns(code, &device->idle[set.at[i]].longest_ns, 0);
}

/* The largest. */
static void code_blocking(struct code *code, struct breakdown_device *device)
{
    bool any = device->blocking_count;
    code_bool(code, &any);
    if (!any)
        return;
    if (code_reads(code))
        device->blocking = arena_alloc(code->arena, sizeof *device->blocking);
    struct breakdown_blocking most = *device->blocking;
    code_kept(code, &most.call);
    code_kept(code, &most.op);
    code_kept(code, &most.frame);
    code_ns(code, &most.total_ns, 0);
    if (code_reads(code))
        *device->blocking = most;
    device->blocking_count = 1;
}

static void code_device(struct code *code, struct breakdown_device *device)
{
    code_bool(code, &device->recorded);
    for (int phase = PHASE_FORWARD; phase <= PHASE_OPTIMIZER; phase++) {
        code_ns(code, &device->total[ACCOUNT_PHASE_DEVICE + phase], 0);
        code_ns(code, &device->total[ACCOUNT_PHASE_HOST + phase], 0);
    }
    code_steps(code, device);
    code_idle(code, device);
    code_blocking(code, device);
}

static void code_compilations(struct code *code, struct compilations *compilations)
{
    code_u32(code, &compilations->functions, 0);
    code_u32(code, &compilations->graphs, 0);
    code_u32(code, &compilations->again, 0);
    code_bool(code, &compilations->numbered);
}

static void code_breakdown(struct code *code, struct breakdown *breakdown)
{
    int source = breakdown->step_source;
    code_word(code, &sketch_step_sources, &source);
    breakdown->step_source = (enum step_source)source;
    code_compilations(code, &breakdown->compilations);
    code_small(code, &breakdown->device_count, MOST_DEVICES + 1);
    if (code_reads(code))
        breakdown->devices = arena_array(code->arena, breakdown->device_count, sizeof *breakdown->devices);
    for (uint32_t d = 0; d < breakdown->device_count; d++) {
        struct breakdown_device device = breakdown->devices[d];
        code_device(code, &device);
        if (code_reads(code))
            breakdown->devices[d] = device;
    }
}

/* ---- sums ---- */

static void code_work(struct code *code, struct work_figures *work)
{
    bool used[KERNEL_CLASSES];
    struct code_set set = {0};
    code_bits(code, &work->kernels);
    code_ns(code, &work->kernel_ns, 0);
    code_bits(code, &work->optimizer_kernels);
    code_ns(code, &work->optimizer_ns, 0);
    for (int class = 0; class < KERNEL_CLASSES; class ++)
        used[class] = work->class_ns[class] != 0;
    code_set(code, &sketch_kernel_classes, used, &set);
    for (uint32_t i = 0; i < set.count; i++)
        code_ns(code, &work->class_ns[set.at[i]], 0);
}

static void code_traits(struct code *code, struct summary_details *summary)
{
    code_bool(code, &summary->has_operators);
    code_bool(code, &summary->has_stacks);
    code_bool(code, &summary->has_graphs);
    code_bool(code, &summary->runs.compiled);
    code_bool(code, &summary->runs.cuda);
    code_bool(code, &summary->runs.hip);
    code_real(code, &summary->ideal_ns);
    code_kept(code, &summary->device);
}

/* ---- operators and kernels ---- */

/* The largest, in their order among all. */
static struct tops largest(const struct tops *all, uint32_t most, struct arena *arena)
{
    struct tops out = *all;
    if (all->count <= most)
        return out;
    struct keyed *order = arena_array(arena, all->count, sizeof *order);
    bool *kept = arena_array(arena, all->count, sizeof *kept);
    const bool device = all->device_ns > 0;
    for (uint32_t i = 0; i < all->count; i++)
        order[i] = (struct keyed){device ? -all->at[i].device_ns : -all->at[i].host_ns, i};
    sort_keyed(order, all->count);
    for (uint32_t i = 0; i < most; i++)
        kept[order[i].row] = true;
    out.at = arena_array(arena, most, sizeof *out.at);
    out.count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (kept[i])
            out.at[out.count++] = all->at[i];
    return out;
}

/* A title is mostly the name. */
static void code_title(struct code *code, struct top *top)
{
    bool other = !str_eq(top->title, top->name);
    code_bool(code, &other);
    if (other)
        code_kept(code, &top->title);
    else
        top->title = top->name;
}

static void code_tops(struct code *code, struct tops *tops)
{
    code_ns(code, &tops->device_ns, 0);
    code_ns(code, &tops->host_ns, 0);
    code_count(code, &tops->count);
    struct top *const at = code_reads(code) ? arena_array(code->arena, tops->count, sizeof *tops->at) : tops->at;
    for (uint32_t i = 0; i < tops->count; i++) {
        struct top top = at[i];
        code_kept(code, &top.name);
        code_title(code, &top);
        code_kept(code, &top.kind);
        code_ns(code, &top.device_ns, 0);
        code_ns(code, &top.host_ns, 0);
        code_bits(code, &top.times);
        if (code_reads(code))
            at[i] = top;
    }
    tops->at = at;
}

/* ---- the events behind the parts ---- */

static void code_place(struct code *code, struct part_place *place)
{
    code_count(code, &place->count);
    uint32_t *const rows = code_reads(code) ? arena_array(code->arena, place->count, sizeof *rows) : NULL;
    for (uint32_t i = 0; i < place->count; i++) {
        uint32_t row = rows ? 0 : place->rows[i];
        code_u32(code, &row, 0);
        if (rows)
            rows[i] = row;
    }
    if (rows)
        place->rows = rows;
    code_kept(code, &place->line);
}

static void code_places(struct code *code, struct part_place places[PARTS])
{
    bool used[PARTS];
    struct code_set set = {0};
    for (int part = 0; part < PARTS; part++)
        used[part] = places[part].count || places[part].line.len;
    code_set(code, &sketch_parts, used, &set);
    for (uint32_t i = 0; i < set.count; i++)
        code_place(code, &places[set.at[i]]);
}

/* ---- the section ---- */

static void code_details(struct code *code, struct summary_details *summary)
{
    code_bool(code, &summary->sketched);
    code_breakdown(code, &summary->breakdown);
    code_work(code, &summary->work);
    code_traits(code, summary);
    code_tops(code, &summary->operators);
    code_tops(code, &summary->kernels);
    code_places(code, summary->places);
}

void summary_sketch_write(const struct summary *summary, const struct sketch_room *room, struct arena *arena,
                          struct sketch *sketch)
{
    struct summary_details kept = *summary_details(summary, arena);
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    if (room) {
        kept.sketched = true;
        kept.operators = largest(&kept.operators, SKETCH_TOPS, arena);
        kept.kernels = largest(&kept.kernels, SKETCH_TOPS, arena);
        memset(kept.places, 0, sizeof kept.places);
    }
    code_details(&code, &kept);
    const struct job_rank rank = {&summary->rank, &summary->verdict, &summary->holdups, &summary->strip,
                                  &summary->responses};
    if (room)
        job_sketch_write_within(&rank, *room, arena, sketch);
    else
        job_sketch_write(&rank, arena, sketch);
    sketch->sections[SKETCH_SUMMARY] = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
}

/* Details in brief. */
struct details_bytes {
    str bytes;
    struct texts *texts;
};

static bool read_details(struct code *code, struct summary_details *out)
{
    *out = (struct summary_details){0};
    code_details(code, out);
    return code_whole(code) && out->breakdown.device_count;
}

static void read_again(const void *of, struct arena *arena, struct summary_details *out)
{
    const struct details_bytes *section = of;
    struct code code = code_brief_reader(section->bytes, section->texts, arena);
    read_details(&code, out);
}

static struct summary_source source_of(struct summary_details *details, struct texts *texts, struct arena *arena)
{
    struct buf bytes = {0};
    struct code code = code_brief_writer(&bytes, texts);
    struct details_bytes *section = arena_alloc(arena, sizeof *section);
    code_details(&code, details);
    *section = (struct details_bytes){str_copy(arena, buf_str(&bytes)), texts};
    buf_free(&bytes);
    return (struct summary_source){read_again, section};
}

/* Where texts are not kept elsewhere the details are, with their texts. */
static bool take_details(const struct sketch *sketch, struct arena *arena, struct summary *out)
{
    struct arena scratch = {0};
    struct arena *const into = sketch->texts ? &scratch : arena;
    struct summary_details *details = arena_alloc(into, sizeof *details);
    struct code code = sketch_section(sketch, SKETCH_SUMMARY, into);
    const bool whole = read_details(&code, details);
    if (!sketch->texts)
        out->details = details;
    else if (whole)
        out->source = source_of(details, sketch->texts, arena);
    arena_free(&scratch);
    return whole;
}

bool summary_sketch_read(const struct sketch *sketch, int64_t rank, struct arena *arena, struct summary *out,
                         struct steptime_error *err)
{
    struct job_numbers job;
    *out = (struct summary){0};
    if (!job_sketch_read(sketch, rank, arena, &job, err))
        return false;
    out->rank = job.numbers;
    out->verdict = job.verdict;
    out->holdups = job.holdups;
    out->strip = job.strip;
    out->responses = job.responses;
    return take_details(sketch, arena, out) ||
           fail(err, STEPTIME_INPUT,
                sketch->sections[SKETCH_SUMMARY].len ? "is a damaged sketch" : "is a sketch without a summary");
}
