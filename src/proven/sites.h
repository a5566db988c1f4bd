/* SPDX-License-Identifier: Apache-2.0 */
/* The waits of a dry run by the line at which they stand, with the files of lint that these lines lie in. */
#ifndef PROVEN_SITES_H
#define PROVEN_SITES_H

#include "base/map.h"
#include "dry/dry.h"
#include "lint/lint.h"

enum {
    SITE_NONE = UINT32_MAX,
    NEXT_TO_NOTHING = 12, /* so many small operators since a wait leave a device as good as empty */
};

/* All waits of one kind at one line that was come to by the same lines. */
struct wait_site {
    uint32_t file; /* of lint; SITE_NONE */
    str path;      /* as lint names it, else the whole one */
    int64_t line;
    enum dry_wait_kind kind;
    str call, via;
    struct dry_line caller;    /* its path as lint names it; "": none in a linted file */
    bool is_shared;            /* others come to the same line */
    int64_t count, rounds;     /* in the rounds; in how many of them */
    int64_t busy, busy_rounds; /* of these with more than next to nothing queued */
    int64_t queued;            /* sum of what was queued, of the busy ones */
    int64_t bytes;             /* sum */
    uint32_t before;           /* the site of the wait before a busy one, the last time; SITE_NONE */
    uint32_t emptied_by;       /* where it was not busy: the site that had emptied the device */
    int64_t followed;          /* behind which a wait that stays came before more than next to nothing was launched */
    uint32_t follower;         /* such a one */
    bool stays;                /* nothing says how to spare it */
    const char *rule;          /* of a finding there; NULL */
};

struct site_line {
    uint32_t file, site;
    int64_t line;
    bool around; /* the line called what waits */
};

struct wait_sites {
    struct wait_site *at; /* in the order in which they were met */
    uint32_t count;
    struct site_line *by_line; /* by file and line: where sites stand, and what calls them */
    uint32_t line_count;
    const struct dry_waits *waits;
    uint32_t *of_wait; /* by wait: its site; SITE_NONE: before the rounds */
    struct map paths;  /* path: its number */
    const str *names;  /* by number */
    uint32_t *files;   /* by number: the file of lint; SITE_NONE */
    uint32_t path_count;
    struct map ran; /* (file, line): rounds */
    int64_t rounds;
};

/* All of it lies in the arena but for the maps: sites_free. */
struct wait_sites *sites_of(const struct lint *lint, const struct dry_waits *waits, struct arena *arena);
void sites_free(struct wait_sites *sites);

/* In how many rounds a line ran. */
int64_t sites_ran(const struct wait_sites *sites, uint32_t file, int64_t line);
/* The most often that one of the lines ran. */
int64_t sites_ran_within(const struct wait_sites *sites, uint32_t file, int64_t first, int64_t last);
/* The number of the first in by_line that is not before the line. */
uint32_t sites_from(const struct wait_sites *sites, uint32_t file, int64_t line);

/* The file of lint that the path names, whatever way it is written; SITE_NONE. */
uint32_t sites_file(const struct wait_sites *sites, str path);

/* Once `stays` is set: who is followed by whom. */
void sites_follow(struct wait_sites *sites);

#endif
