/* SPDX-License-Identifier: Apache-2.0 */
#include "bound_sketch.h"

#include "base/error.h"
#include "words.h"

/* ---- the verdict ---- */

static void code_resources(struct code *code, struct verdict *verdict)
{
    bool used[RESOURCES];
    struct code_set set = {0};
    for (int r = 0; r < RESOURCES; r++)
        used[r] = verdict->saved_ns[r] || verdict->removed_ns[r] || verdict->time_ns[r];
    code_set(code, &sketch_resources, used, &set);
    for (uint32_t i = 0; i < set.count; i++) {
        code_ns(code, &verdict->saved_ns[set.at[i]], 0);
        code_ns(code, &verdict->removed_ns[set.at[i]], verdict->saved_ns[set.at[i]]);
        code_ns(code, &verdict->time_ns[set.at[i]], verdict->removed_ns[set.at[i]]);
    }
}

static void code_pair(struct code *code, struct verdict *verdict)
{
    code_ns(code, &verdict->pair_ns, 0);
    for (int i = 0; i < 2; i++) {
        int resource = verdict->pair[i];
        code_word(code, &sketch_resources, &resource);
        verdict->pair[i] = (enum resource)resource;
    }
}

static void code_left_out(struct code *code, struct verdict *verdict)
{
    int cause = verdict->left_out_cause;
    code_ns(code, &verdict->left_out_ns, 0);
    code_word(code, &sketch_causes, &cause);
    verdict->left_out_cause = (enum cause)cause;
}

static void code_verdict(struct code *code, struct verdict *verdict)
{
    code_u32(code, &verdict->steps, 0);
    code_ns(code, &verdict->step_ns, 0);
    code_ns(code, &verdict->explained_ns, verdict->step_ns);
    code_left_out(code, verdict);
    code_resources(code, verdict);
    code_pair(code, verdict);
    code_bits(code, &verdict->launches);
    code_bits(code, &verdict->lost);
    code_bits(code, &verdict->work);
    code_bits(code, &verdict->unlaunched);
    code_ns(code, &verdict->held_ns, 0);
    code_ns(code, &verdict->blank_ns, 0);
    code_bool(code, &verdict->device);
    code_bool(code, &verdict->first_only);
}

/* ---- the holdups ---- */

static void code_kind(struct code *code, struct holdup *holdup)
{
    int cause = holdup->cause, habit = holdup->habit, phase = code_reads(code) ? 0 : sketch_phase(holdup->phase);
    code_word(code, &sketch_causes, &cause);
    code_word(code, &sketch_habits, &habit);
    code_word(code, &sketch_phases, &phase);
    code_bool(code, &holdup->is_long);
    holdup->cause = (enum cause)cause;
    holdup->habit = (enum habit)habit;
    holdup->phase = sketch_phases.ids(phase);
}

static void code_holdup(struct code *code, struct holdup *holdup)
{
    code_kind(code, holdup);
    code_kept(code, &holdup->what);
    code_kept(code, &holdup->title);
    code_kept(code, &holdup->inside);
    code_kept(code, &holdup->line);
    code_u32(code, &holdup->row, 0);
    code_u32(code, &holdup->times, 0);
    code_u32(code, &holdup->steps, 0);
    code_ns(code, &holdup->time_ns, 0);
    code_ns(code, &holdup->longest_ns, 0);
    code_ns(code, &holdup->saved_ns, holdup->time_ns);
    code_u32(code, &holdup->every, 0);
}

static void code_holdups(struct code *code, struct holdups *holdups)
{
    code_u32(code, &holdups->steps, 0);
    code_ns(code, &holdups->step_ns, 0);
    code_ns(code, &holdups->together_ns, 0);
    code_small(code, &holdups->count, HOLDUPS_MOST + 1);
    if (code_reads(code))
        holdups->at = arena_array(code->arena, holdups->count, sizeof *holdups->at);
    for (uint32_t i = 0; i < holdups->count; i++)
        code_holdup(code, &holdups->at[i]);
}

/* ---- the section ---- */

str bound_sketch_write(const struct verdict *verdict, const struct holdups *holdups, struct arena *arena)
{
    struct verdict bound = *verdict;
    struct holdups held = *holdups;
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    code_verdict(&code, &bound);
    code_holdups(&code, &held);
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return section;
}

bool bound_sketch_read(const struct sketch *sketch, struct arena *arena, struct verdict *verdict,
                       struct holdups *holdups, struct steptime_error *err)
{
    const str section = sketch->sections[SKETCH_BOUND];
    struct code code = sketch_section(sketch, SKETCH_BOUND, arena);
    *verdict = (struct verdict){0};
    *holdups = (struct holdups){0};
    code_verdict(&code, verdict);
    code_holdups(&code, holdups);
    return code_whole(&code) ||
           fail(err, STEPTIME_INPUT, section.len ? "is a damaged sketch" : "is a sketch without a verdict");
}
