/* SPDX-License-Identifier: Apache-2.0 */
#include "host_sight.h"

#include "base/mem.h"
#include "base/sort.h"
#include "course.h"
#include "host_backward.h"
#include "host_wanted.h"
#include "inlined.h"

/* Of look-ups one behind another: the run of the function looked at, the row before this one, and where they began. */
struct searching {
    uint32_t run, before, first;
};

struct looking {
    struct join *join;
    bool inlines; /* loops in brackets have no frame of their own: Python 3.12 and later */
    struct inlined inlined;
    const struct trace *trace;
    uint32_t lane;
    struct host_wanted *wanted;  /* by finding */
    struct searching *searching; /* by finding */
    struct host_sight *sights;
};

/* ---- what is found ---- */

static void add(struct looking *looking, uint32_t finding, int64_t start_ns, int64_t end_ns, enum tier tier)
{
    struct host_sight *const sight = &looking->sights[finding];
    spans_add(&sight->time, start_ns, end_ns);
    sight->calls++;
    sight->is_exact |= tier == TIER_CONFIRMED;
}

static void add_row(struct looking *looking, uint32_t finding, uint32_t row, enum tier tier)
{
    const struct trace *const trace = looking->trace;
    add(looking, finding, trace->start_ns[row], trace_end_ns(trace, row), tier);
    sighting_add_host(&looking->join->sightings[finding], row);
}

/* Of `of` that a run made the k-th is this one's; or nobody can tell, and each has a part. */
static bool is_its_turn(struct looking *looking, uint32_t finding, uint32_t order, uint32_t of, enum tier *tier)
{
    const struct host_wanted *const wanted = &looking->wanted[finding];
    *tier = TIER_CONFIRMED;
    if (wanted->calls == 1)
        return true;
    if (wanted->calls == of)
        return wanted->order == order;
    *tier = TIER_FUNCTION;
    looking->sights[finding].shared = wanted->calls;
    return true;
}

/* ---- frames ---- */

static struct located place_of_frame(const struct looking *looking, uint32_t row)
{
    const struct located none = {LOCATED_NONE, 0};
    struct stacks *const stacks = looking->join->evidence.stacks;
    if (row == ROW_NONE || !stacks_wants(stacks, looking->trace->name[row]))
        return none;
    return locate(looking->join->locator, stacks_frame(stacks, looking->trace->name[row]));
}

static const struct frame *frame_at(const struct looking *looking, uint32_t row)
{
    return stacks_frame(looking->join->evidence.stacks, looking->trace->name[row]);
}

enum made_from { MADE_ELSEWHERE, MADE_THERE, MADE_UNSURE };

/* Of what has a frame, by that; of what has none, by the loop in brackets that it was found to lie in. */
static enum made_from scope_by_loop(const struct host_wanted *wanted, uint32_t loop)
{
    if (loop == INLINED_UNSURE)
        return MADE_UNSURE;
    return wanted->scope == loop ? MADE_THERE : MADE_ELSEWHERE;
}

static enum made_from scope_by_frame(const struct looking *looking, const struct host_wanted *wanted, uint32_t caller)
{
    const struct frame *const frame = frame_at(looking, caller);
    const int64_t line = frame_is_unnamed(frame->name) && !str_eq(frame->name, S("<module>")) ? frame->line : 0;
    return wanted->scope_line == line ? MADE_THERE : MADE_ELSEWHERE;
}

static bool was_fitted(const struct looking *looking, uint32_t run)
{
    return looking->inlines && looking->inlined.is_told && looking->inlined.is_told[run];
}

/* Whether a call was made from the scope that is wanted. */
static enum made_from made_from(const struct looking *looking, const struct host_wanted *wanted, uint32_t row)
{
    const uint32_t caller = looking->trace->parent[row];
    return was_fitted(looking, caller) ? scope_by_loop(wanted, looking->inlined.scopes[row])
                                       : scope_by_frame(looking, wanted, caller);
}

static uint32_t order_of(const struct looking *looking, uint32_t row, uint32_t *of)
{
    if (!was_fitted(looking, looking->trace->parent[row]))
        return stacks_order(looking->join->evidence.stacks, row, of);
    *of = looking->inlined.of[row];
    return looking->inlined.order[row];
}

/* What a loop goes over is asked for its elements right before the loop's own frame: a tensor makes all of them there. */
static void add_iterators(struct looking *looking, uint32_t finding, uint32_t loop)
{
    const struct trace *const trace = looking->trace;
    const struct rows rows = trace_rows(trace, looking->lane, NEST_PYTHON);
    for (uint32_t i = trace_first_from(trace, rows, trace->start_ns[loop]); i-- > 0;) {
        const uint32_t row = rows.at[i];
        if (trace->parent[row] != trace->parent[loop] && trace->parent[row] != ROW_NONE &&
            trace->start_ns[row] > trace->start_ns[trace->parent[loop]])
            continue; /* within the one before */
        const str name = frame_at(looking, row)->name;
        if (trace->parent[row] != trace->parent[loop] || (!str_eq(name, S("iter")) && !str_eq(name, S("__iter__"))))
            return;
        spans_add(&looking->sights[finding].time, trace->start_ns[row], trace_end_ns(trace, row));
    }
}

static void try_frame(struct looking *looking, uint32_t finding, uint32_t row)
{
    const struct host_wanted *const wanted = &looking->wanted[finding];
    const struct frame *const frame = frame_at(looking, row);
    if (frame_is_unnamed(frame->name)) {
        if (wanted->is_loop && wanted->first_line <= frame->line && frame->line <= wanted->last_line) {
            add_row(looking, finding, row, TIER_CONFIRMED);
            add_iterators(looking, finding, row);
        }
        return;
    }
    if (!wanted->name.len || wanted->is_constructor || !str_eq(wanted->name, frame->name))
        return;
    const enum made_from from = made_from(looking, wanted, row);
    looking->sights[finding].unsure += from == MADE_UNSURE;
    if (from != MADE_THERE)
        return;
    uint32_t of;
    enum tier tier;
    const uint32_t order = order_of(looking, row, &of);
    if (is_its_turn(looking, finding, order, of, &tier))
        add_row(looking, finding, row, tier);
}

/*
 * `np.where(node == x)[0][0]` has one frame of Python, of NumPy's dispatcher, before anything is looked for: so look-ups go from the
 * end of what is called before the first of them to the begin of the last. One alone is not told from other calls of np.where.
 */
static void try_search(struct looking *looking, uint32_t finding, uint32_t row)
{
    const struct trace *const trace = looking->trace;
    const struct host_wanted *const wanted = &looking->wanted[finding];
    struct searching *const searching = &looking->searching[finding];
    const uint32_t run = trace->parent[row];
    const bool is_where = str_eq(frame_at(looking, row)->name, wanted->name);
    const enum made_from from = made_from(looking, wanted, row);
    looking->sights[finding].unsure += from == MADE_UNSURE && is_where;
    if (from != MADE_THERE) {
        searching->before = searching->first = ROW_NONE; /* they do not follow one another */
        return;
    }
    if (run != searching->run)
        searching->before = searching->first = ROW_NONE;
    if (is_where && searching->before != ROW_NONE && str_eq(frame_at(looking, searching->before)->name, wanted->name)) {
        const uint32_t first = searching->first == ROW_NONE ? searching->before : searching->first;
        add(looking, finding, trace_end_ns(trace, first), trace->start_ns[row], TIER_FUNCTION);
        sighting_add_host(&looking->join->sightings[finding], row);
    } else {
        searching->first = searching->before;
    }
    searching->run = run;
    searching->before = row;
}

static void find_frames(struct looking *looking)
{
    const struct trace *const trace = looking->trace;
    const struct rows rows = trace_rows(trace, looking->lane, NEST_PYTHON);
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (trace_step(trace, row) == STEP_NONE)
            continue;
        const struct located at = place_of_frame(looking, trace->parent[row]);
        if (at.file == LOCATED_NONE)
            continue;
        for (uint32_t f = join_first(looking->join, at); f != FINDING_NONE; f = looking->join->next[f])
            if (looking->wanted[f].is_search)
                try_search(looking, f, row);
            else
                try_frame(looking, f, row);
    }
}

/* ---- tensors that are made of lists by their type ---- */

/* Operators of one run of a function that make a tensor. */
struct built {
    struct keyed *at; /* key: the frame; row: aten::lift_fresh */
    size_t count, room;
};

static bool is_named(const struct trace *trace, uint32_t row, const char *name)
{
    return trace->kind[row] == EVENT_OPERATOR && str_eq(trace_name(trace, row), str_of(name));
}

static void list_built(const struct looking *looking, struct built *built)
{
    const struct trace *const trace = looking->trace;
    const struct rows rows = trace_rows(trace, looking->lane, NEST_CALLS);
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (!is_named(trace, row, "aten::lift_fresh") || trace_step(trace, row) == STEP_NONE)
            continue;
        const uint32_t frame = trace_frame(trace, row);
        if (place_of_frame(looking, frame).file == LOCATED_NONE)
            continue;
        built->at = mem_grow(built->at, &built->room, built->count + 1, sizeof *built->at);
        built->at[built->count++] = (struct keyed){frame, row};
    }
    sort_keyed(built->at, built->count);
}

/* Back to aten::empty, behind which the list is read, unless a call lies between: of an array there is none. */
static int64_t begin_of(const struct looking *looking, uint32_t lifted)
{
    const struct trace *const trace = looking->trace;
    const struct rows rows = trace_rows(trace, looking->lane, NEST_CALLS);
    int64_t begin = trace->start_ns[lifted];
    uint32_t i = trace_first_from(trace, rows, begin);
    for (int back = 0; i > 0 && back < 8; back++) {
        const uint32_t row = rows.at[--i];
        if (trace->parent[row] != ROW_NONE || trace_frame(trace, row) != trace_frame(trace, lifted))
            continue;
        if (!is_named(trace, row, "aten::to") && !is_named(trace, row, "aten::empty"))
            break;
        if (is_named(trace, row, "aten::empty"))
            return trace->start_ns[row];
    }
    return begin;
}

static bool is_built_there(const struct looking *looking, const struct host_wanted *wanted, const struct keyed *built)
{
    const uint32_t run = (uint32_t)built->key;
    if (!was_fitted(looking, run))
        return scope_by_frame(looking, wanted, run) == MADE_THERE;
    const uint32_t loop = inlined_at(&looking->inlined, run, looking->trace->start_ns[built->row]);
    return scope_by_loop(wanted, loop) == MADE_THERE;
}

static void try_built(struct looking *looking, const struct keyed *built, uint32_t order, uint32_t of)
{
    const struct located at = place_of_frame(looking, (uint32_t)built->key);
    for (uint32_t f = join_first(looking->join, at); f != FINDING_NONE; f = looking->join->next[f]) {
        enum tier tier;
        if (!looking->wanted[f].is_constructor || !is_built_there(looking, &looking->wanted[f], built) ||
            !is_its_turn(looking, f, order, of, &tier))
            continue;
        add(looking, f, begin_of(looking, built->row), trace_end_ns(looking->trace, built->row), tier);
        sighting_add_host(&looking->join->sightings[f], built->row);
    }
}

static void find_built(struct looking *looking)
{
    struct built built = {0};
    list_built(looking, &built);
    for (size_t i = 0, run; i < built.count; i += run) {
        for (run = 1; i + run < built.count && built.at[i + run].key == built.at[i].key; run++) {
        }
        for (size_t k = 0; k < run; k++)
            try_built(looking, &built.at[i + k], (uint32_t)k, (uint32_t)run);
    }
    mem_free(built.at);
}

/* ---- loops ---- */

/* Where the loop has no frame of its own. */
static void find_element_loops(struct looking *looking)
{
    const struct trace *const trace = looking->trace;
    struct join *const join = looking->join;
    for (uint32_t i = 0; i < join->evidence.loops.count; i++) {
        const struct element_loop *const loop = &join->evidence.loops.at[i];
        const struct located at = place_of_frame(looking, loop->frame);
        for (uint32_t f = at.file == LOCATED_NONE ? FINDING_NONE : join_first(join, at); f != FINDING_NONE;
             f = join->next[f])
            if (showing_of(join->lint->findings[f].match->rule).shows & SHOWS_LOOP && !looking->wanted[f].is_loop)
                add(looking, f, trace->start_ns[loop->rows[0]], trace_end_ns(trace, loop->rows[loop->count - 1]),
                    TIER_FUNCTION);
    }
}

/* Those that have no frame, in the steps. */
static void find_inlined_loops(struct looking *looking)
{
    for (uint32_t i = 0; i < looking->inlined.count; i++) {
        const struct inlined_loop *const loop = &looking->inlined.loops[i];
        if (trace_step_at(looking->trace, loop->start_ns) == STEP_NONE)
            continue;
        const struct located at = place_of_frame(looking, loop->run);
        for (uint32_t f = join_first(looking->join, at); f != FINDING_NONE; f = looking->join->next[f]) {
            const struct host_wanted *const wanted = &looking->wanted[f];
            if (!wanted->is_loop || loop->line < wanted->first_line || loop->line > wanted->last_line)
                continue;
            add(looking, f, loop->start_ns, loop->end_ns, TIER_CONFIRMED);
            if (loop->row != ROW_NONE)
                sighting_add_host(&looking->join->sightings[f], loop->row);
        }
    }
}

/* A part of the time would be worse than none. */
static const char *why_unknown(const struct looking *looking, uint32_t finding)
{
    const struct match *const match = looking->join->lint->findings[finding].match;
    const struct host_sight *const sight = &looking->sights[finding];
    const struct syntax *const tree = match ? looking->join->lint->files[match->file].tree : NULL;
    for (uint32_t node = match ? match->node : 0,
                  last = tree && looking->wanted[finding].is_loop ? syntax_last(tree, node) : node;
         node < last; node++) {
        const char *const why =
            course_is_loop(tree, node) ? inlined_why(inlined_state(&looking->inlined, tree, match->file, node)) : NULL;
        if (why)
            return why;
    }
    return sight->unsure * INLINED_UNSURE_MOST > sight->calls ? inlined_why(INLINED_ALIKE) : NULL;
}

static void leave_unknown(struct looking *looking)
{
    for (uint32_t f = 0; f < looking->join->finding_count; f++) {
        looking->sights[f].unknown = why_unknown(looking, f);
        if (!looking->sights[f].unknown)
            continue;
        spans_clear(&looking->sights[f].time);
        looking->sights[f].calls = 0;
    }
}

/* The training thread in an iterator that has no workers. */
static void find_loaders(struct looking *looking)
{
    const struct preparations *const preparations = &looking->join->evidence.preparations;
    for (uint32_t f = 0; f < looking->join->finding_count; f++) {
        const struct match *const match = looking->join->lint->findings[f].match;
        for (uint32_t i = 0; match && showing_of(match->rule).shows & SHOWS_LOADER && i < preparations->loader_count;
             i++)
            if (str_has(trace_name(looking->trace, preparations->loader_rows[i]), S("SingleProcess")))
                add_row(looking, f, preparations->loader_rows[i], TIER_FUNCTION);
    }
}

/* ---- whole ---- */

static bool has_comprehensions(const struct trace *trace)
{
    for (uint32_t id = 0; id < trace_text_count(trace); id++)
        if (str_ends(trace_text(trace, id), S(": <listcomp>")) || str_ends(trace_text(trace, id), S(": <setcomp>")) ||
            str_ends(trace_text(trace, id), S(": <dictcomp>")))
            return true;
    return false;
}

struct host_sight *host_sights(struct join *join)
{
    struct looking looking = {.join = join, .trace = join->evidence.trace};
    looking.lane = trace_main_lane(looking.trace);
    looking.sights = arena_array(&join->scratch, join->finding_count, sizeof *looking.sights);
    looking.wanted = arena_array(&join->scratch, join->finding_count, sizeof *looking.wanted);
    looking.searching = arena_array(&join->scratch, join->finding_count, sizeof *looking.searching);
    for (uint32_t i = 0; i < join->finding_count; i++)
        looking.searching[i] = (struct searching){ROW_NONE, ROW_NONE, ROW_NONE};
    if (looking.lane == LANE_NONE)
        return looking.sights;
    looking.inlines = !has_comprehensions(looking.trace);
    for (uint32_t i = 0; i < join->finding_count; i++)
        if (join->lint->findings[i].match)
            looking.wanted[i] = host_wanted_of(join->lint, join->lint->findings[i].match);
    if (looking.inlines)
        looking.inlined = inlined_of(join, looking.lane);
    find_frames(&looking);
    find_inlined_loops(&looking);
    find_built(&looking);
    find_element_loops(&looking);
    find_loaders(&looking);
    if (looking.inlines)
        leave_unknown(&looking);
    inlined_free(&looking.inlined);
    for (uint32_t i = 0; i < join->finding_count; i++)
        host_add_backward(looking.trace, looking.lane, &looking.sights[i].time);
    return looking.sights;
}
