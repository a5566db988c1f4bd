/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "alone.h"
#include "base/intern.h"
#include "model/tables/table_lines.h"

/* ---- names and sizes, which versions of PyTorch write otherwise ---- */

static str without(str name, str prefix)
{
    return str_starts(name, prefix) ? str_from(name, prefix.len) : name;
}

/*
 * Of a node of autograd its own name, without the number that tells nodes of one name apart: older versions have no
 * function around it, and call it by its library. A view of a tensor without data is a node of its own (price.md).
 */
static str key_of(str name)
{
    str key = without(name, S("autograd::engine::evaluate_function: "));
    key = without(without(without(key, S("torch::autograd::")), S("Cudnn")), S("Native"));
    while (key.len > 1 && !str_starts(key, S("aten::")) && key.at[key.len - 1] >= '0' && key.at[key.len - 1] <= '9')
        key.len--;
    return str_eq(key, S("ReshapeAliasBackward")) ? S("ViewBackward") : key;
}

/* Sizes as far as both tell them, blanks aside: one version writes more arguments than another. */
static bool same_sizes(str a, str b)
{
    size_t i = 0, k = 0;
    while (i + 1 < a.len && k + 1 < b.len) {
        if (char_is_blank(a.at[i]))
            i++;
        else if (char_is_blank(b.at[k]))
            k++;
        else if (a.at[i++] != b.at[k++])
            return false;
    }
    return true;
}

/* ---- what was said ---- */

struct saying {
    struct check_side *side;
    struct arena *arena;
};

static struct check_call said_call(const struct plan *plan, const struct walked *walked, uint32_t at,
                                   struct arena *arena)
{
    const struct plan_op *const op = &plan->ops[at];
    const struct program_op *const of = op->op == OP_NONE ? NULL : &plan->program->ops[op->op];
    struct check_call call = {.name = of ? str_copy(arena, of->name) : S("outside any operator"),
                              .dims = of ? str_copy(arena, of->arguments.dims) : S(""),
                              .host_us = walked->op_end_us[at] - walked->op_start_us[at]};
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++) {
        const struct plan_launch *const launch = &plan->launches[i];
        call.launches++;
        call.device_us += launch->us;
        call.kernel = launch->kernel;
        call.has_kernel = launch->has_kernel;
    }
    call.has_kernel = call.has_kernel && call.launches == 1;
    call.kernel.variant = str_copy(arena, call.kernel.variant); /* the plan goes */
    return call;
}

static void take_said(void *context, const struct predict_seen *seen)
{
    const struct saying *const saying = context;
    struct check_side *const side = saying->side;
    side->calls = arena_array(saying->arena, seen->plan->count, sizeof *side->calls);
    side->count = 0;
    for (uint32_t i = 0; i < seen->plan->count; i++)
        if (!seen->plan->ops[i].gone)
            side->calls[side->count++] = said_call(seen->plan, seen->walked, i, saying->arena);
}

static double host_of(const struct check_side *side)
{
    double us = 0;
    for (uint32_t i = 0; i < side->count; i++)
        us += side->calls[i].host_us;
    return us;
}

bool check_said(const struct predict_source *source, const struct predict_asked *asked, const struct hardware *hardware,
                struct arena *arena, struct check_side *side, struct steptime_error *err)
{
    struct saying saying = {side, arena};
    const struct alone with = {.hardware = hardware, .seen = take_said, .seen_context = &saying};
    struct alone_step step;
    *side = (struct check_side){0};
    if (!step_alone(source, asked, &with, &step, err))
        return false;
    side->step_us = step.step_us;
    side->active_us = step.active_us;
    side->host_us = host_of(side);
    return true;
}

/* ---- what was recorded ---- */

static double us_of(int64_t ns)
{
    return ns > 0 ? (double)ns / 1e3 : 0;
}

static void add_launches(const struct program *program, uint32_t first, uint32_t count, struct check_call *call)
{
    for (uint32_t i = first; i < first + count; i++) {
        call->launches++;
        call->device_us += us_of(program->launches[i].dur_ns);
    }
}

static struct check_call outside(const struct program *program)
{
    struct check_call call = {.name = S("outside any operator"), .dims = S("")};
    for (uint32_t i = 0; i < program->launch_count; i++)
        if (program->launches[i].op == OP_NONE)
            add_launches(program, i, 1, &call);
    return call;
}

struct check_side check_recorded(const struct program *program, struct arena *arena)
{
    struct check_side side = {.calls = arena_array(arena, (size_t)program->count + 1, sizeof *side.calls),
                              .step_us = us_of(program->wall_ns),
                              .active_us = us_of(program->active_ns)};
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_op *const op = &program->ops[i];
        if (!program_is_top(program, i))
            continue;
        struct check_call call = {.name = str_copy(arena, op->name),
                                  .dims = str_copy(arena, op->arguments.dims),
                                  .host_us = us_of(op->dur_ns)};
        add_launches(program, op->first_launch, op->launches, &call);
        side.calls[side.count++] = call;
    }
    const struct check_call rest = outside(program);
    if (rest.launches)
        side.calls[side.count++] = rest;
    side.host_us = host_of(&side);
    return side;
}

/* ---- by name ---- */

static double difference(const struct check_row *row)
{
    return fabs(row->said_device_us - row->real_device_us) + fabs(row->said_host_us - row->real_host_us);
}

static int by_difference(const void *a, const void *b)
{
    const double x = difference(a), y = difference(b);
    return x != y ? (x < y) - (x > y)
                  : str_cmp(((const struct check_row *)a)->name, ((const struct check_row *)b)->name);
}

struct check_row *check_rows(const struct check_side *said, const struct check_side *real, struct arena *arena,
                             uint32_t *count)
{
    struct intern *const names = intern_new();
    struct check_row *const rows = arena_array(arena, (size_t)said->count + real->count + 1, sizeof *rows);
    for (uint32_t i = 0; i < said->count; i++) {
        struct check_row *const row = &rows[intern_id(names, key_of(said->calls[i].name))];
        row->name = said->calls[i].name;
        row->said_calls++;
        row->said_device_us += said->calls[i].device_us;
        row->said_host_us += said->calls[i].host_us;
    }
    for (uint32_t i = 0; i < real->count; i++) {
        struct check_row *const row = &rows[intern_id(names, key_of(real->calls[i].name))];
        row->name = real->calls[i].name;
        row->real_calls++;
        row->real_device_us += real->calls[i].device_us;
        row->real_host_us += real->calls[i].host_us;
    }
    *count = intern_count(names) - 1; /* the first is the empty text */
    intern_free(names);
    qsort(rows + 1, *count, sizeof *rows, by_difference);
    return rows + 1;
}

/* ---- kernels for calibrate ---- */

struct pairs {
    const struct check_side *said, *real;
    uint32_t *of; /* by said call: the real one; UINT32_MAX */
};

/* The calls of a name, each with the one that is as many behind the first on the other side, where both have as many. */
static void pair(struct pairs *pairs, struct arena *scratch)
{
    struct intern *const names = intern_new();
    const size_t room = (size_t)pairs->said->count + pairs->real->count + 1;
    uint32_t *const said = arena_array(scratch, room, sizeof *said), *const real =
                                                                         arena_array(scratch, room, sizeof *real);
    uint32_t *const first = arena_array(scratch, room, sizeof *first);
    uint32_t *const next = arena_array(scratch, room, sizeof *next);
    for (uint32_t i = 0; i < pairs->said->count; i++)
        said[intern_id(names, key_of(pairs->said->calls[i].name))]++;
    for (uint32_t i = pairs->real->count; i-- > 0;) { /* lists of the real ones by name, from 1 on */
        const uint32_t id = intern_id(names, key_of(pairs->real->calls[i].name));
        real[id]++;
        next[i] = first[id];
        first[id] = i + 1;
    }
    for (uint32_t i = 0; i < pairs->said->count; i++) {
        const uint32_t id = intern_id(names, key_of(pairs->said->calls[i].name));
        pairs->of[i] = said[id] == real[id] ? first[id] - 1 : UINT32_MAX;
        if (said[id] == real[id])
            first[id] = next[first[id] - 1];
    }
    intern_free(names);
}

static bool is_measured(const struct check_call *said, const struct check_call *real)
{
    return said->has_kernel && real->launches == 1 && real->device_us > 0 &&
           (!said->dims.len || !real->dims.len || same_sizes(said->dims, real->dims));
}

struct mean {
    const struct kernel *kernel;
    double us;
    uint32_t count;
};

static uint32_t gather(const struct pairs *pairs, str device, struct mean *means, const struct kernel **kernels,
                       struct arena *scratch)
{
    struct intern *const texts = intern_new();
    for (uint32_t i = 0; i < pairs->said->count; i++) {
        const struct check_call *const said = &pairs->said->calls[i];
        if (pairs->of[i] == UINT32_MAX || !is_measured(said, &pairs->real->calls[pairs->of[i]]))
            continue;
        const struct kernel *const one = &said->kernel;
        const struct table_lines lines = table_lines_of(&one, 1);
        struct mean *const mean = &means[intern_id(texts, table_line(&lines, one, device, 0, scratch)) - 1];
        mean->kernel = one;
        mean->us += pairs->real->calls[pairs->of[i]].device_us;
        mean->count++;
    }
    const uint32_t count = intern_count(texts) - 1;
    for (uint32_t i = 0; i < count; i++)
        kernels[i] = means[i].kernel;
    intern_free(texts);
    return count;
}

uint32_t check_table(const struct check_side *said, const struct check_side *real, str device, struct buf *table)
{
    struct arena scratch = {0};
    struct pairs pairs = {said, real, arena_array(&scratch, said->count, sizeof *pairs.of)};
    struct mean *const means = arena_array(&scratch, said->count, sizeof *means);
    const struct kernel **const kernels = arena_array(&scratch, said->count, sizeof *kernels);
    pair(&pairs, &scratch);
    const uint32_t count = gather(&pairs, device, means, kernels, &scratch);
    const struct table_lines lines = table_lines_of(kernels, count);
    buf_add(table, table_lines_header(&lines, &scratch));
    buf_char(table, '\n');
    for (uint32_t i = 0; i < count; i++) {
        buf_add(table, table_line(&lines, kernels[i], device, means[i].us / means[i].count, &scratch));
        buf_char(table, '\n');
    }
    arena_free(&scratch);
    return count;
}
