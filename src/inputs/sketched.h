/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a trace, put into its sketch, and a file of the job made of that. */
#ifndef INPUTS_SKETCHED_H
#define INPUTS_SKETCHED_H

#include "inputs.h"

/* Of a file with a trace, its member and its trust. Texts live as long as the trace, the file and the arena. */
struct sketch sketched_of(const struct input_file *file, struct arena *arena);

/* Fills member and trust of a file with a sketch, whose texts are kept in these. False with the file's error: it is damaged. */
bool sketched_job(struct input_file *file, struct texts *texts);

/* What tells the steps of a trace, for its line in a report. Texts in the arena. */
struct report_steps inputs_steps_of(const struct trace *trace, struct arena *arena);

#endif
