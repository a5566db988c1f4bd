/* SPDX-License-Identifier: Apache-2.0 */
/* How a trace was recorded and with what, as far as its file says so: what a comparison has to know. */
#ifndef INPUTS_SETTINGS_H
#define INPUTS_SETTINGS_H

#include "base/arena.h"
#include "doubt.h"
#include "sketch/file/code.h"
#include "trace/trace.h"

enum setting {
    SETTING_FORMAT,
    SETTING_SCHEMA,
    SETTING_BACKEND, /* of torch.distributed */
    SETTING_NCCL,    /* versions, these three */
    SETTING_RUNTIME,
    SETTING_DRIVER,
    SETTING_PRODUCTS, /* of float matrices: whether their kernels round to TF32 */
    SETTING_DEVICES,
    SETTING_CAPABILITY, /* of the first device, as its memory and its processors */
    SETTING_MEMORY,
    SETTING_PROCESSORS,
    SETTING_SHAPES, /* options of the recorder, from here on: on or off */
    SETTING_STACK,
    SETTING_ALLOCATIONS,
    SETTING_FLOPS,
    SETTINGS,
};

/* "" where the file does not say. Versions, model of the device and world size are told apart (struct job_member). */
struct settings {
    str of[SETTINGS];
};

const char *setting_id(enum setting setting); /* "record_shapes" */

/* Texts in the arena. */
struct settings settings_of(const struct trace *trace, struct arena *arena);

/*
 * As they are kept of a file: in the arena, or with the texts where these hold the values, too. Equal ones are then the
 * same.
 */
const struct settings *settings_kept(struct settings settings, struct texts *texts, struct arena *arena);

void settings_code(struct code *code, struct settings *settings);

#endif
