/* SPDX-License-Identifier: Apache-2.0 */
/* What analyses say of a trace, as tracks beside its own. */
#ifndef CLI_EXPORT_MARKS_H
#define CLI_EXPORT_MARKS_H

#include "perfetto/perfetto.h"

enum { EXPORT_MOST_FINDINGS = 20 };

struct export_marks {
    struct perfetto_track *tracks; /* the critical path, then a track a finding that has events */
    uint32_t track_count;
};

/* Of all steps. In the arena. */
void export_marks_of(const struct trace *trace, struct arena *arena, struct export_marks *marks);

#endif
