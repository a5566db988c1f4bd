/* SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"

#include "sketched.h"

static void add_remark(struct input_file *file, struct input_remark remark)
{
    struct input_remark *added = arena_alloc(&file->arena, sizeof *added);
    *added = remark;
    *file->last_remark = added;
    file->last_remark = &added->next;
}

static void remark(struct input_file *file, int64_t offset, str message)
{
    add_remark(file, (struct input_remark){.offset = offset, .message = message});
}

static void remark_notes(struct input_file *file, const struct note *notes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_remark(file, (struct input_remark){.offset = notes[i].offset,
                                               .message = str_copy(&file->arena, notes[i].text),
                                               .in_head = notes[i].kind == NOTE_DOUBT});
}

void describe_rank(const struct inputs *inputs, struct input_file *file, const struct rank *rank)
{
    static const char *const said[] = {
        [RANK_RECORDED] = "records", [RANK_FROM_NAME] = "is named", [RANK_BY_ORDER] = "would by order be"};
    if (rank->rival != RANK_NO_RIVAL)
        remark(file, -1,
               str_printf(&file->arena, "%s rank %lld, which %s is already; taken as rank %lld", said[rank->source],
                          (long long)rank->claimed, inputs->files[rank->rival].path, (long long)rank->number));
    else if (rank->source == RANK_BY_ORDER)
        add_remark(file, (struct input_remark){.offset = -1,
                                               .message = str_printf(&file->arena,
                                                                     "names no rank; taken as rank %lld by order",
                                                                     (long long)rank->number),
                                               .of_several = true});
}

struct report_steps inputs_steps_of(const struct trace *trace, struct arena *arena)
{
    const struct step_basis basis = trace_step_basis(trace, arena);
    return (struct report_steps){
        .source = str_of(step_source_id(basis.source)),
        .name = basis.name,
        .words = basis.words,
        .marked = basis.source == STEPS_ANNOTATED,
        .count = basis.steps,
        .spread = basis.spread,
        .variation = basis.variation,
        .covered = basis.covered,
    };
}

static void remark_trust(struct input_file *file)
{
    const struct step_times *times = &file->trust.times;
    if (times->wrong.len)
        remark(file, -1,
               str_printf(&file->arena, "%.*s beside it %.*s", (int)times->path.len, times->path.at,
                          (int)times->wrong.len, times->wrong.at));
}

static void describe_trace(struct input_file *file, const struct selection *steps)
{
    const struct trace *trace = file->trace;
    file->about = (struct report_input){
        .path = str_of(file->path),
        .format = str_copy(&file->arena, trace->info.format),
        .events = trace->count,
        .bytes = trace->info.file_bytes,
        .repaired = (int64_t)trace->repaired,
        .dropped = (int64_t)trace->dropped,
        .steps = inputs_steps_of(trace, &file->arena),
    };
    remark_notes(file, trace->notes, trace->note_count);
    file->trust = trace_trust_of(trace, steps, &file->arena);
    file->trace->info.slowed = step_times_slowed(&file->trust.times);
    remark_trust(file);
}

static void describe_execution(struct input_file *file)
{
    const struct execution *execution = file->execution;
    file->about = (struct report_input){
        .path = str_of(file->path),
        .format = S("execution trace"),
        .events = execution->count,
        .bytes = execution->file_bytes,
        .repaired = (int64_t)execution->repaired,
        .dropped = (int64_t)execution->dropped,
    };
    remark_notes(file, execution->notes, execution->note_count);
}

static void describe_sketched(struct input_file *file)
{
    const struct sketch_trace *trace = &file->sketch->trace;
    file->about = (struct report_input){
        .path = str_of(file->path),
        .format = str_copy(&file->arena, trace->format),
        .events = trace->events,
        .bytes = trace->bytes,
        .repaired = trace->repaired,
        .dropped = trace->dropped,
        .steps = file->about.steps, /* as the sketch has them */
    };
}

/* A trace that another process has read. */
static void describe_elsewhere(struct input_file *file)
{
    const struct sketch_trace *trace = &file->sketch->trace;
    describe_sketched(file);
    for (uint32_t i = 0; i < trace->note_count; i++)
        add_remark(file, (struct input_remark){.offset = trace->notes[i].offset,
                                               .message = str_copy(&file->arena, trace->notes[i].text),
                                               .in_head = trace->notes[i].in_head});
    remark_trust(file);
}

/* Where the trace was not whole is told by the trace's bytes, not by those of the sketch. */
static void describe_sketch(struct input_file *file)
{
    const struct sketch_trace *trace = &file->sketch->trace;
    struct arena *arena = &file->arena;
    describe_sketched(file);
    file->about.format = str_printf(arena, "sketch of %.*s", (int)trace->format.len, trace->format.at);
    file->about.bytes = file->sketch->file_bytes;
    for (uint32_t i = 0; i < trace->note_count; i++) {
        const struct sketch_note *note = &trace->notes[i];
        const str at = note->offset < 0 ? S("") : str_printf(arena, ", byte %lld", (long long)note->offset);
        add_remark(file, (struct input_remark){.offset = -1,
                                               .message = str_printf(arena, "of its trace%.*s: %.*s", (int)at.len,
                                                                     at.at, (int)note->text.len, note->text.at),
                                               .in_head = note->in_head});
    }
    remark_trust(file);
}

void describe_file(struct input_file *file, const struct selection *steps)
{
    file->about = (struct report_input){
        .path = str_of(file->path), .format = S("configuration"), .steps = file->about.steps}; /* of a sketch */
    if (file->trace)
        describe_trace(file, steps);
    else if (file->execution)
        describe_execution(file);
    else if (file->elsewhere)
        describe_elsewhere(file);
    else if (file->sketch)
        describe_sketch(file);
}
