/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a changed training script the same training, and how much faster is it?
 *
 * Both scripts run with the same seeds and their losses are compared; then they
 * run in turns with nothing recorded but the time at which steps end. Losses are
 * read in runs of their own because reading one waits for the device.
 */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "compare.h"
#include "pace.h"
#include "report/finding_words.h"
#include "report/report.h"

enum verify_side { VERIFY_BEFORE, VERIFY_AFTER, VERIFY_SIDES };

/* A script with its interpreter and arguments, or any command that ends up in one. */
struct verify_script {
    str name;                /* as people know it */
    const char *const *argv; /* ended by NULL; "{seed}" in a word stands for the seed */
    const char *folder;      /* it runs in; NULL: here */
    const char *settings;    /* of its loaders and optimizers (recording.h); NULL: its own */
};

struct verify_options {
    struct verify_script scripts[VERIFY_SIDES];
    const int64_t *seeds;
    uint32_t seed_count; /* at least one */
    int64_t steps;       /* of a run; 0: to its end */
    int64_t warmup;      /* of them, left out of times */
    int64_t repeat;      /* timed runs of each; 0: none */
    int64_t limit_ns;    /* of a run */
    struct tolerance tolerance;
    bool processor; /* times are those of the process on processors, all threads; not the wall clock */
    bool saved;
    bool other_training;    /* losses are expected to differ: they are not compared */
    void (*tell)(str what); /* what runs now, for people who wait; may be NULL */
};

/* One seed. */
struct verify_check {
    int64_t seed;
    struct loss_comparison losses;
    struct saved_comparison saved;
};

struct verify_result {
    struct verify_check *checks;
    uint32_t check_count;
    struct record first[VERIFY_SIDES]; /* of the first seed: versions, device, numbers */
    bool first_is_restless;            /* the script before differs from itself with one seed */
    bool seeds_have_no_effect;         /* of several: the same losses with each */
    struct pace *paces[VERIFY_SIDES];  /* a timed run each */
    uint32_t pace_count;
    bool good;      /* all losses agree, and what was saved */
    str complaints; /* of a script that failed: the end of its standard error */
};

/* False: a script could not be run to a use; *err says which and why, result->complaints what it said itself. */
bool verify_run(const struct verify_options *options, struct arena *arena, struct verify_result *result,
                struct steptime_error *err);

/* Where two runs of one script with one seed first draw different numbers. */
struct draw_difference {
    bool ran;       /* both runs came to something */
    uint32_t draws; /* that both have and that are alike, before it */
    bool found;
    struct draw first; /* of the first run; of the second where the first has no more */
};

/* Runs the script before twice, and looks at what it draws by chance. What cannot be told is not found. */
void verify_draws(const struct verify_options *options, struct arena *arena, struct draw_difference *difference);

/*
 * Runs the script before once, bare, and looks at its loaders and its optimizer: what they are like, and how long its steps
 * wait for them.
 */
bool verify_look(const struct verify_options *options, struct arena *arena, struct record *record,
                 struct steptime_error *err);

/* What is behind each finding that it makes. */
extern const struct finding_words verify_words[];

void verify_show(const struct verify_options *options, const struct verify_result *result, struct report *report);
/* Its tables, without rows. */
void verify_show_tables(struct report *report);

#endif
