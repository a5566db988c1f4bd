/* SPDX-License-Identifier: Apache-2.0 */
/* The enums that sketches speak of, by their ids. */
#ifndef SKETCH_WORDS_H
#define SKETCH_WORDS_H

#include "sketch/file/code.h"

extern const struct code_enum sketch_resources, sketch_causes, sketch_habits, sketch_parts, sketch_kernel_classes,
    sketch_step_sources, sketch_path_classes;

/* Phases as a holdup names them: those of operators, "loader" and "". */
extern const struct code_enum sketch_phases;
int sketch_phase(const char *word);

#endif
