/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who sends a message between two, and to whom. Attributes name the other one by its rank of the job and leave out the
 * rank itself; annotations name both by their ranks of the group; calls have the other one among their arguments.
 */
#include "base/arena.h"
#include "collective_table.h"
#include "ops/words/shape.h"

enum { MEMBERS_MOST = 16384, PEER_ARGUMENT = 2 };

/* Jobs of more ranks than 31 bits count do not exist. */
static int32_t rank_known(int64_t rank)
{
    return rank >= 0 && rank <= INT32_MAX ? (int32_t)rank : -1;
}

static bool is_send(str word)
{
    return str_ends(word, S("send"));
}

static void set_other(int64_t own, int64_t other, bool sends, struct collective *into)
{
    into->sends = sends;
    into->source = rank_known(sends ? own : other);
    into->destination = rank_known(sends ? other : own);
}

/* ---- attributes ---- */

static bool peers_of_attributes(const struct trace *trace, const struct peer_rows *rows, struct collective *into)
{
    const int64_t own = trace->info.rank;
    into->sends = is_send(rows->collective);
    into->source = rank_known(rows->source < 0 && into->sends ? own : rows->source);
    into->destination = rank_known(rows->destination < 0 && !into->sends ? own : rows->destination);
    return into->source >= 0 && into->destination >= 0;
}

/* ---- annotations ---- */

/* The rank of the job that a rank of the group is, where the ranks of the group are recorded. */
static int64_t rank_of_member(str group_ranks, int64_t member)
{
    struct arena scratch = {0};
    int64_t *ranks = arena_array(&scratch, MEMBERS_MOST, sizeof *ranks);
    const uint32_t count = integers_parse(group_ranks, ranks, MEMBERS_MOST);
    const int64_t rank = member < count ? ranks[member] : member;
    arena_free(&scratch);
    return rank;
}

/* The whole number at the end of the text, and what stands before it. */
static bool cut_number(str *text, int64_t *number)
{
    size_t from = text->len;
    while (from && text->at[from - 1] >= '0' && text->at[from - 1] <= '9')
        from--;
    const bool found = str_int(str_from(*text, from), number);
    text->len = from;
    return found && *number <= INT32_MAX;
}

/* "nccl:send 0->1", "nccl:recv 1<-0" */
static bool peers_of_annotation(str name, str group_ranks, struct collective *into)
{
    int64_t own, other;
    if (!cut_number(&name, &other) || !(str_ends(name, S("->")) || str_ends(name, S("<-"))))
        return false;
    const bool sends = str_ends(name, S("->"));
    name.len -= 2;
    if (!cut_number(&name, &own))
        return false;
    set_other(rank_of_member(group_ranks, own), rank_of_member(group_ranks, other), sends, into);
    return true;
}

/* ---- calls ---- */

/* c10d::send(tensors, group, destination, tag), c10d::recv_(tensors, group, source, tag) */
static void peers_of_call(const struct trace *trace, uint32_t call, struct collective *into)
{
    struct arena scratch = {0};
    struct text_list values;
    int64_t other;
    text_list_parse(trace_attr_text(trace, call, ATTR_CONCRETE_INPUTS), &scratch, &values);
    if (str_int(text_list_at(&values, PEER_ARGUMENT), &other) && other >= 0 && trace->info.rank >= 0)
        set_other(trace->info.rank, other, is_send(trace_name(trace, call)), into);
    arena_free(&scratch);
}

void collective_set_peers(const struct trace *trace, const struct peer_rows *rows, struct collective *into)
{
    if (into->kind != COLLECTIVE_POINT_TO_POINT || peers_of_attributes(trace, rows, into))
        return;
    into->source = into->destination = -1;
    if (rows->annotation != ROW_NONE &&
        peers_of_annotation(trace_name(trace, rows->annotation), rows->group_ranks, into))
        return;
    if (rows->call != ROW_NONE)
        peers_of_call(trace, rows->call, into);
}
