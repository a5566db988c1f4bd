/* SPDX-License-Identifier: Apache-2.0 */
#include "features.h"

#include <math.h>

#include "ops/rows/collective.h"
#include "ops/operators/op_costs.h"
#include "ops/rows/phase.h"
#include "ops/rows/work.h"
#include "ops/words/family.h"
#include "ops/words/shape.h"

/* What is known of a trace while its sums are taken. */
struct taking {
    const struct trace *trace;
    const struct work_classes *classes;
    const struct op_costs *costs;
    const uint8_t *phases;
    struct step_range range;
    struct arena scratch;
    struct rank_features *out;
};

static bool in_steps(const struct taking *t, uint32_t step)
{
    return step != STEP_NONE && step - t->range.first < t->range.count;
}

/* ---- operators ---- */

/* The first argument of a lookup is its table: rows and width. */
static void add_lookup(struct taking *t, uint32_t row)
{
    struct shape shape;
    struct text_list types;
    if (t->phases[row] != PHASE_FORWARD || operator_family(trace_name(t->trace, row)) != FAMILY_EMBEDDING)
        return;
    t->out->looks_up = true;
    if (!op_costs_counts(t->costs, row) ||
        !shape_parse(trace_attr_text(t->trace, row, ATTR_INPUT_DIMS), &t->scratch, &shape) || !shape.count ||
        !text_list_parse(trace_attr_text(t->trace, row, ATTR_INPUT_TYPES), &t->scratch, &types) ||
        shape.arguments[0].count != 1 || shape.arguments[0].tensors[0].rank != 2)
        return;
    const int64_t elements = dims_elements(shape.arguments[0].tensors[0]);
    if (elements > 0)
        t->out->table_bytes += (double)elements * (double)dtype_bytes(dtype_of_word(text_list_at(&types, 0)));
}

/* Products are compute-bound and give their arithmetic; all others are memory-bound and give their bytes. */
static void add_operator(struct taking *t, uint32_t row)
{
    add_lookup(t, row);
    if (!op_costs_counts(t->costs, row))
        return;
    const struct op_cost cost = op_costs_at(t->costs, row);
    t->out->operators++;
    t->out->without_shapes += cost.flops < 0 || cost.bytes < 0;
    if (cost.matrix)
        t->out->flops += cost.flops > 0 ? (double)cost.flops : 0;
    else
        t->out->memory_bytes += cost.bytes > 0 ? (double)cost.bytes : 0;
}

/* Adam and its like keep two numbers a weight; any other optimizer is taken to keep one, a momentum. */
static void look_at_optimizer(struct taking *t, uint32_t row)
{
    const str name = trace_name(t->trace, row);
    if (t->phases[row] != PHASE_OPTIMIZER && !str_starts(name, S("Optimizer.step#")))
        return;
    const double slots = str_has_nocase(name, S("adam")) || str_has_nocase(name, S("lamb")) ? 2 : 1;
    if (slots > t->out->optimizer_slots)
        t->out->optimizer_slots = slots;
}

static void add_host_rows(struct taking *t)
{
    for (uint32_t row = 0; row < t->trace->count; row++) {
        const enum event_kind kind = t->trace->kind[row];
        if ((kind != EVENT_OPERATOR && kind != EVENT_ANNOTATION) || !in_steps(t, trace_step(t->trace, row)))
            continue;
        if (kind == EVENT_OPERATOR)
            add_operator(t, row);
        look_at_optimizer(t, row);
    }
}

/* ---- copies ---- */

static void add_copies(struct taking *t)
{
    for (uint32_t row = 0; row < t->trace->count; row++) {
        if (t->trace->kind[row] != EVENT_COPY || work_copy_direction(t->classes, row) != COPY_H2D ||
            !in_steps(t, trace_step(t->trace, row)))
            continue;
        const int64_t bytes = trace_attr_or(t->trace, row, ATTR_BYTES, 0);
        t->out->input_bytes += bytes > 0 ? (double)bytes : 0;
    }
}

/* ---- collectives ---- */

static enum exchange_use use_of(const struct taking *t, const struct collective *c)
{
    if (c->kind == COLLECTIVE_ALL_REDUCE)
        return t->phases[c->row] == PHASE_FORWARD ? USE_TENSOR : USE_REDUCED;
    if (c->kind == COLLECTIVE_ALL_TO_ALL)
        return USE_EXCHANGED;
    return c->kind == COLLECTIVE_POINT_TO_POINT ? USE_PASSED_ON : USE_PARTED;
}

/* Both ways of a ring are counted, as the paper does; a message that is passed on is sent once. */
static void add_exchange(struct taking *t, const struct collective *c, int64_t ranks)
{
    const enum exchange_use use = use_of(t, c);
    const int64_t bytes = ranks > 1 ? collective_bytes(c, ranks) : -1;
    t->out->exchange_ns[use] += c->dur_ns > 0 ? (double)c->dur_ns : 1;
    if (bytes <= 0)
        return;
    t->out->traffic[use] += (use == USE_PASSED_ON ? 1 : 2) * collective_bus_factor(c->kind, ranks) * (double)bytes;
    t->out->reduced_bytes += use == USE_REDUCED ? (double)bytes : 0;
}

static void add_collectives(struct taking *t)
{
    const struct collectives all = collectives_of(t->trace, t->classes, &t->scratch);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct collective *c = &all.at[i];
        const int64_t recorded = all.groups[c->group].size;
        const int64_t ranks = recorded > 0 ? recorded : t->trace->info.world_size;
        if (c->kind == COLLECTIVE_BARRIER || !in_steps(t, c->step))
            continue;
        if (ranks > t->out->largest_group)
            t->out->largest_group = ranks;
        add_exchange(t, c, ranks);
    }
}

/* ---- a rank ---- */

static void divide_by_steps(struct rank_features *f)
{
    double *const sums[] = {&f->input_bytes, &f->flops, &f->memory_bytes, &f->reduced_bytes, &f->table_bytes};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        *sums[i] /= f->steps;
    for (int use = 0; use < EXCHANGE_USES; use++) {
        f->traffic[use] /= f->steps;
        f->exchange_ns[use] /= f->steps;
    }
}

static void describe(struct taking *t, struct arena *arena)
{
    const struct trace *trace = t->trace;
    struct rank_features *out = t->out;
    int64_t *devices, start_ns = trace->steps[t->range.first].start_ns;
    out->rank = trace->info.rank;
    out->world_size = trace->info.world_size;
    out->host = str_copy(arena, trace->info.host);
    out->devices = trace_devices(trace, &t->scratch, &devices);
    out->annotated = trace->step_source != STEPS_NONE;
    out->steps = t->range.count;
    out->step_ms = (double)(trace->steps[t->range.first + t->range.count - 1].end_ns - start_ns) / 1e6 / out->steps;
    for (uint32_t i = 0; i < trace->info.device_count && out->devices; i++)
        if (trace->info.devices[i].id == devices[0])
            out->gpu = str_copy(arena, trace->info.devices[i].name);
}

void rank_features_of(const struct trace *trace, const struct selection *selection, struct arena *arena,
                      struct rank_features *features)
{
    *features = (struct rank_features){.rank = trace->info.rank, .world_size = trace->info.world_size};
    struct taking t = {.trace = trace, .range = selection_steps(trace, selection), .out = features};
    if (!t.range.count)
        return;
    t.classes = work_classes_new(trace, &t.scratch);
    t.costs = op_costs_new(trace, &t.scratch);
    t.phases = phases_of(trace, &t.scratch);
    describe(&t, arena);
    add_host_rows(&t);
    add_copies(&t);
    add_collectives(&t);
    divide_by_steps(features);
    arena_free(&t.scratch);
}
