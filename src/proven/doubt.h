/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lines a dry run may have missed because a stand-in chose the way: those of a function in which one did, and those of
 * functions that were not entered and are called, through however many others like them, from lines of such a function that did
 * not run.
 */
#ifndef PROVEN_DOUBT_H
#define PROVEN_DOUBT_H

#include "sites.h"

struct doubts {
    const struct lint *lint;
    const struct wait_sites *sites;
    struct map chosen; /* (file, function): the note of a stand-in that chose the way there */
    struct map hidden; /* hash of the name of a function or class: that note */
    const struct dry_note *notes;
    uint32_t any; /* where not all that is called was followed: a note; MAP_NONE */
};

void doubts_find(const struct lint *lint, const struct wait_sites *sites, const struct dry_result *dry,
                 struct doubts *doubts);
void doubts_free(struct doubts *doubts);

/* The stand-in that may have led past the node; NULL: none. */
const struct dry_note *doubts_of(const struct doubts *doubts, uint32_t file, uint32_t node);

#endif
