/* SPDX-License-Identifier: Apache-2.0 */
#include "quickest.h"

#include "base/hash.h"
#include "base/sort.h"

enum { FEWEST = 4, QUICKER = 8 };

/* Of a step the operators [first, first + count) of those that are in order of time. */
struct called {
    uint32_t first, count;
    uint64_t order;
};

struct finding {
    const struct trace *trace;
    const struct step *steps;
    uint32_t step_count, count;
    struct keyed *operators; /* by their begin */
    struct called *called;   /* by step */
    struct arena scratch;
};

static void take_operators(struct finding *f)
{
    const struct trace *trace = f->trace;
    const int64_t start_ns = f->steps[0].start_ns, end_ns = f->steps[f->step_count - 1].end_ns;
    f->operators = arena_room(&f->scratch, trace->kinds[EVENT_OPERATOR], sizeof *f->operators);
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_OPERATOR && trace->start_ns[row] >= start_ns && trace->start_ns[row] < end_ns)
            f->operators[f->count++] = (struct keyed){trace->start_ns[row], row};
    sort_keyed(f->operators, f->count);
}

static uint64_t order_of(const struct finding *f, const struct called *called)
{
    uint64_t order = called->count;
    for (uint32_t i = 0; i < called->count; i++) {
        const str name = trace_text(f->trace, f->trace->name[f->operators[called->first + i].row]);
        order = hash_add(order, hash_stable(name.at, name.len));
    }
    return order;
}

static void take_steps(struct finding *f)
{
    f->called = arena_array(&f->scratch, f->step_count, sizeof *f->called);
    for (uint32_t s = 0; s < f->step_count; s++) {
        struct called *called = &f->called[s];
        called->first = (uint32_t)keyed_below(f->operators, f->count, f->steps[s].start_ns);
        called->count = (uint32_t)keyed_below(f->operators, f->count, f->steps[s].end_ns) - called->first;
        called->order = order_of(f, called);
    }
}

/* The order of most steps; 0 where none is that of half of them. */
static uint64_t usual_order(struct finding *f, uint32_t *steps)
{
    int64_t *orders = arena_room(&f->scratch, f->step_count, sizeof *orders);
    uint64_t most = 0;
    *steps = 0;
    for (uint32_t s = 0; s < f->step_count; s++)
        orders[s] = (int64_t)f->called[s].order;
    sort_values(orders, f->step_count);
    for (uint32_t s = 0, run = 0; s < f->step_count; s++) {
        run = s && orders[s] == orders[s - 1] ? run + 1 : 1;
        if (run > *steps) {
            *steps = run;
            most = (uint64_t)orders[s];
        }
    }
    return 2 * *steps >= f->step_count ? most : 0;
}

/* The begin of an operator of a step; of the one before the first that of the step, of the one behind the last its end. */
static int64_t moment(const struct finding *f, uint32_t s, uint32_t i)
{
    const struct called *called = &f->called[s];
    if (!i)
        return f->steps[s].start_ns;
    return i > called->count ? f->steps[s].end_ns : f->operators[called->first + i - 1].key;
}

static double sum_of_quickest(struct finding *f, uint64_t order, uint32_t steps)
{
    int64_t *lengths = arena_room(&f->scratch, steps, sizeof *lengths);
    double ns = 0;
    uint32_t stretches = 1;
    for (uint32_t i = 0; i < stretches; i++) {
        uint32_t taken = 0;
        for (uint32_t s = 0; s < f->step_count; s++)
            if (f->called[s].order == order) {
                stretches = f->called[s].count + 1;
                lengths[taken++] = moment(f, s, i + 1) - moment(f, s, i);
            }
        sort_values(lengths, taken);
        ns += (double)lengths[taken / QUICKER];
    }
    return ns;
}

struct quickest quickest_of(const struct trace *trace, const struct selection *selection)
{
    const struct step_range range = selection_steps(trace, selection);
    struct finding f = {.trace = trace, .steps = trace->steps + range.first, .step_count = range.count};
    struct quickest out = {0};
    if (range.count < FEWEST || trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] > 0)
        return out;
    take_operators(&f);
    take_steps(&f);
    out.order = usual_order(&f, &out.steps);
    if (!out.order || out.steps < FEWEST)
        out = (struct quickest){0};
    else
        out.ns = sum_of_quickest(&f, out.order, out.steps);
    arena_free(&f.scratch);
    return out;
}
