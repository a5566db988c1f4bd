/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run left in its trace of streams, events and collectives: names of nodes, words apart by blanks. */
#include "base/arena.h"
#include "execution.h"

struct marking {
    struct execution *of;
    struct execution_node *nodes; /* copies: some become collectives */
    struct execution_mark *marks;
    struct execution_collective *collectives;
};

static int64_t number(str *rest)
{
    str word;
    int64_t value;
    return str_cut(rest, ' ', &word) && str_int(word, &value) && value >= 0 ? value : 0;
}

/* "comm <work> <kind> <bytes in> <bytes out> <ranks> <apart>": bytes stand as elements of one. */
static void take_collective(struct marking *m, const struct execution_node *mark, str rest)
{
    struct execution *const e = m->of;
    struct execution_collective said = {.dtype = S("Byte"), .group_size = -1};
    said.work = number(&rest);
    if (!str_cut(&rest, ' ', &said.kind))
        return;
    said.in_elements = number(&rest);
    said.out_elements = number(&rest);
    if (!str_cut(&rest, ' ', &said.members))
        return;
    said.group = said.members;
    said.apart = number(&rest) != 0;
    const struct execution_node *const owner = execution_marked(e, mark);
    if (!owner)
        return;
    m->nodes[owner - e->nodes].collective = e->collective_count;
    m->collectives[e->collective_count++] = said;
}

static bool kind_of(str word, enum execution_mark_kind *kind)
{
    static const char *const words[] = {[MARK_STREAM] = "stream", [MARK_RECORD] = "record",     [MARK_AWAIT] = "await",
                                        [MARK_STAGES] = "stages", [MARK_COMPILED] = "compiled", [MARK_WAIT] = "wait"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(word, str_of(words[i]))) {
            *kind = (enum execution_mark_kind)i;
            return true;
        }
    return false;
}

static void take(struct marking *m, const struct execution_node *node)
{
    enum { MOST_STREAMS = 64 };
    enum execution_mark_kind kind;
    str rest = str_from(node->name, S("steptime::").len), word;
    if (!str_cut(&rest, ' ', &word))
        return;
    if (str_eq(word, S("comm")))
        take_collective(m, node, rest);
    if (!kind_of(word, &kind))
        return;
    struct execution_mark *const mark = &m->marks[m->of->mark_count++];
    *mark = (struct execution_mark){.id = node->id, .kind = (uint8_t)kind};
    if (kind != MARK_STREAM)
        mark->what = number(&rest);
    mark->stream = (uint32_t)(number(&rest) % MOST_STREAMS);
}

void execution_take_marks(struct execution *execution)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < execution->count; i++)
        count += execution_is_mark(&execution->nodes[i]);
    if (!count)
        return;
    struct arena *const arena = &execution->arena;
    struct marking m = {execution, arena_array(arena, execution->count, sizeof *m.nodes),
                        arena_array(arena, count, sizeof *m.marks),
                        arena_array(arena, execution->collective_count + count, sizeof *m.collectives)};
    memcpy(m.nodes, execution->nodes, execution->count * sizeof *m.nodes);
    if (execution->collective_count)
        memcpy(m.collectives, execution->collectives, execution->collective_count * sizeof *m.collectives);
    for (uint32_t i = 0; i < execution->count; i++)
        if (execution_is_mark(&execution->nodes[i]))
            take(&m, &execution->nodes[i]);
    execution->nodes = m.nodes;
    execution->marks = m.marks;
    execution->collectives = m.collectives;
}
