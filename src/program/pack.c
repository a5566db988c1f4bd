/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list is its number of rows and then each row as what differs from the row
 * before it: which fields, in bits, and by how much, in as few bytes as that
 * takes. A text is its number among the texts. The program itself is a list of one.
 */
#include "pack.h"

#include <pthread.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"

/* ---- texts ---- */

struct program_texts {
    struct intern *table;
    pthread_mutex_t lock;
};

struct program_texts *program_texts_new(void)
{
    struct program_texts *texts = mem_zeroed(sizeof *texts);
    texts->table = intern_new();
    pthread_mutex_init(&texts->lock, NULL);
    return texts;
}

void program_texts_free(struct program_texts *texts)
{
    if (!texts)
        return;
    intern_free(texts->table);
    pthread_mutex_destroy(&texts->lock);
    mem_free(texts);
}

/* ---- what rows are made of ---- */

enum field_kind { FIELD_NUMBER, FIELD_TEXT };

struct field {
    size_t offset;
    uint8_t size; /* bytes */
    uint8_t kind;
};

#define NUMBER(type, name) \
    { \
        offsetof(struct type, name), sizeof(((struct type *)0)->name), FIELD_NUMBER \
    }
#define TEXT(type, name) \
    { \
        offsetof(struct type, name), sizeof(str), FIELD_TEXT \
    }

/* The first seven are those that most rows change: their bits fit one byte. */
static const struct field op_fields[] = {
    NUMBER(program_op, start_ns),
    NUMBER(program_op, dur_ns),
    NUMBER(program_op, id),
    NUMBER(program_op, end),
    TEXT(program_op, name),
    TEXT(program_op, arguments.dims),
    NUMBER(program_op, parent),
    TEXT(program_op, arguments.values),
    TEXT(program_op, arguments.types),
    TEXT(program_op, arguments.strides),
    NUMBER(program_op, first_launch),
    NUMBER(program_op, launches),
    NUMBER(program_op, family),
    NUMBER(program_op, forward),
    NUMBER(program_op, thread),
    NUMBER(program_op, phase),
    NUMBER(program_op, label),
    NUMBER(program_op, on_host),
    NUMBER(program_op, first_input),
    NUMBER(program_op, inputs),
    NUMBER(program_op, first_output),
    NUMBER(program_op, outputs),
};
static const struct field launch_fields[] = {
    NUMBER(program_launch, op),          NUMBER(program_launch, call_start_ns),
    NUMBER(program_launch, call_dur_ns), NUMBER(program_launch, start_ns),
    NUMBER(program_launch, dur_ns),      NUMBER(program_launch, row),
    TEXT(program_launch, kernel),        TEXT(program_launch, call),
    NUMBER(program_launch, thread),      NUMBER(program_launch, stream),
    NUMBER(program_launch, collective),  NUMBER(program_launch, work),
    NUMBER(program_launch, direction),   NUMBER(program_launch, memory),
    NUMBER(program_launch, blocking),    NUMBER(program_launch, shared),
    NUMBER(program_launch, bytes),
};
static const struct field sync_fields[] = {
    NUMBER(program_sync, op),     NUMBER(program_sync, thread), NUMBER(program_sync, before),
    NUMBER(program_sync, stream), NUMBER(program_sync, row),    NUMBER(program_sync, start_ns),
    NUMBER(program_sync, dur_ns),
};
static const struct field order_fields[] = {NUMBER(program_order, launch), NUMBER(program_order, after)};
static const struct field tensor_fields[] = {{0, sizeof(int64_t), FIELD_NUMBER}};
static const struct field collective_fields[] = {
    NUMBER(collective, call_ns),       NUMBER(collective, start_ns),    NUMBER(collective, dur_ns),
    NUMBER(collective, seq),           NUMBER(collective, in_elements), NUMBER(collective, out_elements),
    NUMBER(collective, row),           NUMBER(collective, step),        NUMBER(collective, group),
    NUMBER(collective, element_bytes), NUMBER(collective, kind),        NUMBER(collective, on_host),
    NUMBER(collective, queued_before), NUMBER(collective, apart),       NUMBER(collective, work),
};
static const struct field group_fields[] = {TEXT(collective_group, name), TEXT(collective_group, members),
                                            NUMBER(collective_group, size), NUMBER(collective_group, identity)};
static const struct field mark_fields[] = {NUMBER(execution_mark, id), NUMBER(execution_mark, kind),
                                           NUMBER(execution_mark, what), NUMBER(execution_mark, stream)};
static const struct field program_fields[] = {
    NUMBER(program, source),     NUMBER(program, threads),
    NUMBER(program, streams),    NUMBER(program, rank),
    NUMBER(program, world_size), NUMBER(program, wall_ns),
    NUMBER(program, active_ns),  NUMBER(program, behind_ns),
    NUMBER(program, held_ns),    NUMBER(program, profiled),
    TEXT(program, path),         TEXT(program, device),
    NUMBER(program, step),       NUMBER(program, without_shapes),
    NUMBER(program, origin_ns),  NUMBER(program, dated),
    NUMBER(program, load_ns),    NUMBER(program, feed_ns),
};

struct row_kind {
    const struct field *fields;
    size_t fields_count, size;
};

#define ROWS(fields, type) \
    { \
        fields, sizeof fields / sizeof *fields, sizeof(type) \
    }

static const struct row_kind op_rows = ROWS(op_fields, struct program_op),
                             launch_rows = ROWS(launch_fields, struct program_launch),
                             sync_rows = ROWS(sync_fields, struct program_sync),
                             order_rows = ROWS(order_fields, struct program_order),
                             tensor_rows = ROWS(tensor_fields, int64_t),
                             collective_rows = ROWS(collective_fields, struct collective),
                             group_rows = ROWS(group_fields, struct collective_group),
                             mark_rows = ROWS(mark_fields, struct execution_mark),
                             program_rows_of = ROWS(program_fields, struct program);

/* ---- numbers ---- */

enum { FIELDS_MOST = 32, PART_BITS = 7, MORE = 1 << PART_BITS };

static void write_number(struct buf *out, uint64_t value)
{
    for (; value >= MORE; value >>= PART_BITS)
        buf_char(out, (char)(uint8_t)(value | MORE));
    buf_char(out, (char)(uint8_t)value);
}

static uint64_t read_number(const uint8_t **at)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (; **at & MORE; ++*at, shift += PART_BITS)
        value |= (uint64_t)(**at & (MORE - 1)) << shift;
    return value | (uint64_t) * (*at)++ << shift;
}

/* Small where a difference is small, whatever its sign. */
static uint64_t folded(uint64_t difference)
{
    return difference << 1 ^ ((int64_t)difference < 0 ? UINT64_MAX : 0);
}

static uint64_t unfolded(uint64_t folded)
{
    return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

/* Sign and width are alike for all sizes: all bits set is -1. */
static uint64_t load(const void *row, const struct field *field)
{
    const char *at = (const char *)row + field->offset;
    int64_t wide;
    int32_t half;
    switch (field->size) {
    case sizeof wide:
        memcpy(&wide, at, sizeof wide);
        return (uint64_t)wide;
    case sizeof half:
        memcpy(&half, at, sizeof half);
        return (uint64_t)(int64_t)half;
    default:
        return *(const uint8_t *)at;
    }
}

static void store(void *row, const struct field *field, uint64_t value)
{
    char *at = (char *)row + field->offset;
    const uint32_t half = (uint32_t)value;
    if (field->size == sizeof value)
        memcpy(at, &value, sizeof value);
    else if (field->size == sizeof half)
        memcpy(at, &half, sizeof half);
    else
        *(uint8_t *)at = (uint8_t)value;
}

/* ---- packing ---- */

struct packing {
    struct program_texts *texts;
    struct map ids; /* of texts, by where they lie: a source has each once */
    struct buf out;
};

static uint32_t shared_id(struct program_texts *texts, str text)
{
    pthread_mutex_lock(&texts->lock);
    const uint32_t id = intern_id(texts->table, text);
    pthread_mutex_unlock(&texts->lock);
    return id;
}

static uint32_t id_of(struct packing *p, str text)
{
    enum { LENGTH_BITS = 16 }; /* above the bits of an address */
    if (!text.len)
        return 0;
    if (text.len >> LENGTH_BITS)
        return shared_id(p->texts, text);
    const int64_t place = (int64_t)((uint64_t)(uintptr_t)text.at << LENGTH_BITS | text.len);
    uint32_t id = map_get(&p->ids, place);
    if (id == MAP_NONE)
        map_put(&p->ids, place, id = shared_id(p->texts, text));
    return id;
}

static uint64_t value_of(struct packing *p, const void *row, const struct field *field)
{
    str text;
    if (field->kind == FIELD_NUMBER)
        return load(row, field);
    memcpy(&text, (const char *)row + field->offset, sizeof text);
    return id_of(p, text);
}

static void pack_rows(struct packing *p, const struct row_kind *kind, const void *rows, uint32_t count)
{
    uint64_t before[FIELDS_MOST] = {0}, by[FIELDS_MOST];
    write_number(&p->out, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t changed = 0;
        for (size_t f = 0; f < kind->fields_count; f++) {
            const uint64_t value = value_of(p, (const char *)rows + i * kind->size, &kind->fields[f]);
            by[f] = folded(value - before[f]);
            before[f] = value;
            changed |= (uint64_t)(by[f] != 0) << f;
        }
        write_number(&p->out, changed);
        for (size_t f = 0; f < kind->fields_count; f++)
            if (by[f])
                write_number(&p->out, by[f]);
    }
}

struct packed_program program_pack(const struct program *program, struct program_texts *texts, struct arena *arena)
{
    struct packing p = {.texts = texts};
    pack_rows(&p, &program_rows_of, program, 1);
    pack_rows(&p, &op_rows, program->ops, program->count);
    pack_rows(&p, &launch_rows, program->launches, program->launch_count);
    pack_rows(&p, &sync_rows, program->syncs, program->sync_count);
    pack_rows(&p, &order_rows, program->orders, program->order_count);
    pack_rows(&p, &tensor_rows, program->tensors, program->tensor_count);
    pack_rows(&p, &tensor_rows, program->tensor_bytes, program->tensor_bytes ? program->tensor_count : 0);
    pack_rows(&p, &collective_rows, program->collectives, program->collective_count);
    pack_rows(&p, &group_rows, program->groups, program->group_count);
    pack_rows(&p, &mark_rows, program->marks, program->mark_count);
    uint8_t *at = arena_alloc(arena, p.out.len);
    memcpy(at, p.out.at, p.out.len);
    const struct packed_program packed = {at, p.out.len};
    map_free(&p.ids);
    buf_free(&p.out);
    return packed;
}

/* ---- unpacking ---- */

static void set_value(const struct program_texts *texts, void *row, const struct field *field, uint64_t value)
{
    if (field->kind == FIELD_NUMBER) {
        store(row, field, value);
        return;
    }
    const str text = intern_text(texts->table, (uint32_t)value);
    memcpy((char *)row + field->offset, &text, sizeof text);
}

static void *unpack_rows(const uint8_t **at, const struct row_kind *kind, const struct program_texts *texts,
                         struct arena *arena, uint32_t *count)
{
    uint64_t values[FIELDS_MOST] = {0};
    *count = (uint32_t)read_number(at);
    char *rows = arena_array(arena, *count, kind->size), *row = rows;
    for (uint32_t i = 0; i < *count; i++, row += kind->size) {
        uint64_t changed = read_number(at);
        if (i)
            memcpy(row, row - kind->size, kind->size);
        for (; changed; changed &= changed - 1) {
            const unsigned f = (unsigned)__builtin_ctzll(changed);
            values[f] += unfolded(read_number(at));
            set_value(texts, row, &kind->fields[f], values[f]);
        }
    }
    return rows;
}

struct program program_unpack(struct packed_program packed, const struct program_texts *texts, struct arena *arena)
{
    const uint8_t *at = packed.at;
    uint32_t one;
    struct program program = *(struct program *)unpack_rows(&at, &program_rows_of, texts, arena, &one);
    program.ops = unpack_rows(&at, &op_rows, texts, arena, &program.count);
    program.launches = unpack_rows(&at, &launch_rows, texts, arena, &program.launch_count);
    program.syncs = unpack_rows(&at, &sync_rows, texts, arena, &program.sync_count);
    program.orders = unpack_rows(&at, &order_rows, texts, arena, &program.order_count);
    program.tensors = unpack_rows(&at, &tensor_rows, texts, arena, &program.tensor_count);
    program.tensor_bytes = unpack_rows(&at, &tensor_rows, texts, arena, &one);
    program.tensor_bytes = one ? program.tensor_bytes : NULL;
    program.collectives = unpack_rows(&at, &collective_rows, texts, arena, &program.collective_count);
    program.groups = unpack_rows(&at, &group_rows, texts, arena, &program.group_count);
    program.marks = unpack_rows(&at, &mark_rows, texts, arena, &program.mark_count);
    return program;
}
