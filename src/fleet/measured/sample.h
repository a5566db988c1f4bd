/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample of the measured jobs of a table: every stride-th. When there are twice
 * as many as are wanted, every other one goes and the stride doubles, so memory is
 * bounded and the sample is spread over all of the table.
 */
#ifndef FLEET_SAMPLE_H
#define FLEET_SAMPLE_H

#include "fleet/step/fit.h"
#include "fleet/table/job_table.h"

struct sample {
    struct job *jobs; /* of whose texts only the group stays, in the arena */
    size_t room;
    uint64_t count, seen, stride;
};

/* The jobs with a measured_ms, at most 2 FIT_JOBS. A file that can be read again; false with *err, as job_table_read. */
bool sample_read(const struct job_table_asked *asked, struct arena *arena, struct sample *sample,
                 struct steptime_error *err);
void sample_free(struct sample *sample);

#endif
