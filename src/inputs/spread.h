/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a run spread over the processes of a crew (base/crew.h). Each process reads its share, makes a sketch of
 * each trace in memory and drops the trace; the first process gets all sketches and goes on as if it had read the files
 * itself. So it holds a few kilobytes a file, and what it says is what one process says.
 */
#ifndef INPUTS_SPREAD_H
#define INPUTS_SPREAD_H

#include "inputs.h"

/* What became of each file, in the first process. */
struct spread {
    str *at; /* by file: for spread_take */
    struct arena arena;
};

/* `read` is called for each file of this process's share, and fills it as inputs_read would; `drop` ends it. */
struct spread_work {
    struct inputs *inputs;
    bool (*read)(struct inputs *inputs, struct input_file *file);
    void (*drop)(struct input_file *file);
};

/* Reads the share and brings all to the first process. False with *err where they did not arrive. */
bool spread_read(const struct spread_work *work, struct spread *spread, struct steptime_error *err);

/* In the first process: the file as it was read, with a sketch in the place of its trace. False: it cannot be used. */
bool spread_take(const struct spread *spread, struct input_file *file, struct texts *texts);

void spread_free(struct spread *spread);

#endif
