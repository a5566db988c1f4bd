/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording a program by CUDA's own recorder: a library of ours (cuda/) that the CUDA driver loads into it. No Python and no
 * PyTorch is needed; all of the program is recorded.
 */
#ifndef RECORD_CUDA_H
#define RECORD_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "child/foreground.h"
#include "steptime/error.h"

struct cuda_options {
    const char *const *argv; /* the command, ended by NULL */
    const char *to;          /* a folder that is there */
    str name;                /* of the files, without endings */
    void (*tell)(str what);  /* a line for people */
};

/*
 * Runs the command and tells of each file what is in it and what is missing. *files: so many were written. False with *err:
 * the library is not there, another one is to be loaded in its place, or the command could not be started.
 */
bool cuda_record(const struct cuda_options *options, struct arena *arena, uint32_t *files, struct foreground_end *end,
                 struct steptime_error *err);

#endif
