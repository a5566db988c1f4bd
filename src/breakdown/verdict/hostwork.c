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
static bool copies(const struct hostwork *hostwork, uint32_t row)
{
    uint8_t *of = &hostwork->copies[hostwork->trace->name[row]];
    if (!*of)
        *of = 1 + (family_of_name(trace_name(hostwork->trace, row)) == FAMILY_COPY);
    return *of == 2;
}

struct hostwork *hostwork_of(const struct trace *trace, const uint8_t *phases, struct arena *arena)
{
    if (has_device(trace))
        return NULL;
    struct hostwork *hostwork = arena_array(arena, 1, sizeof *hostwork);
    *hostwork = (struct hostwork){.trace = trace,
                                  .phases = phases ? phases : phases_of(trace, arena),
                                  .copies = arena_array(arena, trace_text_count(trace), sizeof *hostwork->copies)};
    return hostwork;
}

enum resource hostwork_resource(const struct hostwork *hostwork, uint32_t row)
{
    const bool operates = hostwork->trace->kind[row] == EVENT_OPERATOR;
    return operates && copies(hostwork, row) ? RESOURCE_COPIES : of_phase((enum phase)hostwork->phases[row]);
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
