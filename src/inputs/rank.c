/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

#include "range.h"
#include "read/rank.h"

/* ---- the number ---- */

/* The number behind the highest is 0. */
static int64_t ahead(int64_t number, uint32_t by)
{
    return (int64_t)(((uint64_t)number + by) & INT64_MAX);
}

/* The first free number from this one on. Leaves the way to it short, so that files which claim one rank cost little. */
static int64_t next_free(struct map *runs, int64_t number)
{
    int64_t free = number;
    uint32_t run, way = 0;
    for (; (run = map_get(runs, free)) != MAP_NONE; way += run)
        free = ahead(free, run);
    for (int64_t at = number; at != free; way -= run) {
        run = map_get(runs, at);
        map_put(runs, at, way);
        at = ahead(at, run);
    }
    return free;
}

struct rank rank_take(struct rank_roll *roll, uint32_t i, int64_t recorded, int64_t world_size, str path)
{
    const int64_t named = recorded < 0 ? rank_of_path(path) : RANK_NONE;
    struct rank rank = {
        .claimed = recorded >= 0 ? recorded
                   : named >= 0  ? named
                                 : i,
        .source = recorded >= 0 ? RANK_RECORDED
                  : named >= 0  ? RANK_FROM_NAME
                                : RANK_BY_ORDER,
    };
    roll->beyond = world_size > roll->beyond ? world_size : roll->beyond;
    rank.rival = map_get(&roll->holders, rank.claimed);
    rank.number = rank.rival == RANK_NO_RIVAL ? rank.claimed : next_free(&roll->runs, roll->beyond);
    map_put(&roll->holders, rank.number, i);
    map_put(&roll->runs, rank.number, 1);
    return rank;
}

/* ---- turns ---- */

void rank_roll_open(struct rank_roll *roll, int64_t beyond)
{
    *roll = (struct rank_roll){.beyond = beyond};
    pthread_mutex_init(&roll->lock, NULL);
    pthread_cond_init(&roll->moved, NULL);
}

void rank_roll_close(struct rank_roll *roll)
{
    pthread_cond_destroy(&roll->moved);
    pthread_mutex_destroy(&roll->lock);
    map_free(&roll->holders);
    map_free(&roll->runs);
}

void rank_begin(struct rank_roll *roll, uint32_t i)
{
    pthread_mutex_lock(&roll->lock);
    while (roll->turn != i)
        pthread_cond_wait(&roll->moved, &roll->lock);
}

void rank_end(struct rank_roll *roll)
{
    roll->turn++;
    pthread_cond_broadcast(&roll->moved);
    pthread_mutex_unlock(&roll->lock);
}

/* ---- --rank ---- */

bool rank_list_valid(const char *list)
{
    str rest = str_of(list);
    for (str part; str_cut(&rest, ',', &part);) {
        int64_t first, last;
        if (!range_read(part, &first, &last))
            return false;
    }
    return true;
}

bool rank_listed(const char *list, int64_t rank)
{
    str rest = str_of(list);
    for (str part; str_cut(&rest, ',', &part);) {
        int64_t first, last;
        if (range_read(part, &first, &last) && rank >= first && rank <= last)
            return true;
    }
    return !list;
}
