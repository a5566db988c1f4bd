/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the report, for the files of this folder. */
#ifndef MEMORY_PARTS_H
#define MEMORY_PARTS_H

#include "show.h"

/* "GPU 0", "host". */
str told_device(const struct memory_told *told, struct arena *arena);

/* The line that people are told: "model.py:44 forward", "MmBackward0", "(no frames recorded)". */
str told_line(const struct memory_log *log, uint32_t context, bool before, struct arena *arena);

/* The user's frame, else the innermost of Python; MEMORY_NONE. */
uint32_t told_frame(const struct memory_log *log, uint32_t context);

/* The line of which most lived at the peak, all its pieces together: as people see it, so of all categories and callees. */
struct filled_most {
    uint32_t context; /* one of its */
    uint8_t category; /* of most of it */
    bool alone;       /* all of it is of this category */
    bool mostly;      /* more than half of it is */
    bool inner_alone; /* and all was made in one line of Python outside PyTorch */
    int64_t bytes, pieces;
    int64_t of_lines; /* bytes that have a line or a node at all */
};
bool memory_filled_most(const struct memory_account *a, struct filled_most *most); /* false: no piece has one */

str told_bytes(struct arena *arena, int64_t bytes); /* "5.12 GiB" */

void memory_tell_verdict(const struct memory_told *fullest, struct section *section, struct report *report);
/* `numbers`: findings of each rule so far. */
void memory_find(const struct memory_told *told, uint32_t numbers[2], struct report *report);

/* Sets the columns of a table. Of several devices rows say whose they are on the narrowest screen, too. */
void memory_columns(struct table *table, const char *id, bool several);

#endif
