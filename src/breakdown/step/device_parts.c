/* SPDX-License-Identifier: Apache-2.0 */
#include "device_parts.h"

#include "breakdown/parts/device_class.h"
#include "breakdown/idle/idle.h"
#include "breakdown/parts/sweep.h"

/* Idle time of one cause that goes on, until another cause or work breaks it. */
struct stretch {
    enum part cause;
    int64_t start_ns, end_ns;
    uint32_t row;
};

struct walk {
    const struct device_run *run;
    struct step_cut steps;
    int64_t first_ns, last_ns; /* start of the first and end of the last device work in the window */
    struct stretch stretch;
};

/* ---- the whole trace or selection ---- */

static void book_active(const struct walk *walk, const struct sweep_piece *piece, enum account account, uint32_t mask)
{
    if (piece->active & mask)
        ledger_book(walk->run->ledger, account, sweep_owner(piece, mask), piece->end_ns - piece->start_ns);
}

static void book_both(const struct walk *walk, const struct sweep_piece *piece, enum account account, uint32_t under,
                      uint32_t over)
{
    if (piece->active & over)
        book_active(walk, piece, account, under);
}

static void book_work(const struct walk *walk, const struct sweep_piece *piece)
{
    book_active(walk, piece, ACCOUNT_BUSY, ~0u);
    book_active(walk, piece, ACCOUNT_COMPUTE, MASK_COMPUTE);
    book_active(walk, piece, ACCOUNT_COMMUNICATION, MASK_COMMUNICATION);
    book_active(walk, piece, ACCOUNT_MEMORY, MASK_MEMORY);
    book_active(walk, piece, ACCOUNT_COPY, MASK_COPY);
    if (!(piece->active & MASK_COMPUTE))
        book_active(walk, piece, ACCOUNT_EXPOSED_COMMUNICATION, MASK_COMMUNICATION);
    book_both(walk, piece, ACCOUNT_COMMUNICATION_UNDER_COMPUTE, MASK_COMMUNICATION, MASK_COMPUTE);
    book_both(walk, piece, ACCOUNT_COPY_UNDER_COMPUTE, MASK_COPY, MASK_COMPUTE);
    book_both(walk, piece, ACCOUNT_COPY_UNDER_COMMUNICATION, MASK_COPY, MASK_COMMUNICATION);
}

/* A gap counts between the first and the last device work only. */
static void book_gap(const struct walk *walk, const struct sweep_piece *gap)
{
    static const enum account waits[IDLE_WAITS] = {ACCOUNT_HOST_WAIT, ACCOUNT_KERNEL_WAIT, ACCOUNT_OTHER_IDLE};
    if (gap->start_ns < walk->first_ns || gap->end_ns > walk->last_ns)
        return;
    ledger_book(walk->run->ledger, ACCOUNT_IDLE, gap->next, gap->end_ns - gap->start_ns);
    ledger_book(walk->run->ledger, waits[idle_wait(walk->run->trace, gap)], gap->next, gap->end_ns - gap->start_ns);
}

/* ---- the steps ---- */

/* Gives a stretch of time to the steps it lies in; returns how much of it lies in any. */
static int64_t book_part(struct walk *walk, int64_t start_ns, int64_t end_ns, enum part part, uint32_t row)
{
    int64_t inside = 0;
    for (uint32_t i = step_cut_first(&walk->steps, start_ns);
         i < walk->steps.count && walk->steps.steps[i].start_ns < end_ns; i++) {
        const int64_t ns = step_cut_inside(&walk->steps, i, start_ns, end_ns);
        walk->run->out->steps[i].part_ns[part] += ns;
        inside += ns;
    }
    if (inside)
        ledger_book(walk->run->ledger, ACCOUNT_PART + part, row, inside);
    return inside;
}

static void book_four_parts(const struct walk *walk, const struct sweep_piece *piece, int64_t inside_ns)
{
    static const struct {
        enum account account;
        uint32_t mask;
    } four[] = {
        {ACCOUNT_INPUT_COPY, MASK_INPUT_COPY},
        {ACCOUNT_COMPUTE_BOUND, MASK_COMPUTE_BOUND},
        {ACCOUNT_MEMORY_BOUND, MASK_MEMORY_BOUND},
        {ACCOUNT_WEIGHT_COMMUNICATION, MASK_WEIGHT_COMMUNICATION},
    };
    for (size_t i = 0; i < sizeof four / sizeof *four; i++)
        if (piece->active & four[i].mask)
            ledger_book(walk->run->ledger, four[i].account, sweep_owner(piece, four[i].mask), inside_ns);
}

/* ---- idle stretches ---- */

static void end_stretch(struct walk *walk)
{
    const struct stretch *stretch = &walk->stretch;
    const int64_t ns = stretch->end_ns - stretch->start_ns;
    struct breakdown_idle *idle = &walk->run->out->idle[stretch->cause];
    if (ns <= 0)
        return;
    idle->stretches++;
    if (ns > idle->longest_ns) {
        idle->longest_ns = ns;
        idle->longest_row = stretch->row;
    }
    walk->stretch = (struct stretch){0};
}

static void add_to_stretch(struct walk *walk, const struct idle_piece *piece)
{
    struct stretch *stretch = &walk->stretch;
    if (stretch->end_ns != piece->start_ns || stretch->cause != piece->cause || stretch->start_ns == stretch->end_ns) {
        end_stretch(walk);
        *stretch = (struct stretch){piece->cause, piece->start_ns, piece->end_ns, piece->row};
    }
    stretch->end_ns = piece->end_ns;
}

static void take_idle(void *context, const struct idle_piece *piece)
{
    struct walk *walk = context;
    const int64_t inside = book_part(walk, piece->start_ns, piece->end_ns, piece->cause, piece->row);
    if (!inside)
        return;
    add_to_stretch(walk, piece);
    if (piece->cause == PART_BLOCKED)
        blocking_add(walk->run->blocking, piece->row, inside);
}

static void take_piece(void *context, const struct sweep_piece *piece)
{
    struct walk *walk = context;
    if (!piece->active) {
        book_gap(walk, piece);
        idle_split(walk->run->trace, walk->run->host, piece, take_idle, walk);
        return;
    }
    book_work(walk, piece);
    const enum part part = device_part(piece->active);
    const uint32_t owner = sweep_owner(piece, part == PART_COMPUTE ? MASK_COMPUTE : ~0u);
    book_four_parts(walk, piece, book_part(walk, piece->start_ns, piece->end_ns, part, owner));
}

/* ---- the run ---- */

/* The extent of the device work in the window, and its first and last row. */
static void find_span(struct walk *walk)
{
    const struct device_run *run = walk->run;
    uint32_t first = ROW_NONE, last = ROW_NONE;
    walk->first_ns = run->end_ns;
    walk->last_ns = run->start_ns;
    for (uint32_t i = 0; i < run->work.count; i++) {
        const uint32_t row = run->work.at[i];
        const int64_t start = run->trace->start_ns[row], end = trace_end_ns(run->trace, row);
        if (start >= run->end_ns || (start < run->start_ns && end <= run->start_ns))
            continue;
        run->out->events++;
        if (run->trace->kind[row] == EVENT_KERNEL)
            ledger_book(run->ledger, ACCOUNT_KERNEL_SUM, row, run->trace->dur_ns[row]);
        if (first == ROW_NONE)
            walk->first_ns = start > run->start_ns ? start : run->start_ns;
        first = first == ROW_NONE ? row : first;
        if (end > walk->last_ns || last == ROW_NONE) {
            walk->last_ns = end < run->end_ns ? end : run->end_ns;
            last = row;
        }
    }
    if (first == ROW_NONE)
        return;
    ledger_book(run->ledger, ACCOUNT_SPAN, first, -walk->first_ns);
    ledger_book(run->ledger, ACCOUNT_SPAN, last, walk->last_ns);
}

/* The steps may reach past the window's end only where the window is the whole trace. */
static int64_t sweep_end(const struct device_run *run)
{
    const struct step_cut *steps = &run->steps;
    const int64_t last = steps->count ? steps->steps[steps->count - 1].end_ns : run->end_ns;
    return last > run->end_ns ? last : run->end_ns;
}

void device_parts_run(const struct device_run *run)
{
    struct arena scratch = {0};
    struct walk walk = {.run = run, .steps = run->steps};
    uint8_t *class_of = arena_array(&scratch, run->work.count, sizeof *class_of);
    for (uint32_t i = 0; i < run->work.count; i++)
        class_of[i] = (uint8_t)device_class(run->classes, run->work.at[i]);
    find_span(&walk);
    sweep(run->trace, run->work, class_of, run->start_ns, sweep_end(run), take_piece, &walk);
    end_stretch(&walk);
    arena_free(&scratch);
}
