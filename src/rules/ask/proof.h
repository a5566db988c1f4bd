/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a finding rests on: three links, each with the places that show it.
 *
 *   device  why the value lies where the finding says
 *   pace    why the line runs each training step
 *   gain    why the change spares anything
 *
 * A finding is a warning only where all three hold; else it is a note that names the link which does not. A rule
 * breaks a link where it knows better (match_break); what is left is asked of the analysis, and shown, by
 * rules/proof.
 */
#ifndef RULES_PROOF_H
#define RULES_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "source/flow/site.h"

enum chain_link { LINK_DEVICE, LINK_PACE, LINK_GAIN, LINKS };
enum holds {
    HOLDS_NOT,  /* something speaks against it */
    HOLDS_OPEN, /* nothing does, and nothing shows it from a named origin to this use: the text says what is missing */
    HOLDS,      /* shown */
};

struct proof_place {
    struct site site;
    str what; /* a few words: what stands there, and what it shows */
};

struct proof_link {
    enum holds holds;
    str text;                         /* a clause: why it holds, or why not */
    const struct proof_place *places; /* from the origin to the finding; of one that does not hold what breaks it */
    uint32_t count;
};

struct proof {
    struct proof_link link[LINKS];
};

/* Why a link does not hold. */
struct broken {
    const char *why; /* a clause; NULL: it holds as far as the rule knows */
    struct site at;  /* what breaks it */
    bool perhaps;    /* nobody knows whether it does */
    bool by_order;   /* another wait of the step makes it free: a run of the program knows in which order they come */
};

#endif
