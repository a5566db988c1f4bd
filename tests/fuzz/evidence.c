/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace, asked what it shows of copies and waits: sums that make sense, and a step without them. */
#include "evidence/evidence.h"

#include <assert.h>

#include "memory_file.h"
#include "read/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_group(const struct evidence *evidence, const struct move_group *group)
{
    assert(group->count > 0 && group->in_steps <= group->count && group->steps <= evidence->steps);
    assert(group->bytes >= 0 && group->call_ns >= 0 && group->sync_ns >= 0 && group->device_ns >= 0);
    assert(group->blocked_ns >= 0 && group->bubble_ns >= 0 && group->exposed_ns >= 0);
    for (uint32_t i = 0; i < group->count; i++)
        assert(i == 0 || group->moves[i - 1] < group->moves[i]);
}

/* With nothing changed nothing is saved. */
static void check_relief(struct evidence *evidence)
{
    assert(relief_saving_ns(evidence->relief) == 0);
    for (uint32_t row = 0; row < evidence->trace->count; row += 1 + row / 4)
        relief_remove(evidence->relief, row);
    (void)relief_saving_ns(evidence->relief);
    relief_clear(evidence->relief);
    assert(relief_saving_ns(evidence->relief) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct steptime_error err = {0};
    struct trace *trace = trace_read(memory_file(bytes, size), NULL, &err);
    if (!trace)
        return 0;
    struct evidence evidence;
    evidence_open(&evidence, trace, (struct place_filter){0});
    for (uint32_t i = 0; i < evidence.groups.count; i++)
        check_group(&evidence, &evidence.groups.at[i]);
    check_relief(&evidence);
    evidence_close(&evidence);
    trace_free(trace);
    return 0;
}
