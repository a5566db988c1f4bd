/* SPDX-License-Identifier: Apache-2.0 */
#include "host_sight.h"

#include "base/mem.h"
#include "base/sort.h"
#include "syntax/syntax.h"

/* What is looked for of a finding. */
struct wanted {
    str name;              /* of the call; "": none */
    uint32_t order, calls; /* which of the calls of that name in its scope, and how many there are */
    int64_t scope_line;    /* of the loop in brackets or lambda that the call stands in; 0: in none */
    int64_t first_line, last_line;
    bool is_constructor;         /* a type that is called: Python gives it no frame */
    bool is_loop;                /* a loop in brackets is a part of it */
    bool is_search;              /* calls of np.where one behind another, with what is compared before each */
    uint32_t run, before, first; /* of those: the run looked at, the row before this one, and where they began */
};

struct looking {
    struct join *join;
    bool inlines; /* loops in brackets have no frame of their own: Python 3.12 and later */
    const struct trace *trace;
    uint32_t lane;
    struct wanted *wanted; /* by finding */
    struct host_sight *sights;
};

/* ---- what is looked for ---- */

static bool is_constructor(str name)
{
    static const char *const names[] = {"Tensor",    "FloatTensor", "DoubleTensor", "HalfTensor", "LongTensor",
                                        "IntTensor", "ShortTensor", "ByteTensor",   "BoolTensor", "CharTensor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static str name_called(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_CALL ? syntax_tail(tree, syntax_first(tree, node)) : S("");
}

static bool is_alike(const struct wanted *wanted, str name)
{
    return wanted->is_constructor ? is_constructor(name) : str_eq(name, wanted->name);
}

static bool is_comprehension(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_LIST_COMP || tree->kind[node] == SYN_SET_COMP || tree->kind[node] == SYN_DICT_COMP ||
           tree->kind[node] == SYN_GENERATOR;
}

/* Whether the node lies in what the first `for` of a loop in brackets goes over. */
static bool is_outer_iterable(const struct syntax *tree, uint32_t comprehension, uint32_t part, uint32_t node)
{
    const uint32_t first_for = syntax_last(tree, syntax_first(tree, comprehension));
    return part == first_for && node >= syntax_last(tree, syntax_first(tree, first_for));
}

/* What has the frame that a call is made from; the first iterable of a loop in brackets is made outside of it. */
static uint32_t scope_of(const struct looking *looking, const struct syntax *tree, uint32_t node)
{
    uint32_t at = node, below = node;
    for (; at && at != SYNTAX_NONE && tree->kind[at] != SYN_FUNCTION; below = at, at = tree->parent[at]) {
        if (tree->kind[at] == SYN_LAMBDA)
            return at;
        if (!looking->inlines && is_comprehension(tree, at) && below != at && !is_outer_iterable(tree, at, below, node))
            return at;
    }
    return at == SYNTAX_NONE ? 0 : at;
}

/* Those before the call count for its order. */
static void number_call(const struct looking *looking, const struct syntax *tree, uint32_t call, struct wanted *wanted)
{
    const uint32_t function = locate_node(tree, call), scope = scope_of(looking, tree, call);
    for (uint32_t node = function, last = syntax_last(tree, function); node < last; node++) {
        if (tree->kind[node] != SYN_CALL || !is_alike(wanted, name_called(tree, node)) ||
            scope_of(looking, tree, node) != scope)
            continue;
        wanted->order += node < call;
        wanted->calls++;
    }
    if (scope && tree->kind[scope] != SYN_FUNCTION)
        wanted->scope_line = syntax_place(tree, tree->begin[scope]).line;
}

static bool holds_comprehension(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node, last = syntax_last(tree, node); at < last; at++)
        if (is_comprehension(tree, at))
            return true;
    return false;
}

/* The copy to the device, the built-in, or the call that the finding underlines. */
static uint32_t call_of(const struct syntax *tree, const struct match *match)
{
    if (!match->builtin.len)
        return match->upload ? match->upload : match->node;
    for (uint32_t node = match->node, last = syntax_last(tree, node); node < last; node++)
        if (str_eq(name_called(tree, node), match->builtin))
            return node;
    return match->node;
}

static struct wanted wanted_of(const struct looking *looking, const struct match *match)
{
    const struct syntax *const tree = looking->join->lint->files[match->file].tree;
    const uint32_t call = call_of(tree, match);
    struct wanted wanted = {.name = name_called(tree, call)};
    wanted.is_constructor = is_constructor(wanted.name);
    wanted.first_line = syntax_place(tree, match->begin).line;
    wanted.last_line = syntax_place(tree, match->end).line;
    wanted.is_search = tree->kind[match->node] == SYN_SUBSCRIPT && str_eq(match->builtin, S("where"));
    wanted.run = wanted.before = wanted.first = ROW_NONE;
    const bool gathers = is_comprehension(tree, match->node) || showing_of(match->rule).shows & SHOWS_LOOP;
    wanted.is_loop = gathers && holds_comprehension(tree, match->node);
    if (wanted.name.len)
        number_call(looking, tree, call, &wanted);
    return wanted;
}

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
    const struct wanted *const wanted = &looking->wanted[finding];
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

static bool is_unnamed(str name)
{
    return name.len && name.at[0] == '<';
}

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

/* The call was made from the scope that is wanted. */
static bool is_from_scope(const struct looking *looking, const struct wanted *wanted, uint32_t caller)
{
    const struct frame *const frame = frame_at(looking, caller);
    const int64_t line = is_unnamed(frame->name) && !str_eq(frame->name, S("<module>")) ? frame->line : 0;
    return wanted->scope_line == line;
}

static void try_frame(struct looking *looking, uint32_t finding, uint32_t row)
{
    const struct wanted *const wanted = &looking->wanted[finding];
    const struct frame *const frame = frame_at(looking, row);
    if (is_unnamed(frame->name)) {
        if (wanted->is_loop && wanted->first_line <= frame->line && frame->line <= wanted->last_line)
            add_row(looking, finding, row, TIER_CONFIRMED);
        return;
    }
    if (!wanted->name.len || wanted->is_constructor || !str_eq(wanted->name, frame->name) ||
        !is_from_scope(looking, wanted, looking->trace->parent[row]))
        return;
    uint32_t of;
    enum tier tier;
    const uint32_t order = stacks_order(looking->join->evidence.stacks, row, &of);
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
    struct wanted *const wanted = &looking->wanted[finding];
    const uint32_t run = trace->parent[row];
    if (!is_from_scope(looking, wanted, run))
        return;
    const bool is_where = str_eq(frame_at(looking, row)->name, wanted->name);
    if (run != wanted->run)
        wanted->before = wanted->first = ROW_NONE;
    if (is_where && wanted->before != ROW_NONE && str_eq(frame_at(looking, wanted->before)->name, wanted->name)) {
        const uint32_t first = wanted->first == ROW_NONE ? wanted->before : wanted->first;
        add(looking, finding, trace_end_ns(trace, first), trace->start_ns[row], TIER_FUNCTION);
        sighting_add_host(&looking->join->sightings[finding], row);
    } else {
        wanted->first = wanted->before;
    }
    wanted->run = run;
    wanted->before = row;
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

static void try_built(struct looking *looking, const struct keyed *built, uint32_t order, uint32_t of)
{
    const struct located at = place_of_frame(looking, (uint32_t)built->key);
    for (uint32_t f = join_first(looking->join, at); f != FINDING_NONE; f = looking->join->next[f]) {
        enum tier tier;
        if (!looking->wanted[f].is_constructor || !is_from_scope(looking, &looking->wanted[f], (uint32_t)built->key) ||
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

/* ---- backward ---- */

static uint32_t outermost_backward(const struct trace *trace, uint32_t row)
{
    while (trace->parent[row] != ROW_NONE && str_starts(trace_name(trace, trace->parent[row]), S("autograd::engine")))
        row = trace->parent[row];
    return row;
}

static bool holds(const struct spans *set, int64_t time_ns)
{
    const size_t i = spans_find(set, time_ns);
    return i < set->count && set->at[i].start_ns <= time_ns;
}

/* What backward does of forward operators in the time of a finding. */
static void add_backward(struct looking *looking)
{
    const struct trace *const trace = looking->trace;
    const struct rows rows = trace_rows(trace, looking->lane, NEST_CALLS);
    for (uint32_t f = 0; f < looking->join->finding_count; f++) {
        struct host_sight *const sight = &looking->sights[f];
        struct spans both = {0};
        spans_tidy(&sight->time);
        for (uint32_t i = 0; sight->time.count && i < rows.count; i++) {
            const uint32_t forward = trace_forward(trace, rows.at[i]);
            if (forward == ROW_NONE || !holds(&sight->time, trace->start_ns[forward]))
                continue;
            const uint32_t row = outermost_backward(trace, rows.at[i]);
            spans_add(&both, trace->start_ns[row], trace_end_ns(trace, row));
        }
        for (size_t i = 0; i < both.count; i++)
            spans_add(&sight->time, both.at[i].start_ns, both.at[i].end_ns);
        spans_free(&both);
        spans_tidy(&sight->time);
    }
}

/* ---- whole ---- */

static bool has_comprehensions(const struct trace *trace)
{
    for (uint32_t id = 0; id < trace_text_count(trace); id++)
        if (str_ends(trace_text(trace, id), S(": <listcomp>")))
            return true;
    return false;
}

struct host_sight *host_sights(struct join *join)
{
    struct looking looking = {.join = join, .trace = join->evidence.trace};
    looking.lane = trace_main_lane(looking.trace);
    looking.sights = arena_array(&join->scratch, join->finding_count, sizeof *looking.sights);
    looking.wanted = arena_array(&join->scratch, join->finding_count, sizeof *looking.wanted);
    if (looking.lane == LANE_NONE)
        return looking.sights;
    looking.inlines = !has_comprehensions(looking.trace);
    for (uint32_t i = 0; i < join->finding_count; i++)
        if (join->lint->findings[i].match)
            looking.wanted[i] = wanted_of(&looking, join->lint->findings[i].match);
    find_frames(&looking);
    find_built(&looking);
    find_element_loops(&looking);
    find_loaders(&looking);
    add_backward(&looking);
    return looking.sights;
}
