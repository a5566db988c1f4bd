/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where steps begin and end. Annotated steps, else the ends of the optimizer's
 * steps, else the whole trace. A step lasts until the next begins; the last of
 * an unbroken run of numbers ends with its own annotation or the last device
 * work launched in it, so that a pause in recording belongs to no step.
 */
#include "base/mem.h"
#include "private.h"

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

void trace_find_steps(struct trace *t)
{
    if (!t->count) {
        new_steps(t, 0, STEPS_NONE);
        return;
    }
    struct marks marks = find_marks(t, S("ProfilerStep#"));
    if (marks.count) {
        annotated_steps(t, &marks);
        t->private->main_lane = t->lane[marks.rows[0]];
        close_runs(t);
    } else {
        mem_free(marks.rows);
        marks = find_marks(t, S("Optimizer.step#"));
        if (marks.count >= 2) {
            optimizer_steps(t, &marks);
            t->private->main_lane = t->lane[marks.rows[0]];
            close_runs(t);
        } else {
            whole_trace(t);
        }
    }
    mem_free(marks.rows);
}
