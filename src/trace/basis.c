/* SPDX-License-Identifier: Apache-2.0 */
#include "basis.h"

#include <math.h>

#include "base/sort.h"
#include "base/stat.h"
#include "period.h"

/* Of marks that are no statement. Steps of one kind differ less; what differs more may as well be chance. */
#define MOST_SPREAD   0.25
#define LEAST_COVERED 0.80

/* ---- numbers ---- */

static double median_of(int64_t *samples, size_t count)
{
    return stat_summarise(samples, count).p50;
}

/* A slow step or two, as a checkpoint makes them, leave it as it is. */
static double spread_of(const struct trace *t, struct arena *arena)
{
    const uint32_t count = t->step_count ? t->step_count - 1 : 0;
    if (t->step_count < PERIOD_LEAST)
        return -1;
    int64_t *distance = arena_array(arena, count, sizeof *distance);
    for (uint32_t i = 0; i < count; i++)
        distance[i] = t->steps[i + 1].start_ns - t->steps[i].start_ns;
    const double median = median_of(distance, count);
    for (uint32_t i = 0; i < count; i++)
        distance[i] = (int64_t)fabs((double)distance[i] - median);
    return median > 0 ? median_of(distance, count) / median : -1;
}

static double variation_of(const struct trace *t)
{
    double sum = 0, squares = 0;
    if (t->step_count < PERIOD_LEAST)
        return -1;
    for (uint32_t i = 0; i < t->step_count; i++)
        sum += (double)(t->steps[i].end_ns - t->steps[i].start_ns);
    const double mean = sum / t->step_count;
    for (uint32_t i = 0; i < t->step_count; i++) {
        const double off = (double)(t->steps[i].end_ns - t->steps[i].start_ns) - mean;
        squares += off * off;
    }
    return mean > 0 ? sqrt(squares / (t->step_count - 1)) / mean : -1;
}

static bool is_work(const struct trace *t, uint32_t row, bool device)
{
    return device ? event_is_device_work(t->kind[row]) : t->kind[row] == EVENT_OPERATOR && t->parent[row] == ROW_NONE;
}

/* Share of the work that steps of such lengths launched. */
static double covered_of(const struct trace *t, double least_ns, double most_ns)
{
    const bool device = t->kinds[EVENT_KERNEL] + t->kinds[EVENT_COPY] + t->kinds[EVENT_MEMSET] > 0;
    double all = 0, inside = 0;
    for (uint32_t row = 0; row < t->count; row++) {
        if (!is_work(t, row, device))
            continue;
        all += (double)t->dur_ns[row];
        const uint32_t step = trace_step(t, row);
        const double ns = step == STEP_NONE ? -1 : (double)(t->steps[step].end_ns - t->steps[step].start_ns);
        if (ns >= least_ns && ns <= most_ns)
            inside += (double)t->dur_ns[row];
    }
    return all > 0 ? inside / all : -1;
}

double basis_typical(const struct trace *t)
{
    struct arena scratch = {0};
    int64_t *lengths = arena_array(&scratch, t->step_count, sizeof *lengths);
    for (uint32_t i = 0; i < t->step_count; i++)
        lengths[i] = t->steps[i].end_ns - t->steps[i].start_ns;
    const double median = median_of(lengths, t->step_count);
    arena_free(&scratch);
    return covered_of(t, median / 2, 2 * median);
}

void basis_measure(struct trace *t)
{
    struct arena scratch = {0};
    t->step_basis = (struct step_basis){
        .source = t->step_source,
        .steps = t->step_count,
        .spread = spread_of(t, &scratch),
        .variation = variation_of(t),
        .covered = t->step_source == STEPS_NONE ? -1 : covered_of(t, 0, INFINITY),
    };
    arena_free(&scratch);
}

/* Where a sign only begins a step, the last begins one that is cut: of the work of n + 1 steps n are there at most. */
static double with_cut(const struct trace *t, const struct sign *sign, double covered)
{
    return sign->lasts ? covered : covered * (t->step_count + 1) / t->step_count;
}

enum step_doubt basis_doubt(const struct trace *t, const struct sign *sign)
{
    const struct step_basis *basis = &t->step_basis;
    if (t->step_count < PERIOD_LEAST)
        return DOUBT_FEW;
    if (with_cut(t, sign, basis->covered) < LEAST_COVERED)
        return DOUBT_PART;
    if (sign->any_spread)
        return DOUBT_NONE;
    if (basis->spread < 0 || basis->spread >= MOST_SPREAD)
        return DOUBT_IRREGULAR;
    return with_cut(t, sign, basis_typical(t)) < LEAST_COVERED ? DOUBT_UNEVEN : DOUBT_NONE;
}

/* ---- words ---- */

static const char *const ids[] = {
    [STEPS_ANNOTATED] = "profiler_steps", [STEPS_OPTIMIZER] = "optimizer",
    [STEPS_ENGINE] = "engine_ranges",     [STEPS_RANGES] = "ranges",
    [STEPS_MODULES] = "module_calls",     [STEPS_GRAPHS] = "graph_launches",
    [STEPS_LOADER] = "loader_batches",    [STEPS_COLLECTIVES] = "collectives",
    [STEPS_OPERATORS] = "operators",      [STEPS_NONE] = "none",
    [STEPS_UPDATES] = "updates",
};

const char *step_source_id(enum step_source source)
{
    return ids[source];
}

/* "regular within 3 %", "regular within 3 % but for some", "irregular, spread 40 %" */
static str regularity(const struct step_basis *basis, struct arena *arena)
{
    if (basis->spread < 0)
        return S("too few to say how regular");
    const bool regular = basis->spread < MOST_SPREAD;
    const double percent = basis->spread < 0.001 ? 0.1 : 100 * basis->spread;
    return str_printf(arena, "%s %.*f %%%s", regular ? "regular within" : "irregular, spread", percent < 9.95 ? 1 : 0,
                      percent, regular && basis->variation >= MOST_SPREAD ? " but for some" : "");
}

static str tell_marked(const struct step_basis *basis, struct arena *arena)
{
    const str regular = regularity(basis, arena);
    if (basis->source == STEPS_ANNOTATED)
        return str_printf(arena, "Steps are the ProfilerStep annotations: %u, %.*s.", basis->steps, (int)regular.len,
                          regular.at);
    return str_printf(arena,
                      "The trace has no ProfilerStep annotations: a step reaches from one end of Optimizer.step to the "
                      "next (%u steps, %.*s).",
                      basis->steps, (int)regular.len, regular.at);
}

/* "32 graph launches (`cudaGraphLaunch`)" */
static str tell_signs(enum step_source source, size_t count, str name, struct arena *arena)
{
    enum { LONGEST = 60 };
    const struct sign *sign = sign_of(source);
    const bool cut = name.len > LONGEST;
    return str_printf(arena, "%zu %s (`%.*s%s`)", count, count == 1 ? sign->one : sign->many,
                      (int)(cut ? LONGEST : name.len), name.at, cut ? "..." : "");
}

static str tell_inferred(const struct step_basis *basis, size_t count, size_t period, struct arena *arena)
{
    const str regular = regularity(basis, arena), signs = tell_signs(basis->source, count, basis->name, arena);
    const str order = period > 1 ? str_printf(arena, " in an order that repeats every %zu", period) : S("");
    return str_printf(
        arena,
        "Steps: %u are told by %.*s%.*s, %.*s; %.0f %% of the work lies in them. A step reaches from one start to "
        "the next.",
        basis->steps, (int)signs.len, signs.at, (int)order.len, order.at, (int)regular.len, regular.at,
        100 * basis->covered);
}

static str tell_doubt(const struct refusal *refusal, struct arena *arena)
{
    switch (refusal->doubt) {
    case DOUBT_NONE:
        break;
    case DOUBT_FEW:
        return S(": a step must come three times");
    case DOUBT_NO_PERIOD:
        return S(", in no order that repeats throughout");
    case DOUBT_IN_ONE:
        return str_printf(arena, ", all inside of one `%.*s`", (int)refusal->around.len, refusal->around.at);
    case DOUBT_TOGETHER:
        return S(", but several run at once on different threads");
    case DOUBT_PART:
        return str_printf(arena, ", but only %.0f %% of the work lies between them", 100 * refusal->covered);
    case DOUBT_UNEVEN:
        return str_printf(arena, ", but only %.0f %% of the work lies in those of about the same length",
                          100 * refusal->typical);
    case DOUBT_IRREGULAR:
        if (refusal->spread < 0)
            return S(", too few to be regular");
        return str_printf(arena, ", but irregular: their distances spread by %.0f %%", 100 * refusal->spread);
    }
    return S("");
}

static str tell_none(const struct refusal *refusal, struct arena *arena)
{
    if (!refusal->doubt)
        return S("Nothing in the trace repeats as steps do.");
    const str signs = tell_signs(refusal->source, refusal->count, refusal->name, arena);
    const str doubt = tell_doubt(refusal, arena);
    return str_printf(arena, "Nearest to steps came %.*s%.*s.", (int)signs.len, signs.at, (int)doubt.len, doubt.at);
}

void basis_tell(struct trace *t, size_t signs, size_t period, const struct refusal *refusal)
{
    struct step_basis *basis = &t->step_basis;
    struct arena *arena = trace_arena(t);
    if (basis->source <= STEPS_OPTIMIZER)
        basis->words = tell_marked(basis, arena);
    else if (basis->source == STEPS_NONE)
        basis->words = tell_none(refusal, arena);
    else
        basis->words = tell_inferred(basis, signs, period, arena);
}

struct step_basis trace_step_basis(const struct trace *t, struct arena *arena)
{
    struct step_basis basis = t->step_basis;
    basis.name = str_copy(arena, basis.name);
    basis.words = str_copy(arena, basis.words);
    return basis;
}
