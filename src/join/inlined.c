/* SPDX-License-Identifier: Apache-2.0 */
#include "inlined.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"
#include "course_fit.h"

/* A function that has findings and loops in brackets, and its runs. */
struct ran {
    struct located at;
    struct course course;
    bool *seen;       /* by name of the course */
    struct map names; /* by text of a frame: its name of the course, EVENT_ANY or DROPPED */
    uint32_t calls, unsure, runs, bad_runs;
};

/* Below what a map has for none. */
enum { DROPPED = UINT32_MAX - 1, OBJECT = UINT32_MAX - 2, NO_FUNCTION = UINT32_MAX - 1 };

struct inlining {
    struct join *join;
    const struct trace *trace;
    uint32_t lane;
    struct ran *rans;
    size_t ran_count, ran_room;
    struct map by_function; /* (file, function) to its number in `rans`; NO_FUNCTION */
    struct map by_text;     /* of a frame: the same */
    struct keyed *calls;    /* key: the run; row: a frame right below it */
    size_t call_count, call_room;
    struct inlined out;
};

/* A run at work: frames right below it, of which those that are events count. */
struct run {
    uint32_t row;
    const struct keyed *calls;
    size_t call_count;
    uint32_t *rows; /* of events */
    uint32_t *events;
    uint32_t count;
    struct course_run course;
    struct course_fit fit;
};

static const struct frame *frame_at(const struct inlining *in, uint32_t row)
{
    return stacks_frame(in->join->evidence.stacks, in->trace->name[row]);
}

static const struct syntax *tree_of(const struct inlining *in, const struct ran *ran)
{
    return in->join->lint->files[ran->at.file].tree;
}

/* ---- functions ---- */

static uint32_t add_function(struct inlining *in, struct located at)
{
    const struct syntax *const tree = in->join->lint->files[at.file].tree;
    struct arena *const scratch = &in->join->scratch;
    struct course course = course_of(tree, at.node, scratch);
    if (!course.loops) {
        course_free(&course);
        return NO_FUNCTION;
    }
    struct ran ran = {.at = at, .course = course};
    ran.seen = arena_array(scratch, course.name_count, sizeof *ran.seen);
    in->rans = mem_grow(in->rans, &in->ran_room, in->ran_count + 1, sizeof ran);
    in->rans[in->ran_count] = ran;
    return (uint32_t)in->ran_count++;
}

static uint32_t function_of(struct inlining *in, struct located at)
{
    if (at.file == LOCATED_NONE || join_first(in->join, at) == FINDING_NONE)
        return NO_FUNCTION;
    const int64_t key = inlined_key(at.file, at.node);
    const uint32_t known = map_get(&in->by_function, key);
    if (known != MAP_NONE)
        return known;
    const uint32_t function = add_function(in, at);
    map_put(&in->by_function, key, function);
    return function;
}

/* Of a run by its frame; what has no name of its own (a lambda, a generator) is no run of the function around it. */
static uint32_t function_of_run(struct inlining *in, uint32_t row)
{
    if (row == ROW_NONE)
        return NO_FUNCTION;
    const uint32_t text = in->trace->name[row], known = map_get(&in->by_text, text);
    if (known != MAP_NONE)
        return known;
    const struct frame *const frame = frame_at(in, row);
    const struct located none = {LOCATED_NONE, 0};
    const bool is_named = !frame_is_unnamed(frame->name) || str_eq(frame->name, S("<module>"));
    const bool is_wanted = is_named && stacks_wants(in->join->evidence.stacks, text);
    const uint32_t function = function_of(in, is_wanted ? locate(in->join->locator, frame) : none);
    map_put(&in->by_text, text, function);
    return function;
}

/* ---- names ---- */

/* `name = lambda ...:` in the line. */
static str name_of_lambda(const struct syntax *tree, int64_t line)
{
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_LAMBDA || syntax_place(tree, tree->begin[node]).line != line)
            continue;
        const uint32_t statement = tree->parent[node], target = syntax_first(tree, statement);
        if (tree->kind[statement] == SYN_ASSIGN && tree->kind[target] == SYN_NAME)
            return syntax_text(tree, target);
    }
    return S("");
}

/* Calls of objects: the text has the name of a variable there, or of a type. */
static bool is_of_object(const struct frame *frame)
{
    static const char *const names[] = {"__init__", "__new__", "__call__", "_wrapped_call_impl", "_call_impl",
                                        "wrapper",  "inner",   "_fn",      "decorate_context",   "<lambda>"};
    if (frame->kind == FRAME_MODULE)
        return true;
    for (size_t i = 0; frame->kind == FRAME_FUNCTION && i < sizeof names / sizeof *names; i++)
        if (str_eq(frame->name, str_of(names[i])))
            return true;
    return false;
}

/* Of a frame right below a run. A lambda of another file has no name here: its line says nothing of this text. */
static uint32_t name_of_text(struct inlining *in, struct ran *ran, uint32_t row)
{
    const uint32_t text = in->trace->name[row], known = map_get(&ran->names, text);
    if (known != MAP_NONE)
        return known == OBJECT ? (uint32_t)EVENT_ANY : known;
    const struct frame *const frame = frame_at(in, row);
    str name = frame->name;
    if (str_eq(name, S("<lambda>")) && str_eq(frame->file, frame_at(in, in->trace->parent[row])->file)) {
        const str own = name_of_lambda(tree_of(in, ran), frame->line);
        name = own.len ? own : name;
    }
    uint32_t number = course_name(&ran->course, name);
    if (number == COURSE_NO_NAME)
        number = is_of_object(frame) ? (uint32_t)OBJECT : (uint32_t)DROPPED;
    map_put(&ran->names, text, number);
    return number == OBJECT ? (uint32_t)EVENT_ANY : number;
}

/* ---- calls ---- */

static void list_calls(struct inlining *in)
{
    const struct rows rows = trace_rows(in->trace, in->lane, NEST_PYTHON);
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i], run = in->trace->parent[row];
        const uint32_t function = function_of_run(in, run);
        if (function == NO_FUNCTION)
            continue;
        struct ran *const ran = &in->rans[function];
        const uint32_t name = name_of_text(in, ran, row);
        if (name != EVENT_ANY && name != DROPPED)
            ran->seen[name] = true;
        in->calls = mem_grow(in->calls, &in->call_room, in->call_count + 1, sizeof *in->calls);
        in->calls[in->call_count++] = (struct keyed){run, row};
    }
    sort_keyed(in->calls, in->call_count);
}

/* A run that recording began or ended in has not all of its calls. */
static struct run run_of(struct inlining *in, struct ran *ran, size_t first, size_t count, struct arena *arena)
{
    const struct trace *const trace = in->trace;
    struct run run = {.row = (uint32_t)in->calls[first].key, .calls = in->calls + first, .call_count = count};
    run.rows = arena_array(arena, count, sizeof *run.rows);
    run.events = arena_array(arena, count, sizeof *run.events);
    for (size_t i = 0; i < count; i++) {
        const uint32_t name = name_of_text(in, ran, run.calls[i].row);
        if (name == DROPPED)
            continue;
        run.rows[run.count] = run.calls[i].row;
        run.events[run.count++] = name;
    }
    run.course = (struct course_run){.events = run.events, .count = run.count};
    run.course.is_begun = trace->start_ns[run.row] <= trace->steps[0].start_ns;
    run.course.is_cut = trace_end_ns(trace, run.row) >= trace->steps[trace->step_count - 1].host_end_ns;
    return run;
}

/* ---- where a loop in brackets begins and ends ---- */

static bool is_between(const struct frame *frame)
{
    return str_eq(frame->name, S("__next__")) || str_eq(frame->name, S("__enter__")) ||
           str_eq(frame->name, S("__exit__"));
}

static bool is_clean(const struct course_gap *gap, const struct syntax *tree, uint32_t loop)
{
    return !gap->is_unclean &&
           (!gap->unclean || (gap->unclean != LOOP_UNSURE && syntax_inside(tree, gap->unclean, loop)));
}

/* The first call of a run that begins at the time or after. */
static size_t call_from(const struct inlining *in, const struct run *run, int64_t time_ns)
{
    size_t low = 0, high = run->call_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (in->trace->start_ns[run->calls[middle].row] < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Between two calls; from what stands between statements on, or until then. */
static struct span gap_of(const struct inlining *in, const struct run *run, uint32_t k, bool until)
{
    const struct trace *const trace = in->trace;
    struct span gap = {k ? trace_end_ns(trace, run->rows[k - 1]) : trace->start_ns[run->row],
                       k < run->count ? trace->start_ns[run->rows[k]] : trace_end_ns(trace, run->row)};
    for (size_t i = call_from(in, run, gap.start_ns); i < run->call_count; i++) {
        const uint32_t row = run->calls[i].row;
        if (trace->start_ns[row] >= gap.end_ns)
            break;
        if (!is_between(frame_at(in, row)))
            continue;
        if (until)
            gap.end_ns = trace->start_ns[row];
        else
            gap.start_ns = trace_end_ns(trace, row);
    }
    return gap;
}

/* An operator of the run itself in a span of time. */
static bool has_operators(const struct inlining *in, uint32_t run, int64_t start_ns, int64_t end_ns)
{
    const struct trace *const trace = in->trace;
    const struct rows rows = trace_rows(trace, in->lane, NEST_CALLS);
    for (uint32_t i = trace_first_from(trace, rows, start_ns); i < rows.count && trace->start_ns[rows.at[i]] < end_ns;
         i++)
        if (trace_frame(trace, rows.at[i]) == run)
            return true;
    return false;
}

/* ---- what is told ---- */

static void set_state(struct inlining *in, const struct ran *ran, uint32_t loop, enum inlined_state state)
{
    const int64_t key = inlined_key(ran->at.file, loop);
    const uint32_t known = map_get(&in->out.states, key);
    if (known == MAP_NONE || known < (uint32_t)state)
        map_put(&in->out.states, key, state);
}

static void add_loop(struct inlining *in, const struct ran *ran, struct inlined_loop loop)
{
    loop.line = syntax_place(tree_of(in, ran), tree_of(in, ran)->begin[loop.node]).line;
    in->out.loops = arena_one_more(&in->join->scratch, in->out.loops, in->out.count, sizeof loop);
    in->out.loops[in->out.count++] = loop;
    set_state(in, ran, loop.node, INLINED_TOLD);
}

static bool lies_in(const struct syntax *tree, uint32_t scope, uint32_t loop)
{
    return scope && scope != LOOP_UNSURE && scope != LOOP_NONE && syntax_inside(tree, scope, loop);
}

/* Calls that belong to a loop in brackets, one behind another. */
static void add_stretches(struct inlining *in, const struct ran *ran, const struct run *run, uint32_t loop)
{
    const struct syntax *const tree = tree_of(in, ran);
    const struct trace *const trace = in->trace;
    const struct course_fit *const fit = &run->fit;
    for (uint32_t k = 0; k < run->count; k++) {
        if (!lies_in(tree, fit->loops[k], loop))
            continue;
        uint32_t last = k;
        for (uint32_t i = k + 1; i < run->count && (fit->loops[i] == LOOP_NONE || lies_in(tree, fit->loops[i], loop));
             i++)
            last = fit->loops[i] == LOOP_NONE ? last : i;
        struct inlined_loop made = {.run = run->row, .node = loop, .row = run->rows[k]};
        made.start_ns =
            is_clean(&fit->gaps[k], tree, loop) ? gap_of(in, run, k, false).start_ns : trace->start_ns[run->rows[k]];
        made.end_ns = is_clean(&fit->gaps[last + 1], tree, loop) ? gap_of(in, run, last + 1, true).end_ns
                                                                 : trace_end_ns(trace, run->rows[last]);
        add_loop(in, ran, made);
        k = last;
    }
}

/* Whether a run may pass the loop by: of a statement that calls nothing else that is seen nobody knows. */
static bool may_be_passed_by(const struct syntax *tree, const struct ran *ran, uint32_t loop)
{
    for (uint32_t at = tree->parent[loop]; at && at != ran->at.node; at = tree->parent[at]) {
        const enum syntax_kind kind = (enum syntax_kind)tree->kind[at];
        if (kind == SYN_IF || kind == SYN_WHILE || kind == SYN_TRY || kind == SYN_MATCH || kind == SYN_CONDITIONAL ||
            kind == SYN_BOOL || course_is_loop(tree, at))
            return true;
        bool calls = kind != SYN_FOR;
        for (uint32_t node = at; node < syntax_last(tree, at) && !calls; node++) {
            const bool is_call = tree->kind[node] == SYN_CALL && !syntax_inside(tree, node, loop);
            const uint32_t name = is_call ? course_name(&ran->course, syntax_tail(tree, syntax_first(tree, node)))
                                          : (uint32_t)COURSE_NO_NAME;
            calls = name != COURSE_NO_NAME && ran->seen[name];
        }
        if (!calls)
            return true;
    }
    return false;
}

static void add_silent(struct inlining *in, const struct ran *ran, const struct run *run, uint32_t k)
{
    const struct syntax *const tree = tree_of(in, ran);
    const struct course_gap *const gap = &run->fit.gaps[k];
    if (!gap->loop)
        return;
    if (gap->loop == LOOP_UNSURE) {
        for (uint32_t i = 0; i < ran->course.count; i++)
            if (ran->course.steps[i].op == COURSE_ENTER)
                set_state(in, ran, ran->course.steps[i].node, INLINED_ALIKE);
        return;
    }
    const struct span span = gap_of(in, run, k, false);
    if (may_be_passed_by(tree, ran, gap->loop) && !has_operators(in, run->row, span.start_ns, span.end_ns))
        set_state(in, ran, gap->loop, INLINED_UNCLEAN);
    else if (!is_clean(gap, tree, gap->loop))
        set_state(in, ran, gap->loop, INLINED_UNCLEAN);
    else
        add_loop(
            in, ran,
            (struct inlined_loop){
                .run = run->row, .node = gap->loop, .start_ns = span.start_ns, .end_ns = span.end_ns, .row = ROW_NONE});
}

/* ---- which call of its name ---- */

static void number_calls(struct inlining *in, const struct run *run)
{
    struct map counts = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < run->call_count; i++) {
            const uint32_t row = run->calls[i].row;
            const str name = frame_at(in, row)->name;
            const int64_t key = (int64_t)hash_mix(hash_bytes(name.at, name.len) ^ in->out.scopes[row]);
            const uint32_t before = map_get(&counts, key);
            const uint32_t count = before == MAP_NONE ? 0 : before;
            if (pass)
                in->out.of[row] = count;
            else
                in->out.order[row] = count;
            if (!pass)
                map_put(&counts, key, count + 1);
        }
    map_free(&counts);
}

/* Calls of no name of the text belong to what is around them. */
static void set_scopes(struct inlining *in, struct ran *ran, const struct run *run)
{
    uint32_t event = 0, scope = 0;
    for (size_t i = 0; i < run->call_count; i++) {
        const uint32_t row = run->calls[i].row;
        if (event < run->count && run->rows[event] == row) {
            const uint32_t told = run->fit.fits ? run->fit.loops[event] : (uint32_t)LOOP_UNSURE;
            scope = told == LOOP_NONE ? scope : told;
            ran->calls++;
            ran->unsure += told == LOOP_UNSURE;
            event++;
        }
        in->out.scopes[row] = scope == LOOP_UNSURE ? (uint32_t)INLINED_UNSURE : scope;
    }
}

/* ---- runs ---- */

static void take_run(struct inlining *in, size_t first, size_t count)
{
    struct arena arena = {0};
    const uint32_t function = function_of_run(in, (uint32_t)in->calls[first].key);
    struct ran *const ran = &in->rans[function];
    struct run run = run_of(in, ran, first, count, &arena);
    run.fit = course_fit(&ran->course, ran->seen, &run.course, &arena);
    ran->runs++;
    ran->bad_runs += !run.fit.fits;
    set_scopes(in, ran, &run);
    number_calls(in, &run);
    in->out.is_told[run.row] = true;
    for (uint32_t i = 0; run.fit.fits && i < ran->course.count; i++)
        if (ran->course.steps[i].op == COURSE_ENTER)
            add_stretches(in, ran, &run, ran->course.steps[i].node);
    for (uint32_t k = 0; run.fit.fits && k <= run.count; k++)
        add_silent(in, ran, &run, k);
    arena_free(&arena);
}

static void judge_function(struct inlining *in, const struct ran *ran)
{
    const bool no_fit = ran->bad_runs * 10 > ran->runs;
    if (!no_fit && ran->unsure * INLINED_UNSURE_MOST <= ran->calls)
        return;
    for (uint32_t i = 0; i < ran->course.count; i++)
        if (ran->course.steps[i].op == COURSE_ENTER)
            map_put(&in->out.states, inlined_key(ran->at.file, ran->course.steps[i].node),
                    no_fit ? INLINED_NO_FIT : INLINED_ALIKE);
}

static void free_work(struct inlining *in)
{
    for (size_t i = 0; i < in->ran_count; i++) {
        course_free(&in->rans[i].course);
        map_free(&in->rans[i].names);
    }
    mem_free(in->rans);
    mem_free(in->calls);
    map_free(&in->by_function);
    map_free(&in->by_text);
}

struct inlined inlined_of(struct join *join, uint32_t lane)
{
    const struct trace *const trace = join->evidence.trace;
    struct inlining in = {.join = join, .trace = trace, .lane = lane};
    if (!trace->kinds[EVENT_PYTHON] || !trace->step_count)
        return in.out;
    in.out.scopes = arena_array(&join->scratch, trace->count, sizeof *in.out.scopes);
    in.out.order = arena_array(&join->scratch, trace->count, sizeof *in.out.order);
    in.out.of = arena_array(&join->scratch, trace->count, sizeof *in.out.of);
    in.out.is_told = arena_array(&join->scratch, trace->count, sizeof *in.out.is_told);
    list_calls(&in);
    for (size_t first = 0, count; first < in.call_count; first += count) {
        for (count = 1; first + count < in.call_count && in.calls[first + count].key == in.calls[first].key; count++) {
        }
        take_run(&in, first, count);
    }
    for (size_t i = 0; i < in.ran_count; i++)
        judge_function(&in, &in.rans[i]);
    free_work(&in);
    return in.out;
}

void inlined_free(struct inlined *inlined)
{
    map_free(&inlined->states);
}
