/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank a file is: as it records itself, else as its name says (rank3), else by its order among the inputs. No two
 * files of a run are the same rank: one that comes to a number that is taken gets one beyond those that any file of the
 * run may record, so that a copy of rank 0 does not push rank 1 from its place.
 *
 * Files are read by several threads, but ranks are given in the order of the inputs, so that a run always ends the same
 * way: a file waits until all those before it have theirs. Every file takes its turn once, whatever became of it.
 */
#ifndef INPUTS_RANK_H
#define INPUTS_RANK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"

struct rank_roll {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint32_t turn;      /* the file whose turn it is */
    struct map holders; /* of a rank that is taken: the file */
    struct map runs;    /* the same: so many ranks from it on are taken, it among them; more may be */
    int64_t beyond;     /* no file of the run records a rank from here on, as far as is known */
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

/* `beyond`: above what the names say, and no less than there are files. */
void rank_roll_open(struct rank_roll *roll, int64_t beyond);
void rank_roll_close(struct rank_roll *roll);

/* The turn of file i; it ends with rank_end. */
void rank_begin(struct rank_roll *roll, uint32_t i);
void rank_end(struct rank_roll *roll);

/* Within the file's turn: its rank. It records `recorded` and `world_size` (-1: nothing). */
struct rank rank_take(struct rank_roll *roll, uint32_t i, int64_t recorded, int64_t world_size, str path);

/* "3", "0,4" or "0..7,12" */
bool rank_list_valid(const char *list);
bool rank_listed(const char *list, int64_t rank); /* NULL: all are */

#endif
