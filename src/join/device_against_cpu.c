/* SPDX-License-Identifier: Apache-2.0 */
#include "device_against_cpu.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "function.h"
#include "ops/rows/frame.h"
#include "report/report.h"

enum { PARTS_OF_STEP = 200 };

/* Time by name, of both traces: [0] with the device, [1] on the CPU. */
struct tally {
    str name;
    int64_t ns[2];
    uint64_t calls[2];
    uint32_t open; /* calls of the name that are open where the lane is read */
};

struct tallies {
    struct arena *arena;
    enum compared by;
    struct map index; /* hash of a name to its tally */
    struct tally *at;
    size_t count, room;
};

/* ---- names ---- */

/* What an event counts as; "" for nothing. */
static str name_of(const struct tallies *tallies, const struct trace *trace, uint32_t row, struct arena *scratch)
{
    const str name = trace_name(trace, row);
    if (tallies->by == COMPARED_OPERATORS)
        return trace->kind[row] == EVENT_OPERATOR && trace->parent[row] == ROW_NONE ? name : S("");
    if (tallies->by == COMPARED_ANNOTATIONS)
        return str_starts(name, S("ProfilerStep#")) ? S("") : name;
    const struct frame frame = frame_parse(name);
    if (frame_of_library(&frame))
        return S("");
    const str file = last_part(frame.file);
    return str_printf(scratch, "%.*s(%lld): %.*s", (int)file.len, file.at, (long long)frame.line, (int)frame.name.len,
                      frame.name.at);
}

static uint32_t tally_of(struct tallies *tallies, str name)
{
    for (int64_t key = (int64_t)hash_bytes(name.at, name.len);; key = (int64_t)((uint64_t)key + 1)) {
        const uint32_t known = map_get(&tallies->index, key);
        if (known != MAP_NONE && str_eq(tallies->at[known].name, name))
            return known;
        if (known != MAP_NONE)
            continue;
        map_put(&tallies->index, key, (uint32_t)tallies->count);
        tallies->at = mem_grow(tallies->at, &tallies->room, tallies->count + 1, sizeof *tallies->at);
        tallies->at[tallies->count] = (struct tally){.name = str_copy(tallies->arena, name)};
        return (uint32_t)tallies->count++;
    }
}

/* ---- time ---- */

struct open {
    int64_t end_ns;
    uint32_t tally;
};

/* Those of a lane that are open, the outermost first. */
struct opened {
    struct open *at;
    size_t depth, room;
};

static void close_until(struct tallies *tallies, struct opened *opened, int64_t now_ns)
{
    for (; opened->depth && opened->at[opened->depth - 1].end_ns <= now_ns; opened->depth--)
        tallies->at[opened->at[opened->depth - 1].tally].open--;
}

/* The tally of every text is found once. 0: not looked for; 1: none; else the tally + 2. */
static uint32_t known_tally(struct tallies *tallies, const struct trace *trace, uint32_t row, uint32_t *by_text)
{
    uint32_t *known = &by_text[trace->name[row]];
    if (*known && tallies->by != COMPARED_OPERATORS)
        return *known;
    struct arena scratch = {0};
    const str name = name_of(tallies, trace, row, &scratch);
    *known = name.len ? tally_of(tallies, name) + 2 : 1;
    arena_free(&scratch);
    return *known;
}

static enum nest nest_of(enum compared by)
{
    static const enum nest nests[] = {NEST_PYTHON, NEST_ANNOTATION, NEST_CALLS};
    return nests[by];
}

static void add_lane(struct tallies *tallies, const struct trace *trace, int side, uint32_t lane, uint32_t *by_text,
                     struct opened *opened)
{
    const struct rows rows = trace_rows(trace, lane, nest_of(tallies->by));
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        close_until(tallies, opened, trace->start_ns[row]);
        const uint32_t known = known_tally(tallies, trace, row, by_text);
        if (known < 2 || trace_step(trace, row) == STEP_NONE)
            continue;
        struct tally *tally = &tallies->at[known - 2];
        if (!tally->open++) {
            tally->ns[side] += trace->dur_ns[row];
            tally->calls[side]++;
        }
        opened->at = mem_grow(opened->at, &opened->room, opened->depth + 1, sizeof *opened->at);
        opened->at[opened->depth++] = (struct open){trace_end_ns(trace, row), known - 2};
    }
    close_until(tallies, opened, INT64_MAX);
}

/* Operators of all threads: beside a device backward runs on a thread of its own, without on the training thread. */
static void add_trace(struct tallies *tallies, const struct trace *trace, int side)
{
    struct arena scratch = {0};
    uint32_t *by_text = arena_array(&scratch, trace_text_count(trace), sizeof *by_text);
    struct opened opened = {0};
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device && (tallies->by == COMPARED_OPERATORS || lane == trace_main_lane(trace)))
            add_lane(tallies, trace, side, lane, by_text, &opened);
    mem_free(opened.at);
    arena_free(&scratch);
}

/* ---- the comparison ---- */

static bool has_annotations(const struct trace *trace)
{
    for (uint32_t row = 0; row < trace->count; row++)
        if (trace->kind[row] == EVENT_ANNOTATION && !str_starts(trace_name(trace, row), S("ProfilerStep#")))
            return true;
    return false;
}

static enum compared common(const struct trace *device, const struct trace *cpu)
{
    if (device->kinds[EVENT_PYTHON] && cpu->kinds[EVENT_PYTHON])
        return COMPARED_FUNCTIONS;
    return has_annotations(device) && has_annotations(cpu) ? COMPARED_ANNOTATIONS : COMPARED_OPERATORS;
}

static int64_t steps_of(const struct trace *trace)
{
    return trace->step_count ? trace->step_count : 1;
}

static int64_t step_ns(const struct trace *trace)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < trace->step_count; i++)
        ns += trace->steps[i].end_ns - trace->steps[i].start_ns;
    return ns / steps_of(trace);
}

static struct function_against against_of(const struct tally *tally, const int64_t steps[2], int64_t worth_ns)
{
    struct function_against against = {.name = tally->name,
                                       .device_ns = tally->ns[0] / steps[0],
                                       .cpu_ns = tally->ns[1] / steps[1],
                                       .device_calls = (double)tally->calls[0] / (double)steps[0],
                                       .cpu_calls = (double)tally->calls[1] / (double)steps[1]};
    against.slower = against.device_ns - against.cpu_ns > worth_ns;
    return against;
}

static void compare(const struct tallies *tallies, const int64_t steps[2], struct device_against_cpu *out)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, tallies->count, sizeof *order);
    struct function_against *all = arena_array(&scratch, tallies->count, sizeof *all);
    for (uint32_t i = 0; i < tallies->count; i++) {
        const struct tally *tally = &tallies->at[i];
        out->device_only += tally->calls[0] && !tally->calls[1];
        out->cpu_only += tally->calls[1] && !tally->calls[0];
        if (!tally->calls[0] || !tally->calls[1])
            continue;
        all[i] = against_of(tally, steps, out->device_step_ns / PARTS_OF_STEP);
        order[out->count++] = (struct keyed){all[i].cpu_ns - all[i].device_ns, i};
        out->slower_count += all[i].slower;
    }
    sort_keyed(order, out->count);
    out->at = arena_array(tallies->arena, out->count, sizeof *out->at);
    for (uint32_t i = 0; i < out->count; i++)
        out->at[i] = all[order[i].row];
    arena_free(&scratch);
}

void device_against_cpu(const struct trace *device, const struct trace *cpu, struct arena *arena,
                        struct device_against_cpu *out)
{
    struct tallies tallies = {.arena = arena, .by = common(device, cpu)};
    const int64_t steps[2] = {steps_of(device), steps_of(cpu)};
    *out =
        (struct device_against_cpu){.by = tallies.by, .device_step_ns = step_ns(device), .cpu_step_ns = step_ns(cpu)};
    add_trace(&tallies, device, 0);
    add_trace(&tallies, cpu, 1);
    compare(&tallies, steps, out);
    map_free(&tallies.index);
    mem_free(tallies.at);
}

/* ---- the report ---- */

static str verdict(const struct device_against_cpu *against, struct arena *arena)
{
    static const char *const words[] = {"functions", "annotations", "operators"};
    if (!against->count)
        return S("The two traces have no function, annotation or operator in common.");
    return str_printf(arena, "%u of %u %s that both runs record take the host longer with the device than on the CPU.",
                      against->slower_count, against->count, words[against->by]);
}

static void show_row(struct table *table, const struct function_against *against)
{
    table_row(table);
    table_text(table, against->name);
    table_int(table, against->device_ns);
    table_int(table, against->cpu_ns);
    table_real(table, against->cpu_ns ? (double)against->device_ns / (double)against->cpu_ns : 0);
    table_real(table, against->device_calls);
    table_text(table, against->slower ? S("slower") : S(""));
}

static const struct column_spec against_columns[] = {
    {"name", "function", UNIT_NONE, COLUMN_WIDE, "function of the code"},
    {"device_ns", "with device", UNIT_NS, 0, "its time a step in the trace with a device"},
    {"cpu_ns", "on the CPU", UNIT_NS, 0, "its time a step in the trace of the CPU"},
    {"ratio", "ratio", UNIT_RATIO, COLUMN_DETAIL, "device_ns / cpu_ns"},
    {"calls", "calls", UNIT_COUNT, COLUMN_DETAIL, "calls of the function"},
    {"verdict", "", UNIT_NONE, 0, "what follows in words"},
    {0},
};

void device_against_cpu_show(const struct device_against_cpu *against, struct report *report)
{
    struct section *section = report_section(report, "device_against_cpu", "With the device, and on the CPU alone");
    section_text(section, verdict(against, report_arena(report)));
    section_value(section, "device_step_ns", "a step with the device", UNIT_NS, cell_int(against->device_step_ns));
    section_value(section, "cpu_step_ns", "a step on the CPU", UNIT_NS, cell_int(against->cpu_step_ns));
    section_value(section, "slower", "slower with the device", UNIT_COUNT, cell_int(against->slower_count));
    struct table *table = section_table(section, "against", "");
    table_columns(table, against_columns);
    for (uint32_t i = 0; i < against->count; i++)
        show_row(table, &against->at[i]);
}
