/* SPDX-License-Identifier: Apache-2.0 */
/* torch-tb-profiler 0.4.3, the TensorBoard plug-in: the step time of its overview by role, in order of priority. */
#include "as.h"
#include "as_tensorboard_steps.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/span.h"

enum role { KERNEL, MEMCPY, MEMSET, COMMUNICATION, RUNTIME, DATA_LOADER, CPU_OP, ROLES, OTHER = ROLES, PARTS_OF_STEP };

static const char *const role_words[PARTS_OF_STEP] = {"Kernel",  "Memcpy",     "Memset", "Communication",
                                                      "Runtime", "DataLoader", "CpuOp",  "Other"};

/* ---- events ---- */

enum tb_kind { DROPPED, OP, STEP, ANNOTATION, ON_RUNTIME, ON_KERNEL, ON_MEMCPY, ON_MEMSET };

static const struct {
    const char *category; /* in lower case */
    enum tb_kind kind;
} kinds[] = {
    {"cpu_op", OP},
    {"operator", OP},
    {"python", OP},
    {"runtime", ON_RUNTIME},
    {"kernel", ON_KERNEL},
    {"memcpy", ON_MEMCPY},
    {"gpu_memcpy", ON_MEMCPY},
    {"memset", ON_MEMSET},
    {"gpu_memset", ON_MEMSET},
    {"user_annotation", ANNOTATION},
    {"gpu_user_annotation", ANNOTATION},
};

static bool is_collective(str name)
{
    static const char *const names[] = {"broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"};
    if (!str_starts(name, S("nccl:")) && !str_starts(name, S("gloo:")))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(str_from(name, 5), str_of(names[i])))
            return true;
    return false;
}

static enum tb_kind kind_of_category(str category)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (category.len == strlen(kinds[i].category) && str_starts_nocase(category, str_of(kinds[i].category)))
            return kinds[i].kind;
    return DROPPED;
}

static enum tb_kind kind_of(const struct trace *trace, uint32_t row)
{
    const enum tb_kind kind = kind_of_category(as_category(trace, row));
    if ((kind == OP || kind == ANNOTATION) && str_starts(trace_name(trace, row), S("ProfilerStep#")))
        return STEP;
    return kind == ANNOTATION && !is_collective(trace_name(trace, row)) ? DROPPED : kind;
}

/* ---- roles ---- */

struct overview {
    const struct trace *trace;
    struct arena *arena;
    uint8_t *kinds;            /* by row */
    struct map collective_ids; /* external ids of collectives */
    struct spans roles[ROLES];
    struct tb_steps steps;
};

/* A missing id is an id too. */
static int64_t external_id(const struct trace *trace, uint32_t row)
{
    return trace_attr_or(trace, row, ATTR_EXTERNAL_ID, INT64_MIN);
}

static bool is_loader(str name)
{
    return (str_starts(name, S("enumerate(DataLoader)#")) && str_ends(name, S(".__next__"))) ||
           str_starts(name, S("enumerate(DataPipe)#"));
}

static enum role role_of(const struct overview *o, uint32_t row)
{
    const str name = trace_name(o->trace, row);
    switch ((enum tb_kind)o->kinds[row]) {
    case ON_KERNEL:
        return map_get(&o->collective_ids, external_id(o->trace, row)) != MAP_NONE ? COMMUNICATION : KERNEL;
    case ON_MEMCPY:
        return MEMCPY;
    case ON_MEMSET:
        return MEMSET;
    case ON_RUNTIME:
        return RUNTIME;
    case OP:
        if (is_loader(name))
            return DATA_LOADER;
        return is_collective(name) ? COMMUNICATION : CPU_OP;
    case ANNOTATION:
        return COMMUNICATION;
    default:
        return ROLES;
    }
}

static void judge_rows(struct overview *o)
{
    o->kinds = arena_alloc(o->arena, o->trace->count);
    for (uint32_t row = 0; row < o->trace->count; row++) {
        o->kinds[row] = (uint8_t)kind_of(o->trace, row);
        if ((o->kinds[row] == OP || o->kinds[row] == ANNOTATION) && is_collective(trace_name(o->trace, row)))
            map_put(&o->collective_ids, external_id(o->trace, row), 1);
    }
}

static void find_roles(struct overview *o)
{
    for (uint32_t row = 0; row < o->trace->count; row++) {
        const enum role role = role_of(o, row);
        if (role != ROLES)
            spans_add(&o->roles[role], as_start_ns(o->trace, row), as_end_ns(o->trace, row));
    }
    for (int role = 0; role < ROLES; role++)
        spans_tidy(&o->roles[role]);
}

/* ---- steps ---- */

static int64_t step_number(const struct trace *trace, uint32_t row)
{
    str rest = str_from(trace_name(trace, row), S("ProfilerStep#").len), number;
    int64_t value = 0;
    return str_cut(&rest, '#', &number) && str_int(str_trim(number), &value) ? value : 0;
}

static void one_step(struct overview *o)
{
    struct tb_step *step = &o->steps.at[0];
    *step = (struct tb_step){.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    for (uint32_t row = 0; row < o->trace->count; row++) {
        if (o->kinds[row] != OP)
            continue;
        const int64_t start = as_start_ns(o->trace, row), end = as_end_ns(o->trace, row);
        step->start_ns = start < step->start_ns ? start : step->start_ns;
        step->end_ns = end > step->end_ns ? end : step->end_ns;
    }
    o->steps.count = 1;
    if (step->start_ns > step->end_ns)
        *step = (struct tb_step){0}; /* its limits are then 2^63 the wrong way round, and its numbers mean nothing */
}

static void find_steps(struct overview *o)
{
    struct keyed *order = arena_array(o->arena, o->trace->count, sizeof *order);
    uint32_t count = 0;
    for (uint32_t row = 0; row < o->trace->count; row++)
        if (o->kinds[row] == STEP)
            order[count++] = (struct keyed){o->trace->start_ns[row], row};
    sort_keyed(order, count);
    o->steps.at = arena_array(o->arena, count ? count : 1, sizeof *o->steps.at);
    for (uint32_t i = 0; i < count; i++)
        o->steps.at[i] = (struct tb_step){.start_ns = as_start_ns(o->trace, order[i].row),
                                          .end_ns = as_end_ns(o->trace, order[i].row),
                                          .number = step_number(o->trace, order[i].row)};
    o->steps.count = count;
    if (!count)
        one_step(o);
    tb_move_steps(o->trace, &o->steps);
}

/* ---- costs ---- */

static struct spans windows_of(const struct tb_steps *steps)
{
    struct spans windows = {0};
    for (uint32_t i = 0; i < steps->count; i++)
        spans_add(&windows, steps->at[i].start_ns, steps->at[i].end_ns);
    spans_tidy(&windows);
    return windows;
}

/* What of the steps falls to each role in turn. Where earlier roles used the steps up, it begins again with all of them. */
static void share_out(const struct overview *o, struct spans parts[PARTS_OF_STEP])
{
    struct spans slots = {0}, rest = {0};
    for (int role = 0; role < ROLES; role++) {
        if (slots.count) {
            spans_and(&slots, &o->roles[role], &parts[role]);
        } else {
            spans_union(&o->roles[role], &(struct spans){0}, &parts[role]);
            spans_free(&slots);
            slots = windows_of(&o->steps);
        }
        spans_minus(&slots, &parts[role], &rest);
        const struct spans swap = slots;
        slots = rest;
        rest = swap;
    }
    parts[OTHER] = slots;
    spans_free(&rest);
}

/* ---- output ---- */

struct output {
    const struct overview *o;
    struct as_result *result;
    struct arena *arena;                /* of the result */
    const struct spans *parts;          /* [PARTS_OF_STEP] */
    const struct spans *compute, *both; /* kernels (operators where there is none); those with communication */
    int64_t sums[PARTS_OF_STEP + 1];    /* the last one: Total */
};

static void add(struct output *to, str prefix, const char *word, double ns)
{
    const str name = str_printf(to->o->arena, "%.*s.%s", (int)prefix.len, prefix.at, word);
    as_add(to->result, to->arena, name, ns / 1000, "us");
}

static int64_t within(const struct spans *set, const struct tb_step *step)
{
    return spans_length_within(set, step->start_ns, step->end_ns);
}

static void add_costs(struct output *to, const struct tb_step *step, str prefix)
{
    for (int part = 0; part < PARTS_OF_STEP; part++) {
        const int64_t ns = within(&to->parts[part], step);
        to->sums[part] += ns;
        add(to, prefix, role_words[part], (double)ns);
    }
    to->sums[PARTS_OF_STEP] += step->end_ns - step->start_ns;
    add(to, prefix, "Total", (double)(step->end_ns - step->start_ns));
}

static void add_overlap(struct output *to, const struct tb_step *step, str prefix)
{
    const struct spans *communication = &to->o->roles[COMMUNICATION];
    if (!communication->count)
        return;
    const int64_t compute = within(to->compute, step), wire = within(communication, step),
                  both = within(to->both, step);
    add(to, prefix, "comm_computation", (double)compute);
    add(to, prefix, "comm_communication", (double)wire);
    add(to, prefix, "comm_overlap", (double)both);
    add(to, prefix, "comm_other", (double)(step->end_ns - step->start_ns + both - compute - wire));
}

/* "step3", and "step3#2" for the second step of that number. */
static str step_word(const struct overview *o, const struct tb_step *step, struct map *seen)
{
    const uint32_t before = map_get(seen, step->number);
    map_put(seen, step->number, before == MAP_NONE ? 1 : before + 1);
    if (before == MAP_NONE)
        return str_printf(o->arena, "step%lld", (long long)step->number);
    return str_printf(o->arena, "step%lld#%u", (long long)step->number, before + 1);
}

static void add_steps(struct output *to)
{
    struct map seen = {0};
    const struct tb_steps *steps = &to->o->steps;
    as_add(to->result, to->arena, S("steps"), steps->count, "count");
    for (uint32_t i = 0; i < steps->count; i++) {
        const str prefix = step_word(to->o, &steps->at[i], &seen);
        add_costs(to, &steps->at[i], prefix);
        add_overlap(to, &steps->at[i], prefix);
    }
    for (int part = 0; part <= PARTS_OF_STEP && steps->count; part++)
        add(to, S("average"), part < PARTS_OF_STEP ? role_words[part] : "Total", (double)to->sums[part] / steps->count);
    map_free(&seen);
}

static void take_figures(const struct output *to)
{
    struct as_rank *figures = &to->result->figures;
    figures->span_ns = to->sums[PARTS_OF_STEP];
    figures->compute_ns = to->sums[KERNEL];
    figures->communication_ns = figures->exposed_communication_ns = to->sums[COMMUNICATION];
    figures->memory_ns = to->sums[MEMCPY] + to->sums[MEMSET];
    figures->busy_ns = figures->compute_ns + figures->communication_ns + figures->memory_ns;
    figures->idle_ns = figures->span_ns - figures->busy_ns;
    to->result->steps = to->o->steps.count;
}

static void add_all(const struct overview *o, struct as_result *result, struct arena *arena)
{
    struct spans parts[PARTS_OF_STEP] = {0}, both = {0};
    const struct spans *compute = o->roles[KERNEL].count ? &o->roles[KERNEL] : &o->roles[CPU_OP];
    share_out(o, parts);
    spans_and(compute, &o->roles[COMMUNICATION], &both);
    struct output to = {.o = o, .result = result, .arena = arena, .parts = parts, .compute = compute, .both = &both};
    add_steps(&to);
    take_figures(&to);
    for (int part = 0; part < PARTS_OF_STEP; part++)
        spans_free(&parts[part]);
    spans_free(&both);
}

static void run(const struct trace *trace, struct arena *arena, struct as_result *result)
{
    struct arena scratch = {0};
    struct overview o = {.trace = trace, .arena = &scratch};
    judge_rows(&o);
    find_roles(&o);
    find_steps(&o);
    add_all(&o, result, arena);
    for (int role = 0; role < ROLES; role++)
        spans_free(&o.roles[role]);
    map_free(&o.collective_ids);
    arena_free(&scratch);
}

const struct as_tool as_tensorboard = {"tensorboard", "the TensorBoard plug-in 0.4.3", run};
