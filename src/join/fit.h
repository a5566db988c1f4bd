/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules can explain a move of a trace, what a match calls it, and what its fix would spare. */
#ifndef JOIN_FIT_H
#define JOIN_FIT_H

#include "evidence/evidence.h"
#include "rules/families/rules.h"

/* What a rule shows in a trace, as bits. */
enum {
    SHOWS_READ = 1,         /* device to host, or a synchronisation where a read needs no copy */
    SHOWS_UPLOAD = 2,       /* host to device */
    SHOWS_SYNC = 4,         /* a synchronisation without a copy */
    SHOWS_JOINING = 8,      /* device to device, under aten::cat */
    SHOWS_LOADER = 16,      /* the training thread in a data loader */
    SHOWS_PREPARATION = 32, /* time of the host while the device rests */
    SHOWS_LOOP = 64,        /* operators on single elements, one by one */
};

/* What the fix takes away. */
enum spares {
    SPARES_ALL,     /* the operator that moves, on the host and on the device */
    SPARES_WAIT,    /* the waiting: the copy goes on beside the rest */
    SPARES_BUILD,   /* the waiting, and the time of the host in the call that makes the tensor */
    SPARES_HALF,    /* half of the copy's bytes */
    SPARES_HOST,    /* time of the host */
    SPARES_ROUNDS,  /* all rounds of a loop but the first: the operators of each, on the host and on the device */
    SPARES_UNKNOWN, /* told by no replay */
};

struct showing {
    unsigned shows;
    enum spares spares;
};

struct showing showing_of(const struct rule *rule);

/* What a move is, as one of the bits. 0: of no interest. */
unsigned move_shows(const struct trace *trace, const struct move *move);

/* How well a match and a place in its function agree. */
enum fit {
    FIT_NONE,      /* another call, by its name, line or order */
    FIT_FUNCTION,  /* the function agrees, and nothing speaks against it */
    FIT_SEEN,      /* the same, and PyTorch saw the match's line wait (sync_lines.h) */
    FIT_CONFIRMED, /* the built-in too, and its order or the exact line */
};

/* `calls`: how many calls of the match's built-in its function has. */
enum fit fit_of(const struct match *match, const struct syntax *tree, uint32_t calls, const struct place *place);

/* Whether the line is one of the match. */
bool match_lies_on(const struct match *match, const struct syntax *tree, int64_t line);

/* The rule that tells best of a group that no match explains; NULL: none does. */
const char *rule_of_group(const struct move_group *group, const struct trace *trace, const struct move *example);

/* The outermost operator around a move that does nothing else: aten::to, aten::item; the call itself. */
uint32_t moving_row(const struct trace *trace, uint32_t call);

#endif
