/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank a file is: as it records itself, else as its name says (rank3), else
 * by its order among the inputs. No two files of a run are the same rank: one
 * that comes to a number that is taken gets the next free one, with a remark.
 *
 * Files are read by several threads, but ranks are given in the order of the
 * inputs, so that a run always ends the same way: a file waits until all those
 * before it have theirs. Every file takes its turn once, whatever became of it.
 */
#ifndef CLI_RANK_H
#define CLI_RANK_H

#include <pthread.h>

#include "base/map.h"
#include "command.h"

struct rank_roll {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint32_t turn;      /* the file whose turn it is */
    struct map holders; /* of a rank that is taken: the file */
    struct map runs;    /* the same: so many ranks from it on are taken, it among them; more may be */
    const char *wanted; /* --rank; NULL: all */
};

enum { RANK_NONE = -1 };

enum rank_source { RANK_RECORDED, RANK_FROM_NAME, RANK_BY_ORDER };

struct rank {
    int64_t number;
    int64_t claimed; /* what the file came with */
    enum rank_source source;
    uint32_t rival; /* the file that has that number already; RANK_NO_RIVAL */
};
enum { RANK_NO_RIVAL = MAP_NONE };

void rank_roll_open(struct rank_roll *roll, const char *wanted);
void rank_roll_close(struct rank_roll *roll);

/* The rank of file i, which records `recorded` (-1: nothing). */
struct rank rank_take(struct rank_roll *roll, uint32_t i, int64_t recorded, str path);
void rank_pass(struct rank_roll *roll, uint32_t i); /* the file could not be read */

bool rank_wanted(const struct rank_roll *roll, int64_t rank);
bool rank_list_valid(const char *list); /* "3", "0,4" or "0..7,12" */

#endif
