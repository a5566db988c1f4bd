/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as JSON. The fast scans agree with their slow twins; what the
 * grammar accepts the cursor can walk, and what repairing gives the grammar
 * accepts.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "text/json.h"
#include "text/json_repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void twins_agree(const char *text, size_t size)
{
    for (size_t i = 0; i <= size; i++) {
        must(json_plain(text + i) == json_plain_scalar(text + i));
        must(json_mark(text + i) == json_mark_scalar(text + i));
    }
}

/* The usual number read the short way is what the long way reads. */
static void numbers_agree(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char *wrong_a = NULL, *wrong_b = NULL;
        int64_t a = 0, b = 0;
        const char *const end = json_fixed(text + i, 3, &a, &wrong_a);
        must(end == json_fixed_slow(text + i, 3, &b, &wrong_b) && a == b && wrong_a == wrong_b);
    }
}

static void walk(struct json *json)
{
    str text;
    double number;
    const char first = json_peek(json);
    if (first == '{' && json_enter(json)) {
        while (json_key(json, &text))
            json_skip(json);
    } else if (first == '[' && json_enter(json)) {
        while (json_item(json))
            json_skip(json);
    } else if (first == '"') {
        json_string(json, &text);
    } else if (first == '-' || json_is_digit(first)) {
        json_real(json, &number);
    } else {
        json_skip(json);
    }
}

static void accepted_text_can_be_walked(const char *text, struct arena *arena)
{
    const char *wrong = NULL;
    const char *const end = json_value_end(text, &wrong);
    struct json json = json_at(text, arena);
    walk(&json);
    must(!end || (!json.failed && json.at == end));
}

static void repaired_text_is_accepted(const char *text, size_t size, bool member)
{
    struct json_repair repair = {0};
    const char *wrong = NULL;
    const char *const end = json_repair(text, text + size, member, &repair, &wrong);
    must(end ? end >= text && end <= text + size : wrong >= text && wrong <= text + size);
    if (end && (member || *text == '{' || *text == '['))
        must(json_value_end(repair.text.at, &wrong) == repair.text.at + repair.text.len);
    buf_free(&repair.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { LONGEST = 4096 };
    if (size > LONGEST)
        return 0;
    struct arena arena = {0};
    char *text = mem_zeroed(size + JSON_PAD);
    if (size)
        memcpy(text, bytes, size);
    twins_agree(text, size);
    numbers_agree(text, size);
    accepted_text_can_be_walked(text, &arena);
    repaired_text_is_accepted(text, size, false);
    repaired_text_is_accepted(text, size, true);
    mem_free(text);
    arena_free(&arena);
    return 0;
}
