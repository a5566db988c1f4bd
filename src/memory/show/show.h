/* SPDX-License-Identifier: Apache-2.0 */
/* What filled the memory of devices as a report. doc/numbers/memory.md defines every figure. */
#ifndef MEMORY_SHOW_H
#define MEMORY_SHOW_H

#include "memory/account/account.h"
#include "report/finding_words.h"
#include "report/report.h"

struct memory_told {
    str input; /* the file, where there are several; else "" */
    str name;  /* what tells it from the others on a screen; else "" */
    struct memory_account account;
    uint32_t order; /* for memory_show */
};

/* At least one. Of several files the one that held most comes first, which orders `told`. */
void memory_show(struct memory_told *told, uint32_t count, struct report *report);

/* What is behind each finding. */
extern const struct finding_words memory_words[];

#endif
