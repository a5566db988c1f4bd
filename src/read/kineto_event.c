/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the text of an event to a record, in one pass. Each step takes an
 * address and gives the address behind what it read; NULL says that k->wrong is
 * no JSON, or the end of the window.
 */
#include "kineto.h"

#include "text/json.h"

static const char *stop(struct kineto *k, const char *at)
{
    k->wrong = at;
    return NULL;
}

/* What lies between the quotes of the string at `at`. */
static const char *take_string(struct kineto *k, const char *at, str *text)
{
    const char *const start = at + 1;
    const char *end = json_plain(start);
    if (__builtin_expect(*end != '"', 0)) {
        end = json_string_end(start, &k->wrong);
        if (!end)
            return NULL;
        *text = json_decode(&k->scratch, (str){start, (size_t)(end - start)});
        return end + 1;
    }
    *text = (str){start, (size_t)(end - start)};
    return end + 1;
}

static const char *skip(struct kineto *k, const char *at)
{
    return json_value_end(at, &k->wrong);
}

/* A number, or a string that holds one. *held: it was one, and an int64 can hold it. */
static const char *take_number(struct kineto *k, const char *at, int decimals, int64_t *value, bool *held)
{
    *held = true;
    if (json_is_digit(*at) || *at == '-') {
        at = json_fixed(at, decimals, value, &k->wrong);
        k->record.far |= at && *value == JSON_FAR;
        *held = *value != JSON_FAR;
        return at;
    }
    const char *const behind = skip(k, at);
    const char *ignored;
    *held = behind && *at == '"' && json_fixed(at + 1, decimals, value, &ignored) == behind - 1 && *value != JSON_FAR;
    return behind;
}

static void mark(struct record *record, enum take take, bool held)
{
    const uint32_t bit = (uint32_t)held << take;
    record->twice |= (record->seen & bit) != 0;
    record->seen |= bit;
}

static const char *take_time(struct kineto *k, const char *at, enum take take, int64_t *value)
{
    bool held;
    at = take_number(k, at, 3, value, &held);
    mark(&k->record, take, held);
    return at;
}

/* A decimal number in quotes is a number. */
static const char *take_place(struct kineto *k, const char *at, enum take take, struct place *place)
{
    bool held = true;
    place->text = 0;
    if (*at == '"') {
        str text;
        at = take_string(k, at, &text);
        if (at && !str_int(text, &place->number))
            place->text = intern_id(k->names, text);
    } else {
        at = take_number(k, at, 0, &place->number, &held);
    }
    mark(&k->record, take, held);
    return at;
}

static const char *take_text(struct kineto *k, const char *at, str *text)
{
    if (*at == '"')
        return take_string(k, at, text);
    const char *const end = skip(k, at);
    *text = end && *at != 'n' ? (str){at, (size_t)(end - at)} : (str){0};
    return end;
}

static const char *take_phase(struct kineto *k, const char *at)
{
    str text;
    at = take_text(k, at, &text);
    k->record.phase = at && text.len ? text.at[0] : 0;
    mark(&k->record, TAKE_PHASE, true);
    return at;
}

static const char *take_category(struct kineto *k, const char *at)
{
    str text;
    at = take_text(k, at, &text);
    if (at && text.len)
        k->record.category = kineto_category(text);
    mark(&k->record, TAKE_CATEGORY, at && text.len);
    return at;
}

/* Flows are joined by ids that are numbers or texts. */
static const char *take_id(struct kineto *k, const char *at)
{
    struct place id = {0};
    at = take_place(k, at, TAKE_ID, &id);
    k->record.id = id.text ? INT64_MIN + id.text : id.number;
    return at;
}

static const char *take_integer(struct kineto *k, const char *at, int decimals, enum attr attr)
{
    int64_t value;
    bool held;
    at = take_number(k, at, decimals, &value, &held);
    if (held)
        event_set(&k->record.event, attr, value);
    return at;
}

static void set_text(struct kineto *k, enum attr attr, str text)
{
    if (text.len)
        event_set(&k->record.event, attr, intern_id(k->names, text));
}

static const char *take_attribute_text(struct kineto *k, const char *at, enum attr attr)
{
    str text;
    at = take_text(k, at, &text);
    if (at)
        set_text(k, attr, text);
    return at;
}

static const char *take_raw(struct kineto *k, const char *at, enum attr attr)
{
    const char *const end = skip(k, at);
    if (end && *at != 'n')
        set_text(k, attr, (str){at, (size_t)(end - at)});
    return end;
}

static const char *take_stream(struct kineto *k, const char *at)
{
    bool held;
    at = take_number(k, at, 0, &k->record.stream, &held);
    mark(&k->record, TAKE_STREAM, held);
    return at;
}

static const char *take_name(struct kineto *k, const char *at, enum take take, str *text)
{
    at = take_text(k, at, text);
    mark(&k->record, take, true);
    return at;
}

static const char *members(struct kineto *k, const char *at, const struct key *(*key_of)(str));

static const char *take(struct kineto *k, const char *at, const struct key *key)
{
    struct record *const r = &k->record;
    switch (key->take) {
    case TAKE_NOTHING:
        return skip(k, at);
    case TAKE_PHASE:
        return take_phase(k, at);
    case TAKE_CATEGORY:
        return take_category(k, at);
    case TAKE_NAME:
        return take_name(k, at, TAKE_NAME, &r->name);
    case TAKE_PROCESS:
        return take_place(k, at, TAKE_PROCESS, &r->process);
    case TAKE_THREAD:
        return take_place(k, at, TAKE_THREAD, &r->thread);
    case TAKE_START:
        return take_time(k, at, TAKE_START, &r->start_ns);
    case TAKE_DURATION:
        return take_time(k, at, TAKE_DURATION, &r->dur_ns);
    case TAKE_THREAD_DURATION:
        return take_time(k, at, TAKE_THREAD_DURATION, &r->thread_dur_ns);
    case TAKE_ID:
        return take_id(k, at);
    case TAKE_ARGS:
        return *at == '{' ? members(k, at, kineto_args_key) : skip(k, at);
    case TAKE_STREAM:
        return take_stream(k, at);
    case TAKE_LABEL:
        return take_name(k, at, TAKE_LABEL, &r->label);
    case TAKE_INTEGER:
        return take_integer(k, at, 0, key->attr);
    case TAKE_THOUSANDTH:
        return take_integer(k, at, 3, key->attr);
    case TAKE_TEXT:
        return take_attribute_text(k, at, key->attr);
    case TAKE_RAW:
        return take_raw(k, at, key->attr);
    }
    return skip(k, at);
}

/* A key and its value. */
static const char *member(struct kineto *k, const char *at, const struct key *(*key_of)(str))
{
    if (*at != '"')
        return stop(k, at);
    str text;
    at = take_string(k, at, &text);
    if (!at)
        return NULL;
    at = json_blank(at);
    if (*at != ':')
        return stop(k, at);
    return take(k, json_blank(at + 1), key_of(text));
}

/* The members of the object at `at`. */
static const char *members(struct kineto *k, const char *at, const struct key *(*key_of)(str))
{
    at = json_blank(at + 1);
    if (*at == '}')
        return at + 1;
    for (;;) {
        at = member(k, at, key_of);
        if (!at)
            return NULL;
        at = json_blank(at);
        if (*at != ',')
            return *at == '}' ? at + 1 : stop(k, at);
        at = json_blank(at + 1);
    }
}

const char *kineto_event(struct kineto *k, const char *at)
{
    enum { SCRATCH_KEPT = 64 << 10 };
    if (k->scratch.bytes > SCRATCH_KEPT)
        arena_free(&k->scratch);
    struct record *const r = &k->record;
    r->phase = 0;
    r->seen = 0;
    r->twice = r->far = false;
    r->category = NULL;
    r->name = r->label = (str){0};
    r->event.has = 0;
    return members(k, at, kineto_event_key);
}
