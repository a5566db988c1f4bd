/* SPDX-License-Identifier: Apache-2.0 */
/* --explain: the formula behind a number, and the events it came from. */
#ifndef BREAKDOWN_EXPLAIN_H
#define BREAKDOWN_EXPLAIN_H

#include "breakdown/step/breakdown.h"
#include "report/report.h"

/* Marks the accounts that a word asks for. False if no number is called so. */
bool explain_wanted(str word, bool wanted[ACCOUNTS]);

/* The definitions that the word matches ("list": all), and for each rank the events, largest first. */
void explain_show(str word, const struct breakdown *const *ranks, uint32_t count, struct report *report);

#endif
