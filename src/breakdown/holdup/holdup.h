/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What held the host up: its time by cause, told apart by whether it comes in
 * every step or once, and what the steps would gain without it.
 *
 * A holdup is all stretches of one cause. Of ordinary execution (operators,
 * launches, Python between them) a stretch of 1 ms or more is a holdup by itself,
 * with others of its name; the short ones together are one of each cause. So "two
 * gaps of 178 ms" and "thousands of 20 us" are never added up.
 *
 * What is gained is replayed: the steps without the stretches of the holdup, all
 * else as recorded (breakdown/verdict/lab.h). doc/numbers/verdict.md has the
 * definitions.
 */
#ifndef BREAKDOWN_HOLDUP_H
#define BREAKDOWN_HOLDUP_H

#include "breakdown/idle/cause.h"
#include "breakdown/verdict/lab.h"
#include "report/report.h"
#include "trace/select.h"

/* In which of the selected steps. */
enum habit {
    HABIT_EACH,     /* all, or all but one */
    HABIT_WARM_UP,  /* only the first two that were recorded */
    HABIT_PERIODIC, /* every k-th, k above 1 */
    HABIT_ONCE,     /* one or two others */
    HABIT_SOME,     /* several, without a period */
    HABIT_UNKNOWN,  /* no steps are marked */
    HABIT_ONE,      /* one step is selected: whether it comes again cannot be told */
    HABITS,
};

const char *habit_id(enum habit habit); /* "each" */

struct holdup {
    enum cause cause;
    bool is_long;      /* of ordinary execution: stretches of 1 ms or more */
    str what, title;   /* the event of the longest stretch, as recorded and for people; "" where none stands for it */
    str inside;        /* the operator or range around that; "" */
    str line;          /* the user's line it comes from; "" where not recorded */
    const char *phase; /* "forward"; "loader"; "" */
    uint32_t row;      /* the event; of a pause in none the call behind it (or before, at the end) */
    uint32_t times, steps; /* stretches; steps that have one */
    int64_t time_ns;       /* of the host in it, in all selected steps */
    int64_t longest_ns;    /* a stretch */
    int64_t saved_ns;      /* by which all selected steps together would be shorter */
    enum habit habit;
    uint32_t every; /* of HABIT_PERIODIC: every so many steps */
};

struct holdups {
    struct holdup *at; /* what saves most first; ordinary execution in short pieces behind the rest */
    uint32_t count;
    uint32_t steps;    /* selected */
    int64_t step_ns;   /* of all of them together, without the recorder where */
    double bare_share; /* of the host's time is below 1 (lab.h) */
    int64_t
        together_ns; /* by which they would be shorter without those that are shown, where the sum of these is more than there is; else 0 */
};

enum { HOLDUPS_MOST = 8 };

/*
 * The largest of those that take a fiftieth of the steps or more; with kernels, where the device is worth a look, the
 * three largest of their names, too. In the arena.
 */
struct holdups holdups_run(const struct lab *lab, const uint8_t *phases, bool with_kernels, struct arena *arena);

/* What saves less of the steps is not shown: nobody waits for it. */
bool holdup_is_shown(const struct holdups *holdups, const struct holdup *holdup);

/* For qsort. */
int holdup_order(const void *a, const void *b);

/* Of one cause, and of long stretches of ordinary execution of one name. */
bool holdup_alike(const struct holdup *a, const struct holdup *b);

/* Those of several ranks as one: alike are added up, and the words are those of the longest. In the arena. */
struct holdups holdups_together(const struct holdups *const *ranks, uint32_t count, struct arena *arena);

/* The table "causes" of one trace. */
void holdups_show(const struct holdups *holdups, struct section *section);

#endif
