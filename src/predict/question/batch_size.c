/* SPDX-License-Identifier: Apache-2.0 */
/* Which size is the batch, or why that is not to be told: batch.h. */
#include "batch.h"

#include "base/map.h"
#include "ops/words/shape.h"

/* ---- which size ---- */

static bool is_asked(const struct program_op *op)
{
    switch (op->family) {
    case FAMILY_EMBEDDING:
    case FAMILY_LAYOUT:
    case FAMILY_OPTIMIZER:
    case FAMILY_MEMORY:
    case FAMILY_COPY:
    case FAMILY_COMMUNICATION:
    case FAMILY_OTHER:
        return false;
    default:
        return op->phase == PHASE_FORWARD && !op->label;
    }
}

/* The first tensor of two dimensions or more of a forward operator; of rank 0 where there is none. */
struct lead {
    int64_t size, second; /* its first dimensions */
    uint32_t rank;
};

static struct lead lead_of(const struct program_op *op, struct arena *scratch)
{
    struct shape shape;
    if (!is_asked(op) || !shape_parse(op->arguments.dims, scratch, &shape))
        return (struct lead){0};
    for (uint32_t i = 0; i < shape.count; i++)
        for (uint32_t k = 0; k < shape.arguments[i].count; k++) {
            const struct tensor_dims dims = shape.arguments[i].tensors[k];
            if (dims.rank >= 2)
                return dims.at[0] > 0 ? (struct lead){dims.at[0], dims.at[1], dims.rank} : (struct lead){0};
        }
    return (struct lead){0};
}

/* Kernels of attention that take sequences of any length have these one after the other: tokens x heads x width. */
static bool is_packed(const struct program_op *op, const struct lead *lead)
{
    return op->family == FAMILY_ATTENTION && lead->rank == 3 && !str_has_nocase(op->name, S("scaled_dot_product"));
}

struct leads {
    const struct lead *at;       /* by operator */
    uint32_t count, asked, deep; /* operators; those that lead with a tensor; of these, of three dimensions and more */
    bool packed, attends;        /* a kernel of packed sequences; any attention at all */
};

static bool is_of_sequences(const struct program_op *op)
{
    static const char *const parts[] = {"attention", "rotary", "kv_cache", "kvcache", "reshape_and_cache"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!op->label && str_has_nocase(op->name, str_of(parts[i])))
            return true;
    return op->family == FAMILY_ATTENTION;
}

static struct leads leads_of(const struct program *program, struct arena *arena)
{
    struct lead *at = arena_array(arena, program->count, sizeof *at);
    struct leads leads = {.at = at, .count = program->count};
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_op *op = &program->ops[i];
        at[i] = lead_of(op, arena);
        leads.attends |= op->phase == PHASE_FORWARD && is_of_sequences(op);
        if (!at[i].rank)
            continue;
        if (is_packed(op, &at[i])) {
            leads.packed = true;
            at[i].rank = 2;
        }
        leads.asked++;
        leads.deep += at[i].rank > 2;
    }
    return leads;
}

/* Rows of matrices may be tokens; at batch 1 they are. */
static bool explains(int64_t size, const struct lead *lead, bool deep_told)
{
    return size > 1 ? lead->size % size == 0 : lead->size == 1 || (deep_told && lead->rank == 2);
}

struct leader {
    int64_t size;
    uint32_t had;
};

/* The size in front of most, in order, so that of equals the first counts; `but` > 0: of those that it does not explain. */
static struct leader leader_of(const struct leads *leads, bool deep, int64_t but)
{
    struct map counts = {0};
    struct leader leader = {0};
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < leads->count; i++) {
            const struct lead *lead = &leads->at[i];
            if (!lead->rank || (deep && lead->rank < 3) || (but > 0 && explains(but, lead, leads->deep > 0)))
                continue;
            const uint32_t before = map_get(&counts, lead->size), had = before == MAP_NONE ? 0 : before;
            if (turn == 0)
                map_put(&counts, lead->size, had + 1);
            else if (had > leader.had)
                leader = (struct leader){lead->size, had};
        }
    map_free(&counts);
    return leader;
}

static uint32_t explained(const struct leads *leads, int64_t size, bool deep)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < leads->count; i++)
        count += leads->at[i].rank > (deep ? 2 : 0) && explains(size, &leads->at[i], leads->deep > 0);
    return count;
}

static uint32_t led_by(const struct leads *leads, int64_t size)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < leads->count; i++)
        count += leads->at[i].rank && leads->at[i].size == size;
    return count;
}

/* Tensors of three dimensions tell where they are a twentieth, or show how attention has its sequences. */
static bool deep_tells(const struct leads *leads)
{
    return leads->deep && (20 * leads->deep >= leads->asked || leads->attends);
}

/* Three quarters of all, and of the deep ones. */
static bool fits(const struct leads *leads, int64_t size)
{
    return 4 * (uint64_t)explained(leads, size, false) >= 3 * (uint64_t)leads->asked &&
           4 * (uint64_t)explained(leads, size, true) >= 3 * (uint64_t)leads->deep;
}

/* ---- steps of a sequence in front ---- */

static bool is_recurrent(const struct program_op *op)
{
    return op->phase == PHASE_FORWARD && !op->label &&
           (str_has_nocase(op->name, S("rnn")) || str_has_nocase(op->name, S("lstm")) ||
            str_has_nocase(op->name, S("gru")));
}

/* Hidden states are layers x batch x width: what they have in the middle is the batch of an input that leads with `size`. */
static int64_t behind_input(const struct program_op *op, int64_t size, struct arena *scratch)
{
    struct shape shape;
    struct tensor_dims input = {0};
    if (!shape_parse(op->arguments.dims, scratch, &shape))
        return 0;
    for (uint32_t i = 0; i < shape.count; i++) {
        const struct tensor_dims dims = shape.arguments[i].count ? shape.arguments[i].tensors[0] : input;
        if (dims.rank != 3)
            continue;
        if (input.rank && input.at[0] == size && dims.at[1] == input.at[1] && dims.at[1] != size)
            return dims.at[1];
        input = input.rank ? input : dims;
    }
    return 0;
}

static int64_t behind_recurrent(const struct program *program, int64_t size, struct arena *scratch)
{
    int64_t behind = 0;
    for (uint32_t i = 0; i < program->count && !behind; i++)
        if (is_recurrent(&program->ops[i]))
            behind = behind_input(&program->ops[i], size, scratch);
    return behind;
}

/*
 * Attention over steps x batch x width puts batch and heads together in front of its products, and the steps behind: a size
 * that is a multiple of the second dimension, not of the first.
 */
static int64_t behind_attention(const struct leads *leads, int64_t size)
{
    int64_t second = 0;
    for (uint32_t i = 0; i < leads->count && !second; i++)
        second = leads->at[i].rank == 3 && leads->at[i].size == size ? leads->at[i].second : 0;
    for (uint32_t i = 0; second > 1 && size > 1 && i < leads->count; i++) {
        const struct lead *lead = &leads->at[i];
        if (lead->rank == 3 && lead->second == size && lead->size % second == 0 && lead->size % size != 0)
            return second;
    }
    return 0;
}

static struct batch batch_of_leads(const struct leads *leads)
{
    const bool deep = deep_tells(leads);
    const int64_t size = leader_of(leads, deep, 0).size;
    struct batch batch = {.had = led_by(leads, size), .asked = leads->asked, .seen = size};
    if (!leads->asked)
        batch.doubt = BATCH_UNSEEN;
    else if (leads->packed || (!deep && leads->attends))
        batch.doubt = BATCH_PACKED;
    else if (!fits(leads, size)) {
        const struct leader other = leader_of(leads, false, size);
        batch.doubt = BATCH_SEVERAL;
        batch.other = other.size;
        batch.other_had = other.had;
    } else
        batch.size = size;
    return batch;
}

struct batch batch_of(const struct program *program)
{
    struct arena scratch = {0};
    const struct leads leads = leads_of(program, &scratch);
    struct batch batch = batch_of_leads(&leads);
    const int64_t attention = behind_attention(&leads, batch.seen),
                  behind = attention ? attention : behind_recurrent(program, batch.seen, &scratch);
    if (behind && batch.doubt != BATCH_PACKED) {
        batch.doubt = BATCH_BEHIND;
        batch.size = 0;
        batch.other = behind;
    }
    arena_free(&scratch);
    return batch;
}
