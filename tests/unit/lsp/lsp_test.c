/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include "lsp/document.h"
#include "lsp/frame.h"
#include "lsp/message.h"
#include "lsp/uri.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

/* ---- frames ---- */

/* All that comes of some bytes, fed in pieces of so many: a letter a frame. */
static const char *frames_of(const char *bytes, size_t piece)
{
    static char seen[64];
    struct frames frames = {0};
    size_t count = 0;
    for (str all = str_of(bytes); all.len; all = str_from(all, piece)) {
        frames_feed(&frames, (str){all.at, piece < all.len ? piece : all.len});
        str body;
        for (enum frame frame; count < 60 && (frame = frames_next(&frames, &body)) != FRAME_NONE;)
            seen[count++] = frame == FRAME_BODY ? (body.len ? body.at[0] : '0') : frame == FRAME_BROKEN ? '!' : '+';
    }
    seen[count] = 0;
    frames_free(&frames);
    return seen;
}

static void bodies_come_out_whole(void **state)
{
    static const char *const two = "Content-Length: 2\r\n\r\nabX: y\r\nCONTENT-LENGTH:1\r\n\r\ncContent-Length: 0\n\n";
    for (size_t piece = 1; piece < 80; piece++)
        assert_string_equal(frames_of(two, piece), "ac0");
}

static void broken_heads_are_passed_over(void **state)
{
    assert_string_equal(frames_of("X: y\r\n\r\nContent-Length: 1\r\n\r\na", 100), "!a");
    assert_string_equal(frames_of("Content-Length: -1\r\n\r\nContent-Length: 1\r\n\r\na", 100), "!a");
    assert_string_equal(frames_of("Content-Length: 99999999999999999999\r\n\r\n", 100), "!");
    assert_string_equal(frames_of("Content-Length: 99999999\r\n\r\nabc", 100), "+");
}

/* ---- messages ---- */

static enum message_kind kind_of(const char *body)
{
    struct message message;
    return message_read(&arena, str_of(body), &message);
}

static void kinds_of_messages(void **state)
{
    assert_int_equal(kind_of("{\"id\": 1, \"method\": \"x\"}"), MESSAGE_REQUEST);
    assert_int_equal(kind_of("{\"method\": \"x\"}"), MESSAGE_NOTIFICATION);
    assert_int_equal(kind_of("{\"id\": 1, \"result\": null}"), MESSAGE_RESPONSE);
    assert_int_equal(kind_of("{\"id\": null, \"method\": \"x\"}"), MESSAGE_ODD);
    assert_int_equal(kind_of("{\"id\": {}, \"method\": \"x\"}"), MESSAGE_ODD);
    assert_int_equal(kind_of("[]"), MESSAGE_ODD);
    assert_int_equal(kind_of("{\"id\": 1"), MESSAGE_NO_JSON);
    assert_int_equal(kind_of("{} {}"), MESSAGE_NO_JSON);
    assert_int_equal(kind_of(""), MESSAGE_NO_JSON);
}

static void parameters_by_path(void **state)
{
    struct message message;
    message_read(&arena,
                 S("{\"method\": \"m\", \"params\": {\"a\": {\"b\": [1, \"x\\u00e9\"], \"c\": 7, \"d\": true}}}"),
                 &message);
    int64_t value = -1;
    assert_true(param_int(&arena, message.params, "a.c", &value));
    assert_int_equal(value, 7);
    assert_false(param_int(&arena, message.params, "a.b", &value));
    assert_false(param_int(&arena, message.params, "a.c.e", &value));
    assert_true(param_true(&arena, message.params, "a.d"));
    struct json list = param_list(&arena, message.params, "a.b");
    str item;
    assert_true(param_next(&list, &item) && param_next(&list, &item));
    assert_string_equal(str_z(&arena, item), "\"x\\u00e9\"");
    assert_false(param_next(&list, &item));
    list = param_list(&arena, message.params, "a.none");
    assert_false(param_next(&list, &item));
}

/* ---- places ---- */

static void positions(void **state)
{
    const str text = S("a\xC3\xA9\xF0\x9F\x98\x80z\r\nb\rc\n");
    const struct text_lines *lines = text_lines(&arena, text);
    static const struct {
        struct position utf16, utf8;
        size_t byte;
    } cases[] = {
        {{0, 0}, {0, 0}, 0},   {{0, 1}, {0, 1}, 1},  {{0, 2}, {0, 3}, 3},  {{0, 4}, {0, 7}, 7},  {{0, 5}, {0, 8}, 8},
        {{0, 99}, {0, 99}, 8}, {{1, 0}, {1, 0}, 10}, {{2, 1}, {2, 1}, 13}, {{3, 0}, {3, 0}, 14}, {{9, 9}, {9, 9}, 14},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(position_byte(lines, cases[i].utf16, COLUMNS_UTF16), cases[i].byte);
        assert_int_equal(position_byte(lines, cases[i].utf8, COLUMNS_UTF8), cases[i].byte);
    }
    assert_int_equal(position_of_bytes(lines, 1, 8, COLUMNS_UTF16).character, 4);
    assert_int_equal(position_of_bytes(lines, 1, 8, COLUMNS_UTF8).character, 7);
    assert_int_equal(position_of_utf16(lines, 1, 5, COLUMNS_UTF8).character, 7);
}

static void uris(void **state)
{
    assert_string_equal(uri_path(&arena, S("file:///a%20b/%C3%A9.py")).at, "/a b/\xC3\xA9.py");
    assert_string_equal(uri_path(&arena, S("file://host/a/")).at, "/a");
    assert_string_equal(uri_path(&arena, S("file:///")).at, "/");
    assert_string_equal(uri_path(&arena, S("untitled:x")).at, "untitled:x");
    assert_string_equal(path_uri(&arena, S("/a b/#\xC3\xA9")).at, "file:///a%20b/%23%C3%A9");
}

/* ---- what is open ---- */

static str params_of(const char *params)
{
    struct message message;
    message_read(&arena, str_printf(&arena, "{\"method\": \"m\", \"params\": %s}", params), &message);
    return message.params;
}

static void documents_change(void **state)
{
    struct documents documents = {0};
    struct document *document = documents_open(
        &documents, &arena,
        params_of("{\"textDocument\": {\"uri\": \"file:///t.py\", \"version\": 3, \"text\": \"ab\\ncd\"}}"));
    assert_ptr_equal(documents_find(&documents, S("file:///t.py")), document);
    assert_int_equal(document->version, 3);
    document_change(
        document, &arena,
        params_of("{\"textDocument\": {\"version\": 4}, \"contentChanges\": ["
                  "{\"range\": {\"start\": {\"line\": 0, \"character\": 1}, \"end\": {\"line\": 1, \"character\": 1}},"
                  " \"text\": \"X\"}, {\"range\": {\"start\": {\"line\": 0, \"character\": 9}, \"end\": {\"line\": 9, "
                  "\"character\": 0}}, \"text\": \"!\"}]}"),
        COLUMNS_UTF16);
    assert_int_equal(document->version, 4);
    assert_string_equal(str_z(&arena, buf_str(&document->text)), "aXd!");
    documents_close(&documents, document);
    assert_null(documents_find(&documents, S("file:///t.py")));
    documents_free(&documents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(bodies_come_out_whole, clear),
        cmocka_unit_test_teardown(broken_heads_are_passed_over, clear),
        cmocka_unit_test_teardown(kinds_of_messages, clear),
        cmocka_unit_test_teardown(parameters_by_path, clear),
        cmocka_unit_test_teardown(positions, clear),
        cmocka_unit_test_teardown(uris, clear),
        cmocka_unit_test_teardown(documents_change, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
