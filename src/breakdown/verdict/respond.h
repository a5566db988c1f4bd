/* SPDX-License-Identifier: Apache-2.0 */
/* The experiments of a verdict, asked of a rank of a job: with the others' answers open. */
#ifndef BREAKDOWN_RESPOND_H
#define BREAKDOWN_RESPOND_H

#include "lab.h"
#include "responses.h"

/* Of the judged steps of a lab that was opened with these collectives. No steps: nothing is asked. In the arena. */
void responses_of(const struct lab *lab, const struct collective_rows *collectives, struct arena *arena,
                  struct responses *out);

/* The same of all steps of the trace, where the lab has a sample of them. The graph is that of the whole trace. */
void responses_of_all(const struct lab *lab, const struct graph *graph, const struct judged_rows *rows,
                      const struct selection *selection, struct arena *arena, struct responses *out);

#endif
