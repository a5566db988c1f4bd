/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every number of the breakdown is a sum of entries, and an entry names the
 * event it came from. So a number and its explanation cannot disagree: the
 * explanation is the entries of that account.
 */
#ifndef BREAKDOWN_LEDGER_H
#define BREAKDOWN_LEDGER_H

#include "base/arena.h"
#include "ops/rows/phase.h"
#include "part.h"

enum account {
    ACCOUNT_PART, /* ACCOUNT_PART + enum part: over the selected steps */
    /* over the whole trace or selection */
    ACCOUNT_SPAN = ACCOUNT_PART + PARTS,
    ACCOUNT_BUSY,
    ACCOUNT_IDLE,
    ACCOUNT_COMPUTE,
    ACCOUNT_COMMUNICATION,
    ACCOUNT_MEMORY,
    ACCOUNT_EXPOSED_COMMUNICATION,
    ACCOUNT_HOST_WAIT,
    ACCOUNT_KERNEL_WAIT,
    ACCOUNT_OTHER_IDLE,
    ACCOUNT_KERNEL_SUM,
    ACCOUNT_COPY, /* union of copies, without memset */
    ACCOUNT_COMMUNICATION_UNDER_COMPUTE,
    ACCOUNT_COPY_UNDER_COMPUTE,
    ACCOUNT_COPY_UNDER_COMMUNICATION,
    ACCOUNT_COPY_BYTES,                                  /* + part - PART_FIRST_COPY: bytes */
    ACCOUNT_COPY_TIME = ACCOUNT_COPY_BYTES + COPY_PARTS, /* the same: summed durations */
    /* over the selected steps */
    ACCOUNT_COPY_MEASURED = ACCOUNT_COPY_TIME + COPY_PARTS, /* the same, of the copies whose bytes are recorded */
    ACCOUNT_LAUNCHED_COMPUTE = ACCOUNT_COPY_MEASURED + COPY_PARTS,
    ACCOUNT_INPUT_COPY,
    ACCOUNT_COMPUTE_BOUND,
    ACCOUNT_MEMORY_BOUND,
    ACCOUNT_WEIGHT_COMMUNICATION,
    ACCOUNT_PHASE_DEVICE, /* + enum phase */
    ACCOUNT_PHASE_HOST = ACCOUNT_PHASE_DEVICE + PHASES,
    ACCOUNTS = ACCOUNT_PHASE_HOST + PHASES,
};

/* Which part, copy, phase or overlap it is of several that are listed together; "" where it stands alone. */
const char *account_word(enum account account);

/* What was booked on one event. */
struct ledger_entry {
    uint32_t row;   /* ROW_NONE: no event stands for it */
    int64_t amount; /* ns, or bytes where the account counts bytes */
};

/* The amounts of one account, an event each: however often an event is booked on, it takes eight bytes. */
struct ledger_amounts {
    struct ledger_page **pages;
    size_t room;
    int64_t without_event;
};

struct ledger {
    int64_t total[ACCOUNTS];
    const bool *wanted; /* [ACCOUNTS]: whose amounts are kept by event; NULL: none */
    struct ledger_amounts *amounts[ACCOUNTS];
};

void ledger_book(struct ledger *ledger, enum account account, uint32_t row, int64_t amount);

/* The `most` largest entries of an account, largest first, in the arena; *events: how many there are in all. */
struct ledger_entry *ledger_largest(const struct ledger *ledger, enum account account, uint32_t most,
                                    struct arena *arena, uint32_t *count, uint32_t *events);

void ledger_free(struct ledger *ledger); /* the entries; the totals stay */

#endif
