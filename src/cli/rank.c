/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

#include "call.h"
#include "read/rank.h"

/* ---- the number ---- */

static uint32_t holder(const struct rank_roll *roll, uint32_t files, int64_t number)
{
    for (uint32_t i = 0; i < files; i++)
        if (roll->taken[i] == number)
            return i;
    return RANK_NO_RIVAL;
}

static struct rank choose(const struct rank_roll *roll, uint32_t i, int64_t recorded, str path)
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
    rank.number = rank.claimed;
    rank.rival = holder(roll, i, rank.claimed);
    while (holder(roll, i, rank.number) != RANK_NO_RIVAL)
        rank.number++;
    return rank;
}

/* ---- turns ---- */

void rank_roll_open(struct rank_roll *roll, uint32_t files, const char *wanted, struct arena *arena)
{
    *roll = (struct rank_roll){.taken = arena_array(arena, files, sizeof *roll->taken), .wanted = wanted};
    pthread_mutex_init(&roll->lock, NULL);
    pthread_cond_init(&roll->moved, NULL);
}

void rank_roll_close(struct rank_roll *roll)
{
    pthread_cond_destroy(&roll->moved);
    pthread_mutex_destroy(&roll->lock);
}

static void wait_turn(struct rank_roll *roll, uint32_t i)
{
    pthread_mutex_lock(&roll->lock);
    while (roll->turn != i)
        pthread_cond_wait(&roll->moved, &roll->lock);
}

static void end_turn(struct rank_roll *roll, uint32_t i, int64_t number)
{
    roll->taken[i] = number;
    roll->turn++;
    pthread_cond_broadcast(&roll->moved);
    pthread_mutex_unlock(&roll->lock);
}

struct rank rank_take(struct rank_roll *roll, uint32_t i, int64_t recorded, str path)
{
    wait_turn(roll, i);
    const struct rank rank = choose(roll, i, recorded, path);
    end_turn(roll, i, rank.number);
    return rank;
}

void rank_pass(struct rank_roll *roll, uint32_t i)
{
    wait_turn(roll, i);
    end_turn(roll, i, RANK_NONE);
}

/* ---- --rank ---- */

bool rank_list_valid(const char *list)
{
    str rest = str_of(list);
    for (str part; str_cut(&rest, ',', &part);) {
        int64_t first, last;
        if (!call_range(part, &first, &last))
            return false;
    }
    return true;
}

bool rank_wanted(const struct rank_roll *roll, int64_t rank)
{
    if (!roll->wanted)
        return true;
    str rest = str_of(roll->wanted);
    for (str part; str_cut(&rest, ',', &part);) {
        int64_t first, last;
        if (call_range(part, &first, &last) && rank >= first && rank <= last)
            return true;
    }
    return false;
}
