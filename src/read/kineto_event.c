/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the text of an event to a record, in one pass: from value to value by
 * phrases learned before (phrase.h), or by the grammar. Each step takes an
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

/* What lies between the quotes of the string at `at`. *plain: as it is written, and ASCII. */
static inline const char *take_string(struct kineto *k, const char *at, str *text, bool *plain)
{
    const char *const start = at + 1;
    const char *end = json_plain(start);
    *plain = *end == '"';
    if (__builtin_expect(!*plain, 0)) {
        end = json_string_end(start, &k->wrong);
        if (!end)
            return NULL;
        *text = json_decode(&k->scratch, (str){start, (size_t)(end - start)});
        return end + 1;
    }
    *text = (str){start, (size_t)(end - start)};
    return end + 1;
}

/* Over a value that nobody wants. */
static const char *skip(struct kineto *k, const char *at)
{
    if (json_is_digit(*at)) {
        const char *const end = json_integer_end(at);
        if (end)
            return end;
    }
    return json_value_end(at, &k->wrong);
}

/* No number: perhaps a string that holds one. *held: it was one, and an int64 can hold it. */
static const char *take_quoted_number(struct kineto *k, const char *at, int decimals, int64_t *value, bool *held)
{
    const char *const behind = skip(k, at);
    const char *ignored;
    *held = behind && *at == '"' && json_fixed(at + 1, decimals, value, &ignored) == behind - 1 && *value != JSON_FAR;
    return behind;
}

static inline const char *take_number(struct kineto *k, const char *at, int decimals, int64_t *value, bool *held)
{
    if (!json_is_digit(*at) && *at != '-')
        return take_quoted_number(k, at, decimals, value, held);
    *value = JSON_FAR;
    at = json_fixed(at, decimals, value, &k->wrong);
    *held = *value != JSON_FAR;
    k->record.far |= !*held;
    return at;
}

static inline void mark(struct record *record, enum take take, bool held)
{
    record->seen |= (uint32_t)held << take;
}

static inline const char *take_time(struct kineto *k, const char *at, enum take take, int64_t *value)
{
    bool held;
    at = take_number(k, at, 3, value, &held);
    mark(&k->record, take, held);
    return at;
}

/* A decimal number in quotes is a number. */
static const char *read_place(struct kineto *k, const char *at, struct place *place, bool *held)
{
    *held = true;
    place->text = 0;
    if (*at != '"')
        return take_number(k, at, 0, &place->number, held);
    str text;
    bool plain;
    at = take_string(k, at, &text, &plain);
    if (at && !str_int(text, &place->number))
        place->text = intern_id(k->names, text);
    return at;
}

static const char *take_place(struct kineto *k, const char *at, enum take take, struct place *place)
{
    bool held;
    at = read_place(k, at, place, &held);
    if (!held)
        *place = (struct place){0};
    mark(&k->record, take, held);
    return at;
}

/* A text; of another kind of value what is written, and nothing of null. */
static const char *take_text(struct kineto *k, const char *at, str *text, bool *plain)
{
    if (*at == '"')
        return take_string(k, at, text, plain);
    const char *const end = skip(k, at);
    *text = end && *at != 'n' ? (str){at, (size_t)(end - at)} : (str){0};
    *plain = false;
    return end;
}

/* A text as an id of the names, guessed where that can be. */
static const char *take_interned(struct kineto *k, const char *at, uint64_t context, uint32_t *id)
{
    struct guess_set *const set = guess_in(&k->guesses, context);
    const struct guess *guess = *at == '"' ? guess_find(set, GUESS_STRING, at + 1, k->end) : NULL;
    if (guess) {
        *id = guess->id;
        return at + guess->length + 2;
    }
    str text;
    bool plain;
    at = take_text(k, at, &text, &plain);
    if (!at)
        return NULL;
    *id = intern_id(k->names, text);
    if (plain)
        guess_add(set, GUESS_STRING, intern_text(k->names, *id), *id);
    return at;
}

/*
 * Where the array ends, and its id; to be guessed from now on. Its brackets tell where it would end if it were one;
 * where that text is interned it was read by the grammar before.
 */
static __attribute__((noinline)) const char *array_end(struct kineto *k, const char *at, struct guess_set *set,
                                                       uint32_t *id)
{
    const char *end = json_balanced_end(at);
    if (!end || !intern_find(k->names, (str){at, (size_t)(end - at)}, id)) {
        end = json_value_end(at, &k->wrong);
        if (!end)
            return NULL;
        *id = intern_id(k->names, (str){at, (size_t)(end - at)});
    }
    guess_add(set, GUESS_ARRAY, intern_text(k->names, *id), *id);
    return end;
}

/* An array or object as it is written, as an id of the names, guessed where that can be. */
static const char *take_written(struct kineto *k, const char *at, uint64_t context, uint32_t *id)
{
    struct guess_set *const set = guess_in(&k->guesses, context);
    const struct guess *guess = guess_find(set, GUESS_ARRAY, at, k->end);
    if (!guess)
        return array_end(k, at, set, id);
    *id = guess->id;
    return at + guess->length;
}

/*
 * A text of args is guessed by its key, the event's name, and what the last event with the key had: what follows what
 * repeats itself. (The record keeps its values until new ones are taken.)
 */
static inline uint64_t text_context(const struct kineto *k, const struct key *key)
{
    const struct event *event = &k->record.event;
    return ((uint64_t)event->name << 8 | key->attr) + (uint64_t)event->attr[key->attr] * 0x9FB21C65000;
}

static const char *take_phase(struct kineto *k, const char *at)
{
    str text;
    bool plain;
    at = take_text(k, at, &text, &plain);
    k->record.phase = at && text.len ? text.at[0] : 0;
    mark(&k->record, TAKE_PHASE, true);
    return at;
}

static const char *take_category(struct kineto *k, const char *at)
{
    str text;
    bool plain;
    at = take_text(k, at, &text, &plain);
    if (at && text.len)
        k->record.category = kineto_category(text);
    mark(&k->record, TAKE_CATEGORY, at && text.len);
    return at;
}

/* Flows are joined by ids that are numbers or texts. */
static const char *take_id(struct kineto *k, const char *at)
{
    struct place id;
    bool held;
    at = read_place(k, at, &id, &held);
    k->record.id_text = id.text != 0;
    k->record.id = id.text ? INT64_MIN + id.text : id.number;
    mark(&k->record, TAKE_ID, held);
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

static const char *take_attribute_text(struct kineto *k, const char *at, const struct key *key)
{
    uint32_t id = 0;
    at = take_interned(k, at, text_context(k, key), &id);
    if (at && id)
        event_set(&k->record.event, key->attr, id);
    return at;
}

static const char *take_raw(struct kineto *k, const char *at, const struct key *key)
{
    if (*at != '[' && *at != '{')
        return take_attribute_text(k, at, key);
    uint32_t id = 0;
    at = take_written(k, at, text_context(k, key), &id);
    if (at)
        event_set(&k->record.event, key->attr, id);
    return at;
}

static const char *take_whole(struct kineto *k, const char *at, enum take take, int64_t *value)
{
    bool held;
    at = take_number(k, at, 0, value, &held);
    mark(&k->record, take, held);
    return at;
}

static const char *take_name(struct kineto *k, const char *at)
{
    struct event *const event = &k->record.event;
    at = take_interned(k, at, k->name_context, &event->name);
    k->name_context = k->name_context << 10 ^ (uint64_t)event->name * 0x9FB21C65;
    mark(&k->record, TAKE_NAME, true);
    return at;
}

static const char *take_label(struct kineto *k, const char *at)
{
    bool plain;
    return take_text(k, at, &k->record.label, &plain);
}

/* The value at `at`, as the key wants it. */
static inline const char *take(struct kineto *k, const char *at, const struct key *key)
{
    struct record *const r = &k->record;
    switch (key->take) {
    case TAKE_PHASE:
        return take_phase(k, at);
    case TAKE_CATEGORY:
        return take_category(k, at);
    case TAKE_NOTHING:
        return skip(k, at);
    case TAKE_NAME:
        return take_name(k, at);
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
    case TAKE_DEVICE:
        return take_whole(k, at, TAKE_DEVICE, &r->device);
    case TAKE_STREAM:
        return take_whole(k, at, TAKE_STREAM, &r->stream);
    case TAKE_LABEL:
        return take_label(k, at);
    case TAKE_INTEGER:
        return take_integer(k, at, 0, key->attr);
    case TAKE_THOUSANDTH:
        return take_integer(k, at, 3, key->attr);
    case TAKE_TEXT:
        return take_attribute_text(k, at, key);
    case TAKE_RAW:
        return take_raw(k, at, key);
    case TAKE_ARGS: /* it is no object: next_value goes into those */
    case TAKE_END:
        break;
    }
    return skip(k, at);
}

/* ---- from value to value, by the grammar ---- */

/* Where in an event the text stands. */
struct spot {
    bool in_args;
    bool first; /* no member of the object has been read */
    bool again; /* a key of the event came that had come before */
};

static const struct key event_end = {{NULL, 0}, TAKE_END, 0};

/* Behind the colon that follows the key at `at`. */
static const char *take_key(struct kineto *k, const char *at, str *key)
{
    if (*at != '"')
        return stop(k, at);
    bool plain;
    at = take_string(k, at, key, &plain);
    if (!at)
        return NULL;
    at = json_blank(at);
    return *at == ':' ? json_blank(at + 1) : stop(k, at);
}

static bool came_before(const struct record *r, const struct key *key)
{
    return key->take < TAKE_INTEGER ? record_has(r, key->take) : r->event.has >> key->attr & 1;
}

/* From behind a value to the next one, into args and out of it, or to the event's end. */
static const char *next_value(struct kineto *k, const char *at, struct spot *spot, const struct key **key)
{
    for (;;) {
        at = json_blank(at);
        if (*at == '}') {
            at++;
            if (!spot->in_args) {
                *key = &event_end;
                return at;
            }
            spot->in_args = spot->first = false;
            continue;
        }
        if (!spot->first && *at != ',')
            return stop(k, at);
        str text;
        at = take_key(k, spot->first ? at : json_blank(at + 1), &text);
        if (!at)
            return NULL;
        *key = spot->in_args ? kineto_args_key(text) : kineto_event_key(text);
        spot->first = false;
        spot->again |= came_before(&k->record, *key);
        if ((*key)->take != TAKE_ARGS || *at != '{')
            return at;
        spot->in_args = spot->first = true;
        at++;
    }
}

/* ---- an event ---- */

static void clear(struct kineto *k)
{
    enum { SCRATCH_KEPT = 64 << 10 };
    if (k->scratch.bytes > SCRATCH_KEPT)
        arena_free(&k->scratch);
    struct record *const r = &k->record;
    r->phase = 0;
    r->seen = 0;
    r->twice = r->far = r->id_text = false;
    r->category = NULL;
    r->process = r->thread = (struct place){0};
    r->label = (str){0};
    r->event.name = 0;
    r->event.has = 0;
}

/* These take few values, which are part of phrases. */
static bool takes_few(const struct key *key)
{
    return key->take == TAKE_PHASE || key->take == TAKE_CATEGORY || key->take == TAKE_PROCESS ||
           key->take == TAKE_THREAD;
}

/* Keeps what stands from `start` to a value as a phrase. Returns what the next one hangs on. */
static struct phrase *learn(struct kineto *k, struct phrase *before, const char *start, const char *value,
                            const struct key *key, uint32_t holds, struct spot spot)
{
    const struct record *r = &k->record;
    const struct phrase what = {.key = key,
                                .in_args = spot.in_args,
                                .again = spot.again,
                                .holds = holds,
                                .phase = r->phase,
                                .category = r->category,
                                .process = r->process,
                                .thread = r->thread};
    struct phrase *phrase = phrase_learn(&k->phrases, before, &what, (str){start, (size_t)(value - start)});
    return phrase ? phrase->kin : &k->phrases.roots[spot.in_args];
}

/*
 * No phrase may be the beginning of another one. Args that are no object would give one, and so would the end of the
 * window, behind which they may turn out to be an object. Nor does a phrase tell of a number that was too far.
 */
static bool may_learn(const struct record *record, const char *value, const struct key *key)
{
    return !record->far && (key->take == TAKE_END || (key->take != TAKE_ARGS && *value));
}

/*
 * From behind a value to the next one that is not part of a phrase, where no known phrase leads; *key is its key.
 * A phrase that gets long ends before the next value all the same.
 */
static const char *unknown_phrase(struct kineto *k, const char *const start, struct phrase **here,
                                  const struct key **key)
{
    enum { LONG = PHRASE_BYTES / 2 };
    struct spot spot = {(*here)->in_args, *here == &k->phrases.start, false};
    uint32_t holds = 0;
    const char *value = next_value(k, start, &spot, key);
    while (value && takes_few(*key) && value - start < LONG) {
        value = take(k, value, *key);
        holds |= k->record.seen & 1u << (*key)->take;
        value = value ? next_value(k, value, &spot, key) : NULL;
    }
    if (!value)
        return NULL;
    k->record.twice |= spot.again;
    *here = may_learn(&k->record, value, *key) ? learn(k, *here, start, value, *key, holds, spot)
                                               : &k->phrases.roots[spot.in_args];
    return value;
}

static void take_held(struct record *r, const struct phrase *phrase)
{
    const uint32_t holds = phrase->holds;
    r->twice |= phrase->again;
    r->seen |= holds;
    if (holds >> TAKE_PHASE & 1)
        r->phase = phrase->phase;
    if (holds >> TAKE_CATEGORY & 1)
        r->category = phrase->category;
    if (holds >> TAKE_PROCESS & 1)
        r->process = phrase->process;
    if (holds >> TAKE_THREAD & 1)
        r->thread = phrase->thread;
}

const char *kineto_event(struct kineto *k, const char *at, const char *end)
{
    clear(k);
    k->end = end;
    struct phrase *here = &k->phrases.start;
    for (at++; at;) {
        const struct key *key;
        const struct phrase *const phrase = phrase_match(here, at);
        if (phrase) {
            here = phrase->kin;
            key = phrase->key;
            at += phrase->length;
            if (!phrase->plain)
                take_held(&k->record, phrase);
            if (__builtin_expect((unsigned char)*at <= ' ', 0))
                at = json_blank(at);
        } else {
            at = unknown_phrase(k, at, &here, &key);
        }
        if (!at || key->take == TAKE_END)
            break;
        at = take(k, at, key);
    }
    return at;
}
