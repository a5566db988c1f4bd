/* SPDX-License-Identifier: Apache-2.0 */
#include "batch_between.h"

#include "base/buf.h"
#include "base/pairs.h"
#include "batch.h"

/* ---- texts of sizes ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits at its front, taken off. */
static bool take_number(str *text, int64_t *number)
{
    size_t end = 0;
    while (end < text->len && is_digit(text->at[end]))
        end++;
    const bool good = str_int((str){text->at, end}, number);
    *text = str_from(*text, end);
    return good;
}

/* A size of both, that neither stays nor goes with the batch. */
struct odd {
    int64_t few, more;
};

enum { MOST = 16 };

struct odds {
    struct odd first[MOST]; /* those that stand first in a tensor: what values chose goes with the batch */
    uint32_t count;
    bool any;
};

static bool is_first(const struct odds *odds, struct odd odd)
{
    for (uint32_t i = 0; i < odds->count; i++)
        if (odds->first[i].few == odd.few && odds->first[i].more == odd.more)
            return true;
    return false;
}

static void note_odd(struct odds *odds, struct odd odd, bool first)
{
    odds->any = true;
    if (first && odds->count < MOST && !is_first(odds, odd))
        odds->first[odds->count++] = odd;
}

/* Two texts side by side. */
struct walk {
    struct batches batches;
    struct odds *odds;
    struct buf *to; /* NULL: odds are noted only */
};

static void take_pair(const struct walk *w, struct odd pair, bool first)
{
    int64_t size;
    const bool known = size_between(pair.few, pair.more, w->batches, &size);
    if (!w->to) {
        if (!known)
            note_odd(w->odds, pair, first);
        return;
    }
    if (!known && is_first(w->odds, pair))
        size = size_with_batch(pair.more, w->batches);
    buf_printf(w->to, "%lld", (long long)size);
}

/* False where they differ in more than numbers. */
static bool walk_both(str few, str more, const struct walk *w)
{
    char before = 0;
    while (more.len && few.len) {
        struct odd pair;
        if (is_digit(*more.at) && is_digit(*few.at)) {
            if (!take_number(&few, &pair.few) || !take_number(&more, &pair.more))
                return false;
            take_pair(w, pair, before == '[');
            continue;
        }
        before = *more.at;
        if (before != *few.at)
            return false;
        if (w->to)
            buf_char(w->to, before);
        few = str_from(few, 1);
        more = str_from(more, 1);
    }
    return !more.len && !few.len;
}

enum told { BY_NEITHER, BY_MORE, BY_BOTH };

/* "[[2, 64], [64]]" and "[[3, 64], [64]]". */
static enum told dims_between(str few, str more, struct batches batches, struct arena *arena, str *dims)
{
    struct odds odds = {.count = 0};
    struct walk w = {batches, &odds, NULL};
    if (!walk_both(few, more, &w))
        return BY_NEITHER;
    struct buf text = {0};
    w.to = &text;
    walk_both(few, more, &w);
    *dims = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return odds.any ? BY_MORE : BY_BOTH;
}

/* ---- one operator and its like ---- */

struct joining {
    const struct program *few, *more;
    const uint32_t *like; /* by operator of `more`, in `few` */
    struct batches batches;
    struct program_op *ops;
    int64_t *bytes; /* of tensors */
    struct program_launch *launches;
    struct arena *arena;
};

/* Bytes that are not known, or do neither, are as if they went with the batch. */
static int64_t bytes_between(const struct joining *j, int64_t of_few, int64_t of_more)
{
    int64_t bytes;
    if (of_more < 0)
        return of_more;
    return of_few >= 0 && size_between(of_few, of_more, j->batches, &bytes) ? bytes
                                                                            : size_with_batch(of_more, j->batches);
}

struct run {
    uint32_t of_few, of_more, count;
};

static void join_tensors(const struct joining *j, struct run run)
{
    for (uint32_t i = 0; i < run.count; i++)
        j->bytes[run.of_more + i] =
            bytes_between(j, j->few->tensor_bytes[run.of_few + i], j->more->tensor_bytes[run.of_more + i]);
}

static void join_launches(const struct joining *j, struct run run)
{
    for (uint32_t i = 0; i < run.count; i++)
        j->launches[run.of_more + i].bytes =
            bytes_between(j, j->few->launches[run.of_few + i].bytes, j->more->launches[run.of_more + i].bytes);
}

static void join_bytes(const struct joining *j, uint32_t at)
{
    const struct program_op *const more = &j->more->ops[at], *const few = &j->few->ops[j->like[at]];
    if (j->bytes && j->few->tensor_bytes && more->inputs == few->inputs)
        join_tensors(j, (struct run){few->first_input, more->first_input, more->inputs});
    if (j->bytes && j->few->tensor_bytes && more->outputs == few->outputs)
        join_tensors(j, (struct run){few->first_output, more->first_output, more->outputs});
    if (more->launches == few->launches)
        join_launches(j, (struct run){few->first_launch, more->first_launch, more->launches});
}

/* Whether both tell its sizes. */
static bool join_op(const struct joining *j, uint32_t at)
{
    const str more = j->more->ops[at].arguments.dims;
    if (!j->like || j->like[at] == PAIR_NONE)
        return false;
    join_bytes(j, at);
    return dims_between(j->few->ops[j->like[at]].arguments.dims, more, j->batches, j->arena,
                        &j->ops[at].arguments.dims) == BY_BOTH;
}

/* ---- all ---- */

static struct pair_names names_of(const struct program *program, struct arena *arena)
{
    str *const names = arena_array(arena, program->count, sizeof *names);
    for (uint32_t i = 0; i < program->count; i++)
        names[i] = program->ops[i].name;
    return (struct pair_names){names, program->count};
}

static void copy_bytes(struct joining *j)
{
    const struct program *const more = j->more;
    j->launches = arena_array(j->arena, more->launch_count, sizeof *j->launches);
    for (uint32_t i = 0; i < more->launch_count; i++)
        j->launches[i] = more->launches[i];
    if (!more->tensor_bytes)
        return;
    j->bytes = arena_array(j->arena, more->tensor_count, sizeof *j->bytes);
    for (uint32_t i = 0; i < more->tensor_count; i++)
        j->bytes[i] = more->tensor_bytes[i];
}

struct batch_between batch_between(const struct program *few, const struct program *more, struct batches batches,
                                   struct arena *arena)
{
    struct arena scratch = {0};
    const struct program scaled = batch_scaled(more, batches.more, batches.to, arena);
    struct joining j = {.few = few, .more = more, .batches = batches, .arena = arena};
    j.ops = arena_array(arena, more->count, sizeof *j.ops);
    copy_bytes(&j);
    if (few)
        j.like = pairs_by_name(names_of(more, &scratch), names_of(few, &scratch), &scratch);
    struct batch_between between = {.program = scaled};
    for (uint32_t i = 0; i < more->count; i++) {
        j.ops[i] = scaled.ops[i];
        const bool by_both = join_op(&j, i);
        if (more->ops[i].arguments.dims.len && !more->ops[i].label)
            by_both ? between.by_both++ : between.by_one++;
    }
    between.program.ops = j.ops;
    between.program.launches = j.launches;
    between.program.tensor_bytes = j.bytes;
    arena_free(&scratch);
    return between;
}
