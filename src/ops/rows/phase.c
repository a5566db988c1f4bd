/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phases are told lane by lane in one pass: an operator takes its parent's phase
 * unless its own name says otherwise, so an enclosing row is never searched for.
 *
 * The engine's operators come before the optimizer's annotation although they
 * may lie inside it: a closure passed to Optimizer.step (as training frameworks
 * do) runs forward and backward there. For the same reason the optimizer's part
 * of such a span begins only where the last backward operator in it ends.
 */
#include "phase.h"

#include "base/sort.h"
#include "base/span.h"
#include "ops/words/rules.h"

str phase_word(enum phase phase)
{
    static const char *const words[PHASES] = {"forward", "backward", "optimizer", "none"};
    return (unsigned)phase < PHASES ? str_of(words[phase]) : S("");
}

static const struct name_rule phase_rules[] = {
    {"^autograd::engine::", PHASE_BACKWARD},   {"^torch::autograd::", PHASE_BACKWARD},
    {"^<backward op>", PHASE_BACKWARD},        {"^optimizer.step", PHASE_OPTIMIZER},
    {"^optimizer.zero_grad", PHASE_OPTIMIZER}, {"zero_grad", PHASE_OPTIMIZER},
};

/* "AddmmBackward0": the name of an autograd node, with the counter that tells overloads apart. */
static bool autograd_node(str name)
{
    while (name.len && name.at[name.len - 1] >= '0' && name.at[name.len - 1] <= '9')
        name.len--;
    return str_ends(name, S("Backward")) && !str_has(name, S(" "));
}

enum phase phase_of_name(str name)
{
    return autograd_node(name)
               ? PHASE_BACKWARD
               : (enum phase)name_judged(name, phase_rules, sizeof phase_rules / sizeof *phase_rules, PHASE_NONE);
}

struct judging {
    const struct trace *trace;
    uint8_t *phases; /* by row: the result */
    uint32_t main_lane;
    uint8_t *names; /* by text id: 1 + phase of the name, 0 where not judged yet */
};

static enum phase own_phase(const struct judging *judging, uint32_t row)
{
    uint8_t *known = &judging->names[judging->trace->name[row]];
    if (!*known)
        *known = (uint8_t)(1 + phase_of_name(trace_name(judging->trace, row)));
    return *known - 1;
}

static enum phase operator_phase(const struct judging *judging, uint32_t row)
{
    const enum phase own = own_phase(judging, row);
    return own == PHASE_NONE && trace_attr_or(judging->trace, row, ATTR_FORWARD_THREAD, 0) != 0 ? PHASE_BACKWARD : own;
}

/* Parents stand before their children in a lane's order. */
static void judge_calls(const struct judging *judging, uint32_t lane)
{
    const struct trace *trace = judging->trace;
    const struct rows calls = trace_rows(trace, lane, NEST_CALLS);
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i];
        const uint32_t parent = trace->parent[row];
        const bool is_operator = trace->kind[row] == EVENT_OPERATOR;
        enum phase phase = is_operator ? operator_phase(judging, row) : PHASE_NONE;
        if (phase == PHASE_NONE && parent != ROW_NONE)
            phase = judging->phases[parent];
        if (phase == PHASE_NONE && is_operator)
            phase = PHASE_FORWARD;
        judging->phases[row] = (uint8_t)phase;
    }
}

/*
 * A thread half of whose outermost operators are the engine's runs nothing else: hooks and collectives there are
 * backward too. Not so the thread of the training loop, which runs the engine itself where there is no device.
 */
static void judge_engine_lane(const struct judging *judging, uint32_t lane)
{
    const struct trace *trace = judging->trace;
    const struct rows calls = trace_rows(trace, lane, NEST_CALLS);
    uint32_t outermost = 0, backward = 0;
    for (uint32_t i = 0; i < calls.count; i++) {
        const uint32_t row = calls.at[i];
        if (trace->parent[row] != ROW_NONE || trace->kind[row] != EVENT_OPERATOR)
            continue;
        outermost++;
        backward += judging->phases[row] == PHASE_BACKWARD;
    }
    if (!backward || backward * 2 < outermost || lane == judging->main_lane)
        return;
    for (uint32_t i = 0; i < calls.count; i++)
        if (judging->phases[calls.at[i]] != PHASE_OPTIMIZER)
            judging->phases[calls.at[i]] = PHASE_BACKWARD;
}

/* When backward operators run, over all threads. */
static void backward_spans(const struct judging *judging, struct spans *backward)
{
    const struct trace *trace = judging->trace;
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_OPERATOR && judging->phases[row] == PHASE_BACKWARD &&
            (trace->parent[row] == ROW_NONE || judging->phases[trace->parent[row]] != PHASE_BACKWARD))
            spans_add(backward, trace->start_ns[row], trace_end_ns(trace, row));
    spans_tidy(backward);
}

/* The optimizer's part of [start, end): what follows the last backward operator that ends in it. */
static int64_t optimizer_start(const struct spans *backward, int64_t start_ns, int64_t end_ns)
{
    for (size_t i = spans_find(backward, start_ns); i < backward->count && backward->at[i].end_ns <= end_ns; i++)
        start_ns = backward->at[i].end_ns;
    return start_ns;
}

/* The spans of a lane's optimizer annotations and operators. */
static void optimizer_spans(const struct judging *judging, uint32_t lane, enum nest nest, const struct spans *backward,
                            struct spans *spans)
{
    const struct trace *trace = judging->trace;
    const struct rows rows = trace_rows(trace, lane, nest);
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (trace->kind[row] == EVENT_RUNTIME || own_phase(judging, row) != PHASE_OPTIMIZER)
            continue;
        const int64_t end_ns = trace_end_ns(trace, row);
        spans_add(spans, optimizer_start(backward, trace->start_ns[row], end_ns), end_ns);
    }
}

/* The rows of a nest that start inside one of the spans are the optimizer's, those of the engine excepted. */
static void mark_optimizer(const struct judging *judging, struct rows rows, const struct spans *spans)
{
    size_t at = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        const int64_t start_ns = judging->trace->start_ns[row];
        while (at < spans->count && spans->at[at].end_ns <= start_ns)
            at++;
        const bool inside = at < spans->count && spans->at[at].start_ns <= start_ns;
        uint8_t *phase = &judging->phases[row];
        if (inside && *phase != PHASE_BACKWARD)
            *phase = PHASE_OPTIMIZER;
        else if (!inside && *phase == PHASE_OPTIMIZER)
            *phase = PHASE_FORWARD; /* in a closure */
    }
}

static void judge_optimizer(const struct judging *judging, uint32_t lane, const struct spans *backward)
{
    static const enum nest nests[] = {NEST_CALLS, NEST_ANNOTATION, NEST_PYTHON, NEST_ASIDE};
    struct spans spans = {0};
    optimizer_spans(judging, lane, NEST_ANNOTATION, backward, &spans);
    optimizer_spans(judging, lane, NEST_CALLS, backward, &spans);
    spans_tidy(&spans);
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++)
        mark_optimizer(judging, trace_rows(judging->trace, lane, nests[i]), &spans);
    spans_free(&spans);
}

static void judge_devices(const struct judging *judging)
{
    const struct trace *trace = judging->trace;
    for (uint32_t row = 0; row < trace->count; row++)
        if (event_on_device(trace->kind[row]) && trace->cause[row] != ROW_NONE)
            judging->phases[row] = judging->phases[trace->cause[row]];
}

const uint8_t *phases_of(const struct trace *trace, struct arena *arena)
{
    struct arena scratch = {0};
    const struct judging judging = {trace, arena_array(arena, trace->count, 1), trace_main_lane(trace),
                                    arena_array(&scratch, trace_text_count(trace), 1)};
    memset(judging.phases, PHASE_NONE, trace->count);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        judge_calls(&judging, lane);
        judge_engine_lane(&judging, lane);
    }
    struct spans backward = {0};
    backward_spans(&judging, &backward);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        judge_optimizer(&judging, lane, &backward);
    judge_devices(&judging);
    spans_free(&backward);
    arena_free(&scratch);
    return judging.phases;
}
