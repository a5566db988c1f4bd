/* SPDX-License-Identifier: Apache-2.0 */
/* Dicts are told by their keys: a frame, an entry of the history, a block, a segment, a mark, the whole. */
#include "machine.h"

enum key {
    KEY_NONE, /* the text without bytes, which is id 0 of each table */
    KEY_NAME,
    KEY_FILENAME,
    KEY_LINE,
    KEY_FRAMES,
    KEY_ACTION,
    KEY_ADDR,
    KEY_SIZE,
    KEY_TIME,
    KEY_DEVICE_FREE,
    KEY_STATE,
    KEY_REQUESTED,
    KEY_ADDRESS,
    KEY_HISTORY,
    KEY_REAL_SIZE,
    KEY_TOTAL_SIZE,
    KEY_DEVICE,
    KEY_STREAM,
    KEY_SEGMENT_TYPE,
    KEY_POOL,
    KEY_EXPANDABLE,
    KEY_BLOCKS,
    KEY_STAGE,
    KEY_ROLE,
    KEY_SEGMENTS,
    KEY_TRACES,
    KEYS,
};

static const char *const key_words[KEYS] = {
    [KEY_NONE] = "",
    [KEY_NAME] = "name",
    [KEY_FILENAME] = "filename",
    [KEY_LINE] = "line",
    [KEY_FRAMES] = "frames",
    [KEY_ACTION] = "action",
    [KEY_ADDR] = "addr",
    [KEY_SIZE] = "size",
    [KEY_TIME] = "time_us",
    [KEY_DEVICE_FREE] = "device_free",
    [KEY_STATE] = "state",
    [KEY_REQUESTED] = "requested_size",
    [KEY_ADDRESS] = "address",
    [KEY_HISTORY] = "history",
    [KEY_REAL_SIZE] = "real_size",
    [KEY_TOTAL_SIZE] = "total_size",
    [KEY_DEVICE] = "device",
    [KEY_STREAM] = "stream",
    [KEY_SEGMENT_TYPE] = "segment_type",
    [KEY_POOL] = "segment_pool_id",
    [KEY_EXPANDABLE] = "is_expandable",
    [KEY_BLOCKS] = "blocks",
    [KEY_STAGE] = "stage",
    [KEY_ROLE] = "role",
    [KEY_SEGMENTS] = "segments",
    [KEY_TRACES] = "device_traces",
};

void shapes_begin(struct machine *m)
{
    for (uint32_t i = 0; i < KEYS; i++)
        intern_id(m->log->names, str_of(key_words[i]));
}

bool shape_is_traces(struct value key)
{
    return key.kind == VALUE_TEXT && key.number == KEY_TRACES;
}

struct dict {
    struct machine *m;
    uint32_t has;
    struct value of[KEYS];
};

static bool has(const struct dict *dict, enum key key)
{
    return dict->has >> key & 1;
}

/* ---- members ---- */

static bool number_of(const struct dict *dict, enum key key, int64_t least, int64_t most, int64_t *value)
{
    if (!has(dict, key))
        return true;
    const struct value *of = &dict->of[key];
    if (of->kind != VALUE_INT || of->number < least || of->number > most)
        return refuse(dict->m, "'%s' is no number that it could be", key_words[key]);
    *value = of->number;
    return true;
}

static bool size_of(const struct dict *dict, enum key key, int64_t *value)
{
    return number_of(dict, key, 0, MEMORY_MOST_BYTES, value);
}

static bool address_of(const struct dict *dict, enum key key, int64_t *value)
{
    return number_of(dict, key, INT64_MIN, INT64_MAX, value);
}

static uint8_t stream_of(const struct dict *dict)
{
    return has(dict, KEY_STREAM) && dict->of[KEY_STREAM].kind == VALUE_INT
               ? memory_log_stream(dict->m->log, dict->of[KEY_STREAM].number)
               : MEMORY_ANY_STREAM;
}

static uint32_t text_of(const struct dict *dict, enum key key)
{
    return has(dict, key) && dict->of[key].kind == VALUE_TEXT ? (uint32_t)dict->of[key].number : 0;
}

static str word_of(const struct dict *dict, enum key key)
{
    return intern_text(dict->m->log->names, text_of(dict, key));
}

static bool time_of(const struct dict *dict, int64_t *time_ns)
{
    int64_t time_us = -1;
    if (!number_of(dict, KEY_TIME, INT64_MIN, INT64_MAX, &time_us))
        return false;
    *time_ns = time_us >= 0 && time_us < INT64_MAX / 1000 ? time_us * 1000 : -1;
    return true;
}

static bool context_of(const struct dict *dict, uint32_t *context)
{
    for (enum key key = KEY_FRAMES;; key = KEY_HISTORY) {
        if (has(dict, key) && dict->of[key].kind != VALUE_STACK && dict->of[key].kind != VALUE_PLAIN)
            return refuse(dict->m, "'%s' is no list of frames", key_words[key]);
        if (has(dict, key) && dict->of[key].kind == VALUE_STACK && dict->of[key].number)
            *context = (uint32_t)dict->of[key].number;
        if (key == KEY_HISTORY)
            return true;
    }
}

/* ---- rows ---- */

static bool room_for(struct machine *m, size_t rows)
{
    return rows < MOST_ROWS || refuse(m, "more than %d entries of a kind", MOST_ROWS);
}

static enum memory_action action_of(str word)
{
    static const char *const words[] = {
        [MEMORY_ALLOC] = "alloc",
        [MEMORY_FREE] = "free_requested",
        [MEMORY_FREED] = "free_completed",
        [MEMORY_SEGMENT] = "segment_alloc",
        [MEMORY_UNSEGMENT] = "segment_free",
        [MEMORY_MAP] = "segment_map",
        [MEMORY_UNMAP] = "segment_unmap",
        [MEMORY_OOM] = "oom",
    };
    for (int i = 0; i < MEMORY_OTHER; i++)
        if (str_eq(word, str_of(words[i])))
            return (enum memory_action)i;
    return MEMORY_OTHER;
}

static bool frame(const struct dict *dict, struct value *is)
{
    struct machine *m = dict->m;
    int64_t line = 0;
    if (!number_of(dict, KEY_LINE, INT64_MIN, INT64_MAX, &line) || !room_for(m, m->log->frame_count))
        return false;
    *is = (struct value){memory_log_frame(m->log, text_of(dict, KEY_NAME), text_of(dict, KEY_FILENAME), line),
                         VALUE_FRAME};
    return true;
}

static bool event(const struct dict *dict, struct value *is)
{
    struct machine *m = dict->m;
    struct memory_event event = {.action = action_of(word_of(dict, KEY_ACTION)), .stream = stream_of(dict)};
    const enum key address = event.action == MEMORY_OOM && has(dict, KEY_DEVICE_FREE) ? KEY_DEVICE_FREE : KEY_ADDR;
    if (!address_of(dict, address, &event.address) || !size_of(dict, KEY_SIZE, &event.bytes) ||
        !time_of(dict, &event.time_ns) || !context_of(dict, &event.context) || !room_for(m, m->log->event_count))
        return false;
    *is = (struct value){(int64_t)m->log->event_count, VALUE_EVENT};
    *memory_log_event(m->log) = event;
    return true;
}

static bool block(const struct dict *dict, struct value *is)
{
    struct machine *m = dict->m;
    const str state = word_of(dict, KEY_STATE);
    struct memory_block block = {.address = INT64_MIN};
    if (!size_of(dict, KEY_SIZE, &block.bytes))
        return false;
    block.requested = block.bytes;
    block.state = str_eq(state, S("active_allocated")) ? MEMORY_ACTIVE
                  : str_eq(state, S("inactive"))       ? MEMORY_INACTIVE
                                                       : MEMORY_AWAITING;
    if (!size_of(dict, KEY_REQUESTED, &block.requested) || !address_of(dict, KEY_ADDRESS, &block.address) ||
        !context_of(dict, &block.context) || !room_for(m, m->log->block_count))
        return false;
    *is = (struct value){(int64_t)m->log->block_count, VALUE_BLOCK};
    *memory_log_block(m->log) = block;
    return true;
}

static bool segment(const struct dict *dict, struct value *is)
{
    struct machine *m = dict->m;
    struct memory_segment segment = {.small = str_eq(word_of(dict, KEY_SEGMENT_TYPE), S("small")),
                                     .stream = stream_of(dict)};
    int64_t device = 0;
    if (!address_of(dict, KEY_ADDRESS, &segment.address) || !size_of(dict, KEY_TOTAL_SIZE, &segment.bytes) ||
        !number_of(dict, KEY_DEVICE, 0, MOST_DEVICES - 1, &device) || !room_for(m, m->log->segment_count))
        return false;
    segment.device = (uint16_t)device;
    segment.grows = has(dict, KEY_EXPANDABLE) && dict->of[KEY_EXPANDABLE].number == 1;
    segment.private = has(dict, KEY_POOL) && dict->of[KEY_POOL].kind == VALUE_OTHER && dict->of[KEY_POOL].number;
    if (has(dict, KEY_BLOCKS) && dict->of[KEY_BLOCKS].kind == VALUE_BLOCKS) {
        segment.first_block = range_first(dict->of[KEY_BLOCKS].number);
        segment.blocks = range_count(dict->of[KEY_BLOCKS].number);
    }
    *is = (struct value){(int64_t)m->log->segment_count, VALUE_SEGMENT};
    *memory_log_segment(m->log) = segment;
    return true;
}

static bool mark(const struct dict *dict, struct value *is)
{
    struct machine *m = dict->m;
    struct memory_mark mark = {.name = text_of(dict, KEY_NAME), .end = str_eq(word_of(dict, KEY_STAGE), S("END"))};
    if (!time_of(dict, &mark.time_ns) || !room_for(m, m->log->mark_count))
        return false;
    *is = (struct value){(int64_t)m->log->mark_count, VALUE_MARK};
    memory_log_mark(m->log, mark);
    return true;
}

static bool owner(const struct dict *dict, struct value *is)
{
    struct machine *m = dict->m;
    const str role = word_of(dict, KEY_ROLE);
    struct memory_owner owner = {.name = text_of(dict, KEY_NAME)};
    owner.role = str_eq(role, S("parameter"))   ? MEMORY_PARAMETER
                 : str_eq(role, S("optimizer")) ? MEMORY_OPTIMIZER
                 : str_eq(role, S("gradient"))  ? MEMORY_GRADIENT
                                                : MEMORY_NO_ROLE;
    if (!address_of(dict, KEY_ADDR, &owner.address) || !room_for(m, m->log->owner_count))
        return false;
    *is = (struct value){(int64_t)m->log->owner_count, VALUE_OWNER};
    memory_log_owner(m->log, owner);
    return true;
}

/* What a dict is; VALUE_OTHER: something of which nobody asks. */
static bool become(const struct dict *dict, struct value *is)
{
    if (has(dict, KEY_ACTION))
        return event(dict, is);
    if (has(dict, KEY_FILENAME))
        return frame(dict, is);
    if (has(dict, KEY_TOTAL_SIZE))
        return segment(dict, is);
    if (has(dict, KEY_STATE))
        return block(dict, is);
    if (has(dict, KEY_STAGE))
        return mark(dict, is);
    if (has(dict, KEY_ROLE))
        return owner(dict, is);
    if (has(dict,
            KEY_REAL_SIZE)) { /* what happened to a block, in snapshots before 2.1: only where it came from counts */
        uint32_t context = 0;
        const bool good = context_of(dict, &context);
        *is = (struct value){context, context ? VALUE_STACK : VALUE_OTHER};
        return good;
    }
    dict->m->is_snapshot |= has(dict, KEY_SEGMENTS) || has(dict, KEY_TRACES);
    return true;
}

bool dict_add(struct machine *m, uint32_t slot, const struct value *pairs, size_t count)
{
    struct dict dict = {.m = m};
    if (count % 2)
        return refuse(m, "a dict has a key without a value");
    if (m->slots[slot].used)
        return refuse(m, "a dict changes after it was put into another value");
    for (size_t i = 0; i < count; i += 2) {
        if (pairs[i + 1].kind == VALUE_OPEN && pairs[i + 1].number == slot)
            return refuse(m, "a dict holds itself");
        const struct value key = settle(m, pairs[i]), value = settle(m, pairs[i + 1]);
        if (key.kind != VALUE_TEXT || key.number >= KEYS)
            continue;
        dict.of[key.number] = value; /* of a key that comes twice the last value counts, as in Python */
        dict.has |= 1u << key.number;
    }
    struct value is = {0, VALUE_OTHER};
    if (!become(&dict, &is))
        return false;
    if (is.kind != VALUE_OTHER) {
        m->slots[slot].is = is;
        m->slots[slot].used = true;
    }
    return true;
}
