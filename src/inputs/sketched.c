/* SPDX-License-Identifier: Apache-2.0 */
#include "sketched.h"

#include "base/error.h"
#include "read/rank.h"
#include "sketch/file/code.h"

static const int64_t most_ns = (int64_t)1 << 62;

/* ---- the member ---- */

static void code_steps(struct code *code, struct job_member *member)
{
    struct arena *arena = code->arena;
    const uint32_t kept = member->steps_kept;
    code_small(code, &member->steps_kept, JOB_MOST_STEPS + 1);
    struct member_step *steps =
        code_reads(code) ? arena_array(arena, member->steps_kept, sizeof *steps) : (struct member_step *)member->steps;
    for (uint32_t i = 0; i < (code_reads(code) ? member->steps_kept : kept); i++) {
        struct member_step step = steps[i];
        code_int(code, &step.number, i ? steps[i - 1].number : 0, INT64_MIN, INT64_MAX);
        code_int(code, &step.start_ns, i ? steps[i - 1].end_ns : member->begin_ns, -most_ns, most_ns);
        code_int(code, &step.end_ns, step.start_ns, -most_ns, most_ns);
        if (code_reads(code))
            steps[i] = step;
    }
    member->steps = steps;
    code_int(code, &member->first_step, 0, INT64_MIN, INT64_MAX);
    code_int(code, &member->last_step, member->first_step, INT64_MIN, INT64_MAX);
}

static void code_member(struct code *code, struct job_member *member)
{
    code_bool(code, &member->recorded);
    code_int(code, &member->rank, 0, -1, INT64_MAX);
    code_int(code, &member->world_size, 0, -1, INT64_MAX);
    code_kept(code, &member->device);
    code_kept(code, &member->torch_version);
    code_kept(code, &member->host);
    code_int(code, &member->begin_ns, 0, 0, most_ns);
    code_steps(code, member);
    struct settings settings = code_reads(code) ? (struct settings){0} : *member->settings;
    settings_code(code, &settings);
    if (code_reads(code))
        member->settings = settings_kept(settings, code->texts, code->arena);
}

/* ---- the trust ---- */

static void code_oddities(struct code *code, struct trace_oddities *odd)
{
    uint64_t *const counts[] = {&odd->partial_overlaps,
                                &odd->zero_durations,
                                &odd->stream_overlaps,
                                &odd->launches,
                                &odd->kernels_without_launch,
                                &odd->launches_without_kernel,
                                &odd->graph_launches,
                                &odd->graph_kernels,
                                &odd->device_work,
                                &odd->early_work,
                                &odd->syncs,
                                &odd->early_syncs};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        code_bits(code, counts[i]);
    code_int(code, &odd->most_early_ns, 0, 0, most_ns);
}

static void code_trust(struct code *code, struct trace_trust *trust)
{
    uint32_t source = trust->source;
    code_oddities(code, &trust->odd);
    code_bits(code, &trust->device_work);
    code_bits(code, &trust->repaired);
    code_bits(code, &trust->dropped);
    code_u32(code, &trust->steps, 0);
    code_small(code, &source, STEP_SOURCES);
    code_bool(code, &trust->first);
    code_bool(code, &trust->cut);
    code_kept(code, &trust->times.path);
    code_kept(code, &trust->times.wrong);
    code_real(code, &trust->times.bare_ns);
    code_real(code, &trust->times.recorded_ns);
    trust->source = (enum step_source)source;
}

/* What tells the steps, as it stands beside the input in a report. */
static void code_basis(struct code *code, struct report_steps *steps)
{
    code_kept(code, &steps->source);
    code_kept(code, &steps->name);
    code_kept(code, &steps->words);
    code_bool(code, &steps->marked);
    code_int(code, &steps->count, 0, 0, UINT32_MAX);
    code_real(code, &steps->spread);
    code_real(code, &steps->variation);
    code_real(code, &steps->covered);
}

/* Behind all else, and only where there are any: most sketches have none. */
static void code_groups(struct code *code, struct trace_oddities *odd)
{
    if (code_reads(code) ? code->at < code->end : odd->unnamed_groups > 0)
        code_bits(code, &odd->unnamed_groups);
}

/* ---- a file ---- */

static str job_section(const struct input_file *file, struct arena *arena)
{
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    struct job_member member = file->member;
    struct trace_trust trust = file->trust;
    code_member(&code, &member);
    code_trust(&code, &trust);
    struct report_steps steps = inputs_steps_of(file->trace, arena);
    code_basis(&code, &steps);
    code_groups(&code, &trust.odd);
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return section;
}

static struct sketch_note *notes_of(const struct trace *trace, struct arena *arena)
{
    struct sketch_note *notes = arena_array(arena, trace->note_count, sizeof *notes);
    for (uint32_t i = 0; i < trace->note_count; i++)
        notes[i] =
            (struct sketch_note){trace->notes[i].offset, trace->notes[i].text, trace->notes[i].kind == NOTE_DOUBT};
    return notes;
}

struct sketch sketched_of(const struct input_file *file, struct arena *arena)
{
    const struct trace *trace = file->trace;
    const struct sketch_trace about = {
        .path = trace->info.path,
        .format = trace->info.format,
        .events = trace->count,
        .bytes = trace->info.file_bytes,
        .repaired = (int64_t)trace->repaired,
        .dropped = (int64_t)trace->dropped,
        .notes = notes_of(trace, arena),
        .note_count = trace->note_count,
    };
    return (struct sketch){.trace = about, .sections[SKETCH_JOB] = job_section(file, arena)};
}

static struct rounded_times rounded_of(const struct sketch_rounding *of)
{
    return (struct rounded_times){of->collectives, of->rounded, of->entry_ns, of->spent_ns};
}

bool sketched_job(struct input_file *file, struct texts *texts)
{
    struct job_member *member = &file->member;
    file->sketch->texts = texts;
    struct code code = sketch_section(file->sketch, SKETCH_JOB, &file->arena);
    *member = (struct job_member){.path = str_of(file->path)};
    code_member(&code, member);
    code_trust(&code, &file->trust);
    code_basis(&code, &file->about.steps);
    code_groups(&code, &file->trust.odd);
    file->trust.rounded = rounded_of(&file->sketch->trace.rounding);
    if (!member->recorded)
        member->rank = rank_of_path(member->path);
    return code_whole(&code) || fail_at(file->error, STEPTIME_INPUT, str_of(file->path), -1, "is a damaged sketch");
}
