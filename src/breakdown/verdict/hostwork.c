/* SPDX-License-Identifier: Apache-2.0 */
#include "hostwork.h"

#include "ops/rows/phase.h"
#include "ops/words/family.h"

static bool has_device(const struct trace *trace)
{
    return trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] > 0;
}

static enum resource of_phase(enum phase phase)
{
    return phase == PHASE_BACKWARD    ? RESOURCE_BACKWARD
           : phase == PHASE_OPTIMIZER ? RESOURCE_OPTIMIZER
                                      : RESOURCE_FORWARD;
}

/* Names are judged once each. */
static bool copies(const struct trace *trace, uint32_t row, uint8_t *known)
{
    uint8_t *of = &known[trace->name[row]];
    if (!*of)
        *of = 1 + (family_of_name(trace_name(trace, row)) == FAMILY_COPY);
    return *of == 2;
}

const uint8_t *hostwork_of(const struct trace *trace, const uint8_t *phases, struct arena *arena)
{
    if (has_device(trace))
        return NULL;
    struct arena scratch = {0};
    phases = phases ? phases : phases_of(trace, &scratch);
    uint8_t *known = arena_array(&scratch, trace_text_count(trace), sizeof *known);
    uint8_t *of = arena_room(arena, trace->count, sizeof *of);
    for (uint32_t row = 0; row < trace->count; row++)
        of[row] = (uint8_t)(trace->kind[row] == EVENT_OPERATOR && copies(trace, row, known)
                                ? RESOURCE_COPIES
                                : of_phase((enum phase)phases[row]));
    arena_free(&scratch);
    return of;
}

bool resource_has(enum resource whole, enum resource part, bool host_alone)
{
    if (whole == part)
        return true;
    const bool phase = part == RESOURCE_FORWARD || part == RESOURCE_BACKWARD || part == RESOURCE_OPTIMIZER;
    if (whole == RESOURCE_OPERATORS)
        return phase;
    return whole == RESOURCE_HOST && host_alone && (phase || part == RESOURCE_BESIDE || part == RESOURCE_COPIES);
}
