/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a project, each once, and how they are joined. Threads meet here, so the table is cut into shards. */
#include "values.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/shared_set.h"
#include "source/known/known.h"

enum { SHARDS = 64, PAGE = 1 << 12, PAGES = 1 << 12 };

const struct value value_unknown = {.detail = NONE};
const struct value value_nothing = {.kind = VALUE_NOTHING, .detail = NONE, .id = 1};

struct shard {
    struct shared_set set;
    struct arena arena;
};

struct values {
    struct shard shards[SHARDS];
    const struct value **pages[PAGES]; /* by id */
    pthread_mutex_t page_lock;
    uint32_t next_id;
};

struct values *values_new(void)
{
    struct values *values = mem_zeroed(sizeof *values);
    for (int i = 0; i < SHARDS; i++)
        shared_set_begin(&values->shards[i].set);
    pthread_mutex_init(&values->page_lock, NULL);
    values->pages[0] = mem_zeroed(PAGE * sizeof(struct value *));
    values->pages[0][0] = &value_unknown;
    values->pages[0][1] = &value_nothing;
    values->next_id = 2;
    return values;
}

void values_free(struct values *values)
{
    for (int i = 0; values && i < SHARDS; i++) {
        shared_set_free(&values->shards[i].set);
        arena_free(&values->shards[i].arena);
    }
    for (int i = 0; values && i < PAGES; i++)
        mem_free(values->pages[i]);
    if (values)
        pthread_mutex_destroy(&values->page_lock);
    mem_free(values);
}

static bool same(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind || a->device != b->device || a->dtype != b->dtype || a->rank != b->rank ||
        a->parameter != b->parameter || a->flags != b->flags || a->detail != b->detail || a->name != b->name ||
        a->item_count != b->item_count || !a->items != !b->items)
        return false;
    return !a->items || memcmp(a->items, b->items, value_item_slots(a) * sizeof *a->items) == 0;
}

static uint64_t hash_value(const struct value *v)
{
    uint64_t h = (uint64_t)v->kind | (uint64_t)v->device << 8 | (uint64_t)v->dtype << 16 | (uint64_t)v->rank << 24 |
                 (uint64_t)v->parameter << 32 | (uint64_t)v->item_count << 40 | (uint64_t)v->flags << 48;
    h = hash_mix(h ^ hash_mix((uint64_t)v->detail ^ (uint64_t)(uintptr_t)v->name << 1));
    return v->items ? hash_mix(h ^ hash_bytes((const char *)v->items, value_item_slots(v) * sizeof *v->items)) : h;
}

static bool is_value(const void *thing, const void *wanted)
{
    return same(thing, wanted);
}

/* Gives the value its id; false when there are too many. */
static bool number(struct values *values, struct value *value)
{
    pthread_mutex_lock(&values->page_lock);
    const uint32_t id = values->next_id;
    const bool fits = id < (uint32_t)PAGE * PAGES;
    if (fits) {
        if (!values->pages[id / PAGE])
            values->pages[id / PAGE] = mem_zeroed(PAGE * sizeof(struct value *));
        values->pages[id / PAGE][id % PAGE] = value;
        value->id = id;
        values->next_id++;
    }
    pthread_mutex_unlock(&values->page_lock);
    return fits;
}

bool values_full(const struct values *values)
{
    return values->next_id == (uint32_t)PAGE * PAGES;
}

static const struct value *new_value(struct values *values, struct shard *shard, const struct value *value)
{
    struct value *copy = arena_alloc(&shard->arena, sizeof *copy);
    *copy = *value;
    copy->depth = 0;
    if (value->items) {
        const size_t bytes = value_item_slots(value) * sizeof *value->items;
        const struct value **items = arena_alloc(&shard->arena, bytes);
        memcpy(items, value->items, bytes);
        copy->items = items;
        copy->depth = 0;
        for (uint32_t i = 0; i < value_item_slots(value); i++)
            copy->depth = items[i]->depth >= copy->depth ? items[i]->depth + 1 : copy->depth;
    }
    return number(values, copy) ? copy : &value_unknown;
}

static const struct value *add(struct values *values, struct shard *shard, const struct value *value, uint64_t hash)
{
    shared_set_lock(&shard->set);
    const struct value *found = shared_set_find(&shard->set, hash, is_value, value);
    if (!found)
        shared_set_put(&shard->set, hash, found = new_value(values, shard, value));
    shared_set_unlock(&shard->set);
    return found;
}

const struct value *values_get(struct values *values, const struct value *value)
{
    if (value == &value_unknown || value == &value_nothing)
        return value;
    const struct value plain = {.kind = value->kind, .detail = NONE};
    if ((value->kind == VALUE_UNKNOWN || value->kind == VALUE_NOTHING) && same(value, &plain))
        return value->kind == VALUE_UNKNOWN ? &value_unknown : &value_nothing;
    const uint64_t hash = hash_value(value);
    struct shard *shard = &values->shards[hash % SHARDS];
    const struct value *found = shared_set_find(&shard->set, hash / SHARDS, is_value, value);
    return found ? found : add(values, shard, value, hash / SHARDS);
}

const struct value *values_by_id(const struct values *values, uint32_t id)
{
    return values->pages[id / PAGE][id % PAGE];
}

const struct value *values_of_kind(struct values *values, enum value_kind kind)
{
    return values_get(values, &(struct value){.kind = (uint8_t)kind, .detail = NONE});
}

static bool joins_flags_any(uint16_t flag)
{
    return flag & (VALUE_RANDOM | VALUE_GRAD | VALUE_FROM_LOADER | VALUE_DOWNLOADED | VALUE_ASSUMED);
}

/* What both are, and of what may be (random, from a loader ...) what either is. */
static uint16_t join_flags(uint16_t a, uint16_t b)
{
    uint16_t any = 0;
    for (uint16_t flag = 1; flag; flag = (uint16_t)(flag << 1))
        any |= joins_flags_any(flag) ? flag : 0;
    return (uint16_t)((a & b) | ((a | b) & any));
}

static bool is_moved(const struct value *v)
{
    return v->device == DEVICE_GPU && v->flags & VALUE_UPLOADED;
}

static bool carries_device(const struct value *v)
{
    switch (v->kind) {
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_BOOL:
    case VALUE_STR:
    case VALUE_NONE:
    case VALUE_NOTHING:
        return v->device != DEVICE_UNKNOWN;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
    case VALUE_SET:
        return v->items != NULL || v->device != DEVICE_UNKNOWN;
    default:
        return true;
    }
}

/* Tensors that one name holds in turn are in one place: on the GPU if one is, or with the first parameter (self). */
static const struct value *nearer(const struct value *a, const struct value *b)
{
    const bool pa = a->device == DEVICE_PARAMETER, pb = b->device == DEVICE_PARAMETER;
    if (pa && pb)
        return a->parameter <= b->parameter ? a : b;
    if (pa && b->device == DEVICE_GPU)
        return b;
    return pb && a->device == DEVICE_GPU ? a : NULL;
}

static void join_device(struct value *out, const struct value *a, const struct value *b, enum join join)
{
    const struct value *take = NULL;
    if (a->device == b->device && (a->device != DEVICE_PARAMETER || a->parameter == b->parameter))
        take = a;
    else if (!carries_device(a))
        take = b;
    else if (!carries_device(b))
        take = a;
    else if (join == JOIN_WAYS && is_moved(a))
        take = a;
    else if (join == JOIN_WAYS && is_moved(b))
        take = b;
    else if (join == JOIN_WAYS)
        take = nearer(a, b);
    out->device = take ? take->device : DEVICE_UNKNOWN;
    out->parameter = take ? take->parameter : 0;
    if (take && is_moved(take))
        out->flags |= VALUE_UPLOADED;
}

static bool is_number(uint8_t kind)
{
    return kind == VALUE_INT || kind == VALUE_FLOAT || kind == VALUE_BOOL;
}

static bool is_sequence(uint8_t kind)
{
    return kind == VALUE_LIST || kind == VALUE_TUPLE;
}

static bool is_module(uint8_t kind)
{
    return kind == VALUE_MODULE || kind == VALUE_LOSS;
}

static bool is_empty_list(const struct value *value)
{
    return value->kind == VALUE_LIST && !value->items;
}

static uint8_t join_kind(const struct value *a, const struct value *b, enum join join)
{
    const uint8_t x = a->kind, y = b->kind;
    if (x == y || y == VALUE_NOTHING)
        return x;
    if (x == VALUE_NOTHING)
        return y;
    if (is_number(x) && is_number(y))
        return x == VALUE_FLOAT || y == VALUE_FLOAT ? VALUE_FLOAT : VALUE_INT;
    if (is_sequence(x) && is_sequence(y))
        return VALUE_LIST;
    if (join == JOIN_WAYS && ((x == VALUE_ARRAY && is_empty_list(b)) || (y == VALUE_ARRAY && is_empty_list(a))))
        return VALUE_ARRAY;
    if (is_module(x) && is_module(y))
        return VALUE_MODULE;
    if ((x == VALUE_DEVICE && y == VALUE_STR) || (x == VALUE_STR && y == VALUE_DEVICE))
        return VALUE_DEVICE;
    if (join == JOIN_WAYS && (a == &value_unknown ? y : b == &value_unknown ? x : VALUE_UNKNOWN) == VALUE_DEVICE)
        return VALUE_DEVICE; /* self.device = kwargs["rank"] */
    if ((x == VALUE_BATCH && y == VALUE_TENSOR) || (x == VALUE_TENSOR && y == VALUE_BATCH))
        return VALUE_TENSOR;
    if (join == JOIN_WAYS && (x == VALUE_TENSOR || x == VALUE_ARRAY) && is_number(y))
        return x;
    if (join == JOIN_WAYS && (y == VALUE_TENSOR || y == VALUE_ARRAY) && is_number(x))
        return y;
    return VALUE_UNKNOWN;
}

static const struct value *join_items(struct values *values, const struct value *v, enum join join)
{
    const struct value *item = v->items ? v->items[0] : NULL;
    for (uint32_t i = 1; item && i < v->item_count; i++)
        item = values_join(values, item, v->items[i], join);
    return item;
}

/* What a function returns in one form or another, told apart by how much it is: the longer one, what both have joined. */
static bool join_tuples(struct values *values, struct value *out, const struct value *a, const struct value *b,
                        const struct value **room, enum join join)
{
    if (join != JOIN_WAYS || a->kind != VALUE_TUPLE || b->kind != VALUE_TUPLE || !a->item_count || !b->item_count)
        return false;
    const struct value *longer = a->item_count >= b->item_count ? a : b, *shorter = longer == a ? b : a;
    out->item_count = longer->item_count;
    for (uint32_t i = 0; i < longer->item_count; i++)
        room[i] =
            i < shorter->item_count ? values_join(values, longer->items[i], shorter->items[i], join) : longer->items[i];
    out->items = room;
    return true;
}

static void join_all_items(struct values *values, struct value *out, const struct value *a, const struct value *b,
                           const struct value **room, enum join join)
{
    if (!a->items || !b->items) {
        const struct value *only = a->items ? a : b->items ? b : NULL;
        out->items = only ? only->items : NULL;
        out->item_count = only ? only->item_count : 0;
        return;
    }
    if (join_tuples(values, out, a, b, room, join))
        return;
    const bool known = a->item_count && a->item_count == b->item_count;
    out->item_count = known ? a->item_count : 0;
    for (uint32_t i = 0; known && i < a->item_count; i++)
        room[i] = values_join(values, a->items[i], b->items[i], join);
    if (!known)
        room[0] = values_join(values, join_items(values, a, join), join_items(values, b, join), join);
    out->items = room;
}

/*
 * What a library gives on one way is taken for what the run gives on the other, where that is a loader, a row of things,
 * or stands in for what could not be imported.
 */
static bool speaks_for_both(const struct value *known, const struct value *other, enum join join)
{
    const bool shaped = known->kind == VALUE_LOADER || (known->kind == VALUE_TUPLE && known->item_count > 1);
    const bool tried =
        value_of_run(known) && other->kind == VALUE_IMPORT && other->detail == NONE; /* import, or else */
    return join == JOIN_WAYS && ((other == &value_unknown && shaped) || tried);
}

/* torch.cuda, and the constructors of its tensors. */
static bool is_of_device(const struct name *name)
{
    const struct known *known = name->known;
    return str_eq(name->text, S("torch.cuda")) ||
           (known && known->special == SPECIAL_TENSOR && known->device == ON_GPU);
}

/* `torch.cuda.FloatTensor if cuda else torch.FloatTensor` is what it is where there is a device. */
static const struct name *join_names(const struct value *a, const struct value *b, enum join join)
{
    if (a->name == b->name)
        return a->name;
    if (join != JOIN_WAYS || a->kind != b->kind || !a->name || !b->name)
        return NULL;
    const bool of_a = is_of_device(a->name), of_b = is_of_device(b->name);
    return of_a == of_b ? NULL : of_a ? a->name : b->name;
}

const struct value *values_join(struct values *values, const struct value *a, const struct value *b, enum join join)
{
    if (a == b || b == &value_nothing)
        return a;
    if (a == &value_nothing)
        return b;
    if (a->kind == VALUE_NONE && b->kind != VALUE_NONE)
        return b;
    if (b->kind == VALUE_NONE)
        return a;
    if (a->kind == b->kind && value_of_run(a) && value_of_run(b))
        return values_several(values, a, b);
    if (speaks_for_both(a, b, join))
        return a;
    if (speaks_for_both(b, a, join))
        return b;
    struct value out = {.kind = join_kind(a, b, join), .detail = a->detail == b->detail ? a->detail : NONE};
    const struct value *room[VALUE_ITEMS];
    out.flags = a->kind == VALUE_NOTHING   ? b->flags
                : b->kind == VALUE_NOTHING ? a->flags
                                           : join_flags(a->flags, b->flags);
    if (join == JOIN_WAYS && is_number(a->kind) != is_number(b->kind) && out.kind != VALUE_UNKNOWN)
        out.flags = (uint16_t)((is_number(a->kind) ? b : a)->flags & ~(unsigned)VALUE_CONSTANT);
    join_device(&out, a, b, join);
    const bool a_quiet = is_number(a->kind) || a->kind == VALUE_NOTHING;
    const bool b_quiet = is_number(b->kind) || b->kind == VALUE_NOTHING;
    out.dtype = a->dtype == b->dtype || b_quiet ? a->dtype : a_quiet ? b->dtype : DTYPE_UNKNOWN;
    out.rank = a->rank == b->rank || b_quiet ? a->rank : a_quiet ? b->rank : RANK_UNKNOWN;
    out.name = join_names(a, b, join);
    const bool holds = out.kind != VALUE_UNKNOWN && !value_of_run(a) && !value_of_run(b);
    if (holds && (a->items || b->items))
        join_all_items(values, &out, a, b, room, join);
    if (out.kind == VALUE_UNKNOWN && out.detail != NONE)
        out.detail = NONE;
    return values_get(values, &out);
}

/* Containers of known length only up to VALUE_ITEMS; deeper nesting than VALUE_DEEPEST is not told apart. */
const struct value *values_tuple(struct values *values, enum value_kind kind, const struct value *const *items,
                                 uint32_t count)
{
    struct value out = {.kind = (uint8_t)kind, .detail = NONE};
    const struct value *joined = &value_nothing;
    for (uint32_t i = 0; i < count; i++)
        joined = values_join(values, joined, items[i], JOIN_WAYS);
    bool deep = joined->depth >= VALUE_DEEPEST;
    for (uint32_t i = 0; i < count && i < VALUE_ITEMS; i++)
        deep |= items[i]->depth >= VALUE_DEEPEST;
    out.device = joined->device;
    out.parameter = joined->parameter;
    out.flags = joined->flags & (VALUE_CONSTANT | VALUE_RANDOM | VALUE_DOWNLOADED | VALUE_UPLOADED | VALUE_FROM_LOADER);
    if (count && count <= VALUE_ITEMS && !deep) {
        out.item_count = (uint8_t)count;
        out.items = items;
    } else if (count && !deep) {
        out.items = &joined;
    }
    return values_get(values, &out);
}

const struct value *values_container(struct values *values, enum value_kind kind, const struct value *item)
{
    struct value out = {.kind = (uint8_t)kind, .device = item->device, .parameter = item->parameter, .detail = NONE};
    out.flags = item->flags & (VALUE_RANDOM | VALUE_DOWNLOADED | VALUE_UPLOADED | VALUE_FROM_LOADER);
    if (item->depth < VALUE_DEEPEST)
        out.items = &item;
    return values_get(values, &out);
}

const struct value *values_without(struct values *values, const struct value *value, uint16_t flags)
{
    struct value out = *value;
    out.flags &= (uint16_t) ~(unsigned)flags;
    return values_get(values, &out);
}

/* The same, and all in it, on that device. */
const struct value *values_on(struct values *values, const struct value *value, enum value_device device, uint16_t add,
                              uint16_t drop)
{
    struct value out = *value;
    const struct value *room[VALUE_ITEMS];
    out.device = (uint8_t)device;
    out.parameter = value->kind == VALUE_NOTHING ? value->parameter : 0; /* it stays that parameter */
    out.flags = (uint16_t)((out.flags | add) & ~(unsigned)drop);
    for (uint32_t i = 0; i < value_item_slots(value); i++)
        room[i] =
            is_number(value->items[i]->kind) ? value->items[i] : values_on(values, value->items[i], device, add, drop);
    out.items = value->items ? room : NULL;
    return values_get(values, &out);
}
