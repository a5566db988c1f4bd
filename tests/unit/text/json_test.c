/* SPDX-License-Identifier: Apache-2.0 */
/* Reading JSON: scans, numbers, values, the cursor, the window, and repair. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "unit/cmocka_first.h"
#include "text/json.h"
#include "text/json_repair.h"
#include "text/json_window.h"

/* The text with the padding that the scans want. One at a time. */
static const char *padded(const char *text)
{
    static char room[8192];
    memset(room, 0, sizeof room);
    assert_true(strlen(text) + JSON_PAD < sizeof room);
    return strcpy(room, text);
}

/* ---- scans ---- */

static void the_fast_scans_agree_with_the_slow_ones(void **state)
{
    enum { BYTES = 5000 };
    char *text = mem_zeroed(BYTES + JSON_PAD);
    static const char some[] = "aaaaaaaaaaaaaaaaaaaaaaaa0 ,:\"\\[]{}\x01\n\x7f\x80\xff";
    srand(7);
    for (int i = 0; i < BYTES; i++)
        text[i] = some[(size_t)rand() % (sizeof some - 1)];
    for (int i = 0; i < BYTES; i++) {
        assert_ptr_equal(json_plain(text + i), json_plain_scalar(text + i));
        assert_ptr_equal(json_mark(text + i), json_mark_scalar(text + i));
    }
    mem_free(text);
}

static void numbers_are_read_in_fixed_point(void **state)
{
    static const struct {
        const char *text;
        int decimals;
        int64_t value;
    } cases[] = {
        {"0", 3, 0},
        {"7", 0, 7},
        {"-7", 0, -7},
        {"12345678", 0, 12345678},
        {"123456789012", 0, 123456789012},
        {"1669783687464181", 3, 1669783687464181000},
        {"4387655436489.269", 3, 4387655436489269},
        {"0.5", 3, 500},
        {"94.83699999999999", 3, 94837},
        {"16.882000000000005", 3, 16882},
        {"0.0004999", 3, 0},
        {"0.0005", 3, 1},
        {"-0.0005", 3, -1},
        {"1e3", 3, 1000000},
        {"1.5E+2", 3, 150000},
        {"25e-1", 0, 3},
        {"1e-400", 3, 0},
        {"0e999999999", 3, 0},
        {"9223372036854775807", 0, INT64_MAX},
        {"-9223372036854775807", 0, -INT64_MAX},
        {"9223372036854775808", 0, JSON_FAR},
        {"9223372036854775807", 3, JSON_FAR},
        {"1e30", 3, JSON_FAR},
        {"123456789012345678901234567890", 0, JSON_FAR},
        {"0.000000000000000000000000000000000001", 3, 0},
        {"10000000000000000000000e-20", 0, 100},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        const char *wrong, *text = padded(cases[i].text);
        assert_ptr_equal(json_fixed(text, cases[i].decimals, &value, &wrong), text + strlen(text));
        assert_int_equal(value, cases[i].value);
    }
}

static void no_number_is_an_error_at_its_byte(void **state)
{
    static const struct {
        const char *text;
        int wrong;
    } cases[] = {{"", 0}, {"-", 1}, {"x", 0}, {".5", 0}, {"1.", 2}, {"1.x", 2}, {"1e", 2}, {"1e+", 3}, {"-.5", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value;
        const char *wrong = NULL, *text = padded(cases[i].text);
        assert_null(json_fixed(text, 3, &value, &wrong));
        assert_int_equal(wrong - text, cases[i].wrong);
    }
}

static void a_value_ends_where_its_grammar_says(void **state)
{
    static const char *const good[] = {
        "1",
        "-1.5e+3",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a\\\"b\\u00e9\"",
        "[]",
        "{}",
        "[1, [2, {\"a\": []}], \"]\"]",
        "{\"a\": 1, \"b\": {\"c\": [\"}\"]}}",
        "[ ]",
        "{ \"a\" : 1 }",
        "\"\xc3\xa9\"",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const char *wrong, *text = padded(good[i]);
        assert_ptr_equal(json_value_end(text, &wrong), text + strlen(text));
    }
}

static void what_is_no_value_is_wrong_at_its_byte(void **state)
{
    static const struct {
        const char *text;
        int wrong;
    } cases[] = {
        {"", 0},          {"N/A", 0},         {"nul", 3},          {"[1 2]", 3},    {"[1,]", 3},
        {"{\"a\" 1}", 5}, {"{\"a\":1,}", 7},  {"{a:1}", 1},        {"[1}", 2},      {"\"a\nb\"", 2},
        {"\"\\x\"", 2},   {"\"\\u12g4\"", 5}, {"\"\xc3\"", 2},     {"\"\xff\"", 1}, {"\"\xed\xa0\x80\"", 1},
        {"\"abc", 4},     {"[[1]", 4},        {"\"\xc0\xaf\"", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wrong = NULL, *text = padded(cases[i].text);
        assert_null(json_value_end(text, &wrong));
        assert_int_equal(wrong - text, cases[i].wrong);
    }
}

static void depth_costs_no_stack_and_has_an_end(void **state)
{
    enum { DEEP = 1000000 };
    char *text = mem_zeroed(DEEP + JSON_PAD);
    memset(text, '[', DEEP);
    const char *wrong = NULL;
    assert_null(json_value_end(text, &wrong));
    assert_int_equal(wrong - text, JSON_DEPTH);
    memset(text, 0, DEEP);
    memset(text, '[', JSON_DEPTH);
    memset(text + JSON_DEPTH, ']', JSON_DEPTH);
    assert_ptr_equal(json_value_end(text, &wrong), text + 2 * JSON_DEPTH);
    mem_free(text);
}

static void brackets_alone_find_the_end_of_an_array(void **state)
{
    static const char *const arrays[] = {
        "[]",
        "[[64, 3, 7, 7], []]",
        "[\"[\", \"]\", [\"\"]]",
        "[{\"a\": \"}\"}]",
        "[\"a long text that goes past the first block of bytes\", [1, 2, 3], \"and [ another one\", []]",
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s, \"next\": \"]\"", arrays[i]);
        const char *at = padded(text);
        assert_ptr_equal(json_balanced_end(at), at + strlen(arrays[i]));
    }
    assert_null(json_balanced_end(padded("[\"a\\\"]\"]")));
    assert_null(json_balanced_end(padded("[1, 2")));
}

/* ---- the cursor ---- */

static void the_cursor_walks_a_document(void **state)
{
    struct arena arena = {0};
    struct json j = json_of(
        S("{\"name\": \"A100\", \"sms\": 108, \"price\": 1.5, \"on\": true, \"list\": [1, 2], \"o\": {}}"), &arena);
    str key, name = {0}, raw = {0};
    int64_t sms = 0, sum = 0, item;
    double price = 0;
    assert_true(json_enter(&j));
    while (json_key(&j, &key)) {
        if (str_eq(key, S("name")))
            json_string(&j, &name);
        else if (str_eq(key, S("sms")))
            json_int(&j, &sms);
        else if (str_eq(key, S("price")))
            json_real(&j, &price);
        else if (str_eq(key, S("list")))
            for (json_enter(&j); json_item(&j) && json_int(&j, &item);)
                sum += item;
        else
            json_raw(&j, &raw);
    }
    assert_false(j.failed);
    assert_true(str_eq(name, S("A100")) && str_eq(raw, S("{}")));
    assert_int_equal(sms, 108);
    assert_int_equal(sum, 3);
    assert_true(price == 1.5);
    arena_free(&arena);
}

static void the_cursor_fails_once_and_for_all(void **state)
{
    struct arena arena = {0};
    const str text = S("[1, x, 2]");
    struct json j = json_of(text, &arena);
    const char *const start = j.at;
    int64_t item;
    json_enter(&j);
    assert_true(json_item(&j) && json_int(&j, &item));
    assert_true(json_item(&j));
    assert_false(json_int(&j, &item));
    assert_int_equal(j.at - start, 4);
    assert_false(json_item(&j));
    assert_false(json_skip(&j));
    assert_true(j.failed);
    arena_free(&arena);
}

static void escapes_are_decoded(void **state)
{
    struct arena arena = {0};
    static const struct {
        const char *raw, *text;
    } cases[] = {
        {"plain", "plain"},
        {"a\\\"b\\\\c\\/d", "a\"b\\c/d"},
        {"\\b\\f\\n\\r\\t", "\b\f\n\r\t"},
        {"\\u00e9\\u20ac", "\xc3\xa9\xe2\x82\xac"},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
        {"\\ud83d!", "\xef\xbf\xbd!"},
        {"\\ude00", "\xef\xbf\xbd"},
        {"\\ud83d\\u0041", "\xef\xbf\xbd\101"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(str_eq(json_decode(&arena, str_of(cases[i].raw)), str_of(cases[i].text)));
    arena_free(&arena);
}

/* ---- the window ---- */

static void a_window_grows_to_what_is_wanted_and_no_further(void **state)
{
    static char text[1000];
    memset(text, 'x', sizeof text);
    struct source *source = source_of_bytes("memory", text, sizeof text, 10);
    struct json_window window;
    json_window_open(&window, source, 64, NULL);
    while (json_window_more(&window, 200))
        ;
    assert_int_equal(window.end - window.at, 200);
    assert_false(window.ended);
    window.at += 150;
    assert_true(json_window_more(&window, 200));
    assert_int_equal(json_window_offset(&window, window.at), 150);
    json_window_close(&window);
    source_close(source);
}

static void a_value_of_any_length_is_skipped(void **state)
{
    const str text = S("  [\"a ] \\\" ]\", {\"b\": [1, 2, [3]]}, 4] , 5");
    for (size_t chunk = 1; chunk < 12; chunk++) {
        struct source *source = source_of_bytes("memory", text.at, text.len, chunk);
        struct json_window window;
        json_window_open(&window, source, 8, NULL);
        assert_true(json_window_skip(&window));
        assert_int_equal(json_window_peek(&window), ',');
        window.at++;
        assert_true(!json_window_skip(&window)); /* the number ends with the source */
        json_window_close(&window);
        source_close(source);
    }
}

/* ---- repair ---- */

static void repaired(const char *text, const char *expected, unsigned flaws)
{
    struct json_repair repair = {0};
    const char *wrong, *at = padded(text);
    const char *const end = json_repair(at, at + strlen(at), false, &repair, &wrong);
    assert_non_null(end);
    assert_true(str_eq(buf_str(&repair.text), str_of(expected)));
    assert_int_equal(repair.flaws, flaws);
    assert_ptr_equal(json_value_end(repair.text.at, &wrong), repair.text.at + repair.text.len);
    buf_free(&repair.text);
}

static void sound_json_stays_as_it_is(void **state)
{
    repaired("{\"a\":[1,-2.5e3,\"x\\\"y\"],\"b\":{\"c\":null}}", "{\"a\":[1,-2.5e3,\"x\\\"y\"],\"b\":{\"c\":null}}", 0);
}

static void a_quote_that_nothing_fitting_follows_is_text(void **state)
{
    const unsigned flaw = 1u << FLAW_QUOTE;
    repaired("{\"name\": \"a\"b\", \"ts\": 1}", "{\"name\":\"a\\\"b\",\"ts\":1}", flaw);
    repaired("{\"name\": \"f(\"x\", \"y\")\", \"ts\": 1}", "{\"name\":\"f(\\\"x\\\", \\\"y\\\")\",\"ts\":1}", flaw);
    repaired("{\"name\": \"d[\"k\"]\"}", "{\"name\":\"d[\\\"k\\\"]\"}", flaw);
    repaired("{\"name\": \"{\"a\": 1}\", \"ts\": 1}", "{\"name\":\"{\\\"a\\\": 1}\",\"ts\":1}", flaw);
    repaired("{\"a\": [\"x\"y\", \"z\"]}", "{\"a\":[\"x\\\"y\",\"z\"]}", flaw);
}

static void no_string_goes_past_a_key_that_only_structure_has(void **state)
{
    static const str landmarks[] = {S("ts"), {NULL, 0}};
    struct json_repair repair = {.landmarks = landmarks};
    const char *wrong, *text = "{\"name\": \"a, \"ts\": 1}";
    assert_non_null(json_repair(padded(text), padded(text) + strlen(text), false, &repair, &wrong));
    assert_true(str_eq(buf_str(&repair.text), S("{\"name\":\"a\",\"ts\":1}")));
    text = "{\"name\": \"a\" : 4}, {\"ts\": 1}";
    assert_null(json_repair(padded(text), padded(text) + strlen(text), false, &repair, &wrong));
    buf_free(&repair.text);
}

static void a_backslash_that_escapes_nothing_is_text(void **state)
{
    const unsigned flaw = 1u << FLAW_ESCAPE;
    repaired("{\"name\": \"back\\slash\"}", "{\"name\":\"back\\\\slash\"}", flaw);
    repaired("{\"name\": \"C:\\dir\\\", \"ts\": 1}", "{\"name\":\"C:\\\\dir\\\\\",\"ts\":1}", flaw);
    repaired("{\"name\": \"\\u12\"}", "{\"name\":\"\\\\u12\"}", flaw);
}

static void control_characters_and_broken_utf8_are_replaced(void **state)
{
    repaired("{\"a\": \"x\ny\x01\"}", "{\"a\":\"x\\u000ay\\u0001\"}", 1u << FLAW_CONTROL);
    repaired("{\"a\": \"\xff\xc3\xa9\"}", "{\"a\":\"\xef\xbf\xbd\xc3\xa9\"}", 1u << FLAW_UTF8);
}

static void bare_words_become_null(void **state)
{
    const unsigned flaw = 1u << FLAW_WORD;
    repaired("{\"a\": N/A, \"b\": NaN, \"c\": -Infinity}", "{\"a\":null,\"b\":null,\"c\":null}", flaw);
    repaired("{\"a\": , \"b\": 1}", "{\"a\":null,\"b\":1}", flaw);
    repaired("{\"a\": [nan, 1, inf]}", "{\"a\":[null,1,null]}", flaw);
    repaired("{\"a\": True, \"b\": 0x1F}", "{\"a\":null,\"b\":null}", flaw);
}

static void commas_and_brackets_are_set_right(void **state)
{
    repaired("{\"a\": 1,}", "{\"a\":1}", 1u << FLAW_COMMA);
    repaired("{\"a\": [1, 2,], }", "{\"a\":[1,2]}", 1u << FLAW_COMMA);
    repaired("{\"a\": 1,, \"b\": 2}", "{\"a\":1,\"b\":2}", 1u << FLAW_COMMA);
    repaired("{\"a\": \"x\" \"b\": 2}", "{\"a\":\"x\",\"b\":2}", 1u << FLAW_COMMA);
    repaired("{\"a\": [1, 2}", "{\"a\":[1,2]}", 1u << FLAW_BRACKET);
    repaired("{\"a\": {\"b\": 1, {\"ph\": 1}", "{\"a\":{\"b\":1}}", 1u << FLAW_COMMA | 1u << FLAW_BRACKET);
}

static void what_ends_too_early_is_not_repaired(void **state)
{
    static const char *const cut[] = {"{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\": 1", "{\"a\": \"x", "{\"a\": [1, 2"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct json_repair repair = {0};
        const char *wrong = NULL, *at = padded(cut[i]);
        assert_null(json_repair(at, at + strlen(at), false, &repair, &wrong));
        assert_int_equal(wrong - at, strlen(at));
        buf_free(&repair.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fast_scans_agree_with_the_slow_ones),
        cmocka_unit_test(numbers_are_read_in_fixed_point),
        cmocka_unit_test(no_number_is_an_error_at_its_byte),
        cmocka_unit_test(a_value_ends_where_its_grammar_says),
        cmocka_unit_test(what_is_no_value_is_wrong_at_its_byte),
        cmocka_unit_test(depth_costs_no_stack_and_has_an_end),
        cmocka_unit_test(brackets_alone_find_the_end_of_an_array),
        cmocka_unit_test(the_cursor_walks_a_document),
        cmocka_unit_test(the_cursor_fails_once_and_for_all),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(a_window_grows_to_what_is_wanted_and_no_further),
        cmocka_unit_test(a_value_of_any_length_is_skipped),
        cmocka_unit_test(sound_json_stays_as_it_is),
        cmocka_unit_test(a_quote_that_nothing_fitting_follows_is_text),
        cmocka_unit_test(no_string_goes_past_a_key_that_only_structure_has),
        cmocka_unit_test(a_backslash_that_escapes_nothing_is_text),
        cmocka_unit_test(control_characters_and_broken_utf8_are_replaced),
        cmocka_unit_test(bare_words_become_null),
        cmocka_unit_test(commas_and_brackets_are_set_right),
        cmocka_unit_test(what_ends_too_early_is_not_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
