/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_private.h"

const struct predict_number predict_numbers[] = {
    {"step_ns", BEHIND_NAMES,
     "mean over the steps of the time from the end of all work of one to that of the next, walked"},
    {"step_low_ns", BEHIND_NOTHING,
     "step_ns less the root of the sum of squares of: the step walked with work at its low end; with the host's means "
     "at theirs; what steps predicted from the step beside them were off"},
    {"step_high_ns", BEHIND_NOTHING, "the same above"},
    {"level", BEHIND_NOTHING, "share of true times that lie within the interval: --level"},
    {"measured_step_ns", BEHIND_STEPS,
     "mean over the steps of the time from a step's start on the host to the next one's"},
    {"held_ns", BEHIND_STEPS,
     "of the first recorded step, waiting for what is not recorded, and loading: no step of many does"},
    {"finished_ns", BEHIND_STEPS,
     "mean over the steps of: later of the step's end and the end of its work - the same of the step before - held_ns"},
    {"error", BEHIND_STEPS, "mean over the steps of |from_beside_ns / finished_ns - 1|"},
    {"bias", BEHIND_STEPS, "mean over the steps of from_beside_ns / finished_ns - 1"},
    {"active_ns", BEHIND_LAUNCHES, "length of the union of all device work of the walk, mean over the steps"},
    {"measured_active_ns", BEHIND_STEPS, "length of the union of the recorded device work, mean over the steps"},
    {"idle_ns", BEHIND_GAPS, "step_ns - active_ns, not below 0"},
    {"measured_idle_ns", BEHIND_NOTHING, "measured_step_ns - measured_active_ns, not below 0"},
    {"host_ns", BEHIND_HOST,
     "from the step's begin on the host to its end there: T1 to T5 of all operators, and waits"},
    {"wait_ns", BEHIND_WAITS, "sum of the host's waits: for device work that it needs, and for room in a stream"},
    {"communication_ns", BEHIND_COLLECTIVE, "length of the union of communication, mean over the steps"},
    {"exposed_communication_ns", BEHIND_EXPOSED, "length of the union of communication less that of other device work"},
    {"unprofiled_step_ns", BEHIND_NOTHING,
     "step_ns walked again with profiler_event_ns off every event of the host; where host_share is known, with that of "
     "the host's time instead"},
    {"host_share", BEHIND_NOTHING,
     "the share of the host's time with which the recorded step in the middle, replayed, takes what a bare step took"},
    {"profiler_event_ns", BEHIND_NOTHING,
     "least mean distance of two calls in one operator that follow each other 20 times or more"},
    {"recorded_share", BEHIND_RECORDED, "device time that takes what was recorded / all device time"},
    {"modelled_share", BEHIND_MODELLED, "device time that kernel models made or scaled / all device time"},
    {"guessed_share", BEHIND_GUESSED, "device time guessed from bytes / all device time"},
    {"guessed_launches", BEHIND_GUESSED, "launches whose time is guessed, of the step in the middle"},
    {"model_error", BEHIND_ERROR, "error of each model in cross-validation, weighed by the time that it made"},
    {"unmeasured_share", BEHIND_DOUBT, "device time of models that were never measured / all device time"},
    {"shared_doubt", BEHIND_DOUBT,
     "sqrt((1 - r) sum (X s)^2 + r (sum X s)^2) over families: X their share of the time not recorded, s what their "
     "kernels have in common, r = 0.25"},
    {"own_doubt", BEHIND_DOUBT, "sqrt(sum (x e)^2) over shapes: x their share of the time not recorded, e their own"},
    {"host_doubt", BEHIND_NOTHING,
     "0 where the host was recorded here; ln 1.4 / 1.507 of a table given, ln 2 / 1.507 "
     "of means built in"},
    {"source", BEHIND_NOTHING, "what the operators were read from"},
    {"device", BEHIND_NOTHING, "the device asked for, else the recorded one"},
    {"operators", BEHIND_OPERATORS, "operators that no operator is around, of the step in the middle"},
    {"launches", BEHIND_LAUNCHED, "launches of device work, of the step in the middle"},
    {"without_shapes", BEHIND_SHAPELESS, "operators whose work depends on their sizes, of which none are recorded"},
    {"unusable_sizes", BEHIND_UNUSABLE,
     "operators whose sizes are none or more than any memory holds; left out where no times are recorded"},
    {"watts", BEHIND_NOTHING, "joules / predicted step"},
    {"joules", BEHIND_NOTHING,
     "watts of the idle board x predicted step + sum over device work of (its watts - those of the idle board) x its time"},
    {"joules_low", BEHIND_NOTHING, "the lower end: what times and what watts may be off, as independent"},
    {"joules_high", BEHIND_NOTHING, "the upper end of the same; at most 1.02 of the board's power all along"},
    {"watts_basis", BEHIND_NOTHING,
     "the least sure of the watts: measured on this device, carried, analytic, bytes: work whose kernels are not known"},
    {"cost", BEHIND_NOTHING, "predicted step x --per-hour, of one GPU"},
    {"cost_low", BEHIND_NOTHING, "the lower end of the step x --per-hour"},
    {"cost_high", BEHIND_NOTHING, "the upper end of the step x --per-hour"},
};

const uint32_t predict_number_count = sizeof predict_numbers / sizeof *predict_numbers;

static bool is_called(const struct predict_number *number, str word)
{
    const str id = str_of(number->id);
    return str_eq(id, word) || (str_ends(id, S("_ns")) && str_eq((str){id.at, id.len - 3}, word));
}

struct predict_explain *predict_explain_new(str word, struct arena *arena)
{
    const bool list = str_eq(word, S("list"));
    const struct predict_number *number = NULL;
    for (uint32_t i = 0; i < predict_number_count && !list; i++)
        if (is_called(&predict_numbers[i], word))
            number = &predict_numbers[i];
    if (!number && !list)
        return NULL;
    struct predict_explain *explain = arena_alloc(arena, sizeof *explain);
    *explain = (struct predict_explain){.number = number, .arena = arena};
    return explain;
}
