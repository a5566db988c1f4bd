/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where steps begin and end. Annotated steps, else the ends of the optimizer's
 * steps, else what repeats (signs.h), else the whole trace. A step lasts until
 * the next begins; the last of an unbroken run of numbers ends with its own
 * annotation or the last device work launched in it, so that a pause in recording
 * belongs to no step.
 */
#include "base/mem.h"
#include "base/sum.h"
#include "basis.h"
#include "period.h"

struct marks {
    uint32_t *rows; /* by start */
    size_t count, room;
};

/* Flags, by text id, the names that begin so. False if there is none. */
static bool flag_names(const struct trace *t, str prefix, struct arena *arena, const uint8_t **flags)
{
    const uint32_t count = trace_text_count(t);
    uint8_t *flag = arena_alloc(arena, count);
    bool any = false;
    for (uint32_t id = 0; id < count; id++)
        if (str_starts(trace_text(t, id), prefix))
            flag[id] = any = true;
    *flags = flag;
    return any;
}

static bool annotates(enum event_kind kind)
{
    return kind == EVENT_ANNOTATION || kind == EVENT_OPERATOR || kind == EVENT_OTHER;
}

/* The host rows with such a name, sorted by start. Of one inside another only the outer is taken. */
static struct marks find_marks(const struct trace *t, str prefix)
{
    struct arena scratch = {0};
    struct marks marks = {0};
    const uint8_t *flag;
    if (flag_names(t, prefix, &scratch, &flag))
        for (uint32_t row = 0; row < t->count; row++)
            if (flag[t->name[row]] && annotates(t->kind[row])) {
                marks.rows = mem_grow(marks.rows, &marks.room, marks.count + 1, sizeof *marks.rows);
                marks.rows[marks.count++] = row;
            }
    arena_free(&scratch);
    trace_sort_rows(t, marks.rows, marks.count);
    size_t kept = 0;
    for (size_t i = 0; i < marks.count; i++)
        if (!kept || t->start_ns[marks.rows[i]] >= trace_end_ns(t, marks.rows[kept - 1]))
            marks.rows[kept++] = marks.rows[i];
    marks.count = kept;
    return marks;
}

static int64_t number_of(const struct trace *t, uint32_t row, int64_t otherwise)
{
    const str name = trace_name(t, row);
    int64_t number;
    return str_int(str_from(name, S("ProfilerStep#").len), &number) ? number : otherwise;
}

static void new_steps(struct trace *t, size_t count, enum step_source source)
{
    mem_free(t->private->steps);
    t->private->steps = mem_zeroed(count * sizeof *t->private->steps);
    t->steps = t->private->steps;
    t->step_count = (uint32_t)count;
    t->step_source = source;
}

static void annotated_steps(struct trace *t, const struct marks *marks)
{
    new_steps(t, marks->count, STEPS_ANNOTATED);
    for (size_t i = 0; i < marks->count; i++) {
        struct step *s = &t->private->steps[i];
        s->row = marks->rows[i];
        s->number = number_of(t, s->row, (int64_t)i);
        s->start_ns = t->start_ns[s->row];
        s->host_end_ns = trace_end_ns(t, s->row);
        s->end_ns = i + 1 < marks->count ? t->start_ns[marks->rows[i + 1]] : INT64_MAX;
    }
}

static void optimizer_steps(struct trace *t, const struct marks *marks)
{
    new_steps(t, marks->count - 1, STEPS_OPTIMIZER);
    for (size_t i = 0; i + 1 < marks->count; i++) {
        struct step *s = &t->private->steps[i];
        s->row = marks->rows[i + 1];
        s->number = (int64_t)i;
        s->start_ns = trace_end_ns(t, marks->rows[i]);
        s->end_ns = s->host_end_ns = trace_end_ns(t, s->row);
    }
    t->private->steps[t->step_count - 1].end_ns = INT64_MAX;
}

static void whole_trace(struct trace *t)
{
    new_steps(t, 1, STEPS_NONE);
    t->private->steps[0] = (struct step){.end_ns = t->end_ns, .host_end_ns = t->end_ns, .row = ROW_NONE};
}

/* The last of a run: the trace's last step, or one whose successor's number is not the next. */
static bool ends_run(const struct trace *t, uint32_t i)
{
    return i + 1 == t->step_count ||
           (t->step_source == STEPS_ANNOTATED && t->steps[i + 1].number != t->steps[i].number + 1);
}

/* Latest end of device work launched while each step's host part ran. */
static int64_t *last_launched(const struct trace *t, struct arena *arena)
{
    int64_t *last = arena_array(arena, t->step_count, sizeof *last);
    for (uint32_t row = 0; row < t->count; row++) {
        if (!event_is_device_work(t->kind[row]) || t->cause[row] == ROW_NONE)
            continue;
        const uint32_t step = trace_step(t, row);
        if (step == STEP_NONE || t->start_ns[t->cause[row]] >= t->steps[step].host_end_ns)
            continue;
        if (trace_end_ns(t, row) > last[step])
            last[step] = trace_end_ns(t, row);
    }
    return last;
}

static void close_runs(struct trace *t)
{
    struct arena scratch = {0};
    const int64_t *last = last_launched(t, &scratch);
    for (uint32_t i = 0; i < t->step_count; i++) {
        struct step *s = &t->private->steps[i];
        if (!ends_run(t, i))
            continue;
        const int64_t end = last[i] > s->host_end_ns ? last[i] : s->host_end_ns;
        if (end < s->end_ns)
            s->end_ns = end;
    }
    arena_free(&scratch);
}

/* ---- steps that nobody marked ---- */

static bool all_equal(const uint64_t *symbols, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (symbols[i] != symbols[0])
            return false;
    return true;
}

/* Whether a symbol comes again within the period. Long ones are taken for such, of what is meant to be a word a step. */
static bool recurs(const uint64_t *symbols, size_t period)
{
    enum { LONGEST = 64 };
    for (size_t i = 0; i < period && period <= LONGEST; i++)
        for (size_t k = 0; k < i; k++)
            if (symbols[i] == symbols[k])
                return true;
    return period > LONGEST;
}

static size_t period_of_signs(const struct sign *sign, const struct signs *signs)
{
    const size_t period = period_of(signs->symbols, signs->count);
    if (!sign->compound && recurs(signs->symbols, period))
        return 0;
    return sign->sequence && all_equal(signs->symbols, period) ? 0 : period;
}

/*
 * The pause behind the last sign is of its step, and not recorded. It is left out where the mean of all steps is shorter by
 * a twentieth for it, and enough remain.
 */
static bool last_is_cut(const struct trace *t, const struct signs *signs, size_t period, size_t count)
{
    if (count <= PERIOD_LEAST)
        return false;
    int64_t pauses = 0;
    for (size_t i = 1; i < count; i++)
        sum_to(&pauses, t->start_ns[signs->rows[i * period]] - trace_end_ns(t, signs->rows[i * period - 1]));
    const int64_t all = t->start_ns[signs->rows[(count - 1) * period]] - t->start_ns[signs->rows[0]];
    return (double)pauses * 20 > (double)all * (double)count;
}

/* From the first sign of a period to the first of the next. The last whole one counts if its end is recorded. */
static void steps_of_signs(struct trace *t, const struct sign *sign, const struct signs *signs, size_t period,
                           size_t count)
{
    new_steps(t, count, sign->source);
    for (size_t i = 0; i < count; i++) {
        struct step *s = &t->private->steps[i];
        const size_t next = (i + 1) * period;
        s->row = signs->rows[i * period];
        s->number = (int64_t)i;
        s->start_ns = t->start_ns[s->row];
        s->end_ns = next < signs->count ? t->start_ns[signs->rows[next]] : INT64_MAX;
        s->host_end_ns = next < signs->count ? s->end_ns : trace_end_ns(t, signs->rows[next - 1]);
    }
    close_runs(t);
}

/* The reason against the sign that nothing but its place speaks of; steps are not needed for it. */
static enum step_doubt doubt_of_place(const struct trace *t, const struct sign *sign, const struct signs *signs,
                                      size_t period)
{
    if (signs->count < PERIOD_LEAST)
        return DOUBT_FEW;
    if (signs->overlap)
        return DOUBT_TOGETHER;
    if (sign->source != STEPS_ENGINE && signs_around(t, signs) != ROW_NONE)
        return DOUBT_IN_ONE;
    return period ? DOUBT_NONE : DOUBT_NO_PERIOD;
}

static str name_of(const struct trace *t, uint32_t row)
{
    return row == ROW_NONE ? S("") : trace_name(t, row);
}

static void keep_nearest(const struct trace *t, const struct sign *sign, const struct signs *signs,
                         enum step_doubt doubt, struct refusal *refusal)
{
    const bool rests_on_order = doubt == DOUBT_FEW || doubt == DOUBT_NO_PERIOD;
    if (doubt <= refusal->doubt || (sign->sequence && rests_on_order)) /* operators are always some, in some order */
        return;
    *refusal = (struct refusal){
        .doubt = doubt,
        .source = sign->source,
        .name = trace_name(t, signs->rows[0]),
        .around = name_of(t, signs_around(t, signs)),
        .count = signs->count,
        .spread = t->step_basis.spread,
        .covered = t->step_basis.covered,
        .typical = doubt == DOUBT_UNEVEN ? basis_typical(t) : -1,
    };
}

static void measure_signs(struct trace *t, const struct sign *sign, const struct signs *signs, size_t period,
                          size_t count)
{
    steps_of_signs(t, sign, signs, period, count);
    basis_measure(t);
    t->step_basis.name = trace_name(t, t->steps[0].row);
}

static bool accept_signs(struct trace *t, const struct sign *sign, const struct signs *signs, struct refusal *refusal)
{
    const size_t period = period_of_signs(sign, signs);
    enum step_doubt doubt = doubt_of_place(t, sign, signs, period);
    if (!doubt) {
        const size_t count = sign->lasts ? signs->count / period : (signs->count - 1) / period;
        measure_signs(t, sign, signs, period, count);
        doubt = basis_doubt(t, sign);
        if (!doubt && sign->lasts && last_is_cut(t, signs, period, count))
            measure_signs(t, sign, signs, period, count - 1);
    }
    keep_nearest(t, sign, signs, doubt, refusal);
    if (!doubt && sign->leads)
        t->private->main_lane = signs->lane;
    return !doubt;
}

/* An engine that marks its steps has said all of them: what repeats inside of one is a layer. */
static bool told_by_signs(struct trace *t, size_t *count, size_t *period, struct refusal *refusal)
{
    for (size_t i = 0; i < trace_sign_count; i++) {
        struct signs signs = {.lane = LANE_NONE};
        trace_signs[i].find(t, &signs);
        const bool some = signs.count > 0;
        const bool accepted = some && accept_signs(t, &trace_signs[i], &signs, refusal);
        *count = signs.count;
        *period = accepted ? period_of_signs(&trace_signs[i], &signs) : 0;
        signs_free(&signs);
        if (accepted || (some && trace_signs[i].source == STEPS_ENGINE))
            return accepted;
    }
    return false;
}

static void find_unmarked_steps(struct trace *t)
{
    struct refusal refusal = {0};
    size_t count = 0, period = 0;
    if (!told_by_signs(t, &count, &period, &refusal)) {
        whole_trace(t);
        basis_measure(t);
        t->step_basis.name = refusal.name;
    }
    basis_tell(t, count, period, &refusal);
}

/* ---- all of them ---- */

static bool find_marked_steps(struct trace *t, str prefix, size_t least,
                              void (*make)(struct trace *, const struct marks *))
{
    struct marks marks = find_marks(t, prefix);
    const bool found = marks.count >= least;
    if (found) {
        make(t, &marks);
        t->private->main_lane = t->lane[marks.rows[0]];
        close_runs(t);
        basis_measure(t);
        t->step_basis.name = trace_name(t, t->steps[0].row);
        basis_tell(t, marks.count, 1, NULL);
    }
    mem_free(marks.rows);
    return found;
}

void trace_find_steps(struct trace *t)
{
    if (!t->count) {
        new_steps(t, 0, STEPS_NONE);
        basis_measure(t);
        basis_tell(t, 0, 0, &(struct refusal){0});
    } else if (!find_marked_steps(t, S("ProfilerStep#"), 1, annotated_steps) &&
               !find_marked_steps(t, S("Optimizer.step#"), 2, optimizer_steps)) {
        find_unmarked_steps(t);
    }
}
