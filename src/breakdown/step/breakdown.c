/* SPDX-License-Identifier: Apache-2.0 */
#include "breakdown.h"

#include <assert.h>

#include "device_parts.h"
#include "host_parts.h"
#include "ops/rows/kernel_title.h"

/* What the devices of one trace share. */
struct shared {
    const struct trace *trace;
    const struct work_classes *classes;
    const uint8_t *phases;
    struct host *host;
    struct step_range range;
    int64_t start_ns, end_ns;
    struct step_cut steps;
    const bool *wanted;
    uint32_t most_explained;
    bool no_host_phases;
    struct ledger host_phases; /* of the host, the same for all devices: PHASES accounts from ACCOUNT_PHASE_HOST on */
    struct arena *arena;       /* of the result */
};

/* ---- results of one device ---- */

static void new_steps(const struct shared *shared, struct breakdown_device *out)
{
    out->step_count = shared->steps.count;
    out->steps = arena_array(shared->arena, out->step_count, sizeof *out->steps);
    for (uint32_t i = 0; i < out->step_count; i++) {
        const struct step *step = &shared->steps.steps[i];
        out->steps[i].number = step->number;
        out->steps[i].start_ns = step->start_ns;
        out->steps[i].wall_ns = step->end_ns - step->start_ns;
    }
}

/* The invariant of the whole module. */
static void assert_exact(const struct breakdown_device *out)
{
    for (uint32_t i = 0; i < out->step_count; i++) {
        int64_t sum = 0;
        for (int part = 0; part < PARTS; part++) {
            assert(out->steps[i].part_ns[part] >= 0);
            sum += out->steps[i].part_ns[part];
        }
        assert(sum == out->steps[i].wall_ns);
    }
}

static struct breakdown_event event_of(const struct shared *shared, const struct ledger_entry *entry)
{
    struct breakdown_event event = {.row = entry->row, .amount = entry->amount};
    if (entry->row == ROW_NONE)
        return event;
    event.name = str_copy(shared->arena, trace_name(shared->trace, entry->row));
    event.title = event_title(shared->trace->kind[entry->row], event.name, shared->arena);
    event.start_ns = shared->trace->start_ns[entry->row];
    event.dur_ns = shared->trace->dur_ns[entry->row];
    return event;
}

static struct breakdown_explained explain(const struct shared *shared, const struct ledger *ledger,
                                          enum account account)
{
    struct arena scratch = {0};
    struct breakdown_explained explained = {.account = account, .total = ledger->total[account]};
    const struct ledger_entry *entries =
        ledger_largest(ledger, account, shared->most_explained, &scratch, &explained.count, &explained.events);
    explained.first = arena_array(shared->arena, explained.count, sizeof *explained.first);
    for (uint32_t i = 0; i < explained.count; i++)
        explained.first[i] = event_of(shared, &entries[i]);
    arena_free(&scratch);
    return explained;
}

static bool is_of_host(enum account account)
{
    return account >= ACCOUNT_PHASE_HOST && account < ACCOUNT_PHASE_HOST + PHASES;
}

static void keep_explained(const struct shared *shared, const struct ledger *ledger, struct breakdown_device *out)
{
    if (!shared->wanted)
        return;
    out->explained = arena_array(shared->arena, ACCOUNTS, sizeof *out->explained);
    for (int account = 0; account < ACCOUNTS; account++)
        if (shared->wanted[account])
            out->explained[out->explained_count++] =
                explain(shared, is_of_host((enum account)account) ? &shared->host_phases : ledger, account);
}

static void keep_blocking(const struct shared *shared, struct blocking *blocking, struct breakdown_device *out)
{
    out->blocking = blocking_sums(blocking, shared->arena);
    out->blocking_count = (uint32_t)blocking->count;
    blocking_free(blocking);
}

static void keep_idle_names(const struct shared *shared, struct breakdown_device *out)
{
    for (int cause = 0; cause < PARTS; cause++) {
        struct breakdown_idle *idle = &out->idle[cause];
        if (!idle->stretches || idle->longest_row == ROW_NONE)
            continue;
        idle->longest_name = str_copy(shared->arena, trace_name(shared->trace, idle->longest_row));
        idle->longest_title = event_title(shared->trace->kind[idle->longest_row], idle->longest_name, shared->arena);
    }
}

static void keep(const struct shared *shared, struct ledger *ledger, struct breakdown_device *out)
{
    assert_exact(out);
    memcpy(out->total, ledger->total, sizeof out->total);
    memcpy(&out->total[ACCOUNT_PHASE_HOST], &shared->host_phases.total[ACCOUNT_PHASE_HOST],
           PHASES * sizeof *out->total);
    keep_explained(shared, ledger, out);
    ledger_free(ledger);
}

/* ---- the host ---- */

struct host_booking {
    struct ledger *phases;
    struct ledger *parts; /* with `out`: a device that is not there; NULL: the phases alone */
    struct breakdown_device *out;
};

static void book_phase(struct ledger *ledger, enum part part, uint32_t row, int64_t ns)
{
    if (part >= PART_FORWARD && part <= PART_OPTIMIZER)
        ledger_book(ledger, ACCOUNT_PHASE_HOST + PHASE_FORWARD + part - PART_FORWARD, row, ns);
    else
        ledger_book(ledger, ACCOUNT_PHASE_HOST + PHASE_NONE, row, ns);
}

static void take_host(void *context, uint32_t step, enum part part, uint32_t row, int64_t ns)
{
    const struct host_booking *booking = context;
    book_phase(booking->phases, part, row, ns);
    if (!booking->out)
        return;
    booking->out->steps[step].part_ns[part] += ns;
    ledger_book(booking->parts, ACCOUNT_PART + part, row, ns);
}

/* Once for all devices. */
static void run_host(struct shared *shared, struct ledger *parts, struct breakdown_device *out)
{
    host_parts(shared->trace, shared->host, shared->phases, &shared->steps, take_host,
               &(struct host_booking){&shared->host_phases, parts, out});
}

static void run_host_only(struct shared *shared, struct breakdown_device *out)
{
    struct ledger ledger = {.wanted = shared->wanted};
    new_steps(shared, out);
    run_host(shared, &ledger, out);
    keep(shared, &ledger, out);
}

/* ---- a device ---- */

static void run_device(const struct shared *shared, int64_t device, struct breakdown_device *out)
{
    struct arena scratch = {0};
    struct ledger ledger = {.wanted = shared->wanted};
    struct blocking blocking = {.trace = shared->trace};
    out->recorded = true;
    out->device = device;
    new_steps(shared, out);
    const struct device_run run = {
        .trace = shared->trace,
        .classes = shared->classes,
        .phases = shared->phases,
        .host = shared->host,
        .work = trace_device_work(shared->trace, &scratch, device),
        .start_ns = shared->start_ns,
        .end_ns = shared->end_ns,
        .steps = shared->steps,
        .first_step = shared->range.first,
        .ledger = &ledger,
        .blocking = &blocking,
        .out = out,
    };
    host_rewind(shared->host);
    device_parts_run(&run);
    device_phases_run(&run);
    device_copies_run(&run);
    device_launched_run(&run);
    keep(shared, &ledger, out);
    keep_blocking(shared, &blocking, out);
    keep_idle_names(shared, out);
    arena_free(&scratch);
}

/* As many devices as the limits allow, at least one. */
static uint32_t devices_kept(uint32_t devices, uint32_t steps)
{
    const uint32_t by_steps = steps > MOST_STEP_ROWS ? 1 : MOST_STEP_ROWS / (steps ? steps : 1);
    const uint32_t most = by_steps < MOST_DEVICES ? by_steps : MOST_DEVICES;
    return devices < most ? devices : most;
}

static void run_all(struct shared *shared, struct breakdown *out)
{
    struct arena scratch = {0};
    int64_t *devices;
    const uint32_t count = trace_devices(shared->trace, &scratch, &devices);
    out->device_count = count ? devices_kept(count, shared->steps.count) : 1;
    out->devices_left_out = count > out->device_count ? count - out->device_count : 0;
    out->devices = arena_array(shared->arena, out->device_count, sizeof *out->devices);
    if (!count)
        run_host_only(shared, out->devices);
    else if (!shared->no_host_phases)
        run_host(shared, NULL, NULL);
    if (out->device_count > 1)
        host_remember(shared->host);
    for (uint32_t i = 0; i < out->device_count && count; i++)
        run_device(shared, devices[i], &out->devices[i]);
    arena_free(&scratch);
}

void breakdown_run_judged(const struct trace *trace, const struct judgements *judgements,
                          const struct breakdown_asked *asked, struct arena *arena, struct breakdown *out)
{
    struct arena scratch = {0};
    struct shared shared = {.trace = trace,
                            .classes = judgements->classes,
                            .phases = judgements->phases,
                            .host = host_new(trace, judgements->classes, &scratch),
                            .range = selection_steps(trace, asked->selection),
                            .wanted = asked->wanted,
                            .most_explained = asked->most_explained,
                            .no_host_phases = asked->no_host_phases,
                            .host_phases.wanted = asked->wanted,
                            .arena = arena};
    selection_window(trace, asked->selection, &shared.start_ns, &shared.end_ns);
    shared.steps = (struct step_cut){.steps = trace->steps + shared.range.first, .count = shared.range.count};
    out->rank = trace->info.rank;
    out->path = str_copy(arena, trace->info.path);
    out->step_source = trace->step_source;
    out->compilations = compilations_of(trace, shared.start_ns, shared.end_ns);
    run_all(&shared, out);
    ledger_free(&shared.host_phases);
    host_free(shared.host);
    arena_free(&scratch);
}

void breakdown_run(const struct trace *trace, const struct selection *selection, const bool *wanted,
                   struct arena *arena, struct breakdown *out)
{
    struct arena scratch = {0};
    const struct judgements judgements = {.classes = work_classes_new(trace, &scratch),
                                          .phases = phases_of(trace, &scratch)};
    const struct breakdown_asked asked = {.selection = selection, .wanted = wanted, .most_explained = EXPLAINED_EVENTS};
    breakdown_run_judged(trace, &judgements, &asked, arena, out);
    arena_free(&scratch);
}
