/* SPDX-License-Identifier: Apache-2.0 */
#include "signs.h"

#include "base/hash.h"
#include "base/mem.h"
#include "period.h"

/* ---- names ---- */

static bool starts_with_any(str name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (str_starts(name, str_of(*prefixes)))
            return true;
    return false;
}

static const char *const communication[] = {"nccl:", "gloo:", "mpi:", "ucc:", "c10d::", NULL};

static const char *const loading[] = {"enumerate(DataLoader)#", NULL};

/* Ranges that PyTorch writes by itself: their sources are others, or they say nothing of steps. */
static const char *const written_by_torch[] = {
    "enumerate(",
    "nccl:",
    "gloo:",
    "mpi:",
    "ucc:",
    "c10d::",
    "Optimizer.",
    "ProfilerStep",
    "PyTorch ",
    "## Call",
    "Torch-Compiled ",
    "TorchDynamo",
    "CompiledFunction",
    NULL,
};

static const char *const engine_ranges[] = {
    "execute_context_", "execute_new_", "execute_model", "step[", "[Executor] _forward_step", NULL};

/* "execute_128_context_1(...)": newer ones put the number of tokens first. */
static bool names_engine_step(str name)
{
    const str tokens = str_starts(name, S("execute_")) ? str_from(name, S("execute_").len) : S("");
    return (tokens.len && tokens.at[0] >= '0' && tokens.at[0] <= '9') || starts_with_any(name, engine_ranges);
}

static bool names_communication(str name)
{
    return starts_with_any(name, communication);
}

static bool names_loading(str name)
{
    return starts_with_any(name, loading);
}

static bool names_graph_launch(str name)
{
    return str_has(name, S("GraphLaunch"));
}

/* One kernel over the tensors of a list: optimizers of PyTorch, of Apex and DeepSpeed, and what is done to all gradients at once. */
static bool names_update(str name)
{
    return str_has(name, S("multi_tensor_apply"));
}

static bool names_module(str name)
{
    return str_starts(name, S("nn.Module: "));
}

static bool names_range(str name)
{
    return !starts_with_any(name, written_by_torch);
}

/* By text id, whether the name is one of those. */
static const uint8_t *flag_texts(const struct trace *t, bool (*is)(str), struct arena *arena)
{
    const uint32_t count = trace_text_count(t);
    uint8_t *flag = arena_alloc(arena, count);
    for (uint32_t id = 0; id < count; id++)
        flag[id] = is(trace_text(t, id));
    return flag;
}

/* ---- symbols ---- */

/* Of the name with every run of digits as one: "decode 17" is "decode 18" again. */
static uint64_t numberless(const struct trace *t, uint32_t row)
{
    const str name = trace_name(t, row);
    uint64_t hash = 0;
    bool number = false;
    for (size_t i = 0; i < name.len; i++) {
        const bool digit = name.at[i] >= '0' && name.at[i] <= '9';
        if (!digit || !number)
            hash = hash_add(hash, digit ? '0' : (uint8_t)name.at[i]);
        number = digit;
    }
    return hash;
}

static uint64_t by_name(const struct trace *t, uint32_t row)
{
    return t->name[row];
}

static uint64_t by_nothing(const struct trace *t, uint32_t row)
{
    (void)t, (void)row;
    return 0;
}

/* A graph has no name: it is told by how much it puts on the device, and by what comes first. */
static uint64_t by_graph(const struct trace *t, uint32_t row)
{
    const struct rows work = trace_caused(t, row);
    return work.count ? hash_add(work.count, t->name[work.at[0]]) : 0;
}

static uint64_t by_work(const struct trace *t, uint32_t row)
{
    return t->name[trace_caused(t, row).at[0]];
}

static uint64_t by_name_and_sizes(const struct trace *t, uint32_t row)
{
    return hash_add(t->name[row], (uint64_t)trace_attr_or(t, row, ATTR_INPUT_DIMS, 0));
}

/* ---- taking ---- */

static void take(const struct trace *t, struct signs *signs, uint32_t row,
                 uint64_t (*symbol)(const struct trace *, uint32_t))
{
    signs->rows = mem_grow(signs->rows, &signs->rows_room, signs->count + 1, sizeof *signs->rows);
    signs->symbols = mem_grow(signs->symbols, &signs->symbols_room, signs->count + 1, sizeof *signs->symbols);
    signs->rows[signs->count] = row;
    signs->symbols[signs->count++] = symbol(t, row);
}

struct wanted {
    const uint8_t *flag;
    uint64_t kinds; /* bit a kind */
    uint64_t (*symbol)(const struct trace *, uint32_t);
    bool outermost; /* of its nest; else only not inside of another sign */
};

#define KIND(kind) ((uint64_t)1 << (kind))

static const uint64_t ranges = KIND(EVENT_ANNOTATION) | KIND(EVENT_OPERATOR) | KIND(EVENT_OTHER);

static bool is_wanted(const struct trace *t, const struct wanted *wanted, uint32_t row, int64_t until_ns)
{
    return wanted->kinds >> t->kind[row] & 1 && wanted->flag[t->name[row]] && t->start_ns[row] >= until_ns &&
           (!wanted->outermost || t->parent[row] == ROW_NONE);
}

static void take_nest(const struct trace *t, struct rows rows, const struct wanted *wanted, struct signs *signs)
{
    int64_t until_ns = 0;
    for (uint32_t i = 0; i < rows.count; i++)
        if (is_wanted(t, wanted, rows.at[i], until_ns)) {
            take(t, signs, rows.at[i], wanted->symbol);
            until_ns = trace_end_ns(t, rows.at[i]);
        }
}

/* Those of one lane, each behind the end of the one before; of the first nest that has any: others say it once more. */
static void take_lane(const struct trace *t, uint32_t lane, const struct wanted *wanted, struct signs *signs)
{
    *signs = (struct signs){.lane = lane};
    for (int nest = 0; nest < NESTS && !signs->count; nest++)
        take_nest(t, trace_rows(t, lane, (enum nest)nest), wanted, signs);
}

static int64_t time_of(const struct trace *t, const struct signs *signs)
{
    int64_t ns = 0;
    for (size_t i = 0; i < signs->count; i++)
        ns += t->dur_ns[signs->rows[i]] + 1;
    return ns;
}

/* Whether a sign runs while an equal one does on the other lane. Both are in order of time. */
static bool run_together(const struct trace *t, const struct signs *a, const struct signs *b)
{
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        const uint32_t x = a->rows[i], y = b->rows[k];
        if (trace_end_ns(t, x) <= t->start_ns[y])
            i++;
        else if (trace_end_ns(t, y) <= t->start_ns[x])
            k++;
        else if (a->symbols[i] == b->symbols[k])
            return true;
        else if (trace_end_ns(t, x) < trace_end_ns(t, y))
            i++;
        else
            k++;
    }
    return false;
}

/* Those of the lane where they take most of the time. */
static void take_busiest(const struct trace *t, struct wanted wanted, struct signs *signs)
{
    for (uint32_t lane = 0; lane < t->lane_count; lane++) {
        struct signs other;
        if (t->lanes[lane].device)
            continue;
        take_lane(t, lane, &wanted, &other);
        const bool overlap = signs->overlap || run_together(t, signs, &other);
        if (time_of(t, &other) > time_of(t, signs)) {
            const struct signs less = *signs;
            *signs = other;
            other = less;
        }
        signs->overlap = overlap;
        signs_free(&other);
    }
}

static void find_named(const struct trace *t, bool (*is)(str), struct wanted wanted, struct signs *signs)
{
    struct arena scratch = {0};
    wanted.flag = flag_texts(t, is, &scratch);
    take_busiest(t, wanted, signs);
    arena_free(&scratch);
}

/* ---- the sources ---- */

static void find_engine(const struct trace *t, struct signs *signs)
{
    find_named(t, names_engine_step, (struct wanted){.kinds = ranges, .symbol = by_nothing}, signs);
}

static void find_ranges(const struct trace *t, struct signs *signs)
{
    find_named(t, names_range,
               (struct wanted){.kinds = KIND(EVENT_ANNOTATION), .symbol = numberless, .outermost = true}, signs);
}

static void find_modules(const struct trace *t, struct signs *signs)
{
    find_named(t, names_module, (struct wanted){.kinds = KIND(EVENT_PYTHON), .symbol = by_name}, signs);
}

static void find_graphs(const struct trace *t, struct signs *signs)
{
    find_named(t, names_graph_launch, (struct wanted){.kinds = KIND(EVENT_RUNTIME), .symbol = by_graph}, signs);
}

static void find_loading(const struct trace *t, struct signs *signs)
{
    find_named(t, names_loading, (struct wanted){.kinds = ranges, .symbol = by_nothing}, signs);
}

static void find_collectives(const struct trace *t, struct signs *signs)
{
    find_named(t, names_communication, (struct wanted){.kinds = ranges, .symbol = by_name_and_sizes}, signs);
}

static void find_operators(const struct trace *t, struct signs *signs)
{
    if (trace_main_lane(t) == LANE_NONE)
        return;
    struct arena scratch = {0};
    uint8_t *all = arena_alloc(&scratch, trace_text_count(t));
    memset(all, 1, trace_text_count(t));
    take_lane(t, trace_main_lane(t),
              &(struct wanted){.flag = all, .kinds = KIND(EVENT_OPERATOR), .symbol = by_name, .outermost = true},
              signs);
    arena_free(&scratch);
}

/* The first launches of updates: an update reaches to the next launch of other work. */
static void take_updates(const struct trace *t, uint32_t lane, const uint8_t *is_update, struct signs *signs)
{
    const struct rows rows = trace_rows(t, lane, NEST_CALLS);
    bool within = false;
    *signs = (struct signs){.lane = lane};
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct rows work = trace_caused(t, rows.at[i]);
        if (!work.count)
            continue;
        const bool is = is_update[t->name[work.at[0]]];
        if (is && !within)
            take(t, signs, rows.at[i], by_work);
        within = is;
    }
}

/* The first step sets up what the optimizer keeps, between its updates: where that breaks the order, one kind of update is left. */
static void keep_kind_of_last(struct signs *signs)
{
    size_t kept = 0;
    for (size_t i = 0; i < signs->count; i++)
        if (signs->symbols[i] == signs->symbols[signs->count - 1]) {
            signs->rows[kept] = signs->rows[i];
            signs->symbols[kept++] = signs->symbols[signs->count - 1];
        }
    signs->count = kept;
}

static void find_updates(const struct trace *t, struct signs *signs)
{
    struct arena scratch = {0};
    const uint8_t *const is_update = flag_texts(t, names_update, &scratch);
    for (uint32_t lane = 0; lane < t->lane_count; lane++) {
        struct signs other;
        if (t->lanes[lane].device)
            continue;
        take_updates(t, lane, is_update, &other);
        if (other.count > signs->count) {
            signs_free(signs);
            *signs = other;
        } else {
            signs_free(&other);
        }
    }
    if (!period_of(signs->symbols, signs->count))
        keep_kind_of_last(signs);
    arena_free(&scratch);
}

const struct sign trace_signs[] = {
    {STEPS_ENGINE, find_engine, "range of the engine", "ranges of the engine", .lasts = true, .any_spread = true,
     .leads = true},
    {STEPS_RANGES, find_ranges, "outermost range", "outermost ranges", .lasts = true, .leads = true},
    {STEPS_MODULES, find_modules, "call of the model", "calls of the model", .lasts = true, .leads = true},
    {STEPS_GRAPHS, find_graphs, "graph launch", "graph launches", .compound = true},
    {STEPS_LOADER, find_loading, "batch of the DataLoader", "batches of the DataLoader", .lasts = false},
    {STEPS_COLLECTIVES, find_collectives, "collective", "collectives", .compound = true},
    {STEPS_OPERATORS, find_operators, "outermost operator", "outermost operators", .lasts = true, .compound = true,
     .sequence = true},
    {STEPS_UPDATES, find_updates, "update of an optimizer", "updates of an optimizer", .compound = true, .leads = true},
};

const size_t trace_sign_count = sizeof trace_signs / sizeof *trace_signs;

const struct sign *sign_of(enum step_source source)
{
    for (size_t i = 0; i < trace_sign_count; i++)
        if (trace_signs[i].source == source)
            return &trace_signs[i];
    return NULL;
}

void signs_free(struct signs *signs)
{
    mem_free(signs->rows);
    mem_free(signs->symbols);
    *signs = (struct signs){0};
}

static uint32_t around(const struct trace *t, const struct signs *signs, enum nest nest)
{
    const uint32_t first = signs->rows[0], last = signs->rows[signs->count - 1];
    uint32_t row = trace_open_at(t, signs->lane, nest, t->start_ns[first]);
    while (row != ROW_NONE && (row == first || trace_end_ns(t, row) < trace_end_ns(t, last)))
        row = t->parent[row];
    return row;
}

uint32_t signs_around(const struct trace *t, const struct signs *signs)
{
    const uint32_t range = around(t, signs, NEST_ANNOTATION);
    return range != ROW_NONE ? range : around(t, signs, NEST_CALLS);
}
